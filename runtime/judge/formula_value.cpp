#include "runtime/judge/formula_value.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "runtime/judge/reference_product.h"
#include "runtime/judge/rounding_limit.h"
#include "runtime/numbers/interval.h"

namespace heddle::runtime {
namespace {

using Kind = Expression::Kind;

std::size_t count(MatrixSize size) { return static_cast<std::size_t>(size.rows * size.columns); }

FormulaValue leaf(MatrixSize size, ElementValues elements) {
  FormulaValue leaf;
  leaf.size = size;
  leaf.values = std::move(elements.values);
  leaf.integers = std::move(elements.integers);
  leaf.quantum = quantum(leaf.values);
  leaf.magnitudes.resize(leaf.values.size());
  std::ranges::transform(leaf.values, leaf.magnitudes.begin(),
                         [](double x) { return std::abs(x); });
  return leaf;
}

FormulaValue transposed(const FormulaValue& value) {
  FormulaValue result = value;
  std::swap(result.size.rows, result.size.columns);
  const auto moved = [&](const auto& from, auto& to) {
    if (from.empty()) return;
    for (std::int64_t i = 0; i < value.size.rows; ++i)
      for (std::int64_t j = 0; j < value.size.columns; ++j)
        to[static_cast<std::size_t>(j * value.size.rows + i)] =
            from[static_cast<std::size_t>(i * value.size.columns + j)];
  };
  moved(value.values, result.values);
  moved(value.magnitudes, result.magnitudes);
  moved(value.inherited, result.inherited);
  moved(value.demands, result.demands);
  moved(value.integers, result.integers);
  return result;
}

double number_at(const std::vector<double>& values, std::size_t i) {
  return values.empty() ? 0 : values[i];
}

/// The sum, difference or product of two values, element by element. A dimension of size 1 is
/// repeated.
FormulaValue combined(Kind kind, const FormulaValue& left, const FormulaValue& right) {
  FormulaValue result;
  result.size = {std::max(left.size.rows, right.size.rows),
                 std::max(left.size.columns, right.size.columns)};
  const bool multiplies = kind == Kind::multiply;
  // Adding to a sum or scaling it continues that sum, as in a kernel's accumulator. But the product
  // of two computed values is a new number, with errors of its own.
  const bool scales = multiplies && (left.is_given() || right.is_given());
  const bool is_new = multiplies && !scales;
  result.terms = is_new ? 1 : left.terms + right.terms + 1;
  result.quantum =
      multiplies ? left.quantum * right.quantum : std::min(left.quantum, right.quantum);
  result.hiding = std::max(left.hiding, right.hiding);
  // Two random factors may be equal: a square has one sign. A sum is random if both operands are.
  result.is_random =
      multiplies ? left.is_random != right.is_random : left.is_random && right.is_random;
  const std::size_t elements = count(result.size);
  result.values.resize(elements);
  result.magnitudes.resize(elements);
  if (is_new || !left.inherited.empty() || !right.inherited.empty()) result.inherit();
  const bool whole = !left.integers.empty() && !right.integers.empty();
  if (whole) result.integers.resize(elements);
  const auto index = [](const FormulaValue& value, std::int64_t row, std::int64_t column) {
    return static_cast<std::size_t>((value.size.rows == 1 ? 0 : row) * value.size.columns +
                                    (value.size.columns == 1 ? 0 : column));
  };
  for (std::int64_t row = 0; row < result.size.rows; ++row)
    for (std::int64_t column = 0; column < result.size.columns; ++column) {
      const auto to = static_cast<std::size_t>(row * result.size.columns + column);
      const std::size_t l = index(left, row, column), r = index(right, row, column);
      const double x = left.values[l], y = right.values[r];
      result.values[to] = multiplies ? x * y : kind == Kind::add ? x + y : x - y;
      result.magnitudes[to] = is_new       ? std::abs(x * y)
                              : multiplies ? left.magnitudes[l] * right.magnitudes[r]
                                           : left.magnitudes[l] + right.magnitudes[r];
      if (is_new)
        result.inherited[to] = left.error(l) * std::abs(y) + std::abs(x) * right.error(r);
      else if (!result.inherited.empty())
        result.inherited[to] = multiplies
                                   ? number_at(left.inherited, l) * std::abs(y) +
                                         std::abs(x) * number_at(right.inherited, r)
                                   : number_at(left.inherited, l) + number_at(right.inherited, r);
      if (!result.demands.empty()) result.demands[to] = std::max(left.demand(l), right.demand(r));
      if (!whole) continue;
      const std::uint64_t i = left.integers[l], j = right.integers[r];
      result.integers[to] = multiplies ? i * j : kind == Kind::add ? i + j : i - j;
    }
  return result;
}

/// A function of one element: its value, and its slope. An error of the element times the slope is
/// the resulting error of the value.
struct FunctionRow {
  std::string_view name;
  double (*value)(double);
  double (*slope)(double);  // largest near x
};

constexpr double sqrt_half = 0.70710678118654752;

constexpr FunctionRow function_rows[]{
    {"gelu", [](double x) { return 0.5 * x * (1 + std::erf(x * sqrt_half)); },
     [](double) { return 1.13; }},
    {"silu", [](double x) { return x / (1 + std::exp(-x)); }, [](double) { return 1.1; }},
    {"sigmoid", [](double x) { return 1 / (1 + std::exp(-x)); }, [](double) { return 0.25; }},
    {"tanh", [](double x) { return std::tanh(x); }, [](double) { return 1.0; }},
    {"exp", [](double x) { return std::exp(x); }, [](double x) { return std::exp(x); }},
    {"sqrt", [](double x) { return std::sqrt(x); },
     [](double x) { return x > 0 ? 0.5 / std::sqrt(x) : 0.0; }},
    {"abs", [](double x) { return std::abs(x); }, [](double) { return 1.0; }},
    {"relu", [](double x) { return x > 0 ? x : 0.0; }, [](double) { return 1.0; }},
};

/// The error of a function of a device's library, as a number of roundings (units in the last
/// place).
constexpr double function_terms = 8;

/// The result of a function for one element. `inherited` is the operand's error times the
/// function's slope. The function's own roundings (`terms` of apply) are of numbers up to
/// `magnitude`.
struct Applied {
  double value, magnitude, inherited;
};
void apply(FormulaValue& value, double terms, auto function) {
  const bool was_given = value.is_given();
  if (!was_given && value.inherited.empty()) value.inherit();
  for (std::size_t i = 0; i < value.values.size(); ++i) {
    const Applied applied = function(i);
    value.values[i] = applied.value;
    value.magnitudes[i] = applied.magnitude;
    if (!was_given) value.inherited[i] = applied.inherited;
  }
  value.terms = terms;
  value.quantum = 0;
}

FormulaValue softmax(FormulaValue value) {
  const auto columns = static_cast<std::size_t>(value.size.columns);
  std::vector<double> exponentials(value.values.size());
  // For each row: the sum, the largest number and the largest error, without numbers that are not
  // finite.
  std::vector<std::array<double, 3>> rows(static_cast<std::size_t>(value.size.rows));
  for (std::size_t row = 0; row < rows.size(); ++row) {
    const double* x = value.values.data() + row * columns;
    const double largest = *std::max_element(x, x + columns);
    auto& [sum, size, error] = rows[row];
    for (std::size_t i = 0; i < columns; ++i) {
      sum += exponentials[row * columns + i] = std::exp(x[i] - largest);
      if (!std::isfinite(x[i])) continue;
      size = std::max(size, std::abs(x[i]));
      error = std::max(error, value.error(row * columns + i));
    }
  }
  apply(value, function_terms + static_cast<double>(columns), [&](std::size_t i) -> Applied {
    const auto& [sum, size, error] = rows[i / columns];
    const double part = exponentials[i] / sum;
    return {part, part * (1 + 2 * size), part * 2 * error};
  });
  value.is_random = false;
  value.hiding = 0;  // a missing exponential is no missing product
  return value;
}

FormulaValue applied(std::string_view name, FormulaValue value) {
  value.integers.clear();
  if (name == "softmax") return softmax(std::move(value));
  value.is_random = false;
  const FunctionRow& function = *std::ranges::find(function_rows, name, &FunctionRow::name);
  if (name == "relu" || name == "abs") {  // no rounding, and an error stays or goes
    for (std::size_t i = 0; i < value.values.size(); ++i) {
      double& x = value.values[i];
      const bool is_finite = std::isfinite(x);
      x = function.value(x);
      if (is_finite) continue;
      value.magnitudes[i] = std::abs(x);
      if (!value.inherited.empty()) value.inherited[i] = 0;
    }
    return value;
  }
  apply(value, function_terms, [&](std::size_t i) -> Applied {
    const double x = value.values[i], y = function.value(x);
    // An infinite number has no error.
    if (!std::isfinite(x)) return {y, std::abs(y), 0};
    const double slope = function.slope(x);
    return {y, std::abs(y) + slope * std::abs(x), slope * value.error(i)};
  });
  return value;
}

/// A number in the formula. It is also an integer if it is whole and float64 holds it exactly.
ElementValues constant(double number) {
  ElementValues value(std::vector{number});
  if (number == std::nearbyint(number) && std::abs(number) <= 0x1p53)
    value.integers = {static_cast<std::uint64_t>(static_cast<std::int64_t>(number))};
  return value;
}

/// An operation on its operands.
FormulaValue operation(const Expression& formula, std::span<FormulaValue> operands) {
  switch (formula.kind) {
    case Kind::negate:
      return combined(Kind::multiply, leaf({}, constant(-1)), operands[0]);
    case Kind::transpose:
      return transposed(operands[0]);
    case Kind::function:
      return applied(formula.name, std::move(operands[0]));
    case Kind::product:
      return matrix_product(operands[0], operands[1]);
    default:
      return combined(formula.kind, operands[0], operands[1]);
  }
}

FormulaValue named(const LaunchText& launch, const std::string& name, const TensorValues& values) {
  if (const Tensor* tensor = launch.find_tensor(name)) {
    FormulaValue value = leaf({tensor->rows(), tensor->columns()}, values(*tensor));
    const Tensor& filled = tensor->inside.empty() ? *tensor : *launch.find_tensor(tensor->inside);
    value.is_random = filled.initial == InitialValue::random;
    return value;
  }
  const Scalar& scalar = *launch.find_scalar(name);
  const WrittenNumber& written = scalar.values[0];
  ElementValues value(std::vector{rounded(scalar.type, written.value)});
  if (!is_float(scalar.type) && (written.is_integer || written.integer != 0))
    value.integers = {wrapped(scalar.type, static_cast<std::uint64_t>(written.integer))};
  return leaf({}, std::move(value));
}

bool has_product(const Expression& formula) {
  return formula.kind == Kind::product || std::ranges::any_of(formula.operands, has_product);
}

/// The elements of an operand that these elements of a result need. The result has `columns`
/// columns.
FormulaValue gathered(const FormulaValue& value, std::span<const std::size_t> elements,
                      std::int64_t columns) {
  FormulaValue result = value;
  if (value.size.rows == 1 && value.size.columns == 1) return result;
  result.size = {1, static_cast<std::int64_t>(elements.size())};
  std::vector<std::size_t> from;
  for (const std::size_t element : elements) {
    const auto row = static_cast<std::int64_t>(element) / columns;
    const auto column = static_cast<std::int64_t>(element) % columns;
    from.push_back(static_cast<std::size_t>((value.size.rows == 1 ? 0 : row) * value.size.columns +
                                            (value.size.columns == 1 ? 0 : column)));
  }
  // Each of these has a number for every element, or none.
  const auto gather = [&](auto& to, const auto& all) {
    if (all.empty()) return;
    to.clear();
    for (const std::size_t at : from) to.push_back(all[at]);
  };
  gather(result.values, value.values);
  gather(result.magnitudes, value.magnitudes);
  gather(result.integers, value.integers);
  gather(result.inherited, value.inherited);
  gather(result.demands, value.demands);
  gather(result.unwritten, value.unwritten);
  return result;
}

}  // namespace

double roundings(std::int64_t depth, bool is_random) {
  const auto all = static_cast<double>(depth);
  return is_random ? std::min(all, 6 * std::sqrt(all)) : all;
}

namespace {

/// The largest error of one rounding of a number up to 1. For f64 it is twice that, because the
/// reference itself is rounded like this.
double unit(NumberType sums) {
  return std::ldexp(1.0, sums == NumberType::f64 ? -52 : -row(sums).precision);
}

/// The smallest normal number.
double smallest(NumberType sums) { return std::ldexp(1.0, 2 - (1 << (row(sums).exponents - 1))); }

}  // namespace

void FormulaValue::inherit() {
  inherited.resize(values.size());
  demands.resize(values.size());
}

double FormulaValue::demand(std::size_t element) const {
  if (is_given()) return 0;
  const double own = magnitudes[element] == 0 && quantum > 0 ? 0 : magnitudes[element] / quantum;
  return std::max(number_at(demands, element), std::isnan(own) ? infinity : own);
}

double FormulaValue::allowed(std::size_t element, NumberType sums) const {
  if (is_given() || demand(element) <= std::ldexp(1.0, row(sums).precision)) return 0;
  const double magnitude = std::max(magnitudes[element], smallest(sums));
  const double error = number_at(inherited, element) + terms * magnitude;
  return std::isnan(error) ? infinity : error * unit(sums);
}

bool FormulaValue::hides_a_term(NumberType sums) const {
  if (hiding * unit(sums) < 1) return false;
  for (std::size_t i = 0; i < magnitudes.size(); ++i)
    if (allowed(i, sums) > 0) return true;
  return false;
}

namespace {

/// For each row of A, or each column of B, in A @ B: the norm of its elements, the norm of their
/// errors (or the largest error, see `meets_random`), and the largest demand (FormulaValue).
struct Vectors {
  std::vector<double> norms, errors, demands;  // the latter empty where there is no error

  /// `meets_random`: the other operand of the product has random elements of either sign.
  Vectors(const FormulaValue& value, bool meets_random, std::int64_t count, std::int64_t size,
          std::int64_t stride, std::int64_t step)
      : norms(runtime::norms(value.values, count, size, stride, step)) {
    if (value.is_given()) return;
    std::vector<double> each(value.values.size());
    for (std::size_t i = 0; i < each.size(); ++i) each[i] = value.error(i);
    errors = meets_random ? largest(each, count, size, stride, step)
                          : runtime::norms(each, count, size, stride, step);
    for (std::size_t i = 0; i < each.size(); ++i) each[i] = value.demand(i);
    demands = largest(each, count, size, stride, step);
  }
};

}  // namespace

/// Modulo 2^64.
static std::vector<std::uint64_t> integer_product(const FormulaValue& left,
                                                  const FormulaValue& right) {
  const auto rows = static_cast<std::size_t>(left.size.rows);
  const auto columns = static_cast<std::size_t>(right.size.columns);
  const auto depth = static_cast<std::size_t>(left.size.columns);
  std::vector<std::uint64_t> result(rows * columns);
  for (std::size_t i = 0; i < rows; ++i)
    for (std::size_t k = 0; k < depth; ++k)
      for (std::size_t j = 0; j < columns; ++j)
        result[i * columns + j] += left.integers[i * depth + k] * right.integers[k * columns + j];
  return result;
}

FormulaValue matrix_product(const FormulaValue& left, const FormulaValue& right) {
  const std::int64_t depth = left.size.columns, width = right.size.columns;
  FormulaValue result;
  result.size = {left.size.rows, width};
  result.values.resize(count(result.size));
  result.magnitudes.resize(count(result.size));
  result.is_random = left.is_random || right.is_random;
  result.terms = roundings(depth, result.is_random);
  result.quantum = left.quantum * right.quantum;
  result.hiding = std::max(left.hiding, right.hiding);
  add_product(left.values.data(), depth, right.values.data(), width, result.values.data(), width,
              result.size.rows, width, depth);
  const Vectors rows(left, right.is_random, left.size.rows, depth, depth, 1);
  const Vectors columns(right, left.is_random, width, depth, 1, width);
  if (!left.is_given() || !right.is_given()) result.inherit();
  for (std::size_t i = 0; i < result.magnitudes.size(); ++i) {
    const std::size_t row = i / columns.norms.size(), column = i % columns.norms.size();
    const double magnitude = rows.norms[row] * columns.norms[column];
    result.magnitudes[i] = magnitude;
    if (!result.inherited.empty()) {
      result.inherited[i] = number_at(rows.errors, row) * columns.norms[column] +
                            rows.norms[row] * number_at(columns.errors, column);
      result.demands[i] =
          std::max(number_at(rows.demands, row), number_at(columns.demands, column));
    }
    if (depth > 1 && magnitude > 0 && std::isfinite(magnitude))
      result.hiding =
          std::max(result.hiding, result.error(i) / magnitude * static_cast<double>(depth));
  }
  if (!left.integers.empty() && !right.integers.empty())
    result.integers = integer_product(left, right);
  return result;
}

FormulaValue evaluate(const LaunchText& launch, const Expression& formula,
                      const TensorValues& values) {
  if (formula.kind == Kind::number) return leaf({}, constant(formula.number));
  if (formula.kind == Kind::name) return named(launch, formula.name, values);
  std::vector<FormulaValue> operands;
  for (const Expression& operand : formula.operands)
    operands.push_back(evaluate(launch, operand, values));
  return operation(formula, operands);
}

AroundProduct::AroundProduct(const LaunchText& launch, const Expression& formula,
                             const TensorValues& values)
    : launch_(launch), formula_(formula) {
  prepare(formula, values);
}

void AroundProduct::prepare(const Expression& formula, const TensorValues& values) {
  if (formula.kind == Kind::product) {
    left_ = evaluate(launch_, formula.operands[0], values);
    right_ = evaluate(launch_, formula.operands[1], values);
  } else if (has_product(formula)) {
    for (const Expression& operand : formula.operands) prepare(operand, values);
  } else {
    others_.emplace(&formula, evaluate(launch_, formula, values));
  }
}

FormulaValue AroundProduct::of(const Expression& formula, const FormulaValue& product,
                               const std::span<const std::size_t>* elements) const {
  if (formula.kind == Kind::product) return product;
  if (const auto other = others_.find(&formula); other != others_.end())
    return elements ? gathered(other->second, *elements, right_.size.columns) : other->second;
  std::vector<FormulaValue> operands;
  for (const Expression& operand : formula.operands)
    operands.push_back(of(operand, product, elements));
  return operation(formula, operands);
}

FormulaValue AroundProduct::with(const FormulaValue& product) const {
  return of(formula_, product, nullptr);
}

FormulaValue AroundProduct::with(const FormulaValue& product,
                                 std::span<const std::size_t> elements) const {
  return of(formula_, product, &elements);
}

}  // namespace heddle::runtime
