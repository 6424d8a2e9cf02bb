// Composable Kernel's tile distributions: tile_distribution_encoding, with the C++ syntax.
//
//   tile_distribution_encoding<sequence<2>,                              R: sizes of copies
//                              tuple<sequence<16>, sequence<1, 1, 16>>,  H: factors by dimension
//                              tuple<sequence<0, 2, 1>>,                 P: the factors of ids,
//                              tuple<sequence<0, 1, 0>>,                    major and minor
//                              sequence<2, 2>,                           Y: those of the index of a
//                              sequence<0, 2>>                              thread's value
//
// is A of gfx11's WMMA. A pair (major, minor) refers to a factor: major 0 to one of R, major i to
// one of dimension i - 1. The product of a dimension's factors is its size; of its index, the last
// factor varies fastest. An id P is composed of its factors in the same way, and so is the index of
// a thread's values of the factors Y. If there is one P, it is the lane; if there are two, they are
// the warp and the lane.
//
// Source: ROCm/composable_kernel, commit 8e22e1ae: include/ck_tile/core/tensor/
// tile_distribution_encoding.hpp and tile_distribution.hpp (unmerge of each X, merge of each P).
//
// HOW TO READ THIS EXAMPLE. There are two dimensions: m has one factor, 16, and k is 1 * 1 * 16.
//
//     index    pairs, in the order written      meaning
//     lane     (0,0), (2,1), (1,0)              a copy (2), k's second factor (1), m's 16; the last
//                                               is fastest, so lane = copy * 16 + m
//     values   (2,0), (2,2)                     k's first factor (1), then its 16: value = k
//
//     to_distributed(encoding)     register: (0,1) (0,2) (0,4) (0,8);
//                                  lane: (1,0) (2,0) (4,0) (8,0) (0,0) -> dim0: 16, dim1: 16
#pragma once

#include <cstdint>
#include <expected>
#include <string>
#include <vector>

#include "heddle/layout/linear_layout.h"
#include "heddle/layout/needs_cxx23.h"

namespace heddle::interop::ck_tile {

using Numbers = std::vector<std::int64_t>;

/// The template arguments of tile_distribution_encoding in their order: Rs, Hss, Ps2RHssMajor,
/// Ps2RHssMinor, Ys2RHsMajor, Ys2RHsMinor.
struct Encoding {
  Numbers rs;                               // lengths of copies
  std::vector<Numbers> hs;                  // lengths of each dimension
  std::vector<Numbers> ps_major, ps_minor;  // one list for each id
  Numbers ys_major, ys_minor;
  friend bool operator==(const Encoding&, const Encoding&) = default;
};

/// The factors that a major number refers to: R for 0, dimension i - 1 for i.
const Numbers& lengths(const Encoding& encoding, std::int64_t major);

/// The map (register, lane, warp) -> (dim0, dim1, …); copies are zero bases. Errors: factors that
/// are not powers of two, a pair that refers to no factor, a factor that is used twice or not at
/// all, more than two P.
std::expected<layout::LinearLayout, std::string> to_distributed(const Encoding& encoding);

/// The encoding of a map with the input axes register, lane, warp (or some of them), with as few
/// factors as possible.
///
/// Law: to_distributed(from_distributed(m)) == m, up to the names of the outputs and the order of
/// the inputs. Errors: other input axes, a basis with several bits, two equal bases, an element
/// that no thread holds, copies in registers.
std::expected<Encoding, std::string> from_distributed(const layout::LinearLayout& map);

}  // namespace heddle::interop::ck_tile
