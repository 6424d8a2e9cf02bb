// Races in LDS if something other than the workgroup's barrier orders its waves: named barriers,
// barriers in LDS (gfx1250), and locks, flags and counters in LDS.
//
// LdsShadow counts the barriers of the workgroup, which all of its waves pass in one order. Here a
// wave has a clock (check/happens_before.h), which it passes on at barriers
// (check/barrier_clocks.h) and by words in LDS. A wave that reads a word by an atomic that returns,
// or in a loop that waits for the word (Effects::polls), learns what its writer had done before.
// LDS carries out the operations of one wave in order, so none of them needs a wait.
//
// LDS operations, copies and tensor transfers each end in a separate order, so each of these is an
// actor of the wave. Checker::check_copies_on_their_way compares the actors of one wave.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "emulator/check/barrier_clocks.h"
#include "emulator/check/effects.h"
#include "emulator/check/happens_before.h"
#include "emulator/check/lds_shadow.h"

namespace heddle::emulator::check {

class LdsOrder {
 public:
  LdsOrder(const EffectsTable& effects, uint32_t waves)
      : effects_(effects), known_(waves), releases_(waves) {}
  // The host memory for `bytes` bytes of LDS: a cell and a list of readers for each byte, and for
  // each wave its last stores with the knowledge that they pass on to readers.
  static constexpr uint64_t bytes_of(uint64_t bytes, uint64_t waves) {
    return (bytes + 2048) * 192 + waves * most_releases * sizeof(Release);
  }

  // A workgroup begins.
  void start(uint64_t workgroup);

  // A wave and the number of its next operation. Operations of a group below `ended` have ended.
  struct Actor {
    uint32_t wave, number;
    std::array<uint32_t, group_count> ended;
  };

  // Adds to `told` what a wave tells others at a barrier.
  void tell(const Actor& actor, Told& told) const;
  void learn(uint32_t wave, const Told& told);

  // A wave sets up the members of a barrier, or uses it otherwise.
  std::span<const LdsShadow::Race> use_barrier(const Actor& actor, uint32_t instruction,
                                               uint32_t barrier, bool sets_up);

  // The value that an update leaves in memory.
  struct Update {
    // Whether it would change the word at an address if that held this.
    virtual bool changes(uint32_t address, uint32_t held, uint32_t lane) const = 0;
    bool leaves = false;  // it returns what is there, and leaves it so: a read to others

   protected:
    ~Update() = default;
  };
  // An access of lanes in LDS, before it happens. `data`: of a store from registers.
  std::span<const LdsShadow::Race> access(const Actor& actor, const Instruction& instruction,
                                          AccessKind kind, const uint32_t* offsets, uint32_t lanes,
                                          uint32_t bytes, const std::byte* lds,
                                          const LdsShadow::StoredData* data, const Update* update);

  // A store and a load that are both atomic and not ordered: the load may see the store or not.
  // That is no race, but the result may depend on the order of the waves. A load in a loop that
  // waits sees the store in the end.
  struct Unordered {
    uint64_t workgroup;
    uint32_t load, store, loading_wave, storing_wave;
    uint64_t address;
  };
  // The first one of all workgroups.
  const std::optional<Unordered>& unordered() const { return unordered_; }

  // A load is about to read words, and its wave to learn from that what it did not know.
  void note_seen(uint32_t wave, uint32_t load, const uint32_t* offsets, uint32_t lanes);
  // The knowledge passed on by the waves that wrote the words which an access is about to read.
  Told told_at(uint32_t wave, const uint32_t* offsets, uint32_t lanes) const;
  // A store or an update tells whoever reads it, before it happens. `told`: of global memory.
  void release(const Actor& actor, Group group, bool updates, const uint32_t* offsets,
               uint32_t lanes, const Told& told);

 private:
  // The accesses that have ended, and those that were only issued.
  struct Known {
    Clock ended, issued;
  };
  struct Asked;
  // The knowledge that a wave passes on by its stores from a number on. In `actor.ended`,
  // all_before means that nothing was in flight.
  struct Release {
    Actor actor;
    Known known;
    Told told;
  };
  static constexpr uint32_t all_before = ~0u;
  // Stores of one wave whose knowledge is kept for those who read them.
  static constexpr std::size_t most_releases = 1024;

  static Actor after(Actor actor, Group group);
  static void add_own(const Actor& actor, const Known& known, Told& told);
  Told released_by(const Past& store) const;
  Verdict judge(const Asked& asked, const Past& past, uint64_t address, uint32_t overwritten);
  void note_unordered(const Unordered& pair);
  void note_race(const Asked& asked, const Past& past, uint64_t address, bool outstanding);

  const EffectsTable& effects_;
  std::vector<Known> known_;                    // by wave
  std::vector<std::vector<Release>> releases_;  // by wave
  std::map<uint32_t, Told> updates_;            // by word: what all updates since a store have told
  AccessShadow shadow_{~uint64_t{0}};           // LDS is small: see bytes_of
  std::vector<LdsShadow::Race> races_;
  uint64_t workgroup_ = 0;
  std::optional<Unordered> unordered_;
};

}  // namespace heddle::emulator::check
