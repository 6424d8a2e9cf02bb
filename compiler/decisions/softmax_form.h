// Reads what the expressions around a softmax compute, however the text spells them.
//
// An exponent is read as a linear form of the inputs. A share, which is a result of the softmax, is
// read as a number times an exponential, divided by a sum. Conversions from one float type to
// another are ignored, because a kernel computes all of this in f32. What the text subtracts from
// all scores of a row does not change a quotient of two exponentials, so a kernel may subtract
// another number that prevents an overflow.
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

/// A result of a softmax: scale * power / divisor * reciprocal. `divisor` and `reciprocal` are
/// numbers of inputs; -1: there is no such factor.
struct Share {
  Exponential power;
  int divisor = -1, reciprocal = -1;
  double scale = 1;
};

/// Reads the expression as a Share; null if it computes something else.
std::optional<Share> read_share(const Expression& expression);

/// True if some step is an exponential of a difference.
bool has_exponential(const Expression& expression);

/// True if the expression computes nothing: its result is input 0, perhaps converted to another
/// float type.
bool is_only_converted(const Expression& expression);

/// Input 0 is the largest number of a row. If the expression is f times input 0, or the larger of
/// that and of something that does not depend on input 0, returns f; otherwise null.
std::optional<double> factor_of_largest(const Expression& expression);

/// True if the result is input 0 times a positive constant.
bool is_scaled(const Expression& expression);

/// Input 0 is the sum of a row. What an expression computes from it: the sum or, if `other` is set,
/// the sum plus another exponential; if `is_reciprocal`, 1 divided by that.
struct RowSum {
  bool is_reciprocal = false;
  std::optional<Exponential> other;
};
std::optional<RowSum> read_row_sum(const Expression& expression);

/// Input 0 of `epilogue` is the sum of a row's exponentials. Rewrites `epilogue` as the value of a
/// SoftmaxResult, whose inputs are: input 0, the result of `sum` (the epilogue of the sum by which
/// the shares are divided), and input 1, `row_factor` times what input `largest` of `epilogue` is.
/// Null if `epilogue` needs other inputs.
std::optional<Expression> value_of_row(const Expression& epilogue, const Expression& sum,
                                       int largest, double row_factor);

/// True if a value of value_of_row is a multiple of (the logarithm of the sum + the largest score),
/// perhaps plus a constant. The logarithm is the natural one or, if `is_base_two` (the exponentials
/// are powers of 2), that to base 2. Such a value is the same whatever number is subtracted from
/// the scores of a row.
bool is_logarithm_of_sum(const Expression& value, bool is_base_two);

/// The step of an expression that divides input 0 by another input (`divisor`) or multiplies it by
/// the reciprocal of another input (`reciprocal`); -1: it does not. find_quotient returns null if
/// there is no such step, or if input 0 is also used in another way.
struct Quotient {
  int step = 0;
  int divisor = -1, reciprocal = -1;
};
std::optional<Quotient> find_quotient(const Expression& expression);

/// The steps of the expression that come after step `step`, whose result is now input 0.
Expression from_step(const Expression& expression, int step);

/// An expression for the result of `before` times `factor`. If `before` has no steps, its result is
/// input 0, an f32.
Expression scaled(Expression before, double factor);

/// The expression after(before(…)): the result of `before` becomes input 0 of `after`.
/// Precondition: `before` has steps.
Expression composed(Expression before, const Expression& after);

/// The formula that computes a score of type f32 from its sum of products in f32. It rounds where
/// the text rounds.
Expression formula_in_f32(const MatmulRequest& scores);

/// The same value of a SoftmaxResult, but NaN if the largest score of the row is -infinity.
Expression nan_where_infinite(Expression value);

/// An expression that computes a linear form in f32. It reads each input in the type that the input
/// has in memory.
Expression expression_of(const LinearForm& form, const std::vector<MatrixRecord>& inputs);

}  // namespace heddle::compiler
