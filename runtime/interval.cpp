#include "runtime/interval.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <optional>
#include <span>

#include "runtime/math_functions.h"
#include "runtime/matrix.h"

namespace heddle::runtime {
namespace {

using instruction::ElementType;
using instruction::is_integer;
using plan::Node;
using plan::Step;

bool is_nan(Interval x) { return std::isnan(x.low) || std::isnan(x.high); }
bool is_point(Interval x) { return x.low == x.high; }

// Modulo 2^bits, as a signed number.
double wrapped(double value, int bits) {
  const double period = std::ldexp(1.0, bits);
  const double rest = value - period * std::floor(value / period);
  return rest >= period / 2 ? rest - period : rest;
}

double as_unsigned(double value, ElementType from) {
  return value < 0 ? value + std::ldexp(1.0, instruction::bits(from)) : value;
}

double rounded_once(ElementType type, double value) {
  if (type == ElementType::b1) return std::abs(std::fmod(value, 2));  // the lowest bit
  if (is_integer(type) && !std::isfinite(value)) return value;        // any number
  if (is_integer(type)) return wrapped(value, instruction::bits(type));
  return rounded_or_infinity(number_type(type), value);
}

Interval hull(std::initializer_list<double> values) {
  Interval all{infinity, -infinity};
  for (const double value : values) {
    if (std::isnan(value)) return {-infinity, infinity};
    all.low = std::min(all.low, value);
    all.high = std::max(all.high, value);
  }
  return all;
}

Interval corners(Interval x, Interval y, auto operation) {
  return hull({operation(x.low, y.low), operation(x.low, y.high), operation(x.high, y.low),
               operation(x.high, y.high)});
}

Interval divided(Interval x, Interval y) {
  if (y.low <= 0 && y.high >= 0 && y.low != y.high) return {-infinity, infinity};
  if (y.low == y.high && x.low == x.high) return {x.low / y.low, x.low / y.low};
  return corners(x, y, [](double a, double b) { return a / b; });
}

// 1, 0, or both where the bounds do not decide.
Interval decided(bool always, bool never) { return {always ? 1.0 : 0.0, never ? 0.0 : 1.0}; }

Interval compared(Step step, Interval x, Interval y) {
  const bool unordered = is_nan(x) || is_nan(y);
  switch (step) {
    case Step::less:
      return unordered ? Interval{0, 0} : decided(x.high < y.low, x.low >= y.high);
    case Step::less_equal:
      return unordered ? Interval{0, 0} : decided(x.high <= y.low, x.low > y.high);
    case Step::equal:
    case Step::not_equal: {
      const bool same = !unordered && x.low == x.high && y.low == y.high && x.low == y.low;
      const bool apart = unordered || x.high < y.low || y.high < x.low;
      return step == Step::equal ? decided(same, apart) : decided(apart, same);
    }
    default:
      return {0, 1};
  }
}

Interval extreme(Step step, Interval x, Interval y) {
  if (is_nan(x) || is_nan(y)) {
    const bool takes_number = step == Step::maximum_number || step == Step::minimum_number;
    return takes_number ? (is_nan(x) ? y : x) : (is_nan(x) ? x : y);
  }
  if (step == Step::maximum || step == Step::maximum_number || step == Step::maximum_unsigned)
    return {std::max(x.low, y.low), std::max(x.high, y.high)};
  return {std::min(x.low, y.low), std::min(x.high, y.high)};
}

// Signed integers that are compared as unsigned ones: exact, since integers have no width.
Interval unsigned_extreme(const Node& node, Interval x, Interval y) {
  const Interval found =
      extreme(node.step, {as_unsigned(x.low, node.type), as_unsigned(x.high, node.type)},
              {as_unsigned(y.low, node.type), as_unsigned(y.high, node.type)});
  return rounded(node.type, found);
}

// An f32 whose last bit tells whether something is missing: when it is rounded to a narrower type,
// that is as if `value` were rounded once.
double rounded_to_odd(double value) {
  const auto narrow = static_cast<float>(value);
  const auto bits = std::bit_cast<std::uint32_t>(narrow);
  if (narrow == value || std::isnan(value) || (bits & 1u) != 0) return narrow;
  return std::bit_cast<float>(std::abs(narrow) < std::abs(value) ? bits + 1 : bits - 1);
}

Interval converted(const Node& node, ElementType from, Interval x) {
  if (from == ElementType::f64 && instruction::bits(node.type) == 16 && !is_integer(node.type))
    x = {rounded_to_odd(x.low), rounded_to_odd(x.high)};
  if (node.step == Step::convert_unsigned && (is_integer(from) || from == ElementType::b1))
    x = {as_unsigned(x.low, from), as_unsigned(x.high, from)};
  if (node.step == Step::convert && from == ElementType::b1) x = {-x.high, -x.low};
  if (is_integer(node.type) && !is_integer(from)) x = {std::trunc(x.low), std::trunc(x.high)};
  return rounded(node.type, x);
}

// An i64 as a number of another type.
Interval from_i64(const Node& node, std::int64_t x) {
  const auto bits = static_cast<std::uint64_t>(x);
  const bool is_unsigned = node.step == Step::convert_unsigned;
  if (node.type == ElementType::i64) return whole_number(x);
  if (is_integer(node.type) || node.type == ElementType::b1) {
    const auto low = static_cast<double>(bits & 0xffffffffu);
    return rounded(node.type, {low, low});
  }
  if (node.type == ElementType::f64) {
    const double number = is_unsigned ? static_cast<double>(bits) : static_cast<double>(x);
    return {number, number};
  }
  const double number = is_unsigned ? static_cast<float>(bits) : static_cast<float>(x);
  return rounded(node.type, {number, number});
}

// A number of another type as an i64; of a float all but the fraction.
Interval to_i64(const Node& node, ElementType from, Interval x) {
  if (!is_integer(from) && from != ElementType::b1) {
    const double whole = std::trunc(x.low);
    if (!(std::abs(whole) < 0x1p63)) return {-infinity, infinity};
    return whole_number(static_cast<std::int64_t>(whole));
  }
  if (node.step == Step::convert_unsigned) x.low = as_unsigned(x.low, from);
  const double number = from == ElementType::b1 && node.step == Step::convert ? -x.low : x.low;
  return whole_number(static_cast<std::int64_t>(number));
}

// A step on two i64.
Interval of_integers(Step step, std::int64_t x, std::int64_t y) {
  const auto a = static_cast<std::uint64_t>(x), b = static_cast<std::uint64_t>(y);
  const auto wrapped = [](std::uint64_t bits) {
    return whole_number(static_cast<std::int64_t>(bits));
  };
  const auto decision = [](bool holds) { return decided(holds, !holds); };
  switch (step) {
    case Step::add:
      return wrapped(a + b);
    case Step::subtract:
      return wrapped(a - b);
    case Step::multiply:
      return wrapped(a * b);
    case Step::maximum_number:
      return whole_number(std::max(x, y));
    case Step::minimum_number:
      return whole_number(std::min(x, y));
    case Step::maximum_unsigned:
      return wrapped(std::max(a, b));
    case Step::minimum_unsigned:
      return wrapped(std::min(a, b));
    case Step::less:
      return decision(x < y);
    case Step::less_equal:
      return decision(x <= y);
    case Step::equal:
      return decision(x == y);
    default:
      return decision(x != y);
  }
}

// The steps that float64 cannot do: on i64 without width. Nothing for others.
std::optional<Interval> exact_step(const Node& node, ElementType from, Interval x, Interval y) {
  if (!is_point(x) || operand_count(node.step) == 0) return {};
  if (node.step == Step::convert || node.step == Step::convert_unsigned) {
    if (from == ElementType::i64) return from_i64(node, x.integer);
    if (node.type == ElementType::i64) return to_i64(node, from, x);
    return {};
  }
  if (from != ElementType::i64 || operand_count(node.step) != 2 || !is_point(y)) return {};
  if (node.step == Step::function2) return {};
  return of_integers(node.step, x.integer, y.integer);
}

Interval selected(Interval condition, Interval x, Interval y) {
  if (condition.low == 1) return x;
  if (condition.high == 0) return y;
  if (is_nan(x) || is_nan(y)) return {-infinity, infinity};
  return {std::min(x.low, y.low), std::max(x.high, y.high)};
}

}  // namespace

Interval rounded(ElementType type, Interval value) {
  if (is_nan(value)) return value;
  if (type == ElementType::i64 && is_point(value)) {
    if (static_cast<double>(value.integer) == value.low) return value;
    return whole_number(static_cast<std::int64_t>(wrapped(value.low, 64)));
  }
  if (type == ElementType::b1 && value.low != value.high) return {0, 1};
  const Interval found{rounded_once(type, value.low), rounded_once(type, value.high)};
  const bool is_whole = is_integer(type) || type == ElementType::b1;
  if (is_whole || !lacks_infinity(number_type(type))) return found;
  // What is beyond the largest number is NaN.
  const bool low = std::isinf(found.low), high = std::isinf(found.high);
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  if (low && high && found.low == found.high) return {nan, nan};
  return low || high ? Interval{-infinity, infinity} : found;
}

Interval evaluate(const plan::Expression& expression, const std::vector<Interval>& inputs) {
  if (expression.nodes.empty()) return inputs[0];
  std::vector<Interval> values;
  const auto at = [&](const Node& node, std::size_t i) {
    return values[static_cast<std::size_t>(node.operands[i])];
  };
  const auto arithmetic = [&](const Node& node, auto operation) {
    const Interval x = at(node, 0), y = at(node, 1);
    if (is_nan(x) || is_nan(y)) return is_nan(x) ? x : y;
    return rounded(node.type, corners(x, y, operation));
  };
  const auto type_of = [&](const Node& node) {
    return expression.nodes[static_cast<std::size_t>(node.operands[0])].type;
  };
  for (const Node& node : expression.nodes) {
    const int count = operand_count(node.step);
    if (const auto exact = count == 0 ? std::nullopt
                                      : exact_step(node, type_of(node), at(node, 0),
                                                   at(node, count == 2 ? 1 : 0))) {
      values.push_back(*exact);
      continue;
    }
    switch (node.step) {
      case Step::input:
        values.push_back(inputs[static_cast<std::size_t>(node.index)]);
        break;
      case Step::constant:
        values.push_back(node.type == ElementType::i64
                             ? whole_number(plan::integer_of(node.constant))
                             : Interval{node.constant, node.constant});
        break;
      case Step::convert:
      case Step::convert_unsigned:
        values.push_back(converted(node, type_of(node), at(node, 0)));
        break;
      case Step::add:
        values.push_back(arithmetic(node, [](double x, double y) { return x + y; }));
        break;
      case Step::subtract:
        values.push_back(arithmetic(node, [](double x, double y) { return x - y; }));
        break;
      case Step::multiply:
        values.push_back(arithmetic(node, [](double x, double y) { return x * y; }));
        break;
      case Step::divide:
        values.push_back(rounded(node.type, divided(at(node, 0), at(node, 1))));
        break;
      case Step::negate:
        values.push_back({-at(node, 0).high, -at(node, 0).low});
        break;
      case Step::maximum:
      case Step::minimum:
      case Step::maximum_number:
      case Step::minimum_number:
        values.push_back(extreme(node.step, at(node, 0), at(node, 1)));
        break;
      case Step::maximum_unsigned:
      case Step::minimum_unsigned:
        values.push_back(unsigned_extreme(node, at(node, 0), at(node, 1)));
        break;
      case Step::select:
        values.push_back(selected(at(node, 0), at(node, 1), at(node, 2)));
        break;
      case Step::function1:
      case Step::function2:
      case Step::function3: {
        std::vector<Interval> operands;
        for (int i = 0; i < operand_count(node.step); ++i)
          operands.push_back(at(node, static_cast<std::size_t>(i)));
        values.push_back(
            evaluate(math_functions()[static_cast<std::size_t>(node.index)], node.type, operands));
        break;
      }
      default:
        values.push_back(compared(node.step, at(node, 0), at(node, 1)));
    }
  }
  return values.back();
}

}  // namespace heddle::runtime
