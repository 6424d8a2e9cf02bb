// The operations of runtime/numbers/math_functions.h as code: math and arith of f32, then what
// LLVM's back ends for GPUs have instructions or expansions for.
//
// This header includes MLIR: C++20 only (see compiler/CMakeLists.txt).
#pragma once

#include <memory>

#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/Pass/Pass.h"

namespace heddle::compiler {

/// Row `function` of runtime::math_functions of `operands`, which are of one type; also the type of
/// the result. Floats narrower than f32 are computed in f32.
mlir::Value emit_math_function(mlir::ImplicitLocOpBuilder& builder, int function,
                               llvm::ArrayRef<mlir::Value> operands);

/// 1 + tanh(x) of f32, as GELU has it: 2 / (1 + exp(-2 x)), which loses nothing where the tanh is
/// near -1, and takes a third of the instructions.
mlir::Value one_and_tanh(mlir::ImplicitLocOpBuilder& builder, mlir::Value x);

/// What a back end turns into code itself, of the functions that MLIR approximates otherwise.
enum class MathBackend { amdgpu, nvptx };

/// Leaves nothing of the math dialect: polynomials in arith where MLIR has one and the back end has
/// no better, LLVM's intrinsics for all else, so that no library of a vendor is called. Also
/// maxnumf and minnumf, which convert-gpu-to-nvvm makes such calls of.
std::unique_ptr<mlir::Pass> create_math_pass(MathBackend backend);

}  // namespace heddle::compiler
