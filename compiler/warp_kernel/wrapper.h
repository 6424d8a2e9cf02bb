// Makes a kernel for one warp from a warp-level function. The kernel has these parameters:
//
//   NAME(pointer, open values…, pointer, open values…, index…)
//
// - For each memref argument: a pointer to global memory; then, as i32, the numbers that are
// dynamic in the memref's type (open values): offset, sizes, strides, in this order.
// - For each index argument: an i32.
//
// If a memref is in shared memory, the kernel copies its elements from global to shared memory
// before the function's body, and back after it. It copies everything from the pointer to the end
// of the last element, including gaps, so that a write into a gap by mistake becomes visible too.
//
// This header includes MLIR: C++20 only (see compiler/CMakeLists.txt).
#pragma once

#include "compiler/warp_kernel/source.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"

namespace heddle::compiler {

/// Refuses functions that cannot become a kernel of one warp: those with memrefs in shared memory
/// whose sizes, strides or offset are dynamic, with more than `most_shared_bytes` bytes of shared
/// memory, or with arrays that are known to have 2^31 bytes or more.
bool check_wrappable(const WarpSource& source, std::int64_t most_shared_bytes,
                     Diagnostics& diagnostics);

/// Moves the body of `source.function`, which must already be the code of one thread, into a kernel
/// in a new gpu.module of the same MLIR module, and erases the function. Indices will be lowered to
/// `index_bits` bits; the thread block has `threads` threads, the number in a warp.
void wrap_as_kernel(WarpSource& source, unsigned index_bits, int threads);

}  // namespace heddle::compiler
