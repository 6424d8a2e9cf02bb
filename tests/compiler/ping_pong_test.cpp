// Waves of CDNA that change places: whether D is right whatever a product's form, sizes and copies,
// what each half does between barriers, and the machine code of a turn.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cstring>
#include <sstream>

#include "compiler/launch.h"
#include "emulator/decode/code_object.h"
#include "emulator/run/run.h"
#include "product_run.h"

namespace heddle::compiler {
namespace ping_pong_test {

using instruction::Target;

constexpr std::array targets{Target::gfx90a, Target::gfx942, Target::gfx950};

Options in_turns(Target target, PlanFields fields = {}) {
  fields.schedule = "ping-pong";
  return {.target = target, .plan = fields};
}

const plan::MatmulPlan& plan_of(const Compilation& kernel) {
  return std::get<plan::MatmulPlan>(kernel.plan);
}

// k of a part of a step, of one step, of several, with and without a rest; A and B along k or not.
// So tiles go through registers and one or two of them are in LDS, or straight there. All are
// planned, and of eight the first four run: each form, and for each k other ones.
TEST(PingPong, EveryFormAndDepthIsRight) {
  int number = 0, copied = 0;
  std::array<int, 5> stages{};
  for (const Target target : targets) {
    for (const char* type : {"f16", "bf16", "f8E4M3FN", "i8", "f32", "f64"}) {
      for (const std::int64_t k : {1, 16, 32, 64, 80, 144, 320}) {
        ProductText text{.m = 80, .n = 144, .k = k, .a_type = type, .b_type = type};
        if (text.a_type == "i8") text.sum_type = "i32";
        if (text.a_type == "f64") text.sum_type = "f64";
        text.a_transposed = (number & 1) != 0;
        text.b_transposed = (number & 2) != 0;
        text.batch = number % 3 == 0 ? 2 : 0;
        text.accumulates = number % 2 == 0;
        if (number % 4 == 1 && !text.is_integer()) text.epilogue = Epilogue::bias_relu;
        const Options options = in_turns(target, {.block_m = 64, .block_n = 128});
        ++number;
        const auto kernel = compile(text.mlir(), "test.mlir", options, Stage::plan);
        ASSERT_TRUE(kernel.has_value()) << kernel.error();
        copied += plan_of(*kernel).has_copies() ? 1 : 0;
        ++stages[static_cast<std::size_t>(plan_of(*kernel).tiles.stages)];
        if ((number - 1) / 4 % 2 != 0) continue;
        EXPECT_EQ(difference(text, options), "") << instruction::name(target) << "\n"
                                                 << text.mlir();
      }
    }
  }
  EXPECT_GT(copied, 10);
  for (const std::size_t count : {1u, 2u, 3u}) EXPECT_GT(stages[count], 2) << count << " stages";
}

// Of A and B one is computed on its way, so on gfx950, too, both pass registers. Where k is not
// dynamic, it is A for every second k, and B for the others.
TEST(PingPong, OperandsThatAreComputedAreRight) {
  constexpr std::array<std::int64_t, 4> depths{32, 64, 144, 320};
  for (std::size_t t = 0; t < targets.size(); ++t)
    for (const bool is_a : {true, false})
      for (const unsigned dynamic : {0u, 7u})
        for (std::size_t i = 0; i < depths.size(); ++i) {
          if (dynamic == 0 && (i + t) % 2 != (is_a ? 0 : 1)) continue;
          ProductText text{.m = 80, .n = 144, .k = depths[i]};
          (is_a ? text.producer : text.b_producer) = Producer::from_floats;
          text.b_transposed = text.k == 144;
          text.dynamic = dynamic;
          const Options options = in_turns(targets[t], {.block_m = 64, .block_n = 128});
          const auto kernel = compile(text.mlir(), "test.mlir", options, Stage::plan);
          ASSERT_TRUE(kernel.has_value()) << kernel.error();
          EXPECT_TRUE(plan_of(*kernel).ping_pong);
          EXPECT_FALSE(plan_of(*kernel).has_copies());
          for (const Compilation& variant : kernel->variants)
            EXPECT_TRUE(plan_of(variant).ping_pong);
          EXPECT_EQ(difference(text, options), "") << instruction::name(targets[t]) << "\n"
                                                   << text.mlir();
        }
}

// One tile in LDS is overwritten in a turn of its own.
TEST(PingPong, AnyNumberOfTilesInLdsIsRight) {
  for (const Target target : targets)
    for (const int stages : {1, 2, 3, 4})
      for (const unsigned dynamic : {0u, 4u})
        for (const std::int64_t k : {16, 64, 96, 160, 272}) {
          ProductText text{.m = 64, .n = 64, .k = k};
          text.a_transposed = true;  // so that rows are long enough for copies whatever k is
          text.dynamic = dynamic;
          const bool is_copied = target == Target::gfx950;
          if (is_copied ? stages == 1 : stages > 2) continue;
          const Options options =
              in_turns(target, {.block_m = 64, .block_n = 64, .stages = stages});
          EXPECT_EQ(difference(text, options), "")
              << instruction::name(target) << ", " << stages << " stages\n"
              << text.mlir();
        }
}

TEST(PingPong, PartsOfKAreRight) {
  for (const Target target : targets)
    for (const bool transposed : {false, true}) {
      ProductText text{.m = 48, .n = 80, .k = 1040};
      text.b_transposed = transposed;
      text.epilogue = Epilogue::bias_relu;
      const Options options =
          in_turns(target, {.block_m = 64, .block_n = 64, .split_k = transposed ? 2 : 4});
      EXPECT_EQ(difference(text, options), "") << instruction::name(target) << "\n" << text.mlir();
    }
}

TEST(PingPong, AnySizesAreRight) {
  for (const Target target : targets)
    for (const unsigned dynamic : {1u, 4u, 7u, 15u})
      for (const std::int64_t k : {1, 32, 33, 100, 136}) {
        ProductText text{.m = 70, .n = 136, .k = k, .batch = dynamic == 15 ? 2 : 0};
        text.dynamic = dynamic;
        text.b_transposed = dynamic == 7;
        const Options options = in_turns(target, {.block_m = 64, .block_n = 64});
        EXPECT_EQ(difference(text, options), "") << instruction::name(target) << "\n"
                                                 << text.mlir();
      }
}

TEST(PingPong, F32ByNarrowerNumbersIsRight) {
  for (const Target target : targets)
    for (const auto path : {plan::F32Path::bf16x3, plan::F32Path::tf32}) {
      if (path == plan::F32Path::tf32 && target != Target::gfx942) continue;
      const ProductText text{.m = 70, .n = 136, .k = 100, .a_type = "f32", .b_type = "f32"};
      Options options = in_turns(target, {.block_m = 64, .block_n = 64});
      options.f32 = path;
      EXPECT_EQ(difference(text, options), "") << instruction::name(target);
    }
}

RC_GTEST_PROP(PingPong, AnyProductIsRight, ()) {
  const ProductText text = any_product();
  const Target target = *rc::gen::elementOf(targets);
  const Options options = in_turns(
      target, {.block_m = *rc::gen::element(64, 128), .block_n = *rc::gen::element(64, 128)});
  RC_PRE(compile(text.mlir(), "test.mlir", options, Stage::plan).has_value());
  RC_LOG() << instruction::name(target) << "\n" << text.mlir();
  RC_ASSERT(difference(text, options) == "");
}

int class_number(std::string_view name) {
  const auto found =
      std::ranges::find(emulator::amd_classes, name, &emulator::InstructionClass::name);
  return static_cast<int>(found - emulator::amd_classes.begin());
}

// What the halves do otherwise than in turns; empty where they take turns: of any two intervals
// between barriers one has the multiplications of one half, and the next those of the other. Who
// multiplies touches neither LDS nor memory before its last turn.
std::string otherwise_than_in_turns(const emulator::Timeline& timeline) {
  const auto mfma = static_cast<std::size_t>(class_number("MFMA"));
  const auto lds = static_cast<std::size_t>(class_number("LDS"));
  const auto global = static_cast<std::size_t>(class_number("global"));
  const auto& waves = timeline.waves;
  if (waves.size() != 8 || timeline.is_cut) return "no whole timeline of 8 waves";
  std::array<std::vector<std::size_t>, 8> turns;  // intervals in which the wave multiplies
  for (std::size_t wave = 0; wave < 8; ++wave)
    for (std::size_t at = 0; at < waves[wave].size(); ++at)
      if (waves[wave][at][mfma] != 0) turns[wave].push_back(at);
  if (turns[0].size() < 2) return "a single turn";
  for (std::size_t wave = 0; wave < 8; ++wave) {
    const std::string name = "wave " + std::to_string(wave);
    if (turns[wave].size() != turns[0].size())
      return name + ", " + std::to_string(turns[wave].size()) + " turns";
    for (std::size_t i = 0; i < turns[wave].size(); ++i) {
      const std::size_t at = turns[wave][i];
      if (at != turns[0][0] + 2 * i + (wave < 4 ? 0 : 1))
        return name + " multiplies in interval " + std::to_string(at);
      if (waves[wave][at][lds] != 0) return name + " multiplies beside accesses to LDS";
      if (i + 1 < turns[wave].size() && waves[wave][at][global] != 0)
        return name + " multiplies beside accesses to memory";
    }
  }
  return {};
}

TEST(PingPong, HalvesOfTheWavesTakeTurns) {
  for (const Target target : targets) {
    for (const std::int64_t k : {64, 96, 144}) {
      const ProductText text{.m = 64, .n = 128, .k = k};
      PlanFields fields{.block_m = 64, .block_n = 128};
      const Outcome done = run(text, in_turns(target, fields), Operands::exact, 1);
      ASSERT_EQ(done.error, "");
      EXPECT_EQ(otherwise_than_in_turns(done.timeline.value()), "");
      fields = {.block_m = 64, .block_n = 128, .warps_m = 2, .warps_n = 4, .schedule = "together"};
      const Outcome other = run(text, {.target = target, .plan = fields}, Operands::exact, 1);
      ASSERT_EQ(other.error, "");
      EXPECT_NE(otherwise_than_in_turns(other.timeline.value()), "");
    }
  }
}

// Each barrier of a kernel, one at a time, and of one with parts of k those that half of the waves
// pass by: the checker finds that it is deleted, or halves that do not
// take turns. Behind the last of a kernel without parts there is no barrier more, and waves that
// have ended are waited for no longer.
TEST(PingPong, EveryBarrierIsNeeded) {
  constexpr std::uint32_t s_barrier = 0xbf8a0000, s_nop = 0xbf800000;  // MI300 ISA, "SOPP"
  constexpr std::uint32_t s_cbranch_scc0 = 0xbf840000, s_cbranch_scc1 = 0xbf850000;
  for (const Target target : targets) {
    for (const int split_k : {1, 2}) {
      const ProductText text{.m = 64, .n = 128, .k = 144};
      const Options options = in_turns(target, {.block_m = 64, .block_n = 128, .split_k = split_k});
      const auto kernel = compile(text.mlir(), "test.mlir", options, Stage::object);
      ASSERT_TRUE(kernel.has_value()) << kernel.error();
      std::vector<std::uint32_t> words(kernel->object.size() / 4);
      std::memcpy(words.data(), kernel->object.data(), 4 * words.size());
      std::vector<std::size_t> barriers;
      for (std::size_t at = 1; at < words.size(); ++at) {
        const std::uint32_t before = words[at - 1] & 0xffff0000;
        const bool may_be_passed = before == s_cbranch_scc0 || before == s_cbranch_scc1;
        if (words[at] == s_barrier && (split_k == 1 || may_be_passed)) barriers.push_back(at);
      }
      if (split_k == 1) {
        EXPECT_GT(barriers.size(), 20u);
        barriers.pop_back();
      } else {
        EXPECT_GE(barriers.size(), 2u);
      }
      for (const std::size_t barrier : barriers) {
        std::vector<std::uint32_t> mutant = words;
        mutant[barrier] = s_nop;
        const auto object = emulator::CodeObject::load(std::as_bytes(std::span(mutant)));
        ASSERT_TRUE(object.has_value());
        Buffers buffers;
        for (const Parameter& parameter : kernel->parameters) buffers.emplace_back(parameter.bytes);
        emulator::Launch launch;
        launch.check = true;
        bind_launch(*kernel, kernel->problem, buffers, launch);
        const auto report = emulator::run(*object, launch);
        ASSERT_TRUE(report.has_value()) << report.error().text();
        EXPECT_TRUE(!report->findings.empty() ||
                    !otherwise_than_in_turns(report->timeline.value()).empty())
            << instruction::name(target) << ", " << split_k << " parts, word " << barrier;
      }
    }
  }
}

// What stands between s_setprio 1 and s_setprio 0, and between that and the next s_setprio 1.
struct Turns {
  std::vector<std::vector<std::string>> multiplying, loading;
};

Turns turns_in(const std::string& assembly) {
  Turns turns;
  bool multiplies = false;
  std::istringstream lines(assembly);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string mnemonic, operand;
    words >> mnemonic >> operand;
    if (!line.starts_with("\t") || mnemonic.starts_with(".") || mnemonic.starts_with(";")) continue;
    if (mnemonic == "s_setprio") {
      multiplies = operand == "1";
      (multiplies ? turns.multiplying : turns.loading).emplace_back();
      continue;
    }
    if (multiplies)
      turns.multiplying.back().push_back(mnemonic);
    else if (!turns.loading.empty())
      turns.loading.back().push_back(mnemonic);
  }
  return turns;
}

// Large tiles: every turn to multiply is nothing but as many MFMA as the plan says, which no wait
// interrupts; every turn to load is between two barriers; nothing is spilled.
TEST(PingPong, TurnsHoldWhatThePlanSays) {
  for (const Target target : targets) {
    for (const bool transposed : {false, true}) {
      ProductText text{.m = 512, .n = 512, .k = 1024};
      text.b_transposed = transposed;
      const Options options = in_turns(target, {.block_m = 256, .block_n = 256, .split_k = 1});
      const auto kernel = compile(text.mlir(), "test.mlir", options, Stage::assembly);
      ASSERT_TRUE(kernel.has_value()) << kernel.error();
      const plan::MatmulPlan& plan = plan_of(*kernel);
      const auto in_turn = static_cast<std::size_t>(plan.atoms_m() * plan.atoms_n() * plan.pack);
      const Turns turns = turns_in(kernel->text);
      ASSERT_GE(turns.multiplying.size(), 4u);
      ASSERT_EQ(turns.multiplying.size(), turns.loading.size());
      std::size_t halves = 0;
      for (std::size_t i = 0; i < turns.multiplying.size(); ++i) {
        const auto& turn = turns.multiplying[i];
        for (const std::string& mnemonic : turn)
          EXPECT_TRUE(mnemonic.starts_with("v_mfma_") || mnemonic == "s_nop") << mnemonic;
        const auto count = static_cast<std::size_t>(std::ranges::count_if(
            turn, [](const std::string& mnemonic) { return mnemonic.starts_with("v_mfma_"); }));
        // The last k atom's are two turns where a tile is overwritten between them.
        halves += count == in_turn / 2 ? 1 : 0;
        EXPECT_TRUE(count == in_turn || count == in_turn / 2) << count;
        if (i + 1 == turns.multiplying.size()) break;
        const auto& loads = turns.loading[i];
        EXPECT_EQ(std::ranges::count(loads, "s_barrier"), 2);
        EXPECT_EQ(loads.front(), "s_barrier");
        EXPECT_EQ(loads.back(), "s_barrier");
        EXPECT_TRUE(std::ranges::none_of(
            loads, [](const std::string& mnemonic) { return mnemonic.starts_with("v_mfma_"); }));
      }
      EXPECT_EQ(halves != 0, plan.tiles.stages == 1) << instruction::name(target);
      EXPECT_NE(kernel->text.find(".vgpr_spill_count: 0"), std::string::npos);
      EXPECT_NE(kernel->text.find(".agpr_count:     0"), std::string::npos);
    }
  }
}

// Tiles of which the second lies beyond 64 KiB, loaded one element at a time: each of 96 loads had
// a register for its place in that tile.
TEST(PingPong, PlacesInTheSecondTileTakeFewRegisters) {
  ProductText text{.m = 512, .n = 512, .k = 1024, .a_type = "f32", .b_type = "f32"};
  text.a_transposed = true;
  const Options options = in_turns(Target::gfx950, {.block_m = 256, .block_n = 256, .split_k = 1});
  const auto kernel = compile(text.mlir(), "test.mlir", options, Stage::assembly);
  ASSERT_TRUE(kernel.has_value()) << kernel.error();
  EXPECT_NE(kernel->text.find(".vgpr_spill_count: 0"), std::string::npos);
  EXPECT_EQ(difference(text, options), "");
}

}  // namespace ping_pong_test
}  // namespace heddle::compiler
