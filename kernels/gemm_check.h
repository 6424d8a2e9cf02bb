// Checks every element of D of a GEMM kernel against a float64 reference.
#pragma once

#include <vector>

#include "kernels/gemm.h"
#include "runtime/judge/matmul_check.h"

namespace heddle::kernels {

/// The contents of the operands, row-major and dense: A m x k, B k x n, C m x n (empty if beta is
/// 0), bias n (empty if there is none).
struct GemmOperands {
  std::vector<double> a, b, c, bias;
};

/// The verdict on D, m x n and dense.
///
/// An element is right if some y with |y - reference| <= e rounds to it in the result's type (in
/// i32 it must be equal modulo 2^32), where
///
///   e = s * (|alpha| * e_sum + 4 u (|alpha sum| + |beta c| + |bias|)) + e_activation,  u = 2^-24
///
///   e_sum  the error of the sum: (k + 1) u |a| |b| with the 2-norms of the row and the column
///          (runtime/judge/matmul_check.h), 0 if all sums are exact. Paired sums also have a
///          rounding of 2^-10 (f16) or 2^-7 (bf16) of |a| |b| after every 16 k. This is a whole
///          unit in the last place, since the direction of WMMA's rounding is not documented. For
///          f16 the smallest denormal is added
///   s      the steepest slope of the activation: 1.13 for gelu and silu, otherwise 1
///   e_activation  2^-22 (8 + 4 |z|) |reference| + 2^-126 (1 + |x|) if the activation of x has
///          an exp(z) in f32: rounding, and the range in which the sigmoid has no normal f32
///
/// If the reference is not finite, the element must be the same.
runtime::MatmulCheck check_gemm(const GemmProblem& problem, const GemmOperands& operands,
                                const std::vector<double>& d);

/// In float64. gelu is the tanh form.
double activated(Activation activation, double x);

}  // namespace heddle::kernels
