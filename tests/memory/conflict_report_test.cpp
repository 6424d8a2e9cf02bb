// Who collides where: against cost, and against what the words of the report themselves say.
#include "heddle/memory/conflict_report.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <set>

#include "random_accesses.h"

namespace heddle::memory {
namespace conflict_report_test {

using instruction::Target;

BankModel arbitrary_model() {
  const auto number = *rc::gen::inRange<std::size_t>(0, instruction::processor_rows.size());
  return bank_model(instruction::processor_rows[number].target);
}

RC_GTEST_PROP(ConflictReport, CostsWhatCostSays, ()) {
  const BankModel model = arbitrary_model();
  RandomAccesses accesses(*rc::gen::arbitrary<std::uint64_t>());
  const OwnedAccess access = accesses.next(model.wave, model.has_matrix_moves);
  const AccessReport report = explain(model, access.view());
  RC_ASSERT(report.cost() == cost(model, access.view()));
  RC_ASSERT(report.is_merged == is_merged(model, access.view()));
}

// Every byte of every lane is in a word of the phase of the lane and of no other phase; words of
// one bank differ; the fullest bank has as many as the phase has passes, and none has more.
RC_GTEST_PROP(ConflictReport, ListsEveryWordOnceWithItsLanes, ()) {
  const BankModel model = arbitrary_model();
  RandomAccesses accesses(*rc::gen::arbitrary<std::uint64_t>());
  const OwnedAccess access = accesses.next(model.wave, model.has_matrix_moves);
  std::uint64_t seen = 0;
  for (const PhaseReport& phase : explain(model, access.view()).phases) {
    RC_ASSERT((seen & phase.lanes) == 0u);
    seen |= phase.lanes;
    std::set<std::uint32_t> words;
    std::uint64_t wanting = 0;
    for (const WantedWord& word : phase.words) {
      RC_ASSERT(words.insert(word.address).second);
      RC_ASSERT(word.address / 4 % static_cast<std::uint32_t>(phase.banks) ==
                static_cast<std::uint32_t>(word.bank));
      RC_ASSERT(phase.words_of(word.bank).size() <= static_cast<std::size_t>(phase.passes));
      wanting |= word.lanes;
      for (std::uint64_t rest = word.lanes; rest != 0; rest &= rest - 1) {
        const auto lane = static_cast<std::size_t>(std::countr_zero(rest));
        RC_ASSERT(word.address + 4 > access.address[lane]);
        RC_ASSERT(word.address < access.address[lane] + static_cast<std::uint32_t>(access.bytes));
      }
    }
    RC_ASSERT(wanting == phase.lanes);
    RC_ASSERT(phase.words_of(phase.bank).size() == static_cast<std::size_t>(phase.passes));
    for (std::uint64_t rest = phase.lanes; rest != 0; rest &= rest - 1) {
      const std::uint32_t first = access.address[static_cast<std::size_t>(std::countr_zero(rest))];
      for (std::uint32_t byte = first; byte < first + static_cast<std::uint32_t>(access.bytes);
           ++byte)
        RC_ASSERT(words.contains(byte / 4 * 4));
    }
  }
  RC_ASSERT(seen == detail::taking_part(model, access.view()));
}

// The example of banks.h: rows 64 bytes apart on gfx1151.
TEST(ConflictReport, NamesTheLanesThatCollide) {
  std::vector<std::uint32_t> address;
  for (std::uint32_t lane = 0; lane < 32; ++lane) address.push_back(lane % 16 * 64);
  const AccessReport report =
      explain(bank_model(Target::gfx1151), {.bytes = 16, .address = address});
  ASSERT_EQ(report.phases.size(), 4u);
  EXPECT_EQ(report.evidence, Evidence::assumed);
  const PhaseReport& first = report.phases[0];
  EXPECT_EQ(first.lanes, 0x00f0000fu);
  EXPECT_EQ(first.passes, 4);
  EXPECT_EQ(first.bank, 0);
  const std::vector<WantedWord> expected{
      {0, 0, 1}, {0, 128, 1 << 2}, {0, 256, 1 << 20}, {0, 384, 1 << 22}};
  EXPECT_EQ(first.words_of(0), expected);
  EXPECT_TRUE(first.words_of(4).empty());
}

TEST(ConflictReport, LeavesOutPhasesWithoutActiveLanes) {
  const std::vector<std::uint32_t> address(32);
  const AccessReport report =
      explain(bank_model(Target::gfx1201), {.bytes = 16, .active = 0xff00, .address = address});
  ASSERT_EQ(report.phases.size(), 1u);
  EXPECT_EQ(report.phases[0].number, 1);
  EXPECT_EQ(report.phases[0].words.front().lanes, 0xff00u) << "a broadcast to all eight";
}

}  // namespace conflict_report_test
}  // namespace heddle::memory
