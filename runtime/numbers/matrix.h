// A row-major matrix in host memory, in the element type that the kernel sees.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "heddle/instruction/element_type.h"
#include "runtime/numbers/number.h"

namespace heddle::runtime {

/// The type in which memory holds numbers of `type`. The types f64, f32, f16, bf16, fp8, bf8, their
/// _fnuz, i8, u8, i16, i32 and i64 have a NumberType of the same name. Numbers of all other types
/// are held as f32.
NumberType number_type(instruction::ElementType type);

/// `value` rounded to `type` (to nearest, ties to even), by way of f32 for the 16-bit types.
double rounded(instruction::ElementType type, double value);

struct Matrix {
  instruction::ElementType type;  // f32, f16 or bf16
  std::int64_t rows = 0;
  std::int64_t columns = 0;
  std::vector<std::byte> bytes;  // rows * columns elements, no padding

  /// All zero.
  static Matrix zeros(instruction::ElementType type, std::int64_t rows, std::int64_t columns);

  /// Uniform in [-1, 1), rounded to `type`. The same seed gives the same matrix on every host.
  static Matrix random(instruction::ElementType type, std::int64_t rows, std::int64_t columns,
                       std::uint64_t seed);

  /// Multiples of 1/8 in [-1, 1]. The product of two such numbers is a multiple of 1/64, so that a
  /// sum of up to 2^18 products is exact in f32, in whatever order: a result is right to the last
  /// bit or wrong.
  static Matrix random_eighths(instruction::ElementType type, std::int64_t rows,
                               std::int64_t columns, std::uint64_t seed);

  /// Every element equal to `value`, rounded to `type`.
  static Matrix filled(instruction::ElementType type, std::int64_t rows, std::int64_t columns,
                       double value);

  double at(std::int64_t row, std::int64_t column) const;
  void set(std::int64_t row, std::int64_t column, double value);

  /// All elements as doubles, row-major.
  std::vector<double> values() const;
};

}  // namespace heddle::runtime
