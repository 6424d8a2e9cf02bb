// CuTe's swizzles, and layouts that end in one.
#pragma once

#include <cstdlib>
#include <variant>

#include "heddle/interop/cute/algebra.h"

namespace heddle::interop::cute {

/// Sw<bits,base,shift> xors `bits` bits of an index, from bit `base` on, with the bits that are
/// `shift` higher. (For a negative shift, the higher bits are xored with the lower ones.)
///
///     index   xxx YYY xx ZZZ xxxx       Sw<3,4,5>: base 4, shift 5
///     result  xxx YYY xx AAA xxxx       A = Z ^ Y
///
/// Law: a swizzle is its own inverse and linear over F2.
struct Swizzle {
  int bits = 0;
  int base = 0;
  int shift = 0;

  constexpr Number operator()(Number index) const {
    const Number mask = (Number{1} << bits) - 1;
    if (shift >= 0) return index ^ ((index & mask << (base + shift)) >> shift);
    return index ^ (index & mask << base) << -shift;
  }
  friend constexpr bool operator==(const Swizzle&, const Swizzle&) = default;
};

/// Why the numbers are no swizzle.
std::optional<std::string> check(const Swizzle& swizzle);

/// coordinate -> swizzle(offset + layout(coordinate))
struct ComposedLayout {
  Swizzle swizzle;
  Number offset = 0;
  Layout layout;
  friend bool operator==(const ComposedLayout&, const ComposedLayout&) = default;
};

using AnyLayout = std::variant<Layout, ComposedLayout>;

/// Precondition: offset + layout(coordinate) is not negative.
Number evaluate(const ComposedLayout& composed, Number coordinate);
Number evaluate(const AnyLayout& any, Number coordinate);

Number size(const ComposedLayout& composed);
Number size(const AnyLayout& any);

/// The composed layout with operation(layout) in place of its layout. Like CuTe, this divides and
/// composes only the inner layout, because the swizzle and the offset are applied after the inner
/// layout. Errors: those of the operation.
std::expected<ComposedLayout, std::string> inside(const ComposedLayout& composed,
                                                  auto&& operation) {
  std::expected<Layout, std::string> layout = operation(composed.layout);
  if (!layout) return std::unexpected(std::move(layout.error()));
  return ComposedLayout{composed.swizzle, composed.offset, std::move(*layout)};
}

/// Law: composition is pointwise here too.
std::expected<ComposedLayout, std::string> composition(const ComposedLayout& left,
                                                       const Layout& right);

}  // namespace heddle::interop::cute
