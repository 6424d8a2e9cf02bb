// Products of 8-bit numbers with zero points: matrix instructions multiply the numbers as they lie,
// and sums of rows and columns correct the result, to the last bit.
#include "sequence_run.h"

namespace heddle::compiler {
namespace zero_points_test {

struct Product {
  std::int64_t batch = 1, m = 40, n = 36, k = 50;
  bool is_unsigned = false;                // A
  std::string za = "%x", zb = "%y";        // the functions' arguments
  std::string a_map = "()", b_map = "()";  // of (b, m, n, k)
  std::string za_type = "i32", zb_type = "i32";

  std::string sizes(std::int64_t rows, std::int64_t columns, const char* element) const {
    return "tensor<" + std::to_string(batch) + "x" + std::to_string(rows) + "x" +
           std::to_string(columns) + "x" + element + ">";
  }
  std::string text() const {
    const std::string a = sizes(m, k, "i8"), b = sizes(k, n, "i8"), c = sizes(m, n, "i32");
    const auto map = [](const std::string& results) {
      return "affine_map<(b, m, n, k) -> " + results + ">";
    };
    return "func.func @f(%a: " + a + ", %b: " + b + ", %c: " + c + ", %x: " + za_type +
           ", %y: " + zb_type + ") -> " + c + " {\n  %d = linalg.generic {indexing_maps = [" +
           map("(b, m, k)") + ", " + map("(b, k, n)") + ", " + map(a_map) + ", " + map(b_map) +
           ", " + map("(b, m, n)") +
           "], iterator_types = [\"parallel\", \"parallel\", \"parallel\", \"reduction\"]} "
           "ins(%a, %b, " +
           za + ", " + zb + " : " + a + ", " + b + ", " + za_type + ", " + zb_type +
           ") outs(%c : " + c + ") {\n  ^bb0(%i: i8, %j: i8, %p: i32, %q: i32, %s: i32):\n" +
           "    %w = arith." + (is_unsigned ? "extui" : "extsi") + " %i : i8 to i32\n" +
           "    %v = arith.extsi %j : i8 to i32\n    %l = arith.subi %w, %p : i32\n"
           "    %r = arith.subi %v, %q : i32\n    %t = arith.muli %l, %r : i32\n"
           "    %u = arith.addi %s, %t : i32\n    linalg.yield %u : i32\n  } -> " +
           c + "\n  return %d : " + c + "\n}\n";
  }
  std::vector<Numbers> expected(const std::vector<Numbers>& in) const {
    Numbers d = in[2];
    const auto element = [](const Numbers& of, std::int64_t at) {
      return static_cast<std::int64_t>(of.values[static_cast<std::size_t>(at)]);
    };
    const auto zero = [&](const Numbers& of, std::int64_t number) {
      return element(of, of.values.size() == 1 ? 0 : number);
    };
    for (std::int64_t i = 0; i < batch * m * n; ++i) {
      const std::int64_t b = i / (m * n), row = i / n % m, column = i % n;
      std::int64_t sum = 0;
      for (std::int64_t depth = 0; depth < k; ++depth) {
        std::int64_t left = element(in[0], (b * m + row) * k + depth);
        if (is_unsigned) left &= 255;
        sum += (left - zero(in[3], row)) *
               (element(in[1], (b * k + depth) * n + column) - zero(in[4], column));
      }
      d.values[static_cast<std::size_t>(i)] += static_cast<double>(sum);
    }
    return {d};
  }
};

// The parts that multiply i8.
std::ptrdiff_t products_of_bytes(const std::string& text, Target target) {
  const auto compiled = compile_sequence(text, "t.mlir", {.target = target}, Stage::plan);
  EXPECT_TRUE(compiled.has_value()) << compiled.error();
  return !compiled ? 0 : std::ranges::count_if(compiled->sequence.parts, [](const auto& part) {
    const plan::Problem& problem = part.request.problem;
    return problem.input == instruction::ElementType::i8 && problem.k > 1 && problem.n > 1 &&
           problem.m > 1 && !part.request.program;
  });
}

void expect_right(const Product& product, std::size_t kernels) {
  const std::string text = product.text();
  compiler::expect_right(text, kernels, [&](const auto& in) { return product.expected(in); });
  if (product.is_unsigned) return;  // CDNA has no such instruction
  for (const Target target : {Target::gfx942, Target::gfx1151, Target::sm_80, Target::sm_90a})
    EXPECT_EQ(products_of_bytes(text, target), 1) << instruction::name(target) << "\n" << text;
}

TEST(ZeroPoints, AreNumbers) { expect_right({}, 3); }

TEST(ZeroPoints, OfABatch) { expect_right({.batch = 3}, 3); }

TEST(ZeroPoints, OfEachRowAndColumn) {
  expect_right(
      {.a_map = "(m)", .b_map = "(n)", .za_type = "tensor<40xi32>", .zb_type = "tensor<36xi32>"},
      3);
}

TEST(ZeroPoints, OfUnsignedBytes) { expect_right({.is_unsigned = true}, 3); }

TEST(ZeroPoints, OfOneColumn) {
  expect_right({.batch = 2, .b_map = "(n)", .zb_type = "tensor<36xi32>"}, 3);
}

// Few rows are multiplied as they were: B is read once.
TEST(ZeroPoints, OfFewRows) {
  const Product product{.m = 4};
  compiler::expect_right(product.text(), 1, [&](const auto& in) { return product.expected(in); });
}

// The named operations, with a zero point that the text has, and one that is 0.
TEST(ZeroPoints, OfNamedOperations) {
  for (const std::string zero : {"7", "0"}) {
    const std::string text =
        "func.func @f(%a: tensor<2x40x50xi8>, %b: tensor<2x50x36xi8>, %c: tensor<2x40x36xi32>, %x: "
        "i32) "
        "-> tensor<2x40x36xi32> {\n  %y = arith.constant " +
        zero +
        " : i32\n  %d = linalg.quantized_batch_matmul ins(%a, %b, %x, %y : tensor<2x40x50xi8>, "
        "tensor<2x50x36xi8>, i32, i32) outs(%c : tensor<2x40x36xi32>) -> tensor<2x40x36xi32>\n"
        "  return %d : tensor<2x40x36xi32>\n}\n";
    const Product product{.batch = 2};
    compiler::expect_right(text, zero == "0" ? 2 : 3, [&](std::vector<Numbers> in) {
      in.resize(4);
      in.push_back({1, 1, {std::stod(zero)}});
      return product.expected(in);
    });
  }
}

TEST(ZeroPoints, OfADynamicNumberOfRows) {
  const std::string text =
      "func.func @f(%a: tensor<?x50xi8>, %b: tensor<50x36xi8>, %c: tensor<?x36xi32>, %x: i32, %y: "
      "i32) "
      "-> tensor<?x36xi32> {\n"
      "  %d = linalg.quantized_matmul ins(%a, %b, %x, %y : tensor<?x50xi8>, tensor<50x36xi8>, i32, "
      "i32) "
      "outs(%c : tensor<?x36xi32>) -> tensor<?x36xi32>\n  return %d : tensor<?x36xi32>\n}\n";
  const Product product{.m = 21};
  compiler::expect_right(text, 3, [&](const auto& in) { return product.expected(in); }, 21);
}

}  // namespace zero_points_test
}  // namespace heddle::compiler
