// The sum of products that consecutive matrix instructions make: by the instruction's rule
// (heddle/instruction/numerics.h, tensor_sums.h), or by multiply-adds in f32, as in the emulator,
// if nobody knows how the instruction adds.
#pragma once

#include <span>

#include "heddle/instruction/instruction.h"

namespace heddle::emulator {

/// The sum of a[k] * b[k] in rising k, from 0 on. Preconditions: the elements are numbers of the
/// instruction's types of A and B, which are floats; as many of both.
double instruction_sum(const instruction::Instruction& row, instruction::Family family,
                       std::span<const double> a, std::span<const double> b);

}  // namespace heddle::emulator
