// What a kernel does wrong ends the run with the line and the lane; what is no PTX is refused at
// its line and column.
#include "tests/emulator/ptx/simulate.h"

namespace heddle::emulator::ptx::testing {
namespace faults_test {

/// A kernel of one buffer `x` of 64 words, on one warp.
struct Trial {
  std::vector<uint32_t> x = std::vector<uint32_t>(64, 7);
  Launch launch;

  Fault fault(const std::string& body, const std::string& outside = "", uint32_t threads = 32) {
    prepare(threads);
    return fault_of(module(body, outside), launch);
  }
  RunReport run(const std::string& body, const std::string& outside = "", uint32_t threads = 32) {
    prepare(threads);
    return simulate(module(body, outside), launch);
  }

 private:
  void prepare(uint32_t threads) {
    launch.arguments = {buffer(std::span(x), "x")};
    launch.workgroup = {threads, 1, 1};
    launch.budget.instructions_per_workgroup = 200'000;
  }
  static Module module(const std::string& body, const std::string& outside) {
    return module_of(kernel_text(".param .u64 x",
                                 ".reg .b32 %r<8>;\n.reg .b64 %x, %a, %b;\n.reg .pred %p, %q;\n"
                                 "ld.param.u64 %x, [x];\nmov.u32 %r0, %tid.x;\n"
                                 "mul.wide.u32 %a, %r0, 4;\nadd.u64 %a, %x, %a;\n" +
                                     body,
                                 outside));
  }
};

TEST(PtxFaults, OutOfBounds) {
  const Fault fault = Trial().fault("ld.global.u32 %r1, [%a+132];");
  EXPECT_EQ(fault.kind, FaultKind::global_out_of_bounds);
  EXPECT_EQ(fault.lane, 31);
  EXPECT_EQ(fault.source, "PTX:14:1");
  EXPECT_EQ(fault.instruction, "ld.global.u32 %r1, [%a+132]");
  EXPECT_NE(fault.message.find("4 bytes at 0 bytes past the end of buffer x (256 bytes)"),
            std::string::npos)
      << fault.message;
}

TEST(PtxFaults, Misaligned) {
  const Fault fault = Trial().fault("st.global.v2.u32 [%a], {%r0, %r0};");
  EXPECT_EQ(fault.kind, FaultKind::misaligned);
  EXPECT_EQ(fault.lane, 1);
}

TEST(PtxFaults, SharedMemory) {
  const std::string outside = ".shared .align 16 .b8 s[64];\n";
  const Fault fault = Trial().fault(
      "mov.u32 %r1, s;\nmad.lo.u32 %r1, %r0, 4, %r1;\nst.shared.u32 [%r1], %r0;", outside);
  EXPECT_EQ(fault.kind, FaultKind::lds_out_of_bounds);
  EXPECT_EQ(fault.lane, 16);
}

TEST(PtxFaults, MisalignedRowOfLdmatrix) {
  const std::string outside = ".shared .align 16 .b8 s[1024];\n";
  const Fault fault = Trial().fault(
      "mov.u32 %r1, s;\nmad.lo.u32 %r1, %r0, 24, %r1;\n"
      "ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r2}, [%r1];",
      outside);
  EXPECT_EQ(fault.kind, FaultKind::misaligned);
  EXPECT_EQ(fault.lane, 1);
}

TEST(PtxFaults, UnknownInstructionIsOneWhenItIsExecuted) {
  EXPECT_EQ(Trial().fault("frobnicate.b32 %r1, %r2;").kind, FaultKind::unknown_opcode);
  Trial().run("setp.ne.u32 %p, %r0, %r0;\n@%p frobnicate.b32 %r1, %r2;");
}

TEST(PtxFaults, MatrixWithoutAllLanes) {
  const Fault fault = Trial().fault(
      "setp.eq.u32 %p, %r0, 3;\n@%p exit;\nmma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 "
      "{%r1, %r2, %r3, %r4}, {%r5, %r6}, {%r7}, {%r1, %r2, %r3, %r4};");
  EXPECT_EQ(fault.kind, FaultKind::wmma_inactive_lanes);
  EXPECT_EQ(fault.lane, 3);
}

TEST(PtxFaults, BarrierThatNeverCompletes) {
  const Fault fault = Trial().fault("setp.lt.u32 %p, %r0, 32;\n@%p bar.sync 0, 128;", "", 64);
  EXPECT_EQ(fault.kind, FaultKind::barrier_never_completes);
  EXPECT_NE(fault.message.find("32 of 128 threads"), std::string::npos) << fault.message;
}

// Warp 0 meets warp 1 at a barrier, and warp 1 asks for a phase that never ends: that is the cause.
TEST(PtxFaults, AMemoryBarrierBehindABarrier) {
  const Fault fault = Trial().fault(
      "mov.u32 %r1, bar;\nsetp.eq.u32 %p, %r0, 0;\n"
      "@%p mbarrier.init.shared::cta.b64 [%r1], 1;\nbar.sync 0;\n"
      "@%p mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r1], 16;\n"
      "@%p mbarrier.complete_tx.relaxed.cluster.shared::cluster.b64 [%r1], 48;\n"
      "setp.lt.u32 %p, %r0, 32;\n@%p bra E;\n"
      "W: mbarrier.try_wait.parity.shared::cta.b64 %q, [%r1], 0;\n@!%q bra W;\nE: bar.sync 0;",
      ".shared .align 8 .b64 bar;\n", 64);
  EXPECT_EQ(fault.kind, FaultKind::barrier_never_completes);
  EXPECT_NE(fault.message.find("has received 32 bytes more than it was told to expect"),
            std::string::npos)
      << fault.message;
}

TEST(PtxFaults, AMemoryBarrierThatNobodyCompletes) {
  const Fault fault = Trial().fault(
      "mov.u32 %r1, bar;\nsetp.eq.u32 %p, %r0, 0;\n"
      "@%p mbarrier.init.shared::cta.b64 [%r1], 2;\nbar.sync 0;\n"
      "@%p mbarrier.arrive.shared::cta.b64 _, [%r1];\n"
      "W: mbarrier.try_wait.parity.shared::cta.b64 %q, [%r1], 0;\n@!%q bra W;",
      ".shared .align 8 .b64 bar;\n");
  EXPECT_EQ(fault.kind, FaultKind::barrier_never_completes);
  EXPECT_NE(fault.message.find("1 of 2 arrivals"), std::string::npos) << fault.message;
}

/// The lane that arrives stands behind the loop in which the others wait: they let it run.
TEST(PtxFaults, LanesThatWaitForOneOfTheirWarp) {
  Trial trial;
  trial.run(
      "mov.u32 %r1, bar;\nsetp.eq.u32 %p, %r0, 0;\n"
      "@%p mbarrier.init.shared::cta.b64 [%r1], 1;\nbar.sync 0;\n@%p bra A;\n"
      "W: mbarrier.try_wait.parity.shared::cta.b64 %q, [%r1], 0;\n@!%q bra W;\n"
      "st.global.u32 [%a+128], %r0;\nbra E;\n"
      "A: mbarrier.arrive.shared::cta.b64 _, [%r1];\nE:\n",
      ".shared .align 8 .b64 bar;\n");
  EXPECT_EQ(trial.x[32 + 31], 31u);
}

/// An address in a block that is not there is computed, and must not be used.
TEST(PtxFaults, SharedMemoryOfABlockThatIsNotThere) {
  const std::string outside = ".shared .align 8 .b64 s;\n";
  const std::string maps =
      "mov.u32 %r1, s;\nmapa.shared::cluster.u32 %r2, %r1, %r0;\nsetp.lt.u32 %p, %r0, ";
  Trial().run(maps + "1;\n@%p st.shared::cluster.u32 [%r2], %r0;\n", outside);
  const Fault fault = Trial().fault(maps + "3;\n@%p st.shared::cluster.u32 [%r2], %r0;\n", outside);
  EXPECT_EQ(fault.kind, FaultKind::lds_out_of_bounds);
  EXPECT_EQ(fault.lane, 1);
  EXPECT_NE(fault.message.find("block 1 of a cluster of 1"), std::string::npos) << fault.message;
}

TEST(PtxFaults, EndlessLoop) {
  EXPECT_EQ(Trial().fault("L: bra L;").kind, FaultKind::budget_spent);
}

/// A copy that is not waited for is not there.
TEST(PtxFaults, AsynchronousCopiesArriveWhenTheyAreWaitedFor) {
  const std::string outside = ".shared .align 16 .b8 s[128];\n";
  const auto body = [](const char* wait) {
    return std::string(
               "mov.u32 %r1, s;\nmad.lo.u32 %r1, %r0, 4, %r1;\n"
               "cp.async.ca.shared.global [%r1], [%a], 4;\ncp.async.commit_group;\n") +
           wait + "ld.shared.u32 %r2, [%r1];\nst.global.u32 [%a+128], %r2;";
  };
  Trial waits, misses, early;
  waits.run(body("cp.async.wait_group 0;\n"), outside);
  EXPECT_EQ(waits.x[40], 7u);
  misses.run(body(""), outside);
  EXPECT_EQ(misses.x[40], 0xffffffffu);
  early.run(body("cp.async.wait_group 1;\n"), outside);
  EXPECT_EQ(early.x[40], 0xffffffffu);
}

TEST(PtxFaults, ResultsOfWgmmaBeforeTheWait) {
  const std::string outside = ".shared .align 1024 .b8 s[4096];\n";
  const auto body = [](const char* wait) {
    return std::string(
               "mov.u32 %r1, s;\nshr.u32 %r1, %r1, 4;\ncvt.u64.u32 %b, %r1;\n"
               "mov.u64 %a, 0x1000080000;\nor.b64 %b, %b, %a;\n"
               "setp.eq.u32 %p, 0, 0;\nwgmma.fence.sync.aligned;\n"
               "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%r2, %r3, %r4, %r5}, "
               "%b, %b, %p, 1, 1, 0, 0;\nwgmma.commit_group.sync.aligned;\n") +
           wait + "add.u32 %r6, %r2, 1;";
  };
  Trial().run(body("wgmma.wait_group.sync.aligned 0;\n"), outside, 128);
  // ptxas inserts a wait (C7517).
  const auto notes_of = [&](const std::string& text) {
    Trial trial;
    trial.launch.check = true;
    std::string notes;
    for (const Finding& note : trial.run(text, outside, 128).notes)
      notes += std::string(finding_kind_name(note.kind)) + ": " + note.message;
    return notes;
  };
  EXPECT_NE(notes_of(body("")).find("serialised-products"), std::string::npos);
  // Triton copies the halves of such a register in front of the wait, as ptxas keeps the order.
  const char* copy = "mov.b32 {%h1, %h2}, %r2;\n";
  const std::string halves = ".reg .b16 %h<4>;\n";
  const auto with = [&](const std::string& between) { return halves + body(between.c_str()); };
  Trial().run(with(std::string(copy) + "wgmma.wait_group.sync.aligned 0;\nadd.u16 %h3, %h1, 1;\n"),
              outside, 128);
  EXPECT_NE(notes_of(with(std::string(copy) + "add.u16 %h3, %h1, 1;\n")).find("wgmma.wait_group"),
            std::string::npos);
}

TEST(PtxFaults, BankConflictsAreCounted) {
  const std::string outside = ".shared .align 16 .b8 s[4096];\n";
  const RunReport report = Trial().run(
      "mov.u32 %r1, s;\nmad.lo.u32 %r1, %r0, 128, %r1;\nst.shared.u32 [%r1], %r0;", outside);
  ASSERT_EQ(report.lds.size(), 1u);
  EXPECT_EQ(report.lds[0].ideal_passes, 1u);
  EXPECT_EQ(report.lds[0].extra_passes, 31u);
  EXPECT_EQ(report.lds[0].source, "PTX:17:1");
}

TEST(PtxFaults, LaunchesThatDoNotFit) {
  const Module module = module_of(kernel_text(".param .u64 x, .param .u32 n", "ret;"));
  Launch launch;
  launch.arguments = {value(uint64_t{0})};
  EXPECT_NE(fault_of(module, launch).message.find("takes 2 arguments, and 1 is given"),
            std::string::npos);
  launch.arguments.push_back(value(uint64_t{0}));
  EXPECT_NE(fault_of(module, launch).message.find("has 4 bytes, and 8 are given"),
            std::string::npos);
  launch.arguments[1] = value(3);
  launch.dynamic_lds_bytes = 300 << 10;
  EXPECT_NE(fault_of(module, launch).message.find("a block of sm_90 has 232448"),
            std::string::npos);
}

std::string refusal(const std::string& text) {
  const auto module = Module::parse(text);
  return module ? "read" : module.error();
}

TEST(PtxText, ErrorsHaveTheirPlace) {
  EXPECT_EQ(refusal("#include"),
            "1:1: '#' stands where a directive: .version, .target, "
            ".address_size, .entry, .func, .global, .const or .shared is "
            "expected");
  EXPECT_EQ(refusal(""), "1:1: this is no PTX: it has no line .version, such as '.version 8.0'");
  EXPECT_EQ(refusal(kernel_text("", "mov.u32 %r1, 0;")), "7:9: no register %r1 is declared");
  EXPECT_EQ(refusal(kernel_text("", ".reg .b32 %r<2>;\nbra NOWHERE;")), "8:5: no label 'NOWHERE'");
  EXPECT_EQ(refusal(kernel_text("", ".reg .b32 %r<2>;\nadd.u64 %r0, %r1, %r1;")),
            "8:9: %r0 has 32 bits, and a register of 64 is expected");
  EXPECT_EQ(refusal(kernel_text("",
                                ".reg .b32 %r<9>;\nmma.sync.aligned.m16n8k8.row.col.f32.f16."
                                "f16.f32 {%r1, %r2, %r3}, {%r5, %r6}, {%r7}, {%r1, %r2};")),
            "8:50: 4 registers are expected here, and 3 are given");
  EXPECT_EQ(refusal(kernel_text("", "ret")), "8:1: '}' stands where an operand is expected");
}

TEST(PtxText, FunctionsScopesAndTables) {
  const std::string outside =
      ".global .align 4 .u32 table[4] = {10, 20, 30, 40};\n"
      ".func (.param .b32 r) twice(.param .b32 a)\n{\n.reg .b32 %t<3>;\nld.param.b32 %t1, [a];\n"
      "add.u32 %t2, %t1, %t1;\nst.param.b32 [r], %t2;\nret;\n}\n";
  Trial trial;
  trial.run(
      "and.b32 %r1, %r0, 3;\nT: .branchtargets A, B, A, B;\nbrx.idx %r1, T;\n"
      "A: mov.u32 %r2, 1; bra C;\nB: mov.u32 %r2, 2;\nC:\n"
      "{ .reg .b32 %r1; mov.u32 %r1, 100; add.u32 %r2, %r2, %r1; }\n"
      "{ .param .b32 p; .param .b32 q; st.param.b32 [p], %r2; call.uni (q), twice, (p); "
      "ld.param.b32 %r2, [q]; }\n"
      "mul.wide.u32 %b, %r1, 4; mov.u64 %x, table; add.u64 %b, %b, %x; ld.global.u32 %r3, [%b];\n"
      "add.u32 %r2, %r2, %r3;\nst.global.u32 [%a], %r2;",
      outside);
  EXPECT_EQ(trial.x[0], 202u + 10);
  EXPECT_EQ(trial.x[1], 204u + 20);
  EXPECT_EQ(trial.x[2], 202u + 30);
}

}  // namespace faults_test
}  // namespace heddle::emulator::ptx::testing
