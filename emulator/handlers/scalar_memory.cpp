// Scalar memory instructions: loads, stores and atomics, with addresses and with buffers. Meanings:
// RDNA3 and RDNA4 ISA, chapter "Scalar memory operations"; for CDNA's stores and atomics, the
// chapter of the same name in AMD Instinct MI300 ISA.
#include "emulator/handlers/atomics.h"
#include "emulator/handlers/lane_addresses.h"
#include "emulator/handlers/observe_access.h"
#include "emulator/handlers/scalar_row.h"
#include "emulator/handlers/tables.h"

namespace heddle::emulator::HEDDLE_LEVEL {
namespace {

enum class Extend { none, u8, i8, u16, i16 };

// The host address of the bytes. If one of them is not mapped, or may not be written, raises a
// fault and returns null.
HEDDLE_INLINE std::byte* scalar_memory(Wavefront& w, const Instruction* in, u64 address, u32 bytes,
                                       bool write = false) {
  std::byte* host = host_address(w, address, bytes, write);
  if (host) return host;
  raise(w, in,
        write && host_address(w, address, bytes, false) ? FaultKind::global_read_only
                                                        : FaultKind::global_out_of_bounds,
        -1, address, bytes);
  return nullptr;
}

HEDDLE_INLINE void observe_scalar(Wavefront& w, const Instruction* in, u64 address, u32 bytes,
                                  unsigned first_register = 0, AccessKind kind = AccessKind::load,
                                  u32 beyond = 0) {
  if (!w.observe) [[likely]]
    return;
  w.observe(w, {in, MemorySpace::scalar, kind, static_cast<uint8_t>(first_register), bytes, 1,
                nullptr, &address, beyond});
}

// Scalar loads read whole dwords, and the hardware only checks bounds of pages. LLVM relies on
// that: it widens an aligned load of 1 or 2 bytes to a dword, and a load of three or seven dwords
// that is aligned to 8 bytes to four or eight dwords. So a load may extend beyond the end of
// memory:
// - by a part of its last dword;
// - in loads of four or more dwords, by a part of its last aligned pair of dwords.
//
// A load of a whole dword or pair beyond the end comes from no compiler, so it is an error.
//
// Returns how many bytes of the load at `address` are in memory, if the load is accepted although
// some bytes are not; otherwise 0. The bytes in memory are the first ones: the address is aligned,
// so a load does not begin before the start of memory.
template <unsigned words>
HEDDLE_INLINE u32 readable_bytes(const Wavefront& w, u64 address) {
  constexpr u64 unit = words < 4 ? 4 : 8;
  const Region* const found = region_of(w, address);
  if (!found) return 0;
  const Region& region = *found;
  const u64 offset = address - region.base;
  const u64 end = (region.base + region.size + unit - 1) / unit * unit - region.base;
  if (offset >= region.size || offset + 4 * words > end) return 0;
  const u64 left = region.size - offset;
  return left < 4 * words ? static_cast<u32>(left) : 4 * words;
}

template <unsigned words, Extend extend>
const Instruction* load_from(Wavefront& w, const Instruction* in, u64 address,
                             unsigned first_register = 0) {
  constexpr u32 all = extend == Extend::none                         ? words * 4
                      : extend == Extend::u8 || extend == Extend::i8 ? 1
                                                                     : 2;
  u32 data[16] = {}, bytes = all;
  if constexpr (extend == Extend::none) {
    address &= ~u64{3};
    if (!host_address(w, address, all, false)) [[unlikely]] {
      if (const u32 readable = readable_bytes<words>(w, address)) bytes = readable;
      for (u32& word : data) word = undefined_word;
    }
  }
  PartOfDword part;  // of a dword before the front of an array
  if (words == 1 && extend == Extend::none && in->flags & flag_loads_for_exchange && data[0] != 0)
    if (region_of_part(w, address, part)) bytes = part.bytes;
  address += part.first;
  const std::byte* host = scalar_memory(w, in, address, bytes);
  if (!host) return nullptr;
  // A compare-and-swap compares the others, too.
  const u32 beyond = in->flags & flag_loads_for_exchange ? 0 : all - bytes;
  observe_scalar(w, in, address, bytes, first_register, AccessKind::load, beyond);
  w.counters.global_bytes_read += bytes;
  __builtin_memcpy(reinterpret_cast<std::byte*>(data) + part.first, host, bytes);
  if constexpr (extend == Extend::i8) data[0] = static_cast<u32>(static_cast<int8_t>(data[0]));
  if constexpr (extend == Extend::i16) data[0] = static_cast<u32>(static_cast<int16_t>(data[0]));
  for (unsigned i = 0; i < words; ++i) w.scalar[in->destination + first_register + i] = data[i];
  return in + 1;
}

HEDDLE_INLINE u64 offset_of(const Wavefront& w, const Instruction* in, u64 scale = 1) {
  return scale * read_scalar(w, in->source[1]) + static_cast<u64>(static_cast<i64>(in->offset));
}

template <unsigned words, Extend extend = Extend::none>
const Instruction* load(Wavefront& w, const Instruction* in) {
  // The base address is aligned to 4 bytes, except for loads of bytes and shorts.
  const u64 ignored = extend == Extend::none ? 3 : 0;
  const u64 base = read_scalar64(w, in->source[0]) & ~ignored;
  constexpr u64 bytes = extend == Extend::none                         ? words * 4
                        : extend == Extend::u8 || extend == Extend::i8 ? 1
                                                                       : 2;
  const u64 scale = in->flags & flag_scale_offset ? bytes : 1;
  return load_from<words, extend>(w, in, base + offset_of(w, in, scale));
}

struct ScalarBuffer {
  u64 base, size;
};
HEDDLE_INLINE ScalarBuffer buffer_of(const Wavefront& w, const Instruction* in) {
  const u32* resource = &w.scalar[in->source[0].index];
  const u64 stride = resource[1] >> 16 & 0x3fffu;
  return {resource[0] | u64{resource[1] & 0xffffu} << 32,
          stride == 0 ? resource[2] : stride * resource[2]};
}

// True if `bytes` bytes from `offset` on are within `size`. A negative offset is a very large
// unsigned number here, so it is out of range.
HEDDLE_INLINE bool in_range(u64 offset, u64 bytes, u64 size) {
  return offset <= size && bytes <= size - offset;
}

// Loads from a buffer. Each dword that is out of range reads as 0 (RDNA3 ISA, "Scalar buffer
// loads": clamped like a raw buffer).
template <unsigned words, Extend extend = Extend::none>
const Instruction* buffer_load(Wavefront& w, const Instruction* in) {
  const auto [base, size] = buffer_of(w, in);
  const u64 offset = offset_of(w, in);
  if constexpr (extend != Extend::none) {
    if (offset >= size) {
      w.scalar[in->destination] = 0;
      return in + 1;
    }
    return load_from<words, extend>(w, in, base + offset);
  } else {
    const u64 aligned = offset & ~u64{3};
    if (in_range(aligned, words * 4, size)) return load_from<words, extend>(w, in, base + aligned);
    for (unsigned i = 0; i < words; ++i) {
      if (!in_range(aligned, i * 4 + 4, size))
        w.scalar[in->destination + i] = 0;
      else if (!load_from<1, extend>(w, in, base + aligned + i * 4, i))
        return nullptr;
    }
    return in + 1;
  }
}

// For s_scratch_load and s_scratch_store of CDNA: if the offset is in a register, it is in units of
// 64 bytes (AMD Instinct MI300 ISA, "Scalar memory addressing").
constexpr u64 scratch_unit = 64;
template <unsigned words>
const Instruction* load_scratch(Wavefront& w, const Instruction* in) {
  return load_from<words, Extend::none>(
      w, in, read_scalar64(w, in->source[0]) + offset_of(w, in, scratch_unit));
}

// --- stores and atomics ------------------------------------------------------------------------

enum class At { memory, buffer, scratch };

// The address that an instruction accesses. If the address is out of the buffer's range, `exists`
// is false, and the access has no effect.
struct ScalarPlace {
  u64 address;
  bool exists;
};
template <At at>
HEDDLE_INLINE ScalarPlace place_of(const Wavefront& w, const Instruction* in, u32 bytes) {
  const u64 offset = offset_of(w, in, at == At::scratch ? scratch_unit : 1);
  if constexpr (at != At::buffer)
    return {(read_scalar64(w, in->source[0]) + offset) & ~u64{3}, true};
  const auto [base, size] = buffer_of(w, in);
  const u64 aligned = offset & ~u64{3};
  return {base + aligned, in_range(aligned, bytes, size)};
}

template <unsigned words, At at>
const Instruction* store(Wavefront& w, const Instruction* in) {
  // For a buffer, the range is checked for each dword.
  for (unsigned i = 0; i < words; ++i) {
    ScalarPlace place = place_of<at>(w, in, 4 * (i + 1));
    if (!place.exists) break;
    place.address += 4 * i;
    std::byte* host = scalar_memory(w, in, place.address, 4, true);
    if (!host) return nullptr;
    observe_scalar(w, in, place.address, 4, i, AccessKind::store);
    w.counters.global_bytes_written += 4;
    __builtin_memcpy(host, &w.scalar[in->source[2].index + i], 4);
  }
  return in + 1;
}

// A compare-and-swap has the expected value behind the new one.
template <Atomic op, class T, At at>
const Instruction* atomic(Wavefront& w, const Instruction* in) {
  const ScalarPlace place = place_of<at>(w, in, sizeof(T));
  const unsigned data = in->source[2].index;
  T old = 0;
  if (place.exists) {
    if (place.address % sizeof(T) != 0)
      return raise(w, in, FaultKind::misaligned, -1, place.address % sizeof(T), sizeof(T));
    std::byte* host = scalar_memory(w, in, place.address, sizeof(T), true);
    if (!host) return nullptr;
    observe_scalar(w, in, place.address, sizeof(T), 0, AccessKind::atomic);
    w.counters.global_bytes_read += sizeof(T);
    w.counters.global_bytes_written += sizeof(T);
    const auto value = [&](unsigned index) {
      T x;
      __builtin_memcpy(&x, &w.scalar[index], sizeof x);
      return x;
    };
    auto* word = reinterpret_cast<T*>(host);
    const T operand = value(data),
            expected = expected_source(op) != 0 ? value(data + sizeof(T) / 4) : T{};
    old = __atomic_load_n(word, __ATOMIC_RELAXED);
    while (!__atomic_compare_exchange_n(word, &old, combined<op, T>(old, operand, expected), true,
                                        __ATOMIC_SEQ_CST, __ATOMIC_RELAXED)) {
    }
  }
  if (in->flags & flag_return) __builtin_memcpy(&w.scalar[in->destination], &old, sizeof old);
  return in + 1;
}

constexpr Row loads[] = {
    row("s_load_b32", Form::scalar_load, &load<1>),
    row("s_load_b64", Form::scalar_load, &load<2>),
    row("s_load_b96", Form::scalar_load, &load<3>),
    row("s_load_b128", Form::scalar_load, &load<4>),
    row("s_load_b256", Form::scalar_load, &load<8>),
    row("s_load_b512", Form::scalar_load, &load<16>),
    row("s_load_u8", Form::scalar_load, &load<1, Extend::u8>),
    row("s_load_i8", Form::scalar_load, &load<1, Extend::i8>),
    row("s_load_u16", Form::scalar_load, &load<1, Extend::u16>),
    row("s_load_i16", Form::scalar_load, &load<1, Extend::i16>),
    row("s_buffer_load_b32", Form::scalar_buffer_load, &buffer_load<1>),
    row("s_buffer_load_b64", Form::scalar_buffer_load, &buffer_load<2>),
    row("s_buffer_load_b96", Form::scalar_buffer_load, &buffer_load<3>),
    row("s_buffer_load_b128", Form::scalar_buffer_load, &buffer_load<4>),
    row("s_buffer_load_b256", Form::scalar_buffer_load, &buffer_load<8>),
    row("s_buffer_load_b512", Form::scalar_buffer_load, &buffer_load<16>),
    row("s_buffer_load_u8", Form::scalar_buffer_load, &buffer_load<1, Extend::u8>),
    row("s_buffer_load_i8", Form::scalar_buffer_load, &buffer_load<1, Extend::i8>),
    row("s_buffer_load_u16", Form::scalar_buffer_load, &buffer_load<1, Extend::u16>),
    row("s_buffer_load_i16", Form::scalar_buffer_load, &buffer_load<1, Extend::i16>),
};

struct Table {
  Row rows[96];
  unsigned count = 0;

  constexpr void add(At at, const char* operation, const char* width, Form form, Handler handler) {
    Row& row = rows[count++];
    row = Row{};
    int end = 0;
    const char* const space = at == At::buffer ? "buffer_" : at == At::scratch ? "scratch_" : "";
    for (const char* part : {"s_", space, operation, width})
      for (; *part; ++part) row.name[end++] = *part;
    row.form = form;
    row.sources[0] = at == At::buffer ? Type::wide : Type::scalar64;
    row.plain = handler;
    row.families = isa::gfx9;
  }
  template <Atomic op>
  constexpr void add_atomic(const char* name) {
    const unsigned first = count;
    add(At::memory, name, "", Form::scalar_atomic, &atomic<op, u32, At::memory>);
    add(At::memory, name, "_x2", Form::scalar_atomic, &atomic<op, u64, At::memory>);
    add(At::buffer, name, "", Form::scalar_atomic, &atomic<op, u32, At::buffer>);
    add(At::buffer, name, "_x2", Form::scalar_atomic, &atomic<op, u64, At::buffer>);
    for (unsigned i = first; i < count; ++i) rows[i].expected = expected_source(op) != 0 ? 2 : 0;
  }
  template <unsigned words>
  constexpr void add_stores(const char* width) {
    add(At::memory, "store_dword", width, Form::scalar_store, &store<words, At::memory>);
    add(At::buffer, "store_dword", width, Form::scalar_store, &store<words, At::buffer>);
    add(At::scratch, "store_dword", width, Form::scalar_store, &store<words, At::scratch>);
    add(At::scratch, "load_dword", width, Form::scalar_load, &load_scratch<words>);
  }

  constexpr Table() : rows{} {
    for (const Row& load : loads) rows[count++] = load;
    // Of CDNA, whose names these are.
    add_stores<1>("");
    add_stores<2>("x2");
    add_stores<4>("x4");
    add_atomic<Atomic::swap>("atomic_swap");
    add_atomic<Atomic::compare_swap>("atomic_cmpswap");
    add_atomic<Atomic::add>("atomic_add");
    add_atomic<Atomic::sub>("atomic_sub");
    add_atomic<Atomic::min_i>("atomic_smin");
    add_atomic<Atomic::min_u>("atomic_umin");
    add_atomic<Atomic::max_i>("atomic_smax");
    add_atomic<Atomic::max_u>("atomic_umax");
    add_atomic<Atomic::and_>("atomic_and");
    add_atomic<Atomic::or_>("atomic_or");
    add_atomic<Atomic::xor_>("atomic_xor");
    add_atomic<Atomic::inc>("atomic_inc");
    add_atomic<Atomic::dec>("atomic_dec");
  }
};
constexpr Table table;

}  // namespace

Rows scalar_memory_rows() { return {table.rows, table.count}; }

}  // namespace heddle::emulator::HEDDLE_LEVEL
