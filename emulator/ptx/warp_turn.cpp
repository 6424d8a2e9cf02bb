// Runs a warp for one turn: the loop that executes instructions, and the groups of lanes, which
// separate at branches and merge again.
#include <algorithm>
#include <bit>
#include <optional>
#include <utility>

#include "emulator/ptx/cluster.h"
#include "emulator/ptx/memory_barrier.h"
#include "emulator/ptx/races.h"
#include "emulator/ptx/warpgroup.h"

namespace heddle::emulator::ptx {
namespace {

// The number of instructions that a group of lanes may execute while other groups of its warp could
// run too.
constexpr uint32_t patience = 20000;

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
  // Other groups may wait for the lanes that exit now. They run again to check their condition.
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
      // Reading a clock counts as progress, since a loop may wait for time to pass.
      ++w.block->cluster->changes;
    } else if (source.negates)
      *w.at(source.to) = ~*w.at(source.from);
    else
      for_lanes(lanes,
                [&](unsigned l) { w.at(source.to)[l] = w.at(source.from)[l] + source.addend; });
  }
}

// Sends each of the lanes to the record target_of(lane). Other lanes of the group stay where they
// are.
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

// Copies the arguments of these lanes to the function's parameters and sends the lanes to it.
void call(Warp& w, const Record& in, uint32_t lanes) {
  const auto& copies = *static_cast<const CallCopies*>(in.extra);
  copy_parameters(w, copies.before, lanes);
  const uint32_t back = w.groups[w.current].next++;
  for_lanes(lanes, [&](unsigned lane) { w.return_to[copies.function][lane] = back; });
  if (lanes != 0) scatter(w, lanes, [&](unsigned) { return in.target; });
}

// Copies the results as the record of the call specifies, and sends each lane to the instruction
// after its call.
void return_from_call(Warp& w, const Record& in, const Record* records, uint32_t lanes) {
  const auto& back = w.return_to[in.function];
  for_lanes(lanes, [&](unsigned lane) {
    const auto& copies = *static_cast<const CallCopies*>(records[back[lane]].extra);
    copy_parameters(w, copies.after, 1u << lane);
  });
  ++w.groups[w.current].next;
  if (lanes != 0) scatter(w, lanes, [&](unsigned lane) { return back[lane] + 1; });
}

// The subset of the lanes for which the instruction's guard predicate holds.
uint32_t guarded(Warp& w, const Record& in, uint32_t lanes) {
  const auto mask = static_cast<uint32_t>(*w.at(in.guard));
  if (RaceWatch* watch = w.block->cluster->watch)
    watch->defined().check_condition(w, in, in.guard, lanes);
  return lanes & (in.guard_negated ? ~mask : mask);
}

// The last of the groups of lanes that could run, if there are several. Groups whose lanes have all
// yielded do not count.
std::optional<int> last_of_several(const Warp& w, uint32_t yielded) {
  int running = 0, last = -1;
  for (uint32_t i = 0; i < w.group_count; ++i)
    if (w.groups[i].state == Group::State::running && (w.groups[i].lanes & ~yielded) != 0) {
      ++running;
      last = static_cast<int>(i);
    }
  return running > 1 ? std::optional(last) : std::nullopt;
}

}  // namespace

int choose(const Warp& w, uint32_t yielded) {
  int best = -1;
  for (uint32_t i = 0; i < w.group_count; ++i)
    if (w.groups[i].state == Group::State::running && (w.groups[i].lanes & ~yielded) != 0 &&
        (best < 0 || w.groups[i].next < w.groups[static_cast<uint32_t>(best)].next))
      best = static_cast<int>(i);
  return best;
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
  if (cluster_.watch == nullptr) {
    in.handler(w, in, lanes);
    if (completes_at_once_) complete_pending(cluster_);
    return;
  }
  Definedness& defined = cluster_.watch->defined();
  defined.before(w, in, lanes);
  in.handler(w, in, lanes);
  if (w.event != Event::wait_for_lanes) defined.after(w, in, lanes);
}

// brx.idx: each lane branches to the label with its index. An index without a label is a fault.
bool ClusterRunner::branch_by_index(Warp& w, const Record& in, uint32_t lanes) {
  const auto& targets = *static_cast<const std::vector<uint32_t>*>(in.extra);
  if (in.prepared != nullptr)
    prepare(w, *in.prepared, lanes);
  else if (cluster_.watch != nullptr)
    cluster_.watch->defined().check_condition(w, in, in.operand[0], lanes);
  const auto index = [&](unsigned lane) { return get<uint32_t>(w.at(in.operand[0]), lane); };
  bool fits = true;
  for_lanes(lanes, [&](unsigned lane) {
    if (index(lane) < targets.size()) return;
    if (fits)
      raise(w, in, FaultKind::bad_jump, static_cast<int>(lane),
            "the index is beyond the list of labels");
    fits = false;
  });
  if (fits) scatter(w, lanes, [&](unsigned lane) { return targets[index(lane)]; });
  return fits;
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
    const uint32_t lanes = in.guard == Record::always ? group.lanes : guarded(w, in, group.lanes);
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
      case Control::indexed_branch:
        ++group.next;
        if (!branch_by_index(w, in, lanes)) return;
        regroup = true;
        break;
      case Control::exit:
        ++group.next;
        group.lanes &= ~lanes;
        if (group.lanes == 0) remove_group(w, w.current);
        exit_lanes(w, in, lanes);
        if (w.event == Event::fault) return;
        regroup = true;
        break;
      case Control::call:
        call(w, in, lanes);
        regroup = true;
        break;
      case Control::ret:
        return_from_call(w, in, records, lanes);
        regroup = true;
        break;
    }
    if (!regroup) continue;
    const uint32_t before = w.group_count;
    merge(w);
    chosen = choose(w, yielded);
    // Lanes may wait in a loop for other lanes of their warp, so the others get a turn at times.
    if (w.group_count > 1 && before == w.group_count) {
      if (++steps > patience) {
        chosen = last_of_several(w, yielded).value_or(chosen);
        if (steps > 2 * patience) steps = 0;
      }
    } else {
      steps = 0;
    }
  }
}

}  // namespace heddle::emulator::ptx
