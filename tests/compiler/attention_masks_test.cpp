// Attention whose masks are comparisons of places, and drawn problems of all forms: each is one
// kernel on every machine, right by the judge and by plain loops.
#include <algorithm>
#include <cstdlib>
#include <tuple>

#include "attention_draw.h"

namespace heddle::compiler {
namespace attention_masks_test {

constexpr std::array machines{Target::gfx1151, Target::gfx1201, Target::gfx942, Target::sm_80,
                              Target::sm_90a,  Target::gfx1100, Target::gfx950, Target::gfx90a,
                              Target::sm_120,  Target::gfx1250};

void expect_one_kernel(const DrawnAttention& attention, Target target,
                       const std::map<int, std::vector<double>>& given = {}) {
  SCOPED_TRACE(std::string(instruction::name(target)) + "\n" + attention.mlir());
  const SequenceOutcome done = run_sequence(attention.mlir(), {.target = target}, 0, given);
  ASSERT_EQ(done.error, "");
  ASSERT_EQ(done.all.kernels.size(), 1u) << done.all.kernels.back().choices.back().why;
  EXPECT_TRUE(done.checks[0].right())
      << done.checks[0].wrong << " of " << done.checks[0].elements << ", row "
      << done.checks[0].worst_row << ", column " << done.checks[0].worst_column << ": "
      << done.checks[0].worst_value << " for " << done.checks[0].worst_reference;
  const std::vector<double> wanted = attention.expected(done.arguments);
  ASSERT_EQ(done.results[0].values.size(), wanted.size());
  const double tolerance = attention.type == "f16" ? 0x1p-8 : 0x1p-5;
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    const double found = done.results[0].values[i];
    if (std::isnan(wanted[i]))
      ASSERT_TRUE(std::isnan(found)) << i << ": " << found;
    else
      ASSERT_NEAR(found, wanted[i], tolerance) << i;
  }
}

// HEDDLE_SWEEP: how many, or which: 500, or 200-299; 500 take some minutes.
std::pair<int, int> drawn_numbers() {
  const char* const set = std::getenv("HEDDLE_SWEEP");
  const std::string asked = set == nullptr ? "18" : set;
  const std::size_t dash = asked.find('-');
  if (dash == std::string::npos) return {0, std::max(1, std::atoi(asked.c_str()))};
  const int first = std::atoi(asked.c_str());
  return {first, std::max(first, std::atoi(asked.c_str() + dash + 1)) + 1};
}

class DrawnProblems : public ::testing::TestWithParam<int> {};

// Of each two rounds through the machines one has few queries and many keys.
TEST_P(DrawnProblems, AreOneKernelThatIsRight) {
  const auto number = static_cast<std::size_t>(GetParam());
  const bool is_decode = number / machines.size() % 2 == 1;
  expect_one_kernel(is_decode ? drawn_decode(number) : drawn_attention(number),
                    machines[number % machines.size()]);
}

INSTANTIATE_TEST_SUITE_P(AttentionMasks, DrawnProblems,
                         ::testing::Range(drawn_numbers().first, drawn_numbers().second));

// Heads above 256, whose depth and columns warps divide: prefill and decoding on every machine.
TEST(AttentionMasks, WideHeads) {
  for (std::size_t i = 0; i < 2 * machines.size(); ++i) {
    DrawnAttention attention =
        i < machines.size() ? drawn_attention(7000 + i) : drawn_decode(7000 + i);
    attention.keys = std::min<std::int64_t>(attention.keys, 700);
    attention.depth = i % 3 == 0 ? 576 : 320;
    attention.columns = i % 2 == 0 ? 512 : 264;
    attention.scale = 0.0625;
    expect_one_kernel(attention, machines[i % machines.size()]);
  }
}

// Problems of several tiles and blocks of keys, by wgmma: masks at both ends of a row of blocks, in
// the middle of a block, and of operands; formulas; rows of which one tile has several heads.
TEST(AttentionMasks, FormulasByWgmma) {
  const auto expect_wgmma = [](const DrawnAttention& attention) {
    expect_one_kernel(attention, Target::sm_90a);
    const auto made =
        compile_sequence(attention.mlir(), "a.mlir", {.target = Target::sm_90a}, Stage::plan);
    ASSERT_TRUE(made) << made.error();
    EXPECT_TRUE(std::holds_alternative<plan::WarpgroupAttentionPlan>(made->kernels[0].plan));
  };
  const DrawnAttention wide{.heads = 1,
                            .queries = 300,
                            .keys = 300,
                            .depth = 128,
                            .columns = 128,
                            .type = "bf16",
                            .scale = 0.125};
  DrawnAttention attention = wide;
  attention.is_causal = true;
  for (const std::int64_t window : {0, 100, 250})
    for (const std::int64_t columns : {64, 128}) {
      attention.window = window;
      attention.depth = attention.columns = columns;
      expect_wgmma(attention);
    }
  attention = wide;
  attention.is_causal = attention.is_last = true;
  attention.queries = 200;
  expect_wgmma(attention);
  attention.group = 3;  // and its tiles have rows of two heads
  expect_wgmma(attention);
  attention.keys = 150;  // rows and tiles that see no key
  for (const char* const lowest : {"0xFF800000", "-1.0e9"}) {
    attention.lowest = lowest;
    expect_wgmma(attention);
  }
  attention = wide;
  attention.window = 70;  // of the keys after a query, none is masked
  expect_wgmma(attention);
  attention = wide;
  attention.slope = 0.0625;
  attention.cap = 5;
  expect_wgmma(attention);
  attention.is_causal = true;
  expect_wgmma(attention);
  for (const auto operand : {DrawnAttention::Operand::floats, DrawnAttention::Operand::bits}) {
    attention.operand = operand;
    expect_wgmma(attention);
  }
}

// Q, K, V and O are tokens x heads x depth.
TEST(AttentionMasks, HeadsBesideTokens) {
  const DrawnAttention attention{
      .heads = 3, .queries = 70, .keys = 90, .depth = 32, .columns = 64, .tokens_first = true};
  for (const Target target : {Target::gfx1201, Target::gfx942, Target::sm_80})
    expect_one_kernel(attention, target);
}

// Several heads of queries share one of K and V: they are rows of one matrix, whether heads or
// tokens come first.
class SharedKeysAndValues : public ::testing::TestWithParam<std::tuple<bool, Target>> {};

TEST_P(SharedKeysAndValues, AreOneKernelThatIsRight) {
  const auto [tokens_first, target] = GetParam();
  expect_one_kernel({.heads = 2,
                     .group = 4,
                     .queries = 192,
                     .keys = 190,
                     .depth = 64,
                     .columns = 64,
                     .type = "bf16",
                     .tokens_first = tokens_first,
                     .is_causal = true},
                    target);
}

INSTANTIATE_TEST_SUITE_P(AttentionMasks, SharedKeysAndValues,
                         ::testing::Combine(::testing::Bool(),
                                            ::testing::Values(Target::gfx1201, Target::gfx942,
                                                              Target::sm_80)));

// Of the blocks of keys a causal product needs half and the diagonal, and a window fewer.
TEST(AttentionMasks, BlocksOfMaskedKeysAreSkipped) {
  const auto said = [](const DrawnAttention& attention, Target target) {
    const auto made = compile_sequence(attention.mlir(), "a.mlir", {.target = target}, Stage::plan);
    if (!made) return made.error();
    for (const plan::Choice& choice : made->kernels[0].choices)
      if (choice.what == "mask") return choice.value + "; " + choice.why.substr(0, 30);
    return std::string("nothing is said");
  };
  DrawnAttention attention{.queries = 1024, .keys = 1024, .depth = 64, .columns = 64};
  EXPECT_EQ(said(attention, Target::sm_80), "nothing is said");
  attention.is_causal = true;
  EXPECT_EQ(said(attention, Target::sm_80),
            "120 of 256 blocks skipped; 120 of the others need no mask");
  attention.window = 128;
  for (const auto spelling : {DrawnAttention::Spelling::selected, DrawnAttention::Spelling::bits,
                              DrawnAttention::Spelling::added}) {
    attention.spelling = spelling;
    EXPECT_EQ(said(attention, Target::sm_80),
              "211 of 256 blocks skipped; 15 of the others need no mask:");
  }
  DrawnAttention open = attention;
  open.has_position = true;
  EXPECT_EQ(said(open, Target::sm_80),
            "blocks are skipped by numbers of the launch; which keys are masked depends ");
  // Heads that share K and V are rows of one matrix, in which places jump.
  attention = {.group = 4,
               .queries = 256,
               .keys = 1024,
               .depth = 64,
               .columns = 64,
               .is_causal = true,
               .is_last = true};
  EXPECT_EQ(said(attention, Target::sm_80),
            "24 of 256 blocks skipped; 216 of the others need no mask");
}

// Few queries: blocks share the keys, some of which have none that a query sees, and the plan says
// so. A query without any key is 0 / 0, or the mean of V.
TEST(AttentionMasks, KeysAreShared) {
  DrawnAttention attention{.heads = 2,
                           .group = 8,
                           .queries = 1,
                           .keys = 1100,
                           .depth = 64,
                           .columns = 64,
                           .is_causal = true,
                           .is_last = true};
  const auto parts = [&](Target target) {
    const auto made = compile_sequence(attention.mlir(), "a.mlir", {.target = target}, Stage::plan);
    return made ? std::get<plan::AttentionPlan>(made->kernels[0].plan).parts : 0;
  };
  for (const Target target : machines) {
    EXPECT_GT(parts(target), 1) << instruction::name(target);
    expect_one_kernel(attention, target);
  }
  attention.window = 100;
  for (const Target target : machines) expect_one_kernel(attention, target);
  attention.window = 0;
  attention.queries = 3;
  attention.keys = 1000;
  attention.is_last = false;  // queries see 1, 2 and 3 keys
  for (const Target target : machines) expect_one_kernel(attention, target);
  attention.operand = DrawnAttention::Operand::bits;  // and some of these not
  for (const char* const lowest : {"0xFF800000", "-1.0e9"})
    for (const Target target : machines) {
      attention.lowest = lowest;
      expect_one_kernel(attention, target);
    }
}

// A cache of keys of which a launch says how many are filled: the place of a query in it is an
// argument, as of prefill and of one step of decoding.
TEST(AttentionMasks, PositionsOfALaunch) {
  DrawnAttention attention{.heads = 2,
                           .group = 2,
                           .queries = 40,
                           .keys = 300,
                           .depth = 32,
                           .columns = 32,
                           .tokens_first = true,
                           .is_causal = true,
                           .is_unsigned = true,
                           .has_position = true};
  for (const double position : {3.0, 290.0})
    for (const Target target : machines) expect_one_kernel(attention, target, {{3, {position}}});
  attention.queries = 1;
  for (const double position : {0.0, 130.0})
    for (const Target target : machines) expect_one_kernel(attention, target, {{3, {position}}});
}

// Positions that no cache has say what they say: of a sum of 32 bits nothing is left out.
TEST(AttentionMasks, AnyPositionOfALaunch) {
  DrawnAttention attention{.heads = 2,
                           .queries = 70,
                           .keys = 300,
                           .depth = 64,
                           .columns = 64,
                           .type = "bf16",
                           .is_causal = true,
                           .has_position = true};
  const auto expect_right = [&](const char* const places, double position) {
    SCOPED_TRACE(position);
    attention.places = places;
    for (const Target target : {Target::gfx1201, Target::sm_90a})
      expect_one_kernel(attention, target, {{3, {position}}});
  };
  for (const auto& [window, is_unsigned] : {std::pair(0, false), {0, true}, {90, false}}) {
    attention.window = window;
    attention.is_unsigned = is_unsigned;
    for (const double position : {-45.0, 0x1.2p30}) expect_right("i32", position);
    for (const double position : {-45.0, 0x1p40, -0x1p40}) expect_right("i64", position);
  }
}

// Places times a factor with which they have more than 32 bits.
TEST(AttentionMasks, LargeSumsOfPlaces) {
  DrawnAttention attention{
      .queries = 64, .keys = 64, .depth = 32, .columns = 32, .is_causal = true, .places = "i64"};
  std::string text = attention.mlir();
  for (const char* const place : {"%m_i", "%n_i"}) {
    const std::string name(place, 2), line = name + " = arith.index_cast " + place;
    text.replace(text.find(line), name.size(), name + "_one");
    const std::string next = "\n";
    text.insert(text.find(next, text.find(name + "_one")) + 1,
                "    " + name + "_by = arith.constant 134217728 : i64\n    " + name +
                    " = arith.muli " + name + "_one, " + name + "_by : i64\n");
  }
  for (const Target target : {Target::gfx1201, Target::gfx942, Target::sm_80, Target::sm_90a}) {
    const SequenceOutcome done = run_sequence(text, {.target = target});
    ASSERT_EQ(done.error, "") << text;
    ASSERT_EQ(done.all.kernels.size(), 1u);
    EXPECT_TRUE(done.checks[0].right()) << instruction::name(target);
    const std::vector<double> wanted = attention.expected(done.arguments);
    for (std::size_t i = 0; i < wanted.size(); ++i)
      ASSERT_NEAR(done.results[0].values[i], wanted[i], 0x1p-8) << i;
  }
}

// A row that is masked wholly is 0 / 0 if masks are -infinity, and else the mean of V.
TEST(AttentionMasks, RowsThatAreMaskedWholly) {
  DrawnAttention attention{.queries = 100, .keys = 40, .is_causal = true, .is_last = true};
  for (const Target target : {Target::gfx1151, Target::gfx942, Target::sm_80, Target::sm_90a})
    for (const char* const lowest : {"0xFF800000", "-3.40282347E+38", "-1.0e9"}) {
      attention.lowest = lowest;
      expect_one_kernel(attention, target);
    }
}

}  // namespace attention_masks_test
}  // namespace heddle::compiler
