// Elements of A and B that are computed from several matrices: forms that the drawn products of
// product_text.h do not have, against formulas in plain C++ and by the judge of `heddle run`.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include "product_run.h"
#include "runtime/numbers/number.h"

namespace heddle::compiler {
namespace several_matrices_test {

using instruction::Target;

constexpr std::array targets{Target::gfx1100, Target::gfx1151, Target::gfx1201, Target::sm_80,
                             Target::sm_90a};

using Inputs = std::vector<std::vector<double>>;

struct Case {
  std::string name, mlir;
  int rows, columns;  // of D, row-major
  std::function<double(const Inputs& in, int row, int column)> expected;
  std::array<std::int64_t, 3> dynamic{};  // m, n and k, where they are
};

double sum_of(int count, const std::function<double(int)>& term) {
  double sum = 0;
  for (int i = 0; i < count; ++i) sum += term(i);
  return sum;
}

double at(const std::vector<double>& values, int row, int columns, int column) {
  return values[static_cast<std::size_t>(row * columns + column)];
}

void expect_right(const Case& one, const Options& options) {
  const Outcome done = run(one.mlir, options, Operands::exact, 1, [&](const Compilation& kernel) {
    plan::Problem problem = kernel.problem;
    for (unsigned loop = 0; loop < 3; ++loop) {
      const std::array sizes{&problem.m, &problem.n, &problem.k};
      if (problem.is_dynamic(static_cast<plan::Loop>(loop))) *sizes[loop] = one.dynamic[loop];
    }
    return problem;
  });
  const std::string where = one.name + " on " + std::string(instruction::name(options.target));
  ASSERT_EQ(done.error, "") << where << "\n" << one.mlir;
  const Inputs in = arguments(done);
  std::vector<double> expected;
  for (int row = 0; row < one.rows; ++row)
    for (int column = 0; column < one.columns; ++column)
      expected.push_back(one.expected(in, row, column));
  EXPECT_EQ(difference(done, expected), "") << where << "\n" << one.mlir;
  EXPECT_TRUE(judged(done).right()) << where << "\n" << one.mlir;
}

void expect_right(const Case& one) {
  for (const Target target : targets) expect_right(one, {.target = target});
}

const std::string initial =
    "  %zero = arith.constant 0.0 : f32\n"
    "  %none = linalg.fill ins(%zero : f32) outs(%e : tensor<20x24xf32>) -> tensor<20x24xf32>\n"
    "  %d = linalg.matmul ins(%x, %y : tensor<20x17xf16>, tensor<17x24xf16>) "
    "outs(%none : tensor<20x24xf32>) -> tensor<20x24xf32>\n"
    "  return %d : tensor<20x24xf32>\n}\n";

// Weights of 40 rows that are 5 groups of 8, times one vector: a sum over two loops.
TEST(SeveralMatrices, GroupsThatAreLoopsOfTheirOwn) {
  expect_right({"matvec", R"(
#all = affine_map<(n, g, k) -> (n, g, k)>
#group = affine_map<(n, g, k) -> (n, g)>
func.func @f(%q: tensor<40x5x8xi8>, %x: tensor<5x8xf32>, %s: tensor<40x5xf32>, %z: tensor<40x5xf32>) -> tensor<40xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<40x5x8xf32>
  %w = linalg.generic {indexing_maps = [#all, #group, #group, #all], iterator_types = ["parallel", "parallel", "parallel"]} ins(%q, %s, %z : tensor<40x5x8xi8>, tensor<40x5xf32>, tensor<40x5xf32>) outs(%e : tensor<40x5x8xf32>) {
  ^bb0(%i: i8, %scale: f32, %point: f32, %unused: f32):
    %wide = arith.extsi %i : i8 to i32
    %number = arith.sitofp %wide : i32 to f32
    %moved = arith.subf %number, %point : f32
    %scaled = arith.mulf %moved, %scale : f32
    linalg.yield %scaled : f32
  } -> tensor<40x5x8xf32>
  %d = tensor.empty() : tensor<40xf32>
  %none = linalg.fill ins(%zero : f32) outs(%d : tensor<40xf32>) -> tensor<40xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(n, g, k) -> (g, k)>, #all, affine_map<(n, g, k) -> (n)>], iterator_types = ["parallel", "reduction", "reduction"]} ins(%x, %w : tensor<5x8xf32>, tensor<40x5x8xf32>) outs(%none : tensor<40xf32>) {
  ^bb0(%a: f32, %b: f32, %sum: f32):
    %p = arith.mulf %a, %b : f32
    %t = arith.addf %p, %sum : f32
    linalg.yield %t : f32
  } -> tensor<40xf32>
  return %r : tensor<40xf32>
}
)",
                40, 1, [](const Inputs& in, int n, int) {
                  return sum_of(40, [&](int k) {
                    return (at(in[0], n, 40, k) - at(in[3], n, 5, k / 8)) * at(in[2], n, 5, k / 8) *
                           in[1][static_cast<std::size_t>(k)];
                  });
                }});
}

// As many groups as the kernel is told.
TEST(SeveralMatrices, ADynamicNumberOfGroups) {
  expect_right({"groups",
                R"(
#w = affine_map<(m, n, g, k) -> (g, k, n)>
func.func @f(%x: tensor<?x?x16xf16>, %q: tensor<?x16x40xi8>, %s: tensor<?x40xf16>, %c: tensor<?x40xf32>) -> tensor<?x40xf32> {
  %d = linalg.generic {indexing_maps = [affine_map<(m, n, g, k) -> (m, g, k)>, #w, affine_map<(m, n, g, k) -> (g, n)>, affine_map<(m, n, g, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction", "reduction"]} ins(%x, %q, %s : tensor<?x?x16xf16>, tensor<?x16x40xi8>, tensor<?x40xf16>) outs(%c : tensor<?x40xf32>) {
  ^bb0(%a: f16, %i: i8, %scale: f16, %sum: f32):
    %four = arith.constant 4 : i8
    %low = arith.shrsi %i, %four : i8
    %number = arith.sitofp %low : i8 to f16
    %scaled = arith.mulf %number, %scale : f16
    %left = arith.extf %a : f16 to f32
    %right = arith.extf %scaled : f16 to f32
    %p = arith.mulf %left, %right : f32
    %t = arith.addf %p, %sum : f32
    linalg.yield %t : f32
  } -> tensor<?x40xf32>
  return %d : tensor<?x40xf32>
}
)",
                33,
                40,
                [](const Inputs& in, int m, int n) {
                  return at(in[3], m, 40, n) + sum_of(48, [&](int k) {
                           return at(in[0], m, 48, k) * std::floor(at(in[1], k, 40, n) / 16) *
                                  at(in[2], k / 16, 40, n);
                         });
                },
                {33, 40, 48}});
}

// A product of three in the body of the contraction, in memrefs with gaps.
TEST(SeveralMatrices, AProductOfThreeInMemrefs) {
  expect_right({"in place", R"(
func.func @f(%a: memref<20x17xf16, strided<[24, 1], offset: 5>>, %s: memref<17xf16, strided<[3]>>, %b: memref<17x24xf16>, %c: memref<20x24xf32>) {
  %zero = arith.constant 0.0 : f32
  linalg.fill ins(%zero : f32) outs(%c : memref<20x24xf32>)
  linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%a, %s, %b : memref<20x17xf16, strided<[24, 1], offset: 5>>, memref<17xf16, strided<[3]>>, memref<17x24xf16>) outs(%c : memref<20x24xf32>) {
  ^bb0(%x: f16, %y: f16, %z: f16, %sum: f32):
    %xy = arith.mulf %x, %y : f16
    %left = arith.extf %xy : f16 to f32
    %right = arith.extf %z : f16 to f32
    %p = arith.mulf %left, %right : f32
    %t = arith.addf %sum, %p : f32
    linalg.yield %t : f32
  }
  return
}
)",
                20, 24, [](const Inputs& in, int m, int n) {
                  return sum_of(17, [&](int k) {
                    return in[0][static_cast<std::size_t>(5 + m * 24 + k)] *
                           in[1][static_cast<std::size_t>(3 * k)] * at(in[2], k, 24, n);
                  });
                }});
}

// A matrix that no argument is: each element from a row's number and a column's.
TEST(SeveralMatrices, AnOuterProductAsAnInput) {
  const std::string text =
      R"(
func.func @f(%v: tensor<20xf16>, %w: tensor<17xf16>, %y: tensor<17x24xf16>) -> tensor<20x24xf32> {
  %e = tensor.empty() : tensor<20x24xf32>
  %o = tensor.empty() : tensor<20x17xf16>
  %x = linalg.generic {indexing_maps = [affine_map<(m, k) -> (m)>, affine_map<(m, k) -> (k)>, affine_map<(m, k) -> (m, k)>], iterator_types = ["parallel", "parallel"]} ins(%v, %w : tensor<20xf16>, tensor<17xf16>) outs(%o : tensor<20x17xf16>) {
  ^bb0(%i: f16, %j: f16, %unused: f16):
    %p = arith.addf %i, %j : f16
    linalg.yield %p : f16
  } -> tensor<20x17xf16>
)";
  expect_right({"outer sum", text + initial, 20, 24, [](const Inputs& in, int m, int n) {
                  return sum_of(17, [&](int k) {
                    return (in[0][static_cast<std::size_t>(m)] +
                            in[1][static_cast<std::size_t>(k)]) *
                           at(in[2], k, 24, n);
                  });
                }});
}

// One argument that is read at two places: each row by its first element.
TEST(SeveralMatrices, AMatrixThatIsReadTwice) {
  const std::string text =
      R"(
func.func @f(%a: tensor<20x17xf16>, %y: tensor<17x24xf16>) -> tensor<20x24xf32> {
  %e = tensor.empty() : tensor<20x24xf32>
  %o = tensor.empty() : tensor<20x17xf16>
  %first = tensor.extract_slice %a[0, 0] [20, 1] [1, 1] : tensor<20x17xf16> to tensor<20xf16>
  %x = linalg.generic {indexing_maps = [affine_map<(m, k) -> (m, k)>, affine_map<(m, k) -> (m)>, affine_map<(m, k) -> (m, k)>], iterator_types = ["parallel", "parallel"]} ins(%a, %first : tensor<20x17xf16>, tensor<20xf16>) outs(%o : tensor<20x17xf16>) {
  ^bb0(%i: f16, %j: f16, %unused: f16):
    %p = arith.mulf %i, %j : f16
    linalg.yield %p : f16
  } -> tensor<20x17xf16>
)";
  expect_right({"first column", text + initial, 20, 24, [](const Inputs& in, int m, int n) {
                  return sum_of(17, [&](int k) {
                    return at(in[0], m, 17, k) * at(in[0], m, 17, 0) * at(in[1], k, 24, n);
                  });
                }});
}

// Scales of A and of B that the epilogue reads too.
TEST(SeveralMatrices, ScalesThatTheEpilogueReadsToo) {
  expect_right({"scales", R"(
#all = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>
#column = affine_map<(i, j) -> (j)>
func.func @f(%a: tensor<20x17xf16>, %b: tensor<17x24xf16>, %r: tensor<20xf16>, %c: tensor<24xf16>) -> tensor<20x24xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<20x24xf32>
  %oa = tensor.empty() : tensor<20x17xf16>
  %ob = tensor.empty() : tensor<17x24xf16>
  %x = linalg.generic {indexing_maps = [#row, #all, #all], iterator_types = ["parallel", "parallel"]} ins(%r, %a : tensor<20xf16>, tensor<20x17xf16>) outs(%oa : tensor<20x17xf16>) {
  ^bb0(%i: f16, %j: f16, %unused: f16):
    %p = arith.mulf %i, %j : f16
    linalg.yield %p : f16
  } -> tensor<20x17xf16>
  %y = linalg.generic {indexing_maps = [#all, #column, #all], iterator_types = ["parallel", "parallel"]} ins(%b, %c : tensor<17x24xf16>, tensor<24xf16>) outs(%ob : tensor<17x24xf16>) {
  ^bb0(%i: f16, %j: f16, %unused: f16):
    %p = arith.mulf %i, %j : f16
    linalg.yield %p : f16
  } -> tensor<17x24xf16>
  %none = linalg.fill ins(%zero : f32) outs(%e : tensor<20x24xf32>) -> tensor<20x24xf32>
  %p = linalg.matmul ins(%x, %y : tensor<20x17xf16>, tensor<17x24xf16>) outs(%none : tensor<20x24xf32>) -> tensor<20x24xf32>
  %d = linalg.generic {indexing_maps = [#all, #row, #column, #all], iterator_types = ["parallel", "parallel"]} ins(%p, %r, %c : tensor<20x24xf32>, tensor<20xf16>, tensor<24xf16>) outs(%e : tensor<20x24xf32>) {
  ^bb0(%sum: f32, %i: f16, %j: f16, %unused: f32):
    %wi = arith.extf %i : f16 to f32
    %wj = arith.extf %j : f16 to f32
    %t = arith.addf %sum, %wi : f32
    %u = arith.addf %t, %wj : f32
    linalg.yield %u : f32
  } -> tensor<20x24xf32>
  return %d : tensor<20x24xf32>
}
)",
                20, 24, [](const Inputs& in, int m, int n) {
                  const double row = in[2][static_cast<std::size_t>(m)];
                  const double column = in[3][static_cast<std::size_t>(n)];
                  return row + column + sum_of(17, [&](int k) {
                           return at(in[0], m, 17, k) * row * at(in[1], k, 24, n) * column;
                         });
                }});
}

// Of more rows: zero_points_test.cpp.
TEST(SeveralMatrices, ZeroPointsOfFewRows) {
  expect_right({"quantized_matmul", R"(
func.func @f(%a: tensor<8x17xi8>, %b: tensor<17x24xi8>, %x: i32, %y: i32, %c: tensor<8x24xi32>) -> tensor<8x24xi32> {
  %d = linalg.quantized_matmul ins(%a, %b, %x, %y : tensor<8x17xi8>, tensor<17x24xi8>, i32, i32) outs(%c : tensor<8x24xi32>) -> tensor<8x24xi32>
  return %d : tensor<8x24xi32>
}
)",
                8, 24, [](const Inputs& in, int m, int n) {
                  // Beyond 2^53 float64 would round: wrapped after every step.
                  const auto wrapped = [](double x) {
                    return runtime::rounded(runtime::NumberType::i32, x);
                  };
                  double sum = at(in[4], m, 24, n);
                  for (int k = 0; k < 17; ++k)
                    sum = wrapped(sum + wrapped((at(in[0], m, 17, k) - in[2][0]) *
                                                (at(in[1], k, 24, n) - in[3][0])));
                  return sum;
                }});
}

TEST(SeveralMatrices, ZeroPointsOfZeroAreNone) {
  const std::string mlir = R"(
func.func @f(%a: tensor<20x32xi8>, %b: tensor<32x24xi8>, %c: tensor<20x24xi32>) -> tensor<20x24xi32> {
  %zero = arith.constant 0 : i32
  %d = linalg.quantized_matmul ins(%a, %b, %zero, %zero : tensor<20x32xi8>, tensor<32x24xi8>, i32, i32) outs(%c : tensor<20x24xi32>) -> tensor<20x24xi32>
  return %d : tensor<20x24xi32>
}
)";
  const auto compiled = compile(mlir, "input", {}, Stage::plan);
  ASSERT_TRUE(compiled.has_value()) << compiled.error();
  EXPECT_EQ(compiled->problem.input, instruction::ElementType::i8);
}

// A deep product of few tiles, whose k is split, with a scale for each 100 of it.
// B is transposed for every second target, and for the others with the next group.
TEST(SeveralMatrices, GroupsOfADeepProduct) {
  ProductText text{.m = 20, .n = 24, .k = 1000};
  text.b_producer = Producer::dequantised_in_groups;
  text.producer = Producer::scaled_along_k;
  for (const std::int64_t group : {1, 8, 100, 1000}) {
    text.group = group;
    for (const Target target : targets) {
      text.b_transposed = !text.b_transposed;
      EXPECT_EQ(difference(text, {.target = target}), "") << text.mlir();
      if (group == 100) {
        const Options options{.target = target, .plan = {.split_k = 4}};
        EXPECT_EQ(difference(text, options), "") << text.mlir();
      }
    }
  }
}

TEST(SeveralMatrices, BatchesAndDynamicSizes) {
  for (const Target target : targets) {
    for (const unsigned dynamic : {0u, 3u, 15u}) {
      ProductText text{.m = 42, .n = 70, .k = 50, .batch = 3};
      text.dynamic = dynamic;
      text.producer = Producer::dequantised;
      text.b_producer = Producer::times_matrix;
      EXPECT_EQ(difference(text, {.target = target}), "") << text.mlir();
      text.producer = Producer::masked;
      text.b_producer = Producer::dequantised;
      text.b_transposed = true;
      EXPECT_EQ(difference(text, {.target = target}), "") << text.mlir();
    }
  }
}

// Two elements share a byte, also that in which a row or a matrix of a batch ends. With B
// transposed A has them, too. Of known and of dynamic sizes, every second product has one.
TEST(SeveralMatrices, ElementsOfFourBits) {
  int number = 0;
  for (const Target target : targets) {
    for (const std::int64_t size : {33, 34, 64}) {
      ProductText text{.m = 20, .n = size, .k = size + 2, .batch = 3};
      text.has_nibbles = true;
      text.b_producer = Producer::dequantised;
      text.dynamic = number++ % 2 == 0 ? 15 : 0;
      for (const bool transposed : {false, true}) {
        text.b_transposed = transposed;
        text.producer = transposed ? Producer::dequantised : Producer::none;
        EXPECT_EQ(difference(text, {.target = target}), "") << text.mlir();
        text.dynamic = 15 - text.dynamic;
      }
    }
  }
}

double unsigned4(double x) { return x < 0 ? x + 16 : x; }

// Signed times unsigned numbers of 4 bits, whose sums are i32.
TEST(SeveralMatrices, IntegersOfFourBits) {
  expect_right({"i4 times u4", R"(
func.func @f(%a: tensor<20x17xi4>, %b: tensor<17x24xi4>, %c: tensor<20x24xi32>) -> tensor<20x24xi32> {
  %d = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%a, %b : tensor<20x17xi4>, tensor<17x24xi4>) outs(%c : tensor<20x24xi32>) {
  ^bb0(%x: i4, %y: i4, %sum: i32):
    %left = arith.extsi %x : i4 to i32
    %right = arith.extui %y : i4 to i32
    %p = arith.muli %left, %right : i32
    %t = arith.addi %sum, %p : i32
    linalg.yield %t : i32
  } -> tensor<20x24xi32>
  return %d : tensor<20x24xi32>
}
)",
                20, 24, [](const Inputs& in, int m, int n) {
                  return at(in[2], m, 24, n) + sum_of(17, [&](int k) {
                           return at(in[0], m, 17, k) * unsigned4(at(in[1], k, 24, n));
                         });
                }});
}

// Zero points of 4 bits for groups of 6, and a matrix of 4 bits that is added to the result.
TEST(SeveralMatrices, FurtherMatricesOfFourBits) {
  expect_right({"4 bits", R"(
#w = affine_map<(n, g, k) -> (n, g, k)>
#group = affine_map<(n, g, k) -> (n, g)>
#d = affine_map<(m, n) -> (m, n)>
func.func @f(%x: tensor<20x3x6xf16>, %q: tensor<25x3x6xi4>, %z: tensor<25x3xi4>, %r: tensor<20x25xi4>) -> tensor<20x25xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<25x3x6xf16>
  %y = linalg.generic {indexing_maps = [#w, #group, #w], iterator_types = ["parallel", "parallel", "parallel"]} ins(%q, %z : tensor<25x3x6xi4>, tensor<25x3xi4>) outs(%e : tensor<25x3x6xf16>) {
  ^bb0(%i: i4, %point: i4, %unused: f16):
    %a = arith.extui %i : i4 to i32
    %b = arith.extui %point : i4 to i32
    %moved = arith.subi %a, %b : i32
    %number = arith.sitofp %moved : i32 to f16
    linalg.yield %number : f16
  } -> tensor<25x3x6xf16>
  %o = tensor.empty() : tensor<20x25xf32>
  %none = linalg.fill ins(%zero : f32) outs(%o : tensor<20x25xf32>) -> tensor<20x25xf32>
  %p = linalg.generic {indexing_maps = [affine_map<(m, n, g, k) -> (m, g, k)>, affine_map<(m, n, g, k) -> (n, g, k)>, affine_map<(m, n, g, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction", "reduction"]} ins(%x, %y : tensor<20x3x6xf16>, tensor<25x3x6xf16>) outs(%none : tensor<20x25xf32>) {
  ^bb0(%a: f16, %b: f16, %sum: f32):
    %left = arith.extf %a : f16 to f32
    %right = arith.extf %b : f16 to f32
    %ab = arith.mulf %left, %right : f32
    %t = arith.addf %ab, %sum : f32
    linalg.yield %t : f32
  } -> tensor<20x25xf32>
  %d = linalg.generic {indexing_maps = [#d, #d, #d], iterator_types = ["parallel", "parallel"]} ins(%p, %r : tensor<20x25xf32>, tensor<20x25xi4>) outs(%o : tensor<20x25xf32>) {
  ^bb0(%sum: f32, %i: i4, %unused: f32):
    %number = arith.sitofp %i : i4 to f32
    %t = arith.addf %sum, %number : f32
    linalg.yield %t : f32
  } -> tensor<20x25xf32>
  return %d : tensor<20x25xf32>
}
)",
                20, 25, [](const Inputs& in, int m, int n) {
                  return at(in[3], m, 25, n) + sum_of(18, [&](int k) {
                           return at(in[0], m, 18, k) * (unsigned4(at(in[1], n, 18, k)) -
                                                         unsigned4(at(in[2], n, 3, k / 6)));
                         });
                }});
}

// Blocks of 32 numbers along k that share a power of two, as the OCP's microscaling formats have
// them.
TEST(SeveralMatrices, NumbersOfFourBitsWithScalesOfBlocks) {
  expect_right({"mxfp4", R"(
func.func @f(%a: tensor<20x2x32xf4E2M1FN>, %b: tensor<23x2x32xf4E2M1FN>, %x: tensor<20x2xf8E8M0FNU>, %y: tensor<23x2xf8E8M0FNU>, %c: tensor<20x23xf32>) -> tensor<20x23xf32> {
  %d = linalg.generic {indexing_maps = [affine_map<(m, n, g, k) -> (m, g, k)>, affine_map<(m, n, g, k) -> (n, g, k)>, affine_map<(m, n, g, k) -> (m, g)>, affine_map<(m, n, g, k) -> (n, g)>, affine_map<(m, n, g, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction", "reduction"]} ins(%a, %b, %x, %y : tensor<20x2x32xf4E2M1FN>, tensor<23x2x32xf4E2M1FN>, tensor<20x2xf8E8M0FNU>, tensor<23x2xf8E8M0FNU>) outs(%c : tensor<20x23xf32>) {
  ^bb0(%i: f4E2M1FN, %j: f4E2M1FN, %s: f8E8M0FNU, %t: f8E8M0FNU, %sum: f32):
    %left = arith.scaling_extf %i, %s : f4E2M1FN, f8E8M0FNU to f32
    %right = arith.scaling_extf %j, %t : f4E2M1FN, f8E8M0FNU to f32
    %p = arith.mulf %left, %right : f32
    %next = arith.addf %sum, %p : f32
    linalg.yield %next : f32
  } -> tensor<20x23xf32>
  return %d : tensor<20x23xf32>
}
)",
                20, 23, [](const Inputs& in, int m, int n) {
                  return at(in[4], m, 23, n) + sum_of(64, [&](int k) {
                           return at(in[0], m, 64, k) * at(in[2], m, 2, k / 32) *
                                  at(in[1], n, 64, k) * at(in[3], n, 2, k / 32);
                         });
                }});
}

// The judge sees a scale that was not applied.
TEST(SeveralMatrices, TheJudgeReadsThem) {
  ProductText text{.m = 20, .n = 30, .k = 40};
  text.b_producer = Producer::dequantised;
  Outcome done = run(text, {.target = Target::gfx1151}, Operands::uniform, 3);
  ASSERT_EQ(done.error, "");
  EXPECT_TRUE(judged(done).right());
  done.before[3].swap(done.before[2]);
  EXPECT_GT(judged(done).wrong, 500);
}

}  // namespace several_matrices_test
}  // namespace heddle::compiler
