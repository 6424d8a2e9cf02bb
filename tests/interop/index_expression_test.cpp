#include "heddle/interop/index_expression.h"

#include <functional>

#include "tests/layout/random_layouts.h"

namespace heddle::interop {
namespace index_expression_test {

using layout::property::full_size;
using layout::property::number_in;

const std::vector<std::string> variables{"_i", "_j", "_rep"};
using Values = std::array<std::int64_t, 3>;

/// A text and what it means, from the same random choices.
struct Known {
  std::string text;
  std::function<std::int64_t(const Values&)> value;
};

std::int64_t floor_divide(std::int64_t a, std::int64_t b) {
  std::int64_t result = a / b;
  while (result * b > a) --result;
  return result;
}

Known any_known(int depth) {
  const int kind = depth == 0 ? number_in(0, 2) : number_in(0, 10);
  if (kind == 0) {
    const std::int64_t number = number_in<std::int64_t>(0, 40);
    return {std::to_string(number), [=](const Values&) { return number; }};
  }
  if (kind == 1) {
    const auto index = number_in<std::size_t>(0, 3);
    return {variables[index], [=](const Values& at) { return at[index]; }};
  }
  const Known a = any_known(depth - 1), b = any_known(depth - 1);
  const std::int64_t number = number_in<std::int64_t>(1, 9);
  const std::string digits = std::to_string(number);
  const auto both = [&](const char* sign, auto combine) -> Known {
    return {"(" + a.text + " " + sign + " " + b.text + ")",
            [=](const Values& at) { return combine(a.value(at), b.value(at)); }};
  };
  switch (kind) {
    case 2:
      return both("+", std::plus<>());
    case 3:
      return both("-", std::minus<>());
    case 4:
      return both("^", std::bit_xor<>());
    case 5:
      return both("&", std::bit_and<>());
    case 6:
      return both("|", std::bit_or<>());
    case 7:
      return {"(" + a.text + ")//" + digits,
              [=](const Values& at) { return floor_divide(a.value(at), number); }};
    case 8:
      return {"T.floormod(" + a.text + ", " + digits + ")", [=](const Values& at) {
                const std::int64_t value = a.value(at);
                return value - floor_divide(value, number) * number;
              }};
    default:
      return {"-(" + a.text + ") * " + digits,
              [=](const Values& at) { return -a.value(at) * number; }};
  }
}

std::optional<std::int64_t> value_of(const std::string& text, const Values& at) {
  TextScanner in(text);
  const auto expression = IndexExpression::read(in, variables);
  in.expect_end();
  if (in.failed()) return std::nullopt;
  return expression.evaluate(at);
}

// Products and quotients stand in sums without parentheses: precedence counts.
RC_GTEST_PROP(IndexExpression, MeansWhatItWasMadeFrom, ()) {
  const Known known = *full_size([] { return any_known(4); });
  for (int i = 0; i < 10; ++i) {
    const Values at{number_in<std::int64_t>(0, 64), number_in<std::int64_t>(0, 64),
                    number_in<std::int64_t>(0, 4)};
    RC_ASSERT((value_of(known.text, at) == known.value(at)));
  }
}

TEST(IndexExpression, PrecedenceAndFunctions) {
  const Values at{13, 6, 1};
  EXPECT_EQ(value_of("_i // 8 * 4 + _j % 4", at), 13 / 8 * 4 + 6 % 4);
  EXPECT_EQ(value_of("_i | _j ^ 3 & 2 << 1 + 1", at), 13 | (6 ^ (3 & (2 << 2))));
  EXPECT_EQ(value_of("_i - _j - 1", at), 6);
  EXPECT_EQ(value_of("-_i // 4", at), -4);
  EXPECT_EQ(value_of("-_i % 4", at), 3);
  EXPECT_EQ(value_of("_i % -4", at), -3);
  EXPECT_EQ(value_of("--_i", at), 13);
  EXPECT_EQ(value_of("floordiv(_i, 8) + floormod(_j, T.int64(4))", at), 3);
  EXPECT_EQ(value_of("T.bitwise_xor(_i, T.shift_left(_rep, 4))", at), 13 ^ 16);
  EXPECT_EQ(value_of("bitwise_and(_i, 5) | shift_right(_j, 1)", at), 5 | 3);
}

TEST(IndexExpression, WhatHasNoValueHasNone) {
  const Values at{0, 6, 1};
  for (const char* text :
       {"1 // _i", "1 % _i", "1 << 63", "1 << -1", "1 >> 63", "1099511627776 * 1099511627776",
        "(1 << 62) + (1 << 62)", "-(1 << 62) - (1 << 62) - 1"})
    EXPECT_EQ(value_of(text, at), std::nullopt) << text;
  EXPECT_EQ(value_of("5 // -1", at), -5);
  EXPECT_EQ(value_of("5 % -1", at), 0);
}

struct Mistake {
  std::string text;
  std::size_t column;
  const char* message;
};

TEST(IndexExpression, ErrorsPointAtTheColumn) {
  const Mistake mistakes[] = {
      {"", 1, "expected a number, '(' or one of _i, _j, _rep, found the end of the text"},
      {"_i + ", 6, "expected a number, '(' or one of _i, _j, _rep, found the end of the text"},
      {"_i * (_j + 1", 13, "expected ')' or an operator, found the end of the text"},
      {"_i + tx", 6, "'tx' is no variable here; they are _i, _j, _rep"},
      {"floordiv(_i)", 12, "expected ',' and the second operand of floordiv, found ')'"},
      {"_i / 8", 4, "expected the end of the layout, found '/'"},
      {std::string(70, '('), 66, "expected at most 64 parentheses inside each other, found '('"},
  };
  for (const Mistake& mistake : mistakes) {
    TextScanner in(mistake.text);
    IndexExpression::read(in, variables);
    in.expect_end();
    ASSERT_TRUE(in.failed()) << mistake.text;
    EXPECT_EQ(in.error()->column, mistake.column) << mistake.text;
    EXPECT_EQ(in.error()->message, mistake.message);
  }
}

TEST(IndexExpression, LongOnesAreRefusedNotRun) {
  std::string text = "1";
  for (int i = 0; i < 2000; ++i) text += "+1";
  TextScanner in(text);
  IndexExpression::read(in, variables);
  ASSERT_TRUE(in.failed());
  EXPECT_TRUE(in.error()->message.starts_with("expected an expression of at most 1000"));
}

TEST(IndexExpression, KeepsItsText) {
  TextScanner in("  _i // 8 * 4  , x");
  EXPECT_EQ(IndexExpression::read(in, variables).text(), "_i // 8 * 4");
  EXPECT_EQ(in.peek(), ',');
}

}  // namespace index_expression_test
}  // namespace heddle::interop
