// Shapes around a product, on all three machines: reshapes, slices, padding and packing, and the
// arguments, constants and sums that are read through them.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <functional>

#include "product_run.h"

namespace heddle::compiler {
namespace shapes_test {

using instruction::Target;

constexpr std::array targets{Target::gfx1151, Target::gfx1201, Target::sm_80, Target::sm_90a};

// Elements of D by its places, from A and B.
using Formula = std::function<double(const std::vector<std::vector<double>>&, std::int64_t)>;

void expect_elements(const std::string& mlir, std::int64_t count, const Formula& element) {
  for (const Target target : targets) {
    const Outcome done = run(mlir, {.target = target}, Operands::exact, 1,
                             [](const Compilation& kernel) { return kernel.problem; });
    ASSERT_EQ(done.error, "") << instruction::name(target);
    const auto read = arguments(done);
    std::vector<double> expected;
    for (std::int64_t i = 0; i < count; ++i) expected.push_back(element(read, i));
    EXPECT_EQ(difference(done, expected), "") << instruction::name(target);
    EXPECT_TRUE(judged(done).right()) << instruction::name(target);
  }
}

double at(const std::vector<double>& values, std::int64_t index) {
  return values[static_cast<std::size_t>(index)];
}

// (6 * 4) x 32 times 32 x (8 * 5), the result as 3 x 8 x 8 x 5 with a bias of 8 x 5.
TEST(Shapes, ReshapesAroundAProductAreRight) {
  const std::string mlir = R"(
func.func @f(%a: tensor<6x4x32xf16>, %b: tensor<32x40xf16>, %e: tensor<8x5xf32>)
    -> tensor<3x8x8x5xf32> {
  %rows = tensor.collapse_shape %a [[0, 1], [2]] : tensor<6x4x32xf16> into tensor<24x32xf16>
  %empty = tensor.empty() : tensor<24x40xf32>
  %zero = arith.constant 0.0 : f32
  %c = linalg.fill ins(%zero : f32) outs(%empty : tensor<24x40xf32>) -> tensor<24x40xf32>
  %p = linalg.matmul ins(%rows, %b : tensor<24x32xf16>, tensor<32x40xf16>)
      outs(%c : tensor<24x40xf32>) -> tensor<24x40xf32>
  %x = tensor.expand_shape %p [[0, 1], [2, 3]] output_shape [3, 8, 8, 5]
      : tensor<24x40xf32> into tensor<3x8x8x5xf32>
  %o = tensor.empty() : tensor<3x8x8x5xf32>
  %d = linalg.generic {indexing_maps = [affine_map<(i, j, k, l) -> (i, j, k, l)>,
      affine_map<(i, j, k, l) -> (k, l)>, affine_map<(i, j, k, l) -> (i, j, k, l)>],
      iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%x, %e : tensor<3x8x8x5xf32>, tensor<8x5xf32>) outs(%o : tensor<3x8x8x5xf32>) {
  ^bb0(%s: f32, %t: f32, %u: f32):
    %v = arith.addf %s, %t : f32
    linalg.yield %v : f32
  } -> tensor<3x8x8x5xf32>
  return %d : tensor<3x8x8x5xf32>
}
)";
  expect_elements(mlir, 24 * 40, [](const auto& read, std::int64_t i) {
    double sum = at(read[2], i % 40);
    for (std::int64_t k = 0; k < 32; ++k)
      sum += at(read[0], i / 40 * 32 + k) * at(read[1], k * 40 + i % 40);
    return sum;
  });
}

// `size` as a product of numbers, the outermost first.
std::vector<std::int64_t> any_factors(std::int64_t size) {
  std::vector<std::int64_t> factors{size};
  for (int i = *rc::gen::inRange(0, 3); i > 0; --i) {
    std::vector<std::int64_t> divisors;
    for (std::int64_t divisor = 1; divisor <= factors.back(); ++divisor)
      if (factors.back() % divisor == 0) divisors.push_back(divisor);
    const std::int64_t outer = *rc::gen::elementOf(divisors);
    factors.back() /= outer;
    factors.insert(factors.end() - 1, outer);
  }
  return factors;
}

// Two dimensions that were, or become, as many as they have factors: its type, and the groups.
struct Shaped {
  std::vector<std::int64_t> rows, columns;

  std::string type(const std::string& element) const {
    std::string text;
    for (const auto* sizes : {&rows, &columns})
      for (const std::int64_t size : *sizes) text += std::to_string(size) + "x";
    return "tensor<" + text + element + ">";
  }
  std::string sizes() const {
    const std::string text = type("");
    std::string list;
    for (const char c : text.substr(7, text.size() - 9))
      list += c == 'x' ? std::string(", ") : std::string(1, c);
    return "[" + list + "]";
  }
  std::string groups() const {
    std::string text = "[[";
    for (std::size_t i = 0; i < rows.size() + columns.size(); ++i)
      text += (i == rows.size() ? "], [" : i == 0 ? "" : ", ") + std::to_string(i);
    return text + "]]";
  }
};

// A reshape of a row-major array moves nothing: D is that of the plain product.
RC_GTEST_PROP(Shapes, RandomReshapesAreRight, ()) {
  constexpr std::int64_t m = 24, n = 36, k = 16;
  const Target target = *rc::gen::elementOf(targets);
  const Shaped a{any_factors(m), any_factors(k)}, b{any_factors(k), any_factors(n)};
  const Shaped d{any_factors(m), any_factors(n)};
  const std::string plain = "tensor<24x36xf32>";
  const std::string mlir =
      "func.func @f(%a: " + a.type("f16") + ", %b: " + b.type("f16") + ", %c: " + d.type("f32") +
      ") -> " + d.type("f32") + " {\n  %x = tensor.collapse_shape %a " + a.groups() + " : " +
      a.type("f16") + " into tensor<24x16xf16>\n  %y = tensor.collapse_shape %b " + b.groups() +
      " : " + b.type("f16") + " into tensor<16x36xf16>\n  %e = tensor.empty() : " + plain +
      "\n  %z = arith.constant 0.0 : f32\n  %f = linalg.fill ins(%z : f32) outs(%e : " + plain +
      ") -> " + plain +
      "\n  %p = linalg.matmul ins(%x, %y : tensor<24x16xf16>, tensor<16x36xf16>) outs(%f : " +
      plain + ") -> " + plain + "\n  %q = tensor.expand_shape %p " + d.groups() + " output_shape " +
      d.sizes() + " : " + plain + " into " + d.type("f32") +
      "\n  %d = linalg.add ins(%q, %c : " + d.type("f32") + ", " + d.type("f32") +
      ") outs(%c : " + d.type("f32") + ") -> " + d.type("f32") +
      "\n  return %d : " + d.type("f32") + "\n}\n";
  RC_LOG() << instruction::name(target) << "\n" << mlir;
  const Outcome done = run(mlir, {.target = target}, Operands::exact, 1,
                           [](const Compilation& kernel) { return kernel.problem; });
  // 4x6 and 6x4 have no common parts.
  RC_PRE(done.error.find("do not divide each other") == std::string::npos);
  RC_ASSERT(done.error == "");
  const auto read = arguments(done);
  std::vector<double> expected = read[2];
  for (std::int64_t i = 0; i < m * n; ++i)
    for (std::int64_t l = 0; l < k; ++l)
      expected[static_cast<std::size_t>(i)] +=
          at(read[0], i / n * k + l) * at(read[1], l * n + i % n);
  RC_ASSERT(difference(done, expected) == "");
}

// Every second row of A from the third on, and a column block of B.
TEST(Shapes, SlicesAreRight) {
  const std::string mlir = R"(
func.func @f(%a: tensor<2x50x40xf16>, %b: tensor<40x64xf16>) -> tensor<20x24xf32> {
  %x = tensor.extract_slice %a[1, 3, 0] [1, 20, 33] [1, 2, 1]
      : tensor<2x50x40xf16> to tensor<20x33xf16>
  %y = tensor.extract_slice %b[5, 16] [33, 24] [1, 1] : tensor<40x64xf16> to tensor<33x24xf16>
  %c = tensor.empty() : tensor<20x24xf32>
  %zero = arith.constant 0.0 : f32
  %f = linalg.fill ins(%zero : f32) outs(%c : tensor<20x24xf32>) -> tensor<20x24xf32>
  %d = linalg.matmul ins(%x, %y : tensor<20x33xf16>, tensor<33x24xf16>)
      outs(%f : tensor<20x24xf32>) -> tensor<20x24xf32>
  return %d : tensor<20x24xf32>
}
)";
  expect_elements(mlir, 20 * 24, [](const auto& read, std::int64_t i) {
    double sum = 0;
    for (std::int64_t k = 0; k < 33; ++k)
      sum += at(read[0], (50 + 3 + i / 24 * 2) * 40 + k) * at(read[1], (5 + k) * 64 + 16 + i % 24);
    return sum;
  });
}

// A number around an argument of any length, as often as another argument says behind it: how long
// the argument is, the kernel is told.
TEST(Shapes, PaddingOfADynamicDimensionIsRight) {
  const std::string mlir = R"(
func.func @f(%a: tensor<?x32xf16>, %b: tensor<32x24xf16>, %c: tensor<?x24xf32>, %more: index)
    -> tensor<?x24xf32> {
  %number = arith.constant 2.0 : f16
  %x = tensor.pad %a low[1, 0] high[%more, 0] {
  ^bb0(%i: index, %j: index):
    tensor.yield %number : f16
  } : tensor<?x32xf16> to tensor<?x32xf16>
  %d = linalg.matmul ins(%x, %b : tensor<?x32xf16>, tensor<32x24xf16>)
      outs(%c : tensor<?x24xf32>) -> tensor<?x24xf32>
  return %d : tensor<?x24xf32>
})";
  for (const Target target : targets) {
    for (const std::int64_t rows : {1, 30, 41}) {
      const Outcome done =
          run(mlir, {.target = target}, Operands::exact, 1, [&](const Compilation& kernel) {
            plan::Problem problem = kernel.problem;
            problem.m = 42;
            problem.further[0] = rows;
            return problem;
          });
      ASSERT_EQ(done.error, "") << instruction::name(target);
      const auto read = arguments(done);
      ASSERT_EQ(read[0].size(), static_cast<std::size_t>(rows * 32));
      std::vector<double> expected;
      for (std::int64_t i = 0; i < 42 * 24; ++i) {
        double sum = at(read[2], i);
        const std::int64_t row = i / 24 - 1;
        for (std::int64_t k = 0; k < 32; ++k)
          sum += (row >= 0 && row < rows ? at(read[0], row * 32 + k) : 2.0) *
                 at(read[1], k * 24 + i % 24);
        expected.push_back(sum);
      }
      EXPECT_EQ(difference(done, expected), "") << instruction::name(target) << " " << rows;
      EXPECT_TRUE(judged(done).right()) << instruction::name(target) << " " << rows;
    }
  }
}

// Zeros around what is computed from an argument, by tensor.pad and by tensor.insert_slice.
TEST(Shapes, PaddingAroundComputedInputsIsRight) {
  const std::string mlir = R"(
func.func @f(%a: tensor<20x30xi8>, %b: tensor<31x20xf16>) -> tensor<24x24xf32> {
  %zero = arith.constant 0.0 : f16
  %c = arith.sitofp %a : tensor<20x30xi8> to tensor<20x30xf16>
  %x = tensor.pad %c low[1, 2] high[3, 1] {
  ^bb0(%i: index, %j: index):
    tensor.yield %zero : f16
  } : tensor<20x30xf16> to tensor<24x33xf16>
  %n = arith.negf %b : tensor<31x20xf16>
  %zeros = arith.constant dense<0.0> : tensor<33x24xf16>
  %y = tensor.insert_slice %n into %zeros[0, 3] [31, 20] [1, 1]
      : tensor<31x20xf16> into tensor<33x24xf16>
  %e = tensor.empty() : tensor<24x24xf32>
  %none = arith.constant 0.0 : f32
  %f = linalg.fill ins(%none : f32) outs(%e : tensor<24x24xf32>) -> tensor<24x24xf32>
  %d = linalg.matmul ins(%x, %y : tensor<24x33xf16>, tensor<33x24xf16>)
      outs(%f : tensor<24x24xf32>) -> tensor<24x24xf32>
  return %d : tensor<24x24xf32>
}
)";
  expect_elements(mlir, 24 * 24, [](const auto& read, std::int64_t i) {
    const std::int64_t m = i / 24 - 1, n = i % 24 - 3;
    double sum = 0;
    for (std::int64_t k = 2; k < 31; ++k)
      if (m >= 0 && m < 20 && n >= 0 && n < 20)
        sum -= at(read[0], m * 30 + k - 2) * at(read[1], k * 20 + n);
    return sum;
  });
}

// A number around what is computed from A, and zeros around B before something is added to it.
TEST(Shapes, PaddingOfANumberIsRight) {
  const std::string mlir = R"(
func.func @f(%a: tensor<20x30xf16>, %b: tensor<31x20xf16>, %c: tensor<24x24xf32>) -> tensor<24x24xf32> {
  %number = arith.constant 2.5 : f16
  %zero = arith.constant 0.0 : f16
  %one = arith.constant dense<1.0> : tensor<33x24xf16>
  %n = arith.negf %a : tensor<20x30xf16>
  %x = tensor.pad %n low[1, 2] high[3, 1] {
  ^bb0(%i: index, %j: index):
    tensor.yield %number : f16
  } : tensor<20x30xf16> to tensor<24x33xf16>
  %z = tensor.pad %b low[0, 3] high[2, 1] {
  ^bb0(%i: index, %j: index):
    tensor.yield %zero : f16
  } : tensor<31x20xf16> to tensor<33x24xf16>
  %y = arith.addf %z, %one : tensor<33x24xf16>
  %d = linalg.matmul ins(%x, %y : tensor<24x33xf16>, tensor<33x24xf16>)
      outs(%c : tensor<24x24xf32>) -> tensor<24x24xf32>
  return %d : tensor<24x24xf32>
}
)";
  expect_elements(mlir, 24 * 24, [](const auto& read, std::int64_t i) {
    const std::int64_t m = i / 24 - 1, n = i % 24 - 3;
    double sum = at(read[2], i);
    for (std::int64_t k = 0; k < 33; ++k) {
      const bool in_a = m >= 0 && m < 20 && k >= 2 && k < 32, in_b = k < 31 && n >= 0 && n < 20;
      const double x = in_a ? -at(read[0], m * 30 + k - 2) : 2.5;
      sum += x * (1 + (in_b ? at(read[1], k * 20 + n) : 0));
    }
    return sum;
  });
}

// Zeros between elements of A, as in the gradient of a convolution with strides, and around them.
TEST(Shapes, ZerosBetweenElementsAreRight) {
  const std::string mlir = R"(
func.func @f(%a: tensor<5x7x12xf16>, %w: tensor<3x12x16xf16>) -> tensor<13x18x16xf32> {
  %zeros = arith.constant dense<0.0> : tensor<15x20x12xf16>
  %x = tensor.insert_slice %a into %zeros[2, 0, 0] [5, 7, 12] [2, 3, 1]
      : tensor<5x7x12xf16> into tensor<15x20x12xf16>
  %none = arith.constant dense<0.0> : tensor<13x18x16xf32>
  %d = linalg.generic {indexing_maps = [
      affine_map<(y, x, n, r, k) -> (y + r, x + 2, k)>, affine_map<(y, x, n, r, k) -> (r, k, n)>,
      affine_map<(y, x, n, r, k) -> (y, x, n)>],
      iterator_types = ["parallel", "parallel", "parallel", "reduction", "reduction"]}
      ins(%x, %w : tensor<15x20x12xf16>, tensor<3x12x16xf16>) outs(%none : tensor<13x18x16xf32>) {
  ^bb0(%p: f16, %q: f16, %sum: f32):
    %p32 = arith.extf %p : f16 to f32
    %q32 = arith.extf %q : f16 to f32
    %product = arith.mulf %p32, %q32 : f32
    %more = arith.addf %sum, %product : f32
    linalg.yield %more : f32
  } -> tensor<13x18x16xf32>
  return %d : tensor<13x18x16xf32>
}
)";
  expect_elements(mlir, 13 * 18 * 16, [](const auto& read, std::int64_t i) {
    const std::int64_t y = i / 288, x = i / 16 % 18 + 2, n = i % 16;
    double sum = 0;
    for (std::int64_t r = 0; r < 3; ++r)
      for (std::int64_t k = 0; k < 12; ++k)
        if (const std::int64_t row = y + r - 2; row >= 0 && row < 10 && row % 2 == 0 && x % 3 == 0)
          if (x / 3 < 7)
            sum += at(read[0], (row / 2 * 7 + x / 3) * 12 + k) * at(read[1], (r * 12 + k) * 16 + n);
    return sum;
  });
}

// A loop that is not in the result is summed, and one in it is not, whatever the text calls them.
TEST(Shapes, LoopsOfTheWrongKindAreRight) {
  const std::string mlir = R"(
func.func @f(%a: tensor<20x4x17xf32>, %b: tensor<17x24xf32>, %c: tensor<20x4x24xf32>)
    -> tensor<20x4x24xf32> {
  %d = linalg.generic {indexing_maps = [
      affine_map<(m, n, k, l) -> (m, l, k)>, affine_map<(m, n, k, l) -> (k, n)>,
      affine_map<(m, n, k, l) -> (m, l, n)>],
      iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%a, %b : tensor<20x4x17xf32>, tensor<17x24xf32>) outs(%c : tensor<20x4x24xf32>) {
  ^bb0(%p: f32, %q: f32, %sum: f32):
    %product = arith.mulf %p, %q : f32
    %more = arith.addf %sum, %product : f32
    linalg.yield %more : f32
  } -> tensor<20x4x24xf32>
  return %d : tensor<20x4x24xf32>
}
)";
  expect_elements(mlir, 20 * 4 * 24, [](const auto& read, std::int64_t i) {
    double sum = at(read[2], i);
    for (std::int64_t k = 0; k < 17; ++k)
      sum += at(read[0], i / 24 * 17 + k) * at(read[1], k * 24 + i % 24);
    return sum;
  });
}

// Constants of several values are arrays that the text fills: of floats, integers and bits.
TEST(Shapes, ConstantsOfSeveralValuesAreRight) {
  const std::string mlir = R"(
#same = affine_map<(i, j) -> (i, j)>
func.func @f(%a: tensor<20x3xf16>) -> tensor<20x2xf32> {
  %b = arith.constant dense<[[1.5, -2.0], [0.25, 3.0], [-8.0, 0.5]]> : tensor<3x2xf16>
  %m = arith.constant dense<[false, true]> : tensor<2xi1>
  %q = arith.constant dense<[-3, 7]> : tensor<2xi4>
  %c = tensor.empty() : tensor<20x2xf32>
  %zero = arith.constant 0.0 : f32
  %f = linalg.fill ins(%zero : f32) outs(%c : tensor<20x2xf32>) -> tensor<20x2xf32>
  %p = linalg.matmul ins(%a, %b : tensor<20x3xf16>, tensor<3x2xf16>)
      outs(%f : tensor<20x2xf32>) -> tensor<20x2xf32>
  %d = linalg.generic {indexing_maps = [#same, affine_map<(i, j) -> (j)>,
      affine_map<(i, j) -> (j)>, #same], iterator_types = ["parallel", "parallel"]}
      ins(%p, %m, %q : tensor<20x2xf32>, tensor<2xi1>, tensor<2xi4>)
      outs(%c : tensor<20x2xf32>) {
  ^bb0(%x: f32, %bit: i1, %n: i4, %o: f32):
    %s = arith.sitofp %n : i4 to f32
    %y = arith.addf %x, %s : f32
    %r = arith.select %bit, %y, %s : f32
    linalg.yield %r : f32
  } -> tensor<20x2xf32>
  return %d : tensor<20x2xf32>
}
)";
  expect_elements(mlir, 20 * 2, [](const auto& read, std::int64_t i) {
    if (i % 2 == 0) return -3.0;
    return at(read[0], i / 2 * 3) * -2.0 + at(read[0], i / 2 * 3 + 1) * 3.0 +
           at(read[0], i / 2 * 3 + 2) * 0.5 + 7.0;
  });
}

// The largest and smallest elements of rows, of every type; few of them, so that one that is beyond
// the end of a row and taken for 0 shows, and many, of which several workgroups have parts.
TEST(Shapes, LargestAndSmallestAreRight) {
  struct Case {
    const char* operation;
    const char* type;
    bool is_largest;
    std::int64_t rows = 20, columns = 3;
  };
  for (const Case& one :
       {Case{"maximumf", "f32", true}, Case{"minimumf", "f32", false}, Case{"maxnumf", "f16", true},
        Case{"minnumf", "bf16", false}, Case{"maxsi", "i8", true}, Case{"minsi", "i16", false},
        Case{"maxsi", "i32", true}, Case{"maximumf", "f16", true, 5, 700},
        Case{"minsi", "i32", false, 300, 1}}) {
    const std::string type = one.type;
    const std::string row = "tensor<" + std::to_string(one.rows) + "x" + type + ">";
    const std::string matrix =
        "tensor<" + std::to_string(one.rows) + "x" + std::to_string(one.columns) + "x" + type + ">";
    for (const bool accumulates : {false, true}) {
      const bool is_float = type[0] != 'i';
      const std::string start = one.is_largest ? is_float ? "-0.75" : "-100"
                                : is_float     ? "0.75"
                                               : "100";
      const std::string mlir =
          "func.func @f(%a: " + matrix + (accumulates ? ", %c: " + row : "") + ") -> " + row +
          " {\n  %start = arith.constant " + start + " : " + type +
          "\n  %e = tensor.empty() : " + row + "\n  %z = linalg.fill ins(%start : " + type +
          ") outs(%e : " + row + ") -> " + row +
          "\n  %d = linalg.generic {indexing_maps = [affine_map<(m, k) -> (m, k)>, "
          "affine_map<(m, k) -> (m)>], iterator_types = [\"parallel\", \"reduction\"]} ins(%a : " +
          matrix + ") outs(" + (accumulates ? "%c" : "%z") + " : " + row +
          ") {\n  ^bb0(%x: " + type + ", %s: " + type + "):\n    %t = arith." + one.operation +
          " %s, %x : " + type + "\n    linalg.yield %t : " + type + "\n  } -> " + row +
          "\n  return %d : " + row + "\n}\n";
      expect_elements(mlir, one.rows, [&](const auto& read, std::int64_t i) {
        double found = accumulates ? at(read[1], i) : std::stod(start);
        for (std::int64_t k = 0; k < one.columns; ++k) {
          const double x = at(read[0], i * one.columns + k);
          found = one.is_largest ? std::max(found, x) : std::min(found, x);
        }
        return found;
      });
    }
  }
}

// linalg.pack gives mmt4d its operands, linalg.unpack takes its result.
TEST(Shapes, PackedOperandsAreRight) {
  const std::string mlir = R"(
func.func @f(%a: tensor<32x12xf16>, %b: tensor<12x24xf16>) -> tensor<32x24xf32> {
  %ea = tensor.empty() : tensor<4x6x8x2xf16>
  %pa = linalg.pack %a inner_dims_pos = [0, 1] inner_tiles = [8, 2] into %ea
      : tensor<32x12xf16> -> tensor<4x6x8x2xf16>
  %eb = tensor.empty() : tensor<6x6x4x2xf16>
  %pb = linalg.pack %b outer_dims_perm = [1, 0] inner_dims_pos = [1, 0] inner_tiles = [4, 2]
      into %eb : tensor<12x24xf16> -> tensor<6x6x4x2xf16>
  %ec = tensor.empty() : tensor<4x6x8x4xf32>
  %zero = arith.constant 0.0 : f32
  %c = linalg.fill ins(%zero : f32) outs(%ec : tensor<4x6x8x4xf32>) -> tensor<4x6x8x4xf32>
  %p = linalg.mmt4d ins(%pa, %pb : tensor<4x6x8x2xf16>, tensor<6x6x4x2xf16>)
      outs(%c : tensor<4x6x8x4xf32>) -> tensor<4x6x8x4xf32>
  %ed = tensor.empty() : tensor<32x24xf32>
  %d = linalg.unpack %p inner_dims_pos = [0, 1] inner_tiles = [8, 4] into %ed
      : tensor<4x6x8x4xf32> -> tensor<32x24xf32>
  return %d : tensor<32x24xf32>
}
)";
  expect_elements(mlir, 32 * 24, [](const auto& read, std::int64_t i) {
    double sum = 0;
    for (std::int64_t k = 0; k < 12; ++k)
      sum += at(read[0], i / 24 * 12 + k) * at(read[1], k * 24 + i % 24);
    return sum;
  });
}

// A number that scales the result is an array of one element; what is not read is no argument of
// the kernel; where nothing wrote the initial value, 0 is as right as any.
TEST(Shapes, ScalarAndUnusedArgumentsAreRight) {
  const std::string mlir = R"(
func.func @f(%a: tensor<20x33xf16>, %unused: index, %b: tensor<33x24xf16>, %alpha: f32,
             %size: tensor<?x7xf64>) -> tensor<20x24xf32> {
  %zero = arith.constant 0 : index
  %rows = tensor.dim %size, %zero : tensor<?x7xf64>
  %holds = arith.cmpi sge, %rows, %unused : index
  cf.assert %holds, "rows"
  %c = tensor.empty() : tensor<20x24xf32>
  %p = linalg.matmul ins(%a, %b : tensor<20x33xf16>, tensor<33x24xf16>)
      outs(%c : tensor<20x24xf32>) -> tensor<20x24xf32>
  %d = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>],
      iterator_types = ["parallel", "parallel"]} outs(%p : tensor<20x24xf32>) {
  ^bb0(%x: f32):
    %y = arith.mulf %x, %alpha : f32
    linalg.yield %y : f32
  } -> tensor<20x24xf32>
  return %d : tensor<20x24xf32>
}
)";
  expect_elements(mlir, 20 * 24, [](const auto& read, std::int64_t i) {
    double sum = 0;
    for (std::int64_t k = 0; k < 33; ++k)
      sum += at(read[0], i / 24 * 33 + k) * at(read[1], k * 24 + i % 24);
    return static_cast<double>(static_cast<float>(sum) * static_cast<float>(at(read[2], 0)));
  });
}

// Elements of A that lie apart along m and along k.
TEST(Shapes, InputsWithGapsAlongBothDimensionsAreRight) {
  const std::string a = "memref<42x32xf16, strided<[70, 2], offset: 1>>";
  const std::string mlir = "func.func @f(%a: " + a +
                           ", %b: memref<32x64xf16>, %c: memref<42x64xf32>) {\n"
                           "  linalg.matmul ins(%a, %b : " +
                           a + ", memref<32x64xf16>) outs(%c : memref<42x64xf32>)\n  return\n}\n";
  for (const Target target : targets) {
    const Outcome done = run(mlir, {.target = target}, Operands::exact, 1,
                             [](const Compilation& kernel) { return kernel.problem; });
    ASSERT_EQ(done.error, "");
    EXPECT_TRUE(judged(done).right()) << instruction::name(target);
  }
}

}  // namespace shapes_test
}  // namespace heddle::compiler
