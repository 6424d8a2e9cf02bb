// Checks that D is a matrix product with its producers and epilogue. Every element is compared with
// a float64 reference, and may differ by the rounding error of sums in f32; integers must be exact.
// The reference of f64 sums has the precision of long double.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "heddle/plan/expression.h"
#include "heddle/plan/problem.h"
#include "runtime/judge/matmul_check.h"
#include "runtime/numbers/interval.h"

namespace heddle::runtime {

/// The distance of neighbouring elements of a matrix along rows, columns or the batch: `step`
/// elements. After every `every` steps, `elements` of the jump are added. A step of 0 repeats one
/// element.
struct MatrixAxis {
  struct Jump {
    std::int64_t every = 1, elements = 0;
  };
  std::int64_t step = 0;
  std::vector<Jump> jumps = {};

  std::int64_t at(std::int64_t index) const {
    std::int64_t place = index * step;
    for (const Jump& jump : jumps) place += index / jump.every * jump.elements;
    return place;
  }
};

/// The signed 4-bit number with number `index`. Each byte holds two such numbers, the first in its
/// low half.
double nibble(std::span<const std::byte> bytes, std::size_t index);
/// Stores the low 4 bits of `number`.
void store_nibble(std::span<std::byte> bytes, std::size_t index, int number);

/// A matrix in memory for each batch.
struct MatrixView {
  instruction::ElementType element{};
  std::span<const std::byte> bytes;
  MatrixAxis batch, row, column;
  std::int64_t offset = 0;
  /// An element is padding, and 0, if for one entry of `padding` the sum of the three coordinates,
  /// less `before`, is negative, at least `size`, or no multiple of `every`.
  struct Padding {
    MatrixAxis batch, row, column;
    std::int64_t before = 0, size = 1, every = 1;
  };
  std::vector<Padding> padding = {};
  bool tells_padding = false;  // the producer's last input says whether an element is no padding
  bool is_place = false;       // there is no memory: an element is its own place

  bool is_padding(std::int64_t matrix, std::int64_t m, std::int64_t n) const;
  /// The place of element (m, n) of a matrix, in elements from the beginning.
  std::int64_t place(std::int64_t matrix, std::int64_t m, std::int64_t n) const {
    return offset + batch.at(matrix) + row.at(m) + column.at(n);
  }

  /// The value of element (m, n). `is_unsigned`: elements of i8 are unsigned.
  double at(std::int64_t matrix, std::int64_t m, std::int64_t n, bool is_unsigned = false) const;
  /// The value as an interval that contains one number. It is exact for an i64, too.
  Interval number(std::int64_t matrix, std::int64_t m, std::int64_t n,
                  bool is_unsigned = false) const;
};

/// Describes the product D = epilogue(initial + producer(A, a_extras…) * producer(B, b_extras…),
/// extras…) for problem.batch matrices. Sizes are those of `problem`. A and a_extras are m x k, B
/// and b_extras are k x n, whatever their strides.
struct Product {
  plan::Problem problem;
  MatrixView a, b, d;
  /// Set if A is computed in the kernel and is in no memory: returns, for a matrix of the batch,
  /// all values that each element of A may have, row by row.
  std::function<std::vector<Interval>(std::int64_t matrix)> computed_a = {};
  std::optional<MatrixView> c;  // the matrix that is added; if none, `constant`
  double constant = 0;          // for integers: plan::integer_of
  std::vector<MatrixView> extras, a_extras, b_extras;
  plan::Expression a_producer, b_producer, epilogue;
  instruction::ElementType sum_result{};  // the type that a sum is rounded to before the epilogue
};

/// The bound on a sum is that of its instruction (Problem::sums), with |c| + |a| |b| for the sum of
/// magnitudes. If nobody knows how the instruction adds, the bound is MatmulCheck's.
///
/// - f32 inputs that are multiplied as two bf16 have three times the terms, and 2^-15 of |a| |b|
/// more: the product of the smaller parts is at most 2^-16, and the two parts of an input miss at
/// most 2^-17 of it (bf16 has 8 bits, and the last is rounded).
/// - Inputs of tf32 are first rounded or cut, as the kernel does.
/// - If an instruction keeps fewer bits than f32, its part of the bound refers to |a| |b|, or, if
/// that is less, to the largest product and twice the largest part of the reference. MatmulCheck's
/// bound is added.
/// - Sums in f64 have 2^-53 instead of 2^-24, and two more terms, because the reference and both
/// ends of the interval are rounded to float64.
/// - A subnormal input that the instruction may take as 0 (Problem::flushes_subnormals) may be off
/// by its whole value.
/// - If a producer calls a function with several possible results, the sum may differ by the
/// 2-norms of their differences times those of the other matrix.
///
/// After the sum, every step is computed for both ends of the interval, rounded as the kernel
/// rounds, and D must lie between them. worst_row counts the rows of all matrices of a batch, one
/// matrix after the other.
MatmulCheck check_product(const Product& product,
                          const std::function<void(std::int64_t rows)>& progress = {});

/// For a matrix of the batch, all values that each element of D may have before it is rounded to
/// D's type, row by row. D itself is not read.
std::vector<Interval> results_of(const Product& product, std::int64_t matrix);

/// The factors of the products that are summed for one element of the result, in ascending order of
/// k, and the initial value to which they are added. `row` counts the rows of all matrices of the
/// batch.
struct ElementTerms {
  std::vector<double> a, b;
  double initial = 0;
};
ElementTerms terms_of(const Product& product, std::int64_t row, std::int64_t column);

/// The value of the element of D, before the last rounding, if the sum, with the initial value, is
/// `sum`.
double value_of(const Product& product, std::int64_t row, std::int64_t column, double sum);

}  // namespace heddle::runtime
