// Values that nobody wrote: where they may go and where not.
#include "checked_kernel.h"

namespace heddle::emulator::testing {
namespace undefined_test {

using enum FindingKind;

class Undefined : public Checked {};

const std::string store = "global_store_b32 v1, v3, s[6:7]\n";

TEST_P(Undefined, StoreToGlobalMemory) {
  const CheckedRun run = expect(undefined_store, {.body = store});
  EXPECT_NE(run.report.findings[0].message.find("stores v3 of lane 0"), std::string::npos)
      << run.text();
  expect_silent({.body = "v_mov_b32 v3, 0\n" + store});
}

TEST_P(Undefined, ComputedFromAnUndefinedValue) {
  expect(undefined_store, {.body = "v_add_f32 v3, v9, v1\n" + store});
  expect(undefined_store, {.body = "v_mov_b32 v3, s40\n" + store});
  expect_silent({.body = "v_mov_b32 v9, 0\nv_add_f32 v3, v9, v1\n" + store});
}

// Copies and merges of undefined values are no mistake.
TEST_P(Undefined, CopiesAreNoMistake) {
  expect_silent({.body = "v_mov_b32 v9, v10\nv_add_f32 v11, v9, v9\ns_mov_b32 s20, s40\n"
                         "v_cndmask_b32 v12, v11, v1, vcc_lo\n"});
}

TEST_P(Undefined, OnlyTheLanesThatAreUndefined) {
  const std::string partly = "s_mov_b32 exec_lo, 0xff\nv_mov_b32 v3, 1\ns_mov_b32 exec_lo, -1\n";
  const CheckedRun run = expect(undefined_store, {.body = partly + store});
  EXPECT_EQ(run.report.findings[0].lanes, 0xffffff00u);
  expect_silent({.body = partly + "s_mov_b32 exec_lo, 0x0f\n" + store});
}

TEST_P(Undefined, HalvesOfARegister) {
  const std::string low = "v_mov_b32 v9, 5\nglobal_load_d16_b16 v3, v1, s[4:5]\n{load 0}\n";
  expect(undefined_store, {.body = low + store});
  expect_silent({.body = low + "global_store_b16 v1, v3, s[6:7]\n"});
  expect_silent({.body = low + "v_perm_b32 v3, v9, v3, 0x05040100\n" + store});
}

TEST_P(Undefined, MaskedBits) {
  const std::string low = "global_load_d16_b16 v3, v1, s[4:5]\n{load 0}\n";
  expect_silent({.body = low + "v_and_b32 v3, 0xffff, v3\n" + store});
  expect(undefined_store, {.body = low + "v_and_b32 v3, 0xff0000, v3\n" + store});
  expect_silent({.body = low + "v_lshlrev_b32 v3, 16, v3\n" + store});
  expect(undefined_store, {.body = low + "v_lshrrev_b32 v3, 16, v3\n" + store});
  expect_silent({.body = low + "v_or_b32 v3, 0xffff0000, v3\n" + store});
  expect_silent({.body = low + "v_mov_b32 v9, 1\nv_bfi_b32 v3, 0xffff, v3, v9\n" + store});
}

// Two f32 in two registers, of gfx1250: each result has a register of its own.
TEST(UndefinedOfGfx1250, PackedFloats) {
  const auto expect = [&](const std::string& sources, const std::string& stored, int stores) {
    const CheckedRun run =
        run_checked({.body = "v_mov_b32 v2, 1.0\nv_mov_b32 v3, 2.0\nv_mov_b32 v4, 3.0\n"
                             "v_pk_mul_f32 v[8:9], " +
                             sources + "\nglobal_store_b32 v1, " + stored + ", s[6:7]\n"},
                    "gfx1250");
    EXPECT_EQ(run.count(undefined_store), stores) << sources << ", " << stored << "\n"
                                                  << run.text();
    EXPECT_EQ(run.report.findings.size(), static_cast<std::size_t>(stores)) << run.text();
  };
  expect("v[2:3], v[2:3]", "v8", 0);
  expect("v[2:3], v[2:3]", "v9", 0);
  expect("v[2:3], v[4:5]", "v8", 0);
  expect("v[2:3], v[4:5]", "v9", 1);
  expect("v[4:5], v[2:3] op_sel:[1,0] op_sel_hi:[0,1]", "v8", 1);
  expect("v[4:5], v[2:3] op_sel:[1,0] op_sel_hi:[0,1]", "v9", 0);
  expect("v[4:5], v[2:3] op_sel_hi:[0,1]", "v9", 0);
}

// A fused sum that becomes half of its register leaves the other half as it was.
TEST(UndefinedOfGfx1250, HalvesOfAFusedSum) {
  for (const bool high : {false, true}) {
    const std::string sum = std::string("v_mov_b32 v2, 1.0\nv_fma_mix") + (high ? "hi" : "lo") +
                            "_bf16 v40, v2, v2, v2\n";
    const auto run = [&](const char* store) {
      return run_checked({.body = sum + store + " v1, v40, s[6:7]"}, "gfx1250");
    };
    const CheckedRun low = run("global_store_b16"), upper = run("global_store_d16_hi_b16");
    EXPECT_EQ(low.count(FindingKind::undefined_store), high ? 1 : 0) << low.text();
    EXPECT_EQ(upper.count(FindingKind::undefined_store), high ? 0 : 1) << upper.text();
  }
}

// An operation by its truth table, of gfx1250: what a bit of one source settles is defined.
TEST(UndefinedOfGfx1250, TruthTables) {
  const std::string low = "global_load_d16_b16 v3, v1, s[4:5]\n{load 0}\n";
  const auto expect = [&](const std::string& operation, int stores) {
    const CheckedRun run = run_checked({.body = low + operation + store}, "gfx1250");
    EXPECT_EQ(run.count(undefined_store), stores) << operation << run.text();
    EXPECT_EQ(run.report.findings.size(), static_cast<std::size_t>(stores)) << run.text();
  };
  const std::string dual = "v_dual_mov_b32 v2, v0 :: ", mask = "s_mov_b32 s8, 0xffff\n";
  // 0x40 is a and b, 0x54 a or b, 0x14 their difference.
  expect(mask + dual + "v_dual_bitop2_b32 v3, s8, v3 bitop3:0x40\n", 0);
  expect(mask + dual + "v_dual_bitop2_b32 v3, s8, v3 bitop3:0x54\n", 1);
  expect(mask + dual + "v_dual_bitop2_b32 v3, s8, v3 bitop3:0x14\n", 1);
  expect("s_mov_b32 s8, 0xffff0000\n" + dual + "v_dual_bitop2_b32 v3, s8, v3 bitop3:0x54\n", 0);
  expect(mask + "v_bitop3_b32 v3, v3, s8, v1 bitop3:0x80\n", 0);
  expect(mask + "v_bitop3_b32 v3, v3, s8, v1 bitop3:0xfe\n", 1);
  // a selects b or c: the upper half of a is one, where b is undefined.
  expect("s_mov_b32 s8, 0xffff0000\nv_bitop3_b32 v3, s8, v1, v3 bitop3:0xca\n", 0);
  expect("s_mov_b32 s8, 0xffff0000\nv_bitop3_b32 v3, s8, v3, v1 bitop3:0xca\n", 1);
  // No source counts.
  expect("v_bitop3_b32 v3, v3, v9, v10 bitop3:0xff\n", 0);
  expect("v_mov_b32 v3, 0\nv_bitop3_b16 v3, v8, v1, v1 bitop3:0x0c\n", 1);
  expect("v_mov_b32 v3, 0\nv_bitop3_b16 v3, v8, v1, v1 bitop3:0xaa\n", 0);
}

// The low word of a product and sum does not depend on the upper word of the addend.
TEST_P(Undefined, LowWordOfAWideSum) {
  const std::string name = is_gfx12() ? "v_mad_co_u64_u32" : "v_mad_u64_u32";
  const std::string sum = "v_mov_b32 v8, 7\n" + name + " v[2:3], null, v0, v0, v[8:9]\n";
  expect_silent({.body = sum + "global_store_b32 v1, v2, s[6:7]\n"});
  expect(undefined_store, {.body = sum + store});
}

TEST_P(Undefined, Address) {
  const CheckedRun run =
      expect(undefined_address, {.body = "v_and_b32 v9, 0x7c, v9\nv_mov_b32 v3, 0\n"
                                         "global_store_b32 v9, v3, s[6:7]\n"});
  EXPECT_NE(run.report.findings[0].message.find("v9"), std::string::npos);
  expect_silent({.body = "v_and_b32 v9, 0x7c, v1\nv_mov_b32 v3, 0\n"
                         "global_store_b32 v9, v3, s[6:7]\n"});
  expect(undefined_address,
         {.body = "v_and_b32 v9, 0x7c, v9\nds_store_b32 v9, v0\n", .lds_bytes = 128});
  expect(undefined_address,
         {.body = "s_and_b32 s8, s40, 0x7c\ns_load_b32 s9, s[4:5], s8\n{scalar 0}\n"});
}

TEST_P(Undefined, Condition) {
  expect(undefined_condition,
         {.body = "v_cmp_gt_u32 vcc_lo, 5, v9\ns_and_saveexec_b32 s8, vcc_lo\nv_nop\n"});
  expect_silent({.body = "v_cmp_gt_u32 vcc_lo, 5, v0\ns_and_saveexec_b32 s8, vcc_lo\nv_nop\n"});
  expect(undefined_condition,
         {.body = "s_cmp_eq_u32 s40, 0\ns_cbranch_scc1 over\ns_nop 0\nover:\n"});
  expect(undefined_condition,
         {.body = "v_cmp_gt_u32 vcc_lo, 5, v9\ns_cbranch_vccz over\ns_nop 0\nover:\n"});
}

// An undefined jump address decides what runs next, as an undefined condition does. The return
// address that a jump stores is defined.
TEST_P(Undefined, AddressOfAJump) {
  const std::string jump = "s_add_u32 s8, s8, 16\ns_swappc_b64 s[12:13], s[8:9]\n";
  expect(undefined_condition, {.body = "s_getpc_b64 s[8:9]\ns_xor_b32 s10, s40, s40\n"
                                       "s_or_b32 s8, s8, s10\n" +
                                       jump});
  expect_silent({.body = "s_getpc_b64 s[8:9]\ns_xor_b32 s10, s4, s4\ns_or_b32 s8, s8, s10\n" +
                         jump + "v_mov_b32 v3, s12\nglobal_store_b32 v1, v3, s[6:7]\n"});
}

// Bits that are moved are not mixed.
TEST_P(Undefined, BitsThatAreMoved) {
  const auto moved = [](const std::string& body) {
    return "v_and_b32 v3, 0xff, v0\nv_lshl_or_b32 v3, v9, 16, v3\n" + body + store;
  };
  for (const char* body : {"v_bfrev_b32 v3, v3\nv_lshrrev_b32 v3, 24, v3\n",
                           "v_bfe_i32 v3, v3, 0, 9\n", "v_bfe_u32 v3, v3, 4, 12\n"})
    expect_silent({.body = moved(body)});
  // A signed field that ends beyond the register has copies of its uppermost bit.
  for (const char* body : {"v_bfe_i32 v3, v3, 30, 8\nv_lshrrev_b32 v3, 2, v3\n",
                           "v_bfrev_b32 v3, v3\n", "v_bfe_u32 v3, v3, 9, 12\n"})
    expect(undefined_store, {.body = moved(body)});
  const auto of_scalars = [](const std::string& body) {
    return "s_and_b32 s8, s4, 0xff\ns_lshl_b32 s9, s40, 16\ns_or_b32 s8, s8, s9\n" + body +
           "v_mov_b32 v3, s8\n" + store;
  };
  expect_silent({.body = of_scalars("s_bfe_u32 s8, s8, 0xc0004\n")});
  expect_silent({.body = of_scalars("s_sext_i32_i16 s8, s8\n")});
  expect(undefined_store, {.body = of_scalars("s_bfe_u32 s8, s8, 0xd0004\n")});
}

// By the number in M0.
TEST_P(Undefined, SwappedRegisters) {
  const std::string swap = "v_mov_b32 v3, 1\ns_mov_b32 m0, 0\nv_swaprel_b32 v3, v9\n";
  expect(undefined_store, {.body = swap + store});
  expect_silent({.body = swap + "global_store_b32 v1, v9, s[6:7]\n"});
}

// Lanes that are off do not decide: the mask of an inner branch has only their bits undefined.
TEST_P(Undefined, ConditionsOfLanesThatAreOff) {
  expect_silent({.body = "s_mov_b32 exec_lo, 0xff\nv_cmp_gt_u32 s8, 5, v0\n"
                         "s_and_b32 s9, s8, exec_lo\ns_or_b32 s10, s40, 0\n"
                         "s_and_b32 s10, s10, 0\ns_or_b32 s10, s10, s9\n"
                         "s_and_saveexec_b32 s11, s10\nv_nop\n"});
}

TEST_P(Undefined, ThroughLdsAndScratch) {
  const std::string lds = "ds_store_b32 v1, v9\nds_load_b32 v3, v1\n{lds 0}\n";
  expect(undefined_store, {.body = lds + store, .lds_bytes = 128});
  expect_silent({.body = "v_mov_b32 v9, 1\n" + lds + store, .lds_bytes = 128});
  const std::string scratch =
      "scratch_store_b32 off, v9, off offset:4\nscratch_load_b32 v3, off, off offset:4\n"
      "{store 0}\n{load 0}\n";
  expect(undefined_store, {.body = scratch + store, .scratch_bytes = 64});
  expect_silent({.body = "v_mov_b32 v9, 1\n" + scratch + store, .scratch_bytes = 64});
  expect(undefined_store,
         {.body = "scratch_load_b32 v3, off, off\n{load 0}\n" + store, .scratch_bytes = 64});
}

// Padding between the members of a structure is copied with them.
TEST_P(Undefined, BytesOfARegister) {
  const auto masked = [](const std::string& mask) {
    return CheckedKernel{.body =
                             "scratch_store_b8 off, v0, off\nscratch_store_b16 off, v0, off "
                             "offset:2\nscratch_load_b32 v3, off, off\n{store 0}\n{load 0}\n"
                             "v_and_b32 v3, " +
                             mask + ", v3\n" + store,
                         .scratch_bytes = 64};
  };
  expect_silent(masked("0xff"));
  expect_silent(masked("0xffff00ff"));
  expect(undefined_store, masked("0x0000ff00"));
  expect_silent({.body = "scratch_store_b8 off, v0, off\nscratch_load_i8 v3, off, off\n{store 0}\n"
                         "{load 0}\n" +
                         store,
                 .scratch_bytes = 64});
  expect(undefined_store,
         {.body = "scratch_load_i8 v3, off, off\n{load 0}\nv_lshrrev_b32 v3, 24, v3\n" + store,
          .scratch_bytes = 64});
  expect_silent(
      {.body = "scratch_load_u8 v3, off, off\n{load 0}\nv_lshrrev_b32 v3, 24, v3\n" + store,
       .scratch_bytes = 64});
}

TEST_P(Undefined, ThroughLanes) {
  const std::string half = "s_mov_b32 exec_lo, 0xffff\nv_mov_b32 v3, v0\ns_mov_b32 exec_lo, -1\n";
  expect(undefined_store, {.body = half + store});
  // Lanes 16 to 31 take from lanes 0 to 15.
  expect_silent(
      {.body = half + "v_and_b32 v4, 0x3c, v1\nds_bpermute_b32 v3, v4, v3\n{lds 0}\n" + store});
  expect_silent({.body = half + "v_readlane_b32 s8, v3, 4\nv_mov_b32 v3, s8\n" + store});
  expect(undefined_store, {.body = half + "v_readlane_b32 s8, v3, 20\nv_mov_b32 v3, s8\n" + store});
  expect_silent({.body = half + "v_readfirstlane_b32 s8, v3\nv_mov_b32 v3, s8\n" + store});
  expect(undefined_store, {.body = half +
                                   "v_mov_b32_dpp v4, v3 row_shl:1 row_mask:0xf bank_mask:0xf "
                                   "bound_ctrl:1\nv_mov_b32 v3, v4\n" +
                                   store});
  expect_silent({.body = "v_mov_b32_dpp v3, v0 row_shl:1 row_mask:0xf bank_mask:0xf "
                         "bound_ctrl:1\n" +
                         store});
  expect_silent({.body = "v_permlanex16_b32 v3, v0, 0, 0\n" + store});
}

// Unoptimised code keeps masks in lanes of a register, and their bits of lanes that are off are
// anything.
TEST_P(Undefined, MasksKeptInLanes) {
  const std::string kept =
      "s_mov_b32 exec_lo, 0xff\nv_mov_b32 v3, 1\ns_mov_b32 exec_lo, -1\n"
      "v_cmp_gt_u32 s8, 5, v3\nv_writelane_b32 v9, s8, 2\nv_readlane_b32 s9, v9, 2\n";
  const std::string branch = "s_and_saveexec_b32 s10, s9\nv_nop\n";
  expect_silent({.body = kept + "s_and_b32 s9, s9, 0xff\n" + branch});
  expect(undefined_condition, {.body = kept + "s_and_b32 s9, s9, 0xff0000\n" + branch});
}

TEST_P(Undefined, DualIssue) {
  expect_silent({.body = "v_dual_mov_b32 v2, v1 :: v_dual_mov_b32 v3, v0\n" + store});
  expect(undefined_store, {.body = "v_dual_mov_b32 v2, v1 :: v_dual_mov_b32 v3, v8\n" + store});
  // The second reads what the first overwrites.
  expect_silent(
      {.body = "v_mov_b32 v2, 0\nv_dual_mov_b32 v2, v8 :: v_dual_mov_b32 v3, v2\n" + store});
  // VCC, which nobody wrote, is read by only one of the two.
  expect_silent({.body = "v_dual_cndmask_b32 v2, v1, v0 :: v_dual_mul_f32 v3, v0, v1\n" + store});
  expect(undefined_store,
         {.body = "v_dual_mul_f32 v2, v0, v1 :: v_dual_cndmask_b32 v3, v1, v0\n" + store});
}

TEST_P(Undefined, OutputBufferReadBeforeWritten) {
  const std::string load = "global_load_b32 v3, v1, s[6:7]\n{load 0}\n";
  const CheckedRun run = expect(global_read_before_written, {.body = load});
  EXPECT_NE(run.report.findings[0].message.find("buffer out"), std::string::npos) << run.text();
  expect_silent({.body = "global_store_b32 v1, v0, s[6:7]\n{store 0}\n" + load});
  expect(global_read_before_written, {.body = "s_load_b32 s8, s[6:7], 0x0\n{scalar 0}\n"});
  expect_silent({.body = "s_load_b32 s8, s[4:5], 0x0\n{scalar 0}\n"});
}

INSTANTIATE_TEST_SUITE_P(Targets, Undefined, ::testing::ValuesIn(targets()),
                         [](const auto& info) { return info.param; });

}  // namespace undefined_test
}  // namespace heddle::emulator::testing
