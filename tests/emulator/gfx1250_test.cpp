// Instructions that gfx1250 alone has, one at a time: 64-bit integers, bf16, VGPRs above 255,
// copies between memory and LDS that pass no register, and transposing loads. What every lane must
// have after is computed here.
#include <cmath>
#include <cstring>
#include <functional>

#include "gfx1250_numbers.h"
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

void put_wide(uint32_t* out, uint64_t x) {
  out[0] = static_cast<uint32_t>(x);
  out[1] = static_cast<uint32_t>(x >> 32);
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

}  // namespace gfx1250_test
}  // namespace heddle::emulator::testing
