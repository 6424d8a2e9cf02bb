// Any layout that Triton writes, and the map that it is for a tensor of some shape.
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

/// (register, lane, warp, block) -> (dim0, dim1, …), or where elements lie in shared memory. In
/// shared memory a partitioned layout also has the input axis `partition`. The inputs of tensor
/// memory are (row, col[, block]).
using Map = std::variant<layout::LinearLayout, memory::SharedLayout>;

/// The error for a layout that Triton refuses, in Triton's words if it has some.
Result<void> verify(const Layout& layout);

/// Gluon's mangled name; empty of tensor memory.
std::string mangle(const Layout& layout);

/// The shape that the layout covers once. Precondition: verify(layout).
Numbers tile_of(const Layout& layout);

/// The map for a tensor of that shape. Errors: those of verify, a shape that the layout cannot
/// have.
Result<Map> to_map(const Layout& layout, const Numbers& shape);

}  // namespace heddle::interop::triton
