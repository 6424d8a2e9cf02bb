// Races in global memory: the order that AMD's waits, barriers, atomics and caches give to
// accesses.
//
// Each wave is an actor of check/happens_before.h. Its accesses are numbered as they are issued.
// A read has happened when its counter says that it has returned, a write when `vscnt` (gfx12:
// `storecnt`) says that it is in L2. What has happened is known to others
// - after a barrier, to the waves of the workgroup, with the state at the signal;
// - after an atomic or a store, to a wave that has read the stored value by an atomic load or an
//   atomic that returns. Atomics that follow each other at one address pass on the knowledge of the
//   earlier ones.
// Loads come through the caches L0 and L1 (gfx11: `buffer_gl0_inv`, `buffer_gl1_inv`; gfx12:
// `global_inv` with a scope), so a value that a wave reads without `glc` or a scope is as new as
// the last invalidation; scalar loads come through a separate cache (`s_dcache_inv`). The dies of
// gfx942 and gfx950 have an L2 each. Other workgroups see a store without `sc1` once it is written
// back from there (`buffer_wbl2 sc1`): the clocks also hold the knowledge of such write-backs, for
// an actor + in_memory.
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

// Added to the number of an actor: those of its writes that have left its L2. Actors are below it.
constexpr uint32_t in_memory = 1u << 31;

// One wave's knowledge about the others.
struct WaveClock {
  uint32_t actor = 0;
  uint32_t number = 0;    // of its next access
  uint32_t followed = 0;  // the accesses from here on matter to nobody
  // Whether the access that is issued now matters.
  bool is_followed() const { return followed == number + 1; }
  Clock seen;  // all of it
  // The wave's knowledge when it last invalidated each cache: its loads show that state. The
  // workgroup shares one L1, so L0 is refilled with the knowledge of the last wave that invalidated
  // L1.
  Clock after_l0, after_l1, after_scalar;
  uint32_t own_after_scalar = 0;  // its own writes below this number are what scalar loads show
  // Of its workgroup where the waves share one L0: operations are in order there.
  Clock near;
  // Learnt from a load that has not returned.
  struct Acquired {
    uint32_t number;
    Clock clock;
  };
  std::vector<Acquired> acquired;

  void start(uint32_t its_actor);
  // The knowledge about relevant accesses that is passed on, so that clocks only change with these.
  Progress told(const Progress& own) const {
    return {std::min(own.reads, followed), std::min(own.writes, followed)};
  }
  // Loads below the number have returned.
  void returned(uint32_t reads);
  void invalidate(uint8_t caches, uint32_t own_writes, Clock& l1_of_workgroup);
  // The wave's L2 writes back the stores of its workgroup, which has `waves` waves: the stores of
  // this wave, and those of the others that it knows of. No wait for the write-back is required:
  // LLVM 22 omits it if the wave waits for nothing else.
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
    // True if a barrier is enough: accesses that a wave issued before it come before those that
    // another wave issues after it. gfx1250 still needs a wait for stores.
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
    // Whether the store leaves so many bytes at an address as they are.
    virtual bool keeps(uint64_t address, uint32_t bytes, uint32_t lane) const = 0;
    virtual uint32_t word(uint64_t address) const = 0;
    // Whether the update would change the word at an address if it held this.
    virtual bool changes(uint64_t address, uint32_t held, uint32_t lane) const = 0;

   protected:
    ~Contents() = default;
  };
  // Called before lanes access global memory. `own`: the accesses of the wave that have happened.
  // `leaves`: the updates do not change memory and return its value. For others they then count as
  // reads; an example is the exchange on a lock that is already taken.
  std::span<const Race> access(WaveClock& wave, const MemoryAccess& access, uint32_t lanes,
                               AccessKind kind, bool leaves, const Progress& own,
                               const Contents& contents);

  // Loads of actors that race with atomic updates. begin(): an actor starts. end(): it ends, and
  // its remaining loads are returned.
  Guesses<Race>& guesses() { return guesses_; }
  void begin(uint32_t actor) { running_.insert(actor); }
  std::vector<Guesses<Race>::Guess> end(uint32_t actor);

  // The last write to an address that is remembered, or null.
  const Past* last_write(uint64_t address) const { return shadow_.last_write(address); }

  // The reason that something could not be kept; empty if everything was. If the knowledge that
  // waves pass on could not be kept, no further races are found.
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
