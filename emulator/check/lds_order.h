// Finds races in LDS in programs in which something other than the workgroup's barrier orders the
// waves: named barriers, barriers in LDS (gfx1250), or locks, flags and counters in LDS. In all
// other programs, LdsShadow finds races: it only counts the barriers of the workgroup, which all
// waves pass in the same order.
//
// Here each wave has a clock (check/happens_before.h). A wave passes its knowledge on at barriers
// (check/barrier_clocks.h) and by words in LDS: if another wave reads the word by an atomic that
// returns, or in a loop that waits for the word (Effects::polls), it learns what the writer of the
// word had done before. LDS executes the operations of one wave in order, so no wait is needed
// between these operations.
//
// LDS operations, copies and tensor transfers of a wave each end in a separate order, so each of
// these kinds is a separate actor. Accesses of one wave are compared with each other by
// Checker::check_copies_on_their_way.
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
  // The host memory, in bytes, that the checks of `bytes` bytes of LDS and `waves` waves take: for
  // each byte of LDS a record and a list of readers, and for each wave its last stores, with the
  // knowledge that they pass on to readers.
  static constexpr uint64_t bytes_of(uint64_t bytes, uint64_t waves) {
    return (bytes + 2048) * 192 + waves * most_releases * sizeof(Release);
  }

  // A workgroup begins.
  void start(uint64_t workgroup);

  // A wave and the number of its next operation. For each group, operations with a number below
  // `ended` of that group have ended.
  struct Actor {
    uint32_t wave, number;
    std::array<uint32_t, group_count> ended;
  };

  // Adds to `told` what the wave knows about LDS, so that it passes it on at a barrier.
  void tell(const Actor& actor, Told& told) const;
  void learn(uint32_t wave, const Told& told);

  // Records that a wave initialises a barrier (`sets_up` is true) or uses it in another way
  // (false). Returns the races with earlier uses of the barrier.
  std::span<const LdsShadow::Race> use_barrier(const Actor& actor, uint32_t instruction,
                                               uint32_t barrier, bool sets_up);

  // Tells whether an atomic update changes the value in memory.
  struct Update {
    // True if the update of lane `lane` would change the word at `address`, assuming that this word
    // contains `held`.
    virtual bool changes(uint32_t address, uint32_t held, uint32_t lane) const = 0;
    bool leaves = false;  // it returns what is there, and leaves it so: a read to others

   protected:
    ~Update() = default;
  };
  // Handles an access of lanes to LDS; call it before the access happens. `data` is the data of a
  // store from registers; null for other accesses. Returns the races that the access has.
  std::span<const LdsShadow::Race> access(const Actor& actor, const Instruction& instruction,
                                          AccessKind kind, const uint32_t* offsets, uint32_t lanes,
                                          uint32_t bytes, const std::byte* lds,
                                          const LdsShadow::StoredData* data, const Update* update);

  // A store and a load in LDS that are both atomic and that nothing orders. That is no race, but it
  // depends on the order of the waves whether the load sees the store, and so the result may depend
  // on it. Loads in a loop that waits for the stored value are excepted, since they see the store
  // in the end.
  struct Unordered {
    uint64_t workgroup;
    uint32_t load, store, loading_wave, storing_wave;
    uint64_t address;
  };
  // The first one of all workgroups.
  const std::optional<Unordered>& unordered() const { return unordered_; }

  // Call before a load reads words by which its wave may learn something from the waves that wrote
  // them.
  void note_seen(uint32_t wave, uint32_t load, const uint32_t* offsets, uint32_t lanes);
  // The knowledge that the writers of the words at `offsets` have passed on to their readers.
  Told told_at(uint32_t wave, const uint32_t* offsets, uint32_t lanes) const;
  // Call before a store or an atomic update of words in LDS: who reads these words later gets the
  // wave's knowledge. `told` is the wave's knowledge about global memory.
  void release(const Actor& actor, Group group, bool updates, const uint32_t* offsets,
               uint32_t lanes, const Told& told);

 private:
  // What a wave knows about accesses of others to LDS: which have ended, and which were issued.
  struct Known {
    Clock ended, issued;
  };
  struct Asked;
  // The knowledge that a wave passes on by its stores, from the store with number `actor.number`
  // on, until the next Release. If actor.ended of a group is all_before, no operation of the group
  // was outstanding.
  struct Release {
    Actor actor;
    Known known;
    Told told;
  };
  static constexpr uint32_t all_before = ~0u;
  // For each wave, the number of Releases that are kept: those of its last stores.
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
