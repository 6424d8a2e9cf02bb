// Instructions that gfx1250 alone has, one at a time: 64-bit integers, bf16, VGPRs above 255,
// copies between memory and LDS that pass no register, transposing loads, and every matrix
// instruction of the catalogue. What every lane must have after is computed here.
#include <cmath>
#include <cstring>
#include <functional>

#include "heddle/instruction/catalogue.h"
#include "heddle/instruction/variant.h"
#include "kernels.h"

namespace heddle::emulator::testing {
namespace gfx1250_test {

const std::string target = "gfx1250";

// v1..v8 and v10..v13 of a lane before; s20, s[22:23]: below.
struct Lane {
  uint32_t v[9], old[4], number;
  float f(int i) const { return std::bit_cast<float>(v[i]); }
  uint64_t wide(int i) const { return v[i] | uint64_t{v[i + 1]} << 32; }
};
using Expected = std::function<void(const Lane& in, uint32_t* out)>;

constexpr uint32_t s20 = 0x3fc00000, s22 = 0x40200000, s23 = 0xc1000000;  // 1.5, 2.5, -8

struct Case {
  const char* text;
  Expected expect;
  bool floats = false;
};

uint32_t bits(float x) { return std::bit_cast<uint32_t>(x); }
void put_wide(uint32_t* out, uint64_t x) {
  out[0] = static_cast<uint32_t>(x);
  out[1] = static_cast<uint32_t>(x >> 32);
}

float bf16(uint32_t half) { return std::bit_cast<float>(half << 16); }
// To the nearest, ties to even, of a number that f64 holds.
uint32_t to_bf16(double x) {
  if (std::abs(x) >= 0x1.ffp127) return x < 0 ? 0xff80u : 0x7f80u;
  const float down = std::bit_cast<float>(bits(static_cast<float>(x)) & 0xffff0000u);
  const float candidates[] = {down, std::bit_cast<float>((bits(down) + 0x10000u)),
                              std::bit_cast<float>((bits(down) - 0x10000u))};
  float best = down;
  for (const float each : candidates) {
    const double distance = std::abs(x - double{each}), least = std::abs(x - double{best});
    if (distance < least || (distance == least && (bits(each) >> 16) % 2 == 0)) best = each;
  }
  return bits(best) >> 16;
}
template <class F>
uint32_t of_halves(const Lane& in, F f) {
  const auto half = [&](int i, int shift) { return double{bf16(in.v[i] >> shift & 0xffffu)}; };
  return to_bf16(f(half(1, 0), half(2, 0), half(3, 0))) |
         to_bf16(f(half(1, 16), half(2, 16), half(3, 16))) << 16;
}

const Case cases[] = {
    {"v_add_nc_u64 v[10:11], v[2:3], v[4:5]",
     [](const Lane& in, uint32_t* out) { put_wide(out, in.wide(2) + in.wide(4)); }},
    {"v_sub_nc_u64 v[10:11], v[2:3], v[4:5]",
     [](const Lane& in, uint32_t* out) { put_wide(out, in.wide(2) - in.wide(4)); }},
    {"v_mul_u64 v[10:11], v[2:3], v[4:5]",
     [](const Lane& in, uint32_t* out) { put_wide(out, in.wide(2) * in.wide(4)); }},
    {"v_mad_nc_u64_u32 v[10:11], v2, v3, v[4:5]",
     [](const Lane& in, uint32_t* out) {
       put_wide(out, uint64_t{in.v[2]} * in.v[3] + in.wide(4));
     }},
    {"v_mad_nc_i64_i32 v[10:11], v2, v3, v[4:5]",
     [](const Lane& in, uint32_t* out) {
       const int64_t product =
           int64_t{static_cast<int32_t>(in.v[2])} * static_cast<int32_t>(in.v[3]);
       put_wide(out, static_cast<uint64_t>(product) + in.wide(4));
     }},
    {"v_min_i64 v[10:11], v[2:3], v[4:5]",
     [](const Lane& in, uint32_t* out) {
       put_wide(out, static_cast<uint64_t>(std::min(static_cast<int64_t>(in.wide(2)),
                                                    static_cast<int64_t>(in.wide(4)))));
     }},
    {"v_max_u64 v[10:11], v[2:3], v[4:5]",
     [](const Lane& in, uint32_t* out) { put_wide(out, std::max(in.wide(2), in.wide(4))); }},
    {"v_mad_u32 v10, v1, v2, v3",
     [](const Lane& in, uint32_t* out) { out[0] = in.v[1] * in.v[2] + in.v[3]; }},
    {"v_add_max_i32 v10, v1, v2, v3",
     [](const Lane& in, uint32_t* out) {
       out[0] = static_cast<uint32_t>(
           std::max(static_cast<int32_t>(in.v[1] + in.v[2]), static_cast<int32_t>(in.v[3])));
     }},
    {"v_add_min_u32 v10, v1, v2, v3 clamp",
     [](const Lane& in, uint32_t* out) {
       out[0] = static_cast<uint32_t>(
           std::min({uint64_t{in.v[1]} + in.v[2], uint64_t{0xffffffff}, uint64_t{in.v[3]}}));
     }},
    {"v_mov_b64 v[10:11], 0x123456789abcdef0",
     [](const Lane&, uint32_t* out) { put_wide(out, 0x123456789abcdef0u); }},
    {"s_mov_b64 s[30:31], 0xfc00000000000000\ns_add_nc_u64 s[30:31], s[30:31], -3\n"
     "v_mov_b64 v[10:11], s[30:31]",
     [](const Lane&, uint32_t* out) { put_wide(out, 0xfbfffffffffffffdu); }},
    {"v_dual_mov_b32 v11, v4 :: v_dual_bitop2_b32 v10, v1, v2 bitop3:0x14",
     [](const Lane& in, uint32_t* out) {
       out[0] = in.v[1] ^ in.v[2];
       out[1] = in.v[4];
     }},
    {"v_dual_mov_b32 v11, v4 :: v_dual_bitop2_b32 v10, 20, v2 bitop3:0x40",
     [](const Lane& in, uint32_t* out) {
       out[0] = in.v[2] & 20;
       out[1] = in.v[4];
     }},
    // Of a scalar register packed f32 sees the first word.
    {"v_pk_mul_f32 v[10:11], v[2:3], s[22:23] op_sel_hi:[1,0]",
     [](const Lane& in, uint32_t* out) {
       out[0] = bits(in.f(2) * 2.5f);
       out[1] = bits(in.f(3) * 2.5f);
     },
     true},
    {"v_pk_add_bf16 v10, v1, v2",
     [](const Lane& in, uint32_t* out) {
       out[0] = of_halves(in, [](double a, double b, double) { return a + b; });
     },
     true},
    {"v_pk_fma_bf16 v10, v1, v2, v3",
     [](const Lane& in, uint32_t* out) {
       out[0] = of_halves(in, [](double a, double b, double c) { return a * b + c; });
     },
     true},
    {"v_pk_max_num_bf16 v10, v1, v2",
     [](const Lane& in, uint32_t* out) {
       out[0] = of_halves(in, [](double a, double b, double) { return std::max(a, b); });
     },
     true},
    {"v_cvt_f32_bf16 v10, v1", [](const Lane& in, uint32_t* out) { out[0] = in.v[1] << 16; }, true},
    {"v_fma_mix_f32_bf16 v10, v1, v2, v3 op_sel:[1,0,0] op_sel_hi:[1,1,0]",
     [](const Lane& in, uint32_t* out) {
       out[0] = bits(std::fma(bf16(in.v[1] >> 16), bf16(in.v[2] & 0xffffu), in.f(3)));
     },
     true},
    {"v_tanh_f32 v10, v1", [](const Lane& in, uint32_t* out) { out[0] = bits(std::tanh(in.f(1))); },
     true},
    // Registers above 255, and tuples across 256.
    {"s_set_vgpr_msb 64\nv_mov_b32 v255, v1\nv_mov_b32 v0, v2\ns_set_vgpr_msb 1\n"
     "v_mov_b64 v[10:11], v[254:255]\ns_set_vgpr_msb 0",
     [](const Lane& in, uint32_t* out) {
       out[1] = in.v[1];
       out[0] = 0xffffffffu;
     }},
    {"v_mov_b32 v255, v1\ns_set_vgpr_msb 64\nv_mov_b32 v0, v2\ns_set_vgpr_msb 0\n"
     "v_mov_b32 v254, 7\nv_add_nc_u64 v[10:11], v[254:255], 1\n"
     "s_set_vgpr_msb 0xc0\nv_mov_b32 v200, v3\ns_set_vgpr_msb 12\nv_add_nc_u32 v12, v4, v200\n"
     "s_set_vgpr_msb 0",
     [](const Lane& in, uint32_t* out) {
       put_wide(out, (7 | uint64_t{in.v[1]} << 32) + 1);
       out[2] = in.v[3] + in.v[4];
     }},
    // Copies that pass no register: 4 words of each lane to LDS, and back.
    {"v_lshlrev_b32 v30, 4, v0\nv_lshlrev_b32 v31, 6, v0\n"
     "global_load_async_to_lds_b128 v30, v31, s[4:5]\ns_wait_asynccnt 0x0\n"
     "ds_load_b128 v[10:13], v30\ns_wait_dscnt 0x0",
     [](const Lane& in, uint32_t* out) { std::memcpy(out, &in.v[1], 16); }},
};

std::string body(const Case& c) {
  return "s_load_b128 s[4:7], s[0:1], 0x0\ns_wait_kmcnt 0x0\nv_lshlrev_b32 v9, 6, v0\n"
         "global_load_b128 v[16:19], v9, s[4:5]\n"
         "global_load_b128 v[20:23], v9, s[4:5] offset:16\n"
         "global_load_b128 v[10:13], v9, s[4:5] offset:32\ns_wait_loadcnt 0x0\n"
         "v_mov_b32 v1, v16\nv_mov_b32 v2, v17\nv_mov_b32 v3, v18\nv_mov_b32 v4, v19\n"
         "v_mov_b32 v5, v20\nv_mov_b32 v6, v21\nv_mov_b32 v7, v22\nv_mov_b32 v8, v23\n"
         "s_mov_b32 s20, " +
         std::to_string(s20) + "\ns_mov_b32 s22, " + std::to_string(s22) + "\ns_mov_b32 s23, " +
         std::to_string(s23) + "\n" + c.text +
         "\nv_lshlrev_b32 v9, 4, v0\nglobal_store_b128 v9, v[10:13], s[6:7]\ns_endpgm";
}

TEST(Gfx1250, InstructionsDoWhatTheyShould) {
  std::vector<AssemblyKernel> kernels;
  for (const Case& c : cases)
    kernels.push_back({.name = "case_" + std::to_string(kernels.size()),
                       .body = body(c),
                       .arguments = 2,
                       .lds_bytes = 1024});
  const CodeObject object = assemble(kernel_text(kernels, target), target);
  for (std::size_t i = 0; i < kernels.size(); ++i) {
    Random random(i + 1);
    std::vector<Lane> all(32);
    std::vector<uint32_t> in(32 * 16), out(32 * 4, 0xdeadbeef);
    for (uint32_t lane = 0; lane < 32; ++lane) {
      Lane& x = all[lane];
      x.number = lane;
      for (int r = 1; r <= 8; ++r)
        x.v[r] = cases[i].floats ? bits(random.uniform() * 8) : random.bits();
      for (uint32_t& old : x.old) old = random.bits();
      std::memcpy(&in[16 * lane], &x.v[1], 32);
      std::memcpy(&in[16 * lane + 8], x.old, 16);
    }
    Launch launch;
    launch.kernel = kernels[i].name;
    launch.arguments = {buffer(std::span(in), "in"), buffer(std::span(out), "out")};
    launch.workgroup = {32, 1, 1};
    const auto report = run(object, launch);
    ASSERT_TRUE(report) << cases[i].text << "\n" << report.error().text();
    for (const Lane& x : all) {
      uint32_t expected[4];
      std::memcpy(expected, x.old, sizeof expected);
      cases[i].expect(x, expected);
      for (uint32_t r = 0; r < 4; ++r)
        ASSERT_EQ(out[4 * x.number + r], expected[r])
            << cases[i].text << "\nlane " << x.number << ", v" << 10 + r;
    }
  }
}

// What LLVM prints of registers follows the code in memory; a branch with another value in force is
// refused instead of computed with wrong registers.
TEST(Gfx1250, BranchesLeaveTheBanksOfRegistersAlone) {
  const auto fault_of = [](const char* text) {
    const CodeObject object =
        assemble(kernel_text({{.name = "k", .body = text, .arguments = 1}}, target), target);
    Launch launch;
    std::vector<uint32_t> out(32);
    launch.arguments = {buffer(std::span(out), "out")};
    launch.workgroup = {32, 1, 1};
    const auto report = run(object, launch);
    return report ? std::string() : report.error().text();
  };
  EXPECT_NE(fault_of("s_set_vgpr_msb 64\ns_branch next\nnext:\nv_mov_b32 v1, v2\ns_endpgm")
                .find("a branch while s_set_vgpr_msb is not 0"),
            std::string::npos);
  EXPECT_NE(fault_of("s_branch next\ns_nop 0\nback:\ns_set_vgpr_msb 64\nnext:\nv_mov_b32 v1, v2\n"
                     "s_set_vgpr_msb 0\ns_endpgm")
                .find("a branch past the s_set_vgpr_msb of its target"),
            std::string::npos);
  EXPECT_EQ(fault_of("s_branch next\nnext:\ns_set_vgpr_msb 64\nv_mov_b32 v1, v2\n"
                     "s_set_vgpr_msb 0\ns_endpgm"),
            "");
}

// --- tensors -------------------------------------------------------------------------------------

// A tile of 4 rows of 8 halves out of a tensor of 3 rows of 6, with 4 bytes behind each 16.
TEST(Gfx1250, TensorTilesAreZeroBeyondTheTensorAndPadded) {
  constexpr uint32_t rows = 3, columns = 6, stride = 10, tile_rows = 4, tile_columns = 8;
  const auto word = [](uint32_t number, uint32_t value) {
    return "s_mov_b32 s" + std::to_string(number) + ", " + std::to_string(value) + "\n";
  };
  const std::string load = "s_load_b128 s[4:7], s[0:1], 0x0\ns_wait_kmcnt 0x0\n" + word(8, 1) +
                           word(9, 64) + "s_mov_b32 s10, s4\ns_or_b32 s11, s5, 0x80000000\n" +
                           word(12, 1u << 16 | 1u << 20 | 1u << 22 | 0u << 25) +
                           word(13, columns << 16) + word(14, rows << 16) +
                           word(15, tile_columns << 16) + word(16, tile_rows) + word(17, stride) +
                           word(18, 0) + word(19, 0);
  const std::string body =
      load +
      "tensor_load_to_lds s[8:11], s[12:19]\ns_wait_tensorcnt 0x0\nv_lshlrev_b32 v1, 2, v0\n"
      "ds_load_b32 v2, v1 offset:64\ns_wait_dscnt 0x0\nglobal_store_b32 v1, v2, s[6:7]\ns_endpgm";
  const CodeObject object = assemble(
      kernel_text({{.name = "k", .body = body, .arguments = 2, .lds_bytes = 256}}, target), target);
  std::vector<uint16_t> in(stride * rows);
  for (std::size_t i = 0; i < in.size(); ++i) in[i] = static_cast<uint16_t>(100 + i);
  std::vector<uint32_t> out(32);
  Launch launch;
  launch.arguments = {buffer(std::span(in), "in"), buffer(std::span(out), "out")};
  launch.workgroup = {32, 1, 1};
  const auto report = run(object, launch);
  ASSERT_TRUE(report) << report.error().text();
  std::vector<uint16_t> expected(64, 0xffff);
  for (uint32_t row = 0; row < tile_rows; ++row)
    for (uint32_t column = 0; column < tile_columns; ++column)
      expected[row * 10 + column] = row < rows && column < columns ? in[row * stride + column] : 0;
  std::vector<uint16_t> got(64);
  std::memcpy(got.data(), out.data(), 128);
  for (std::size_t i = 0; i < 38; ++i) EXPECT_EQ(got[i], expected[i]) << i;
}

// --- transposing loads ---------------------------------------------------------------------------

// Each lane loads a row of as many elements as it gets. Of 16 bits, eight lanes exchange theirs; of
// 8 bits, lanes 0 to 3 and 8 to 11 exchange theirs with each other and so do the eight between and
// behind, as Triton's lowering has it: lane bits 0 to 2 of the destination say which element of a
// row it is, register bits 0 and 1, lane bit 3, register bit 2 and lane bit 4 whose.
TEST(Gfx1250, TransposingLoadsGiveTheElementsOfOtherLanes) {
  struct Case {
    std::string load;
    unsigned bytes, elements;
  };
  // Where any lane is on, all take part.
  const std::string one_lane = "s_mov_b32 exec_lo, 0x100\n", all_lanes = "\ns_mov_b32 exec_lo, -1";
  for (const Case& one :
       {Case{"ds_load_tr16_b128 v[2:5], v1", 16, 8}, Case{"ds_load_tr8_b64 v[2:3], v1", 8, 8},
        Case{one_lane + "ds_load_tr16_b128 v[2:5], v1" + all_lanes, 16, 8},
        Case{one_lane + "ds_load_tr8_b64 v[2:3], v1" + all_lanes, 8, 8}}) {
    const unsigned words = one.bytes / 4, size = one.bytes / one.elements;
    const std::string body =
        "s_load_b128 s[4:7], s[0:1], 0x0\nv_mul_u32_u24 v1, " + std::to_string(one.bytes) +
        ", v0\ns_wait_kmcnt 0x0\nglobal_load_b128 v[2:5], v1, s[4:5]\ns_wait_loadcnt 0x0\n" +
        (words == 4 ? "ds_store_b128 v1, v[2:5]\n" : "ds_store_b64 v1, v[2:3]\n") +
        "s_wait_dscnt 0x0\n" + one.load + "\ns_wait_dscnt 0x0\n" +
        (words == 4 ? "global_store_b128 v1, v[2:5], s[6:7]\n"
                    : "global_store_b64 v1, v[2:3], s[6:7]\n") +
        "s_endpgm";
    const CodeObject object = assemble(
        kernel_text({{.name = "k", .body = body, .arguments = 2, .lds_bytes = 1024}}, target),
        target);
    std::vector<uint8_t> in(1024), out(1024);
    for (std::size_t i = 0; i < in.size(); ++i) in[i] = static_cast<uint8_t>(i * 37 ^ i >> 4);
    Launch launch;
    launch.arguments = {buffer(std::span(in), "in"), buffer(std::span(out), "out")};
    launch.workgroup = {32, 1, 1};
    const auto report = run(object, launch);
    ASSERT_TRUE(report) << report.error().text();
    for (unsigned lane = 0; lane < 32; ++lane)
      for (unsigned i = 0; i < one.elements; ++i)
        for (unsigned byte = 0; byte < size; ++byte) {
          const unsigned whose =
              size == 2 ? (lane & 24) + i
                        : (lane & 16) + (i >= 4 ? 8 : 0) + ((lane & 8) != 0 ? 4 : 0) + i % 4;
          EXPECT_EQ(out[lane * one.bytes + i * size + byte],
                    in[whose * one.bytes + lane % 8 * size + byte])
              << one.load << " lane " << lane << " element " << i;
        }
  }
}

// Each row of a tile counts as one instruction, and each 32 pieces that are copied as an access of
// memory: a descriptor says how long one instruction takes.
TEST(Gfx1250, TensorsAreChargedByTheirPieces) {
  struct Tile {
    uint32_t rows, columns, tensor_rows;
    bool store;
    uint64_t work;
  };
  const auto spent = [](const Tile& tile) {
    const auto word = [](uint32_t number, uint32_t value) {
      return "s_mov_b32 s" + std::to_string(number) + ", " + std::to_string(value) + "\n";
    };
    const std::string body =
        "s_load_b64 s[4:5], s[0:1], 0x0\ns_wait_kmcnt 0x0\n" + word(8, 1) + word(9, 0) +
        "s_mov_b32 s10, s4\ns_or_b32 s11, s5, 0x80000000\n" + word(12, 2u << 16) +
        word(13, tile.columns << 16) + word(14, tile.tensor_rows << 16) +
        word(15, tile.columns << 16) + word(16, tile.rows) + word(17, tile.columns) + word(18, 0) +
        word(19, 0) + (tile.store ? "tensor_store_from_lds" : "tensor_load_to_lds") +
        " s[8:11], s[12:19]\ns_wait_tensorcnt 0x0\ns_endpgm";
    const CodeObject object = assemble(
        kernel_text({{.name = "k", .body = body, .arguments = 1, .lds_bytes = 65536}}, target),
        target);
    std::vector<uint32_t> memory(16384);
    Launch launch;
    launch.arguments = {buffer(std::span(memory), "memory")};
    launch.profile = Profile::none;
    const auto report = run(object, launch);
    EXPECT_TRUE(report) << report.error().text();
    return report ? report->spent : 0;
  };
  const uint64_t least = spent({1, 1, 0, true, 0});
  for (const Tile& tile :
       {Tile{1, 1, 1, true, 16}, Tile{1, 33, 1, true, 32}, Tile{100, 64, 100, true, 99 + 100 * 32},
        Tile{100, 64, 100, false, 99 + 100 * 32}, Tile{100, 64, 0, false, 99 + 100 * 32},  // zeros
        Tile{60000, 64, 10, true, 59999 + 10 * 32}})
    EXPECT_EQ(spent(tile) - least, tile.work) << tile.rows << " x " << tile.columns;
}

// --- the checker ---------------------------------------------------------------------------------

// One wave copies to LDS what the other reads behind a barrier; without a wait for the copy it may
// not be there.
TEST(Gfx1250, CopiesAreWaitedForBeforeABarrier) {
  // Each wave copies all 64 words.
  const std::string tensor =
      "s_mov_b32 s8, 1\ns_mov_b32 s9, 0\ns_mov_b64 s[10:11], s[4:5]\n"
      "s_or_b32 s11, s11, 0x80000000\ns_mov_b32 s12, 0x20000\ns_mov_b32 s13, 0x400000\n"
      "s_mov_b32 s14, 0x10000\ns_mov_b32 s15, 0x400000\ns_mov_b32 s16, 1\ns_mov_b32 s17, 64\n"
      "s_mov_b32 s18, 0\ns_mov_b32 s19, 0\nv_readfirstlane_b32 s20, v1\ns_cmp_eq_u32 s20, 0\n"
      "s_cbranch_scc0 past\ntensor_load_to_lds s[8:11], s[12:19]\npast:\n";
  struct Copy {
    std::string text, wait;
  };
  for (const Copy& copy :
       {Copy{"global_load_async_to_lds_b32 v1, v1, s[4:5]\n", "s_wait_asynccnt 0"},
        Copy{tensor, "s_wait_tensorcnt 0"}})
    for (const bool waits : {false, true}) {
      const std::string body =
          "s_load_b128 s[4:7], s[0:1], 0x0\ns_wait_kmcnt 0x0\nv_lshlrev_b32 v1, 2, v0\n" +
          copy.text + (waits ? copy.wait + "\n" : "") +
          "s_barrier_signal -1\ns_barrier_wait -1\nv_xor_b32 v2, 128, v1\n"
          "ds_load_b32 v3, v2\ns_wait_dscnt 0x0\nglobal_store_b32 v2, v3, s[6:7]\ns_endpgm";
      const CodeObject object = assemble(
          kernel_text({{.name = "k", .body = body, .arguments = 2, .lds_bytes = 256}}, target),
          target);
      std::vector<uint32_t> in(64), out(64);
      for (uint32_t i = 0; i < 64; ++i) in[i] = 7 * i;
      Launch launch;
      launch.arguments = {buffer(std::span(in), "in"), buffer(std::span(out), "out")};
      launch.workgroup = {64, 1, 1};
      launch.check = true;
      const auto report = run(object, launch);
      ASSERT_TRUE(report) << report.error().text();
      EXPECT_EQ(out, in);
      if (waits) {
        EXPECT_TRUE(report->findings.empty()) << copy.text << report->findings[0].message;
        continue;
      }
      ASSERT_FALSE(report->findings.empty()) << copy.text;
      EXPECT_EQ(report->findings[0].kind, FindingKind::lds_race_read_after_write);
      EXPECT_NE(report->findings[0].fix.find(copy.wait), std::string::npos)
          << report->findings[0].fix;
    }
}

// --- matrix instructions -------------------------------------------------------------------------

using instruction::ElementType;
using instruction::Operand;

double number_of(ElementType type, uint32_t x, bool is_signed) {
  const auto small = [&](int all, int mantissa, int bias) {
    const uint32_t magnitude = x & ((1u << (all - 1)) - 1), exponent = magnitude >> mantissa,
                   fraction = magnitude & ((1u << mantissa) - 1);
    const double value = exponent == 0 ? std::ldexp(fraction, 1 - bias - mantissa)
                                       : std::ldexp(fraction + (1u << mantissa),
                                                    static_cast<int>(exponent) - bias - mantissa);
    return x >> (all - 1) & 1 ? -value : value;
  };
  switch (type) {
    case ElementType::f32:
      return std::bit_cast<float>(x);
    case ElementType::bf16:
      return bf16(x);
    case ElementType::f16:
      return small(16, 10, 15);
    case ElementType::fp8:
      return small(8, 3, 7);
    case ElementType::bf8:
      return small(8, 2, 15);
    case ElementType::fp6:
      return small(6, 3, 1);
    case ElementType::bf6:
      return small(6, 2, 3);
    case ElementType::fp4:
      return small(4, 1, 1);
    default:
      return is_signed ? static_cast<int8_t>(x) : static_cast<double>(x);
  }
}

// Bits that stand for small numbers, with which all sums are exact.
uint32_t small_bits(ElementType type, Random& random) {
  const uint32_t x = random.bits();
  switch (type) {
    case ElementType::f32:
      return bits(static_cast<float>(static_cast<int>(x % 9) - 4));
    case ElementType::bf16:
      return bits(static_cast<float>(static_cast<int>(x % 9) - 4)) >> 16;
    case ElementType::f16:
      return (x & 1) << 15 | (15 + (x >> 1) % 3) << 10 | (x >> 8 & 1) << 9;
    case ElementType::fp8:
      return (x & 1) << 7 | (6 + (x >> 1) % 3) << 3 | (x >> 8 & 3) << 1;
    case ElementType::bf8:
      return (x & 1) << 7 | (14 + (x >> 1) % 3) << 2 | (x >> 8 & 2);
    case ElementType::iu8:
      return x & 0xffu;
    default:
      return x & ((1u << instruction::bits(type)) - 1);
  }
}

// Registers of a wave by operand: which bits of which lane's tuple hold an element.
struct Tuple {
  std::vector<std::array<uint32_t, 32>> registers;
  explicit Tuple(int count) : registers(static_cast<std::size_t>(count)) {}
  void put(std::size_t lane, unsigned bit, unsigned width, uint32_t value) {
    for (unsigned i = 0; i < width; ++i)
      registers[(bit + i) / 32][lane] |= (value >> i & 1u) << (bit + i) % 32;
  }
  uint32_t get(std::size_t lane, unsigned bit, unsigned width) const {
    uint32_t value = 0;
    for (unsigned i = 0; i < width; ++i)
      value |= (registers[(bit + i) / 32][lane] >> (bit + i) % 32 & 1u) << i;
    return value;
  }
};

// Calls for every element of an operand: lane, first bit, bits, coordinates in the map's order.
template <class F>
void for_elements(const instruction::Instruction& row, Operand operand, F call) {
  const auto map = instruction::isa_fragment(row, operand);
  const auto width = static_cast<unsigned>(row.map(operand).bits);
  const uint64_t elements = map.input_size("element"), registers = map.input_size("register");
  for (uint64_t lane = 0; lane < 32; ++lane)
    for (uint64_t reg = 0; reg < registers; ++reg)
      for (uint64_t element = 0; element < elements; ++element) {
        const uint64_t point = map.apply(
            map.inputs().pack({{"element", element}, {"register", reg}, {"lane", lane}}).value());
        const auto at = [&](const char* axis) {
          const int number = map.outputs().find(layout::AxisName(axis));
          return number < 0 ? uint64_t{0} : map.outputs().coordinate(point, number);
        };
        call(lane, static_cast<unsigned>(reg * 32 + element * width), width, at);
      }
}

std::string range(int first, int count) {
  return count == 1 ? "v" + std::to_string(first)
                    : "v[" + std::to_string(first) + ":" + std::to_string(first + count - 1) + "]";
}

void check_product(const instruction::Instruction& base, int a_format, int b_format) {
  const instruction::Instruction row =
      base.formats.empty() ? base : *instruction::with_formats(base, a_format, b_format);
  SCOPED_TRACE(std::string(row.name) + " " + std::to_string(a_format) + " " +
               std::to_string(b_format));
  Random random(static_cast<uint64_t>(row.k + a_format * 8 + b_format));
  const std::size_t m_size = static_cast<std::size_t>(row.m),
                    k_size = static_cast<std::size_t>(row.k);
  const bool integers = row.a_type == ElementType::iu8, scaled = row.has(Operand::scale_a);
  std::vector<double> a(m_size * k_size), b(k_size * 16), c(m_size * 16), scale_a(m_size * 8, 1),
      scale_b(16 * 8, 1);
  Tuple ra(row.a.registers), rb(row.b.registers), rc(row.map(Operand::c).registers), ri(2), sa(2),
      sb(2);
  std::vector<uint32_t> places(m_size * k_size / 4);
  if (row.is_sparse()) {
    for (uint32_t& each : places) {
      constexpr uint32_t pairs[] = {0x4, 0x8, 0xc, 0x9, 0xd, 0xe};
      each = pairs[random.bits() % 6];
    }
    for_elements(row, Operand::index, [&](auto lane, unsigned bit, unsigned, auto at) {
      ri.put(lane, bit, 4, places[at("m") * k_size / 4 + at("group")]);
    });
    for_elements(row, Operand::a, [&](auto lane, unsigned bit, unsigned width, auto at) {
      const uint32_t index = places[at("m") * k_size / 4 + at("group")];
      for (unsigned i = 0; i < 2; ++i) {
        const uint32_t x = small_bits(row.a_type, random);
        ra.put(lane, bit + i * width / 2, width / 2, x);
        a[at("m") * k_size + 4 * at("group") + (index >> (2 * i) & 3u)] =
            number_of(row.a_type, x, true);
      }
    });
  } else {
    for_elements(row, Operand::a, [&](auto lane, unsigned bit, unsigned width, auto at) {
      const uint32_t x = small_bits(row.a_type, random);
      ra.put(lane, bit, width, x);
      a[at("m") * k_size + at("k")] = number_of(row.a_type, x, true);
    });
  }
  for_elements(row, Operand::b, [&](auto lane, unsigned bit, unsigned width, auto at) {
    const uint32_t x = small_bits(row.b_type, random);
    rb.put(lane, bit, width, x);
    b[at("k") * 16 + at("n")] = number_of(row.b_type, x, false);
  });
  const ElementType c_type = row.type(Operand::c);
  for_elements(row, Operand::c, [&](auto lane, unsigned bit, unsigned width, auto at) {
    const int x = static_cast<int>(random.bits() % 16) - 8;
    const auto value = static_cast<float>(x);
    rc.put(lane, bit, width,
           c_type == ElementType::i32    ? static_cast<uint32_t>(x)
           : c_type == ElementType::f32  ? bits(value)
           : c_type == ElementType::bf16 ? bits(value) >> 16
                                         : std::bit_cast<uint16_t>(static_cast<_Float16>(value)));
    c[at("m") * 16 + at("n")] = x;
  });
  if (scaled) {
    const auto put = [&](Operand operand, Tuple& to, std::vector<double>& values,
                         const char* across) {
      for_elements(row, operand, [&](auto lane, unsigned bit, unsigned width, auto at) {
        const uint32_t x = 126 + random.bits() % 3;
        to.put(lane, bit, width, x);
        // Both of a 16-row operand's halves are filled; the instruction names the second.
        if (at("selector") == 1 || row.map(operand).text.find("selector") == std::string_view::npos)
          values[at(across) * 8 + at("group")] = std::ldexp(1.0, static_cast<int>(x) - 127);
      });
    };
    put(Operand::scale_a, sa, scale_a, "m");
    put(Operand::scale_b, sb, scale_b, "n");
  }
  // v32.. A, v64.. B, v96.. C and D, v128 index, v130 and v132 scales.
  const int scale_registers = scaled ? row.scale_a.registers : 1;
  std::string modifiers;
  if (integers) modifiers += " neg_lo:[1,0,0]";
  constexpr const char* formats[] = {"FP8", "BF8", "FP6", "BF6", "FP4"};
  if (!row.formats.empty())
    modifiers += std::string(" matrix_a_fmt:MATRIX_FMT_") + formats[a_format] +
                 " matrix_b_fmt:MATRIX_FMT_" + formats[b_format];
  if (scaled) {
    if (row.m == 16) modifiers += " matrix_a_scale:MATRIX_SCALE_ROW1";
    modifiers += " matrix_b_scale:MATRIX_SCALE_ROW1";
  }
  const bool apart = row.map(Operand::c).registers != row.d.registers && !row.is_sparse();
  const int d_at = apart ? 140 : 96;
  const int index_registers = row.is_sparse() ? row.index.registers : 1;
  // A sparse product is written over C, whose registers it names.
  const int d_named = row.is_sparse() ? row.map(Operand::c).registers : row.d.registers;
  std::string text =
      std::string(row.name) + " " + range(d_at, d_named) + ", " + range(32, row.a.registers) +
      ", " + range(64, row.b.registers) + ", " +
      (row.is_sparse() ? range(128, index_registers) : range(96, row.map(Operand::c).registers));
  if (scaled) text += ", " + range(130, scale_registers) + ", " + range(132, scale_registers);
  text += modifiers;
  std::string code = "s_load_b128 s[4:7], s[0:1], 0x0\ns_wait_kmcnt 0x0\nv_lshlrev_b32 v1, 2, v0\n";
  std::vector<uint32_t> in;
  const auto load = [&](const Tuple& tuple, int first) {
    for (std::size_t r = 0; r < tuple.registers.size(); ++r) {
      code += "global_load_b32 v" + std::to_string(first + static_cast<int>(r)) +
              ", v1, s[4:5] offset:" + std::to_string(4 * in.size()) + "\n";
      in.insert(in.end(), tuple.registers[r].begin(), tuple.registers[r].end());
    }
  };
  load(ra, 32);
  load(rb, 64);
  load(rc, 96);
  load(ri, 128);
  load(sa, 130);
  load(sb, 132);
  code += "s_wait_loadcnt 0x0\n" + text + "\n";
  for (int r = 0; r < row.d.registers; ++r)
    code += "global_store_b32 v1, v" + std::to_string(d_at + r) +
            ", s[6:7] offset:" + std::to_string(128 * r) + "\n";
  code += "s_endpgm";
  const CodeObject object =
      assemble(kernel_text({{.name = "k", .body = code, .arguments = 2}}, target), target);
  Tuple rd(row.d.registers);
  std::vector<uint32_t> out(32 * static_cast<std::size_t>(row.d.registers));
  Launch launch;
  launch.arguments = {buffer(std::span(in), "in"), buffer(std::span(out), "out")};
  launch.workgroup = {32, 1, 1};
  const auto report = run(object, launch);
  ASSERT_TRUE(report) << text << "\n" << report.error().text();
  for (std::size_t r = 0; r < rd.registers.size(); ++r)
    std::copy_n(&out[32 * r], 32, rd.registers[r].begin());
  const std::size_t per_group = scaled ? 128 / (row.scale_a.registers * 4) : k_size;
  int wrong = 0;
  for_elements(row, Operand::d, [&](auto lane, unsigned bit, unsigned width, auto at) {
    const std::size_t m = at("m"), n = at("n");
    double sum = c[m * 16 + n];
    for (std::size_t k = 0; k < k_size; ++k)
      sum += a[m * k_size + k] * b[k * 16 + n] * scale_a[m * 8 + k / per_group] *
             scale_b[n * 8 + k / per_group];
    const uint32_t got = rd.get(lane, bit, width);
    const uint32_t expected =
        row.d_type == ElementType::i32    ? static_cast<uint32_t>(static_cast<int32_t>(sum))
        : row.d_type == ElementType::f32  ? bits(static_cast<float>(sum))
        : row.d_type == ElementType::bf16 ? to_bf16(sum)
                                          : std::bit_cast<uint16_t>(static_cast<_Float16>(sum));
    if (got != expected && wrong++ < 3)
      ADD_FAILURE() << text << "\nm " << m << ", n " << n << ": got " << std::hex << got
                    << ", expected " << expected;
  });
}

TEST(Gfx1250, EveryMatrixInstructionMultiplies) {
  int products = 0;
  for (const instruction::Instruction& row : instruction::gfx1250_instructions) {
    const int formats = row.formats.empty() ? 1 : 5;
    for (int a = 0; a < formats; ++a)
      for (int b = 0; b < formats; ++b, ++products) check_product(row, a, b);
  }
  EXPECT_EQ(products, 43 + 3 * 24);
}

}  // namespace gfx1250_test
}  // namespace heddle::emulator::testing
