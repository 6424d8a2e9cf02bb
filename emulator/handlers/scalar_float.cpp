// Scalar floating-point instructions of RDNA3.5 and RDNA4. Meanings: RDNA4 ISA, chapter "Scalar ALU
// operations". It is assumed that a 16-bit result clears bits 31..16 of its register; compilers
// only read the low half.
#include "emulator/handlers/scalar_row.h"
#include "emulator/handlers/tables.h"

namespace heddle::emulator::HEDDLE_LEVEL {
namespace {

HEDDLE_INLINE float minimum_number(float a, float b) { return __builtin_fminf(a, b); }
HEDDLE_INLINE float maximum_number(float a, float b) { return __builtin_fmaxf(a, b); }
HEDDLE_INLINE i32 saturate_i32(float x) {
  if (__builtin_isnan(x)) return 0;
  if (x >= 2147483648.0f) return 0x7fffffff;
  if (x < -2147483648.0f) return static_cast<i32>(0x80000000u);
  return static_cast<i32>(x);
}
HEDDLE_INLINE u32 saturate_u32(float x) {
  if (!(x > 0)) return 0;
  if (x >= 4294967296.0f) return 0xffffffffu;
  return static_cast<u32>(x);
}

// IEEE 754-2019 minimum and maximum: if one operand is NaN, so is the result; -0 is less than +0.
HEDDLE_INLINE float lowest(float a, float b) {
  if (__builtin_isnan(a)) return a + a;
  if (__builtin_isnan(b)) return b + b;
  if (a == b) return __builtin_signbit(a) ? a : b;
  return a < b ? a : b;
}
HEDDLE_INLINE float highest(float a, float b) {
  if (__builtin_isnan(a)) return a + a;
  if (__builtin_isnan(b)) return b + b;
  if (a == b) return __builtin_signbit(a) ? b : a;
  return a > b ? a : b;
}

// f16 operations are computed in f32 and rounded to f16. A single operation on two f16 is exact in
// f32, or rounding it twice gives the same f16 as rounding it once. Conversions use vector types,
// because the host then rounds as the kernel's mode says.
HEDDLE_INLINE float wide(_Float16 x) { return convert<F32>(F16(x))[0]; }
HEDDLE_INLINE _Float16 narrow(float x) { return convert<F16>(F32(x))[0]; }

HEDDLE_INLINE _Float16 toward_zero(float x) {
  const _Float16 nearest = narrow(x);
  const uint16_t bits = __builtin_bit_cast(uint16_t, nearest);
  if (!__builtin_isnan(x) && __builtin_fabsf(wide(nearest)) > __builtin_fabsf(x))
    return __builtin_bit_cast(_Float16, static_cast<uint16_t>(bits - 1));
  return nearest;
}

HEDDLE_INLINE _Float16 fused16(_Float16 a, _Float16 b, _Float16 c) {
  // The sum in f64 is rounded to f32 "to odd": the last bit shows to the second rounding that bits
  // were lost.
  const double sum =
      __builtin_fma(static_cast<double>(wide(a)), static_cast<double>(wide(b)), wide(c));
  u64 bits = __builtin_bit_cast(u64, sum);
  if (bits & 0x1fffffffu) bits = (bits & ~u64{0x1fffffffu}) | 0x20000000u;
  return narrow(static_cast<float>(__builtin_bit_cast(double, bits)));
}

template <auto op>
constexpr Row one16(const char* name) {
  return scalar<[](_Float16 a) { return narrow(op(wide(a))); }>(name);
}
template <auto op>
constexpr Row two16(const char* name) {
  return scalar<[](_Float16 a, _Float16 b) { return narrow(op(wide(a), wide(b))); }>(name);
}
template <auto op>
constexpr Row compare16(const char* name) {
  return scalar<[](_Float16 a, _Float16 b) { return bool{op(wide(a), wide(b))}; }>(name);
}

constexpr Row rows[] = {
    scalar<[](float a, float b) { return a + b; }>("s_add_f32"),
    scalar<[](float a, float b) { return a - b; }>("s_sub_f32"),
    scalar<[](float a, float b) { return a * b; }>("s_mul_f32"),
    scalar<[](float a, float b) { return minimum_number(a, b); }>("s_min_f32"),
    scalar<[](float a, float b) { return maximum_number(a, b); }>("s_max_f32"),
    scalar<[](float a, float b) { return minimum_number(a, b); }>("s_min_num_f32"),
    scalar<[](float a, float b) { return maximum_number(a, b); }>("s_max_num_f32"),
    scalar<[](float a, float b, float c) { return __builtin_fmaf(a, b, c); }>("s_fmaak_f32"),
    scalar<[](float a, float b, float c) { return __builtin_fmaf(a, b, c); }>("s_fmamk_f32"),
    scalar<[](i32 a) { return static_cast<float>(a); }>("s_cvt_f32_i32"),
    scalar<[](u32 a) { return static_cast<float>(a); }>("s_cvt_f32_u32"),
    scalar<[](float a) { return saturate_i32(a); }>("s_cvt_i32_f32"),
    scalar<[](float a) { return saturate_u32(a); }>("s_cvt_u32_f32"),
    scalar<[](float a) { return __builtin_floorf(a); }>("s_floor_f32"),
    scalar<[](float a) { return __builtin_ceilf(a); }>("s_ceil_f32"),
    scalar<[](float a) { return __builtin_truncf(a); }>("s_trunc_f32"),
    scalar<[](float a) { return __builtin_roundevenf(a); }>("s_rndne_f32"),
    scalar<[](float a, float b) { return a < b; }>("s_cmp_lt_f32"),
    scalar<[](float a, float b) { return a == b; }>("s_cmp_eq_f32"),
    scalar<[](float a, float b) { return a <= b; }>("s_cmp_le_f32"),
    scalar<[](float a, float b) { return a > b; }>("s_cmp_gt_f32"),
    scalar<[](float a, float b) { return a < b || a > b; }>("s_cmp_lg_f32"),
    scalar<[](float a, float b) { return a >= b; }>("s_cmp_ge_f32"),
    scalar<[](float a, float b) { return !__builtin_isunordered(a, b); }>("s_cmp_o_f32"),
    scalar<[](float a, float b) { return static_cast<bool>(__builtin_isunordered(a, b)); }>(
        "s_cmp_u_f32"),
    scalar<[](float a, float b) { return !(a >= b); }>("s_cmp_nge_f32"),
    scalar<[](float a, float b) { return !(a < b || a > b); }>("s_cmp_nlg_f32"),
    scalar<[](float a, float b) { return !(a > b); }>("s_cmp_ngt_f32"),
    scalar<[](float a, float b) { return !(a <= b); }>("s_cmp_nle_f32"),
    scalar<[](float a, float b) { return !(a == b); }>("s_cmp_neq_f32"),
    scalar<[](float a, float b) { return !(a < b); }>("s_cmp_nlt_f32"),
    scalar<[](float d, float a, float b) { return __builtin_fmaf(a, b, d); }>(
        "s_fmac_f32", Form::scalar_accumulate),
    scalar<[](float a, float b) { return lowest(a, b); }>("s_minimum_f32"),
    scalar<[](float a, float b) { return highest(a, b); }>("s_maximum_f32"),
    scalar<[](float a, float b) {
      return u32{__builtin_bit_cast(uint16_t, toward_zero(a))} |
             u32{__builtin_bit_cast(uint16_t, toward_zero(b))} << 16;
    }>("s_cvt_pk_rtz_f16_f32"),
    scalar<[](float a) { return narrow(a); }>("s_cvt_f16_f32"),
    scalar<[](_Float16 a) { return wide(a); }>("s_cvt_f32_f16"),
    scalar<[](u32 a) {
      return wide(__builtin_bit_cast(_Float16, static_cast<uint16_t>(a >> 16)));
    }>("s_cvt_hi_f32_f16"),

    two16<[](float a, float b) { return a + b; }>("s_add_f16"),
    two16<[](float a, float b) { return a - b; }>("s_sub_f16"),
    two16<[](float a, float b) { return a * b; }>("s_mul_f16"),
    two16<[](float a, float b) { return minimum_number(a, b); }>("s_min_f16"),
    two16<[](float a, float b) { return maximum_number(a, b); }>("s_max_f16"),
    two16<[](float a, float b) { return minimum_number(a, b); }>("s_min_num_f16"),
    two16<[](float a, float b) { return maximum_number(a, b); }>("s_max_num_f16"),
    two16<[](float a, float b) { return lowest(a, b); }>("s_minimum_f16"),
    two16<[](float a, float b) { return highest(a, b); }>("s_maximum_f16"),
    scalar<[](_Float16 d, _Float16 a, _Float16 b) { return fused16(a, b, d); }>(
        "s_fmac_f16", Form::scalar_accumulate),
    one16<[](float a) { return __builtin_ceilf(a); }>("s_ceil_f16"),
    one16<[](float a) { return __builtin_floorf(a); }>("s_floor_f16"),
    one16<[](float a) { return __builtin_truncf(a); }>("s_trunc_f16"),
    one16<[](float a) { return __builtin_roundevenf(a); }>("s_rndne_f16"),
    compare16<[](float x, float y) { return x < y; }>("s_cmp_lt_f16"),
    compare16<[](float x, float y) { return x == y; }>("s_cmp_eq_f16"),
    compare16<[](float x, float y) { return x <= y; }>("s_cmp_le_f16"),
    compare16<[](float x, float y) { return x > y; }>("s_cmp_gt_f16"),
    compare16<[](float x, float y) { return x < y || x > y; }>("s_cmp_lg_f16"),
    compare16<[](float x, float y) { return x >= y; }>("s_cmp_ge_f16"),
    compare16<[](float x, float y) { return !__builtin_isunordered(x, y); }>("s_cmp_o_f16"),
    compare16<[](float x, float y) { return bool{__builtin_isunordered(x, y) != 0}; }>(
        "s_cmp_u_f16"),
    compare16<[](float x, float y) { return !(x >= y); }>("s_cmp_nge_f16"),
    compare16<[](float x, float y) { return !(x < y || x > y); }>("s_cmp_nlg_f16"),
    compare16<[](float x, float y) { return !(x > y); }>("s_cmp_ngt_f16"),
    compare16<[](float x, float y) { return !(x <= y); }>("s_cmp_nle_f16"),
    compare16<[](float x, float y) { return !(x == y); }>("s_cmp_neq_f16"),
    compare16<[](float x, float y) { return !(x < y); }>("s_cmp_nlt_f16"),
};

}  // namespace

Rows scalar_float_rows() { return {rows, sizeof rows / sizeof rows[0]}; }

}  // namespace heddle::emulator::HEDDLE_LEVEL
