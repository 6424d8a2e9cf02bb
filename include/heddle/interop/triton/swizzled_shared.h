// Gluon's SwizzledSharedLayout and SharedLinearLayout, and AMD's rotating layout, which exists only
// as an attribute of Triton.
//
// Swizzled: rows along the fastest dimension are contiguous. In row r, the index of a group of
// `vec` elements is xored with (r / per_phase) % max_phase. Rotating: the index is also xored with
// the index of the block of per_phase * max_phase rows.
//
// Source: Triton 3.6.0, python/triton/experimental/gluon/language/_layouts.py, and
// lib/Dialect/TritonGPU/IR/LinearLayoutConversions.cpp (swizzledSharedToLinearLayout,
// sharedToLinearLayoutAMDRotating).
//
// vec 2, per_phase 1, max_phase 4, order [1, 0], a tile of 4 x 8 elements:
//
//     row 0     (0,0) (0,1)   (0,2) (0,3)   (0,4) (0,5)   (0,6) (0,7)
//     row 1     (1,2) (1,3)   (1,0) (1,1)   (1,6) (1,7)   (1,4) (1,5)
//     row 2     (2,4) (2,5)   (2,6) (2,7)   (2,0) (2,1)   (2,2) (2,3)
//     row 3     (3,6) (3,7)   (3,4) (3,5)   (3,2) (3,3)   (3,0) (3,1)
//
// With max_phase 1 there is no swizzle. In a row shorter than vec * max_phase, the xor wraps
// around.
#pragma once

#include "heddle/interop/triton/padded_shared.h"

namespace heddle::interop::triton {

struct SwizzledSharedLayout {
  std::int64_t vec;        // elements of a group, which stay together
  std::int64_t per_phase;  // rows with the same xor
  std::int64_t max_phase;  // how many different xors there are
  Numbers order;           // the dimensions, fastest first
  Bases cga_layout{};
  bool is_rotating = false;  // #ttg.amd_rotating_shared

  std::size_t rank() const { return order.size(); }

  Result<void> verify() const;

  std::string mangle() const;

  /// The shape of one period of the swizzle: vec * max_phase elements by per_phase * max_phase
  /// rows.
  Numbers tile() const;

  /// (offset[, block]) -> (dim0, dim1, …).
  Result<memory::SharedLayout> to_shared(const Numbers& shape) const;

 private:
  std::int64_t phase(std::int64_t row) const {
    const std::int64_t own = row / per_phase % max_phase;
    return is_rotating ? own ^ row / per_phase / max_phase % max_phase : own;
  }
};

/// Any linear map offset -> element, given by its bases.
struct SharedLinearLayout {
  Bases offset_bases;
  Bases block_bases{};
  std::int64_t alignment = 16;  // bytes

  std::size_t rank() const { return offset_bases.empty() ? 0 : offset_bases[0].size(); }

  Result<void> verify() const;

  std::string mangle() const;

  /// The shape that the bases reach.
  Numbers tile() const { return reached(inputs(), rank()); }

  /// The map (offset[, block]) -> (dim0, dim1, …). Errors: those of verify(), any shape except the
  /// layout's own.
  Result<memory::SharedLayout> to_shared(const Numbers& shape) const;

 private:
  std::vector<NamedBases> inputs() const {
    return {{"offset", offset_bases}, {"block", block_bases}};
  }
};

}  // namespace heddle::interop::triton
