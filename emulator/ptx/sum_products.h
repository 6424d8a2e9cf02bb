// Computes the sums of a matrix instruction, with exactly the bits that the hardware gives (the
// rules: heddle/instruction/tensor_sums.h).
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "heddle/instruction/tensor_sums.h"

namespace heddle::emulator::ptx {

// For rows of single bits, a product counts positions: those where the bits differ (exclusive), or
// where both are set (both).
enum class BitProduct : uint8_t { none, exclusive, both };

struct ProductForm {
  instruction::TensorSumRule rule;
  instruction::ElementType a_type, b_type, c_type, d_type;
  uint32_t m = 0, n = 0, k = 0;  // n: a multiple of 8
  BitProduct bits = BitProduct::none;
  bool saturates = false;  // integers, to 32 bits
};

// D = A x B + C. Elements are given as bits, in row-major order: A m x k, B k x n, C and D m x n. D
// may be C.
void sum_products(const ProductForm& form, const uint32_t* a, const uint32_t* b, const uint32_t* c,
                  uint32_t* d);
// The same of f64.
void sum_products(const ProductForm& form, const uint64_t* a, const uint64_t* b, const uint64_t* c,
                  uint64_t* d);
// D = A x B + C for integers and single bits. Each array element holds the value of one matrix
// element.
void sum_products(const ProductForm& form, const int64_t* a, const int64_t* b, const int64_t* c,
                  int64_t* d);

// D = A x B + C for a sparse A. Each row of `a` has only the form.k elements that A stores, and `b`
// has 2 * form.k rows. For each stored element, `kept` has the row of B with which the element is
// multiplied.
template <class Word>
void sum_sparse_products(ProductForm form, const Word* a, const Word* b, const uint32_t* kept,
                         const Word* c, Word* d) {
  const std::size_t rows = form.m, depth = form.k, columns = form.n;
  std::vector<Word> rows_of_b(depth * columns);
  form.m = 1;
  for (std::size_t m = 0; m < rows; ++m) {
    for (std::size_t k = 0; k < depth; ++k)
      std::copy_n(b + kept[m * depth + k] * columns, columns, rows_of_b.data() + k * columns);
    sum_products(form, a + m * depth, rows_of_b.data(), c + m * columns, d + m * columns);
  }
}

}  // namespace heddle::emulator::ptx
