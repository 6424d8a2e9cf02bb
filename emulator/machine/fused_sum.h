// A fused sum of CDNA3, one at a time: what the handler falls back to for numbers that are not
// finite or near the end of the range, and what its sixteen at a time are tested against.
#pragma once

#include "heddle/instruction/numerics.h"

namespace heddle::emulator {

// C plus `count` products of finite or other f32, which are elements of the two shapes. `splits`:
// as in SumRule.
float fused_sum(const float* a, instruction::FloatShape a_shape, const float* b,
                instruction::FloatShape b_shape, int count, float c, bool splits);

}  // namespace heddle::emulator
