// Copies of operands for an instruction that cannot read them as they lie. A kernel of its own
// writes each copy: with rows that begin at multiples of so many bytes, along the axis that the
// instruction reads, and with the operations on the operand done. For a large product that costs
// less than multiplying by another instruction. D may be copied too, from rows that the kernel can
// write to where D lies, and the scales of A's rows, so that those of a tile are neighbours.
#pragma once

#include <cstdint>
#include <vector>

#include "compiler/request/product_sequence.h"

namespace heddle::compiler {

/// Which operands of a product are prepared, whether the scales of A are, and whether D is written
/// by a kernel of its own.
struct Preparation {
  bool a = false, b = false, d = false, a_scales = false;
};

/// The product at `part` of a sequence and the kernels that prepare its operands and write D, as
/// the parts [part, part + count) of another one, in which the product is `product`. Rows in
/// between are multiples of `row_bytes`. Precondition: can_be_prepared.
struct PreparedProduct {
  ProductSequence sequence;
  int product = 0;
  int count = 1;
};
PreparedProduct with_prepared(const ProductSequence& sequence, int part, Preparation which,
                              int row_bytes);

/// Whether elementwise kernels can do that: where no size is dynamic, no operand has padding, and
/// D is the only result and has elements of 2 bytes or more. Scales: those of scaled_sums.
bool can_be_prepared(const MatmulRequest& request, Preparation which);

/// Whether preparing these operands and multiplying by wgmma is faster than multiplying them as
/// they lie by mma.sync, or storing D from registers: an estimate from what an H200 took
/// (bench/records/nvidia_products.md). Precondition: can_be_prepared.
bool pays(const MatmulRequest& request, Preparation which);

/// Whether no element of D is computed from the sum of a product: an elementwise kernel makes all
/// of it.
bool is_elementwise(const MatmulRequest& request);

}  // namespace heddle::compiler
