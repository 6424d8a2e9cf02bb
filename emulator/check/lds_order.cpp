#include "emulator/check/lds_order.h"

#include <algorithm>
#include <bit>

#include "emulator/check/lane_runs.h"

namespace heddle::emulator::check {
namespace {

// Behind the groups: what a wave does with barriers, which ends at once.
constexpr auto of_barriers = static_cast<Group>(group_count);
constexpr uint32_t actors_of_wave = group_count + 1;
// Where barriers lie in the shadow, behind all of LDS.
constexpr uint64_t first_barrier = uint64_t{1} << 32;

uint32_t actor_of(uint32_t wave, Group group) {
  return wave * actors_of_wave + static_cast<uint32_t>(group);
}
uint32_t wave_of(uint32_t actor) { return actor / actors_of_wave; }

}  // namespace

struct LdsOrder::Asked {
  uint32_t wave;
  const uint64_t* addresses;
  uint32_t lanes, bytes;
  Past now;
  const LdsShadow::StoredData* data;
};

// --- barriers ----------------------------------------------------------------------------------

void LdsOrder::start() {
  std::ranges::fill(known_, Known{});
  shadow_.clear();
}

void LdsOrder::tell(const Actor& actor, Told& told) const {
  told.lds_ended.join(known_[actor.wave].ended);
  told.lds_issued.join(known_[actor.wave].issued);
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
  Asked asked = {actor.wave, &address, 1, 4, {}, nullptr};
  asked.now.actor = actor_of(actor.wave, of_barriers);
  asked.now.number = actor.number;
  asked.now.site = instruction & 0xffffffu;
  asked.now.writes = sets_up;
  shadow_.access(address, 4, asked.now,
                 [&](const Past& past, uint64_t at) { return judge(asked, past, at); });
  return races_;
}

// --- accesses ----------------------------------------------------------------------------------

std::span<const LdsShadow::Race> LdsOrder::access(const Actor& actor,
                                                  const Instruction& instruction, AccessKind kind,
                                                  const uint32_t* offsets, uint32_t lanes,
                                                  uint32_t bytes,
                                                  const LdsShadow::StoredData* data) {
  races_.clear();
  uint64_t addresses[32];
  std::ranges::copy(std::span(offsets, 32), addresses);
  const Effects& effects = effects_[instruction.index];
  Asked asked = {actor.wave, addresses, lanes, bytes, {}, data};
  asked.now.actor = actor_of(actor.wave, effects.group);
  asked.now.number = actor.number;
  asked.now.site = instruction.index & 0xffffffu;
  asked.now.writes = kind != AccessKind::load;
  asked.now.atomic = kind == AccessKind::atomic;
  asked.now.update = effects.arrives;
  for_runs(addresses, lanes, bytes, [&](uint64_t address, uint64_t count) {
    shadow_.access(address, count, asked.now,
                   [&](const Past& past, uint64_t at) { return judge(asked, past, at); });
  });
  return races_;
}

Verdict LdsOrder::judge(const Asked& asked, const Past& past, uint64_t address) {
  if (wave_of(past.actor) == asked.wave) return Verdict::ordered;
  const Known& known = known_[asked.wave];
  if (past.number < known.ended.of(past.actor).reads) return Verdict::ordered;
  if (past.atomic && asked.now.atomic) return Verdict::no_race;
  // A barrier is read while others arrive at it.
  if ((past.update && !asked.now.writes) || (asked.now.update && !past.writes))
    return Verdict::no_race;
  if (asked.data) {
    bool changes = false;
    for (uint32_t rest = asked.lanes; rest != 0 && !changes; rest &= rest - 1) {
      const auto lane = static_cast<uint32_t>(std::countr_zero(rest));
      // The cell at the address ends where the next word begins, or is a byte.
      for (uint64_t at = address; at < (address | 3) + 1; ++at)
        if (const uint64_t inside = at - asked.addresses[lane]; inside < asked.bytes)
          changes = changes || !asked.data->keeps(static_cast<uint32_t>(at), lane,
                                                  static_cast<uint32_t>(inside));
    }
    if (!changes) return Verdict::no_change;
  }
  note_race(asked, past, address, past.number < known.issued.of(past.actor).reads);
  return Verdict::race;
}

void LdsOrder::note_race(const Asked& asked, const Past& past, uint64_t address, bool outstanding) {
  using Kind = LdsShadow::Race::Kind;
  const Kind kind = !asked.now.writes ? Kind::read_after_write
                    : past.writes     ? Kind::write_after_write
                                      : Kind::write_after_read;
  const bool update = kind == Kind::read_after_write   ? past.atomic
                      : kind == Kind::write_after_read ? asked.now.atomic
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
