// The GEMM of row-major operands: the compiler makes a kernel for one problem, and kernels/gemm.h
// calls the functions here. A launch of this kernel takes the same buffers as the launch of a
// kernel in HIP.
#pragma once

#include <expected>
#include <memory>
#include <string>

#include "compiler/compile.h"
#include "heddle/instruction/target.h"
#include "kernels/gemm.h"

namespace heddle::kernels {

/// A code object for one problem: its sizes, strides and epilogue are constants of the kernel.
struct CompiledGemm {
  GemmProblem problem;
  compiler::Compilation compilation;
};

/// The problem as MLIR (docs/matmul.md): a function of A, B, C (if beta is not 0), the bias (if
/// there is one), and D.
std::string gemm_text(const GemmProblem& problem);

/// Compiles the kernel, which takes some 150 ms. Errors: what the compiler refuses, with its
/// reason.
std::expected<std::shared_ptr<const CompiledGemm>, std::string> compile_gemm(
    const GemmProblem& problem, instruction::Target target);

}  // namespace heddle::kernels
