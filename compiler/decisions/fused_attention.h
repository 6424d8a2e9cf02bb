// Attention as one product: softmax(scores) V, whose factor A is made by kernels before it.
//
// The cutter makes four parts of it: the scores, the largest of each row, the sum of its
// exponentials, and the product with V. They are recognised as formulas, whatever their spelling
// (softmax_form.h): the product's A is exp(score - largest) / sum of values that those parts write,
// at the places where they write them, or its result is divided by that sum.
#pragma once

#include <expected>
#include <optional>
#include <string>
#include <string_view>

#include "compiler/decisions/product_memory.h"
#include "compiler/request/product_sequence.h"

namespace heddle::compiler {

/// The sequence in which part `product` has its scores as MatmulRequest::softmax, without the parts
/// that wrote them. Nothing if its A is no softmax. Error: the part of it that stands in the way.
std::optional<std::expected<ProductSequence, std::string>> with_fused_attention(
    const ProductSequence& sequence, std::size_t product);

/// The reason, or the place of the text that has no formula, which is closer to its cause:
/// `refused` is the first line of why the text was not read with places in formulas, or empty.
std::string why_unfused(const std::string& why, std::string_view refused);

/// Of a product whose A is a softmax: the part that writes its scores. `is_transposed`: B is.
struct AttentionParts {
  std::size_t scores = 0;
  bool is_transposed = false;
};
std::optional<AttentionParts> attention_parts(const ProductSequence& sequence, std::size_t product);

}  // namespace heddle::compiler
