#include "runtime/numbers/matrix.h"

#include <array>

#include "runtime/numbers/number.h"
#include "runtime/numbers/random_stream.h"

namespace heddle::runtime {
namespace {

using instruction::ElementType;

std::size_t element_bytes(ElementType type) {
  return static_cast<std::size_t>(instruction::bits(type)) / 8;
}

template <typename Value>
Matrix generated(ElementType type, std::int64_t rows, std::int64_t columns, Value value) {
  Matrix matrix = Matrix::zeros(type, rows, columns);
  const std::size_t step = element_bytes(type);
  for (std::size_t i = 0; i * step < matrix.bytes.size(); ++i)
    store_number(number_type(type), matrix.bytes.data() + i * step, value(i));
  return matrix;
}

}  // namespace

NumberType number_type(ElementType type) {
  switch (type) {
    case ElementType::f16:
      return NumberType::f16;
    case ElementType::bf16:
      return NumberType::bf16;
    case ElementType::fp8:
      return NumberType::fp8;
    case ElementType::bf8:
      return NumberType::bf8;
    case ElementType::fp8_fnuz:
      return NumberType::fp8_fnuz;
    case ElementType::bf8_fnuz:
      return NumberType::bf8_fnuz;
    case ElementType::i8:
      return NumberType::i8;
    case ElementType::u8:
      return NumberType::u8;
    case ElementType::i16:
      return NumberType::i16;
    case ElementType::i32:
      return NumberType::i32;
    case ElementType::i64:
      return NumberType::i64;
    case ElementType::f64:
      return NumberType::f64;
    default:
      return NumberType::f32;
  }
}

double rounded(ElementType type, double value) { return rounded(number_type(type), value); }

Matrix Matrix::zeros(ElementType type, std::int64_t rows, std::int64_t columns) {
  return {type, rows, columns,
          std::vector<std::byte>(static_cast<std::size_t>(rows * columns) * element_bytes(type))};
}

Matrix Matrix::random(ElementType type, std::int64_t rows, std::int64_t columns,
                      std::uint64_t seed) {
  const RandomStream stream(seed);
  return generated(type, rows, columns, [&](std::size_t i) { return stream.uniform(i); });
}

Matrix Matrix::random_eighths(ElementType type, std::int64_t rows, std::int64_t columns,
                              std::uint64_t seed) {
  const RandomStream stream(seed);
  return generated(type, rows, columns, [&](std::size_t i) { return stream.eighths(i); });
}

Matrix Matrix::filled(ElementType type, std::int64_t rows, std::int64_t columns, double value) {
  return generated(type, rows, columns, [&](std::size_t) { return value; });
}

double Matrix::at(std::int64_t row, std::int64_t column) const {
  const auto i = static_cast<std::size_t>(row * columns + column);
  return load_number(number_type(type), bytes.data() + i * element_bytes(type));
}

void Matrix::set(std::int64_t row, std::int64_t column, double value) {
  const auto i = static_cast<std::size_t>(row * columns + column);
  store_number(number_type(type), bytes.data() + i * element_bytes(type), value);
}

std::vector<double> Matrix::values() const {
  const std::size_t step = element_bytes(type);
  std::vector<double> all(bytes.size() / step);
  for (std::size_t i = 0; i < all.size(); ++i)
    all[i] = load_number(number_type(type), bytes.data() + i * step);
  return all;
}

}  // namespace heddle::runtime
