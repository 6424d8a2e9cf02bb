// Computes one fused sum of CDNA3. The handler of matrix instructions computes 16 such sums at a
// time. It uses this function if numbers are not finite or near the end of the range; tests compare
// its own sums with this function.
#pragma once

#include "heddle/instruction/numerics.h"

namespace heddle::emulator {

// c plus `count` products a[i] * b[i]. The elements of a and b are f32, but must be numbers that
// the formats a_shape and b_shape can represent; infinities and NaN are allowed. `splits` has the
// same meaning as in SumRule.
float fused_sum(const float* a, instruction::FloatShape a_shape, const float* b,
                instruction::FloatShape b_shape, int count, float c, bool splits);

}  // namespace heddle::emulator
