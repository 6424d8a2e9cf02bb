#include "runtime/numbers/interval.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <optional>
#include <span>

#include "runtime/numbers/math_functions.h"
#include "runtime/numbers/matrix.h"

namespace heddle::runtime {
namespace {

using instruction::ElementType;
using instruction::is_integer;
using plan::Node;
using plan::Step;

bool is_whole(ElementType type) { return is_integer(type) || type == ElementType::b1; }

// Compares by value, with -0 below +0.
bool is_less(double x, double y) {
  return x < y || (x == y && std::signbit(x) && !std::signbit(y));
}
double least(double x, double y) { return is_less(y, x) ? y : x; }
double greatest(double x, double y) { return is_less(x, y) ? y : x; }

// Modulo 2^bits, as a signed number.
double wrapped(double value, int bits) {
  const double period = std::ldexp(1.0, bits);
  const double rest = value - period * std::floor(value / period);
  return rest >= period / 2 ? rest - period : rest;
}

double as_unsigned(double value, ElementType from) {
  return value < 0 ? value + std::ldexp(1.0, instruction::bits(from)) : value;
}

// The integer in an interval of one number, sign-extended to 64 bits.
std::int64_t integer_of(ElementType type, const Interval& x) {
  return type == ElementType::i64 ? x.integer : static_cast<std::int64_t>(x.low);
}

// `integer` modulo 2^bits of the type.
Interval whole_of(ElementType type, std::uint64_t integer) {
  if (type == ElementType::b1) return whole_number(static_cast<std::int64_t>(integer & 1));
  const int unused = 64 - instruction::bits(type);
  return whole_number(static_cast<std::int64_t>(integer << unused) >> unused);
}

double rounded_once(ElementType type, double value) {
  if (type == ElementType::b1) return std::abs(std::fmod(value, 2));  // the lowest bit
  return rounded_or_infinity(number_type(type), value);
}

// The range of an operation whose result is monotonic in each operand on either side of zero.
Interval combined(const Interval& x, const Interval& y, auto operation) {
  if (x.is_poison || y.is_poison) return poison();
  if (x.is_point() && y.is_point()) {
    const double result = operation(x.low, y.low);
    return {result, result};
  }
  Interval all = nothing();
  const Arguments second(y);
  for (const double a : Arguments(x))
    for (const double b : second) include(all, operation(a, b));
  return finished(all);
}

// The result of a comparison: 1 if `always`, 0 if `never`, otherwise both.
Interval decided(bool always, bool never) { return {always ? 1.0 : 0.0, never ? 0.0 : 1.0}; }

Interval compared(Step step, const Interval& x, const Interval& y) {
  if (x.is_poison || y.is_poison) return poison();
  const bool is_ordered = !x.has_nan() && !y.has_nan();
  const bool is_unordered = !x.has_numbers() || !y.has_numbers();
  const bool is_apart = is_unordered || x.high < y.low || y.high < x.low;
  const bool is_same = is_ordered && x.low == x.high && y.low == y.high && x.low == y.low;
  switch (step) {
    case Step::less:
      return decided(is_ordered && x.high < y.low, is_unordered || x.low >= y.high);
    case Step::less_equal:
      return decided(is_ordered && x.high <= y.low, is_unordered || x.low > y.high);
    case Step::equal:
      return decided(is_same, is_apart);
    case Step::not_equal:
      return decided(is_apart, is_same);
    default:
      return {0, 1};
  }
}

// The larger or smaller of two floats, or of two integers, of which only ranges are known.
Interval extreme(Step step, const Interval& x, const Interval& y) {
  if (x.is_poison || y.is_poison) return poison();
  const bool is_largest = step == Step::maximum || step == Step::maximum_number;
  const bool takes_number = step == Step::maximum_number || step == Step::minimum_number;
  Interval all = not_a_number();
  if (x.has_numbers() && y.has_numbers()) {
    all = is_largest ? Interval{greatest(x.low, y.low), greatest(x.high, y.high)}
                     : Interval{least(x.low, y.low), least(x.high, y.high)};
    // For +0 and -0, maxnum and minnum may give either (LLVM Language Reference Manual,
    // "llvm.maxnum.*").
    const bool has_zeros = x.low <= 0 && x.high >= 0 && y.low <= 0 && y.high >= 0;
    const bool differ = std::signbit(x.low) || std::signbit(y.low);
    if (takes_number && has_zeros && differ && all.low == 0) all.low = -0.0;
    if (takes_number && has_zeros && all.high == 0 &&
        !(std::signbit(x.high) && std::signbit(y.high)))
      all.high = 0.0;
  }
  if (!takes_number) {
    all.may_be_nan = x.has_nan() || y.has_nan();
    return all;
  }
  const auto numbers = [](Interval of) {
    of.may_be_nan = false;
    return of;
  };
  if (x.has_nan() && y.has_numbers()) all = united(all, numbers(y));
  if (y.has_nan() && x.has_numbers()) all = united(all, numbers(x));
  const bool both = x.has_nan() && y.has_nan();
  all.may_be_nan = both;
  return all;
}

// Rounds to an f32 whose last bit is set if the value is not exact. If this f32 is rounded further
// to a narrower type, the result is the same as if `value` had been rounded once.
double rounded_to_odd(double value) {
  const auto narrow = static_cast<float>(value);
  const auto bits = std::bit_cast<std::uint32_t>(narrow);
  if (narrow == value || std::isnan(value) || (bits & 1u) != 0) return narrow;
  return std::bit_cast<float>(std::abs(narrow) < std::abs(value) ? bits + 1 : bits - 1);
}

// A float as an integer: drops the fraction. A number outside the type is poison (LLVM Language
// Reference Manual, "fptosi .. to" and "fptoui .. to").
Interval truncated(const Node& node, const Interval& x) {
  if (x.has_nan()) return poison();
  const int bits = node.type == ElementType::b1 ? 1 : instruction::bits(node.type);
  const bool is_unsigned = node.step == Step::convert_unsigned;
  const double least_one = is_unsigned ? 0 : -std::ldexp(1.0, bits - 1);
  const double end = std::ldexp(1.0, is_unsigned ? bits : bits - 1);
  const double low = std::trunc(x.low), high = std::trunc(x.high);
  if (!(low >= least_one && high < end)) return poison();
  if (low != high) return rounded(node.type, {low, high});
  return whole_of(node.type, low < 0x1p63
                                 ? static_cast<std::uint64_t>(static_cast<std::int64_t>(low))
                                 : static_cast<std::uint64_t>(low));
}

// Converts one integer to a float. An integer of at most 32 bits is exact in float64.
Interval from_integer(const Node& node, ElementType from, std::int64_t x) {
  const bool is_unsigned = node.step == Step::convert_unsigned;
  std::uint64_t bits = static_cast<std::uint64_t>(x);
  if (is_unsigned && from != ElementType::i64)
    bits &= (std::uint64_t{1} << (from == ElementType::b1 ? 1 : instruction::bits(from))) - 1;
  const double number = is_unsigned ? static_cast<double>(bits) : static_cast<double>(x);
  if (node.type == ElementType::f64 || from != ElementType::i64)
    return rounded(node.type, {number, number});
  const double narrow = is_unsigned ? static_cast<float>(bits) : static_cast<float>(x);
  return rounded(node.type, {narrow, narrow});
}

Interval converted(const Node& node, ElementType from, Interval x) {
  if (x.is_poison) return x;
  if (!is_whole(from)) {
    if (is_whole(node.type)) return truncated(node, x);
    if (from == ElementType::f64 && instruction::bits(node.type) == 16) {
      x.low = rounded_to_odd(x.low);
      x.high = rounded_to_odd(x.high);
    }
    return rounded(node.type, x);
  }
  const bool is_unsigned = node.step == Step::convert_unsigned;
  if (x.is_point()) {
    // A one-bit integer with the value 1 is -1 if it is read as signed.
    const std::int64_t integer = from == ElementType::b1 && !is_unsigned
                                     ? -static_cast<std::int64_t>(x.low)
                                     : integer_of(from, x);
    if (!is_whole(node.type)) return from_integer(node, from, integer);
    const bool is_continued = !is_unsigned || from == ElementType::i64 || from == ElementType::b1;
    const std::uint64_t bits =
        static_cast<std::uint64_t>(integer) &
        (is_continued ? ~std::uint64_t{0} : (std::uint64_t{1} << instruction::bits(from)) - 1);
    return whole_of(node.type, bits);
  }
  if (from == ElementType::b1) {
    if (!is_unsigned) x = {-x.high, -x.low};
  } else if (is_unsigned && x.low < 0) {
    x = x.high < 0 ? Interval{as_unsigned(x.low, from), as_unsigned(x.high, from)}
                   : Interval{0, std::ldexp(1.0, instruction::bits(from)) - 1};
  }
  return rounded(node.type, x);
}

// A step on two single integers.
Interval of_integers(const Node& node, std::int64_t x, std::int64_t y) {
  const auto a = static_cast<std::uint64_t>(x), b = static_cast<std::uint64_t>(y);
  const auto made = [&](std::uint64_t bits) { return whole_of(node.type, bits); };
  const auto decision = [](bool holds) { return decided(holds, !holds); };
  switch (node.step) {
    case Step::add:
      return made(a + b);
    case Step::subtract:
      return made(a - b);
    case Step::multiply:
      return made(a * b);
    case Step::maximum:
    case Step::maximum_number:
      return whole_number(std::max(x, y));
    case Step::minimum:
    case Step::minimum_number:
      return whole_number(std::min(x, y));
    case Step::maximum_unsigned:
      return made(std::max(a, b));
    case Step::minimum_unsigned:
      return made(std::min(a, b));
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

// The range of the results of a step on two integers, of which only ranges are known.
Interval of_ranges(const Node& node, const Interval& x, const Interval& y) {
  if (x.is_poison || y.is_poison) return poison();
  switch (node.step) {
    case Step::add:
      return rounded(node.type, {x.low + y.low, x.high + y.high});
    case Step::subtract:
      return rounded(node.type, {x.low - y.high, x.high - y.low});
    case Step::multiply:
      return rounded(node.type, combined(x, y, [](double a, double b) { return a * b; }));
    case Step::maximum_unsigned:
    case Step::minimum_unsigned:
      return any_integer(node.type);
    case Step::maximum:
    case Step::maximum_number:
    case Step::minimum:
    case Step::minimum_number:
      return extreme(node.step, x, y);
    default:
      return compared(node.step, x, y);
  }
}

Interval selected(const Interval& condition, const Interval& x, const Interval& y) {
  if (condition.is_poison) return poison();
  if (condition.low == 1) return x;
  if (condition.high == 0) return y;
  return united(x, y);
}

Interval negated(const Interval& x) { return {-x.high, -x.low, 0, x.may_be_nan, x.is_poison}; }

}  // namespace

Interval any_integer(ElementType type) {
  if (type == ElementType::b1) return {0, 1};
  const double half = std::ldexp(1.0, instruction::bits(type) - 1);
  return {-half, type == ElementType::i64 ? half : half - 1};
}

Interval united(const Interval& x, const Interval& y) {
  if (x.is_poison || y.is_poison) return poison();
  const bool may_be_nan = x.has_nan() || y.has_nan();
  Interval all = x;
  if (!x.has_numbers()) {
    all = y;
  } else if (y.has_numbers()) {
    all = {least(x.low, y.low), greatest(x.high, y.high), x.integer};
  }
  all.may_be_nan = may_be_nan;
  return all;
}

void include(Interval& all, double result) {
  if (std::isnan(result)) {
    all.may_be_nan = true;
    return;
  }
  all.low = least(all.low, result);
  all.high = greatest(all.high, result);
}

Interval finished(Interval all) { return all.low > all.high ? not_a_number() : all; }

Arguments::Arguments(const Interval& x, double critical) {
  constexpr double largest = std::numeric_limits<double>::max();
  const auto add = [&](double argument) { at[count++] = argument; };
  if (x.has_numbers()) {
    add(x.low);
    if (is_less(x.low, x.high)) {
      add(x.high);
      if (x.low == -infinity) add(-largest);
      if (x.high == infinity) add(largest);
      if (x.low < 0 && x.high >= 0) add(-0.0);
      if (x.low <= 0 && x.high > 0) add(0.0);
      if (x.low < critical && critical < x.high) add(critical);
    }
  }
  if (x.has_nan()) add(std::numeric_limits<double>::quiet_NaN());
}

Interval rounded(ElementType type, Interval value) {
  if (value.is_poison || !value.has_numbers()) return value;
  if (type == ElementType::i64 && value.low == value.high) {
    if (static_cast<double>(value.integer) == value.low) return value;
    return whole_number(static_cast<std::int64_t>(wrapped(value.low, 64)));
  }
  if (type == ElementType::b1)
    return value.low == value.high
               ? Interval{rounded_once(type, value.low), rounded_once(type, value.high)}
               : Interval{0, 1};
  if (is_integer(type)) {
    const int bits = instruction::bits(type);
    // Integers beyond 2^53 are not all exact in float64.
    if (!(std::abs(value.low) <= 0x1p53 && std::abs(value.high) <= 0x1p53))
      return any_integer(type);
    const double low = wrapped(value.low, bits), high = wrapped(value.high, bits);
    return low - value.low == high - value.high ? Interval{low, high} : any_integer(type);
  }
  Interval found{rounded_once(type, value.low), rounded_once(type, value.high), 0,
                 value.may_be_nan};
  if (!lacks_infinity(number_type(type))) return found;
  // This type has no infinity: a number that is too large becomes NaN.
  const double largest = largest_finite(number_type(type));
  found.may_be_nan = found.may_be_nan || std::isinf(found.low) || std::isinf(found.high);
  if (std::isinf(found.low) && found.low == found.high) return not_a_number();
  found.low = std::max(found.low, -largest);
  found.high = std::min(found.high, largest);
  return found;
}

Interval evaluate(const plan::Expression& expression, const std::vector<Interval>& inputs) {
  if (expression.nodes.empty()) return inputs[0];
  std::vector<Interval> values;
  values.reserve(expression.nodes.size());
  const auto at = [&](const Node& node, std::size_t i) -> const Interval& {
    return values[static_cast<std::size_t>(node.operands[i])];
  };
  const auto type_of = [&](const Node& node) {
    return expression.nodes[static_cast<std::size_t>(node.operands[0])].type;
  };
  const auto binary = [&](const Node& node) {
    const Interval &x = at(node, 0), &y = at(node, 1);
    const ElementType from = type_of(node);
    if (is_whole(from))
      return x.is_point() && y.is_point()
                 ? of_integers(node, integer_of(from, x), integer_of(from, y))
                 : of_ranges(node, x, y);
    // A value that is compared with itself is equal, although it may be any number of the range.
    // Only NaN is not.
    const bool compares_itself = node.step >= Step::less && node.step <= Step::not_equal &&
                                 node.operands[0] == node.operands[1];
    if (compares_itself && !x.is_poison && !x.has_nan()) return compared(node.step, {0, 0}, {0, 0});
    switch (node.step) {
      case Step::add:
        return rounded(node.type, combined(x, y, [](double a, double b) { return a + b; }));
      case Step::subtract:
        return rounded(node.type, combined(x, y, [](double a, double b) { return a - b; }));
      case Step::multiply:
        return rounded(node.type, combined(x, y, [](double a, double b) { return a * b; }));
      case Step::divide:
        return rounded(node.type, combined(x, y, [](double a, double b) { return a / b; }));
      case Step::maximum:
      case Step::minimum:
      case Step::maximum_number:
      case Step::minimum_number:
        return extreme(node.step, x, y);
      default:
        return compared(node.step, x, y);
    }
  };
  for (const Node& node : expression.nodes) {
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
      case Step::negate:
        values.push_back(negated(at(node, 0)));
        break;
      case Step::select:
        values.push_back(selected(at(node, 0), at(node, 1), at(node, 2)));
        break;
      case Step::function1:
      case Step::function2:
      case Step::function3: {
        std::array<Interval, 3> operands;
        const int count = operand_count(node.step);
        for (int i = 0; i < count; ++i)
          operands[static_cast<std::size_t>(i)] = at(node, static_cast<std::size_t>(i));
        values.push_back(evaluate(math_functions()[static_cast<std::size_t>(node.index)], node.type,
                                  std::span(operands).first(static_cast<std::size_t>(count))));
        break;
      }
      default:
        values.push_back(operand_of_one_and_tanh(expression, node) ? with_one_and_tanh(binary(node))
                                                                   : binary(node));
    }
  }
  return values.back();
}

}  // namespace heddle::runtime
