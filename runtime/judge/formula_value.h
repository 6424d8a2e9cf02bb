// Evaluates a formula of a launch file in float64, and bounds the error of a computation in f32.
// For integers it computes modulo 2^64.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <string_view>
#include <vector>

#include "runtime/launch/memory.h"
#include "runtime/launch/text.h"

namespace heddle::runtime {

/// The number of roundings in the error bound of a sum of `depth` numbers. In the worst case all
/// errors add up, and the number is depth (Higham, Accuracy and Stability of Numerical Algorithms,
/// section 3.1). With random numbers the roundings are independent, and 6 * sqrt(depth) is exceeded
/// with a probability of at most 2 exp(-6^2 / 2), 3e-8 (Higham and Mary, A New Approach to
/// Probabilistic Rounding Error Analysis, SIAM Journal on Scientific Computing 41, 2019, with
/// lambda = 6).
double roundings(std::int64_t depth, bool is_random);

/// Elements with the numbers that bound their rounding error. To first order in the unit roundoff u
/// of the kernel's sums, an element differs from the exact one by at most
///
///   u * (inherited + terms * magnitude)
///
/// The element is made of its operands by `terms` roundings of numbers whose sum is at most
/// `magnitude`. `inherited` is the part that comes from the operands' own errors: the running error
/// bound of Higham, Accuracy and Stability of Numerical Algorithms, section 3.3, with a row for
/// each operation. In a product of matrices the errors e of one operand are multiplied by the
/// elements w of the other. In the worst case sum |e w| <= ||e|| ||w||. If the w are random numbers
/// of either sign, the errors add up like random numbers, and max |e| ||w|| is exceeded as rarely
/// as roundings() says (theorem 4.6 there). Sums are exact while all numbers are multiples of
/// `quantum` and no sum is larger than quantum / u.
struct FormulaValue {
  MatrixSize size;
  std::vector<double> values, magnitudes;  // row-major
  std::vector<double> inherited;           // in units of u; empty: nothing
  std::vector<double> demands;  // the largest sum in the operands, in its quanta; empty: none
  double terms = 0;
  double quantum = 0;      // 0: none
  double hiding = 0;       // for a sum of products: the limit over their mean size, in units of u
  bool is_random = false;  // numbers of either sign, so that even truncated sums err either way
  /// The values as integers modulo 2^64, if all operands are integers and the formula only uses + -
  /// * @ '. Else empty.
  std::vector<std::uint64_t> integers;
  std::vector<bool> unwritten;  // elements that a reference kernel did not write; empty: none

  /// The index in `values` for element `element` of the result. A single value belongs to all
  /// elements.
  std::size_t place_of(std::size_t element) const { return values.size() == 1 ? 0 : element; }
  double at(std::int64_t row, std::int64_t column) const {
    return values[static_cast<std::size_t>(row * size.columns + column)];
  }
  /// The error that the element may have in a kernel that computes in this type. u is 2^-24 for
  /// f32, 2^-11 for f16, 2^-8 for bf16 and 2^-53 for f64. For f64 the result is twice that error,
  /// because the reference itself is rounded. Numbers below the smallest normal number are rounded
  /// by as much as the smallest normal number is.
  double allowed(std::size_t element, NumberType sums = NumberType::f32) const;
  /// True if the allowed error is as large as the mean product in a sum. Then one product could be
  /// missing without being noticed.
  bool hides_a_term(NumberType sums = NumberType::f32) const;
  /// True if the elements are read from memory and not computed.
  bool is_given() const { return terms == 0 && inherited.empty(); }
  /// Gives `inherited` and `demands` an element for each value.
  void inherit();
  /// The largest sum in the computation of the element, in units of the element's quantum; infinite
  /// if the element has no quantum.
  double demand(std::size_t element) const;
  /// The error of the element in units of u.
  double error(std::size_t element) const {
    return (inherited.empty() ? 0 : inherited[element]) + terms * magnitudes[element];
  }
};

using TensorValues = std::function<ElementValues(const Tensor&)>;

FormulaValue matrix_product(const FormulaValue& left, const FormulaValue& right);

/// Computes the formula. Preconditions: parse_launch has read `formula` together with `launch`, and
/// `values` gives every tensor of the formula.
FormulaValue evaluate(const LaunchText& launch, const Expression& formula,
                      const TensorValues& values);

/// A formula with one matrix product. It computes everything except the product once. Then it gives
/// the formula's value for any number of other matrices in place of the product
/// (runtime/judge/explanation.h).
class AroundProduct {
 public:
  /// Preconditions: those of evaluate; `formula` has one product. `launch` and `formula` must
  /// outlive this object.
  AroundProduct(const LaunchText& launch, const Expression& formula, const TensorValues& values);

  const FormulaValue& left() const { return left_; }
  const FormulaValue& right() const { return right_; }

  /// The value of the formula if `product` replaces its matrix product.
  FormulaValue with(const FormulaValue& product) const;

  /// The values of these elements only, as a matrix 1 x elements.size(). `product` has the
  /// product's elements in the same order. Preconditions: everything after the product works
  /// element by element, and the product is as large as the result.
  FormulaValue with(const FormulaValue& product, std::span<const std::size_t> elements) const;

 private:
  void prepare(const Expression& formula, const TensorValues& values);
  FormulaValue of(const Expression& formula, const FormulaValue& product,
                  const std::span<const std::size_t>* elements) const;

  const LaunchText& launch_;
  const Expression& formula_;
  FormulaValue left_, right_;
  std::map<const Expression*, FormulaValue> others_;  // operands without the product
};

}  // namespace heddle::runtime
