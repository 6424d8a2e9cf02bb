// Composition, complement and inverses of CuTe's layouts.
//
//     composition(a, b)      first b, then a                 (4,8):(8,1) o 4:2 is (2,2):(16,1)
//     complement(l, n)       what repeats l to fill n        complement of 4:2 in 24 is (2,3):(1,8)
//     right_inverse(l)       l o r is the identity
//     left_inverse(l)        r o l is the identity
//
// An answer obeys its law for every coordinate. If no answer does, the error says which leaf is the
// obstacle.
#pragma once

#include "heddle/interop/cute/layout.h"

namespace heddle::interop::cute {

namespace detail {

std::string leaf_text(const Mode& mode);

}  // namespace detail

/// First `right`, then `left`. Its leaves follow those of `right`, split where `left` does.
/// Law: composition is pointwise: evaluate(composition(a, b), i) == evaluate(a, evaluate(b, i)) for
/// i < size(b), and its shape refines that of b.
/// Errors: a step of `right` that enters the middle of a leaf of `left`; leaves of `right` whose
/// sum does so (CuTe composes them and breaks the law); a negative stride in `right`; indices
/// beyond 2^62.
std::expected<Layout, std::string> composition(const Layout& left, const Layout& right);

/// The layout that is missing to cover 0 .. cotarget - 1 (rounded up to whole copies) with copies
/// of the layout, ascending.
/// Law: complement is disjoint and ordered: with r = complement(l, n), evaluate(r, i) ascends, the
/// sums of an index of l and one of r are all different (l filtered), and some leaf of either ends
/// (shape * stride) at n or beyond.
/// Errors: negative strides, leaves that overlap.
std::expected<Layout, std::string> complement(const Layout& layout, Number cotarget);

std::expected<Layout, std::string> complement(const Layout& layout);

/// The longest layout that leads back from 0, 1, 2, … to coordinates.
/// Law: right_inverse leads back: evaluate(l, evaluate(r, i)) == i for i < size(r).
Layout right_inverse(const Layout& layout);

/// A layout that leads from each index back to its coordinate. In leaves of stride 0 that
/// coordinate is 0.
/// Law: left_inverse leads back: evaluate(l, evaluate(r, evaluate(l, i))) == evaluate(l, i).
/// Errors: negative strides, leaves that overlap, a stride that is no multiple of the next smaller.
std::expected<Layout, std::string> left_inverse(const Layout& layout);

}  // namespace heddle::interop::cute
