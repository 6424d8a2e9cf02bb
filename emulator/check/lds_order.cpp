#include "emulator/check/lds_order.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

#include "emulator/check/lane_runs.h"

namespace heddle::emulator::check {
namespace {

// Besides the groups of operations that end later, a wave has one more group: its uses of barriers,
// which end at once. Each group of a wave is a separate actor.
constexpr auto of_barriers = static_cast<Group>(group_count);
constexpr uint32_t actors_of_wave = group_count + 1;
// In the shadow, barriers have addresses too: from this one on, beyond all addresses of LDS.
constexpr uint64_t first_barrier = uint64_t{1} << 32;

uint32_t actor_of(uint32_t wave, Group group) {
  return wave * actors_of_wave + static_cast<uint32_t>(group);
}
uint32_t wave_of(uint32_t actor) { return actor / actors_of_wave; }
Group group_of(uint32_t actor) { return static_cast<Group>(actor % actors_of_wave); }
// For an arrival at a barrier in LDS, Past::scope has this value.
constexpr uint32_t arrival = 1;

}  // namespace

struct LdsOrder::Asked {
  uint32_t wave;
  const uint64_t* addresses;
  uint32_t lanes, bytes;
  Past now;
  const std::byte* lds = nullptr;
  const LdsShadow::StoredData* data = nullptr;
  const Update* update = nullptr;

  // Calls each(lane, address, index of the byte in the lane's data) for every byte that some lane
  // accesses in the cell (the one to four bytes that the shadow records together) at `address`.
  // Returns true as soon as a call returns true.
  template <class Each>
  bool any_at(uint64_t address, Each each) const {
    for (uint32_t rest = lanes; rest != 0; rest &= rest - 1) {
      const auto lane = static_cast<uint32_t>(std::countr_zero(rest));
      // A cell is a byte or the bytes up to the end of the 32-bit word.
      for (uint64_t at = address; at < (address | 3) + 1; ++at)
        if (const uint64_t inside = at - addresses[lane];
            inside < bytes && each(lane, static_cast<uint32_t>(at), static_cast<uint32_t>(inside)))
          return true;
    }
    return false;
  }
};

// --- barriers ----------------------------------------------------------------------------------

void LdsOrder::start(uint64_t workgroup) {
  workgroup_ = workgroup;
  std::ranges::fill(known_, Known{});
  for (std::vector<Release>& of_wave : releases_) of_wave.clear();
  updates_.clear();
  shadow_.clear();
}

void LdsOrder::tell(const Actor& actor, Told& told) const {
  add_own(actor, known_[actor.wave], told);
}

void LdsOrder::add_own(const Actor& actor, const Known& known, Told& told) {
  told.lds_ended.join(known.ended);
  told.lds_issued.join(known.issued);
  for (uint32_t group = 0; group < group_count; ++group) {
    const uint32_t own = actor_of(actor.wave, static_cast<Group>(group));
    told.lds_ended.raise(own, {actor.ended[group], actor.ended[group]});
    told.lds_issued.raise(own, {actor.number, actor.number});
  }
  const Progress all = {actor.number, actor.number};
  told.lds_ended.raise(actor_of(actor.wave, of_barriers), all);
}

void LdsOrder::learn(uint32_t wave, const Told& told) {
  known_[wave].ended.join(told.lds_ended);
  known_[wave].issued.join(told.lds_issued);
}

std::span<const LdsShadow::Race> LdsOrder::use_barrier(const Actor& actor, uint32_t instruction,
                                                       uint32_t barrier, bool sets_up) {
  races_.clear();
  const uint64_t address = first_barrier + 4 * uint64_t{barrier};
  Asked asked = {actor.wave, &address, 1, 4, {}};
  asked.now.actor = actor_of(actor.wave, of_barriers);
  asked.now.number = actor.number;
  asked.now.site = instruction & 0xffffffu;
  asked.now.writes = sets_up;
  shadow_.access(address, 4, asked.now,
                 [&](const Past& past, uint64_t at) { return judge(asked, past, at, 0); });
  return races_;
}

// --- words by which waves synchronise ------------------------------------------------------------

// Others have seen the effect of the actor's next operation, so that it has happened. Returns the
// actor after that operation. If it is an LDS operation, all earlier LDS operations have happened
// too.
LdsOrder::Actor LdsOrder::after(Actor actor, Group group) {
  uint32_t& ended = actor.ended[static_cast<std::size_t>(group)];
  if (group == Group::lds || ended == actor.number) ended = actor.number + 1;
  ++actor.number;
  return actor;
}

// The knowledge that a wave passed on by a store.
Told LdsOrder::released_by(const Past& store) const {
  const std::vector<Release>& releases = releases_[wave_of(store.actor)];
  auto release = std::ranges::upper_bound(releases, store.number, {},
                                          [](const Release& known) { return known.actor.number; });
  if (release == releases.begin()) return {};
  --release;
  Told told = release->told;
  Actor actor = release->actor;
  actor.number = store.number;
  for (uint32_t& ended : actor.ended)
    if (ended == all_before) ended = store.number;
  add_own(after(actor, group_of(store.actor)), release->known, told);
  return told;
}

Told LdsOrder::told_at(uint32_t wave, const uint32_t* offsets, uint32_t lanes) const {
  Told told;
  uint32_t last = ~0u;
  for (uint32_t rest = lanes; rest != 0; rest &= rest - 1) {
    const uint32_t word = offsets[std::countr_zero(rest)] & ~3u;
    if (std::exchange(last, word) == word) continue;
    const Past* const past = shadow_.last_write(word);
    if (!past) continue;
    if (const auto known = updates_.find(word); past->update && known != updates_.end())
      told.join(known->second);
    else if (!past->update && wave_of(past->actor) != wave)
      told.join(released_by(*past));
  }
  return told;
}

void LdsOrder::release(const Actor& actor, Group group, bool updates, const uint32_t* offsets,
                       uint32_t lanes, const Told& told) {
  const Known& known = known_[actor.wave];
  if (!updates) {
    for (uint32_t rest = lanes; rest != 0 && !updates_.empty(); rest &= rest - 1)
      updates_.erase(offsets[std::countr_zero(rest)] & ~3u);
    std::vector<Release>& releases = releases_[actor.wave];
    Actor kept = actor;
    for (uint32_t& ended : kept.ended)
      if (ended == actor.number) ended = all_before;
    if (group == Group::lds) kept.ended[static_cast<std::size_t>(group)] = all_before;
    if (!releases.empty()) {
      const Release& last = releases.back();
      if (last.actor.ended == kept.ended && last.known.ended == known.ended &&
          last.known.issued == known.issued && last.told.seen == told.seen &&
          last.told.near == told.near)
        return;
    }
    if (releases.size() >= most_releases)
      releases.erase(releases.begin(), releases.begin() + most_releases / 2);
    releases.push_back({kept, known, told});
    return;
  }
  Told own = told;
  add_own(after(actor, group), known, own);
  uint32_t last = ~0u;
  for (uint32_t rest = lanes; rest != 0; rest &= rest - 1) {
    const uint32_t word = offsets[std::countr_zero(rest)] & ~3u;
    if (std::exchange(last, word) == word) continue;
    const Past* const past = shadow_.last_write(word);
    const auto [at, is_new] = updates_.try_emplace(word);
    if (is_new && past && !past->update) at->second = released_by(*past);
    at->second.join(own);
  }
}

// --- accesses ----------------------------------------------------------------------------------

std::span<const LdsShadow::Race> LdsOrder::access(const Actor& actor,
                                                  const Instruction& instruction, AccessKind kind,
                                                  const uint32_t* offsets, uint32_t lanes,
                                                  uint32_t bytes, const std::byte* lds,
                                                  const LdsShadow::StoredData* data,
                                                  const Update* update) {
  races_.clear();
  uint64_t addresses[32];
  std::ranges::copy(std::span(offsets, 32), addresses);
  const Effects& effects = effects_[instruction.index];
  const bool leaves = update != nullptr && update->leaves;
  Asked asked = {actor.wave, addresses, lanes, bytes, {}, lds, data, update};
  asked.now.actor = actor_of(actor.wave, effects.group);
  asked.now.number = actor.number;
  asked.now.site = instruction.index & 0xffffffu;
  asked.now.writes = kind != AccessKind::load && !leaves;
  asked.now.update = kind == AccessKind::atomic && !leaves;
  // A flag may be set, or a lock freed, by an ordinary store, so one of up to 8 bytes counts as
  // atomic.
  asked.now.atomic = kind == AccessKind::atomic || effects.polls ||
                     (kind == AccessKind::store && bytes <= 8 && !effects.copies);
  asked.now.scope = effects.arrives ? arrival : 0;
  struct Judge {
    LdsOrder& order;
    const Asked& asked;
    Verdict operator()(const Past& past, uint64_t at, uint32_t overwritten) const {
      return order.judge(asked, past, at, overwritten);
    }
    uint32_t word(uint64_t at) const {
      uint32_t word;
      std::memcpy(&word, asked.lds + (at & ~uint64_t{3}), sizeof word);
      return word;
    }
  };
  for_runs(addresses, lanes, bytes, [&](uint64_t address, uint64_t count) {
    shadow_.access(address, count, asked.now, Judge{*this, asked});
  });
  return races_;
}

Verdict LdsOrder::judge(const Asked& asked, const Past& past, uint64_t address,
                        uint32_t overwritten) {
  const Past& now = asked.now;
  if (wave_of(past.actor) == asked.wave) return Verdict::ordered;
  const Known& known = known_[asked.wave];
  if (past.number < known.ended.of(past.actor).reads) return Verdict::ordered;
  if (past.atomic && now.atomic) {
    // The same as for global memory (Races::is_atomic_pair): two atomic writes need no order,
    // unless one of them is a plain store that would overwrite the other's change, or whose value
    // the other would change.
    const bool undoes = past.writes && now.writes && !now.update;
    const bool is_undone = past.writes && !past.update && now.update && asked.update != nullptr &&
                           asked.any_at(address, [&](uint32_t lane, uint32_t at, uint32_t) {
                             return asked.update->changes(at, overwritten, lane);
                           });
    if (!undoes && !is_undone) {
      if (now.writes && !past.writes)
        note_unordered({workgroup_, past.site, now.site, wave_of(past.actor), asked.wave, address});
      return Verdict::no_race;
    }
  }
  // A barrier is read while others arrive at it.
  if ((past.scope == arrival && !now.writes) || (now.scope == arrival && !past.writes))
    return Verdict::no_race;
  if (asked.data && !asked.any_at(address, [&](uint32_t lane, uint32_t at, uint32_t inside) {
        return !asked.data->keeps(at, lane, inside);
      }))
    return Verdict::no_change;
  note_race(asked, past, address, past.number < known.issued.of(past.actor).reads);
  return Verdict::race;
}

void LdsOrder::note_unordered(const Unordered& pair) {
  const Effects& effects = effects_[pair.load];
  if (!unordered_ && effects.polls && !effects.waits && !effects.updates) unordered_ = pair;
}

void LdsOrder::note_seen(uint32_t wave, uint32_t load, const uint32_t* offsets, uint32_t lanes) {
  for (uint32_t rest = lanes; rest != 0 && !unordered_; rest &= rest - 1) {
    const uint32_t word = offsets[std::countr_zero(rest)] & ~3u;
    const Past* const past = shadow_.last_write(word);
    if (!past || wave_of(past->actor) == wave ||
        past->number < known_[wave].ended.of(past->actor).reads)
      continue;
    note_unordered({workgroup_, load, past->site, wave, wave_of(past->actor), word});
  }
}

void LdsOrder::note_race(const Asked& asked, const Past& past, uint64_t address, bool outstanding) {
  using Kind = LdsShadow::Race::Kind;
  const Kind kind = !asked.now.writes ? Kind::read_after_write
                    : past.writes     ? Kind::write_after_write
                                      : Kind::write_after_read;
  const bool update = kind == Kind::read_after_write   ? past.update
                      : kind == Kind::write_after_read ? asked.now.update
                                                       : false;
  uint32_t lanes = 0;
  for (uint32_t rest = asked.lanes; rest != 0; rest &= rest - 1)
    if (address - asked.addresses[std::countr_zero(rest)] < asked.bytes) lanes |= rest & -rest;
  for (LdsShadow::Race& race : races_) {
    if (race.kind != kind || race.instruction != past.site || race.outstanding != outstanding ||
        (update && race.address != address))
      continue;
    race.lanes |= lanes;
    return;
  }
  races_.push_back({kind, past.site, wave_of(past.actor), outstanding, update, lanes,
                    static_cast<uint32_t>(address)});
}

}  // namespace heddle::emulator::check
