#include "emulator/check/checker_state.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "emulator/check/host_levels.h"
#include "emulator/machine/matrix_copies.h"
#include "library/text/formatted.h"

namespace heddle::emulator::check {
namespace {

using Sixteen = uint32_t __attribute__((vector_size(64)));

// Compares lanes 16 to 31 of a register with lanes 0 to 15. Sets in `differ` the bits that differ.
HEDDLE_ALWAYS_INLINE void add_difference(Sixteen& differ, const uint32_t* lanes) {
  Sixteen low, high;
  std::memcpy(&low, lanes, sizeof low);
  std::memcpy(&high, lanes + 16, sizeof high);
  differ |= low ^ high;
}

CopiedOperand copied(const RegisterRange& operand) {
  return {operand.first, operand.scalar ? 0u : operand.count};
}

HEDDLE_FOR_HOST_LEVELS
bool has_unequal_copies(const Wavefront& wave, const RegisterRange (&operands)[2]) {
  Sixteen differ = {};
  for (const RegisterRange& operand : operands)
    for (unsigned r = 0; r < operand.count && !operand.scalar; ++r)
      add_difference(differ, wave.vgpr[operand.first + r]);
  if (!wave.upper && __builtin_reduce_or(differ) == 0) [[likely]]
    return false;
  return first_unequal_copy(wave, copied(operands[0]), copied(operands[1]), wave.upper ? 64 : 32) >=
         0;
}

Races::Machine machine_of(const Dispatch& dispatch) {
  constexpr uint32_t both_compute_units = 1u << 29;  // WGP_MODE of COMPUTE_PGM_RSRC1
  const Target& target = dispatch.object().target();
  // Some processors have only one cache before L2: no WGP mode, and no L1 that shader arrays share.
  // LLVM's code for them waits and invalidates as one cache requires.
  const bool one_cache = target.has(Feature::one_near_cache);
  const bool one_l0 = one_cache || (dispatch.kernel().resource1 & both_compute_units) == 0;
  // True if caches hold stores back until a release with the scope of the device writes them back:
  // LLVM "User Guide for AMDGPU Backend", "Memory Model gfx942"; for gfx1250 LLVM,
  // SIGfx12CacheControl::insertRelease.
  const instruction::FamilyRow& family = instruction::row(target.family);
  return {.stores_have_scopes = has_scopes(family.caches),
          .one_l0 = one_l0,
          .barrier_orders = one_l0 && !target.has(Feature::unordered_stores),
          .one_cache = one_cache,
          .keeps_stores = family.kept_stores != instruction::KeptStores::nowhere,
          .waves = dispatch.waves_per_workgroup()};
}

}  // namespace

ProgramTables::ProgramTables(const Program& program, const Target& target)
    : effects(program, target) {
  if (target.has(Feature::mfma)) hazards.emplace(program, effects, target);
  if (target.has(Feature::gfx1250_code)) coexecution.emplace(program, effects, target);
}

const ProgramTables& ProgramTables::of(const CodeObject& object) {
  const Program& program = object.program();
  return program.kept<ProgramTables>(
      [&] { return std::make_shared<const ProgramTables>(program, object.target()); });
}

LaunchShadow::LaunchShadow(const Dispatch& launched)
    : dispatch(launched),
      effects(ProgramTables::of(launched.object()).effects),
      hazards(ProgramTables::of(launched.object()).hazards),
      coexecution(ProgramTables::of(launched.object()).coexecution),
      memory(launched.memory()),
      sharing(launched.memory()) {}

void LaunchShadow::begin(Sharing::Look look) {
  memory.clear();
  sharing.begin(look);
  races.reset();
  if (look == Sharing::Look::none)
    races = std::make_unique<Races>(effects, machine_of(dispatch), races_bytes);
}

Checker::Checker(const Dispatch& dispatch, LaunchShadow& shadow, BarrierClocks& of_cluster)
    : dispatch_(dispatch),
      shadow_(shadow),
      cluster_clocks_(of_cluster),
      log_(dispatch),
      lds_(dispatch.lds_bytes() + 64, dispatch.waves_per_workgroup()),
      interest_(dispatch.waves_per_workgroup()),
      vectors_(dispatch.waves_per_workgroup()),
      paths_(dispatch.waves_per_workgroup()) {
  if (shadow.effects.has_partial_order() && dispatch.lds_bytes() != 0)
    lds_order_.emplace(shadow.effects, dispatch.waves_per_workgroup());
  for (uint32_t i = 0; i < dispatch.waves_per_workgroup(); ++i)
    states_.push_back(std::make_unique<WaveState>(shadow.effects));
}

Checker::~Checker() = default;

uint64_t Checker::bytes_of(const Dispatch& dispatch) {
  const uint64_t waves = dispatch.waves_per_workgroup();
  const uint64_t lanes = waves * static_cast<uint64_t>(dispatch.wave());
  return LdsShadow::bytes_of(dispatch.lds_bytes() + 64, dispatch.waves_per_workgroup()) +
         (dispatch.lds_bytes() != 0 ? LdsOrder::bytes_of(dispatch.lds_bytes(), waves) : 0) +
         waves * (sizeof(WaveState) + sizeof(RegisterSet) + sizeof(Path)) +
         lanes * dispatch.scratch_bytes() / 2;
}

Checker::Watch Checker::watch(uint32_t wave) {
  Watch watch;
  watch.kinds_ = shadow_.effects.kinds().data();
  watch.touched_ = &shadow_.effects.touched(0);
  watch.interest_ = &interest_[wave];
  watch.vectors_ = &vectors_[wave];
  watch.hazards_ = shadow_.hazards ? &*shadow_.hazards : nullptr;
  watch.path_ = &paths_[wave];
  return watch;
}

Checker::WaveState& Checker::state_of(const Wavefront& wave) {
  const Wavefront* const first = wave.first_lane == 0 ? waves_ : upper_halves_;
  return *states_[static_cast<std::size_t>(&wave - first)];
}

void Checker::refresh_interest(WaveState& state) {
  // The set is assigned whole, not bit by bit, since is_of_interest() reads it right after this.
  RegisterSet interest = state.outstanding.pending() | state.defined.undefined();
  for (const Coexecution::Product& product : state.products)
    interest = interest | shadow_.effects.touched(product.instruction);
  interest_[state.number] = interest;
}

void Checker::start(uint64_t workgroup, Wavefront* waves, Wavefront* upper_halves, uint32_t count) {
  waves_ = waves;
  upper_halves_ = upper_halves;
  lanes_ = upper_halves ? 64 : 32;
  log_.start(workgroup);
  lds_.start();
  lds_guesses_.clear();
  kept_loads_.clear();
  kept_loads_matter_ = false;
  if (lds_order_) lds_order_->start(workgroup);
  scratch_.start(uint64_t{count} * lanes_ * waves->scratch_pitch);
  barriers_.clear();
  first_barrier_ = 0;
  barrier_clocks_.start();
  l1_ = {};
  l1_version_ = 0;
  for (uint32_t i = 0; i < count; ++i) {
    WaveState& state = *states_[i];
    state.number = i;
    state.outstanding.start();
    state.clock.start(static_cast<uint32_t>(workgroup * count + i));
    if (shadow_.races) shadow_.races->begin(state.clock.actor);
    state.padding.start();
    state.defined.start(waves[i], dispatch_.initial_scalars(),
                        dispatch_.program().vector_registers_used(), shadow_.effects.beyond_255());
    state.signals = state.waits = state.l1_version = 0;
    state.signalled_at = log_.time();
    vectors_[i] = {};
    state.products.clear();
    paths_[i].start();
    state.ended = state.missed = false;
    refresh_interest(state);
  }
}

namespace {

// The number of the named barrier that instruction `in` of a wave signals. 0 stands for the
// cluster's barrier.
uint32_t signalled_barrier(const Wavefront& wave, const Instruction* in) {
  const Source& s = in->source[0];
  if (s.kind != SourceKind::constant) return wave.scalar[s.index] % BarrierState::numbered_count;
  return s.constant < BarrierState::numbered_count ? s.constant : uint32_t{BarrierState::cluster};
}

}  // namespace

// --- one instruction ---------------------------------------------------------------------------

HEDDLE_FOR_HOST_LEVELS
const Instruction* Checker::step(Wavefront& wave, const Instruction* in) {
  WaveState& state = state_of(wave);
  stepped_ = &state;
  const uint32_t index = in->index;
  const Effects& effects = shadow_.effects[index];
  const RegisterSet& touched = shadow_.effects.touched(index);
  const bool is_pending = meet(touched, state.outstanding.pending());
  if (is_pending) check_pending(state, index, effects);
  log_.next_instruction();
  if (!state.products.empty()) check_coexecution(state, index);
  const bool evaluates = meet(touched, state.defined.undefined()) || effects.by_number;
  state.address_is_undefined = false;
  if (evaluates)
    if (const Misuse misuse = state.defined.evaluate(wave, in, effects);
        misuse.kind != Misuse::Kind::none) {
      state.address_is_undefined = misuse.kind == Misuse::Kind::address;
      report_misuse(state, index, misuse);
    }
  if (effects.action == Action::matrix) check_matrix(state, wave, in, effects);
  // The result of a load is first marked as defined; observe() may then mark parts as undefined.
  if (evaluates && effects.action == Action::memory && effects.row[0]->role != Role::exchange)
    define_writes(state, wave, effects);
  if (effects.action == Action::memory) state.trace[state.next_trace % WaveState::traces].count = 0;

  const uint64_t signals = wave.counters.barriers;
  const bool uses_named = effects.action == Action::named_signal ||
                          effects.action == Action::named_init ||
                          effects.action == Action::named_join;
  const uint32_t named = uses_named ? signalled_barrier(wave, in) : 0;
  const uint32_t round = effects.action == Action::named_signal
                             ? wave.barrier->numbered(named).generation
                             : wave.barrier->generation;
  const Instruction* next = in->handler(wave, in);
  if (wave.event == Event::fault) return next;

  if (evaluates) state.defined.commit(wave, effects);
  if (evaluates && !state.padding.is_empty() && effects.action == Action::ordinary)
    state.padding.follow(wave, effects, state.defined);
  switch (effects.action) {
    case Action::memory:
      state.outstanding.issue(index, state.next_trace++, state.clock.number,
                              state.clock.is_followed());
      ++state.clock.number;
      break;
    case Action::cache_control:
      control_caches(state, index);
      break;
    case Action::wait:
      state.outstanding.wait(index);
      // No older trace is needed now. The first entries are likely still in the host's cache.
      if (state.outstanding.operations().empty()) state.next_trace = 0;
      break;
    case Action::barrier:
    case Action::barrier_signal:
    case Action::barrier_wait:
      if (wave.counters.barriers != signals) {
        signal(state, index);
        arrive(state, {BarrierClocks::of_workgroup, round});
      }
      if (!next || effects.action == Action::barrier_signal) break;
      ++state.waits;
      learn(state, {BarrierClocks::of_workgroup, wave.barrier->generation});
      break;
    case Action::named_signal:
      use_barrier(state, index, named);
      arrive(state, {named, round});
      break;
    case Action::named_init:
    case Action::named_join:
      use_barrier(state, index, named);
      break;
    case Action::named_wait:
      if (const uint32_t number = numbered_barrier(wave); next)
        learn(state, {number, wave.barrier->numbered(number).generation});
      break;
    case Action::end:
      end(state, wave, index);
      break;
    default:
      break;
  }
  const bool coexecutes = shadow_.coexecution && effects.action == Action::matrix;
  if (coexecutes) state.products.push_back({index, vectors_[state.number].count});
  // A matrix instruction whose registers are all defined leaves the registers of interest as they
  // are.
  if (effects.action != Action::matrix || evaluates || is_pending || coexecutes)
    refresh_interest(state);
  return next;
}

void Checker::control_caches(WaveState& state, uint32_t instruction) {
  const Effects& effects = shadow_.effects[instruction];
  if (shadow_.races) {
    const Progress own = state.outstanding.progress(state.clock.number);
    state.clock.returned(own.reads);
    state.clock.invalidate(effects.invalidates, own.writes, l1_);
    if (effects.invalidates & empties_l1) ++l1_version_;
    if (effects.writes_back) state.clock.write_back(shadow_.races->machine().waves);
  }
  if (effects.counters == 0) return;
  const uint32_t trace = state.next_trace++;
  state.trace[trace % WaveState::traces].count = 0;
  state.outstanding.issue(instruction, trace, state.clock.number++, false);
}

void Checker::define_writes(WaveState& state, const Wavefront& wave, const Effects& effects) {
  const bool whole_wave = effects.row[0] && effects.row[0]->whole_wave;
  const uint32_t exec = wave.scalar[register_exec];
  const uint32_t upper_exec = wave.upper ? wave.scalar[register_exec + 1] : 0;
  const bool all_lanes = whole_wave && (exec | upper_exec) != 0;
  for (const RegisterRange& range : effects.writes) {
    for (unsigned r = 0; r < range.count; ++r) {
      if (range.scalar) {
        state.defined.set_scalar(range.first + r, 0);
        continue;
      }
      state.defined.set_halves(wave, range.first + r, range.halves, {}, all_lanes ? ~0u : exec);
      if (wave.upper)
        state.defined.set_halves(*wave.upper, range.first + r, range.halves, {},
                                 all_lanes ? ~0u : upper_exec);
    }
  }
}

// --- uses of registers whose loads are still outstanding ----------------------------------------

void Checker::check_pending(WaveState& state, uint32_t instruction, const Effects& effects) {
  for (const RegisterRange& range : effects.reads)
    while (Operation* operation = state.outstanding.read_conflict(range))
      report_pending(state, instruction, range, *operation, false);
  const Effects* load = effects.action == Action::memory ? &effects : nullptr;
  for (const RegisterRange& range : effects.writes)
    while (Operation* operation = state.outstanding.write_conflict(range, load))
      report_pending(state, instruction, range, *operation, true);
}

void Checker::report_pending(WaveState& state, uint32_t instruction, const RegisterRange& range,
                             Operation& operation, bool written) {
  const auto [counter, left] = state.outstanding.need(operation);
  const WaitCounters counters = shadow_.effects.counters();
  const LastWait* weak = state.outstanding.weak_wait(operation, counter);
  std::vector<Related> related = {{"load issued here", operation.instruction}};
  if (weak) related.push_back({"waited here, for too few", weak->instruction});
  const auto kind = written ? FindingKind::register_overwritten_before_wait
                            : FindingKind::register_read_before_wait;
  log_.add({kind, instruction, static_cast<int>(state.number), 0}, related, [&] {
    const std::string_view name = counter_name(counter, counters);
    const std::string what = formatted("{} is {} while {} may still be loading it", range.text(),
                                       written ? "overwritten" : "read",
                                       shadow_.effects[operation.instruction].mnemonic[0]);
    if (!weak)
      return FindingLog::Words{
          formatted("{}; {} was not waited for since", what, name),
          formatted("Put {} before the instruction.", wait_text(counter, left, counters))};
    return FindingLog::Words{formatted("{}; {} was waited for down to {}, and it takes {}", what,
                                       name, weak->left, left),
                             formatted("Make the wait {}.", wait_text(counter, left, counters))};
  });
  state.outstanding.forget(operation);
}

// --- wait states ---------------------------------------------------------------------------------

void Checker::check_states(uint32_t wave, uint32_t instruction) {
  const auto found = shadow_.hazards->check(paths_[wave], instruction);
  if (!found) return;
  log_.next_instruction();
  log_.add(
      {FindingKind::wait_state_hazard, instruction, static_cast<int>(wave), 0},
      {{"too early after this", found->first}}, [&] {
        const Program& program = dispatch_.program();
        const int missing = found->needed - found->states;
        return FindingLog::Words{
            formatted("{} comes {} wait state{} after {}, and it takes {}: {}{}",
                      program.mnemonic(instruction), found->states, found->states == 1 ? "" : "s",
                      program.mnemonic(found->first), found->needed,
                      found->is_register() ? found->range.text() + ", " : "", found->row->isa),
            formatted("Put {} between the two, or as many other instructions.",
                      idle_text(dispatch_.object().target(), missing))};
      });
}

void Checker::check_coexecution(WaveState& state, uint32_t instruction) {
  const uint32_t vectors = vectors_[state.number].count;
  std::erase_if(state.products, [&](const Coexecution::Product& product) {
    return vectors - product.vectors > Coexecution::most_states;
  });
  const auto found = shadow_.coexecution->check(state.products, instruction, vectors);
  if (!found) return;
  log_.add({FindingKind::wait_state_hazard, instruction, static_cast<int>(state.number), 0},
           {{"too early after this", found->first}}, [&] {
             const Program& program = dispatch_.program();
             return FindingLog::Words{
                 formatted("{} comes {} vector instruction{} after {}, and it takes {}: {}, {}",
                           program.mnemonic(instruction), found->states,
                           found->states == 1 ? "" : "s", program.mnemonic(found->first),
                           found->needed, found->range.text(), found->what),
                 formatted("Put {} between the two, or as many other vector instructions.",
                           idle_text(dispatch_.object().target(), found->needed - found->states))};
           });
}

// --- undefined values --------------------------------------------------------------------------

void Checker::report_misuse(WaveState& state, uint32_t instruction, const Misuse& misuse) {
  if (report_kept_loads()) return;
  const FindingKind kind = misuse.kind == Misuse::Kind::address ? FindingKind::undefined_address
                           : misuse.kind == Misuse::Kind::condition
                               ? FindingKind::undefined_condition
                               : FindingKind::undefined_matrix_operand;
  log_.add({kind, instruction, static_cast<int>(state.number), misuse.lanes}, {}, [&] {
    const std::string name = misuse.operand.text();
    switch (kind) {
      case FindingKind::undefined_address:
        return FindingLog::Words{
            formatted("the address comes from {}, which was not written", name), {}};
      case FindingKind::undefined_condition:
        return FindingLog::Words{formatted("{} depends on a value that was not written", name), {}};
      default:
        return FindingLog::Words{
            formatted("{} is multiplied or added, and was not written in all lanes", name), {}};
    }
  });
}

// --- matrix instructions -----------------------------------------------------------------------

// Checks matrix instructions. If a WMMA reads the result D of another WMMA as A or B, a v_nop or
// another vector instruction must be between the two (RDNA3 ISA, section 7.9.1, and RDNA4 ISA,
// "WMMA"). LLVM's GCNHazardRecognizer inserts one.
void Checker::check_matrix(WaveState& state, const Wavefront& wave, const Instruction* in,
                           const Effects& effects) {
  const RegisterRange* const operands[] = {&effects.matrix[0], &effects.matrix[1]};
  const bool unequal = effects.equal_copies && has_unequal_copies(wave, effects.matrix);
  // On CDNA check_states() tests this, and on gfx1250 check_coexecution().
  const uint32_t last = vectors_[state.number].last;
  const bool is_rdna = !shadow_.hazards && !shadow_.coexecution;
  const Effects* before = last == ~0u || !is_rdna ? nullptr : &shadow_.effects[last];
  for (int i = 0; i < 2; ++i) {
    const RegisterRange& operand = *operands[i];
    if (operand.scalar) continue;
    if (unequal) check_copies(state, wave, in, operand, i == 0 ? 'A' : 'B');
    if (!before || before->action != Action::matrix || before->writes.empty() ||
        !operand.overlaps(before->writes.front()))
      continue;
    log_.add({FindingKind::matrix_register_hazard, in->index, static_cast<int>(state.number), 0},
             {{"written here", last}}, [&] {
               return FindingLog::Words{
                   formatted("{} is read as {} by the vector instruction right after the one that "
                             "writes it",
                             operand.text(), i == 0 ? "A" : "B"),
                   {}};
             });
  }
}

void Checker::check_copies(WaveState& state, const Wavefront& wave, const Instruction* in,
                           const RegisterRange& operand, char name) {
  uint64_t lanes = 0;
  for (unsigned lane = 16; lane < lanes_; ++lane)
    if (!is_copy(wave, copied(operand), lane)) lanes |= uint64_t{1} << lane;
  if (lanes == 0) return;
  log_.add(
      {FindingKind::matrix_unequal_copies, in->index, static_cast<int>(state.number), lanes}, {},
      [&] {
        const auto lane = static_cast<unsigned>(std::countr_zero(lanes));
        const Wavefront& half = lane < 32 ? wave : *wave.upper;
        unsigned r = operand.first;
        while (half.vgpr[r][lane % 32] == wave.vgpr[r][lane % 16]) ++r;
        return FindingLog::Words{
            formatted("lane {} of {} holds {:#x} in v{} and lane {}, of which it must be a "
                      "copy, {:#x}",
                      lane, name, half.vgpr[r][lane % 32], r, lane % 16, wave.vgpr[r][lane % 16]),
            {}};
      });
}

void Checker::stop() {
  for (const auto& state : states_) report_guesses(*state);
}

}  // namespace heddle::emulator::check
