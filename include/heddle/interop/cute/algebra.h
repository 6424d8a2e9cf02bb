// Composition, complement and inverses of CuTe's layouts.
//
//     composition(a, b)      first b, then a                 (4,8):(8,1) o 4:2 is (2,2):(16,1)
//     complement(l, n)       copies of l at these offsets    complement of 4:2 in 24 is (2,3):(1,8)
//                            fill 0 .. n - 1
//     right_inverse(l)       l o r is the identity
//     left_inverse(l)        r o l is the identity
//
// Each result obeys its law for every coordinate. If there is no such result, the error names the
// leaf that prevents it.
#pragma once

#include "heddle/interop/cute/layout.h"

namespace heddle::interop::cute {

namespace detail {

std::string leaf_text(const Mode& mode);

}  // namespace detail

/// The layout that applies `right`, then `left`. Its leaves are those of `right`, split where
/// necessary.
///
/// Law: composition is pointwise: evaluate(composition(a, b), i) == evaluate(a, evaluate(b, i)) for
/// i < size(b), and its shape refines that of b. Errors: a step of `right` that enters the middle
/// of a leaf of `left`; leaves of `right` whose sum does so (CuTe composes them and breaks the
/// law); a negative stride in `right`; indices beyond 2^62.
std::expected<Layout, std::string> composition(const Layout& left, const Layout& right);

/// The offsets, in ascending order, at which copies of the layout cover 0 .. cotarget - 1 (rounded
/// up to whole copies).
///
/// Law: complement is disjoint and ordered: with r = complement(l, n), evaluate(r, i) ascends, the
/// sums of an index of l and one of r are all different (l filtered), and some leaf of either ends
/// (shape * stride) at n or beyond. Errors: negative strides, leaves that overlap.
std::expected<Layout, std::string> complement(const Layout& layout, Number cotarget);

std::expected<Layout, std::string> complement(const Layout& layout);

/// The longest layout that maps the indices 0, 1, 2, … back to coordinates.
///
/// Law: right_inverse leads back: evaluate(l, evaluate(r, i)) == i for i < size(r).
Layout right_inverse(const Layout& layout);

/// A layout that maps each index back to its coordinate. In leaves of stride 0 that coordinate is
/// 0.
///
/// Law: left_inverse leads back: evaluate(l, evaluate(r, evaluate(l, i))) == evaluate(l, i).
/// Errors: negative strides, leaves that overlap, a stride that is not a multiple of the next
/// smaller one.
std::expected<Layout, std::string> left_inverse(const Layout& layout);

}  // namespace heddle::interop::cute
