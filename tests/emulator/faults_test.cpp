// Everything a kernel can do wrong ends the run with the place, the instruction and the reason.
#include <algorithm>

#include "kernels.h"

namespace heddle::emulator::testing {
namespace faults_test {

class Faults : public ::testing::TestWithParam<std::string> {
 protected:
  std::string wait() const {
    return GetParam() == "gfx1201" ? "s_wait_kmcnt 0x0\n" : "s_waitcnt lgkmcnt(0)\n";
  }

  // s[4:5]: the buffer; v0: the thread; v1: 4 * thread.
  std::string prologue() const {
    return "s_load_b64 s[4:5], s[0:1], 0x0\n" + wait() + "v_lshlrev_b32_e32 v1, 2, v0\n";
  }

  Fault expect_fault(const AssemblyKernel& kernel, FaultKind kind,
                     std::array<uint32_t, 3> workgroup = {32, 1, 1}, uint64_t limit = 1'000'000) {
    const CodeObject object = assemble(kernel_text({kernel}, GetParam()), GetParam());
    data_.assign(64, 7);
    Launch launch;
    launch.arguments = {buffer(std::span(data_), "data")};
    launch.workgroup = workgroup;
    launch.budget.instructions_per_workgroup = limit;
    const auto report = run(object, launch);
    if (report) {
      ADD_FAILURE() << "the kernel ran to its end";
      return {};
    }
    EXPECT_EQ(report.error().kind, kind) << report.error().text();
    EXPECT_EQ(report.error().kernel, kernel.name);
    return report.error();
  }

  std::vector<uint32_t> data_;
};

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST_P(Faults, LoadPastTheEndNamesBufferAndDistance) {
  // 64 words; lane 20 with offset 176 is the first past 256 bytes.
  const Fault fault = expect_fault(
      {.name = "load", .body = prologue() + "global_load_b32 v2, v1, s[4:5] offset:176\ns_endpgm"},
      FaultKind::global_out_of_bounds);
  EXPECT_EQ(fault.lane, 20);
  EXPECT_TRUE(contains(fault.message, "reads 4 bytes at 0 bytes past the end of buffer data"))
      << fault.message;
  EXPECT_TRUE(contains(fault.message, "(256 bytes)")) << fault.message;
  EXPECT_TRUE(contains(fault.instruction, "global_load_b32 v2")) << fault.instruction;
  EXPECT_GT(fault.program_counter, 0u);
  EXPECT_EQ(fault.wave, 0);
}

TEST_P(Faults, LoadAcrossTheEnd) {
  const Fault fault =
      expect_fault({.name = "load",
                    .body = prologue() + "global_load_b64 v[2:3], v1, s[4:5] offset:128\ns_endpgm"},
                   FaultKind::global_out_of_bounds);
  EXPECT_EQ(fault.lane, 31);
  EXPECT_TRUE(contains(fault.message, "of which 4 lie past its end")) << fault.message;
}

TEST_P(Faults, StoreBeforeTheStart) {
  const Fault fault =
      expect_fault({.name = "store",
                    .body = prologue() + "global_store_b32 v1, v0, s[4:5] offset:-12\ns_endpgm"},
                   FaultKind::global_out_of_bounds);
  EXPECT_EQ(fault.lane, 0);
  EXPECT_TRUE(contains(fault.message, "writes 4 bytes at 12 bytes before the start of buffer data"))
      << fault.message;
  EXPECT_TRUE(std::ranges::all_of(data_, [](uint32_t x) { return x == 7; }));
}

TEST_P(Faults, InactiveLanesDoNotFault) {
  const CodeObject object = assemble(
      kernel_text({{.name = "masked",
                    .body = prologue() +
                            "s_mov_b32 exec_lo, 0xff\nglobal_store_b32 v1, v0, s[4:5] offset:224\n"
                            "s_endpgm"}},
                  GetParam()),
      GetParam());
  data_.assign(64, 7);
  Launch launch;
  launch.arguments = {buffer(std::span(data_), "data")};
  const auto report = run(object, launch);
  ASSERT_TRUE(report) << report.error().text();
  EXPECT_EQ(data_[63], 7u);
  EXPECT_EQ(data_[56], 0u);
}

TEST_P(Faults, NullPointer) {
  const Fault fault = expect_fault({.name = "null",
                                    .body = "v_dual_mov_b32 v2, 0 :: v_dual_mov_b32 v3, 0\n"
                                            "global_load_b32 v4, v[2:3], off\ns_endpgm"},
                                   FaultKind::global_out_of_bounds);
  EXPECT_TRUE(contains(fault.message, "near no buffer")) << fault.message;
}

TEST_P(Faults, ScalarLoadPastTheEnd) {
  const Fault fault = expect_fault(
      {.name = "scalar", .body = prologue() + "s_load_b64 s[6:7], s[4:5], 0xfc\ns_endpgm"},
      FaultKind::global_out_of_bounds);
  EXPECT_TRUE(contains(fault.message, "buffer data")) << fault.message;
}

TEST_P(Faults, StoreIntoTheArguments) {
  expect_fault({.name = "constant",
                .body = "v_mov_b32_e32 v1, 0\nglobal_store_b32 v1, v0, s[0:1]\ns_endpgm"},
               FaultKind::global_read_only);
}

TEST_P(Faults, LdsOutOfRange) {
  const Fault fault =
      expect_fault({.name = "lds",
                    .body = prologue() + "ds_load_b128 v[4:7], v1 offset:384\ns_endpgm",
                    .lds_bytes = 512},
                   FaultKind::lds_out_of_bounds);
  EXPECT_EQ(fault.lane, 29);
  EXPECT_TRUE(contains(fault.message, "reads 16 bytes at LDS address 0x1f4")) << fault.message;
  EXPECT_TRUE(contains(fault.message, "512 bytes of LDS")) << fault.message;
}

TEST_P(Faults, ScratchOutOfRange) {
  expect_fault({.name = "scratch",
                .body = "scratch_store_b32 off, v0, off offset:64\ns_endpgm",
                .scratch_bytes = 64},
               FaultKind::scratch_out_of_bounds);
}

TEST_P(Faults, MisalignedAtomic) {
  const Fault fault =
      expect_fault({.name = "atomic",
                    .body = prologue() + "global_atomic_add_u32 v1, v0, s[4:5] offset:2\ns_endpgm"},
                   FaultKind::misaligned);
  EXPECT_TRUE(contains(fault.message, "2 past a multiple of 4")) << fault.message;
}

TEST_P(Faults, UnknownOpcodeIsNamedWhenItIsReached) {
  const Fault fault = expect_fault(
      {.name = "unknown", .body = "s_nop 0\nbuffer_load_format_x v0, off, s[4:7], s0\ns_endpgm"},
      FaultKind::unknown_opcode);
  EXPECT_TRUE(contains(fault.message, "buffer_load_format_x")) << fault.message;
  EXPECT_EQ(fault.program_counter, 4u);
}

TEST_P(Faults, UnknownOpcodeThatIsNotReachedIsOnlyListed) {
  const CodeObject object = assemble(
      kernel_text(
          {{.name = "skips",
            .body = "s_branch past\nbuffer_load_format_x v0, off, s[4:7], s0\npast:\ns_endpgm"}},
          GetParam()),
      GetParam());
  data_.assign(1, 0);
  Launch launch;
  launch.arguments = {buffer(std::span(data_), "data")};
  EXPECT_TRUE(run(object, launch));
  ASSERT_EQ(object.unknown_instructions().size(), 1u);
  EXPECT_TRUE(contains(object.unknown_instructions()[0], "buffer_load_format_x"));
}

TEST_P(Faults, BytesThatAreNoInstruction) {
  expect_fault({.name = "garbage", .body = ".long 0xfefefefe\ns_endpgm"},
               FaultKind::unknown_opcode);
}

TEST_P(Faults, RunningOffTheEnd) {
  expect_fault({.name = "open", .body = "s_nop 0"}, FaultKind::bad_jump);
}

TEST_P(Faults, JumpToNowhere) {
  expect_fault({.name = "jump", .body = "s_mov_b64 s[4:5], 16\ns_setpc_b64 s[4:5]\ns_endpgm"},
               FaultKind::bad_jump);
}

TEST_P(Faults, Trap) {
  const Fault fault =
      expect_fault({.name = "trap", .body = "s_nop 0\ns_trap 2\ns_endpgm"}, FaultKind::trap);
  EXPECT_EQ(fault.program_counter, 4u);
  EXPECT_TRUE(contains(fault.text(), "the kernel stopped itself")) << fault.text();
  EXPECT_TRUE(contains(finding_of(fault).fix, "assertion")) << finding_of(fault).fix;
}

TEST_P(Faults, EndlessLoop) {
  const Fault fault =
      expect_fault({.name = "loop", .body = "again:\ns_branch again"}, FaultKind::budget_spent);
  EXPECT_TRUE(contains(fault.message, "1000000")) << fault.message;
}

// 32 waves of two instructions each, the end among them: 64 are just enough.
TEST_P(Faults, TheLimitCountsTheEndOfAWave) {
  const AssemblyKernel kernel = {.name = "short", .body = "s_nop 0\ns_endpgm"};
  const Fault fault = expect_fault(kernel, FaultKind::budget_spent, {1024, 1, 1}, 62);
  EXPECT_TRUE(contains(fault.message, "the budget of 62 instructions of one workgroup is spent"))
      << fault.message;
  Launch launch;
  launch.arguments = {buffer(std::span(data_), "data")};
  launch.workgroup = {1024, 1, 1};
  launch.budget.instructions_per_workgroup = 64;
  const auto report = run(assemble(kernel_text({kernel}, GetParam()), GetParam()), launch);
  ASSERT_TRUE(report) << report.error().text();
  EXPECT_EQ(report->instructions, 64u);
}

// A workgroup costs something even when it does nothing.
TEST_P(Faults, AGridOfEmptyWorkgroupsEnds) {
  const CodeObject object =
      assemble(kernel_text({{.name = "empty", .body = "s_endpgm"}}, GetParam()), GetParam());
  data_.assign(1, 0);
  Launch launch;
  launch.arguments = {buffer(std::span(data_), "data")};
  launch.grid = {100'000'000, 1, 1};
  launch.budget.instructions = 1'000'000;
  const auto report = run(object, launch);
  ASSERT_FALSE(report);
  EXPECT_EQ(report.error().kind, FaultKind::budget_spent);
  EXPECT_TRUE(contains(report.error().message, "--limit-run raises it")) << report.error().message;
}

// What is outstanding is bounded by the counters of the hardware, and not by the waits of a kernel.
TEST_P(Faults, AKernelThatNeverWaitsEndsUnderTheChecker) {
  const std::string body = prologue() +
                           "again:\ns_sendmsg_rtn_b64 s[8:9], sendmsg(MSG_RTN_GET_REALTIME)\n"
                           "s_load_b32 s10, s[4:5], 0x0\nglobal_load_b32 v2, v1, s[4:5]\n"
                           "s_branch again";
  const CodeObject object =
      assemble(kernel_text({{.name = "hasty", .body = body}}, GetParam()), GetParam());
  data_.assign(64, 0);
  Launch launch;
  launch.arguments = {buffer(std::span(data_), "data")};
  launch.check = true;
  launch.budget.instructions_per_workgroup = 10'000'000;
  const auto report = run(object, launch);
  ASSERT_TRUE(report) << report.error().text();
  ASSERT_TRUE(report->fault);
  EXPECT_EQ(report->fault->kind, FaultKind::budget_spent);
}

TEST_P(Faults, EndlessLoopWhileOthersWaitSaysSo) {
  // Wave 0 (threads below 32) waits at a barrier, wave 1 never gets there.
  const std::string barrier =
      GetParam() == "gfx1201" ? "s_barrier_signal -1\ns_barrier_wait -1\n" : "s_barrier\n";
  const Fault fault =
      expect_fault({.name = "half",
                    .body = "v_cmp_gt_u32_e32 vcc_lo, 32, v0\ns_cbranch_vccz again\n" + barrier +
                            "s_endpgm\nagain:\ns_branch again"},
                   FaultKind::budget_spent, {64, 1, 1});
  EXPECT_TRUE(contains(fault.message, "1 of its 2 waves wait at a barrier")) << fault.message;
}

TEST_P(Faults, MatrixInstructionWithInactiveLanes) {
  const std::string operands = GetParam() == "gfx1201" ? "v[0:7], v[8:11], v[12:15], v[0:7]"
                                                       : "v[0:7], v[8:15], v[16:23], v[0:7]";
  const Fault fault = expect_fault(
      {.name = "wmma",
       .body = "s_mov_b32 exec_lo, 0xffff\nv_wmma_f32_16x16x16_f16 " + operands + "\ns_endpgm"},
      FaultKind::wmma_inactive_lanes);
  EXPECT_EQ(fault.lane, 16);
}

INSTANTIATE_TEST_SUITE_P(Targets, Faults, ::testing::ValuesIn(targets()),
                         [](const auto& info) { return info.param; });

// gfx12 splits the barrier, so a wave can wait for signals that never come.
TEST(SplitBarrier, WaitWithoutSignalNeverCompletes) {
  const CodeObject object =
      assemble(kernel_text({{.name = "stuck",
                             .body = "v_cmp_gt_u32_e32 vcc_lo, 32, v0\ns_cbranch_vccz wait\n"
                                     "s_barrier_signal -1\nwait:\ns_barrier_wait -1\ns_endpgm"}},
                           "gfx1201"),
               "gfx1201");
  std::vector<uint32_t> data(1);
  Launch launch;
  launch.arguments = {buffer(std::span(data), "data")};
  launch.workgroup = {64, 1, 1};
  const auto report = run(object, launch);
  ASSERT_FALSE(report);
  EXPECT_EQ(report.error().kind, FaultKind::barrier_never_completes) << report.error().text();
  EXPECT_TRUE(contains(report.error().message, "with 1 of 2 signals")) << report.error().message;
}

// RDNA3 ISA: a wave that has ended is not waited for.
TEST(Barrier, EndedWavesAreNotWaitedFor) {
  const CodeObject object = assemble(
      kernel_text({{.name = "leave",
                    .body = "v_cmp_gt_u32_e32 vcc_lo, 32, v0\ns_cbranch_vccz done\ns_barrier\n"
                            "done:\ns_endpgm"}},
                  "gfx1151"),
      "gfx1151");
  std::vector<uint32_t> data(1);
  Launch launch;
  launch.arguments = {buffer(std::span(data), "data")};
  launch.workgroup = {96, 1, 1};
  const auto report = run(object, launch);
  ASSERT_TRUE(report) << report.error().text();
  EXPECT_EQ(report->barriers, 1u);
}

// gfx11: lanes 16..31 of A and B must repeat lanes 0..15.
TEST(Matrix, UnequalCopiesAreFoundInProfiledWorkgroups) {
  const CodeObject object = assemble(
      kernel_text({{.name = "wmma",
                    .body = "v_mov_b32_e32 v8, v0\nv_wmma_f32_16x16x16_f16 v[24:31], v[8:15], "
                            "v[16:23], v[24:31]\ns_endpgm"}},
                  "gfx1100"),
      "gfx1100");
  std::vector<uint32_t> data(1);
  Launch launch;
  launch.arguments = {buffer(std::span(data), "data")};
  const auto report = run(object, launch);
  ASSERT_FALSE(report);
  EXPECT_EQ(report.error().kind, FaultKind::wmma_unequal_copies);
  EXPECT_EQ(report.error().lane, 16);
}

TEST(Source, FaultNamesTheLineOfTheExample) {
  const CodeObject object = load_example("softmax", "gfx1151");
  std::vector<float> in(100), out(99);
  Launch launch;
  launch.arguments = {buffer(std::span(in), "in"), buffer(std::span(out), "out"), value(1),
                      value(100)};
  launch.workgroup = {64, 1, 1};
  const auto report = run(object, launch);
  ASSERT_FALSE(report);
  EXPECT_TRUE(contains(report.error().source, "softmax.hip:")) << report.error().text();
  EXPECT_TRUE(
      contains(report.error().message, "writes 4 bytes at 0 bytes past the end of buffer out"))
      << report.error().message;
  EXPECT_EQ(report.error().lane, 99 % 32);
}

TEST(Deterministic, TheLowestWorkgroupIsReported) {
  const CodeObject object = load_example("wmma_naive", "gfx1201");
  std::vector<_Float16> a(64 * 16), b(16 * 64);
  std::vector<float> c(64 * 64 - 1);
  Launch launch;
  launch.arguments = {buffer(std::span(a), "a"),
                      buffer(std::span(b), "b"),
                      buffer(std::span(c), "c"),
                      value(80),
                      value(64),
                      value(16)};
  launch.grid = {4, 5, 1};
  launch.threads = 4;
  for (int i = 0; i < 20; ++i) {
    const auto report = run(object, launch);
    ASSERT_FALSE(report);
    EXPECT_EQ(report.error().workgroup, (std::array<uint32_t, 3>{3, 3, 0}));
  }
}

}  // namespace faults_test
}  // namespace heddle::emulator::testing
