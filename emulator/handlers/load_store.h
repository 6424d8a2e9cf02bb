// Moves data between host memory and registers. There is one routine for each width; loads and
// stores of global memory, LDS and scratch all use these routines.
#pragma once

#include "emulator/handlers/lane_addresses.h"
#include "emulator/handlers/register_words.h"

namespace heddle::emulator::HEDDLE_LEVEL {

constexpr U32 lane_numbers = {0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12, 13, 14, 15,
                              16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31};

// True if the accesses of lanes 0 to 15 are contiguous in memory, and so are those of lanes 16 to
// 31. Coalesced accesses are like this.
template <class Offsets>
HEDDLE_INLINE bool are_in_rows(Offsets at, unsigned step) {
  const auto firsts =
      __builtin_shufflevector(at, at, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 16, 16, 16,
                              16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16);
  return __builtin_reduce_or((at - convert<Offsets>((lane_numbers & 15u) * step)) ^ firsts) == 0;
}
// True if lanes 16 to 31 have the same addresses as lanes 0 to 15. Loads of A or B on gfx11 are
// like this.
template <class Offsets>
HEDDLE_INLINE bool halves_agree(Offsets at) {
  const auto other =
      __builtin_shufflevector(at, at, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30,
                              31, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
  return __builtin_reduce_or(at ^ other) == 0;
}

// The host address of each lane: base + from[lane] + added. The offsets are read from host memory
// one by one: `from` is a register of the wave, or the copy in `stored`.
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

// Loads four words for each lane into registers `index` to index + 3. If `once`, memory is read
// only for lanes 0 to 15, and lanes 16 to 31 get the same values.
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

// How a load extends the value in memory to a register, or which part of a register a load writes
// or a store takes.
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

// Loads a value of at most 32 bits for each lane, and extends it as the format says.
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

}  // namespace heddle::emulator::HEDDLE_LEVEL
