// Why lanes collide, in sentences that the layouts' own addresses bear out; and the padding and the
// swizzle that a published note on gfx1151 recommends, of which one cures and one does not.
#include "heddle/memory/conflict_reason.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "heddle/instruction/catalogue.h"
#include "heddle/interop/native.h"

namespace heddle::memory {
namespace conflict_reason_test {

using instruction::KOrder;
using instruction::Operand;
using instruction::Target;
using layout::LinearLayout;

SharedLayout tile(std::string_view text) {
  return std::get<SharedLayout>(interop::read_native(text).value());
}

struct Found {
  std::vector<ConflictReason> reasons;
  Cost cost;
};

Found find(Target target, const SharedLayout& shared, const LinearLayout& held, Move move = {}) {
  move.wave = instruction::default_wave(target);
  const BankModel model = bank_model(target);
  const auto issued = issue(shared, held, move);
  EXPECT_TRUE(issued.has_value()) << issued.error();
  Found found;
  std::vector<AccessReport> reports;
  for (const IssuedAccess& access : issued->list) {
    reports.push_back(explain(model, access.view()));
    found.cost.phases += reports.back().cost().phases;
    found.cost.extra_passes += reports.back().cost().extra_passes;
  }
  found.reasons = conflict_reasons(model, shared, *issued, reports);
  return found;
}

/// The first reason for 16 rows of half a fragment, 16 bytes a lane, on gfx1151.
std::string sentence_of_rows(std::string_view text) {
  const LinearLayout rows =
      layout::parse(
          "register: (0,1) (0,2) (0,4); lane: (1,0) (2,0) (4,0) (8,0) (0,0) -> m: 16, k: 8")
          .value();
  const Found found = find(Target::gfx1151, tile(text), rows);
  return found.reasons.empty() ? "" : found.reasons.front().sentence();
}

TEST(ConflictReason, SaysHowManyStepsOfThePitchFillTheBanks) {
  EXPECT_EQ(sentence_of_rows("offset: (0,1) (0,2) (0,4) (0,8) (0,16) (1,0) (2,0) (4,0) (8,0) -> m: "
                             "16, k: 32"),
            "m 0, 2, 4 and 6 (k 0) meet in bank 0: the pitch of m is 64 B, so 2 steps of m are 128 "
            "B, the width of all 32 banks");
  EXPECT_EQ(
      sentence_of_rows("offset: (0,1) (0,2) (0,4) (0,8) (0,16) (0,32) (0,64) (1,0) (2,0) "
                       "(4,0) (8,0) -> m: 16, k: 128"),
      "m 0, 1, 2, 3, 4, 5, 6 and 7 (k 0) meet in bank 0: the pitch of m is 256 B, 2 times the "
      "128 B of all 32 banks");
  EXPECT_EQ(sentence_of_rows("offset: (0,1) (0,2) (0,4) (0,8) (0,16) (1,0) (2,0) (4,0) (8,0) -> m: "
                             "16, k: 32 padding 32:+8"),
            "");
}

TEST(ConflictReason, SaysWhatASwizzleLeavesInPlace) {
  EXPECT_EQ(sentence_of_rows("offset: (0,1) (0,2) (0,4) (0,8) (1,8) (2,0) (4,0) (8,0) -> m: 16, k: "
                             "16"),
            "m 0 and 4 (k 0) meet in bank 0: 4 steps of m are 128 B here, the width of all 32 "
            "banks, and bit 2 of m swizzles nothing below that");
}

TEST(ConflictReason, CountsPaddingBetweenTheSteps) {
  EXPECT_EQ(sentence_of_rows("offset: (0,1) (0,2) (0,4) (0,8) (1,0) (2,0) (4,0) (8,0) -> m: 16, k: "
                             "16 padding 64:+64"),
            "m 0 and 4 (k 0) meet in bank 0: 4 steps of m are 256 B here, 2 times the 128 B of all "
            "32 banks, the padding between them included");
}

TEST(ConflictReason, NamesPointsWhereTwoAxesDiffer) {
  const LinearLayout diagonal =
      layout::parse("register: (0,1); lane: (1,2) (2,4) (4,8) (8,16) (16,32) -> m: 32, k: 64")
          .value();
  const Found found = find(
      Target::gfx1201,
      tile("offset: (0,1) (0,2) (0,4) (0,8) (0,16) (0,32) (1,0) (2,0) (4,0) (8,0) (16,0) -> m: 32, "
           "k: 64 padding 64:+126"),
      diagonal);
  ASSERT_FALSE(found.reasons.empty());
  EXPECT_EQ(found.reasons.front().sentence(),
            "(m, k) = (0, 0), (1, 2), (2, 4), (3, 6), (4, 8), (5, 10), … and (31, 62) meet in bank "
            "0: the first two lie 384 B apart, 3 times the 128 B of all 32 banks");
}

/// A random tile, an access of it that is shuffled likewise.
LinearLayout random_map(layout::AxisList inputs) {
  LinearLayout::Bases bases{};
  for (std::size_t bit = 0; bit < 10; ++bit) bases[bit] = std::uint64_t{1} << bit;
  for (int i = *rc::gen::inRange(0, 12); i > 0; --i) {
    const auto a = *rc::gen::inRange<std::size_t>(0, 10), b = *rc::gen::inRange<std::size_t>(0, 10);
    if (a != b) std::swap(bases[a], bases[b]);
    if (a != b && i % 3 == 0) bases[a] ^= bases[b];
  }
  return LinearLayout::from_words(inputs, {{"m", 5}, {"k", 5}}, bases).value();
}

/// The distance that a reason names: the last number of bytes before the width of all banks.
std::int64_t distance_of(const std::string& why) {
  std::int64_t distance = 0;
  for (std::size_t at = why.find(" B"); at != std::string::npos; at = why.find(" B", at + 1)) {
    std::size_t begin = at;
    while (begin > 0 && std::isdigit(static_cast<unsigned char>(why[begin - 1])) != 0) --begin;
    if (why.substr(at + 2, 4) == " of ") break;  // the width itself
    distance = std::stoll(why.substr(begin, at - begin));
  }
  return distance;
}

// Whatever the layouts: each phase with extra passes has one reason, the passes add up, and the
// distance that a reason names is a multiple of all banks.
RC_GTEST_PROP(ConflictReason, AccountsForEveryExtraPass, ()) {
  const auto target = *rc::gen::element(Target::gfx1151, Target::gfx1201, Target::sm_90);
  SharedLayout shared{random_map({{"offset", 10}}), {}};
  if (*rc::gen::arbitrary<bool>())
    shared.padding.push_back(
        {std::uint64_t{1} << *rc::gen::inRange(2, 8), 2 * *rc::gen::inRange<std::uint64_t>(1, 20)});
  Move move;
  move.kind = *rc::gen::element(AccessKind::load, AccessKind::store);
  const Found found =
      find(target, shared, random_map({{"register", 4}, {"lane", 5}, {"warp", 1}}), move);
  int passes = 0;
  for (const ConflictReason& reason : found.reasons) {
    RC_ASSERT(reason.phases > 0);
    RC_ASSERT(reason.passes >= reason.phases);
    passes += reason.passes;
    const std::int64_t distance = distance_of(reason.why);
    RC_ASSERT(distance > 0);
    RC_ASSERT(distance % 128 == 0);
  }
  RC_ASSERT(passes == found.cost.extra_passes);
}

// The note of gfx1151's fragments (its k block is 16 halves, rows of 32 bytes): pad rows to 24
// halves, or keep 8-half group g of row r at place g ^ (r & 1).
constexpr std::string_view plain =
    "offset: (0,1) (0,2) (0,4) (0,8) (1,0) (2,0) (4,0) (8,0) -> m: 16, k: 16";
constexpr std::string_view padded =
    "offset: (0,1) (0,2) (0,4) (0,8) (1,0) (2,0) (4,0) (8,0) -> m: 16, k: 16 padding 16:+8";
constexpr std::string_view swizzled_by_bit_0 =
    "offset: (0,1) (0,2) (0,4) (0,8) (1,8) (2,0) (4,0) (8,0) -> m: 16, k: 16";
constexpr std::string_view swizzled_by_bit_2 =
    "offset: (0,1) (0,2) (0,4) (0,8) (1,0) (2,0) (4,8) (8,0) -> m: 16, k: 16";

int extra_of_fragment(Target target, std::string_view text, KOrder order = KOrder::isa) {
  const auto* row = instruction::find("v_wmma_f32_16x16x16_f16", target);
  return find(target, tile(text), instruction::fragment(*row, Operand::a, order)).cost.extra_passes;
}

TEST(RecommendedLayouts, OnGfx1151ThePaddingCuresAndTheSwizzleDoesNot) {
  EXPECT_EQ(extra_of_fragment(Target::gfx1151, plain), 8);
  EXPECT_EQ(extra_of_fragment(Target::gfx1151, padded), 0);
  EXPECT_EQ(extra_of_fragment(Target::gfx1151, swizzled_by_bit_0), 8) << "none of them removed";
  EXPECT_EQ(extra_of_fragment(Target::gfx1151, swizzled_by_bit_2), 0);
}

// In the order of k that makes a fragment one 16-byte load gfx1201 is cured by the same; in that of
// the ISA it loads 8 bytes at a time from 16 rows at once, and rows 8 apart still meet.
TEST(RecommendedLayouts, OnGfx1201ItDependsOnTheOrderOfK) {
  EXPECT_EQ(extra_of_fragment(Target::gfx1201, plain, KOrder::contiguous), 4);
  EXPECT_EQ(extra_of_fragment(Target::gfx1201, padded, KOrder::contiguous), 0);
  EXPECT_EQ(extra_of_fragment(Target::gfx1201, swizzled_by_bit_0, KOrder::contiguous), 4);
  EXPECT_EQ(extra_of_fragment(Target::gfx1201, swizzled_by_bit_2, KOrder::contiguous), 0);

  EXPECT_EQ(extra_of_fragment(Target::gfx1201, plain), 12);
  EXPECT_EQ(extra_of_fragment(Target::gfx1201, padded), 4);
  EXPECT_EQ(extra_of_fragment(Target::gfx1201, swizzled_by_bit_0), 12);
  EXPECT_EQ(extra_of_fragment(Target::gfx1201, swizzled_by_bit_2), 4);
  // 20 halves a row: 16 rows of 8 bytes fill the 32 banks.
  EXPECT_EQ(extra_of_fragment(Target::gfx1201,
                              "offset: (0,1) (0,2) (0,4) (0,8) (1,0) (2,0) (4,0) (8,0) -> m: 16, "
                              "k: 16 padding 16:+4"),
            0);
  // 4-half groups g of row r at place g ^ (r >> 2).
  EXPECT_EQ(extra_of_fragment(Target::gfx1201,
                              "offset: (0,1) (0,2) (0,4) (0,8) (1,0) (2,0) (4,4) (8,8) -> m: 16, "
                              "k: 16"),
            0);
}

}  // namespace conflict_reason_test
}  // namespace heddle::memory
