// Finds the values that a kernel may have for a softmax between two products (attention). The
// softmax is the factor A of the second product.
//
// A kernel goes through the keys in blocks. It keeps the largest score m of each row so far, the
// sum l of exp(score - m), and the sum O of exp(score - m) times the values. When a block has a
// larger score, it multiplies l and O by exp(m_old - m_new). It may keep an m that is up to 8 below
// the largest score. The quotient O / l is the result.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "runtime/judge/product_check.h"

namespace heddle::runtime {

struct SoftmaxRounding {
  instruction::ElementType factor{};  // the type in which exponentials are multiplied
  std::int64_t rescales = 0;          // most times that sums are brought to a larger maximum
  std::int64_t additions = 0;         // most additions that an exponential goes through in l
  int exponent = 0;                   // it is rounded after it is multiplied by 2^exponent
  bool is_base_two = false;           // 2^x in place of e^x
  bool flushes_subnormals = false;    // the instruction takes subnormal factors as 0
};

/// An additional score of each row (attention sink). It is part of the softmax's sum, but has no
/// share of its own in the result.
struct SinkScore {
  plan::Expression value;          // of the elements of `extras` in the row
  std::vector<MatrixView> extras;  // one column
};

/// The shares of each row of `scores`, for Product::computed_a. With u = 2^-24, M the largest
/// magnitude of a finite score in the row, and s and m the score and its row's largest one, a share
/// exp(s) / sum exp(s) follows from any scores that the kernel may have, and may be off by these
/// factors:
///
///   exp(u (2 |s| + 2 |m| + 3 |s - m|))   the exponent is a product and a difference in f32
///   1 + 2^-22                            the exponential: 2 ulp (PTX ISA 9.0, "ex2"; AMD's is 1)
///   1 + 2^-p                             it is rounded to `factor`, of p bits; below the normal
///                                        numbers, over 2^exponent, it is off by half a step
///   exp(8 u M) (1 + 2^-22) (1 + u)^2     for each rescaling
///   1 + u                                for each addition in l
///   1 + 4 u                              the quotient: a reciprocal and a product
///
/// Where all scores of a row are one mask, a large negative number, exponents are exactly 0. A
/// share is at most 1, but for the roundings of its exponential.
std::function<std::vector<Interval>(std::int64_t matrix)> softmax_of(
    Product scores, const SoftmaxRounding& rounding, std::optional<SinkScore> sink = {});

/// For each row of a matrix of scores, the range of `value`. `value` is an expression of two
/// numbers: the sum of exp(score - m) over the row, the sink included, and m, the largest score.
///
/// The error of the sum is that of the denominator of a share. The error of m comes from the
/// roundings of its exponent and of a logarithm of numbers up to e^8 times the sum.
std::vector<Interval> numbers_of_rows(const Product& scores, const SoftmaxRounding& rounding,
                                      const std::optional<SinkScore>& sink,
                                      const plan::Expression& value, std::int64_t matrix);

}  // namespace heddle::runtime
