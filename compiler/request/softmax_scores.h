// The scores of attention as a request for a separate product, and the base of the softmax's
// exponentials.
#pragma once

#include <utility>

#include "compiler/request/matmul_request.h"

namespace heddle::compiler {

/// The request for the product S = Q K^T that `request`, which has a softmax, contains. Its m are
/// the queries, its n the keys, its k the depth.
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

/// An exponential of the softmax has the base e or 2. Returns the factor by which an exponent is
/// multiplied to get the same exponential as a power of two.
inline double change_of_base(const SoftmaxOperand& softmax) {
  constexpr double log2_e = 1.4426950408889634;
  return softmax.is_base_two ? 1 : log2_e;
}

}  // namespace heddle::compiler
