// The largest error that sums of products can have.
//
//     const SumError error{.per_product = 0x1p-24, .group = 1};      a chain of f32 multiply-adds
//     error.share(4096)           2.4e-4: at most that part of |c| + the sum of |a b|
//     error.share(1 << 25)        infinite: there is no bound
//
// By its measured rule, mma.sync of f16 into f32 on an H200 has an error of at most 1.6e-4 * S
// after 4096 products, where S = |c| + the sum of |a b|.
#pragma once

#include <cstdint>
#include <limits>

namespace heddle::instruction {

/// A bound of the difference between a sum of k products and the exact sum. The products are added
/// in the order of rising k by a sequence of instructions, of which each takes the D of the
/// previous one as its C. In units of S = |c| + the sum of |a b|, the error is at most
///
///   x / (1 - x),  x = once + per_product * k + per_group * ceil(k / group)
///
/// A term that is truncated b bits below the largest exponent loses less than 2^-b of the largest
/// term, and the largest term is at most S. A result that is rounded or truncated loses a unit of
/// at most S plus the earlier losses; this gives the fraction. The bound is for A and B as the
/// instruction reads them, without subnormal numbers. For TensorSum::runs with scales, each run
/// counts in S with at least the product of its scales.
struct SumError {
  double once = 0, per_product = 0, per_group = 0;
  int group = 1;

  /// The largest error of a sum of this many products, as a part of S; infinite if there is no
  /// bound.
  constexpr double share(std::int64_t products) const {
    const std::int64_t groups = (products + group - 1) / group;
    const double x = once + per_product * static_cast<double>(products) +
                     per_group * static_cast<double>(groups);
    return x < 1 ? x / (1 - x) : std::numeric_limits<double>::infinity();
  }
  friend constexpr bool operator==(const SumError&, const SumError&) = default;
};

}  // namespace heddle::instruction
