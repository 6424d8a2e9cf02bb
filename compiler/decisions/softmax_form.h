// What the expressions around a softmax compute, in whatever steps a text spells them.
//
// An exponent is read as a linear form of its inputs, and a share as a number times an exponential,
// over a sum. Conversions between floats on the way are left out, as a kernel computes all of it in
// f32. What is subtracted from the scores of a row changes no quotient of two exponentials, so it
// may be any number of the row that keeps them from an overflow.
#pragma once

#include <map>
#include <optional>

#include "compiler/request/matmul_request.h"

namespace heddle::compiler {

/// constant + the sum of factors times inputs.
struct LinearForm {
  std::map<int, double> factors;
  double constant = 0;
};

/// e^x or 2^x of a linear form.
struct Exponential {
  LinearForm exponent;
  bool is_base_two = false;
};

/// scale * power / divisor * reciprocal; the last two are inputs, or -1: none.
struct Share {
  Exponential power;
  int divisor = -1, reciprocal = -1;
  double scale = 1;
};

/// Nothing if the expression is no such thing.
std::optional<Share> read_share(const Expression& expression);

/// True if some step is an exponential of a difference.
bool has_exponential(const Expression& expression);

/// True if the result is input 0, perhaps as another float.
bool is_only_converted(const Expression& expression);

/// The factor of input 0, the largest number of a row, in what follows of it: a multiple, or the
/// larger of that and something without it.
std::optional<double> factor_of_largest(const Expression& expression);

/// True if the result is input 0 times a positive constant.
bool is_scaled(const Expression& expression);

/// What follows of input 0, the sum of a row: the sum, perhaps plus another power, or 1
/// over that.
struct RowSum {
  bool is_reciprocal = false;
  std::optional<Exponential> other;
};
std::optional<RowSum> read_row_sum(const Expression& expression);

/// What a kernel that sums the exponentials of a row computes of its sum by `epilogue`, as the
/// value of a SoftmaxResult: input 0 is the result of `sum`, the epilogue of what divides, and
/// input 1 is `row_factor` times the epilogue's input `largest`. Nothing if it needs other inputs.
std::optional<Expression> value_of_row(const Expression& epilogue, const Expression& sum,
                                       int largest, double row_factor);

/// True if such a value is a logarithm of the sum plus as much of the largest score, which is then
/// the same whatever number is subtracted from the scores of a row.
bool is_logarithm_of_sum(const Expression& value, bool is_base_two);

/// The place in an expression where input 0 is divided by another input, or multiplied by its
/// reciprocal. Nothing if input 0 is used in another way too.
struct Quotient {
  int step = 0;
  int divisor = -1, reciprocal = -1;
};
std::optional<Quotient> find_quotient(const Expression& expression);

/// The expression in which step `step` is input 0.
Expression from_step(const Expression& expression, int step);

/// The result times `factor`. An expression without steps is input 0, of f32.
Expression scaled(Expression before, double factor);

/// after(before): input 0 of `after` is the result of `before`, which has steps.
Expression composed(Expression before, const Expression& after);

/// The formula of a score from its sum in f32 to a number of f32, with the roundings of the text.
Expression formula_in_f32(const MatmulRequest& scores);

/// `value` of SoftmaxResult, and NaN where the largest score is -infinity.
Expression nan_where_infinite(Expression value);

/// The number of a linear form of f32 inputs, each of its own type in memory.
Expression expression_of(const LinearForm& form, const std::vector<MatrixRecord>& inputs);

}  // namespace heddle::compiler
