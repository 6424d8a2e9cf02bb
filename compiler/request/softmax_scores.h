// The scores of attention as a product of their own, and the base of their exponentials.
#pragma once

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

}  // namespace heddle::compiler
