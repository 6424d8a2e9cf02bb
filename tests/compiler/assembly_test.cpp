// What the generated machine code promises for a large product, read from its assembly.
#include <gtest/gtest.h>

#include <array>
#include <map>
#include <sstream>
#include <thread>
#include <tuple>
#include <vector>

#include "compiler/compile.h"
#include "matmul_text.h"

namespace heddle::compiler {
namespace assembly_test {

using instruction::Target;

std::string assembly_of(const MatmulText& text, Target target) {
  const auto compiled = compile(text.mlir(), "test.mlir", {target}, Stage::assembly);
  EXPECT_TRUE(compiled.has_value()) << compiled.error();
  return compiled ? compiled->text : "";
}

// A value of the kernel's metadata, such as ".vgpr_spill_count".
int metadata(const std::string& assembly, const std::string& key) {
  const std::size_t at = assembly.find(key + ":");
  EXPECT_NE(at, std::string::npos) << key;
  return at == std::string::npos ? -1 : std::stoi(assembly.substr(at + key.size() + 1));
}

using Mix = std::map<std::string, int>;

// Instructions between a label and the branch back to it; the longest such loop.
Mix hot_loop(const std::string& assembly) {
  std::istringstream lines(assembly);
  std::map<std::string, Mix> since_label;
  Mix longest;
  int longest_size = 0;
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with(".LBB")) since_label[line.substr(0, line.find(':'))];
    std::istringstream words(line);
    std::string mnemonic, target;
    words >> mnemonic >> target;
    if (!line.starts_with("\t") || mnemonic.starts_with(".") || mnemonic.starts_with(";")) continue;
    for (auto& [label, mix] : since_label) ++mix[mnemonic];
    if (!mnemonic.starts_with("s_cbranch") || !since_label.contains(target)) continue;
    int size = 0;
    for (const auto& [name, count] : since_label[target]) size += count;
    if (size > longest_size) longest = since_label[target];
    longest_size = std::max(size, longest_size);
  }
  return longest;
}

int count(const Mix& mix, std::string_view prefix) {
  int sum = 0;
  for (const auto& [mnemonic, times] : mix) sum += mnemonic.starts_with(prefix) ? times : 0;
  return sum;
}

// What a step of the loop of 512x512x512 has: blocks of 128x128x32, on gfx950 of 128x128x64. A turn
// has two steps, and none computes where the next tile lies.
struct Budget {
  Target target;
  std::string_view product;  // how its instruction begins
  int products;              // of a wave in a step: 64x64x32, or x64
  int shared_loads;          // of 16 bytes, at most; of B's 8 bytes on gfx950, which transpose
  int global_loads;
  int percent;  // of all instructions, at least
};

constexpr std::array budgets{
    // B is transposed in patches of four rows: 8 bytes of each, eight times, beside 16 of A.
    Budget{Target::gfx1100, "v_wmma_f32_16x16x16_", 32, 32, 12, 25},
    Budget{Target::gfx1151, "v_wmma_f32_16x16x16_", 32, 32, 12, 25},
    Budget{Target::gfx1201, "v_wmma_f32_16x16x16_", 32, 16, 8, 28},
    Budget{Target::gfx90a, "v_mfma_f32_32x32x8", 16, 8, 6, 25},
    Budget{Target::gfx942, "v_mfma_f32_32x32x8_", 16, 8, 6, 25},
    Budget{Target::gfx950, "v_mfma_f32_32x32x16_", 16, 24, 8, 20},
};

class LargeProduct : public testing::TestWithParam<Budget> {};

TEST_P(LargeProduct, HotLoopKeepsItsBudget) {
  const Budget& budget = GetParam();
  const bool cdna = instruction::is_cdna(instruction::row(budget.target).family);
  const std::string_view load = cdna ? "ds_read" : "ds_load";
  const std::string wide = std::string(load) + "_b128";
  for (const auto& [input, result] : {std::pair("f16", "f32"), std::pair("bf16", "bf16")}) {
    const Mix loop = hot_loop(assembly_of({512, 512, 512, input, result}, budget.target));
    const bool copied = budget.target == Target::gfx950;
    constexpr int steps = 2;
    const int products = count(loop, budget.product);
    EXPECT_EQ(products, steps * budget.products);
    const int transposing = count(loop, "ds_read_b64_tr_b16");
    EXPECT_LE(count(loop, load), steps * budget.shared_loads);
    EXPECT_EQ(count(loop, load), count(loop, wide) + transposing);
    EXPECT_EQ(transposing, copied ? 16 * steps : 0);
    EXPECT_EQ(count(loop, "ds_write") == 0, copied || !cdna);
    EXPECT_EQ(count(loop, "buffer_load"), steps * budget.global_loads);
    const int of_8_bytes = budget.global_loads == 12 ? 8 * steps : 0;
    EXPECT_EQ(count(loop, "v_xor"), 0);
    EXPECT_EQ(count(loop, "buffer_load_b64"), of_8_bytes);
    if (!cdna) EXPECT_EQ(count(loop, "buffer_load"), count(loop, "buffer_load_b128") + of_8_bytes);
    EXPECT_EQ(count(loop, "scratch"), 0);
    EXPECT_EQ(count(loop, "v_cndmask"), 0);
    EXPECT_EQ(count(loop, "v_accvgpr"), 0);
    int all = 0;
    for (const auto& [mnemonic, times] : loop) all += times;
    EXPECT_GE(100 * products / all, budget.percent) << products << " of " << all;
  }
}

// Two multiplications of f32 issue together when their operands lie in different banks.
TEST_P(LargeProduct, MultiplicationsOfF32ArePaired) {
  const Target target = GetParam().target;
  if (!instruction::is_rdna(instruction::row(target).family)) GTEST_SKIP() << "f32 has MFMA";
  const Mix loop = hot_loop(assembly_of({512, 512, 512, "f32", "f32"}, target));
  const int pairs = count(loop, "v_dual_fmac_f32");
  const int alone = count(loop, "v_fmac_f32") + count(loop, "v_fma_f32");
  EXPECT_GE(100 * 2 * pairs / (2 * pairs + alone), 85) << pairs << " pairs, " << alone << " alone";
}

TEST_P(LargeProduct, NothingSpills) {
  for (const Form form : {Form::fill, Form::accumulate, Form::in_place}) {
    for (const auto& [input, result] :
         {std::pair("f16", "f32"), std::pair("f16", "f16"), std::pair("bf16", "bf16")}) {
      const std::string text = assembly_of({512, 512, 512, input, result, form}, GetParam().target);
      EXPECT_EQ(metadata(text, ".vgpr_spill_count"), 0) << input << " " << result;
      EXPECT_EQ(metadata(text, ".sgpr_spill_count"), 0) << input << " " << result;
      EXPECT_EQ(metadata(text, ".private_segment_fixed_size"), 0) << input << " " << result;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Targets, LargeProduct, testing::ValuesIn(budgets), [](const auto& info) {
  return std::string(instruction::name(info.param.target));
});

// B as it is has k across its rows: four bytes of a word come from four loads.
TEST(Assembly, BytesAreTransposedInWords) {
  for (const auto& [target, input, result] :
       {std::tuple(Target::gfx1151, "i8", "i32"), std::tuple(Target::gfx1201, "i8", "i32"),
        std::tuple(Target::gfx1201, "f8E4M3FN", "f32"), std::tuple(Target::gfx942, "i8", "i32")}) {
    const std::string zero = std::string_view(result) == "i32" ? "0" : "0.0";
    const Mix loop =
        hot_loop(assembly_of({512, 512, 512, input, result, Form::fill, zero}, target));
    EXPECT_GT(count(loop, "v_perm_b32"), 0);
    // A patch has two v_perm_b32 for each word, and no byte is moved by itself.
    for (const char* single : {"v_or", "v_lshl", "v_lshr", "v_and", "v_bfe", "v_mov"})
      EXPECT_LE(count(loop, single), 2) << single << " " << input;
  }
}

// Odd sizes take 2-byte accesses, one register each while they travel: the plan has to leave room.
// Few k steps become straight-line code, which LLVM would mix: the kernel has to keep them apart.
TEST(Assembly, OtherSizesDoNotSpill) {
  const std::array<std::array<std::int64_t, 3>, 8> shapes{{{129, 129, 129},
                                                           {513, 513, 513},
                                                           {1000, 63, 80},
                                                           {112, 385, 65},
                                                           {64, 626, 68},
                                                           {517, 752, 520},
                                                           {800, 537, 138},
                                                           {852, 49, 132}}};
  for (const Target target : {Target::gfx1100, Target::gfx1151, Target::gfx1201, Target::gfx942}) {
    for (const auto& [m, n, k] : shapes) {
      const std::string text = assembly_of({m, n, k, "bf16", "bf16", Form::in_place}, target);
      EXPECT_EQ(metadata(text, ".vgpr_spill_count"), 0) << m << "x" << n << "x" << k;
      EXPECT_EQ(metadata(text, ".private_segment_fixed_size"), 0) << m << "x" << n << "x" << k;
    }
  }
}

TEST(Assembly, EveryTargetOfTheTableIsCompiledFor) {
  for (const instruction::ProcessorRow& row : instruction::target_rows) {
    const std::string text = assembly_of({200, 300, 100, "bf16", "bf16"}, row.target);
    EXPECT_NE(text.find("amdgcn-amd-amdhsa--" + std::string(row.name)), std::string::npos);
    const std::string product = instruction::is_cdna(row.family) ? "v_mfma_f32_32x32x"
                                : row.has(instruction::Feature::gfx1250_code)
                                    ? "v_wmma_f32_16x16x32_bf16"
                                    : "v_wmma_f32_16x16x16_bf16";
    EXPECT_NE(text.find(product), std::string::npos) << row.name;
    EXPECT_EQ(metadata(text, ".vgpr_spill_count"), 0) << row.name;
  }
}

TEST(Assembly, EveryProcessorOfNvidiaIsCompiledFor) {
  for (const instruction::ProcessorRow& row : instruction::processor_rows) {
    if (!instruction::is_nvidia(row.family) || row.target < Target::sm_80) continue;
    const std::string text = assembly_of({200, 300, 100, "bf16", "bf16"}, row.target);
    EXPECT_NE(text.find(".target " + std::string(row.name)), std::string::npos) << row.name;
  }
}

// Callers in several threads get what one gets.
TEST(Assembly, IsTheSameFromSeveralThreads) {
  const MatmulText product{64, 48, 80, "f16", "f16"};
  const std::string alone = assembly_of(product, Target::gfx1201);
  std::array<std::string, 4> together;
  {
    std::vector<std::jthread> threads;
    for (std::string& text : together)
      threads.emplace_back([&] { text = assembly_of(product, Target::gfx1201); });
  }
  for (const std::string& text : together) EXPECT_EQ(text, alone);
}

TEST(Assembly, KernelAsksForNothingHidden) {
  const std::string text = assembly_of({100, 100, 100, "f16", "f32"}, Target::gfx1151);
  EXPECT_EQ(text.find("hidden_"), std::string::npos);
  EXPECT_EQ(metadata(text, ".kernarg_segment_size"), 3 * 8);
}

}  // namespace assembly_test
}  // namespace heddle::compiler
