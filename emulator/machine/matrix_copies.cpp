#include "emulator/machine/matrix_copies.h"

namespace heddle::emulator {
namespace {

constexpr unsigned depth = 16;  // of all of gfx11's products

uint32_t word_of(const Wavefront& wave, unsigned index, unsigned lane) {
  return (lane < 32 ? wave : *wave.upper).vgpr[index][lane % 32];
}

struct Slices {
  const Wavefront& wave;
  const CopiedOperand& operand;

  uint32_t at(unsigned k, unsigned lane) const {
    const unsigned bits = 32 * operand.registers / depth, per_register = 32 / bits;
    return word_of(wave, operand.first + k / per_register, lane) >> bits * (k % per_register) &
           ((1u << bits) - 1);
  }
  // True if element k of each of the 16 lanes from `first` on equals element `other` of the
  // corresponding lane of lanes 0 to 15.
  bool repeats(unsigned k, unsigned other, unsigned first) const {
    for (unsigned lane = 0; lane < 16; ++lane)
      if (at(k, lane + first) != at(other, lane)) return false;
    return true;
  }
};

// True if the 16 lanes from `first` on have the same A and B as lanes 0 to 15, except that k may be
// in another order, if it is the same order in A and in B.
bool is_in_one_order(const Slices& a, const Slices& b, unsigned first) {
  if (a.operand.registers == 0 || a.operand.registers != b.operand.registers) return false;
  bool taken[depth] = {};
  for (unsigned k = 0; k < depth; ++k) {
    unsigned other = 0;
    while (other < depth &&
           (taken[other] || !a.repeats(k, other, first) || !b.repeats(k, other, first)))
      ++other;
    if (other == depth) return false;
    taken[other] = true;
  }
  return true;
}

}  // namespace

bool is_copy(const Wavefront& wave, const CopiedOperand& operand, unsigned lane) {
  for (unsigned r = 0; r < operand.registers; ++r)
    if (word_of(wave, operand.first + r, lane) != word_of(wave, operand.first + r, lane % 16))
      return false;
  return true;
}

int first_unequal_copy(const Wavefront& wave, const CopiedOperand& a, const CopiedOperand& b,
                       unsigned lanes) {
  for (unsigned lane = 16; lane < lanes; ++lane) {
    if (is_copy(wave, a, lane) && is_copy(wave, b, lane)) continue;
    if (!is_in_one_order({wave, a}, {wave, b}, lane & ~15u)) return static_cast<int>(lane);
    lane |= 15u;
  }
  return -1;
}

}  // namespace heddle::emulator
