#include "emulator/ptx/tensor_order.h"

#include <algorithm>

#include "emulator/ptx/races.h"
#include "library/text/formatted.h"

namespace heddle::emulator::ptx {
namespace {

using check::Clock;
using check::Past;
using check::Verdict;

constexpr uint64_t most_shadow_bytes = uint64_t{1} << 26;  // of the shadow

constexpr uint32_t lane_groups = TensorMemory::lanes / TensorMemory::group_lanes;

// Of tensor memory alone.
Clock agents_of(const Clock& clock) {
  return clock.shifted(TensorOrder::first_agent, ~TensorOrder::first_agent, 0);
}

TensorOrder::Agent agent_of(uint32_t actor) {
  return static_cast<TensorOrder::Agent>((~actor - 1) % 5);
}

// "tcgen05.mma" of a longer name.
std::string name_of(std::string_view mnemonic) {
  const std::size_t second = mnemonic.find('.', mnemonic.find('.') + 1);
  return std::string(mnemonic.substr(0, second));
}

}  // namespace

TensorOrder::TensorOrder(Races& races, Cluster& cluster, Known known)
    : races_(races), cluster_(cluster), known_(std::move(known)), shadow_(most_shadow_bytes) {}

void TensorOrder::begin(uint64_t first_warp) {
  first_warp_ = first_warp;
  states_.assign(cluster_.blocks.size() * cluster_.blocks[0].warps.size(), {});
  shadow_.clear();
  grouped_ = nullptr;
}

uint32_t TensorOrder::number_of(const Warp& w) const {
  return static_cast<uint32_t>(first_warp_ + w.block->rank * w.block->warps.size() + w.number);
}

const Warp& TensorOrder::warp(uint32_t actor) const {
  const auto at = static_cast<std::size_t>(warp_of(actor) - first_warp_);
  const std::size_t warps = cluster_.blocks[0].warps.size();
  return cluster_.blocks[at / warps].warps[at % warps];
}

Past TensorOrder::past_of(const Warp& w, const Record& in, Agent agent, uint64_t number) const {
  Past past;
  past.actor = actor_of(number_of(w), agent);
  past.number = static_cast<uint32_t>(number);
  past.site = std::min(cluster_.dispatch->program().number_of(in), Races::most_sites - 1);
  return past;
}

// --- operations ----------------------------------------------------------------------------------

void TensorOrder::issue(const Warp& w, const Record& in, uint64_t number,
                        std::span<const TensorAccess> accesses) {
  access(w, past_of(w, in, Agent::pipe, number), accesses);
  of(w).issued = number + 1;
}

void TensorOrder::move(const Warp& w, const Record& in, bool loads,
                       std::span<const TensorAccess> accesses) {
  State& state = of(w);
  access(w,
         past_of(w, in, loads ? Agent::load : Agent::store, loads ? state.loads++ : state.stores++),
         accesses);
}

void TensorOrder::wait(const Warp& w, bool loads) {
  const uint32_t number = loads ? of(w).loads : of(w).stores;
  known_(w).raise(actor_of(number_of(w), loads ? Agent::load : Agent::store), {number, number});
}

// Allocated columns were free before. So the new owner need not know of earlier accesses to them.
void TensorOrder::allocate(const Warp& w, const Record& in, const TensorRegion& region) {
  const Past now = past_of(w, in, Agent::allocation, of(w).allocations++);
  const TensorAccess all{w.block, region, true};
  access(w, now, {&all, 1}, true);
  known_(w).raise(now.actor, {now.number + 1, now.number + 1});
}

void TensorOrder::free(const Warp& w, const Record& in, const TensorRegion& region) {
  const Past now = past_of(w, in, Agent::allocation, of(w).allocations++);
  const TensorAccess all{w.block, region, true};
  access(w, now, {&all, 1});
  known_(w).raise(now.actor, {now.number + 1, now.number + 1});
}

Clock TensorOrder::complete(const Warp& w, uint64_t number) {
  const auto done = static_cast<uint32_t>(number);
  Clock clock;
  clock.raise(actor_of(number_of(w), Agent::pipe), {done, done});
  return clock;
}

void TensorOrder::check_group(const Warp& w, const Record& in, uint32_t blocks) {
  if (grouped_ == nullptr) {
    grouped_ = &in;
    blocks_ = blocks;
  }
  if (blocks == blocks_) return;
  const Program& program = cluster_.dispatch->program();
  races_.note_pair(FindingKind::tensor_memory_misused, program.number_of(in),
                   program.number_of(*grouped_), number_of(w), [&] {
                     return Races::Words{
                         formatted("cta_group::{}, and an earlier instruction has cta_group::{}: "
                                   "all tcgen05 instructions of a kernel must have the same",
                                   blocks, blocks_),
                         formatted("Write cta_group::{} here, or there the other.", blocks_),
                         formatted("cta_group::{} here", blocks_)};
                   });
}

// --- what orders them ----------------------------------------------------------------------------

void TensorOrder::fence(const Warp& w, bool before) {
  State& state = of(w);
  Clock& known = known_(w);
  if (!before) {
    known.join(state.met.fenced);
    return;
  }
  const auto issued = static_cast<uint32_t>(state.issued);
  known.raise(actor_of(number_of(w), Agent::issue), {issued, issued});
  state.fenced = agents_of(known);
}

void TensorOrder::arrive(const Warp& w, bool releases, TensorHandover& at) {
  const Clock clock = agents_of(known_(w));
  at.loose.join(clock);
  at.fenced.join(releases ? clock : of(w).fenced);
}

void TensorOrder::leave(const Warp& w, const TensorHandover& at) { of(w).met.join(at); }

// --- judgement -----------------------------------------------------------------------------------

void TensorOrder::access(const Warp& w, const Past& now, std::span<const TensorAccess> accesses,
                         bool is_new) {
  const Agent agent = agent_of(now.actor);
  for (const TensorAccess& each : accesses) {
    Past access = now;
    access.writes = each.writes;
    for (uint32_t group = 0; group < lane_groups; ++group) {
      if ((each.region.groups >> group & 1) == 0) continue;
      const uint64_t first =
          (uint64_t{each.block->rank} * lane_groups + group) * TensorMemory::columns +
          each.region.column;
      shadow_.access(
          first * 4, uint64_t{each.region.columns} * 4, access,
          [&](const Past& past, uint64_t address) {
            if (is_new || check::happened(known_(w), past)) return Verdict::ordered;
            // Stores of equal values do not race: in Triton, several warps may store a small tile
            // together.
            if (agent == Agent::store && !each.changes && agent_of(past.actor) == Agent::store)
              return Verdict::ordered;
            if (agent == Agent::pipe && agent_of(past.actor) == Agent::pipe) {
              Past issued = past;
              issued.actor = actor_of(warp_of(past.actor), Agent::issue);
              if (check::happened(known_(w), issued)) return Verdict::ordered;
            }
            note(w, past, access, static_cast<uint32_t>(address / 4 % TensorMemory::columns));
            return Verdict::race;
          });
    }
  }
}

void TensorOrder::note(const Warp& w, const Past& past, const Past& now, uint32_t column) {
  const Agent agent = agent_of(past.actor);
  const bool frees = agent_of(now.actor) == Agent::allocation;
  const auto kind =
      frees ? FindingKind::tensor_memory_freed_early : FindingKind::tensor_memory_race;
  races_.note_pair(kind, now.site, past.site, number_of(w), [&] {
    const Program& program = cluster_.dispatch->program();
    const std::string before = name_of(program.mnemonic_of(program.records[past.site]));
    const Warp& other = warp(past.actor);
    const bool is_own = &other == &w;
    const std::string who =
        is_own ? "this warp"
        : other.block == w.block
            ? formatted("warp {}", other.number)
            : formatted("warp {} of block {} of the cluster", other.number, other.block->rank);
    Races::Words words;
    words.role =
        formatted("{} by {} here",
                  agent == Agent::allocation ? before.contains("dealloc") ? "freed" : "allocated"
                  : past.writes              ? "written"
                                             : "read",
                  who);
    const std::string what = formatted("{} column {} of tensor memory, which {} of {} {}",
                                       frees        ? "frees"
                                       : now.writes ? "writes"
                                                    : "reads",
                                       column, before, who,
                                       agent == Agent::allocation
                                           ? before.contains("dealloc") ? "has freed" : "allocates"
                                       : past.writes ? "writes"
                                                     : "reads");
    const auto say = [&](std::string_view missing, std::string fix) {
      words.message = formatted("{}, and {}", what, missing);
      words.fix = std::move(fix);
      return words;
    };
    if (agent == Agent::pipe && agent_of(now.actor) == Agent::pipe)
      return say("nothing orders the two threads",
                 "Put tcgen05.fence::before_thread_sync behind the first, synchronise the two "
                 "threads by an mbarrier, and put tcgen05.fence::after_thread_sync behind the "
                 "wait.");
    const bool is_done = check::happened(known_(other), past);
    if (agent == Agent::load || agent == Agent::store) {
      const std::string wait = agent == Agent::load ? "tcgen05.wait::ld" : "tcgen05.wait::st";
      if (!is_done)
        return say(formatted("{} has not executed {} since", who, wait),
                   formatted("Put {}.sync.aligned behind the {}{}.", wait, before,
                             is_own ? "" : " and before the threads synchronise"));
      if (!is_own && !check::happened(of(w).met.fenced, past) &&
          !check::happened(of(w).met.loose, past))
        return say(formatted("nothing orders the {} of {} and warp {}", wait, who, w.number),
                   formatted("Put {}.sync.aligned behind the {}, and behind that a barrier "
                             "(bar.sync, or an mbarrier) between the two.",
                             wait, before));
    }
    const TensorHandover& met = of(w).met;
    if (check::happened(met.fenced, past))
      return say(
          "the wait that orders the two is .relaxed, with no "
          "tcgen05.fence::after_thread_sync behind it",
          "Put tcgen05.fence::after_thread_sync behind the wait, or make it .acquire.");
    if (check::happened(met.loose, past))
      return say(
          "the arrival that orders the two is .relaxed, with no "
          "tcgen05.fence::before_thread_sync before it",
          "Put tcgen05.fence::before_thread_sync before the arrival, or make it .release.");
    if (agent == Agent::pipe)
      return say(formatted("{} has not waited for an mbarrier of a tcgen05.commit of it",
                           is_own ? who : formatted("warp {}", w.number)),
                 "Put tcgen05.commit behind the first, in the same thread, and wait for the phase "
                 "of its mbarrier before the second.");
    return say(formatted("nothing orders {} and warp {}", who, w.number),
               "Put a barrier (bar.sync, or an mbarrier) between the two.");
  });
}

}  // namespace heddle::emulator::ptx
