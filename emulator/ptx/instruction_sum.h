// The sum of products that a sequence of matrix instructions calculates. The order and the
// roundings are those of the instruction's rule (heddle/instruction/numerics.h, tensor_sums.h). If
// the rule is not known, they are multiply-adds in f32, as in the emulator.
#pragma once

#include <span>

#include "heddle/instruction/instruction.h"

namespace heddle::emulator {

/// The sum of a[k] * b[k] in the order of rising k, beginning with 0. Preconditions: A and B have
/// floating-point types; the elements are numbers of these types; a and b have the same size.
double instruction_sum(const instruction::Instruction& row, instruction::Family family,
                       std::span<const double> a, std::span<const double> b);

}  // namespace heddle::emulator
