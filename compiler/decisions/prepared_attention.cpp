#include "compiler/decisions/prepared_attention.h"

#include "compiler/decisions/fused_attention.h"
#include "compiler/decisions/prepared_operands.h"

namespace heddle::compiler {
namespace {

constexpr int bytes_of_copy = 16;  // of which a kernel copies whole multiples

// True if rows are neighbours in memory, and begin at multiples of `bytes_of_copy`. Those of K and
// V are also equally far apart.
bool are_lines(const MatrixRecord& matrix, bool is_q) {
  if (!matrix.column.is({1, 0}) || (!is_q && !matrix.row.jumps.empty())) return false;
  std::int64_t all = matrix.offset | matrix.row.step.factor | matrix.batch.step.factor;
  for (const Axis* axis : {&matrix.row, &matrix.batch})
    for (const Jump& jump : axis->jumps) all |= jump.forward.factor | jump.back.factor;
  return all % (bytes_of_copy / 2) == 0;
}

// The operand with its rows along the depth, or along V's columns.
MatrixRecord with_rows(MatrixRecord matrix, bool is_swapped) {
  if (is_swapped) std::swap(matrix.row, matrix.column);
  return matrix;
}

// The operands of a part that a kernel cannot read as they lie. `b_along_k`: B's rows are along k.
Preparation needed(const MatmulRequest& request, bool a, bool b, bool b_along_k) {
  const bool is_a = a && (!request.a_producer.nodes.empty() || !are_lines(request.a, b));
  const bool is_b = b && (!request.b_producer.nodes.empty() ||
                          !are_lines(with_rows(request.b, b_along_k), false));
  return {.a = is_a, .b = is_b};
}

// The part with the operands prepared, in that order of memory.
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
