#include "kernels/gemm_check.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "runtime/judge/reference_product.h"
#include "runtime/judge/rounding_limit.h"

namespace heddle::kernels {
namespace {

using runtime::MatmulCheck;

/// The argument of the exp in the kernel's activation; 0 if the activation has no exp.
double exponent(Activation activation, double x) {
  switch (activation) {
    case Activation::none:
    case Activation::relu:
      return 0;
    case Activation::gelu:
      return x * (1.5957691216057308 + 0.07135481282553446 * x * x);
    case Activation::silu:
    case Activation::sigmoid:
      return x;
  }
  return 0;
}

double sigmoid(double x) { return 1 / (1 + std::exp(-x)); }

std::int32_t modulo_2_32(double integer) {
  return static_cast<std::int32_t>(
      static_cast<std::uint32_t>(static_cast<std::uint64_t>(static_cast<std::int64_t>(integer))));
}

/// The reference value of an element before the activation, and the error that the kernel's value
/// may have.
struct Element {
  double before = 0, owed = 0;
};

struct Limits {
  const GemmProblem& problem;
  const GemmOperands& operands;
  std::vector<double> sums, row_norms, column_norms;
  double quantum;

  Limits(const GemmProblem& problem_, const GemmOperands& operands_)
      : problem(problem_),
        operands(operands_),
        sums(std::size_t{problem.m} * problem.n),
        row_norms(runtime::norms(operands.a, problem.m, problem.k, problem.k, 1)),
        column_norms(runtime::norms(operands.b, problem.n, problem.k, 1, problem.n)),
        quantum(runtime::quantum(operands.a) * runtime::quantum(operands.b)) {
    runtime::add_product(operands.a.data(), problem.k, operands.b.data(), problem.n, sums.data(),
                         problem.n, problem.m, problem.n, problem.k);
  }

  double owed_by_sum(std::size_t row, std::size_t column) const {
    if (!runtime::is_float(problem.element)) return 0;
    const double magnitude = row_norms[row] * column_norms[column];
    double owed = magnitude <= 0x1p24 * quantum ? 0 : (problem.k + 1.0) * 0x1p-24 * magnitude;
    if (problem.paired_sums) {
      const bool is_f16 = problem.element == NumberType::f16;
      owed += std::ceil(problem.k / 16.0) *
              ((is_f16 ? 0x1p-10 : 0x1p-7) * magnitude + (is_f16 ? 0x1p-24 : 0x1p-126));
    }
    return owed;
  }

  Element element(std::size_t row, std::size_t column) const {
    const std::size_t i = row * problem.n + column;
    double product = problem.alpha * sums[i];
    const double added = problem.beta != 0 ? problem.beta * operands.c[i] : 0;
    const double bias = problem.has_bias ? operands.bias[column] : 0;
    if (problem.result == NumberType::i32)
      return {std::trunc(problem.alpha) * sums[i] +
                  (problem.beta != 0 ? std::trunc(problem.beta) * operands.c[i] : 0) + bias,
              0};
    const bool is_plain = problem.alpha == 1 && added == 0 && bias == 0;
    const double owed_by_sum = std::abs(problem.alpha) * this->owed_by_sum(row, column);
    // A sum of i8 that f32 cannot hold is rounded once.
    const bool is_exact =
        is_plain && (runtime::is_float(problem.element) || std::abs(sums[i]) <= 0x1p24);
    const double arithmetic =
        is_exact ? 0 : 0x1p-22 * (std::abs(product) + std::abs(added) + std::abs(bias));
    return {product + added + bias, owed_by_sum + arithmetic};
  }
};

}  // namespace

double activated(Activation activation, double x) {
  switch (activation) {
    case Activation::none:
      return x;
    case Activation::relu:
      return x < 0 ? 0 : x;
    case Activation::gelu:
      return x * sigmoid(exponent(activation, x));
    case Activation::silu:
      return x * sigmoid(x);
    case Activation::sigmoid:
      return sigmoid(x);
  }
  return x;
}

MatmulCheck check_gemm(const GemmProblem& problem, const GemmOperands& operands,
                       const std::vector<double>& d) {
  const Limits limits(problem, operands);
  const bool has_exp =
      problem.activation != Activation::none && problem.activation != Activation::relu;
  MatmulCheck verdict;
  double worst_share = -1;
  for (std::size_t row = 0; row < problem.m; ++row)
    for (std::size_t column = 0; column < problem.n; ++column) {
      const Element element = limits.element(row, column);
      const double value = d[row * problem.n + column];
      double reference = activated(problem.activation, element.before);
      double allowed = element.owed;
      double share;
      if (problem.result == NumberType::i32) {
        std::int32_t right = modulo_2_32(element.before);
        if (problem.activation == Activation::relu) right = std::max(right, 0);
        reference = right;
        share = value == reference ? 0 : 2;
      } else {
        if (has_exp)
          allowed = 1.13 * allowed +
                    0x1p-22 * (8 + 4 * std::abs(exponent(problem.activation, element.before))) *
                        std::abs(reference) +
                    0x1p-126 * (1 + std::abs(element.before));
        share = runtime::share_of_limit(problem.result, value, reference, allowed);
      }
      const double error = std::abs(value - reference);
      ++verdict.elements;
      verdict.wrong += share > 1;
      verdict.exact += allowed == 0;
      if (std::isfinite(error)) verdict.largest_error = std::max(verdict.largest_error, error);
      if (share <= worst_share) continue;
      worst_share = share;
      verdict.worst_row = static_cast<std::int64_t>(row);
      verdict.worst_column = static_cast<std::int64_t>(column);
      verdict.worst_value = value;
      verdict.worst_reference = reference;
      verdict.worst_allowed = runtime::limit_of(problem.result, reference, allowed);
    }
  return verdict;
}

}  // namespace heddle::kernels
