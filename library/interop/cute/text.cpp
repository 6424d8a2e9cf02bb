#include "heddle/interop/cute/text.h"

#include <algorithm>
#include <array>
#include <bit>
#include <string>
#include <string_view>

namespace heddle::interop::cute {

std::string text(const IntTuple& tuple) {
  if (tuple.is_leaf()) return std::to_string(tuple.leaf());
  std::string result = "(";
  for (std::size_t i = 0; i < tuple.rank(); ++i) result += (i > 0 ? "," : "") + text(tuple[i]);
  return result + ")";
}

std::string text(const Layout& layout) { return text(shape(layout)) + ":" + text(stride(layout)); }

std::string text(const Swizzle& swizzle) {
  return "Sw<" + std::to_string(swizzle.bits) + "," + std::to_string(swizzle.base) + "," +
         std::to_string(swizzle.shift) + ">";
}

std::string text(const ComposedLayout& composed) {
  return text(composed.swizzle) + " o " + std::to_string(composed.offset) + " o " +
         text(composed.layout);
}

std::string text(const AnyLayout& any) {
  return std::visit([](const auto& layout) { return text(layout); }, any);
}

bool begins_with_pointer(std::string_view text) {
  constexpr std::array<std::string_view, 7> starts{"smem_",   "gmem_",   "rmem_", "tmem_[",
                                                   "sparse<", "subptr[", "ptr["};
  return std::ranges::any_of(starts, [&](auto start) { return text.starts_with(start); });
}

bool begins_with_name(std::string_view text) {
  while (text.starts_with("cute::") || text.starts_with("const "))
    text.remove_prefix(6);  // both are as long
  constexpr std::array<std::string_view, 8> starts{
      "Layout<", "ComposedLayout<", "Swizzle<",   "make_layout(", "Sw<",
      "S<",      "composition(",    "!fly.layout"};
  return text.starts_with("TiledCopy") ||
         std::ranges::any_of(starts, [&](auto start) { return text.starts_with(start); });
}

namespace detail {

std::expected<Swizzle, std::string> swizzle_of_indices(const Swizzle& of_bytes,
                                                       const Pointee& pointee) {
  const auto log2 = [](Number number) {
    return std::bit_width(static_cast<std::uint64_t>(number)) - 1;
  };
  if (of_bytes.bits == 0) return Swizzle{0, 0, 0};
  Swizzle swizzle = of_bytes;
  swizzle.base += 3 + log2(pointee.sparsity) - log2(pointee.bits);
  if (swizzle.base < 0)
    return std::unexpected(text(of_bytes) + " of byte addresses flips bits inside an element of " +
                           std::to_string(pointee.bits) + " bits; its base is at least " +
                           std::to_string(of_bytes.base - swizzle.base));
  if (auto reason = check(swizzle)) return std::unexpected(std::move(*reason));
  return swizzle;
}

}  // namespace detail

std::expected<ReadText, TextError> read_text(std::string_view text) {
  return detail::TextReader(text).read();
}

std::expected<AnyLayout, TextError> read(std::string_view text) {
  auto result = read_text(text);
  if (!result) return std::unexpected(std::move(result.error()));
  return std::move(result->layout);
}

}  // namespace heddle::interop::cute
