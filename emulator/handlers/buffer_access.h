// Finds the bytes that the lanes of a buffer_ instruction access, and which lanes are in range. The
// buffer resource, a descriptor in scalar registers, determines the range.
#pragma once

#include "emulator/handlers/lane_addresses.h"
#include "emulator/handlers/observe_access.h"

namespace heddle::emulator::HEDDLE_LEVEL {

// The 128-bit resource in four scalar registers. RDNA3 ISA, "Buffer resource descriptor".
struct Resource {
  uint64_t base;
  uint32_t stride;
  uint64_t records;
  uint32_t out_of_bounds_select;
  bool supported;  // no swizzle, no thread id in the address
};

constexpr uint32_t structured_with_offset = 0, raw_buffer = 3;

// On CDNA, the stride and the swizzle bit of a resource determine how its range is checked. Bit 30
// of the second word only concerns the cache (AMD Instinct MI300 ISA, "Buffer resource"). It is
// assumed that the swizzle bit has no effect on instructions without an index: kernels for gfx950
// set it in buffers that they address like plain ones.
HEDDLE_INLINE Resource cdna_resource(const uint32_t* word, bool has_index) {
  const bool swizzled = word[1] >> 31 && has_index;
  return {word[0] | uint64_t{word[1] & 0xffffu} << 32, word[1] >> 16 & 0x3fffu, word[2],
          swizzled ? structured_with_offset : raw_buffer, !swizzled && (word[3] >> 23 & 1u) == 0};
}

// Reads a resource of gfx1250: 57 bits of base address, 45 bits of size (records), and 14 bits of
// stride from bit 108 on (LLVM, legalization of llvm.amdgcn.make.buffer.rsrc). The meaning of the
// bits above is not published, so they must be 0. It is assumed that the range is checked as for
// structured buffers if the stride is not 0, and as for raw buffers if it is 0.
HEDDLE_INLINE Resource wide_resource(const uint32_t* word) {
  const uint64_t low = word[0] | uint64_t{word[1]} << 32, high = word[2] | uint64_t{word[3]} << 32;
  const uint32_t stride = word[3] >> 12 & 0x3fffu;
  return {low & ((uint64_t{1} << 57) - 1), stride,
          low >> 57 | (high & ((uint64_t{1} << 38) - 1)) << 7,
          stride == 0 ? raw_buffer : structured_with_offset, word[3] >> 26 == 0};
}

HEDDLE_INLINE Resource resource_of(const Wavefront& w, const Instruction* in) {
  const uint32_t* word = &w.scalar[in->source[1].index];
  if (in->flags & flag_gfx1250_memory) return wide_resource(word);
  if (in->flags & flag_cdna_resource) return cdna_resource(word, in->flags & flag_idxen);
  return {word[0] | uint64_t{word[1] & 0xffffu} << 32, word[1] >> 16 & 0x3fffu, word[2],
          word[3] >> 28 & 3u, (word[1] >> 30) == 0 && (word[3] >> 23 & 1u) == 0};
}

struct BufferAddresses {
  U64 at;      // emulated addresses
  U64 offset;  // what is checked against the number of records
  U32 index;
  Resource resource;
};

HEDDLE_INLINE BufferAddresses buffer_addresses(const Wavefront& w, const Instruction* in) {
  const Read<false> read{w, in};
  BufferAddresses a;
  a.resource = resource_of(w, in);
  const unsigned offset_register = in->flags & flag_idxen ? 1 : 0;
  a.index = in->flags & flag_idxen ? read.bits(0) : U32(0);
  U64 offset = U64(static_cast<uint64_t>(int64_t{in->offset}));
  if (in->flags & flag_offen)
    offset += convert<U64>(load_register(w, in->source[0].index + offset_register));
  a.offset = offset + U64(uint64_t{read_scalar(w, in->source[3])});
  a.at = U64(a.resource.base) + a.offset + convert<U64>(a.index) * U64(uint64_t{a.resource.stride});
  if (!(in->flags & flag_idxen)) a.index = U32(0);
  return a;
}

// The lanes for which `bytes` bytes, from `shift` bytes after the lane's address on, are in range.
// OOB_SELECT of the resource selects the check (RDNA3 ISA, "Range checking"):
// - 0: structured, with the offset
// - 1: structured
// - 2: no check, unless the buffer has no records
// - 3: raw; the scalar offset is included in the check
HEDDLE_INLINE uint32_t in_range(const BufferAddresses& a, uint32_t shift, uint32_t bytes) {
  const Resource& r = a.resource;
  const U64 end = a.offset + U64(uint64_t{shift} + bytes);
  const Lanes index_inside = to_lanes_of(convert<U64>(a.index) < U64(r.records));
  switch (r.out_of_bounds_select) {
    case 0:
      return to_bits(index_inside & to_lanes_of(end <= U64(uint64_t{r.stride})));
    case 1:
      return to_bits(index_inside);
    case 2:
      return r.records == 0 ? 0 : 0xffffffffu;
    default: {
      const U64 raw_end = end + convert<U64>(a.index) * U64(uint64_t{r.stride});
      return to_bits(to_lanes_of(raw_end <= U64(r.records)));
    }
  }
}

// Makes lanes that are out of range point to zeros, so that they load zero.
HEDDLE_INLINE Pointers or_zeros(const Pointers& p, uint32_t inside, uint32_t mask) {
  static constexpr uint32_t zeros[4] = {};
  Pointers all = p;
  all.at = select(to_lanes(inside), p.at, U64(reinterpret_cast<uint64_t>(zeros)));
  all.mask = mask;
  return all;
}

// True if the access through a buffer reaches scratch, as on CDNA2. The launch makes the resource
// for it (dispatch/dispatch.cpp): the hardware then adds the thread's number and interleaves the
// lanes. So the scalar offset is in bytes of all 64 lanes together.
HEDDLE_INLINE bool is_scratch(const Wavefront& w, const Instruction* in) {
  const uint32_t* word = &w.scalar[in->source[1].index];
  return in->flags & flag_cdna_resource && word[3] >> 23 & 1u &&
         (word[1] & 0xffffu) == region_start(scratch_buffer_region) >> 32;
}

template <AccessKind kind>
[[gnu::noinline]] Pointers scratch_pointers(Wavefront& w, const Instruction* in, uint32_t bytes) {
  const uint32_t common = w.scalar[in->source[1].index] + read_scalar(w, in->source[3]);
  U32 addresses = U32(common / 64 + static_cast<uint32_t>(in->offset));
  if (in->flags & flag_offen) addresses += load_register(w, in->source[0].index);
  const Pointers p = resolve_scratch(w, in, addresses, bytes, exec(w));
  if (!p.fault) observe(w, in, MemorySpace::scratch, kind, addresses, bytes, exec(w));
  w.counters.scratch_bytes += active_bytes(p.mask, bytes);
  return p;
}

// A fast way for the usual access: no index, and all lanes in range; see resolve_near(). For any
// other access the `base` of the result is null.
template <AccessKind kind>
HEDDLE_INLINE Places near_places_of_buffer(Wavefront& w, const Instruction* in, uint32_t bytes) {
  if ((in->flags & (flag_offen | flag_idxen)) != flag_offen) return {};
  const Resource r = resource_of(w, in);
  if (!r.supported || r.out_of_bounds_select != raw_buffer) return {};
  const unsigned index = in->source[0].index;
  const uint64_t constant =
      static_cast<uint64_t>(int64_t{in->offset}) + read_scalar(w, in->source[3]);
  if (constant + bytes > r.records) return {};
  const uint64_t most = r.records - bytes - constant;
  const U32 limit = U32(static_cast<uint32_t>(most < 0xffffffffu ? most : 0xffffffffu));
  if (to_bits(to_lanes_of(load_register(w, index) <= limit)) != 0xffffffffu) return {};
  const Places p =
      resolve_near<kind != AccessKind::load>(w, index, U32(0), r.base + constant, bytes);
  if (p.base && w.observe) [[unlikely]]
    observe(w, in, MemorySpace::global, kind, buffer_addresses(w, in).at, bytes, p.mask);
  return p;
}

}  // namespace heddle::emulator::HEDDLE_LEVEL
