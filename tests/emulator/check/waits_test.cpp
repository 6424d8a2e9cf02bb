// Registers before their loads have ended: each kernel with a wait missing or too weak, and its
// corrected twin.
#include "checked_kernel.h"

namespace heddle::emulator::testing {
namespace waits_test {

using enum FindingKind;

class Waits : public Checked {
 protected:
  // The wrong kernel and the right one differ in one line.
  CheckedRun expect_twins(FindingKind kind, const std::string& before, const std::string& wrong,
                          const std::string& right, const std::string& after, int lds_bytes = 0) {
    expect_silent({.body = before + right + after, .lds_bytes = lds_bytes});
    return expect(kind, {.body = before + wrong + after, .lds_bytes = lds_bytes});
  }
};

TEST_P(Waits, GlobalLoadReadBeforeItsWait) {
  const CheckedRun run =
      expect_twins(register_read_before_wait, "global_load_b32 v2, v1, s[4:5]\n", "", "{load 0}\n",
                   "v_add_nc_u32 v3, v2, v2\nglobal_store_b32 v1, v3, s[6:7]\n");
  const Finding& finding = run.report.findings.front();
  EXPECT_NE(finding.message.find("v2 is read while global_load_b32"), std::string::npos)
      << finding.message;
  ASSERT_EQ(finding.related.size(), 1u);
  EXPECT_EQ(finding.related[0].role, "load issued here");
  EXPECT_NE(finding.related[0].place.instruction.find("global_load_b32"), std::string::npos);
  EXPECT_NE(finding.fix.find(is_gfx12() ? "s_wait_loadcnt 0" : "s_waitcnt vmcnt(0)"),
            std::string::npos)
      << finding.fix;
}

// Loads of one kind end in order: with the second outstanding the first has ended.
TEST_P(Waits, ACountThatIsTooLarge) {
  const std::string loads =
      "global_load_b32 v2, v1, s[4:5]\nglobal_load_b32 v3, v1, s[4:5] offset:128\n"
      "global_load_b32 v4, v1, s[4:5] offset:256\n";
  const CheckedRun run =
      expect_twins(register_read_before_wait, loads, "{load 2}\n", "{load 1}\n",
                   "v_mov_b32 v5, v3\n{load 0}\nglobal_store_b32 v1, v5, s[6:7]\n");
  const Finding& finding = run.report.findings.front();
  EXPECT_NE(finding.message.find("down to 2, and it takes 1"), std::string::npos)
      << finding.message;
  EXPECT_NE(finding.fix.find(is_gfx12() ? "s_wait_loadcnt 1" : "vmcnt(1)"), std::string::npos)
      << finding.fix;
  ASSERT_EQ(finding.related.size(), 2u);
}

TEST_P(Waits, TheFirstOfTwoLoadsNeedsNoMore) {
  expect_silent({.body = "global_load_b32 v2, v1, s[4:5]\nglobal_load_b32 v3, v1, s[4:5]\n"
                         "{load 1}\nv_mov_b32 v5, v2\n{load 0}\nglobal_store_b32 v1, v5, s[6:7]"});
}

TEST_P(Waits, LdsLoad) {
  expect_twins(register_read_before_wait, "ds_store_b32 v1, v0\nds_load_b32 v2, v1\n", "",
               "{lds 0}\n", "v_mov_b32 v3, v2\n{lds 0}\nglobal_store_b32 v1, v3, s[6:7]\n", 128);
}

TEST_P(Waits, LdsLoadWithTheWrongCounter) {
  expect_twins(register_read_before_wait, "ds_store_b32 v1, v0\nds_load_b32 v2, v1\n", "{load 0}\n",
               "{lds 0}\n", "v_mov_b32 v3, v2\n{lds 0}\nglobal_store_b32 v1, v3, s[6:7]\n", 128);
}

// Stores count too: two operations are outstanding, and the load is the older one.
TEST_P(Waits, LdsOperationsAreCountedInOrder) {
  expect_silent({.body = "ds_store_b32 v1, v0\nds_load_b32 v2, v1\nds_store_b32 v1, v0\n{lds 1}\n"
                         "v_mov_b32 v3, v2\nglobal_store_b32 v1, v3, s[6:7]",
                 .lds_bytes = 128});
  expect(register_read_before_wait,
         {.body = "ds_store_b32 v1, v0\nds_load_b32 v2, v1\nds_store_b32 v1, v0\n{lds 2}\n"
                  "v_mov_b32 v3, v2\nglobal_store_b32 v1, v3, s[6:7]",
          .lds_bytes = 128});
}

TEST_P(Waits, ScalarLoad) {
  expect_twins(register_read_before_wait, "s_load_b32 s8, s[4:5], 0x0\n", "", "{scalar 0}\n",
               "v_mov_b32 v3, s8\n{scalar 0}\nglobal_store_b32 v1, v3, s[6:7]\n");
}

// Scalar loads end in any order: only a count of zero is sure.
TEST_P(Waits, ScalarLoadsEndInAnyOrder) {
  const CheckedRun run = expect_twins(
      register_read_before_wait, "s_load_b32 s8, s[4:5], 0x0\ns_load_b32 s9, s[4:5], 0x4\n",
      "{scalar 1}\n", "{scalar 0}\n",
      "s_mov_b32 s10, s8\n{scalar 0}\nv_mov_b32 v3, s10\nglobal_store_b32 v1, v3, s[6:7]\n");
  EXPECT_NE(run.report.findings[0].message.find("down to 1, and it takes 0"), std::string::npos)
      << run.text();
}

TEST_P(Waits, RegisterOverwrittenWhileALoadIsOnItsWay) {
  const CheckedRun run =
      expect_twins(register_overwritten_before_wait, "global_load_b32 v2, v1, s[4:5]\n", "",
                   "{load 0}\n", "v_mov_b32 v2, 0\n{load 0}\nglobal_store_b32 v1, v2, s[6:7]\n");
  EXPECT_NE(run.report.findings[0].message.find("v2 is overwritten while"), std::string::npos)
      << run.text();
}

TEST_P(Waits, LoadsOfTwoKindsIntoOneRegister) {
  expect_twins(register_overwritten_before_wait,
               "ds_store_b32 v1, v0\n{lds 0}\nglobal_load_b32 v2, v1, s[4:5]\n", "", "{load 0}\n",
               "ds_load_b32 v2, v1\n{load 0}\n{lds 0}\nglobal_store_b32 v1, v2, s[6:7]\n", 128);
}

TEST_P(Waits, AddressOfAStore) {
  expect_twins(register_read_before_wait, "global_load_b32 v2, v1, s[4:5]\n", "", "{load 0}\n",
               "v_mov_b32 v3, v1\nglobal_store_b32 v3, v2, s[6:7]\n");
}

TEST_P(Waits, EachRegisterOfAWideLoad) {
  const CheckedRun run = expect_twins(
      register_read_before_wait, "v_lshlrev_b32 v2, 4, v0\nglobal_load_b128 v[4:7], v2, s[4:5]\n",
      "", "{load 0}\n", "v_mov_b32 v3, v7\n{load 0}\nglobal_store_b32 v1, v3, s[6:7]\n");
  EXPECT_NE(run.report.findings[0].message.find("v7 is read"), std::string::npos) << run.text();
}

TEST_P(Waits, AtomicThatReturns) {
  const std::string returning = is_gfx12() ? " th:TH_ATOMIC_RETURN" : " glc";
  expect_twins(register_read_before_wait,
               "v_mov_b32 v4, 1\nglobal_atomic_add_u32 v2, v1, v4, s[4:5]" + returning + "\n", "",
               "{load 0}\n", "v_mov_b32 v3, v2\n{load 0}\nglobal_store_b32 v1, v3, s[6:7]\n");
}

TEST_P(Waits, OneFindingForALoop) {
  const CheckedRun run =
      expect(register_read_before_wait,
             {.body = "s_mov_b32 s8, 5\nv_mov_b32 v3, 0\nagain:\nglobal_load_b32 v2, v1, s[4:5]\n"
                      "v_add_nc_u32 v3, v3, v2\n{load 0}\ns_sub_i32 s8, s8, 1\n"
                      "s_cmp_lg_u32 s8, 0\ns_cbranch_scc1 again\n"
                      "global_store_b32 v1, v3, s[6:7]"});
  ASSERT_EQ(run.report.findings.size(), 1u) << run.text();
  EXPECT_EQ(run.report.findings[0].count, 5u);
}

// The upper half may be read while the load fills the lower one.
TEST_P(Waits, HalvesOfARegister) {
  const std::string load = "v_mov_b32 v2, 7\nglobal_load_d16_b16 v2, v1, s[4:5]\n";
  expect(register_read_before_wait,
         {.body = load + "v_mov_b32 v3, v2\n{load 0}\nglobal_store_b32 v1, v3, s[6:7]"});
  expect_silent({.body = load + "{load 0}\nv_mov_b32 v3, v2\nglobal_store_b32 v1, v3, s[6:7]"});
}

// The load may write both halves back.
TEST_P(Waits, OtherHalfOfARegister) {
  const std::string load = "v_mov_b32 v2, 7\nglobal_load_d16_b16 v2, v1, s[4:5]\n",
                    write = is_gfx12()
                                ? "global_load_d16_hi_b16 v2, v1, s[4:5] offset:64\n{load 0}\n"
                                : "v_mov_b16_e32 v2.h, 0x1234\n",
                    use = "{load 0}\nglobal_store_b32 v1, v2, s[6:7]";
  expect(register_overwritten_before_wait, {.body = load + write + use});
  expect_silent({.body = load + "{load 0}\n" + write + use});
}

// Flat operations count in two counters; a register is there when both say so.
TEST_P(Waits, FlatLoadNeedsBothCounters) {
  const std::string load =
      "v_add_co_u32 v2, vcc_lo, s4, v1\nv_add_co_ci_u32_e64 v3, vcc_lo, s5, 0, vcc_lo\n"
      "flat_load_b32 v4, v[2:3]\n";
  const std::string use = "v_mov_b32 v5, v4\n{load 0}\n{lds 0}\nglobal_store_b32 v1, v5, s[6:7]";
  expect_silent({.body = load + "{load 0}\n{lds 0}\n" + use});
  expect(register_read_before_wait, {.body = load + "{load 0}\n" + use});
  expect(register_read_before_wait, {.body = load + "{lds 0}\n" + use});
}

INSTANTIATE_TEST_SUITE_P(Targets, Waits, ::testing::ValuesIn(targets()),
                         [](const auto& info) { return info.param; });

// lgkmcnt counts LDS and scalar memory on gfx11. With one of each outstanding, a count of one says
// nothing of either.
TEST(WaitsGfx11, LdsAndScalarShareACounter) {
  const std::string both =
      "ds_store_b32 v1, v0\ns_waitcnt lgkmcnt(0)\nds_load_b32 v2, v1\n"
      "s_load_b32 s8, s[4:5], 0x0\n";
  const std::string use =
      "v_mov_b32 v3, v2\ns_waitcnt lgkmcnt(0)\n"
      "global_store_b32 v1, v3, s[6:7]";
  const CheckedRun wrong =
      run_checked({.body = both + "s_waitcnt lgkmcnt(1)\n" + use, .lds_bytes = 128}, "gfx1151");
  EXPECT_EQ(wrong.count(register_read_before_wait), 1) << wrong.text();
  const CheckedRun right =
      run_checked({.body = both + "s_waitcnt lgkmcnt(0)\n" + use, .lds_bytes = 128}, "gfx1151");
  EXPECT_TRUE(right.report.findings.empty()) << right.text();
}

// global_inv counts in loadcnt until it has ended, and global_wb in storecnt (LLVM,
// SIInsertWaitcnts).
TEST(WaitsOfGfx12, CacheControlsCount) {
  const auto kernel = [](const std::string& left) {
    return CheckedKernel{.body =
                             "global_load_b32 v2, v1, s[4:5]\nglobal_inv scope:SCOPE_SE\n"
                             "s_wait_loadcnt " +
                             left + "\nv_mov_b32 v3, v2\nglobal_store_b32 v1, v3, s[6:7]"};
  };
  EXPECT_EQ(run_checked(kernel("1"), "gfx1201").text(), "");
  EXPECT_EQ(run_checked(kernel("2"), "gfx1201").count(register_read_before_wait), 1);
}

// gfx11 writes the results of vector loads in order, gfx12 does not.
TEST(WaitsOfTwoLoads, IntoOneRegister) {
  const std::string loads =
      "global_load_b32 v2, v1, s[4:5]\nglobal_load_b32 v2, v1, s[4:5] offset:128\n{load 0}\n"
      "global_store_b32 v1, v2, s[6:7]";
  EXPECT_TRUE(run_checked({.body = loads}, "gfx1151").report.findings.empty());
  EXPECT_EQ(run_checked({.body = loads}, "gfx1201").count(register_overwritten_before_wait), 1);
}

TEST(WaitsGfx12, CombinedWaits) {
  const std::string loads =
      "ds_store_b32 v1, v0\nds_load_b32 v2, v1\n"
      "global_load_b32 v3, v1, s[4:5]\n";
  const std::string use = "v_add_nc_u32 v4, v2, v3\nglobal_store_b32 v1, v4, s[6:7]";
  const auto findings = [&](const std::string& wait) {
    return run_checked({.body = loads + wait + use, .lds_bytes = 128}, "gfx1201")
        .report.findings.size();
  };
  EXPECT_EQ(findings("s_wait_loadcnt_dscnt 0x0\n"), 0u);
  EXPECT_EQ(findings("s_wait_loadcnt_dscnt 0x100\n"), 1u);  // one load left
  EXPECT_EQ(findings("s_wait_loadcnt_dscnt 0x1\n"), 1u);    // one LDS operation left
  EXPECT_EQ(findings("s_wait_loadcnt_dscnt 0x101\n"), 2u);
}

}  // namespace waits_test
}  // namespace heddle::emulator::testing
