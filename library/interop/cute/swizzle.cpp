#include "heddle/interop/cute/swizzle.h"

#include <cstdlib>
#include <variant>

#include "library/text/formatted.h"

namespace heddle::interop::cute {

std::optional<std::string> check(const Swizzle& swizzle) {
  const auto& [bits, base, shift] = swizzle;
  if (bits < 0 || base < 0) return "the bits and the base of a swizzle are 0 or more";
  if (std::abs(shift) < bits)
    return formatted(
        "a swizzle of {} bits needs a shift of at least {}, or it would flip bits by themselves",
        bits, bits);
  if (bits + base + std::abs(shift) > 62) return "a swizzle moves bits below bit 62";
  return std::nullopt;
}

Number evaluate(const ComposedLayout& composed, Number coordinate) {
  return composed.swizzle(composed.offset + evaluate(composed.layout, coordinate));
}

Number evaluate(const AnyLayout& any, Number coordinate) {
  return std::visit([&](const auto& layout) { return evaluate(layout, coordinate); }, any);
}

Number size(const ComposedLayout& composed) { return size(composed.layout); }

Number size(const AnyLayout& any) {
  return std::visit([](const auto& layout) { return size(layout); }, any);
}

std::expected<ComposedLayout, std::string> composition(const ComposedLayout& left,
                                                       const Layout& right) {
  return inside(left, [&](const Layout& layout) { return composition(layout, right); });
}

}  // namespace heddle::interop::cute
