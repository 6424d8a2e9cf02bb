// The scores of attention as a product of their own, and their factor.
#pragma once

#include <optional>
#include <utility>

#include "compiler/request/matmul_request.h"

namespace heddle::compiler {

/// S = Q K^T of a request with a softmax: m queries, n keys, k the depth.
inline MatmulRequest scores_request(const MatmulRequest& request) {
  MatmulRequest scores;
  scores.problem = request.problem;
  scores.problem.n = request.problem.k;
  scores.problem.k = request.softmax->depth;
  scores.a = request.a;
  scores.b = request.softmax->keys;
  std::swap(scores.b.row, scores.b.column);
  return scores;
}

/// What turns the exponent of the softmax into that of a power of two.
inline double change_of_base(const SoftmaxOperand& softmax) {
  constexpr double log2_e = 1.4426950408889634;
  return softmax.is_base_two ? 1 : log2_e;
}

/// The factor of a sum, if a score is no more than that, times that of the change from e to 2: one
/// multiplication does both. Nothing for other scores. A negative factor would turn the maximum
/// around.
inline std::optional<double> score_factor(const SoftmaxOperand& softmax) {
  const double change = change_of_base(softmax);
  if (softmax.epilogue.is_identity()) return change;
  const std::vector<plan::Node>& nodes = softmax.epilogue.nodes;
  if (nodes.empty() || nodes.back().step != Step::multiply) return std::nullopt;
  const auto operand = [&](std::size_t i) {
    return nodes[static_cast<std::size_t>(nodes.back().operands[i])];
  };
  for (const std::size_t side : {0u, 1u}) {
    const plan::Node sum = operand(side), constant = operand(1 - side);
    if (sum.step == Step::input && sum.index == 0 && constant.step == Step::constant &&
        constant.constant > 0x1p-100 && constant.constant < 0x1p100)
      return change * constant.constant;
  }
  return std::nullopt;
}

}  // namespace heddle::compiler
