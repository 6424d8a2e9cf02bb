// The kernel of a tile plan, as MLIR: a gpu.module that can be read and printed.
#pragma once

#include "compiler/request/matmul_request.h"
#include "heddle/plan/matmul_plan.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OwningOpRef.h"

namespace heddle::compiler {

/// Loads the dialects that the kernel is written in.
void load_kernel_dialects(mlir::MLIRContext& context);

/// A module with one gpu.module that holds the kernel, named after the user's function. Its
/// arguments are 64-bit pointers, in the order of `parameter_roles`.
mlir::OwningOpRef<mlir::ModuleOp> build_kernel(mlir::MLIRContext& context,
                                               const MatmulRequest& request,
                                               const plan::MatmulPlan& plan);

}  // namespace heddle::compiler
