// Instructions that CDNA alone has, one at a time, in a wave of 64: SDWA, packed f32, 64-bit sums,
// functions of three bits, swaps between rows, VGPRs by index, accumulation registers, loads into
// LDS and transposed ones. What every lane must have after is computed here.
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <functional>

#include "kernels.h"

namespace heddle::emulator::testing {
namespace cdna_test {

// v1..v8 and v10..v13 of a lane before: random; s20, s[22:23]: below.
struct Lane {
  uint32_t v[9], old[4], number;
  float f(int i) const { return std::bit_cast<float>(v[i]); }
  uint64_t wide(int i) const { return v[i] | uint64_t{v[i + 1]} << 32; }
};
using All = std::vector<Lane>;
// v10..v13 after; as before where nothing is written.
using Expected = std::function<void(const All& all, const Lane& in, uint32_t* out)>;

constexpr uint32_t s20 = 0x3fc00000, s22 = 0x40200000, s23 = 0xc1000000;  // 1.5, 2.5, -8

struct Case {
  const char *text, *target;  // a target: only there
  Expected expect;
  bool floats = false;
};

uint32_t bits(float x) { return std::bit_cast<uint32_t>(x); }
void put_wide(uint32_t* out, uint64_t x) {
  out[0] = static_cast<uint32_t>(x);
  out[1] = static_cast<uint32_t>(x >> 32);
}

// CDNA3's 8-bit floats: NaN where others have -0.
float fnuz(uint32_t byte, int mantissa) {
  if (byte == 0x80) return NAN;
  const int bias = mantissa == 3 ? 8 : 16;
  const uint32_t exponent = (byte & 0x7fu) >> mantissa, fraction = byte & ((1u << mantissa) - 1);
  const float magnitude = exponent == 0
                              ? std::ldexp(static_cast<float>(fraction), 1 - bias - mantissa)
                              : std::ldexp(static_cast<float>(fraction | 1u << mantissa),
                                           static_cast<int>(exponent) - bias - mantissa);
  return byte & 0x80u ? -magnitude : magnitude;
}
// The nearest of all, to even where two are; NaN beyond the largest by half a step or more.
uint32_t to_fnuz(float x, int mantissa) {
  uint32_t best = 0;
  for (uint32_t byte = 0; byte < 0x80; ++byte) {
    const float distance = std::abs(std::abs(x) - fnuz(byte, mantissa)),
                least = std::abs(std::abs(x) - fnuz(best, mantissa));
    if (distance < least || (distance == least && byte % 2 == 0)) best = byte;
  }
  return best == 0 ? 0 : best | (x < 0 ? 0x80u : 0u);
}

const Case cases[] = {
    {"v_cvt_f32_fp8_sdwa v10, v1 src0_sel:BYTE_2", "gfx942 alone",
     [](const All&, const Lane& in, uint32_t* out) {
       const uint32_t byte = in.v[1] >> 16 & 255u;
       out[0] = byte == 0x80 ? 0x7fc00000u : bits(fnuz(byte, 3));
     }},
    // Those called legacy clear the upper half of their result.
    {"v_mad_legacy_u16 v10, v1, v2, v3\nv_mad_legacy_i16 v11, v1, v2, v3 clamp\n"
     "v_mad_u16 v12, v1, v2, v3",
     "",
     [](const All&, const Lane& in, uint32_t* out) {
       const auto half = [&](int i) { return int64_t{static_cast<int16_t>(in.v[i])}; };
       const int64_t sum = half(1) * half(2) + half(3);
       out[0] = static_cast<uint16_t>(sum);
       out[1] = static_cast<uint16_t>(std::clamp<int64_t>(sum, -32768, 32767));
       out[2] = (out[2] & 0xffff0000u) | static_cast<uint16_t>(sum);
     }},
    {"v_cvt_pk_fp8_f32 v10, v1, v2\nv_cvt_pk_bf8_f32 v11, v1, v2 op_sel:[0,0,1]", "gfx942 alone",
     [](const All&, const Lane& in, uint32_t* out) {
       out[0] = (out[0] & 0xffff0000u) | to_fnuz(in.f(1), 3) | to_fnuz(in.f(2), 3) << 8;
       out[1] = (out[1] & 0xffffu) | to_fnuz(in.f(1), 2) << 16 | to_fnuz(in.f(2), 2) << 24;
     },
     true},
    {"v_pk_add_f32 v[10:11], v[2:3], v[4:5]", "",
     [](const All&, const Lane& in, uint32_t* out) {
       out[0] = bits(in.f(2) + in.f(4));
       out[1] = bits(in.f(3) + in.f(5));
     },
     true},
    {"v_pk_mul_f32 v[10:11], v[2:3], s[22:23] op_sel:[1,0] op_sel_hi:[0,1]", "",
     [](const All&, const Lane& in, uint32_t* out) {
       out[0] = bits(in.f(3) * 2.5f);
       out[1] = bits(in.f(2) * -8.0f);
     },
     true},
    {"v_pk_fma_f32 v[10:11], v[2:3], v[4:5], v[6:7] neg_lo:[1,0,0] neg_hi:[0,0,1]", "",
     [](const All&, const Lane& in, uint32_t* out) {
       out[0] = bits(std::fma(-in.f(2), in.f(4), in.f(6)));
       out[1] = bits(std::fma(in.f(3), in.f(5), -in.f(7)));
     },
     true},
    {"v_pk_mov_b32 v[10:11], v[2:3], v[4:5] op_sel:[1,0]", "",
     [](const All&, const Lane& in, uint32_t* out) {
       out[0] = in.v[3];
       out[1] = in.v[4];
     }},
    {"v_mov_b64 v[10:11], v[2:3]", "gfx942",
     [](const All&, const Lane& in, uint32_t* out) { put_wide(out, in.wide(2)); }},
    {"v_lshl_add_u64 v[10:11], v[2:3], 3, v[4:5]", "gfx942",
     [](const All&, const Lane& in, uint32_t* out) {
       put_wide(out, (in.wide(2) << 3) + in.wide(4));
     }},
    {"v_bitop3_b32 v10, v1, v2, v3 bitop3:0x6a", "gfx950",
     [](const All&, const Lane& in, uint32_t* out) { out[0] = in.v[3] ^ (in.v[1] & in.v[2]); }},
    {"v_bitop3_b32 v10, v1, v2, v3 bitop3:0x96", "gfx950",
     [](const All&, const Lane& in, uint32_t* out) { out[0] = in.v[1] ^ in.v[2] ^ in.v[3]; }},
    {"v_prng_b32 v10, v1", "gfx950",
     [](const All&, const Lane& in, uint32_t* out) {
       out[0] = in.v[1] << 1 ^ (in.v[1] >> 31 ? 197u : 0u);
     }},
    {"v_mov_b32 v10, v1\nv_mov_b32 v11, v2\nv_permlane32_swap_b32 v10, v11", "gfx950",
     [](const All& all, const Lane& in, uint32_t* out) {
       const bool upper = in.number >= 32;
       out[0] = upper ? all[in.number - 32].v[2] : in.v[1];
       out[1] = upper ? in.v[2] : all[in.number + 32].v[1];
     }},
    {"v_mov_b32 v10, v1\nv_mov_b32 v11, v2\nv_permlane16_swap_b32 v10, v11", "gfx950",
     [](const All& all, const Lane& in, uint32_t* out) {
       const bool odd = in.number & 16;
       out[0] = odd ? all[in.number - 16].v[2] : in.v[1];
       out[1] = odd ? in.v[2] : all[in.number + 16].v[1];
     }},
    {"v_cvt_pk_bf16_f32 v10, v1, v2", "gfx950",
     [](const All&, const Lane& in, uint32_t* out) {
       const auto rounded = [](float x) {
         const uint32_t b = bits(x), low = b & 0xffffu;
         return (b >> 16) + (low > 0x8000u || (low == 0x8000u && (b >> 16 & 1)));
       };
       out[0] = rounded(in.f(1)) | rounded(in.f(2)) << 16;
     },
     true},
    {"v_accvgpr_write_b32 a7, v1\nv_accvgpr_mov_b32 a9, a7\nv_accvgpr_read_b32 v10, a9", "",
     [](const All&, const Lane& in, uint32_t* out) { out[0] = in.v[1]; }},
    {"v_subrev_u16 v10, v1, v2", "",
     [](const All&, const Lane& in, uint32_t* out) { out[0] = (in.v[2] - in.v[1]) & 0xffffu; }},
    {"s_not_b32 s30, s20\ns_ff0_i32_b32 s30, s30\nv_mov_b32 v10, s30\ns_mov_b64 s[30:31], -1\n"
     "s_ff0_i32_b64 s30, s[30:31]\nv_mov_b32 v11, s30",
     "",
     [](const All&, const Lane&, uint32_t* out) {
       out[0] = std::countr_zero(s20);
       out[1] = ~0u;
     }},
    {"v_cmp_tru_f32 vcc, v1, v2\nv_cndmask_b32 v10, 0, 7, vcc", "",
     [](const All&, const Lane&, uint32_t* out) { out[0] = 7; }},
    {"v_cvt_f32_bf16 v10, v1", "gfx950",
     [](const All&, const Lane& in, uint32_t* out) { out[0] = in.v[1] << 16; }, true},
    // (1, 2) times (3, 4) plus 1.5
    {"v_mov_b32 v1, 0x40003c00\nv_mov_b32 v2, 0x44004200\nv_mov_b32 v3, 0x3fc00000\n"
     "v_dot2_f32_f16 v10, v1, v2, v3\nv_mov_b32 v11, v3\nv_dot2c_f32_f16 v11, v1, v2",
     "", [](const All&, const Lane&, uint32_t* out) { out[0] = out[1] = bits(12.5f); }},
    {"v_mov_b32 v1, 0x40003f80\nv_mov_b32 v2, 0x40804040\nv_mov_b32 v3, 0x3fc00000\n"
     "v_dot2_f32_bf16 v10, v1, v2, v3\nv_mov_b32 v11, v3\nv_dot2c_f32_bf16 v11, v1, v2",
     "gfx950", [](const All&, const Lane&, uint32_t* out) { out[0] = out[1] = bits(12.5f); }},
    // (1, 2), (3, -1), (NaN, 5)
    {"v_mov_b32 v1, 0x40003c00\nv_mov_b32 v2, 0xbc004200\nv_mov_b32 v3, 0x45007e00\n"
     "v_pk_minimum3_f16 v10, v1, v2, v3\nv_pk_maximum3_f16 v11, v1, v2, v3",
     "gfx950",
     [](const All&, const Lane&, uint32_t* out) {
       out[0] = 0xbc007e00;
       out[1] = 0x45007e00;
     }},
    // Four lanes of the lower half and two of the upper one count.
    {"v_mov_b32 v12, 16\nv_mov_b32 v13, 100\nds_write_b32 v12, v13\ns_waitcnt lgkmcnt(0)\n"
     "s_mov_b32 m0, 4\ns_mov_b64 s[30:31], exec\ns_mov_b32 exec_lo, 0xf0\ns_mov_b32 exec_hi, 3\n"
     "ds_append v10 offset:12\nds_consume v11 offset:12\ns_waitcnt lgkmcnt(0)\n"
     "s_mov_b64 exec, s[30:31]\nds_read_b32 v13, v12\ns_waitcnt lgkmcnt(0)",
     "",
     [](const All&, const Lane& in, uint32_t* out) {
       if ((in.number >= 4 && in.number < 8) || in.number == 32 || in.number == 33) {
         out[0] = 100;
         out[1] = 106;
       }
       out[2] = 16;
       out[3] = 100;
     }},
    // SDWA
    {"v_add_u32_sdwa v10, v1, v2 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:WORD_1 "
     "src1_sel:BYTE_2",
     "",
     [](const All&, const Lane& in, uint32_t* out) {
       out[0] = (in.v[1] >> 16) + (in.v[2] >> 16 & 255u);
     }},
    {"v_add_u32_sdwa v10, sext(v1), v2 dst_sel:BYTE_1 dst_unused:UNUSED_PRESERVE src0_sel:BYTE_3 "
     "src1_sel:DWORD",
     "",
     [](const All&, const Lane& in, uint32_t* out) {
       const auto a = static_cast<uint32_t>(static_cast<int8_t>(in.v[1] >> 24));
       out[0] = (in.old[0] & 0xffff00ffu) | (a + in.v[2] & 255u) << 8;
     }},
    {"v_or_b32_sdwa v10, v1, v2 dst_sel:WORD_0 dst_unused:UNUSED_SEXT src0_sel:WORD_0 "
     "src1_sel:BYTE_0",
     "",
     [](const All&, const Lane& in, uint32_t* out) {
       out[0] = static_cast<uint32_t>(static_cast<int16_t>((in.v[1] & 0xffffu) | (in.v[2] & 255u)));
     }},
    {"v_cmp_lt_u32_sdwa s[24:25], v1, v2 src0_sel:BYTE_0 src1_sel:BYTE_1\n"
     "v_cndmask_b32_e64 v10, 0, 1, s[24:25]",
     "",
     [](const All&, const Lane& in, uint32_t* out) {
       out[0] = (in.v[1] & 255u) < (in.v[2] >> 8 & 255u);
     }},
    // a 16-bit result clears the other half, but that of an instruction that came with GFX9
    {"v_add_u16 v10, v1, v2", "",
     [](const All&, const Lane& in, uint32_t* out) { out[0] = in.v[1] + in.v[2] & 0xffffu; }},
    {"v_mad_u16 v10, v1, v2, v3", "",
     [](const All&, const Lane& in, uint32_t* out) {
       out[0] = (in.old[0] & 0xffff0000u) | (in.v[1] * in.v[2] + in.v[3] & 0xffffu);
     }},
    // M0 adds to register numbers
    {"s_mov_b32 s30, 3\ns_set_gpr_idx_on s30, gpr_idx(SRC0)\nv_mov_b32 v10, v1\n"
     "s_set_gpr_idx_off\nv_mov_b32 v11, v2",
     "",
     [](const All&, const Lane& in, uint32_t* out) {
       out[0] = in.v[4];
       out[1] = in.v[2];
     }},
    {"s_mov_b32 s30, 2\ns_set_gpr_idx_on s30, gpr_idx(DST)\nv_mov_b32 v10, v1\ns_set_gpr_idx_off",
     "", [](const All&, const Lane& in, uint32_t* out) { out[2] = in.v[1]; }},
    {"v_cmpx_lt_u32 vcc, v1, v2\nv_mov_b32 v10, 1\ns_mov_b64 s[24:25], vcc\ns_mov_b64 exec, -1\n"
     "v_cndmask_b32_e64 v11, 0, 1, s[24:25]",
     "",
     [](const All&, const Lane& in, uint32_t* out) {
       if (in.v[1] < in.v[2]) out[0] = 1;
       out[1] = in.v[1] < in.v[2];
     }},
    // lanes across the halves, over their own source
    {"v_mov_b32 v10, v1\ns_nop 1\n"
     "v_add_u32_dpp v10, v10, v10 row_bcast:31 row_mask:0xc bank_mask:0xf",
     "",
     [](const All& all, const Lane& in, uint32_t* out) {
       out[0] = in.number < 32 ? in.v[1] : in.v[1] + all[31].v[1];
     }},
    {"v_mov_b32 v10, v1\ns_nop 1\nv_mov_b32_dpp v10, v10 wave_rol:1 row_mask:0xf bank_mask:0xf", "",
     [](const All& all, const Lane& in, uint32_t* out) {
       out[0] = all[(in.number + 1) % 64].v[1];
     }},
    {"v_dot4_i32_i8 v10, v1, v2, v3", "",
     [](const All&, const Lane& in, uint32_t* out) {
       out[0] = in.v[3];
       for (int i = 0; i < 4; ++i)
         out[0] += static_cast<uint32_t>(static_cast<int8_t>(in.v[1] >> (8 * i)) *
                                         static_cast<int8_t>(in.v[2] >> (8 * i)));
     }},
    // LDS: sixteen lanes read sixteen columns of rows that lie one behind the other
    {"v_lshlrev_b32 v9, 3, v0\nds_write_b64 v9, v[2:3]\ns_waitcnt lgkmcnt(0)\n"
     "ds_read_b64_tr_b16 v[10:11], v9\ns_waitcnt lgkmcnt(0)",
     "gfx950",
     [](const All& all, const Lane& in, uint32_t* out) {
       const uint32_t group = in.number & ~15u, column = in.number % 16;
       for (uint32_t row = 0; row < 4; ++row) {
         const uint64_t from = all[group + 4 * row + column / 4].wide(2);
         const auto element = static_cast<uint32_t>(from >> (16 * (column % 4)) & 0xffffu);
         out[row / 2] = row % 2 ? out[row / 2] | element << 16 : element;
       }
     }},
    {"v_lshlrev_b32 v9, 3, v0\nds_write_b64 v9, v[2:3]\ns_waitcnt lgkmcnt(0)\n"
     "ds_read_b64_tr_b8 v[10:11], v9\ns_waitcnt lgkmcnt(0)",
     "gfx950",
     [](const All& all, const Lane& in, uint32_t* out) {
       const uint32_t group = in.number & ~15u, column = in.number % 16;
       out[0] = out[1] = 0;
       for (uint32_t row = 0; row < 8; ++row) {
         const uint64_t from = all[group + 2 * row + column / 8].wide(2);
         out[row / 4] |= static_cast<uint32_t>(from >> (8 * (column % 8)) & 255u)
                         << (8 * (row % 4));
       }
     }},
    // s[4:5]: 64 bytes of input a lane; the word of v1 goes to LDS at M0 + 8 + 4 * lane
    {"s_mov_b32 m0, 256\nv_lshlrev_b32 v9, 6, v0\n"
     "global_load_lds_dword v9, s[4:5] offset:8\n"
     "s_waitcnt vmcnt(0)\nv_lshlrev_b32 v9, 2, v0\nds_read_b32 v10, v9 offset:264\n"
     "s_waitcnt lgkmcnt(0)",
     "gfx942", [](const All&, const Lane& in, uint32_t* out) { out[0] = in.v[3]; }},
    {"s_mov_b32 s8, s4\ns_mov_b32 s9, s5\ns_movk_i32 s10, 64\ns_mov_b32 s11, 0x00027000\n"
     "s_mov_b32 m0, 512\nv_lshlrev_b32 v9, 2, v0\nbuffer_load_dword v9, s[8:11], 0 offen lds\n"
     "s_waitcnt vmcnt(0)\nds_read_b32 v10, v9 offset:512\ns_waitcnt lgkmcnt(0)",
     "",
     // the range of 64 bytes is the first lane's input: others get 0
     [](const All& all, const Lane& in, uint32_t* out) {
       const Lane& first = all[0];
       out[0] = in.number < 8    ? first.v[1 + in.number]
                : in.number < 12 ? first.old[in.number - 8]
                                 : 0;
     }},
    // Without an index the stride and both swizzle bits of the resource change nothing.
    {"s_mov_b32 s8, s4\ns_or_b32 s9, s5, 0xc0400000\ns_movk_i32 s10, 32\n"
     "s_mov_b32 s11, 0x00110000\nv_lshlrev_b32 v9, 2, v0\n"
     "buffer_load_dword v10, v9, s[8:11], 0 offen\ns_waitcnt vmcnt(0)",
     "gfx950",
     [](const All& all, const Lane& in, uint32_t* out) {
       out[0] = in.number < 8 ? all[0].v[1 + in.number] : 0;
     }},
};

std::string body(const Case& c) {
  return "s_load_dwordx4 s[4:7], s[0:1], 0x0\ns_waitcnt lgkmcnt(0)\nv_lshlrev_b32 v9, 6, v0\n"
         "global_load_dwordx2 v[16:17], v9, s[4:5]\nglobal_load_dwordx2 v[18:19], v9, s[4:5] "
         "offset:8\nglobal_load_dwordx2 v[20:21], v9, s[4:5] offset:16\n"
         "global_load_dwordx2 v[22:23], v9, s[4:5] offset:24\n"
         "global_load_dwordx4 v[10:13], v9, s[4:5] offset:32\ns_waitcnt vmcnt(0)\n"
         "v_mov_b32 v1, v16\nv_mov_b32 v2, v17\nv_mov_b32 v3, v18\nv_mov_b32 v4, v19\n"
         "v_mov_b32 v5, v20\nv_mov_b32 v6, v21\nv_mov_b32 v7, v22\nv_mov_b32 v8, v23\n"
         "s_mov_b32 s20, " +
         std::to_string(s20) + "\ns_mov_b32 s22, " + std::to_string(s22) + "\ns_mov_b32 s23, " +
         std::to_string(s23) + "\n" + c.text +
         "\nv_lshlrev_b32 v9, 4, v0\nglobal_store_dwordx4 v9, v[10:13], s[6:7]\ns_endpgm";
}

class Cdna : public ::testing::TestWithParam<std::string> {};

TEST_P(Cdna, InstructionsDoWhatTheDocumentsSay) {
  const std::string& target = GetParam();
  std::vector<AssemblyKernel> kernels;
  std::vector<const Case*> chosen;
  for (const Case& c : cases) {
    // gfx950 has what gfx942 has.
    const std::string_view only = c.target;
    const bool fits = only.empty() || only == target || (only == "gfx942" && target == "gfx950") ||
                      only == target + " alone";
    if (!fits) continue;
    // A tuple of registers begins at an even one on gfx90a and later.
    kernels.push_back({.name = "case_" + std::to_string(chosen.size()),
                       .body = body(c),
                       .arguments = 2,
                       .lds_bytes = 1024,
                       .wave = 64});
    chosen.push_back(&c);
  }
  ASSERT_GT(chosen.size(), 12u);
  const CodeObject object = assemble(kernel_text(kernels, target), target, 64);
  for (std::size_t i = 0; i < chosen.size(); ++i) {
    Random random(i + 1);
    All all(64);
    std::vector<uint32_t> in(64 * 16), out(64 * 4, 0xdeadbeef);
    for (uint32_t lane = 0; lane < 64; ++lane) {
      Lane& x = all[lane];
      x.number = lane;
      for (int r = 1; r <= 8; ++r)
        x.v[r] = chosen[i]->floats ? bits(random.uniform() * 8) : random.bits();
      for (uint32_t& old : x.old) old = random.bits();
      std::memcpy(&in[16 * lane], &x.v[1], 32);
      std::memcpy(&in[16 * lane + 8], x.old, 16);
    }
    Launch launch;
    launch.kernel = kernels[i].name;
    launch.arguments = {buffer(std::span(in), "in"), buffer(std::span(out), "out")};
    launch.workgroup = {64, 1, 1};
    const auto report = run(object, launch);
    ASSERT_TRUE(report) << chosen[i]->text << "\n" << report.error().text();
    for (const Lane& x : all) {
      uint32_t expected[4];
      std::memcpy(expected, x.old, sizeof expected);
      chosen[i]->expect(all, x, expected);
      for (uint32_t r = 0; r < 4; ++r)
        ASSERT_EQ(out[4 * x.number + r], expected[r])
            << target << " " << chosen[i]->text << "\nlane " << x.number << ", v" << 10 + r;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Targets, Cdna, ::testing::Values("gfx90a", "gfx942", "gfx950"),
                         [](const auto& info) { return info.param; });

// 64 lanes 256 bytes apart, as HipKittens' authors counted them on a gfx950 (60 of the store,
// tests/data/lds_conflicts_gfx950.json.gz): stores go through 32 banks by sixteens, loads through
// 64 by thirty-twos.
TEST(CdnaBanks, StoresHaveTheirOwn) {
  for (const std::string target : {"gfx942", "gfx950"}) {
    const CodeObject object =
        assemble(kernel_text({{.name = "apart",
                               .body = "v_lshlrev_b32 v2, 8, v0\nv_mov_b32 v4, 0\nv_mov_b32 v5, 0\n"
                                       "ds_write_b64 v2, v[4:5]\ns_waitcnt lgkmcnt(0)\n"
                                       "ds_read_b64 v[6:7], v2\ns_waitcnt lgkmcnt(0)\ns_endpgm",
                               .lds_bytes = 16384,
                               .wave = 64}},
                             target),
                 target, 64);
    Launch launch;
    std::vector<uint32_t> unused(1);
    launch.kernel = "apart";
    launch.arguments = {buffer(std::span(unused), "unused")};
    launch.workgroup = {64, 1, 1};
    const auto report = run(object, launch);
    ASSERT_TRUE(report) << report.error().text();
    ASSERT_EQ(report->lds.size(), 2u);
    EXPECT_EQ(report->lds[0].ideal_passes, 4u) << target;
    EXPECT_EQ(report->lds[0].extra_passes, 60u) << target;
    EXPECT_EQ(report->lds[1].ideal_passes, target == "gfx950" ? 2u : 4u);
    EXPECT_EQ(report->lds[1].extra_passes, target == "gfx950" ? 62u : 60u);
  }
}

}  // namespace cdna_test
}  // namespace heddle::emulator::testing
