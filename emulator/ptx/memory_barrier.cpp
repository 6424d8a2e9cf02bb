#include "emulator/ptx/memory_barrier.h"

#include <algorithm>
#include <bit>
#include <optional>
#include <span>

#include "emulator/ptx/asynchronous.h"
#include "emulator/ptx/atomic.h"
#include "emulator/ptx/dispatch.h"
#include "emulator/ptx/races.h"
#include "library/text/formatted.h"

namespace heddle::emulator::ptx {
namespace {

uint64_t shared_address(const Warp& w, const Record& in, std::size_t operand, unsigned lane) {
  return static_cast<uint32_t>(w.at(in.operand[operand])[lane] +
                               static_cast<uint64_t>(in.immediate));
}

// The host's pointer to an mbarrier; null after a fault. If `exists`, the mbarrier must be
// initialised.
std::byte* place_of(Warp& w, const Record& in, unsigned lane, uint64_t address, bool exists) {
  if (address % 8 != 0) {
    raise(w, in, FaultKind::misaligned, static_cast<int>(lane),
          formatted("an mbarrier at address {:#x}, which is no multiple of 8", address), address);
    return nullptr;
  }
  std::byte* place = shared_access(w, in, lane, address, 8);
  if (place == nullptr || !exists) return place;
  uint64_t bits = 0;
  std::memcpy(&bits, place, 8);
  if (MemoryBarrier::is_one(bits)) return place;
  raise(w, in, FaultKind::unsupported, static_cast<int>(lane),
        formatted("there is no mbarrier at address {:#x} of shared memory: mbarrier.init did not "
                  "come before, or something was stored over it",
                  address),
        address);
  return nullptr;
}

MemoryBarrier read(const std::byte* place) {
  uint64_t bits = 0;
  std::memcpy(&bits, place, 8);
  return MemoryBarrier::of(bits);
}
void write(std::byte* place, const MemoryBarrier& barrier) {
  const uint64_t bits = barrier.bits();
  std::memcpy(place, &bits, 8);
}

// --- init, inval ---------------------------------------------------------------------------------

void initialise(Warp& w, const Record& in, uint32_t lanes) {
  for_lanes(lanes, [&](unsigned l) {
    if (w.event != Event::none) return;
    const uint64_t address = shared_address(w, in, 0, l);
    const auto count = get<uint32_t>(w.at(in.operand[1]), l);
    if (count == 0 || count > 0xfffff)
      return raise(w, in, FaultKind::unsupported, static_cast<int>(l),
                   formatted("an mbarrier for {} arrivals; 1 to 1048575 are possible", count));
    std::byte* place = place_of(w, in, l, address, false);
    if (place == nullptr) return;
    write(place, {count, count, 0, false});
    if (RaceWatch* watch = w.block->cluster->watch) watch->touch(w, in, address, true);
  });
  ++w.block->cluster->changes;
}
void invalidate(Warp& w, const Record& in, uint32_t lanes) {
  for_lanes(lanes, [&](unsigned l) {
    if (w.event != Event::none) return;
    const uint64_t address = shared_address(w, in, 0, l);
    std::byte* place = place_of(w, in, l, address, true);
    if (place == nullptr) return;
    std::memset(place, 0, 8);
    if (RaceWatch* watch = w.block->cluster->watch) {
      watch->forget_barrier(w, address);
      watch->touch(w, in, address, true);
    }
  });
}

// --- arrivals ------------------------------------------------------------------------------------

// Completes the phase if no arrivals and no bytes are missing. `arrives`: the warp arrives, so its
// earlier accesses happen before those of threads that wait for the phase.
void complete(Warp& w, const Record& in, uint64_t address, bool arrives, MemoryBarrier& barrier) {
  RaceWatch* watch = w.block->cluster->watch;
  if (watch != nullptr) watch->touch(w, in, address, false);
  if (watch != nullptr && arrives) watch->arrive_at(w, in, address, in.releases);
  if (watch != nullptr && !arrives) watch->add_to_phase(w, in, address);
  const bool before = barrier.parity;
  barrier.complete();
  if (watch == nullptr || barrier.parity == before) return;
  uint32_t offset = 0;
  const Block* block = shared_block(w, address, offset);
  watch->end_phase(*block, offset);
}

enum Arrival : uint8_t { plain = 0, expects = 1, drops = 2, only_expects = 3, completes = 4 };

// Operands: address, count or bytes, state.
void arrive(Warp& w, const Record& in, uint32_t lanes) {
  for_lanes(lanes, [&](unsigned l) {
    if (w.event != Event::none) return;
    const uint64_t address = shared_address(w, in, 0, l);
    std::byte* place = place_of(w, in, l, address, true);
    if (place == nullptr) return;
    MemoryBarrier barrier = read(place);
    put<uint64_t>(w.at(in.operand[2]), l, barrier.bits());
    const auto amount = get<uint32_t>(w.at(in.operand[1]), l);
    const bool counts_bytes = in.detail & 1;
    int64_t bytes = barrier.bytes;
    if (in.detail == completes) {
      bytes -= amount;
    } else if (counts_bytes) {
      bytes += amount;
    }
    if (std::abs(bytes) > 0xfffff)
      return raise(w, in, FaultKind::unsupported, static_cast<int>(l),
                   "an mbarrier counts up to 1048575 bytes");
    barrier.bytes = static_cast<int32_t>(bytes);
    if (in.detail != only_expects && in.detail != completes) {
      const uint32_t count = counts_bytes ? 1 : amount;
      if (count > barrier.pending)
        return raise(w, in, FaultKind::unsupported, static_cast<int>(l),
                     formatted("{} more arrival{} at an mbarrier whose phase waits for {} (of {})",
                               count, count == 1 ? "" : "s", barrier.pending, barrier.expected),
                     address);
      barrier.pending -= count;
      if (in.detail == drops) barrier.expected -= std::min(count, barrier.expected - 1);
    }
    complete(w, in, address, in.detail != only_expects && in.detail != completes, barrier);
    write(place, barrier);
  });
  ++w.block->cluster->changes;
}

// --- waits ---------------------------------------------------------------------------------------

// True if a wait or test shall return false although it could return true, which PTX allows (PTX
// ISA 9.0, "mbarrier.try_wait"). This finds kernels that ignore the result. It happens only at the
// first wait or test of a warp for a phase, in two cases:
// - a copy or a commit is pending for the barrier;
// - the launch is checked, and nothing that the warp has waited for proves that the phase is
// complete.
bool answers_no(Warp& w, const Block& block, uint32_t offset, bool parity, bool is_complete) {
  const uint64_t phase = uint64_t{block.rank} << 33 | uint64_t{parity} << 32 | offset;
  const auto found = std::ranges::find(w.asked, phase);
  if (found != w.asked.end()) {
    w.asked.erase(found);
    return false;
  }
  const Cluster& cluster = *w.block->cluster;
  const auto is_for_barrier = [&](const auto& pending) {
    return pending.barrier_block == &block && pending.barrier == offset;
  };
  if (is_complete ? cluster.watch == nullptr || cluster.watch->knows(w, block, offset)
                  : std::ranges::none_of(cluster.bulk, is_for_barrier) &&
                        std::ranges::none_of(cluster.commits, is_for_barrier))
    return false;
  w.asked.push_back(phase);
  return true;
}

// Operands: p, address, state or parity. In `detail`, bit 0 is set if a parity is given, and bit 1
// if the warp may sleep.
void wait_for_phase(Warp& w, const Record& in, uint32_t lanes) {
  Cluster& cluster = *w.block->cluster;
  uint32_t result = 0;
  std::optional<uint64_t> refused;  // the address of a barrier of which no is answered
  for_lanes(lanes, [&](unsigned l) {
    if (w.event == Event::fault) return;
    const uint64_t address = shared_address(w, in, 1, l);
    std::byte* place = place_of(w, in, l, address, true);
    if (place == nullptr) return;
    const uint64_t operand = w.at(in.operand[2])[l];
    const bool parity = in.detail & 1 ? (operand & 1) != 0 : MemoryBarrier::of(operand).parity;
    uint32_t offset = 0;
    const Block* block = shared_block(w, address, offset);
    if (refused != address && answers_no(w, *block, offset, parity, read(place).parity != parity)) {
      refused = address;
      ++cluster.changes;
    }
    while (refused != address && read(place).parity == parity &&
           deliver_next(cluster, *block, offset)) {
    }
    const MemoryBarrier barrier = read(place);
    if (barrier.parity != parity && refused != address) {
      result |= 1u << l;
      if (cluster.watch == nullptr) return;
      cluster.watch->touch(w, in, address, false);
      cluster.watch->leave(w, in, address, in.acquires);
      return;
    }
    cluster.waiting_for =
        barrier.bytes < 0
            ? formatted(
                  "the mbarrier at {:#x} has received {} bytes more than it was told to expect",
                  address, -barrier.bytes)
            : formatted("the mbarrier at {:#x} still waits for {} of {} arrivals and {} bytes",
                        address, barrier.pending, barrier.expected, barrier.bytes);
    w.event = Event::yield;
  });
  if (w.event == Event::fault) return;
  uint64_t& p = *w.at(in.operand[0]);
  p = (p & ~uint64_t{lanes}) | result;
}

void pending_count(Warp& w, const Record& in, uint32_t lanes) {
  for_lanes(lanes, [&](unsigned l) {
    put<uint32_t>(w.at(in.operand[0]), l, MemoryBarrier::of(w.at(in.operand[1])[l]).pending);
  });
}

bool memory_barrier(Decoder& d) {
  Record& record = d.record();
  const std::string_view what = d.modifier(1);
  record.space = Space::shared;
  record.acquires = record.releases = !d.has("relaxed");
  if (what == "init") {
    record.handler = initialise;
    d.set_operands({d.address(d.operand(0)), d.source(1, Type::u32)});
    return true;
  }
  if (what == "inval") {
    record.handler = invalidate;
    d.set_operands({d.address(d.operand(0))});
    return true;
  }
  if (what == "pending_count") {
    record.handler = pending_count;
    d.set_operands({d.destination(0, Type::u32), d.source(1, Type::b64)});
    return true;
  }
  if (what == "test_wait" || what == "try_wait") {
    const bool parity = d.has("parity");
    record.detail = static_cast<uint8_t>(parity);
    record.handler = wait_for_phase;
    const uint32_t p = d.destination(0, Type::pred);
    d.set_operands({p, d.address(d.operand(1)), d.source(2, parity ? Type::u32 : Type::b64)});
    return true;
  }
  if (what == "expect_tx" || what == "complete_tx") {
    record.handler = arrive;
    record.detail = what == "expect_tx" ? only_expects : completes;
    d.set_operands({d.address(d.operand(0)), d.source(1, Type::u32), d.sink()});
    return true;
  }
  if (what != "arrive" && what != "arrive_drop") return false;
  record.handler = arrive;
  record.detail = d.has("expect_tx") ? expects : what == "arrive_drop" ? drops : plain;
  // For a barrier of another block (shared::cluster), the instruction returns no state.
  const bool has_state = d.operand(0).kind != Operand::Kind::address;
  const std::size_t first = has_state ? 1 : 0;
  const uint32_t state = has_state ? d.destination(0, Type::b64) : d.sink();
  const uint32_t address = d.address(d.operand(first));
  const uint32_t amount = d.operands() > first + 1 ? d.source(first + 1, Type::u32) : d.constant(1);
  d.set_operands({address, amount, state});
  return true;
}

// cp.async.mbarrier.arrive: arrives when the lane's earlier copies have completed. They complete
// when a thread waits, so the arrival is kept until then. Without .noinc, the pending count is
// incremented now, to make up for this arrival.
void arrive_after_copies(Warp& w, const Record& in, uint32_t lanes) {
  Cluster& cluster = *w.block->cluster;
  for_lanes(lanes, [&](unsigned l) {
    if (w.event != Event::none) return;
    const uint64_t address = shared_address(w, in, 0, l);
    std::byte* place = place_of(w, in, l, address, true);
    if (place == nullptr || !spend(w, in, Resource::pending_copies, 1)) return;
    if (in.detail == 0) {
      MemoryBarrier barrier = read(place);
      ++barrier.pending;
      write(place, barrier);
    }
    uint32_t offset = 0;
    Block* block = shared_block(w, address, offset);
    cluster.commits.push_back({&w, l, w.copy_issues, block, offset, true});
    if (cluster.watch == nullptr) return;
    cluster.watch->touch(w, in, address, false);
    cluster.watch->arrive_at(w, in, address, true);
  });
  ++cluster.changes;
}

constexpr DecodeRow memory_barrier_table[] = {
    {"mbarrier", memory_barrier,
     "b64 shared shared::cta shared::cluster cta cluster acquire release noComplete"}};

}  // namespace

void complete_bytes(Block& block, uint32_t offset, uint32_t bytes) {
  if (offset + uint64_t{8} > block.shared.size()) return;
  std::byte* place = block.shared.data() + offset;
  MemoryBarrier barrier = read(place);
  const bool before = barrier.parity;
  barrier.bytes -= static_cast<int32_t>(bytes);
  barrier.complete();
  write(place, barrier);
  RaceWatch* watch = block.cluster->watch;
  if (watch != nullptr && barrier.parity != before) watch->end_phase(block, offset);
  ++block.cluster->changes;
}

void complete_arrival(Block& block, uint32_t offset) {
  std::byte* place = block.shared.data() + offset;
  uint64_t bits = 0;
  std::memcpy(&bits, place, 8);
  if (!MemoryBarrier::is_one(bits)) return;
  MemoryBarrier barrier = MemoryBarrier::of(bits);
  if (barrier.pending > 0) --barrier.pending;
  const bool before = barrier.parity;
  barrier.complete();
  write(place, barrier);
  RaceWatch* watch = block.cluster->watch;
  if (watch != nullptr && barrier.parity != before) watch->end_phase(block, offset);
  ++block.cluster->changes;
}

bool deliver_next(Cluster& cluster, const Block& block, uint32_t offset) {
  const auto found = std::ranges::find_if(cluster.bulk, [&](const PendingBulk& bulk) {
    return bulk.barrier_block == &block && bulk.barrier == offset;
  });
  if (found == cluster.bulk.end()) return deliver_commit(cluster, block, offset);
  cluster.extra_work += cluster.bulk.size() / 16;
  const PendingBulk bulk = std::move(*found);
  cluster.bulk.erase(found);
  Meter& meter = cluster.dispatch->meter();
  meter.release(Resource::pending_copies, 1);
  meter.release(Resource::memory_bytes, bulk.data.size());
  const auto step =
      bulk.reduction != nullptr ? static_cast<std::size_t>(bytes_of(bulk.reduction->type)) : 0;
  for (std::size_t at = 0; step != 0 && at + step <= bulk.data.size(); at += step)
    reduce_in_memory(bulk.reduction->type, bulk.reduction->operation,
                     bulk.block->shared.data() + bulk.address + at, bulk.data.data() + at);
  for (std::size_t at = 0; step == 0 && at < bulk.data.size(); at += 16)
    std::memcpy(bulk.block->shared.data() +
                    swizzled(bulk.address + static_cast<uint32_t>(at), bulk.swizzle_bytes),
                bulk.data.data() + at, std::min<std::size_t>(16, bulk.data.size() - at));
  if (cluster.watch != nullptr)
    cluster.watch->deliver(block, offset,
                           {bulk.is_message ? Engine::message : Engine::load, block.warps[0], 0,
                            bulk.number + 1, &block, offset});
  complete_bytes(*bulk.barrier_block, bulk.barrier, bulk.bytes);
  return true;
}

void complete_pending(Cluster& cluster) {
  while (!cluster.bulk.empty()) {
    const PendingBulk& next = cluster.bulk.front();
    deliver_next(cluster, *next.barrier_block, next.barrier);
  }
  while (!cluster.commits.empty()) {
    const PendingCommit& next = cluster.commits.front();
    deliver_commit(cluster, *next.barrier_block, next.barrier);
  }
}

bool decode_copy_arrival(Decoder& d) {
  d.record().space = Space::shared;
  d.record().detail = d.has("noinc");
  d.record().releases = true;
  d.record().handler = arrive_after_copies;
  d.set_operands({d.address(d.operand(0))});
  return true;
}

std::span<const DecodeRow> memory_barrier_rows() { return memory_barrier_table; }

}  // namespace heddle::emulator::ptx
