// Every mistake that can be named is made by brute force on random matrices, and must be found;
// what is none of them must not be.
#include "runtime/judge/explanation.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <random>
#include <set>

#include "runtime/judge/mistakes.h"
#include "runtime/launch/memory.h"

namespace heddle::runtime {
namespace explanation_test {

struct Sizes {
  std::int64_t m, n, k;
};

/// A problem with f32 operands whose sums are exact.
struct Problem {
  LaunchText launch;
  std::map<std::string, std::vector<double>> values;
  Sizes sizes;

  Problem(Sizes of, const std::string& formula) : sizes(of) {
    const auto matrix = [](std::int64_t rows, std::int64_t columns) {
      return "f32[" + std::to_string(rows) + "x" + std::to_string(columns) + "]";
    };
    launch = parse_launch("A = " + matrix(of.m, of.k) + " random\nB = " + matrix(of.k, of.n) +
                          " random\nbias = f32[" + std::to_string(of.n) + "] random\nC = " +
                          matrix(of.m, of.n) + "\narguments A B C\nexpect C = " + formula + "\n")
                 .value();
    const auto memory = LaunchMemory::fill(launch, "").value();
    for (const char* name : {"A", "B", "bias"})
      values[name] = memory.values(*launch.find_tensor(name)).values;
  }

  /// The product as a kernel with this mistake computes it; the last of several results wins, and
  /// elements that no result reaches are not written.
  std::vector<std::optional<double>> product(const Mistake& mistake) const {
    const auto element = [&](const std::string& name, std::int64_t rows, std::int64_t columns,
                             const IndexMap& map, ValueMap value, Position at) {
      const auto from = map ? map(at) : std::optional(at);
      const bool inside =
          from && from->row >= 0 && from->row < rows && from->column >= 0 && from->column < columns;
      if (!inside) return 0.0;
      const double x =
          values.at(name)[static_cast<std::size_t>(from->row * columns + from->column)];
      return value != nullptr ? value(x) : x;
    };
    const auto sum = [&](Position at) {
      double total = 0;
      for (std::int64_t k = 0; k < sizes.k; ++k)
        if (!mistake.keeps || mistake.keeps(k))
          total += element("A", sizes.m, sizes.k, mistake.a, mistake.a_value, {at.row, k}) *
                   element("B", sizes.k, sizes.n, mistake.b, mistake.b_value, {k, at.column});
      return total;
    };
    std::vector<std::optional<double>> result;
    for (std::int64_t i = 0; i < sizes.m; ++i)
      for (std::int64_t j = 0; j < sizes.n; ++j) {
        std::optional<double> value;
        if (mistake.results.empty()) value = sum({i, j});
        for (const IndexMap& map : mistake.results)
          if (const auto from = map({i, j});
              from && from->row >= 0 && from->row < sizes.m && from->column < sizes.n)
            value = sum(*from);
        result.push_back(value);
      }
    return result;
  }

  std::vector<std::string> explained(const std::vector<std::optional<double>>& result,
                                     const MatrixTile& tile = {}) const {
    std::vector<std::string> names;
    for (const Explanation& explanation : explanations(result, tile).found)
      names.push_back(explanation.name);
    return names;
  }

  Explanations explanations(const std::vector<std::optional<double>>& result,
                            const MatrixTile& tile,
                            std::int64_t most = most_multiplications_of_search) const {
    const TensorValues of = [&](const Tensor& tensor) { return values.at(tensor.name); };
    const Expectation& expectation = launch.launches[0].expectations[0];
    const FormulaValue reference =
        evaluate(launch, std::get<Expression>(expectation.reference), of);
    std::vector<double> numbers;
    std::vector<bool> unwritten;
    for (const auto& value : result) {
      unwritten.push_back(!value);
      numbers.push_back(rounded(NumberType::f32, value.value_or(0)));
    }
    const Judgement judgement =
        judge(*launch.find_tensor("C"), numbers, unwritten, reference, expectation.tolerance);
    return explain(launch, expectation, of, judgement, tile, most);
  }
};

MatrixTile tile_of_one(std::string_view processor, const std::string& mnemonic) {
  return tile_of(processor, std::vector{std::string("v_add_f32"), mnemonic});
}

TEST(Explanation, EveryMistakeIsFound) {
  std::set<std::string> seen;
  const MatrixTile nvidia =
      tile_of_one("sm_80", "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32");
  for (const Sizes sizes : {Sizes{32, 32, 32}, Sizes{16, 64, 16}}) {
    const Problem problem(sizes, "A @ B");
    for (const Mistake& mistake : mistakes(sizes.m, sizes.n, sizes.k, nvidia)) {
      const auto names = problem.explained(problem.product(mistake), nvidia);
      EXPECT_NE(std::ranges::find(names, mistake.name), names.end())
          << mistake.message << " " << sizes.m << "x" << sizes.n << "x" << sizes.k;
      seen.insert(mistake.name);
    }
  }
  for (const Sizes sizes : {Sizes{32, 32, 32}, Sizes{32, 48, 56}, Sizes{16, 16, 16}}) {
    const Problem problem(sizes, "A @ B");
    for (const Mistake& mistake : mistakes(sizes.m, sizes.n, sizes.k, {})) {
      const auto names = problem.explained(problem.product(mistake));
      EXPECT_NE(std::ranges::find(names, mistake.name), names.end())
          << mistake.name << " " << sizes.m << "x" << sizes.n << "x" << sizes.k;
      seen.insert(mistake.name);
    }
  }
  for (const std::string& name : explanation_names()) EXPECT_TRUE(seen.contains(name)) << name;
}

/// MFMA of 32x32, and of 16x16 with 32 and more k.
TEST(Explanation, EveryMistakeInTheTilesOfTheInstruction) {
  for (const MatrixTile& tile : {tile_of_one("gfx942", "v_mfma_f32_32x32x8_f16"),
                                 tile_of_one("gfx950", "v_mfma_f32_16x16x32_f16")}) {
    const Sizes sizes{32, 32, 32};
    const Problem problem(sizes, "A @ B");
    for (const Mistake& mistake : mistakes(sizes.m, sizes.n, sizes.k, tile)) {
      const auto names = problem.explained(problem.product(mistake), tile);
      EXPECT_NE(std::ranges::find(names, mistake.name), names.end())
          << mistake.message << " " << tile.drawing;
    }
  }
}

TEST(Explanation, TilesOfInstructions) {
  const MatrixTile wide = tile_of_one("gfx942", "v_mfma_f32_32x32x8_f16");
  EXPECT_EQ(wide.side, 32);
  EXPECT_EQ(wide.depth, 16);
  EXPECT_EQ(wide.drawing, "heddle show v_mfma_f32_32x32x8_f16 --arch gfx942");
  EXPECT_EQ(tile_of_one("gfx90a", "v_mfma_f32_32x32x8f16").side, 32) << "the assembler's name";
  EXPECT_EQ(tile_of_one("gfx942", "v_mfma_f32_16x16x32_fp8_fp8").depth, 32);
  EXPECT_EQ(tile_of_one("gfx1250", "v_wmma_f32_16x16x128_f8f6f4").depth, 32);
  EXPECT_EQ(tile_of_one("gfx942", "v_sub_f32").drawing, "heddle list --arch gfx942");
  EXPECT_EQ(tile_of_one("gfx1201", "v_wmma_f32_16x16x16_f16").drawing, MatrixTile{}.drawing);
  EXPECT_EQ(tile_of_one("gfx0", "v_sub_f32").drawing, MatrixTile{}.drawing);
}

/// A cure that names another vendor's or generation's instruction misleads.
TEST(Explanation, CuresSpeakOfTheProcessor) {
  for (const auto& [processor, mnemonic] :
       {std::pair("gfx90a", "v_mfma_f32_16x16x16f16"),
        std::pair("gfx942", "v_mfma_f32_32x32x8_f16"), std::pair("gfx950", "v_sub_f32"),
        std::pair("gfx1250", "v_sub_f32"),
        std::pair("sm_80", "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32")}) {
    const MatrixTile tile = tile_of_one(processor, mnemonic);
    auto all = mistakes(48, 48, 48, tile);
    all.push_back(permuted_rows(std::vector<std::int64_t>{1, 0}, tile));
    for (const Mistake& mistake : all)
      for (const std::string& text : {mistake.message, mistake.fix})
        for (const char* other : {"gfx11", "gfx12 ", "gfx1201", "wmma", "RDNA"})
          EXPECT_EQ(text.find(other), std::string::npos) << processor << ": " << text;
  }
}

/// Any order of the rows of a tile, not only those that exchange bits of their numbers.
TEST(Explanation, AnyOrderOfRows) {
  std::mt19937 random(11);
  for (const std::int64_t side : {16, 32}) {
    MatrixTile tile;
    tile.side = side;
    std::vector<std::int64_t> order(static_cast<std::size_t>(side));
    std::iota(order.begin(), order.end(), 0);
    const Problem problem({32, 48, 40}, "relu(A @ B + 8)");
    for (int round = 0; round < 3; ++round) {
      std::ranges::shuffle(order, random);
      auto result = problem.product(permuted_rows(order, tile));
      for (auto& value : result) value = std::max(0.0, *value + 8);
      EXPECT_EQ(problem.explained(result, tile), std::vector<std::string>{"rows-permuted"});
      std::swap(result[0], result[1]);
      EXPECT_TRUE(problem.explained(result, tile).empty()) << "one element elsewhere";
    }
  }
}

TEST(Explanation, ThroughAnEpilogue) {
  const Problem problem({32, 32, 32}, "relu(2 * (A @ B) + bias)");
  for (const Mistake& mistake : mistakes(32, 32, 32, {})) {
    if (mistake.name != "b-fragments-transposed") continue;
    auto result = problem.product(mistake);
    for (std::size_t i = 0; i < result.size(); ++i)
      result[i] = std::max(0.0, 2 * *result[i] + problem.values.at("bias")[i % 32]);
    const auto names = problem.explained(result);
    ASSERT_FALSE(names.empty());
    EXPECT_EQ(names[0], "b-fragments-transposed");
  }
}

TEST(Explanation, InSomeTilesOnly) {
  const Problem problem({48, 48, 32}, "A @ B");
  const auto right = problem.product({});
  for (const Mistake& mistake : mistakes(48, 48, 32, {})) {
    if (mistake.name != "a-fragments-transposed") continue;
    auto result = problem.product(mistake);
    for (std::size_t i = 0; i < result.size(); ++i)
      if (i / 48 / 16 != 1) result[i] = right[i];
    EXPECT_EQ(problem.explained(result).at(0), "a-fragments-transposed");
  }
}

// One number, which every element of the result should be.
TEST(Explanation, OfOneNumberForAllElements) {
  for (const char* text : {"A = i8 1\nD = f32[16] iota\narguments\nexpect D = A @ 6\n",
                           "D = f32[4x4] iota\narguments D\nexpect D = tanh(2 + 3 @ 4)\n"}) {
    const LaunchText launch = parse_launch(text).value();
    const auto memory = LaunchMemory::fill(launch, "").value();
    const TensorValues values = [&](const Tensor& tensor) { return memory.values(tensor); };
    const Tensor& result = *launch.find_tensor("D");
    const Expectation& expectation = launch.launches[0].expectations.front();
    const auto reference = evaluate(launch, std::get<Expression>(expectation.reference), values);
    const Judgement judgement =
        judge(result, memory.values(result), memory.unwritten(result), reference, {});
    EXPECT_GT(judgement.wrong, 0);
    EXPECT_TRUE(explain(launch, expectation, values, judgement, {}).found.empty());
  }
}

TEST(Explanation, NothingExplainsNoise) {
  const Problem problem({32, 32, 32}, "A @ B");
  auto result = problem.product({});
  for (std::size_t i = 0; i < result.size(); ++i) result[i] = *result[i] + 1 + 0.01 * double(i % 7);
  EXPECT_TRUE(problem.explained(result).empty());
  EXPECT_TRUE(problem.explained(problem.product({})).empty()) << "right results need none";
}

TEST(Explanation, TheSearchIsCutWhenItsBudgetIsSpent) {
  const Problem problem({32, 32, 32}, "relu(A @ B) + A");
  const auto result = problem.product({});
  EXPECT_FALSE(problem.explanations(result, {}).was_cut);
  EXPECT_TRUE(problem.explanations(result, {}, 1000).was_cut);
}

TEST(Explanation, WhereAndTiles) {
  const Problem problem({32, 48, 16}, "A @ B");
  Judgement judgement;
  judgement.size = {32, 48};
  judgement.elements.assign(32 * 48, Verdict::right);
  EXPECT_EQ(where(judgement, Verdict::wrong), "");
  EXPECT_EQ(tile_map(judgement), "...\n...\n");
  for (std::size_t i = 0; i < 32 * 48; ++i)
    if (i / 48 % 16 >= 8) judgement.elements[i] = Verdict::unwritten;
  EXPECT_EQ(where(judgement, Verdict::unwritten), "rows 8 to 15 of every 16");
  EXPECT_EQ(tile_map(judgement), "___\n___\n");
  for (std::size_t i = 0; i < 32 * 48; ++i)
    judgement.elements[i] =
        i / 48 == 3 && i % 48 >= 17 && i % 48 < 20 ? Verdict::wrong : Verdict::right;
  EXPECT_EQ(where(judgement, Verdict::wrong), "rows 3, columns 17 to 19");
  EXPECT_EQ(tile_map(judgement), ".+.\n...\n");
}

}  // namespace explanation_test
}  // namespace heddle::runtime
