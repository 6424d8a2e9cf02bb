// Matrix instructions of gfx11 require that lanes from 16 on have copies of the elements of A and B
// in lanes 0 to 15. Here this is checked.
#pragma once

#include "emulator/machine/wavefront.h"

namespace heddle::emulator {

// The operand A or B: its first VGPR and the number of its registers, which is 0 if it is a
// constant.
struct CopiedOperand {
  unsigned first, registers;
};

// True if lane `lane`, 16 or above, has the same contents as the lane from 0 to 15 that it must be
// a copy of.
bool is_copy(const Wavefront& wave, const CopiedOperand& operand, unsigned lane);

// The lowest lane of the wave that should have a copy of A and B and does not; -1 if there is none.
// `lanes` is the size of the wave.
//
// A group of 16 lanes may have its k in another order than lanes 0 to 15, if the order is the same
// in A and B: each group multiplies its own A by its own B, so the sums are the same (rocWMMA's
// fragments make use of this). It is assumed that this holds for every group of 16 lanes in a wave
// of 64, as it does in a wave of 32.
int first_unequal_copy(const Wavefront& wave, const CopiedOperand& a, const CopiedOperand& b,
                       unsigned lanes);

}  // namespace heddle::emulator
