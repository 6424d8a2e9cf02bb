// The sums of matrix instructions of floats, against 29 million that an H200 computed
// (tests/data/matrix_sums_h200.json.gz, by record_sums.py), by the hashes of blocks of 1024.
//
// One block in sixteen is compared. All 28,928:
//   build/tests/emulator_ptx_optimised_tests --gtest_also_run_disabled_tests
//   --gtest_filter='*EveryBlock'
#include "emulator/ptx/sum_products.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <string>
#include <vector>

#include "tests/data/golden.h"
#include "tests/emulator/ptx/drawn_sums.h"

namespace heddle::emulator::ptx::testing {
namespace sum_products_test {

using instruction::ElementType;

constexpr std::uint64_t block = 1024;

ElementType type_named(const std::string& name) {
  return name == "f64"    ? ElementType::f64
         : name == "f32"  ? ElementType::f32
         : name == "tf32" ? ElementType::xf32
         : name == "f16"  ? ElementType::f16
         : name == "bf16" ? ElementType::bf16
         : name == "e4m3" ? ElementType::fp8
                          : ElementType::bf8;
}

ProductForm form_of(const DrawnInstruction& i, std::uint64_t rows) {
  ProductForm form;
  form.a_type = type_named(i.a);
  form.b_type = type_named(i.b);
  form.c_type = form.d_type = type_named(i.c);
  form.rule = instruction::tensor_sum_rule(instruction::Family::sm90, i.name.starts_with("wgmma"),
                                           form.a_type, static_cast<int>(i.k));
  form.m = static_cast<uint32_t>(rows);
  form.n = static_cast<uint32_t>(i.n);
  form.k = static_cast<uint32_t>(i.k);
  return form;
}

// D of `rows` rows of a case, from `first` on.
template <class Word>
void append_sums(const DrawnInstruction& i, const DrawnKind& kind, const DrawnSums& drawn,
                 std::uint64_t number, std::uint64_t first, std::uint64_t rows,
                 std::vector<std::uint64_t>& all) {
  const ProductForm form = form_of(i, rows);
  std::vector<Word> a(rows * i.k), b(i.k * i.n), d;
  for (std::uint64_t m = 0; m < rows; ++m)
    for (std::uint64_t n = 0; n < i.n; ++n)
      d.push_back(static_cast<Word>(drawn.c(number, first + m, n)));
  for (std::uint64_t step = 0; step < kind.steps; ++step) {
    for (std::uint64_t m = 0; m < rows; ++m)
      for (std::uint64_t k = 0; k < i.k; ++k)
        a[m * i.k + k] = static_cast<Word>(drawn.a(number, step, first + m, k));
    for (std::uint64_t k = 0; k < i.k; ++k)
      for (std::uint64_t n = 0; n < i.n; ++n)
        b[k * i.n + n] = static_cast<Word>(drawn.b(number, step, n, k));
    sum_products(form, a.data(), b.data(), d.data(), d.data());
  }
  all.insert(all.end(), d.begin(), d.end());
}

std::uint64_t hash_of_block(const DrawnInstruction& i, const DrawnKind& kind,
                            std::uint64_t number) {
  const DrawnSums drawn(i, kind);
  const std::uint64_t first = number * block, size = i.m * i.n;
  const std::uint64_t rows = std::min(i.m, block / i.n);
  std::vector<std::uint64_t> all;
  for (std::uint64_t at = first; at < first + block; at += rows * i.n) {
    const std::uint64_t row = at % size / i.n;
    if (i.c == "f64")
      append_sums<std::uint64_t>(i, kind, drawn, at / size, row, rows, all);
    else
      append_sums<std::uint32_t>(i, kind, drawn, at / size, row, rows, all);
  }
  return block_hash(all);
}

struct Count {
  std::uint64_t blocks = 0, instructions = 0;
};

// Compares the blocks for which take(number of an instruction, of a kind, of a block).
Count compare(auto take) {
  Count count;
  const llvm::json::Value file = test::read_golden("matrix_sums_h200.json.gz");
  for (const llvm::json::Value& value : *file.getAsObject()->getArray("instructions")) {
    const llvm::json::Object& row = *value.getAsObject();
    const auto text = [&](const char* key) { return row.getString(key)->str(); };
    const auto number = [&](const char* key) {
      return static_cast<std::uint64_t>(*row.getInteger(key));
    };
    const DrawnInstruction i{text("name"), number("m"), number("n"), number("k"),
                             text("a"),    text("b"),   text("c")};
    if (i.c == "s32") continue;
    std::string differing;
    std::uint64_t kinds = 0, wrong = 0;
    for (const llvm::json::Value& of_kind : *row.getArray("kinds")) {
      const llvm::json::Object& object = *of_kind.getAsObject();
      const DrawnKind* kind = drawn_kind(object.getString("kind")->str());
      if (kind == nullptr) {
        ADD_FAILURE() << "no kind " << object.getString("kind")->str();
        continue;
      }
      const llvm::json::Array& hashes = *object.getArray("hashes");
      std::uint64_t bad = 0;
      for (std::uint64_t at = 0; at < hashes.size(); ++at) {
        if (!take(count.instructions, kinds, at)) continue;
        ++count.blocks;
        const std::string recorded = hashes[at].getAsString()->str();
        bad += hash_of_block(i, *kind, at) != std::strtoull(recorded.c_str(), nullptr, 16);
      }
      if (bad > 0) differing += " " + std::string(kind->name) + " (" + std::to_string(bad) + ")";
      wrong += bad;
      ++kinds;
    }
    EXPECT_EQ(wrong, 0u) << i.name << ": blocks that differ:" << differing;
    ++count.instructions;
  }
  return count;
}

TEST(SumProducts, ABlockOfEveryKindOfEveryInstruction) {
  const Count count = compare([](std::uint64_t instruction, std::uint64_t kind, std::uint64_t at) {
    return (7 * instruction + 5 * kind) % 16 == at;
  });
  EXPECT_EQ(count.instructions, 90u);
  EXPECT_EQ(count.blocks, 1808u);
}

TEST(SumProducts, DISABLED_EveryBlock) {
  const Count count = compare([](std::uint64_t, std::uint64_t, std::uint64_t) { return true; });
  EXPECT_EQ(count.blocks, 28928u);
}

}  // namespace sum_products_test
}  // namespace heddle::emulator::ptx::testing
