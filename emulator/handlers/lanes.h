// 32 lanes as one vector value, and everything that surrounds the operation of a vector
// instruction: reading sources with their modifiers, DPP, writing only the lanes that EXEC enables,
// output modifiers.
//
// This header is compiled several times for different instruction sets of the host (levels), each
// time in a separate namespace HEDDLE_LEVEL. The linker must not merge code of different levels. So
// only types and builtins may be used here, and no function of the standard library that has a
// body.
#pragma once

#include <cstdint>
#include <utility>

#include "emulator/handlers/row.h"
#include "emulator/machine/wavefront.h"

#ifndef HEDDLE_LEVEL
#error "compile with -DHEDDLE_LEVEL=name of the instruction set"
#endif

#define HEDDLE_INLINE [[gnu::always_inline]] inline

namespace heddle::emulator::HEDDLE_LEVEL {

constexpr int lanes = 32;

template <class T>
using Vector = T __attribute__((ext_vector_type(32)));

using U8 = Vector<uint8_t>;
using I8 = Vector<int8_t>;
using U16 = Vector<uint16_t>;
using I16 = Vector<int16_t>;
using F16 = Vector<_Float16>;
using U32 = Vector<uint32_t>;
using I32 = Vector<int32_t>;
using F32 = Vector<float>;
using U64 = Vector<uint64_t>;
using I64 = Vector<int64_t>;
using F64 = Vector<double>;
using Lanes = Vector<bool>;

// bf16 numbers as their bits.
struct Bfloat {
  U16 bits;
};

// A mask with one bit for each lane, in a scalar register. As a source, it is used as it is,
// without regard to EXEC.
struct Mask {
  uint32_t bits;
};

// The two results of an addition with carry.
struct Carried {
  U32 value;
  Lanes carry;
};

// Packed values, split into two vectors. For 16-bit values, `low` are the lower halves of the
// lanes' registers and `high` the upper halves; packed f32 are in two registers.
template <class T>
struct Pair {
  T low, high;
};

// Sources of v_fma_mix, by then in f32.
struct Mixed {
  F32 value;
};

HEDDLE_INLINE uint32_t to_bits(Lanes x) { return __builtin_bit_cast(uint32_t, x); }
HEDDLE_INLINE Lanes to_lanes(uint32_t bits) { return __builtin_bit_cast(Lanes, bits); }

template <class T>
HEDDLE_INLINE Lanes to_lanes_of(T comparison) {
  return __builtin_convertvector(comparison, Lanes);
}

template <class To, class From>
HEDDLE_INLINE To convert(From x) {
  return __builtin_convertvector(x, To);
}

template <class To, class From>
HEDDLE_INLINE To bits_as(From x) {
  return __builtin_bit_cast(To, x);
}

template <class T>
HEDDLE_INLINE T select(Lanes condition, T yes, T no) {
  return condition ? yes : no;
}

HEDDLE_INLINE U32 load_register(const Wavefront& w, unsigned index) {
  return *reinterpret_cast<const U32*>(w.vgpr[index]);
}

HEDDLE_INLINE void store_register(Wavefront& w, unsigned index, U32 value, uint32_t mask) {
  auto* place = reinterpret_cast<U32*>(w.vgpr[index]);
  if (mask == 0xffffffffu) [[likely]]
    *place = value;
  else
    *place = select(to_lanes(mask), value, *place);
}

HEDDLE_INLINE uint32_t exec(const Wavefront& w) { return w.scalar[register_exec]; }

HEDDLE_INLINE const Instruction* raise(Wavefront& w, const Instruction* in, FaultKind kind,
                                       int lane = -1, uint64_t address = 0, uint32_t bytes = 0) {
  w.event = Event::fault;
  w.resume = in;
  w.fault = kind;
  w.fault_lane = lane;
  w.fault_address = address;
  w.fault_bytes = bytes;
  return nullptr;
}

// --- scalar sources ------------------------------------------------------------------------

HEDDLE_INLINE uint32_t read_scalar(const Wavefront& w, const Source& s) {
  return s.kind == SourceKind::constant ? s.constant : w.scalar[s.index];
}

HEDDLE_INLINE uint64_t read_constant64(const Wavefront& w, const Source& s) {
  if ((s.flags & constant_literal) == constant_literal) return w.literals[s.constant];
  if (s.flags & constant_inverse_two_pi) return 0x3fc45f306dc9c882u;
  if (s.flags & constant_in_high_word) return uint64_t{s.constant} << 32;
  if (s.flags & constant_sign_extended)
    return static_cast<uint64_t>(static_cast<int64_t>(static_cast<int32_t>(s.constant)));
  return s.constant;
}

HEDDLE_INLINE uint64_t read_scalar64(const Wavefront& w, const Source& s) {
  if (s.kind == SourceKind::constant) return read_constant64(w, s);
  return w.scalar[s.index] | uint64_t{w.scalar[s.index + 1]} << 32;
}

HEDDLE_INLINE void write_scalar64(Wavefront& w, unsigned index, uint64_t value) {
  w.scalar[index] = static_cast<uint32_t>(value);
  w.scalar[index + 1] = static_cast<uint32_t>(value >> 32);
}

// --- vector sources ------------------------------------------------------------------------

HEDDLE_INLINE U32 permute(U32 values, const uint8_t* from) {
  uint32_t in[lanes], out[lanes];
  __builtin_memcpy(in, &values, sizeof in);
  for (int l = 0; l < lanes; ++l) out[l] = in[from[l] & 31];
  U32 result;
  __builtin_memcpy(&result, out, sizeof out);
  return result;
}

// The 32 bits of a source, before any modifier.
HEDDLE_INLINE U32 read_bits(const Wavefront& w, const Source& s) {
  if (s.kind == SourceKind::vgpr) [[likely]]
    return load_register(w, s.index);
  return U32(read_scalar(w, s));
}

// `w` is one half of a wave of 64 lanes. Returns EXEC of the other half.
HEDDLE_INLINE uint32_t other_exec(const Wavefront& w) {
  return w.scalar[w.first_lane == 0 ? register_exec + 1 : int{register_whole_exec}];
}

// Under DPP, the lanes whose source exists: the lane that they read is in range, and it is active
// or may be read even if inactive (fetch_inactive). The other lanes read zero.
HEDDLE_INLINE uint32_t dpp_valid(const Wavefront& w, const LaneSelection& d) {
  uint32_t active = 0;
  if (d.crosses) [[unlikely]]
    for (int l = 0; l < lanes; ++l)
      active |= ((d.lane[l] < 32 ? exec(w) : other_exec(w)) >> (d.lane[l] & 31) & 1) << l;
  else
    for (int l = 0; l < lanes; ++l) active |= (exec(w) >> d.lane[l] & 1) << l;
  return d.in_range & (d.fetch_inactive ? 0xffffffffu : active);
}

// `word`: of a source of several registers.
HEDDLE_INLINE U32 read_dpp(const Wavefront& w, const Instruction* in, unsigned word = 0) {
  const LaneSelection& d = *in->lanes;
  Source source = in->source[0];
  source.index = static_cast<uint16_t>(source.index + word);
  U32 moved = permute(read_bits(w, source), d.lane);
  if (d.crosses) [[unlikely]]
    for (int l = 0; l < lanes; ++l)
      if (d.lane[l] >= 32) moved[l] = w.other->vgpr[source.index][d.lane[l] & 31];
  return select(to_lanes(dpp_valid(w, d)), moved, U32(0));
}

// The lanes an instruction writes.
template <bool general>
HEDDLE_INLINE uint32_t write_mask(const Wavefront& w, const Instruction* in) {
  if constexpr (general) {
    if (in->flags & flag_dpp) {
      const LaneSelection& d = *in->lanes;
      return exec(w) & d.enabled & (d.zero_when_invalid ? 0xffffffffu : dpp_valid(w, d));
    }
  }
  return exec(w);
}

template <class T>
struct Tag {};

template <bool general>
struct Read {
  const Wavefront& w;
  const Instruction* in;

  HEDDLE_INLINE U32 bits(int i) const {
    if constexpr (general)
      if (i == 0 && (in->flags & flag_dpp)) return read_dpp(w, in);
    return read_bits(w, in->source[i]);
  }

  HEDDLE_INLINE U64 bits64(int i) const {
    const Source& s = in->source[i];
    if constexpr (general)
      if (i == 0 && (in->flags & flag_dpp))
        return convert<U64>(read_dpp(w, in)) | convert<U64>(read_dpp(w, in, 1)) << 32;
    if (s.kind == SourceKind::vgpr) [[likely]]
      return convert<U64>(load_register(w, s.index)) | convert<U64>(load_register(w, s.index + 1))
                                                           << 32;
    return U64(read_scalar64(w, s));
  }

  template <class Bits>
  HEDDLE_INLINE Bits signs(int i, Bits x, Bits sign) const {
    if constexpr (general) {
      if (in->source[i].flags & source_absolute) x &= ~sign;
      if (in->source[i].flags & source_negate) x ^= sign;
    }
    return x;
  }

  HEDDLE_INLINE U16 half(int i) const {
    const U32 x = bits(i);
    return convert<U16>(in->source[i].flags & source_high ? x >> 16 : x);
  }

  HEDDLE_INLINE U32 get(int i, Tag<U32>) const { return signs<U32>(i, bits(i), U32(0x80000000u)); }
  HEDDLE_INLINE I32 get(int i, Tag<I32>) const { return bits_as<I32>(bits(i)); }
  HEDDLE_INLINE F32 get(int i, Tag<F32>) const { return bits_as<F32>(get(i, Tag<U32>{})); }
  HEDDLE_INLINE U64 get(int i, Tag<U64>) const { return bits64(i); }
  HEDDLE_INLINE I64 get(int i, Tag<I64>) const { return bits_as<I64>(bits64(i)); }
  HEDDLE_INLINE F64 get(int i, Tag<F64>) const {
    return bits_as<F64>(signs<U64>(i, bits64(i), U64(uint64_t{1} << 63)));
  }
  HEDDLE_INLINE U16 get(int i, Tag<U16>) const { return signs<U16>(i, half(i), U16(0x8000)); }
  HEDDLE_INLINE I16 get(int i, Tag<I16>) const { return bits_as<I16>(half(i)); }
  HEDDLE_INLINE F16 get(int i, Tag<F16>) const { return bits_as<F16>(get(i, Tag<U16>{})); }
  HEDDLE_INLINE Bfloat get(int i, Tag<Bfloat>) const { return {get(i, Tag<U16>{})}; }
  HEDDLE_INLINE Mask get(int i, Tag<Mask>) const { return {read_scalar(w, in->source[i])}; }
  HEDDLE_INLINE uint32_t get(int i, Tag<uint32_t>) const { return read_scalar(w, in->source[i]); }

  template <class T>
  HEDDLE_INLINE Pair<T> get(int i, Tag<Pair<T>>) const {
    const Source& s = in->source[i];
    const U32 x = bits(i);
    U16 low = convert<U16>(s.flags & source_high ? x >> 16 : x);
    U16 high = convert<U16>(s.flags & source_high_for_high ? x >> 16 : x);
    if (s.flags & source_negate) low ^= U16(0x8000);
    if (s.flags & source_negate_high) high ^= U16(0x8000);
    return {bits_as<T>(low), bits_as<T>(high)};
  }

  // A source of packed f32, which is two registers. op_sel selects which of them is the low and
  // which the high number. A constant is used for the two numbers alike.
  HEDDLE_INLINE Pair<F32> get(int i, Tag<Pair<F32>>) const {
    const Source& s = in->source[i];
    const unsigned low_word = s.flags & source_high ? 1 : 0,
                   high_word = s.flags & source_high_for_high ? 1 : 0;
    const auto word = [&](unsigned which) {
      if (s.kind == SourceKind::vgpr) return load_register(w, s.index + which);
      return U32(s.kind == SourceKind::constant ? s.constant : w.scalar[s.index + which]);
    };
    U32 low = word(low_word), high = word(high_word);
    if (s.flags & source_negate) low ^= U32(0x80000000u);
    if (s.flags & source_negate_high) high ^= U32(0x80000000u);
    return {bits_as<F32>(low), bits_as<F32>(high)};
  }

  // A source of v_fma_mix. If op_sel_hi is set, it is an f16, and op_sel selects the half of the
  // register that contains it. Otherwise it is an f32.
  HEDDLE_INLINE Mixed get(int i, Tag<Mixed>) const {
    const Source& s = in->source[i];
    const U32 x = bits(i);
    F32 value = bits_as<F32>(x);
    if (s.flags & source_high_for_high)
      value = convert<F32>(bits_as<F16>(convert<U16>(s.flags & source_high ? x >> 16 : x)));
    U32 y = bits_as<U32>(value);
    if (s.flags & source_absolute) y &= U32(0x7fffffffu);
    if (s.flags & source_negate) y ^= U32(0x80000000u);
    return {bits_as<F32>(y)};
  }
};

// --- vector results ------------------------------------------------------------------------

// Clamps to the range 0 to 1. NaN becomes 0 with DX10_CLAMP, which kernel descriptors set by
// default, and stays NaN without it.
template <class F>
HEDDLE_INLINE F clamp_unit(F x, const Wavefront& w) {
  const F above = x > F(0) ? x : F(0);
  const F between = above < F(1) ? above : F(1);
  if (w.mode & mode_dx10_clamp) [[likely]]
    return between;
  return x == x ? between : x;
}

// Multiplies a result by the output modifier (RDNA3 ISA, "Output modifiers"). The hardware ignores
// the modifier in IEEE mode, and if MODE keeps denormal results. If it is applied, denormals and -0
// become 0.
template <class F>
HEDDLE_INLINE F multiplied_output(F x, const Wavefront& w, const Instruction* in) {
  constexpr bool single = sizeof(x[0]) == 4;
  constexpr uint32_t ignoring =
      mode_ieee | (single ? mode_keeps_f32_results : mode_keeps_f16_f64_results);
  if (w.mode & ignoring) return x;
  if (in->flags & flag_multiply_2) x = x * F(2);
  if (in->flags & flag_multiply_4) x = x * F(4);
  if (in->flags & flag_divide_2) x = x * F(0.5f);
  constexpr double smallest_normal = sizeof(x[0]) == 2 ? 0x1p-14 : single ? 0x1p-126 : 0x1p-1022;
  const F least = F(static_cast<decltype(x[0] + 0)>(smallest_normal));
  return ((x < least) & (x > -least)) ? F(0) : x;
}

template <class F>
HEDDLE_INLINE F output_modifiers(F x, const Wavefront& w, const Instruction* in) {
  if (in->flags & flags_output_multiplier) x = multiplied_output(x, w, in);
  if (in->flags & flag_clamp) x = clamp_unit(x, w);
  return x;
}

template <bool general>
struct Write {
  Wavefront& w;
  const Instruction* in;

  HEDDLE_INLINE void put(U32 x) const {
    store_register(w, in->destination, x, write_mask<general>(w, in));
  }
  HEDDLE_INLINE void put(I32 x) const { put(bits_as<U32>(x)); }
  HEDDLE_INLINE void put(F32 x) const {
    if constexpr (general) x = output_modifiers(x, w, in);
    put(bits_as<U32>(x));
  }
  HEDDLE_INLINE void put(U64 x) const {
    const uint32_t mask = write_mask<general>(w, in);
    store_register(w, in->destination, convert<U32>(x), mask);
    store_register(w, in->destination + 1, convert<U32>(x >> 32), mask);
  }
  HEDDLE_INLINE void put(I64 x) const { put(bits_as<U64>(x)); }
  HEDDLE_INLINE void put(F64 x) const {
    if constexpr (general) x = output_modifiers(x, w, in);
    put(bits_as<U64>(x));
  }
  // A 16-bit result is written to one half of the register; the other half stays unchanged (RDNA3
  // ISA, "16-bit math").
  HEDDLE_INLINE void put(U16 x) const {
    const U32 old = in->flags & flag_clears_upper_half ? U32(0) : load_register(w, in->destination);
    const U32 wide = convert<U32>(x);
    put(in->flags & flag_destination_high ? wide << 16 | (old & 0xffffu)
                                          : wide | (old & 0xffff0000u));
  }
  HEDDLE_INLINE void put(I16 x) const { put(bits_as<U16>(x)); }
  HEDDLE_INLINE void put(F16 x) const {
    if constexpr (general) x = output_modifiers(x, w, in);
    put(bits_as<U16>(x));
  }
  HEDDLE_INLINE void put(Bfloat x) const { put(x.bits); }
  template <class T>
  HEDDLE_INLINE void put(Pair<T> x) const {
    if constexpr (general) x = modified(x);
    put(convert<U32>(bits_as<U16>(x.low)) | convert<U32>(bits_as<U16>(x.high)) << 16);
  }
  HEDDLE_INLINE void put(Pair<F32> x) const {
    if constexpr (general) x = {output_modifiers(x.low, w, in), output_modifiers(x.high, w, in)};
    put(convert<U64>(bits_as<U32>(x.low)) | convert<U64>(bits_as<U32>(x.high)) << 32);
  }
  HEDDLE_INLINE Pair<F16> modified(Pair<F16> x) const {
    return {output_modifiers(x.low, w, in), output_modifiers(x.high, w, in)};
  }
  template <class T>
  HEDDLE_INLINE Pair<T> modified(Pair<T> x) const {
    return x;
  }

  HEDDLE_INLINE void put(Carried x) const {
    w.scalar[in->destination2] = to_bits(x.carry) & exec(w);
    put(x.value);
  }
  // Writes the result of a comparison to a scalar register: a bit for each lane, 0 for inactive
  // lanes.
  HEDDLE_INLINE void put(Lanes x) const { w.scalar[in->destination] = to_bits(x) & exec(w); }
};

// --- rows from lambdas ---------------------------------------------------------------------

template <class T>
constexpr Type type_of = Type::none;
template <>
inline constexpr Type type_of<U16> = Type::u16;
template <>
inline constexpr Type type_of<I16> = Type::i16;
template <>
inline constexpr Type type_of<F16> = Type::f16;
template <>
inline constexpr Type type_of<Bfloat> = Type::bf16;
template <>
inline constexpr Type type_of<U32> = Type::u32;
template <>
inline constexpr Type type_of<I32> = Type::i32;
template <>
inline constexpr Type type_of<F32> = Type::f32;
template <>
inline constexpr Type type_of<U64> = Type::u64;
template <>
inline constexpr Type type_of<I64> = Type::i64;
template <>
inline constexpr Type type_of<F64> = Type::f64;
template <>
inline constexpr Type type_of<Mask> = Type::mask;
template <>
inline constexpr Type type_of<Lanes> = Type::mask;
template <>
inline constexpr Type type_of<Mixed> = Type::mixed;
template <>
inline constexpr Type type_of<Pair<U16>> = Type::packed;
template <>
inline constexpr Type type_of<Pair<I16>> = Type::packed;
template <>
inline constexpr Type type_of<Pair<F16>> = Type::packed_f16;
template <>
inline constexpr Type type_of<Pair<Bfloat>> = Type::packed_bf16;
template <>
inline constexpr Type type_of<Pair<F32>> = Type::packed_f32;
template <>
inline constexpr Type type_of<uint32_t> = Type::scalar32;
template <>
inline constexpr Type type_of<int32_t> = Type::scalar32;
template <>
inline constexpr Type type_of<uint64_t> = Type::scalar64;
template <>
inline constexpr Type type_of<int64_t> = Type::scalar_i64;
template <>
inline constexpr Type type_of<float> = Type::scalar_f32;
template <>
inline constexpr Type type_of<_Float16> = Type::f16;
template <>
inline constexpr Type type_of<Carried> = Type::u32;

template <class F>
struct Signature;
template <class L, class R, class... A>
struct Signature<R (L::*)(A...) const> {
  using Result = R;
  static constexpr int arity = sizeof...(A);
  template <template <class...> class To>
  using Arguments = To<A...>;
};
template <auto op>
using SignatureOf = Signature<decltype(&decltype(op)::operator())>;

template <class... A>
struct Types {
  static constexpr unsigned count = sizeof...(A);
};

template <class Name>
constexpr void copy_name(char (&to)[name_capacity], const Name& from) {
  for (int i = 0; i < name_capacity - 1 && from[i]; ++i) to[i] = from[i];
}

template <auto op, bool general>
struct VectorHandler {
  template <class... A, std::size_t... i>
  HEDDLE_INLINE static auto call(const Read<general>& read, Types<A...>,
                                 std::index_sequence<i...>) {
    return op(read.get(static_cast<int>(i), Tag<A>{})...);
  }
  static const Instruction* execute(Wavefront& w, const Instruction* in) {
    using S = SignatureOf<op>;
    const Read<general> read{w, in};
    Write<general>{w, in}.put(
        call(read, typename S::template Arguments<Types>{}, std::make_index_sequence<S::arity>{}));
    return in + 1;
  }
};

template <class... A>
constexpr void fill_sources(Row& row, Types<A...>) {
  int i = 0;
  ((row.sources[i++] = type_of<A>), ...);
}

// The result of an operation on an instruction's sources.
template <auto op, bool general>
HEDDLE_INLINE auto called(const Read<general>& read) {
  using S = SignatureOf<op>;
  return VectorHandler<op, general>::call(read, typename S::template Arguments<Types>{},
                                          std::make_index_sequence<S::arity>{});
}

template <auto op>
constexpr Row base_row(const char* name, Form form) {
  using S = SignatureOf<op>;
  Row row{};
  copy_name(row.name, name);
  row.form = form;
  row.destination = type_of<typename S::Result>;
  fill_sources(row, typename S::template Arguments<Types>{});
  return row;
}

template <class R>
constexpr bool is_carried = false;
template <>
inline constexpr bool is_carried<Carried> = true;

// Makes the row of a vector instruction. `op` is a lambda that computes the result from the
// sources; it takes and returns vectors of all lanes.
template <auto op>
constexpr Row vector(const char* name, Form form = Form::vector) {
  Row row = base_row<op>(name, form);
  row.plain = &VectorHandler<op, false>::execute;
  row.general = &VectorHandler<op, true>::execute;
  row.carry_out = is_carried<typename SignatureOf<op>::Result>;
  return row;
}

// Like vector(), for instructions that are rare in hot loops: one handler serves both with and
// without modifiers, which keeps the program small.
template <auto op>
constexpr Row vector_rare(const char* name, Form form = Form::vector) {
  Row row = base_row<op>(name, form);
  row.plain = row.general = &VectorHandler<op, true>::execute;
  row.carry_out = is_carried<typename SignatureOf<op>::Result>;
  return row;
}

// Saturates a wider integer to the range of T.
template <class T, class Wide>
HEDDLE_INLINE Wide between_ends(Wide x) {
  using Element = __typeof__(T{}[0] + 0 == 0 ? T{}[0] : T{}[0]);
  constexpr bool is_signed = static_cast<Element>(-1) < static_cast<Element>(0);
  constexpr int bits = sizeof(Element) * 8;
  constexpr int64_t top = static_cast<int64_t>((uint64_t{1} << (bits - is_signed)) - 1);
  constexpr int64_t bottom = is_signed ? -top - 1 : 0;
  using WideElement = __typeof__(Wide{}[0] + 0 == 0 ? Wide{}[0] : Wide{}[0]);
  const Wide high = Wide(static_cast<WideElement>(top)),
             low = Wide(static_cast<WideElement>(bottom));
  x = x < low ? low : x;
  return x > high ? high : x;
}

// Converts a wider integer to T: with the modifier clamp it saturates, without it wraps around.
template <class T, class Wide>
HEDDLE_INLINE T narrowed(Wide x, bool clamp) {
  return convert<T>(clamp ? between_ends<T>(x) : x);
}

template <class T, auto wide>
const Instruction* saturate(Wavefront& w, const Instruction* in) {
  const auto x = called<wide>(Read<true>{w, in});
  Write<true>{w, in}.put(narrowed<T>(x, in->flags & flag_clamp));
  return in + 1;
}

// Makes the row of an integer instruction with the modifier clamp. `wide` is a lambda that computes
// in integers wide enough for every result.
template <class T, auto wide>
constexpr Row saturating(const char* name) {
  Row row = base_row<wide>(name, Form::vector);
  row.destination = type_of<T>;
  row.plain = row.general = &saturate<T, wide>;
  row.extra = 1;  // takes clamp
  return row;
}

template <auto op>
constexpr Row accumulate(const char* name) {
  return vector<op>(name, Form::vector_accumulate);
}

}  // namespace heddle::emulator::HEDDLE_LEVEL
