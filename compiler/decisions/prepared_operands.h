// Copies operands for an instruction that cannot read them as they lie in memory. A separate kernel
// writes each copy, and applies the operations on the operand as it does so. The rows of a copy run
// along the axis that the instruction reads, and begin at multiples of a given number of bytes. For
// a large product a copy costs less than multiplying with another instruction.
//
// Two more copies are possible: the product may write D into rows that it can write fast, from
// which another kernel copies it to where D lies; and the scales of A's rows may be copied, so that
// the scales for a tile are contiguous.
#pragma once

#include <cstdint>
#include <vector>

#include "compiler/request/product_sequence.h"

namespace heddle::compiler {

/// What is prepared for a product by separate kernels: the operands A and B, the scales of A, and
/// D, which a kernel copies after the product.
struct Preparation {
  bool a = false, b = false, d = false, a_scales = false;
};

/// A sequence in which kernels prepare operands of a product or copy its D. with_prepared takes the
/// product at `part` of another sequence. In the new sequence, the product and these kernels are
/// the parts [part, part + count), and the product itself is part `product`. Rows of copies begin
/// at multiples of `row_bytes`. Precondition: can_be_prepared.
struct PreparedProduct {
  ProductSequence sequence;
  int product = 0;
  int count = 1;
};
PreparedProduct with_prepared(const ProductSequence& sequence, int part, Preparation which,
                              int row_bytes);

/// True if elementwise kernels can prepare what `which` says: the request adds products, no size is
/// dynamic, and the operands to prepare have no padding. If D is prepared, it must be the only
/// result and have elements of 2 bytes or more. If scales of A are prepared, they must have the
/// form that scaled_sums finds.
bool can_be_prepared(const MatmulRequest& request, Preparation which);

/// True if it is faster to prepare these operands (or D) and to multiply by wgmma, than to multiply
/// the operands as they are by mma.sync, or to store D from registers. It is estimated from times
/// of an H200 (bench/records/nvidia_products.md). Precondition: can_be_prepared.
bool pays(const MatmulRequest& request, Preparation which);

/// True if an elementwise kernel can compute all of D, because no element of D depends on the sum
/// of a product.
bool is_elementwise(const MatmulRequest& request);

}  // namespace heddle::compiler
