// Reads operands of matrix instructions of CDNA and gfx1250 and converts their elements to numbers.
// An operand is read in runs of 16 lanes (machine/mfma_form.h).
#pragma once

#include "emulator/handlers/matrix_elements.h"
#include "emulator/machine/mfma_form.h"

namespace heddle::emulator::HEDDLE_LEVEL {

template <class To, class From>
HEDDLE_INLINE To bits_as_vector(From x) {
  return __builtin_bit_cast(To, x);
}

// --- registers ---------------------------------------------------------------------------------

HEDDLE_INLINE Word16* sixteen_lanes(Wavefront& w, unsigned reg, unsigned sixteenth) {
  Wavefront& half = sixteenth < 2 ? w : *w.upper;
  return reinterpret_cast<Word16*>(half.vgpr[reg] + 16 * (sixteenth & 1));
}

// The elements of 16 lanes at one position: `bits` bits each, from bit `bit` of the operand on,
// which begins at register `first`. The bits of one element may be in two registers.
template <int bits>
HEDDLE_INLINE Word16 elements_at(Wavefront& w, unsigned first, unsigned bit, unsigned sixteenth) {
  const unsigned reg = first + bit / 32, shift = bit % 32;
  Word16 word = *sixteen_lanes(w, reg, sixteenth) >> shift;
  if constexpr (bits == 32) return word;
  if constexpr (32 % bits != 0)
    if (shift + bits > 32) word |= *sixteen_lanes(w, reg + 1, sixteenth) << (32 - shift);
  return word & ((1u << bits) - 1);
}

// --- elements to numbers -----------------------------------------------------------------------

// Converts a small float with `mantissa` fraction bits to f32. Infinities and NaN are left to the
// caller.
template <int bits, int mantissa, int bias>
HEDDLE_INLINE Word16 small_number(Word16 x) {
  constexpr uint32_t sign = 1u << (bits - 1);
  const Word16 magnitude = x & (sign - 1);
  const Word16 normal = (magnitude << (23 - mantissa)) + ((127u - bias) << 23);
  constexpr float step = 1.0f / static_cast<float>(1u << (bias - 1 + mantissa));
  const Word16 denormal =
      bits_as_vector<Word16>(Float16(__builtin_convertvector(magnitude, Float16) * step));
  return (magnitude < (1u << mantissa) ? denormal : normal) | (x & sign) << (32 - bits);
}

template <ElementType type>
HEDDLE_INLINE Float16 numbers_of(Word16 x) {
  if constexpr (type == ElementType::fp8_fnuz || type == ElementType::bf8_fnuz) {
    const Word16 number =
        type == ElementType::fp8_fnuz ? small_number<8, 3, 8>(x) : small_number<8, 2, 16>(x);
    return bits_as_vector<Float16>(x == 0x80u ? Word16(0x7fc00000u) : number);
  }
  if constexpr (type == ElementType::fp6) return bits_as_vector<Float16>(small_number<6, 3, 1>(x));
  if constexpr (type == ElementType::bf6) return bits_as_vector<Float16>(small_number<6, 2, 3>(x));
  if constexpr (type == ElementType::fp4) return bits_as_vector<Float16>(small_number<4, 1, 1>(x));
  if constexpr (type == ElementType::xf32) return bits_as_vector<Float16>(x & ~0x1fffu);
  if constexpr (type == ElementType::f32 || type == ElementType::f16 || type == ElementType::bf16 ||
                type == ElementType::fp8 || type == ElementType::bf8)
    return floats_of<type>(x, 0);
  __builtin_unreachable();
}

// Converts all elements of A or B to vectors of floats, or for i8 of integers. The lanes of a wave
// are read in groups of 16; group[i] is the group that is read in place of group i.
template <ElementType type>
inline void read_as(Word16* to, Wavefront& w, unsigned first, const MfmaOperand& operand,
                    const uint8_t* group) {
  constexpr int bits = catalogue::bits(type);
  const int runs = operand.count * operand.runs;
  for (int i = 0; i < runs; ++i) {
    const MfmaRun run = operand.at[i];
    const Word16 x = elements_at<bits>(w, first, run.bit, group[run.sixteenth]);
    if constexpr (type == ElementType::iu8)
      to[i] = x;
    else if constexpr (type == ElementType::i8)
      to[i] = (x ^ 0x80u) - 0x80u;
    else
      to[i] = bits_as_vector<Word16>(numbers_of<type>(x));
  }
}

using ReadOperand = void (*)(Word16*, Wavefront&, unsigned, const MfmaOperand&, const uint8_t*);
inline ReadOperand reader_of(ElementType type) {
  switch (type) {
    case ElementType::f16:
      return read_as<ElementType::f16>;
    case ElementType::bf16:
      return read_as<ElementType::bf16>;
    case ElementType::fp8:
      return read_as<ElementType::fp8>;
    case ElementType::bf8:
      return read_as<ElementType::bf8>;
    case ElementType::fp8_fnuz:
      return read_as<ElementType::fp8_fnuz>;
    case ElementType::bf8_fnuz:
      return read_as<ElementType::bf8_fnuz>;
    case ElementType::fp6:
      return read_as<ElementType::fp6>;
    case ElementType::bf6:
      return read_as<ElementType::bf6>;
    case ElementType::fp4:
      return read_as<ElementType::fp4>;
    case ElementType::xf32:
      return read_as<ElementType::xf32>;
    case ElementType::i8:
      return read_as<ElementType::i8>;
    case ElementType::iu8:
      return read_as<ElementType::iu8>;
    default:
      return read_as<ElementType::f32>;
  }
}

}  // namespace heddle::emulator::HEDDLE_LEVEL
