// A Triton layout of any kind, and its map for a tensor of some shape.
#pragma once

#include "heddle/interop/triton/distributed.h"
#include "heddle/interop/triton/nvmma_shared.h"
#include "heddle/interop/triton/padded_shared.h"
#include "heddle/interop/triton/partitioned_shared.h"
#include "heddle/interop/triton/swizzled_shared.h"
#include "heddle/interop/triton/tensor_memory.h"

namespace heddle::interop::triton {

using Layout = std::variant<DistributedLayout, PaddedSharedLayout, SwizzledSharedLayout,
                            NVMMASharedLayout, SharedLinearLayout, PartitionedSharedLayout,
                            TensorMemoryLayout, TensorMemoryScalesLayout>;

/// The map of a layout: (register, lane, warp, block) -> (dim0, dim1, …), or a layout of shared
/// memory. For a partitioned layout of shared memory, `partition` is an additional input axis. The
/// input axes of a layout of tensor memory are (row, col[, block]).
using Map = std::variant<layout::LinearLayout, memory::SharedLayout>;

/// The error for a layout that Triton rejects, with Triton's message if it has one.
Result<void> verify(const Layout& layout);

/// Gluon's mangled name; empty of tensor memory.
std::string mangle(const Layout& layout);

/// The shape of the tile that the layout covers without repetition. Precondition: verify(layout).
Numbers tile_of(const Layout& layout);

/// The map for a tensor of this shape. Errors: those of verify, a shape that the layout cannot
/// have.
Result<Map> to_map(const Layout& layout, const Numbers& shape);

}  // namespace heddle::interop::triton
