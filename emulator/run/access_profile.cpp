#include "emulator/run/access_profile.h"

#include <algorithm>
#include <bit>

#include "emulator/machine/instruction.h"
#include "emulator/machine/memory.h"
#include "heddle/memory/conflict_report.h"

namespace heddle::emulator {
namespace {

// The cost, in instructions of the budget, of counting an access and of explaining its conflicts.
constexpr uint64_t counted_work = 20, explained_work = 300;

std::vector<uint32_t> sorted_keys(const auto& counts) {
  std::vector<uint32_t> keys;
  for (const auto& [instruction, count] : counts) keys.push_back(instruction);
  std::ranges::sort(keys);
  return keys;
}

}  // namespace

AccessProfile::AccessProfile(const Target& target, int wave)
    : wave_(wave), bank_model_(memory::bank_model(target.target, wave)) {}

uint64_t AccessProfile::note(uint32_t first_lane, const MemoryAccess& access) {
  if (access.space == MemorySpace::lds)
    return note_lds(first_lane, access, access.offsets, access.lanes);
  if (access.space == MemorySpace::global)
    global_[access.instruction->index].note(access.addresses, access.bytes, access.lanes);
  return access.space == MemorySpace::flat ? note_flat(first_lane, access) : counted_work;
}

uint64_t AccessProfile::note_flat(uint32_t first_lane, const MemoryAccess& access) {
  const auto [lds, scratch] = FlatLanes(access.addresses);
  std::array<uint32_t, 32> offsets;
  std::ranges::transform(std::span(access.addresses, 32), offsets.begin(),
                         [](uint64_t address) { return static_cast<uint32_t>(address); });
  global_[access.instruction->index].note(access.addresses, access.bytes,
                                          access.lanes & ~lds & ~scratch);
  // In a wave of 64, accesses without LDS lanes are noted too, so that the two halves stay paired.
  if (wave_ == 64 || (lds & access.lanes))
    return counted_work + note_lds(first_lane, access, offsets.data(), lds & access.lanes);
  return counted_work;
}

uint64_t AccessProfile::note_lds(uint32_t first_lane, const MemoryAccess& access,
                                 const uint32_t* half_offsets, uint32_t half_lanes) {
  std::array<uint32_t, 64> offsets;
  std::copy_n(half_offsets, 32, offsets.begin() + first_lane);
  uint64_t lanes = uint64_t{half_lanes} << first_lane;
  if (wave_ == 64 && first_lane == 0) {
    HalfAccess& lower = lower_.emplace_back();
    std::copy_n(half_offsets, 32, lower.offsets.begin());
    lower.lanes = half_lanes;
    return counted_work;
  }
  if (wave_ == 64) {
    if (lower_.empty()) return counted_work;
    std::ranges::copy(lower_.front().offsets, offsets.begin());
    lanes |= lower_.front().lanes;
    lower_.pop_front();
  }
  if (access.space == MemorySpace::flat && lanes == 0) return counted_work;
  // An atomic counts as a load, because it reads first. The cost of its result is not known.
  const bool is_store = access.kind == AccessKind::store;
  return count_lds(lds_[access.instruction->index],
                   {.kind = is_store ? memory::AccessKind::store : memory::AccessKind::load,
                    .bytes = static_cast<int>(access.bytes),
                    .active = lanes,
                    .address = std::span(offsets).first(static_cast<std::size_t>(wave_))});
}

uint64_t AccessProfile::count_lds(LdsCount& count, const memory::Access& access) {
  const auto cost = memory::cost(bank_model_, access);
  ++count.issued;
  count.ideal_passes += static_cast<uint64_t>(cost.phases);
  count.extra_passes += static_cast<uint64_t>(cost.extra_passes);
  count.bytes_per_lane = access.bytes;
  if (cost.extra_passes == 0) return counted_work;
  note_conflicts(count, access);
  return explained_work;
}

void AccessProfile::note_conflicts(LdsCount& count, const memory::Access& access) {
  for (const memory::PhaseReport& phase : memory::explain(bank_model_, access).phases) {
    if (phase.extra_passes() == 0) continue;
    ConflictPhase conflict{phase.number, static_cast<uint64_t>(phase.extra_passes()), phase.passes,
                           phase.bank, 0};
    for (const memory::WantedWord& word : phase.words_of(phase.bank)) conflict.lanes |= word.lanes;
    merge(count.conflicts, conflict);
  }
}

void AccessProfile::merge(std::vector<ConflictPhase>& into, const ConflictPhase& phase) {
  const auto at = std::ranges::lower_bound(into, phase.number, {}, &ConflictPhase::number);
  if (at == into.end() || at->number != phase.number) {
    into.insert(at, phase);
    return;
  }
  const uint64_t sum = at->extra_passes + phase.extra_passes;
  if (phase.passes > at->passes) *at = phase;
  at->extra_passes = sum;
}

void AccessProfile::add(const AccessProfile& other) {
  for (const auto& [instruction, more] : other.lds_) {
    LdsCount& lds = lds_[instruction];
    lds.issued += more.issued;
    lds.ideal_passes += more.ideal_passes;
    lds.extra_passes += more.extra_passes;
    lds.bytes_per_lane = std::max(lds.bytes_per_lane, more.bytes_per_lane);
    for (const ConflictPhase& phase : more.conflicts) merge(lds.conflicts, phase);
  }
  for (const auto& [instruction, further] : other.global_) global_[instruction].add(further);
}

std::vector<uint32_t> AccessProfile::lds_instructions() const { return sorted_keys(lds_); }

std::vector<uint32_t> AccessProfile::global_instructions() const { return sorted_keys(global_); }

LdsAccess AccessProfile::lds(uint32_t instruction) const {
  const LdsCount& count = lds_.at(instruction);
  LdsAccess access;
  access.bytes_per_lane = count.bytes_per_lane;
  access.issued = count.issued;
  access.ideal_passes = count.ideal_passes;
  access.extra_passes = count.extra_passes;
  access.conflicts = count.conflicts;
  return access;
}

GlobalAccess AccessProfile::global(uint32_t instruction) const {
  return global_.at(instruction).access();
}

}  // namespace heddle::emulator
