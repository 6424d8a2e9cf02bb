#include "runtime/interval.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>

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

// Whatever the inputs are inside their intervals, the result is inside its own.
RC_GTEST_PROP(Interval, HoldsEveryResult, ()) {
  const auto number = [] { return static_cast<double>(*rc::gen::inRange(-40, 40)) / 8; };
  const Step step = *rc::gen::element(Step::add, Step::subtract, Step::multiply, Step::divide,
                                      Step::maximum, Step::minimum, Step::less, Step::equal);
  const bool compares = step == Step::less || step == Step::equal;
  const Expression expression = of_two(step, compares ? ElementType::b1 : f32);
  std::vector<Interval> ranges, points;
  for (int i = 0; i < 2; ++i) {
    const double x = number();
    ranges.push_back({x - *rc::gen::inRange(0, 3), x + *rc::gen::inRange(0, 3)});
    points.push_back({x, x});
  }
  const Interval range = evaluate(expression, ranges);
  const Interval point = evaluate(expression, points);
  if (std::isnan(point.low)) return;
  RC_ASSERT(range.low <= point.low && point.high <= range.high);
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

}  // namespace interval_test
}  // namespace heddle::runtime
