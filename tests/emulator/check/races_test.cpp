// Global memory: races between waves and between workgroups, what orders them, and the caches.
// Wrong kernels and their corrected twins, in machine code; tests/kernels/pitfalls has them in HIP.
#include <algorithm>

#include "checked_kernel.h"

namespace heddle::emulator::testing {
namespace races_test {

using enum FindingKind;

class Races : public Checked {
 protected:
  // s9: the workgroup's number.
  std::string number() const { return is_gfx12() ? "s_mov_b32 s9, ttmp9\n" : "s_mov_b32 s9, s2\n"; }
  std::string scope() const { return is_gfx12() ? " scope:SCOPE_DEV" : ""; }
  std::string coherent() const { return is_gfx12() ? " scope:SCOPE_DEV" : " glc"; }
  std::string invalidate_near() const {
    return is_gfx12() ? "global_inv scope:SCOPE_SE\n{load 0}\n" : "buffer_gl0_inv\n";
  }
  std::string invalidate() const {
    return is_gfx12() ? "global_inv scope:SCOPE_DEV\n{load 0}\n"
                      : "buffer_gl1_inv\nbuffer_gl0_inv\n";
  }

  CheckedKernel of_workgroups(const std::string& body, uint32_t workgroups = 2) const {
    return {.body = number() + body, .workgroups = workgroups};
  }
  // The first workgroup stores 64 + lane at byte 0 and then a flag at byte 512; the second one
  // waits for the flag, loads and stores at byte 256.
  CheckedKernel hand_over(const std::string& release, const std::string& acquire,
                          const std::string& flag_load) const {
    return of_workgroups(
        "v_mov_b32 v4, 0\nv_mov_b32 v5, 1\ns_cmp_eq_u32 s9, 0\ns_cbranch_scc0 second\n"
        "v_add_nc_u32 v3, 64, v0\nglobal_store_b32 v1, v3, s[6:7]\n" +
        release + "s_mov_b32 exec_lo, 1\nglobal_store_b32 v4, v5, s[4:5] offset:512" + scope() +
        "\ns_endpgm\n"
        "second:\nglobal_load_b32 v6, v4, s[4:5] offset:512" +
        flag_load +
        "\n{load 0}\nv_readfirstlane_b32 s10, v6\ns_cmp_eq_u32 s10, 1\ns_cbranch_scc0 second\n" +
        acquire +
        "global_load_b32 v3, v1, s[6:7]\n{load 0}\nglobal_store_b32 v1, v3, s[6:7] offset:256");
  }
};

TEST_P(Races, BarrierAndWaitAndCache) {
  // A wave reads what the other one stored; v2: its place.
  const auto kernel = [](const std::string& between) {
    return CheckedKernel{.body = "v_xor_b32 v2, 0x80, v1\nglobal_store_b32 v1, v0, s[6:7]\n" +
                                 between +
                                 "global_load_b32 v3, v2, s[6:7]\n{load 0}\n"
                                 "global_store_b32 v1, v3, s[6:7] offset:512",
                         .threads = 64};
  };
  expect_silent(kernel("{store 0}\n{barrier}\n" + invalidate_near()));
  const CheckedRun no_wait =
      expect(global_race_read_after_write, kernel("{barrier}\n" + invalidate_near()));
  EXPECT_NE(no_wait.text().find("was not waited for"), std::string::npos) << no_wait.text();
  const CheckedRun stale = expect(global_race_read_after_write, kernel("{store 0}\n{barrier}\n"));
  EXPECT_NE(stale.text().find("has not invalidated"), std::string::npos) << stale.text();
}

// What a wave did that has ended comes before the barriers of those that are left.
TEST_P(Races, AWaveThatEndsBeforeTheBarrier) {
  const auto kernel = [&](const std::string& between) {
    return CheckedKernel{.body = "v_xor_b32 v2, 0x80, v1\nglobal_store_b32 v1, v0, s[6:7]\n" +
                                 between +
                                 "v_cmp_gt_u32 vcc_lo, 32, v0\ns_cbranch_vccz other\n"
                                 "{barrier}\n" +
                                 invalidate_near() +
                                 "global_load_b32 v3, v2, s[6:7]\n{load 0}\n"
                                 "global_store_b32 v1, v3, s[6:7] offset:512\nother:\n",
                         .threads = 64};
  };
  const CheckedRun run = run_checked(kernel("{store 0}\n"), GetParam());
  EXPECT_TRUE(run.report.findings.empty()) << run.text();
  EXPECT_EQ(run.report.notes.size(), 1u);
  EXPECT_EQ(run_checked(kernel(""), GetParam()).count(global_race_read_after_write), 1);
}

TEST_P(Races, WriteAfterRead) {
  const auto kernel = [](const std::string& between) {
    return CheckedKernel{
        .body = "v_xor_b32 v2, 0x80, v1\nglobal_load_b32 v3, v2, s[4:5]\n{load 0}\n" + between +
                "v_add_nc_u32 v3, 1, v3\nglobal_store_b32 v1, v3, s[4:5]",
        .threads = 64};
  };
  expect_silent(kernel("{barrier}\n"));
  // The wave that comes later reads what the first one has written already.
  const CheckedRun run = run_checked(kernel(""), GetParam());
  EXPECT_EQ(run.count(global_race_write_after_read), 1) << run.text();
  EXPECT_EQ(run.count(global_race_read_after_write), 1) << run.text();
}

// Both waves load a tile and only the first one stores it: Triton does so with a tile that is
// smaller than its waves. What the other wave loads may be old or new, and matters where it is
// used.
TEST_P(Races, AWaveLoadsWhatItDoesNotUse) {
  const auto kernel = [](const std::string& use) {
    return CheckedKernel{
        .body =
            "v_and_b32 v2, 0x7c, v1\nglobal_load_b32 v3, v2, s[4:5]\n{load 0}\n"
            "v_add_nc_u32 v3, 1, v3\nv_cmp_gt_u32 vcc_lo, 32, v0\ns_cbranch_vccz other\n"
            "global_store_b32 v2, v3, s[4:5]\n{barrier}\ns_endpgm\nother:\n" +
            use,
        .lds_bytes = 256,
        .threads = 64};
  };
  expect_silent(kernel("{barrier}\n"));
  expect(global_race_read_after_write, kernel("global_store_b32 v2, v3, s[6:7]\n{barrier}\n"));
  expect(global_race_read_after_write,
         kernel("v_mov_b32 v4, 0\nglobal_atomic_add_u32 v4, v3, s[4:5] offset:1024\n{barrier}\n"));
  expect(global_race_read_after_write,
         kernel("v_and_b32 v3, 0x7c, v3\nglobal_load_b32 v3, v3, s[4:5] offset:1024\n{barrier}\n"));
  expect(global_race_read_after_write,
         kernel("v_cmp_eq_u32 vcc_lo, 7, v3\ns_cbranch_vccz last\nlast:\n{barrier}\n"));
  // By LDS it reaches the wave itself again.
  expect(global_race_read_after_write,
         kernel("ds_store_b32 v2, v3\n{lds 0}\nds_load_b32 v5, v2\n{lds 0}\n"
                "global_store_b32 v2, v5, s[6:7]\n{barrier}\n"));
}

// An atomic update stores its data, too.
TEST_P(Races, AnUpdateByAValueThatNobodyWrote) {
  expect(undefined_store,
         of_workgroups("v_mov_b32 v4, 0\nglobal_atomic_add_u32 v4, v77, s[4:5]\n", 1));
}

TEST_P(Races, FlagBetweenWorkgroups) {
  const std::string release = "{load 0}\n{store 0}\n";
  expect_silent(hand_over(release, invalidate(), coherent()));
  const CheckedRun no_wait = run_checked(hand_over("", invalidate(), coherent()), GetParam());
  EXPECT_EQ(no_wait.count(global_race_read_after_write), 1) << no_wait.text();
  EXPECT_NE(no_wait.text().find("was not waited for"), std::string::npos) << no_wait.text();
  const CheckedRun stale = run_checked(hand_over(release, "", coherent()), GetParam());
  EXPECT_EQ(stale.count(global_race_read_after_write), 1) << stale.text();
  EXPECT_NE(stale.text().find("has not invalidated"), std::string::npos) << stale.text();
  // Half of the caches is not enough.
  EXPECT_EQ(run_checked(hand_over(release, invalidate_near(), coherent()), GetParam())
                .count(global_race_read_after_write),
            1);
  // L0 is filled again from L1, so L1 comes first.
  if (!is_gfx12())
    EXPECT_EQ(
        run_checked(hand_over(release, "buffer_gl0_inv\nbuffer_gl1_inv\n", coherent()), GetParam())
            .count(global_race_read_after_write),
        1);
  // An ordinary load of the flag may show the old value for ever.
  EXPECT_GE(run_checked(hand_over(release, invalidate(), ""), GetParam())
                .count(global_race_read_after_write),
            1);
}

// A load that nobody has waited for holds back what others know only if they could collide with it:
// here it is of the kernel's arguments, and what is told is told by a barrier.
TEST_P(Races, ALoadOfAnArgumentOnItsWay) {
  const std::string body =
      "s_load_b32 s20, s[0:1], 0x0\nv_mov_b32 v4, 0\nv_mov_b32 v5, 1\ns_cmp_eq_u32 s9, 0\n"
      "s_cbranch_scc0 second\nv_add_nc_u32 v3, 64, v0\nglobal_store_b32 v1, v3, s[6:7]\n"
      "{store 0}\n{barrier}\nv_cmpx_eq_u32 0, v0\n"
      "global_store_b32 v4, v5, s[4:5] offset:512" +
      scope() +
      "\ns_endpgm\n"
      "second:\nv_cmp_gt_u32 vcc_lo, 32, v0\ns_cbranch_vccz wait\n"
      "again:\nglobal_load_b32 v6, v4, s[4:5] offset:512" +
      coherent() +
      "\n{load 0}\nv_readfirstlane_b32 s10, v6\ns_cmp_eq_u32 s10, 1\ns_cbranch_scc0 again\n" +
      invalidate() + "wait:\n{barrier}\n" + invalidate_near() +
      "global_load_b32 v3, v1, s[6:7]\n{load 0}\nglobal_store_b32 v1, v3, s[6:7] offset:512";
  CheckedKernel kernel = of_workgroups(body);
  kernel.threads = 64;
  expect_silent(kernel);
}

TEST_P(Races, TwoWorkgroupsStoreToOnePlace) {
  const auto store = [&](const std::string& value) {
    return of_workgroups("v_mov_b32 v3, " + value + "\nglobal_store_b32 v1, v3, s[6:7]", 3);
  };
  expect(global_race_write_after_write, store("s9"));
  expect_silent(store("7"));
}

TEST_P(Races, AtomicsDoNotRaceWithAtomics) {
  const std::string add = "v_mov_b32 v4, 0\nglobal_atomic_add_u32 v4, v0, s[4:5]" + scope();
  expect_silent(of_workgroups(add, 4));
  const CheckedRun mixed = run_checked(
      of_workgroups(add + "\n{store 0}\nglobal_load_b32 v3, v4, s[4:5]\n{load 0}", 2), GetParam());
  // The second workgroup's update comes after the first one's, and before or after its load.
  EXPECT_GE(mixed.count(global_race_write_after_read), 1) << mixed.text();
  EXPECT_TRUE(mixed.text().contains("Load it with an atomic load as well")) << mixed.text();
}

// Floats are added by a loop around a compare-and-swap, whose first guess is an ordinary load.
TEST_P(Races, TheFirstGuessOfACompareAndSwap) {
  const std::string returns = is_gfx12() ? " th:TH_ATOMIC_RETURN scope:SCOPE_DEV" : " glc";
  const std::string guess =
      "s_mov_b32 exec_lo, 1\nv_mov_b32 v4, 0\nglobal_load_b32 v7, v4, s[4:5]\n{load 0}\n";
  const std::string loop =
      "again:\nv_add_nc_u32 v6, 5, v7\n"
      "global_atomic_cmpswap_b32 v8, v4, v[6:7], s[4:5]" +
      returns + "\n{load 0}\nv_cmp_eq_u32 vcc_lo, v8, v7\nv_mov_b32 v7, v8\ns_cbranch_vccz again\n";
  CheckedKernel kernel = of_workgroups(guess + loop, 4);
  const CheckedRun run = run_checked(kernel, GetParam());
  EXPECT_EQ(run.text(), "");
  EXPECT_EQ(run.in[0], 1u + 4 * 5);
  // One that compares nothing, and one that compares somewhere else.
  const std::string add = "global_atomic_add_u32 v4, v7, s[4:5]" + scope() + "\n";
  expect(global_race_read_after_write, of_workgroups(guess + add, 4));
  const std::string elsewhere =
      "v_mov_b32 v6, 5\nv_mov_b32 v8, 64\nglobal_atomic_cmpswap_b32 v9, v8, v[6:7], s[4:5]" +
      returns + "\n";
  expect(global_race_read_after_write, of_workgroups(guess + add + elsewhere, 4));
}

TEST_P(Races, AScopeThatIsTooSmall) {
  if (!is_gfx12()) GTEST_SKIP() << "atomics of gfx11 say no scope";
  expect(global_race_write_after_write,
         of_workgroups("v_mov_b32 v4, 0\nglobal_atomic_add_u32 v4, v0, s[4:5] scope:SCOPE_SE", 2));
}

TEST_P(Races, BytesOfOneWord) {
  expect_silent(of_workgroups("v_lshl_add_u32 v2, v0, 2, s9\nglobal_store_b8 v2, v0, s[4:5]", 4));
}

// What a workgroup does to its own part concerns nobody.
TEST_P(Races, InPlace) {
  expect_silent(
      of_workgroups("s_lshl_b32 s10, s9, 7\nv_add_nc_u32 v1, s10, v1\n"
                    "global_load_b32 v3, v1, s[4:5]\n{load 0}\n"
                    "v_add_nc_u32 v3, 1, v3\nglobal_store_b32 v1, v3, s[4:5]",
                    8));
}

TEST_P(Races, TheSameOnAnyNumberOfThreads) {
  CheckedKernel kernel = of_workgroups(
      "v_mov_b32 v3, s9\nglobal_load_b32 v4, v1, s[4:5]\n{load 0}\n"
      "v_add_nc_u32 v3, v3, v4\nglobal_store_b32 v1, v3, s[4:5]",
      40);
  const CheckedRun one = run_checked(kernel, GetParam());
  kernel.host_threads = 4;
  const CheckedRun four = run_checked(kernel, GetParam());
  EXPECT_FALSE(one.report.findings.empty());
  EXPECT_EQ(one.text(), four.text());
  EXPECT_EQ(one.in, four.in);
}

// A counter that the last workgroup sets back. Its update came after those of the others, whatever
// else they had not waited for.
TEST_P(Races, ACounterIsSetBack) {
  const std::string returning = is_gfx12() ? " th:TH_ATOMIC_RETURN scope:SCOPE_DEV" : " glc";
  expect_silent(of_workgroups(
      "s_lshl_b32 s10, s9, 7\nv_add_nc_u32 v2, s10, v1\nglobal_store_b32 v2, v0, s[6:7]\n"
      "s_mov_b32 exec_lo, 1\nv_mov_b32 v4, 0\nv_mov_b32 v5, 1\n"
      "global_atomic_add_u32 v6, v4, v5, s[4:5]" +
          returning +
          "\n{load 0}\nv_readfirstlane_b32 s10, v6\ns_cmp_eq_u32 s10, 4\n"
          "s_cbranch_scc0 done\nv_mov_b32 v5, 1\nglobal_store_b32 v4, v5, s[4:5]" +
          scope() + "\ndone:",
      4));
}

// A path that is taken only where the workgroup that waits comes first.
TEST_P(Races, WaitsThatSomeOrdersTake) {
  const auto kernel = [&](const std::string& in_loop) {
    const std::string load = "global_load_b32 v6, v4, s[4:5] offset:512" + coherent() +
                             "\n{load 0}\nv_readfirstlane_b32 s10, v6\ns_cmp_eq_u32 s10, 1\n";
    return of_workgroups(
        "v_mov_b32 v4, 0\nv_mov_b32 v5, 1\ns_cmp_eq_u32 s9, 0\ns_cbranch_scc0 second\n"
        "v_add_nc_u32 v3, 64, v0\nglobal_store_b32 v1, v3, s[6:7]\n{load 0}\n{store 0}\n"
        "s_mov_b32 exec_lo, 1\nglobal_store_b32 v4, v5, s[4:5] offset:512" +
        scope() + "\ns_endpgm\nsecond:\n" + load + "s_cbranch_scc0 wait\n" + invalidate() +
        "s_branch ready\nwait:\n" + load + "s_cbranch_scc0 wait\n" + in_loop +
        "ready:\nglobal_load_b32 v3, v1, s[6:7]\n{load 0}\n"
        "global_store_b32 v1, v3, s[6:7] offset:256");
  };
  expect_silent(kernel(invalidate()));
  const CheckedRun stale = run_checked(kernel(""), GetParam());
  EXPECT_EQ(stale.count(global_race_read_after_write), 1) << stale.text();
}

// Each workgroup appends its number where a counter says: the places depend on who comes first.
TEST_P(Races, ResultThatDependsOnTheOrder) {
  const std::string take =
      "s_mov_b32 exec_lo, 1\nv_mov_b32 v4, 0\nv_mov_b32 v5, 4\nv_mov_b32 v6, s9\n"
      "global_atomic_add_u32 v5, v4, v5, s[4:5]" +
      (is_gfx12() ? std::string(" th:TH_ATOMIC_RETURN scope:SCOPE_DEV") : " glc") +
      "\n{load 0}\nglobal_store_b32 v5, v6, s[4:5] offset:1024";
  expect(order_dependent_result, of_workgroups(take, 3));
}

// A workgroup waits for one that starts later.
TEST_P(Races, AllWorkgroupsArePresent) {
  const std::string meet =
      "s_mov_b32 exec_lo, 1\nv_mov_b32 v4, 0\nv_mov_b32 v5, 1\n"
      "global_atomic_add_u32 v4, v5, s[4:5] offset:2048" +
      scope() + "\n{store 0}\nagain:\nglobal_load_b32 v6, v4, s[4:5] offset:2048" + coherent() +
      "\n{load 0}\nv_readfirstlane_b32 s10, v6\ns_cmp_ge_u32 s10, 517\ns_cbranch_scc0 again";
  // `in` holds 513 at byte 2048.
  expect_silent(of_workgroups(meet, 4));
}

// Each wave learns from the one before, and stores so often that what it knew each time is too much
// to keep: the report says so, and the memory of the run stays within its budget.
TEST_P(Races, TooManyStoresThatTellSomething) {
  const std::string returning = is_gfx12() ? " th:TH_ATOMIC_RETURN scope:SCOPE_DEV" : " glc";
  CheckedKernel kernel = of_workgroups(
      "s_mov_b32 exec_lo, 1\nv_mov_b32 v4, 0\nv_mov_b32 v5, 1\ns_movk_i32 s10, 3000\n"
      "s_lshl_b32 s11, s9, 2\nv_mov_b32 v7, s11\nagain:\n"
      "global_atomic_add_u32 v6, v4, v5, s[4:5]" +
          returning +
          "\n{load 0}\nglobal_store_b32 v7, v6, s[6:7]\ns_sub_u32 s10, s10, 1\n"
          "s_cmp_lg_u32 s10, 0\ns_cbranch_scc1 again",
      512);
  const CheckedRun run = run_checked(kernel, GetParam());
  EXPECT_NE(std::ranges::find_if(
                run.report.unchecked,
                [](const std::string& what) { return what.contains("more stores of more waves"); }),
            run.report.unchecked.end());
}

// The same by code that is not optimised: its loop writes to scratch while it sleeps.
TEST_P(Races, AWaitThatWritesToScratch) {
  CheckedKernel kernel = of_workgroups(
      "s_mov_b32 exec_lo, 1\nv_mov_b32 v4, 0\nv_mov_b32 v5, 1\n"
      "global_atomic_add_u32 v4, v5, s[4:5] offset:2048" +
          scope() + "\n{store 0}\nagain:\ns_sleep 1\nscratch_store_b32 off, v5, off\n" +
          "global_load_b32 v6, v4, s[4:5] offset:2048" + coherent() +
          "\n{load 0}\nv_readfirstlane_b32 s10, v6\ns_cmp_ge_u32 s10, 517\n"
          "s_cbranch_scc0 again",
      4);
  kernel.scratch_bytes = 16;
  expect_silent(kernel);
}

TEST_P(Races, ScalarLoadOfWhatTheWaveStored) {
  const auto kernel = [](const std::string& between) {
    return CheckedKernel{.body =
                             "v_mov_b32 v2, 9\nv_mov_b32 v4, 0\n"
                             "global_store_b32 v4, v2, s[4:5]\n" +
                             between +
                             "s_load_b32 s9, s[4:5], 0x0\n{scalar 0}\nv_mov_b32 v3, s9\n"
                             "global_store_b32 v1, v3, s[6:7]"};
  };
  expect_silent(kernel("{store 0}\ns_dcache_inv\n"));
  expect(stale_scalar_load, kernel("{store 0}\n"));
  expect(stale_scalar_load, kernel("s_dcache_inv\n"));
  expect(stale_scalar_load, kernel(""));
}

TEST_P(Races, LanesOfOneInstruction) {
  const std::string halves = "v_and_b32 v2, 15, v0\nv_lshlrev_b32 v2, 2, v2\n";
  const CheckedRun global =
      expect(conflicting_lanes, {.body = halves + "global_store_b32 v2, v0, s[6:7]"});
  EXPECT_EQ(global.report.findings[0].lanes, 0x10001u);
  expect_silent({.body = halves + "global_store_b32 v2, v2, s[6:7]"});
  expect(conflicting_lanes, {.body = halves + "ds_store_b32 v2, v0", .lds_bytes = 256});
  expect_silent({.body = halves + "ds_store_b32 v2, v2", .lds_bytes = 256});
}

// As FlagBetweenWorkgroups. Each die of gfx942 and gfx950 has an L2, which the flag passes by.
class RacesOfDies : public ::testing::TestWithParam<std::string> {
 protected:
  // v4 is 0 and v5 is 1: the flag at an offset of `in` is set, and waited for.
  static std::string told(int offset) {
    return "s_mov_b64 exec, 1\nglobal_store_dword v4, v5, s[4:5] offset:" + std::to_string(offset) +
           " sc1\n";
  }
  static std::string wait(const std::string& label, int offset) {
    return label + ":\nglobal_load_dword v6, v4, s[4:5] offset:" + std::to_string(offset) +
           " sc1\n{load 0}\nv_readfirstlane_b32 s10, v6\ns_cmp_eq_u32 s10, 1\ns_cbranch_scc0 " +
           label + "\n";
  }
  CheckedRun hand_over(const std::string& release, const std::string& acquire,
                       const std::string& store_modifier = "") const {
    const CheckedKernel kernel = {
        .body =
            "s_mov_b32 s9, s2\nv_mov_b32 v4, 0\nv_mov_b32 v5, 1\ns_cmp_eq_u32 s9, 0\n"
            "s_cbranch_scc0 second\nv_add_u32 v3, 64, v0\n"
            "global_store_dword v1, v3, s[6:7]" +
            store_modifier + "\n" + release + told(512) + "s_endpgm\n" + wait("second", 512) +
            acquire +
            "global_load_dword v3, v1, s[6:7]\n{load 0}\n"
            "global_store_dword v1, v3, s[6:7] offset:256",
        .threads = 64,
        .workgroups = 2};
    return run_checked(kernel, GetParam());
  }
  // One race, in words that say this.
  void expect_race(const CheckedRun& run, const std::string& words) const {
    EXPECT_EQ(run.count(global_race_read_after_write), 1) << run.text();
    EXPECT_NE(run.text().find(words), std::string::npos) << run.text();
  }
};

TEST_P(RacesOfDies, FlagBetweenWorkgroups) {
  const std::string release = "buffer_wbl2 sc1\n{load 0}\n", acquire = "buffer_inv sc1\n";
  const CheckedRun right = hand_over(release, acquire);
  EXPECT_TRUE(right.report.findings.empty()) << right.text();
  // A store that goes to memory by itself needs no write-back, but its end.
  const CheckedRun through = hand_over("{load 0}\n", acquire, " sc1");
  EXPECT_TRUE(through.report.findings.empty()) << through.text();
  expect_race(hand_over("", acquire, " sc1"), "was not waited for");
  expect_race(hand_over("{load 0}\n", acquire), "was not written back");
  // One that is for waves of the workgroup.
  expect_race(hand_over("buffer_wbl2 sc0\n{load 0}\n", acquire), "was not written back");
  expect_race(hand_over(release, ""), "has not invalidated");
  expect_race(hand_over(release, "buffer_inv sc0\n"), "has not invalidated");
}

// What one wave writes back, it does for all of its workgroup.
TEST_P(RacesOfDies, OneWaveWritesBack) {
  const auto kernel = [](const std::string& barrier) {
    return CheckedKernel{
        .body =
            "s_mov_b32 s9, s2\nv_mov_b32 v4, 0\nv_mov_b32 v5, 1\ns_cmp_eq_u32 s9, 0\n"
            "s_cbranch_scc0 second\nglobal_store_dword v1, v0, s[6:7]\n{load 0}\n" +
            barrier +
            "v_readfirstlane_b32 s10, v0\ns_cmp_eq_u32 s10, 0\ns_cbranch_scc0 end\n"
            "buffer_wbl2 sc1\n{load 0}\n" +
            told(512) + "end:\ns_endpgm\n" + wait("second", 512) +
            "buffer_inv sc1\nglobal_load_dword v3, v1, s[6:7]\n{load 0}\n"
            "global_store_dword v1, v3, s[6:7] offset:1024",
        .threads = 128,
        .workgroups = 2};
  };
  const CheckedRun right = run_checked(kernel("s_barrier\n"), GetParam());
  EXPECT_TRUE(right.report.findings.empty()) << right.text();
  const CheckedRun no_barrier = run_checked(kernel(""), GetParam());
  EXPECT_GE(no_barrier.count(global_race_read_after_write), 1) << no_barrier.text();
}

// A workgroup that knows of the store of another one does not write it back: that is in another L2.
TEST_P(RacesOfDies, OfTwoWorkgroupsEachWritesBackItsOwn) {
  const auto kernel = [](const std::string& release) {
    return CheckedKernel{
        .body =
            "v_mov_b32 v4, 0\nv_mov_b32 v5, 1\ns_cmp_eq_u32 s2, 1\ns_cbranch_scc1 second\n"
            "s_cmp_eq_u32 s2, 2\ns_cbranch_scc1 third\n"
            "global_store_dword v1, v0, s[6:7]\n" +
            release + "{load 0}\n" + told(512) + "s_endpgm\n" + wait("second", 512) +
            "buffer_inv sc1\nbuffer_wbl2 sc1\n{load 0}\n" + told(516) + "s_endpgm\n" +
            wait("third", 516) +
            "buffer_inv sc1\nglobal_load_dword v3, v1, s[6:7]\n{load 0}\n"
            "global_store_dword v1, v3, s[6:7] offset:1024",
        .threads = 64,
        .workgroups = 3};
  };
  const CheckedRun right = run_checked(kernel("buffer_wbl2 sc1\n"), GetParam());
  EXPECT_TRUE(right.report.findings.empty()) << right.text();
  expect_race(run_checked(kernel(""), GetParam()), "was not written back");
}

// Atomics of the workgroup's scope have sc0, or nothing where they update.
TEST_P(RacesOfDies, AtomicsOfAWorkgroup) {
  const auto kernel = [](const std::string& store) {
    return CheckedKernel{.body =
                             "v_mov_b32 v4, 0\nv_mov_b32 v5, 1\nv_readfirstlane_b32 s10, v0\n"
                             "s_mov_b64 exec, 1\ns_cmp_eq_u32 s10, 0\ns_cbranch_scc0 second\n" +
                             store + "\ns_endpgm\nsecond:\nglobal_atomic_add v4, v5, s[4:5]\n",
                         .threads = 128};
  };
  const CheckedRun atomic =
      run_checked(kernel("global_load_dword v6, v4, s[4:5] sc0\n{load 0}"), GetParam());
  EXPECT_TRUE(atomic.report.findings.empty()) << atomic.text();
  const CheckedRun plain =
      run_checked(kernel("global_load_dwordx4 v[8:11], v4, s[4:5]"), GetParam());
  EXPECT_EQ(plain.report.findings.size(), 1u) << plain.text();
}

TEST(CheckedLaunch, OfMoreWavesThanCanBeFollowed) {
  const CodeObject object = assemble(
      kernel_text({{.name = "kernel", .body = "s_endpgm", .wave = 32}}, "gfx1151"), "gfx1151");
  Launch launch;
  launch.workgroup = {32, 1, 1};
  launch.grid = {134217726, 17, 1};
  launch.check = true;
  const auto report = emulator::run(object, launch);
  ASSERT_FALSE(report);
  EXPECT_NE(report.error().text().find("at most 2147483647 waves"), std::string::npos)
      << report.error().text();
}

// A release of gfx1250 writes its cache back: LLVM 22 puts global_wb scope:SCOPE_DEV before the
// wait.
TEST(RacesOfGfx1250, AReleaseWritesBack) {
  const auto hand_over = [](const std::string& store_scope, const std::string& release) {
    const CheckedKernel kernel = {
        .body =
            "s_mov_b32 s9, ttmp9\nv_mov_b32 v4, 0\nv_mov_b32 v5, 1\ns_cmp_eq_u32 s9, 0\n"
            "s_cbranch_scc0 second\nv_add_nc_u32 v3, 64, v0\n"
            "global_store_b32 v1, v3, s[6:7]" +
            store_scope + "\n" + release +
            "s_wait_storecnt 0x0\ns_mov_b32 exec_lo, 1\n"
            "global_store_b32 v4, v5, s[4:5] offset:512 scope:SCOPE_DEV\ns_endpgm\n"
            "second:\nglobal_load_b32 v6, v4, s[4:5] offset:512 scope:SCOPE_DEV\n"
            "s_wait_loadcnt 0x0\nv_readfirstlane_b32 s10, v6\ns_cmp_eq_u32 s10, 1\n"
            "s_cbranch_scc0 second\nglobal_inv scope:SCOPE_DEV\ns_wait_loadcnt 0x0\n"
            "global_load_b32 v3, v1, s[6:7]\ns_wait_loadcnt 0x0\n"
            "global_store_b32 v1, v3, s[6:7] offset:256",
        .threads = 32,
        .workgroups = 2};
    return run_checked(kernel, "gfx1250");
  };
  EXPECT_EQ(hand_over("", "global_wb scope:SCOPE_DEV\n").text(), "");
  EXPECT_EQ(hand_over(" scope:SCOPE_DEV", "").text(), "");
  for (const char* release : {"", "global_wb scope:SCOPE_SE\n"}) {
    const CheckedRun run = hand_over("", release);
    EXPECT_EQ(run.count(global_race_read_after_write), 1) << run.text();
    EXPECT_TRUE(run.text().contains("global_wb scope:SCOPE_DEV")) << run.text();
  }
}

INSTANTIATE_TEST_SUITE_P(Targets, RacesOfDies, ::testing::Values("gfx942", "gfx950"),
                         [](const auto& info) { return info.param; });

INSTANTIATE_TEST_SUITE_P(Targets, Races, ::testing::ValuesIn(targets()),
                         [](const auto& info) { return info.param; });

}  // namespace races_test
}  // namespace heddle::emulator::testing
