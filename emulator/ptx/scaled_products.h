// Sums of products in which every row of A and every column of B has a scale for each group of
// consecutive elements along k.
#pragma once

#include "emulator/ptx/machine.h"
#include "emulator/ptx/sum_products.h"
#include "emulator/record/operand_trial.h"

namespace heddle::emulator::ptx {

// Converts an element to the type in which it is summed: all numbers of formats with fewer than 8
// bits are also numbers of e4m3.
uint32_t summed_element(instruction::ElementType type, uint32_t bits);
constexpr instruction::ElementType summed_type(instruction::ElementType type) {
  return instruction::bits(type) < 8 ? instruction::ElementType::fp8 : type;
}

struct ScaleForm {
  instruction::ElementType type;  // e8m0 or ue4m3
  uint32_t count = 0;             // of a row of A: each is of k / count elements
};

// Computes one row of D = A x B + C. `sums` holds C and receives D. `a` and `b` are as in
// sum_products() for f32 sums. scale_a has the scales of the row, and scale_b those of each column
// of B, one column after the other.
void sum_scaled_products(const ProductForm& form, const ScaleForm& scales, const uint32_t* a,
                         const uint32_t* b, const uint32_t* scale_a, const uint32_t* scale_b,
                         uint32_t* sums);

// A trial repeats a launch with another way to read the scales (emulator/record/operand_trial.h).
// tried_scales(): this way, for an operand of the current instruction. source_of(): the number of
// the scale that the trial then uses in place of scale i.
ScaleOperand tried_scales(const Warp& w, ScaleOperand scales);
inline std::size_t source_of(const ScaleOperand& scales, std::size_t i) {
  return scales.order.empty() ? i : scales.order[i];
}

}  // namespace heddle::emulator::ptx
