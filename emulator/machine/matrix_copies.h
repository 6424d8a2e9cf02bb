// gfx11: what the lanes from 16 on of A and B must repeat of lanes 0 to 15.
#pragma once

#include "emulator/machine/wavefront.h"

namespace heddle::emulator {

// A or B: its first VGPR and how many there are; none where it is a constant.
struct CopiedOperand {
  unsigned first, registers;
};

// True if the operand's lane, which is 16 or above, holds the same as the lane of the first sixteen
// that it must repeat.
bool is_copy(const Wavefront& wave, const CopiedOperand& operand, unsigned lane);

// The lowest lane of the wave that should hold a copy and does not, or -1. Sixteen lanes may hold
// the rows of A and the columns of B in another order of k if the order is the same for both. They
// multiply their own A by their own B, so the sums are the same (rocWMMA's fragments do this). It
// is assumed that each sixteen lanes of a wave of 64 do so like those of a wave of 32.
int first_unequal_copy(const Wavefront& wave, const CopiedOperand& a, const CopiedOperand& b,
                       unsigned lanes);

}  // namespace heddle::emulator
