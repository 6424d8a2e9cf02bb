// Is D what a product of matrices with its producers and epilogue must be? Every element against a
// float64 reference, within the rounding that sums in f32 can owe; integers to the last bit.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "heddle/plan/expression.h"
#include "heddle/plan/problem.h"
#include "runtime/matmul_check.h"

namespace heddle::runtime {

/// A matrix of each batch in memory; strides in elements, 0 where neighbours are one element.
struct MatrixView {
  instruction::ElementType element{};
  std::span<const std::byte> bytes;
  std::int64_t batch = 0, row = 0, column = 0, offset = 0;

  /// Bytes of i8 are read as unsigned where `is_unsigned` says so.
  double at(std::int64_t matrix, std::int64_t m, std::int64_t n, bool is_unsigned = false) const;
};

/// D = epilogue(initial + producer(A) * producer(B), extras…) of problem.batch matrices, sizes as
/// in `problem`. A is m x k and B is k x n whatever their strides.
struct Product {
  plan::Problem problem;
  MatrixView a, b, d;
  std::optional<MatrixView> c;  // what is added; else `constant`
  double constant = 0;
  std::vector<MatrixView> extras;
  plan::Expression a_producer, b_producer, epilogue;
  instruction::ElementType sum_result{};  // to which a sum is rounded before the epilogue
};

/// The bound on a sum is MatmulCheck's; of f32 inputs multiplied as two bf16 it has three times the
/// terms and 2^-15 of |a| |b| more: the product of the lesser parts, 2^-16 at most, and what two
/// parts leave of each input, 2^-17 (bf16 has 8 bits, of which the last is rounded); inputs of tf32
/// are rounded first, as the kernel rounds them. From there to D every step is done with both ends
/// of the interval, rounded as the kernel rounds, and D must lie between. worst_row counts the rows
/// of all matrices of a batch one after the other.
MatmulCheck check_product(const Product& product,
                          const std::function<void(std::int64_t rows)>& progress = {});

}  // namespace heddle::runtime
