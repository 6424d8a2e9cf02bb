// Barriers of a block, a warp and a cluster; fences; and instructions that concern time.
#include <algorithm>
#include <bit>
#include <span>

#include "emulator/ptx/cluster.h"
#include "emulator/ptx/elementwise.h"
#include "emulator/ptx/races.h"

namespace heddle::emulator::ptx {
namespace {

// Operands: the barrier's number, the number of threads, a predicate p, the result d. `detail` is 0
// for sync, 1 for arrive, 2 for red.popc, 3 for red.and and 4 for red.or. Lanes that the guard
// predicate excludes do not arrive.
void barrier(Warp& w, const Record& in, uint32_t lanes) {
  const auto first = static_cast<unsigned>(std::countr_zero(lanes));
  const auto number = get<uint32_t>(w.at(in.operand[0]), first);
  const auto threads = in.count > 1 ? get<uint32_t>(w.at(in.operand[1]), first) : 0;
  if (number >= 16)
    return raise(w, in, FaultKind::unsupported, static_cast<int>(first),
                 "a block has barriers 0 to 15");
  if (in.count > 1 && (threads == 0 || threads % 32 != 0))
    return raise(w, in, FaultKind::unsupported, static_cast<int>(first),
                 "a barrier is for a multiple of 32 threads");
  Block& block = *w.block;
  Barrier& at = block.barriers[number];
  if (at.arrived != 0 && at.expected != threads)
    return raise(w, in, FaultKind::unsupported, static_cast<int>(first),
                 "threads arrive at this barrier with different numbers of threads");
  at.expected = threads;
  at.arrived += static_cast<uint32_t>(std::popcount(lanes));
  if (threads != 0 && at.arrived > threads)
    return raise(w, in, FaultKind::unsupported, static_cast<int>(first),
                 "more threads arrive at this barrier than it is for");
  ++block.cluster->counts.barriers;
  ++block.cluster->changes;
  if (RaceWatch* watch = block.cluster->watch) {
    if (in.is_aligned && lanes != w.alive) watch->note_part_of_warp(w, in, lanes);
    watch->arrive(w, number);
  }
  if (in.detail >= 2) {
    const auto p = static_cast<uint32_t>(*w.at(in.operand[2]));
    const uint32_t chosen = p & lanes;
    at.result_count += static_cast<uint32_t>(std::popcount(chosen));
    at.result_and &= chosen == lanes;
    at.result_or |= chosen != 0;
    at.results.push_back({&w, lanes, in.operand[3], static_cast<uint8_t>(in.detail - 2)});
  }
  if (in.detail != 1) {
    Group& group = w.groups[w.current];
    group.state = Group::State::at_barrier;
    group.barrier = static_cast<uint8_t>(number);
    w.event = Event::barrier;
  }
  complete_barrier(block, number);
}

void warp_barrier(Warp& w, const Record& in, uint32_t lanes) {
  for_members(w, in, lanes, in.operand[0], [&](uint32_t members) {
    if (RaceWatch* watch = w.block->cluster->watch) watch->meet(w, members);
  });
}

bool block_barrier(Decoder& d) {
  Record& record = d.record();
  if (d.has("warp")) {
    record.is_warp_wide = true;
    record.handler = warp_barrier;
    d.set_operands({d.source(0, Type::b32)});
    return true;
  }
  record.is_warp_wide = true;
  record.is_aligned = d.name() == "bar" || d.has("aligned");
  record.handler = barrier;
  if (d.has("red")) {
    record.detail = d.has("popc") ? 2 : d.has("and") ? 3 : d.has("or") ? 4 : 0;
    if (record.detail == 0) return false;
    // d, a{, b}, p
    const bool counted = d.operands() == 4;
    const Operand& p = d.operand(counted ? 3 : 2);
    record.count = counted ? 2 : 1;
    d.set_operands({d.source(1, Type::u32), counted ? d.source(2, Type::u32) : d.constant(0),
                    d.source(p, Type::pred),
                    d.destination(0, d.has("popc") ? Type::u32 : Type::pred)});
    return true;
  }
  record.detail = d.has("arrive") ? 1 : 0;
  if (!d.has("arrive") && !d.has("sync")) return false;
  const bool counted = d.operands() == 2;
  record.count = counted ? 2 : 1;
  d.set_operands({d.source(0, Type::u32), counted ? d.source(1, Type::u32) : d.constant(0)});
  return true;
}

// barrier.cluster.arrive and .wait. The warp records in which phase of the barrier each lane
// arrived.
void cluster_arrive(Warp& w, const Record& in, uint32_t lanes) {
  Cluster& cluster = *w.block->cluster;
  if (cluster.watch != nullptr) cluster.watch->arrive_at_cluster(w, in.releases);
  for_lanes(lanes, [&](unsigned l) { w.cluster_phase[l] = cluster.cluster_phase; });
  cluster.cluster_arrived += static_cast<uint32_t>(std::popcount(lanes));
  ++cluster.counts.barriers;
  ++cluster.changes;
  complete_cluster_barrier(cluster);
}
void cluster_wait(Warp& w, const Record&, uint32_t lanes) {
  const auto first = static_cast<unsigned>(std::countr_zero(lanes));
  if (w.cluster_phase[first] != w.block->cluster->cluster_phase) {
    if (w.block->cluster->watch != nullptr) w.block->cluster->watch->leave_cluster(w);
    return;
  }
  Group& group = w.groups[w.current];
  group.state = Group::State::at_barrier;
  group.barrier = cluster_barrier;
  w.event = Event::barrier;
}
bool any_barrier(Decoder& d) {
  if (!d.has("cluster")) return block_barrier(d);
  d.record().is_warp_wide = true;
  d.record().handler = d.has("arrive") ? cluster_arrive : cluster_wait;
  d.record().releases = !d.has("relaxed");
  d.set_operands({});
  return d.has("arrive") || d.has("wait");
}

// A fence. The simulator writes memory in program order, so only the race detector needs to know.
void order(Warp& w, const Record& in, uint32_t) {
  if (RaceWatch* watch = w.block->cluster->watch)
    watch->fence(w, static_cast<Scope>(in.scope), in.detail != 0);
}
// A proxy fence. In `detail`, bit 0 stands for shared memory and bit 1 for global memory.
void order_proxies(Warp& w, const Record& in, uint32_t) {
  if (RaceWatch* watch = w.block->cluster->watch)
    watch->fence_proxies(w, (in.detail & 1) != 0, (in.detail & 2) != 0);
}
// membar.{cta, gl, sys}, fence.{sc, acq_rel, acquire, release}.scope, fence.proxy.async{.space}.
// Fences of other proxies have no effect here.
bool fence(Decoder& d) {
  if (d.modifiers() > 1 && d.statement().opcode[1].starts_with("proxy")) {
    const bool is_async = d.modifiers() > 2 && d.modifier(2).starts_with("async");
    decode_no_operation(d);
    if (!is_async) return true;
    const std::string name = d.whole_name();
    const bool of_shared = name.contains("shared"), of_global = name.contains("global");
    d.record().detail =
        static_cast<uint8_t>((of_shared || !of_global ? 1 : 0) | (of_global || !of_shared ? 2 : 0));
    d.record().handler = order_proxies;
    return true;
  }
  d.set_order(true);
  d.record().handler = order;
  d.record().detail = d.statement().opcode[0] == "membar" || d.has("sc");
  d.set_operands({});
  return true;
}
// Operand: ns.
void sleep(Warp& w, const Record& in, uint32_t lanes) {
  constexpr uint32_t longest = 1'000'000;  // PTX ISA 9.0, "nanosleep"
  uint32_t slept = 0;
  for_lanes(lanes,
            [&](unsigned l) { slept = std::max(slept, get<uint32_t>(w.at(in.operand[0]), l)); });
  ++w.block->cluster->naps;
  w.block->cluster->slept += std::min(slept, longest);
  w.event = Event::yield;
}
bool nap(Decoder& d) {
  d.record().handler = sleep;
  d.set_operands({d.source(0, Type::u32)});
  return true;
}
void trap(Warp& w, const Record& in, uint32_t lanes) {
  raise(w, in, FaultKind::trap, std::countr_zero(lanes), "the kernel executed trap");
}
bool trapping(Decoder& d) {
  d.record().handler = trap;
  d.set_operands({});
  return true;
}

constexpr std::string_view barrier_hints = "aligned sync cta pred u32 acquire release";
constexpr DecodeRow barrier_table[] = {
    {"bar", block_barrier, barrier_hints},
    {"barrier", any_barrier, barrier_hints},
    {"membar", fence},
    {"fence", fence, "mbarrier_init sync_restrict::*"},
    {"nanosleep", nap, "u32"},
    {"trap", trapping},
    {"griddepcontrol", decode_no_operation},
    {"setmaxnreg", decode_no_operation},
    {"brkpt", decode_no_operation},
};

}  // namespace

std::span<const DecodeRow> barrier_rows() { return barrier_table; }

}  // namespace heddle::emulator::ptx
