#include "emulator/ptx/cluster.h"

#include <algorithm>
#include <bit>
#include <ranges>
#include <utility>

#include "emulator/ptx/races.h"
#include "emulator/ptx/warpgroup.h"
#include "emulator/record/formatted.h"

namespace heddle::emulator::ptx {
namespace {

// The instructions of a turn, after which another warp runs.
constexpr uint64_t turn = 4096, short_turn = 256;
// the most steps of a group while other groups of its warp wait
constexpr uint32_t patience = 20000;
// A cluster gives up after so many rounds without a change: rounds in which all warps wait, or
// rounds in which some warp spins through its whole turn.
constexpr int idle_rounds = 200, spin_rounds = 16;
// The instructions after which a cluster gives way in any case. In checked launches they take
// longer.
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

void remove_group(Warp& w, uint32_t number) {
  for (uint32_t i = number + 1; i < w.group_count; ++i) w.groups[i - 1] = w.groups[i];
  --w.group_count;
}

// Merges groups that have reached the same instruction.
void merge(Warp& w) {
  for (uint32_t i = 0; i < w.group_count; ++i) {
    for (uint32_t j = i + 1; j < w.group_count;) {
      Group& a = w.groups[i];
      const Group& b = w.groups[j];
      const bool may = a.next == b.next && a.state != Group::State::at_barrier &&
                       b.state != Group::State::at_barrier;
      if (!may) {
        ++j;
        continue;
      }
      a.lanes |= b.lanes;
      a.state = Group::State::running;
      remove_group(w, j);
    }
  }
}

// The running group that is furthest behind, among those with a lane outside of `yielded`; -1 if
// there is none.
int choose(const Warp& w, uint32_t yielded = 0) {
  int best = -1;
  for (uint32_t i = 0; i < w.group_count; ++i)
    if (w.groups[i].state == Group::State::running && (w.groups[i].lanes & ~yielded) != 0 &&
        (best < 0 || w.groups[i].next < w.groups[static_cast<uint32_t>(best)].next))
      best = static_cast<int>(i);
  return best;
}

void add_group(Warp& w, uint32_t next, uint32_t lanes) {
  w.groups[w.group_count++] = {next, lanes, Group::State::running, 0};
}

void exit_lanes(Warp& w, const Record& in, uint32_t lanes) {
  Block& block = *w.block;
  for (const PendingStore& store : w.stores)
    if (lanes >> store.lane & 1)
      raise(w, in, FaultKind::unsupported, static_cast<int>(store.lane),
            "the thread ends while a bulk store of it still reads shared memory: "
            "cp.async.bulk.wait_group is missing");
  w.alive &= ~lanes;
  // Other groups may have waited for these lanes and need to wait no longer.
  for (uint32_t i = 0; i < w.group_count; ++i)
    if (w.groups[i].state == Group::State::at_sync) w.groups[i].state = Group::State::running;
  block.live_threads -= static_cast<uint32_t>(std::popcount(lanes));
  if (block.live_threads == 0) check_tensor_memory_is_freed(w, in);
  if (w.alive == 0 && block.cluster->watch != nullptr) block.cluster->watch->end(w);
  ++block.cluster->changes;
  for (uint32_t i = 0; i < block.barriers.size(); ++i) complete_barrier(block, i);
  complete_cluster_barrier(*block.cluster);
}

void copy_parameters(Warp& w, const std::vector<CallCopies::Copy>& copies, uint32_t lanes) {
  if (RaceWatch* watch = w.block->cluster->watch)
    for (const CallCopies::Copy& copy : copies)
      watch->defined().copy_local(w, copy.from, copy.to, copy.bytes, lanes);
  for_lanes(lanes, [&](unsigned lane) {
    std::byte* local = w.local + std::size_t{lane} * w.local_bytes;
    for (const CallCopies::Copy& copy : copies)
      std::memmove(local + copy.to, local + copy.from, copy.bytes);
  });
}

void prepare(Warp& w, const std::vector<PreparedSource>& sources, uint32_t lanes) {
  for (const PreparedSource& source : sources) {
    if (source.time) {
      const uint64_t now = w.block->cluster->dispatch->time(*source.time, w) + source.addend;
      for_lanes(lanes, [&](unsigned l) { w.at(source.to)[l] = now; });
      // A loop may wait for time to pass.
      ++w.block->cluster->changes;
    } else if (source.negates)
      *w.at(source.to) = ~*w.at(source.from);
    else
      for_lanes(lanes,
                [&](unsigned l) { w.at(source.to)[l] = w.at(source.from)[l] + source.addend; });
  }
}

// Sends lanes to different places, each by `target_of`; the others stay in the group.
template <class F>
void scatter(Warp& w, uint32_t lanes, F target_of) {
  Group& group = w.groups[w.current];
  group.lanes &= ~lanes;
  uint32_t rest = lanes;
  while (rest != 0) {
    const auto lane = static_cast<unsigned>(std::countr_zero(rest));
    const uint32_t target = target_of(lane);
    uint32_t same = 0;
    for_lanes(rest, [&](unsigned l) {
      if (target_of(l) == target) same |= 1u << l;
    });
    rest &= ~same;
    add_group(w, target, same);
  }
  if (w.groups[w.current].lanes == 0) remove_group(w, w.current);
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
          formatted("lane {} executes this instruction, and its mask {:x} does not name it", lane,
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
  pending += cluster_.tensor_commits.size();
  cluster_.bulk.clear();
  cluster_.tensor_commits.clear();
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

void ClusterRunner::run(Warp& w) {
  const uint64_t most = dispatch_.meter().limit(Resource::instructions_per_workgroup);
  Block& block = *w.block;
  const uint64_t before = w.turn_began = w.instructions;
  run_turn(w, block.instructions < most ? std::min(turn_, most - block.instructions) : 0);
  const uint64_t done = w.instructions - before + std::exchange(cluster_.extra_work, 0);
  block.instructions += done;
  executed_ += done;
  if (w.event == Event::fault) return;
  const Record& in = dispatch_.program().records[w.group_count > 0 ? w.groups[0].next : 0];
  if (block.instructions >= most && w.group_count > 0)
    return raise(w, in, FaultKind::budget_spent, -1,
                 dispatch_.meter().message(Resource::instructions_per_workgroup));
  spend(w, in, Resource::instructions, done);
}

inline void ClusterRunner::execute(Warp& w, const Record& in, uint32_t lanes) {
  if (cluster_.watch == nullptr) return in.handler(w, in, lanes);
  Definedness& defined = cluster_.watch->defined();
  defined.before(w, in, lanes);
  in.handler(w, in, lanes);
  if (w.event != Event::wait_for_lanes) defined.after(w, in, lanes);
}

void ClusterRunner::run_turn(Warp& w, uint64_t left) {
  const Program& program = dispatch_.program();
  const Record* records = program.records.data();
  w.event = Event::none;
  uint32_t steps = 0;    // steps of one group while others wait for it
  uint32_t yielded = 0;  // lanes that wait for lanes of their warp or for other warps
  int chosen = choose(w);
  const bool records_this = records_ && w.block->rank == 0;
  while (left-- > 0) {
    if (w.group_count == 0 || chosen < 0) return;
    w.current = static_cast<uint32_t>(chosen);
    Group& group = w.groups[w.current];
    const Record& in = records[group.next];
    ++cluster_.executed[group.next];
    ++w.instructions;
    if (records_this) recorder_.note(w.number, group.next, w.block->completed);
    uint32_t lanes = group.lanes;
    if (in.guard != Record::always) {
      const auto mask = static_cast<uint32_t>(*w.at(in.guard));
      if (cluster_.watch != nullptr)
        cluster_.watch->defined().check_condition(w, in, in.guard, lanes);
      lanes &= in.guard_negated ? ~mask : mask;
    }
    bool regroup = w.group_count > 1;
    switch (in.control) {
      case Control::none: {
        if (in.is_warp_wide && lanes != 0 && lanes != group.lanes) {
          add_group(w, group.next + 1, group.lanes & ~lanes);
          w.groups[w.current].lanes = lanes;
          regroup = true;
        }
        if (in.prepared != nullptr) prepare(w, *in.prepared, lanes);
        if (!w.busy.empty() && lanes != 0 && !check_busy(w, in)) return;
        if (lanes != 0) execute(w, in, lanes);
        Group& now = w.groups[w.current];
        if (w.event == Event::none) {
          ++now.next;
          break;
        }
        if (w.event == Event::fault) return;
        if (w.event == Event::wait_for_lanes) {
          now.state = Group::State::at_sync;
          --cluster_.executed[now.next];
          if (records_this) recorder_.take_back(w.number, now.next);
        } else {
          ++now.next;
          // The barrier may have completed at once.
          if (w.event == Event::yield) yielded |= now.lanes;
        }
        w.event = Event::none;
        regroup = true;
        break;
      }
      case Control::branch:
        if (lanes == group.lanes) {
          group.next = in.target;
        } else if (lanes == 0) {
          ++group.next;
        } else {
          ++group.next;
          group.lanes &= ~lanes;
          add_group(w, in.target, lanes);
          regroup = true;
        }
        break;
      case Control::indexed_branch: {
        const auto& targets = *static_cast<const std::vector<uint32_t>*>(in.extra);
        if (in.prepared != nullptr) prepare(w, *in.prepared, lanes);
        if (cluster_.watch != nullptr && in.prepared == nullptr)
          cluster_.watch->defined().check_condition(w, in, in.operand[0], lanes);
        ++group.next;
        bool fits = true;
        for_lanes(lanes, [&](unsigned lane) {
          if (get<uint32_t>(w.at(in.operand[0]), lane) < targets.size()) return;
          if (fits)
            raise(w, in, FaultKind::bad_jump, static_cast<int>(lane),
                  "the index is beyond the list of labels");
          fits = false;
        });
        if (!fits) return;
        scatter(w, lanes,
                [&](unsigned lane) { return targets[get<uint32_t>(w.at(in.operand[0]), lane)]; });
        regroup = true;
        break;
      }
      case Control::exit:
        ++group.next;
        group.lanes &= ~lanes;
        if (group.lanes == 0) remove_group(w, w.current);
        exit_lanes(w, in, lanes);
        if (w.event == Event::fault) return;
        regroup = true;
        break;
      case Control::call: {
        const auto& copies = *static_cast<const CallCopies*>(in.extra);
        copy_parameters(w, copies.before, lanes);
        const uint32_t back = group.next;
        for_lanes(lanes, [&](unsigned lane) { w.return_to[copies.function][lane] = back; });
        ++group.next;
        if (lanes != 0) scatter(w, lanes, [&](unsigned) { return in.target; });
        regroup = true;
        break;
      }
      case Control::ret: {
        // Results go back with the record of the call, which says where they belong.
        const auto& back = w.return_to[in.function];
        for_lanes(lanes, [&](unsigned lane) {
          const auto& copies = *static_cast<const CallCopies*>(records[back[lane]].extra);
          copy_parameters(w, copies.after, 1u << lane);
        });
        ++group.next;
        if (lanes != 0) scatter(w, lanes, [&](unsigned lane) { return back[lane] + 1; });
        regroup = true;
        break;
      }
    }
    if (!regroup) continue;
    const uint32_t before = w.group_count;
    merge(w);
    chosen = choose(w, yielded);
    // Lanes that wait in a loop for others of their warp give them a turn from time to time.
    if (w.group_count > 1 && before == w.group_count) {
      if (++steps > patience) {
        int running = 0, last = -1;
        for (uint32_t i = 0; i < w.group_count; ++i)
          if (w.groups[i].state == Group::State::running && (w.groups[i].lanes & ~yielded) != 0) {
            ++running;
            last = static_cast<int>(i);
          }
        if (running > 1) chosen = last;
        if (steps > 2 * patience) steps = 0;
      }
    } else {
      steps = 0;
    }
  }
}

// Why a group of lanes of a warp does not go on.
std::string ClusterRunner::waits_for(const Block& block, const Group& group) const {
  if (group.state == Group::State::at_sync)
    return formatted("lanes {:x} of the warp wait here for others that never come", group.lanes);
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

// A warp that asks in vain, for an mbarrier's phase, is the cause of those that wait for it at a
// barrier, so it is named first.
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

Runner::Outcome ClusterRunner::run(uint64_t longest, uint64_t most) {
  executed_ = 0;
  int idle = 0, spins = 0;
  turn_ = std::min(longest, was_idle_ ? short_turn : turn);
  // A cluster in which something changed no longer counts as idle.
  bool is_short = was_idle_;
  was_idle_ = false;
  for (;;) {
    if (cluster_.fault) return Outcome::faulted;
    bool all_done = true, any_ran = false, all_yielded = true;
    const uint64_t changes = cluster_.changes, naps = cluster_.naps;
    for (Block& block : cluster_.blocks) {
      for (Warp& w : block.warps) {
        if (w.group_count == 0) continue;
        all_done = false;
        if (choose(w) < 0) continue;
        any_ran = true;
        const uint64_t before = w.instructions;
        run(w);
        if (cluster_.fault) return Outcome::faulted;
        if (w.instructions - before >= turn_) all_yielded = false;
      }
    }
    if (all_done) {
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
          // kept for copies and the like of running clusters
          .bytes_left = meter.limit(Resource::memory_bytes) / 2,
          .most = 4096,
          .patience = races != nullptr ? checked_patience : most_patience,
          .make = [&dispatch, races] { return std::make_unique<ClusterRunner>(dispatch, races); },
          .is_stopped = {}};
}

}  // namespace heddle::emulator::ptx
