// cp.async.bulk: the tensor memory accelerator copies bytes, or boxes of a tensor. A load is
// carried out when a thread waits for its mbarrier; until then its destination holds all ones. A
// store is carried out when a thread waits for the bulk group that contains the store.
#include <algorithm>
#include <bit>
#include <optional>
#include <span>
#include <utility>

#include "emulator/ptx/asynchronous.h"
#include "emulator/ptx/atomic.h"
#include "emulator/ptx/box_walk.h"
#include "emulator/ptx/dispatch.h"
#include "emulator/ptx/memory_barrier.h"
#include "emulator/ptx/races.h"
#include "emulator/ptx/tensor_map.h"
#include "heddle/instruction/shared_operand.h"
#include "library/text/formatted.h"

namespace heddle::emulator::ptx {
namespace {

uint32_t shared_at(uint64_t word, int64_t offset) {
  return static_cast<uint32_t>(word + static_cast<uint64_t>(offset));
}

struct ReductionRow {
  std::string_view name;
  uint8_t operation;
};

const ReductionRow* reduction_of(const Decoder& d) {
  static constexpr ReductionRow rows[] = {{"add", add_operation},
                                          {"min", 1},
                                          {"max", 2},
                                          {"and", 3},
                                          {"or", 4},
                                          {"xor", 5},
                                          {"inc", 8},
                                          {"dec", 9}};
  for (const ReductionRow& row : rows)
    if (d.has(row.name)) return &row;
  return nullptr;
}

// A decoded bulk copy: offsets of its addresses. `multicast`: an operand is a mask of blocks.
struct BulkForm {
  int64_t shared_offset = 0, other_offset = 0, barrier_offset = 0;
  uint8_t rank = 0;
  uint8_t rows = 1;  // boxes: .gather4 and .scatter4 have four, of one row
  bool multicast = false;
  const ReductionRow* reduction = nullptr;  // of cp.reduce.async.bulk and red.async
  BulkReduction in_shared;                  // the same where a barrier counts the bytes
  Type type = Type::none;                   // of its elements, if there is no map

  // How many coordinates follow the tensor map in the operand [map, {…}].
  unsigned coordinates() const { return rows == 1 ? rank : 1u + rows; }
};

// --- boxes of tensors ----------------------------------------------------------------------------

// The tensor map at an address, if its box fits into shared memory; else raises a fault.
std::optional<BoxMap> map_at(Warp& w, const Record& in, unsigned lane, uint64_t address) {
  const auto fault = [&](FaultKind kind, std::string message) {
    raise(w, in, kind, static_cast<int>(lane), std::move(message), address);
    return std::nullopt;
  };
  if (address % 64 != 0)
    return fault(FaultKind::misaligned,
                 formatted("a tensor map at address {:#x}, which is no multiple of 64", address));
  const std::byte* place = access(w, in, lane, address, 64, Space::generic, false);
  if (place == nullptr || access(w, in, lane, address + 64, 64, Space::generic, false) == nullptr)
    return {};
  const auto& form = *static_cast<const BulkForm*>(in.extra);
  auto map = decode_map(place);
  if (!map) return fault(FaultKind::unsupported, std::move(map.error()));
  if (map->dimensions != form.rank)
    return fault(FaultKind::unsupported,
                 formatted("the tensor map has {} dimensions, and the instruction {}",
                           map->dimensions, int{form.rank}));
  if (form.rows > 1 && map->box[1] != 1)
    return fault(FaultKind::unsupported,
                 formatted("a box of {} rows: with .tile::gather4 and .tile::scatter4 it has one",
                           map->box[1]));
  if (map->shared_bytes() * form.rows > w.block->shared.size())
    return fault(
        FaultKind::lds_out_of_bounds,
        formatted("the box of the tensor map has {} bytes, and shared memory ends at {:#x}",
                  map->shared_bytes() * form.rows, w.block->shared.size()));
  return *map;
}

// The host's pointer to bytes of global memory, which need not be aligned; null after a fault.
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

// Bytes that a copy reads: of a block's shared memory, or of global memory if `block` is null.
struct Piece {
  uint64_t address;
  uint32_t bytes;
  const Block* block = nullptr;
};

// Sends data to the blocks in the mask `blocks`. The data are written when a thread waits for
// `barrier`, which counts `counted` bytes (0: all). `from`: the source, for the race detector.
void send(Warp& w, const Record& in, unsigned lane, uint32_t to, uint32_t barrier, uint32_t blocks,
          const std::vector<std::byte>& data, uint32_t swizzle_bytes,
          const BulkReduction* reduction = nullptr, std::span<const Piece> from = {},
          Engine engine = Engine::load, uint32_t counted = 0) {
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
                   formatted("there can be no mbarrier at address {:#x} of shared memory", barrier),
                   barrier);
    if (block == nullptr || offset < shared_begin ||
        offset + uint64_t{bytes} > block->shared.size())
      return raise(
          w, in, FaultKind::lds_out_of_bounds, static_cast<int>(lane),
          formatted("a copy of {} bytes to address {:#x} of shared memory, which the block "
                    "has up to {:#x}",
                    bytes, to, w.block->shared.size()),
          to);
    const uint32_t number = cluster.bulk_issues++;
    RaceWatch::Operation operation;
    if (cluster.watch != nullptr) {
      operation = cluster.watch->issue({engine, w, 0, number, barrier_block, barrier_offset}, in,
                                       1u << lane);
      for (const Piece& piece : from) {
        if (piece.block != nullptr)
          cluster.watch->reads(operation, *piece.block, static_cast<uint32_t>(piece.address),
                               piece.bytes);
        else
          cluster.watch->reads(operation, piece.address, piece.bytes);
      }
      cluster.watch->names_barrier(operation, *barrier_block, barrier_offset);
    }
    from = {};                                                 // of several blocks it is read once
    const bool has_whole_lines = (offset | bytes) % 128 == 0;  // a swizzle stays within one
    if (cluster.watch != nullptr && has_whole_lines &&
        offset + uint64_t{bytes} <= block->shared.size())
      cluster.watch->writes(operation, *block, offset, bytes);
    for (uint32_t at = 0; at < bytes; at += 16) {
      const uint32_t place = swizzled(offset + at, swizzle_bytes), size = std::min(16u, bytes - at);
      if (place + uint64_t{size} > block->shared.size())
        return raise(w, in, FaultKind::lds_out_of_bounds, static_cast<int>(lane),
                     "the swizzle reaches beyond the block's shared memory: align the box", to);
      if (cluster.watch != nullptr && !has_whole_lines)
        cluster.watch->writes(operation, *block, place, size);
      if (reduction != nullptr) continue;
      std::fill_n(block->shared.begin() + place, size, std::byte{0xff});
    }
    if (!spend(w, in, Resource::pending_copies, 1) || !spend(w, in, Resource::bulk_bytes, bytes) ||
        !spend(w, in, Resource::memory_bytes, bytes))
      return;
    cluster.bulk.push_back({block, offset, swizzle_bytes, data, barrier_block, barrier_offset,
                            counted != 0 ? counted : bytes, reduction, number,
                            engine == Engine::message});
    cluster.counts.shared_written += bytes;
  });
  ++cluster.changes;
}

constexpr uint32_t own_block = 1u << 31;  // a mask that stands for the address itself

bool well_aligned(Warp& w, const Record& in, unsigned lane, uint64_t address, uint64_t step,
                  const char* what) {
  if (address % step == 0) return true;
  raise(w, in, FaultKind::misaligned, static_cast<int>(lane),
        formatted("{} {:#x} of a bulk copy is no multiple of {}", what, address, step), address);
  return false;
}

// Operands: to, map, barrier, mask, coordinates.
void load_box(Warp& w, const Record& in, uint32_t lanes) {
  const auto& form = *static_cast<const BulkForm*>(in.extra);
  for_lanes(lanes, [&](unsigned l) {
    if (w.event != Event::none) return;
    const auto map =
        map_at(w, in, l, w.at(in.operand[1])[l] + static_cast<uint64_t>(form.other_offset));
    if (!map) return;
    const uint32_t to = shared_at(w.at(in.operand[0])[l], form.shared_offset);
    if (!well_aligned(w, in, l, to & ((1u << rank_shift) - 1), 128, "the shared address")) return;
    std::array<int32_t, 5> coordinates{};
    for (unsigned i = 0; i < form.coordinates(); ++i)
      coordinates[i] = get<int32_t>(w.at(in.operand[4 + i]), l);
    if (!to_units(w, in, l, *map, coordinates)) return;
    std::vector<std::byte> data(map->box_bytes() * form.rows,
                                map->fills_nan ? std::byte{0xff} : std::byte{0});
    std::vector<Piece> pieces;
    const bool fits = for_rows(
        form.rows, *map, coordinates, [&](uint64_t address, uint32_t offset, uint32_t bytes) {
          const std::byte* from = global_piece(w, in, l, address, bytes, false);
          if (from == nullptr) return false;
          std::memcpy(data.data() + offset, from, bytes);
          if (w.block->cluster->watch != nullptr) pieces.push_back({address, bytes});
          w.block->cluster->counts.global_read += bytes;
          return true;
        });
    if (!fits) return;
    if (map->element == element_tf32 || map->element == element_tf32_ftz) round_to_tf32(data);
    const uint32_t mask =
        form.multicast ? get<uint32_t>(w.at(in.operand[3]), l) & 0xffff : own_block;
    // The mbarrier does not count the bytes of padding. CUTLASS and Triton rely on this.
    const auto counted = static_cast<uint32_t>(data.size());
    send(w, in, l, to, shared_at(w.at(in.operand[2])[l], form.barrier_offset), mask,
         with_padding(*map, std::move(data)), map->swizzle_bytes, nullptr, pieces, Engine::load,
         counted);
  });
}

// Operands: destination, source, barrier, mask, bytes. `detail`: the source is shared memory.
void load_bytes(Warp& w, const Record& in, uint32_t lanes) {
  const auto& form = *static_cast<const BulkForm*>(in.extra);
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
    uint32_t offset = 0;
    const Block* source = in.detail ? shared_block(w, from, offset) : nullptr;
    const Piece piece{source != nullptr ? offset : from, bytes, source};
    send(w, in, l, to, shared_at(w.at(in.operand[2])[l], form.barrier_offset), mask,
         {place, place + bytes}, 0, form.reduction != nullptr ? &form.in_shared : nullptr,
         {&piece, 1});
  });
}

// --- stores --------------------------------------------------------------------------------------

// Tells the race detector what a store reads and writes. Faults are raised later, in carry_out().
void watch_store(Warp& w, const PendingStore& store) {
  const Record& in = *store.record;
  const auto& form = *static_cast<const BulkForm*>(in.extra);
  RaceWatch& watch = *w.block->cluster->watch;
  const auto operation =
      watch.issue({Engine::store, w, store.lane, store.number}, in, 1u << store.lane);
  uint32_t begin = 0;
  const Block* block = shared_block(w, store.shared, begin);
  const auto read = [&](uint32_t offset, uint32_t bytes) {
    if (block != nullptr && offset >= shared_begin &&
        offset + uint64_t{bytes} <= block->shared.size())
      watch.reads(operation, *block, offset, bytes);
  };
  if (form.rank == 0) {
    read(begin, store.bytes);
    const bool is_there = block != nullptr && begin + uint64_t{store.bytes} <= block->shared.size();
    watch.writes(operation, store.global, store.bytes, form.reduction != nullptr,
                 form.reduction == nullptr && is_there ? block->shared.data() + begin : nullptr);
    return;
  }
  const auto map = map_at(w, in, store.lane, store.map);
  auto coordinates = store.coordinates;
  if (!map || map->unit_padding != 0 || !to_units(w, in, store.lane, *map, coordinates)) return;
  std::vector<std::byte> row;
  for_rows(form.rows, *map, coordinates, [&](uint64_t address, uint32_t offset, uint32_t size) {
    const bool is_there = block != nullptr && take_row(*block, begin + offset, *map, size, row);
    if ((begin + offset) % 128 == 0 && size % 128 == 0)
      read(begin + offset, size);
    else
      for (uint32_t at = 0; at < size; at += 16)
        read(swizzled(begin + offset + at, map->swizzle_bytes), std::min(16u, size - at));
    watch.writes(operation, address, size, form.reduction != nullptr,
                 form.reduction == nullptr && is_there ? row.data() : nullptr);
    return true;
  });
}

// Keeps the store until its group is awaited. Operands: source, map or address, bytes, coordinates.
void store_later(Warp& w, const Record& in, uint32_t lanes) {
  const auto& form = *static_cast<const BulkForm*>(in.extra);
  for_lanes(lanes, [&](unsigned l) {
    if (w.event != Event::none || !spend(w, in, Resource::pending_copies, 1)) return;
    PendingStore store;
    store.group = w.store_commits[l];
    store.number = w.store_issues++;
    store.lane = l;
    store.record = &in;
    store.shared = shared_at(w.at(in.operand[0])[l], form.shared_offset);
    const uint64_t other = w.at(in.operand[1])[l] + static_cast<uint64_t>(form.other_offset);
    (form.rank > 0 ? store.map : store.global) = other;
    store.bytes = get<uint32_t>(w.at(in.operand[2]), l);
    for (unsigned i = 0; i < form.coordinates(); ++i)
      store.coordinates[i] = get<int32_t>(w.at(in.operand[3 + i]), l);
    w.stores.push_back(store);
    if (w.block->cluster->watch != nullptr) watch_store(w, store);
  });
  ++w.block->cluster->changes;
}

// Copies the bytes at `from` to `to`, or combines them with the bytes at `to` by the reduction.
void put_bytes(const BulkForm& form, Type type, std::byte* to, const std::byte* from,
               uint32_t bytes) {
  if (form.reduction == nullptr) {
    std::memcpy(to, from, bytes);
    return;
  }
  const auto size = static_cast<uint32_t>(bytes_of(type));
  for (uint32_t at = 0; at + size <= bytes; at += size)
    reduce_in_memory(type, form.reduction->operation, to + at, from + at);
}

void carry_out(Warp& w, const PendingStore& store) {
  const Record& in = *store.record;
  const auto& form = *static_cast<const BulkForm*>(in.extra);
  const unsigned l = store.lane;
  Counts& counts = w.block->cluster->counts;
  if (form.rank == 0) {
    if (!well_aligned(w, in, l, store.shared, 16, "the shared address") ||
        !well_aligned(w, in, l, store.global, 16, "the address") ||
        !well_aligned(w, in, l, store.bytes, 16, "the size") || store.bytes == 0)
      return;
    const std::byte* from = shared_access(w, in, l, store.shared, store.bytes);
    std::byte* to = from ? global_piece(w, in, l, store.global, store.bytes, true) : nullptr;
    if (to == nullptr || !spend(w, in, Resource::bulk_bytes, store.bytes)) return;
    put_bytes(form, form.type, to, from, store.bytes);
    counts.global_written += store.bytes;
    counts.shared_read += store.bytes;
    return;
  }
  const auto map = map_at(w, in, l, store.map);
  auto coordinates = store.coordinates;
  if (!map || !well_aligned(w, in, l, store.shared, 128, "the shared address") ||
      !to_units(w, in, l, *map, coordinates))
    return;
  if (map->unit_padding != 0)
    return raise(w, in, FaultKind::unsupported, static_cast<int>(l),
                 "a store of elements of 4 or 6 bits that have padding in shared memory");
  const auto bytes = static_cast<uint32_t>(map->box_bytes()) * form.rows;
  const Type type = type_named(map_elements[map->element].type);
  if (form.reduction != nullptr && !can_reduce(type, form.reduction->operation))
    return raise(
        w, in, FaultKind::unsupported, static_cast<int>(l),
        formatted("there is no reduction {} of elements of type {}",
                  std::string(form.reduction->name), std::string(map_elements[map->element].type)));
  if (!spend(w, in, Resource::bulk_bytes, bytes)) return;
  if (shared_access(w, in, l, store.shared, bytes) == nullptr) return;
  uint32_t begin = 0;
  const Block* block = shared_block(w, store.shared, begin);
  std::vector<std::byte> row;
  for_rows(form.rows, *map, coordinates, [&](uint64_t address, uint32_t offset, uint32_t size) {
    std::byte* to = global_piece(w, in, l, address, size, true);
    if (to == nullptr) return false;
    if (!take_row(*block, begin + offset, *map, size, row)) {
      raise(w, in, FaultKind::lds_out_of_bounds, static_cast<int>(l),
            "the swizzle reaches beyond the block's shared memory: align the box", store.shared);
      return false;
    }
    put_bytes(form, type, to, row.data(), size);
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
  if (RaceWatch* watch = w.block->cluster->watch)
    for_lanes(lanes, [&](unsigned l) {
      uint32_t first_left = w.store_issues;
      for (const PendingStore& store : w.stores)
        if (store.lane == l) first_left = std::min(first_left, store.number);
      watch->complete({Engine::store, w, l, first_left}, in.detail != 0);
    });
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

void add_coordinates(Decoder& d, std::size_t map_operand, unsigned count,
                     std::vector<uint32_t>& words) {
  const Operand& map = d.operand(map_operand);
  if (map.parts.size() != 1 || map.parts[0].kind != Operand::Kind::vector ||
      map.parts[0].parts.size() != count)
    d.bad(map, formatted("a tensor map and {} coordinates are expected: [map, {{x, …}}]", count));
  for (const Operand& part : map.parts[0].parts) words.push_back(d.source(part, Type::s32));
}

bool decode_store(Decoder& d, uint8_t rank) {
  BulkForm form;
  form.rank = rank;
  if (d.has("tile::scatter4")) form.rows = 4;
  if (d.has("reduce")) {
    form.reduction = reduction_of(d);
    if (form.reduction == nullptr) return false;
    if (rank == 0) form.type = d.type();
    if (rank == 0 && !can_reduce(form.type, form.reduction->operation)) return false;
    d.has("noftz");
  }
  const uint32_t from = address_with(d, 1, form.shared_offset, Space::shared);
  const uint32_t to =
      address_with(d, 0, form.other_offset, rank > 0 ? Space::generic : Space::global);
  std::vector<uint32_t> words{from, to, rank > 0 ? d.constant(0) : d.source(2, Type::u32)};
  if (rank > 0) add_coordinates(d, 0, form.coordinates(), words);
  d.record().extra = d.keep(form);
  d.record().handler = store_later;
  d.set_operands(std::move(words));
  return true;
}

bool decode_load(Decoder& d, uint8_t rank) {
  BulkForm form;
  form.rank = rank;
  form.multicast = d.has("multicast::cluster");
  if (d.has("tile::gather4")) form.rows = 4;
  const uint32_t to = address_with(d, 0, form.shared_offset, Space::shared);
  const uint32_t from =
      address_with(d, 1, form.other_offset, rank > 0 ? Space::generic : Space::global);
  const std::size_t barrier_at = rank > 0 ? 2 : 3;
  const uint32_t barrier = address_with(d, barrier_at, form.barrier_offset, Space::shared);
  const uint32_t mask = form.multicast ? d.source(barrier_at + 1, Type::b16) : d.constant(0);
  std::vector<uint32_t> words{to, from, barrier, mask};
  if (rank > 0)
    add_coordinates(d, 1, form.coordinates(), words);
  else
    words.push_back(d.source(2, Type::u32));
  // In …shared::cluster.shared::cta…, the second space is that of the source.
  int shared_spaces = 0;
  for (std::size_t i = 1; i < d.modifiers(); ++i)
    shared_spaces += d.statement().opcode[i].starts_with("shared");
  d.record().detail = rank == 0 && shared_spaces == 2;
  d.record().extra = d.keep(form);
  d.record().handler = rank > 0 ? load_box : load_bytes;
  d.set_operands(std::move(words));
  return true;
}

// cp.reduce.async.bulk to shared memory. The reduction runs when a thread waits for its mbarrier.
bool decode_shared_reduction(Decoder& d) {
  const ReductionRow* row = reduction_of(d);
  if (row == nullptr || !can_reduce(d.type(), row->operation) || !decode_load(d, 0)) return false;
  const auto& decoded = *static_cast<const BulkForm*>(d.record().extra);
  BulkForm form = decoded;
  form.reduction = row;
  form.type = d.type();
  form.in_shared = {form.type, row->operation};
  d.record().extra = d.keep(form);
  return true;
}

// st.async, red.async. Operands: destination, barrier, values (`count` registers of `bytes` bytes).
void store_asynchronously(Warp& w, const Record& in, uint32_t lanes) {
  const auto& form = *static_cast<const BulkForm*>(in.extra);
  for_lanes(lanes, [&](unsigned l) {
    if (w.event != Event::none) return;
    const uint32_t to = shared_at(w.at(in.operand[0])[l], form.shared_offset);
    const uint32_t bytes = in.bytes * uint32_t{in.count};
    if (!well_aligned(w, in, l, to, bytes, "the shared address")) return;
    std::vector<std::byte> data(bytes);
    for (uint32_t i = 0; i < in.count; ++i)
      std::memcpy(data.data() + i * in.bytes, &w.at(in.operand[2 + i])[l], in.bytes);
    send(w, in, l, to, shared_at(w.at(in.operand[1])[l], form.barrier_offset), own_block, data, 0,
         form.reduction != nullptr ? &form.in_shared : nullptr, {}, Engine::message);
  });
}

}  // namespace

// Operands: where the 16-byte answer goes (all zeros: nothing canceled), and the barrier.
bool decode_cancel_request(Decoder& d) {
  BulkForm form;
  const uint32_t to = address_with(d, 0, form.shared_offset, Space::shared);
  const uint32_t barrier = address_with(d, 1, form.barrier_offset, Space::shared);
  form.multicast = d.has("multicast::cluster::all");
  d.read_all();
  d.record().extra = d.keep(form);
  d.record().handler = [](Warp& w, const Record& in, uint32_t lanes) {
    const auto& request = *static_cast<const BulkForm*>(in.extra);
    const uint32_t all = (1u << w.block->cluster->blocks.size()) - 1;
    for_lanes(lanes, [&](unsigned l) {
      const uint32_t place = shared_at(w.at(in.operand[0])[l], request.shared_offset);
      if (w.event == Event::none && well_aligned(w, in, l, place, 16, "the shared address"))
        send(w, in, l, place, shared_at(w.at(in.operand[1])[l], request.barrier_offset),
             request.multicast ? all : own_block, std::vector<std::byte>(16), 0);
    });
  };
  d.set_operands({to, barrier});
  return true;
}

bool decode_asynchronous_store(Decoder& d) {
  BulkForm form;
  const Type type = d.type();
  if (!d.has("mbarrier::complete_tx::bytes") || bytes_of(type) < 4 || bytes_of(type) > 8)
    return false;
  if (d.name() == "red") {
    form.reduction = reduction_of(d);
    if (form.reduction == nullptr || !can_reduce(type, form.reduction->operation)) return false;
    form.in_shared = {type, form.reduction->operation};
  }
  const uint32_t to = address_with(d, 0, form.shared_offset, Space::shared);
  const uint32_t barrier = address_with(d, 2, form.barrier_offset, Space::shared);
  std::vector<uint32_t> words{to, barrier};
  const auto parts = d.parts(1);
  const std::size_t wanted = d.has("v4") ? 4 : d.has("v2") ? 2 : 1;
  if (parts.size() != wanted || wanted * static_cast<std::size_t>(bytes_of(type)) > 16)
    d.bad(d.operand(1), "a vector of as many registers as .v says, 16 bytes at most, is expected");
  for (const Operand* part : parts) words.push_back(d.source(*part, type));
  for (const std::string_view hint :
       {"async", "weak", "relaxed", "cluster", "shared::cluster", "shared"})
    d.has(hint);
  d.record().bytes = static_cast<uint8_t>(bytes_of(type));
  d.record().count = static_cast<uint8_t>(parts.size());
  d.record().extra = d.keep(form);
  d.record().handler = store_asynchronously;
  d.set_operands(std::move(words));
  return true;
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
    record.detail = d.has("read");
    if (d.operand(0).kind != Operand::Kind::number)
      d.bad("the number of groups that may be under way is expected");
    record.immediate = static_cast<int64_t>(d.operand(0).bits);
    d.set_operands({});
    return true;
  }
  if (d.has("prefetch")) return decode_no_operation(d);
  for (const std::string_view unknown :
       {"im2col", "im2col::w", "cp_mask", "im2col::w::128", "im2col_no_offs", "ignore_oob"})
    if (d.has(unknown)) return false;
  const uint8_t rank = rank_of(d);
  if (d.has("tensor") != (rank > 0)) return false;
  if (d.has("reduce") && !d.has("bulk_group")) return decode_shared_reduction(d);
  if (d.has("bulk_group")) return decode_store(d, rank);
  if (d.has("mbarrier::complete_tx::bytes")) return decode_load(d, rank);
  return false;
}

}  // namespace heddle::emulator::ptx
