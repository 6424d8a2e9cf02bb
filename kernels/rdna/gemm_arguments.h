// The arguments of the kernels besides their pointers: records, passed by value, that host and
// device read in the same way.
#pragma once

#include <cstdint>

namespace heddle::kernels {

/// The last operation on an element of D. gelu is the tanh form, x * (1 + tanh(sqrt(2 / pi) * (x +
/// 0.044715 * x^3))) / 2; silu is x * sigmoid(x).
enum class Activation : std::uint32_t { none, relu, gelu, silu, sigmoid };

/// D = activation(alpha * A * B + beta * C + bias), D and C m x n and row-major.
struct GemmArguments {
  std::uint32_t m = 0, n = 0, k = 0;
  // Elements from one row of A (or column of B) to the next, and from one k to the next; one of
  // these two strides is 1. For packed operands the first stride is the padded k, in elements.
  std::uint32_t a_row_stride = 0, a_k_stride = 0;
  std::uint32_t b_row_stride = 0, b_k_stride = 0;
  std::uint32_t c_stride = 0, d_stride = 0;  // elements from row to row
  float alpha = 1, beta = 0;                 // C is not read where beta is 0
  Activation activation = Activation::none;
  // 1 if C, bias and D have the kernel's second type of results instead of f32: f16 for f16, bf16
  // for bf16, i32 for i8.
  std::uint32_t has_second_result = 0;
  std::uint32_t has_bias = 0;  // one value for each column, in the type of D
};

/// The arguments of the packing kernel. The operand has `rows` rows (of A, or columns of B) of k
/// elements.
struct PackArguments {
  std::uint32_t rows = 0, k = 0;
  std::uint32_t row_stride = 0, k_stride = 0;  // elements
  std::uint32_t padded_k = 0;                  // a multiple of 128 bytes of elements
};

}  // namespace heddle::kernels
