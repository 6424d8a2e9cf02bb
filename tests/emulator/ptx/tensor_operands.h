// Operands of tcgen05.mma for tests: numbers whose sums are exact, laid out in shared memory as the
// catalogue's maps say.
#pragma once

#include <cstring>
#include <random>
#include <string>
#include <vector>

#include "emulator/ptx/float_format.h"
#include "heddle/instruction/shared_operand.h"

namespace heddle::emulator::ptx::testing {

struct Product {
  std::string kind;
  int m, n, k;
  instruction::ElementType a_type, b_type, d_type;
  instruction::Major a_major = instruction::Major::k, b_major = instruction::Major::k;
  instruction::Swizzle swizzle = instruction::Swizzle::none;
  bool negates_a = false;
  bool sparse = false;  // A has half of its k
  bool packed = false;  // numbers of 4 bits lie two to a byte
};

inline const FloatFormat* format_of(instruction::ElementType type) {
  switch (type) {
    case instruction::ElementType::f16:
      return &format_f16;
    case instruction::ElementType::bf16:
      return &format_bf16;
    case instruction::ElementType::fp8:
      return &format_e4m3;
    case instruction::ElementType::bf8:
      return &format_e5m2;
    case instruction::ElementType::fp6:
      return &format_e2m3;
    case instruction::ElementType::bf6:
      return &format_e3m2;
    case instruction::ElementType::fp4:
      return &format_e2m1;
    case instruction::ElementType::xf32:
    case instruction::ElementType::f32:
      return &format_f32;
    default:
      return nullptr;
  }
}

/// Small numbers whose sums are exact.
inline uint32_t drawn(instruction::ElementType type, std::mt19937& random) {
  const int value = static_cast<int>(random() % 7) - 3;
  if (const FloatFormat* format = format_of(type))
    return static_cast<uint32_t>(encode(*format, value, Rounding::nearest_even));
  return static_cast<uint32_t>(type == instruction::ElementType::u8 ? value + 3 : value) & 0xff;
}
inline double value_of(instruction::ElementType type, uint32_t bits) {
  if (const FloatFormat* format = format_of(type)) return decode(*format, bits);
  return type == instruction::ElementType::u8 ? double(bits) : double(static_cast<int8_t>(bits));
}

inline uint32_t code_of(instruction::ElementType type) {
  switch (type) {
    case instruction::ElementType::f16:
    case instruction::ElementType::fp8:
    case instruction::ElementType::u8:
      return 0;
    case instruction::ElementType::xf32:
      return 2;
    case instruction::ElementType::fp6:
      return 3;
    case instruction::ElementType::bf6:
      return 4;
    case instruction::ElementType::fp4:
      return 5;
    default:
      return 1;
  }
}

inline uint32_t shape_word(const Product& p) {
  const uint32_t d = p.d_type == instruction::ElementType::f16   ? 0
                     : p.d_type == instruction::ElementType::f32 ? 1
                                                                 : 2;
  return static_cast<uint32_t>(p.sparse) << 2 | d << 4 | code_of(p.a_type) << 7 |
         code_of(p.b_type) << 10 | static_cast<uint32_t>(p.negates_a) << 13 |
         static_cast<uint32_t>(p.a_major == instruction::Major::mn) << 15 |
         static_cast<uint32_t>(p.b_major == instruction::Major::mn) << 16 |
         static_cast<uint32_t>(p.n / 8) << 17 | static_cast<uint32_t>(p.m / 16) << 24;
}

/// Puts an operand of `rows` x k into the image of shared memory at `offset`, where the map of the
/// catalogue says; returns the descriptor for an image at `address`.
inline std::uint64_t lay_out(std::vector<uint32_t>& image, std::uint32_t offset,
                             std::uint32_t address, const Product& p, bool is_a,
                             const std::vector<uint32_t>& elements) {
  const instruction::ElementType type = is_a ? p.a_type : p.b_type;
  const int bits = instruction::bits(type);
  const int depth = is_a && p.sparse ? p.k / 2 : p.k;
  const instruction::SharedTile tile{
      .operand = is_a ? instruction::Operand::a : instruction::Operand::b,
      .mn = is_a ? p.m : p.n,
      .k = depth,
      .bits = p.packed ? bits : std::max(bits, 8),
      .major = is_a ? p.a_major : p.b_major,
      .swizzle = p.swizzle};
  const auto map = instruction::shared_operand_map(tile);
  auto* const to = reinterpret_cast<std::byte*>(image.data()) + offset;
  for (std::uint64_t input = 0; input < std::uint64_t{1} << map.input_bits(); ++input) {
    const auto from = map.inputs().unpack(input);
    const auto at = map.outputs().unpack(map.apply(input));
    const auto mn = is_a ? at.at("m") : at.at("n"), k = at.at("k"), byte = from.at("byte");
    if (mn >= static_cast<unsigned>(tile.mn) || k >= static_cast<unsigned>(depth)) continue;
    const uint32_t element = elements[mn * static_cast<unsigned>(depth) + k];
    if (bits >= 8) {
      to[byte] = static_cast<std::byte>(element >> byte % (static_cast<unsigned>(bits) / 8) * 8);
      continue;
    }
    // Number j of 16 begins at bit j * bits of the unit.
    const std::uint64_t first =
        p.packed ? byte * 8 + from.at("element") * static_cast<unsigned>(bits)
                 : (byte / 16 * 16 * 8) + byte % 16 * static_cast<unsigned>(bits);
    for (int bit = 0; bit < bits; ++bit) {
      std::byte& into = to[(first + static_cast<unsigned>(bit)) / 8];
      const auto mask = static_cast<std::byte>(1u << (first + static_cast<unsigned>(bit)) % 8);
      into = (element >> bit & 1) != 0 ? into | mask : into & ~mask;
    }
  }
  return encode(matrix_descriptor(tile, address), instruction::DescriptorForm::sm_100);
}

}  // namespace heddle::emulator::ptx::testing
