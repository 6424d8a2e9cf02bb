// Is D = C + A * B? Every element against a float64 reference, within the rounding that an f32
// accumulation can owe.
#pragma once

#include <cstdint>

#include "runtime/matrix.h"

namespace heddle::runtime {

/// The verdict on one matrix product. Errors are absolute.
///
/// allowed(i, j) = (k + 1) * 2^-24 * (|c_ij| + sum over k of |a_ik| |b_kj|) + half a unit in the
/// last place of the result type at the reference (16-bit results only) + the smallest f32. A NaN
/// counts as infinitely wrong. The first term is the classic bound of a sum of k exact products
/// accumulated in f32 in any order (Higham, Accuracy and Stability of Numerical Algorithms,
/// section 3.1): the products of two f16 or two bf16 are exact in f32, and the order inside a WMMA
/// is not documented.
struct MatmulCheck {
  std::int64_t elements = 0;
  std::int64_t wrong = 0;      // elements whose error exceeds what is allowed (NaN counts)
  double largest_error = 0;    // over all elements
  double largest_share = 0;    // largest error / allowed error; at most 1 when all is right
  std::int64_t worst_row = 0;  // where largest_share is
  std::int64_t worst_column = 0;
  double worst_value = 0;
  double worst_reference = 0;

  bool right() const { return elements > 0 && wrong == 0; }
};

/// Preconditions: a is m x k, b is k x n, c and d are m x n.
MatmulCheck check_matmul(const Matrix& a, const Matrix& b, const Matrix& c, const Matrix& d);

}  // namespace heddle::runtime
