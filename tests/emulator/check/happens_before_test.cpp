// Clocks and the shadow of memory, without a machine.
#include "emulator/check/happens_before.h"

#include <gtest/gtest.h>

#include <utility>

namespace heddle::emulator::check {
namespace happens_before_test {

constexpr uint64_t plenty = 1 << 24;

Past access_of(uint32_t actor, uint32_t number, bool writes) {
  Past past;
  past.actor = actor;
  past.number = number;
  past.writes = writes;
  return past;
}

// The actors that an access meets without an order between.
std::vector<uint32_t> races(AccessShadow& shadow, const Clock& known, const Past& now,
                            uint64_t address, uint64_t bytes) {
  std::vector<uint32_t> actors;
  shadow.access(address, bytes, now, [&](const Past& past, uint64_t) {
    if (happened(known, past)) return Verdict::ordered;
    if (std::ranges::find(actors, past.actor) == actors.end()) actors.push_back(past.actor);
    return Verdict::race;
  });
  return actors;
}

TEST(Clock, KnowsReadsAndWritesApart) {
  Clock clock;
  clock.raise(7, {.reads = 3, .writes = 1});
  EXPECT_TRUE(happened(clock, access_of(7, 2, false)));
  EXPECT_FALSE(happened(clock, access_of(7, 2, true)));
  EXPECT_FALSE(happened(clock, access_of(6, 0, false)));
}

TEST(Clock, JoinTakesTheLaterOfEach) {
  Clock a, b;
  a.raise(1, {5, 5});
  a.raise(2, {1, 9});
  b.raise(2, {4, 2});
  b.raise(0, {1, 1});
  const Clock before = a;
  a.join(b);
  EXPECT_EQ(a.of(0), (Progress{1, 1}));
  EXPECT_EQ(a.of(1), (Progress{5, 5}));
  EXPECT_EQ(a.of(2), (Progress{4, 9}));
  EXPECT_EQ(before.of(2), (Progress{1, 9}));  // a copy stays as it was
  EXPECT_EQ(a.size(), 3u);
}

// A clock remembers what it joined last: the same again is nothing new, but what came since is, and
// who starts anew has learnt nothing.
TEST(Clock, JoinsTheSameAgain) {
  Clock a, b;
  a.raise(1, {5, 5});
  b.raise(2, {4, 2});
  a.join(b);
  a.join(b);
  EXPECT_EQ(a.size(), 2u);
  b.raise(2, {9, 9});
  a.join(b);
  EXPECT_EQ(a.of(2), (Progress{9, 9}));
  Clock copy = a;
  copy.raise(3, {1, 1});
  copy.join(b);
  EXPECT_EQ(copy.of(2), (Progress{9, 9}));
  EXPECT_EQ(a.of(3), Progress{});
  const Clock before = std::exchange(a, {});
  EXPECT_EQ(before.of(2), (Progress{9, 9}));
  a.raise(1, {1, 1});
  a.join(b);
  EXPECT_EQ(a.of(2), (Progress{9, 9}));
  const Clock moved = std::move(copy);
  copy = {};
  copy.raise(1, {1, 1});
  copy.join(b);
  EXPECT_EQ(copy.of(2), (Progress{9, 9}));
  EXPECT_EQ(moved.of(2), (Progress{9, 9}));
}

TEST(AccessShadow, ReadAfterWrite) {
  AccessShadow shadow(plenty);
  Clock nothing, told;
  told.raise(1, {0, 1});
  EXPECT_TRUE(races(shadow, nothing, access_of(1, 0, true), 0x1000, 64).empty());
  EXPECT_TRUE(races(shadow, told, access_of(2, 0, false), 0x1000, 64).empty());
  EXPECT_EQ(races(shadow, nothing, access_of(3, 0, false), 0x103c, 4), std::vector<uint32_t>{1});
  EXPECT_TRUE(races(shadow, nothing, access_of(3, 1, false), 0x1040, 4).empty());
  EXPECT_TRUE(races(shadow, nothing, access_of(1, 1, false), 0x1000, 64).empty());  // its own
}

TEST(AccessShadow, WriteAfterReadsOfMany) {
  AccessShadow shadow(plenty);
  const Clock nothing;
  for (uint32_t actor = 0; actor < 5; ++actor)
    EXPECT_TRUE(races(shadow, nothing, access_of(actor, 0, false), 0x2000, 4).empty());
  Clock all_but_three;
  for (uint32_t actor : {0u, 1u, 2u, 4u}) all_but_three.raise(actor, {1, 1});
  EXPECT_EQ(races(shadow, all_but_three, access_of(9, 0, true), 0x2000, 4),
            std::vector<uint32_t>{3});
}

TEST(AccessShadow, BytesCount) {
  AccessShadow shadow(plenty);
  const Clock nothing;
  EXPECT_TRUE(races(shadow, nothing, access_of(1, 0, true), 0x3000, 2).empty());
  EXPECT_TRUE(races(shadow, nothing, access_of(2, 0, true), 0x3002, 2).empty());
  EXPECT_EQ(races(shadow, nothing, access_of(3, 0, true), 0x3001, 2),
            (std::vector<uint32_t>{1, 2}));
  // Words that were whole before keep what they know.
  EXPECT_TRUE(races(shadow, nothing, access_of(1, 1, true), 0x3010, 4).empty());
  EXPECT_EQ(races(shadow, nothing, access_of(2, 1, false), 0x3013, 1), std::vector<uint32_t>{1});
}

TEST(AccessShadow, AtomicWritesWithoutAnOrderAllStay) {
  AccessShadow shadow(plenty);
  for (uint32_t actor = 0; actor < 3; ++actor) {
    Past update = access_of(actor, 0, true);
    update.atomic = 1;
    shadow.access(0x4000, 4, update, [](const Past&, uint64_t) { return Verdict::no_race; });
  }
  Clock two;
  two.raise(1, {1, 1});
  two.raise(2, {1, 1});
  EXPECT_EQ(races(shadow, two, access_of(5, 0, false), 0x4000, 4), std::vector<uint32_t>{0});
}

TEST(AccessShadow, AWriteThatChangesNothingIsForgotten) {
  AccessShadow shadow(plenty);
  const Clock nothing;
  races(shadow, nothing, access_of(1, 0, true), 0x5000, 4);
  shadow.access(0x5000, 4, access_of(2, 0, true),
                [](const Past&, uint64_t) { return Verdict::no_change; });
  EXPECT_EQ(shadow.last_write(0x5000)->actor, 1u);
}

TEST(AccessShadow, TakesNoMoreMemoryThanItMay) {
  AccessShadow shadow(1 << 16);
  const Clock nothing;
  for (uint64_t page = 0; page < 1000; ++page)
    races(shadow, nothing, access_of(1, 0, true), page << 16, 4);
  EXPECT_TRUE(shadow.is_incomplete());
  EXPECT_LE(shadow.bytes(), uint64_t{1} << 16);
}

// Nor where single bytes are accessed, which takes cells of single bytes.
TEST(AccessShadow, TakesNoMoreMemoryForBytes) {
  AccessShadow shadow(1 << 16);
  const Clock nothing;
  for (uint64_t page = 0; page < 1000; ++page)
    races(shadow, nothing, access_of(1, 0, true), page << 16, 1);
  EXPECT_TRUE(shadow.is_incomplete());
  EXPECT_LE(shadow.bytes(), uint64_t{1} << 16);
}

TEST(Releases, AnUpdateAddsToWhatIsReleased) {
  Releases releases(1000);
  Clock first, second, none;
  first.raise(1, {1, 1});
  second.raise(2, {2, 2});
  releases.update(0x10, none, first);
  releases.update(0x10, none, second);
  ASSERT_TRUE(releases.find(0x10));
  EXPECT_EQ(releases.find(0x10)->of(1), (Progress{1, 1}));
  EXPECT_EQ(releases.find(0x10)->of(2), (Progress{2, 2}));
  releases.forget(0x10);
  EXPECT_FALSE(releases.find(0x10));
}

// What was forgotten takes no memory; addresses do, however little is known at each.
TEST(Releases, TakeNoMoreMemoryThanTheyMay) {
  Releases releases(1000);
  Clock first, none;
  first.raise(1, {1, 1});
  for (int i = 0; i < 2000; ++i) {
    releases.update(0x10, none, first);
    releases.forget(0x10);
  }
  EXPECT_FALSE(releases.is_incomplete());
  for (uint64_t address = 0; address < 500; ++address) releases.update(8 * address, none, first);
  EXPECT_TRUE(releases.is_incomplete());
}

}  // namespace happens_before_test
}  // namespace heddle::emulator::check
