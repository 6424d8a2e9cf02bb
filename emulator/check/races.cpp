#include "emulator/check/races.h"

#include <algorithm>
#include <bit>

#include "emulator/check/lane_runs.h"

namespace heddle::emulator::check {
namespace {

constexpr uint32_t device_scope = 2, shader_engine_scope = 1;
// A wave's stores pass on knowledge to who reads them. For each wave, at most this many are kept,
// the newest ones.
constexpr std::size_t most_history = 4096;

// The progress of a wave that others learn when they read the value of its store or atomic number
// `number`. `own` is the progress when that access was issued. The access itself has happened too.
Progress with_itself(Progress own, uint32_t number) {
  if (own.writes == number) ++own.writes;
  if (own.reads == number) ++own.reads;
  return own;
}

}  // namespace

void WaveClock::start(uint32_t its_actor) {
  *this = {};
  actor = its_actor;
}

void WaveClock::returned(uint32_t reads) {
  std::erase_if(acquired, [&](const Acquired& learnt) {
    if (learnt.number >= reads) return false;
    seen.join(learnt.clock);
    return true;
  });
}

void WaveClock::write_back(uint32_t waves) {
  Clock all = seen;
  all.raise(actor, {number, number});
  seen.join(all.shifted(actor - actor % waves, waves, in_memory));
}

void WaveClock::invalidate(uint8_t caches, uint32_t own_writes, Clock& l1_of_workgroup) {
  if (caches & empties_l1) l1_of_workgroup.join(seen);
  if (caches & empties_l0) {
    after_l0 = seen;
    after_l1.join(l1_of_workgroup);  // L0 is filled again from L1 as it is now
  }
  if (!(caches & empties_scalar)) return;
  after_scalar = seen;
  own_after_scalar = own_writes;
}

// --- one access --------------------------------------------------------------------------------

struct Races::Asked {
  const WaveClock& wave;
  const MemoryAccess& access;
  uint32_t lanes;
  Past now;
  bool stores;
  const Contents& contents;
};

Races::Races(const EffectsTable& effects, const Machine& machine, uint64_t most_bytes)
    : effects_(effects),
      machine_(machine),
      shadow_(most_bytes / 2),
      releases_(most_bytes / 4 / Clock::entry_bytes),
      most_history_entries_(most_bytes / 4 / Clock::entry_bytes) {}

std::string_view Races::incomplete() const {
  if (shadow_.is_incomplete()) return "more memory is used than the checker follows";
  if (releases_.is_incomplete()) return "more atomics of more waves than the checker follows";
  if (history_is_full_) return "more stores of more waves than the checker follows";
  return {};
}

// True if the access `past` happened before the current one, and the current one sees it. A load
// through a cache only sees what its wave knew when it last invalidated this cache. If false, sets
// `why` to the reason.
bool Races::is_ordered(const Asked& asked, const Past& past, Race::Why& why) const {
  const WaveClock& wave = asked.wave;
  const bool near = same_workgroup(past.actor, wave.actor);
  // Accesses through the scalar cache do not pass L0.
  const bool in_one_l0 =
      near && machine_.one_l0 && !(past.writes && effects_[past.site].group == Group::scalar);
  why = Race::Why::no_order;
  if (!happened(wave.seen, past)) {
    if (in_one_l0 && happened(wave.near, past)) return true;
    // The current wave knows that the store was issued, but not that it had ended: a wait was
    // missing.
    if (past.writes && past.number < wave.seen.of(past.actor).reads) why = Race::Why::not_waited;
    return false;
  }
  if (!near && machine_.keeps_stores && past.writes && past.scope < device_scope) {
    why = Race::Why::not_written_back;
    Past written_back = past;
    written_back.actor += in_memory;
    if (!happened(wave.seen, written_back)) return false;
  }
  if (asked.now.writes) return true;
  why = Race::Why::stale_cache;
  const uint32_t scope = asked.now.scope;
  if (asked.access.space == MemorySpace::scalar)
    return scope >= device_scope || happened(wave.after_scalar, past);
  if (in_one_l0) return true;
  if (scope < shader_engine_scope && !happened(wave.after_l0, past)) return false;
  return near || scope >= device_scope || happened(wave.after_l1, past);
}

// True if memory at `address` contained `held`, and an update by one of the lanes that access this
// address would change it.
bool Races::would_change(const Asked& asked, uint64_t address, uint32_t held) {
  for (uint32_t rest = asked.lanes; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<uint32_t>(std::countr_zero(rest));
    if (address - asked.access.addresses[lane] < asked.access.bytes &&
        asked.contents.changes(address, held, lane))
      return true;
  }
  return false;
}

bool Races::is_atomic_pair(const Asked& asked, const Past& past, uint64_t address,
                           uint32_t overwritten, Race::Why& why) const {
  const Past& now = asked.now;
  if (!past.atomic || !now.atomic) return false;
  // A plain store overwrites other writes, so it needs an order with each write that changes the
  // value. For an update, it is tested whether it would have changed the old value.
  if (past.writes && now.writes && !now.update) return false;
  if (past.writes && !past.update && now.writes && would_change(asked, address, overwritten))
    return false;
  const uint32_t needed =
      same_workgroup(past.actor, now.actor) ? shader_engine_scope : device_scope;
  if (std::min<uint32_t>(past.scope, now.scope) >= needed) return true;
  why = Race::Why::small_scope;
  return false;
}

Verdict Races::judge(const Asked& asked, const Past& past, uint64_t address, uint32_t overwritten) {
  auto why = Race::Why::no_order;
  if (is_ordered(asked, past, why)) return Verdict::ordered;
  // L2 executes updates of one address one after the other. So an access that comes after the later
  // of two updates also comes after the earlier one, even if its wave did not wait for other
  // operations.
  if (is_atomic_pair(asked, past, address, overwritten, why))
    return asked.now.update && past.writes ? Verdict::ordered : Verdict::no_race;
  if (asked.stores) {
    for (uint32_t rest = asked.lanes; rest != 0; rest &= rest - 1) {
      const auto lane = static_cast<uint32_t>(std::countr_zero(rest));
      const uint64_t inside = address - asked.access.addresses[lane];
      if (inside >= asked.access.bytes) continue;
      const uint64_t bytes = std::min(4 - address % 4, asked.access.bytes - inside);
      if (!asked.contents.keeps(address, static_cast<uint32_t>(bytes), lane)) {
        note_race(asked, past, address, why);
        return Verdict::race;
      }
    }
    return Verdict::no_change;
  }
  note_race(asked, past, address, why);
  return Verdict::race;
}

void Races::note_race(const Asked& asked, const Past& past, uint64_t address, Race::Why why) {
  uint32_t lanes = 0;
  uint64_t first = ~uint64_t{0};
  for (uint32_t rest = asked.lanes; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<uint32_t>(std::countr_zero(rest));
    if (address - asked.access.addresses[lane] >= asked.access.bytes) continue;
    lanes |= 1u << lane;
    first = std::min(first, asked.access.addresses[lane]);
  }
  for (Race& race : races_) {
    if (race.instruction != past.site || race.other_writes != past.writes || race.why != why)
      continue;
    race.lanes |= lanes;
    return;
  }
  const Race race = {why,   asked.now.writes != 0, past.writes != 0, past.site, past.actor, lanes,
                     first, asked.access.bytes};
  if (!is_guess(asked, past, address, race)) races_.push_back(race);
}

// If the race is between a load and an atomic update, keeps it as a guess (guesses.h), so that a
// later access of the loading wave decides about it. The load is the current access or the past
// one. Returns false for other races, and if the race cannot be kept.
bool Races::is_guess(const Asked& asked, const Past& past, uint64_t address, const Race& race) {
  Guesses<Race>::Guess guess = {asked.now.site, asked.now.number, asked.contents.word(address),
                                race};
  uint32_t reader = asked.now.actor;
  if (asked.now.update && !past.writes && !past.atomic) {
    reader = past.actor;
    guess.instruction = past.site;
    guess.number = past.number;
    guess.race.writes = false;
    guess.race.other_writes = true;
    guess.race.instruction = asked.now.site;
    guess.race.actor = asked.now.actor;
    guess.race.lanes = 0;
  } else if (asked.now.writes || !past.update) {
    return false;
  }
  return running_.contains(reader) && guesses_.add(reader, address, guess);
}

std::vector<Guesses<Race>::Guess> Races::end(uint32_t actor) {
  running_.erase(actor);
  return guesses_.end(actor);
}

std::span<const Race> Races::access(WaveClock& wave, const MemoryAccess& access, uint32_t lanes,
                                    AccessKind kind, bool leaves, const Progress& own,
                                    const Contents& contents) {
  races_.clear();
  if (history_is_full_ || releases_.is_incomplete()) return races_;
  wave.followed = wave.number + 1;
  const Effects& effects = effects_[access.instruction->index];
  Asked asked = {wave, access, lanes, {}, kind == AccessKind::store, contents};
  Past& now = asked.now;
  now.actor = wave.actor;
  now.number = wave.number;
  now.site = access.instruction->index & 0xffffffu;
  now.writes = kind != AccessKind::load && !leaves;
  now.update = kind == AccessKind::atomic && !leaves;
  now.scope = effects.scope & 3u;
  // Stores without a scope field (gfx11, CDNA) go to L2, and those of at most 8 bytes arrive there
  // whole and may be atomic. On processors with several L2, only `sc1` takes a store beyond its L2.
  if (!machine_.stores_have_scopes && kind == AccessKind::store &&
      access.space != MemorySpace::scalar)
    now.scope =
        std::max<uint32_t>(now.scope, machine_.keeps_stores ? shader_engine_scope : device_scope);
  now.atomic = access.bytes <= 8 && now.scope > 0;
  synchronise(wave, access, lanes, kind, own);

  struct Judge {
    Races& races;
    const Asked& asked;
    Verdict operator()(const Past& past, uint64_t at, uint32_t overwritten) const {
      return races.judge(asked, past, at, overwritten);
    }
    uint32_t word(uint64_t at) const { return asked.contents.word(at); }
  };
  for_runs(access.addresses, lanes, access.bytes, [&](uint64_t address, uint64_t bytes) {
    shadow_.access(address, bytes, now, Judge{*this, asked});
  });
  // The scalar cache does not even see what its own wave has stored by vector instructions.
  if (access.space == MemorySpace::scalar && kind == AccessKind::load && now.scope == 0)
    if (const Past* past = shadow_.last_write(access.addresses[0]);
        past && past->actor == wave.actor && past->number >= wave.own_after_scalar &&
        effects_[past->site].group != Group::scalar)
      note_race(asked, *past, access.addresses[0], Race::Why::stale_scalar);
  return races_;
}

// --- what stores and atomics tell --------------------------------------------------------------

Clock Races::released_by(uint32_t actor, uint32_t number) const {
  const auto at = history_.find(actor);
  if (at == history_.end() || at->second.empty()) return {};
  auto release = std::ranges::upper_bound(at->second, number, {}, &Release::from);
  if (release != at->second.begin()) --release;
  Clock clock = release->seen;
  clock.raise(actor, with_itself(release->own, number));
  return clock;
}

void Races::note_release(const WaveClock& wave, const Progress& own) {
  std::vector<Release>& history = history_[wave.actor];
  if (!history.empty() && history.back().own == own && history.back().seen == wave.seen) return;
  if (history.size() >= most_history) forget_releases(history, most_history / 2);
  history.push_back({wave.number, own, wave.seen});
  history_entries_ += Clock::own_entries + wave.seen.size();
  if (history_entries_ <= most_history_entries_) return;
  history_is_full_ = true;
  history_.clear();
}

void Races::forget_releases(std::vector<Release>& history, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i)
    history_entries_ -= Clock::own_entries + history[i].seen.size();
  history.erase(history.begin(), history.begin() + static_cast<std::ptrdiff_t>(count));
}

void Races::synchronise(WaveClock& wave, const MemoryAccess& access, uint32_t lanes,
                        AccessKind kind, const Progress& own) {
  const Effects& effects = effects_[access.instruction->index];
  if (kind == AccessKind::store && access.bytes <= 8) note_release(wave, own);
  const bool updates = kind == AccessKind::atomic;
  const bool learns = kind == AccessKind::load
                          ? effects.scope > 0
                          : updates && (access.instruction->flags & flag_return) != 0;
  if (!updates && !learns && kind != AccessKind::store) return;
  Clock learnt, released;
  if (updates) {
    released = wave.seen;
    released.raise(wave.actor, with_itself(own, wave.number));
  }
  uint64_t last = ~uint64_t{0};
  for (uint32_t rest = lanes; rest != 0; rest &= rest - 1) {
    const uint64_t address = access.addresses[std::countr_zero(rest)] & ~uint64_t{3};
    if (address == last) continue;
    last = address;
    if (kind == AccessKind::store) {
      releases_.forget(address);
      continue;
    }
    const Past* const past = shadow_.last_write(address);
    if (learns && past) {
      if (const Clock* clock = past->update ? releases_.find(address) : nullptr)
        learnt.join(*clock);
      else if (!past->update && past->actor != wave.actor)
        learnt.join(released_by(past->actor, past->number));
    }
    if (updates)
      releases_.update(address,
                       past && !past->update ? released_by(past->actor, past->number) : Clock{},
                       released);
  }
  if (!learnt.is_empty()) wave.acquired.push_back({wave.number, learnt});
}

}  // namespace heddle::emulator::check
