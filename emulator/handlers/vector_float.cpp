// Vector f32 and f64 instructions and the conversions between numbers.
// Meanings: RDNA3 and RDNA4 ISA, chapters "Vector ALU" and "Instructions".
#include "emulator/handlers/float_operations.h"
#include "emulator/handlers/tables.h"

namespace heddle::emulator::HEDDLE_LEVEL {
namespace {

HEDDLE_INLINE F32 fused(F32 a, F32 b, F32 c) { return __builtin_elementwise_fma(a, b, c); }
HEDDLE_INLINE F64 fused(F64 a, F64 b, F64 c) { return __builtin_elementwise_fma(a, b, c); }

// 0 times anything is 0 in the "DX9" multiplications.
HEDDLE_INLINE F32 zero_wins(F32 a, F32 b) {
  return select(to_lanes_of(a == 0.0f) | to_lanes_of(b == 0.0f), F32(0), a * b);
}

HEDDLE_INLINE F32 fused_zero_wins(F32 a, F32 b, F32 c) {
  return select(to_lanes_of(a == 0.0f) | to_lanes_of(b == 0.0f), flushed(c), fused(a, b, c));
}

// RDNA3 ISA, V_MULLIT_F32: the specular term of old lighting.
HEDDLE_INLINE F32 lit_product(F32 a, F32 b, F32 c) {
  const F32 least = F32(-0x1.fffffep127f);
  const Lanes dark = to_lanes_of(b <= least) | is_nan(b) | ~to_lanes_of(c > 0.0f);
  return select(dark, least, zero_wins(a, b));
}

// V_CUBEID_F32 and similar instructions (RDNA3 ISA). A direction (x, y, z) points at a face of a
// cube: `id` is the number of the face, `s` and `t` are the position on the face, and `axis` is
// twice the largest coordinate.
struct CubeFace {
  F32 id, s, t, axis;
};
HEDDLE_INLINE F32 magnitude(F32 x) { return bits_as<F32>(bits_as<U32>(x) & 0x7fffffffu); }
HEDDLE_INLINE CubeFace cube_face(F32 x, F32 y, F32 z) {
  x = flushed(x), y = flushed(y), z = flushed(z);
  const Lanes z_face = to_lanes_of(magnitude(z) >= magnitude(x)) &
                       to_lanes_of(magnitude(z) >= magnitude(y)),
              y_face = ~z_face & to_lanes_of(magnitude(y) >= magnitude(x));
  const auto negative = [](F32 v) { return to_lanes_of(v < 0.0f); };
  CubeFace face;
  face.id = select(
      z_face, select(negative(z), F32(5), F32(4)),
      select(y_face, select(negative(y), F32(3), F32(2)), select(negative(x), F32(1), F32(0))));
  face.s =
      select(z_face, select(negative(z), -x, x), select(y_face, x, select(negative(x), z, -z)));
  face.t = select(z_face, -y, select(y_face, select(negative(y), -z, z), -y));
  face.axis = select(z_face, z, select(y_face, y, x)) * F32(2.0f);
  return face;
}

// 2 / pi, the first 1216 bits after the point.
constexpr uint64_t two_over_pi[] = {
    0xa2f9836e4e441529, 0xfc2757d1f534ddc0, 0xdb6295993c439041, 0xfe5163abdebbc561,
    0xb7246e3a424dd2e0, 0x06492eea09d1921c, 0xfe1deb1cb129a73e, 0xe88235f52ebb4484,
    0xe99c7026b45f7e41, 0x3991d639835339f4, 0x9c845f8bbdf9283b, 0x1ff897ffde05980f,
    0xef2f118b5a0a6d1f, 0x6d367ecf27cb09b7, 0x4f463f669e5fea2d, 0x7527bac7ebe5f17b,
    0x3d0739f78a5292ea, 0x6bfb5fb11f8d5d08, 0x56033046fc7b6bab,
};

// V_TRIG_PREOP_F64 (RDNA3 ISA), a step in the reduction of large arguments of sine and cosine. The
// binary digits of 2 / pi are divided into segments of 53 bits, beginning with the bits that matter
// for an argument as large as x. The second operand selects a segment, which is returned.
HEDDLE_INLINE F64 two_over_pi_segment(F64 x, U32 segment) {
  F64 result;
  for (int l = 0; l < lanes; ++l) {
    const int exponent = static_cast<int>(bits_as<U64>(x)[l] >> 52 & 0x7ffu);
    int shift = static_cast<int>(segment[l] & 31u) * 53;
    if (exponent > 1077) shift += exponent - 1077;
    uint64_t digits = 0;
    for (int bit = 0; bit < 53; ++bit) {
      const int at = shift + bit;
      const uint64_t one = at < 1201 ? two_over_pi[at / 64] >> (63 - at % 64) & 1u : 0;
      digits = digits << 1 | one;
    }
    const int scale = -53 - shift + (exponent >= 1968 ? 128 : 0);
    result[l] = __builtin_ldexp(static_cast<double>(digits), scale);
  }
  return result;
}

constexpr auto exp2_lane = [](float x) { return __builtin_exp2f(x); };
constexpr auto log2_lane = [](float x) { return __builtin_log2f(x); };

HEDDLE_INLINE F32 reciprocal_square_root(F32 x) {
  return convert<F32>(F64(1.0) / __builtin_elementwise_sqrt(convert<F64>(x)));
}

template <class F, class I>
HEDDLE_INLINE F scaled(F x, I exponent) {
  F result;
  for (int l = 0; l < lanes; ++l) {
    if constexpr (sizeof(x[0]) == 8)
      result[l] = __builtin_ldexp(x[l], exponent[l]);
    else
      result[l] = __builtin_ldexpf(x[l], exponent[l]);
  }
  return result;
}

HEDDLE_INLINE F32 mantissa_of(F32 x) {
  F32 result;
  for (int l = 0; l < lanes; ++l) {
    int exponent = 0;
    const bool finite = __builtin_isfinite(x[l]);
    result[l] = finite ? __builtin_frexpf(x[l], &exponent) : x[l];
  }
  return result;
}
HEDDLE_INLINE I32 exponent_of(F32 x) {
  I32 result;
  for (int l = 0; l < lanes; ++l) {
    int exponent = 0;
    if (__builtin_isfinite(x[l])) (void)__builtin_frexpf(x[l], &exponent);
    result[l] = exponent;
  }
  return result;
}
HEDDLE_INLINE F64 mantissa_of(F64 x) {
  F64 result;
  for (int l = 0; l < lanes; ++l) {
    int exponent = 0;
    const bool finite = __builtin_isfinite(x[l]);
    result[l] = finite ? __builtin_frexp(x[l], &exponent) : x[l];
  }
  return result;
}
HEDDLE_INLINE I32 exponent_of(F64 x) {
  I32 result;
  for (int l = 0; l < lanes; ++l) {
    int exponent = 0;
    if (__builtin_isfinite(x[l])) (void)__builtin_frexp(x[l], &exponent);
    result[l] = exponent;
  }
  return result;
}

// v_fract: x - floor(x), but always less than 1, even if this difference would be rounded to 1.
// `below_one` is the largest number less than 1.
template <class F>
HEDDLE_INLINE F fraction(F x, F below_one) {
  const F f = x - __builtin_elementwise_floor(x);
  return select(to_lanes_of(f > below_one), below_one, f);
}

// The constants of a precision (f32 or f64) for the instructions of which compilers make a
// division: div_scale, div_fmas, div_fixup.
template <class E>
struct Division;
template <>
struct Division<float> {
  using Bits = uint32_t;
  static constexpr int mantissa_bits = 23, bias = 127, scale = 64, far = 96, tiny = 23,
                       underflow = -150;
};
template <>
struct Division<double> {
  using Bits = uint64_t;
  static constexpr int mantissa_bits = 52, bias = 1023, scale = 128, far = 768, tiny = 53,
                       underflow = -1075;
};

template <class E>
HEDDLE_INLINE typename Division<E>::Bits magnitude_bits(E x) {
  return __builtin_bit_cast(typename Division<E>::Bits, x) << 1 >> 1;
}

template <class E>
HEDDLE_INLINE int biased_exponent(E x) {
  return static_cast<int>(magnitude_bits(x) >> Division<E>::mantissa_bits);
}

template <class E>
HEDDLE_INLINE E shifted(E x, int exponent) {
  return static_cast<E>(__builtin_ldexp(static_cast<double>(x), exponent));
}
template <>
HEDDLE_INLINE float shifted(float x, int exponent) {
  return __builtin_ldexpf(x, exponent);
}

// V_DIV_SCALE_F32 and _F64 (RDNA3 ISA): multiplies the numerator or denominator of a division by a
// power of two if it is near an end of the range. `flag` tells div_fmas to undo the scaling.
//
// Three things differ from the document's pseudocode, because tests that were run on RDNA3 show
// them (tinygrad, test/amd/hw/test_vop3.py):
// - The flag is set if an operand is 0, or a denormal that is flushed to 0.
// - Whether the quotient counts as denormal depends only on the exponents of the operands, so
// 2^-126 / 1 counts.
// - No test for a denormal depends on whether MODE flushes results.
template <class E>
E scale_for_division(E value, E denominator, E numerator, bool& flag) {
  using D = Division<E>;
  using Bits = typename D::Bits;
  flag = numerator == 0 || denominator == 0;
  if (flag) return static_cast<E>(__builtin_nan(""));
  const bool is_denominator = value == denominator;
  const int difference = biased_exponent(numerator) - biased_exponent(denominator);
  // 1 / denominator is denormal if the denominator exceeds 2^126 (f32) or 2^1022 (f64).
  constexpr Bits inverse_of_smallest = Bits{2 * D::bias - 1} << D::mantissa_bits;
  const bool small_inverse = magnitude_bits(denominator) > inverse_of_smallest;
  const bool small_quotient = difference <= 1 - D::bias;
  if (difference >= D::far) {
    flag = true;
    return is_denominator ? shifted(value, D::scale) : value;
  }
  if (biased_exponent(denominator) == 0) return shifted(value, D::scale);
  if (small_inverse && small_quotient) {
    // It is scaled down here. The documents scale up, which would overflow for so large a
    // denominator.
    flag = true;
    return is_denominator ? shifted(value, -D::scale) : value;
  }
  if (small_inverse) return shifted(value, -D::scale);
  if (small_quotient) {
    flag = true;
    return value == numerator ? shifted(value, D::scale) : value;
  }
  if (biased_exponent(numerator) <= D::tiny) return shifted(value, D::scale);
  return value;
}

template <class F>
const Instruction* division_scale(Wavefront& w, const Instruction* in) {
  const Read<true> read{w, in};
  const F value = read.get(0, Tag<F>{}), denominator = read.get(1, Tag<F>{}),
          numerator = read.get(2, Tag<F>{});
  F result;
  uint32_t flags = 0;
  for (int l = 0; l < lanes; ++l) {
    bool flag;
    result[l] = scale_for_division(value[l], denominator[l], numerator[l], flag);
    flags |= uint32_t{flag} << l;
  }
  w.scalar[in->destination2] = flags & exec(w);
  Write<true>{w, in}.put(result);
  return in + 1;
}

// (a * b + c) * 2^exponent with one rounding, also where the result is denormal.
HEDDLE_INLINE float fused_scaled(float a, float b, float c, int exponent) {
  const double product = static_cast<double>(a) * b;  // exact
  double sum = product + c;
  // If the addition lost bits, the last bit of the sum is made odd ("round to odd"), so that the
  // rounding to f32 takes them into account.
  const double part = sum - product;
  const double lost = (product - (sum - part)) + (c - part);
  auto bits = __builtin_bit_cast(uint64_t, sum);
  if (lost != 0 && bits % 2 == 0) bits += (lost > 0) == (sum > 0) ? uint64_t{1} : ~uint64_t{0};
  return static_cast<float>(__builtin_ldexp(__builtin_bit_cast(double, bits), exponent));
}
HEDDLE_INLINE double fused_scaled(double a, double b, double c, int exponent) {
#if defined(__SIZEOF_FLOAT128__)
  __float128 sum = static_cast<__float128>(a) * b + c;
  for (int step = 0; step < (exponent < 0 ? -exponent : exponent); ++step)
    sum *= exponent < 0 ? 0.5 : 2.0;
  return static_cast<double>(sum);
#else
  return __builtin_ldexp(__builtin_fma(a, b, c), exponent);
#endif
}

// V_DIV_FMAS (RDNA3 ISA), the last multiplication and addition of a division. In lanes whose bit in
// VCC is set, it also undoes the scaling of V_DIV_SCALE.
template <class F>
const Instruction* division_last_step(Wavefront& w, const Instruction* in) {
  const Read<true> read{w, in};
  const F a = read.get(0, Tag<F>{}), b = read.get(1, Tag<F>{}), c = read.get(2, Tag<F>{});
  F result = fused(a, b, c);
  using Element = __typeof__(result[0] + 0);
  using D = Division<Element>;
  for (int l = 0; l < lanes; ++l) {
    if (!(w.scalar[register_vcc] >> l & 1)) continue;
    const bool large = biased_exponent<Element>(c[l]) > D::bias;
    result[l] =
        fused_scaled(Element(a[l]), Element(b[l]), Element(c[l]), large ? D::scale : -D::scale);
  }
  Write<true>{w, in}.put(result);
  return in + 1;
}

// RDNA3 ISA, V_DIV_FIXUP: special operands and the sign.
template <class E>
E fixed_quotient(E quotient, E denominator, E numerator) {
  using D = Division<E>;
  const bool negative = __builtin_signbit(denominator) != __builtin_signbit(numerator);
  const E infinity = static_cast<E>(__builtin_inf());
  const auto with_sign = [&](E x) { return negative ? -x : x; };
  const auto quiet = [](E x) { return x + x; };
  if (__builtin_isnan(numerator)) return quiet(numerator);
  if (__builtin_isnan(denominator)) return quiet(denominator);
  const bool both_zero = denominator == 0 && numerator == 0;
  const bool both_infinite = __builtin_isinf(denominator) && __builtin_isinf(numerator);
  if (both_zero || both_infinite) return -static_cast<E>(__builtin_nan(""));
  if (denominator == 0 || __builtin_isinf(numerator)) return with_sign(infinity);
  if (__builtin_isinf(denominator) || numerator == 0) return with_sign(0);
  if (biased_exponent(numerator) - biased_exponent(denominator) < D::underflow) return with_sign(0);
  // If the quotient overflows, the steps before end in infinity minus infinity, NaN; the pseudocode
  // does not mention that. Compilers rely on the quotient of IEEE 754: infinity.
  if (__builtin_isnan(quotient)) return with_sign(infinity);
  const E magnitude = __builtin_signbit(quotient) ? -quotient : quotient;
  return with_sign(magnitude);
}

template <class F>
HEDDLE_INLINE F fixed_quotients(F quotient, F denominator, F numerator) {
  F result;
  for (int l = 0; l < lanes; ++l)
    result[l] =
        fixed_quotient<__typeof__(result[0] + 0)>(quotient[l], denominator[l], numerator[l]);
  return flushed(result);
}

template <class F, Handler handler>
constexpr Row division_row(const char* name, bool carry_out) {
  Row row{};
  copy_name(row.name, name);
  row.form = Form::vector;
  row.destination = row.sources[0] = row.sources[1] = row.sources[2] = type_of<F>;
  row.carry_out = carry_out;
  row.plain = row.general = handler;
  return row;
}

constexpr auto minimum = [](F32 a, F32 b) { return minimum_number(a, b); };
constexpr auto maximum = [](F32 a, F32 b) { return maximum_number(a, b); };
constexpr auto minimum3 = [](F32 a, F32 b, F32 c) {
  return minimum_number(minimum_number(a, b), c);
};
constexpr auto maximum3 = [](F32 a, F32 b, F32 c) {
  return maximum_number(maximum_number(a, b), c);
};
constexpr auto median3 = [](F32 a, F32 b, F32 c) { return median_number(a, b, c); };
constexpr auto maximum_of_minimum = [](F32 a, F32 b, F32 c) {
  return maximum_number(minimum_number(a, b), c);
};
constexpr auto minimum_of_maximum = [](F32 a, F32 b, F32 c) {
  return minimum_number(maximum_number(a, b), c);
};
constexpr auto minimum64 = [](F64 a, F64 b) { return minimum_number(a, b); };
constexpr auto maximum64 = [](F64 a, F64 b) { return maximum_number(a, b); };
constexpr auto fma32 = [](F32 a, F32 b, F32 c) { return fused(a, b, c); };

constexpr auto reciprocal = [](F32 a) {
  return without_denormals(F32(1.0f) / without_denormals(a));
};
constexpr auto reciprocal_root = [](F32 a) { return reciprocal_square_root(without_denormals(a)); };
constexpr auto root = [](F32 a) { return __builtin_elementwise_sqrt(without_denormals(a)); };
constexpr auto power_of_two = [](F32 a) { return without_denormals(each_lane<exp2_lane>(a)); };
constexpr auto logarithm = [](F32 a) { return each_lane<log2_lane>(without_denormals(a)); };

constexpr Row rows[] = {
    vector<[](F32 a, F32 b) { return a + b; }>("v_add_f32"),
    vector<[](F32 a, F32 b) { return a - b; }>("v_sub_f32"),
    vector<[](F32 a, F32 b) { return b - a; }>("v_subrev_f32"),
    vector<[](F32 a, F32 b) { return a * b; }>("v_mul_f32"),
    vector_rare<[](F32 a, F32 b) { return zero_wins(a, b); }>("v_mul_dx9_zero_f32"),
    vector<fma32>("v_fma_f32"),
    vector<fma32>("v_fmaak_f32"),
    vector<fma32>("v_fmamk_f32"),
    accumulate<fma32>("v_fmac_f32"),
    vector<minimum>("v_min_f32"),
    vector<maximum>("v_max_f32"),
    vector<minimum>("v_min_num_f32"),
    vector<maximum>("v_max_num_f32"),
    vector_rare<[](F32 a, F32 b) { return minimum_nan(a, b); }>("v_minimum_f32"),
    vector_rare<[](F32 a, F32 b) { return maximum_nan(a, b); }>("v_maximum_f32"),
    vector_rare<[](F32 a, F32 b, F32 c) { return minimum_nan(minimum_nan(a, b), c); }>(
        "v_minimum3_f32"),
    vector_rare<[](F32 a, F32 b, F32 c) { return maximum_nan(maximum_nan(a, b), c); }>(
        "v_maximum3_f32"),
    vector_rare<[](F32 a, F32 b, F32 c) { return maximum_nan(minimum_nan(a, b), c); }>(
        "v_minimummaximum_f32"),
    vector_rare<[](F32 a, F32 b, F32 c) { return minimum_nan(maximum_nan(a, b), c); }>(
        "v_maximumminimum_f32"),
    vector_rare<[](F64 a, F64 b) { return minimum_nan(a, b); }>("v_minimum_f64"),
    vector_rare<[](F64 a, F64 b) { return maximum_nan(a, b); }>("v_maximum_f64"),
    vector_rare<[](F64 a, U32 b) { return two_over_pi_segment(a, b); }>("v_trig_preop_f64"),
    vector_rare<[](F32 a, F32 b, F32 c) { return fused_zero_wins(a, b, c); }>("v_fma_dx9_zero_f32"),
    vector_rare<[](F32 a, F32 b, F32 c) { return fused_zero_wins(a, b, c); }>(
        "v_fmac_dx9_zero_f32", Form::vector_accumulate),
    vector_rare<[](F32 a, F32 b, F32 c) { return lit_product(a, b, c); }>("v_mullit_f32"),
    vector_rare<[](F32 x, F32 y, F32 z) { return cube_face(x, y, z).id; }>("v_cubeid_f32"),
    vector_rare<[](F32 x, F32 y, F32 z) { return cube_face(x, y, z).s; }>("v_cubesc_f32"),
    vector_rare<[](F32 x, F32 y, F32 z) { return cube_face(x, y, z).t; }>("v_cubetc_f32"),
    vector_rare<[](F32 x, F32 y, F32 z) { return cube_face(x, y, z).axis; }>("v_cubema_f32"),
    vector_rare<minimum3>("v_min3_f32"),
    vector_rare<maximum3>("v_max3_f32"),
    vector_rare<median3>("v_med3_f32"),
    vector_rare<minimum3>("v_min3_num_f32"),
    vector_rare<maximum3>("v_max3_num_f32"),
    vector_rare<median3>("v_med3_num_f32"),
    vector_rare<maximum_of_minimum>("v_minmax_f32"),
    vector_rare<minimum_of_maximum>("v_maxmin_f32"),
    vector_rare<maximum_of_minimum>("v_minmax_num_f32"),
    vector_rare<minimum_of_maximum>("v_maxmin_num_f32"),

    having(trait_transcendental, vector_rare<reciprocal>("v_rcp_f32")),
    having(trait_transcendental, vector_rare<reciprocal>("v_rcp_iflag_f32")),
    having(trait_transcendental, vector_rare<reciprocal_root>("v_rsq_f32")),
    having(trait_transcendental, vector_rare<root>("v_sqrt_f32")),
    having(trait_transcendental, vector_rare<power_of_two>("v_exp_f32")),
    having(trait_transcendental, vector_rare<logarithm>("v_log_f32")),
    pseudo_scalar<reciprocal>("v_s_rcp_f32"),
    pseudo_scalar<reciprocal_root>("v_s_rsq_f32"),
    pseudo_scalar<root>("v_s_sqrt_f32"),
    pseudo_scalar<power_of_two>("v_s_exp_f32"),
    pseudo_scalar<logarithm>("v_s_log_f32"),
    having(trait_transcendental,
           vector_rare<[](F32 a) { return each_lane<sine_lane>(a); }>("v_sin_f32")),
    having(trait_transcendental,
           vector_rare<[](F32 a) { return each_lane<cosine_lane>(a); }>("v_cos_f32")),
    vector<[](F32 a) { return __builtin_elementwise_floor(a); }>("v_floor_f32"),
    vector<[](F32 a) { return __builtin_elementwise_ceil(a); }>("v_ceil_f32"),
    vector<[](F32 a) { return __builtin_elementwise_trunc(a); }>("v_trunc_f32"),
    vector<[](F32 a) { return __builtin_elementwise_roundeven(a); }>("v_rndne_f32"),
    vector_rare<[](F32 a) { return fraction(a, F32(0x1.fffffep-1f)); }>("v_fract_f32"),
    vector_rare<[](F32 a, I32 e) { return scaled(a, e); }>("v_ldexp_f32"),
    vector_rare<[](F32 a) { return mantissa_of(a); }>("v_frexp_mant_f32"),
    vector_rare<[](F32 a) { return exponent_of(a); }>("v_frexp_exp_i32_f32"),
    division_row<F32, &division_scale<F32>>("v_div_scale_f32", true),
    having(trait_scales_by_vcc,
           division_row<F32, &division_last_step<F32>>("v_div_fmas_f32", false)),
    vector_rare<[](F32 a, F32 b, F32 c) { return fixed_quotients(a, b, c); }>("v_div_fixup_f32"),
    vector_rare<[](F16 a, F16 b, F16 c) {
      return convert<F16>(fixed_quotients(convert<F32>(a), convert<F32>(b), convert<F32>(c)));
    }>("v_div_fixup_f16"),

    vector<[](I32 a) { return convert<F32>(a); }>("v_cvt_f32_i32"),
    vector<[](U32 a) { return convert<F32>(a); }>("v_cvt_f32_u32"),
    vector<[](F32 a) { return to_i32(__builtin_elementwise_trunc(a)); }>("v_cvt_i32_f32"),
    vector<[](F32 a) { return to_u32(a); }>("v_cvt_u32_f32"),
    vector_rare<[](F32 a) { return to_i32(__builtin_elementwise_floor(a + 0.5f)); }>(
        "v_cvt_nearest_i32_f32"),
    vector_rare<[](F32 a) { return to_i32(__builtin_elementwise_floor(a)); }>(
        "v_cvt_floor_i32_f32"),
    tracking(undefined::converted_byte<0>,
             vector_rare<[](U32 a) { return convert<F32>(a & 255u); }>("v_cvt_f32_ubyte0")),
    tracking(undefined::converted_byte<1>,
             vector_rare<[](U32 a) { return convert<F32>(a >> 8 & 255u); }>("v_cvt_f32_ubyte1")),
    tracking(undefined::converted_byte<2>,
             vector_rare<[](U32 a) { return convert<F32>(a >> 16 & 255u); }>("v_cvt_f32_ubyte2")),
    tracking(undefined::converted_byte<3>,
             vector_rare<[](U32 a) { return convert<F32>(a >> 24); }>("v_cvt_f32_ubyte3")),
    vector_rare<[](F32 a) { return convert<F64>(a); }>("v_cvt_f64_f32"),
    vector_rare<[](F64 a) { return convert<F32>(a); }>("v_cvt_f32_f64"),
    vector_rare<[](I32 a) { return convert<F64>(a); }>("v_cvt_f64_i32"),
    vector_rare<[](U32 a) { return convert<F64>(a); }>("v_cvt_f64_u32"),
    vector_rare<[](F64 a) { return to_i32(a); }>("v_cvt_i32_f64"),
    vector_rare<[](F64 a) { return to_u32(a); }>("v_cvt_u32_f64"),

    vector_rare<[](F64 a, F64 b) { return a + b; }>("v_add_f64"),
    vector_rare<[](F64 a, F64 b) { return a * b; }>("v_mul_f64"),
    having(trait_f64_unit,
           vector_rare<[](F64 a, F64 b, F64 c) { return fused(a, b, c); }>("v_fma_f64")),
    vector_rare<minimum64>("v_min_f64"),
    vector_rare<maximum64>("v_max_f64"),
    vector_rare<minimum64>("v_min_num_f64"),
    vector_rare<maximum64>("v_max_num_f64"),
    having(trait_transcendental, vector_rare<[](F64 a) { return F64(1.0) / a; }>("v_rcp_f64")),
    having(
        trait_transcendental,
        vector_rare<[](F64 a) { return F64(1.0) / __builtin_elementwise_sqrt(a); }>("v_rsq_f64")),
    having(trait_transcendental,
           vector_rare<[](F64 a) { return __builtin_elementwise_sqrt(a); }>("v_sqrt_f64")),
    vector_rare<[](F64 a) { return __builtin_elementwise_floor(a); }>("v_floor_f64"),
    vector_rare<[](F64 a) { return __builtin_elementwise_ceil(a); }>("v_ceil_f64"),
    vector_rare<[](F64 a) { return __builtin_elementwise_trunc(a); }>("v_trunc_f64"),
    vector_rare<[](F64 a) { return __builtin_elementwise_roundeven(a); }>("v_rndne_f64"),
    vector_rare<[](F64 a) { return fraction(a, F64(0x1.fffffffffffffp-1)); }>("v_fract_f64"),
    vector_rare<[](F64 a, I32 e) { return scaled(a, e); }>("v_ldexp_f64"),
    vector_rare<[](F64 a) { return mantissa_of(a); }>("v_frexp_mant_f64"),
    vector_rare<[](F64 a) { return exponent_of(a); }>("v_frexp_exp_i32_f64"),
    division_row<F64, &division_scale<F64>>("v_div_scale_f64", true),
    having(trait_scales_by_vcc,
           division_row<F64, &division_last_step<F64>>("v_div_fmas_f64", false)),
    vector_rare<[](F64 a, F64 b, F64 c) { return fixed_quotients(a, b, c); }>("v_div_fixup_f64"),
};

}  // namespace

Rows vector_float_rows() { return {rows, sizeof rows / sizeof rows[0]}; }

}  // namespace heddle::emulator::HEDDLE_LEVEL
