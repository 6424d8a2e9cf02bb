// A sum of products as one matrix instruction after another makes it: by its rule
// (heddle/instruction/numerics.h, tensor_sums.h), or, where nobody says how it adds, by
// multiply-adds in f32, as the emulator does.
#pragma once

#include <span>

#include "heddle/instruction/instruction.h"

namespace heddle::emulator {

/// The sum of a[k] * b[k] in rising k, from 0 on. Preconditions: the elements are numbers of the
/// instruction's types of A and B, which are floats; as many of both.
double instruction_sum(const instruction::Instruction& row, instruction::Family family,
                       std::span<const double> a, std::span<const double> b);

}  // namespace heddle::emulator
