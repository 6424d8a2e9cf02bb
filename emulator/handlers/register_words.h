// Accesses to 16 lanes of a register as one vector, and a transposition that moves words between
// lanes and registers.
#pragma once

#include "emulator/handlers/lanes.h"

namespace heddle::emulator::HEDDLE_LEVEL {

using Word4 = uint32_t __attribute__((ext_vector_type(4)));
using Word8 = uint32_t __attribute__((ext_vector_type(8)));
using Word16 = uint32_t __attribute__((ext_vector_type(16)));

HEDDLE_INLINE Word4 load_word4(uint64_t at) {
  Word4 x;
  __builtin_memcpy(&x, reinterpret_cast<const void*>(at), sizeof x);
  return x;
}

HEDDLE_INLINE Word16 join(Word4 a, Word4 b, Word4 c, Word4 d) {
  const Word8 low = __builtin_shufflevector(a, b, 0, 1, 2, 3, 4, 5, 6, 7);
  const Word8 high = __builtin_shufflevector(c, d, 0, 1, 2, 3, 4, 5, 6, 7);
  return __builtin_shufflevector(low, high, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
}

// Transposes 4 x 4 words in each group of four lanes.
HEDDLE_INLINE void transpose4(Word16& a, Word16& b, Word16& c, Word16& d) {
  const Word16 ab_low =
      __builtin_shufflevector(a, b, 0, 16, 1, 17, 4, 20, 5, 21, 8, 24, 9, 25, 12, 28, 13, 29);
  const Word16 ab_high =
      __builtin_shufflevector(a, b, 2, 18, 3, 19, 6, 22, 7, 23, 10, 26, 11, 27, 14, 30, 15, 31);
  const Word16 cd_low =
      __builtin_shufflevector(c, d, 0, 16, 1, 17, 4, 20, 5, 21, 8, 24, 9, 25, 12, 28, 13, 29);
  const Word16 cd_high =
      __builtin_shufflevector(c, d, 2, 18, 3, 19, 6, 22, 7, 23, 10, 26, 11, 27, 14, 30, 15, 31);
  a = __builtin_shufflevector(ab_low, cd_low, 0, 1, 16, 17, 4, 5, 20, 21, 8, 9, 24, 25, 12, 13, 28,
                              29);
  b = __builtin_shufflevector(ab_low, cd_low, 2, 3, 18, 19, 6, 7, 22, 23, 10, 11, 26, 27, 14, 15,
                              30, 31);
  c = __builtin_shufflevector(ab_high, cd_high, 0, 1, 16, 17, 4, 5, 20, 21, 8, 9, 24, 25, 12, 13,
                              28, 29);
  d = __builtin_shufflevector(ab_high, cd_high, 2, 3, 18, 19, 6, 7, 22, 23, 10, 11, 26, 27, 14, 15,
                              30, 31);
}

HEDDLE_INLINE void store_half(Wavefront& w, unsigned index, int half, Word16 value, uint32_t mask) {
  auto* place = reinterpret_cast<Word16*>(w.vgpr[index] + 16 * half);
  using Lanes16 = bool __attribute__((ext_vector_type(16)));
  if (mask == 0xffffffffu) [[likely]]
    *place = value;
  else
    *place =
        __builtin_bit_cast(Lanes16, static_cast<uint16_t>(mask >> (16 * half))) ? value : *place;
}

HEDDLE_INLINE Word16 register_half(const Wavefront& w, unsigned index, int half) {
  return *reinterpret_cast<const Word16*>(w.vgpr[index] + 16 * half);
}

}  // namespace heddle::emulator::HEDDLE_LEVEL
