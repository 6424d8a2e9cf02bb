// Atomics on global memory and LDS: what each operation makes of the old value, and the loop over
// lanes. Scalar atomics share the operations but not the loop.
#pragma once

#include "emulator/handlers/lane_addresses.h"

namespace heddle::emulator::HEDDLE_LEVEL {

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

// True if the atomic may be applied to a dword that is only partly in memory: bytes of the dword
// that it leaves unchanged do not affect the other bytes of the result.
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

// The float type that has as many bits as the word type T.
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
    // A barrier in LDS is a 64-bit word: bits 28..0 are the number of pending arrivals, bits 31..29
    // the phase, and bits 60..32 the number of pending arrivals with which the next phase begins. A
    // phase ends when the pending number would become negative (MLIR, amdgpu.ds_barrier_*; Triton's
    // lowering of its barriers).
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
  if constexpr (sizeof(T) == 4) {
    const float x = __builtin_bit_cast(float, static_cast<uint32_t>(old)),
                y = __builtin_bit_cast(float, static_cast<uint32_t>(data));
    if constexpr (op == Atomic::add_f) return __builtin_bit_cast(uint32_t, x + y);
    if constexpr (op == Atomic::min_f) return __builtin_bit_cast(uint32_t, __builtin_fminf(x, y));
    if constexpr (op == Atomic::max_f) return __builtin_bit_cast(uint32_t, __builtin_fmaxf(x, y));
    if constexpr (op == Atomic::pk_add_f16) return add_packed_half(old, data);
    if constexpr (op == Atomic::pk_add_bf16) return add_packed_bf16(old, data);
  }
  return old;
}

template <Atomic op, class T>
uint64_t updated(uint64_t old, uint64_t data, uint64_t compare) {
  return combined<op, T>(static_cast<T>(old), static_cast<T>(data), static_cast<T>(compare));
}

// Adds to the row what the checker must know about an atomic: which source has the value that a
// compare-and-swap expects, and what the operation makes of the old value.
template <Atomic op, class T>
constexpr Row& describe(Row& row) {
  row.expected = expected_source(op);
  row.updated = &updated<op, T>;
  return row;
}

// Executes an atomic on a dword of which only the bytes in `part` are in memory. Returns false if
// the operation would change the bytes that are not in memory.
template <Atomic op>
[[gnu::noinline]] bool update_partial_dword(std::byte* host, PartOfDword part, uint32_t operand,
                                            uint32_t expected, uint32_t& old) {
  while (__atomic_test_and_set(&partial_dwords_are_busy(), __ATOMIC_ACQUIRE)) {
  }
  uint32_t word = undefined_word;
  std::byte* const own = reinterpret_cast<std::byte*>(&word) + part.first;
  for (uint32_t i = 0; i < part.bytes; ++i) own[i] = host[i];
  old = word;
  word = combined<op, uint32_t>(old, operand, expected);
  const bool keeps = ((word ^ old) & ~part.mask()) == 0;
  for (uint32_t i = 0; i < part.bytes && keeps; ++i) host[i] = own[i];
  __atomic_clear(&partial_dwords_are_busy(), __ATOMIC_RELEASE);
  return keeps;
}

// Executes an atomic, one lane after the other, by atomic operations of the host, since workgroups
// run on several threads of the host. If `returns`, the old values are written to the register
// `destination`.
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
        if (!update_partial_dword<op>(partial.host[l], partial.part[l], operand, expected, old)) {
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
