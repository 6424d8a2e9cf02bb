// The part of the checker that looks for races in global memory.
#include <algorithm>
#include <bit>
#include <cstring>

#include "emulator/check/checker_state.h"
#include "emulator/check/lane_runs.h"
#include "emulator/machine/partial_dword.h"
#include "library/text/formatted.h"

namespace heddle::emulator::check {
namespace {

// The memory region that the lowest of `lanes` accesses. If its address is in no region: the empty
// region.
const Region& first_region(const AddressSpace& memory, const MemoryAccess& access, uint32_t lanes) {
  const uint64_t number = memory.region_at(access.addresses[std::countr_zero(lanes)]);
  return memory.regions()[number < memory.region_count() ? number : 0];
}

// Those of `lanes` that access the same memory region as the lowest of them.
uint32_t lanes_in_one_region(const AddressSpace& memory, const MemoryAccess& access,
                             uint32_t lanes) {
  if (std::has_single_bit(lanes)) return lanes;  // a scalar access has one address
  const Region& region = first_region(memory, access, lanes);
  uint32_t alike = 0;
  for (uint32_t lane = 0; lane < 32; ++lane)
    alike |= (access.addresses[lane] - region.base < region.size ? 1u : 0u) << lane;
  return (alike & lanes) | (lanes & -lanes);
}

// A quick test. If it returns true, no two lanes store to the same bytes. It can return true only
// if the distances between the lanes' addresses are multiples of `bytes` and the addresses are near
// each other; false means nothing.
template <class Address>
bool surely_apart(const Address* addresses, uint32_t lanes, uint32_t bytes) {
  if (!std::has_single_bit(bytes)) return false;
  const int shift = std::countr_zero(bytes);
  Address lowest = ~Address{0};
  for (uint32_t rest = lanes; rest != 0; rest &= rest - 1)
    lowest = std::min(lowest, addresses[std::countr_zero(rest)]);
  constexpr uint64_t places = 4096;
  uint64_t taken[places / 64] = {};
  for (uint32_t rest = lanes; rest != 0; rest &= rest - 1) {
    const uint64_t apart = addresses[std::countr_zero(rest)] - lowest, place = apart >> shift;
    if ((apart & (bytes - 1)) != 0 || place >= places) return false;
    const uint64_t bit = uint64_t{1} << place % 64;
    if (taken[place / 64] & bit) return false;
    taken[place / 64] |= bit;
  }
  return true;
}

// The registers that a store stores, for each lane. A scalar store has only lane 0.
struct StoredRegisters {
  const uint32_t* first;
  uint32_t shift;  // 16 where the upper half of the register is stored
  uint32_t lanes;  // of a register

  std::byte at(uint32_t lane, uint64_t byte) const {
    return static_cast<std::byte>(first[byte / 4 * lanes + lane] >> (shift + 8 * (byte % 4)));
  }
};

// What memory contains at `address`: `bytes` bytes. A dword may begin before the region or extend
// beyond it.
uint64_t found_by(const Region& region, uint64_t address, uint32_t bytes) {
  const uint64_t first = address - region.base;
  uint64_t found = bytes == 4 ? undefined_word : 0;
  if (first >= region.size) return found;
  std::memcpy(&found, region.host + first, std::min<uint64_t>(bytes, region.size - first));
  return found;
}

class RegionContents final : public Races::Contents {
 public:
  RegionContents(const Region& region, const Wavefront& wave, const Row& row,
                 const MemoryAccess& access, const StoredRegisters& data)
      : region_(region), wave_(wave), row_(row), access_(access), data_(data) {}

  bool keeps(uint64_t address, uint32_t bytes, uint32_t lane) const override {
    for (uint32_t i = 0; i < bytes; ++i)
      if (data_.at(lane, address + i - access_.addresses[lane]) !=
          region_.host[address + i - region_.base])
        return false;
    return true;
  }
  uint32_t word(uint64_t address) const override {
    return static_cast<uint32_t>(found_by(region_, address & ~uint64_t{3}, 4));
  }
  bool changes(uint64_t address, uint32_t held, uint32_t lane) const override {
    const uint64_t first = access_.addresses[lane];
    uint64_t value = found_by(region_, first, access_.bytes);
    const uint64_t shift = 8 * ((address & ~uint64_t{3}) - first);
    value = (value & ~(uint64_t{0xffffffff} << shift)) | uint64_t{held} << shift;
    return updated_value(row_, access_, wave_, lane, value) != value;
  }

 private:
  const Region& region_;
  const Wavefront& wave_;
  const Row& row_;
  const MemoryAccess& access_;
  StoredRegisters data_;
};

StoredRegisters registers_of(const Wavefront& wave, const MemoryAccess& access, const Row& row) {
  const Source& data = data_of(*access.instruction, access);
  const unsigned first =
      data.index + (access.space == MemorySpace::lds ? 0u : access.first_register);
  if (access.space == MemorySpace::scalar) return {&wave.scalar[first], 0, 1};
  return {wave.vgpr[first], is_upper_half(row, data, access) ? 16u : 0u, 32};
}

}  // namespace

// --- lanes of one instruction ------------------------------------------------------------------

// Reports an instruction in which two lanes store different values to the same byte: one of the
// values remains there, but it is not specified which. Returns true if no two lanes store to the
// same byte.
template <class Address>
bool Checker::check_lanes(WaveState& state, const MemoryAccess& access, const Address* addresses,
                          uint32_t lanes) {
  if (state.address_is_undefined) return false;
  bool rises = true;
  uint64_t end = 0;
  for (uint32_t rest = lanes; rest != 0 && rises; rest &= rest - 1) {
    const uint64_t address = addresses[std::countr_zero(rest)];
    rises = address >= end;
    end = address + access.bytes;
  }
  if (rises || surely_apart(addresses, lanes, access.bytes)) return true;
  uint8_t order[32];
  unsigned count = 0;
  for (uint32_t rest = lanes; rest != 0; rest &= rest - 1)
    order[count++] = static_cast<uint8_t>(std::countr_zero(rest));
  std::ranges::sort(order, order + count, {}, [&](uint8_t lane) { return addresses[lane]; });
  const uint32_t index = access.instruction->index;
  const StoredRegisters data = registers_of(*observed_, access, *shadow_.effects[index].row[0]);
  for (unsigned i = 0; i + 1 < count; ++i) {
    const uint32_t a = order[i], b = order[i + 1];
    const uint64_t apart = addresses[b] - addresses[a];
    uint64_t byte = apart;
    while (byte < access.bytes && data.at(a, byte) == data.at(b, byte - apart)) ++byte;
    if (byte >= access.bytes) continue;
    log_.add({FindingKind::conflicting_lanes, index, static_cast<int>(state.number),
              (uint64_t{1} << a | uint64_t{1} << b) << observed_->first_lane},
             {}, [&] {
               const uint64_t address = addresses[a] + byte;
               return FindingLog::Words{
                   formatted("lanes {} and {} store different values to {}",
                             std::min(a, b) + observed_->first_lane,
                             std::max(a, b) + observed_->first_lane,
                             sizeof(Address) == 4 ? formatted("LDS address {:#x}", address)
                                                  : dispatch_.memory().describe(address, 1)),
                   {}};
             });
    return false;
  }
  return false;
}

template bool Checker::check_lanes(WaveState&, const MemoryAccess&, const uint32_t*, uint32_t);
template bool Checker::check_lanes(WaveState&, const MemoryAccess&, const uint64_t*, uint32_t);

// --- waves and workgroups ----------------------------------------------------------------------

uint32_t Checker::observe_races(WaveState& state, const MemoryAccess& access, uint32_t lanes) {
  if (access.kind == AccessKind::store && access.space != MemorySpace::scalar && lanes != 0) {
    LanesApart& known = lanes_apart_[access.instruction->index % lanes_apart_kept];
    if (!known.holds(access.addresses, lanes, access.bytes) &&
        check_lanes(state, access, access.addresses, lanes))
      known.keep(access.addresses, lanes, access.bytes);
  }
  // If all waves share one cache, an invalidation by any wave applies to all waves.
  if (shadow_.races && shadow_.races->machine().one_cache && state.l1_version != l1_version_) {
    state.clock.after_l0.join(l1_);
    state.clock.after_l1.join(l1_);
    state.l1_version = l1_version_;
  }
  uint32_t uncertain = 0;
  while (lanes != 0) {
    const uint32_t alike = lanes_in_one_region(dispatch_.memory(), access, lanes);
    lanes &= ~alike;
    const uint64_t address = access.addresses[std::countr_zero(alike)];
    if (address >> region_shift == dispatch_.memory().unordered_region()) continue;
    if (access.kind != AccessKind::load)
      shadow_.sharing.write(address);
    else if (!shadow_.sharing.read(address))
      continue;
    if (!shadow_.races) {
      const bool writes = access.kind != AccessKind::load;
      for_runs(access.addresses, alike, access.bytes, [&](uint64_t first, uint64_t bytes) {
        if (access.space == MemorySpace::scalar)
          shadow_.sharing.use_scalar(first, bytes, writes);
        else
          shadow_.sharing.use(state.clock.actor, first, bytes, writes);
      });
      continue;
    }
    if (access.kind != AccessKind::atomic) {
      uncertain |= follow(state, access, alike, access.kind);
      continue;
    }
    const uint32_t failed = failed_exchanges(access, alike);
    if (failed != 0) follow(state, access, failed, AccessKind::load);
    const uint32_t kept = returned_as_it_stays(access, alike & ~failed);
    if (kept != 0) follow(state, access, kept, AccessKind::atomic, true);
    if (alike != (failed | kept))
      follow(state, access, alike & ~failed & ~kept, AccessKind::atomic);
  }
  return uncertain;
}

// The lanes whose compare-and-swap finds another value than it expects, and so writes nothing.
uint32_t Checker::failed_exchanges(const MemoryAccess& access, uint32_t lanes) const {
  const Row& row = *shadow_.effects[access.instruction->index].row[0];
  if (row.expected == 0) return 0;
  const Region& region = first_region(dispatch_.memory(), access, lanes);
  uint32_t failed = 0;
  for (uint32_t rest = lanes; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<unsigned>(std::countr_zero(rest));
    uint32_t expected[2];
    expected_words(row, access, *observed_, lane, expected);
    const uint64_t found = found_by(region, access.addresses[lane], access.bytes);
    if (std::memcmp(expected, &found, access.bytes) != 0) failed |= 1u << lane;
  }
  return failed;
}

// The lanes whose atomic returns the value in memory and does not change it, as an attempt to take
// a lock that is already taken.
uint32_t Checker::returned_as_it_stays(const MemoryAccess& access, uint32_t lanes) const {
  const Row& row = *shadow_.effects[access.instruction->index].row[0];
  if (row.updated == nullptr || !returns(row, access) || lanes == 0) return 0;
  const Region& region = first_region(dispatch_.memory(), access, lanes);
  uint32_t kept = 0;
  for (uint32_t rest = lanes; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<unsigned>(std::countr_zero(rest));
    const uint64_t old = found_by(region, access.addresses[lane], access.bytes);
    if (updated_value(row, access, *observed_, lane, old) == old) kept |= 1u << lane;
  }
  return kept;
}

uint32_t Checker::follow(WaveState& state, const MemoryAccess& access, uint32_t lanes,
                         AccessKind kind, bool leaves) {
  const Progress own = state.outstanding.progress(state.clock.number);
  if (!state.clock.acquired.empty()) state.clock.returned(own.reads);
  const uint32_t index = access.instruction->index;
  const StoredRegisters data =
      kind == AccessKind::store ? registers_of(*observed_, access, *shadow_.effects[index].row[0])
                                : StoredRegisters{};
  const RegionContents contents(first_region(dispatch_.memory(), access, lanes), *observed_,
                                *shadow_.effects[index].row[0], access, data);
  settle_guesses(state, access, lanes);
  if (access.space != MemorySpace::scalar && state.outstanding.has_unwritten())
    check_scalar_stores(state, access, lanes);
  const auto races = shadow_.races->access(state.clock, access, lanes, kind, leaves, own, contents);
  if (races.empty()) return 0;
  if (kind == AccessKind::load && !shadow_.effects[index].copies)
    return keep_loads(state, access, races);
  report_races(state, index, races);
  return 0;
}

// Reports the races of a load, except those with stores of the same workgroup: these may not matter
// and are kept for later (see KeptLoad). Returns the lanes of the kept races.
uint32_t Checker::keep_loads(const WaveState& state, const MemoryAccess& access,
                             std::span<const Race> races) {
  const uint32_t index = access.instruction->index;
  uint32_t uncertain = 0;
  for (const Race& race : races) {
    const uint64_t lanes =
        access.space == MemorySpace::scalar || race.why == Race::Why::stale_scalar
            ? 0
            : uint64_t{race.lanes} << observed_->first_lane;
    const bool is_kept = !race.writes && race.why != Race::Why::stale_scalar &&
                         race.actor / shadow_.races->machine().waves == log_.workgroup() &&
                         !kept_loads_matter_ && kept_loads_.size() < most_kept_loads;
    if (!is_kept) {
      report_race(state.number, index, race, lanes);
      continue;
    }
    kept_loads_.push_back({state.number, index, race, lanes});
    uncertain |= race.lanes;
  }
  return uncertain;
}

// Call when an undefined value is used where that is forbidden. Reports all kept races (see
// KeptLoad). Returns true if there were any, now or before: then the value may be undefined because
// of such a race, and the use itself is not reported.
bool Checker::report_kept_loads() {
  for (const KeptLoad& load : kept_loads_)
    report_race(load.wave, load.instruction, load.race, load.lanes);
  kept_loads_matter_ |= !kept_loads_.empty();
  kept_loads_.clear();
  return kept_loads_matter_;
}

// Reports accesses through vector caches to data that the same wave has written by scalar stores
// and that may still be only in the scalar cache.
void Checker::check_scalar_stores(WaveState& state, const MemoryAccess& access, uint32_t lanes) {
  for (uint32_t rest = lanes; rest != 0; rest &= rest - 1) {
    const uint64_t address = access.addresses[std::countr_zero(rest)];
    const Past* const past = shadow_.races->last_write(address);
    if (!past || past->actor != state.clock.actor || !state.outstanding.is_unwritten(past->number))
      continue;
    return log_.add({FindingKind::scalar_store_not_written_back, access.instruction->index,
                     static_cast<int>(state.number), uint64_t{lanes} << observed_->first_lane},
                    {{"stored here", past->site}}, [&] {
                      return FindingLog::Words{
                          formatted("{} {}, which this wave has stored with a scalar instruction",
                                    access.kind == AccessKind::load ? "reads" : "writes",
                                    dispatch_.memory().describe(address, access.bytes)),
                          {}};
                    });
  }
}

void Checker::settle_guesses(WaveState& state, const MemoryAccess& access, uint32_t lanes) {
  Guesses<Race>& guesses = shadow_.races->guesses();
  if (guesses.is_empty()) return;
  const Row& row = *shadow_.effects[access.instruction->index].row[0];
  std::vector<Guesses<Race>::Guess> races;
  for (uint32_t rest = lanes; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<unsigned>(std::countr_zero(rest));
    uint32_t expected[2];
    if (row.expected != 0) expected_words(row, access, *observed_, lane, expected);
    guesses.settle(state.clock.actor, state.clock.number, access.addresses[lane], access.bytes,
                   row.expected != 0 ? expected : nullptr, races);
  }
  for (const auto& guess : races) report_races(state, guess.instruction, {&guess.race, 1});
}

void Checker::report_guesses(WaveState& state) {
  observed_ = &waves_[state.number];
  for (const auto& guess : lds_guesses_.end(state.number))
    report_lds_race(state, guess.instruction, guess.race);
  if (!shadow_.races) return;
  for (const auto& guess : shadow_.races->end(state.clock.actor))
    report_races(state, guess.instruction, {&guess.race, 1});
}

void Checker::report_races(WaveState& state, uint32_t instruction, std::span<const Race> races) {
  for (const Race& race : races)
    report_race(
        state.number, instruction, race,
        race.why == Race::Why::stale_scalar ? 0 : uint64_t{race.lanes} << observed_->first_lane);
}

void Checker::report_race(uint32_t wave, uint32_t instruction, const Race& race, uint64_t lanes) {
  const uint32_t waves = shadow_.races->machine().waves;
  const Target& target = dispatch_.object().target();
  const instruction::FamilyRow& family = instruction::row(target.family);
  const bool is_scalar = race.why == Race::Why::stale_scalar;
  const FindingKind kind = is_scalar           ? FindingKind::stale_scalar_load
                           : !race.writes      ? FindingKind::global_race_read_after_write
                           : race.other_writes ? FindingKind::global_race_write_after_write
                                               : FindingKind::global_race_write_after_read;
  const uint64_t group = race.actor / waves;
  const bool is_near = group == log_.workgroup();
  const auto [x, y, z] = dispatch_.workgroup_id(group);
  const std::string who =
      is_scalar ? "this wave"
      : is_near ? formatted("wave {}", race.actor % waves)
                : formatted("wave {} of workgroup ({}, {}, {})", race.actor % waves, x, y, z);
  const std::string role = formatted("{} by {} here", race.other_writes ? "written" : "read", who);
  log_.add({kind, instruction, static_cast<int>(wave), lanes}, {{role, race.instruction}}, [&] {
    const std::string what = formatted("{} {}, which {} {}", race.writes ? "writes" : "reads",
                                       dispatch_.memory().describe(race.address, race.bytes), who,
                                       is_scalar           ? "has stored"
                                       : race.other_writes ? "writes"
                                                           : "reads");
    const std::string store_wait = wait_text(Counter::store, 0, family.counters);
    switch (race.why) {
      case Race::Why::no_order: {
        const Effects& writer = shadow_.effects[race.writes ? instruction : race.instruction];
        return FindingLog::Words{
            formatted("{}, and nothing orders the two", what),
            writer.updates && race.writes != race.other_writes
                ? "Load it with an atomic load as well (in HIP: __hip_atomic_load), or order "
                  "the two, between workgroups by a release before the atomic and an acquire "
                  "before the load."
                : ""};
      }
      case Race::Why::not_waited:
        if (shadow_.effects[race.instruction].group == Group::scalar)
          return FindingLog::Words{
              formatted("{}: the scalar cache was not written back before the barrier or "
                        "atomic that {} told of the store",
                        what, who),
              formatted("Put {} and {} between the store and what tells of it.", scalar_write_back,
                        wait_text(Counter::scalar, 0, family.counters))};
        return FindingLog::Words{
            formatted("{}: the store was not waited for before the {} that {} told of it", what,
                      is_near ? "barrier or atomic" : "atomic or flag", who),
            formatted("Put {} between the store and what tells of it (in HIP: a release, "
                      "or {}).",
                      store_wait,
                      is_near ? "__syncthreads"
                              : "__threadfence, by the wave that stores; one behind "
                                "__syncthreads waits for the stores of its own wave alone")};
      case Race::Why::not_written_back:
        return FindingLog::Words{
            formatted("{}: the store may still be in the {}, as it was not written back "
                      "before the atomic or flag that {} told of it",
                      what,
                      family.kept_stores == instruction::KeptStores::near_cache
                          ? "cache of its compute unit"
                          : "L2 of its own die",
                      who),
            formatted("Put {} and {} between the store and what tells of it (in HIP: a "
                      "release, or __threadfence), or store with {}.",
                      write_back_text(target), store_wait, write_through_text(target))};
      case Race::Why::stale_cache:
        return FindingLog::Words{
            formatted("{}: this wave knows of the store, but has not invalidated its "
                      "caches since",
                      what),
            formatted("Put {} between what tells of the store and the load (in HIP: an "
                      "acquire, or {}).",
                      shadow_.effects[instruction].group == Group::scalar
                          ? scalar_invalidation
                          : invalidation_text(target, is_near),
                      is_near ? "__syncthreads" : "__threadfence")};
      case Race::Why::small_scope:
        return FindingLog::Words{
            formatted("{}: both are atomic, but of a scope smaller than the two", what),
            formatted("Give both the scope of {}.",
                      is_near ? "the workgroup" : "the device (in HIP: agent)")};
      case Race::Why::stale_scalar:
        return FindingLog::Words{what, {}};
    }
    return FindingLog::Words{what, {}};
  });
}

}  // namespace heddle::emulator::check
