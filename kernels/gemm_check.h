// Is D what a GEMM kernel promises? Every element against a float64 reference.
#pragma once

#include <vector>

#include "kernels/gemm.h"
#include "runtime/judge/matmul_check.h"

namespace heddle::kernels {

/// What the operands hold, row-major and dense: A m x k, B k x n, C m x n (empty where beta is 0),
/// bias n (empty without one).
struct GemmOperands {
  std::vector<double> a, b, c, bias;
};

/// The verdict on D, m x n and dense.
///
/// An element is right when some y with |y - reference| <= e rounds to it in the result's type (in
/// i32 it must be equal modulo 2^32), where
///
///   e = s * (|alpha| * e_sum + 4 u (|alpha sum| + |beta c| + |bias|)) + e_activation,  u = 2^-24
///
///   e_sum  what the sum may owe: (k + 1) u |a| |b| with the 2-norms of the row and the column
///          (runtime/judge/matmul_check.h), nothing where all sums are exact; paired sums owe in
///          addition a rounding of 2^-10 (f16) or 2^-7 (bf16) of |a| |b| after every 16 k, a whole
///          unit in the last place since the direction of WMMA's rounding is not documented, and
///          f16 its smallest denormal
///   s      the steepest slope of the activation: 1, of gelu and silu 1.13
///   e_activation  2^-22 (8 + 4 |z|) |reference| + 2^-126 (1 + |x|) where the activation of x has
///   an
///          exp(z) in f32: rounding, and the range in which the sigmoid has no normal f32
///
/// Where the reference is not finite, the element must be the same.
runtime::MatmulCheck check_gemm(const GemmProblem& problem, const GemmOperands& operands,
                                const std::vector<double>& d);

/// In float64. gelu is the tanh form.
double activated(Activation activation, double x);

}  // namespace heddle::kernels
