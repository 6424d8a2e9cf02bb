// Sums of whole numbers that are rewritten before a kernel is chosen: products of i1, and the
// largest and smallest of unsigned numbers.
#include "sequence_run.h"

namespace heddle::compiler {
namespace plain_integers_test {

// A batch of products of i1, of which a generic operation has B transposed.
std::string product_of_bits(bool is_generic) {
  const std::string b = is_generic ? "tensor<2x24x33xi1>" : "tensor<2x33x24xi1>";
  const std::string types =
      "(%a, %b : tensor<2x20x33xi1>, " + b + ") outs(%c : tensor<2x20x24xi1>)";
  const std::string named = "linalg.batch_matmul ins" + types;
  const std::string generic =
      "linalg.generic {indexing_maps = [affine_map<(b, m, n, k) -> (b, m, k)>, affine_map<(b, m, "
      "n, "
      "k) -> (b, n, k)>, affine_map<(b, m, n, k) -> (b, m, n)>], iterator_types = [\"parallel\", "
      "\"parallel\", \"parallel\", \"reduction\"]} ins" +
      types +
      " {\n  ^bb0(%x: i1, %y: i1, %s: i1):\n    %p = arith.andi %y, %x : i1\n"
      "    %r = arith.ori %p, %s : i1\n    linalg.yield %r : i1\n  }";
  return "func.func @f(%a: tensor<2x20x33xi1>, %b: " + b +
         ", %c: tensor<2x20x24xi1>) -> tensor<2x20x24xi1> {\n  %d = " +
         (is_generic ? generic : named) +
         " -> tensor<2x20x24xi1>\n  return %d : tensor<2x20x24xi1>\n}\n";
}

TEST(PlainIntegers, ProductsOfBits) {
  for (const bool is_generic : {false, true}) {
    const std::string text = product_of_bits(is_generic);
    const auto wanted = [&](const std::vector<Numbers>& in) {
      Numbers d = in[2];
      for (std::size_t i = 0; i < d.values.size(); ++i) {
        const std::size_t batch = i / (20 * 24), m = i / 24 % 20, n = i % 24;
        bool any = d.values[i] != 0;
        for (std::size_t k = 0; k < 33; ++k) {
          const std::size_t b = is_generic ? (batch * 24 + n) * 33 + k : (batch * 33 + k) * 24 + n;
          any = any || (in[0].values[(batch * 20 + m) * 33 + k] != 0 && in[1].values[b] != 0);
        }
        d.values[i] = any ? 1 : 0;
      }
      return std::vector{d};
    };
    expect_right(text, 1, wanted);
    const auto compiled = compile_sequence(text, "t.mlir", {.target = Target::sm_80}, Stage::plan);
    ASSERT_TRUE(compiled.has_value()) << compiled.error();
    EXPECT_EQ(compiled->sequence.parts[0].request.problem.input, instruction::ElementType::i8);
  }
}

// The largest or smallest of each row, beginning with a number or with an argument.
TEST(PlainIntegers, LargestAndSmallestOfUnsignedNumbers) {
  for (const std::string element : {"i8", "i16", "i32", "i64"}) {
    for (const std::string step : {"maxui", "minui"}) {
      for (const bool has_initial : {false, true}) {
        const std::string row = "tensor<20x" + element + ">", all = "tensor<20x33x" + element + ">";
        const std::string text =
            "func.func @f(%a: " + all + ", %i: " + row + ") -> " + row +
            " {\n  %c = arith.constant " + (step == "maxui" ? "0" : "-1") + " : " + element +
            "\n  %e = tensor.empty() : " + row + "\n  %z = linalg.fill ins(%c : " + element +
            ") outs(%e : " + row + ") -> " + row +
            "\n  %d = linalg.generic {indexing_maps = [affine_map<(m, k) -> (m, k)>, "
            "affine_map<(m, "
            "k) -> (m)>], iterator_types = [\"parallel\", \"reduction\"]} ins(%a : " +
            all + ") outs(" + (has_initial ? "%i" : "%z") + " : " + row +
            ") {\n  ^bb0(%x: " + element + ", %s: " + element + "):\n    %r = arith." + step +
            " %x, %s : " + element + "\n    linalg.yield %r : " + element + "\n  } -> " + row +
            "\n  return %d : " + row + "\n}\n";
        // Below 0 are the largest, in their order.
        const auto key = [](double x) { return x < 0 ? x + 1e6 : x; };
        const auto wanted = [&](const std::vector<Numbers>& in) {
          Numbers d{1, 20, std::vector<double>(20, step == "maxui" ? 0 : -1)};
          for (std::size_t m = 0; m < 20; ++m) {
            if (has_initial) d.values[m] = in[1].values[m];
            for (std::size_t k = 0; k < 33; ++k) {
              const double x = in[0].values[m * 33 + k];
              if (step == "maxui" ? key(x) > key(d.values[m]) : key(x) < key(d.values[m]))
                d.values[m] = x;
            }
          }
          return std::vector{d};
        };
        for (const Target target : targets) {
          const SequenceOutcome done = run_sequence(text, {.target = target});
          ASSERT_EQ(done.error, "") << text;
          for (const runtime::MatmulCheck& check : done.checks) EXPECT_TRUE(check.right()) << text;
          EXPECT_EQ(done.results[0].values, wanted(done.arguments)[0].values) << text;
        }
      }
    }
  }
}

}  // namespace plain_integers_test
}  // namespace heddle::compiler
