#include "runtime/interval.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "runtime/math_functions.h"
#include "runtime/matrix.h"

namespace heddle::runtime {
namespace {

using instruction::ElementType;
using plan::Node;
using plan::Step;

bool is_nan(Interval x) { return std::isnan(x.low) || std::isnan(x.high); }
bool is_integer(ElementType type) {
  return type == ElementType::i32 || type == ElementType::i16 || type == ElementType::i8 ||
         type == ElementType::u8 || type == ElementType::i4;
}

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
  if (is_integer(type)) return wrapped(value, instruction::bits(type));
  return rounded(number_type(type), value);
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

Interval converted(const Node& node, ElementType from, Interval x) {
  if (node.step == Step::convert_unsigned && (is_integer(from) || from == ElementType::b1))
    x = {as_unsigned(x.low, from), as_unsigned(x.high, from)};
  if (node.step == Step::convert && from == ElementType::b1) x = {-x.high, -x.low};
  if (is_integer(node.type) && !is_integer(from)) x = {std::trunc(x.low), std::trunc(x.high)};
  return rounded(node.type, x);
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
  if (type == ElementType::b1 && value.low != value.high) return {0, 1};
  return {rounded_once(type, value.low), rounded_once(type, value.high)};
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
  for (const Node& node : expression.nodes) {
    switch (node.step) {
      case Step::input:
        values.push_back(inputs[static_cast<std::size_t>(node.index)]);
        break;
      case Step::constant:
        values.push_back({node.constant, node.constant});
        break;
      case Step::convert:
      case Step::convert_unsigned:
        values.push_back(converted(
            node, expression.nodes[static_cast<std::size_t>(node.operands[0])].type, at(node, 0)));
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
