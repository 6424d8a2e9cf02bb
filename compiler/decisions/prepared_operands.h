// Copies of operands for an instruction that cannot read them at their places in memory. A separate
// kernel writes each copy and applies the operations on the operand. The copy's rows run along the
// axis that the instruction reads, and begin at multiples of a given number of bytes. For a large
// product that costs less than multiplying by another instruction. D may be copied too, from rows
// that the kernel can write to the place where D lies. The scales of A's rows may be copied so that
// those of a tile are neighbours.
#pragma once

#include <cstdint>
#include <vector>

#include "compiler/request/product_sequence.h"

namespace heddle::compiler {

/// The operands of a product that are prepared, whether A's scales are, and whether a kernel of its
/// own writes D.
struct Preparation {
  bool a = false, b = false, d = false, a_scales = false;
};

/// The product at `part` of a sequence with the kernels that prepare its operands and write D, as
/// the parts [part, part + count) of another sequence; the product is part `product`. Rows in
/// between are multiples of `row_bytes`. Precondition: can_be_prepared.
struct PreparedProduct {
  ProductSequence sequence;
  int product = 0;
  int count = 1;
};
PreparedProduct with_prepared(const ProductSequence& sequence, int part, Preparation which,
                              int row_bytes);

/// True if elementwise kernels can prepare them: no size is dynamic, no operand has padding, and D
/// is the only result and has elements of 2 bytes or more. Scales must be of the form that
/// scaled_sums finds.
bool can_be_prepared(const MatmulRequest& request, Preparation which);

/// True if preparing these operands and multiplying by wgmma is faster than mma.sync on the
/// operands without preparation, or than storing D from registers. An estimate from an H200's times
/// (bench/records/nvidia_products.md). Precondition: can_be_prepared.
bool pays(const MatmulRequest& request, Preparation which);

/// True if an elementwise kernel makes all of D, and no element is computed from the sum of a
/// product.
bool is_elementwise(const MatmulRequest& request);

}  // namespace heddle::compiler
