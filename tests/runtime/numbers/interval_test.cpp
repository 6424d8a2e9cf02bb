#include "runtime/numbers/interval.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <limits>
#include <span>
#include <string_view>

#include "runtime/numbers/math_functions.h"

namespace heddle::runtime {
namespace interval_test {

using instruction::ElementType;
using plan::Expression;
using plan::Node;
using plan::Step;

constexpr ElementType f32 = ElementType::f32;

Expression of_two(Step step, ElementType type) {
  return {{{Step::input, f32, {}, 0}, {Step::input, f32, {}, 1}, {step, type, {0, 1}}}};
}

constexpr double infinite = std::numeric_limits<double>::infinity();

double drawn_number() {
  return *rc::gen::oneOf(rc::gen::map(rc::gen::inRange(-40, 40), [](int x) { return x / 8.0; }),
                         rc::gen::element(infinite, -infinite, -0.0, 0.0, 0x1p-149, -0x1p-126,
                                          0x1.fffffep127, -0x1p127, 1.0, -1.0));
}

// An interval, and a number of it.
std::pair<Interval, Interval> drawn_range(ElementType type) {
  double x = drawn_number(), y = drawn_number();
  if (instruction::is_integer(type)) {
    x = *rc::gen::inRange(-128, 128);
    y = *rc::gen::inRange(-128, 128);
  }
  Interval range = finished(nothing());
  range = united(range, {x, x});
  range = united(range, {y, y});
  range.may_be_nan = !instruction::is_integer(type) && *rc::gen::inRange(0, 4) == 0;
  if (*rc::gen::inRange(0, 3) == 0) range = {x, x, 0, range.may_be_nan};
  double point = *rc::gen::element(range.low, range.high);
  const double middle = range.low / 2 + range.high / 2;
  if (!instruction::is_integer(type) && std::isfinite(middle) && *rc::gen::arbitrary<bool>())
    point = static_cast<float>(middle);
  if (range.low < 0 && range.high > 0 && *rc::gen::inRange(0, 3) == 0)
    point = *rc::gen::element(0.0, -0.0);
  if (instruction::is_integer(type) && point == 0) point = 0;
  if (range.may_be_nan && *rc::gen::arbitrary<bool>()) return {range, not_a_number()};
  return {range, {point, point}};
}

void expect_inside(const Interval& range, const Interval& point) {
  RC_LOG() << "[" << range.low << ", " << range.high << "]" << (range.has_nan() ? " or NaN" : "")
           << " for " << point.low << " to " << point.high << (point.has_nan() ? " or NaN" : "");
  if (range.is_poison) return;
  RC_ASSERT(!point.is_poison);
  RC_ASSERT(range.has_nan() || !point.has_nan());
  if (!point.has_numbers()) return;
  RC_ASSERT(range.has_numbers());
  RC_ASSERT(range.low <= point.low && point.high <= range.high);
}

// Whatever the inputs are inside their intervals, the result is inside its own: of every step on
// floats of every type and on integers, with infinities, NaN, both zeros and what overflows.
RC_GTEST_PROP(Interval, HoldsEveryResult, ()) {
  const ElementType type =
      *rc::gen::element(f32, ElementType::f16, ElementType::bf16, ElementType::fp8,
                        ElementType::fp8_fnuz, ElementType::f64, ElementType::i8, ElementType::i32);
  const bool is_integer = instruction::is_integer(type);
  const Step step =
      is_integer
          ? *rc::gen::element(Step::add, Step::subtract, Step::multiply, Step::maximum_number,
                              Step::minimum_number, Step::maximum_unsigned, Step::minimum_unsigned,
                              Step::less, Step::equal, Step::not_equal)
          : *rc::gen::element(Step::add, Step::subtract, Step::multiply, Step::divide,
                              Step::maximum, Step::minimum, Step::maximum_number,
                              Step::minimum_number, Step::negate, Step::less, Step::less_equal,
                              Step::equal, Step::not_equal);
  const bool compares = step >= Step::less && step <= Step::not_equal;
  Expression expression{{{Step::input, type, {}, 0},
                         {Step::input, type, {}, 1},
                         {step, compares ? ElementType::b1 : type, {0, 1}}}};
  if (compares) expression.nodes.push_back({Step::select, type, {2, 0, 1}});
  const auto [x, in_x] = drawn_range(type);
  const auto [y, in_y] = drawn_range(type);
  RC_LOG() << static_cast<int>(step) << " of type " << instruction::name(type) << "\n";
  expect_inside(evaluate(expression, {x, y}), evaluate(expression, {in_x, in_y}));
}

RC_GTEST_PROP(Interval, HoldsEveryResultOfAFunction, ()) {
  const std::span<const MathFunction> functions = math_functions();
  const auto number = *rc::gen::inRange(0, static_cast<int>(functions.size()));
  const MathFunction& function = functions[static_cast<std::size_t>(number)];
  const ElementType type = function.reading == Reading::floats
                               ? *rc::gen::element(f32, ElementType::f16)
                               : *rc::gen::element(ElementType::i8, ElementType::i32);
  const Step step = function.operands == 1   ? Step::function1
                    : function.operands == 2 ? Step::function2
                                             : Step::function3;
  const Expression expression{{{Step::input, type, {}, 0},
                               {Step::input, type, {}, 1},
                               {Step::input, type, {}, 2},
                               {step, type, {0, 1, 2}, number}}};
  std::vector<Interval> ranges, points;
  for (int i = 0; i < 3; ++i) {
    const auto [range, point] = drawn_range(type);
    ranges.push_back(range);
    points.push_back(point);
  }
  RC_LOG() << function.name << "\n";
  expect_inside(evaluate(expression, ranges), evaluate(expression, points));
}

// What is flushed to 0 keeps its sign: 1 / sqrt(-0) is -inf.
TEST(Interval, AFlushedNumberKeepsItsSign) {
  const int rsqrt = find_math_function("math.rsqrt");
  const Expression expression{{{Step::input, f32}, {Step::function1, f32, {0}, rsqrt}}};
  const auto of = [&](double low, double high) { return evaluate(expression, {{low, high}}); };
  for (const Interval& made : {of(-0x1p-149, -0x1p-149), of(-0x1p-126, -0.0)}) {
    EXPECT_EQ(made.low, -infinite);
    EXPECT_EQ(made.high, -infinite);
    EXPECT_TRUE(made.may_be_nan);
  }
  EXPECT_EQ(of(0x1p-149, 0x1p-149).high, infinite);
}

// pow(-0, -1) is -inf, and pow(-0, -0.5) is not.
TEST(Interval, PowersOfZeroHaveEitherSign) {
  const Expression expression{{{Step::input, f32, {}, 0},
                               {Step::input, f32, {}, 1},
                               {Step::function2, f32, {0, 1}, find_math_function("math.powf")}}};
  const Interval made = evaluate(expression, {{-0.0, -0.0}, {-1, -0.25}});
  EXPECT_EQ(made.low, -infinite);
  EXPECT_EQ(made.high, infinite);
}

// A power that float64 holds as 0 is 0, however far below: nothing grows in its exponent.
TEST(Interval, APowerThatIsZeroHasNoOtherLimitThanZero) {
  const Expression expression{{{Step::input, f32, {}, 0},
                               {Step::input, f32, {}, 1},
                               {Step::function2, f32, {0, 1}, find_math_function("math.powf")}}};
  for (const double x : {0.0, 0x1p-149, 0.5625, 0.625}) {
    const Interval made = evaluate(expression, {{x, x}, {0x1.fffffep127, 0x1.fffffep127}});
    EXPECT_LE(made.high, 0x1p-123) << x;
    EXPECT_GE(made.low, -0x1p-123) << x;
  }
}

// A function without error gives one zero.
TEST(Interval, AnExactZeroHasOneSign) {
  const int copysign = find_math_function("math.copysign");
  const Expression expression{{{Step::input, f32, {}, 0},
                               {Step::input, f32, {}, 1},
                               {Step::function2, f32, {0, 1}, copysign},
                               {Step::function2, f32, {1, 2}, copysign}}};
  const Interval made = evaluate(expression, {{-0.0, -0.0}, {-0.5, -0.5}});
  EXPECT_EQ(made.low, -0.5);
  EXPECT_EQ(made.high, -0.5);
}

// LLVM Language Reference Manual, "fptosi .. to" and "fptoui .. to": what does not fit is poison.
TEST(Interval, AFloatBeyondItsIntegerIsPoison) {
  const auto of = [](double x, Step step, ElementType type) {
    return evaluate({{{Step::input, f32}, {step, type, {0}}}}, {{x, x}});
  };
  EXPECT_EQ(of(-128.9, Step::convert, ElementType::i8).low, -128);
  EXPECT_EQ(of(255.5, Step::convert_unsigned, ElementType::i8).low, -1);
  EXPECT_EQ(of(-0.9, Step::convert_unsigned, ElementType::i8).low, 0);
  EXPECT_TRUE(of(-129, Step::convert, ElementType::i8).is_poison);
  EXPECT_TRUE(of(-1, Step::convert_unsigned, ElementType::i8).is_poison);
  EXPECT_TRUE(of(0x1p31, Step::convert, ElementType::i32).is_poison);
  EXPECT_TRUE(of(0x1p63, Step::convert, ElementType::i64).is_poison);
  EXPECT_EQ(of(0x1p63, Step::convert_unsigned, ElementType::i64).integer,
            std::numeric_limits<std::int64_t>::min());
  EXPECT_TRUE(of(std::nan(""), Step::convert, ElementType::i32).is_poison);
  EXPECT_TRUE(of(infinite, Step::convert, ElementType::i64).is_poison);
}

// Products of i32 have 62 bits.
TEST(Interval, IntegersOf32BitsAreExact) {
  const Expression product{
      {{Step::input, ElementType::i32}, {Step::multiply, ElementType::i32, {0, 0}}}};
  const std::int32_t x = -1234567891;
  const auto square =
      static_cast<std::int32_t>(static_cast<std::uint32_t>(x) * static_cast<std::uint32_t>(x));
  EXPECT_EQ(evaluate(product, {whole_number(x)}).low, square);
}

// C, F.10.4.4; glibc's sine of the exact float.
TEST(Interval, FunctionsOfSpecialNumbers) {
  const auto of = [](std::string_view name, double x, double y) {
    return evaluate({{{Step::input, f32, {}, 0},
                      {Step::input, f32, {}, 1},
                      {Step::function2, f32, {0, 1}, find_math_function(name)}}},
                    {{x, x}, {y, y}});
  };
  EXPECT_LT(of("math.powf", -infinite, -1.5).high, 1e-36);
  EXPECT_FALSE(of("math.powf", -infinite, -1.5).has_nan());
  EXPECT_EQ(of("math.powf", -infinite, 3).low, -infinite);
  EXPECT_NEAR(of("math.powf", -1, infinite).low, 1, 2e-6);
  EXPECT_FALSE(of("math.powf", -1, infinite).has_nan());
  EXPECT_NEAR(of("math.powf", std::nan(""), 0).low, 1, 2e-6);
  EXPECT_FALSE(of("math.powf", -2, 0.5).has_numbers());
  const Interval sine = of("math.sin", 0x1.fffffep127, 0);
  EXPECT_NEAR(sine.low, std::sin(0x1.fffffep127), 1e-6);
  EXPECT_NEAR(sine.high, sine.low, 2e-6);
}

TEST(Interval, EveryStepRoundsOnce) {
  const Expression sum = of_two(Step::add, ElementType::f16);
  EXPECT_EQ(evaluate(sum, {{2048, 2048}, {1, 1}}).low, 2048);  // a tie, to even
  EXPECT_EQ(evaluate(sum, {{2050, 2050}, {1, 1}}).low, 2052);
  EXPECT_EQ(evaluate(of_two(Step::divide, f32), {{1, 1}, {3, 3}}).low, double{1.0f / 3.0f});
}

TEST(Interval, IntegersWrapAround) {
  const Expression narrow{{{Step::input, ElementType::i32}, {Step::convert, ElementType::i8, {0}}}};
  EXPECT_EQ(evaluate(narrow, {{200, 200}}).low, -56);
  const Expression wide{
      {{Step::input, ElementType::i8}, {Step::convert_unsigned, ElementType::i32, {0}}}};
  EXPECT_EQ(evaluate(wide, {{-56, -56}}).low, 200);
}

// What float64 does not hold.
TEST(Interval, IntegersOf64BitsAreExact) {
  const auto of = [](Step step, ElementType type, std::int64_t x, std::int64_t y) {
    const Expression two{{{Step::input, ElementType::i64, {}, 0},
                          {Step::input, ElementType::i64, {}, 1},
                          {step, type, {0, 1}}}};
    return evaluate(two, {whole_number(x), whole_number(y)});
  };
  constexpr std::int64_t large = (std::int64_t{1} << 62) + 1;
  EXPECT_EQ(of(Step::add, ElementType::i64, large, 2).integer, large + 2);
  EXPECT_EQ(of(Step::multiply, ElementType::i64, large, 4).integer, 4);  // modulo 2^64
  EXPECT_EQ(of(Step::less, ElementType::b1, large, large + 1).low, 1);
  EXPECT_EQ(of(Step::minimum_unsigned, ElementType::i64, -1, large).integer, large);
  EXPECT_EQ(of(Step::convert, ElementType::i8, large + 200, 0).low, -55);
  EXPECT_EQ(of(Step::convert, ElementType::f32, (std::int64_t{1} << 25) + 3, 0).low, 0x1p25 + 4);
  EXPECT_EQ(of(Step::convert_unsigned, ElementType::f64, -1, 0).low, 0x1p64);
}

TEST(Interval, AFloat64IsRoundedOnce) {
  for (const ElementType type : {ElementType::f16, ElementType::bf16}) {
    const Expression narrow{{{Step::input, ElementType::f64}, {Step::convert, type, {0}}}};
    const double tie = type == ElementType::f16 ? 1 + 0x1p-11 : 1 + 0x1p-8;
    EXPECT_EQ(evaluate(narrow, {{tie, tie}}).low, 1);
    const double above = tie + 0x1p-40;  // a tie in f32
    EXPECT_EQ(evaluate(narrow, {{above, above}}).low, 2 * tie - 1);
  }
}

TEST(Interval, AnOpenComparisonTakesBothBranches) {
  const Expression relu{{{Step::input, f32},
                         {Step::constant, f32, {}, 0, 0.0},
                         {Step::less, ElementType::b1, {0, 1}},
                         {Step::select, f32, {2, 1, 0}}}};
  const Interval range = evaluate(relu, {{-1, 2}});
  EXPECT_EQ(range.low, -1);
  EXPECT_EQ(range.high, 2);
  EXPECT_EQ(evaluate(relu, {{-2, -1}}).high, 0);
}

// 1 + tanh of exact numbers: kernels compute 1 / (exp(-2 x) / 2 + 1/2) in f32, whose last digits
// are other ones than those of a sum of 1.
TEST(Interval, OneAndTanhMayBeComputedAsOneFunction) {
  const Expression one_and_tanh{{{Step::input, f32},
                                 {Step::constant, f32, {}, 0, 1.0},
                                 {Step::function1, f32, {0}, find_math_function("math.tanh")},
                                 {Step::add, f32, {2, 1}}}};
  for (int i = -2000; i <= 2000; ++i) {
    const double x = i / 128.0;
    const float power = std::exp2(static_cast<float>(x) * -2.8853900817779268f);
    const float value = 1 / std::fma(power, 0.5f, 0.5f);
    const Interval range = evaluate(one_and_tanh, {{x, x}});
    EXPECT_TRUE(range.low <= value && value <= range.high) << x;
    EXPECT_LE(range.high - range.low, 0x1p-18) << x;
  }
}

}  // namespace interval_test
}  // namespace heddle::runtime
