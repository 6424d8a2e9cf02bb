// Finds the bytes that the lanes of a global_, flat_ or scratch_ instruction access, and checks
// that they are in bounds. Also counts these accesses. buffer_access.h does the same for buffer_
// instructions. Meanings: RDNA3 and RDNA4 ISA, chapter "Flat, scratch and global".
#pragma once

#include "emulator/handlers/lane_addresses.h"
#include "emulator/handlers/observe_access.h"

namespace heddle::emulator::HEDDLE_LEVEL {

enum class Space { global, flat, scratch, buffer };

HEDDLE_INLINE U64 offset_of(const Instruction* in) {
  return U64(static_cast<uint64_t>(int64_t{in->offset}));
}

// The addresses of all lanes. source[0] is the vector address: the whole 64-bit address if `extra`
// is set, else an offset of 32 bits to the scalar base, source[1]. `bytes` is the size of one
// lane's access.
HEDDLE_INLINE U64 global_addresses(const Wavefront& w, const Instruction* in, uint32_t bytes) {
  const Read<false> read{w, in};
  if (in->extra) return read.bits64(0) + offset_of(in);
  U64 offset = convert<U64>(read.bits(0));
  if (in->flags & flag_gfx1250_memory) [[unlikely]]
    offset = bits_as<U64>(convert<I64>(bits_as<I32>(read.bits(0))));
  if (in->flags & flag_scale_offset) [[unlikely]]
    offset *= U64(uint64_t{bytes});
  return offset + U64(read_scalar64(w, in->source[1])) + offset_of(in);
}

template <Space space>
constexpr MemorySpace memory_space = space == Space::scratch ? MemorySpace::scratch
                                     : space == Space::flat  ? MemorySpace::flat
                                                             : MemorySpace::global;

template <Space space, AccessKind kind, bool keeps_rest = false>
HEDDLE_INLINE Pointers pointers(Wavefront& w, const Instruction* in, uint32_t bytes,
                                uint32_t first_register = 0) {
  constexpr bool write = kind != AccessKind::load;
  const uint32_t mask = exec(w);
  if constexpr (space == Space::scratch) {
    const Read<false> read{w, in};
    const U32 scale = U32(in->flags & flag_scale_offset ? bytes : 1);
    const U32 addresses = read.bits(0) * scale +
                          U32(read_scalar(w, in->source[1]) + static_cast<uint32_t>(in->offset));
    const Pointers p = resolve_scratch(w, in, addresses, bytes, mask);
    if (!p.fault) observe(w, in, memory_space<space>, kind, addresses, bytes, mask, first_register);
    return p;
  } else {
    const U64 addresses = global_addresses(w, in, bytes);
    const Pointers p =
        resolve<write, space == Space::flat, keeps_rest>(w, in, addresses, bytes, mask);
    if (!p.fault) observe(w, in, memory_space<space>, kind, addresses, bytes, mask, first_register);
    return p;
  }
}

// Prefetches the memory of this access while the observer works, whose data leave little room in
// the host's caches. Also prefetches the memory of the next instruction if that makes the same kind
// of access. The address used for it may be wrong, for example because its register is loaded in
// between; the host ignores wrong addresses. An instruction for half of a wave of 64 lanes is not
// followed by the next one in memory, so nothing more is prefetched.
HEDDLE_INLINE void prefetch(const Wavefront& w, const Instruction* in, unsigned low,
                            const Places& p) {
  const auto each = [&](unsigned index, uint32_t added) {
    for (int l = 0; l < lanes; ++l) __builtin_prefetch(p.base + (w.vgpr[index][l] + added));
  };
  each(low, p.offsets.added);
  if (w.other) return;
  const Instruction& next = in[1];
  if (next.handler == in->handler && next.source[0].kind == SourceKind::vgpr)
    each(next.source[0].index, p.offsets.added + static_cast<uint32_t>(next.offset - in->offset));
}

// A fast way for the usual access; see resolve_near(). For any other access the `base` of the
// result is null.
template <Space space, AccessKind kind>
HEDDLE_INLINE Places near_places(Wavefront& w, const Instruction* in, uint32_t bytes) {
  if constexpr (space == Space::scratch) return {};
  const Source& vector = in->source[0];
  if (vector.kind != SourceKind::vgpr) return {};
  if (!in->extra && in->flags & (flag_gfx1250_memory | flag_scale_offset)) return {};
  const U32 high = in->extra ? load_register(w, vector.index + 1) : U32(0);
  const uint64_t added = static_cast<uint64_t>(int64_t{in->offset}) +
                         (in->extra ? 0 : read_scalar64(w, in->source[1]));
  const Places p = resolve_near<kind != AccessKind::load>(w, vector.index, high, added, bytes);
  if (p.base && w.observe) [[unlikely]] {
    prefetch(w, in, vector.index, p);
    observe(w, in, memory_space<space>, kind, global_addresses(w, in, bytes), bytes, p.mask);
  }
  return p;
}

template <Space space>
HEDDLE_INLINE void count(Wavefront& w, const Instruction* in, uint32_t mask, uint32_t bytes,
                         bool write) {
  Counters& c = w.counters;
  if constexpr (space == Space::flat) {
    uint64_t addresses[lanes];
    const U64 each = global_addresses(w, in, bytes);
    __builtin_memcpy(addresses, &each, sizeof addresses);
    const auto [lds, scratch] = FlatLanes(addresses);
    (write ? c.lds_bytes_written : c.lds_bytes_read) += active_bytes(mask & lds, bytes);
    c.scratch_bytes += active_bytes(mask & scratch, bytes);
    mask &= ~lds & ~scratch;
  }
  uint64_t& counter = space == Space::scratch ? c.scratch_bytes
                      : write                 ? c.global_bytes_written
                                              : c.global_bytes_read;
  counter += active_bytes(mask, bytes);
}

}  // namespace heddle::emulator::HEDDLE_LEVEL
