// Host versions of the floating-point instructions.
#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "instruction_cases.h"

namespace heddle::emulator::testing {
namespace {

using All = const std::vector<Input>&;

Case single(std::string text, float (*f)(const Input&), int ulps = 0) {
  return {"v_" + text,
          Fill::floats,
          [f](All, const Input& in, Output& out) { out.v[0] = std::bit_cast<uint32_t>(f(in)); },
          ulps,
          {}};
}
Case bits_from(Fill fill, std::string text, uint32_t (*f)(const Input&)) {
  return {"v_" + text, fill, [f](All, const Input& in, Output& out) { out.v[0] = f(in); }, 0, {}};
}
Case two(std::string text, double (*f)(const Input&)) {
  return {"v_" + text,
          Fill::doubles,
          [f](All, const Input& in, Output& out) {
            const auto bits = std::bit_cast<uint64_t>(f(in));
            out.v[0] = static_cast<uint32_t>(bits);
            out.v[1] = static_cast<uint32_t>(bits >> 32);
          },
          0,
          {}};
}
Case mask(Fill fill, std::string text, bool (*f)(const Input&)) {
  return {"v_" + text, fill, [f](All, const Input& in, Output& out) { out.mask = f(in); }, 0, {}};
}
Case only(std::string target, Case c) {
  c.target = std::move(target);
  return c;
}

float half(uint16_t bits) { return static_cast<float>(std::bit_cast<_Float16>(bits)); }
uint16_t half_bits(_Float16 x) { return std::bit_cast<uint16_t>(x); }
uint32_t with_low(const Input& in, uint16_t low) { return (in.old[0] & 0xffff0000u) | low; }
uint32_t pair(_Float16 low, _Float16 high) {
  return half_bits(low) | uint32_t{half_bits(high)} << 16;
}
_Float16 h(uint16_t bits) { return std::bit_cast<_Float16>(bits); }

// One rounding: long double holds the exact sum of an f16 product and an f16 for these inputs.
_Float16 fma16(_Float16 a, _Float16 b, _Float16 c) {
  const long double exact =
      static_cast<long double>(a) * static_cast<long double>(b) + static_cast<long double>(c);
  // Nearest f16 by trying the neighbours of the f64 rounding.
  _Float16 best = static_cast<_Float16>(static_cast<double>(exact));
  for (int step : {-1, 1}) {
    const _Float16 other = h(static_cast<uint16_t>(half_bits(best) + step));
    const long double d0 = std::abs(static_cast<long double>(best) - exact);
    const long double d1 = std::abs(static_cast<long double>(other) - exact);
    if (d1 < d0 || (d1 == d0 && half_bits(other) % 2 == 0)) best = other;
  }
  return best;
}

uint16_t toward_zero(float x) {
  _Float16 nearest = static_cast<_Float16>(x);
  if (std::abs(static_cast<double>(nearest)) > std::abs(static_cast<double>(x)))
    nearest = h(static_cast<uint16_t>(half_bits(nearest) - 1));
  return half_bits(nearest);
}

// 0 x, 1 y, 2 z: the largest, of equal ones z before y before x.
int major_axis(const Input& in) {
  const float x = std::abs(in.f(1)), y = std::abs(in.f(2)), z = std::abs(in.f(3));
  return z >= x && z >= y ? 2 : y >= x ? 1 : 0;
}

// Bits 53 to 105 of 2 / pi after the point, from long double division: 2 / pi minus its first 53
// bits, of which pi as the sum of two doubles gives enough.
double second_segment() {
  const double first = std::nextafter(0x1.45f306dc9c883p-1, 0);
  const __float128 pi = static_cast<__float128>(0x1.921fb54442d18p+1) + 0x1.1a62633145c07p-53;
  const __float128 rest = 2 / pi - first;
  return static_cast<double>(static_cast<__float128>(static_cast<uint64_t>(rest * 0x1p106Q))) *
         0x1p-106;
}

}  // namespace

std::vector<Case> float_cases() {
  std::vector<Case> cases = {
      single("add_f32 v10, v1, v2", [](const Input& in) { return in.f(1) + in.f(2); }),
      single("sub_f32 v10, v1, v2", [](const Input& in) { return in.f(1) - in.f(2); }),
      single("subrev_f32 v10, v1, v2", [](const Input& in) { return in.f(2) - in.f(1); }),
      single("mul_f32 v10, v1, v2", [](const Input& in) { return in.f(1) * in.f(2); }),
      single("add_f32_e64 v10, -v1, |v2|",
             [](const Input& in) { return -in.f(1) + std::abs(in.f(2)); }),
      // These kernels keep denormals, so the hardware ignores what multiplies the result
      // (float_mode_test.cpp has the other modes).
      single("mul_f32_e64 v10, -|v1|, v2 mul:4",
             [](const Input& in) { return -std::abs(in.f(1)) * in.f(2); }),
      single("add_f32_e64 v10, v1, v2 clamp",
             [](const Input& in) { return std::clamp(in.f(1) + in.f(2), 0.0f, 1.0f); }),
      single("fma_f32 v10, v1, v2, v3",
             [](const Input& in) { return std::fma(in.f(1), in.f(2), in.f(3)); }),
      single("fma_f32 v10, -v1, |v2|, -v3",
             [](const Input& in) { return std::fma(-in.f(1), std::abs(in.f(2)), -in.f(3)); }),
      single("fmac_f32 v10, v1, v2",
             [](const Input& in) {
               return std::fma(in.f(1), in.f(2), std::bit_cast<float>(in.old[0]));
             }),
      single("fmaak_f32 v10, v1, v2, 0x40490fdb",
             [](const Input& in) {
               return std::fma(in.f(1), in.f(2), std::bit_cast<float>(0x40490fdbu));
             }),
      single("fmamk_f32 v10, v1, 0x40490fdb, v2",
             [](const Input& in) {
               return std::fma(in.f(1), std::bit_cast<float>(0x40490fdbu), in.f(2));
             }),
      single("fma_dx9_zero_f32 v10, 0, v1, v3", [](const Input& in) { return in.f(3); }),
      single("mullit_f32 v10, v1, v2, v3",
             [](const Input& in) {
               return in.f(3) > 0 ? in.f(1) * in.f(2) : -std::numeric_limits<float>::max();
             }),
      single("cubeid_f32 v10, v1, v2, v3",
             [](const Input& in) {
               const int axis = major_axis(in);
               return static_cast<float>(2 * axis + (in.f(1 + axis) < 0));
             }),
      single("cubema_f32 v10, v1, v2, v3",
             [](const Input& in) { return 2 * in.f(1 + major_axis(in)); }),
      single("cubesc_f32 v10, v1, v2, v3",
             [](const Input& in) {
               const float sign = std::copysign(1.0f, in.f(1 + major_axis(in)));
               const float at[] = {-sign * in.f(3), in.f(1), sign * in.f(1)};
               return at[major_axis(in)];
             }),
      single("cubetc_f32 v10, v1, v2, v3",
             [](const Input& in) {
               const float sign = std::copysign(1.0f, in.f(1 + major_axis(in)));
               const float at[] = {-in.f(2), sign * in.f(3), -in.f(2)};
               return at[major_axis(in)];
             }),
      // Segment 0 of an ordinary argument: 2 / pi itself, cut off after 53 bits; segment 1 the
      // rest.
      two("trig_preop_f64 v[10:11], v[1:2], 0",
          [](const Input&) { return std::nextafter(0x1.45f306dc9c883p-1, 0); }),
      two("trig_preop_f64 v[10:11], v[1:2], 1", [](const Input&) { return second_segment(); }),
      single("floor_f32 v10, v1", [](const Input& in) { return std::floor(in.f(1)); }),
      single("ceil_f32 v10, v1", [](const Input& in) { return std::ceil(in.f(1)); }),
      single("trunc_f32 v10, v1", [](const Input& in) { return std::trunc(in.f(1)); }),
      single("rndne_f32 v10, v1", [](const Input& in) { return std::nearbyint(in.f(1)); }),
      single(
          "fract_f32 v10, v1",
          [](const Input& in) { return std::min(in.f(1) - std::floor(in.f(1)), 0x1.fffffep-1f); }),
      single(
          "rcp_f32 v10, v1", [](const Input& in) { return static_cast<float>(1.0 / in.f(1)); }, 1),
      single(
          "rsq_f32 v10, |v1|",
          [](const Input& in) {
            return static_cast<float>(1.0 / std::sqrt(static_cast<double>(std::abs(in.f(1)))));
          },
          1),
      single(
          "sqrt_f32 v10, |v1|",
          [](const Input& in) {
            return static_cast<float>(std::sqrt(static_cast<double>(std::abs(in.f(1)))));
          },
          1),
      // v_exp_f32 makes no denormals (LLVM scales around that).
      single(
          "exp_f32 v10, v1",
          [](const Input& in) {
            const double x = std::exp2(static_cast<double>(in.f(1)));
            return x < 0x1p-126 ? 0.0f : static_cast<float>(x);
          },
          1),
      single(
          "log_f32 v10, |v1|",
          [](const Input& in) {
            return static_cast<float>(std::log2(static_cast<double>(std::abs(in.f(1)))));
          },
          1),
      single("ldexp_f32 v10, v1, 5", [](const Input& in) { return in.f(1) * 32; }),
      single("frexp_mant_f32 v10, v1",
             [](const Input& in) {
               int e;
               return std::frexp(in.f(1), &e);
             }),
      single("cvt_f32_i32 v10, v1", [](const Input& in) { return static_cast<float>(in.i(1)); }),
      single("cvt_f32_u32 v10, v1", [](const Input& in) { return static_cast<float>(in.v[1]); }),
      single("cvt_f32_ubyte2 v10, v1",
             [](const Input& in) { return static_cast<float>(in.v[1] >> 16 & 255); }),
      only("gfx1201",
           single("max3_num_f32 v10, v1, v2, v3",
                  [](const Input& in) { return std::max({in.f(1), in.f(2), in.f(3)}); })),
      bits_from(
          Fill::floats, "cvt_i32_f32 v10, v1",
          [](const Input& in) { return static_cast<uint32_t>(static_cast<int32_t>(in.f(1))); }),
      bits_from(Fill::floats, "cvt_u32_f32 v10, |v1|",
                [](const Input& in) { return static_cast<uint32_t>(std::abs(in.f(1))); }),
      bits_from(Fill::floats, "cvt_u32_f32 v10, -|v1|", [](const Input&) { return 0u; }),
      bits_from(Fill::floats, "frexp_exp_i32_f32 v10, v1",
                [](const Input& in) {
                  int e;
                  (void)std::frexp(in.f(1), &e);
                  return static_cast<uint32_t>(e);
                }),
      mask(Fill::floats, "cmp_lt_f32_e64 s24, v1, v2",
           [](const Input& in) { return in.f(1) < in.f(2); }),
      mask(Fill::floats, "cmp_nlt_f32_e64 s24, v1, |v2|",
           [](const Input& in) { return !(in.f(1) < std::abs(in.f(2))); }),
      mask(Fill::floats, "cmp_class_f32_e64 s24, v1, 0x48",  // negative normal or +0
           [](const Input& in) { return in.f(1) < 0; }),

      two("add_f64 v[10:11], v[1:2], v[3:4]", [](const Input& in) { return in.d(1) + in.d(3); }),
      two("mul_f64 v[10:11], -v[1:2], v[3:4]", [](const Input& in) { return -in.d(1) * in.d(3); }),
      two("fma_f64 v[10:11], v[1:2], v[3:4], v[5:6]",
          [](const Input& in) { return std::fma(in.d(1), in.d(3), in.d(5)); }),
      two("add_f64 v[10:11], v[1:2], 1.0", [](const Input& in) { return in.d(1) + 1.0; }),
      two("add_f64 v[10:11], v[1:2], 0x40240000", [](const Input& in) { return in.d(1) + 10.0; }),
      two("ldexp_f64 v[10:11], v[1:2], -3", [](const Input& in) { return in.d(1) / 8; }),
      two("cvt_f64_i32 v[10:11], v1", [](const Input& in) { return static_cast<double>(in.i(1)); }),

      bits_from(Fill::halves, "pk_add_f16 v10, v1, v2",
                [](const Input& in) {
                  return pair(h(in.low(1)) + h(in.low(2)), h(in.high(1)) + h(in.high(2)));
                }),
      bits_from(Fill::halves,
                "pk_mul_f16 v10, v1, v2 op_sel:[1,0] op_sel_hi:[0,1] neg_lo:[1,0] neg_hi:[0,1]",
                [](const Input& in) {
                  return pair(-h(in.high(1)) * h(in.low(2)), h(in.low(1)) * -h(in.high(2)));
                }),
      bits_from(Fill::halves, "pk_fma_f16 v10, v1, v2, v3",
                [](const Input& in) {
                  return pair(fma16(h(in.low(1)), h(in.low(2)), h(in.low(3))),
                              fma16(h(in.high(1)), h(in.high(2)), h(in.high(3))));
                }),
      bits_from(Fill::halves, "pk_add_f16 v10, v1, 1.0 op_sel_hi:[1,0]",
                [](const Input& in) {
                  return pair(h(in.low(1)) + static_cast<_Float16>(1),
                              h(in.high(1)) + static_cast<_Float16>(1));
                }),
      bits_from(Fill::halves, "fma_mix_f32 v10, v1, v2, v3 op_sel:[0,1,0] op_sel_hi:[1,1,0]",
                [](const Input& in) {
                  return std::bit_cast<uint32_t>(
                      std::fma(half(in.low(1)), half(in.high(2)), in.f(3)));
                }),
      bits_from(Fill::halves, "fma_mixlo_f16 v10, v1, v2, v3 op_sel_hi:[1,1,1]",
                [](const Input& in) {
                  return with_low(in, half_bits(static_cast<_Float16>(std::fma(
                                          half(in.low(1)), half(in.low(2)), half(in.low(3))))));
                }),
      bits_from(Fill::floats, "cvt_pk_rtz_f16_f32 v10, v1, v2",
                [](const Input& in) {
                  return toward_zero(in.f(1)) | uint32_t{toward_zero(in.f(2))} << 16;
                }),
  };
  for (const char* target : {"gfx1100", "gfx1151"})
    cases.push_back(only(target, single("fmac_dx9_zero_f32 v10, v1, v2", [](const Input& in) {
                           return std::fma(in.f(1), in.f(2), std::bit_cast<float>(in.old[0]));
                         })));
  const auto gfx11 = [&](Case c) { cases.push_back(only("gfx1151", std::move(c))); };
  gfx11(bits_from(Fill::halves, "add_f16 v10.l, v1.l, v2.h", [](const Input& in) {
    return with_low(in, half_bits(h(in.low(1)) + h(in.high(2))));
  }));
  gfx11(bits_from(Fill::halves, "fma_f16 v10.h, v1.l, -v2.l, v3.h", [](const Input& in) {
    return (in.old[0] & 0xffffu) |
           uint32_t{half_bits(fma16(h(in.low(1)), -h(in.low(2)), h(in.high(3))))} << 16;
  }));
  gfx11(bits_from(Fill::floats, "cvt_f16_f32 v10.h, v1", [](const Input& in) {
    return (in.old[0] & 0xffffu) | uint32_t{half_bits(static_cast<_Float16>(in.f(1)))} << 16;
  }));
  gfx11(bits_from(Fill::halves, "cvt_f32_f16 v10, v1.h",
                  [](const Input& in) { return std::bit_cast<uint32_t>(half(in.high(1))); }));
  // LLVM's division: exact for every operand when the steps are right.
  for (const char* target : {"gfx1151", "gfx1201"}) {
    Case division = single(
        "div_scale_f32 v5, null, v2, v2, v1\n"
        "v_div_scale_f32 v6, vcc_lo, v1, v2, v1\n"
        "v_rcp_f32 v7, v5\n"
        "v_fma_f32 v8, -v5, v7, 1.0\n"
        "v_fmac_f32 v7, v8, v7\n"
        "v_mul_f32 v8, v6, v7\n"
        "v_fma_f32 v4, -v5, v8, v6\n"
        "v_fmac_f32 v8, v4, v7\n"
        "v_fma_f32 v4, -v5, v8, v6\n"
        "v_div_fmas_f32 v4, v4, v7, v8\n"
        "v_div_fixup_f32 v10, v4, v2, v1",
        [](const Input& in) { return in.f(1) / in.f(2); });
    cases.push_back(only(target, division));
  }
  // The names of gfx11 and gfx12 for the same operation.
  for (const auto& [target, name] : {std::pair{"gfx1100", "max_f32"}, {"gfx1201", "max_num_f32"}})
    cases.push_back(only(target, single(std::string(name) + " v10, v1, v2", [](const Input& in) {
                           return std::fmax(in.f(1), in.f(2));
                         })));
  return cases;
}

}  // namespace heddle::emulator::testing
