// Every pattern of the small floats against formulas of their specifications, and f16 against the
// compiler's own.
#include "runtime/numbers/number.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstring>

namespace heddle::runtime {
namespace number_test {

double load_bits(NumberType type, std::uint64_t bits) {
  std::array<std::byte, 8> place;
  std::memcpy(place.data(), &bits, 8);
  return load_number(type, place.data());
}
std::uint64_t stored_bits(NumberType type, double value) {
  std::array<std::byte, 8> place{};
  store_number(type, place.data(), value);
  std::uint64_t bits;
  std::memcpy(&bits, place.data(), 8);
  return bits;
}

/// IEEE 754-2019, table 3.5: binary16 with bias 15, ten bits of fraction.
double binary16(std::uint32_t bits) {
  const int exponent = static_cast<int>(bits >> 10 & 31u);
  const double fraction = (bits & 1023u) + (exponent == 0 ? 0 : 1024);
  const double size = exponent == 31 ? INFINITY : std::ldexp(fraction, std::max(exponent, 1) - 25);
  return bits >> 15 ? -size : size;
}

TEST(Number, F16IsBinary16) {
  for (std::uint32_t bits = 0; bits < 65536; ++bits) {
    const double value = load_bits(NumberType::f16, bits);
    if (std::isnan(value)) {
      EXPECT_GT(bits & 0x7fffu, 0x7c00u);
      continue;
    }
    ASSERT_EQ(value, binary16(bits)) << bits;
    ASSERT_EQ(stored_bits(NumberType::f16, value), bits);
    // A third of the way to the next one is still this one.
    const double next = binary16(bits + 1);
    if (std::isfinite(next) && std::isfinite(value))
      ASSERT_EQ(stored_bits(NumberType::f16, value + (next - value) / 3), bits) << bits;
  }
}

TEST(Number, Bf16IsTheUpperHalfOfF32) {
  for (std::uint32_t bits = 0; bits < 65536; ++bits) {
    const float value = std::bit_cast<float>(bits << 16);
    if (std::isnan(value)) continue;
    ASSERT_EQ(load_bits(NumberType::bf16, bits), static_cast<double>(value));
    ASSERT_EQ(stored_bits(NumberType::bf16, static_cast<double>(value)), bits);
  }
}

// OCP 8-bit Floating Point Specification, revision 1.0, table 2: largest and smallest numbers.
TEST(Number, EightBitFloats) {
  EXPECT_EQ(load_bits(NumberType::fp8, 0x7e), 448);
  EXPECT_TRUE(std::isnan(load_bits(NumberType::fp8, 0x7f)));
  EXPECT_EQ(load_bits(NumberType::fp8, 0x08), 0x1p-6);
  EXPECT_EQ(load_bits(NumberType::fp8, 0x01), 0x1p-9);
  EXPECT_EQ(load_bits(NumberType::bf8, 0x7b), 57344);
  EXPECT_EQ(load_bits(NumberType::bf8, 0x7c), INFINITY);
  EXPECT_EQ(load_bits(NumberType::bf8, 0x04), 0x1p-14);
  EXPECT_EQ(load_bits(NumberType::bf8, 0x01), 0x1p-16);
  // AMD Instinct MI300 Instruction Set Architecture, "FP8 and BF8": of CDNA3.
  EXPECT_EQ(load_bits(NumberType::fp8_fnuz, 0x7f), 240);
  EXPECT_EQ(load_bits(NumberType::fp8_fnuz, 0x08), 0x1p-7);
  EXPECT_EQ(load_bits(NumberType::fp8_fnuz, 0x01), 0x1p-10);
  EXPECT_EQ(load_bits(NumberType::bf8_fnuz, 0x7f), 57344);
  EXPECT_EQ(load_bits(NumberType::bf8_fnuz, 0x01), 0x1p-17);
  EXPECT_TRUE(std::isnan(load_bits(NumberType::fp8_fnuz, 0x80)));
  EXPECT_TRUE(std::isnan(load_bits(NumberType::bf8_fnuz, 0x80)));
  for (const NumberType type :
       {NumberType::fp8, NumberType::bf8, NumberType::fp8_fnuz, NumberType::bf8_fnuz})
    for (std::uint32_t bits = 0; bits < 256; ++bits) {
      const double value = load_bits(type, bits);
      if (std::isfinite(value)) EXPECT_EQ(stored_bits(type, value), bits) << name(type);
    }
  EXPECT_EQ(rounded(NumberType::fp8, 1000), 448);
  EXPECT_EQ(rounded(NumberType::fp8, 17), 16);  // 16 and 18 are neighbours: the even one
  EXPECT_EQ(rounded(NumberType::fp8, 19), 20);
}

TEST(Number, IntegersWrap) {
  EXPECT_EQ(rounded(NumberType::i8, 200), -56);
  EXPECT_EQ(rounded(NumberType::u8, -1), 255);
  EXPECT_EQ(rounded(NumberType::i32, 0x1p31), -0x1p31);
  EXPECT_EQ(rounded(NumberType::i64, -5), -5);
  EXPECT_EQ(rounded(NumberType::u16, 65537), 1);
}

}  // namespace number_test
}  // namespace heddle::runtime
