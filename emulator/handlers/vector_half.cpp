// Vector f16 instructions, packed ones, the mixed-precision ones and the dot products.
// Meanings: RDNA3 and RDNA4 ISA, chapters "Vector ALU" and "Instructions".
//
// The host rounds each f16 operation once: f32 holds the exact sum or product's rounding
// (24 >= 2 * 11 + 2 bits), fused multiply-adds go through f64.
#include "emulator/handlers/float_operations.h"
#include "emulator/handlers/tables.h"

namespace heddle::emulator::HEDDLE_LEVEL {
namespace {

HEDDLE_INLINE F32 wide(F16 x) { return convert<F32>(x); }
HEDDLE_INLINE F16 narrow(F32 x) { return convert<F16>(x); }

constexpr auto add = [](F16 a, F16 b) { return narrow(wide(a) + wide(b)); };
constexpr auto multiply = [](F16 a, F16 b) { return narrow(wide(a) * wide(b)); };
constexpr auto fma16 = [](F16 a, F16 b, F16 c) { return fused_f16(a, b, c); };
constexpr auto minimum = [](F16 a, F16 b) { return minimum_number(a, b); };
constexpr auto maximum = [](F16 a, F16 b) { return maximum_number(a, b); };

// An operation of halves applied to both halves.
template <auto op>
constexpr auto both2 =
    [](Pair<F16> a, Pair<F16> b) { return Pair<F16>{op(a.low, b.low), op(a.high, b.high)}; };
constexpr auto both_fma = [](Pair<F16> a, Pair<F16> b, Pair<F16> c) {
  return Pair<F16>{fused_f16(a.low, b.low, c.low), fused_f16(a.high, b.high, c.high)};
};

constexpr auto exp2_lane = [](float x) { return __builtin_exp2f(x); };
constexpr auto log2_lane = [](float x) { return __builtin_log2f(x); };

HEDDLE_INLINE F16 ldexp_half(F16 x, I16 exponent) {
  F32 result;
  for (int l = 0; l < lanes; ++l)
    result[l] = __builtin_ldexpf(static_cast<float>(x[l]), exponent[l]);
  return narrow(result);
}

HEDDLE_INLINE I16 to_i16(F16 x) {
  return saturating_convert<I16>(__builtin_elementwise_trunc(wide(x)), F32(-32768.0f),
                                 F32(32768.0f), I16(-32768), I16(32767));
}
HEDDLE_INLINE U16 to_u16(F16 x) {
  return saturating_convert<U16>(__builtin_elementwise_trunc(wide(x)), F32(0.0f), F32(65536.0f),
                                 U16(0), U16(65535));
}

constexpr auto pack_toward_zero = [](F32 a, F32 b) {
  return Pair<F16>{rounded_toward_zero(a), rounded_toward_zero(b)};
};

// v_fma_mixlo_f16 and _mixhi_f16 write one half of the destination.
template <bool high>
const Instruction* mixed_to_half(Wavefront& w, const Instruction* in) {
  const Read<true> read{w, in};
  // Fused in f32 and then rounded to f16, as the ISA's pseudocode has it.
  F32 sum =
      __builtin_elementwise_fma(read.get(0, Tag<Mixed>{}).value, read.get(1, Tag<Mixed>{}).value,
                                read.get(2, Tag<Mixed>{}).value);
  if (in->flags & flag_clamp) sum = clamp_unit(sum);
  const U32 half = convert<U32>(bits_as<U16>(narrow(sum)));
  const U32 old = load_register(w, in->destination);
  store_register(w, in->destination,
                 high ? half << 16 | (old & 0xffffu) : half | (old & 0xffff0000u), exec(w));
  return in + 1;
}

template <Handler handler>
constexpr Row mixed_row(const char* name) {
  Row row{};
  copy_name(row.name, name);
  row.form = Form::vector;
  row.destination = Type::u32;
  row.sources[0] = row.sources[1] = row.sources[2] = Type::mixed;
  row.plain = row.general = handler;
  row.extra = 1;  // takes clamp
  return row;
}

// Dot products: products exact, sums in f32 from the first element on. The hardware's order of
// rounding is not documented.
HEDDLE_INLINE F32 dot2(Pair<F16> a, Pair<F16> b, F32 c) {
  return wide(a.low) * wide(b.low) + (wide(a.high) * wide(b.high) + c);
}
HEDDLE_INLINE F32 dot2_bf16(U32 a, U32 b, F32 c) {
  return bf16_low(a) * bf16_low(b) + (bf16_high(a) * bf16_high(b) + c);
}

// Four bytes each, signed where the negate flag of the source says so (iu8 instructions).
const Instruction* dot4_bytes(Wavefront& w, const Instruction* in) {
  const Read<false> read{w, in};
  const U32 a = read.bits(0), b = read.bits(1);
  U32 sum = read.bits(2);
  for (int byte = 0; byte < 4; ++byte) {
    I32 x = bits_as<I32>(a >> (8 * byte) & 255u), y = bits_as<I32>(b >> (8 * byte) & 255u);
    if (in->source[0].flags & source_negate) x = (x ^ 128) - 128;
    if (in->source[1].flags & source_negate) y = (y ^ 128) - 128;
    sum += bits_as<U32>(x * y);
  }
  store_register(w, in->destination, sum, exec(w));
  return in + 1;
}

constexpr Row dot4_row(const char* name) {
  Row row{};
  copy_name(row.name, name);
  row.form = Form::vector;
  row.destination = row.sources[2] = Type::i32;
  row.sources[0] = row.sources[1] = Type::packed;
  row.plain = row.general = &dot4_bytes;
  return row;
}

constexpr Row rows[] = {
    vector<add>("v_add_f16"),
    vector<[](F16 a, F16 b) { return narrow(wide(a) - wide(b)); }>("v_sub_f16"),
    vector_rare<[](F16 a, F16 b) { return narrow(wide(b) - wide(a)); }>("v_subrev_f16"),
    vector<multiply>("v_mul_f16"),
    vector<fma16>("v_fma_f16"),
    vector_rare<fma16>("v_fmaak_f16"),
    vector_rare<fma16>("v_fmamk_f16"),
    vector_rare<fma16>("v_fmac_f16", Form::vector_accumulate),
    vector_rare<minimum>("v_min_f16"),
    vector_rare<maximum>("v_max_f16"),
    vector_rare<minimum>("v_min_num_f16"),
    vector_rare<maximum>("v_max_num_f16"),
    vector_rare<[](F16 a, F16 b) { return minimum_nan(a, b); }>("v_minimum_f16"),
    vector_rare<[](F16 a, F16 b) { return maximum_nan(a, b); }>("v_maximum_f16"),
    vector_rare<[](F16 a, F16 b, F16 c) { return maximum(maximum(a, b), c); }>("v_max3_f16"),
    vector_rare<[](F16 a, F16 b, F16 c) { return minimum(minimum(a, b), c); }>("v_min3_f16"),
    vector_rare<[](F16 a, F16 b, F16 c) { return median_number(a, b, c); }>("v_med3_f16"),
    vector_rare<[](F16 a) { return narrow(F32(1.0f) / wide(a)); }>("v_rcp_f16"),
    vector_rare<[](F16 a) { return narrow(__builtin_elementwise_sqrt(wide(a))); }>("v_sqrt_f16"),
    vector_rare<[](F16 a) { return narrow(F32(1.0f) / __builtin_elementwise_sqrt(wide(a))); }>(
        "v_rsq_f16"),
    vector_rare<[](F16 a) { return narrow(each_lane<exp2_lane>(wide(a))); }>("v_exp_f16"),
    vector_rare<[](F16 a) { return narrow(each_lane<log2_lane>(wide(a))); }>("v_log_f16"),
    vector_rare<[](F16 a) { return narrow(__builtin_elementwise_floor(wide(a))); }>("v_floor_f16"),
    vector_rare<[](F16 a) { return narrow(__builtin_elementwise_ceil(wide(a))); }>("v_ceil_f16"),
    vector_rare<[](F16 a) { return narrow(__builtin_elementwise_trunc(wide(a))); }>("v_trunc_f16"),
    vector_rare<[](F16 a) { return narrow(__builtin_elementwise_roundeven(wide(a))); }>(
        "v_rndne_f16"),
    vector_rare<[](F16 a, I16 e) { return ldexp_half(a, e); }>("v_ldexp_f16"),

    vector<[](F32 a) { return narrow(a); }>("v_cvt_f16_f32"),
    vector<[](F16 a) { return wide(a); }>("v_cvt_f32_f16"),
    vector_rare<[](U16 a) { return narrow(convert<F32>(a)); }>("v_cvt_f16_u16"),
    vector_rare<[](I16 a) { return narrow(convert<F32>(a)); }>("v_cvt_f16_i16"),
    vector_rare<[](F16 a) { return to_u16(a); }>("v_cvt_u16_f16"),
    vector_rare<[](F16 a) { return to_i16(a); }>("v_cvt_i16_f16"),
    vector<pack_toward_zero>("v_cvt_pk_rtz_f16_f32"),
    vector<pack_toward_zero>("v_cvt_pkrtz_f16_f32"),

    vector<both2<add>>("v_pk_add_f16"),
    vector<both2<multiply>>("v_pk_mul_f16"),
    vector<both2<minimum>>("v_pk_min_f16"),
    vector<both2<maximum>>("v_pk_max_f16"),
    vector<both2<minimum>>("v_pk_min_num_f16"),
    vector<both2<maximum>>("v_pk_max_num_f16"),
    vector<both_fma>("v_pk_fma_f16"),
    vector_rare<both_fma>("v_pk_fmac_f16", Form::vector_accumulate),

    vector_rare<[](Mixed a, Mixed b, Mixed c) {
      return __builtin_elementwise_fma(a.value, b.value, c.value);
    }>("v_fma_mix_f32"),
    mixed_row<&mixed_to_half<false>>("v_fma_mixlo_f16"),
    mixed_row<&mixed_to_half<true>>("v_fma_mixhi_f16"),

    vector_rare<[](Pair<F16> a, Pair<F16> b, F32 c) { return dot2(a, b, c); }>("v_dot2_f32_f16"),
    vector_rare<[](Pair<F16> a, Pair<F16> b, F32 c) { return dot2(a, b, c); }>(
        "v_dot2acc_f32_f16", Form::vector_accumulate),
    vector_rare<[](Pair<F16> a, Pair<F16> b, F32 c) { return dot2(a, b, c); }>(
        "v_dot2c_f32_f16", Form::vector_accumulate),
    vector_rare<[](U32 a, U32 b, F32 c) { return dot2_bf16(a, b, c); }>("v_dot2_f32_bf16"),
    dot4_row("v_dot4_i32_iu8"),
};

}  // namespace

Rows vector_half_rows() { return {rows, sizeof rows / sizeof rows[0]}; }

}  // namespace heddle::emulator::HEDDLE_LEVEL
