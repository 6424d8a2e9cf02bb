// The tensor data mover of gfx1250: a wave copies a tile of a tensor between memory and LDS.
//
// A descriptor in scalar registers says what to copy. Its contents are those that Triton's AMD
// backend writes (TDMUtility.cpp: group0 to group3); the names of the groups are LLVM's.
// - Group 0: bits 1..0 of word 0 are a predicate; word 1 is the address in LDS; words 2 and 3 are
// the address in memory (57 bits) and the type, 2.
// - Group 1: word 0 has the size of an element and the padding; then come the sizes of the tensor
// and of the tile, innermost dimension first, and the strides in elements.
// - Groups 2 and 3: the third to fifth dimension.
//
// Where a tile extends beyond the tensor, a load writes zeros to LDS, and a store writes nothing.
// In LDS, padding is inserted at regular intervals. Not supported are gathers, repetition,
// multicast, and barriers that count the transfer. It is assumed that EXEC does not matter, and
// that a store skips the padding in LDS.
#include "emulator/handlers/lane_addresses.h"
#include "emulator/handlers/observe_access.h"
#include "emulator/handlers/tables.h"

namespace heddle::emulator::HEDDLE_LEVEL {
namespace {

constexpr int dimensions = 5;

// How much the copy of 32 pieces counts in the launch's budget (decode/work.h): as much as one
// memory access of a wave.
constexpr uint64_t piece_work = 16;

struct Descriptor {
  bool valid = false, supported = false;
  uint32_t lds = 0, element_bytes = 0, interval = 0, padding = 0;  // bytes
  uint64_t address = 0;
  uint64_t tensor[dimensions], tile[dimensions], stride[dimensions];  // elements; innermost first
};

HEDDLE_INLINE uint32_t word_of(const Wavefront& w, const Source& group, unsigned i) {
  return group.kind == SourceKind::scalar ? w.scalar[group.index + i] : 0;
}

Descriptor descriptor_of(const Wavefront& w, const Instruction* in) {
  uint32_t first[4], second[8], third[4], fourth[4];
  for (unsigned i = 0; i < 4; ++i) {
    first[i] = word_of(w, in->source[0], i);
    third[i] = word_of(w, in->source[2], i);
    fourth[i] = word_of(w, in->source[3], i);
  }
  for (unsigned i = 0; i < 8; ++i) second[i] = word_of(w, in->source[1], i);
  const auto halves = [](uint32_t low_word, uint32_t high_word) {
    return low_word >> 16 | high_word << 16;
  };
  Descriptor d;
  d.valid = (first[0] & 3u) != 0;
  d.lds = first[1];
  d.address = first[2] | uint64_t{first[3] & 0x1ffffffu} << 32;
  d.element_bytes = 1u << (second[0] >> 16 & 3u);
  constexpr uint32_t multicast = 0xffffu, barrier = 1u << 18, repeats = 1u << 19,
                     gathers = 1u << 31;
  d.supported = first[3] >> 30 == 2 && !(first[0] & gathers) &&
                !(second[0] & (multicast | barrier | repeats));
  if (second[0] >> 20 & 1u) {
    d.interval = 4u << ((second[0] >> 22 & 7u) + 1);
    d.padding = 4 * ((second[0] >> 25) + 1);
  }
  d.tensor[0] = halves(second[1], second[2]);
  d.tensor[1] = halves(second[2], second[3]);
  d.tensor[2] = third[0];
  d.tensor[3] = third[1];
  d.tensor[4] = halves(fourth[1], fourth[2]);
  d.tile[0] = second[3] >> 16;
  d.tile[1] = second[4] & 0xffffu;
  d.tile[2] = second[4] >> 16;
  d.tile[3] = third[3] >> 16;
  d.tile[4] = fourth[2] >> 16;
  d.stride[0] = 1;
  d.stride[1] = second[5] | uint64_t{second[6] & 0xffffu} << 32;
  d.stride[2] = second[6] >> 16 | uint64_t{second[7]} << 16;
  d.stride[3] = third[2] | uint64_t{third[3] & 0xffffu} << 32;
  d.stride[4] = fourth[0] | uint64_t{fourth[1] & 0xffffu} << 32;
  // A dimension that the tile does not have gets size 1.
  for (int i = 1; i < dimensions; ++i)
    if (d.tile[i] == 0) d.tile[i] = d.tensor[i] = 1;
  return d;
}

// One row of the tile: `bytes` bytes long. Only the first `inside` bytes are in the tensor; the
// others are beyond its end.
struct TileRow {
  uint64_t address;
  uint64_t begin;  // in the tile without padding
  uint64_t bytes, inside;
};

HEDDLE_INLINE uint64_t padded(const Descriptor& d, uint64_t at) {
  return d.lds + at + (d.interval ? at / d.interval * d.padding : 0);
}

// Copies one row of the tile in pieces of `unit` bytes. 32 pieces are copied at a time, like an
// access by 32 lanes.
template <bool store>
bool copy_row(Wavefront& w, const Instruction* in, const Descriptor& d, const TileRow& row) {
  const bool words = row.bytes % 4 == 0 && row.inside % 4 == 0;
  const uint32_t unit = words ? 4 : d.element_bytes;
  const uint64_t end = store ? row.inside : row.bytes;
  for (uint64_t first = 0; first < end; first += uint64_t{lanes} * unit) {
    w.counters.work += piece_work;
    U64 addresses = U64(0);
    U32 places = U32(0);
    uint32_t all = 0, inside = 0;
    for (uint32_t l = 0; l < lanes; ++l) {
      const uint64_t at = first + uint64_t{l} * unit;
      if (at >= end) break;
      all |= 1u << l;
      if (at < row.inside) inside |= 1u << l;
      addresses[l] = row.address + at;
      places[l] = static_cast<uint32_t>(padded(d, row.begin + at));
    }
    const Pointers lds = pointers_of(resolve_lds(w, in, {places}, unit, all));
    if (lds.fault) return false;
    const Pointers global = resolve<store, false>(w, in, addresses, unit, inside);
    if (global.fault) return false;
    observe(w, in, MemorySpace::global, store ? AccessKind::store : AccessKind::load, addresses,
            unit, inside);
    observe(w, in, MemorySpace::lds, store ? AccessKind::load : AccessKind::store, places, unit,
            all);
    for (uint32_t l = 0; l < lanes; ++l) {
      void* const in_lds = reinterpret_cast<void*>(lds.at[l]);
      void* const in_memory = reinterpret_cast<void*>(global.at[l]);
      if (inside >> l & 1)
        __builtin_memcpy(store ? in_memory : in_lds, store ? in_lds : in_memory, unit);
      else if (all >> l & 1)
        __builtin_memset(in_lds, 0, unit);
    }
    const auto moved = static_cast<uint64_t>(__builtin_popcount(inside)) * unit;
    (store ? w.counters.global_bytes_written : w.counters.global_bytes_read) += moved;
    (store ? w.counters.lds_bytes_read : w.counters.lds_bytes_written) +=
        static_cast<uint64_t>(__builtin_popcount(all)) * unit;
  }
  return true;
}

template <bool store>
const Instruction* transfer(Wavefront& w, const Instruction* in) {
  const Descriptor d = descriptor_of(w, in);
  if (!d.valid || d.tile[0] == 0) return in + 1;
  const uint64_t row_bytes = d.tile[0] * d.element_bytes;
  uint64_t rows = 1;
  for (int i = 1; i < dimensions; ++i) {
    rows *= d.tile[i];
    // No LDS is as large as this limit. Without a limit, four dimensions of up to 2^16 could take
    // very long.
    if (rows * row_bytes > (uint64_t{1} << 24)) return raise(w, in, FaultKind::unsupported);
  }
  if (!d.supported) return raise(w, in, FaultKind::unsupported);
  w.counters.work += rows;
  for (uint64_t number = 0; number < rows; ++number) {
    uint64_t rest = number, offset = 0;
    bool outside = false;
    for (int i = 1; i < dimensions; ++i) {
      const uint64_t at = rest % d.tile[i];
      rest /= d.tile[i];
      outside |= at >= d.tensor[i];
      offset += at * d.stride[i];
    }
    if (store && outside) continue;
    const uint64_t inside = d.tensor[0] < d.tile[0] ? d.tensor[0] : d.tile[0];
    if (!copy_row<store>(w, in, d,
                         {d.address + offset * d.element_bytes, number * row_bytes, row_bytes,
                          outside ? 0 : inside * d.element_bytes}))
      return nullptr;
  }
  // The wave stops here, so that the runner checks the budget after a large copy.
  w.event = Event::yield;
  w.resume = in + 1;
  return nullptr;
}

constexpr Row row(const char* name, Form form, Handler handler) {
  Row made{};
  copy_name(made.name, name);
  made.form = form;
  made.plain = handler;
  made.families = isa::gfx1250;
  made.wave = 32;
  return made;
}

constexpr Row rows[] = {
    row("tensor_load_to_lds", Form::tensor_load, &transfer<false>),
    row("tensor_store_from_lds", Form::tensor_store, &transfer<true>),
};

}  // namespace

Rows tensor_rows() { return {rows, sizeof rows / sizeof rows[0]}; }

}  // namespace heddle::emulator::HEDDLE_LEVEL
