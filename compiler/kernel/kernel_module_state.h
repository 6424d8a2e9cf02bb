// What stands behind a KernelModule: the MLIR module, and how its vendor lowers it.
#pragma once

#include "compiler/kernel/kernel_module.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OwningOpRef.h"
#include "mlir/Pass/PassManager.h"

namespace heddle::compiler {

struct KernelModule::State {
  virtual ~State() = default;
  /// The passes that take a gpu.module to the LLVM dialect, each with the reason why it runs there.
  virtual void add_lowering_passes(mlir::OpPassManager& passes) const = 0;
  /// The conversions and translations of dialects that those passes and the translation ask for.
  virtual void add_interfaces() = 0;

  mlir::MLIRContext context{mlir::MLIRContext::Threading::DISABLED};
  mlir::OwningOpRef<mlir::ModuleOp> module;  // one gpu.module
};

}  // namespace heddle::compiler
