// LDS: races between waves, reads of what nobody wrote, and barriers. Wrong kernels and their
// corrected twins.
#include <optional>

#include "checked_kernel.h"

namespace heddle::emulator::testing {
namespace lds_test {

using enum FindingKind;

// Two waves of 32; v2: the address of the thread with the same lane in the other wave.
const std::string swap_address = "v_xor_b32 v2, 0x80, v1\n";
const std::string use = "global_store_b32 v1, v3, s[6:7]\n";

class Lds : public Checked {
 protected:
  static CheckedKernel two_waves(const std::string& body, int lds_bytes = 256) {
    return {.body = swap_address + body, .lds_bytes = lds_bytes, .threads = 64};
  }
};

TEST_P(Lds, ReadAfterWriteWithoutABarrier) {
  expect_silent(
      two_waves("ds_store_b32 v1, v0\n{lds 0}\n{barrier}\nds_load_b32 v3, v2\n{lds 0}\n" + use));
  // The first wave to run reads what nobody has written yet.
  const CheckedRun run = run_checked(
      two_waves("ds_store_b32 v1, v0\n{lds 0}\nds_load_b32 v3, v2\n{lds 0}\n" + use), GetParam());
  EXPECT_EQ(run.count(lds_race_read_after_write), 1) << run.text();
  EXPECT_EQ(run.count(lds_race_write_after_read), 1) << run.text();
  EXPECT_EQ(run.count(lds_read_before_written), 1) << run.text();
  EXPECT_EQ(run.report.findings.size(), 3u) << run.text();
  for (const Finding& finding : run.report.findings) {
    if (finding.kind != lds_race_read_after_write) continue;
    EXPECT_EQ(finding.wave, 1);
    EXPECT_EQ(finding.lanes, 0xffffffffu);
    ASSERT_EQ(finding.related.size(), 1u);
    EXPECT_EQ(finding.related[0].role, "written by wave 0 here");
    EXPECT_NE(finding.related[0].place.instruction.find("ds_store_b32"), std::string::npos);
  }
}

TEST_P(Lds, AllLanesThatReadOneWord) {
  const CheckedRun run = run_checked(
      two_waves("ds_store_b32 v1, v0\n{lds 0}\nv_mov_b32 v4, 0\nds_load_b32 v3, v4\n{lds 0}\n" +
                use),
      GetParam());
  ASSERT_EQ(run.count(lds_race_read_after_write), 1) << run.text();
  for (const Finding& finding : run.report.findings)
    if (finding.kind == lds_race_read_after_write) EXPECT_EQ(finding.lanes, 0xffffffffu);
}

TEST_P(Lds, WriteAfterReadWithoutABarrier) {
  const std::string fill = "ds_store_b32 v1, v0\n{lds 0}\n{barrier}\nds_load_b32 v3, v2\n{lds 0}\n";
  const std::string overwrite = "ds_store_b32 v1, v3\n" + use;
  expect_silent(two_waves(fill + "{barrier}\n" + overwrite));
  const CheckedRun run = run_checked(two_waves(fill + overwrite), GetParam());
  EXPECT_EQ(run.count(lds_race_write_after_read), 1) << run.text();
  EXPECT_EQ(run.count(lds_race_read_after_write), 1) << run.text();
  EXPECT_EQ(run.report.findings.size(), 2u) << run.text();
}

TEST_P(Lds, WriteAfterWriteWithoutABarrier) {
  const std::string number = "v_mov_b32 v4, 0\nv_lshrrev_b32 v5, 5, v0\n";  // v5: the wave's
  expect(lds_race_write_after_write, two_waves(number + "ds_store_b32 v4, v5\n{lds 0}\n"));
  expect_silent(two_waves(number + "v_cmp_gt_u32 vcc_lo, 32, v0\n"
                                   "s_and_saveexec_b32 s8, vcc_lo\nds_store_b32 v4, v5\n{lds 0}\n"
                                   "s_mov_b32 exec_lo, s8\n"));
  // Both write the same.
  expect_silent(two_waves("v_mov_b32 v4, 0\nv_mov_b32 v5, 7\nds_store_b32 v4, v5\n{lds 0}\n"));
}

// A barrier orders only what has ended before it.
// Of 16 bytes that both waves store, the third word is not the same.
TEST_P(Lds, TheFirstByteThatDiffersIsNamed) {
  const std::string body =
      "v_and_b32 v8, 0x7c, v1\nv_lshlrev_b32 v8, 2, v8\nv_mov_b32 v4, 1\nv_mov_b32 v5, 2\n"
      "v_mov_b32 v6, v0\nv_mov_b32 v7, 3\nds_store_b128 v8, v[4:7]\n{lds 0}\n";
  const CheckedRun run = expect(lds_race_write_after_write, two_waves(body, 512));
  EXPECT_NE(run.report.findings[0].message.find("writes LDS address 0x8, which wave 0"),
            std::string::npos)
      << run.text();
}

TEST_P(Lds, StoreStillOnItsWayAtTheBarrier) {
  const std::string after = "{barrier}\nds_load_b32 v3, v2\n{lds 0}\n" + use;
  expect_silent(two_waves("ds_store_b32 v1, v0\n{lds 0}\n" + after));
  const CheckedRun run =
      expect(lds_race_read_after_write, two_waves("ds_store_b32 v1, v0\n" + after));
  EXPECT_NE(run.report.findings[0].message.find("not waited for before it"), std::string::npos)
      << run.text();
  EXPECT_NE(run.report.findings[0].fix.find(is_gfx12() ? "s_wait_dscnt 0" : "lgkmcnt(0)"),
            std::string::npos)
      << run.text();
}

TEST_P(Lds, LoadStillOnItsWayAtTheBarrier) {
  const std::string before = "ds_store_b32 v1, v0\n{lds 0}\n{barrier}\nds_load_b32 v3, v2\n";
  const std::string after = "{barrier}\nds_store_b32 v1, v0\n{lds 0}\n" + use;
  expect_silent(two_waves(before + "{lds 0}\n" + after));
  const CheckedRun run = expect(lds_race_write_after_read, two_waves(before + after));
  EXPECT_NE(run.report.findings[0].message.find("not waited for before it"), std::string::npos)
      << run.text();
}

// A load of memory that is on its way for longer than any operation on LDS can be.
TEST_P(Lds, LoadOfMemoryThatOutlivesManyLoadsFromLds) {
  std::string body = "global_load_b32 v7, v1, s[4:5]\nds_store_b32 v1, v0\n{lds 0}\n{barrier}\n";
  for (int i = 0; i < 140; ++i) body += "ds_load_b32 v3, v2\n{lds 0}\n";
  expect_silent(two_waves(body + "{barrier}\n{load 0}\nds_store_b32 v1, v7\n{lds 0}\n" + use));
}

TEST_P(Lds, OneOfTwoStoresStillOnItsWay) {
  const std::string stores = "ds_store_b32 v1, v0\nds_store_b32 v1, v0 offset:256\n";
  const std::string after = "{barrier}\nds_load_b32 v3, v2 offset:256\n{lds 0}\n" + use;
  expect_silent(two_waves(stores + "{lds 0}\n" + after, 512));
  expect(lds_race_read_after_write, two_waves(stores + "{lds 1}\n" + after, 512));
  // The older one has ended.
  expect_silent(two_waves(stores + "{lds 1}\n{barrier}\nds_load_b32 v3, v2\n{lds 0}\n" + use, 512));
}

// Neighbours in one word do not race; only bytes that both access do.
TEST_P(Lds, HalvesOfAWord) {
  const std::string addresses =
      "v_lshlrev_b32 v5, 2, v0\nv_and_b32 v5, 0x7c, v5\nv_lshrrev_b32 v6, 5, v0\n"
      "v_lshl_add_u32 v5, v6, 1, v5\n";  // 4 * lane + 2 * wave
  expect_silent(two_waves(addresses + "ds_store_b16 v5, v0\n"));
  expect(lds_race_write_after_write, two_waves("v_and_b32 v5, 0x7c, v1\nds_store_b16 v5, v0\n"));
}

// Each wave reads the first 16 bytes of its own half, and writes a word of the other's.
TEST_P(Lds, AWordOfWhatIsReadAtOnce) {
  const auto body = [](const std::string& lane) {
    return two_waves(
        "ds_store_b32 v1, v0\n{lds 0}\n{barrier}\n"
        "v_and_b32 v5, 0x80, v1\nds_load_b128 v[8:11], v5\ns_mov_b32 exec_lo, " +
        lane + "\nds_store_b32 v2, v0\ns_mov_b32 exec_lo, -1\n{lds 0}\n");
  };
  expect_silent(body("16"));
  const CheckedRun run = run_checked(body("8"), GetParam());
  EXPECT_EQ(run.count(lds_race_read_after_write), 1) << run.text();
  EXPECT_EQ(run.count(lds_race_write_after_read), 1) << run.text();
  EXPECT_EQ(run.report.findings.size(), 2u) << run.text();
  for (const Finding& finding : run.report.findings)
    EXPECT_NE(finding.message.find(finding.kind == lds_race_write_after_read ? "LDS address 0x8c,"
                                                                             : "LDS address 0xc,"),
              std::string::npos)
        << finding.message;
}

TEST_P(Lds, AtomicsDoNotRaceWithAtomics) {
  const std::string clear = "v_mov_b32 v4, 0\nds_store_b32 v1, v4\n{lds 0}\n{barrier}\n";
  const std::string add = "ds_add_u32 v4, v0\n{lds 0}\n";
  const std::string load = "ds_load_b32 v3, v4\n{lds 0}\n" + use;
  expect_silent(two_waves(clear + add + "{barrier}\n" + load));
  const CheckedRun run = run_checked(two_waves(clear + add + load), GetParam());
  EXPECT_GE(run.count(lds_race_read_after_write) + run.count(lds_race_write_after_read), 1)
      << run.text();
}

TEST_P(Lds, ReadBeforeWritten) {
  const std::string load = "ds_load_b32 v3, v1\n{lds 0}\n" + use;
  expect_silent({.body = "ds_store_b32 v1, v0\n" + load, .lds_bytes = 128});
  const CheckedRun run = expect(lds_read_before_written, {.body = load, .lds_bytes = 128});
  EXPECT_NE(run.report.findings[0].message.find("LDS address 0x0"), std::string::npos);
}

// Only the lanes that read, and only the bytes that they read.
TEST_P(Lds, ReadOfAByteThatIsNotWritten) {
  const CheckedRun run =
      expect(lds_read_before_written,
             {.body = "s_mov_b32 exec_lo, 0xffff7fff\nds_store_b32 v1, v0\ns_mov_b32 exec_lo, -1\n"
                      "ds_load_b32 v3, v1\n{lds 0}\n" +
                      use,
              .lds_bytes = 128});
  EXPECT_EQ(run.report.findings[0].lanes, 1u << 15);
  expect_silent({.body = "s_mov_b32 exec_lo, 0xffff\nds_store_b32 v1, v0\n"
                         "ds_load_b32 v3, v1\n{lds 0}\n" +
                         use,
                 .lds_bytes = 128});
  expect_silent(
      {.body = "ds_store_b16 v1, v0\nds_load_u16 v3, v1\n{lds 0}\n" + use, .lds_bytes = 128});
  const std::string half = "ds_store_b16 v1, v0\nds_load_b32 v3, v1\n{lds 0}\n";
  expect_silent({.body = half + use, .lds_bytes = 128});
  expect(undefined_store, {.body = half + "v_add_nc_u32 v3, 1, v3\n" + use, .lds_bytes = 128});
}

// A copy of a structure of four and eight bytes with three of padding between, by registers.
TEST_P(Lds, PaddingIsCopied) {
  const std::string copied =
      "v_lshlrev_b32 v2, 1, v1\nds_store_b8 v2, v0\nds_store_b32 v2, v0 offset:4\n"
      "ds_load_b64 v[4:5], v2\n{lds 0}\nv_mov_b32 v3, v4\n";
  expect_silent({.body = copied + use, .lds_bytes = 256});
  expect(undefined_store, {.body = copied + "v_not_b32 v3, v3\n" + use, .lds_bytes = 256});
  // Of some lanes only: values that were forgotten.
  expect(undefined_store, {.body = "v_lshlrev_b32 v2, 1, v1\nds_store_b32 v2, v0\n"
                                   "s_mov_b32 exec_lo, 0xff\nds_store_b32 v2, v0 offset:4\n"
                                   "s_mov_b32 exec_lo, -1\nds_load_b64 v[2:3], v2\n{lds 0}\n" +
                                   use,
                           .lds_bytes = 256});
}

// A flag in LDS that one wave sets and the other waits for, and a lock around an increment.
TEST_P(Lds, FlagsAndLocks) {
  // Wave 1 waits; both have passed a barrier behind the first store of the flag.
  const std::string prepared =
      "v_mov_b32 v4, 0\nv_mov_b32 v5, 1\nv_mov_b32 v6, 0x100\nds_store_b32 v6, v4\n"
      "{lds 0}\n{barrier}\nv_cmp_gt_u32 vcc_lo, 32, v0\ns_cbranch_vccz other\n";
  const auto kernel = [&](const std::string& told, const std::string& waits) {
    return CheckedKernel{.body = prepared + told + "s_branch done\nother:\n" + waits + "done:\n",
                         .lds_bytes = 512,
                         .threads = 64};
  };
  const std::string told = "ds_store_b32 v1, v0\nds_store_b32 v6, v5\n";
  const std::string read =
      "v_add_nc_u32 v2, 0xffffff80, v1\nds_load_b32 v3, v2\n{lds 0}\n" + std::string(use);
  const std::string wait =
      "again:\nds_load_b32 v7, v6\n{lds 0}\nv_cmp_eq_u32 vcc_lo, 0, v7\ns_cbranch_vccnz again\n";
  expect_silent(kernel(told, wait + read));
  // Without the wait, whichever wave comes first.
  const CheckedRun unordered = run_checked(kernel(told, read), GetParam());
  EXPECT_GE(unordered.count(lds_race_read_after_write) + unordered.count(lds_race_write_after_read),
            1);
  // The flag comes before what it tells of.
  expect(lds_race_read_after_write,
         kernel("ds_store_b32 v6, v5\nds_store_b32 v1, v0\n", wait + read));
  const std::string locked =
      "v_mov_b32 v4, 0\nv_mov_b32 v5, 1\nv_mov_b32 v6, 0x100\nds_store_2addr_b32 v6, v4, v4 "
      "offset1:1\n{lds 0}\n{barrier}\ns_mov_b32 exec_lo, 1\n"
      "again:\nds_storexchg_rtn_b32 v7, v6, v5\n{lds 0}\nv_cmp_ne_u32 vcc_lo, 0, v7\n"
      "s_cbranch_vccnz again\nds_load_b32 v3, v6 offset:4\n{lds 0}\nv_add_nc_u32 v3, 1, v3\n"
      "ds_store_b32 v6, v3 offset:4\n";
  expect_silent({.body = locked + "ds_store_b32 v6, v4\n", .lds_bytes = 512, .threads = 96});
  expect(lds_race_write_after_write,
         {.body = "v_mov_b32 v5, 1\nv_mov_b32 v6, 0x100\nds_store_b32 v6, v5\nds_add_u32 v6, v5\n",
          .lds_bytes = 512,
          .threads = 64});
}

// What one workgroup wrote is gone for the next.
TEST_P(Lds, NothingStaysFromAWorkgroupToTheNext) {
  const CheckedRun run =
      expect(lds_read_before_written,
             {.body = (is_gfx12() ? "s_mov_b32 s8, ttmp9\n" : "s_mov_b32 s8, s2\n") +
                      std::string("s_cmp_eq_u32 s8, 0\ns_cbranch_scc0 skip\n"
                                  "ds_store_b32 v1, v0\nskip:\nds_load_b32 v3, v1\n{lds 0}\n"
                                  "s_lshl_b32 s8, s8, 7\nv_add_nc_u32 v1, s8, v1\n") +
                      use,
              .lds_bytes = 128,
              .workgroups = 3});
  ASSERT_EQ(run.report.findings.size(), 1u);
  EXPECT_EQ(run.report.findings[0].workgroup[0], 1u);
  EXPECT_EQ(run.report.findings[0].count, 2u);
}

// Padding is copied with what lies beside it, and is no mistake until it is used.
TEST_P(Lds, WordsOfWhichBytesAreWritten) {
  const auto kernel = [](const std::string& mask) {
    return CheckedKernel{.body =
                             "ds_store_b8 v1, v0\nds_store_b16 v1, v0 offset:2\n"
                             "ds_load_b32 v3, v1\n{lds 0}\nv_and_b32 v3, " +
                             mask + ", v3\n" + use,
                         .lds_bytes = 128};
  };
  expect_silent(kernel("0xffff00ff"));
  expect(undefined_store, kernel("0xff00"));
  // Lanes 16 to 31 read what lanes 0 to 15 do.
  expect(undefined_store, {.body = "v_and_b32 v4, 60, v1\n"
                                   "v_mov_b32 v0, 7\nds_store_b8 v4, v0\n"
                                   "ds_load_b32 v3, v4\n{lds 0}\nv_add_nc_u32 v3, 1, v3\n" +
                                   use,
                           .lds_bytes = 128});
}

TEST_P(Lds, TheReportDoesNotDependOnThreads) {
  CheckedKernel kernel = two_waves("ds_store_b32 v1, v0\nds_load_b32 v3, v2\n{lds 0}\n" + use);
  kernel.workgroups = 16;
  const std::string one = run_checked(kernel, GetParam()).text();
  kernel.host_threads = 4;
  for (int i = 0; i < 5; ++i) EXPECT_EQ(run_checked(kernel, GetParam()).text(), one);
}

// --- barriers ----------------------------------------------------------------------------------

constexpr const char* wave_0_only = "v_cmp_gt_u32 vcc_lo, 32, v0\ns_cbranch_vccz other\n";

// The machine counts arrivals, at whatever instruction.
TEST_P(Lds, WavesAtDifferentBarriersMeet) {
  const auto kernel = [](const std::string& of_wave_0, const std::string& of_wave_1) {
    return two_waves(wave_0_only + of_wave_0 + "s_branch done\nother:\n" + of_wave_1 +
                     "done:\nds_load_b32 v3, v2\n{lds 0}\n" + use);
  };
  const std::string store = "ds_store_b32 v1, v0\n{lds 0}\n{barrier}\n";
  expect_silent(kernel(store, store));
  expect_silent(kernel(store + "{barrier}\n", "{barrier}\n" + store));
  const CheckedRun run = run_checked(kernel(store + "{barrier}\n", store), GetParam());
  EXPECT_TRUE(run.report.findings.empty()) << run.text();
  EXPECT_EQ(run.report.notes.size(), 1u);
  // Wave 0 reads after the first barrier, and wave 1 stores before its second.
  expect(lds_race_read_after_write, kernel(store, "{barrier}\n" + store));
}

// Floats are added by a loop around a compare-and-swap, whose first guess is an ordinary load:
// LLVM's atomicrmw fadd where LDS has no such atomic.
TEST_P(Lds, TheFirstGuessOfACompareAndSwap) {
  // Wave 0 sets the word to 1; then both waves add 5 to it, and all lanes read it.
  const std::string set_up =
      "v_mov_b32 v4, 0\nv_mov_b32 v5, 1\nds_store_b32 v4, v5\n"
      "ds_store_b32 v4, v5 offset:64\n{lds 0}\n{barrier}\ns_mov_b32 exec_lo, 1\n";
  const std::string guess = "ds_load_b32 v7, v4\n{lds 0}\n";
  const std::string swap =
      "v_add_nc_u32 v6, 5, v7\nds_cmpstore_rtn_b32 v8, v4, v6, v7\n{lds 0}\n"
      "v_cmp_eq_u32 vcc_lo, v8, v7\nv_mov_b32 v7, v8\n";
  const std::string loop = "again:\n" + swap + "s_cbranch_vccz again\ns_mov_b32 exec_lo, -1\n";
  const std::string result = "ds_load_b32 v3, v4\n{lds 0}\n" + use;
  const auto kernel = [&](const std::string& body) {
    CheckedKernel of_four = two_waves(set_up + body);
    of_four.threads = 128;
    return of_four;
  };
  expect_silent(kernel(guess + loop + "{barrier}\n" + result));
  EXPECT_EQ(run_checked(kernel(guess + loop + "{barrier}\n" + result), GetParam()).out[0],
            1u + 4 * 5);
  const auto races = [&](const std::string& body) {
    const CheckedRun run = run_checked(kernel(body), GetParam());
    EXPECT_GE(run.count(lds_race_read_after_write) + run.count(lds_race_write_after_read), 1)
        << run.text() << "of\n"
        << body;
    EXPECT_EQ(run.report.findings.size(),
              static_cast<std::size_t>(run.count(lds_race_read_after_write) +
                                       run.count(lds_race_write_after_read)))
        << run.text();
  };
  // The sum is read without a barrier.
  races(guess + loop + result);
  // Where no swap succeeds, nobody writes.
  expect_silent(kernel(guess + "v_add_nc_u32 v7, 0x100, v7\n" + swap));
  // What was loaded is swapped somewhere else, or is just added.
  races(guess + "ds_cmpstore_rtn_b32 v8, v4, v6, v7 offset:64\nds_add_u32 v4, v0\n{lds 0}\n");
  races(guess + "ds_add_u32 v4, v7\n");
}

// One wave of two takes `reader`, the other `other`, each with its first lane. Whichever is which,
// so that both orders are tried.
template <class Kernel>
void try_both(const std::string& reader, const std::string& other, Kernel&& use_kernel) {
  for (const char* const first : {"0", "32"})
    use_kernel(
        "ds_store_b32 v1, v0\n{lds 0}\n{barrier}\nv_readfirstlane_b32 s9, v0\n"
        "v_mov_b32 v4, 0\nv_mov_b32 v5, 77\ns_mov_b32 exec_lo, 1\ns_cmp_eq_u32 s9, " +
        std::string(first) + "\ns_cbranch_scc0 other\n" + reader + "s_endpgm\nother:\n" + other);
}

// What was loaded beside the word of a compare-and-swap is no guess.
TEST_P(Lds, ACompareAndSwapOfOneWordOfALoad) {
  const std::string load = "ds_load_b128 v[8:11], v4\n{lds 0}\n",
                    swap = "ds_cmpstore_rtn_b32 v12, v4, v5, v4\n{lds 0}\n";
  for (const std::string& reader : {load, load + swap}) {
    try_both(reader, "ds_store_b32 v4, v5 offset:12\n{lds 0}\n", [&](const std::string& body) {
      const CheckedRun run = run_checked(two_waves(body), GetParam());
      EXPECT_EQ(run.count(lds_race_read_after_write) + run.count(lds_race_write_after_read), 1)
          << run.text() << "of\n"
          << body;
      EXPECT_EQ(run.report.findings.size(), 1u) << run.text();
    });
    try_both(reader, "ds_store_b32 v4, v5 offset:16\n{lds 0}\n",
             [&](const std::string& body) { expect_silent(two_waves(body)); });
  }
}

// Two instructions update a word between a guess and its compare-and-swap, which then tries again.
TEST_P(Lds, AGuessBehindTwoUpdates) {
  const std::string guess =
      "ds_load_b32 v7, v4\n{lds 0}\ns_mov_b32 s10, 0\n"
      "wait:\ns_sleep 1\ns_add_i32 s10, s10, 1\ns_cmp_lt_u32 s10, 50\ns_cbranch_scc1 wait\n";
  const std::string loop =
      "again:\nv_add_nc_u32 v6, 5, v7\nds_cmpstore_rtn_b32 v8, v4, v6, v7\n{lds 0}\n"
      "v_cmp_eq_u32 vcc_lo, v8, v7\nv_mov_b32 v7, v8\ns_cbranch_vccz again\n";
  const std::string add = "ds_add_u32 v4, v5\n";
  for (const std::string& updates : {add, add + add, add + add + add}) {
    try_both(guess + loop, "s_sleep 1\n" + updates + "{lds 0}\n",
             [&](const std::string& body) { expect_silent(two_waves(body)); });
    // The guess is used without asking.
    try_both(
        guess + "ds_add_u32 v4, v7\n{lds 0}\n", "s_sleep 1\n" + updates + "{lds 0}\n",
        [&](const std::string& body) {
          const CheckedRun run = run_checked(two_waves(body), GetParam());
          EXPECT_GE(run.count(lds_race_read_after_write) + run.count(lds_race_write_after_read), 1)
              << run.text() << "of\n"
              << body;
        });
  }
}

// One wave is a barrier ahead of the other, so that they take turns at a word.
TEST_P(Lds, StaggeredWaves) {
  const auto kernel = [](const std::string& ahead, const std::string& behind) {
    const std::string turn =
        "ds_load_b32 v3, v4\n{lds 0}\nv_add_nc_u32 v3, 1, v3\n"
        "ds_store_b32 v4, v3\n{lds 0}\n{barrier}\n{barrier}\n";
    return two_waves(
        "v_mov_b32 v4, 0\nv_cmp_gt_u32 s9, 32, v0\ns_cmp_eq_u32 s9, 0\n"
        "s_cselect_b32 s10, 1, 0\ns_cbranch_scc1 set_up\nds_store_b32 v4, v4\n"
        "{lds 0}\nset_up:\n{barrier}\n"
        "s_cmp_eq_u32 s10, 0\ns_cbranch_scc1 first\n" +
        ahead + "first:\n" + turn + turn + turn + "s_cmp_eq_u32 s10, 1\ns_cbranch_scc1 last\n" +
        behind + "last:\n" + use);
  };
  expect_silent(kernel("{barrier}\n", "{barrier}\n"));
  const CheckedRun both = run_checked(kernel("", ""), GetParam());
  EXPECT_GE(both.count(lds_race_write_after_read) + both.count(lds_race_read_after_write), 1)
      << both.text();
  // The last barrier orders nothing.
  const CheckedRun run = run_checked(kernel("{barrier}\n", ""), GetParam());
  EXPECT_TRUE(run.report.findings.empty()) << run.text();
  ASSERT_EQ(run.report.notes.size(), 1u);
  EXPECT_EQ(run.report.notes[0].kind, divergent_barrier);
}

// The others wait for a wave no longer that has ended, so that what it did comes before what they
// do.
TEST_P(Lds, AWaveThatEndsBeforeTheBarrier) {
  const std::string rest = "ds_load_b32 v3, v2\n{lds 0}\n" + use;
  const std::string store = "ds_store_b32 v1, v0\n{lds 0}\n";
  const auto kernel = [&](const std::string& before, const std::string& of_wave_1) {
    return two_waves(before + wave_0_only + "{barrier}\n" + rest + "s_endpgm\nother:\n" +
                     of_wave_1);
  };
  const CheckedRun run = run_checked(kernel(store, ""), GetParam());
  EXPECT_TRUE(run.report.findings.empty()) << run.text();
  ASSERT_EQ(run.report.notes.size(), 1u);
  EXPECT_NE(run.report.notes[0].message.find("wave 1 never reaches"), std::string::npos)
      << run.report.notes[0].text("kernel");
  const CheckedRun raced =
      run_checked(kernel("v_mov_b32 v5, 0\nds_store_b32 v2, v5\n{lds 0}\n{barrier}\n",
                         "{barrier}\n" + store + "s_nop 0\n"),
                  GetParam());
  EXPECT_TRUE(raced.report.notes.empty());
  EXPECT_GE(raced.count(lds_race_write_after_read) + raced.count(lds_race_read_after_write), 1)
      << raced.text();
}

TEST_P(Lds, ABarrierThatIsSignalledAndNotAwaited) {
  if (!is_gfx12()) return;
  const std::string signal = "s_barrier_signal -1\n", wait = "s_barrier_wait -1\n";
  const auto kernel = [&](const std::string& end) {
    return two_waves(wave_0_only + signal + end + "s_endpgm\nother:\n" + signal + wait);
  };
  expect(barrier_not_awaited, kernel(""));
  expect_silent(kernel(wait));
}

INSTANTIATE_TEST_SUITE_P(Targets, Lds, ::testing::ValuesIn(targets()),
                         [](const auto& info) { return info.param; });

// A copy between memory and LDS is in order with the LDS operations of its own wave only when the
// earlier of the two was waited for.
struct OwnCopy {
  std::string target, copy, store, load, copied,
      stored;  // the waits for a copy, and for the others
};
class OwnCopies : public ::testing::TestWithParam<OwnCopy> {
 protected:
  void expect(const std::string& body, std::optional<FindingKind> kind) const {
    const CheckedRun run = run_checked({.body = "v_lshlrev_b32 v5, 4, v0\n"
                                                "v_mov_b32 v3, 0\ns_mov_b32 m0, 0\ns_nop 4\n" +
                                                body + GetParam().copied + GetParam().stored,
                                        .lds_bytes = 4096,
                                        .threads = GetParam().target == "gfx950" ? 64u : 32u},
                                       GetParam().target);
    EXPECT_EQ(run.report.findings.size(), kind ? 1u : 0u) << body << run.text();
    if (!kind) return;
    ASSERT_EQ(run.count(*kind), 1) << body << run.text();
    if (kind == lds_read_before_written) return;
    EXPECT_NE(run.report.findings[0].message.find("of the same wave"), std::string::npos);
    EXPECT_NE(run.report.findings[0].fix.find("Put s_wait"), std::string::npos);
  }
};

TEST_P(OwnCopies, WaitForTheEarlierOne) {
  const auto& [target, copy, store, load, copied, stored] = GetParam();
  expect(copy + load, lds_race_read_after_write);
  expect(copy + copied + load, std::nullopt);
  expect(copy + store, lds_race_write_after_write);
  expect(copy + copied + store, std::nullopt);
  expect(store + copy, lds_race_write_after_write);
  expect(store + stored + copy, std::nullopt);
  expect(store + stored + load + copy, lds_race_write_after_read);
  expect(store + stored + load + stored + copy, std::nullopt);
  // A barrier waits for no counter.
  expect(copy + for_target("{barrier}\n", target) + load, lds_race_read_after_write);
  // Copies of one kind are in order, and other bytes are no matter.
  expect(copy + copy + copied + load, std::nullopt);
  expect(copy + load.substr(0, load.size() - 1) + " offset:2048\n", lds_read_before_written);
}

INSTANTIATE_TEST_SUITE_P(
    Targets, OwnCopies,
    ::testing::Values(OwnCopy{"gfx950", "global_load_lds_dwordx4 v5, s[4:5]\n",
                              "ds_write_b32 v5, v3\n", "ds_read_b32 v2, v5\n",
                              "s_waitcnt vmcnt(0)\n", "s_waitcnt lgkmcnt(0)\n"},
                      OwnCopy{"gfx1250", "global_load_async_to_lds_b128 v5, v5, s[4:5]\n",
                              "ds_store_b32 v5, v3\n", "ds_load_b32 v2, v5\n",
                              "s_wait_asynccnt 0\n", "s_wait_dscnt 0\n"}),
    [](const auto& info) { return info.param.target; });

// A copy from LDS to memory.
TEST(OwnCopiesOfGfx1250, FromLds) {
  const std::string store = "v_mov_b32 v3, 0\nds_store_b32 v1, v3\n",
                    copy = "global_store_async_from_lds_b32 v1, v1, s[6:7]\n",
                    stored = "s_wait_dscnt 0\n", copied = "s_wait_asynccnt 0\n";
  const auto run = [&](const std::string& body) {
    return run_checked({.body = body, .lds_bytes = 128}, "gfx1250");
  };
  const CheckedRun early = run(store + copy + copied);
  EXPECT_EQ(early.count(lds_race_read_after_write), 1) << early.text();
  const CheckedRun right = run(store + stored + copy + copied + store + stored);
  EXPECT_TRUE(right.report.findings.empty()) << right.text();
  const CheckedRun over = run(store + stored + copy + store + stored + copied);
  EXPECT_EQ(over.count(lds_race_write_after_read), 1) << over.text();
}

// gfx12: what lies between the signal and the wait belongs to both sides of the barrier.
TEST(SplitBarrier, AccessesBetweenSignalAndWait) {
  const std::string before = swap_address + "ds_store_b32 v1, v0\ns_wait_dscnt 0\n";
  const auto run = [&](const std::string& middle, const std::string& after) {
    return run_checked(
        {.body = before + "s_barrier_signal -1\n" + middle + "s_barrier_wait -1\n" + after + use,
         .lds_bytes = 512,
         .threads = 64},
        "gfx1201");
  };
  const std::string load = "ds_load_b32 v3, v2\ns_wait_dscnt 0\n";
  EXPECT_TRUE(run("", load).report.findings.empty()) << run("", load).text();
  EXPECT_GE(run(load, "").count(lds_race_read_after_write), 1) << run(load, "").text();
  // A store after the signal is not ordered before the other wave's load after the wait.
  const CheckedRun late = run("ds_store_b32 v1, v0 offset:256\ns_wait_dscnt 0\n",
                              "ds_load_b32 v3, v2 offset:256\ns_wait_dscnt 0\n");
  EXPECT_GE(late.count(lds_race_read_after_write), 1) << late.text();
}

}  // namespace lds_test
}  // namespace heddle::emulator::testing
