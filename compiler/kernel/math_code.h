// Builds code for the functions of runtime/numbers/math_functions.h. First they are operations of
// the dialects math and arith on f32. A pass then replaces these by what LLVM's back ends for GPUs
// have instructions or expansions for.
#pragma once

#include <memory>
#include <vector>

#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/Pass/Pass.h"

namespace heddle::compiler {

/// Builds the function that is row number `function` of runtime::math_functions, applied to
/// `operands`. All operands have the type of the result. Floats narrower than f32 are computed in
/// f32.
mlir::Value emit_math_function(mlir::ImplicitLocOpBuilder& builder, int function,
                               llvm::ArrayRef<mlir::Value> operands);

/// 1 + tanh(x) for an f32, as GELU needs it, computed as 2 / (1 + exp(-2 x)). It loses no bits
/// where tanh(x) is near -1, and takes a third of the instructions of tanh(x) and an addition.
mlir::Value one_and_tanh(mlir::ImplicitLocOpBuilder& builder, mlir::Value x);

/// The tanh of each of a thread's `numbers` (f32). If no thread of the warp has a number of 0.5 or
/// more, all are computed by polynomials, which need no special instructions. `any` builds code
/// that tells whether its argument (i1) is true in some thread of the warp.
std::vector<mlir::Value> hyperbolic_tangents(mlir::ImplicitLocOpBuilder& builder,
                                             llvm::ArrayRef<mlir::Value> numbers,
                                             llvm::function_ref<mlir::Value(mlir::Value)> any);

/// LLVM's back end for which functions are lowered. It has code for some functions, which MLIR
/// would otherwise approximate.
enum class MathBackend { amdgpu, nvptx };

/// A pass that replaces all operations of the math dialect: by polynomials in arith if MLIR has one
/// and the back end has nothing better, otherwise by LLVM's intrinsics. Afterwards no operation
/// needs a vendor's library. It also replaces maxnumf and minnumf, which convert-gpu-to-nvvm would
/// turn into calls of such a library.
std::unique_ptr<mlir::Pass> create_math_pass(MathBackend backend);

}  // namespace heddle::compiler
