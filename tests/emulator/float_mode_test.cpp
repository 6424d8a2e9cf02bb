// Rounding and denormals as the kernel descriptor and the kernel itself set them.
#include <bit>
#include <cfenv>
#include <cmath>

#include "kernels.h"

namespace heddle::emulator::testing {
namespace float_mode_test {

// Runs `body`, which leaves its result in v10, with v1 and v2 as given; lane 0's result.
float run_mode(const std::string& target, int denormals, int rounding, const std::string& body,
               float a, float b) {
  const bool gfx12 = target == "gfx1201";
  const std::string wait = gfx12 ? "s_wait_kmcnt 0x0\n" : "s_waitcnt lgkmcnt(0)\n";
  const CodeObject object = assemble(
      kernel_text(
          {{.name = "mode",
            .body = "s_load_b64 s[4:5], s[0:1], 0x0\n" + wait + "s_load_b64 s[6:7], s[4:5], 0x0\n" +
                    wait + "v_mov_b32 v1, s6\nv_mov_b32 v2, s7\n" + body +
                    "\nv_mov_b32 v3, 0\nglobal_store_b32 v3, v10, s[4:5] offset:8\ns_endpgm",
            .denormals = denormals,
            .rounding = rounding}},
          target),
      target);
  std::vector<float> data = {a, b, NAN, NAN};
  Launch launch;
  launch.arguments = {buffer(std::span(data), "data")};
  const auto report = run(object, launch);
  EXPECT_TRUE(report) << report.error().text();
  return data[2];
}

class FloatMode : public ::testing::TestWithParam<std::string> {};

TEST_P(FloatMode, DenormalsAsTheDescriptorSays) {
  const float tiny = 0x1p-130f;
  EXPECT_EQ(run_mode(GetParam(), 3, 0, "v_add_f32 v10, v1, v2", tiny, tiny), 0x1p-129f);
  EXPECT_EQ(run_mode(GetParam(), 0, 0, "v_add_f32 v10, v1, v2", tiny, tiny), 0.0f);
  EXPECT_EQ(run_mode(GetParam(), 3, 0, "v_mul_f32 v10, v1, v2", 0x1p-100f, 0x1p-30f), tiny);
  EXPECT_EQ(run_mode(GetParam(), 0, 0, "v_mul_f32 v10, v1, v2", 0x1p-100f, 0x1p-30f), 0.0f);
  // A move is no arithmetic.
  EXPECT_EQ(run_mode(GetParam(), 0, 0, "v_mov_b32 v10, v1", tiny, tiny), tiny);
}

TEST_P(FloatMode, HalfDenormalsStay) {
  // 2^-24, the smallest f16, as f32 after an addition in f16.
  const float smallest = 0x1p-24f;
  const std::string convert =
      GetParam() == "gfx1201" ? "v_cvt_f16_f32 v1, v1\nv_add_f16 v1, v1, v1\nv_cvt_f32_f16 v10, v1"
                              : "v_cvt_f16_f32 v1.l, v1\nv_add_f16 v1.l, v1.l, v1.l\n"
                                "v_cvt_f32_f16 v10, v1.l";
  for (int denormals : {0, 3})
    EXPECT_EQ(run_mode(GetParam(), denormals, 0, convert, smallest, 0), 2 * smallest);
}

// RDNA3 ISA, "Output modifiers"; LLVM's SIFoldOperands knows the same.
TEST_P(FloatMode, OutputMultipliersNeedFlushedDenormalsAndNoIeeeMode) {
  const bool gfx12 = GetParam() == "gfx1201";
  const std::string add = "v_add_f32_e64 v10, v1, v2 mul:2",
                    no_ieee = gfx12 ? "" : "s_setreg_imm32_b32 hwreg(HW_REG_MODE, 9, 1), 0\n";
  EXPECT_EQ(run_mode(GetParam(), 3, 0, no_ieee + add, 3, 1), 4.0f);
  EXPECT_EQ(run_mode(GetParam(), 0, 0, no_ieee + add, 3, 1), 8.0f);
  EXPECT_EQ(run_mode(GetParam(), 0, 0, no_ieee + "v_add_f32_e64 v10, v1, v2 mul:4", 3, 1), 16.0f);
  EXPECT_EQ(run_mode(GetParam(), 0, 0, no_ieee + "v_add_f32_e64 v10, v1, v2 div:2", 3, 1), 2.0f);
  // gfx12 has no IEEE mode; on gfx11 the descriptor sets it unless told otherwise.
  EXPECT_EQ(run_mode(GetParam(), 0, 0, add, 3, 1), gfx12 ? 8.0f : 4.0f);
  const float zero =
      run_mode(GetParam(), 0, 0, no_ieee + "v_mul_f32_e64 v10, v1, v2 mul:2", -0.0f, 1);
  EXPECT_EQ(std::bit_cast<uint32_t>(zero), 0u);
}

// Without DX10_CLAMP a NaN stays one.
TEST_P(FloatMode, ClampOfNan) {
  const std::string clamp = "v_add_f32_e64 v10, v1, v2 clamp";
  EXPECT_EQ(run_mode(GetParam(), 3, 0, clamp, NAN, 1), 0.0f);
  if (GetParam() == "gfx1201") return;
  const std::string off = "s_setreg_imm32_b32 hwreg(HW_REG_MODE, 8, 1), 0\n";
  EXPECT_TRUE(std::isnan(run_mode(GetParam(), 3, 0, off + clamp, NAN, 1)));
  EXPECT_EQ(run_mode(GetParam(), 3, 0, off + clamp, 2, 1), 1.0f);
}

// v_div_scale: the flag in VCC, and the number. What hardware was found to do.
TEST_P(FloatMode, DivisionScaleAtTheEnds) {
  const std::string scale = "v_div_scale_f32 v10, vcc_lo, v1, v2, v1",
                    flag =
                        "v_div_scale_f32 v4, vcc_lo, v1, v2, v1\nv_mov_b32 v3, 1.0\n"
                        "v_cndmask_b32 v10, 0, v3, vcc_lo";
  struct Quotient {
    float numerator, denominator;
    int denormals;
    float scaled, flag;
  };
  const float nan = NAN;
  for (const Quotient& q : {Quotient{6, 3, 3, 6, 0},
                            {1, 0, 3, nan, 1},
                            {0, 1, 3, nan, 1},
                            {1, 0x1p-149f, 0, nan, 1},  // flushed to 0
                            {0x1p-126f, 1, 0, 0x1p-62f, 1},
                            {0x1p-126f, 1, 3, 0x1p-62f, 1},
                            {1, 0x1p127f, 0, 1, 1},
                            {1, 0x1p127f, 3, 1, 1},
                            {0x1p-110f, 1, 3, 0x1p-46f, 0}}) {
    const float scaled = run_mode(GetParam(), q.denormals, 0, scale, q.numerator, q.denominator);
    if (std::isnan(q.scaled))
      EXPECT_TRUE(std::isnan(scaled)) << q.numerator << " / " << q.denominator;
    else
      EXPECT_EQ(scaled, q.scaled) << q.numerator << " / " << q.denominator;
    EXPECT_EQ(run_mode(GetParam(), q.denormals, 0, flag, q.numerator, q.denominator), q.flag)
        << q.numerator << " / " << q.denominator;
  }
}

TEST_P(FloatMode, RoundingAsTheDescriptorSays) {
  // 1 + 2^-24 lies between two floats; modes: nearest, up, down, toward zero.
  const float up = std::nextafter(1.0f, 2.0f);
  const float expected[] = {1.0f, up, 1.0f, 1.0f};
  for (int mode = 0; mode < 4; ++mode)
    EXPECT_EQ(run_mode(GetParam(), 3, mode, "v_add_f32 v10, v1, v2", 1.0f, 0x1p-24f),
              expected[mode])
        << mode;
  EXPECT_EQ(run_mode(GetParam(), 3, 1, "v_add_f32 v10, v1, v2", -1.0f, -0x1p-24f), -1.0f);
  EXPECT_EQ(run_mode(GetParam(), 3, 2, "v_add_f32 v10, v1, v2", -1.0f, -0x1p-24f), -up);
}

TEST_P(FloatMode, TheKernelChangesItsMode) {
  const float up = std::nextafter(1.0f, 2.0f);
  EXPECT_EQ(run_mode(GetParam(), 3, 0, "s_round_mode 0x1\nv_add_f32 v10, v1, v2", 1.0f, 0x1p-24f),
            up);
  EXPECT_EQ(run_mode(GetParam(), 3, 1,
                     "s_setreg_imm32_b32 hwreg(HW_REG_MODE, 0, 2), 0\nv_add_f32 v10, v1, v2", 1.0f,
                     0x1p-24f),
            1.0f);
  EXPECT_EQ(run_mode(GetParam(), 3, 0, "s_denorm_mode 0x0\nv_add_f32 v10, v1, v2", 0x1p-130f, 0),
            0.0f);
  EXPECT_EQ(std::fegetround(), FE_TONEAREST);
}

TEST_P(FloatMode, MinimumAndMaximumTreatNanAndZero) {
  const std::string suffix = GetParam() == "gfx1201" ? "_num_f32 v10, v1, v2" : "_f32 v10, v1, v2";
  EXPECT_EQ(run_mode(GetParam(), 3, 0, "v_max" + suffix, NAN, 3.0f), 3.0f);
  EXPECT_EQ(run_mode(GetParam(), 3, 0, "v_min" + suffix, 3.0f, NAN), 3.0f);
  EXPECT_TRUE(std::isnan(run_mode(GetParam(), 3, 0, "v_max" + suffix, NAN, NAN)));
  EXPECT_FALSE(std::signbit(run_mode(GetParam(), 3, 0, "v_max" + suffix, -0.0f, 0.0f)));
  EXPECT_TRUE(std::signbit(run_mode(GetParam(), 3, 0, "v_min" + suffix, 0.0f, -0.0f)));
}

// LLVM User Guide for AMDGPU: canonicalization is `v_max x, x`, so it flushes as MODE says.
TEST_P(FloatMode, MinimumAndMaximumFlushDenormals) {
  const bool gfx12 = GetParam() == "gfx1201";
  const std::string num = gfx12 ? "_num_f32" : "_f32";
  const float tiny = 0x1p-130f;
  const auto run = [&](int denormals, const std::string& body, float x) {
    return run_mode(GetParam(), denormals, 0, body, x, -x);
  };
  for (const std::string name : {"v_max", "v_min"}) {
    const std::string same = name + num + " v10, v1, v1";
    EXPECT_EQ(run(3, same, tiny), tiny);
    EXPECT_EQ(run(0, same, tiny), 0.0f);
    EXPECT_EQ(run(0, same, 0x1p-126f), 0x1p-126f);
    EXPECT_TRUE(std::signbit(run(0, same, -tiny)));
    EXPECT_EQ(run(0, same, -tiny), 0.0f);
  }
  const std::string median = "v_med3" + num + " v10, v1, v1, v2";
  EXPECT_EQ(run(3, median, tiny), tiny);
  EXPECT_EQ(run(0, median, tiny), 0.0f);
  if (gfx12) EXPECT_EQ(run(0, "v_maximum_f32 v10, v1, v1", tiny), 0.0f);
}

TEST_P(FloatMode, ConversionsSaturate) {
  const auto bits = [&](const std::string& body, float x) {
    return std::bit_cast<uint32_t>(run_mode(GetParam(), 3, 0, body, x, 0));
  };
  EXPECT_EQ(bits("v_cvt_i32_f32 v10, v1", 3e9f), 0x7fffffffu);
  EXPECT_EQ(bits("v_cvt_i32_f32 v10, v1", -3e9f), 0x80000000u);
  EXPECT_EQ(bits("v_cvt_i32_f32 v10, v1", NAN), 0u);
  EXPECT_EQ(bits("v_cvt_u32_f32 v10, v1", 5e9f), 0xffffffffu);
  EXPECT_EQ(bits("v_cvt_u32_f32 v10, v1", -1.0f), 0u);
  EXPECT_EQ(bits("v_cvt_u32_f32 v10, v1", NAN), 0u);
}

// Results of f64 and f16 in their own mode, f32 in its own, in one kernel and both wave sizes.
struct Modes {
  int rounding, denormals, rounding_16_64, denormals_16_64, wave;
};

// v[10:11]: 2^-1030 + 0; v[12:13]: 1 + 2^-60; v14: 1 + 2^-12 in f16; v15: 1 + 2^-24 in f32; v16:
// 2^-130 + 0 in f32.
std::vector<uint32_t> run_modes(const std::string& target, const Modes& modes,
                                const std::string& before) {
  const bool gfx12 = target == "gfx1201";
  const std::string half = gfx12 ? "" : ".l";
  const std::string body =
      "s_load_b64 s[4:5], s[0:1], 0x0\n" +
      std::string(gfx12 ? "s_wait_kmcnt 0x0\n" : "s_waitcnt lgkmcnt(0)\n") + before +
      "v_mov_b32 v0, 0\nv_mov_b32 v2, 0\nv_mov_b32 v3, 0x00000080\nv_mov_b32 v4, 0\n"
      "v_mov_b32 v5, 0x3c300000\nv_mov_b32 v6, 0x0c00\nv_mov_b32 v7, 0x33800000\n"
      "v_mov_b32 v8, 0x00080000\nv_mov_b32 v14, 0\n"
      "v_add_f64 v[10:11], v[2:3], 0\nv_add_f64 v[12:13], v[4:5], 1.0\n"
      "v_mov_b32 v9, 0x3c00\nv_add_f16 v14" +
      half + ", v6" + half + ", v9" + half +
      "\nv_add_f32 v15, v7, 1.0\nv_add_f32 v16, v8, 0\n"
      "global_store_b128 v0, v[10:13], s[4:5]\nglobal_store_b96 v0, v[14:16], s[4:5] offset:16\n"
      "s_endpgm";
  const CodeObject object = assemble(kernel_text({{.name = "modes",
                                                   .body = body,
                                                   .denormals = modes.denormals,
                                                   .rounding = modes.rounding,
                                                   .wave = modes.wave,
                                                   .denormals_16_64 = modes.denormals_16_64,
                                                   .rounding_16_64 = modes.rounding_16_64}},
                                                 target),
                                     target, modes.wave);
  std::vector<uint32_t> data(7);
  Launch launch;
  launch.arguments = {buffer(std::span(data), "data")};
  const auto report = run(object, launch);
  EXPECT_TRUE(report) << report.error().text();
  return data;
}

TEST_P(FloatMode, HalvesAndDoublesHaveTheirOwn) {
  constexpr int nearest = 0, up = 1, keep = 3, flush = 0;
  for (int wave : {32, 64}) {
    // f32 flushes and rounds to nearest; f64 and f16 keep denormals and round up.
    auto out = run_modes(GetParam(), {nearest, flush, up, keep, wave}, "");
    EXPECT_EQ(out[1], 0x80u);
    EXPECT_EQ(out[2], 1u);
    EXPECT_EQ(out[4], 0x3c01u);
    EXPECT_EQ(out[5], 0x3f800000u);
    EXPECT_EQ(out[6], 0u);
    // The other way round.
    out = run_modes(GetParam(), {up, keep, nearest, flush, wave}, "");
    EXPECT_EQ(out[1], 0u);
    EXPECT_EQ(out[2], 0u);
    EXPECT_EQ(out[4], 0x3c00u);
    EXPECT_EQ(out[5], 0x3f800001u);
    EXPECT_EQ(out[6], 0x00080000u);
    // The kernel changes both on its way: f32 up, f64 nearest; f32 flushes, f64 keeps.
    out = run_modes(GetParam(), {nearest, keep, nearest, keep, wave},
                    "s_round_mode 0x1\ns_denorm_mode 0xc\n");
    EXPECT_EQ(out[1], 0x80u);
    EXPECT_EQ(out[2], 0u);
    EXPECT_EQ(out[4], 0x3c00u);
    EXPECT_EQ(out[5], 0x3f800001u);
    EXPECT_EQ(out[6], 0u);
  }
}

INSTANTIATE_TEST_SUITE_P(Targets, FloatMode, ::testing::Values("gfx1151", "gfx1201"),
                         [](const auto& info) { return info.param; });

}  // namespace float_mode_test
}  // namespace heddle::emulator::testing
