// What gfx1250 exchanges among lanes, waves and through tables, and its rarer memory operations,
// one at a time against the host; barriers with a number, those of clusters and those in LDS.
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <functional>

#include "kernels.h"

namespace heddle::emulator::testing {
namespace gfx1250_exchange_test {

const std::string target = "gfx1250";

struct Lane {
  uint32_t v[9], number;  // v1 to v8
  double number_of(int i) const { return double{std::bit_cast<float>(v[i])}; }
};
using All = std::vector<Lane>;
struct Case {
  const char* text;
  // v10 to v13 after.
  std::function<void(const All& all, const Lane& in, uint32_t* out)> expect;
  bool floats = false;
};

// Sixteen numbers out of a table, whose words come lowest first.
void look_up(const std::vector<uint32_t>& table, uint64_t indices, int bits, uint32_t* out) {
  const auto bit = [](const uint32_t* words, int at) { return words[at / 32] >> at % 32 & 1u; };
  for (int i = 0; i < 16 * bits; ++i) {
    const int from = static_cast<int>(indices >> (4 * (i / bits)) & 15u) * bits + i % bits;
    out[i / 32] = (out[i / 32] & ~(1u << i % 32)) | bit(table.data(), from) << i % 32;
  }
}
uint64_t pair(const Lane& in, int i) { return in.v[i] | uint64_t{in.v[i + 1]} << 32; }

float half(uint32_t bits) {
  return static_cast<float>(std::bit_cast<_Float16>(static_cast<uint16_t>(bits)));
}
template <class F>
uint32_t of_halves(const Lane& in, F f) {
  const auto one = [&](int shift) {
    const float x = f(half(in.v[1] >> shift), half(in.v[2] >> shift), half(in.v[3] >> shift));
    return uint32_t{std::bit_cast<uint16_t>(static_cast<_Float16>(x))};
  };
  return one(0) | one(16) << 16;
}
constexpr const char* small_halves =
    "v_and_b32 v1, 0xbfffbfff, v1\nv_and_b32 v2, 0xbfffbfff, v2\nv_and_b32 v3, 0xbfffbfff, v3\n";
uint32_t finite(uint32_t x) { return x & 0xbfffbfffu; }

void put(uint32_t* out, double x) {
  const auto bits = std::bit_cast<uint64_t>(x);
  out[0] = static_cast<uint32_t>(bits);
  out[1] = static_cast<uint32_t>(bits >> 32);
}

uint32_t shifted_byte(uint32_t x, uint32_t by, int low, int high) {
  return static_cast<uint8_t>(std::clamp(static_cast<int32_t>(x) >> (by & 31), low, high));
}

const std::string min3 = std::string(small_halves) + "v_pk_min3_num_f16 v10, v1, v2, v3";
const std::string max3 = std::string(small_halves) + "v_pk_max3_num_f16 v10, v1, v2, v3";

Lane finite_lane(const Lane& in) {
  Lane x = in;
  for (int i = 1; i <= 3; ++i) x.v[i] = finite(x.v[i]);
  return x;
}

const Case cases[] = {
    {"s_mov_b32 s8, 13\nv_permlane_bcast_b32 v10, v1, s8, 8",
     [](const All& all, const Lane& in, uint32_t* out) {
       out[0] = all[(in.number & ~7u) + 5].v[1];
     }},
    {"s_mov_b32 s8, 16\nv_permlane_up_b32 v10, v1, 3, s8",
     [](const All& all, const Lane& in, uint32_t* out) {
       out[0] = all[in.number % 16 < 3 ? in.number : in.number - 3].v[1];
     }},
    {"v_permlane_down_b32 v10, v1, 5, 32",
     [](const All& all, const Lane& in, uint32_t* out) {
       out[0] = all[in.number + 5 < 32 ? in.number + 5 : in.number].v[1];
     }},
    {"s_mov_b32 exec_lo, 0xffff00ff\nv_permlane_xor_b32 v10, v1, 5, 16\ns_mov_b32 exec_lo, -1",
     [](const All& all, const Lane& in, uint32_t* out) {
       if (in.number / 8 != 1) out[0] = all[in.number ^ 5].v[1];
     }},
    {"v_perm_pk16_b4_u4 v[10:11], v1, v2, v[4:5]",
     [](const All&, const Lane& in, uint32_t* out) {
       look_up({in.v[2], in.v[1]}, pair(in, 4), 4, out);
     }},
    {"v_perm_pk16_b6_u4 v[10:12], v1, v[2:3], v[4:5]",
     [](const All&, const Lane& in, uint32_t* out) {
       look_up({in.v[2], in.v[3], in.v[1]}, pair(in, 4), 6, out);
     }},
    {"v_perm_pk16_b8_u4 v[10:13], v[2:3], v[4:5], v[6:7]",
     [](const All&, const Lane& in, uint32_t* out) {
       look_up({in.v[4], in.v[5], in.v[2], in.v[3]}, pair(in, 6), 8, out);
     }},
    {min3.c_str(),
     [](const All&, const Lane& in, uint32_t* out) {
       out[0] = of_halves(finite_lane(in),
                          [](float a, float b, float c) { return std::min({a, b, c}); });
     }},
    {max3.c_str(),
     [](const All&, const Lane& in, uint32_t* out) {
       out[0] = of_halves(finite_lane(in),
                          [](float a, float b, float c) { return std::max({a, b, c}); });
     }},
    {"v_sat_pk4_i4_i8 v10, v1",
     [](const All&, const Lane& in, uint32_t* out) {
       uint32_t x = 0;
       for (int i = 0; i < 4; ++i)
         x |= (static_cast<uint32_t>(
                   std::clamp<int>(static_cast<int8_t>(in.v[1] >> (8 * i)), -8, 7)) &
               15u)
              << (4 * i);
       out[0] = (out[0] & 0xffff0000u) | x;
     }},
    {"v_sat_pk4_u4_u8 v10, v1",
     [](const All&, const Lane& in, uint32_t* out) {
       uint32_t x = 0;
       for (int i = 0; i < 4; ++i) x |= std::min(in.v[1] >> (8 * i) & 255u, 15u) << (4 * i);
       out[0] = (out[0] & 0xffff0000u) | x;
     }},
    {"v_ashr_pk_i8_i32 v10, v1, v2, v3",
     [](const All&, const Lane& in, uint32_t* out) {
       out[0] = (out[0] & 0xffff0000u) | shifted_byte(in.v[1], in.v[3], -128, 127) |
                shifted_byte(in.v[2], in.v[3], -128, 127) << 8;
     }},
    {"v_ashr_pk_u8_i32 v10, v1, v2, v3 op_sel:[0,0,0,1]",
     [](const All&, const Lane& in, uint32_t* out) {
       out[0] = (out[0] & 0xffffu) | shifted_byte(in.v[1], in.v[3], 0, 255) << 16 |
                shifted_byte(in.v[2], in.v[3], 0, 255) << 24;
     }},
    {"s_add_pc_i64 8\nv_mov_b32 v10, 1\nv_mov_b32 v11, 2\nv_mov_b32 v12, 3",
     [](const All&, const Lane&, uint32_t* out) { out[2] = 3; }},
    {"s_add_pc_i64 0x14\nv_mov_b32 v10, 1\nv_mov_b32 v11, 0x12345678\nv_mov_b32 v11, 0x1234567\n"
     "v_mov_b32 v12, 3",
     [](const All&, const Lane&, uint32_t* out) { out[2] = 3; }},
    // The words that the lane began with lie 64 bytes apart.
    {"v_lshlrev_b32 v30, 6, v0\ncluster_load_b64 v[10:11], v30, s[4:5] offset:4\n"
     "global_load_monitor_b32 v12, v30, s[4:5]\ns_wait_loadcnt 0x0",
     [](const All&, const Lane& in, uint32_t* out) {
       out[0] = in.v[2];
       out[1] = in.v[3];
       out[2] = in.v[1];
     }},
    {"v_lshlrev_b32 v30, 6, v0\nv_lshlrev_b32 v31, 2, v0\n"
     "cluster_load_async_to_lds_b32 v31, v30, s[4:5]\ns_wait_asynccnt 0x0\n"
     "ds_load_b32 v10, v31\ns_wait_dscnt 0x0",
     [](const All&, const Lane& in, uint32_t* out) { out[0] = in.v[1]; }},
    {"v_cvt_f64_f32 v[14:15], v1\nv_cvt_f64_f32 v[24:25], v2\nv_lshlrev_b32 v30, 4, v0\n"
     "global_store_b64 v30, v[14:15], s[6:7]\ns_wait_storecnt 0x0\n"
     "global_atomic_max_num_f64 v[12:13], v30, v[24:25], s[6:7] th:TH_ATOMIC_RETURN\n"
     "s_wait_loadcnt 0x0\nglobal_load_b64 v[10:11], v30, s[6:7]\ns_wait_loadcnt 0x0",
     [](const All&, const Lane& in, uint32_t* out) {
       put(out, std::max(in.number_of(1), in.number_of(2)));
       put(out + 2, in.number_of(1));
     },
     true},
    // 32 arrivals are a phase: what is pending begins anew, and the second phase has begun twice.
    {"v_mov_b32 v30, 0\nv_mov_b32 v14, 31\nv_mov_b32 v15, 31\nds_store_b64 v30, v[14:15]\n"
     "v_mov_b32 v16, 1\nv_mov_b32 v17, 0\ns_wait_dscnt 0x0\n"
     "ds_atomic_barrier_arrive_rtn_b64 v[12:13], v30, v[16:17]\ns_wait_dscnt 0x0\n"
     "ds_atomic_async_barrier_arrive_b64 v30\ns_wait_dscnt 0x0\ns_wait_asynccnt 0x0\n"
     "ds_load_b64 v[10:11], v30\ns_wait_dscnt 0x0",
     [](const All&, const Lane& in, uint32_t* out) {
       out[0] = 2u << 29 | 31;
       out[1] = 31;
       out[2] = 31 - in.number;  // lanes arrive one after the other
       out[3] = 31;
     }},
};

std::string body(const std::string& text) {
  std::string code =
      "s_load_b128 s[4:7], s[0:1], 0x0\ns_wait_kmcnt 0x0\nv_lshlrev_b32 v9, 6, v0\n"
      "global_load_b128 v[16:19], v9, s[4:5]\nglobal_load_b128 v[20:23], v9, s[4:5] offset:16\n"
      "s_wait_loadcnt 0x0\n";
  for (int i = 0; i < 8; ++i)
    code += "v_mov_b32 v" + std::to_string(1 + i) + ", v" + std::to_string(16 + i) + "\n";
  for (int i = 10; i < 14; ++i) code += "v_mov_b32 v" + std::to_string(i) + ", 0xcafe0000\n";
  return code + text +
         "\nv_lshlrev_b32 v9, 4, v0\nglobal_store_b128 v9, v[10:13], s[6:7]\ns_endpgm";
}

TEST(Gfx1250Exchange, InstructionsDoWhatTheyShould) {
  std::vector<AssemblyKernel> kernels;
  for (const Case& c : cases)
    kernels.push_back({.name = "case_" + std::to_string(kernels.size()),
                       .body = body(c.text),
                       .arguments = 2,
                       .lds_bytes = 1024});
  const CodeObject object = assemble(kernel_text(kernels, target), target);
  for (std::size_t i = 0; i < kernels.size(); ++i) {
    Random random(i + 1);
    All all(32);
    std::vector<uint32_t> in(32 * 16), out(32 * 4, 0xdeadbeef);
    for (uint32_t lane = 0; lane < 32; ++lane) {
      all[lane].number = lane;
      for (int r = 1; r <= 8; ++r)
        all[lane].v[r] =
            cases[i].floats ? std::bit_cast<uint32_t>(random.uniform() * 8) : random.bits();
      std::memcpy(&in[16 * lane], &all[lane].v[1], 32);
    }
    Launch launch;
    launch.kernel = kernels[i].name;
    launch.arguments = {buffer(std::span(in), "in"), buffer(std::span(out), "out")};
    const auto report = run(object, launch);
    ASSERT_TRUE(report) << cases[i].text << "\n" << report.error().text();
    for (const Lane& x : all) {
      uint32_t expected[4] = {0xcafe0000, 0xcafe0000, 0xcafe0000, 0xcafe0000};
      cases[i].expect(all, x, expected);
      for (uint32_t r = 0; r < 4; ++r)
        ASSERT_EQ(out[4 * x.number + r], expected[r])
            << cases[i].text << "\nlane " << x.number << ", v" << 10 + r;
    }
  }
}

// --- barriers ------------------------------------------------------------------------------------

struct Answer {
  std::string fault;
  std::vector<Finding> findings;
};
Answer run_waves(const std::string& text, uint32_t threads, std::vector<uint32_t>& in,
                 std::vector<uint32_t>& out, bool check) {
  const CodeObject object = assemble(
      kernel_text({{.name = "k", .body = text, .arguments = 2, .lds_bytes = 1024}}, target),
      target);
  Launch launch;
  launch.arguments = {buffer(std::span(in), "in"), buffer(std::span(out), "out")};
  launch.workgroup = {threads, 1, 1};
  launch.check = check;
  const auto report = run(object, launch);
  return report ? Answer{"", report->findings} : Answer{report.error().text(), {}};
}

constexpr const char* begin =
    "s_load_b128 s[4:7], s[0:1], 0x0\ns_wait_kmcnt 0x0\nv_lshlrev_b32 v1, 2, v0\n"
    "v_readfirstlane_b32 s8, v0\ns_lshr_b32 s8, s8, 5\n"
    "global_load_b32 v2, v1, s[4:5]\ns_wait_loadcnt 0x0\nds_store_b32 v1, v2\ns_wait_dscnt 0x0\n";
// What the other wave of the pair has stored.
constexpr const char* end =
    "v_xor_b32 v3, 128, v1\nds_load_b32 v4, v3\ns_wait_dscnt 0x0\n"
    "global_store_b32 v1, v4, s[6:7]\ns_endpgm";

std::vector<uint32_t> counted(std::size_t count) {
  std::vector<uint32_t> x(count);
  for (uint32_t i = 0; i < count; ++i) x[i] = 7 * i + 1;
  return x;
}

// Two pairs of waves, each with a barrier of its own. The first wave of all says how many there
// are.
std::string pairs(uint32_t members, const std::string& before_signal = "") {
  const std::string init = std::to_string(members << 16);
  return std::string(begin) + "s_cmp_lg_u32 s8, 0\ns_cbranch_scc1 past\ns_mov_b32 m0, " + init +
         "\ns_or_b32 m0, m0, 1\ns_barrier_init m0\ns_mov_b32 m0, " + init +
         "\ns_or_b32 m0, m0, 2\ns_barrier_init m0\npast:\ns_barrier_signal -1\ns_barrier_wait -1\n"
         "s_lshr_b32 s9, s8, 1\ns_add_co_u32 s9, s9, 1\ns_mov_b32 m0, s9\ns_barrier_join m0\n" +
         before_signal + "s_barrier_signal m0\ns_barrier_wait 1\n" + end;
}

TEST(Gfx1250Exchange, NamedBarriersHoldTheWavesThatJoinThem) {
  std::vector<uint32_t> in = counted(128), out(128);
  for (const bool check : {false, true}) {
    const Answer answer = run_waves(pairs(2), 128, in, out, check);
    ASSERT_EQ(answer.fault, "");
    EXPECT_TRUE(answer.findings.empty()) << answer.findings[0].message;
    for (uint32_t i = 0; i < 128; ++i) ASSERT_EQ(out[i], in[i ^ 32]) << i;
  }
}

// A wave that is late: the other one waits for it, and not for the waves of the other pair.
TEST(Gfx1250Exchange, NamedBarriersWaitForTheLast) {
  std::vector<uint32_t> in = counted(128), out(128);
  const std::string late =
      "s_cmp_lg_u32 s8, 1\ns_cbranch_scc1 soon\ns_movk_i32 s10, 2000\nagain:\n"
      "s_sub_co_u32 s10, s10, 1\ns_cmp_lg_u32 s10, 0\ns_sleep 1\ns_cbranch_scc1 again\n"
      "v_add_nc_u32 v2, 5, v2\nds_store_b32 v1, v2\ns_wait_dscnt 0x0\nsoon:\n";
  const Answer answer = run_waves(pairs(2, late), 128, in, out, false);
  ASSERT_EQ(answer.fault, "");
  for (uint32_t i = 0; i < 128; ++i) ASSERT_EQ(out[i], in[i ^ 32] + (i < 32 ? 5 : 0)) << i;
}

TEST(Gfx1250Exchange, ANamedBarrierWithTooFewSignalsIsSaid) {
  std::vector<uint32_t> in = counted(128), out(128);
  const std::string fault = run_waves(pairs(3), 128, in, out, false).fault;
  EXPECT_NE(fault.find("named barrier 1 with 2 of 3 signals"), std::string::npos) << fault;
}

// A wave that leaves is no member any more, and one that signals need not have joined.
TEST(Gfx1250Exchange, WavesLeaveNamedBarriers) {
  std::vector<uint32_t> in = counted(128), out(128);
  // Waves 1 and 3 leave instead of signalling; waves 0 and 2 go on.
  const std::string leave =
      "s_get_barrier_state s11, m0\ns_bitcmp1_b32 s8, 0\ns_cbranch_scc0 stay\ns_barrier_leave\n"
      "s_endpgm\nstay:\n";
  const Answer answer = run_waves(pairs(2, leave), 128, in, out, false);
  ASSERT_EQ(answer.fault, "");
  for (uint32_t i = 0; i < 128; ++i) ASSERT_EQ(out[i], i / 32 % 2 == 0 ? in[i ^ 32] : 0u) << i;
}

// A wave that ends stays a member of the named barrier that it has joined (LLVM, "AMDGPU Execution
// Synchronization", "GFX12"), unlike that of the workgroup.
TEST(Gfx1250Exchange, WavesThatEndStayMembersOfNamedBarriers) {
  std::vector<uint32_t> in = counted(128), out(128);
  const std::string end_early = "s_cmp_lg_u32 s8, 3\ns_cbranch_scc1 going\ns_endpgm\ngoing:\n";
  const std::string fault = run_waves(pairs(2, end_early), 128, in, out, false).fault;
  EXPECT_NE(fault.find("named barrier 2 with 1 of 2 signals"), std::string::npos) << fault;
}

// The state of a barrier comes as scalar loads do.
TEST(Gfx1250Exchange, TheStateOfABarrierIsWaitedFor) {
  for (const bool waits : {false, true}) {
    std::vector<uint32_t> in = counted(64), out(64);
    const std::string text = std::string(begin) +
                             "s_mov_b32 m0, 0x30004\ns_barrier_init m0\ns_barrier_signal 4\n"
                             "s_get_barrier_state s11, 4\n" +
                             (waits ? "s_wait_kmcnt 0x0\n" : "") +
                             "v_mov_b32 v4, s11\nglobal_store_b32 v1, v4, s[6:7]\ns_endpgm";
    const Answer answer = run_waves(text, 32, in, out, true);
    ASSERT_EQ(answer.fault, "");
    EXPECT_EQ(out[0], 1u << 16 | 3u << 4 | 1u);
    ASSERT_EQ(answer.findings.empty(), waits);
    if (!waits) EXPECT_EQ(answer.findings[0].kind, FindingKind::register_read_before_wait);
  }
}

// LLVM waits for stores before a barrier, and invalidates nothing after it.
TEST(Gfx1250Exchange, StoresAreWaitedForBeforeABarrier) {
  for (const bool waits : {false, true}) {
    std::vector<uint32_t> in = counted(64), out(64);
    const std::string text = std::string(begin) + "global_store_b32 v1, v2, s[6:7]\n" +
                             (waits ? "s_wait_storecnt 0x0\n" : "") +
                             "s_barrier_signal -1\ns_barrier_wait -1\nv_xor_b32 v3, 128, v1\n"
                             "global_load_b32 v4, v3, s[6:7]\ns_wait_loadcnt 0x0\n"
                             "s_barrier_signal -1\ns_barrier_wait -1\n"
                             "global_store_b32 v1, v4, s[6:7]\ns_endpgm";
    const Answer answer = run_waves(text, 64, in, out, true);
    ASSERT_EQ(answer.fault, "");
    for (uint32_t i = 0; i < 64; ++i) ASSERT_EQ(out[i], in[i ^ 32]) << i;
    if (waits) {
      EXPECT_TRUE(answer.findings.empty()) << answer.findings[0].message;
      continue;
    }
    ASSERT_FALSE(answer.findings.empty());
    EXPECT_NE(answer.findings[0].fix.find("s_wait_storecnt 0"), std::string::npos)
        << answer.findings[0].fix;
  }
}

// One wave of each workgroup signals the cluster's barrier, and all wait, as LLVM writes
// llvm.amdgcn.s.cluster.barrier.
TEST(Gfx1250Exchange, ClustersHaveABarrier) {
  std::vector<uint32_t> in = counted(64), out(64);
  const std::string barrier =
      "s_barrier_signal_isfirst -1\ns_barrier_wait -1\ns_cbranch_scc0 others\n"
      "s_barrier_signal -3\nothers:\ns_barrier_wait -3\n";
  for (const bool check : {false, true}) {
    const Answer answer = run_waves(begin + barrier + end, 64, in, out, check);
    ASSERT_EQ(answer.fault, "");
    EXPECT_TRUE(answer.findings.empty()) << answer.findings[0].message;
    for (uint32_t i = 0; i < 64; ++i) ASSERT_EQ(out[i], in[i ^ 32]) << i;
  }
  const std::string fault =
      run_waves(std::string(begin) + "s_barrier_wait -3\n" + end, 64, in, out, false).fault;
  EXPECT_NE(fault.find("the cluster's barrier with 0 of 1 signals"), std::string::npos) << fault;
}

// Workgroups of one wave, eight along x and four along y, in clusters of four along x and two along
// y: each gives what it loads to the next one of its cluster, through global memory.
struct InClusters {
  static constexpr uint32_t x = 8, y = 4, size_x = 4, size_y = 2, groups = x * y;
  std::vector<uint32_t> in = counted(groups * 32), shared = std::vector<uint32_t>(groups * 32),
                        out = std::vector<uint32_t>(groups * 32);

  // The number of the workgroup (x first) whose place in the cluster is one higher.
  static uint32_t next(uint32_t group) {
    const uint32_t at_x = group % x, at_y = group / x;
    const uint32_t place = (at_x % size_x + size_x * (at_y % size_y) + 1) % (size_x * size_y);
    return at_x / size_x * size_x + place % size_x + x * (at_y / size_y * size_y + place / size_x);
  }

  // v1: the byte of a thread's own element, v3: of that of the next workgroup.
  static std::string text(const std::string& barrier) {
    return "s_load_b128 s[4:7], s[0:1], 0x0\ns_load_b64 s[8:9], s[0:1], 0x10\ns_wait_kmcnt 0x0\n"
           "s_and_b32 s10, ttmp6, 15\ns_bfe_u32 s11, ttmp6, 0x40004\n"  // places
           "s_and_b32 s12, ttmp7, 0xffff\n"                             // the cluster along y
           "s_lshl_b32 s13, ttmp9, 2\ns_add_co_u32 s14, s13, s10\n"     // the workgroup along x
           "s_lshl_b32 s15, s12, 1\ns_add_co_u32 s16, s15, s11\n"       // along y
           "s_lshl_b32 s17, s16, 3\ns_add_co_u32 s17, s17, s14\n"
           "v_lshl_or_b32 v1, s17, 5, v0\nv_lshlrev_b32 v1, 2, v1\n"
           "s_lshl_b32 s18, s11, 2\ns_add_co_u32 s18, s18, s10\n"
           "s_add_co_u32 s18, s18, 1\ns_and_b32 s18, s18, 7\n"  // the next place
           "s_and_b32 s19, s18, 3\ns_add_co_u32 s19, s19, s13\n"
           "s_lshr_b32 s20, s18, 2\ns_add_co_u32 s20, s20, s15\n"
           "s_lshl_b32 s20, s20, 3\ns_add_co_u32 s20, s20, s19\n"
           "v_lshl_or_b32 v3, s20, 5, v0\nv_lshlrev_b32 v3, 2, v3\n"
           "global_load_b32 v2, v1, s[4:5]\ns_wait_loadcnt 0x0\n"
           "global_store_b32 v1, v2, s[6:7] scope:SCOPE_DEV\n"
           "global_wb scope:SCOPE_DEV\ns_wait_storecnt 0x0\n" +
           barrier +
           "global_inv scope:SCOPE_DEV\nglobal_load_b32 v4, v3, s[6:7]\ns_wait_loadcnt 0x0\n"
           "global_store_b32 v1, v4, s[8:9]\ns_endpgm";
  }

  Answer run(const std::string& barrier, bool check) {
    const CodeObject object = assemble(
        kernel_text({{.name = "k", .body = text(barrier), .arguments = 3}}, target), target);
    Launch launch;
    launch.arguments = {buffer(std::span(in), "in"), buffer(std::span(shared), "shared"),
                        buffer(std::span(out), "out")};
    launch.workgroup = {32, 1, 1};
    launch.grid = {x, y, 1};
    launch.cluster = {size_x, size_y, 1};
    launch.check = check;
    const auto report = emulator::run(object, launch);
    return report ? Answer{"", report->findings} : Answer{report.error().text(), {}};
  }
};

TEST(Gfx1250Exchange, WorkgroupsOfAClusterMeetAtItsBarrier) {
  for (const bool check : {false, true}) {
    InClusters clusters;
    const Answer answer = clusters.run("s_barrier_signal -3\ns_barrier_wait -3\n", check);
    ASSERT_EQ(answer.fault, "");
    EXPECT_TRUE(answer.findings.empty()) << answer.findings[0].message;
    for (uint32_t i = 0; i < clusters.out.size(); ++i)
      ASSERT_EQ(clusters.out[i], clusters.in[InClusters::next(i / 32) * 32 + i % 32]) << i;
  }
}

// The barrier of a workgroup orders nothing between two.
TEST(Gfx1250Exchange, WithoutTheBarrierOfTheClusterItsWorkgroupsRace) {
  InClusters clusters;
  const Answer answer = clusters.run("s_barrier_signal -1\ns_barrier_wait -1\n", true);
  ASSERT_FALSE(answer.findings.empty());
  EXPECT_EQ(answer.findings[0].kind, FindingKind::global_race_write_after_read);
}

// The last workgroup of each cluster does not signal.
TEST(Gfx1250Exchange, AWorkgroupThatNeverSignalsIsMissed) {
  InClusters clusters;
  const std::string fault =
      clusters
          .run(
              "s_cmp_eq_u32 s18, 0\ns_cbranch_scc1 past\ns_barrier_signal -3\npast:\n"
              "s_barrier_wait -3\n",
              false)
          .fault;
  EXPECT_NE(fault.find("the cluster's barrier with 7 of 8 signals"), std::string::npos) << fault;
}

}  // namespace gfx1250_exchange_test
}  // namespace heddle::emulator::testing
