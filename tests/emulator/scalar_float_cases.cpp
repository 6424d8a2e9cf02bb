// Host versions of the scalar floating-point instructions of RDNA3.5 and RDNA4 and of gfx12's
// pseudo-scalar ones. The sources are s26 and s28, from v1 and v2 of lane 0; the result goes from
// s30 to v10, SCC to v12.
#include <algorithm>
#include <cmath>

#include "instruction_cases.h"

namespace heddle::emulator::testing {
namespace {

using All = const std::vector<Input>&;

Case scalar(Fill fill, const std::string& text, uint32_t (*f)(const Input&), std::string target,
            int ulps = 0) {
  return {
      "v_readfirstlane_b32 s26, v1\nv_readfirstlane_b32 s28, v2\n"
      "v_readfirstlane_b32 s30, v3\n" +
          text + "\ns_cselect_b32 s25, 1, 0\nv_mov_b32 v10, s30\nv_mov_b32 v12, s25",
      fill,
      [f](All all, const Input&, Output& out) {
        out.v[0] = f(all[0]);
        out.v[2] = 0;
      },
      ulps, std::move(target)};
}
// SCC is the result.
Case compare(Fill fill, const std::string& text, bool (*f)(const Input&), std::string target) {
  Case c = scalar(fill, text, nullptr, std::move(target));
  c.expect = [f](All all, const Input&, Output& out) {
    out.v[0] = all[0].v[3];
    out.v[2] = f(all[0]);
  };
  return c;
}

uint32_t bits(float x) { return __builtin_bit_cast(uint32_t, x); }
float h(uint16_t x) { return static_cast<float>(__builtin_bit_cast(_Float16, x)); }
uint32_t narrow(double x) { return __builtin_bit_cast(uint16_t, static_cast<_Float16>(x)); }

std::vector<Case> of_target(const std::string& target) {
  const bool gfx12 = target == "gfx1201";
  const std::string num = gfx12 ? "_num" : "";
  const std::string clear = "s_cmp_lg_u32 s0, s0\n";  // SCC 0
  const auto f32 = [&](std::string text, uint32_t (*f)(const Input&)) {
    return scalar(Fill::floats, clear + text, f, target);
  };
  const auto f16 = [&](std::string text, uint32_t (*f)(const Input&)) {
    return scalar(Fill::halves, clear + text, f, target);
  };
  return {
      f32("s_add_f32 s30, s26, s28", [](const Input& in) { return bits(in.f(1) + in.f(2)); }),
      f32("s_sub_f32 s30, s26, s28", [](const Input& in) { return bits(in.f(1) - in.f(2)); }),
      f32("s_mul_f32 s30, s26, s28", [](const Input& in) { return bits(in.f(1) * in.f(2)); }),
      f32("s_mul_f32 s30, s26, 0.5", [](const Input& in) { return bits(in.f(1) * 0.5f); }),
      f32("s_fmac_f32 s30, s26, s28",
          [](const Input& in) { return bits(std::fma(in.f(1), in.f(2), in.f(3))); }),
      f32("s_min" + num + "_f32 s30, s26, s28",
          [](const Input& in) { return bits(std::fmin(in.f(1), in.f(2))); }),
      f32("s_max" + num + "_f32 s30, s26, s28",
          [](const Input& in) { return bits(std::fmax(in.f(1), in.f(2))); }),
      f32("s_floor_f32 s30, s26", [](const Input& in) { return bits(std::floor(in.f(1))); }),
      f32("s_rndne_f32 s30, s26", [](const Input& in) { return bits(std::nearbyint(in.f(1))); }),
      f32("s_cvt_i32_f32 s30, s26",
          [](const Input& in) { return static_cast<uint32_t>(static_cast<int32_t>(in.f(1))); }),
      f32("s_cvt_f16_f32 s30, s26", [](const Input& in) { return narrow(double{in.f(1)}); }),
      f32("s_cvt_pk_rtz_f16_f32 s30, s26, s28",
          [](const Input& in) {
            const auto cut = [](float x) {
              uint32_t nearest = narrow(double{x});
              if (std::abs(h(static_cast<uint16_t>(nearest))) > std::abs(x)) --nearest;
              return nearest;
            };
            return cut(in.f(1)) | cut(in.f(2)) << 16;
          }),
      f16("s_cvt_f32_f16 s30, s26", [](const Input& in) { return bits(h(in.low(1))); }),
      f16("s_cvt_hi_f32_f16 s30, s26", [](const Input& in) { return bits(h(in.high(1))); }),
      f16("s_add_f16 s30, s26, s28",
          [](const Input& in) { return narrow(double{h(in.low(1))} + h(in.low(2))); }),
      f16("s_sub_f16 s30, s26, s28",
          [](const Input& in) { return narrow(double{h(in.low(1))} - h(in.low(2))); }),
      f16("s_mul_f16 s30, s26, s28",
          [](const Input& in) { return narrow(double{h(in.low(1))} * h(in.low(2))); }),
      f16("s_add_f16 s30, s26, 1.0",
          [](const Input& in) { return narrow(double{h(in.low(1))} + 1); }),
      f16("s_fmac_f16 s30, s26, s28",
          [](const Input& in) {
            return narrow(double{h(in.low(1))} * h(in.low(2)) + h(in.low(3)));
          }),
      f16("s_min" + num + "_f16 s30, s26, s28",
          [](const Input& in) { return narrow(double{std::fmin(h(in.low(1)), h(in.low(2)))}); }),
      f16("s_ceil_f16 s30, s26",
          [](const Input& in) { return narrow(double{std::ceil(h(in.low(1)))}); }),
      f16("s_rndne_f16 s30, s26",
          [](const Input& in) { return narrow(double{std::nearbyint(h(in.low(1)))}); }),
      compare(
          Fill::floats, "s_cmp_lt_f32 s26, s28", [](const Input& in) { return in.f(1) < in.f(2); },
          target),
      compare(
          Fill::floats, "s_cmp_nle_f32 s26, s28",
          [](const Input& in) { return !(in.f(1) <= in.f(2)); }, target),
      compare(
          Fill::halves, "s_cmp_gt_f16 s26, s28",
          [](const Input& in) { return h(in.low(1)) > h(in.low(2)); }, target),
      compare(
          Fill::halves, "s_cmp_nge_f16 s26, s28",
          [](const Input& in) { return !(h(in.low(1)) >= h(in.low(2))); }, target),
      compare(
          Fill::halves, "s_mov_b32 s26, 0x7e00\ns_cmp_u_f16 s26, s28",
          [](const Input&) { return true; }, target),
  };
}

std::vector<Case> pseudo_scalar_cases() {
  const std::string clear = "s_cmp_lg_u32 s0, s0\n";
  const auto one = [&](Fill fill, std::string text, uint32_t (*f)(const Input&), int ulps) {
    return scalar(fill, clear + text, f, "gfx1201", ulps);
  };
  return {
      one(
          Fill::floats, "v_s_rcp_f32 s30, -s26",
          [](const Input& in) { return bits(static_cast<float>(-1.0 / in.f(1))); }, 1),
      one(
          Fill::floats, "v_s_sqrt_f32 s30, |s26|",
          [](const Input& in) {
            return bits(static_cast<float>(std::sqrt(std::abs(double{in.f(1)}))));
          },
          1),
      // Ignored where denormals are kept.
      one(
          Fill::floats, "v_s_rsq_f32 s30, |s26| mul:2",
          [](const Input& in) {
            return bits(static_cast<float>(1 / std::sqrt(std::abs(double{in.f(1)}))));
          },
          1),
      one(
          Fill::floats, "v_s_log_f32 s30, |s26|",
          [](const Input& in) {
            return bits(static_cast<float>(std::log2(std::abs(double{in.f(1)}))));
          },
          1),
      one(
          Fill::halves, "v_s_rcp_f16 s30, s26",
          [](const Input& in) { return narrow(1.0 / double{h(in.low(1))}); }, 1),
      one(
          Fill::halves, "v_s_exp_f16 s30, s26",
          [](const Input& in) { return narrow(std::exp2(double{h(in.low(1))})); }, 1),
      one(
          Fill::floats, "s_minimum_f32 s30, s26, 0x7fc00000",
          [](const Input&) { return 0x7fc00000u; }, 0),
      one(
          Fill::floats, "s_maximum_f32 s30, s26, s28",
          [](const Input& in) { return bits(std::max(in.f(1), in.f(2))); }, 0),
      one(
          Fill::halves, "s_minimum_f16 s30, s26, s28",
          [](const Input& in) { return narrow(double{std::min(h(in.low(1)), h(in.low(2)))}); }, 0),
  };
}

}  // namespace

std::vector<Case> scalar_float_cases() {
  std::vector<Case> cases = pseudo_scalar_cases();
  for (const char* target : {"gfx1151", "gfx1201"})
    for (Case& c : of_target(target)) cases.push_back(std::move(c));
  return cases;
}

}  // namespace heddle::emulator::testing
