#include "runtime/formula_value.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "runtime/reference_product.h"
#include "runtime/rounding_limit.h"

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
  for (std::int64_t i = 0; i < value.size.rows; ++i)
    for (std::int64_t j = 0; j < value.size.columns; ++j) {
      const auto from = static_cast<std::size_t>(i * value.size.columns + j);
      const auto to = static_cast<std::size_t>(j * value.size.rows + i);
      result.values[to] = value.values[from];
      result.magnitudes[to] = value.magnitudes[from];
      if (!value.integers.empty()) result.integers[to] = value.integers[from];
    }
  return result;
}

/// Element by element, a size of 1 repeated.
FormulaValue combined(Kind kind, const FormulaValue& left, const FormulaValue& right) {
  FormulaValue result;
  result.size = {std::max(left.size.rows, right.size.rows),
                 std::max(left.size.columns, right.size.columns)};
  result.values.resize(count(result.size));
  result.magnitudes.resize(count(result.size));
  result.terms = left.terms + right.terms + (kind == Kind::multiply ? 1 : 0);
  // A sum continues the longer one: its terms are one more.
  if (kind != Kind::multiply) result.terms = std::max(left.terms, right.terms) + 1;
  result.quantum =
      kind == Kind::multiply ? left.quantum * right.quantum : std::min(left.quantum, right.quantum);
  result.depth = std::max(left.depth, right.depth);
  // The square of random numbers has one sign.
  result.is_random = kind == Kind::multiply ? left.is_random != right.is_random
                                            : left.is_random || right.is_random;
  const bool whole = !left.integers.empty() && !right.integers.empty();
  if (whole) result.integers.resize(result.values.size());
  const auto index = [](const FormulaValue& value, std::int64_t row, std::int64_t column) {
    return static_cast<std::size_t>((value.size.rows == 1 ? 0 : row) * value.size.columns +
                                    (value.size.columns == 1 ? 0 : column));
  };
  for (std::int64_t row = 0; row < result.size.rows; ++row)
    for (std::int64_t column = 0; column < result.size.columns; ++column) {
      const auto to = static_cast<std::size_t>(row * result.size.columns + column);
      const std::size_t l = index(left, row, column), r = index(right, row, column);
      const double x = left.values[l], y = right.values[r];
      result.values[to] = kind == Kind::multiply ? x * y : kind == Kind::add ? x + y : x - y;
      result.magnitudes[to] = kind == Kind::multiply ? left.magnitudes[l] * right.magnitudes[r]
                                                     : left.magnitudes[l] + right.magnitudes[r];
      if (!whole) continue;
      const std::uint64_t i = left.integers[l], j = right.integers[r];
      result.integers[to] = kind == Kind::multiply ? i * j : kind == Kind::add ? i + j : i - j;
    }
  return result;
}

/// A function of one element: its value, and by how much it stretches an error.
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

/// The roundings of one function of a device's library: some units in the last place.
constexpr double function_terms = 8;

FormulaValue softmax(FormulaValue value) {
  for (std::int64_t row = 0; row < value.size.rows; ++row) {
    const auto first = static_cast<std::ptrdiff_t>(row * value.size.columns);
    const auto x = value.values.begin() + first;
    const auto magnitude = value.magnitudes.begin() + first;
    const double largest = *std::max_element(x, x + value.size.columns);
    const double stretch = *std::max_element(magnitude, magnitude + value.size.columns);
    double sum = 0;
    for (std::int64_t i = 0; i < value.size.columns; ++i) sum += x[i] = std::exp(x[i] - largest);
    for (std::int64_t i = 0; i < value.size.columns; ++i) {
      x[i] /= sum;
      magnitude[i] = x[i] * (1 + 2 * stretch);
    }
  }
  value.terms += function_terms + static_cast<double>(value.size.columns);
  value.is_random = false;
  value.depth = 0;  // what is missing in a sum of exponentials is no product
  value.quantum = 0;
  return value;
}

FormulaValue applied(std::string_view name, FormulaValue value) {
  value.integers.clear();
  if (name == "softmax") return softmax(std::move(value));
  value.is_random = false;
  const FunctionRow& function = *std::ranges::find(function_rows, name, &FunctionRow::name);
  for (std::size_t i = 0; i < value.values.size(); ++i) {
    const double x = value.values[i];
    value.values[i] = function.value(x);
    value.magnitudes[i] = std::abs(value.values[i]) + function.slope(x) * value.magnitudes[i];
  }
  if (name == "relu" || name == "abs") return value;
  value.terms += function_terms;
  value.quantum = 0;
  return value;
}

/// A number of the formula; an integer when float64 holds it as one.
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

/// Of an operand, what takes part in these elements of a result with so many columns.
FormulaValue gathered(const FormulaValue& value, std::span<const std::size_t> elements,
                      std::int64_t columns) {
  FormulaValue result = value;
  if (value.size.rows == 1 && value.size.columns == 1) return result;
  result.size = {1, static_cast<std::int64_t>(elements.size())};
  result.values.clear();
  result.magnitudes.clear();
  result.integers.clear();
  for (const std::size_t element : elements) {
    const auto row = static_cast<std::int64_t>(element) / columns;
    const auto column = static_cast<std::int64_t>(element) % columns;
    const auto from =
        static_cast<std::size_t>((value.size.rows == 1 ? 0 : row) * value.size.columns +
                                 (value.size.columns == 1 ? 0 : column));
    result.values.push_back(value.values[from]);
    result.magnitudes.push_back(value.magnitudes[from]);
    if (!value.integers.empty()) result.integers.push_back(value.integers[from]);
  }
  return result;
}

}  // namespace

double roundings(std::int64_t depth, bool is_random) {
  const auto all = static_cast<double>(depth);
  return is_random ? std::min(all, 6 * std::sqrt(all)) : all;
}

namespace {

/// What one rounding of a number up to 1 may change, with the reference's own where that is as
/// large.
double unit(NumberType sums) {
  return std::ldexp(1.0, sums == NumberType::f64 ? -52 : -row(sums).precision);
}

/// The smallest normal number.
double smallest(NumberType sums) { return std::ldexp(1.0, 2 - (1 << (row(sums).exponents - 1))); }

}  // namespace

double FormulaValue::allowed(std::size_t element, NumberType sums) const {
  const double magnitude = magnitudes[element];
  if (terms == 0 || magnitude <= std::ldexp(quantum, row(sums).precision)) return 0;
  return terms * unit(sums) * std::max(magnitude, smallest(sums));
}

bool FormulaValue::hides_a_term(NumberType sums) const {
  if (depth < 2 || terms * depth * unit(sums) < 1) return false;
  for (std::size_t i = 0; i < magnitudes.size(); ++i)
    if (allowed(i, sums) > 0) return true;
  return false;
}

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
  const std::int64_t depth = left.size.columns;
  FormulaValue result;
  result.size = {left.size.rows, right.size.columns};
  result.values.resize(count(result.size));
  result.magnitudes.resize(count(result.size));
  result.is_random = left.is_random || right.is_random;
  result.terms = left.terms + right.terms + roundings(depth, result.is_random);
  result.depth = std::max({left.depth, right.depth, static_cast<double>(depth)});
  result.quantum = left.quantum * right.quantum;
  add_product(left.values.data(), depth, right.values.data(), result.size.columns,
              result.values.data(), result.size.columns, result.size.rows, result.size.columns,
              depth);
  const auto rows = norms(left.magnitudes, left.size.rows, depth, depth, 1);
  const auto columns = norms(right.magnitudes, right.size.columns, depth, 1, right.size.columns);
  for (std::size_t i = 0; i < result.magnitudes.size(); ++i) {
    const std::size_t width = columns.size();
    result.magnitudes[i] = rows[i / width] * columns[i % width];
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
