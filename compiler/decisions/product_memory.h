// Finds out which buffers a product of a sequence shares with the parts before it.
#pragma once

#include <algorithm>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>

#include "compiler/request/product_sequence.h"

namespace heddle::compiler {

/// The reason why scores are not fused if a kernel computes scores, maxima or sums element by
/// element. If the text was refused when it was read with places (row and column numbers) in
/// formulas, the reason of that refusal may follow.
inline constexpr std::string_view by_elements =
    "scores, maxima or sums of rows come from a kernel that computes each element by itself";

class ProductMemory {
 public:
  /// `sequence` stays.
  ProductMemory(const ProductSequence& sequence, std::size_t product)
      : sequence_(sequence), product_(product) {}

 protected:
  const SequencePart& part(std::size_t number) const { return sequence_.parts[number]; }

  /// The number, among the buffers of the sequence, of the buffer in which part `number` has
  /// `matrix`.
  int buffer_of(std::size_t number, const MatrixRecord& matrix) const {
    return part(number).buffers[static_cast<std::size_t>(matrix.parameter)];
  }

  bool is_returned(const MatrixRecord& matrix) const {
    return buffer(matrix).kind == SequenceBuffer::Kind::result;
  }
  bool is_computed(const MatrixRecord& matrix) const {
    return buffer(matrix).kind == SequenceBuffer::Kind::intermediate || is_returned(matrix);
  }

  /// The part that writes this matrix, which the product reads. Null if the function returns the
  /// matrix, or if the part does more than a fused kernel can. If the matrix has only a number for
  /// each row (`is_of_rows`), two things are allowed: the function may return it, and the part may
  /// have further results.
  std::optional<std::size_t> writer(const MatrixRecord& matrix, bool is_of_rows) const {
    const bool is_free = buffer(matrix).kind == SequenceBuffer::Kind::intermediate ||
                         (is_of_rows && is_returned(matrix));
    if (!is_free || buffer(matrix).first < 0) return std::nullopt;
    const auto first = static_cast<std::size_t>(buffer(matrix).first);
    const MatmulRequest& request = part(first).request;
    if (request.program || request.c || (!is_of_rows && !request.further.empty()))
      return std::nullopt;
    const auto writes = written_matrices(request);
    const bool is_its_result = std::ranges::any_of(writes, [&](const MatrixRecord* written) {
      return buffer_of(first, *written) == buffer_of(product_, matrix);
    });
    return is_its_result ? std::optional(first) : std::nullopt;
  }

  /// Why there is none.
  std::string why_no_writer(const MatrixRecord& matrix) const {
    if (is_returned(matrix))
      return "the function returns scores, maxima or sums of rows; accepted: results that follow "
             "from the largest score and the sum of a row, such as the log-sum-exp";
    const int first = buffer(matrix).first;
    if (first >= 0 && part(static_cast<std::size_t>(first)).request.program)
      return std::string(by_elements) +
             "; accepted: linalg.index, casts and sums of it in the body that compares, and "
             "lengths that are read there";
    return "scores, maxima or sums of rows are needed elsewhere too";
  }

  /// True if a part that is none of `parts` reads or writes the buffer of this matrix.
  bool is_used_besides(const MatrixRecord& matrix, std::initializer_list<std::size_t> parts) const {
    const int number = buffer_of(product_, matrix);
    for (std::size_t i = 0; i < sequence_.parts.size(); ++i)
      if (std::ranges::find(parts, i) == parts.end() &&
          std::ranges::count(part(i).buffers, number) != 0)
        return true;
    return false;
  }

  const ProductSequence& sequence_;
  std::size_t product_;

 private:
  const SequenceBuffer& buffer(const MatrixRecord& matrix) const {
    return sequence_.buffers[static_cast<std::size_t>(buffer_of(product_, matrix))];
  }
};

}  // namespace heddle::compiler
