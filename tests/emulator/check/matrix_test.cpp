// Matrix instructions: operands, lanes and the v_nop between dependent ones.
#include "checked_kernel.h"

namespace heddle::emulator::testing {
namespace matrix_test {

using enum FindingKind;

class Matrix : public Checked {
 protected:
  // v[8:15] A and v[16:23] B, of which gfx12 uses four registers each; v[24:31] C and D.
  std::string fill(const std::string& value = "1.0") const {
    std::string text;
    for (int r = 8; r < 32; ++r) text += "v_mov_b32 v" + std::to_string(r) + ", " + value + "\n";
    return text;
  }
  static std::string fill_from(int first, int count) {
    std::string text;
    for (int r = first; r < first + count; ++r)
      text += "v_mov_b32 v" + std::to_string(r) + ", -1\n";  // as what nobody wrote
    return text;
  }
  std::string wmma(const std::string& d = "24", const std::string& a = "8",
                   const std::string& b = "16") const {
    const int registers = is_gfx12() ? 4 : 8;
    const auto range = [](const std::string& first, int count) {
      return "v[" + first + ":" + std::to_string(std::stoi(first) + count - 1) + "]";
    };
    return "v_wmma_f32_16x16x16_f16 " + range(d, 8) + ", " + range(a, registers) + ", " +
           range(b, registers) + ", " + range(d, 8) + "\n";
  }
};

TEST_P(Matrix, UndefinedOperands) {
  expect_silent({.body = fill() + wmma()});
  const CheckedRun run = expect(undefined_matrix_operand, {.body = fill() + wmma("24", "8", "40")});
  EXPECT_NE(run.report.findings[0].message.find("v[40:"), std::string::npos) << run.text();
  expect(undefined_matrix_operand, {.body = fill() + wmma("48")});
  const CheckedRun lanes = expect(
      undefined_matrix_operand, {.body = fill() + "s_mov_b32 exec_lo, 0xffff\n" + fill_from(40, 8) +
                                         "s_mov_b32 exec_lo, -1\n" + wmma("24", "8", "40")});
  EXPECT_EQ(lanes.report.findings[0].lanes, 0xffff0000u);
}

// A product whose A is the D of the product before it, at once and after another instruction.
TEST_P(Matrix, DependentProductsNeedAnotherVectorInstruction) {
  const std::string first = fill() + fill_from(40, 8) + wmma();
  const std::string second = wmma("40", "24", "16");
  const CheckedRun run = expect(matrix_register_hazard, {.body = first + second});
  ASSERT_EQ(run.report.findings[0].related.size(), 1u);
  EXPECT_EQ(run.report.findings[0].related[0].role, "written here");
  expect_silent({.body = first + "v_nop\n" + second});
  expect_silent({.body = first + "v_mov_b32 v60, 0\n" + second});
  // Scalar instructions do not help.
  expect(matrix_register_hazard, {.body = first + "s_nop 0\n" + second});
  // C may come straight from the product before.
  expect_silent({.body = first + wmma()});
}

// EXEC with lanes off ends the run; the fault is the last of the findings.
TEST_P(Matrix, InactiveLanes) {
  const CheckedRun run =
      expect(matrix_inactive_lanes, {.body = fill() + "s_mov_b32 exec_lo, 0xffff\n" + wmma()});
  ASSERT_TRUE(run.report.fault);
  EXPECT_EQ(run.report.fault->kind, FaultKind::wmma_inactive_lanes);
}

INSTANTIATE_TEST_SUITE_P(Targets, Matrix, ::testing::ValuesIn(targets()),
                         [](const auto& info) { return info.param; });

// gfx11: lanes 16 to 31 of A and B repeat lanes 0 to 15, in every workgroup.
TEST(MatrixGfx11, UnequalCopies) {
  std::string fill;
  for (int r = 8; r < 32; ++r) fill += "v_mov_b32 v" + std::to_string(r) + ", 0\n";
  const std::string wmma = "v_wmma_f32_16x16x16_f16 v[24:31], v[8:15], v[16:23], v[24:31]\n";
  const CheckedRun wrong =
      run_checked({.body = fill + "v_mov_b32 v18, v0\n" + wmma, .workgroups = 3}, "gfx1151");
  ASSERT_EQ(wrong.report.findings.size(), 1u) << wrong.text();
  const Finding& finding = wrong.report.findings[0];
  EXPECT_EQ(finding.kind, matrix_unequal_copies);
  EXPECT_EQ(finding.lanes, 0xffff0000u);
  EXPECT_EQ(finding.count, 3u);
  EXPECT_NE(finding.message.find("lane 16 of B holds 0x10 in v18 and lane 0"), std::string::npos)
      << finding.message;
  const CheckedRun right =
      run_checked({.body = fill + "v_and_b32 v18, 15, v0\n" + wmma, .workgroups = 3}, "gfx1151");
  EXPECT_TRUE(right.report.findings.empty()) << right.text();
}

// Each half of the wave multiplies its own copies, so both may hold another order of k; but A and B
// the same one.
TEST(MatrixGfx11, CopiesInAnotherOrder) {
  std::string fill;
  for (int r = 0; r < 8; ++r)
    fill += "v_mov_b32 v" + std::to_string(8 + r) + ", " + std::to_string(r + 1) + "\nv_mov_b32 v" +
            std::to_string(16 + r) + ", " + std::to_string(r + 21) + "\nv_mov_b32 v" +
            std::to_string(24 + r) + ", 0\n";
  const std::string upper = "s_mov_b32 exec_lo, 0xffff0000\n",
                    swap_a = "v_mov_b32 v8, 2\nv_mov_b32 v9, 1\n",
                    swap_b = "v_mov_b32 v16, 22\nv_mov_b32 v17, 21\n",
                    wmma =
                        "s_mov_b32 exec_lo, -1\n"
                        "v_wmma_f32_16x16x16_f16 v[24:31], v[8:15], v[16:23], v[24:31]\n";
  const CheckedRun both = run_checked({.body = fill + upper + swap_a + swap_b + wmma}, "gfx1151");
  EXPECT_TRUE(both.report.findings.empty()) << both.text();
  const CheckedRun one = run_checked({.body = fill + upper + swap_a + wmma}, "gfx1151");
  EXPECT_EQ(one.count(matrix_unequal_copies), 1) << one.text();
}

// Of a wave of 64, each sixteen lanes repeat the first, in its order of k or another one.
TEST(MatrixGfx11, CopiesInAWaveOf64) {
  std::string fill;
  for (int r = 8; r < 28; ++r)
    fill += "v_mov_b32 v" + std::to_string(r) + ", " + std::to_string(r < 24 ? r : 0) + "\n";
  const auto run = [&](const std::string& change) {
    return run_checked({.body = fill + change +
                                "s_mov_b64 exec, -1\n"
                                "v_wmma_f32_16x16x16_f16 v[24:27], v[8:15], v[16:23], v[24:27]\n",
                        .threads = 64,
                        .wave = 64},
                       "gfx1151");
  };
  EXPECT_EQ(run("v_and_b32 v18, 15, v0\n").text(), "");
  const CheckedRun lanes = run("v_and_b32 v18, 31, v0\n");
  ASSERT_EQ(lanes.count(matrix_unequal_copies), 1) << lanes.text();
  EXPECT_EQ(lanes.report.findings[0].lanes, 0xffff0000ffff0000u);
  const std::string upper = "s_mov_b32 exec_lo, 0\ns_mov_b32 exec_hi, 0xffff0000\n",
                    swap_a = "v_mov_b32 v8, 9\nv_mov_b32 v9, 8\n",
                    swap_b = "v_mov_b32 v16, 17\nv_mov_b32 v17, 16\n";
  EXPECT_EQ(run(upper + swap_a + swap_b).text(), "");
  const CheckedRun one = run(upper + swap_a);
  ASSERT_EQ(one.count(matrix_unequal_copies), 1) << one.text();
  EXPECT_EQ(one.report.findings[0].lanes, 0xffff000000000000u);
  EXPECT_NE(one.report.findings[0].message.find("lane 48 of A holds 0x9 in v8 and lane 0"),
            std::string::npos)
      << one.report.findings[0].message;
}

// A 16-bit C fills one half of each register on gfx11; OPSEL says which.
TEST(MatrixGfx11, HalvesOfASixteenBitSum) {
  std::string fill;
  for (int r = 8; r < 24; ++r) fill += "v_mov_b32 v" + std::to_string(r) + ", 0\n";
  std::string low;
  for (int r = 24; r < 32; ++r)
    low += "global_load_d16_b16 v" + std::to_string(r) + ", v1, s[4:5]\n";
  low += "s_waitcnt vmcnt(0)\n";
  const std::string wmma = "v_wmma_f16_16x16x16_f16 v[24:31], v[8:15], v[16:23], v[24:31]";
  const CheckedRun right =
      run_checked({.body = fill + low + wmma + "\nglobal_store_b16 v1, v24, s[6:7]\n"}, "gfx1151");
  EXPECT_TRUE(right.report.findings.empty()) << right.text();
  const CheckedRun wrong =
      run_checked({.body = fill + low + wmma + " op_sel:[0,0,1]\n"}, "gfx1151");
  EXPECT_EQ(wrong.count(undefined_matrix_operand), 1) << wrong.text();
}

}  // namespace matrix_test
}  // namespace heddle::emulator::testing
