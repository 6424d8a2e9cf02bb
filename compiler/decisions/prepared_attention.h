// Prepares Q, K and V for a kernel of attention that cannot read them as they lie in memory:
// because they are computed (scaled queries, dequantised keys), or because the elements of a row
// are not contiguous. Separate kernels write them to memory first. That costs less than writing the
// scores to memory, which attention by several kernels would need.
#pragma once

#include <cstddef>
#include <optional>

#include "compiler/request/product_sequence.h"

namespace heddle::compiler {

/// A sequence with kernels that prepare Q, K or V, and the number `product` of the fused product
/// with V in this sequence. with_prepared_attention returns null if part `product` has no softmax,
/// or if nothing has to be, or can be, prepared.
struct PreparedAttention {
  ProductSequence sequence;
  std::size_t product = 0;
};
std::optional<PreparedAttention> with_prepared_attention(const ProductSequence& sequence,
                                                         std::size_t product);

}  // namespace heddle::compiler
