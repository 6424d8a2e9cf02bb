// Vector instructions that only gfx1250 has: 64-bit integers, sums combined with a minimum or
// maximum, arithmetic in bf16, the hyperbolic tangent. Meanings: LLVM 22's selection patterns and
// intrinsics for gfx1250 say what each instruction computes.
#include "emulator/handlers/dot2.h"
#include "emulator/handlers/float_operations.h"
#include "emulator/handlers/tables.h"

namespace heddle::emulator::HEDDLE_LEVEL {
namespace {

template <class T>
HEDDLE_INLINE T minimum(T a, T b) {
  return a < b ? a : b;
}
template <class T>
HEDDLE_INLINE T maximum(T a, T b) {
  return a > b ? a : b;
}

// A v_bitop2_b32 in a dual-issue pair. Computes a function of two bits, for each bit of the
// operands: for the bits a and b, the result is bit 4a + 2b of a table. The decoder stores the
// table in Instruction::offset.
const Instruction* bit_function_of_two(Wavefront& w, const Instruction* in) {
  const Read<false> read{w, in};
  const U32 a = read.bits(0), b = read.bits(1);
  U32 result = U32(0);
  for (unsigned i = 0; i < 8; i += 2)
    if (static_cast<uint32_t>(in->offset) >> i & 1) result |= (i & 4 ? a : ~a) & (i & 2 ? b : ~b);
  Write<false>{w, in}.put(result);
  return in + 1;
}

// A 64-bit sum, in two versions: `wrapped` wraps around on overflow; `inside` saturates, which the
// modifier `clamp` selects.
struct Bounded {
  U64 wrapped, inside;
};
template <auto op>
const Instruction* wrap_or_stay(Wavefront& w, const Instruction* in) {
  const Bounded sum = called<op>(Read<true>{w, in});
  Write<true>{w, in}.put(in->flags & flag_clamp ? sum.inside : sum.wrapped);
  return in + 1;
}
template <auto op>
constexpr Row bounded(const char* name) {
  Row row = base_row<op>(name, Form::vector);
  row.destination = Type::u64;
  row.plain = row.general = &wrap_or_stay<op>;
  row.extra = 1;  // takes clamp
  return row;
}

// v_add_max_i32 and similar instructions: add the first two operands, then take the maximum or
// minimum of the sum and the third. The sum wraps around; with `clamp` it saturates.
template <class T, class Wide, bool to_maximum>
const Instruction* add_and_compare(Wavefront& w, const Instruction* in) {
  const Read<true> read{w, in};
  const Wide sum = convert<Wide>(read.get(0, Tag<T>{})) + convert<Wide>(read.get(1, Tag<T>{}));
  const T bounded = narrowed<T>(sum, in->flags & flag_clamp), other = read.get(2, Tag<T>{});
  Write<true>{w, in}.put(to_maximum ? maximum(bounded, other) : minimum(bounded, other));
  return in + 1;
}
template <class T, class Wide, bool to_maximum>
const Instruction* add_and_compare_pair(Wavefront& w, const Instruction* in) {
  const Read<true> read{w, in};
  const auto a = read.get(0, Tag<Pair<T>>{}), b = read.get(1, Tag<Pair<T>>{}),
             c = read.get(2, Tag<Pair<T>>{});
  const auto one = [&](T x, T y, T z) {
    const T sum = narrowed<T>(convert<Wide>(x) + convert<Wide>(y), in->flags & flag_clamp);
    return to_maximum ? maximum(sum, z) : minimum(sum, z);
  };
  Write<true>{w, in}.put(Pair<T>{one(a.low, b.low, c.low), one(a.high, b.high, c.high)});
  return in + 1;
}

// Looks up sixteen numbers in a table of sixteen numbers of 4, 6 or 8 bits. The third source has
// sixteen indices of 4 bits. The second source is the lower part of the table, the first source the
// upper part. That order, the same as of v_perm_b32, is assumed.
template <unsigned bits>
const Instruction* look_up(Wavefront& w, const Instruction* in) {
  constexpr unsigned words = bits / 2, low_words = words / 2 + words % 2;
  const Read<true> read{w, in};
  U32 table[words], result[words];
  const auto word = [&](int source, unsigned i) {
    const Source& s = in->source[source];
    if (s.kind == SourceKind::vgpr) return load_register(w, s.index + i);
    return U32(s.kind == SourceKind::constant ? (i == 0 ? s.constant : 0u) : w.scalar[s.index + i]);
  };
  for (unsigned i = 0; i < words; ++i)
    table[i] = i < low_words ? word(1, i) : word(0, i - low_words);
  const U64 indices = read.bits64(2);
  for (unsigned i = 0; i < words; ++i) result[i] = U32(0);
  for (unsigned i = 0; i < 16; ++i)
    for (int l = 0; l < lanes; ++l) {
      const unsigned from = static_cast<unsigned>(indices[l] >> (4 * i) & 15u) * bits,
                     to = i * bits;
      uint64_t pair = table[from / 32][l];
      if (from % 32 + bits > 32) pair |= uint64_t{table[from / 32 + 1][l]} << 32;
      const uint64_t number = (pair >> from % 32 & ((1u << bits) - 1)) << to % 32;
      result[to / 32][l] |= static_cast<uint32_t>(number);
      if (to % 32 + bits > 32) result[to / 32 + 1][l] |= static_cast<uint32_t>(number >> 32);
    }
  for (unsigned i = 0; i < words; ++i) store_register(w, in->destination + i, result[i], exec(w));
  return in + 1;
}
template <unsigned bits>
constexpr Row look_up_row(const char* name, Type low) {
  Row row{};
  copy_name(row.name, name);
  row.form = Form::vector_selecting;
  row.destination = bits == 4 ? Type::u64 : Type::wide;
  row.sources[0] = bits == 8 ? Type::u64 : Type::u32;
  row.sources[1] = low;
  row.sources[2] = Type::u64;
  row.plain = row.general = &look_up<bits>;
  return row;
}

constexpr Row by_hand(const char* name, Handler handler, Type type, int sources, bool clamps) {
  Row row{};
  copy_name(row.name, name);
  row.form = Form::vector;
  row.destination = type;
  for (int i = 0; i < sources; ++i) row.sources[i] = type;
  row.plain = row.general = handler;
  row.extra = clamps ? 1 : 0;
  return row;
}

template <class T, class Wide, bool to_maximum>
constexpr Row added(const char* name) {
  return by_hand(name, &add_and_compare<T, Wide, to_maximum>, type_of<T>, 3, true);
}
template <class T, class Wide, bool to_maximum>
constexpr Row added_pair(const char* name) {
  return by_hand(name, &add_and_compare_pair<T, Wide, to_maximum>, Type::packed, 3, true);
}

// --- bf16 --------------------------------------------------------------------------------------

HEDDLE_INLINE Bfloat narrow(F32 x) { return {round_to_bf16(x)}; }

// a * b + c, with a result as if it was rounded once. The product is exact in f64. The sum is first
// rounded "to odd" to 24 bits: if bits are lost, the last bit becomes 1. As 24 bits are more than
// two more than bf16 has, the second rounding then gives the correct result.
HEDDLE_INLINE Bfloat fused(Bfloat a, Bfloat b, Bfloat c) {
  const F64 sum = __builtin_elementwise_fma(convert<F64>(wide(a)), convert<F64>(wide(b)),
                                            convert<F64>(wide(c)));
  const U64 bits = bits_as<U64>(sum);
  const U64 odd = select(to_lanes_of((bits & U64(0x1fffffff)) != 0u), U64(0x20000000), U64(0));
  return narrow(convert<F32>(bits_as<F64>((bits & ~U64(0x1fffffff)) | odd)));
}

constexpr auto add = [](Bfloat a, Bfloat b) { return narrow(wide(a) + wide(b)); };
constexpr auto multiply = [](Bfloat a, Bfloat b) { return narrow(wide(a) * wide(b)); };
constexpr auto least = [](Bfloat a, Bfloat b) { return narrow(minimum_number(wide(a), wide(b))); };
constexpr auto most = [](Bfloat a, Bfloat b) { return narrow(maximum_number(wide(a), wide(b))); };

template <auto op>
constexpr auto both = [](Pair<Bfloat> a, Pair<Bfloat> b) {
  return Pair<Bfloat>{op(a.low, b.low), op(a.high, b.high)};
};
constexpr auto both_fused = [](Pair<Bfloat> a, Pair<Bfloat> b, Pair<Bfloat> c) {
  return Pair<Bfloat>{fused(a.low, b.low, c.low), fused(a.high, b.high, c.high)};
};

// Applies an operation on bf16 to the two halves of packed operands. Pairs of other types need no
// such function, but Bfloat is not a vector type.
template <auto op>
const Instruction* on_pairs(Wavefront& w, const Instruction* in) {
  const Read<true> read{w, in};
  const auto pair = [&](int i) {
    const auto bits = read.get(i, Tag<Pair<U16>>{});
    return Pair<Bfloat>{{bits.low}, {bits.high}};
  };
  Pair<Bfloat> x;
  if constexpr (SignatureOf<op>::arity == 2)
    x = op(pair(0), pair(1));
  else
    x = op(pair(0), pair(1), pair(2));
  if (in->flags & flag_clamp)
    x = {narrow(clamp_unit(wide(x.low), w)), narrow(clamp_unit(wide(x.high), w))};
  Write<true>{w, in}.put(Pair<U16>{x.low.bits, x.high.bits});
  return in + 1;
}
template <auto op>
constexpr Row pairs(const char* name) {
  return by_hand(name, &on_pairs<op>, Type::packed_bf16, SignatureOf<op>::arity, true);
}

// Source `i` of v_fma_mix_f32_bf16 and similar instructions. If op_sel_hi is set, it is a bf16, and
// op_sel selects the half of the register that contains it. Otherwise it is an f32.
HEDDLE_INLINE F32 mixed(const Read<true>& read, int i) {
  const Source& s = read.in->source[i];
  U32 x = read.bits(i);
  if (s.flags & source_high_for_high) x = s.flags & source_high ? x & 0xffff0000u : x << 16;
  if (s.flags & source_absolute) x &= U32(0x7fffffffu);
  if (s.flags & source_negate) x ^= U32(0x80000000u);
  return bits_as<F32>(x);
}

// `half` is the half of the destination to which the sum is written. -1: it is written to the whole
// register, as f32.
template <int half>
const Instruction* fused_mixed(Wavefront& w, const Instruction* in) {
  const Read<true> read{w, in};
  F32 sum = __builtin_elementwise_fma(mixed(read, 0), mixed(read, 1), mixed(read, 2));
  if (in->flags & flag_clamp) sum = clamp_unit(sum, w);
  if constexpr (half < 0) {
    Write<true>{w, in}.put(bits_as<U32>(sum));
  } else {
    const U32 bits = convert<U32>(round_to_bf16(sum)), old = load_register(w, in->destination);
    Write<true>{w, in}.put(half ? bits << 16 | (old & 0xffffu) : bits | (old & 0xffff0000u));
  }
  return in + 1;
}
template <int half>
constexpr Row mixed_row(const char* name) {
  Row row = by_hand(name, &fused_mixed<half>, Type::mixed, 3, true);
  row.destination = Type::u32;
  row.half = static_cast<uint8_t>(half + 1);
  return row;
}

// --- functions ---------------------------------------------------------------------------------

constexpr auto tanh_lane = [](float x) { return __builtin_tanhf(x); };
constexpr auto exp2_lane = [](float x) { return __builtin_exp2f(x); };
constexpr auto log2_lane = [](float x) { return __builtin_log2f(x); };

constexpr Row rows[] = {
    tracking(undefined::by_table,
             by_hand("v_bitop2_b32", &bit_function_of_two, Type::u32, 2, false)),
    bounded<[](U64 a, U64 b) {
      return Bounded{a + b, select(to_lanes_of(a + b < a), U64(~uint64_t{0}), a + b)};
    }>("v_add_nc_u64"),
    bounded<[](U64 a, U64 b) { return Bounded{a - b, select(to_lanes_of(a < b), U64(0), a - b)}; }>(
        "v_sub_nc_u64"),
    vector<[](U64 a, U64 b) { return a * b; }>("v_mul_u64"),
    vector_rare<[](U64 a, U64 b) { return minimum(a, b); }>("v_min_u64"),
    vector_rare<[](U64 a, U64 b) { return maximum(a, b); }>("v_max_u64"),
    vector_rare<[](I64 a, I64 b) { return minimum(a, b); }>("v_min_i64"),
    vector_rare<[](I64 a, I64 b) { return maximum(a, b); }>("v_max_i64"),
    vector<[](U32 a, U32 b, U32 c) { return a * b + c; }>("v_mad_u32"),
    bounded<[](U32 a, U32 b, U64 c) {
      const U64 sum = convert<U64>(a) * convert<U64>(b) + c;
      return Bounded{sum, select(to_lanes_of(sum < c), U64(~uint64_t{0}), sum)};
    }>("v_mad_nc_u64_u32"),
    bounded<[](I32 a, I32 b, U64 c) {
      const U64 product = bits_as<U64>(convert<I64>(a) * convert<I64>(b)), sum = product + c;
      const I64 overflows = bits_as<I64>((product ^ sum) & (c ^ sum));
      const U64 end = (c >> 63) + U64(~uint64_t{0} >> 1);
      return Bounded{sum, select(to_lanes_of(overflows < I64(0)), end, sum)};
    }>("v_mad_nc_i64_i32"),
    vector_rare<[](F64 a, F64 b, F64 c) { return __builtin_elementwise_fma(a, b, c); }>(
        "v_fmamk_f64"),
    vector_rare<[](F64 a, F64 b, F64 c) { return __builtin_elementwise_fma(a, b, c); }>(
        "v_fmaak_f64"),
    added<U32, I64, false>("v_add_min_u32"),
    added<U32, I64, true>("v_add_max_u32"),
    added<I32, I64, false>("v_add_min_i32"),
    added<I32, I64, true>("v_add_max_i32"),
    added_pair<U16, I32, false>("v_pk_add_min_u16"),
    added_pair<U16, I32, true>("v_pk_add_max_u16"),
    added_pair<I16, I32, false>("v_pk_add_min_i16"),
    added_pair<I16, I32, true>("v_pk_add_max_i16"),
    vector_rare<[](Pair<U16> a, Pair<U16> b, Pair<U16> c) {
      return Pair<U16>{minimum(minimum(a.low, b.low), c.low),
                       minimum(minimum(a.high, b.high), c.high)};
    }>("v_pk_min3_u16"),
    vector_rare<[](Pair<U16> a, Pair<U16> b, Pair<U16> c) {
      return Pair<U16>{maximum(maximum(a.low, b.low), c.low),
                       maximum(maximum(a.high, b.high), c.high)};
    }>("v_pk_max3_u16"),
    vector_rare<[](Pair<I16> a, Pair<I16> b, Pair<I16> c) {
      return Pair<I16>{minimum(minimum(a.low, b.low), c.low),
                       minimum(minimum(a.high, b.high), c.high)};
    }>("v_pk_min3_i16"),
    vector_rare<[](Pair<I16> a, Pair<I16> b, Pair<I16> c) {
      return Pair<I16>{maximum(maximum(a.low, b.low), c.low),
                       maximum(maximum(a.high, b.high), c.high)};
    }>("v_pk_max3_i16"),
    vector_rare<[](Pair<F16> a, Pair<F16> b, Pair<F16> c) {
      return Pair<F16>{minimum_nan(minimum_nan(a.low, b.low), c.low),
                       minimum_nan(minimum_nan(a.high, b.high), c.high)};
    }>("v_pk_minimum3_f16"),
    vector_rare<[](Pair<F16> a, Pair<F16> b, Pair<F16> c) {
      return Pair<F16>{maximum_nan(maximum_nan(a.low, b.low), c.low),
                       maximum_nan(maximum_nan(a.high, b.high), c.high)};
    }>("v_pk_maximum3_f16"),

    vector_rare<[](Pair<F16> a, Pair<F16> b, Pair<F16> c) {
      return Pair<F16>{minimum_number(minimum_number(a.low, b.low), c.low),
                       minimum_number(minimum_number(a.high, b.high), c.high)};
    }>("v_pk_min3_num_f16"),
    vector_rare<[](Pair<F16> a, Pair<F16> b, Pair<F16> c) {
      return Pair<F16>{maximum_number(maximum_number(a.low, b.low), c.low),
                       maximum_number(maximum_number(a.high, b.high), c.high)};
    }>("v_pk_max3_num_f16"),
    look_up_row<4>("v_perm_pk16_b4_u4", Type::u32),
    look_up_row<6>("v_perm_pk16_b6_u4", Type::u64),
    look_up_row<8>("v_perm_pk16_b8_u4", Type::u64),

    pairs<both<add>>("v_pk_add_bf16"),
    pairs<both<multiply>>("v_pk_mul_bf16"),
    pairs<both<least>>("v_pk_min_num_bf16"),
    pairs<both<most>>("v_pk_max_num_bf16"),
    pairs<both_fused>("v_pk_fma_bf16"),
    vector_rare<[](Bfloat a, Bfloat b, Bfloat c) { return fused(a, b, c); }>("v_fma_bf16"),
    mixed_row<-1>("v_fma_mix_f32_bf16"),
    mixed_row<0>("v_fma_mixlo_bf16"),
    mixed_row<1>("v_fma_mixhi_bf16"),
    vector<[](Bfloat a) { return wide(a); }>("v_cvt_f32_bf16"),

    having(trait_transcendental,
           vector_rare<[](F32 a) { return each_lane<tanh_lane>(a); }>("v_tanh_f32")),
    having(trait_transcendental,
           vector_rare<[](F16 a) { return convert<F16>(each_lane<tanh_lane>(wide(a))); }>(
               "v_tanh_f16")),
    having(
        trait_transcendental,
        vector_rare<[](Bfloat a) { return narrow(each_lane<tanh_lane>(wide(a))); }>("v_tanh_bf16")),
    having(trait_transcendental,
           vector_rare<[](Bfloat a) { return narrow(F32(1.0f) / wide(a)); }>("v_rcp_bf16")),
    having(trait_transcendental,
           vector_rare<[](Bfloat a) { return narrow(__builtin_elementwise_sqrt(wide(a))); }>(
               "v_sqrt_bf16")),
    having(trait_transcendental, vector_rare<[](Bfloat a) {
             return narrow(F32(1.0f) / __builtin_elementwise_sqrt(wide(a)));
           }>("v_rsq_bf16")),
    having(
        trait_transcendental,
        vector_rare<[](Bfloat a) { return narrow(each_lane<exp2_lane>(wide(a))); }>("v_exp_bf16")),
    having(
        trait_transcendental,
        vector_rare<[](Bfloat a) { return narrow(each_lane<log2_lane>(wide(a))); }>("v_log_bf16")),
    having(
        trait_transcendental,
        vector_rare<[](Bfloat a) { return narrow(each_lane<sine_lane>(wide(a))); }>("v_sin_bf16")),
    having(trait_transcendental,
           vector_rare<[](Bfloat a) { return narrow(each_lane<cosine_lane>(wide(a))); }>(
               "v_cos_bf16")),
};

struct Table {
  static constexpr unsigned count = sizeof rows / sizeof rows[0];
  Row of_gfx1250[count];
  constexpr Table() : of_gfx1250{} {
    for (unsigned i = 0; i < count; ++i) of_gfx1250[i] = only_for(isa::gfx1250, 32, rows[i]);
  }
};

constexpr Table table;

}  // namespace

Rows gfx1250_rows() { return {table.of_gfx1250, Table::count}; }

}  // namespace heddle::emulator::HEDDLE_LEVEL
