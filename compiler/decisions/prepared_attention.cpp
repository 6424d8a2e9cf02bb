#include "compiler/decisions/prepared_attention.h"

#include "compiler/decisions/fused_attention.h"
#include "compiler/decisions/prepared_operands.h"

namespace heddle::compiler {
namespace {

constexpr int bytes_of_copy = 16;  // of which a kernel copies whole multiples

// True if a kernel can copy rows of the matrix: the elements of a row are contiguous, and rows
// begin at multiples of `bytes_of_copy` bytes. For K and V (not is_q) all rows must be equally far
// apart, too.
bool are_lines(const MatrixRecord& matrix, bool is_q) {
  if (!matrix.column.is({1, 0}) || (!is_q && !matrix.row.jumps.empty())) return false;
  std::int64_t all = matrix.offset | matrix.row.step.factor | matrix.batch.step.factor;
  for (const Axis* axis : {&matrix.row, &matrix.batch})
    for (const Jump& jump : axis->jumps) all |= jump.forward.factor | jump.back.factor;
  return all % (bytes_of_copy / 2) == 0;
}

// The operand with rows that run along the depth (for V: along its columns). If its rows run
// otherwise (`is_swapped`), rows and columns are exchanged.
MatrixRecord with_rows(MatrixRecord matrix, bool is_swapped) {
  if (is_swapped) std::swap(matrix.row, matrix.column);
  return matrix;
}

// Which of A and B of a part a kernel of attention cannot read as they lie in memory, so that they
// have to be prepared. `a` and `b` say which operands matter. `b_along_k`: B's rows in memory have
// to run along k.
Preparation needed(const MatmulRequest& request, bool a, bool b, bool b_along_k) {
  const bool is_a = a && (!request.a_producer.nodes.empty() || !are_lines(request.a, b));
  const bool is_b = b && (!request.b_producer.nodes.empty() ||
                          !are_lines(with_rows(request.b, b_along_k), false));
  return {.a = is_a, .b = is_b};
}

// The sequence in which the operands `which` of part `part` are prepared, that is, copied by
// kernels before it. `a_along_k` and `b_along_k` say whether the rows of the copies run along k.
PreparedProduct prepared(const ProductSequence& sequence, std::size_t part, Preparation which,
                         bool a_along_k, bool b_along_k) {
  ProductSequence ordered = sequence;
  plan::Problem& problem = ordered.parts[part].request.problem;
  if (which.a) problem.a.transposed = !a_along_k;
  if (which.b) problem.b.transposed = b_along_k;
  return with_prepared(ordered, static_cast<int>(part), which, bytes_of_copy);
}

}  // namespace

std::optional<PreparedAttention> with_prepared_attention(const ProductSequence& sequence,
                                                         std::size_t product) {
  const auto parts = attention_parts(sequence, product);
  if (!parts) return std::nullopt;
  const MatmulRequest& scores = sequence.parts[parts->scores].request;
  const MatmulRequest& values = sequence.parts[product].request;
  const Preparation of_scores = needed(scores, true, true, /*b_along_k=*/true);
  Preparation of_values;
  if (parts->is_transposed)
    of_values.a = !values.a_producer.nodes.empty() || !are_lines(with_rows(values.a, true), false);
  else
    of_values = needed(values, false, true, /*b_along_k=*/false);
  const bool has_some = of_scores.a || of_scores.b || of_values.a || of_values.b;
  const auto has_narrow_inputs = [](const MatmulRequest& request) {
    return instruction::bits(request.problem.input) == 16 &&
           instruction::bits(request.problem.b_input()) == 16;
  };
  if (!has_some || !has_narrow_inputs(scores) || !has_narrow_inputs(values) ||
      !can_be_prepared(scores, of_scores) || !can_be_prepared(values, of_values))
    return std::nullopt;
  PreparedAttention made{sequence, product};
  if (of_values.a || of_values.b) {
    const PreparedProduct done = prepared(made.sequence, product, of_values,
                                          /*a_along_k=*/false, /*b_along_k=*/false);
    made = {done.sequence, static_cast<std::size_t>(done.product)};
  }
  if (of_scores.a || of_scores.b) {
    const PreparedProduct done = prepared(made.sequence, parts->scores, of_scores,
                                          /*a_along_k=*/true, /*b_along_k=*/true);
    made = {done.sequence, made.product + static_cast<std::size_t>(done.count - 1)};
  }
  return made;
}

}  // namespace heddle::compiler
