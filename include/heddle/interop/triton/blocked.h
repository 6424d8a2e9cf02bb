// Gluon's BlockedLayout and DistributedLinearLayout.
//
// Blocked: a thread holds a small box of elements, the threads of a warp form a box of such boxes,
// and the warps of a CTA form a box of the boxes of warps. The elements of a thread, the threads of
// a warp and the warps run through the dimensions in `order`, fastest first.
//
// Source: Triton 3.6.0, python/triton/experimental/gluon/language/_layouts.py, and
// lib/Dialect/TritonGPU/IR (BlockedEncodingAttr, LinearEncodingAttr).
//
// BlockedLayout([1, 4], [8, 4], [4, 1], [1, 0]), the usual one of a coalesced load:
//
//     a thread     1 x 4 elements of a row
//     a warp       8 x 4 threads: 8 rows of 16 elements; threads run along dimension 1 first
//     the CTA      4 warps below each other: 32 x 16
//     tile()       [32, 16]; a tensor of 64 x 16 holds it twice, in further registers
//
//     to_linear([32, 16])     register: (0,1) (0,2); lane: (0,4) (0,8) (1,0) (2,0) (4,0);
//                             warp: (8,0) (16,0); block: -> dim0: 32, dim1: 16
#pragma once

#include "heddle/interop/triton/tile.h"
#include "heddle/layout/solve.h"

namespace heddle::interop::triton {

struct BlockedLayout {
  Numbers size_per_thread;   // elements a thread holds in each dimension
  Numbers threads_per_warp;  // threads of a warp in each dimension
  Numbers warps_per_cta;     // warps of a CTA in each dimension
  Numbers order;             // the dimensions, fastest first
  Bases cga_layout{};        // how CTAs share the tensor; empty: one CTA

  std::size_t rank() const { return order.size(); }

  /// Errors: lists of different lengths, sizes that are not powers of two, an order that is not a
  /// permutation.
  Result<void> verify() const;

  std::string mangle() const;

  /// The shape of the tile that the layout covers without repetition. Precondition: verify().
  Numbers tile() const;

  /// The map (register, lane, warp, block) -> (dim0, dim1, …) for a tensor of this shape.
  Result<layout::LinearLayout> to_linear(const Numbers& shape) const;
};

/// Any linear map, given by its bases: reg_bases [[0, 1], [0, 2]] mean that register bits 0 and 1
/// move by one and two elements in dimension 1. Each basis has a coordinate for every dimension.
struct DistributedLinearLayout {
  Bases reg_bases;
  Bases lane_bases;
  Bases warp_bases;
  Bases block_bases;
  Numbers shape;

  std::size_t rank() const { return shape.size(); }

  /// Errors: bases of another rank or outside the shape, bases that do not reach every element of
  /// the shape.
  Result<void> verify() const;

  std::string mangle() const;

  Numbers tile() const { return shape; }

  /// The map for a tensor of this shape. For the layout's own shape it is the map of the bases. For
  /// a larger shape, that map is repeated in registers. For a smaller shape, registers whose
  /// elements would be outside are dropped, and lanes and warps whose elements would be outside
  /// hold copies.
  Result<layout::LinearLayout> to_linear(const Numbers& wanted) const;

 private:
  std::vector<NamedBases> inputs() const;
};

}  // namespace heddle::interop::triton
