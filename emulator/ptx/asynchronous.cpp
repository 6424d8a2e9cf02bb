// cp.async: each lane copies bytes from global to shared memory. The data are written when a thread
// waits for the copies. Until then the destination in shared memory holds all ones (NaN). So two
// mistakes become visible: a missing wait, and a copy that overwrites a buffer which is still being
// read.
#include <algorithm>
#include <span>

#include "emulator/ptx/asynchronous.h"
#include "emulator/ptx/elementwise.h"
#include "emulator/ptx/races.h"

namespace heddle::emulator::ptx {
namespace {

// Operands: the shared address, the global address, and optionally the number of bytes to read (the
// rest becomes zeros; `detail` is 1) or a predicate that says to read nothing (`detail` is 2).
void copy(Warp& w, const Record& in, uint32_t lanes) {
  Counts& counts = w.block->cluster->counts;
  std::array<uint64_t, 32> addresses{}, sources{};
  uint32_t reading = 0;  // lanes
  const uint32_t number = w.copy_issues++;
  RaceWatch* const watch = w.block->cluster->watch;
  RaceWatch::Operation operation;
  if (watch != nullptr) operation = watch->issue({Engine::copy, w, 0, number}, in, lanes);
  for_lanes(lanes, [&](unsigned l) {
    if (w.event != Event::none) return;
    const uint64_t to =
        static_cast<uint32_t>(w.at(in.operand[0])[l] + static_cast<uint64_t>(in.immediate));
    const uint64_t from =
        w.at(in.operand[1])[l] + static_cast<uint64_t>(static_cast<int32_t>(in.target));
    uint32_t bytes = in.bytes;
    if (in.detail == 1) bytes = std::min<uint32_t>(bytes, get<uint32_t>(w.at(in.operand[2]), l));
    if (in.detail == 2 && (*w.at(in.operand[2]) >> l & 1) != 0) bytes = 0;
    addresses[l] = to;
    if (to % in.bytes != 0)
      return raise(w, in, FaultKind::misaligned, static_cast<int>(l),
                   "a copy to a place in shared memory that is no multiple of its size", to);
    std::byte* place = shared_access(w, in, l, to, in.bytes);
    if (place == nullptr) return;
    PendingCopy pending{w.copy_commits[l], number, l, static_cast<uint32_t>(to), in.bytes, &in, {}};
    if (bytes > 0) {
      if (from % in.bytes != 0)
        return raise(w, in, FaultKind::misaligned, static_cast<int>(l),
                     "a copy from a place in global memory that is no multiple of its size", from);
      const std::byte* source = access(w, in, l, from, bytes, Space::global, false);
      if (source == nullptr) return;
      std::memcpy(pending.data.data(), source, bytes);
      sources[l] = from;
      reading |= 1u << l;
    }
    if (watch != nullptr) {
      if (bytes > 0) watch->reads(operation, from, bytes);
      uint32_t offset = 0;
      const Block* block = shared_block(w, to, offset);
      watch->writes(operation, *block, offset, in.bytes, pending.data.data());
    }
    // If the destination already holds the same bytes, it does not matter when the data arrive.
    if (std::memcmp(place, pending.data.data(), in.bytes) != 0)
      std::fill_n(place, in.bytes, std::byte{0xff});
    if (!spend(w, in, Resource::pending_copies, 1)) return;
    counts.global_read += bytes;
    counts.shared_written += in.bytes;
    w.copies.push_back(pending);
  });
  if (w.event != Event::none) return;
  ++w.block->cluster->changes;
  count_shared(w, in, lanes, addresses.data(), in.bytes, false, 0);
  count_global(w, in, reading, sources.data(), in.bytes);
}

// cp.async.wait_group: completes the copies of these lanes, except those of the last N groups
// (`immediate`). cp.async.wait_all completes every copy.
void wait_for_copies(Warp& w, const Record& in, uint32_t lanes) {
  arrive_copies(w, lanes, static_cast<uint64_t>(in.immediate), in.detail != 0);
}
void commit(Warp& w, const Record&, uint32_t lanes) {
  for_lanes(lanes, [&](unsigned l) { ++w.copy_commits[l]; });
}

bool asynchronous_copy(Decoder& d) {
  Record& record = d.record();
  if (d.has("bulk")) return decode_bulk_copy(d);
  if (d.has("mbarrier")) return decode_copy_arrival(d);
  if (d.has("commit_group")) {
    record.handler = commit;
    d.set_operands({});
    return true;
  }
  if (d.has("wait_group") || d.has("wait_all")) {
    record.handler = wait_for_copies;
    record.detail = d.has("wait_all");
    if (d.has("wait_group")) {
      if (d.operand(0).kind != Operand::Kind::number)
        d.bad("the number of groups that may be under way is expected");
      record.immediate = static_cast<int64_t>(d.operand(0).bits);
    }
    d.set_operands({});
    return true;
  }
  if (!d.has("ca") && !d.has("cg")) return false;
  const Operand& size = d.operand(2);
  if (size.kind != Operand::Kind::number || (size.bits != 4 && size.bits != 8 && size.bits != 16))
    d.bad(size, "a copy has 4, 8 or 16 bytes");
  record.bytes = static_cast<uint8_t>(size.bits);
  record.handler = copy;
  // The offset of the shared address goes to `immediate`, that of the global address to `target`.
  const uint32_t from = d.address(d.operand(1));
  record.target = static_cast<uint32_t>(record.immediate);
  record.immediate = 0;
  record.space = Space::shared;
  std::vector<uint32_t> words{d.address(d.operand(0)), from};
  std::size_t next = 3;
  if (next < d.operands() && !d.has("L2::cache_hint")) {
    const Operand& last = d.operand(next);
    const bool is_predicate = d.bits_of(last) == 1;
    record.detail = is_predicate ? 2 : 1;
    words.push_back(is_predicate ? d.source(last, Type::pred) : d.source(last, Type::u32));
  } else if (d.operands() > 4) {
    record.detail = 1;
    words.push_back(d.source(next, Type::u32));
  }
  d.set_operands(std::move(words));
  return true;
}

constexpr DecodeRow asynchronous_table[] = {
    {"cp", asynchronous_copy,
     "async arrive b64 shared shared::cta shared::cluster global tile read L2::*"}};

}  // namespace

bool is_on_its_way(const Warp& writer, const Block& block, uint32_t offset,
                   std::span<const std::byte> data) {
  for (const Block& other : block.cluster->blocks)
    for (const Warp& w : other.warps) {
      if (&w == &writer) continue;
      block.cluster->extra_work += w.copies.size() / 16;
      for (const PendingCopy& pending : w.copies) {
        uint32_t begin = 0;
        if (shared_block(w, pending.address, begin) != &block || offset < begin ||
            offset + data.size() > begin + std::size_t{pending.bytes})
          continue;
        if (std::memcmp(pending.data.data() + (offset - begin), data.data(), data.size()) == 0)
          return true;
      }
    }
  return false;
}

namespace {

// Completes the pending copies for which arrives() is true. `waits`: true if the lane that issued
// the copies has waited for them, false if an mbarrier has reported their completion.
template <class Arrives>
void arrive_if(Warp& w, bool waits, Arrives arrives) {
  RaceWatch* const watch = w.block->cluster->watch;
  for (const PendingCopy& pending : w.copies) {
    if (!arrives(pending)) continue;
    uint32_t offset = 0;
    Block* block = shared_block(w, pending.address, offset);
    if (block == nullptr) continue;
    std::memcpy(block->shared.data() + offset, pending.data.data(), pending.bytes);
    if (watch != nullptr && waits)
      watch->land(w, *pending.record, pending.lane, *block, offset, pending.bytes);
  }
  w.block->cluster->extra_work += w.copies.size() / 16;
  release(w, Resource::pending_copies, std::erase_if(w.copies, arrives));
  ++w.block->cluster->changes;
}

}  // namespace

void arrive_copies(Warp& w, uint32_t lanes, uint64_t left, bool all) {
  uint32_t first_left = w.copy_issues;  // of the copies that stay
  arrive_if(w, true, [&](const PendingCopy& pending) {
    if ((lanes >> pending.lane & 1) == 0) return false;
    if (all || pending.group + left < w.copy_commits[pending.lane]) return true;
    first_left = std::min(first_left, pending.number);
    return false;
  });
  if (RaceWatch* watch = w.block->cluster->watch) watch->complete({Engine::copy, w, 0, first_left});
}

void arrive_copies_before(Warp& w, uint32_t lane, uint32_t number) {
  arrive_if(w, false, [&](const PendingCopy& pending) {
    return pending.lane == lane && pending.number < number;
  });
}

std::span<const DecodeRow> asynchronous_rows() { return asynchronous_table; }

}  // namespace heddle::emulator::ptx
