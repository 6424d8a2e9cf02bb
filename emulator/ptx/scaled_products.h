// Sums of products whose operands have a scale for each run of k.
#pragma once

#include "emulator/ptx/machine.h"
#include "emulator/ptx/sum_products.h"
#include "emulator/record/operand_trial.h"

namespace heddle::emulator::ptx {

// The number in the type of the sums: the numbers of formats with fewer than 8 bits are all numbers
// of e4m3.
uint32_t summed_element(instruction::ElementType type, uint32_t bits);
constexpr instruction::ElementType summed_type(instruction::ElementType type) {
  return instruction::bits(type) < 8 ? instruction::ElementType::fp8 : type;
}

struct ScaleForm {
  instruction::ElementType type;  // e8m0 or ue4m3
  uint32_t count = 0;             // of a row of A: each is of k / count elements
};

// One row of D = A x B + C, stored in place of C. `a` and `b` are as in sum_products for f32 sums.
// scale_a has the scales of the row, and scale_b those of each column of B, one after the other.
void sum_scaled_products(const ProductForm& form, const ScaleForm& scales, const uint32_t* a,
                         const uint32_t* b, const uint32_t* scale_a, const uint32_t* scale_b,
                         uint32_t* sums);

// How the trial of this launch has the scales read, and where scale i then lies.
ScaleOperand tried_scales(const Warp& w, ScaleOperand scales);
inline std::size_t source_of(const ScaleOperand& scales, std::size_t i) {
  return scales.order.empty() ? i : scales.order[i];
}

}  // namespace heddle::emulator::ptx
