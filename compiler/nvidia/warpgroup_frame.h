// The frame of a kernel whose warpgroups have roles, for sm_90a: its function, its shared memory,
// the numbers of a thread, and the registers that warpgroups give to each other.
//
// Includes MLIR: C++20.
#pragma once

#include <string>
#include <vector>

#include "compiler/nvidia/warpgroup_context.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"

namespace heddle::compiler {

/// A kernel whose first `maps` arguments are tensor maps, passed by value; then come those of the
/// types `others`.
mlir::LLVM::LLVMFuncOp warpgroup_function(mlir::ImplicitLocOpBuilder& builder,
                                          const std::string& name, unsigned maps,
                                          const std::vector<mlir::Type>& others, int threads);

/// i32: where the block's dynamic shared memory begins, a multiple of 1024. Its name is one that no
/// kernel of the module has.
mlir::Value dynamic_shared_memory(mlir::ImplicitLocOpBuilder& builder,
                                  mlir::gpu::GPUModuleOp module);

/// Sets lane, warp and warpgroup.
void place_warpgroup(WarpgroupContext& context);

void prefetch_map(const WarpgroupContext& context, mlir::Value map);

/// setmaxnreg, by all warps of a warpgroup: it goes on with so many registers of each thread.
void give_registers(const WarpgroupContext& context, int count);
void take_registers(const WarpgroupContext& context, int count);

}  // namespace heddle::compiler
