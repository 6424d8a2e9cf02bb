// Checks D = C + A * B. Every element is compared with a float64 reference, and may differ by the
// rounding error of an f32 accumulation and no more.
#pragma once

#include <cstdint>
#include <functional>

#include "runtime/judge/rounding_limit.h"
#include "runtime/numbers/matrix.h"

namespace heddle::runtime {

/// The verdict on one matrix product.
///
/// An element is right if some x with |x - reference| <= e rounds to it in D's type, where
///
///   e = 0                                    if every sum of products is exact in f32, else
///   e = max(k + 1, 4) * 2^-24 * (|c| + |a| |b|)
///
/// with |a|, |b| the 2-norms of the row and the column, in which a subnormal number of 8 or 16 bits
/// counts as the least normal one.
///
/// Products of two f16 or two bf16 are exact in f32. All sums are exact, in any order, when all
/// products and c are multiples of a quantum q and |c| + |a| |b| <= 2^24 q. The bound is the
/// classic one for k + 1 terms summed in f32 in any order (Higham, Accuracy and Stability of
/// Numerical Algorithms, section 4.2), with Cauchy and Schwarz for the sum of magnitudes: the order
/// inside a WMMA is not documented. Tensor cores cut off terms, and the sum, below the largest
/// exponent (heddle/instruction/tensor_sums.h); the 4 and the least normal number allow for this.
/// If the reference is not finite, the element must be the same. If parts of a sum may be infinite
/// in some order, the element may be infinite too. It may be NaN if such a part can meet an
/// infinite product or parts that are infinite with the other sign.
struct MatmulCheck {
  std::int64_t elements = 0;
  std::int64_t wrong = 0;
  std::int64_t exact = 0;  // elements with e = 0

  std::int64_t not_finite = 0;  // right elements that are infinite or NaN

  // The element with the largest error beyond its limit. If all are right: the finite element that
  // comes nearest to its limit.
  std::int64_t worst_row = 0;
  std::int64_t worst_column = 0;
  double worst_value = 0;
  double worst_reference = 0;
  double worst_allowed = 0;  // how far that element may be from the reference

  double largest_error = 0;  // |value - reference| over the elements that are finite in both
  std::int64_t largest_row = 0, largest_column = 0;  // where it is

  std::int64_t poison = 0;    // elements that are poison in MLIR: any value is right
  std::int64_t unjudged = 0;  // elements whose limit is too wide to judge (LimitSurvey)
  double spread = 0;          // how much the elements differ among themselves
  double widest_limit = 0;    // the largest limit

  bool right() const {
    return elements > 0 && wrong == 0 && poison < elements &&
           LimitSurvey::are_few(unjudged, elements);
  }
  /// True if no element is known to be wrong, but too few could be judged: too many limits are too
  /// wide, or all elements are poison.
  bool is_not_judged() const { return elements > 0 && wrong == 0 && !right(); }
};

/// Preconditions: a is m x k, b is k x n, c and d are m x n. One thread calls `progress` from time
/// to time with the number of finished rows.
MatmulCheck check_matmul(const Matrix& a, const Matrix& b, const Matrix& c, const Matrix& d,
                         const std::function<void(std::int64_t rows)>& progress = {});

}  // namespace heddle::runtime
