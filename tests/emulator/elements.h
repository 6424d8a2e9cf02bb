// The element types of matrix instructions on the host: their widths, numbers, and random ones.
#pragma once

#include <cmath>
#include <cstdint>

#include "kernels.h"

namespace heddle::emulator::testing {

enum class Element { f32, f16, bf16, fp8, bf8, i32, u8, i8, u4, i4 };

inline int bits_of(Element e) {
  switch (e) {
    case Element::f32:
    case Element::i32:
      return 32;
    case Element::f16:
    case Element::bf16:
      return 16;
    case Element::u4:
    case Element::i4:
      return 4;
    default:
      return 8;
  }
}

inline double decode(Element e, uint32_t bits) {
  switch (e) {
    case Element::f32:
      return __builtin_bit_cast(float, bits);
    case Element::f16:
      return __builtin_bit_cast(_Float16, static_cast<uint16_t>(bits));
    case Element::bf16:
      return __builtin_bit_cast(float, bits << 16);
    case Element::fp8: {
      const int exponent = bits >> 3 & 15, mantissa = bits & 7;
      const double x =
          exponent == 0 ? std::ldexp(mantissa, -9) : std::ldexp(8 + mantissa, exponent - 10);
      return bits & 0x80 ? -x : x;
    }
    case Element::bf8: {
      const int exponent = bits >> 2 & 31, mantissa = bits & 3;
      const double x =
          exponent == 0 ? std::ldexp(mantissa, -16) : std::ldexp(4 + mantissa, exponent - 17);
      return bits & 0x80 ? -x : x;
    }
    case Element::i32:
      return static_cast<int32_t>(bits);
    case Element::u8:
      return bits & 255;
    case Element::i8:
      return static_cast<int8_t>(bits);
    case Element::u4:
      return bits & 15;
    case Element::i4:
      return static_cast<int32_t>(bits << 28) >> 28;
  }
  return 0;
}

inline uint32_t random_element(Element e, Random& random) {
  switch (e) {
    case Element::f32:
      return __builtin_bit_cast(uint32_t, random.uniform());
    case Element::f16:
      return __builtin_bit_cast(uint16_t, static_cast<_Float16>(random.uniform()));
    case Element::bf16:
      return __builtin_bit_cast(uint32_t, random.uniform()) >> 16;
    case Element::fp8:
      return (random.bits() & 0x87u) | (random.bits() % 12) << 3;
    case Element::bf8:
      return (random.bits() & 0x83u) | (random.bits() % 24) << 2;
    case Element::i32:
      return random.bits() >> 8;
    default:
      return random.bits() & ((1u << bits_of(e)) - 1);
  }
}

}  // namespace heddle::emulator::testing
