// Kernels for RDNA, from MLIR to the ROCDL dialect: the list of passes, each with its reason in
// lowering.cpp.
//
// This header includes MLIR: C++20 only (see compiler/CMakeLists.txt).
#pragma once

#include <string>

#include "mlir/IR/MLIRContext.h"
#include "mlir/Pass/PassManager.h"

namespace heddle::compiler {

/// Lowers the kernels of a gpu.module to the LLVM and ROCDL dialects. Needs
/// register_rocdl_interfaces.
void add_rocdl_lowering_passes(mlir::OpPassManager& passes, const std::string& chipset);

/// Tells `context` how dialects convert to the LLVM dialect and how that becomes LLVM IR.
void register_rocdl_interfaces(mlir::MLIRContext& context);

}  // namespace heddle::compiler
