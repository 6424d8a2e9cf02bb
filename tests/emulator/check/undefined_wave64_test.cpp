// Values that nobody wrote, in waves of 64 lanes: CDNA's, its accumulation registers and what only
// it has, and those of RDNA.
#include "checked_kernel.h"

namespace heddle::emulator::testing {
namespace undefined_wave64_test {

using enum FindingKind;

class UndefinedOfCdna : public Checked {
 protected:
  // A kernel for 64 threads, or so many.
  static CheckedKernel of(const std::string& body, uint32_t threads = 64, int lds_bytes = 0) {
    return {.body = body, .lds_bytes = lds_bytes, .threads = threads};
  }
  void finds(FindingKind kind, const std::string& body, uint64_t lanes) const {
    const CheckedRun run = expect(kind, of(body));
    ASSERT_FALSE(run.report.findings.empty()) << body;
    EXPECT_EQ(run.report.findings[0].lanes, lanes) << run.text() << body;
  }
  void is_silent(const std::string& body, int lds_bytes = 0) const {
    expect_silent(of(body, 64, lds_bytes));
  }
};

constexpr uint64_t all = ~uint64_t{0}, upper = all << 32, lower = ~upper;
const std::string store = "global_store_dword v1, v3, s[6:7]\n";
// v3 is written in the lower or the upper half of the wave.
const std::string in_lower = "s_mov_b64 exec, 0xffffffff\nv_mov_b32 v3, 1\ns_mov_b64 exec, -1\n";
const std::string in_upper = "s_mov_b32 exec_lo, 0\nv_mov_b32 v3, 1\ns_mov_b32 exec_lo, -1\n";

TEST_P(UndefinedOfCdna, Stores) {
  finds(undefined_store, store, all);
  finds(undefined_store, in_lower + store, upper);
  finds(undefined_store, in_upper + store, lower);
  is_silent(in_lower + in_upper + store);
  is_silent("v_mov_b32 v3, 0\n" + store);
  const CheckedRun run = expect(undefined_store, of(in_lower + store));
  EXPECT_NE(run.report.findings[0].message.find("stores v3 of lane 32,"), std::string::npos)
      << run.text();
}

TEST_P(UndefinedOfCdna, LanesWithoutThreads) {
  expect_silent(of("v_mov_b32 v3, v0\n" + store, 40));
  // EXEC is set to all lanes, of which the last 24 have no thread.
  const CheckedRun run =
      expect(undefined_store,
             of("v_lshlrev_b32 v1, 2, v1\ns_mov_b64 exec, -1\nv_mbcnt_lo_u32_b32 v1, -1, 0\n"
                "v_mbcnt_hi_u32_b32 v1, -1, v1\nv_lshlrev_b32 v1, 2, v1\n"
                "v_mov_b32 v3, v0\n" +
                    store,
                40));
  EXPECT_EQ(run.report.findings[0].lanes, all << 40) << run.text();
}

TEST_P(UndefinedOfCdna, AccumulationRegisters) {
  const std::string read = "s_nop 4\nv_accvgpr_read_b32 v3, a5\n";
  finds(undefined_store, read + store, all);
  is_silent("v_mov_b32 v2, 1\nv_accvgpr_write_b32 a5, v2\n" + read + store);
  // a5 lies beside v21 in a set of registers; that one is defined says nothing of the other.
  finds(undefined_store, "v_mov_b32 v21, 1\n" + read + store, all);
  finds(undefined_store, "v_accvgpr_write_b32 a5, 0\nv_mov_b32 v3, v21\n" + store, all);
  const CheckedRun run = expect(undefined_store, of("global_store_dword v1, a5, s[6:7]\n"));
  EXPECT_NE(run.report.findings[0].message.find("stores a5 of lane 0,"), std::string::npos)
      << run.text();
  // Half of a register passes through one of these.
  const std::string half =
      "global_load_short_d16 v2, v1, s[4:5]\n{load 0}\n"
      "v_accvgpr_write_b32 a5, v2\n" +
      read;
  is_silent(half + "global_store_short v1, v3, s[6:7]\n");
  finds(undefined_store, half + store, all);
  is_silent("global_load_dword a5, v1, s[4:5]\n{load 0}\n" + read + store);
}

TEST_P(UndefinedOfCdna, MatrixOperands) {
  const std::string zero = "v_mov_b32 v2, 0\nv_mov_b32 v3, 0\nv_mov_b32 v4, 0\nv_mov_b32 v5, 0\n";
  std::string sums;
  for (const char* i : {"8", "9", "10", "11"})
    sums += std::string("v_accvgpr_write_b32 a") + i + ", 0\n";
  const std::string name =
      GetParam() == "gfx90a" ? "v_mfma_f32_16x16x16f16 " : "v_mfma_f32_16x16x16_f16 ";
  const auto product = [&](const std::string& operands) {
    return "s_nop 4\n" + name + operands + "\n";
  };
  const std::string result = "s_nop 15\nglobal_store_dword v1, a8, s[6:7]\n";
  is_silent(zero + sums + product("a[8:11], v[2:3], v[4:5], a[8:11]") + result);
  is_silent(zero + product("a[8:11], v[2:3], v[4:5], 0") + result);
  finds(undefined_matrix_operand, zero + product("a[8:11], v[2:3], v[4:5], a[8:11]") + result, all);
  finds(undefined_matrix_operand,
        zero + sums + product("a[8:11], v[6:7], v[4:5], a[8:11]") + result, all);
  const CheckedRun run = expect(undefined_matrix_operand,
                                of(zero + product("a[8:11], v[2:3], v[4:5], a[8:11]") + result));
  EXPECT_NE(run.report.findings[0].message.find("a[8:11]"), std::string::npos) << run.text();
  // One lane of the upper half.
  finds(undefined_matrix_operand,
        zero + sums +
            "s_mov_b64 exec, 0xffffffff\nv_mov_b32 v6, 0\ns_mov_b64 exec, -1\n"
            "v_mov_b32 v7, 0\n" +
            product("a[8:11], v[6:7], v[4:5], a[8:11]") + result,
        upper);
}

TEST_P(UndefinedOfCdna, Conditions) {
  const std::string branch = "s_cbranch_vccz over\ns_nop 0\nover:\n";
  const std::string compare = "v_cmp_gt_u32 vcc, 5, v3\ns_nop 4\n";
  finds(undefined_condition, compare + branch, all);
  is_silent("v_mov_b32 v3, 9\n" + compare + branch);
  // Another lane decides already, when its bit is one.
  is_silent(in_lower + compare + branch);
  finds(undefined_condition,
        "s_mov_b64 exec, 0xffffffff\nv_mov_b32 v3, 9\ns_mov_b64 exec, -1\n" + compare + branch,
        upper);
  const std::string save =
      "v_cmp_gt_u32 s[8:9], 5, v3\ns_nop 4\ns_and_saveexec_b64 s[10:11], s[8:9]\n"
      "v_nop\n";
  finds(undefined_condition, save, all);
  finds(undefined_condition, in_lower + save, upper);
  is_silent("v_mov_b32 v3, 1\n" + save + "s_or_b64 exec, exec, s[10:11]\n");
  // Lanes that are off do not decide.
  is_silent("s_mov_b64 exec, 0xffffffff\nv_mov_b32 v3, 1\n" + save + "s_mov_b64 exec, s[10:11]\n");
  finds(undefined_condition, in_lower + "v_cmpx_gt_u32 vcc, 5, v3\nv_nop\n", upper);
  finds(undefined_condition, "s_mov_b32 exec_hi, s40\nv_nop\n", upper);
  // v_cmpx writes a scalar register too.
  is_silent(
      "v_mov_b32 v3, 1\nv_cmpx_gt_u32 s[8:9], 5, v3\ns_mov_b64 exec, -1\ns_nop 4\n"
      "v_cndmask_b32 v3, 0, 1, s[8:9]\n" +
      store);
}

TEST_P(UndefinedOfCdna, Carries) {
  const std::string sum =
      "v_add_co_u32 v4, vcc, v0, v0\ns_nop 4\n"
      "v_addc_co_u32 v3, vcc, 0, v0, vcc\n";
  is_silent(sum + store);
  finds(undefined_store,
        in_lower +
            "v_add_co_u32 v4, vcc, v3, v0\ns_nop 4\n"
            "v_addc_co_u32 v3, vcc, 0, v0, vcc\n" +
            store,
        upper);
  finds(undefined_store,
        in_upper +
            "v_cmp_gt_u32 s[8:9], 5, v3\ns_nop 4\n"
            "v_cndmask_b32 v3, 0, 1, s[8:9]\n" +
            store,
        lower);
}

TEST_P(UndefinedOfCdna, ThroughLanes) {
  const auto copied = [&](const std::string& lane) {
    return in_lower + "s_nop 4\nv_readlane_b32 s8, v3, " + lane + "\ns_nop 4\nv_mov_b32 v3, s8\n" +
           store;
  };
  is_silent(copied("31"));
  finds(undefined_store, copied("32"), all);
  is_silent(in_upper +
            "s_mov_b32 exec_lo, 0\ns_nop 4\nv_readfirstlane_b32 s8, v3\n"
            "s_mov_b64 exec, -1\ns_nop 4\nv_mov_b32 v3, s8\n" +
            store);
  // Lane l takes from lane l mod 32.
  const std::string modulo = "v_and_b32 v4, 0x7c, v1\nds_bpermute_b32 v3, v4, v3\n{lds 0}\n";
  is_silent(in_lower + modulo + store);
  finds(undefined_store, in_upper + modulo + store, all);
  is_silent(
      "s_nop 4\nv_writelane_b32 v9, 7, 40\ns_nop 4\nv_readlane_b32 s8, v9, 40\ns_nop 4\n"
      "v_mov_b32 v3, s8\n" +
      store);
  finds(undefined_store,
        "s_nop 4\nv_writelane_b32 v9, 7, 40\ns_nop 4\nv_readlane_b32 s8, v9, 8\n"
        "s_nop 4\nv_mov_b32 v3, s8\n" +
            store,
        all);
}

TEST_P(UndefinedOfCdna, DppAcrossHalves) {
  // Lane 32 takes from lane 31.
  const std::string shifted =
      "s_nop 4\nv_mov_b32_dpp v4, v3 wave_shr:1 row_mask:0xf bank_mask:0xf "
      "bound_ctrl:0\nv_mov_b32 v3, v4\n";
  finds(undefined_store, in_lower + shifted + store, upper & ~(uint64_t{1} << 32));
  is_silent("v_mov_b32 v3, 1\n" + shifted + store);
}

TEST_P(UndefinedOfCdna, PartsOfRegisters) {
  const std::string low = "global_load_short_d16 v2, v1, s[4:5]\n{load 0}\n";
  const auto add = [&](const std::string& part) {
    return low +
           "s_nop 4\nv_add_u32_sdwa v3, v2, v0 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:" +
           part + " src1_sel:DWORD\n" + store;
  };
  if (GetParam() == "gfx90a" || GetParam() == "gfx942" || GetParam() == "gfx950") {
    is_silent(add("WORD_0"));
    is_silent(add("BYTE_1"));
    finds(undefined_store, add("WORD_1"), all);
    finds(undefined_store, add("DWORD"), all);
    const std::string placed = "v_mov_b32_sdwa v3, v0 dst_sel:WORD_1 dst_unused:";
    is_silent(placed + "UNUSED_PAD src0_sel:WORD_0\n" + store);
    finds(undefined_store, placed + "UNUSED_PRESERVE src0_sel:WORD_0\n" + store, all);
    is_silent("v_mov_b32 v3, 0\n" + placed + "UNUSED_PRESERVE src0_sel:WORD_0\n" + store);
    is_silent(low +
              "s_nop 4\nv_cmp_gt_u32_sdwa s[8:9], v2, v0 src0_sel:WORD_0 src1_sel:DWORD\n"
              "s_nop 4\nv_cndmask_b32 v3, 0, 1, s[8:9]\n" +
              store);
    finds(undefined_store,
          low +
              "s_nop 4\nv_cmp_gt_u32_sdwa s[8:9], v2, v0 src0_sel:WORD_1 "
              "src1_sel:DWORD\ns_nop 4\nv_cndmask_b32 v3, 0, 1, s[8:9]\n" +
              store,
          all);
  }
  // A result of 16 bits clears the rest of its register.
  is_silent(low + "v_add_f16 v3, v2, v2\n" + store);
  // Two registers at once.
  is_silent("v_mov_b32 v4, 0\nv_mov_b32 v7, 0\nv_pk_mov_b32 v[2:3], v[4:5], v[6:7] op_sel:[0,1]\n" +
            store);
  finds(undefined_store,
        "v_mov_b32 v4, 0\nv_mov_b32 v7, 0\nv_pk_mov_b32 v[2:3], v[4:5], v[6:7] op_sel:[0,0]\n" +
            store,
        all);
  is_silent("v_mov_b32 v4, 0\nv_pk_add_f32 v[2:3], v[4:5], v[4:5] op_sel_hi:[0,0]\n" + store);
  finds(undefined_store,
        "v_mov_b32 v4, 0\nv_pk_add_f32 v[2:3], v[4:5], v[4:5] op_sel_hi:[1,0]\n" + store, all);
}

// Registers whose numbers M0 makes.
TEST_P(UndefinedOfCdna, RegistersByNumber) {
  const auto indexed = [&](const std::string& on, const std::string& code) {
    return "s_mov_b32 s8, 3\ns_set_gpr_idx_on s8, gpr_idx(" + on + ")\ns_nop 4\n" + code +
           "s_set_gpr_idx_off\n";
  };
  if (GetParam() != "gfx90a") return;  // the others lack it
  is_silent(indexed("DST", "v_mov_b32 v0, 1\n") + store);
  finds(undefined_store, indexed("DST", "v_mov_b32 v2, 1\n") + store, all);
  is_silent("v_mov_b32 v5, 1\n" + indexed("SRC0", "v_mov_b32 v3, v2\n") + store);
  finds(undefined_store, "v_mov_b32 v4, 1\n" + indexed("SRC0", "v_mov_b32 v3, v2\n") + store, all);
}

TEST_P(UndefinedOfCdna, ThroughLdsAndScratch) {
  const std::string lds = "ds_write_b32 v1, v3\nds_read_b32 v3, v1\n{lds 0}\n";
  const CheckedRun run = expect(undefined_store, of(in_lower + lds + store, 64, 256));
  EXPECT_EQ(run.report.findings[0].lanes, upper) << run.text();
  is_silent("v_mov_b32 v3, 1\n" + lds + store, 256);
  // A word that nobody stores.
  expect(lds_read_before_written,
         of("s_mov_b64 exec, 0xffffffff\nds_write_b32 v1, v0\ns_mov_b64 exec, -1\n"
            "ds_read_b32 v3, v1\n{lds 0}\n" +
                store,
            64, 256));
  CheckedKernel scratch =
      of("scratch_store_dword off, v3, off offset:4\n"
         "scratch_load_dword v3, off, off offset:4\n{load 0}\n" +
         store);
  scratch.scratch_bytes = 64;
  if (GetParam() == "gfx90a")  // which needs its address set up
    return;
  scratch.body = in_upper + scratch.body;
  EXPECT_EQ(expect(undefined_store, scratch).report.findings[0].lanes, lower);
  scratch.body = "v_mov_b32 v3, 1\n" + scratch.body;
  expect_silent(scratch);
}

TEST_P(UndefinedOfCdna, Addresses) {
  const std::string at =
      "v_and_b32 v3, 0x7c, v3\nv_mov_b32 v4, 0\nglobal_store_dword v3, v4, s[6:7]\n";
  const CheckedRun run = expect(undefined_address, of(in_lower + at));
  EXPECT_EQ(run.report.findings[0].lanes, upper) << run.text();
  is_silent("v_mov_b32 v3, v1\n" + at);
}

INSTANTIATE_TEST_SUITE_P(Targets, UndefinedOfCdna, ::testing::Values("gfx90a", "gfx942", "gfx950"),
                         [](const auto& info) { return info.param; });

TEST(UndefinedOfGfx950, SwapsOfRows) {
  const auto found = [&](const std::string& body) {
    const CheckedRun run = run_checked({.body = body + store, .threads = 64}, "gfx950");
    return run.report.findings.empty() ? 0 : run.report.findings[0].lanes;
  };
  // The upper half of the first goes to the lower one of the second, and back.
  const std::string swap = "s_nop 4\nv_permlane32_swap_b32 v3, v4\ns_nop 4\n";
  EXPECT_EQ(found(in_lower + "v_mov_b32 v4, 1\n" + swap), 0u);
  EXPECT_EQ(found(in_lower + "v_mov_b32 v4, 1\n" + swap + "v_mov_b32 v3, v4\n"), lower);
  EXPECT_EQ(found(in_lower + swap), upper);
  const std::string rows = "s_nop 4\nv_permlane16_swap_b32 v3, v4\ns_nop 4\n";
  EXPECT_EQ(found(in_lower + "v_mov_b32 v4, 1\n" + rows), uint64_t{0xffff} << 32);
  EXPECT_EQ(found(in_lower + "v_mov_b32 v4, 1\n" + rows + "v_mov_b32 v3, v4\n"),
            uint64_t{0xffff} << 32);
}

// Bytes of a register of scales.
TEST(UndefinedOfGfx950, Scales) {
  const auto findings = [&](const std::string& modifiers) {
    std::string body = "global_load_short_d16 v40, v1, s[4:5]\n{load 0}\n";
    for (int i = 8; i < 28; ++i) body += "v_mov_b32 v" + std::to_string(i) + ", 0\n";
    body +=
        "s_nop 4\nv_mfma_scale_f32_16x16x128_f8f6f4 v[24:27], v[8:15], v[16:23], v[24:27], v40, "
        "v40 " +
        modifiers + "\n";
    return run_checked({.body = body, .threads = 64}, "gfx950").count(undefined_matrix_operand);
  };
  EXPECT_EQ(findings("op_sel:[0,0,0] op_sel_hi:[0,0,0]"), 0);
  EXPECT_EQ(findings("op_sel:[1,1,0] op_sel_hi:[0,0,0]"), 0);
  EXPECT_EQ(findings("op_sel:[0,0,0] op_sel_hi:[1,0,0]"), 1);
  EXPECT_EQ(findings("op_sel:[0,0,0] op_sel_hi:[0,1,0]"), 1);
}

// Waves of 64 on RDNA.
class UndefinedOfWave64 : public Checked {};

TEST_P(UndefinedOfWave64, Stores) {
  const std::string kept = "global_store_b32 v1, v3, s[6:7]\n";
  const auto lanes = [&](const std::string& body) {
    const CheckedRun run =
        run_checked({.body = body + kept, .threads = 64, .wave = 64}, GetParam());
    EXPECT_EQ(run.count(undefined_store), static_cast<int>(run.report.findings.size()))
        << run.text();
    return run.report.findings.empty() ? 0 : run.report.findings[0].lanes;
  };
  EXPECT_EQ(lanes(""), all);
  EXPECT_EQ(lanes("v_mov_b32 v3, 1\n"), 0u);
  EXPECT_EQ(lanes(in_lower), upper);
  EXPECT_EQ(lanes(in_upper), lower);
  EXPECT_EQ(lanes(in_lower + "v_permlane64_b32 v3, v3\n"), lower);
  EXPECT_EQ(lanes(in_upper + "v_cmp_gt_u32 vcc, 5, v3\nv_cndmask_b32 v3, 0, 1, vcc\n"), lower);
}

INSTANTIATE_TEST_SUITE_P(Targets, UndefinedOfWave64, ::testing::ValuesIn(targets()),
                         [](const auto& info) { return info.param; });

}  // namespace undefined_wave64_test
}  // namespace heddle::emulator::testing
