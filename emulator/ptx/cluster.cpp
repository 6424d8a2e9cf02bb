#include "emulator/ptx/cluster.h"

#include <algorithm>
#include <bit>
#include <ranges>
#include <utility>

#include "emulator/ptx/races.h"
#include "library/text/formatted.h"

namespace heddle::emulator::ptx {
namespace {

// How many instructions a warp executes before another warp runs.
constexpr uint64_t turn = 4096, short_turn = 256;
// After this many successive rounds without a change, a cluster stops: after idle_rounds if all
// warps wait or sleep, after spin_rounds if some warp executes instructions through its whole turn.
constexpr int idle_rounds = 200, spin_rounds = 16;
// The number of instructions after which a cluster lets another cluster run in any case. The number
// is lower in checked launches, whose instructions take longer.
constexpr uint64_t most_patience = 5'000'000, checked_patience = 500'000;

Fault fault_at(const Warp& w, const Record& in, FaultKind kind, int lane, std::string message,
               uint64_t address) {
  const Program& program = w.block->cluster->dispatch->program();
  Fault fault;
  fault.kind = kind;
  fault.message = std::move(message);
  fault.kernel = program.kernel->name;
  fault.program_counter = program.number_of(in);
  fault.instruction = program.text_of(in);
  const Place place = program.place_of(in);
  fault.source = formatted("PTX:{}:{}", place.line, place.column);
  fault.workgroup = w.block->index;
  fault.wave = static_cast<int>(w.number);
  fault.lane = lane;
  fault.address = address;
  return fault;
}

}  // namespace

void raise(Warp& w, const Record& in, FaultKind kind, int lane, std::string message,
           uint64_t address) {
  Cluster& cluster = *w.block->cluster;
  if (!cluster.fault) cluster.fault = fault_at(w, in, kind, lane, std::move(message), address);
  w.event = Event::fault;
}

bool converged(Warp& w, const Record& in, uint32_t lanes) {
  const uint32_t missing = ~lanes;
  if (missing == 0) return true;
  if ((missing & ~w.alive) != 0) {
    const int lane = std::countr_zero(missing & ~w.alive);
    raise(w, in, FaultKind::wmma_inactive_lanes, lane,
          formatted("all 32 lanes must take part in this instruction, and lane {} {}", lane,
                    w.existing >> lane & 1 ? "has exited" : "is no thread of the block"));
    return false;
  }
  w.event = Event::wait_for_lanes;
  return false;
}

bool converged(Warp& w, const Record& in, uint32_t lanes, uint32_t mask) {
  if ((lanes & ~mask) != 0) {
    const int lane = std::countr_zero(lanes & ~mask);
    raise(w, in, FaultKind::lanes_missing, lane,
          formatted("lane {} executes this instruction, and its mask {:#x} does not name it", lane,
                    mask));
    return false;
  }
  if ((mask & w.alive & ~lanes) == 0) return true;
  w.event = Event::wait_for_lanes;
  return false;
}

bool spend(Warp& w, const Record& in, Resource resource, uint64_t amount) {
  Meter& meter = w.block->cluster->dispatch->meter();
  if (meter.charge(resource, amount)) return true;
  raise(w, in, FaultKind::budget_spent, -1, meter.message(resource));
  return false;
}

void release(const Warp& w, Resource resource, uint64_t amount) {
  w.block->cluster->dispatch->meter().release(resource, amount);
}

void complete_barrier(Block& block, uint32_t number) {
  Barrier& barrier = block.barriers[number];
  const uint32_t expected = barrier.expected != 0 ? barrier.expected : block.live_threads;
  if (barrier.arrived == 0 || barrier.arrived < expected) return;
  for (const Barrier::Result& result : barrier.results) {
    uint64_t* slot = result.warp->at(result.word);
    if (result.detail == 0) {
      for_lanes(result.lanes, [&](unsigned l) { put(slot, l, barrier.result_count); });
    } else {
      const bool value = result.detail == 1 ? barrier.result_and : barrier.result_or;
      *slot = (*slot & ~uint64_t{result.lanes}) | (value ? result.lanes : 0);
    }
  }
  if (block.cluster->watch != nullptr) block.cluster->watch->complete(block, number);
  barrier = {};
  ++block.completed;
  for (Warp& w : block.warps)
    for (uint32_t i = 0; i < w.group_count; ++i)
      if (w.groups[i].state == Group::State::at_barrier && w.groups[i].barrier == number)
        w.groups[i].state = Group::State::running;
  ++block.cluster->changes;
}

void complete_cluster_barrier(Cluster& cluster) {
  uint32_t live = 0;
  for (const Block& block : cluster.blocks) live += block.live_threads;
  if (cluster.cluster_arrived == 0 || cluster.cluster_arrived < live) return;
  cluster.cluster_arrived = 0;
  ++cluster.cluster_phase;
  if (cluster.watch != nullptr) cluster.watch->complete_cluster();
  for (Block& block : cluster.blocks) ++block.completed;
  for (Block& block : cluster.blocks)
    for (Warp& w : block.warps)
      for (uint32_t i = 0; i < w.group_count; ++i)
        if (w.groups[i].state == Group::State::at_barrier &&
            w.groups[i].barrier == cluster_barrier) {
          w.groups[i].state = Group::State::running;
          if (cluster.watch != nullptr) cluster.watch->leave_cluster(w);
        }
  ++cluster.changes;
}

ClusterRunner::~ClusterRunner() = default;

ClusterRunner::ClusterRunner(const Dispatch& dispatch, Races* races) : dispatch_(dispatch) {
  const Program& program = dispatch.program();
  const std::size_t blocks = dispatch.blocks_per_cluster(), warps = dispatch.warps();
  cluster_.dispatch = &dispatch;
  completes_at_once_ = dispatch.launch().execution.at_once;
  cluster_.blocks.resize(blocks);
  cluster_.frames.resize(blocks * warps * program.frame_words);
  cluster_.locals.resize(blocks * warps * 32 * program.local_bytes);
  cluster_.executed.resize(program.records.size());
  cluster_.shared_statistics.resize(program.records.size());
  std::size_t next = 0;
  for (uint32_t rank = 0; rank < blocks; ++rank) {
    Block& block = cluster_.blocks[rank];
    block.cluster = &cluster_;
    block.rank = rank;
    block.warps.resize(warps);
    for (uint32_t i = 0; i < warps; ++i, ++next) {
      Warp& w = block.warps[i];
      w.block = &block;
      w.number = i;
      w.frame = cluster_.frames.data() + next * program.frame_words;
      w.local = cluster_.locals.data() + next * 32 * program.local_bytes;
      w.local_bytes = program.local_bytes;
    }
  }
  if (races != nullptr) watch_ = std::make_unique<RaceWatch>(*races, cluster_);
  cluster_.watch = watch_.get();
}

uint64_t ClusterRunner::bytes(const Dispatch& dispatch) {
  const Program& program = dispatch.program();
  const uint64_t warps = uint64_t{dispatch.blocks_per_cluster()} * dispatch.warps();
  return warps * (uint64_t{program.frame_words} * 8 + uint64_t{32} * program.local_bytes +
                  program.functions.size() * 128 + sizeof(Warp)) +
         uint64_t{dispatch.blocks_per_cluster()} *
             (dispatch.shared_end() + (program.uses_tensor_memory ? TensorMemory::bytes : 0)) +
         program.records.size() *
             (sizeof(uint64_t) + sizeof(SharedStatistics) + sizeof(SectorCount) + 32) +
         (dispatch.launch().check ? Definedness::bytes(dispatch) : 0);
}

void ClusterRunner::release_pending() {
  Meter& meter = dispatch_.meter();
  uint64_t pending = cluster_.bulk.size(), bytes = 0;
  for (const PendingBulk& bulk : cluster_.bulk) bytes += bulk.data.size();
  pending += cluster_.commits.size();
  cluster_.bulk.clear();
  cluster_.commits.clear();
  for (Block& block : cluster_.blocks)
    for (Warp& w : block.warps) {
      pending +=
          w.copies.size() + w.stores.size() + w.multiplies.size() + w.tensor_operations.size();
      w.tensor_operations.clear();
      w.tensor_stores.clear();
      w.copies.clear();
      w.stores.clear();
      w.multiplies.clear();
    }
  meter.release(Resource::pending_copies, pending);
  meter.release(Resource::memory_bytes, bytes);
}

void ClusterRunner::start(uint64_t number, bool profiled) {
  was_idle_ = false;
  cluster_.profiled = profiled;
  records_ = profiled && number == 0;
  if (records_) {
    recorder_.set_classes(dispatch_.program().classes);
    recorder_.start(dispatch_.warps());
  }
  const auto first = dispatch_.first_block(number);
  const auto shape = dispatch_.cluster();
  release_pending();
  if (watch_) watch_->begin(number);
  cluster_.cluster_arrived = 0;
  cluster_.extra_work = 0;
  cluster_.slept = 0;
  cluster_.bulk_issues = 0;
  cluster_.fault.reset();
  for (Block& block : cluster_.blocks) {
    block.index = {first[0] + block.rank % shape[0], first[1] + block.rank / shape[0] % shape[1],
                   first[2] + block.rank / shape[0] / shape[1]};
    // All ones: NaN in every float format.
    block.shared.assign(dispatch_.shared_end(), std::byte{0xff});
    if (dispatch_.program().uses_tensor_memory) block.tensor.reset();
    block.barriers = {};
    block.live_threads = dispatch_.threads();
    block.completed = 0;
    block.instructions = 0;
    for (Warp& w : block.warps) start(w);
  }
  // Clearing memory is charged too (emulator/record/budget.h).
  Warp& first_warp = cluster_.blocks[0].warps[0];
  spend(first_warp, dispatch_.program().records[0], Resource::instructions,
        (bytes(dispatch_) >> 7) + 1);
}

void ClusterRunner::start(Warp& w) {
  const Program& program = dispatch_.program();
  const uint32_t threads = dispatch_.threads() - w.number * 32;
  w.existing = w.alive = threads >= 32 ? 0xffffffffu : (1u << threads) - 1;
  w.group_count = 1;
  w.groups[0] = {program.entries[0], w.existing, Group::State::running, 0};
  w.event = Event::none;
  w.instructions = 0;
  w.copy_commits = {};
  w.store_commits = {};
  w.multiply_commits = 0;
  w.copy_issues = w.store_issues = w.multiply_issues = 0;
  w.tensor_issues = 0;
  w.asked.clear();
  w.busy.clear();
  w.return_to.resize(program.functions.size());
  std::memset(w.frame, 0xff, std::size_t{program.frame_words} * 8);
  std::memset(w.local, 0xff, std::size_t{32} * w.local_bytes);
  for (const Program::Constant& constant : program.constants)
    for (unsigned lane = 0; lane < 32; ++lane) w.frame[constant.word + lane] = constant.bits;
  for (const Program::SpecialPlace& place : program.specials) {
    if (place.special == Special::is_explicit_cluster) {
      w.frame[place.word] = dispatch_.value(place.special, w, 0) ? 0xffffffffu : 0;
      continue;
    }
    for (unsigned lane = 0; lane < 32; ++lane)
      w.frame[place.word + lane] = dispatch_.value(place.special, w, lane);
  }
}

// The explanation why a group of lanes of a warp cannot go on.
std::string ClusterRunner::waits_for(const Block& block, const Group& group) const {
  if (group.state == Group::State::at_sync)
    return formatted("lanes {:#x} of the warp wait here for others that never come", group.lanes);
  if (group.state != Group::State::at_barrier)
    return "every warp waits, and nothing that could end it is under way: " + cluster_.waiting_for;
  if (group.barrier == cluster_barrier)
    return formatted("{} threads of the cluster have arrived, and the others never do",
                     cluster_.cluster_arrived);
  const Barrier& barrier = block.barriers[group.barrier];
  return formatted("{} of {} threads have arrived at barrier {}, and the others never do",
                   barrier.arrived, barrier.expected != 0 ? barrier.expected : block.live_threads,
                   static_cast<int>(group.barrier));
}

// Names the warp to blame for a deadlock. A warp that polls an mbarrier in vain comes first, since
// it also blocks the warps that wait for it at a barrier.
Fault ClusterRunner::never_completes() {
  for (const bool polls : {true, false})
    for (Block& block : cluster_.blocks)
      for (Warp& w : block.warps)
        for (uint32_t i = 0; i < w.group_count; ++i) {
          const Group& group = w.groups[i];
          if ((group.state == Group::State::running) != polls) continue;
          const bool at_barrier = group.state == Group::State::at_barrier;
          const Record& in = dispatch_.program().records[group.next - (at_barrier ? 1 : 0)];
          return fault_at(w, in, FaultKind::barrier_never_completes, std::countr_zero(group.lanes),
                          waits_for(block, group), 0);
        }
  return {};
}

void ClusterRunner::draw_round() {
  using enum Execution::Warps;
  const Execution& execution = dispatch_.launch().execution;
  if (!round_.empty() && execution.warps != random) return;
  if (round_.empty()) {
    for (Block& block : cluster_.blocks)
      for (Warp& w : block.warps) round_.push_back(&w);
    if (execution.warps == falling) std::ranges::reverse(round_);
    random_.seed(execution.seed);
  }
  if (execution.warps != random) return;
  std::ranges::shuffle(round_, random_);
  turn_ = 1 + random_() % short_turn;
}

Runner::Outcome ClusterRunner::run(uint64_t longest, uint64_t most) {
  executed_ = 0;
  int idle = 0, spins = 0;
  turn_ = std::min(longest, was_idle_ ? short_turn : turn);
  // was_idle_ holds for one turn. A change during this turn gives the turn its normal length again.
  bool is_short = was_idle_;
  was_idle_ = false;
  for (;;) {
    if (cluster_.fault) return Outcome::faulted;
    bool all_done = true, any_ran = false, all_yielded = true;
    const uint64_t changes = cluster_.changes, naps = cluster_.naps;
    draw_round();
    for (Warp* const warp : round_) {
      Warp& w = *warp;
      if (w.group_count == 0) continue;
      all_done = false;
      if (choose(w) < 0) continue;
      any_ran = true;
      const uint64_t before = w.instructions;
      run(w);
      if (cluster_.fault) return Outcome::faulted;
      if (w.instructions - before >= turn_) all_yielded = false;
    }
    if (all_done) {
      if (watch_) watch_->end_cluster();
      release_pending();
      return Outcome::ended;
    }
    if (any_ran && (longest < short_turn || executed_ > most)) return Outcome::gives_way;
    if (any_ran && changes != cluster_.changes) {
      idle = spins = 0;
      is_short = false;
      turn_ = turn;
    } else if (!any_ran || (all_yielded && naps == cluster_.naps && ++idle > idle_rounds)) {
      cluster_.fault = never_completes();
      return Outcome::faulted;
    } else if (all_yielded && naps != cluster_.naps && ++idle > (is_short ? 1 : idle_rounds)) {
      was_idle_ = true;
      return Outcome::sleeps;
    } else if (!all_yielded && ++spins > (is_short ? 1 : spin_rounds)) {
      was_idle_ = true;
      return Outcome::waits;
    }
  }
}

Schedule::Work clusters_of(const Dispatch& dispatch, unsigned threads, Races* races) {
  Meter& meter = dispatch.meter();
  return {.launch = dispatch.launch(),
          .meter = meter,
          .count = dispatch.clusters(),
          .threads = threads,
          .bytes = ClusterRunner::bytes(dispatch),
          // Half of the memory budget is kept free, for pending copies and other needs of running
          // clusters.
          .bytes_left = meter.limit(Resource::memory_bytes) / 2,
          .most = 4096,
          .patience = races != nullptr ? checked_patience : most_patience,
          .make = [&dispatch, races] { return std::make_unique<ClusterRunner>(dispatch, races); },
          .is_stopped = {}};
}

}  // namespace heddle::emulator::ptx
