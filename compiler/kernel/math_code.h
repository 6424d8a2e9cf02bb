// The operations of runtime/numbers/math_functions.h as code: math and arith of f32, then what
// LLVM's back ends for GPUs have instructions or expansions for.
//
// This header includes MLIR: C++20 only (see compiler/CMakeLists.txt).
#pragma once

#include <memory>
#include <vector>

#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/Pass/Pass.h"

namespace heddle::compiler {

/// Row `function` of runtime::math_functions for `operands`, which have one type, the type of the
/// result. Floats narrower than f32 are computed in f32.
mlir::Value emit_math_function(mlir::ImplicitLocOpBuilder& builder, int function,
                               llvm::ArrayRef<mlir::Value> operands);

/// 1 + tanh(x) of f32, for GELU: 2 / (1 + exp(-2 x)). It loses no bits where the tanh is near -1,
/// and takes a third of the instructions.
mlir::Value one_and_tanh(mlir::ImplicitLocOpBuilder& builder, mlir::Value x);

/// The tanh of each number (f32) of a thread. `any` says whether a bool (i1) is true in a thread of
/// the warp: if none has a number from 0.5 on, polynomials do, without special instructions.
std::vector<mlir::Value> hyperbolic_tangents(mlir::ImplicitLocOpBuilder& builder,
                                             llvm::ArrayRef<mlir::Value> numbers,
                                             llvm::function_ref<mlir::Value(mlir::Value)> any);

/// The functions that a back end turns into code itself, and MLIR would approximate.
enum class MathBackend { amdgpu, nvptx };

/// Replaces all operations of the math dialect: by polynomials in arith if MLIR has one and the
/// back end has nothing better, else by LLVM's intrinsics, so that no vendor's library is called.
/// Also replaces maxnumf and minnumf, which convert-gpu-to-nvvm turns into such calls.
std::unique_ptr<mlir::Pass> create_math_pass(MathBackend backend);

}  // namespace heddle::compiler
