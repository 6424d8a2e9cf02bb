// cp.async.bulk: copies by the tensor memory accelerator, of bytes or of boxes of a tensor.
//
// A load arrives when a thread waits for its mbarrier. Until then its place in shared memory holds
// all ones. A store reads shared memory and writes global memory when its group is waited for.
#include <algorithm>
#include <bit>
#include <optional>
#include <span>

#include "emulator/ptx/asynchronous.h"
#include "emulator/ptx/dispatch.h"
#include "emulator/ptx/memory_barrier.h"
#include "emulator/ptx/races.h"
#include "emulator/record/formatted.h"
#include "heddle/instruction/shared_operand.h"

namespace heddle::emulator::ptx {
namespace {

uint32_t shared_at(uint64_t word, int64_t offset) {
  return static_cast<uint32_t>(word + static_cast<uint64_t>(offset));
}

// Offsets of the addresses of one record; `multicast`: a mask of blocks is an operand.
struct BulkForm {
  int64_t shared_offset = 0, other_offset = 0, barrier_offset = 0;
  uint8_t rank = 0;
  bool multicast = false;
};

void note_unchecked(const Warp& w) {
  if (RaceWatch* watch = w.block->cluster->watch)
    watch->note_unchecked("what cp.async.bulk reads and writes");
}

// --- boxes of tensors ----------------------------------------------------------------------------

// The map at an address; checks that its box fits the block's shared memory. Null after a fault.
const EncodedMap* map_at(Warp& w, const Record& in, unsigned lane, uint64_t address) {
  if (address % 64 != 0) {
    raise(w, in, FaultKind::misaligned, static_cast<int>(lane),
          formatted("a tensor map at address {:x}, which is no multiple of 64", address), address);
    return nullptr;
  }
  const std::byte* place = access(w, in, lane, address, 64, Space::generic, false);
  if (place == nullptr || access(w, in, lane, address + 64, 64, Space::generic, false) == nullptr)
    return nullptr;
  const auto& form = *static_cast<const BulkForm*>(in.extra);
  const EncodedMap* map = w.block->cluster->dispatch->find_map(place);
  if (map == nullptr) {
    raise(w, in, FaultKind::unsupported, static_cast<int>(lane),
          "there is no tensor map of the launch at this address: give it to the kernel as an "
          "argument",
          address);
    return nullptr;
  }
  if (map->dimensions != form.rank) {
    raise(w, in, FaultKind::unsupported, static_cast<int>(lane),
          formatted("the tensor map has {} dimensions, and the instruction {}",
                    int{map->dimensions}, int{form.rank}));
    return nullptr;
  }
  if (map->box_bytes() > w.block->shared.size()) {
    raise(w, in, FaultKind::lds_out_of_bounds, static_cast<int>(lane),
          formatted("the box of the tensor map has {} bytes, and shared memory ends at {:x}",
                    map->box_bytes(), w.block->shared.size()),
          address);
    return nullptr;
  }
  return map;
}

// Calls use(global address, offset in the box, bytes) for each piece of a row of the box that is
// inside the tensor.
template <class F>
bool for_rows(const EncodedMap& map, const std::array<int32_t, 5>& coordinates, F use) {
  const uint32_t row_bytes = uint32_t{map.box[0]} * map.element_bytes;
  const int64_t first = std::max<int64_t>(0, -int64_t{coordinates[0]});
  const int64_t last =
      std::min<int64_t>(map.box[0], static_cast<int64_t>(map.sizes[0]) - coordinates[0]);
  std::array<uint32_t, 5> index{};
  uint32_t row = 0;
  for (;;) {
    bool inside = first < last;
    uint64_t address = map.address;
    for (unsigned i = 1; i < map.dimensions; ++i) {
      const int64_t at = int64_t{coordinates[i]} + index[i];
      inside &= at >= 0 && at < static_cast<int64_t>(map.sizes[i]);
      address += static_cast<uint64_t>(at) * map.strides[i];
    }
    if (inside) {
      address += static_cast<uint64_t>(coordinates[0] + first) * map.element_bytes;
      if (!use(address, row * row_bytes + static_cast<uint32_t>(first) * map.element_bytes,
               static_cast<uint32_t>(last - first) * map.element_bytes))
        return false;
    }
    ++row;
    unsigned i = 1;
    for (; i < map.dimensions; ++i) {
      if (++index[i] < map.box[i]) break;
      index[i] = 0;
    }
    if (i >= map.dimensions) return true;
  }
}

// The host's pointer to a piece of global memory, which need not be aligned.
std::byte* global_piece(Warp& w, const Record& in, unsigned lane, uint64_t address, uint32_t bytes,
                        bool writes) {
  const std::byte* last = access(w, in, lane, address + bytes - 1, 1, Space::global, writes);
  std::byte* first = last ? access(w, in, lane, address, 1, Space::global, writes) : nullptr;
  if (RaceWatch* watch = w.block->cluster->watch; watch != nullptr && first != nullptr) {
    std::array<uint64_t, 32> addresses{};
    addresses[lane] = address;
    if (writes)
      watch->defined().write(w, Space::global, 1u << lane, addresses.data(), bytes);
    else
      watch->defined().read(w, in, Space::global, 1u << lane, addresses.data(), bytes, true);
  }
  return first;
}

// Sends data to the shared memory of each block of a mask. They are written when the barrier is
// waited for.
void send(Warp& w, const Record& in, unsigned lane, uint32_t to, uint32_t barrier, uint32_t blocks,
          const std::vector<std::byte>& data, uint32_t swizzle_bytes) {
  Cluster& cluster = *w.block->cluster;
  const auto bytes = static_cast<uint32_t>(data.size());
  for_lanes(blocks, [&](unsigned rank) {
    if (w.event != Event::none) return;
    uint32_t offset = 0, barrier_offset = 0;
    Block* block = shared_block(w, to, offset);
    Block* barrier_block = shared_block(w, barrier, barrier_offset);
    if (blocks != 1u << 31) {
      if (rank >= cluster.blocks.size())
        return raise(
            w, in, FaultKind::lds_out_of_bounds, static_cast<int>(lane),
            formatted("a copy to block {} of a cluster of {}", rank, cluster.blocks.size()));
      block = barrier_block = &cluster.blocks[rank];
    }
    if (barrier_block == nullptr || barrier_offset < shared_begin || barrier_offset % 8 != 0 ||
        barrier_offset + uint64_t{8} > barrier_block->shared.size())
      return raise(w, in, FaultKind::lds_out_of_bounds, static_cast<int>(lane),
                   formatted("there can be no mbarrier at address {:x} of shared memory", barrier),
                   barrier);
    if (block == nullptr || offset < shared_begin ||
        offset + uint64_t{bytes} > block->shared.size())
      return raise(w, in, FaultKind::lds_out_of_bounds, static_cast<int>(lane),
                   formatted("a copy of {} bytes to address {:x} of shared memory, which the block "
                             "has up to {:x}",
                             bytes, to, w.block->shared.size()),
                   to);
    for (uint32_t at = 0; at < bytes; at += 16) {
      const uint32_t place = swizzled(offset + at, swizzle_bytes);
      if (place + uint64_t{16} > block->shared.size())
        return raise(w, in, FaultKind::lds_out_of_bounds, static_cast<int>(lane),
                     "the swizzle reaches beyond the block's shared memory: align the box", to);
      std::fill_n(block->shared.begin() + place, 16, std::byte{0xff});
      if (cluster.watch != nullptr) cluster.watch->defined().write_shared(*block, place, 16);
    }
    if (!spend(w, in, Resource::pending_copies, 1) || !spend(w, in, Resource::bulk_bytes, bytes) ||
        !spend(w, in, Resource::memory_bytes, bytes))
      return;
    cluster.bulk.push_back(
        {block, offset, swizzle_bytes, data, barrier_block, barrier_offset, bytes});
    cluster.counts.shared_written += bytes;
  });
  ++cluster.changes;
}

// Rounds f32 as a map of tf32 does: to the nearest number of 11 bits, ties to even; every NaN
// becomes the same one. Seen on an H100: tests/data/nvidia_rounded_boxes_h100.json.gz.
void round_to_tf32(std::span<std::byte> numbers) {
  constexpr uint32_t cut = 0x1fff, infinity = 0x7f800000, sign = 0x80000000, nan = 0x7fffe000;
  for (std::size_t at = 0; at + 4 <= numbers.size(); at += 4) {
    uint32_t bits = 0;
    std::memcpy(&bits, numbers.data() + at, 4);
    const uint32_t to_even = (cut >> 1) + (bits >> 13 & 1);
    bits = (bits & ~sign) > infinity ? nan : (bits + to_even) & ~cut;
    std::memcpy(numbers.data() + at, &bits, 4);
  }
}

constexpr uint32_t own_block = 1u << 31;  // a mask that stands for the address itself

bool well_aligned(Warp& w, const Record& in, unsigned lane, uint64_t address, uint64_t step,
                  const char* what) {
  if (address % step == 0) return true;
  raise(w, in, FaultKind::misaligned, static_cast<int>(lane),
        formatted("{} {:x} of a bulk copy is no multiple of {}", what, address, step), address);
  return false;
}

// Operands: to, map, barrier, mask, coordinates.
void load_box(Warp& w, const Record& in, uint32_t lanes) {
  const auto& form = *static_cast<const BulkForm*>(in.extra);
  note_unchecked(w);
  for_lanes(lanes, [&](unsigned l) {
    if (w.event != Event::none) return;
    const EncodedMap* map =
        map_at(w, in, l, w.at(in.operand[1])[l] + static_cast<uint64_t>(form.other_offset));
    if (map == nullptr) return;
    const uint32_t to = shared_at(w.at(in.operand[0])[l], form.shared_offset);
    if (!well_aligned(w, in, l, to & ((1u << rank_shift) - 1), 128, "the shared address")) return;
    std::array<int32_t, 5> coordinates{};
    for (unsigned i = 0; i < form.rank; ++i)
      coordinates[i] = get<int32_t>(w.at(in.operand[4 + i]), l);
    std::vector<std::byte> data(map->box_bytes(), std::byte{0});
    const bool fits =
        for_rows(*map, coordinates, [&](uint64_t address, uint32_t offset, uint32_t bytes) {
          const std::byte* from = global_piece(w, in, l, address, bytes, false);
          if (from == nullptr) return false;
          std::memcpy(data.data() + offset, from, bytes);
          w.block->cluster->counts.global_read += bytes;
          return true;
        });
    if (!fits) return;
    if (map->element == static_cast<uint8_t>(instruction::ElementType::xf32)) round_to_tf32(data);
    const uint32_t mask =
        form.multicast ? get<uint32_t>(w.at(in.operand[3]), l) & 0xffff : own_block;
    send(w, in, l, to, shared_at(w.at(in.operand[2])[l], form.barrier_offset), mask, data,
         map->swizzle_bytes);
  });
}

// Operands: to, from, barrier, mask, bytes. `detail`: from shared memory.
void load_bytes(Warp& w, const Record& in, uint32_t lanes) {
  const auto& form = *static_cast<const BulkForm*>(in.extra);
  note_unchecked(w);
  for_lanes(lanes, [&](unsigned l) {
    if (w.event != Event::none) return;
    const uint32_t to = shared_at(w.at(in.operand[0])[l], form.shared_offset);
    const uint64_t from = w.at(in.operand[1])[l] + static_cast<uint64_t>(form.other_offset);
    const auto bytes = get<uint32_t>(w.at(in.operand[4]), l);
    if (!well_aligned(w, in, l, to & 0xffffff, 16, "the shared address") ||
        !well_aligned(w, in, l, from, 16, "the address") ||
        !well_aligned(w, in, l, bytes, 16, "the size"))
      return;
    if (bytes == 0 || bytes > 1u << 20) return;
    const std::byte* place = in.detail ? shared_access(w, in, l, static_cast<uint32_t>(from), bytes)
                                       : global_piece(w, in, l, from, bytes, false);
    if (place == nullptr) return;
    if (!in.detail) w.block->cluster->counts.global_read += bytes;
    const uint32_t mask =
        form.multicast ? get<uint32_t>(w.at(in.operand[3]), l) & 0xffff : own_block;
    send(w, in, l, to, shared_at(w.at(in.operand[2])[l], form.barrier_offset), mask,
         {place, place + bytes}, 0);
  });
}

// --- stores --------------------------------------------------------------------------------------

// Operands: from, map or address, bytes, coordinates. Kept until the group is waited for.
void store_later(Warp& w, const Record& in, uint32_t lanes) {
  const auto& form = *static_cast<const BulkForm*>(in.extra);
  note_unchecked(w);
  for_lanes(lanes, [&](unsigned l) {
    if (w.event != Event::none || !spend(w, in, Resource::pending_copies, 1)) return;
    PendingStore store;
    store.group = w.store_commits[l];
    store.lane = l;
    store.record = &in;
    store.shared = shared_at(w.at(in.operand[0])[l], form.shared_offset);
    const uint64_t other = w.at(in.operand[1])[l] + static_cast<uint64_t>(form.other_offset);
    (form.rank > 0 ? store.map : store.global) = other;
    store.bytes = get<uint32_t>(w.at(in.operand[2]), l);
    for (unsigned i = 0; i < form.rank; ++i)
      store.coordinates[i] = get<int32_t>(w.at(in.operand[3 + i]), l);
    w.stores.push_back(store);
  });
  ++w.block->cluster->changes;
}

void carry_out(Warp& w, const PendingStore& store) {
  const Record& in = *store.record;
  const unsigned l = store.lane;
  Counts& counts = w.block->cluster->counts;
  if (static_cast<const BulkForm*>(in.extra)->rank == 0) {
    if (!well_aligned(w, in, l, store.shared, 16, "the shared address") ||
        !well_aligned(w, in, l, store.global, 16, "the address") ||
        !well_aligned(w, in, l, store.bytes, 16, "the size") || store.bytes == 0)
      return;
    const std::byte* from = shared_access(w, in, l, store.shared, store.bytes);
    std::byte* to = from ? global_piece(w, in, l, store.global, store.bytes, true) : nullptr;
    if (to == nullptr || !spend(w, in, Resource::bulk_bytes, store.bytes)) return;
    std::memcpy(to, from, store.bytes);
    counts.global_written += store.bytes;
    counts.shared_read += store.bytes;
    return;
  }
  const EncodedMap* map = map_at(w, in, l, store.map);
  if (map == nullptr || !well_aligned(w, in, l, store.shared, 128, "the shared address")) return;
  const auto bytes = static_cast<uint32_t>(map->box_bytes());
  if (!spend(w, in, Resource::bulk_bytes, bytes)) return;
  if (shared_access(w, in, l, store.shared, bytes) == nullptr) return;
  uint32_t begin = 0;
  const Block* block = shared_block(w, store.shared, begin);
  for_rows(*map, store.coordinates, [&](uint64_t address, uint32_t offset, uint32_t size) {
    std::byte* to = global_piece(w, in, l, address, size, true);
    if (to == nullptr) return false;
    for (uint32_t i = 0; i < size; ++i) {
      const uint32_t at = swizzled(begin + offset + i, map->swizzle_bytes);
      if (at >= block->shared.size()) {
        raise(w, in, FaultKind::lds_out_of_bounds, static_cast<int>(l),
              "the swizzle reaches beyond the block's shared memory: align the box", store.shared);
        return false;
      }
      to[i] = block->shared[at];
    }
    counts.global_written += size;
    return true;
  });
  counts.shared_read += bytes;
}

void commit_stores(Warp& w, const Record&, uint32_t lanes) {
  for_lanes(lanes, [&](unsigned l) { ++w.store_commits[l]; });
}

void wait_for_stores(Warp& w, const Record& in, uint32_t lanes) {
  const auto left = static_cast<uint64_t>(in.immediate);
  const auto is_due = [&](const PendingStore& store) {
    return (lanes >> store.lane & 1) != 0 && store.group + left < w.store_commits[store.lane];
  };
  for (const PendingStore& store : w.stores)
    if (w.event == Event::none && is_due(store)) carry_out(w, store);
  w.block->cluster->extra_work += w.stores.size() / 16;
  release(w, Resource::pending_copies, std::erase_if(w.stores, is_due));
  ++w.block->cluster->changes;
}

// --- forms ---------------------------------------------------------------------------------------

uint32_t address_with(Decoder& d, std::size_t i, int64_t& offset, Space space) {
  d.record().space = space;
  const uint32_t word = d.address(d.operand(i));
  offset = d.record().immediate;
  d.record().immediate = 0;
  return word;
}

uint8_t rank_of(const Decoder& d) {
  constexpr std::string_view names[] = {"1d", "2d", "3d", "4d", "5d"};
  for (uint8_t i = 0; i < 5; ++i)
    if (d.has(names[i])) return i + 1;
  return 0;
}

void add_coordinates(Decoder& d, std::size_t map_operand, uint8_t rank,
                     std::vector<uint32_t>& words) {
  const Operand& map = d.operand(map_operand);
  if (map.parts.size() != 1 || map.parts[0].kind != Operand::Kind::vector ||
      map.parts[0].parts.size() != rank)
    d.bad(map,
          formatted("a tensor map and {} coordinates are expected: [map, {{x, …}]", int{rank}));
  for (const Operand& part : map.parts[0].parts) words.push_back(d.source(part, Type::s32));
}

bool decode_store(Decoder& d, uint8_t rank) {
  BulkForm form;
  form.rank = rank;
  const uint32_t from = address_with(d, 1, form.shared_offset, Space::shared);
  const uint32_t to =
      address_with(d, 0, form.other_offset, rank > 0 ? Space::generic : Space::global);
  std::vector<uint32_t> words{from, to, rank > 0 ? d.constant(0) : d.source(2, Type::u32)};
  if (rank > 0) add_coordinates(d, 0, rank, words);
  d.record().extra = d.keep(form);
  d.record().handler = store_later;
  d.set_operands(std::move(words));
  return true;
}

bool decode_load(Decoder& d, uint8_t rank) {
  BulkForm form;
  form.rank = rank;
  form.multicast = d.has("multicast::cluster");
  const uint32_t to = address_with(d, 0, form.shared_offset, Space::shared);
  const uint32_t from =
      address_with(d, 1, form.other_offset, rank > 0 ? Space::generic : Space::global);
  const std::size_t barrier_at = rank > 0 ? 2 : 3;
  const uint32_t barrier = address_with(d, barrier_at, form.barrier_offset, Space::shared);
  const uint32_t mask = form.multicast ? d.source(barrier_at + 1, Type::b16) : d.constant(0);
  std::vector<uint32_t> words{to, from, barrier, mask};
  if (rank > 0)
    add_coordinates(d, 1, rank, words);
  else
    words.push_back(d.source(2, Type::u32));
  // …shared::cluster.shared::cta…: the second space is that of the source.
  int shared_spaces = 0;
  for (std::size_t i = 1; i < d.modifiers(); ++i)
    shared_spaces += d.statement().opcode[i].starts_with("shared");
  d.record().detail = rank == 0 && shared_spaces == 2;
  d.record().extra = d.keep(form);
  d.record().handler = rank > 0 ? load_box : load_bytes;
  d.set_operands(std::move(words));
  return true;
}

}  // namespace

uint32_t swizzled(uint32_t address, uint32_t swizzle_bytes) {
  for (const instruction::SwizzleRow& row : instruction::swizzle_rows) {
    if (row.bits == 0 || row.first_bit != 4 || row.line_bytes != static_cast<int>(swizzle_bytes))
      continue;
    const uint32_t mask = ((1u << row.bits) - 1) << row.first_bit;
    return address ^ (address >> row.shift & mask);
  }
  return address;
}

bool decode_bulk_copy(Decoder& d) {
  Record& record = d.record();
  if (d.has("commit_group")) {
    record.handler = commit_stores;
    d.set_operands({});
    return true;
  }
  if (d.has("wait_group")) {
    record.handler = wait_for_stores;
    if (d.operand(0).kind != Operand::Kind::number)
      d.bad("the number of groups that may be under way is expected");
    record.immediate = static_cast<int64_t>(d.operand(0).bits);
    d.set_operands({});
    return true;
  }
  if (d.has("prefetch")) return decode_no_operation(d);
  for (const std::string_view unknown :
       {"reduce", "im2col", "im2col::w", "tile::gather4", "cp_mask", "tile::scatter4",
        "im2col::w::128", "ignore_oob"})
    if (d.has(unknown)) return false;
  const uint8_t rank = rank_of(d);
  if (d.has("tensor") != (rank > 0)) return false;
  if (d.has("bulk_group")) return decode_store(d, rank);
  if (d.has("mbarrier::complete_tx::bytes")) return decode_load(d, rank);
  return false;
}

}  // namespace heddle::emulator::ptx
