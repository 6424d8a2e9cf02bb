// Loads that a compare-and-swap asks about afterwards: which of them were no races.
#include "emulator/check/guesses.h"

#include <gtest/gtest.h>

#include <array>

namespace heddle::emulator::testing {
namespace guesses_test {

struct Race {
  uint32_t instruction, lanes;
};
using Guesses = check::Guesses<Race>;

constexpr uint32_t reader = 3, loading = 10, later = 11;

/// Bytes of an access, as they lie in memory.
template <std::size_t count>
using Data = std::array<uint8_t, count>;

/// What becomes of one guess, of the word at 0x100 that holds 0x44332211, of which the load has
/// read the bits in `known`.
struct Fate {
  bool is_confirmed = false;
  std::size_t races = 0, left = 0;

  bool operator==(const Fate&) const = default;
};
constexpr Fate confirmed = {true, 0, 0}, race = {false, 1, 0}, kept = {false, 0, 1};
void PrintTo(const Fate& fate, std::ostream* out) {
  *out << (fate.is_confirmed ? "confirmed" : fate.races != 0 ? "a race" : "kept");
}

Fate fate_of(uint64_t address, uint32_t bytes, const void* expected, uint32_t known = ~0u,
             uint32_t number = later, uint32_t by = reader) {
  Guesses guesses;
  EXPECT_TRUE(guesses.add(reader, 0x102, {1, loading, 0x44332211, {2, 1}, known}));
  std::vector<Guesses::Guess> races;
  Fate fate;
  fate.is_confirmed = guesses.settle(by, number, address, bytes, expected, races);
  fate.races = races.size();
  fate.left = guesses.end(reader).size();
  return fate;
}

TEST(Guesses, OfAWordThatIsComparedAsItWasLoaded) {
  const Data<4> same = {0x11, 0x22, 0x33, 0x44}, other = {0x11, 0x22, 0x33, 0x45};
  EXPECT_EQ(fate_of(0x100, 4, same.data()), confirmed);
  EXPECT_EQ(fate_of(0x100, 4, other.data()), race);
  // An access that compares nothing; one of another word; one of another wave; the load itself.
  EXPECT_EQ(fate_of(0x100, 4, nullptr), race);
  EXPECT_EQ(fate_of(0x104, 4, same.data()), kept);
  EXPECT_EQ(fate_of(0xfc, 4, same.data()), kept);
  EXPECT_EQ(fate_of(0x100, 4, same.data(), ~0u, later, reader + 1), kept);
  EXPECT_EQ(fate_of(0x100, 4, nullptr, ~0u, loading), kept);
}

TEST(Guesses, OfOneOfTwoWords) {
  const Data<8> first = {0x11, 0x22, 0x33, 0x44, 9, 9, 9, 9},
                second = {9, 9, 9, 9, 0x11, 0x22, 0x33, 0x44};
  EXPECT_EQ(fate_of(0x100, 8, first.data()), confirmed);
  EXPECT_EQ(fate_of(0xfc, 8, second.data()), confirmed);
  EXPECT_EQ(fate_of(0x100, 8, second.data()), race);
}

// An access that is not aligned to a word has parts of two: it compares with neither as a whole.
TEST(Guesses, OfAWordThatIsComparedInPart) {
  const Data<4> from_the_middle = {0x33, 0x44, 9, 9}, to_the_middle = {9, 9, 0x11, 0x22};
  EXPECT_EQ(fate_of(0x102, 4, from_the_middle.data()), race);
  EXPECT_EQ(fate_of(0xfe, 4, to_the_middle.data()), race);
  const Data<8> across = {9, 9, 0x11, 0x22, 0x33, 0x44, 9, 9};
  EXPECT_EQ(fate_of(0xfe, 8, across.data()), confirmed);
}

TEST(Guesses, OfHalfAWord) {
  constexpr uint32_t upper = 0xffff0000;
  const Data<2> same = {0x33, 0x44}, other = {0x34, 0x44};
  EXPECT_EQ(fate_of(0x102, 2, same.data(), upper), confirmed);
  EXPECT_EQ(fate_of(0x102, 2, other.data(), upper), race);
  EXPECT_EQ(fate_of(0x102, 2, nullptr, upper), race);
  EXPECT_EQ(fate_of(0x100, 2, nullptr, upper), kept);
  EXPECT_EQ(fate_of(0x102, 2, same.data()), race) << "the other half is not compared";
}

// Of several updates the first one decides what was loaded.
TEST(Guesses, BehindTwoUpdates) {
  Guesses guesses;
  EXPECT_TRUE(guesses.add(reader, 0x100, {1, loading, 0x44332211, {2, 1}}));
  EXPECT_TRUE(guesses.add(reader, 0x100, {1, loading, 0x99999999, {5, 1}}));
  EXPECT_TRUE(guesses.add(reader, 0x100, {1, loading, 0x88888888, {5, 2}}));
  std::vector<Guesses::Guess> races;
  const Data<4> same = {0x11, 0x22, 0x33, 0x44};
  EXPECT_TRUE(guesses.settle(reader, later, 0x100, 4, same.data(), races));
  EXPECT_TRUE(races.empty());
  EXPECT_TRUE(guesses.is_empty());
}

TEST(Guesses, OfOneInstructionAreOneRace) {
  Guesses guesses;
  for (uint32_t lane = 0; lane < 4; ++lane)
    EXPECT_TRUE(guesses.add(reader, 0x100 + 4 * lane, {1, loading, 0, {2, 1u << lane}}));
  const auto races = guesses.end(reader);
  ASSERT_EQ(races.size(), 1u);
  EXPECT_EQ(races[0].race.lanes, 15u);
}

}  // namespace guesses_test
}  // namespace heddle::emulator::testing
