// What the tests of heddle/device share: the kernels of this folder on the emulator, and matrices
// of any element type whose values are small integers, so that every product is exact.
#pragma once

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "../emulator/kernels.h"
#include "heddle/instruction/catalogue.h"

namespace heddle::device::testing {

using emulator::Argument;
using emulator::CodeObject;
using emulator::Launch;
using emulator::RunReport;
using emulator::testing::Random;
using emulator::testing::targets;

inline const CodeObject& kernels(const std::string& name, const std::string& target, int level) {
  static std::map<std::string, CodeObject> loaded;
  const std::string path = std::string(HEDDLE_DEVICE_FOLDER) + "/" + name + "." + target + ".O" +
                           std::to_string(level) + ".co";
  if (const auto at = loaded.find(path); at != loaded.end()) return at->second;
  auto object = CodeObject::load(emulator::testing::read_file(path));
  if (!object) {
    ADD_FAILURE() << path << ": " << object.error();
    std::exit(1);
  }
  return loaded.emplace(path, *object).first->second;
}

inline RunReport expect_run(const CodeObject& object, const Launch& launch) {
  auto report = emulator::run(object, launch);
  if (!report) {
    ADD_FAILURE() << report.error().text();
    return {};
  }
  return *report;
}

inline bool is_gfx12(const std::string& target) { return target.starts_with("gfx12"); }

/// The bits of a small integer (-4 .. 4; not negative in unsigned types) as an element; written by
/// the formats' definitions, not by the compiler that is tested.
inline std::uint32_t encode(instruction::ElementType type, int x) {
  using enum instruction::ElementType;
  const auto small_float = [x](int exponent_bits, int mantissa_bits, unsigned further_bias = 0) {
    if (x == 0) return 0u;
    const unsigned magnitude = static_cast<unsigned>(std::abs(x));
    const int exponent = std::bit_width(magnitude) - 1;
    const unsigned bias = (1u << (exponent_bits - 1)) - 1 + further_bias;
    const unsigned fraction =
        (magnitude << mantissa_bits >> exponent) & ((1u << mantissa_bits) - 1);
    return (x < 0 ? 1u << (exponent_bits + mantissa_bits) : 0u) |
           (bias + static_cast<unsigned>(exponent)) << mantissa_bits | fraction;
  };
  switch (type) {
    case f32:
      return small_float(8, 23);
    case f16:
      return small_float(5, 10);
    case bf16:
      return small_float(8, 7);
    case fp8:
      return small_float(4, 3);
    case bf8:
      return small_float(5, 2);
    case fp8_fnuz:
      return small_float(4, 3, 1);
    case bf8_fnuz:
      return small_float(5, 2, 1);
    case iu8:
      return static_cast<std::uint32_t>(x) & 0xff;
    case iu4:
      return static_cast<std::uint32_t>(x) & 0xf;
    default:
      return static_cast<std::uint32_t>(x);
  }
}

/// The integer that these bits of a floating or 32-bit element stand for.
inline double decode(instruction::ElementType type, std::uint32_t bits) {
  using enum instruction::ElementType;
  if (type == f32) return std::bit_cast<float>(bits);
  if (type == f16) return std::bit_cast<_Float16>(static_cast<std::uint16_t>(bits));
  if (type == bf16) return std::bit_cast<float>(bits << 16);
  return static_cast<std::int32_t>(bits);
}

/// A matrix in memory: `stride` elements from a row (row-major) or column (column-major) to the
/// next, whatever is between them filled with garbage.
class Matrix {
 public:
  Matrix(instruction::ElementType type, int rows, int columns, bool column_major, int stride)
      : type_(type), column_major_(column_major), stride_(stride) {
    const int lines = column_major ? columns : rows, length = column_major ? rows : columns;
    const int elements = lines > 0 ? (lines - 1) * stride + length : 0;
    bytes_.assign(static_cast<std::size_t>(elements * bits() + 7) / 8, std::byte{0xfe});
  }
  int bits() const { return instruction::bits(type_); }
  std::size_t place(int row, int column) const {
    return static_cast<std::size_t>(column_major_ ? column * stride_ + row
                                                  : row * stride_ + column);
  }
  void set_bits(int row, int column, std::uint32_t x) {
    const std::size_t at = place(row, column) * static_cast<std::size_t>(bits());
    if (bits() == 4) {
      auto& byte = bytes_.at(at / 8);
      byte = static_cast<std::byte>(at % 8 ? (static_cast<unsigned>(byte) & 0x0f) | x << 4
                                           : (static_cast<unsigned>(byte) & 0xf0) | x);
      return;
    }
    for (int i = 0; i < bits() / 8; ++i)
      bytes_.at(at / 8 + static_cast<std::size_t>(i)) = static_cast<std::byte>(x >> 8 * i);
  }
  void set(int row, int column, int x) { set_bits(row, column, encode(type_, x)); }
  std::uint32_t get_bits(int row, int column) const {
    const std::size_t at = place(row, column) * static_cast<std::size_t>(bits());
    if (bits() == 4) return static_cast<unsigned>(bytes_.at(at / 8)) >> at % 8 & 15;
    std::uint32_t x = 0;
    for (int i = 0; i < bits() / 8; ++i)
      x |= static_cast<std::uint32_t>(bytes_.at(at / 8 + static_cast<std::size_t>(i))) << 8 * i;
    return x;
  }
  double get(int row, int column) const { return decode(type_, get_bits(row, column)); }
  Argument argument(const std::string& name) { return emulator::buffer(std::span(bytes_), name); }
  const std::byte* data() const { return bytes_.data(); }
  std::byte* data() { return bytes_.data(); }

 private:
  instruction::ElementType type_;
  bool column_major_;
  int stride_;
  std::vector<std::byte> bytes_;
};

}  // namespace heddle::device::testing
