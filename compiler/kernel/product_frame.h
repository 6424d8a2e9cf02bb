// What is around every kernel of a product: its module and parameters, who a thread is, and loops
// that hand values from one step to the next.
#pragma once

#include <memory>
#include <vector>

#include "compiler/kernel/kernel_module.h"
#include "compiler/kernel/thread_context.h"
#include "compiler/request/matmul_request.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"

namespace heddle::compiler {

/// A kernel for `target`, which `fill` writes into its gpu.module.
std::unique_ptr<KernelModule> kernel_for(
    instruction::Target target,
    llvm::function_ref<void(mlir::ImplicitLocOpBuilder&, mlir::gpu::GPUModuleOp)> fill);

/// The types of `parameter_roles`, and of a workspace behind them: !llvm.ptr<1>, and i32 of sizes.
std::vector<mlir::Type> parameter_types(mlir::Builder& builder, const MatmulRequest& request,
                                        bool has_workspace);

/// Which block it is along an axis of the grid; i32.
mlir::Value block_number(const ThreadContext& context, mlir::gpu::Dimension dimension);
/// Sets lane and warp, of 32 lanes.
void place_thread(ThreadContext& context);

using CarryOver =
    llvm::function_ref<std::vector<mlir::Value>(mlir::Value, std::vector<mlir::Value>)>;

/// for (i = from; i < to; i += step) values = body(i, values), of i32.
std::vector<mlir::Value> counted_loop(const ThreadContext& context, mlir::Value from,
                                      mlir::Value to, mlir::Value step,
                                      const std::vector<mlir::Value>& first, CarryOver body);

/// The same by steps of 1. LLVM would unroll short loops, and the registers that a plan counted
/// would not suffice for two steps in one.
std::vector<mlir::Value> rolled_loop(const ThreadContext& context, mlir::Value from, mlir::Value to,
                                     const std::vector<mlir::Value>& first, CarryOver body);

}  // namespace heddle::compiler
