// Formulas of launch files: `expect C = relu(2 * A @ B' + bias)`.
#pragma once

#include "runtime/launch/reader.h"

namespace heddle::runtime {

/// The names of arrays and scalars that are declared so far. They live as long as `launch`.
std::vector<std::string_view> declared_names(const LaunchText& launch);

/// Reads one formula and finds the size of its value.
///
///   sum     = term (('+' | '-') term)…
///   term    = factor (('*' | '@') factor)…      left to right, as Python has them
///   factor  = '-' factor | primary '…           ' transposes
///   primary = number | name | function '(' sum ')' | '(' sum ')'
///
/// + - * are element by element; a size of 1 is repeated to the other's. @ is the matrix product.
class FormulaReader {
 public:
  FormulaReader(LineReader& in, const LaunchText& launch) : in_(in), launch_(launch) {}

  Expression read();
  /// The size of the whole formula, after read().
  MatrixSize size() const { return size_; }
  /// The cost of evaluating the formula, in multiplications and additions of float64 or work that
  /// takes as long.
  double work() const { return work_; }

 private:
  struct Sized {
    Expression expression;
    MatrixSize size;
    /// True if integers are kept beside the float64 values of the elements.
    bool has_integers = false;
    /// The largest amount of host memory at any time during the evaluation, including the result.
    double bytes = 0;
    /// `is_result`: the value is computed, not read. `inherits`: an error is kept for each element,
    /// because results were multiplied or passed to a function.
    bool is_result = false, inherits = false;
  };
  double bytes_of(const Sized& value) const;
  /// The result of an operation whose operands are in memory at the same time. `work` is the cost
  /// of one element.
  Sized made(Sized value, double work);
  Sized sum();
  Sized term();
  Sized factor();
  Sized primary();
  Sized name(TextPlace place);
  Sized joined(Expression::Kind kind, TextPlace place, Sized left, Sized right);
  MatrixSize size_of(Expression::Kind kind, TextPlace place, MatrixSize left, MatrixSize right);
  MatrixSize unbounded_size_of(Expression::Kind kind, TextPlace place, MatrixSize left,
                               MatrixSize right);
  bool too_large();

  LineReader& in_;
  const LaunchText& launch_;
  MatrixSize size_;
  int depth_ = 0, terms_ = 0;
  double work_ = 0;
};

}  // namespace heddle::runtime
