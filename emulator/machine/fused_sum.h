// A single fused sum of CDNA3. The handler falls back to it for numbers that are not finite or near
// the end of the range. The handler's sums of sixteen at a time are tested against it.
#pragma once

#include "heddle/instruction/numerics.h"

namespace heddle::emulator {

// C plus `count` products of f32, finite or not, which are elements of the two shapes. `splits`: as
// in SumRule.
float fused_sum(const float* a, instruction::FloatShape a_shape, const float* b,
                instruction::FloatShape b_shape, int count, float c, bool splits);

}  // namespace heddle::emulator
