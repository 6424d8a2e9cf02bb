// Operands that an instruction cannot read as they lie are first brought into the order that it
// reads, by a kernel of their own: rows that begin at multiples of so many bytes, lines along k, and
// the operations on an operand done. For a large product that costs less than multiplying by
// another instruction. The same for D: it may be written in rows of such multiples first.
#pragma once

#include <cstdint>
#include <vector>

#include "compiler/request/product_sequence.h"

namespace heddle::compiler {

/// Which operands of a product are prepared, and whether D is written by a kernel of its own.
struct Preparation {
  bool a = false, b = false, d = false;
};

/// The product at `part` of a sequence and the kernels that prepare its operands and write D, as the
/// parts [part, part + count) of another one, in which the product is `product`. Rows in between are
/// multiples of `row_bytes`. Precondition: can_be_prepared.
struct PreparedProduct {
  ProductSequence sequence;
  int product = 0;
  int count = 1;
};
PreparedProduct with_prepared(const ProductSequence& sequence, int part, Preparation which,
                              int row_bytes);

/// Whether elementwise kernels can do that: where no size is dynamic, no operand has padding, and
/// D is the only result, of elements of whole 2 bytes.
bool can_be_prepared(const MatmulRequest& request, Preparation which);

/// Whether preparing these operands and multiplying by wgmma is faster than multiplying them as
/// they lie by mma.sync, or storing D from registers: an estimate from what an H200 took
/// (docs/nvidia.md). Precondition: can_be_prepared.
bool pays(const MatmulRequest& request, Preparation which);

/// Whether no element of D is computed from the sum of a product: an elementwise kernel makes all
/// of it.
bool is_elementwise(const MatmulRequest& request);

}  // namespace heddle::compiler
