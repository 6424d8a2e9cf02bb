// Operands that an instruction cannot read as they lie are first brought into the order that it
// reads, by a kernel of their own: rows that begin at multiples of so many bytes, lines along k, and
// the operations on an operand done. For a large product that costs less than multiplying by
// another instruction.
#pragma once

#include <cstdint>
#include <vector>

#include "compiler/request/product_sequence.h"

namespace heddle::compiler {

/// Which operands of a product are prepared.
struct Preparation {
  bool a = false, b = false;
};

/// The product at `part` of the sequence and the kernels that prepare its operands, as the parts
/// [part, part + count) of a sequence in which its operands are what those write. Operands have
/// rows of multiples of `row_bytes`. Precondition: pays(…).
struct PreparedProduct {
  ProductSequence sequence;
  int count = 1;
};
PreparedProduct with_prepared(const ProductSequence& sequence, int part, Preparation which,
                              int row_bytes);

/// Whether preparing these operands and multiplying by wgmma is faster than multiplying them as
/// they lie by mma.sync: an estimate from what an H200 took (docs/nvidia.md). False where they
/// cannot be prepared: where a size is dynamic, or they have padding.
bool pays(const MatmulRequest& request, Preparation which);

/// Whether no element of D is computed from the sum of a product: an elementwise kernel makes all
/// of it.
bool is_elementwise(const MatmulRequest& request);

}  // namespace heddle::compiler
