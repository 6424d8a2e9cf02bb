// Composable Kernel's tile distributions: tile_distribution_encoding, as C++ writes it.
//
//   tile_distribution_encoding<sequence<2>,                              R: lengths of copies
//                              tuple<sequence<16>, sequence<1, 1, 16>>,  H: each dimension cut up
//                              tuple<sequence<0, 2, 1>>,                 P: what ids count through,
//                              tuple<sequence<0, 1, 0>>,                    major and minor
//                              sequence<2, 2>,                           Y: what a thread's values
//                              sequence<0, 2>>                              count through
//
// is A of gfx11's WMMA. A pair (major, minor) names a length: major 0 one of R, major i one of the
// dimension i - 1. The product of a dimension's lengths is its size, and the last length counts
// fastest. An id P counts through its lengths in the same way, and so do the values of a thread
// through Y. One P is the lane; two are the warp and the lane.
//
// Source: ROCm/composable_kernel, commit 8e22e1ae: include/ck_tile/core/tensor/
// tile_distribution_encoding.hpp and tile_distribution.hpp (unmerge of each X, merge of each P).
//
// HOW TO READ THAT ONE. Two dimensions: m is one length of 16, and k is 1 * 1 * 16.
//
//     who      pairs, in the order written      what that is
//     lane     (0,0), (2,1), (1,0)              a copy (2), k's length of 1, m's 16; the last is
//                                               fastest, so lane = copy * 16 + m
//     values   (2,0), (2,2)                     k's length of 1, then its 16: value = k
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

/// The lengths that a major number names: those of R for 0, of dimension i - 1 for i.
const Numbers& lengths(const Encoding& encoding, std::int64_t major);

/// The map (register, lane, warp) -> (dim0, dim1, …); copies are zero bases.
/// Errors: lengths that are not powers of two, a pair that names no length, a length that is used
/// twice or not at all, more than two P.
std::expected<layout::LinearLayout, std::string> to_distributed(const Encoding& encoding);

/// The encoding of a map with the inputs register, lane, warp (or some of them), with the fewest
/// lengths.
/// Law: to_distributed(from_distributed(m)) == m, up to the names of the outputs and the order of
/// the inputs. Errors: other inputs, a basis of several bits, two bases that are equal, an element
/// that nothing holds, copies in registers.
std::expected<Encoding, std::string> from_distributed(const layout::LinearLayout& map);

}  // namespace heddle::interop::ck_tile
