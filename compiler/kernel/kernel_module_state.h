// The MLIR state of a KernelModule.
#pragma once

#include "compiler/kernel/kernel_module.h"
#include "compiler/kernel/lowering.h"

namespace heddle::compiler {

struct KernelModule::State {
  explicit State(instruction::Target of) : target(of) { load_kernel_dialects(context, of); }

  instruction::Target target;
  unsigned index_bits = 32;  // Lowering's
  mlir::MLIRContext context{mlir::MLIRContext::Threading::DISABLED};
  mlir::OwningOpRef<mlir::ModuleOp> module;  // one gpu.module
};

}  // namespace heddle::compiler
