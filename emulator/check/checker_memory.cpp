// The part of the checker that looks at memory accesses of LDS, scratch, global and scalar
// instructions.
#include <algorithm>
#include <bit>
#include <cstring>

#include "emulator/check/checker_state.h"
#include "emulator/machine/memory.h"
#include "library/text/formatted.h"

namespace heddle::emulator::check {
namespace {

// The number of 32-bit registers that `bytes` of data occupy.
uint32_t registers_of(uint32_t bytes) { return (bytes + 3) / 4; }

// The counter by which a wave waits for an LDS access: LDS's own counter. For a copy between memory
// and LDS, it is the counter of copies.
Counter lds_counter(const Effects& effects) {
  constexpr unsigned own = 1u << static_cast<int>(Counter::lds);
  if (effects.counters == 0 || effects.counters & own) return Counter::lds;
  return static_cast<Counter>(std::countr_zero(effects.counters));
}

// The smallest range of offsets that contains all bytes that the lanes access: from `first` up to,
// but not including, `end`.
struct Extent {
  uint32_t first = ~0u, end = 0;
  Extent(const uint32_t* offsets, uint32_t lanes, uint32_t bytes) {
    for (uint32_t rest = lanes; rest != 0; rest &= rest - 1) {
      const uint32_t offset = offsets[std::countr_zero(rest)];
      first = std::min(first, offset);
      end = std::max(end, offset + bytes);
    }
  }
  bool meets(const Extent& other) const { return first < other.end && other.first < end; }
};

}  // namespace

void Checker::observe(Wavefront& wave, const MemoryAccess& access) {
  WaveState& state = *stepped_;
  observed_ = &wave;
  switch (access.space) {
    case MemorySpace::lds:
      return observe_lds(state, access, access.offsets, access.lanes);
    case MemorySpace::scratch:
      return observe_scratch(state, access, access.offsets, access.lanes);
    case MemorySpace::global:
      return observe_global(state, access, access.lanes);
    case MemorySpace::flat:
      return observe_flat(state, access);
    case MemorySpace::scalar:
      return observe_scalar(state, access);
  }
}

LdsShadow::StoredData Checker::stored_data(const Wavefront& wave,
                                           const MemoryAccess& access) const {
  const Source& data = data_of(*access.instruction, access);
  const Row& row = *shadow_.effects[access.instruction->index].row[0];
  return {wave.lds, &wave.vgpr[data.index], is_upper_half(row, data, access)};
}

// --- the definedness of data -------------------------------------------------------------------

bool Checker::undefined_data(const WaveState& state, const MemoryAccess& access,
                             uint16_t (&bytes)[32], uint32_t lanes) const {
  const Instruction& in = *access.instruction;
  const Source& data = data_of(in, access);
  const bool is_lds = access.space == MemorySpace::lds;
  const unsigned first = data.index + (is_lds ? 0u : access.first_register);
  LaneMask any = 0;
  for (unsigned r = 0; r < registers_of(access.bytes); ++r)
    any |= state.defined.vgpr(*observed_, first + r).any();
  if ((any & lanes) == 0) return false;
  const bool high = is_upper_half(*shadow_.effects[in.index].row[0], data, access);
  const uint32_t mask = (1u << access.bytes) - 1;
  any = 0;
  for (uint32_t rest = lanes; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<unsigned>(std::countr_zero(rest));
    uint32_t undefined = 0;
    for (unsigned r = 0; r < registers_of(access.bytes); ++r) {
      const Bytes& found = state.defined.vgpr(*observed_, first + r);
      for (unsigned i = 0; i < 4; ++i)
        undefined |= (found.byte[high ? i | 2 : i] >> lane & 1u) << (4 * r + i);
    }
    bytes[lane] = static_cast<uint16_t>(undefined & mask);
    if (bytes[lane]) any |= 1u << lane;
  }
  return any != 0;
}

void Checker::set_loaded(WaveState& state, const MemoryAccess& access, const uint16_t (&bytes)[32],
                         uint32_t lanes) {
  const Instruction& in = *access.instruction;
  const bool is_padding =
      access.bytes >= 4 && CopiedPadding::is_padding(bytes, lanes, access.bytes);
  const unsigned part = observed_->first_lane / 32;
  const Effects& effects = shadow_.effects[in.index];
  const unsigned first = in.destination + access.first_register;
  for (unsigned r = 0; r < registers_of(access.bytes); ++r) {
    Bytes undefined;
    for (uint32_t rest = lanes; rest != 0; rest &= rest - 1) {
      const auto lane = static_cast<unsigned>(std::countr_zero(rest));
      for (unsigned i = 0; i < 4; ++i)
        undefined.byte[i] |= (bytes[lane] >> (4 * r + i) & 1u) << lane;
    }
    uint8_t halves = 3;
    if (access.bytes < 4) {
      // A load of less than 4 bytes fills the rest of the register with zeros or with the sign.
      for (uint32_t i = access.bytes; i < 4 && effects.row[0]->extends_sign; ++i)
        undefined.byte[i] = undefined.byte[access.bytes - 1];
      if (!effects.writes.empty()) halves = effects.writes.front().halves;
      if (halves == 2) undefined = {{0, 0, undefined.byte[0], undefined.byte[1]}};
    }
    state.defined.set_halves(*observed_, first + r, halves, undefined, lanes);
    if (is_padding && undefined.any() != 0)
      state.padding.add(part, first + r, undefined);
    else if (!state.padding.is_empty())
      state.padding.forget(part, first + r);
  }
}

// Some undefined bytes of a store are the padding of structures. Moves these from `undefined` to
// `padding`. Returns false if no other undefined bytes are left.
bool Checker::take_padding(const WaveState& state, const MemoryAccess& access,
                           uint16_t (&undefined)[32], uint16_t (&padding)[32],
                           uint32_t lanes) const {
  const unsigned first =
      data_of(*access.instruction, access).index + unsigned{access.first_register};
  const unsigned part = observed_->first_lane / 32;
  bool any = false;
  for (uint32_t rest = lanes; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<unsigned>(std::countr_zero(rest));
    for (unsigned byte = 0; byte < access.bytes; ++byte)
      if (undefined[lane] >> byte & 1 &&
          state.padding.covers(part, first + byte / 4, byte % 4, lane)) {
        undefined[lane] = static_cast<uint16_t>(undefined[lane] & ~(1u << byte));
        padding[lane] = static_cast<uint16_t>(padding[lane] | 1u << byte);
      }
    any = any || undefined[lane] != 0;
  }
  return any;
}

// --- LDS ---------------------------------------------------------------------------------------

void Checker::observe_lds(WaveState& state, const MemoryAccess& access, const uint32_t* offsets,
                          uint32_t lanes) {
  if (lanes == 0) return;
  const uint32_t index = access.instruction->index;
  LdsTrace& trace = state.trace[state.next_trace % WaveState::traces];
  if (trace.count < LdsTrace::most) {
    LdsTrace::Access& kept = trace.accesses[trace.count++];
    kept.kind = access.kind;
    kept.lanes = lanes;
    kept.bytes = access.bytes;
    std::memcpy(kept.offsets, offsets, sizeof kept.offsets);
  }
  if (shadow_.effects.has_copies()) check_copies_on_their_way(state, access, offsets, lanes);
  uint16_t undefined[32];
  // Only a store from registers has data in registers: a load has none, and a copy's are in memory.
  const bool stores_register = access.kind == AccessKind::store && !shadow_.effects[index].copies;
  const bool stores_undefined = stores_register && undefined_data(state, access, undefined, lanes);
  LdsShadow::StoredData data;
  if (stores_register) data = stored_data(*observed_, access);
  const LdsShadow::Outcome& outcome = lds_.access(
      {state.number, state.signals, state.waits, index}, access.kind, offsets, lanes, access.bytes,
      stores_undefined ? undefined : nullptr, stores_register ? &data : nullptr);
  if (access.kind == AccessKind::store && !*outcome.lanes_are_apart)
    *outcome.lanes_are_apart = check_lanes(state, access, offsets, lanes);
  if (lds_order_) {
    synchronise_in_lds(state, access, offsets, lanes);
    follow_lds(state, access, offsets, lanes, stores_register ? &data : nullptr);
  } else {
    report_lds_races(state, access, outcome.races);
  }
  settle_guesses(state, access, offsets, lanes);
  if (outcome.unwritten_lanes) {
    log_.add({FindingKind::lds_read_before_written, index, static_cast<int>(state.number),
              uint64_t{outcome.unwritten_lanes} << observed_->first_lane},
             {}, [&] {
               return FindingLog::Words{
                   formatted("reads LDS address {:#x}, which nobody has written",
                             outcome.unwritten_address),
                   {}};
             });
  }
  if (access.kind == AccessKind::load && outcome.any_undefined && !shadow_.effects[index].copies) {
    std::memset(undefined, 0, sizeof undefined);
    for (uint32_t rest = lanes; rest != 0; rest &= rest - 1) {
      const auto lane = static_cast<unsigned>(std::countr_zero(rest));
      undefined[lane] = outcome.undefined_bytes[lane];
    }
    set_loaded(state, access, undefined, lanes);
  }
}

namespace {

// Computes whether an atomic changes the value in LDS.
class LdsUpdate final : public LdsOrder::Update {
 public:
  LdsUpdate(const Wavefront& wave, const Row& row, const MemoryAccess& access,
            const uint32_t* offsets)
      : wave_(wave), row_(row), access_(access), offsets_(offsets) {}

  bool changes(uint32_t address, uint32_t held, uint32_t lane) const override {
    uint64_t value = word_at(lane);
    const uint32_t shift = 8 * ((address & ~3u) - offsets_[lane]);
    value = (value & ~(uint64_t{0xffffffff} << shift)) | uint64_t{held} << shift;
    return updated_value(row_, access_, wave_, lane, value) != value;
  }
  // Those of `lanes` in which the atomic leaves the value in LDS as it is.
  uint32_t leaving(uint32_t lanes) const {
    uint32_t found = 0;
    for (uint32_t rest = lanes; rest != 0; rest &= rest - 1) {
      const auto lane = static_cast<uint32_t>(std::countr_zero(rest));
      const uint64_t value = word_at(lane);
      if (updated_value(row_, access_, wave_, lane, value) == value) found |= 1u << lane;
    }
    return found;
  }

 private:
  uint64_t word_at(uint32_t lane) const {
    uint64_t value = 0;
    std::memcpy(&value, wave_.lds + offsets_[lane], access_.bytes);
    return value;
  }
  const Wavefront& wave_;
  const Row& row_;
  const MemoryAccess& access_;
  const uint32_t* offsets_;
};

}  // namespace

void Checker::report_lds_races(WaveState& state, const MemoryAccess& access,
                               std::span<const LdsShadow::Race> races) {
  for (const LdsShadow::Race& race : races)
    if (!is_guess(state, access, race)) report_lds_race(state, access.instruction->index, race);
}

void Checker::follow_lds(WaveState& state, const MemoryAccess& access, const uint32_t* offsets,
                         uint32_t lanes, const LdsShadow::StoredData* data) {
  synchronise_by_words(state, access, offsets, lanes);
  const Row& row = *shadow_.effects[access.instruction->index].row[0];
  LdsUpdate update(*observed_, row, access, offsets);
  const bool updates = access.kind == AccessKind::atomic && row.updated != nullptr;
  const auto follow_lanes = [&](uint32_t some) {
    if (some != 0)
      report_lds_races(
          state, access,
          lds_order_->access(lds_actor(state), *access.instruction, access.kind, offsets, some,
                             access.bytes, observed_->lds, data, updates ? &update : nullptr));
  };
  const uint32_t leaving = updates && returns(row, access) ? update.leaving(lanes) : 0;
  follow_lanes(lanes & ~leaving);
  update.leaves = true;
  follow_lanes(leaving);
}

// Reports accesses to LDS that conflict with an outstanding access of the same wave. LDS operations
// of one wave happen in their order, and so do its copies of one kind. But a copy between memory
// and LDS and another operation are ordered only if the wave has waited for the earlier of the two.
void Checker::check_copies_on_their_way(WaveState& state, const MemoryAccess& access,
                                        const uint32_t* offsets, uint32_t lanes) {
  const uint32_t index = access.instruction->index;
  const Effects& effects = shadow_.effects[index];
  const Extent extent(offsets, lanes, access.bytes);
  for (const Operation& operation : state.outstanding.operations()) {
    const Effects& earlier = shadow_.effects[operation.instruction];
    if (earlier.group == effects.group || !(earlier.copies || effects.copies)) continue;
    const LdsTrace* const trace = state.trace_of(operation.lds_trace);
    for (int i = 0; trace != nullptr && i < trace->count; ++i) {
      const LdsTrace::Access& other = trace->accesses[i];
      if (access.kind == AccessKind::load && other.kind == AccessKind::load) continue;
      if (!extent.meets({other.offsets, other.lanes, other.bytes})) continue;
      const auto meets = [&](uint32_t offset) {
        for (uint32_t rest = other.lanes; rest != 0; rest &= rest - 1) {
          const uint32_t at = other.offsets[std::countr_zero(rest)];
          if (offset < at + other.bytes && at < offset + access.bytes) return true;
        }
        return false;
      };
      uint32_t met = 0;
      for (uint32_t rest = lanes; rest != 0; rest &= rest - 1)
        if (meets(offsets[std::countr_zero(rest)])) met |= rest & -rest;
      if (met != 0)
        report_copy(state, access, operation, other.kind, offsets[std::countr_zero(met)], met);
    }
  }
}

void Checker::report_copy(WaveState& state, const MemoryAccess& access, const Operation& operation,
                          AccessKind earlier, uint32_t address, uint32_t lanes) {
  const bool reads = access.kind == AccessKind::load, other_reads = earlier == AccessKind::load;
  const FindingKind kind = reads         ? FindingKind::lds_race_read_after_write
                           : other_reads ? FindingKind::lds_race_write_after_read
                                         : FindingKind::lds_race_write_after_write;
  log_.add(
      {kind, access.instruction->index, static_cast<int>(state.number),
       uint64_t{lanes} << observed_->first_lane},
      {{other_reads ? "read by the same wave here" : "written by the same wave here",
        operation.instruction}},
      [&] {
        const auto [counter, left] = state.outstanding.need(operation);
        const WaitCounters counters = shadow_.effects.counters();
        return FindingLog::Words{
            formatted("{} LDS address {:#x}, which {} of the same wave may still be {}; {} was "
                      "not waited for down to {}",
                      reads ? "reads" : "writes", address,
                      shadow_.effects[operation.instruction].mnemonic[0],
                      other_reads ? "reading" : "writing", counter_name(counter, counters), left),
            formatted("Put {} before the instruction.", wait_text(counter, left, counters))};
      });
}

// If the race is between a load and an atomic, keeps it as a guess (guesses.h): a later access
// decides whether it is reported. The load is `access` or the other access of the race. Returns
// false if the race cannot be kept.
bool Checker::is_guess(const WaveState& state, const MemoryAccess& access,
                       const LdsShadow::Race& race) {
  if (!race.update || race.outstanding) return false;
  const uint32_t index = access.instruction->index;
  Guesses<LdsShadow::Race>::Guess guess = {index, state.clock.number, 0, race};
  uint32_t reader = state.number;
  std::memcpy(&guess.loaded, observed_->lds + (race.address & ~3u), sizeof guess.loaded);
  if (race.kind == LdsShadow::Race::Kind::write_after_read) {
    reader = race.wave;
    if (states_[reader]->ended) return false;
    guess.instruction = race.instruction;
    guess.number = states_[reader]->clock.number - 1;
    guess.race.kind = LdsShadow::Race::Kind::read_after_write;
    guess.race.instruction = index;
    guess.race.wave = state.number;
    guess.race.lanes = 0;
  }
  return lds_guesses_.add(reader, race.address, guess);
}

void Checker::settle_guesses(WaveState& state, const MemoryAccess& access, const uint32_t* offsets,
                             uint32_t lanes) {
  if (lds_guesses_.is_empty() && access.kind != AccessKind::atomic) return;
  const Row& row = *shadow_.effects[access.instruction->index].row[0];
  if (lds_guesses_.is_empty() && row.expected == 0) return;
  std::vector<Guesses<LdsShadow::Race>::Guess> races;
  for (uint32_t rest = lanes; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<unsigned>(std::countr_zero(rest));
    uint32_t expected[2];
    if (row.expected != 0) expected_words(row, access, *observed_, lane, expected);
    const bool was_right =
        lds_guesses_.settle(state.number, state.clock.number, offsets[lane], access.bytes,
                            row.expected != 0 ? expected : nullptr, races);
    // A compare-and-swap that succeeds shows that the wave's load saw the last update: they are
    // ordered.
    if (was_right || (row.expected != 0 &&
                      std::memcmp(expected, observed_->lds + offsets[lane], access.bytes) == 0))
      lds_.forget_loads(state.number, offsets[lane], access.bytes);
  }
  for (const auto& guess : races) report_lds_race(state, guess.instruction, guess.race);
}

void Checker::report_lds_race(WaveState& state, uint32_t instruction, const LdsShadow::Race& race) {
  using Kind = LdsShadow::Race::Kind;
  const FindingKind kind =
      race.kind == Kind::read_after_write   ? FindingKind::lds_race_read_after_write
      : race.kind == Kind::write_after_read ? FindingKind::lds_race_write_after_read
                                            : FindingKind::lds_race_write_after_write;
  const bool other_writes = race.kind != Kind::write_after_read;
  const bool writes = race.kind != Kind::read_after_write;
  const std::string role =
      formatted("{} by wave {} here", other_writes ? "written" : "read", race.wave);
  log_.add({kind, instruction, static_cast<int>(state.number),
            uint64_t{race.lanes} << observed_->first_lane},
           {{role, race.instruction}}, [&] {
             const std::string what =
                 formatted("{} LDS address {:#x}, which wave {} {}", writes ? "writes" : "reads",
                           race.address, race.wave, other_writes ? "writes" : "reads");
             if (!race.outstanding)
               return FindingLog::Words{formatted("{}, with no barrier between", what), {}};
             const WaitCounters counters = shadow_.effects.counters();
             return FindingLog::Words{
                 formatted("{}: there is a barrier between, but the access of wave {} was not "
                           "waited for before it",
                           what, race.wave),
                 formatted("Put {} before the barrier that wave {} signals.",
                           wait_text(lds_counter(shadow_.effects[race.instruction]), 0, counters),
                           race.wave)};
           });
}

// --- scratch -----------------------------------------------------------------------------------

void Checker::observe_scratch(WaveState& state, const MemoryAccess& access, const uint32_t* offsets,
                              uint32_t lanes) {
  const uint64_t pitch = waves_[state.number].scratch_pitch;
  uint16_t undefined[32] = {};
  if (access.kind == AccessKind::store) undefined_data(state, access, undefined, lanes);
  uint32_t any = 0;
  for (uint32_t rest = lanes; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<uint32_t>(std::countr_zero(rest));
    const uint64_t at =
        (uint64_t{state.number} * lanes_ + observed_->first_lane + lane) * pitch + offsets[lane];
    if (access.kind == AccessKind::load)
      undefined[lane] = scratch_.load(at, access.bytes);
    else
      scratch_.store(at, access.bytes, undefined[lane]);
    any |= undefined[lane];
  }
  if (access.kind == AccessKind::load && any) set_loaded(state, access, undefined, lanes);
}

// --- global memory -----------------------------------------------------------------------------

void Checker::observe_global(WaveState& state, const MemoryAccess& access, uint32_t lanes) {
  const uint32_t index = access.instruction->index;
  uint16_t padding[32] = {};
  if (access.kind != AccessKind::load && !shadow_.effects[index].copies) {
    uint16_t undefined[32];
    bool is_wrong = undefined_data(state, access, undefined, lanes);
    if (is_wrong && !state.padding.is_empty())
      is_wrong = take_padding(state, access, undefined, padding, lanes);
    if (is_wrong && !report_kept_loads()) {
      uint32_t wrong = 0;
      for (uint32_t rest = lanes; rest != 0; rest &= rest - 1)
        if (undefined[std::countr_zero(rest)]) wrong |= rest & -rest;
      log_.add({FindingKind::undefined_store, index, static_cast<int>(state.number),
                uint64_t{wrong} << observed_->first_lane},
               {}, [&] {
                 const auto lane = static_cast<unsigned>(std::countr_zero(wrong));
                 const unsigned word = static_cast<unsigned>(std::countr_zero(undefined[lane])) / 4;
                 RegisterRange stored;
                 stored.first = static_cast<uint16_t>(data_of(*access.instruction, access).index +
                                                      access.first_register + word);
                 stored.accumulation = stored.first >= first_accumulator &&
                                       dispatch_.object().target().has(Feature::mfma);
                 return FindingLog::Words{formatted("stores {} of lane {}, which was not written",
                                                    stored.text(), lane + observed_->first_lane),
                                          {}};
               });
    }
  }
  const uint32_t uncertain = observe_races(state, access, lanes);
  uint16_t missing[32] = {};
  for (uint32_t rest = uncertain; rest != 0; rest &= rest - 1)
    missing[std::countr_zero(rest)] = static_cast<uint16_t>((1u << access.bytes) - 1);
  if (uncertain != 0) set_loaded(state, access, missing, uncertain);
  if (shadow_.memory.is_empty()) return;
  uint32_t unwritten = 0;
  for (uint32_t rest = lanes; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<unsigned>(std::countr_zero(rest));
    const auto unknown =
        access.kind == AccessKind::store
            ? uint16_t{0}
            : static_cast<uint16_t>(shadow_.memory.load(access.addresses[lane], access.bytes));
    missing[lane] |= unknown;
    if (unknown != 0) unwritten |= 1u << lane;
    if (access.kind != AccessKind::load)
      shadow_.memory.store(access.addresses[lane], access.bytes, padding[lane]);
  }
  if (unwritten == 0) return;
  const bool is_load = access.kind == AccessKind::load && !shadow_.effects[index].copies;
  if (is_load && CopiedPadding::is_padding(missing, lanes, access.bytes))
    set_loaded(state, access, missing, lanes);
  else
    report_unwritten(state, access, unwritten);
}

void Checker::report_unwritten(WaveState& state, const MemoryAccess& access, uint32_t lanes) {
  const uint64_t named =
      access.space == MemorySpace::scalar ? 0 : uint64_t{lanes} << observed_->first_lane;
  log_.add({FindingKind::global_read_before_written, access.instruction->index,
            static_cast<int>(state.number), named},
           {}, [&] {
             const uint64_t address = access.addresses[std::countr_zero(lanes)];
             const std::string what = dispatch_.memory().describe(address, access.bytes);
             if (shadow_.memory.is_kept(address))
               return FindingLog::Words{
                   formatted("reads {}, which no copy, no fill and no kernel has written", what),
                   "Write the bytes first: copy or fill them before the launch, or let a kernel "
                   "write them."};
             return FindingLog::Words{
                 formatted("reads {}, which is declared as output and not yet written", what), {}};
           });
}

// A scalar load reads whole words, and perhaps more than the kernel uses. Registers for words
// beyond the array, or that nobody wrote, become undefined.
void Checker::set_loaded_scalars(WaveState& state, const MemoryAccess& access, uint64_t missing) {
  const unsigned first = access.instruction->destination + unsigned{access.first_register};
  const uint32_t read = access.bytes + access.beyond;
  for (uint32_t word = 0; word < (read + 3) / 4; ++word) {
    uint32_t bits = 0;
    for (uint32_t i = 0; i < 4; ++i) {
      const uint32_t byte = 4 * word + i;
      if (byte < read && (byte >= access.bytes || missing >> byte & 1)) bits |= 0xffu << 8 * i;
    }
    state.defined.set_scalar(first + word, bits);
  }
}

void Checker::observe_scalar(WaveState& state, const MemoryAccess& access) {
  const unsigned data = data_of(*access.instruction, access).index + access.first_register;
  const bool compares = shadow_.effects[access.instruction->index].row[0]->expected != 0;
  const unsigned words = std::max(access.bytes / 4, 1u) * (compares ? 2 : 1);
  bool is_undefined = false;
  for (unsigned i = 0; access.kind != AccessKind::load && i < words; ++i)
    is_undefined = is_undefined || state.defined.scalar(data + i) != 0;
  if (is_undefined && !report_kept_loads())
    log_.add({FindingKind::undefined_store, access.instruction->index,
              static_cast<int>(state.number), 0},
             {}, [&] {
               return FindingLog::Words{formatted("stores {}, which was not written",
                                                  RegisterRange{true, static_cast<uint16_t>(data),
                                                                static_cast<uint16_t>(words)}
                                                      .text()),
                                        {}};
             });
  const uint32_t uncertain = observe_races(state, access, 1);
  const bool is_known = !shadow_.memory.is_empty();
  const uint64_t missing = access.kind != AccessKind::store && is_known
                               ? shadow_.memory.load(access.addresses[0], access.bytes)
                               : 0;
  const uint64_t all = access.bytes < 64 ? (uint64_t{1} << access.bytes) - 1 : ~uint64_t{0};
  if (missing != 0 && (missing == all || access.kind == AccessKind::atomic))
    report_unwritten(state, access, 1);
  else if (access.kind == AccessKind::load && uncertain != 0)
    set_loaded_scalars(state, access, all);
  else if (access.kind == AccessKind::load && (missing != 0 || access.beyond != 0))
    set_loaded_scalars(state, access, missing);
  if (access.kind != AccessKind::load && is_known)
    shadow_.memory.store(access.addresses[0], access.bytes);
}

// A flat access reaches LDS, scratch or global memory, depending on the address. Splits its lanes
// by the memory that they reach, as resolve_one_by_one does in handlers/lane_addresses.h.
void Checker::observe_flat(WaveState& state, const MemoryAccess& access) {
  const auto [lds, scratch] = FlatLanes(access.addresses);
  uint32_t offsets[32];
  std::ranges::transform(std::span(access.addresses, 32), offsets,
                         [](uint64_t address) { return static_cast<uint32_t>(address); });
  MemoryAccess part = access;
  if (lds & access.lanes) observe_lds(state, part, offsets, lds & access.lanes);
  if (scratch & access.lanes) observe_scratch(state, part, offsets, scratch & access.lanes);
  observe_global(state, access, access.lanes & ~lds & ~scratch);
}

}  // namespace heddle::emulator::check
