// Gluon's BlockedLayout and DistributedLinearLayout.
//
// Blocked: a thread holds a small box of elements, the threads of a warp form a box of such boxes,
// the warps a box of those; `order` names the dimensions, fastest first, in which all three run.
//
// Source: Triton 3.6.0, python/triton/experimental/gluon/language/_layouts.py, and
// lib/Dialect/TritonGPU/IR (BlockedEncodingAttr, LinearEncodingAttr).
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

  /// Errors: lists of different lengths, sizes that are no powers of two, an order that is none.
  Result<void> verify() const;

  std::string mangle() const;

  /// The shape that the layout covers once. Precondition: verify().
  Numbers tile() const;

  /// (register, lane, warp, block) -> (dim0, dim1, …).
  Result<layout::LinearLayout> to_linear(const Numbers& shape) const;
};

struct DistributedLinearLayout {
  Bases reg_bases;
  Bases lane_bases;
  Bases warp_bases;
  Bases block_bases;
  Numbers shape;

  std::size_t rank() const { return shape.size(); }

  /// Errors: bases of another rank or outside the shape, bases that do not reach all of it.
  Result<void> verify() const;

  std::string mangle() const;

  Numbers tile() const { return shape; }

  /// The map itself for its own shape; repeated in registers for a larger one; for a smaller one
  /// without the registers, and with copies in the lanes and warps, that would lead outside.
  Result<layout::LinearLayout> to_linear(const Numbers& wanted) const;

 private:
  std::vector<NamedBases> inputs() const;
};

}  // namespace heddle::interop::triton
