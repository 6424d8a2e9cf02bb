// Waves of 64: masks of 64 bits, lanes across the halves, barriers, banks and faults. What clang
// makes of whole functions is in corpus_test.cpp, the matrix instructions in
// matrix_golden_test.cpp.
#include <set>

#include "kernels.h"

namespace heddle::emulator::testing {
namespace wave64_test {

class Wave64 : public ::testing::TestWithParam<std::string> {
 protected:
  bool gfx12() const { return GetParam() == "gfx1201"; }
  std::string wait() const {
    return gfx12() ? "s_wait_kmcnt 0x0\ns_wait_dscnt 0x0\ns_wait_loadcnt 0x0\n"
                   : "s_waitcnt vmcnt(0) lgkmcnt(0)\n";
  }

  // v0: the thread; v10 and v11 go to two words of out[thread].
  std::expected<RunReport, Fault> run_body(const std::string& body, uint32_t threads = 64,
                                           bool check = false) {
    const AssemblyKernel kernel{.name = "wide",
                                .body = "s_load_b64 s[4:5], s[0:1], 0x0\n" + wait() +
                                        "v_mov_b32 v10, 0\nv_mov_b32 v11, 0\n" + body + "\n" +
                                        wait() +
                                        "s_mov_b64 exec, -1\nv_lshlrev_b32 v1, 3, v0\n"
                                        "global_store_b64 v1, v[10:11], s[4:5]\ns_endpgm",
                                .lds_bytes = 4096,
                                .scratch_bytes = 64,
                                .wave = 64};
    const CodeObject object = assemble(kernel_text({kernel}, GetParam()), GetParam(), 64);
    EXPECT_TRUE(object.unknown_instructions().empty());
    out_.assign(2 * threads, 0xdeadbeef);
    Launch launch;
    launch.arguments = {buffer(std::span(out_), "out")};
    launch.workgroup = {threads, 1, 1};
    launch.check = check;
    return run(object, launch);
  }
  uint32_t word(uint32_t thread, uint32_t i) const { return out_[2 * thread + i]; }

  std::vector<uint32_t> out_;
};

TEST_P(Wave64, ComparisonsWriteABitOfEveryLane) {
  const auto report = run_body(
      "v_cmp_gt_u32_e64 s[8:9], 40, v0\nv_mov_b32 v10, s8\n"
      "v_mov_b32 v11, s9");
  ASSERT_TRUE(report) << report.error().text();
  EXPECT_EQ(report->waves, 1u);
  for (uint32_t t : {0u, 31u, 32u, 63u}) {
    EXPECT_EQ(word(t, 0), ~0u);
    EXPECT_EQ(word(t, 1), 0xffu);
  }
}

// The result goes over a register that the upper half still has to read.
TEST_P(Wave64, AComparisonMayWriteItsOwnSource) {
  const auto report = run_body(
      "s_mov_b32 s8, 35\nv_cmp_eq_u32_e64 s[8:9], s8, v0\n"
      "v_mov_b32 v10, s8\nv_mov_b32 v11, s9");
  ASSERT_TRUE(report) << report.error().text();
  EXPECT_EQ(word(0, 0), 0u);
  EXPECT_EQ(word(63, 1), 8u);
}

TEST_P(Wave64, CarriesAndSelectsUseTheirHalfOfTheMask) {
  const auto report = run_body(
      "v_cmp_lt_u32 vcc, 47, v0\nv_mov_b32 v2, 5\nv_mov_b32 v3, 7\n"
      "v_cndmask_b32 v10, v2, v3, vcc\nv_mov_b32 v4, -1\n"
      "v_add_co_u32 v5, vcc, v0, v4\n"
      "v_add_co_ci_u32_e64 v11, vcc, 0, 0, vcc");
  ASSERT_TRUE(report) << report.error().text();
  for (uint32_t t = 0; t < 64; ++t) {
    EXPECT_EQ(word(t, 0), t > 47 ? 7u : 5u);
    EXPECT_EQ(word(t, 1), t > 0 ? 1u : 0u);
  }
}

// EXEC as a number, its 64 bits in branches, and what v_cmpx leaves of it.
TEST_P(Wave64, ExecHas64Bits) {
  const auto report = run_body(
      "v_mov_b32 v10, 1\ns_mov_b32 s8, 0\ns_mov_b32 s9, 0xf0\ns_and_saveexec_b64 s[10:11], s[8:9]\n"
      "s_cbranch_execz done\nv_mov_b32 v10, exec_hi\nv_mov_b32 v11, exec_lo\n"
      "v_cmpx_lt_u32 37, v0\nv_mov_b32 v11, 9\ndone:");
  ASSERT_TRUE(report) << report.error().text();
  for (uint32_t t = 0; t < 64; ++t) {
    const bool active = t >= 36 && t < 40;
    EXPECT_EQ(word(t, 0), active ? 0xf0u : 1u) << t;
    EXPECT_EQ(word(t, 1), active && t > 37 ? 9u : 0u) << t;
  }
}

TEST_P(Wave64, LanesAcrossTheHalves) {
  const auto report = run_body(
      "v_add_nc_u32 v2, 100, v0\nv_readlane_b32 s8, v2, 45\n"
      "v_writelane_b32 v2, s8, 50\nv_permlane64_b32 v10, v2\n"
      "s_mov_b64 exec, 0xff000000\ns_mov_b32 exec_hi, 2\n"
      "s_mov_b32 exec_lo, 0\nv_readfirstlane_b32 s9, v2\n"
      "s_mov_b64 exec, -1\nv_mov_b32 v11, s9");
  ASSERT_TRUE(report) << report.error().text();
  for (uint32_t t = 0; t < 64; ++t) {
    const uint32_t from = t ^ 32;
    EXPECT_EQ(word(t, 0), from == 50 ? 145u : 100 + from);
    EXPECT_EQ(word(t, 1), 133u);
  }
}

// Rows 2 and 3 are lanes 32 to 63.
TEST_P(Wave64, RowMasksOfFourRows) {
  const auto report = run_body(
      "v_add_nc_u32 v2, 100, v0\n"
      "v_mov_b32_dpp v10, v2 row_mirror row_mask:0x9 bank_mask:0xf");
  ASSERT_TRUE(report) << report.error().text();
  for (uint32_t t = 0; t < 64; ++t) EXPECT_EQ(word(t, 0), t < 16 || t >= 48 ? 100 + (t ^ 15) : 0u);
}

TEST_P(Wave64, GatherFromAnyLane) {
  const auto report = run_body(
      "v_sub_nc_u32 v2, 63, v0\nv_lshlrev_b32 v2, 2, v2\n"
      "ds_bpermute_b32 v10, v2, v0");
  ASSERT_TRUE(report) << report.error().text();
  for (uint32_t t = 0; t < 64; ++t)
    EXPECT_EQ(word(t, 0), gfx12() ? 63 - t : (t & 32) + 31 - t % 32);
}

// 192 threads are three waves; each signals once.
TEST_P(Wave64, BarriersCountWavesOf64) {
  const std::string barrier = gfx12() ? "s_barrier_signal -1\ns_barrier_wait -1\n" : "s_barrier\n";
  const auto report = run_body("v_lshlrev_b32 v2, 2, v0\nds_store_b32 v2, v0\n" + wait() + barrier +
                                   "v_sub_nc_u32 v2, 0x2fc, v2\nds_load_b32 v10, v2",
                               192);
  ASSERT_TRUE(report) << report.error().text();
  EXPECT_EQ(report->waves, 3u);
  EXPECT_EQ(report->barriers, 3u);
  for (uint32_t t = 0; t < 192; ++t) EXPECT_EQ(word(t, 0), 191 - t);
}

TEST_P(Wave64, ScratchAndPartOfAWave) {
  const auto report =
      run_body("v_mov_b32 v2, 0\nscratch_store_b32 v2, v0, off offset:8\n" +
                   std::string(gfx12() ? "s_wait_storecnt 0x0\n" : "s_waitcnt_vscnt null, 0x0\n") +
                   "scratch_load_b32 v10, v2, off offset:8\n" + wait() +
                   "s_mov_b64 s[8:9], exec\nv_mov_b32 v11, s9\n",
               64);
  ASSERT_TRUE(report) << report.error().text();
  for (uint32_t t = 0; t < 64; ++t) {
    EXPECT_EQ(word(t, 0), t);
    EXPECT_EQ(word(t, 1), ~0u);
  }
}

// 64 lanes 4 bytes apart take two phases and no more; 256 bytes apart they collide.
TEST_P(Wave64, TheBankModelSees64Lanes) {
  const auto smooth = run_body("v_lshlrev_b32 v2, 2, v0\nds_load_b32 v10, v2");
  ASSERT_TRUE(smooth) << smooth.error().text();
  ASSERT_EQ(smooth->lds.size(), 1u);
  EXPECT_EQ(smooth->lds[0].issued, 1u);
  EXPECT_EQ(smooth->lds[0].extra_passes, 0u);
  const auto rough =
      run_body("v_lshlrev_b32 v2, 6, v0\nv_and_b32 v2, 0xfc0, v2\nds_load_b32 v10, v2");
  ASSERT_TRUE(rough) << rough.error().text();
  ASSERT_EQ(rough->lds.size(), 1u);
  EXPECT_EQ(rough->lds[0].issued, 1u);
  EXPECT_GT(rough->lds[0].extra_passes, 0u);
}

TEST_P(Wave64, AFaultNamesTheLaneOf64) {
  const auto report = run_body(
      "v_lshlrev_b32 v1, 3, v0\nv_mov_b32 v2, 0\n"
      "global_load_b32 v10, v1, s[4:5] offset:176");
  ASSERT_FALSE(report);
  EXPECT_EQ(report.error().kind, FaultKind::global_out_of_bounds);
  EXPECT_EQ(report.error().lane, 42);  // of 512 bytes, 8 * 42 + 176
}

TEST_P(Wave64, MixedWaveSizesAreRefused) {
  const std::string body = "s_endpgm";
  const CodeObject object = assemble(
      kernel_text({{.name = "narrow", .body = body}, {.name = "wide", .body = body, .wave = 64}},
                  GetParam()),
      GetParam());
  std::vector<uint32_t> data(1);
  Launch launch;
  launch.kernel = "wide";
  launch.arguments = {buffer(std::span(data), "data")};
  const auto report = run(object, launch);
  ASSERT_FALSE(report);
  EXPECT_EQ(report.error().kind, FaultKind::bad_launch);
  EXPECT_NE(report.error().message.find("waves of 64"), std::string::npos);
}

// Two waves exchange words through LDS; what is left out is found, and nothing else.
TEST_P(Wave64, WaitsAndRacesAreChecked) {
  const std::string barrier = gfx12() ? "s_barrier_signal -1\ns_barrier_wait -1\n" : "s_barrier\n";
  const std::string store = "v_lshlrev_b32 v2, 2, v0\nds_store_b32 v2, v0\n";
  const std::string load = "v_xor_b32 v3, 0x100, v2\nds_load_b32 v10, v3\n";
  const std::string use = "v_add_nc_u32 v11, 1, v10\n";
  const auto kinds = [&](const std::string& body) {
    const auto report = run_body(body, 128, true);
    EXPECT_TRUE(report) << report.error().text();
    std::set<std::string_view> found;
    if (report)
      for (const Finding& finding : report->findings) found.insert(finding_kind_name(finding.kind));
    return found;
  };
  using Kinds = std::set<std::string_view>;
  EXPECT_EQ(kinds(store + wait() + barrier + load + wait() + use), Kinds{});
  EXPECT_EQ(kinds(store + wait() + barrier + load + use), Kinds{"register-read-before-wait"});
  EXPECT_EQ(kinds(store + barrier + load + wait() + use).count("lds-race-read-after-write"), 1u);
  EXPECT_EQ(kinds(store + wait() + load + wait() + use).count("lds-race-read-after-write"), 1u);
}

// Which values are undefined is not followed in waves of 64, so that no access may ask for shadow
// memory of it: every space, kind and width, and the accesses that are split by lanes.
TEST_P(Wave64, EveryKindOfAccessIsObserved) {
  struct Width {
    const char *store, *load, *data;
  };
  constexpr Width widths[] = {{"b8", "u8", "v20"},        {"b16", "u16", "v20"},
                              {"b32", "b32", "v20"},      {"b64", "b64", "v[20:21]"},
                              {"b96", "b96", "v[20:22]"}, {"b128", "b128", "v[20:23]"}};
  std::string body =
      "s_mov_b64 s[8:9], src_private_base\ns_mov_b64 s[10:11], src_shared_base\n"
      "v_mov_b32 v2, 0\nv_mov_b32 v3, s9\nv_mov_b32 v4, 0\nv_mov_b32 v5, s11\n"
      "v_mov_b32 v6, s4\nv_mov_b32 v7, s5\nv_mov_b32 v8, 0\n"
      // Some lanes of a flat access go to scratch, some to LDS, some to memory.
      "v_mov_b32 v12, 1\nv_mov_b32 v13, 3\nv_and_b32 v12, v12, v0\n"
      "v_cmp_eq_u32_e64 s[12:13], 0, v12\nv_cndmask_b32_e64 v14, v4, v2, s[12:13]\n"
      "v_cndmask_b32_e64 v15, v5, v3, s[12:13]\nv_and_b32 v13, v13, v0\n"
      "v_cmp_eq_u32_e64 s[12:13], 3, v13\nv_cndmask_b32_e64 v14, v14, v6, s[12:13]\n"
      "v_cndmask_b32_e64 v15, v15, v7, s[12:13]\n";
  for (const Width& width : widths) {
    const std::string store = std::string("store_") + width.store,
                      load = std::string("load_") + width.load, data = width.data;
    body += "global_" + store + " v8, " + data + ", s[4:5]\n";
    body += "global_" + load + " " + data + ", v8, s[4:5]\n" + wait();
    body += "ds_" + store + " v8, " + data + "\nds_" + load + " " + data + ", v8\n" + wait();
    body += "scratch_" + store + " v8, " + data + ", off\n" + wait();
    body += "scratch_" + load + " " + data + ", v8, off\n" + wait();
    for (const char* address : {"v[2:3]", "v[4:5]", "v[6:7]", "v[14:15]"}) {
      body += "flat_" + store + " " + address + ", " + data + "\n" + wait();
      body += "flat_" + load + " " + data + ", " + address + "\n" + wait();
    }
  }
  body += "ds_add_u32 v8, v20\nds_add_rtn_u32 v20, v8, v20\n" + wait();
  body += "ds_store_2addr_b32 v8, v20, v21 offset0:1 offset1:9\n";
  body += "ds_load_2addr_b64 v[20:23], v8 offset0:1 offset1:2\n" + wait();
  body += "global_atomic_add_u32 v8, v20, s[4:5]\n" + wait();
  body += "s_load_b512 s[16:31], s[4:5], 0x0\n" + wait();
  for (const uint32_t threads : {64u, 33u, 128u}) {
    const auto report = run_body(body, threads, true);
    ASSERT_TRUE(report) << report.error().text();
    EXPECT_FALSE(report->fault) << report->fault->text();
  }
}

INSTANTIATE_TEST_SUITE_P(Targets, Wave64, ::testing::Values("gfx1100", "gfx1151", "gfx1201"),
                         [](const auto& info) { return info.param; });

}  // namespace wave64_test
}  // namespace heddle::emulator::testing
