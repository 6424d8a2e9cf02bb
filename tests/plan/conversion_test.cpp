// Conversions carried out on named elements over random pairs of layouts; Triton's own conversions
// as the peer to beat (tests/data/triton_conversions.json.gz).
#include "heddle/plan/conversion.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <bit>
#include <map>

#include "heddle/layout/text.h"
#include "heddle/plan/lane_conversion.h"
#include "tests/plan/conversion_interpreter.h"

namespace heddle::plan {
namespace conversion_test {

using instruction::Target;
using layout::LinearLayout;

constexpr std::array targets{Target::gfx1151, Target::gfx1201, Target::gfx942,
                             Target::gfx950,  Target::sm_80,   Target::sm_90};

struct Spread {
  int lane_bits, warp_bits, rows, columns;
};

/// A layout that reaches every element of the tile, with copies here and there. Most bits are
/// units, in an order that keeps warps (and lanes) of `like` in place now and then.
LinearLayout random_layout(const Spread& spread, const LinearLayout* like) {
  const int tile_bits = spread.rows + spread.columns;
  const int outer = spread.lane_bits + spread.warp_bits;
  const int register_bits = std::max(0, tile_bits - outer) + *rc::gen::inRange(0, 3);
  const int bits = register_bits + outer;
  std::vector<std::uint64_t> words(static_cast<std::size_t>(bits), 0);
  for (int i = 0; i < std::min(tile_bits, bits); ++i)
    words[static_cast<std::size_t>(i)] = std::uint64_t{1} << i;
  for (std::size_t i = words.size(); i > 1; --i)
    std::swap(words[i - 1], words[*rc::gen::inRange<std::size_t>(0, i)]);
  if (like != nullptr) {
    // Bring the same words back to the outer axes from `keep` on.
    const int keep = *rc::gen::inRange(0, outer + 1);
    for (int i = bits - 1; i >= register_bits + keep; --i) {
      const int from = i - register_bits + like->inputs().bits_of("register");
      const auto at = std::ranges::find(words.begin(), words.begin() + i + 1, like->basis(from));
      if (at != words.begin() + i + 1) std::swap(*at, words[static_cast<std::size_t>(i)]);
    }
  }
  for (int flips = *rc::gen::inRange(0, 4); flips > 0; --flips) {
    const auto a = *rc::gen::inRange<std::size_t>(0, words.size());
    const auto b = *rc::gen::inRange<std::size_t>(0, words.size());
    if (a != b) words[a] ^= words[b];
  }
  LinearLayout::Bases bases{};
  std::copy(words.begin(), words.end(), bases.begin());
  return LinearLayout::from_words({{"register", register_bits},
                                   {"lane", spread.lane_bits},
                                   {"warp", spread.warp_bits},
                                   {"block", 0}},
                                  {{"dim0", spread.rows}, {"dim1", spread.columns}}, bases)
      .value();
}

std::string describe(const LinearLayout& map) { return std::string(layout::text(map).view()); }

RC_GTEST_PROP(Conversion, EveryElementArrivesByEveryWay, ()) {
  const Target target = *rc::gen::elementOf(targets);
  const int element_bits = *rc::gen::element(8, 16, 32, 64);
  Spread spread;
  spread.lane_bits = memory::bank_model(target).wave == 64 ? 6 : 5;
  spread.warp_bits = *rc::gen::inRange(0, 3);
  const int tile_bits = *rc::gen::inRange(4, 12);
  spread.rows = *rc::gen::inRange(1, tile_bits);
  spread.columns = tile_bits - spread.rows;
  const LinearLayout from = random_layout(spread, nullptr);
  const LinearLayout to = random_layout(spread, &from);
  RC_LOG() << instruction::name(target) << " " << element_bits << "\n"
           << describe(from) << "\n"
           << describe(to) << "\n";
  RC_PRE(layout::is_surjective(from));
  const auto plan = plan_conversion(from, to, target, element_bits);
  RC_ASSERT(plan.has_value());
  const RegisterFile expected = RegisterFile::of(to);
  RC_TAG(std::string(name(plan->chosen.way)));
  std::vector<ConversionWay> ways = plan->others;
  ways.push_back(plan->chosen);
  for (const ConversionWay& way : ways) {
    RC_LOG() << name(way.way) << "\n";
    RC_ASSERT(carried_out(way, from, to, element_bits) == expected);
  }
}

LinearLayout parsed(const std::string& text) {
  return layout::parse(text + "; warp:; block: -> dim0: 32, dim1: 32").value();
}

// The result of v_mfma_f32_32x32x16_bf16 as the operand of the next: bit 5 of the lane and one of
// the register change places, in 8 registers of 32 bits (triton-lang/triton#6744).
TEST(Conversion, SwapsAloneTakeAResultToAnOperand) {
  const LinearLayout from =
      parsed("register: (0,1) (0,2) (0,8) (0,16); lane: (1,0) (2,0) (4,0) (8,0) (16,0) (0,4)");
  const LinearLayout to =
      parsed("register: (0,1) (0,2) (0,4) (0,16); lane: (1,0) (2,0) (4,0) (8,0) (16,0) (0,8)");
  const auto plan = plan_conversion(from, to, Target::gfx950, 16);
  ASSERT_TRUE(plan) << plan.error();
  ASSERT_TRUE(plan->chosen.swaps);
  EXPECT_EQ(plan->chosen.swaps->stages, (std::vector<LaneSwap>{{2, 5}}));
  EXPECT_EQ(plan->chosen.instructions(), 4u);
  ASSERT_EQ(plan->chosen.steps.size(), 1u);
  EXPECT_EQ(plan->chosen.steps[0].instruction, "v_permlane32_swap_b32");
  EXPECT_EQ(plan->chosen.steps[0].count, 4u);
  EXPECT_FALSE(plan_conversion(from, to, Target::gfx942, 16)->chosen.swaps);  // it has no swaps
}

/// The layout whose words are the units of the tile in this order.
LinearLayout ordered(const std::vector<int>& units, int register_bits, int lane_bits) {
  LinearLayout::Bases bases{};
  for (std::size_t i = 0; i < units.size(); ++i) bases[i] = std::uint64_t{1} << units[i];
  return LinearLayout::from_words(
             {{"register", register_bits}, {"lane", lane_bits}, {"warp", 0}, {"block", 0}},
             {{"dim0", static_cast<int>(units.size())}}, bases)
      .value();
}

// Whatever two swaps make of a layout, and any order of the registers after it, is found, with as
// many instructions at most; and it does what it says.
RC_GTEST_PROP(Conversion, SwapsAreFound, ()) {
  const Target target = *rc::gen::element(Target::gfx950, Target::gfx1250);
  const int element_bits = *rc::gen::element(8, 16, 32, 64);
  const int lane_bits = memory::bank_model(target).wave == 64 ? 6 : 5;
  const int word_bits = std::bit_width(32u / static_cast<unsigned>(std::min(element_bits, 32))) - 1;
  const int register_bits = word_bits + *rc::gen::inRange(1, 4);
  std::vector<int> units;
  for (int bit = 0; bit < register_bits + lane_bits; ++bit) units.push_back(bit);
  const LinearLayout from = ordered(units, register_bits, lane_bits);
  const auto lanes = detail::swapped_lane_bits(instruction::processor(target).family);
  const int stages = *rc::gen::inRange(1, 3);
  for (int stage = 0; stage < stages; ++stage) {
    const int lane = *rc::gen::elementOf(std::vector<int>(lanes.begin(), lanes.end()));
    std::swap(units[static_cast<std::size_t>(*rc::gen::inRange(word_bits, register_bits))],
              units[static_cast<std::size_t>(register_bits + lane)]);
  }
  for (int i = register_bits; i > word_bits + 1; --i)
    std::swap(units[static_cast<std::size_t>(i - 1)],
              units[static_cast<std::size_t>(*rc::gen::inRange(word_bits, i))]);
  const LinearLayout to = ordered(units, register_bits, lane_bits);
  const auto within = layout::sublayout(detail::nearest_source(to, from).value(),
                                        {"register", "lane"}, {"register", "lane"});
  const auto way = detail::swap_way(instruction::processor(target), within.value(), element_bits);
  bool changes_lanes = false;
  for (int bit = 0; bit < lane_bits; ++bit)
    changes_lanes |= units[static_cast<std::size_t>(register_bits + bit)] != register_bits + bit;
  RC_ASSERT(way.has_value() == changes_lanes);
  if (!way) return;
  RC_ASSERT(way->swaps->stages.size() <= static_cast<std::size_t>(stages));
  RC_ASSERT(carried_out(*way, from, to, element_bits) == RegisterFile::of(to));
}

/// Register 2's step from register 0 is a part and a step along a row of stmatrix: the rows of the
/// other part would begin inside a row of 16 bytes.
TEST(Conversion, RowsOfEveryPartBeginAtARow) {
  const layout::AxisList tile{{"dim0", 1}, {"dim1", 9}};
  const auto word = [](std::uint64_t row, std::uint64_t column) { return row | column << 1; };
  const auto map = [&](std::initializer_list<std::uint64_t> registers) {
    LinearLayout::Bases bases{};
    auto next = std::ranges::copy(registers, bases.begin()).out;
    std::ranges::copy(std::array{word(0, 32), word(0, 64), word(0, 128), word(0, 256), word(1, 0)},
                      next);
    return LinearLayout::from_words({{"register", static_cast<int>(registers.size())},
                                     {"lane", 5},
                                     {"warp", 0},
                                     {"block", 0}},
                                    tile, bases)
        .value();
  };
  const LinearLayout from = map({word(0, 4), word(0, 34), word(0, 5), word(0, 8), word(0, 16)});
  const LinearLayout to =
      map({word(0, 0), word(0, 2), word(0, 4), word(0, 8), word(0, 16), word(0, 1)});
  const auto plan = plan_conversion(from, to, Target::sm_90, 16);
  ASSERT_TRUE(plan) << plan.error();
  std::vector<ConversionWay> ways = plan->others;
  ways.push_back(plan->chosen);
  for (const ConversionWay& way : ways)
    EXPECT_TRUE(carried_out(way, from, to, 16) == RegisterFile::of(to)) << name(way.way);
}

}  // namespace conversion_test
}  // namespace heddle::plan
