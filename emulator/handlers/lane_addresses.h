// Translates the addresses of an instruction's lanes to host memory. Each address is checked
// against its memory region, LDS or scratch; an address outside is a fault. Inactive lanes get the
// address of spare memory.
#pragma once

#include "emulator/handlers/lanes.h"
#include "emulator/handlers/partial_dwords.h"

namespace heddle::emulator::HEDDLE_LEVEL {

// The host address of the `bytes` bytes at the emulated address `address`. Null if one of the bytes
// is not mapped, or if `write` is true and it may not be written.
HEDDLE_INLINE std::byte* host_address(const Wavefront& w, uint64_t address, uint32_t bytes,
                                      bool write) {
  const Region* const found = region_of(w, address);
  if (!found) return nullptr;
  const Region& region = *found;
  const uint64_t offset = address - region.base;
  if (region.size < bytes || offset > region.size - bytes) return nullptr;
  if (write && !region.writable) return nullptr;
  return region.host + offset;
}

struct Pointers {
  U64 at;
  uint32_t mask;  // lanes that take part; 0 when there is nothing to do
  bool fault;
};

HEDDLE_INLINE U64 spare_pointers(const Wavefront& w) {
  return U64(reinterpret_cast<uint64_t>(w.spare));
}

// --- global memory ---------------------------------------------------------------------------

// Translates the addresses of lanes one by one. Needed if they are in several regions, in the
// address range of LDS or scratch (an aperture), or wrong. `keeps_rest`: the access is an atomic on
// a dword that may be only partly in memory (see keeps_rest in atomics.h).
template <bool write, bool flat, bool keeps_rest>
[[gnu::noinline]] Pointers resolve_one_by_one(Wavefront& w, const Instruction* in,
                                              const U64& addresses, uint32_t bytes, uint32_t mask) {
  Pointers result{spare_pointers(w), mask, false};
  for (int l = 0; l < lanes; ++l) {
    if (!(mask >> l & 1)) continue;
    const uint64_t address = addresses[l];
    const std::byte* host = host_address(w, address, bytes, write);
    FaultKind kind = FaultKind::global_out_of_bounds;
    if (!host && write && host_address(w, address, bytes, false))
      kind = FaultKind::global_read_only;
    if constexpr (flat) {
      const uint64_t offset = address & ((uint64_t{1} << region_shift) - 1);
      const auto region = flat_region(address);
      if (!host && region == shared_region) {
        kind = FaultKind::lds_out_of_bounds;
        if (offset + bytes <= w.lds_bytes) host = w.lds + offset;
      } else if (!host && region == private_region) {
        kind = FaultKind::scratch_out_of_bounds;
        const uint64_t owner =
            in->flags & flag_gfx1250_memory ? flat_scratch_lane(address) : static_cast<uint64_t>(l);
        if (offset + bytes <= w.scratch_bytes) host = w.scratch + owner * w.scratch_pitch + offset;
      }
    }
    if (!host && bytes == 4 && (keeps_rest || (!write && (in->flags & flag_loads_for_exchange))))
      host = read_partial_dword(w, l, address, write);
    if (!host) {
      raise(w, in, kind, l, address, bytes);
      result.fault = true;
      return result;
    }
    result.at[l] = reinterpret_cast<uint64_t>(host);
  }
  return result;
}

template <bool write, bool flat, bool keeps_rest = false>
HEDDLE_INLINE Pointers resolve(Wavefront& w, const Instruction* in, U64 addresses, uint32_t bytes,
                               uint32_t mask) {
  if (mask == 0) return {spare_pointers(w), 0, false};
  uint64_t each[lanes];
  __builtin_memcpy(each, &addresses, sizeof each);
  if (const Region* const found = region_of(w, each[__builtin_ctz(mask)])) [[likely]] {
    const Region& region = *found;
    if (region.size >= bytes && (!write || region.writable)) [[likely]] {
      const U64 offsets = addresses - U64(region.base);
      const uint32_t inside = to_bits(to_lanes_of(offsets <= U64(region.size - bytes)));
      if ((mask & ~inside) == 0) [[likely]] {
        const U64 at = offsets + U64(reinterpret_cast<uint64_t>(region.host));
        return {mask == 0xffffffffu ? at : select(to_lanes(mask), at, spare_pointers(w)), mask,
                false};
      }
    }
  }
  return resolve_one_by_one<write, flat, keeps_rest>(w, in, addresses, bytes, mask);
}

// --- LDS and scratch -------------------------------------------------------------------------

// For each lane, the content of a register plus the constant `added`. `at` has the sums as a
// vector. Code that goes lane by lane reads the register file (in_register) instead: reading single
// lanes of a vector that was just stored makes the host wait for the store.
struct LaneOffsets {
  U32 at;
  const uint32_t* in_register = nullptr;  // at[l] is in_register[l] + added; null: nowhere
  uint32_t added = 0;
};

HEDDLE_INLINE LaneOffsets lane_offsets(const Wavefront& w, unsigned index, uint32_t added) {
  return {load_register(w, index) + U32(added), w.vgpr[index], added};
}

// The lanes' places in one region of memory: a host address, `base`, and a 32-bit offset for each
// lane. The host computes faster with such offsets than with pointers. Inactive lanes have the
// offset of the spare bytes after LDS (Wavefront::lds).
struct Places {
  std::byte* base;
  LaneOffsets offsets;
  uint32_t mask;
  bool fault;
};

HEDDLE_INLINE Places resolve_lds(Wavefront& w, const Instruction* in, const LaneOffsets& offsets,
                                 uint32_t bytes, uint32_t mask) {
  const auto end = U32(static_cast<uint32_t>(w.lds_bytes));
  const uint32_t limit = w.lds_bytes >= bytes ? static_cast<uint32_t>(w.lds_bytes - bytes) : 0;
  const uint32_t inside = w.lds_bytes >= bytes ? to_bits(to_lanes_of(offsets.at <= U32(limit))) : 0;
  if (const uint32_t wrong = mask & ~inside) [[unlikely]] {
    const int l = __builtin_ctz(wrong);
    raise(w, in, FaultKind::lds_out_of_bounds, l, offsets.at[l], bytes);
    return {w.lds, {end}, mask, true};
  }
  if (mask == 0xffffffffu) [[likely]]
    return {w.lds, offsets, mask, false};
  return {w.lds, {select(to_lanes(mask), offsets.at, end)}, mask, false};
}

HEDDLE_INLINE Pointers pointers_of(const Places& p) {
  return {convert<U64>(p.offsets.at) + U64(reinterpret_cast<uint64_t>(p.base)), p.mask, p.fault};
}

HEDDLE_INLINE Pointers resolve_scratch(Wavefront& w, const Instruction* in, U32 addresses,
                                       uint32_t bytes, uint32_t mask) {
  const uint32_t limit =
      w.scratch_bytes >= bytes ? static_cast<uint32_t>(w.scratch_bytes - bytes) : 0;
  const uint32_t inside =
      w.scratch_bytes >= bytes ? to_bits(to_lanes_of(addresses <= U32(limit))) : 0;
  if (const uint32_t wrong = mask & ~inside) [[unlikely]] {
    const int l = __builtin_ctz(wrong);
    raise(w, in, FaultKind::scratch_out_of_bounds, l, addresses[l], bytes);
    return {spare_pointers(w), mask, true};
  }
  U64 lane_number;
  for (int l = 0; l < lanes; ++l) lane_number[l] = static_cast<uint64_t>(l);
  const U64 at = convert<U64>(addresses) + lane_number * U64(w.scratch_pitch) +
                 U64(reinterpret_cast<uint64_t>(w.scratch));
  return {select(to_lanes(mask), at, spare_pointers(w)), mask, false};
}

// A fast way for common accesses: all lanes are active, and all addresses are in one buffer of at
// most 4 GiB. The address of a lane is high:low + `added`, where `low` is a register. Its offset in
// the buffer is then this register plus a constant, in 32 bits. For any other access the `base` of
// the result is null, and the caller must use resolve().
template <bool write>
HEDDLE_INLINE Places resolve_near(const Wavefront& w, unsigned low, U32 high, uint64_t added,
                                  uint32_t bytes) {
  if (exec(w) != 0xffffffffu) return {};
  const uint64_t first = (w.vgpr[low][0] | uint64_t{high[0]} << 32) + added;
  const Region* const found = region_of(w, first);
  if (!found) return {};
  const Region& region = *found;
  // 16 contiguous lanes are copied at once, and their offsets must not wrap around 2^32.
  constexpr uint64_t largest = (uint64_t{1} << 32) - 1024;
  if (region.size < bytes || region.size > largest || (write && !region.writable)) return {};
  const uint64_t distance = added - region.base;
  const LaneOffsets offsets = lane_offsets(w, low, static_cast<uint32_t>(distance));
  // The upper word of high:low + distance must be 0. A true comparison is -1, as a carry would
  // need.
  const U32 carry = bits_as<U32>(offsets.at < load_register(w, low));
  const auto near = high + U32(static_cast<uint32_t>(distance >> 32)) == carry;
  const auto inside = offsets.at <= U32(static_cast<uint32_t>(region.size - bytes));
  if (to_bits(to_lanes_of(near & inside)) != 0xffffffffu) return {};
  return {region.host, offsets, 0xffffffffu, false};
}

HEDDLE_INLINE uint64_t active_bytes(uint32_t mask, uint32_t bytes) {
  return static_cast<uint64_t>(__builtin_popcount(mask)) * bytes;
}

}  // namespace heddle::emulator::HEDDLE_LEVEL
