// Q, K and V that a kernel of attention cannot read as they lie: computed ones, such as scaled
// queries and dequantised keys, and rows of which neighbours are not neighbours in memory. Kernels
// before it write them, which costs less than scores in memory.
#pragma once

#include <cstddef>
#include <optional>

#include "compiler/request/product_sequence.h"

namespace heddle::compiler {

/// The sequence with those kernels, and the product with V in it. Nothing if the part `product` has
/// no softmax, or if nothing has to be prepared or can be.
struct PreparedAttention {
  ProductSequence sequence;
  std::size_t product = 0;
};
std::optional<PreparedAttention> with_prepared_attention(const ProductSequence& sequence,
                                                         std::size_t product);

}  // namespace heddle::compiler
