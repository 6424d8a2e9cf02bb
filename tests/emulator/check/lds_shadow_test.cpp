// The shadow of LDS against a list of who read and wrote every word last. It keeps addresses,
// blocks and put-off accesses to be fast; the list keeps nothing of that.
#include "emulator/check/lds_shadow.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <array>
#include <map>
#include <random>
#include <tuple>
#include <vector>

namespace heddle::emulator::check {
namespace lds_shadow_test {

using Kind = LdsShadow::Race::Kind;
// Kind, instruction and wave of the other access, whether that was outstanding: the lanes.
using Races = std::map<std::tuple<Kind, uint32_t, uint32_t, bool>, uint32_t>;

struct Access {
  AccessKind kind = AccessKind::load;
  uint32_t bytes = 4, lanes = ~0u;
  std::array<uint32_t, 32> offsets;
};

// In words of four bytes.
class WordModel {
 public:
  WordModel(uint32_t bytes, uint32_t waves)
      : waves_(waves), writers_(bytes / 4), readers_(waves, std::vector<Last>(bytes / 4)) {}

  void start() { *this = WordModel(static_cast<uint32_t>(4 * writers_.size()), waves_); }

  Races access(const LdsShadow::Actor& actor, const Access& access) {
    Races races;
    const auto meet = [&](Kind kind, const Last& other, uint32_t lane) {
      if (other.there && other.wave != actor.wave && other.signals >= actor.waits)
        races[{kind, other.instruction, other.wave, other.outstanding}] |= 1u << lane;
    };
    // Lanes store one after the other: a later one finds the store of the one before.
    for_words(access, [&](uint32_t lane, uint32_t word) {
      if (access.kind == AccessKind::load)
        return meet(Kind::read_after_write, writers_[word], lane);
      for (const auto& of_wave : readers_) meet(Kind::write_after_read, of_wave[word], lane);
      meet(Kind::write_after_write, writers_[word], lane);
      writers_[word] = last(actor, false);
    });
    for_words(access, [&](uint32_t, uint32_t word) {
      if (access.kind == AccessKind::load) readers_[actor.wave][word] = last(actor, false);
    });
    return races;
  }

  void restamp(const LdsShadow::Actor& actor, const Access& access) {
    for_words(access, [&](uint32_t, uint32_t word) {
      Last& known = access.kind == AccessKind::load ? readers_[actor.wave][word] : writers_[word];
      if (known.there && known.wave == actor.wave) known = last(actor, true);
    });
  }

  void forget_loads(uint32_t wave, uint32_t address, uint32_t bytes) {
    for (uint32_t word = address / 4; word < (address + bytes) / 4; ++word)
      readers_[wave][word] = {};
  }

 private:
  struct Last {
    bool there = false, outstanding = false;
    uint32_t wave = 0, signals = 0, instruction = 0;
  };
  static Last last(const LdsShadow::Actor& actor, bool outstanding) {
    return {true, outstanding, actor.wave, actor.signals, actor.instruction};
  }
  template <class Each>
  static void for_words(const Access& access, Each each) {
    for (uint32_t lane = 0; lane < 32; ++lane)
      for (uint32_t byte = 0; byte < access.bytes && (access.lanes >> lane & 1); byte += 4)
        each(lane, (access.offsets[lane] + byte) / 4);
  }

  uint32_t waves_;
  std::vector<Last> writers_;
  std::vector<std::vector<Last>> readers_;  // by wave
};

Access drawn(std::mt19937_64& random, uint32_t lds_bytes, uint32_t store_one_in) {
  const auto below = [&](uint32_t end) { return static_cast<uint32_t>(random() % end); };
  Access access;
  access.kind = below(store_one_in) == 0 ? AccessKind::store : AccessKind::load;
  access.bytes = 4u << below(3);
  access.lanes = below(4) == 0 ? static_cast<uint32_t>(random()) | 1u : ~0u;
  const uint32_t step = access.bytes * (1 + below(3)), places = lds_bytes / access.bytes;
  const uint32_t first = below(places) * access.bytes, lanes_apart = below(4) == 0 ? 16 : 32;
  for (uint32_t lane = 0; lane < 32; ++lane)
    access.offsets[lane] = (first + lane % lanes_apart * step) % (places * access.bytes);
  return access;
}

RC_GTEST_PROP(LdsShadow, FindsTheRacesOfAListOfWords, (uint64_t seed)) {
  std::mt19937_64 random(seed);
  const auto below = [&](uint32_t end) { return static_cast<uint32_t>(random() % end); };
  const uint32_t waves = 2 + below(6), lds_bytes = 2048u << below(6);
  LdsShadow shadow(lds_bytes, waves);
  WordModel model(lds_bytes, waves);
  // Where stores are rare, more reads are put off than there is room for.
  const uint32_t store_one_in = below(2) == 0 ? 3 : 500;
  std::vector<Access> known;  // as of loops, which come back with the same addresses
  for (uint32_t i = 0; i < 1 + below(60); ++i)
    known.push_back(drawn(random, lds_bytes, store_one_in));
  const uint32_t fresh_one_in = 2 + below(40), barrier_one_in = 2 + below(2) * below(5000);
  for (int workgroup = 0; workgroup < 3; ++workgroup) {
    shadow.start();
    model.start();
    std::vector<LdsShadow::Actor> actors(waves);
    for (uint32_t i = 0; i < 700; ++i) {
      const uint32_t wave = below(waves);
      LdsShadow::Actor& actor = actors[wave];
      actor = {wave, actor.signals, actor.waits, i};
      const Access access = below(fresh_one_in) == 0 ? drawn(random, lds_bytes, store_one_in)
                                                     : known[below(uint32_t(known.size()))];
      Races found;
      for (const LdsShadow::Race& race : shadow
                                             .access(actor, access.kind, access.offsets.data(),
                                                     access.lanes, access.bytes, nullptr, nullptr)
                                             .races)
        found[{race.kind, race.instruction, race.wave, race.outstanding}] |= race.lanes;
      RC_ASSERT(found == model.access(actor, access));
      if (below(barrier_one_in) == 0) {
        ++actor.signals;
        if (below(2) == 0) {
          shadow.restamp(actor, access.kind, access.offsets.data(), access.lanes, access.bytes);
          model.restamp(actor, access);
        }
      }
      // A wave does not wait for barriers that another has not signalled.
      uint32_t complete = ~0u;
      for (const LdsShadow::Actor& each : actors) complete = std::min(complete, each.signals);
      if (below(barrier_one_in) == 0) actor.waits = complete;
      if (below(100) == 0) {
        const uint32_t address = access.offsets[0];
        shadow.forget_loads(wave, address, access.bytes);
        model.forget_loads(wave, address, access.bytes);
      }
    }
  }
}

// More reads than can be put off, of which the first is the one that races.
TEST(LdsShadow, KeepsEveryReadOfALongEpoch) {
  LdsShadow shadow(1 << 16, 2);
  shadow.start();
  const auto access = [&](uint32_t wave, AccessKind kind, uint32_t first) {
    uint32_t offsets[32];
    for (uint32_t lane = 0; lane < 32; ++lane) offsets[lane] = first + 4 * lane;
    return shadow.access({wave, 0, 0, first / 128}, kind, offsets, ~0u, 4, nullptr, nullptr).races;
  };
  constexpr uint32_t reads = 400;
  for (uint32_t i = 0; i < reads; ++i) access(0, AccessKind::load, 128 * i);
  for (uint32_t i = 0; i < reads; ++i) {
    const auto races = access(1, AccessKind::store, 128 * i);
    ASSERT_EQ(races.size(), 1u) << i;
    EXPECT_EQ(races.front().kind, Kind::write_after_read);
    EXPECT_EQ(races.front().instruction, i);
    EXPECT_EQ(races.front().lanes, ~0u);
  }
}

}  // namespace lds_shadow_test
}  // namespace heddle::emulator::check
