// The elements of matrix operands, 16 lanes at a time: where they are, according to the catalogue,
// and conversions to numbers.
#pragma once

#include "emulator/handlers/register_words.h"
#include "emulator/machine/matrix_form.h"
#include "heddle/instruction/fragment.h"
#include "heddle/instruction/rdna_table.h"

// Unrolled code is worthwhile if the sums of several rows stay in the host's registers. Without
// wide vectors they do not, and compiling unrolled code would take a minute.
#if defined(__AVX2__)
#define HEDDLE_UNROLL _Pragma("clang loop unroll(full)")
#define HEDDLE_CONVERSION HEDDLE_INLINE
#else
#define HEDDLE_UNROLL
#define HEDDLE_CONVERSION [[gnu::noinline]] inline
#endif

namespace heddle::emulator::HEDDLE_LEVEL {

namespace catalogue = heddle::instruction;
using catalogue::ElementType;
using catalogue::Operand;

using Float16 = float __attribute__((ext_vector_type(16)));
using Half16 = _Float16 __attribute__((ext_vector_type(16)));
using Short16 = uint16_t __attribute__((ext_vector_type(16)));

// --- elements to numbers -----------------------------------------------------------------------

HEDDLE_CONVERSION Float16 half_to_float(Word16 bits) {
  return __builtin_convertvector(__builtin_bit_cast(Half16, __builtin_convertvector(bits, Short16)),
                                 Float16);
}

// Converts E4M3 to f32. E4M3 has no infinity, and NaN is the pattern with all bits set except the
// sign. Denormals are converted as integers, so that the host's mode for f32 denormals has no
// effect.
HEDDLE_INLINE Float16 fp8_to_float(Word16 bits) {
  const Word16 magnitude = bits & 0x7fu;
  const Word16 normal = (magnitude << 20) + (120u << 23);  // 120 = 127 - 7, the biases
  const Word16 denormal =
      __builtin_bit_cast(Word16, Float16(__builtin_convertvector(magnitude, Float16) * 0x1p-9f));
  Word16 number = magnitude < 8u ? denormal : normal;
  number = magnitude == 0x7fu ? Word16(0x7fc00000u) : number;
  return __builtin_bit_cast(Float16, Word16(number | (bits & 0x80u) << 24));
}

// E5M2 is the upper byte of an f16.
HEDDLE_INLINE Float16 bf8_to_float(Word16 bits) { return half_to_float((bits & 0xffu) << 8); }

// The elements of a slice, converted to floats.
template <ElementType type>
HEDDLE_INLINE Float16 floats_of(Word16 reg, int position) {
  if constexpr (type == ElementType::f32) return __builtin_bit_cast(Float16, reg);
  if constexpr (type == ElementType::f16) return half_to_float(reg >> (16 * position) & 0xffffu);
  if constexpr (type == ElementType::bf16)
    return __builtin_bit_cast(Float16, Word16(reg >> (16 * position) << 16));
  if constexpr (type == ElementType::fp8) return fp8_to_float(reg >> (8 * position) & 0xffu);
  if constexpr (type == ElementType::bf8) return bf8_to_float(reg >> (8 * position) & 0xffu);
  __builtin_unreachable();
}

template <ElementType type>
// The integers at one position of a slice, as two's complement in unsigned 32-bit words, so that
// their sums and products wrap around as on the hardware.
HEDDLE_INLINE Word16 integers_of(Word16 reg, int position, bool is_signed) {
  constexpr int bits = catalogue::bits(type);
  const Word16 field = reg >> (bits * position) & ((1u << bits) - 1);
  constexpr uint32_t sign = 1u << (bits - 1);
  return is_signed ? (field ^ sign) - sign : field;
}

HEDDLE_INLINE Word16 float_bits(Float16 x) { return __builtin_bit_cast(Word16, x); }

template <ElementType type>
HEDDLE_CONVERSION Word16 rounded_bits(Float16 x) {
  if constexpr (type == ElementType::f16)
    return __builtin_convertvector(__builtin_bit_cast(Short16, __builtin_convertvector(x, Half16)),
                                   Word16);
  // bf16: to nearest, ties to even; NaN stays NaN.
  const Word16 bits = float_bits(x);
  const Word16 rounded = (bits + 0x7fffu + (bits >> 16 & 1u)) >> 16;
  return (bits & 0x7fffffffu) > 0x7f800000u ? (bits >> 16 | 0x40u) : rounded;
}

}  // namespace heddle::emulator::HEDDLE_LEVEL
