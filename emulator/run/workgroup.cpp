#include "emulator/run/workgroup.h"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstring>
#include <span>
#include <type_traits>
#include <utility>

#include "emulator/machine/float_mode.h"
#include "emulator/run/cluster.h"
#include "library/text/formatted.h"

namespace heddle::emulator {
namespace {

// The distance between the scratch memories of two lanes. It is an odd number of cache lines, so
// that the lanes do not compete for the same cache set.
uint64_t scratch_pitch(const Dispatch& dispatch) {
  return dispatch.scratch_bytes() == 0 ? 0 : ((dispatch.scratch_bytes() + 127) / 128 * 2 + 1) * 64;
}

// After this many instructions another wave gets its turn. So a wave that spins on memory makes
// progress when another wave writes it.
constexpr uint64_t slice = 50'000;
// A workgroup gives way to others if it has written nothing for `patience` instructions:
// most_patience, or fewer if it gave way before. After `longest_turn` instructions it gives way in
// any case.
constexpr uint64_t most_patience = 50'000, least_patience = 2'000, longest_turn = 5'000'000;
// A workgroup also gives way after so many rounds of its waves without a write, e.g. if they sleep.
constexpr uint64_t most_quiet_rounds = 256;

// The additional cost in a checked run: of each instruction that the checker examines, and of each
// access.
constexpr uint64_t step_work = 20, checked_work = 20;
// The start of a workgroup costs one instruction for this number of bytes that are cleared.
constexpr uint64_t cleared_bytes_per_instruction = 128;

// The bytes of registers, LDS and scratch that are cleared.
uint64_t cleared_bytes(const Dispatch& dispatch) {
  const uint64_t halves = dispatch.wave() == 64 ? 2 : 1;
  return dispatch.waves_per_workgroup() * halves * sizeof(Wavefront) + dispatch.lds_bytes() +
         scratch_pitch(dispatch) * dispatch.waves_per_workgroup() *
             static_cast<uint64_t>(dispatch.wave());
}

}  // namespace

uint64_t WorkgroupRunner::bytes_of(const Dispatch& dispatch, bool checked) {
  const uint64_t instructions = dispatch.program().instructions().size();
  const uint64_t counts = instructions * (sizeof(uint64_t) + AccessProfile::bytes_per_instruction);
  return cleared_bytes(dispatch) + counts + (checked ? check::Checker::bytes_of(dispatch) : 0);
}

WorkgroupRunner::WorkgroupRunner(const Dispatch& dispatch, check::LaunchShadow* shadow,
                                 Meter& meter, WorkgroupOrder order, ClusterState& cluster)
    : dispatch_(dispatch),
      waves_(dispatch.waves_per_workgroup()),
      upper_halves_(dispatch.wave() == 64 ? dispatch.waves_per_workgroup() : 0),
      wave_count_(dispatch.waves_per_workgroup()),
      places_(order, wave_count_),
      cluster_(cluster),
      counts_(dispatch.program().instructions().size()),
      profile_(dispatch.object().target(), dispatch.wave()),
      meter_(meter) {
  lds_ = ReusedMemory(dispatch.lds_bytes() + 64);
  scratch_pitch_ = scratch_pitch(dispatch);
  scratch_ = ReusedMemory(scratch_pitch_ * static_cast<uint64_t>(dispatch.wave()) * wave_count_);
  if (shadow) checker_ = std::make_unique<check::Checker>(dispatch, *shadow, cluster.clocks);
}

WorkgroupRunner::~WorkgroupRunner() = default;

Runner::Outcome WorkgroupRunner::run(uint64_t longest, uint64_t) {
  longest_ = longest;
  installed_mode_ = ~0u;  // other workgroups had the thread meanwhile
  turn_began_ = quiet_since_ = executed_;
  quiet_rounds_ = 0;
  Outcome outcome = run_until_stuck();
  if (!charge_run() && outcome != Outcome::faulted)
    outcome = fail(limit_fault(waves_[0], Resource::instructions));
  if (outcome == Outcome::waits) {
    if (!waits_for_cluster()) patience_ = std::max(patience_ / 2, least_patience);
    return outcome;
  }
  if (checker_ && outcome == Outcome::ended) checker_->finish();
  if (checker_ && outcome == Outcome::faulted) checker_->stop();
  collect_counters();
  return outcome;
}

Runner::Outcome WorkgroupRunner::fail(Fault fault) {
  fault_ = std::move(fault);
  return Outcome::faulted;
}

void WorkgroupRunner::collect_counters() {
  const uint32_t halves = upper_halves_ ? 2 * wave_count_ : wave_count_;
  for (uint32_t i = 0; i < halves; ++i) {
    const Counters& c =
        i < wave_count_ ? waves_[i].counters : upper_halves_[i - wave_count_].counters;
    counters_.global_bytes_read += c.global_bytes_read;
    counters_.global_bytes_written += c.global_bytes_written;
    counters_.lds_bytes_read += c.lds_bytes_read;
    counters_.lds_bytes_written += c.lds_bytes_written;
    counters_.scratch_bytes += c.scratch_bytes;
    counters_.barriers += c.barriers;
  }
}

void WorkgroupRunner::start(uint64_t workgroup, bool profile) {
  workgroup_ = workgroup;
  executed_ = written_ = shared_written_ = 0;
  patience_ = most_patience;
  uncharged_ += cleared_bytes(dispatch_) / cleared_bytes_per_instruction;
  profiles_ = profile;
  records_ = profile && workgroup == 0;
  if (records_) {
    recorder_.set_classes(dispatch_.program().classes());
    recorder_.start(wave_count_);
  }
  barrier_ = {.members = wave_count_, .of_cluster = &cluster_.barrier};
  std::memset(lds_.data(), 0xff, lds_.size());
  if (!scratch_.empty()) std::memset(scratch_.data(), 0xff, scratch_.size());
  profile_.start();
  const auto wave_lanes = static_cast<uint64_t>(dispatch_.wave());
  const auto share = [&](Wavefront& half, uint64_t first_lane) {
    half.lds = lds_.data();
    half.lds_bytes = dispatch_.lds_bytes();
    half.scratch = scratch_.data() + first_lane * scratch_pitch_;
    half.scratch_bytes = dispatch_.scratch_bytes();
    half.scratch_pitch = scratch_pitch_;
    half.barrier = &barrier_;
    half.counters = {};
    half.numbers = &numbers_;
    half.observe = profile || checker_ ? &WorkgroupRunner::observe : nullptr;
    half.observer = this;
    half.verify_copies = profile && !checker_;
  };
  for (uint32_t i = 0; i < wave_count_; ++i) {
    Wavefront& wave = waves_[i];
    wave.upper = upper_halves_ ? &upper_halves_[i] : nullptr;
    dispatch_.start(wave, dispatch_.workgroup_id(workgroup), i);
    share(wave, i * wave_lanes);
    if (wave.upper) share(*wave.upper, i * wave_lanes + 32);
  }
  if (checker_) checker_->start(workgroup, waves_.get(), upper_halves_.get(), wave_count_);
}

void WorkgroupRunner::observe(Wavefront& wave, const MemoryAccess& access) {
  auto& self = *static_cast<WorkgroupRunner*>(wave.observer);
  // Calls of the host by the device library are not profiled: the user of the library cannot
  // improve them.
  const bool calls_host =
      access.space == MemorySpace::global && access.lanes != 0 &&
      access.addresses[std::countr_zero(access.lanes)] >> region_shift == hostcall_region;
  if (self.profiles_ && !calls_host) self.observed_ += self.profile_.note(wave.first_lane, access);
  if (self.checker_) {
    self.checker_->observe(wave, access);
    self.observed_ += checked_work;
  }
}

bool WorkgroupRunner::is_runnable(const Wavefront& wave) const {
  if (wave.event == Event::ended) return false;
  return !wave.barrier_waiting || barrier_is_complete(wave);
}

bool WorkgroupRunner::waits_for_cluster() const {
  const std::span waves(waves_.get(), wave_count_);
  const auto waits = [](const Wavefront& wave) {
    return wave.barrier_waiting && wave.waits_for == Wavefront::WaitsFor::cluster;
  };
  return std::ranges::any_of(waves, waits) &&
         std::ranges::none_of(waves, [this](const Wavefront& wave) { return is_runnable(wave); });
}

Runner::Outcome WorkgroupRunner::run_until_stuck() {
  for (;;) {
    bool progress = false, all_ended = true;
    for (uint32_t i = 0; i < wave_count_; ++i) {
      Wavefront& wave = waves_[places_.workgroup_at(i)];
      if (!is_runnable(wave)) {
        all_ended = all_ended && wave.event == Event::ended;
        continue;
      }
      run_slice(wave);
      progress = true;
      if (HostCalls* const calls = dispatch_.host_calls(); calls != nullptr && calls->is_asked())
        if (auto problem = calls->serve(workgroup_, dispatch_.printed()))
          return fail(refused_call(wave, *std::move(problem)));
      if (wave.event == Event::fault) return fail(fault_of(wave, wave.fault));
      if (wave.event == Event::ended)
        end(wave);
      else
        all_ended = false;
      if (executed_ >= meter_.limit(Resource::instructions_per_workgroup) && !all_ended)
        return fail(limit_fault(wave, Resource::instructions_per_workgroup));
      if (uncharged_ >= slice && !charge_run())
        return fail(limit_fault(wave, Resource::instructions));
    }
    if (all_ended) return Outcome::ended;
    if (!progress && waits_for_cluster()) return Outcome::waits;
    if (!progress) return fail(barrier_fault());
    if (is_stuck()) return Outcome::waits;
  }
}

// Charges to the run's budget the instructions that were executed since the last call. Returns
// false if the budget is spent.
bool WorkgroupRunner::charge_run() {
  const uint64_t spent = std::exchange(uncharged_, 0);
  return meter_.charge(Resource::instructions, spent);
}

// True if the workgroup has written nothing for a long time, or its turn is too long.
bool WorkgroupRunner::is_stuck() {
  if (longest_ < least_patience) return true;
  uint64_t shared = 0, scratch = 0;
  for (uint32_t i = 0; i < wave_count_; ++i) {
    const Counters& c = waves_[i].counters;
    shared += c.global_bytes_written + c.lds_bytes_written + c.barriers;
    scratch += c.scratch_bytes;
  }
  // Scratch is not counted here: unoptimised code writes its variables there even while it sleeps.
  quiet_rounds_ = shared == shared_written_ ? quiet_rounds_ + 1 : 0;
  shared_written_ = shared;
  if (shared + scratch != written_) {
    written_ = shared + scratch;
    quiet_since_ = executed_;
  }
  return executed_ - quiet_since_ > patience_ || quiet_rounds_ > most_quiet_rounds ||
         executed_ - turn_began_ > longest_turn;
}

void WorkgroupRunner::run_slice(Wavefront& wave) {
  if (installed_mode_ != wave.mode) install_float_mode(wave.mode);
  installed_mode_ = wave.mode;
  wave.event = Event::none;
  wave.barrier_waiting = false;
  numbers_.next = nullptr;
  const uint64_t most = std::max<uint64_t>(
      1, std::min({slice, patience_, longest_,
                   meter_.limit(Resource::instructions_per_workgroup) - executed_}));
  observed_ = 0;
  const uint64_t work_before = wave.counters.work;
  auto left = static_cast<int64_t>(most);
  const Instruction* in = records_   ? (checker_ ? run_instructions<true, true>(wave, left)
                                                 : run_instructions<false, true>(wave, left))
                          : checker_ ? run_instructions<true, false>(wave, left)
                                     : run_instructions<false, false>(wave, left);
  const uint64_t spent = static_cast<uint64_t>(static_cast<int64_t>(most) - left) + observed_ +
                         wave.counters.work - work_before;
  executed_ += spent;
  uncharged_ += spent;
  if (in) wave.resume = in;
  // The wait is executed again when the barrier is complete, so it is not counted now.
  if (wave.event != Event::barrier) return;
  --counts_[wave.resume->index];
  if (records_)
    recorder_.take_back(static_cast<std::size_t>(&wave - waves_.get()), wave.resume->index);
}

template <bool checked, bool timed>
const Instruction* WorkgroupRunner::run_instructions(Wavefront& wave, int64_t& left_over) {
  uint64_t* counts = counts_.data();
  const uint16_t* work = dispatch_.program().work().data();
  const Instruction* in = wave.resume;
  int64_t left = left_over;
  const auto number = static_cast<uint32_t>(&wave - waves_.get());
  using Watch = check::Checker::Watch;
  [[maybe_unused]] std::conditional_t<checked, Watch, std::nullptr_t> watch;
  if constexpr (checked) watch = checker_->watch(number);
  do {
    const uint32_t index = in->index;
    ++counts[index];
    left -= work[index];
    if constexpr (timed)  // instructions before the end of a wait belong before the barrier
      recorder_.note(number, index,
                     wave.barrier_signalled ? wave.barrier_generation : barrier_.generation);
    if constexpr (checked) {
      if (watch.needs_states(index)) [[unlikely]]
        checker_->check_states(number, index);
      if (watch.is_of_interest(index)) {
        in = checker_->step(wave, in);
        left -= step_work;
      } else {
        in = in->handler(wave, in);
      }
      watch.note_vector(index);
    } else {
      in = in->handler(wave, in);
    }
  } while (in && left > 0);
  left_over = left;
  return in;
}

// Ends a wave. An ended wave takes part in no later barrier of the workgroup (RDNA3 ISA,
// S_BARRIER): the other waves wait only for the remaining ones. But it stays a member of the named
// barrier that it has joined (LLVM, "AMDGPU Execution Synchronization", "GFX12").
void WorkgroupRunner::end(Wavefront& wave) {
  --barrier_.members;
  if (wave.barrier_signalled && wave.barrier_generation == barrier_.generation)
    --barrier_.signalled;
  if (barrier_.members > 0 && barrier_.signalled == barrier_.members) {
    barrier_.signalled = 0;
    ++barrier_.generation;
  }
}

Fault WorkgroupRunner::fault_of(const Wavefront& wave, FaultKind kind) const {
  Fault fault;
  fault.kind = kind;
  fault.kernel = dispatch_.kernel().name;
  const uint32_t index = wave.resume->index;
  const uint64_t address = dispatch_.program().addresses()[index];
  fault.program_counter = address - dispatch_.kernel().entry;
  fault.instruction = dispatch_.program().text(index);
  fault.source = dispatch_.object().source_line(address);
  fault.workgroup = dispatch_.workgroup_id(workgroup_);
  fault.wave = static_cast<int>(&wave - waves_.get());
  fault.lane = wave.fault_lane;
  fault.address = wave.fault_address;
  fault.message = message_of(wave, kind);
  return fault;
}

Fault WorkgroupRunner::refused_call(const Wavefront& wave, std::string why) const {
  Fault fault = fault_of(wave, FaultKind::none);
  fault.kind = FaultKind::unsupported;
  fault.lane = -1;
  fault.message = std::move(why);
  return fault;
}

std::string WorkgroupRunner::message_of(const Wavefront& wave, FaultKind kind) const {
  const uint32_t index = wave.resume->index;
  const std::string_view name = dispatch_.program().mnemonic(index);
  const std::string_view verb = name.contains("atomic")  ? "updates"
                                : name.contains("store") ? "writes"
                                                         : "reads";
  const auto bytes = wave.fault_bytes;
  switch (kind) {
    case FaultKind::global_out_of_bounds:
      return formatted("{} {}", verb, dispatch_.memory().describe(wave.fault_address, bytes));
    case FaultKind::global_read_only:
      return formatted("{} {}, which is read-only", verb,
                       dispatch_.memory().describe(wave.fault_address, bytes));
    case FaultKind::lds_out_of_bounds:
      return formatted("{} {} bytes at LDS address {:#x}; the workgroup has {} bytes of LDS", verb,
                       bytes, wave.fault_address & 0xffffffffu, wave.lds_bytes);
    case FaultKind::scratch_out_of_bounds:
      return formatted("{} {} bytes at scratch address {:#x}; a lane has {} bytes", verb, bytes,
                       wave.fault_address & 0xffffffffu, wave.scratch_bytes);
    case FaultKind::misaligned:
      return formatted(
          "{} {} bytes at an address that is {} past a multiple of {}; an atomic "
          "must be aligned to its size",
          verb, bytes, wave.fault_address, bytes);
    case FaultKind::unknown_opcode:
      return formatted("the emulator does not have {}", dispatch_.program().obstacle(index));
    case FaultKind::unsupported: {
      const std::string_view why = dispatch_.program().obstacle(index);
      return formatted("the emulator does not have this form of {}{}{}", name,
                       why.empty() ? "" : ": ", why);
    }
    case FaultKind::wmma_inactive_lanes:
      return formatted("EXEC is {:#x}; {} needs all lanes active", wave.scalar[register_exec],
                       name);
    case FaultKind::wmma_unequal_copies:
      return formatted("lane {} of A or B differs from lane {}, of which it must be a copy",
                       wave.fault_lane, wave.fault_lane - 16);
    case FaultKind::bad_jump:
      return "the program counter left the code";
    case FaultKind::trap: {
      const std::string said = dispatch_.printed().last_line(workgroup_);
      if (!said.empty()) return "the kernel stopped itself; its workgroup printed last: " + said;
      return "the kernel stopped itself (an assertion that failed, __builtin_trap or unreachable "
             "code)";
    }
    case FaultKind::barrier_never_completes:
      return "this wave signals the barrier twice without a wait between";
    default:
      return {};
  }
}

Fault WorkgroupRunner::barrier_fault() const {
  std::string waiting;
  const Wavefront* first = nullptr;
  uint32_t count = 0, ended = 0;
  for (uint32_t i = 0; i < wave_count_; ++i) {
    ended += waves_[i].event == Event::ended;
    if (!waves_[i].barrier_waiting) continue;
    if (!first) first = &waves_[i];
    waiting += formatted("{}{}", count++ ? ", " : "", i);
  }
  Fault fault = fault_of(*first, FaultKind::barrier_never_completes);
  if (first->waits_for != Wavefront::WaitsFor::workgroup) {
    const uint32_t number = numbered_barrier(*first);
    const NumberedBarrier& barrier = barrier_.numbered(number);
    fault.message =
        number == BarrierState::cluster
            ? formatted(
                  "this wave waits at the cluster's barrier with {} of {} signals, and no wave of "
                  "the cluster is left to signal",
                  barrier.signalled, barrier.members)
            : formatted(
                  "wave{} {} wait{} at the named barrier {} with {} of {} signals, and no "
                  "wave is left to signal",
                  count == 1 ? "" : "s", waiting, count == 1 ? "s" : "", number, barrier.signalled,
                  barrier.members);
    return fault;
  }
  fault.message = formatted(
      "wave{} {} wait{} at a barrier with {} of {} signals, and no wave is left to signal ({} of "
      "{} waves have ended)",
      count == 1 ? "" : "s", waiting, count == 1 ? "s" : "", barrier_.signalled, barrier_.members,
      ended, wave_count_);
  return fault;
}

Fault WorkgroupRunner::limit_fault(const Wavefront& wave, Resource resource) const {
  Fault fault = fault_of(wave, FaultKind::budget_spent);
  fault.lane = -1;
  uint32_t waiting = 0;
  for (uint32_t i = 0; i < wave_count_; ++i) waiting += waves_[i].barrier_waiting;
  fault.message = meter_.message(resource);
  if (waiting > 0)
    fault.message += formatted("; {} of its {} waves wait at a barrier", waiting, wave_count_);
  return fault;
}

}  // namespace heddle::emulator
