#include "emulator/machine/matrix_copies.h"

namespace heddle::emulator {
namespace {

constexpr unsigned depth = 16;  // of all of gfx11's products

struct Slices {
  const uint32_t (*registers)[32];
  unsigned bits;  // of an element

  uint32_t at(unsigned k, unsigned lane) const {
    const unsigned per_register = 32 / bits;
    return registers[k / per_register][lane] >> bits * (k % per_register) & ((1u << bits) - 1);
  }
  // Whether element k of the upper lanes is element `other` of the lower ones.
  bool repeats(unsigned k, unsigned other) const {
    for (unsigned lane = 0; lane < 16; ++lane)
      if (at(k, lane + 16) != at(other, lane)) return false;
    return true;
  }
};

}  // namespace

bool copies_agree(const uint32_t (*a)[32], const uint32_t (*b)[32], unsigned registers) {
  const unsigned bits = 32 * registers / depth;
  const Slices slices[2] = {{a, bits}, {b, bits}};
  bool taken[depth] = {};
  for (unsigned k = 0; k < depth; ++k) {
    unsigned other = 0;
    while (other < depth &&
           (taken[other] || !slices[0].repeats(k, other) || !slices[1].repeats(k, other)))
      ++other;
    if (other == depth) return false;
    taken[other] = true;
  }
  return true;
}

}  // namespace heddle::emulator
