// Sums of products whose operands have a scale for each run of k.
#pragma once

#include "emulator/ptx/sum_products.h"

namespace heddle::emulator::ptx {

// The number as one of the type that sums are made of: formats of fewer than 8 bits have numbers of
// e4m3 alone.
uint32_t summed_element(instruction::ElementType type, uint32_t bits);
constexpr instruction::ElementType summed_type(instruction::ElementType type) {
  return instruction::bits(type) < 8 ? instruction::ElementType::fp8 : type;
}

struct ScaleForm {
  instruction::ElementType type;  // e8m0 or ue4m3
  uint32_t count = 0;             // of a row of A: each is of k / count elements
};

// One row: D = A x B + C, in place of C. `a` and `b` as sum_products takes them, of f32 sums;
// scale_a: of the row; scale_b: of each column of B, one after the other.
void sum_scaled_products(const ProductForm& form, const ScaleForm& scales, const uint32_t* a,
                         const uint32_t* b, const uint32_t* scale_a, const uint32_t* scale_b,
                         uint32_t* sums);

}  // namespace heddle::emulator::ptx
