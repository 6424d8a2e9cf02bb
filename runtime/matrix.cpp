#include "runtime/matrix.h"

#include <array>
#include <bit>
#include <cmath>
#include <cstring>

namespace heddle::runtime {
namespace {

using instruction::ElementType;

/// bf16 is the upper half of an f32. The compiler's __bf16 would need a conversion routine that
/// libgcc 12 lacks.
struct Bf16 {
  std::uint16_t bits;

  explicit Bf16(float value) {
    const auto word = std::bit_cast<std::uint32_t>(value);
    const std::uint32_t to_nearest_even = 0x7fffu + (word >> 16 & 1u);
    bits = static_cast<std::uint16_t>(std::isnan(value) ? word >> 16 | 0x40u
                                                        : (word + to_nearest_even) >> 16);
  }
  explicit operator float() const {
    return std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16);
  }
};

template <typename T>
double load(const std::byte* place) {
  std::array<std::byte, sizeof(T)> bytes;
  std::memcpy(bytes.data(), place, sizeof(T));
  return static_cast<double>(static_cast<float>(std::bit_cast<T>(bytes)));
}

template <typename T>
void store(std::byte* place, double value) {
  const T rounded(static_cast<float>(value));
  std::memcpy(place, &rounded, sizeof rounded);
}

double load(ElementType type, const std::byte* place) {
  if (type == ElementType::f16) return load<_Float16>(place);
  if (type == ElementType::bf16) return load<Bf16>(place);
  return load<float>(place);
}

void store(ElementType type, std::byte* place, double value) {
  if (type == ElementType::f16) return store<_Float16>(place, value);
  if (type == ElementType::bf16) return store<Bf16>(place, value);
  store<float>(place, value);
}

/// The 64-bit mixing function of SplitMix64 (Steele, Lea, Flood 2014): a counter becomes a random
/// word, so that element i does not depend on how many were drawn before it.
std::uint64_t mixed(std::uint64_t counter) {
  counter += 0x9e3779b97f4a7c15u;
  counter = (counter ^ counter >> 30) * 0xbf58476d1ce4e5b9u;
  counter = (counter ^ counter >> 27) * 0x94d049bb133111ebu;
  return counter ^ counter >> 31;
}

std::size_t element_bytes(ElementType type) {
  return static_cast<std::size_t>(instruction::bits(type)) / 8;
}

template <typename Value>
Matrix generated(ElementType type, std::int64_t rows, std::int64_t columns, Value value) {
  Matrix matrix = Matrix::zeros(type, rows, columns);
  const std::size_t step = element_bytes(type);
  for (std::size_t i = 0; i * step < matrix.bytes.size(); ++i)
    store(type, matrix.bytes.data() + i * step, value(i));
  return matrix;
}

}  // namespace

double rounded(ElementType type, double value) {
  std::array<std::byte, sizeof(float)> place;
  store(type, place.data(), value);
  return load(type, place.data());
}

Matrix Matrix::zeros(ElementType type, std::int64_t rows, std::int64_t columns) {
  return {type, rows, columns,
          std::vector<std::byte>(static_cast<std::size_t>(rows * columns) * element_bytes(type))};
}

Matrix Matrix::random(ElementType type, std::int64_t rows, std::int64_t columns,
                      std::uint64_t seed) {
  const std::uint64_t stream = mixed(seed);
  return generated(type, rows, columns, [&](std::size_t i) {
    return static_cast<double>(static_cast<std::int64_t>(mixed(stream + i)) >> 11) * 0x1p-52;
  });
}

Matrix Matrix::random_eighths(ElementType type, std::int64_t rows, std::int64_t columns,
                              std::uint64_t seed) {
  const std::uint64_t stream = mixed(seed);
  return generated(type, rows, columns, [&](std::size_t i) {
    return static_cast<double>(mixed(stream + i) % 17) / 8 - 1;
  });
}

Matrix Matrix::filled(ElementType type, std::int64_t rows, std::int64_t columns, double value) {
  return generated(type, rows, columns, [&](std::size_t) { return value; });
}

double Matrix::at(std::int64_t row, std::int64_t column) const {
  const auto i = static_cast<std::size_t>(row * columns + column);
  return load(type, bytes.data() + i * element_bytes(type));
}

void Matrix::set(std::int64_t row, std::int64_t column, double value) {
  const auto i = static_cast<std::size_t>(row * columns + column);
  store(type, bytes.data() + i * element_bytes(type), value);
}

std::vector<double> Matrix::values() const {
  const std::size_t step = element_bytes(type);
  std::vector<double> all(bytes.size() / step);
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = load(type, bytes.data() + i * step);
  return all;
}

}  // namespace heddle::runtime
