// The sums of a matrix instruction of floats, to the last bit of the hardware's (the rules:
// heddle/instruction/tensor_sums.h).
#pragma once

#include <cstdint>

#include "heddle/instruction/tensor_sums.h"

namespace heddle::emulator::ptx {

struct ProductForm {
  instruction::TensorSumRule rule;
  instruction::ElementType a_type, b_type, c_type, d_type;
  uint32_t m = 0, n = 0, k = 0;  // n: a multiple of 8
};

// D = A x B + C. Elements are bits, row by row: A m x k, B k x n, C and D m x n. D may be C.
void sum_products(const ProductForm& form, const uint32_t* a, const uint32_t* b, const uint32_t* c,
                  uint32_t* d);
// The same of f64.
void sum_products(const ProductForm& form, const uint64_t* a, const uint64_t* b, const uint64_t* c,
                  uint64_t* d);

}  // namespace heddle::emulator::ptx
