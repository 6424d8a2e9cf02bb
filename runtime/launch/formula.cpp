#include "runtime/launch/formula.h"

#include <algorithm>

#include "library/text/formatted.h"

namespace heddle::runtime {
namespace {

using Kind = Expression::Kind;

constexpr std::array<std::string_view, 9> functions{"relu", "gelu", "silu", "sigmoid", "tanh",
                                                    "exp",  "sqrt", "abs",  "softmax"};
constexpr int most_terms = 256, deepest = 32;
constexpr double most_bytes = 0x1p31;
/// The bytes of memory for one element: first with its value, its integer and the bound of its
/// error; and then also with errors that come from operands.
constexpr double bytes_of_element = 24, bytes_with_errors = 40;
/// The work for one element of a simple operation, and of one that calls the host's mathematics.
constexpr double simple_work = 4, function_work = 40;
/// The work for one step of a product of integers, which is computed without blocking and without
/// vector instructions.
constexpr double integer_product_work = 4;

std::string text(MatrixSize size) { return formatted("{}x{}", size.rows, size.columns); }

}  // namespace

bool is_function(std::string_view name) {
  return std::ranges::find(functions, name) != functions.end();
}

std::vector<std::string_view> declared_names(const LaunchText& launch) {
  std::vector<std::string_view> names;
  for (const Tensor& tensor : launch.tensors) names.push_back(tensor.name);
  for (const Scalar& scalar : launch.scalars) names.push_back(scalar.name);
  for (const ArrayMap& map : launch.maps) names.push_back(map.name);
  return names;
}

Expression FormulaReader::read() {
  Sized whole = sum();
  size_ = whole.size;
  return std::move(whole.expression);
}

double FormulaReader::bytes_of(const Sized& value) const {
  return (value.inherits ? bytes_with_errors : bytes_of_element) *
         static_cast<double>(value.size.rows) * static_cast<double>(value.size.columns);
}

FormulaReader::Sized FormulaReader::made(Sized value, double work) {
  value.bytes = std::max(value.bytes, bytes_of(value));
  if (!in_.failed() && value.bytes > most_bytes)
    in_.fail_at(value.expression.place,
                "a formula takes at most 2 GiB of memory while it is evaluated, 24 bytes for each "
                "element of each value, and 40 where it is made of other results, and this takes "
                "more");
  work_ += work * static_cast<double>(value.size.rows) * static_cast<double>(value.size.columns);
  return value;
}

bool FormulaReader::too_large() {
  if (++terms_ > most_terms) in_.fail("expected a formula of at most 256 terms");
  if (depth_ > deepest) in_.fail("expected a formula at most 32 deep");
  return in_.failed();
}

FormulaReader::Sized FormulaReader::sum() {
  ++depth_;
  Sized left = term();
  while (!in_.failed() && (in_.peek() == '+' || in_.peek() == '-')) {
    const TextPlace place = in_.place();
    const Kind kind = in_.take("+") ? Kind::add : Kind::subtract;
    if (kind == Kind::subtract) in_.take("-");
    left = joined(kind, place, std::move(left), term());
  }
  --depth_;
  return left;
}

FormulaReader::Sized FormulaReader::term() {
  Sized left = factor();
  while (!in_.failed() && (in_.peek() == '*' || in_.peek() == '@')) {
    const TextPlace place = in_.place();
    const Kind kind = in_.take("@") ? Kind::product : Kind::multiply;
    if (kind == Kind::multiply) in_.take("*");
    left = joined(kind, place, std::move(left), factor());
  }
  return left;
}

FormulaReader::Sized FormulaReader::factor() {
  if (too_large()) return {};
  const TextPlace place = in_.place();
  if (in_.take("-")) {
    ++depth_;
    Sized inner = factor();
    --depth_;
    inner.bytes = std::max(inner.bytes, 2 * bytes_of(inner));
    inner.is_result = true;
    inner.expression = {Kind::negate, place, 0, "", {std::move(inner.expression)}};
    return made(std::move(inner), simple_work);
  }
  Sized value = primary();
  if (!in_.failed() && in_.peek() == '.')  // B.T, as numpy and torch write it
    in_.fail_at(in_.place(), "expected an operator; ' transposes, as in A @ B'");
  while (in_.peek() == '\'') {
    const TextPlace mark = in_.place();
    if (too_large() || !in_.take("'")) return {};
    value.bytes = std::max(value.bytes, 2 * bytes_of(value));
    std::swap(value.size.rows, value.size.columns);
    value.expression = {Kind::transpose, mark, 0, "", {std::move(value.expression)}};
    value = made(std::move(value), simple_work);
  }
  return value;
}

FormulaReader::Sized FormulaReader::primary() {
  if (in_.failed()) return {};
  const TextPlace place = in_.place();
  if (in_.next_is_number())
    return {{Kind::number, place, in_.number("a number").value, "", {}}, {}, true, 0};
  if (in_.take("(")) {
    Sized inner = sum();
    in_.expect(")", "");
    return inner;
  }
  return name(place);
}

FormulaReader::Sized FormulaReader::name(TextPlace place) {
  const std::string word = in_.name("an array, a number, a function or '('");
  if (in_.failed()) return {};
  if (in_.take("(")) {
    if (!is_function(word)) {
      in_.fail_at(place,
                  "no function '" + word + "'" +
                      did_you_mean(word, functions,
                                   "there are relu, gelu, silu, sigmoid, tanh, exp, sqrt, abs "
                                   "and softmax"));
      return {};
    }
    Sized inner = sum();
    in_.expect(")", "");
    inner.inherits = inner.inherits || (inner.is_result && word != "relu" && word != "abs");
    inner.is_result = true;
    inner.has_integers = false;
    inner.expression = {Kind::function, place, 0, word, {std::move(inner.expression)}};
    return made(std::move(inner), function_work);
  }
  Expression leaf{Kind::name, place, 0, word, {}};
  const Tensor* tensor = launch_.find_tensor(word);
  if (tensor && tensor->initial == InitialValue::addresses) {
    in_.fail_at(place, "'" + word + "' holds pointers, and a formula is of numbers");
    return {};
  }
  if (tensor)
    return made({std::move(leaf), {tensor->rows(), tensor->columns()}, !is_float(tensor->type)},
                simple_work);
  const Scalar* scalar = launch_.find_scalar(word);
  if (!scalar)
    in_.fail_at(place, "nothing is named '" + word + "' above this line" +
                           did_you_mean(word, declared_names(launch_)));
  else if (scalar->values.size() != 1)
    in_.fail_at(place, "'" + word + "' is several numbers");
  return {std::move(leaf), {}, true, 0};
}

FormulaReader::Sized FormulaReader::joined(Kind kind, TextPlace place, Sized left, Sized right) {
  const MatrixSize size = size_of(kind, place, left.size, right.size);
  const bool has_integers = left.has_integers && right.has_integers;
  Sized result{{kind, place, 0, "", {}}, size, has_integers, 0, true};
  const bool is_new = kind == Kind::product    ? left.is_result || right.is_result
                      : kind == Kind::multiply ? left.is_result && right.is_result
                                               : false;
  result.inherits = left.inherits || right.inherits || is_new;
  const double held = bytes_of(left) + bytes_of(right);
  result.bytes = std::max(held + bytes_of(result),
                          std::max(left.bytes + bytes_of(right), right.bytes + bytes_of(left)));
  const double work = kind == Kind::product ? static_cast<double>(left.size.columns) *
                                                  (has_integers ? integer_product_work : 1)
                                            : simple_work;
  result.expression.operands.push_back(std::move(left.expression));
  result.expression.operands.push_back(std::move(right.expression));
  return made(std::move(result), work);
}

MatrixSize FormulaReader::size_of(Kind kind, TextPlace place, MatrixSize left, MatrixSize right) {
  const MatrixSize size = unbounded_size_of(kind, place, left, right);
  if (size.rows > most_judged_elements / size.columns)
    in_.fail_at(place,
                "a formula has results of at most 2^26 elements, and this has " + text(size));
  return size;
}

MatrixSize FormulaReader::unbounded_size_of(Kind kind, TextPlace place, MatrixSize left,
                                            MatrixSize right) {
  if (in_.failed()) return {};
  if (kind == Kind::product) {
    if (left.columns != right.rows)
      in_.fail_at(place, "@ of " + text(left) + " and " + text(right) +
                             ": the inner sizes differ; ' transposes, as in A @ B'");
    return {left.rows, right.columns};
  }
  const auto fits = [](std::int64_t a, std::int64_t b) { return a == b || a == 1 || b == 1; };
  if (!fits(left.rows, right.rows) || !fits(left.columns, right.columns))
    in_.fail_at(place, text(left) + " and " + text(right) +
                           " do not go together element by element: sizes are equal or 1" +
                           (kind == Kind::multiply ? "; @ is the matrix product" : ""));
  return {std::max(left.rows, right.rows), std::max(left.columns, right.columns)};
}

}  // namespace heddle::runtime
