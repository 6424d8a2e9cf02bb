#include "emulator/check/lds_shadow.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

#include "emulator/check/host_levels.h"

namespace heddle::emulator::check {
namespace {

using Sixteen = uint32_t __attribute__((vector_size(64)));
using Eight = uint64_t __attribute__((vector_size(64)));

// If all lanes of a wave or of its lower half are active, the next active lane need not be
// searched. The compiler must not vectorise the loop, since the host's gathers and scatters take
// longer.
template <class Each>  // void(lane)
HEDDLE_ALWAYS_INLINE void for_lanes(uint32_t lanes, Each each) {
  if (lanes == 0xffffu || lanes == 0xffffffffu) [[likely]] {
#pragma clang loop vectorize(disable)
    for (uint32_t lane = 0; lane < (lanes == 0xffffu ? 16u : 32u); ++lane) each(lane);
    return;
  }
  for (uint32_t rest = lanes; rest != 0; rest &= rest - 1)
    each(static_cast<uint32_t>(std::countr_zero(rest)));
}

bool are_equal(const uint32_t* one, const uint32_t* other, int halves) {
  Sixteen differ = {};
  for (int half = 0; half < halves; ++half) {
    Sixteen a, b;
    std::memcpy(&a, one + 16 * half, sizeof a);
    std::memcpy(&b, other + 16 * half, sizeof b);
    differ |= a ^ b;
  }
  return __builtin_reduce_or(differ) == 0;
}

// `bits` has a bit for each byte of LDS. Returns the bits of up to 16 bytes, the byte at `offset`
// first.
uint32_t window(const std::vector<uint8_t>& bits, uint32_t offset) {
  uint32_t word;
  std::memcpy(&word, bits.data() + offset / 8, 4);
  return word >> offset % 8;
}

void put_bits(std::vector<uint8_t>& bits, uint32_t offset, uint32_t mask, uint32_t values) {
  uint32_t word;
  std::memcpy(&word, bits.data() + offset / 8, 4);
  word = (word & ~(mask << offset % 8)) | (values & mask) << offset % 8;
  std::memcpy(bits.data() + offset / 8, &word, 4);
}

}  // namespace

// --- blocks ------------------------------------------------------------------------------------

HEDDLE_ALWAYS_INLINE void LdsShadow::Recent::note(uint32_t stamp, const Blocks& blocks) {
  for (; highest < stamp; ++highest) {
    if (stamp - highest > stamps) highest = stamp - stamps;
    of[(highest + 1) % stamps] = {};
  }
  // A stamp older than all that are kept counts as the oldest kept one. That is safe and only costs
  // time.
  if (highest - stamp >= stamps) stamp = highest - stamps + 1;
  uint64_t* const words = of[stamp % stamps].words;
  for (unsigned i = 0; i < Blocks::most / 64; i += 8) {
    Eight mine, added;
    std::memcpy(&mine, words + i, sizeof mine);
    std::memcpy(&added, blocks.words + i, sizeof added);
    mine |= added;
    std::memcpy(words + i, &mine, sizeof mine);
  }
}

HEDDLE_ALWAYS_INLINE bool LdsShadow::Recent::may_have(uint32_t limit, const Blocks& blocks) const {
  if (limit > highest) return false;
  if (highest - limit >= stamps) return true;
  Eight met = {};
  for (uint32_t stamp = limit; stamp <= highest; ++stamp)
    for (unsigned i = 0; i < Blocks::most / 64; i += 8) {
      Eight noted, asked;
      std::memcpy(&noted, of[stamp % stamps].words + i, sizeof noted);
      std::memcpy(&asked, blocks.words + i, sizeof asked);
      met |= noted & asked;
    }
  return __builtin_reduce_or(met) != 0;
}

// --- tables ------------------------------------------------------------------------------------

void LdsShadow::Table::resize(std::size_t bytes) {
  last.assign(bytes >> largest_shift, {});
  deferred.reserve(most_deferred);
}

void LdsShadow::Table::clear() {
  std::ranges::fill(last, Last{});
  recent = {};
  deferred.clear();
}

void LdsShadow::Table::refine(uint32_t alignment) {
  const int wanted = std::min(std::countr_zero(alignment), largest_shift);
  if (wanted >= shift) return;
  std::vector<Last> finer(last.size() << (shift - wanted));
  for (std::size_t i = 0; i < finer.size(); ++i) finer[i] = last[i >> (shift - wanted)];
  last = std::move(finer);
  shift = wanted;
}

LdsShadow::LdsShadow(uint64_t bytes, uint32_t waves)
    : bytes_((bytes + 63) / 64 * 64 + 64),
      reads_(waves),
      limits_(waves),
      written_(bytes_ / 8 + 8),
      undefined_(bytes_ / 8 + 8),
      places_(std::size_t{1} << place_bits),
      patterns_(std::make_unique_for_overwrite<Pattern[]>(places_.size() * Place::patterns)) {
  while ((bytes_ - 1) >> block_shift_ >= Blocks::most) ++block_shift_;
  writes_.resize(bytes_);
  for (Table& reads : reads_) reads.resize(bytes_);
}

void LdsShadow::start() {
  // The stamps of a workgroup are larger than all earlier ones, so old entries need not be cleared.
  base_ = highest_ + 2;
  highest_ = base_;
  if (base_ > 0x70000000u) {
    writes_.clear();
    for (Table& reads : reads_) reads.clear();
    std::ranges::fill(places_, Place{});
    base_ = highest_ = 1;
  }
  for (Table& reads : reads_) reads.deferred.clear();
  std::ranges::fill(limits_, base_);
  std::ranges::fill(written_, uint8_t{0});
  if (has_undefined_) std::ranges::fill(undefined_, uint8_t{0});
  has_undefined_ = false;
}

template <class Each>
void LdsShadow::for_granules(const Table& table, const Access& access, Each each) {
  for (uint32_t rest = access.lanes; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<uint32_t>(std::countr_zero(rest));
    const uint32_t first = access.offsets[lane] >> table.shift;
    const uint32_t last = (access.offsets[lane] + access.bytes - 1) >> table.shift;
    for (uint32_t granule = first; granule <= last; ++granule) each(lane, granule);
  }
}

template <unsigned count>
HEDDLE_ALWAYS_INLINE bool LdsShadow::reaches(const Table& table, const Access& access) const {
  const Last* const last = table.last.data();
  const uint32_t* const offsets = access.offsets;
  const int shift = table.shift;
  uint32_t newest[count] = {};
  for_lanes(access.lanes, [&](uint32_t lane) __attribute__((always_inline)) {
    const Last* const granules = last + (offsets[lane] >> shift);
    for (unsigned i = 0; i < count; ++i) newest[i] = std::max(newest[i], granules[i].stamp);
  });
  return *std::ranges::max_element(newest) >= access.limit;
}

HEDDLE_ALWAYS_INLINE bool LdsShadow::has_concurrent(Table& table, const Access& access) {
  if (!table.recent.may_have(access.limit, access.pattern->blocks)) [[likely]]
    return false;
  carry_out(table);
  // If a granule is larger than an access, each lane's access is in one granule, unless it
  // straddles two.
  const uint32_t alignment = access.pattern->alignment;
  if (alignment & ((1u << table.shift) - 1))
    return (alignment & (access.bytes - 1)) != 0 || reaches<1>(table, access);
  switch (access.bytes >> table.shift) {
    case 1:
      return reaches<1>(table, access);
    case 2:
      return reaches<2>(table, access);
    case 4:
      return reaches<4>(table, access);
    case 8:
      return reaches<8>(table, access);
    default:
      return true;
  }
}

HEDDLE_ALWAYS_INLINE LdsShadow::Pattern& LdsShadow::pattern_of(const uint32_t* offsets,
                                                               uint32_t lanes, uint32_t bytes) {
  // The hash uses the first and the last address. So two patterns that alternate (stages of a tile)
  // are both kept, and waves that read the same addresses share a pattern. The factor is 2^32 /
  // phi.
  const uint32_t hash = ((offsets[0] << 8 ^ offsets[31] ^ bytes << 20) * 0x9e3779b1u) | 1u;
  const uint32_t at = hash >> (32 - place_bits);
  Place& place = places_[at];
  Pattern* const patterns = &patterns_[at * Place::patterns];
  for (uint32_t i = 0; i < Place::patterns; ++i) {
    Pattern& pattern = patterns[i];
    if (place.hashes[i] == hash && pattern.lanes == lanes && pattern.bytes == bytes &&
        are_equal(pattern.offsets, offsets, 2))
      return pattern;
  }
  const uint32_t replaced = place.oldest++ % Place::patterns;
  Pattern& pattern = patterns[replaced];
  if (place.hashes[replaced] != 0 && pattern.is_deferred)
    for (Table& reads : reads_) carry_out(reads);
  place.hashes[replaced] = hash;
  pattern.is_deferred = pattern.lanes_are_apart = false;
  std::memcpy(pattern.offsets, offsets, sizeof pattern.offsets);
  pattern.lanes = lanes;
  pattern.bytes = bytes;
  pattern.written_in = 0;
  pattern.upper_half_repeats = lanes == 0xffffffffu && are_equal(offsets, offsets + 16, 1);
  pattern.alignment = bytes;
  pattern.blocks = {};
  for (uint32_t rest = lanes; rest != 0; rest &= rest - 1) {
    const uint32_t offset = offsets[std::countr_zero(rest)];
    pattern.alignment |= offset;
    pattern.blocks.add(offset >> block_shift_);
    pattern.blocks.add((offset + bytes - 1) >> block_shift_);
  }
  return pattern;
}

HEDDLE_ALWAYS_INLINE LdsShadow::Access LdsShadow::access_of(const Actor& actor, AccessKind kind,
                                                            Pattern& pattern) const {
  Access access;
  access.pattern = &pattern;
  access.wave = actor.wave;
  access.offsets = pattern.offsets;
  access.lanes = pattern.lanes;
  access.bytes = pattern.bytes;
  access.stamp = base_ + actor.signals;
  access.limit = base_ + actor.waits;
  access.who = (actor.wave & 31u) << wave_shift | (actor.instruction & instruction_mask) |
               (kind == AccessKind::atomic ? atomic_bit : 0);
  return access;
}

template <unsigned count>
HEDDLE_ALWAYS_INLINE void LdsShadow::put(Table& table, const Access& access) {
  // Local copies, since the compiler must assume that the stores below change members.
  Last* const last = table.last.data();
  const uint32_t* const offsets = access.offsets;
  const int shift = table.shift;
  Last all[count];
  std::ranges::fill(all, Last{access.stamp, access.who});
  for_lanes(access.lanes, [&](uint32_t lane) __attribute__((always_inline)) {
    std::memcpy(last + (offsets[lane] >> shift), all, sizeof all);
  });
}

HEDDLE_ALWAYS_INLINE void LdsShadow::fill(Table& table, const Access& access) {
  switch (access.bytes >> table.shift) {
    case 1:
      return put<1>(table, access);
    case 2:
      return put<2>(table, access);
    case 4:
      return put<4>(table, access);
    default:
      for_granules(table, access, [&](uint32_t, uint32_t granule) {
        table.last[granule] = {access.stamp, access.who};
      });
  }
}

[[gnu::noinline]] void LdsShadow::carry_out(Table& table) {
  for (const Access& access : table.deferred) fill(table, access);
  table.deferred.clear();
}

// Drops deferred accesses that come before every access that any wave may still issue.
[[gnu::noinline]] void LdsShadow::drop_past(Table& table) {
  const uint32_t limit = *std::ranges::min_element(limits_);
  std::erase_if(table.deferred, [&](const Access& access) { return access.stamp < limit; });
}

HEDDLE_ALWAYS_INLINE void LdsShadow::defer(Table& table, const Access& access) {
  table.recent.note(access.stamp, access.pattern->blocks);
  std::vector<Access>& deferred = table.deferred;
  if (!deferred.empty() && deferred.back().stamp != access.stamp) drop_past(table);
  if (deferred.size() == most_deferred) carry_out(table);
  deferred.push_back(access);
  access.pattern->is_deferred = true;
}

// --- races -------------------------------------------------------------------------------------

void LdsShadow::note_race(Race::Kind kind, uint32_t who, bool update, uint32_t lane,
                          uint32_t address) {
  const uint32_t instruction = who & instruction_mask;
  for (Race& race : races_) {
    if (race.kind != kind || race.instruction != instruction || race.wave != wave_of(who) ||
        (update && race.address != address))
      continue;
    race.lanes |= 1u << lane;
    return;
  }
  races_.push_back(
      {kind, instruction, wave_of(who), (who & outstanding_bit) != 0, update, 1u << lane, address});
}

void LdsShadow::check_writes(const Access& access) {
  for_granules(writes_, access, [&](uint32_t lane, uint32_t granule) {
    const auto [stamp, who] = writes_.last[granule];
    if (stamp >= access.limit && (wave_of(who) != access.wave || who & shared_bit))
      note_race(Race::Kind::read_after_write, who, who & atomic_bit, lane,
                std::max(granule << writes_.shift, access.offsets[lane]));
  });
}

HEDDLE_ALWAYS_INLINE void LdsShadow::read(const Access& access) {
  if (has_concurrent(writes_, access)) check_writes(access);
  defer(reads_[access.wave], access);
}

void LdsShadow::check_reads(const Access& access, uint32_t wave) {
  const Table& reads = reads_[wave];
  for_granules(reads, access, [&](uint32_t lane, uint32_t granule) {
    const auto [stamp, who] = reads.last[granule];
    if (stamp >= access.limit)
      note_race(Race::Kind::write_after_read, who, access.who & atomic_bit, lane,
                std::max(granule << reads.shift, access.offsets[lane]));
  });
}

std::optional<uint32_t> LdsShadow::first_change(const Access& access, const StoredData& data,
                                                uint32_t lane, uint32_t granule) const {
  const uint32_t start = access.offsets[lane];
  for (uint32_t address = granule << writes_.shift; address < (granule + 1) << writes_.shift;
       ++address)
    if (!data.keeps(address, lane, address - start)) return address;
  return std::nullopt;
}

HEDDLE_ALWAYS_INLINE void LdsShadow::write(const Access& access, const StoredData* data) {
  for (uint32_t other = 0; other < reads_.size(); ++other)
    if (other != access.wave && has_concurrent(reads_[other], access)) check_reads(access, other);
  const bool may_race = has_concurrent(writes_, access);
  writes_.recent.note(access.stamp, access.pattern->blocks);
  if (!may_race) return fill(writes_, access);
  for_granules(writes_, access, [&](uint32_t lane, uint32_t granule) {
    const auto [stamp, old] = std::exchange(writes_.last[granule], {access.stamp, access.who});
    const bool is_own = wave_of(old) == access.wave && !(old & shared_bit);
    // If a wave's store precedes its atomic, the store stays recorded: other waves' atomics race
    // with it.
    if (is_own && stamp == access.stamp && access.who & ~old & atomic_bit)
      writes_.last[granule] = {stamp, old};
    if (stamp < access.limit || is_own) return;
    if (access.who & old & atomic_bit) {
      writes_.last[granule].who |= shared_bit;
      return;
    }
    const auto change =
        data ? first_change(access, *data, lane, granule) : std::optional(granule << writes_.shift);
    if (change) note_race(Race::Kind::write_after_write, old, false, lane, *change);
  });
}

// --- values ------------------------------------------------------------------------------------

HEDDLE_ALWAYS_INLINE bool LdsShadow::is_written(const Access& access) const {
  if (access.pattern->written_in == base_) [[likely]]
    return true;
  const uint32_t mask = (1u << access.bytes) - 1;
  uint32_t written = mask;
  for_lanes(access.lanes, [&](uint32_t lane) __attribute__((always_inline)) {
    written &= window(written_, access.offsets[lane]);
  });
  if (written != mask) return false;
  access.pattern->written_in = base_;
  return true;
}

// Handles reads of bytes that were never written. If a lane reads only such bytes, that is a
// mistake. If a load finds that some of its bytes were written, as in a copy of a structure with
// padding, the other bytes become undefined in the register. For an atomic, that is a mistake too.
HEDDLE_ALWAYS_INLINE void LdsShadow::check_written(const Access& access, AccessKind kind) {
  if (is_written(access)) [[likely]]
    return;
  const uint32_t mask = (1u << access.bytes) - 1;
  for (uint32_t rest = access.lanes; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<uint32_t>(std::countr_zero(rest));
    const uint32_t found = window(written_, access.offsets[lane]) & mask;
    if (found == mask) continue;
    if (found != 0 && kind == AccessKind::load) {
      put_bits(undefined_, access.offsets[lane], mask & ~found, mask);
      has_undefined_ = true;
      continue;
    }
    if (outcome_.unwritten_lanes == 0)
      outcome_.unwritten_address =
          access.offsets[lane] + static_cast<uint32_t>(std::countr_one(found));
    outcome_.unwritten_lanes |= 1u << lane;
  }
}

HEDDLE_ALWAYS_INLINE void LdsShadow::set_written(const Access& access, const uint16_t* undefined) {
  if (undefined) has_undefined_ = true;
  // Loops often store to the same bytes again; then there is nothing to change.
  if (!has_undefined_ && is_written(access)) return;
  const uint32_t mask = (1u << access.bytes) - 1;
  for (uint32_t rest = access.lanes; rest != 0; rest &= rest - 1) {
    const int lane = std::countr_zero(rest);
    put_bits(written_, access.offsets[lane], mask, mask);
    if (has_undefined_)
      put_bits(undefined_, access.offsets[lane], mask, undefined ? undefined[lane] : 0);
  }
}

void LdsShadow::collect_undefined(const Access& access) {
  const uint32_t mask = (1u << access.bytes) - 1;
  for (uint32_t rest = access.lanes; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<uint32_t>(std::countr_zero(rest));
    const uint32_t found = window(undefined_, access.offsets[lane]) & mask;
    outcome_.undefined_bytes[lane] = static_cast<uint16_t>(found);
    outcome_.any_undefined = outcome_.any_undefined || found != 0;
  }
}

HEDDLE_FOR_HOST_LEVELS
const LdsShadow::Outcome& LdsShadow::access(const Actor& actor, AccessKind kind,
                                            const uint32_t* offsets, uint32_t lanes, uint32_t bytes,
                                            const uint16_t* undefined, const StoredData* data) {
  races_.clear();
  outcome_.unwritten_lanes = 0;
  outcome_.any_undefined = false;
  highest_ = std::max(highest_, base_ + actor.signals + 1);
  Pattern& pattern = pattern_of(offsets, lanes, bytes);
  Access access = access_of(actor, kind, pattern);
  limits_[actor.wave] = access.limit;
  // If lanes 16 to 31 read the same addresses as lanes 0 to 15, only lanes 0 to 15 are checked.
  const bool repeats = pattern.upper_half_repeats && kind == AccessKind::load && !has_undefined_;
  if (repeats) access.lanes = 0xffffu;
  (kind == AccessKind::load ? reads_[actor.wave] : writes_).refine(pattern.alignment);
  if (kind == AccessKind::load)
    read(access);
  else
    write(access, data);
  if (kind != AccessKind::store) check_written(access, kind);
  if (kind != AccessKind::load) set_written(access, undefined);
  if (kind == AccessKind::load && has_undefined_) collect_undefined(access);
  if (repeats) {
    for (Race& race : races_) race.lanes |= race.lanes << 16;
    outcome_.unwritten_lanes |= outcome_.unwritten_lanes << 16;
    if (outcome_.any_undefined)
      std::copy_n(outcome_.undefined_bytes.begin(), 16, outcome_.undefined_bytes.begin() + 16);
  }
  outcome_.races = races_;
  outcome_.lanes_are_apart = &pattern.lanes_are_apart;
  return outcome_;
}

void LdsShadow::forget_loads(uint32_t wave, uint32_t address, uint32_t bytes) {
  Table& reads = reads_[wave];
  reads.refine(address | bytes);  // neighbours are not forgotten
  carry_out(reads);
  const uint32_t last = (address + bytes - 1) >> reads.shift;
  for (uint32_t granule = address >> reads.shift; granule <= last; ++granule)
    reads.last[granule] = {};
}

void LdsShadow::restamp(const Actor& actor, AccessKind kind, const uint32_t* offsets,
                        uint32_t lanes, uint32_t bytes) {
  highest_ = std::max(highest_, base_ + actor.signals + 1);
  const Access access = access_of(actor, kind, pattern_of(offsets, lanes, bytes));
  Table& table = kind == AccessKind::load ? reads_[actor.wave] : writes_;
  carry_out(table);
  table.recent.note(access.stamp, access.pattern->blocks);
  for_granules(table, access, [&](uint32_t, uint32_t granule) {
    Last& last = table.last[granule];
    if (wave_of(last.who) != actor.wave) return;
    last = {access.stamp, access.who | outstanding_bit | (last.who & shared_bit)};
  });
}

}  // namespace heddle::emulator::check
