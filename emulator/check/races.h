// Finds races in global memory. It models the order that AMD's waits, barriers, atomics and caches
// give to accesses.
//
// Each wave is an actor of check/happens_before.h. Its accesses are numbered in the order in which
// they are issued. A read has happened when its counter says that it has returned; a write has
// happened when `vscnt` (gfx12: `storecnt`) says that it is in L2. Other waves learn that an access
// has happened
// - at a barrier, if they are in the same workgroup: what had happened when the wave signalled;
// - by reading the value of a later atomic or store of the wave, with an atomic load or an atomic
// that returns. Atomics on the same address pass on the knowledge of those before them.
//
// Loads come through the caches L0 and L1 (gfx11: `buffer_gl0_inv`, `buffer_gl1_inv`; gfx12:
// `global_inv` with a scope). So a value that a wave loads without `glc` or a scope may be as old
// as the last invalidation. Scalar loads come through a separate cache (`s_dcache_inv`).
//
// On gfx942 and gfx950 each die has an L2. Other workgroups see a store without `sc1` only after it
// is written back from this L2 (`buffer_wbl2 sc1`). The clocks also record these write-backs, under
// the number actor + in_memory.
//
// Source: LLVM "User Guide for AMDGPU Backend", "Memory Model gfx10-gfx11", "gfx12", "gfx942".
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <span>
#include <vector>

#include "emulator/check/effects.h"
#include "emulator/check/guesses.h"
#include "emulator/check/happens_before.h"
#include "emulator/machine/observation.h"

namespace heddle::emulator::check {

// For each actor there is a second actor, whose number is larger by in_memory. Its progress says
// which writes of the first actor have been written back from its L2. Numbers of actors are less
// than in_memory.
constexpr uint32_t in_memory = 1u << 31;

// One wave's knowledge about the others.
struct WaveClock {
  uint32_t actor = 0;
  uint32_t number = 0;    // of its next access
  uint32_t followed = 0;  // the accesses from here on matter to nobody
  // True if the access that is issued now is followed.
  bool is_followed() const { return followed == number + 1; }
  Clock seen;  // all of it
  // What the wave knew when it last invalidated each cache: its loads through that cache see memory
  // as it was then. A workgroup shares one L1, from which each L0 is refilled. So after an
  // invalidation of L0 alone, loads see memory as of the last invalidation of L1 by any wave of the
  // workgroup.
  Clock after_l0, after_l1, after_scalar;
  uint32_t own_after_scalar = 0;  // its own writes below this number are what scalar loads show
  // What the wave knows about the waves of its workgroup, if they all share one L0, which executes
  // operations in order.
  Clock near;
  // Knowledge that the wave will have when its load number `number` has returned.
  struct Acquired {
    uint32_t number;
    Clock clock;
  };
  std::vector<Acquired> acquired;

  void start(uint32_t its_actor);
  // The progress `own` of this wave as it is passed on to others. Only accesses that are followed
  // count, so that clocks do not change when nothing that matters has happened.
  Progress told(const Progress& own) const {
    return {std::min(own.reads, followed), std::min(own.writes, followed)};
  }
  // Loads below the number have returned.
  void returned(uint32_t reads);
  void invalidate(uint8_t caches, uint32_t own_writes, Clock& l1_of_workgroup);
  // Records that the wave writes back its L2: from then on, other workgroups see the stores of this
  // wave, and those stores of the other waves of its workgroup (`waves` waves) that it knows of. No
  // wait for the write-back is required, since LLVM 22 omits the wait if the wave waits for nothing
  // else.
  void write_back(uint32_t waves);
};

struct Race {
  enum class Why : uint8_t {
    no_order,
    not_waited,        // there is an order, and the other access had not ended
    not_written_back,  // there is an order, and the store may not have left its L2
    stale_cache,       // there is an order, and a cache was not invalidated
    small_scope,       // both are atomic, of a scope that is too small
    stale_scalar,      // the wave's own store, and a scalar load
  };
  Why why;
  bool writes;           // this access
  bool other_writes;     // and the other one
  uint32_t instruction;  // of the other
  uint32_t actor;
  uint32_t lanes;    // of this access
  uint64_t address;  // of the lowest of them
  uint32_t bytes;
};

class Races {
 public:
  struct Machine {
    bool stores_have_scopes;  // of their own
    bool one_l0;              // the workgroup runs on one compute unit
    // True if a barrier alone orders accesses: what a wave issued before the barrier comes before
    // what another wave issues after it. Even then, gfx1250 needs a wait for stores.
    bool barrier_orders;
    bool one_cache;  // which has the only cache before L2: CDNA, gfx1250
    // True if stores stay in a cache until they are written back: in the L2 of a die on CDNA3 and
    // CDNA4, in the single cache before L2 on gfx1250.
    bool keeps_stores;
    uint32_t waves;  // of a workgroup
  };
  Races(const EffectsTable& effects, const Machine& machine, uint64_t most_bytes);

  const Machine& machine() const { return machine_; }

  // The contents of memory before an access.
  struct Contents {
    // True if the store does not change these `bytes` bytes.
    virtual bool keeps(uint64_t address, uint32_t bytes, uint32_t lane) const = 0;
    virtual uint32_t word(uint64_t address) const = 0;
    // True if the update of lane `lane` would change the word at `address`, assuming that this word
    // contains `held`.
    virtual bool changes(uint64_t address, uint32_t held, uint32_t lane) const = 0;

   protected:
    ~Contents() = default;
  };
  // Call before lanes access global memory. `own` says which of the wave's accesses have happened.
  // `leaves` is true if the updates return the value in memory without changing it, as an exchange
  // on a lock that is already taken does; to other waves they then count as reads. Returns the
  // races that were found.
  std::span<const Race> access(WaveClock& wave, const MemoryAccess& access, uint32_t lanes,
                               AccessKind kind, bool leaves, const Progress& own,
                               const Contents& contents);

  // The guesses: loads that race with atomic updates. Call begin() when an actor starts and end()
  // when it ends; end() returns the guesses of the actor that were not confirmed.
  Guesses<Race>& guesses() { return guesses_; }
  void begin(uint32_t actor) { running_.insert(actor); }
  std::vector<Guesses<Race>::Guess> end(uint32_t actor);

  // The last write to an address that is remembered, or null.
  const Past* last_write(uint64_t address) const { return shadow_.last_write(address); }

  // If something could not be remembered for lack of memory: the reason; else empty. If what waves
  // pass on to each other could not be remembered, no more races are reported from then on.
  std::string_view incomplete() const;

 private:
  struct Release {
    uint32_t from;  // number of the store
    Progress own;
    Clock seen;
  };
  struct Asked;

  Clock released_by(uint32_t actor, uint32_t number) const;
  void note_release(const WaveClock& wave, const Progress& own);
  void forget_releases(std::vector<Release>& history, std::size_t count);
  void synchronise(WaveClock& wave, const MemoryAccess& access, uint32_t lanes, AccessKind kind,
                   const Progress& own);
  Verdict judge(const Asked& asked, const Past& past, uint64_t address, uint32_t overwritten);
  bool is_ordered(const Asked& asked, const Past& past, Race::Why& why) const;
  bool is_atomic_pair(const Asked& asked, const Past& past, uint64_t address, uint32_t overwritten,
                      Race::Why& why) const;
  static bool would_change(const Asked& asked, uint64_t address, uint32_t held);
  void note_race(const Asked& asked, const Past& past, uint64_t address, Race::Why why);
  bool is_guess(const Asked& asked, const Past& past, uint64_t address, const Race& race);
  bool same_workgroup(uint32_t a, uint32_t b) const {
    return a / machine_.waves == b / machine_.waves;
  }

  const EffectsTable& effects_;
  Machine machine_;
  AccessShadow shadow_;
  Releases releases_;
  std::map<uint32_t, std::vector<Release>> history_;  // by actor
  uint64_t history_entries_ = 0, most_history_entries_;
  bool history_is_full_ = false;
  std::vector<Race> races_;
  std::set<uint32_t> running_;  // waves
  Guesses<Race> guesses_;
};

}  // namespace heddle::emulator::check
