// Vector f16 instructions, including packed ones, those with mixed precision, and dot products.
// Meanings: RDNA3 and RDNA4 ISA, chapters "Vector ALU" and "Instructions".
//
// Each f16 result is as if it was rounded once. Sums and products are computed in f32, which has
// enough bits for that (24 >= 2 * 11 + 2); fused multiply-adds are computed in f64.
#include "emulator/handlers/dot2.h"
#include "emulator/handlers/float_operations.h"
#include "emulator/handlers/tables.h"

namespace heddle::emulator::HEDDLE_LEVEL {
namespace {

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
  // The sum is fused in f32 and then rounded to f16, as the ISA's pseudocode says.
  F32 sum =
      __builtin_elementwise_fma(read.get(0, Tag<Mixed>{}).value, read.get(1, Tag<Mixed>{}).value,
                                read.get(2, Tag<Mixed>{}).value);
  if (in->flags & flag_clamp) sum = clamp_unit(sum, w);
  const U32 half = convert<U32>(bits_as<U16>(narrow(sum)));
  const U32 old = load_register(w, in->destination);
  Write<true>{w, in}.put(high ? half << 16 | (old & 0xffffu) : half | (old & 0xffff0000u));
  return in + 1;
}

template <Handler handler>
constexpr Row mixed_row(const char* name, uint8_t half) {
  Row row{};
  copy_name(row.name, name);
  row.form = Form::vector;
  row.destination = Type::u32;
  row.sources[0] = row.sources[1] = row.sources[2] = Type::mixed;
  row.plain = row.general = handler;
  row.extra = 1;  // takes clamp
  row.half = half;
  return row;
}

// Dot products with a 16-bit result. Neither LLVM nor the ISA's pseudocode nor the measurements of
// dot2.h say where they round. Here every sum is rounded to f32, and the result once more to 16
// bits.
template <class T>
HEDDLE_INLINE F32 dot2_sum(Pair<T> a, Pair<T> b, T c) {
  return wide(a.low) * wide(b.low) + (wide(a.high) * wide(b.high) + wide(c));
}

// v_fract stays below 1.
HEDDLE_INLINE F16 fraction(F16 x) {
  const F32 f = wide(x) - __builtin_elementwise_floor(wide(x));
  const F32 below_one = F32(0x1.ffcp-1f);
  return narrow(select(to_lanes_of(f > below_one), below_one, f));
}

constexpr auto mantissa_lane = [](float x) {
  int exponent = 0;
  return __builtin_isfinite(x) ? __builtin_frexpf(x, &exponent) : x;
};
HEDDLE_INLINE I16 exponent_of(F16 x) {
  I16 result;
  for (int l = 0; l < lanes; ++l) {
    int exponent = 0;
    const float value = static_cast<float>(x[l]);
    if (__builtin_isfinite(value)) (void)__builtin_frexpf(value, &exponent);
    result[l] = static_cast<int16_t>(exponent);
  }
  return result;
}

template <class T>
constexpr auto dot2_11 = [](Pair<T> a, Pair<T> b, F32 c) { return dot2_gfx11(a, b, c); };
template <class T>
constexpr auto dot2_12 = [](Pair<T> a, Pair<T> b, F32 c) { return dot2_gfx12(a, b, c); };

constexpr auto minimum3 = [](F16 a, F16 b, F16 c) { return minimum(minimum(a, b), c); };
constexpr auto maximum3 = [](F16 a, F16 b, F16 c) { return maximum(maximum(a, b), c); };
constexpr auto median3 = [](F16 a, F16 b, F16 c) { return median_number(a, b, c); };
constexpr auto maximum_of_minimum = [](F16 a, F16 b, F16 c) { return maximum(minimum(a, b), c); };
constexpr auto minimum_of_maximum = [](F16 a, F16 b, F16 c) { return minimum(maximum(a, b), c); };
constexpr auto lowest = [](F16 a, F16 b) { return minimum_nan(a, b); };
constexpr auto highest = [](F16 a, F16 b) { return maximum_nan(a, b); };

constexpr auto reciprocal = [](F16 a) { return narrow(F32(1.0f) / wide(a)); };
constexpr auto root = [](F16 a) { return narrow(__builtin_elementwise_sqrt(wide(a))); };
constexpr auto reciprocal_root = [](F16 a) {
  return narrow(F32(1.0f) / __builtin_elementwise_sqrt(wide(a)));
};
constexpr auto power_of_two = [](F16 a) { return narrow(each_lane<exp2_lane>(wide(a))); };
constexpr auto logarithm = [](F16 a) { return narrow(each_lane<log2_lane>(wide(a))); };

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
    vector_rare<lowest>("v_minimum_f16"),
    vector_rare<highest>("v_maximum_f16"),
    vector_rare<[](F16 a, F16 b, F16 c) { return lowest(lowest(a, b), c); }>("v_minimum3_f16"),
    vector_rare<[](F16 a, F16 b, F16 c) { return highest(highest(a, b), c); }>("v_maximum3_f16"),
    vector_rare<[](F16 a, F16 b, F16 c) { return highest(lowest(a, b), c); }>(
        "v_minimummaximum_f16"),
    vector_rare<[](F16 a, F16 b, F16 c) { return lowest(highest(a, b), c); }>(
        "v_maximumminimum_f16"),
    vector_rare<maximum3>("v_max3_f16"),
    vector_rare<minimum3>("v_min3_f16"),
    vector_rare<median3>("v_med3_f16"),
    vector_rare<maximum3>("v_max3_num_f16"),
    vector_rare<minimum3>("v_min3_num_f16"),
    vector_rare<median3>("v_med3_num_f16"),
    vector_rare<maximum_of_minimum>("v_minmax_f16"),
    vector_rare<minimum_of_maximum>("v_maxmin_f16"),
    vector_rare<maximum_of_minimum>("v_minmax_num_f16"),
    vector_rare<minimum_of_maximum>("v_maxmin_num_f16"),
    vector_rare<[](F16 a) { return fraction(a); }>("v_fract_f16"),
    vector_rare<[](F16 a) { return narrow(each_lane<mantissa_lane>(wide(a))); }>(
        "v_frexp_mant_f16"),
    vector_rare<[](F16 a) { return exponent_of(a); }>("v_frexp_exp_i16_f16"),
    having(trait_transcendental,
           vector_rare<[](F16 a) { return narrow(each_lane<sine_lane>(wide(a))); }>("v_sin_f16")),
    having(trait_transcendental,
           vector_rare<[](F16 a) { return narrow(each_lane<cosine_lane>(wide(a))); }>("v_cos_f16")),
    having(trait_transcendental, vector_rare<reciprocal>("v_rcp_f16")),
    having(trait_transcendental, vector_rare<root>("v_sqrt_f16")),
    having(trait_transcendental, vector_rare<reciprocal_root>("v_rsq_f16")),
    having(trait_transcendental, vector_rare<power_of_two>("v_exp_f16")),
    having(trait_transcendental, vector_rare<logarithm>("v_log_f16")),
    pseudo_scalar<reciprocal>("v_s_rcp_f16"),
    pseudo_scalar<root>("v_s_sqrt_f16"),
    pseudo_scalar<reciprocal_root>("v_s_rsq_f16"),
    pseudo_scalar<power_of_two>("v_s_exp_f16"),
    pseudo_scalar<logarithm>("v_s_log_f16"),
    vector_rare<[](F16 a) { return narrow(__builtin_elementwise_floor(wide(a))); }>("v_floor_f16"),
    vector_rare<[](F16 a) { return narrow(__builtin_elementwise_ceil(wide(a))); }>("v_ceil_f16"),
    vector_rare<[](F16 a) { return narrow(__builtin_elementwise_trunc(wide(a))); }>("v_trunc_f16"),
    vector_rare<[](F16 a) { return narrow(__builtin_elementwise_roundeven(wide(a))); }>(
        "v_rndne_f16"),
    vector_rare<[](F16 a, F16 e) { return ldexp_half(a, bits_as<I16>(e)); }>("v_ldexp_f16"),

    vector<[](F32 a) { return narrow(a); }>("v_cvt_f16_f32"),
    vector<[](F16 a) { return wide(a); }>("v_cvt_f32_f16"),
    vector_rare<[](U16 a) { return narrow(convert<F32>(a)); }>("v_cvt_f16_u16"),
    vector_rare<[](I16 a) { return narrow(convert<F32>(a)); }>("v_cvt_f16_i16"),
    vector_rare<[](F16 a) { return to_u16(a); }>("v_cvt_u16_f16"),
    vector_rare<[](F16 a) { return to_i16(a); }>("v_cvt_i16_f16"),
    tracking(undefined::converted_halves, vector<pack_toward_zero>("v_cvt_pk_rtz_f16_f32")),
    tracking(undefined::converted_halves, vector<pack_toward_zero>("v_cvt_pkrtz_f16_f32")),

    vector<both2<add>>("v_pk_add_f16"),
    vector<both2<multiply>>("v_pk_mul_f16"),
    vector<both2<minimum>>("v_pk_min_f16"),
    vector<both2<maximum>>("v_pk_max_f16"),
    vector<both2<minimum>>("v_pk_min_num_f16"),
    vector<both2<maximum>>("v_pk_max_num_f16"),
    vector_rare<both2<lowest>>("v_pk_minimum_f16"),
    vector_rare<both2<highest>>("v_pk_maximum_f16"),
    vector<both_fma>("v_pk_fma_f16"),
    vector_rare<both_fma>("v_pk_fmac_f16", Form::vector_accumulate),

    vector_rare<[](Mixed a, Mixed b, Mixed c) {
      return __builtin_elementwise_fma(a.value, b.value, c.value);
    }>("v_fma_mix_f32"),
    mixed_row<&mixed_to_half<false>>("v_fma_mixlo_f16", 1),
    mixed_row<&mixed_to_half<true>>("v_fma_mixhi_f16", 2),

    having(trait_dot_product, only_for(isa::gfx11, 0, vector_rare<dot2_11<F16>>("v_dot2_f32_f16"))),
    having(trait_dot_product,
           only_for(isa::gfx11, 0,
                    vector_rare<dot2_11<F16>>("v_dot2acc_f32_f16", Form::vector_accumulate))),
    having(trait_dot_product,
           only_for(isa::gfx11, 0,
                    vector_rare<dot2_11<F16>>("v_dot2c_f32_f16", Form::vector_accumulate))),
    having(trait_dot_product,
           only_for(isa::gfx11, 0, vector_rare<dot2_11<Bfloat>>("v_dot2_f32_bf16"))),
    // The order in which CDNA adds is not published either.
    having(trait_dot_product, only_for(isa::gfx9, 0, vector_rare<dot2_12<F16>>("v_dot2_f32_f16"))),
    having(trait_dot_product,
           only_for(isa::gfx9, 0,
                    vector_rare<dot2_12<F16>>("v_dot2c_f32_f16", Form::vector_accumulate))),
    having(trait_dot_product,
           only_for(isa::gfx950, 0, vector_rare<dot2_12<Bfloat>>("v_dot2_f32_bf16"))),
    having(trait_dot_product,
           only_for(isa::gfx950, 0,
                    vector_rare<dot2_12<Bfloat>>("v_dot2c_f32_bf16", Form::vector_accumulate))),
    only_for(isa::gfx950, 0, vector_rare<[](Bfloat a) { return wide(a); }>("v_cvt_f32_bf16")),
    only_for(isa::gfx950, 0, vector_rare<[](Pair<F16> a, Pair<F16> b, Pair<F16> c) {
               return Pair<F16>{lowest(lowest(a.low, b.low), c.low),
                                lowest(lowest(a.high, b.high), c.high)};
             }>("v_pk_minimum3_f16")),
    only_for(isa::gfx950, 0, vector_rare<[](Pair<F16> a, Pair<F16> b, Pair<F16> c) {
               return Pair<F16>{highest(highest(a.low, b.low), c.low),
                                highest(highest(a.high, b.high), c.high)};
             }>("v_pk_maximum3_f16")),
    having(trait_dot_product, only_for(isa::gfx12, 0, vector_rare<dot2_12<F16>>("v_dot2_f32_f16"))),
    having(trait_dot_product,
           only_for(isa::gfx12, 0,
                    vector_rare<dot2_12<F16>>("v_dot2acc_f32_f16", Form::vector_accumulate))),
    having(trait_dot_product,
           only_for(isa::gfx12, 0,
                    vector_rare<dot2_12<F16>>("v_dot2c_f32_f16", Form::vector_accumulate))),
    having(trait_dot_product,
           only_for(isa::gfx12, 0, vector_rare<dot2_12<Bfloat>>("v_dot2_f32_bf16"))),
    having(trait_dot_product,
           vector_rare<[](Pair<F16> a, Pair<F16> b, F16 c) { return narrow(dot2_sum(a, b, c)); }>(
               "v_dot2_f16_f16")),
    having(trait_dot_product, vector_rare<[](Pair<Bfloat> a, Pair<Bfloat> b, Bfloat c) {
             return Bfloat{round_to_bf16(dot2_sum(a, b, c))};
           }>("v_dot2_bf16_bf16")),
};

}  // namespace

Rows vector_half_rows() { return {rows, sizeof rows / sizeof rows[0]}; }

}  // namespace heddle::emulator::HEDDLE_LEVEL
