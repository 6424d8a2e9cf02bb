// What kernels for sm_90a have in common whose warpgroups do different work: the function, the
// shared memory, the numbers of a thread, and the registers that some warpgroups give up for
// others.
//
// This header includes MLIR: C++20 only.
#pragma once

#include <string>
#include <vector>

#include "compiler/nvidia/warpgroup_context.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"

namespace heddle::compiler {

/// Makes the function of a kernel. Its first `maps` arguments are tensor maps, which are passed by
/// value; then come arguments of the types `others`. Its thread blocks have `threads` threads.
mlir::LLVM::LLVMFuncOp warpgroup_function(mlir::ImplicitLocOpBuilder& builder,
                                          const std::string& name, unsigned maps,
                                          const std::vector<mlir::Type>& others, int threads);

/// i32: the address at which the thread block's dynamic shared memory begins, a multiple of 1024.
/// The memory has a name that no kernel of the module has.
mlir::Value dynamic_shared_memory(mlir::ImplicitLocOpBuilder& builder,
                                  mlir::gpu::GPUModuleOp module);

/// Sets lane, warp and warpgroup.
void place_warpgroup(WarpgroupContext& context);

void prefetch_map(const WarpgroupContext& context, mlir::Value map);

/// setmaxnreg, which all warps of a warpgroup must execute. Afterwards each thread has `count`
/// registers: fewer than before (give_registers) or more (take_registers).
void give_registers(const WarpgroupContext& context, int count);
void take_registers(const WarpgroupContext& context, int count);

}  // namespace heddle::compiler
