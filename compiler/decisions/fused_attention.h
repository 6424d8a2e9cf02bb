// Finds attention, softmax(Q K) V, in a sequence of kernels, and makes one kernel of it.
//
// The cutter makes four parts of attention: the scores Q K, the largest score of each row, the sum
// of the exponentials of each row, and the product with V. with_fused_attention recognises them by
// what their formulas compute, however these are spelled (softmax_form.h). In the product with V,
// either A is exp(score - largest) / sum, or A is exp(score - largest) and the result is divided by
// sum; score, largest and sum must be read from where the other three parts write them.
#pragma once

#include <expected>
#include <optional>
#include <string>
#include <string_view>

#include "compiler/decisions/product_memory.h"
#include "compiler/request/product_sequence.h"

namespace heddle::compiler {

/// Fuses the four parts of an attention, of which `product` is the product with V: in the resulting
/// sequence this part computes its scores itself (MatmulRequest::softmax), and the parts that wrote
/// scores, maxima and sums are gone. Null if A of the product is no softmax. Error: what prevents
/// the fusion.
std::optional<std::expected<ProductSequence, std::string>> with_fused_attention(
    const ProductSequence& sequence, std::size_t product);

/// The reason to show if attention is not one kernel. Usually it is `why`. The text may have been
/// read a second time, without places (row and column numbers) in formulas, because the first
/// reading was refused; `refused` is the first line of that refusal, or empty. If `why` begins with
/// by_elements, that refusal is the cause, and is shown after by_elements.
std::string why_unfused(const std::string& why, std::string_view refused);

/// For a product whose A is a softmax. `scores` is the number of the part that writes the scores.
/// `is_transposed`: in the text B is the softmax, and the product was transposed.
struct AttentionParts {
  std::size_t scores = 0;
  bool is_transposed = false;
};
std::optional<AttentionParts> attention_parts(const ProductSequence& sequence, std::size_t product);

}  // namespace heddle::compiler
