// IREE's layouts of vectors over subgroups and lanes.
//
// A nested layout divides each dimension, from the outside in, into subgroups, batches, outers,
// threads and elements:
//
//     dim = (((subgroup * batches + batch) * outers + outer) * threads + thread) * elements
//           + element
//
// The subgroup and the thread are computed from ids: thread = lane / thread_stride % thread_tile. A
// lane's registers count through all elements, then all outers, then all batches; in each of these
// the last dimension is fastest. The layout of one operand of an instruction (SubgroupLayout) is
// the same without subgroups and batches.
//
// Source: iree-org/iree, commit b48a5955: VectorExtAttrs.td (NestedLayoutAttr), VectorExtAttrs.cpp
// (getDistributedShape), IREEGPUAttrs.h (MMASingleSubgroupLayout).
//
// EXAMPLE. B of gfx942's 16x16x16 MFMA, k by n: {outer = [1, 1], thread = [4, 16], tstrides = [16,
// 1], element = [4, 1]}.
//
//     a lane has        4 elements, consecutive in dim0 (k)
//     lane / 16 % 4     which four of k
//     lane % 16         the column n
//
//     to_distributed(layout)     register: (1,0) (2,0); lane: (0,1) (0,2) (0,4) (0,8) (4,0) (8,0);
//                                warp: -> dim0: 16, dim1: 16
#pragma once

#include <cstdint>
#include <expected>
#include <string>
#include <vector>

#include "heddle/layout/linear_layout.h"
#include "heddle/layout/needs_cxx23.h"

namespace heddle::interop::iree {

/// One number for each dimension.
using Sizes = std::vector<std::int64_t>;

/// The attribute #iree_vector_ext.nested_layout. If a tile is 1, its stride has no effect and may
/// be 0.
struct NestedLayout {
  Sizes subgroup_tile, batch_tile, outer_tile, thread_tile, element_tile;
  Sizes subgroup_strides, thread_strides;
  friend bool operator==(const NestedLayout&, const NestedLayout&) = default;
};

/// MMASingleSubgroupLayout: one operand of one instruction.
struct SubgroupLayout {
  Sizes outer, thread, tstrides, element;
  friend bool operator==(const SubgroupLayout&, const SubgroupLayout&) = default;
};

NestedLayout nested(const SubgroupLayout& layout);

/// The map (register, lane, warp) -> (dim0, dim1, …). `lanes`: the number of lanes, `warps`: the
/// number of warps; 0 means as few as the layout uses. If there are more, the bits of the lane or
/// warp that the layout does not use make copies.
///
/// Errors: lists of different ranks, sizes or strides that are not powers of two, bits of an id
/// that two dimensions use, fewer lanes or warps than the layout uses.
std::expected<layout::LinearLayout, std::string> to_distributed(const NestedLayout& layout,
                                                                std::int64_t lanes = 0,
                                                                std::int64_t warps = 0);
std::expected<layout::LinearLayout, std::string> to_distributed(const SubgroupLayout& layout,
                                                                std::int64_t lanes = 0);

/// The nested layout of a map with the input axes register, lane, warp (or some of them). Its
/// dimensions are in the order of the map's outputs. If several layouts exist, the result has the
/// most elements, and among these the most outers.
///
/// Law: to_distributed(from_distributed(m), lanes of m, warps of m) == m, up to the names of the
/// outputs and the order of the inputs.
///
/// Errors:
/// - other input axes;
/// - a basis with several bits;
/// - copies in registers;
/// - a dimension whose bits are not in the order elements, lanes, registers, warps;
/// - registers that do not count through the dimensions from the last to the first.
std::expected<NestedLayout, std::string> from_distributed(const layout::LinearLayout& map);

/// The layout of an instruction's operand that has this map: like from_distributed(), but without
/// batches and subgroups. Errors: those of from_distributed; a map that needs batches or warps.
std::expected<SubgroupLayout, std::string> subgroup_from_distributed(
    const layout::LinearLayout& map);

}  // namespace heddle::interop::iree
