// An adversary of the judge: products with epilogues, with every special number of IEEE 754, as a
// kernel might compute them. None that is right is called wrong, and none with one wrong element,
// one wrong sign or one zero too many is called right.
#include "runtime/judge/product_check.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <numeric>

#include "runtime/numbers/math_functions.h"
#include "runtime/numbers/matrix.h"

namespace heddle::runtime {
namespace product_check_test {

using instruction::ElementType;
using plan::Expression;
using plan::Node;
using plan::Step;

constexpr ElementType f32 = ElementType::f32, i32 = ElementType::i32;

MatrixView view(const Matrix& matrix) {
  return {matrix.type, matrix.bytes, {}, {matrix.columns}, {1}, 0, {}};
}

/// What a kernel computes, step by step in f32; written without the judge's own arithmetic.
float in_f32(const Expression& expression, float sum, float extra) {
  std::vector<float> values;
  for (const Node& node : expression.nodes) {
    const auto at = [&](int i) {
      return values[static_cast<std::size_t>(node.operands[static_cast<std::size_t>(i)])];
    };
    const float x = operand_count(node.step) > 0 ? at(0) : 0;
    const float y = operand_count(node.step) > 1 ? at(1) : 0;
    const bool has_nan = std::isnan(x) || std::isnan(y);
    const float nan = std::numeric_limits<float>::quiet_NaN();
    switch (node.step) {
      case Step::input:
        values.push_back(node.index == 0 ? sum : extra);
        break;
      case Step::constant:
        values.push_back(static_cast<float>(node.constant));
        break;
      case Step::add:
        values.push_back(x + y);
        break;
      case Step::subtract:
        values.push_back(x - y);
        break;
      case Step::multiply:
        values.push_back(x * y);
        break;
      case Step::divide:
        values.push_back(x / y);
        break;
      case Step::negate:
        values.push_back(-x);
        break;
      case Step::maximum:
        values.push_back(has_nan ? nan : x > y || (x == y && !std::signbit(x)) ? x : y);
        break;
      case Step::minimum:
        values.push_back(has_nan ? nan : x < y || (x == y && std::signbit(x)) ? x : y);
        break;
      case Step::maximum_number:
        values.push_back(std::fmax(x, y));
        break;
      case Step::minimum_number:
        values.push_back(std::fmin(x, y));
        break;
      case Step::less:
        values.push_back(x < y ? 1 : 0);
        break;
      case Step::not_equal:
        values.push_back(x != y ? 1 : 0);
        break;
      case Step::select:
        values.push_back(x == 1 ? at(1) : at(2));
        break;
      default: {
        const std::string_view name = math_functions()[static_cast<std::size_t>(node.index)].name;
        values.push_back(name == "math.sqrt"       ? std::sqrt(x)
                         : name == "math.absf"     ? std::fabs(x)
                         : name == "math.floor"    ? std::floor(x)
                         : name == "math.copysign" ? std::copysign(x, y)
                         : name == "math.log1p"    ? std::log1p(x)
                         : name == "math.powf"     ? std::pow(x, y)
                                                   : std::exp(x));
      }
    }
  }
  return values.back();
}

/// Of input 0, the sum, input 1, another matrix, and a constant.
Expression drawn_epilogue() {
  Expression all{{{Step::input, f32, {}, 0}, {Step::input, f32, {}, 1}, {}}};
  all.nodes[2] = {Step::constant, f32, {}, 0, *rc::gen::element(0.0, 1.0, -2.0, 0.5, -0.0)};
  const int steps = *rc::gen::inRange(0, 5);
  for (int i = 0; i < steps; ++i) {
    const auto earlier = [&] {
      int at = 0;
      do at = *rc::gen::inRange(0, static_cast<int>(all.nodes.size()));
      while (all.nodes[static_cast<std::size_t>(at)].type != f32);
      return at;
    };
    const auto function = [](std::string_view name) { return find_math_function(name); };
    const auto last = static_cast<int>(all.nodes.size());
    switch (*rc::gen::inRange(0, 4)) {
      case 0:
        all.nodes.push_back({*rc::gen::element(Step::less, Step::not_equal),
                             ElementType::b1,
                             {earlier(), earlier()}});
        all.nodes.push_back({Step::select, f32, {last, earlier(), earlier()}});
        break;
      case 1:
        all.nodes.push_back({Step::function1,
                             f32,
                             {earlier()},
                             function(*rc::gen::element("math.sqrt", "math.absf", "math.floor",
                                                        "math.exp", "math.log1p"))});
        break;
      case 2:
        all.nodes.push_back({Step::function2,
                             f32,
                             {earlier(), earlier()},
                             function(*rc::gen::element("math.copysign", "math.powf"))});
        break;
      default:
        all.nodes.push_back(
            {*rc::gen::element(Step::add, Step::subtract, Step::multiply, Step::divide,
                               Step::negate, Step::maximum, Step::minimum, Step::maximum_number,
                               Step::minimum_number),
             f32,
             {earlier(), earlier()}});
    }
  }
  if (steps == 0) all.nodes.resize(1);  // the sum itself
  return all;
}

struct Case {
  Matrix a, b, extra, d;
  Expression epilogue;

  MatmulCheck check() const {
    Product product;
    product.problem = {d.rows, d.columns, a.columns, a.type, d.type};
    product.a = view(a);
    product.b = view(b);
    product.d = view(d);
    product.extras = {view(extra)};
    product.epilogue = epilogue;
    product.sum_result = f32;
    return check_product(product);
  }
};

std::int64_t drawn_size() { return *rc::gen::inRange<std::int64_t>(1, 9); }

/// Every step in f32, the sums in an order that is drawn.
Case kernel_result(Matrix a, Matrix b, Matrix extra) {
  Case made{std::move(a), std::move(b), std::move(extra), {}, drawn_epilogue()};
  const std::int64_t m = made.a.rows, k = made.a.columns, n = made.b.columns;
  made.d = Matrix::zeros(f32, m, n);
  std::vector<std::int64_t> order(static_cast<std::size_t>(k));
  std::iota(order.begin(), order.end(), 0);
  const auto turn = static_cast<std::ptrdiff_t>(*rc::gen::inRange<std::int64_t>(0, k));
  std::rotate(order.begin(), order.begin() + turn, order.end());
  for (std::int64_t i = 0; i < m; ++i)
    for (std::int64_t j = 0; j < n; ++j) {
      float sum = 0;
      for (const std::int64_t x : order)
        sum =
            std::fma(static_cast<float>(made.a.at(i, x)), static_cast<float>(made.b.at(x, j)), sum);
      made.d.set(i, j, in_f32(made.epilogue, sum, static_cast<float>(made.extra.at(i, j))));
    }
  return made;
}

void put_specials(Matrix& matrix) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  const int count = *rc::gen::inRange(0, 4);
  for (int i = 0; i < count; ++i)
    matrix.set(*rc::gen::inRange<std::int64_t>(0, matrix.rows),
               *rc::gen::inRange<std::int64_t>(0, matrix.columns),
               *rc::gen::element(infinity, -infinity, std::nan(""), 0.0, -0.0, 0x1p-140, -0x1p-149,
                                 0x1.fffffep127, -0x1p127, 0x1p-126, 1e30, -1e25));
}

Matrix drawn_matrix(ElementType type, std::int64_t rows, std::int64_t columns) {
  const auto seed = *rc::gen::arbitrary<std::uint64_t>();
  return *rc::gen::arbitrary<bool>() ? Matrix::random(type, rows, columns, seed)
                                     : Matrix::random_eighths(type, rows, columns, seed);
}

RC_GTEST_PROP(ProductCheck, NoRightResultIsWrongWhateverTheNumbers, ()) {
  const std::int64_t m = drawn_size(), n = drawn_size(), k = drawn_size();
  const ElementType type = *rc::gen::element(f32, ElementType::f16, ElementType::bf16);
  Matrix a = drawn_matrix(type, m, k), b = drawn_matrix(type, k, n),
         extra = drawn_matrix(f32, m, n);
  put_specials(a);
  put_specials(b);
  put_specials(extra);
  const Case made = kernel_result(std::move(a), std::move(b), std::move(extra));
  const MatmulCheck verdict = made.check();
  if (verdict.wrong > 0)
    for (const Node& node : made.epilogue.nodes)
      RC_LOG() << static_cast<int>(node.step) << " of " << node.operands[0] << " "
               << node.operands[1] << " " << node.operands[2] << ", " << node.index << " "
               << node.constant << "\n";
  RC_LOG() << verdict.worst_value << " for " << verdict.worst_reference << " +- "
           << verdict.worst_allowed << "\n";
  RC_ASSERT(verdict.wrong == 0);
}

/// The finite element that is largest, to be spoilt.
std::pair<std::int64_t, std::int64_t> largest_element(const Matrix& d) {
  std::pair<std::int64_t, std::int64_t> place{-1, -1};
  double most = 0;
  for (std::int64_t i = 0; i < d.rows; ++i)
    for (std::int64_t j = 0; j < d.columns; ++j)
      if (const double size = std::abs(d.at(i, j)); std::isfinite(size) && size > most) {
        most = size;
        place = {i, j};
      }
  return place;
}

RC_GTEST_PROP(ProductCheck, OneWrongElementIsNeverRight, ()) {
  const std::int64_t m = drawn_size(), n = drawn_size(), k = drawn_size();
  Case made =
      kernel_result(drawn_matrix(f32, m, k), drawn_matrix(f32, k, n), drawn_matrix(f32, m, n));
  const auto [row, column] = largest_element(made.d);
  RC_PRE(row >= 0);
  const double value = made.d.at(row, column);
  made.d.set(row, column, *rc::gen::element(0.0, -value, value * 1.5, std::nan("")));
  const MatmulCheck verdict = made.check();
  RC_LOG() << value << " as " << made.d.at(row, column) << " for " << verdict.worst_reference
           << " +- " << verdict.worst_allowed << " of " << verdict.spread << "\n";
  RC_ASSERT(!verdict.right() || verdict.unjudged > 0);
}

RC_GTEST_PROP(ProductCheck, OneBitOfAnExactSumIsNeverRight, ()) {
  const std::int64_t m = drawn_size(), n = drawn_size(), k = drawn_size();
  const auto eighths = [](std::int64_t rows, std::int64_t columns) {
    return Matrix::random_eighths(f32, rows, columns, *rc::gen::arbitrary<std::uint64_t>());
  };
  Case made = kernel_result(eighths(m, k), eighths(k, n), eighths(m, n));
  const bool is_exact = std::ranges::all_of(made.epilogue.nodes, [](const Node& node) {
    const bool calls = node.step == Step::function1 || node.step == Step::function2;
    return !calls || math_functions()[static_cast<std::size_t>(node.index)].error == nullptr;
  });
  RC_PRE(is_exact);
  RC_ASSERT(made.check().wrong == 0);
  const auto [row, column] = largest_element(made.d);
  RC_PRE(row >= 0);
  const auto value = static_cast<float>(made.d.at(row, column));
  made.d.set(
      row, column,
      std::bit_cast<float>(std::bit_cast<std::uint32_t>(value) ^ (1u << *rc::gen::inRange(0, 32))));
  RC_ASSERT(made.check().wrong == 1);
}

// i32 wraps, in C by way of unsigned numbers.
RC_GTEST_PROP(ProductCheck, IntegersAreRightToTheLastBit, ()) {
  const std::int64_t m = drawn_size(), n = drawn_size(), k = drawn_size();
  const auto bytes = [](std::int64_t rows, std::int64_t columns) {
    Matrix matrix = Matrix::zeros(ElementType::i8, rows, columns);
    for (std::int64_t i = 0; i < rows; ++i)
      for (std::int64_t j = 0; j < columns; ++j) matrix.set(i, j, *rc::gen::inRange(-128, 128));
    return matrix;
  };
  Case made{bytes(m, k),
            bytes(k, n),
            Matrix::zeros(i32, m, n),
            Matrix::zeros(i32, m, n),
            {{{Step::input, i32, {}, 0}, {Step::input, i32, {}, 1}}}};
  const auto wide = *rc::gen::arbitrary<std::int32_t>();
  const Step step = *rc::gen::element(Step::add, Step::subtract, Step::multiply,
                                      Step::maximum_unsigned, Step::minimum_number);
  made.epilogue.nodes.push_back({step, i32, {0, 1}});
  made.epilogue.nodes.push_back({Step::multiply, i32, {2, 2}});
  made.epilogue.nodes.push_back({Step::function2, i32, {3, 1}, find_math_function("arith.xori")});
  std::int64_t number = 0;
  for (std::int64_t i = 0; i < m; ++i)
    for (std::int64_t j = 0; j < n; ++j) {
      std::uint32_t sum = 0;
      for (std::int64_t x = 0; x < k; ++x)
        sum += static_cast<std::uint32_t>(static_cast<std::int32_t>(made.a.at(i, x)) *
                                          static_cast<std::int32_t>(made.b.at(x, j)));
      const std::uint32_t other =
          static_cast<std::uint32_t>(wide) * static_cast<std::uint32_t>(++number);
      made.extra.set(i, j, static_cast<std::int32_t>(other));
      const auto smaller =
          std::min(static_cast<std::int32_t>(sum), static_cast<std::int32_t>(other));
      const std::uint32_t first = step == Step::add        ? sum + other
                                  : step == Step::subtract ? sum - other
                                  : step == Step::multiply ? sum * other
                                  : step == Step::maximum_unsigned
                                      ? std::max(sum, other)
                                      : static_cast<std::uint32_t>(smaller);
      made.d.set(i, j, static_cast<std::int32_t>(first * first ^ other));
    }
  const auto judged = [&] {
    Product product;
    product.problem = {m, n, k, ElementType::i8, i32};
    product.a = view(made.a);
    product.b = view(made.b);
    product.d = view(made.d);
    product.extras = {view(made.extra)};
    product.epilogue = made.epilogue;
    product.sum_result = i32;
    return check_product(product);
  };
  RC_ASSERT(judged().right());
  const std::int64_t row = *rc::gen::inRange<std::int64_t>(0, m);
  const auto flipped = static_cast<std::uint32_t>(static_cast<std::int32_t>(made.d.at(row, 0))) ^
                       1u << *rc::gen::inRange(0, 32);
  made.d.set(row, 0, static_cast<std::int32_t>(flipped));
  RC_ASSERT(judged().wrong == 1);
}

/// D = epilogue(A * B) of one element of each.
MatmulCheck check_of(ElementType type, double a, double b, const Expression& epilogue, double d,
                     ElementType result = f32) {
  Case made{Matrix::filled(type, 1, 1, a), Matrix::filled(type, 1, 1, b), Matrix::zeros(f32, 1, 1),
            Matrix::filled(result, 1, 1, d), epilogue};
  return made.check();
}

constexpr double infinite = std::numeric_limits<double>::infinity();

TEST(ProductCheck, AnInfiniteSumGoesThroughItsEpilogue) {
  const Expression relu{{{Step::input, f32}, {Step::constant, f32}, {Step::maximum, f32, {0, 1}}}};
  EXPECT_TRUE(check_of(ElementType::f16, infinite, 1, relu, infinite).right());
  EXPECT_TRUE(check_of(ElementType::f16, -infinite, 1, relu, 0).right());
  EXPECT_EQ(check_of(ElementType::f16, infinite, 1, relu, std::nan("")).wrong, 1);
  EXPECT_TRUE(check_of(ElementType::f16, infinite, 0, relu, std::nan("")).right());
  EXPECT_EQ(check_of(ElementType::f16, infinite, 0, relu, 0).wrong, 1);
}

// One infinite number in an operand says nothing about the sums of others.
TEST(ProductCheck, OtherSumsKeepTheirLimit) {
  Case made{Matrix::filled(f32, 1, 2, -0.625),
            Matrix::zeros(f32, 2, 2),
            Matrix::zeros(f32, 1, 2),
            Matrix::zeros(f32, 1, 2),
            {}};
  made.b.set(0, 0, infinite);
  made.b.set(1, 0, infinite);
  made.b.set(0, 1, 0.03019738383591175);
  made.b.set(1, 1, 0.018315639346837997);
  made.d.set(0, 0, -infinite);
  const float sum = -0.625f * 0.03019738383591175f;
  made.d.set(0, 1, std::fma(-0.625f, 0.018315639346837997f, sum));
  EXPECT_TRUE(made.check().right());
  made.d.set(0, 1, 0);
  EXPECT_EQ(made.check().wrong, 1);
}

// As a tensor core of Hopper sums (heddle/instruction/tensor_sums.h): what C has below 2^-25 of the
// exponent of the product is cut off, and the exponent of a subnormal number is that of the least
// normal one. The last place of a sum is cut off, not rounded.
TEST(ProductCheck, SumsThatTensorCoresCutOffAreRight) {
  const auto wrong = [](double a, double b, double c, double d) {
    Case made{Matrix::filled(ElementType::f16, 1, 1, a),
              Matrix::filled(ElementType::f16, 1, 1, b),
              Matrix::filled(f32, 1, 1, c),
              Matrix::filled(f32, 1, 1, d),
              {}};
    Product product;
    product.problem = {1, 1, 1, ElementType::f16, f32};
    product.a = view(made.a);
    product.b = view(made.b);
    product.c = view(made.extra);
    product.d = view(made.d);
    product.sum_result = f32;
    return check_product(product).wrong;
  };
  const double c = 0x1.004p-30 - 0x1p-53;
  EXPECT_EQ(wrong(0x1p-24, 1, c, 0x1p-24 + 0x1p-30), 0);  // c is cut off below 2^-39
  EXPECT_EQ(wrong(0x1p-14, 1, c, 0x1p-14 + 0x1p-30), 0);
  EXPECT_EQ(wrong(0x1p-24, 1, c, 0x1p-24), 1);
  const double below = 1 - 0x1p-24;  // of f32
  EXPECT_EQ(wrong(1, 1, below, 2 - 0x1p-23), 0);
  EXPECT_EQ(wrong(1, 1, 0x1.fffffep0, 3 - 0x1p-22), 0);
  EXPECT_EQ(wrong(1, 1, 0x1.fffffep0, 3 - 0x1p-19), 1);
}

// In some order a part of a sum is infinite.
TEST(ProductCheck, PartsOfASumMayBeInfinite) {
  Case made{Matrix::filled(f32, 1, 3, 0x1p127),
            Matrix::zeros(f32, 3, 1),
            Matrix::zeros(f32, 1, 1),
            Matrix::zeros(f32, 1, 1),
            {}};
  made.b.set(0, 0, 1);
  made.b.set(1, 0, 1);
  made.b.set(2, 0, -1);
  for (const double right : {0x1p127, infinite}) {
    made.d.set(0, 0, right);
    EXPECT_EQ(made.check().wrong, 0) << right;
  }
  for (const double wrong : {0.0, -infinite, std::nan("")}) {
    made.d.set(0, 0, wrong);
    EXPECT_EQ(made.check().wrong, 1) << wrong;
  }
}

// An infinite product and what becomes infinite the other way are NaN together.
TEST(ProductCheck, AnInfiniteProductMayMeetAnOverflow) {
  Case made{Matrix::zeros(f32, 1, 2),
            Matrix::filled(f32, 2, 1, 0x1.fffffep127),
            Matrix::zeros(f32, 1, 1),
            Matrix::zeros(f32, 1, 1),
            {}};
  made.a.set(0, 0, -infinite);
  const auto wrong = [&](double d) {
    made.d.set(0, 0, d);
    return made.check().wrong;
  };
  for (const double other : {2.0, 0.5, -2.0}) {
    made.a.set(0, 1, other);
    EXPECT_EQ(wrong(-infinite), 0) << other;
    EXPECT_EQ(wrong(std::nan("")), other == 2 ? 0 : 1) << other;
    EXPECT_EQ(wrong(infinite), 1) << other;
    EXPECT_EQ(wrong(0), 1) << other;
  }
}

// The same of sums in f64, which float64 does not hold.
TEST(ProductCheck, PartsOfASumInF64MayBeInfinite) {
  const ElementType f64 = ElementType::f64;
  Case made{Matrix::filled(f64, 1, 3, 0x1p1023),
            Matrix::zeros(f64, 3, 1),
            Matrix::zeros(f64, 1, 1),
            Matrix::zeros(f64, 1, 1),
            {}};
  const auto check = [&](double second, double third, double d) {
    made.b.set(0, 0, 1);
    made.b.set(1, 0, second);
    made.b.set(2, 0, third);
    made.d.set(0, 0, d);
    return made.check();
  };
  EXPECT_TRUE(check(0, 0, 0x1p1023).right());
  EXPECT_EQ(check(0, 0, 0).wrong, 1);
  EXPECT_EQ(check(0, 0, infinite).wrong, 1);
  EXPECT_EQ(check(4, 0, infinite).wrong, 0);
  EXPECT_EQ(check(4, 0, 0x1p1023).wrong, 1);
  EXPECT_EQ(check(4, -2, std::nan("")).wrong, 0) << "infinite both ways in some order";
  EXPECT_EQ(check(4, -1, std::nan("")).wrong, 1);
  EXPECT_EQ(check(4, -1, -infinite).wrong, 1);
}

// powf(x, x) of a number below 0 that is not known to the last bit may be any number or NaN, and
// the larger of that and another matrix any number above: a limit on one side is none.
TEST(ProductCheck, AnIntervalToInfinityIsNoLimit) {
  Case made{Matrix::filled(f32, 1, 1, -0.3),
            Matrix::filled(f32, 1, 2, 0.7),
            Matrix::filled(f32, 1, 2, 1),
            Matrix::filled(f32, 1, 2, 1),
            {{{Step::input, f32, {}, 0},
              {Step::input, f32, {}, 1},
              {Step::function2, f32, {0, 0}, find_math_function("math.powf")},
              {Step::maximum_number, f32, {2, 1}}}}};
  made.extra.set(0, 1, -1);
  made.d.set(0, 1, -1);
  EXPECT_TRUE(made.check().right());
  made.d.set(0, 0, 1.5);
  const MatmulCheck verdict = made.check();
  EXPECT_FALSE(verdict.right());
  EXPECT_EQ(verdict.unjudged, 1);
  EXPECT_GT(verdict.widest_limit, 1e38);
}

// sqrt of a sum that may be below 0 may be NaN, which is no limit, either, where it should be a
// number.
TEST(ProductCheck, NotANumberThatIsAllowedIsNotJudged) {
  Case made{Matrix::filled(f32, 1, 2, 0.3),
            Matrix::filled(f32, 2, 2, 0.7),
            Matrix::zeros(f32, 1, 2),
            Matrix::filled(f32, 1, 2, std::sqrt(0.42)),
            {{{Step::input, f32}, {Step::function1, f32, {0}, find_math_function("math.sqrt")}}}};
  made.b.set(1, 0, -0.7);
  made.d.set(0, 0, std::nan(""));
  const MatmulCheck verdict = made.check();
  EXPECT_EQ(verdict.wrong, 0);
  EXPECT_TRUE(verdict.is_not_judged());
  made.d.set(0, 0, 0);
  EXPECT_TRUE(made.check().right());
}

// powf(-0.5, exp(-0.5)) may be any number in any kernel, and the larger of it and -1 has no middle.
TEST(ProductCheck, AMiddleOfInfinityIsNoReference) {
  const Expression larger{{{Step::input, f32},
                           {Step::constant, f32, {}, 0, -1},
                           {Step::function1, f32, {0}, find_math_function("math.exp")},
                           {Step::function2, f32, {0, 2}, find_math_function("math.powf")},
                           {Step::maximum_number, f32, {3, 1}}}};
  EXPECT_TRUE(check_of(f32, -0.5, 1, larger, 0).is_not_judged());
  EXPECT_EQ(check_of(f32, -0.5, 1, larger, -2).wrong, 1);
}

// What MLIR says nothing about is neither right nor wrong.
TEST(ProductCheck, PoisonIsNotJudged) {
  const Expression narrow{{{Step::input, f32}, {Step::convert, ElementType::i8, {0}}}};
  for (const double sum : {300.0, -129.0, infinite, std::nan("")}) {
    const MatmulCheck verdict = check_of(f32, sum, 1, narrow, 7, ElementType::i8);
    EXPECT_EQ(verdict.poison, 1) << sum;
    EXPECT_TRUE(verdict.is_not_judged()) << sum;
  }
  EXPECT_TRUE(check_of(f32, -128.5, 1, narrow, -128, ElementType::i8).right());
  EXPECT_EQ(check_of(f32, -128.5, 1, narrow, 7, ElementType::i8).wrong, 1);
}

// A limit as large as the numbers differ lets one number for all of them pass.
TEST(ProductCheck, ALimitThatSaysNothingIsNotRight) {
  constexpr std::int64_t k = 1 << 18;
  Case made{Matrix::random(f32, 4, k, 1),
            Matrix::random(f32, k, 4, 2),
            Matrix::zeros(f32, 4, 4),
            Matrix::zeros(f32, 4, 4),
            {}};
  const MatmulCheck verdict = made.check();
  EXPECT_EQ(verdict.wrong, 0);
  EXPECT_EQ(verdict.unjudged, 16);
  EXPECT_FALSE(verdict.right());
  EXPECT_TRUE(verdict.is_not_judged());
  EXPECT_GT(verdict.widest_limit, verdict.spread);
}

// The error of relu is that of the number that it gives, not of the middle of what may be right.
TEST(ProductCheck, TheErrorIsTheElements) {
  const Expression relu{{{Step::input, f32}, {Step::constant, f32}, {Step::maximum, f32, {0, 1}}}};
  Case made{Matrix::random(f32, 8, 200, 1), Matrix::random(f32, 200, 8, 2),
            Matrix::zeros(f32, 8, 8), Matrix::zeros(f32, 8, 8), relu};
  for (std::int64_t i = 0; i < 8; ++i)
    for (std::int64_t j = 0; j < 8; ++j) {
      double exact = 0;
      for (std::int64_t x = 0; x < 200; ++x) exact += made.a.at(i, x) * made.b.at(x, j);
      const auto sum = static_cast<float>(std::max(exact, 0.0));
      made.d.set(i, j, sum > 0 ? std::nextafter(sum, 100.f) : 0);
    }
  EXPECT_TRUE(made.check().right());
  EXPECT_LE(made.check().largest_error, 0x1p-20) << "of numbers below 16";
  EXPECT_GE(made.check().largest_error, 0x1p-24);
}

}  // namespace product_check_test
}  // namespace heddle::runtime
