// gfx11: what the lanes from 16 on of A and B must repeat of lanes 0 to 15.
#pragma once

#include "emulator/machine/wavefront.h"

namespace heddle::emulator {

// A or B: its first VGPR and how many there are; none where it is a constant.
struct CopiedOperand {
  unsigned first, registers;
};

// Whether the lane of the operand, at 16 or above, holds what the one of the first sixteen does
// that it must repeat.
bool is_copy(const Wavefront& wave, const CopiedOperand& operand, unsigned lane);

// The lowest lane of a wave of so many that should hold a copy and does not, or -1. Sixteen lanes
// may hold the rows of A and the columns of B with another order of k, if it is one for both: they
// multiply their own A by their own B, so the sums are the same (rocWMMA's fragments do so). That
// each sixteen of a wave of 64 do so as those of a wave of 32 is assumed.
int first_unequal_copy(const Wavefront& wave, const CopiedOperand& a, const CopiedOperand& b,
                       unsigned lanes);

}  // namespace heddle::emulator
