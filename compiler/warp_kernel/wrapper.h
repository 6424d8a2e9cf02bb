// A warp-level function becomes a kernel of one warp.
//
//   NAME(pointer, open values…, pointer, open values…, index…)
//
// For each memref argument the kernel takes a pointer to global memory and, as i32, the numbers
// that its type leaves open: offset, then sizes, then strides. An index argument is an i32.
// Arguments in shared memory are copied there before the function's body and back after it. The
// whole span is copied, so that a stray write comes back too.
//
// This header includes MLIR: C++20 only (see compiler/CMakeLists.txt).
#pragma once

#include "compiler/warp_kernel/source.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"

namespace heddle::compiler {

/// Refuses functions that a kernel of one warp cannot hold: open sizes in shared memory, more than
/// `most_shared_bytes` of it, arrays of 2^31 bytes or more.
bool check_wrappable(const WarpSource& source, std::int64_t most_shared_bytes,
                     Diagnostics& diagnostics);

/// Moves the body of `source.function`, which runs at thread level already, into a kernel in a new
/// gpu.module of the same module, and erases the function. Indices will have `index_bits`; a block
/// has `threads`, those of the warp.
void wrap_as_kernel(WarpSource& source, unsigned index_bits, int threads);

}  // namespace heddle::compiler
