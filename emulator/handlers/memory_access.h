// From addresses to host memory, and from host memory to registers: shared by all vector memory
// instructions.
//
// Every address of a lane becomes a pointer of the host, checked against its region, LDS or
// scratch; lanes that are off point to a spare place. Then one routine per width moves the data.
#pragma once

#include "emulator/handlers/lanes.h"
#include "emulator/handlers/partial_dwords.h"

namespace heddle::emulator::HEDDLE_LEVEL {

// Null when some byte is not mapped, or not writable.
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

// Lanes whose addresses are in several regions, in an aperture, or wrong. `keeps_rest`: an atomic
// on a dword that may leave some of its bytes as they are.
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

// What a register holds plus an offset. Lanes are read from the register file: reading those of a
// vector right after it was stored waits for the store.
struct LaneOffsets {
  U32 at;
  const uint32_t* in_register = nullptr;  // at[l] is in_register[l] + added; null: nowhere
  uint32_t added = 0;
};

HEDDLE_INLINE LaneOffsets lane_offsets(const Wavefront& w, unsigned index, uint32_t added) {
  return {load_register(w, index) + U32(added), w.vgpr[index], added};
}

// Lanes of an access to one piece of memory, by their offsets in it: half as much to compute with
// as pointers. Those that are off are at the spare bytes behind LDS (Wavefront::lds).
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

// Where all lanes are on and their addresses lie in one buffer of at most 4 GiB, their offsets in
// it are words of 32 bits: register `low` plus a constant. The addresses are high:low + added. The
// base is null where that is not so; resolve() then says what is.
template <bool write>
HEDDLE_INLINE Places resolve_near(const Wavefront& w, unsigned low, U32 high, uint64_t added,
                                  uint32_t bytes) {
  if (exec(w) != 0xffffffffu) return {};
  const uint64_t first = (w.vgpr[low][0] | uint64_t{high[0]} << 32) + added;
  const Region* const found = region_of(w, first);
  if (!found) return {};
  const Region& region = *found;
  // Sixteen lanes in a row are copied as one piece, which must not come round to 0.
  constexpr uint64_t largest = (uint64_t{1} << 32) - 1024;
  if (region.size < bytes || region.size > largest || (write && !region.writable)) return {};
  const uint64_t distance = added - region.base;
  const LaneOffsets offsets = lane_offsets(w, low, static_cast<uint32_t>(distance));
  // The upper word of high:low + distance must be 0: a comparison that holds is -1.
  const U32 carry = bits_as<U32>(offsets.at < load_register(w, low));
  const auto near = high + U32(static_cast<uint32_t>(distance >> 32)) == carry;
  const auto inside = offsets.at <= U32(static_cast<uint32_t>(region.size - bytes));
  if (to_bits(to_lanes_of(near & inside)) != 0xffffffffu) return {};
  return {region.host, offsets, 0xffffffffu, false};
}

// --- telling the observer ----------------------------------------------------------------------

// LDS and scratch.
HEDDLE_INLINE void observe(Wavefront& w, const Instruction* in, MemorySpace space, AccessKind kind,
                           U32 offsets, uint32_t bytes, uint32_t mask,
                           uint32_t first_register = 0) {
  if (!w.observe) [[likely]]
    return;
  uint32_t each[lanes];
  __builtin_memcpy(each, &offsets, sizeof each);
  w.observe(w, {in, space, kind, static_cast<uint8_t>(first_register), bytes, mask, each, nullptr});
}

// Global and flat.
HEDDLE_INLINE void observe(Wavefront& w, const Instruction* in, MemorySpace space, AccessKind kind,
                           U64 addresses, uint32_t bytes, uint32_t mask,
                           uint32_t first_register = 0) {
  if (!w.observe) [[likely]]
    return;
  uint64_t each[lanes];
  __builtin_memcpy(each, &addresses, sizeof each);
  w.observe(w, {in, space, kind, static_cast<uint8_t>(first_register), bytes, mask, nullptr, each});
}

// --- transposing ------------------------------------------------------------------------------

// All lanes are on while it exists, if any is (Row::whole_wave). So the transposing loads of
// gfx12 and gfx1250 are modelled by AMD's translator of binaries (ROCm/llvm-project, pull request
// 4450); the documents ask for an EXEC of all ones.
class WholeWave {
 public:
  HEDDLE_INLINE explicit WholeWave(Wavefront& w) : w_(w), exec_(exec(w)) {
    if (exec_ != 0) w.scalar[register_exec] = 0xffffffffu;
  }
  HEDDLE_INLINE ~WholeWave() { w_.scalar[register_exec] = exec_; }
  WholeWave(const WholeWave&) = delete;
  WholeWave& operator=(const WholeWave&) = delete;

 private:
  Wavefront& w_;
  const uint32_t exec_;
};

// Of the loads of gfx12 and gfx1250: which lane reads element `i` that `lane` gets. Of 16 bits
// eight lanes are a square, of which lane j gets element j of each. Of bytes two squares share
// sixteen lanes, which take four elements of one and four of the other in turn: so Triton uses
// ds_load_tr8_b64 (TargetInfo::queryLDSTransLoadParams and the lowering of transposing loads), and
// so users measured it, and global_load_tr_b64 on gfx1201. Of 4 and 6 bits two squares of sixteen
// share all lanes, eight and four in turn: so AMD's emulator rocjitsu has them (ds_transpose.h).
template <unsigned element_bits>
constexpr unsigned transposed_from(unsigned lane, unsigned i) {
  switch (element_bits) {
    case 4:
      return (i & 8u) << 1 | (lane & 16u) >> 1 | (i & 7u);
    case 6:
      return (i & 12u) << 1 | (lane & 16u) >> 2 | (i & 3u);
    case 8:
      return (lane & 16u) | (i & 4u) << 1 | (lane & 8u) >> 1 | (i & 3u);
    default:
      return (lane & 24u) | i;
  }
}

// Element `source` of some registers becomes element `target` of others.
template <unsigned element_bits>
HEDDLE_INLINE void move_element(uint32_t* to, unsigned target, const uint32_t* from,
                                unsigned source) {
  constexpr unsigned bytes = element_bits / 8;
  if constexpr (element_bits % 8 == 0) {
    __builtin_memcpy(reinterpret_cast<std::byte*>(to) + target * bytes,
                     reinterpret_cast<const std::byte*>(from) + source * bytes, bytes);
    return;
  }
  for (unsigned bit = 0; bit < element_bits; ++bit) {
    const unsigned a = source * element_bits + bit, b = target * element_bits + bit;
    to[b / 32] |= (from[a / 32] >> (a % 32) & 1u) << (b % 32);
  }
}

// Each of 32 lanes reads `words` registers of elements, and gets one of each of as many lanes. With
// an upper half of the wave, that one's lanes get what would be in the upper registers.
template <unsigned element_bits, unsigned words>
HEDDLE_INLINE void load_transposed_squares(Wavefront& w, Wavefront* upper, unsigned destination,
                                           const Pointers& p) {
  constexpr unsigned elements = 32 * words / element_bits;
  const unsigned kept = upper == nullptr ? words : words / 2;
  uint64_t at[lanes];
  __builtin_memcpy(at, &p.at, sizeof at);
  uint32_t loaded[lanes][words];
  for (unsigned l = 0; l < lanes; ++l)
    __builtin_memcpy(loaded[l], reinterpret_cast<const void*>(at[l]), sizeof loaded[l]);
  for (unsigned l = 0; l < lanes; ++l) {
    if (!(p.mask >> l & 1)) continue;
    uint32_t result[words] = {};
    for (unsigned i = 0; i < elements; ++i)
      move_element<element_bits>(result, i, loaded[transposed_from<element_bits>(l, i)],
                                 l % elements);
    for (unsigned i = 0; i < words; ++i)
      (i < kept ? w : *upper).vgpr[destination + i % kept][l] = result[i];
  }
}

// --- moving data -----------------------------------------------------------------------------

using Word4 = uint32_t __attribute__((ext_vector_type(4)));
using Word8 = uint32_t __attribute__((ext_vector_type(8)));
using Word16 = uint32_t __attribute__((ext_vector_type(16)));

HEDDLE_INLINE Word4 load_word4(uint64_t at) {
  Word4 x;
  __builtin_memcpy(&x, reinterpret_cast<const void*>(at), sizeof x);
  return x;
}

HEDDLE_INLINE Word16 join(Word4 a, Word4 b, Word4 c, Word4 d) {
  const Word8 low = __builtin_shufflevector(a, b, 0, 1, 2, 3, 4, 5, 6, 7);
  const Word8 high = __builtin_shufflevector(c, d, 0, 1, 2, 3, 4, 5, 6, 7);
  return __builtin_shufflevector(low, high, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
}

// In each group of four words: rows become columns.
HEDDLE_INLINE void transpose4(Word16& a, Word16& b, Word16& c, Word16& d) {
  const Word16 ab_low =
      __builtin_shufflevector(a, b, 0, 16, 1, 17, 4, 20, 5, 21, 8, 24, 9, 25, 12, 28, 13, 29);
  const Word16 ab_high =
      __builtin_shufflevector(a, b, 2, 18, 3, 19, 6, 22, 7, 23, 10, 26, 11, 27, 14, 30, 15, 31);
  const Word16 cd_low =
      __builtin_shufflevector(c, d, 0, 16, 1, 17, 4, 20, 5, 21, 8, 24, 9, 25, 12, 28, 13, 29);
  const Word16 cd_high =
      __builtin_shufflevector(c, d, 2, 18, 3, 19, 6, 22, 7, 23, 10, 26, 11, 27, 14, 30, 15, 31);
  a = __builtin_shufflevector(ab_low, cd_low, 0, 1, 16, 17, 4, 5, 20, 21, 8, 9, 24, 25, 12, 13, 28,
                              29);
  b = __builtin_shufflevector(ab_low, cd_low, 2, 3, 18, 19, 6, 7, 22, 23, 10, 11, 26, 27, 14, 15,
                              30, 31);
  c = __builtin_shufflevector(ab_high, cd_high, 0, 1, 16, 17, 4, 5, 20, 21, 8, 9, 24, 25, 12, 13,
                              28, 29);
  d = __builtin_shufflevector(ab_high, cd_high, 2, 3, 18, 19, 6, 7, 22, 23, 10, 11, 26, 27, 14, 15,
                              30, 31);
}

HEDDLE_INLINE void store_half(Wavefront& w, unsigned index, int half, Word16 value, uint32_t mask) {
  auto* place = reinterpret_cast<Word16*>(w.vgpr[index] + 16 * half);
  using Lanes16 = bool __attribute__((ext_vector_type(16)));
  if (mask == 0xffffffffu) [[likely]]
    *place = value;
  else
    *place =
        __builtin_bit_cast(Lanes16, static_cast<uint16_t>(mask >> (16 * half))) ? value : *place;
}

constexpr U32 lane_numbers = {0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12, 13, 14, 15,
                              16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31};

// Whether sixteen lanes are next to each other, twice, as those of coalesced accesses are.
template <class Offsets>
HEDDLE_INLINE bool are_in_rows(Offsets at, unsigned step) {
  const auto firsts =
      __builtin_shufflevector(at, at, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 16, 16, 16,
                              16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16);
  return __builtin_reduce_or((at - convert<Offsets>((lane_numbers & 15u) * step)) ^ firsts) == 0;
}
// Whether the upper sixteen lanes are where the lower ones are, as those that load A or B of gfx11
// are.
template <class Offsets>
HEDDLE_INLINE bool halves_agree(Offsets at) {
  const auto other =
      __builtin_shufflevector(at, at, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30,
                              31, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
  return __builtin_reduce_or(at ^ other) == 0;
}

// The place of each lane, read from where it lies in memory: a register, or the copy in `stored`.
template <class Offset>
struct EachPlace {
  uint64_t base;
  const Offset* from;
  Offset added = 0;
  HEDDLE_INLINE uint64_t operator[](int lane) const {
    return base + static_cast<Offset>(from[lane] + added);
  }
};
struct alignas(64) StoredLanes {
  uint64_t at[lanes];
};
HEDDLE_INLINE EachPlace<uint64_t> each_place(const Pointers& p, StoredLanes& stored) {
  __builtin_memcpy(stored.at, &p.at, sizeof p.at);
  return {0, stored.at};
}
HEDDLE_INLINE EachPlace<uint32_t> each_place(const Places& p, StoredLanes& stored) {
  const auto base = reinterpret_cast<uint64_t>(p.base);
  if (p.offsets.in_register) [[likely]]
    return {base, p.offsets.in_register, p.offsets.added};
  auto* each = reinterpret_cast<uint32_t*>(stored.at);
  __builtin_memcpy(each, &p.offsets.at, sizeof p.offsets.at);
  return {base, each};
}
HEDDLE_INLINE const U64& offsets_of(const Pointers& p) { return p.at; }
HEDDLE_INLINE const U32& offsets_of(const Places& p) { return p.offsets.at; }

// `once`: the upper half of the lanes gets what the lower one does.
template <class Each>
HEDDLE_INLINE void load_words4(Wavefront& w, const Each& each, unsigned index, uint32_t mask,
                               bool once) {
  for (int half = 0; half < (once ? 1 : 2); ++half) {
    const auto word4 = [&](int lane) { return load_word4(each[16 * half + lane]); };
    Word16 a = join(word4(0), word4(4), word4(8), word4(12));
    Word16 b = join(word4(1), word4(5), word4(9), word4(13));
    Word16 c = join(word4(2), word4(6), word4(10), word4(14));
    Word16 d = join(word4(3), word4(7), word4(11), word4(15));
    transpose4(a, b, c, d);
    store_half(w, index, half, a, mask);
    store_half(w, index + 1, half, b, mask);
    store_half(w, index + 2, half, c, mask);
    store_half(w, index + 3, half, d, mask);
    if (!once) continue;
    store_half(w, index, 1, a, mask);
    store_half(w, index + 1, 1, b, mask);
    store_half(w, index + 2, 1, c, mask);
    store_half(w, index + 3, 1, d, mask);
  }
}

HEDDLE_INLINE Word16 register_half(const Wavefront& w, unsigned index, int half) {
  return *reinterpret_cast<const Word16*>(w.vgpr[index] + 16 * half);
}

template <class Each>
HEDDLE_INLINE void store_words4(const Wavefront& w, const Each& each, unsigned index) {
  for (int half = 0; half < 2; ++half) {
    Word16 x[4];
    for (unsigned r = 0; r < 4; ++r) x[r] = register_half(w, index + r, half);
    transpose4(x[0], x[1], x[2], x[3]);
    // x[r] now holds the four words of lanes r, 4 + r, 8 + r, 12 + r.
    Word4 rows[16];
    __builtin_memcpy(rows, x, sizeof rows);
    for (int r = 0; r < 4; ++r)
      for (int group = 0; group < 4; ++group)
        __builtin_memcpy(reinterpret_cast<void*>(each[16 * half + 4 * group + r]),
                         &rows[4 * r + group], 16);
  }
}

// What a load puts into its register, and a store takes from it.
enum class Format {
  u8,
  i8,
  u16,
  i16,  // extended to 32 bits
  d16_u8,
  d16_i8,
  d16_b16,  // into bits 15..0, the others stay
  d16_hi_u8,
  d16_hi_i8,
  d16_hi_b16,  // into bits 31..16
  b8,
  b16,  // stores of bits 7..0, 15..0
  b32,
  b64,
  b96,
  b128,
};

constexpr uint32_t bytes_of(Format f) {
  switch (f) {
    case Format::u8:
    case Format::i8:
    case Format::d16_u8:
    case Format::d16_i8:
    case Format::d16_hi_u8:
    case Format::d16_hi_i8:
    case Format::b8:
      return 1;
    case Format::u16:
    case Format::i16:
    case Format::d16_b16:
    case Format::d16_hi_b16:
    case Format::b16:
      return 2;
    case Format::b32:
      return 4;
    case Format::b64:
      return 8;
    case Format::b96:
      return 12;
    default:
      return 16;
  }
}

constexpr bool is_signed(Format f) {
  return f == Format::i8 || f == Format::i16 || f == Format::d16_i8 || f == Format::d16_hi_i8;
}
constexpr bool is_high(Format f) {
  return f == Format::d16_hi_u8 || f == Format::d16_hi_i8 || f == Format::d16_hi_b16;
}
constexpr bool is_low(Format f) {
  return f == Format::d16_u8 || f == Format::d16_i8 || f == Format::d16_b16;
}

// Row::half.
constexpr uint8_t half_of(Format f) { return is_high(f) ? 2 : is_low(f) ? 1 : 0; }

// One value of at most 32 bits per lane, extended as the format says.
template <Format f, class Each>
HEDDLE_INLINE U32 load_small(const Each& each) {
  uint32_t out[lanes];
  for (int l = 0; l < lanes; ++l) {
    const void* p = reinterpret_cast<const void*>(each[l]);
    if constexpr (bytes_of(f) == 1) {
      uint8_t x;
      __builtin_memcpy(&x, p, 1);
      out[l] = is_signed(f) ? static_cast<uint32_t>(static_cast<int8_t>(x)) : x;
    } else if constexpr (bytes_of(f) == 2) {
      uint16_t x;
      __builtin_memcpy(&x, p, 2);
      out[l] = is_signed(f) ? static_cast<uint32_t>(static_cast<int16_t>(x)) : x;
    } else {
      __builtin_memcpy(&out[l], p, 4);
    }
  }
  U32 result;
  __builtin_memcpy(&result, out, sizeof result);
  return result;
}

template <Format f, class Where>
HEDDLE_INLINE void load_data(Wavefront& w, unsigned destination, bool high, const Where& p) {
  StoredLanes stored;
  const auto each = each_place(p, stored);
  if constexpr (f == Format::b128) {
    load_words4(w, each, destination, p.mask, p.mask == 0xffffffffu && halves_agree(offsets_of(p)));
  } else if constexpr (f == Format::b64 || f == Format::b96) {
    uint64_t low[lanes];
    uint32_t third[lanes];
    for (int l = 0; l < lanes; ++l) {
      __builtin_memcpy(&low[l], reinterpret_cast<const void*>(each[l]), 8);
      if constexpr (f == Format::b96)
        __builtin_memcpy(&third[l], reinterpret_cast<const void*>(each[l] + 8), 4);
    }
    U64 both;
    __builtin_memcpy(&both, low, sizeof both);
    store_register(w, destination, convert<U32>(both), p.mask);
    store_register(w, destination + 1, convert<U32>(both >> 32), p.mask);
    if constexpr (f == Format::b96) {
      U32 last;
      __builtin_memcpy(&last, third, sizeof last);
      store_register(w, destination + 2, last, p.mask);
    }
  } else if (f == Format::b32 && p.mask == 0xffffffffu && are_in_rows(offsets_of(p), 4)) {
    for (int half = 0; half < 2; ++half)
      __builtin_memcpy(w.vgpr[destination] + 16 * half,
                       reinterpret_cast<const void*>(each[16 * half]), 64);
  } else {
    U32 x = load_small<f>(each);
    if (is_high(f) || (is_low(f) && high)) {
      x = x << 16 | (load_register(w, destination) & 0xffffu);
    } else if (is_low(f)) {
      x = (x & 0xffffu) | (load_register(w, destination) & 0xffff0000u);
    }
    store_register(w, destination, x, p.mask);
  }
}

template <Format f, class Where>
HEDDLE_INLINE void store_data(const Wavefront& w, const Source& data, const Where& p) {
  StoredLanes stored;
  const auto each = each_place(p, stored);
  const unsigned index = data.index;
  if constexpr (f == Format::b128) {
    store_words4(w, each, index);
  } else if (f == Format::b32 && p.mask == 0xffffffffu && are_in_rows(offsets_of(p), 4)) {
    for (int half = 0; half < 2; ++half)
      __builtin_memcpy(reinterpret_cast<void*>(each[16 * half]), w.vgpr[index] + 16 * half, 64);
  } else {
    const bool high = is_high(f) || (data.flags & source_high);
    for (int l = 0; l < lanes; ++l) {
      void* to = reinterpret_cast<void*>(each[l]);
      uint32_t words[3];
      for (unsigned i = 0; i < (bytes_of(f) + 3) / 4; ++i) words[i] = w.vgpr[index + i][l];
      if (bytes_of(f) < 4 && high) words[0] >>= 16;
      __builtin_memcpy(to, words, bytes_of(f));
    }
  }
}

HEDDLE_INLINE uint64_t active_bytes(uint32_t mask, uint32_t bytes) {
  return static_cast<uint64_t>(__builtin_popcount(mask)) * bytes;
}

// --- atomics ---------------------------------------------------------------------------------

enum class Atomic {
  add,
  sub,
  swap,
  compare_swap,
  compare_swap_other,  // the operands in the other order
  min_i,
  min_u,
  max_i,
  max_u,
  and_,
  or_,
  xor_,
  inc,
  dec,
  add_f,
  min_f,
  max_f,
  pk_add_f16,
  pk_add_bf16,
  reverse_sub,
  sub_clamp,  // not below 0
  cond_sub,   // only when it stays at or above 0
  wrap,       // subtracts the first operand where that stays at or above 0, adds the second else
  mask_or,    // bits of the first operand are replaced by those of the second
  compare_swap_other_f,
  compare_swap_f,   // equal as floats: -0 is 0, NaN equals nothing
  arrive,           // at a barrier in LDS, by the operand
  arrive_once,      // by 1
  cond_swap_words,  // each word of 32 bits whose replacement has its top bit set, without that bit
};

// Row::expected.
constexpr uint8_t expected_source(Atomic op) {
  if (op == Atomic::compare_swap || op == Atomic::compare_swap_f) return 2;
  return op == Atomic::compare_swap_other || op == Atomic::compare_swap_other_f ? 1 : 0;
}

// Whether the bytes of a dword that an atomic may leave as they are have no part in what becomes of
// the others.
constexpr bool keeps_rest(Atomic op) {
  switch (op) {
    case Atomic::compare_swap:
    case Atomic::add:
    case Atomic::sub:
    case Atomic::and_:
    case Atomic::or_:
    case Atomic::xor_:
    case Atomic::pk_add_f16:
    case Atomic::pk_add_bf16:
      return true;
    default:
      return false;
  }
}

// Of an atomic on 64 bits the floats are f64.
template <class T>
struct FloatOf;
template <>
struct FloatOf<uint32_t> {
  using Type = float;
};
template <>
struct FloatOf<uint64_t> {
  using Type = double;
};

HEDDLE_INLINE float bf16_sum(uint32_t a, uint32_t b) {
  return __builtin_bit_cast(float, a << 16) + __builtin_bit_cast(float, b << 16);
}
HEDDLE_INLINE uint32_t add_packed_bf16(uint32_t a, uint32_t b) {
  const auto sum = [](uint32_t x, uint32_t y) {
    const uint32_t bits = __builtin_bit_cast(uint32_t, bf16_sum(x, y));
    if ((bits & 0x7fffffffu) > 0x7f800000u) return bits >> 16 | 0x40u;
    return (bits + 0x7fffu + (bits >> 16 & 1u)) >> 16;
  };
  return sum(a & 0xffffu, b & 0xffffu) | sum(a >> 16, b >> 16) << 16;
}

HEDDLE_INLINE uint32_t add_packed_half(uint32_t a, uint32_t b) {
  using Half2 = _Float16 __attribute__((ext_vector_type(2)));
  return __builtin_bit_cast(uint32_t, __builtin_bit_cast(Half2, a) + __builtin_bit_cast(Half2, b));
}

template <Atomic op, class T>
HEDDLE_INLINE T combined(T old, T data, T compare) {
  const auto as_signed = [](T x) {
    return sizeof(T) == 8 ? static_cast<int64_t>(x) : int64_t{static_cast<int32_t>(x)};
  };
  if constexpr (op == Atomic::add) return old + data;
  if constexpr (op == Atomic::sub) return old - data;
  if constexpr (op == Atomic::swap) return data;
  if constexpr (op == Atomic::compare_swap) return old == compare ? data : old;
  if constexpr (op == Atomic::compare_swap_other) return old == data ? compare : old;
  if constexpr (op == Atomic::min_i) return as_signed(old) < as_signed(data) ? old : data;
  if constexpr (op == Atomic::max_i) return as_signed(old) > as_signed(data) ? old : data;
  if constexpr (op == Atomic::min_u) return old < data ? old : data;
  if constexpr (op == Atomic::max_u) return old > data ? old : data;
  if constexpr (op == Atomic::and_) return old & data;
  if constexpr (op == Atomic::or_) return old | data;
  if constexpr (op == Atomic::xor_) return old ^ data;
  if constexpr (op == Atomic::inc) return old >= data ? 0 : old + 1;
  if constexpr (op == Atomic::dec) return old == 0 || old > data ? data : old - 1;
  if constexpr (op == Atomic::reverse_sub) return data - old;
  if constexpr (op == Atomic::sub_clamp) return old < data ? 0 : old - data;
  if constexpr (op == Atomic::cond_sub) return old < data ? old : old - data;
  if constexpr (op == Atomic::wrap) return old >= data ? old - data : old + compare;
  if constexpr (op == Atomic::mask_or) return (old & ~data) | compare;
  if constexpr (op == Atomic::arrive || op == Atomic::arrive_once) {
    // Bits 28..0 are what is pending, 31..29 the phase, and 60..32 what becomes pending when a
    // phase ends, which is below 0 (MLIR, amdgpu.ds_barrier_*; Triton's lowering of its barriers).
    constexpr uint64_t mask = (1u << 29) - 1;
    const uint64_t pending = old & mask, by = op == Atomic::arrive ? data & mask : 1;
    if (by <= pending) return (old & ~static_cast<T>(mask)) | static_cast<T>(pending - by);
    const uint64_t initial = static_cast<uint64_t>(old) >> 32 & mask;
    const uint64_t phase = static_cast<uint64_t>(old) + (uint64_t{1} << 29) & uint64_t{0xe0000000};
    return (old & ~static_cast<T>(0xffffffffu)) |
           static_cast<T>(phase | ((pending + initial + 1 - by) & mask));
  }
  if constexpr (op == Atomic::cond_swap_words) {
    T result = old;
    for (unsigned i = 0; i < sizeof(T) * 8; i += 32) {
      const auto word = static_cast<uint32_t>(data >> i);
      if (!(word >> 31)) continue;
      result &= ~(static_cast<T>(0xffffffffu) << i);
      result |= static_cast<T>(word & 0x7fffffffu) << i;
    }
    return result;
  }
  using Float = typename FloatOf<T>::Type;
  if constexpr (op == Atomic::compare_swap_f)
    return __builtin_bit_cast(Float, old) == __builtin_bit_cast(Float, compare) ? data : old;
  if constexpr (op == Atomic::compare_swap_other_f)
    return __builtin_bit_cast(Float, old) == __builtin_bit_cast(Float, data) ? compare : old;
  if constexpr (sizeof(T) == 8) {
    const double x = __builtin_bit_cast(double, old), y = __builtin_bit_cast(double, data);
    if constexpr (op == Atomic::add_f) return __builtin_bit_cast(T, x + y);
    if constexpr (op == Atomic::min_f) return __builtin_bit_cast(T, __builtin_fmin(x, y));
    if constexpr (op == Atomic::max_f) return __builtin_bit_cast(T, __builtin_fmax(x, y));
  }
  if constexpr (op == Atomic::pk_add_bf16) return add_packed_bf16(old, data);
  if constexpr (sizeof(T) == 4) {
    const float x = __builtin_bit_cast(float, static_cast<uint32_t>(old)),
                y = __builtin_bit_cast(float, static_cast<uint32_t>(data));
    if constexpr (op == Atomic::add_f) return __builtin_bit_cast(uint32_t, x + y);
    if constexpr (op == Atomic::min_f) return __builtin_bit_cast(uint32_t, __builtin_fminf(x, y));
    if constexpr (op == Atomic::max_f) return __builtin_bit_cast(uint32_t, __builtin_fmaxf(x, y));
    if constexpr (op == Atomic::pk_add_f16) return add_packed_half(old, data);
  }
  return old;
}

template <Atomic op, class T>
uint64_t updated(uint64_t old, uint64_t data, uint64_t compare) {
  return combined<op, T>(static_cast<T>(old), static_cast<T>(data), static_cast<T>(compare));
}

// What the checker asks of an atomic's row.
template <Atomic op, class T>
constexpr Row& describe(Row& row) {
  row.expected = expected_source(op);
  row.updated = &updated<op, T>;
  return row;
}

// An atomic on a dword of which only the first bytes exist. False where it changes the others.
template <Atomic op>
[[gnu::noinline]] bool update_partial_dword(std::byte* host, uint32_t bytes, uint32_t operand,
                                            uint32_t expected, uint32_t& old) {
  while (__atomic_test_and_set(&partial_dwords_are_busy(), __ATOMIC_ACQUIRE)) {
  }
  uint32_t word = undefined_word;
  for (uint32_t i = 0; i < bytes; ++i) reinterpret_cast<std::byte*>(&word)[i] = host[i];
  old = word;
  word = combined<op, uint32_t>(old, operand, expected);
  const bool keeps = (word ^ old) >> 8 * bytes == 0;
  for (uint32_t i = 0; i < bytes && keeps; ++i) host[i] = reinterpret_cast<std::byte*>(&word)[i];
  __atomic_clear(&partial_dwords_are_busy(), __ATOMIC_RELEASE);
  return keeps;
}

// Lane by lane, each indivisible for the other threads of the host. The old values go to
// `returned`.
template <Atomic op, class T>
HEDDLE_INLINE bool atomic_lanes(Wavefront& w, const Instruction* in, const Pointers& p,
                                const Source& data, const Source* compare, uint32_t destination,
                                bool returns) {
  for (int l = 0; l < lanes; ++l) {
    if (!(p.mask >> l & 1)) continue;
    if (p.at[l] % sizeof(T) != 0) {
      raise(w, in, FaultKind::misaligned, l, p.at[l] % sizeof(T), sizeof(T));
      return false;
    }
    auto* place = reinterpret_cast<T*>(p.at[l]);
    const auto value = [&](const Source& s) {
      T x = w.vgpr[s.index][l];
      if constexpr (sizeof(T) == 8) x |= static_cast<T>(w.vgpr[s.index + 1][l]) << 32;
      return x;
    };
    const T operand = value(data), expected = compare ? value(*compare) : T{};
    if constexpr (sizeof(T) == 4 && keeps_rest(op)) {
      if (const PartialDwords& partial = partial_dwords(); partial.has(p.at[l])) [[unlikely]] {
        uint32_t old;
        if (!update_partial_dword<op>(partial.host[l], partial.bytes[l], operand, expected, old)) {
          raise(w, in, FaultKind::global_out_of_bounds, l, partial.address[l], 4);
          return false;
        }
        if (returns) w.vgpr[destination][l] = old;
        continue;
      }
    }
    T old = __atomic_load_n(place, __ATOMIC_RELAXED);
    while (!__atomic_compare_exchange_n(place, &old, combined<op, T>(old, operand, expected), true,
                                        __ATOMIC_SEQ_CST, __ATOMIC_RELAXED)) {
    }
    if (!returns) continue;
    w.vgpr[destination][l] = static_cast<uint32_t>(old);
    if constexpr (sizeof(T) == 8) w.vgpr[destination + 1][l] = static_cast<uint32_t>(old >> 32);
  }
  return true;
}

}  // namespace heddle::emulator::HEDDLE_LEVEL
