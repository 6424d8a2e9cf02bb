// What hostile PTX can do: nothing but cost its budget. Registers are used in the class that they
// were declared in, tensor maps are the host's, and every count ends at a limit that has a name.
#include <array>

#include "tests/emulator/ptx/simulate.h"

namespace heddle::emulator::ptx::testing {
namespace safety_test {

constexpr const char* registers =
    ".reg .pred %p<4>;\n.reg .b16 %h<8>;\n.reg .b32 %r<8>;\n.reg .u32 %u<2>;\n.reg .f32 %f<8>;\n"
    ".reg .b64 %d<8>;\n.reg .b128 %q<2>;\n.shared .align 16 .b8 s[1024];\n";

std::string refusal(const std::string& text) {
  const auto module = Module::parse(text);
  return module ? "" : module.error();
}

std::string refusal_of(const std::string& statement) {
  return refusal(kernel_text("", registers + statement));
}

/// An instruction that is right, and the same with one register of another class.
struct Pair {
  const char* right;
  const char* wrong;
};

TEST(PtxClasses, EveryRegisterIsUsedAsItWasDeclared) {
  constexpr Pair pairs[] = {
      {"mov.u32 %r0, %r1;", "mov.u32 %p3, %r1;"},
      {"mov.u32 %r0, %r1;", "mov.u32 %r0, %p3;"},
      {"mov.u32 %r0, %r1;", "mov.u32 %d0, %r1;"},
      {"mov.u32 %r0, %tid.x;", "mov.u32 %q0, %tid.x;"},
      {"mov.pred %p0, %p1;", "mov.pred %p0, %r1;"},
      {"mov.b64 %d0, {%r0, %r1};", "mov.b64 %d0, {%p3, %p3};"},
      {"mov.b64 %d0, {%r0, %r1};", "mov.b64 %d0, {%d1, %d1};"},
      {"mov.b64 {%r0, %r1}, %d0;", "mov.b64 {%p0, %p3}, %d0;"},
      {"mov.b64 {%r0, %r1}, %d0;", "mov.b64 {%h0, %h1}, %d0;"},
      {"add.u32 %r0, %r1, %u1;", "add.u32 %r0, %r1, %f1;"},
      {"add.f32 %f0, %f1, %r1;", "add.f32 %f0, %f1, %u1;"},
      {"add.f32 %f0, %f1, %r1;", "add.f32 %p3, %f1, %r1;"},
      {"mad.wide.u32 %d0, %r1, %r2, %d1;", "mad.wide.u32 %r0, %r1, %r2, %d1;"},
      {"mad.wide.u32 %d0, %r1, %r2, %d1;", "mad.wide.u32 %d0, %r1, %r2, %r3;"},
      {"setp.eq.u32 %p0|%p1, %r0, %r1;", "setp.eq.u32 %r2|%p1, %r0, %r1;"},
      {"setp.eq.u32 %p0|%p1, %r0, %r1;", "setp.eq.u32 %p0|%r2, %r0, %r1;"},
      {"setp.eq.and.u32 %p0, %r0, %r1, !%p2;", "setp.eq.and.u32 %p0, %r0, %r1, %r2;"},
      {"selp.b32 %r0, %r1, %r2, %p0;", "selp.b32 %r0, %r1, %r2, %r3;"},
      {"selp.b32 %r0, %r1, %r2, %p0;", "selp.b32 %p3, %r1, %r2, %p0;"},
      {"slct.b64.s32 %d0, %d1, %d2, %r0;", "slct.b64.s32 %d0, %d1, %d2, %p0;"},
      {"cvt.u64.u32 %d0, %r0;", "cvt.u64.u32 %r1, %r0;"},
      {"cvt.rn.f16x2.f32 %r0, %f0, %f1;", "cvt.rn.f16x2.f32 %p3, %f0, %f1;"},
      {"popc.b64 %r0, %d0;", "popc.b64 %p3, %d0;"},
      {"bfind.u64 %r0, %d0;", "bfind.u64 %d1, %d0;"},
      {"bfi.b32 %r0, %r1, %r2, 3, 4;", "bfi.b32 %p3, %r1, %r2, 3, 4;"},
      {"shl.b64 %d0, %d1, %r0;", "shl.b64 %d0, %d1, %d2;"},
      {"lop3.b32 %r0, %r1, %r2, %r3, 7;", "lop3.b32 %p3, %r1, %r2, %r3, 7;"},
      {"dp4a.u32.u32 %r0, %r1, %r2, %r3;", "dp4a.u32.u32 %p3, %r1, %r2, %r3;"},
      {"testp.finite.f32 %p0, %f0;", "testp.finite.f32 %r0, %f0;"},
      {"ld.shared.v2.u32 {%r0, %d1}, [s];", "ld.shared.v2.u32 {%r0, %p3}, [s];"},
      {"ld.shared.u32 %d0, [%r1];", "ld.shared.u32 %h0, [%r1];"},
      {"ld.shared.u32 %r0, [%r1];", "ld.shared.u32 %r0, [%p3];"},
      {"ld.shared.u32 %r0, [%r1];", "ld.shared.u32 %r0, [%q1];"},
      {"ld.shared.u32 %r0, [%r1];", "ld.shared.u32 %r0, [%f1];"},
      {"st.shared.v2.u32 [s], {%r0, %r1};", "st.shared.v2.u32 [s], {%r0, %p3};"},
      {"atom.shared.add.u32 %r0, [s], %r1;", "atom.shared.add.u32 %p3, [s], %r1;"},
      {"atom.shared.cas.b64 %d0, [s], %d1, %d2;", "atom.shared.cas.b64 %d0, [s], %d1, %r2;"},
      {"red.shared.add.u32 [s], %r1;", "red.shared.add.u32 [s], %p3;"},
      {"cvta.shared.u64 %d0, %d1;", "cvta.shared.u64 %p3, %d1;"},
      {"isspacep.shared %p0, %d0;", "isspacep.shared %r0, %d0;"},
      {"mapa.u64 %d0, %d1, %r0;", "mapa.u64 %p3, %d1, %r0;"},
      {"getctarank.u64 %r0, %d0;", "getctarank.u64 %p3, %d0;"},
      {"createpolicy.fractional.L2::evict_last.b64 %d0, 1.0;",
       "createpolicy.fractional.L2::evict_last.b64 %p3, 1.0;"},
      {"shfl.sync.idx.b32 %r0|%p0, %r1, 0, 31, -1;", "shfl.sync.idx.b32 %p3|%p0, %r1, 0, 31, -1;"},
      {"shfl.sync.idx.b32 %r0|%p0, %r1, 0, 31, -1;", "shfl.sync.idx.b32 %r0|%r2, %r1, 0, 31, -1;"},
      {"vote.sync.ballot.b32 %r0, %p0, -1;", "vote.sync.ballot.b32 %p3, %p0, -1;"},
      {"vote.sync.all.pred %p1, %p0, -1;", "vote.sync.all.pred %r1, %p0, -1;"},
      {"match.any.sync.b64 %r0, %d0, -1;", "match.any.sync.b64 %p3, %d0, -1;"},
      {"match.all.sync.b32 %r0|%p0, %r1, -1;", "match.all.sync.b32 %r0|%r1, %r1, -1;"},
      {"redux.sync.add.s32 %r0, %r1, -1;", "redux.sync.add.s32 %p3, %r1, -1;"},
      {"elect.sync %r0|%p0, -1;", "elect.sync %r0|%r1, -1;"},
      {"activemask.b32 %r0;", "activemask.b32 %p3;"},
      {"bar.red.popc.u32 %r0, 0, !%p0;", "bar.red.popc.u32 %p3, 0, %p0;"},
      {"bar.red.and.pred %p0, 0, %p1;", "bar.red.and.pred %r0, 0, %p1;"},
      {"bar.sync %r0, 32;", "bar.sync %p3, 32;"},
      {"mbarrier.try_wait.parity.shared.b64 %p0, [s], %r0;",
       "mbarrier.try_wait.parity.shared.b64 %r1, [s], %r0;"},
      {"mbarrier.arrive.shared.b64 %d0, [s];", "mbarrier.arrive.shared.b64 %p3, [s];"},
      {"mbarrier.pending_count.b64 %r0, %d0;", "mbarrier.pending_count.b64 %p3, %d0;"},
      {"cp.async.ca.shared.global [s], [%d0], 4, %r0;",
       "cp.async.ca.shared.global [s], [%d0], 4, %d1;"},
      {"cp.async.ca.shared.global [s], [%d0], 4, %r0;",
       "cp.async.ca.shared.global [s], [%p3], 4, %r0;"},
      {"ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r0}, [s];",
       "ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%p3}, [s];"},
      {"movmatrix.sync.aligned.m8n8.trans.b16 %r0, %r1;",
       "movmatrix.sync.aligned.m8n8.trans.b16 %p3, %r1;"},
      {"mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%f0, %f1, %f2, %f3}, {%r0, %r1}, {%r2}, "
       "{%f0, %f1, %f2, %f3};",
       "mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%f0, %f1, %f2, %p3}, {%r0, %r1}, {%r2}, "
       "{%f0, %f1, %f2, %f3};"},
      {"wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f2, %f3, %f4, %f5}, %d0, %d1, %p0, 1, "
       "1, 0, 0;",
       "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f2, %f3, %f4, %p3}, %d0, %d1, %p0, 1, "
       "1, 0, 0;"},
      {"wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f2, %f3, %f4, %f5}, %d0, %d1, %p0, 1, "
       "1, 0, 0;",
       "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f2, %f3, %f4, %f5}, %d0, %d1, %r0, 1, "
       "1, 0, 0;"},
      {"@%p0 add.u32 %r0, %r0, 1;", "@%r0 add.u32 %r0, %r0, 1;"},
      // What belongs to no operand of that kind.
      {"add.u32 %r0, %r1, %r2+1;", "add.u32 %r0+1, %r1, %r2;"},
      {"add.u32 %r0, %r1, %r2+1;", "add.u32 %r0, %r1, !%r2;"},
      {"add.u32 %r0, %r1, %r2+1;", "add.u32 %r0, %r1, %r2|%r3;"},
      {"add.u32 %r0, %r1, %r2+1;", "add.f32 %f0, %f1, %f2+1;"},
  };
  for (const Pair& pair : pairs) {
    EXPECT_EQ(refusal_of(pair.right), "") << pair.right;
    EXPECT_NE(refusal_of(pair.wrong), "") << pair.wrong;
  }
}

TEST(PtxClasses, TheMessageNamesBothClasses) {
  EXPECT_EQ(refusal_of("mov.u32 %p3, %r0;"),
            "15:9: %p3 is a predicate, and a register of 32 bits is expected");
  EXPECT_EQ(refusal_of("add.u32 %r0, %f1, 1;"),
            "15:14: %f1 is declared for floats, and integers are expected: declare it .b32");
}

/// One kernel on a buffer of 1024 words.
struct Trial {
  std::vector<uint32_t> x = std::vector<uint32_t>(1024, 7);
  Launch launch;

  explicit Trial(uint32_t threads = 32) {
    launch.workgroup = {threads, 1, 1};
    launch.threads = 1;
  }
  Module module(const std::string& body, const std::string& outside = "") {
    launch.arguments = {buffer(std::span(x), "x")};
    return module_of(kernel_text(".param .u64 x",
                                 ".reg .b32 %r<8>;\n.reg .b64 %x, %a, %b<4>;\n.reg .pred %p, %q;\n"
                                 "ld.param.u64 %x, [x];\nmov.u32 %r0, %tid.x;\n"
                                 "mad.wide.u32 %a, %r0, 4, %x;\n" +
                                     body,
                                 outside));
  }
  void run(const std::string& body, const std::string& outside = "") {
    simulate(module(body, outside), launch);
  }
  Fault fault(const std::string& body, const std::string& outside = "") {
    return fault_of(module(body, outside), launch);
  }
};

TEST(PtxOperands, ARegisterAndANumber) {
  Trial trial;
  trial.run("add.u32 %r1, %r0, %r0 + 5;\nst.global.u32 [%a], %r1 + 1;");
  EXPECT_EQ(trial.x[0], 6u);
  EXPECT_EQ(trial.x[3], 12u);
}

// Cut to 64 bits, the number would be 1.
TEST(PtxOperands, NumbersOf64Bits) {
  Trial trial;
  trial.run(
      "mov.b64 %b1, 18446744073709551615;\nst.global.u32 [%a], %r0;\nst.global.u64 [%x], %b1;");
  EXPECT_EQ(trial.x[0], 0xffffffffu);
  EXPECT_EQ(refusal_of("mov.b64 %d0, 18446744073709551617;"),
            "15:14: '18446744073709551617' is no number of at most 64 bits");
  for (const char* number : {"0x10000000000000001", "02000000000000000000001"})
    EXPECT_NE(refusal_of(std::string("mov.b64 %d0, ") + number + ";"), "") << number;
}

TEST(PtxOperands, OppositePredicates) {
  Trial trial;
  trial.run(
      "setp.lt.u32 %p, %r0, 3;\nvote.sync.ballot.b32 %r1, !%p, -1;\nand.pred %q, !%p, %p;\n"
      "selp.u32 %r2, 1, 0, %q;\nadd.u32 %r1, %r1, %r2;\nst.global.u32 [%a], %r1;");
  EXPECT_EQ(trial.x[9], 0xfffffff8u);
}

TEST(PtxVariables, OfAFunctionLieInGlobalMemory) {
  Trial trial;
  trial.run(
      ".global .align 16 .b32 from[4] = {1, 2, 3, 4};\n.const .b32 c = 30;\n"
      "ld.global.b32 %r1, [from+4];\nld.const.b32 %r2, [c];\nadd.u32 %r1, %r1, %r2;\n"
      "st.global.u32 [%a], %r1;");
  EXPECT_EQ(trial.x[0], 32u);
  EXPECT_EQ(refusal_of(".shared .b32 t = 3;").find("16:1:") == std::string::npos, true);
  EXPECT_NE(refusal_of(".shared .b32 t = 3;").find("only variables in .global and .const"),
            std::string::npos);
}

TEST(PtxMasks, LanesThatExitLaterAreNotWaitedFor) {
  Trial trial;
  trial.run(
      "setp.eq.u32 %q, %r0, 0;\nsetp.eq.u32 %p, %r0, %r0;\n@%q bra E;\n"
      "vote.sync.ballot.b32 %r1, %p, 0xffffffff;\nst.global.u32 [%a], %r1;\nE: ret;");
  EXPECT_EQ(trial.x[0], 7u);
  EXPECT_EQ(trial.x[1], 0xfffffffeu);
}

TEST(PtxMasks, TwoMasksAtOneInstruction) {
  Trial trial;
  trial.run(
      "setp.lt.u32 %p, %r0, 16;\nselp.b32 %r1, 0xffff, 0xffff0000, %p;\n"
      "redux.sync.add.u32 %r2, %r0, %r1;\nst.global.u32 [%a], %r2;");
  EXPECT_EQ(trial.x[0], 120u);
  EXPECT_EQ(trial.x[16], 376u);
}

TEST(PtxMasks, ALaneOutsideOfItsMask) {
  const Fault fault = Trial().fault("bar.warp.sync 0xffff;");
  EXPECT_EQ(fault.kind, FaultKind::lanes_missing);
  EXPECT_EQ(fault.lane, 16);
  EXPECT_NE(fault.text().find("  at PTX:13:1: bar.warp.sync 0xffff\n"), std::string::npos)
      << fault.text();
}

// --- tensor maps ---------------------------------------------------------------------------------

TensorMap map_of(std::vector<uint64_t> sizes, std::vector<uint32_t> box) {
  TensorMap map;
  map.buffer = "x";
  map.element = instruction::ElementType::f32;
  map.sizes = std::move(sizes);
  for (std::size_t i = 1; i < map.sizes.size(); ++i) map.strides.push_back(64);
  map.box = std::move(box);
  return map;
}

Fault fault_of_box(const std::string& body, const TensorMap& map) {
  std::vector<uint32_t> x(1024);
  Launch launch;
  launch.arguments = {buffer(std::span(x), "x"), map};
  launch.workgroup = {1, 1, 1};
  launch.threads = 1;
  const Module module = module_of(
      kernel_text(".param .u64 x, .param .align 64 .b8 m[128]",
                  ".reg .b32 %r<8>;\n.reg .b64 %b<20>;\n.shared .align 1024 .b8 s[4096];\n"
                  ".shared .align 8 .b64 bar;\nmov.b64 %b0, m;\ncvta.param.u64 %b0, %b0;\n"
                  "mov.b64 %b1, fake;\nmov.u32 %r0, s;\nmov.u32 %r1, bar;\nmov.u32 %r2, 0;\n"
                  "mbarrier.init.shared.b64 [%r1], 1;\n" +
                      body,
                  ".global .align 128 .b8 fake[128];\n"));
  auto report = run(module, launch);
  return report ? Fault{} : report.error();
}

constexpr const char* load_2d =
    "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%r0], "
    "[MAP, {%r2, %r2}], [%r1];\n";
constexpr const char* store_2d =
    "cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group [MAP, {%r2, %r2}], [%r0];\n"
    "cp.async.bulk.commit_group;\ncp.async.bulk.wait_group 0;\n";

std::string with_map(std::string text, const std::string& map) {
  return text.replace(text.find("MAP"), 3, map);
}

/// Copies the 128 bytes of the host's map to `fake`, with the 8 bytes at `changed` increased.
std::string copied(int changed) {
  std::string text;
  for (int at = 0; at < 128; at += 8) {
    const std::string offset = "+" + std::to_string(at) + "]";
    text += "ld.b64 %b2, [%b0" + offset + ";\n";
    if (at == changed) text += "add.u64 %b2, %b2, 1;\n";
    text += "st.global.b64 [%b1" + offset + ", %b2;\n";
  }
  return text;
}

TEST(PtxTensorMaps, AreTheHosts) {
  const TensorMap map = map_of({16, 16}, {16, 16});
  for (const char* copy : {load_2d, store_2d}) {
    EXPECT_EQ(fault_of_box(with_map(copy, "%b0"), map).kind, FaultKind::none);
    EXPECT_EQ(fault_of_box(copied(-1) + with_map(copy, "%b1"), map).kind, FaultKind::none);
    for (int changed = 0; changed < 128; changed += 8) {
      const Fault fault = fault_of_box(copied(changed) + with_map(copy, "%b1"), map);
      EXPECT_NE(fault.message.find("no tensor map at this address"), std::string::npos)
          << changed << " " << fault.text();
    }
  }
}

TEST(PtxTensorMaps, ABoxFitsTheInstructionAndTheBlock) {
  const TensorMap deep = map_of({16, 4, 4}, {16, 4, 4});
  for (const char* copy : {load_2d, store_2d})
    EXPECT_NE(fault_of_box(with_map(copy, "%b0"), deep).message.find("has 3 dimensions"),
              std::string::npos);
  const TensorMap large = map_of({16, 16, 16, 16, 16}, {256, 256, 256, 256, 256});
  const Fault fault = fault_of_box(
      "cp.async.bulk.tensor.5d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%r0], "
      "[%b0, {%r2, %r2, %r2, %r2, %r2}], [%r1];",
      large);
  EXPECT_NE(fault.message.find("4398046511104 bytes"), std::string::npos) << fault.text();
}

TEST(PtxTensorMaps, SizesOfTwoToThe32) {
  const TensorMap map = map_of({uint64_t{1} << 32}, {16});
  EXPECT_EQ(
      fault_of_box("cp.async.bulk.tensor.1d.shared::cluster.global.tile.mbarrier::complete_tx::"
                   "bytes [%r0], [%b0, {%r2}], [%r1];\n"
                   "mbarrier.arrive.expect_tx.shared.b64 _, [%r1], 64;\n"
                   ".reg .pred %p; W: mbarrier.try_wait.parity.shared.b64 %p, [%r1], 0;\n"
                   "@!%p bra W;\nld.shared.b32 %r3, [%r0];\nsetp.eq.u32 %p, %r3, 0;\n@!%p trap;",
                   map)
          .kind,
      FaultKind::none);
}

// --- budgets -------------------------------------------------------------------------------------

void expect_spent(const Fault& fault, Resource resource) {
  EXPECT_EQ(fault.kind, FaultKind::budget_spent) << fault.text();
  EXPECT_NE(fault.message.find(row(resource).option), std::string::npos) << fault.message;
  EXPECT_NE(fault.message.find(row(resource).name), std::string::npos) << fault.message;
}

TEST(PtxBudget, InstructionsOfABlockAreThoseOfItsWarps) {
  Trial trial(1024);
  trial.launch.budget.instructions_per_workgroup = 32 * 20;
  trial.run("ret;");
  trial.launch.budget.instructions_per_workgroup = 32 * 3;
  expect_spent(trial.fault("ret;"), Resource::instructions_per_workgroup);
}

TEST(PtxBudget, InstructionsOfTheWholeGrid) {
  Trial trial;
  trial.launch.budget.instructions = 100'000;
  trial.launch.grid = {1'000'000'000, 1, 1};
  expect_spent(trial.fault("ret;"), Resource::instructions);
}

TEST(PtxBudget, PendingCopies) {
  const std::string outside = ".shared .align 16 .b8 s[128];\n";
  Trial trial;
  trial.launch.budget.pending_copies = 10'000;
  expect_spent(trial.fault("L: cp.async.ca.shared.global [s], [%x], 16;\nbra L;", outside),
               Resource::pending_copies);
  // Copies that arrived are not counted, nor are those of blocks that have ended.
  trial.launch.grid = {100, 1, 1};
  trial.run(
      "mov.u32 %r1, 0;\nL: cp.async.ca.shared.global [s], [%x], 16;\ncp.async.wait_all;\n"
      "cp.async.ca.shared.global [s], [%x], 16;\nadd.u32 %r1, %r1, 1;\n"
      "setp.lt.u32 %p, %r1, 100;\n@%p bra L;\nret;",
      outside);
}

constexpr const char* bulk_loop =
    "mov.u32 %r1, s;\nmov.u32 %r2, bar;\nsetp.eq.u32 %p, %r0, 0;\n"
    "@%p mbarrier.init.shared.b64 [%r2], 1;\n"
    "L: @%p cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r1], [%x], 4096, "
    "[%r2];\nbra L;";
constexpr const char* bulk_variables =
    ".shared .align 128 .b8 s[4096];\n.shared .align 8 .b64 bar;\n";

TEST(PtxBudget, BulkCopies) {
  Trial trial;
  trial.launch.budget.bulk_bytes = 1 << 20;
  expect_spent(trial.fault(bulk_loop, bulk_variables), Resource::bulk_bytes);
  trial.launch.budget = {};
  trial.launch.budget.pending_copies = 1000;
  expect_spent(trial.fault(bulk_loop, bulk_variables), Resource::pending_copies);
  trial.launch.budget = {};
  trial.launch.budget.memory_bytes = 16 << 20;
  expect_spent(trial.fault(bulk_loop, bulk_variables), Resource::memory_bytes);
}

TEST(PtxCounts, BytesOfAnMbarrierNearTwoToThe32) {
  for (const char* amount : {"0x7fffffff", "0x80000000", "0xffffffff", "0x100000"})
    for (const char* what : {"expect_tx", "complete_tx"}) {
      const Fault fault = Trial().fault(
          "mov.u32 %r2, bar;\nsetp.eq.u32 %p, %r0, 0;\n@%p mbarrier.init.shared.b64 [%r2], 1;\n"
          "@%p mbarrier." +
              std::string(what) + ".relaxed.cta.shared.b64 [%r2], " + amount + ";",
          ".shared .align 8 .b64 bar;\n");
      EXPECT_NE(fault.message.find("counts up to 1048575 bytes"), std::string::npos)
          << fault.text();
    }
}

TEST(PtxBudget, MemoryOfWarps) {
  Trial trial(1024);
  trial.launch.budget.memory_bytes = 16 << 20;
  expect_spent(trial.fault(".local .b8 l[100000];\nst.local.b32 [l], %r0;"),
               Resource::memory_bytes);
}

TEST(PtxBudget, RegistersThatNobodyUsesCostNothing) {
  Trial trial(1024);
  trial.launch.budget.memory_bytes = 16 << 20;
  trial.run(".reg .b128 %q<262000>;\nret;");
}

TEST(PtxBudget, MemoryOfTheText) {
  Budget budget;
  budget.memory_bytes = 1 << 20;
  for (const char* piece :
       {"{", "add.u32 %r0, %r0, %r0;", "{}", "L", ".reg .b32 %q<99>;", ";a a a"}) {
    std::string text = "mov.u32 %r0, 0;\n";
    for (int i = 0; i < 60'000; ++i)
      text += *piece == 'L' ? "L" + std::to_string(i) + ":" : std::string(piece);
    const auto module = Module::parse(kernel_text("", ".reg .b32 %r<8>;\n" + text), budget);
    EXPECT_FALSE(module) << piece;
  }
}

TEST(PtxBudget, VariablesAreKeptOnce) {
  std::string entries = ".global .align 16 .b8 big[1000000000];\n";
  for (int i = 0; i < 12; ++i) entries += ".visible .entry e" + std::to_string(i) + "() { ret; }\n";
  const Module module = module_of(kernel_text("", "ret;", entries));
  EXPECT_EQ(module.kernels().size(), 13u);
  Launch launch;
  launch.kernel = "k";
  launch.budget.memory_bytes = 100 << 20;
  const Fault fault = fault_of(module, launch);
  EXPECT_NE(fault.message.find("1000000000 bytes"), std::string::npos) << fault.message;
}

TEST(PtxBudget, FramesDoNotWrap) {
  std::string functions;
  for (int i = 0; i < 9; ++i) {
    const std::string n = std::to_string(i);
    functions += ".func f" + n + "() { .reg .b128 %q<262100>; .reg .b32 %r<2>; mov.u32 %r0, " +
                 "%laneid; mov.u32 %r1, %r0; ret; }\n";
  }
  std::string calls;
  for (int i = 0; i < 9; ++i) calls += "call.uni f" + std::to_string(i) + ";\n";
  Trial trial;
  trial.run(calls + "ret;", functions);
}

TEST(PtxBudget, MeterChargesAndReleases) {
  Budget budget;
  budget.memory_bytes = 10;
  Meter meter(budget);
  EXPECT_TRUE(meter.charge(Resource::memory_bytes, 10));
  EXPECT_FALSE(meter.charge(Resource::memory_bytes, 1));
  EXPECT_FALSE(meter.charge(Resource::memory_bytes, ~uint64_t{0}));
  meter.release(Resource::memory_bytes, 4);
  EXPECT_TRUE(meter.charge(Resource::memory_bytes, 4));
  EXPECT_EQ(meter.used(Resource::memory_bytes), 10u);
  EXPECT_EQ(meter.message(Resource::memory_bytes),
            "the budget of 10 bytes of memory is spent; --limit-memory raises it "
            "(Launch::budget.memory_bytes)");
}

TEST(PtxBudget, RowsAreInTheOrderOfResources) {
  for (std::size_t i = 0; i < resource_rows.size(); ++i)
    EXPECT_EQ(static_cast<std::size_t>(resource_rows[i].resource), i);
}

/// What is kept of a module is proportional to its text: the variables of a module belong to it,
/// not to each of its kernels.
TEST(PtxSafety, ManyKernelsAndVariables) {
  std::string text = ".version 8.0\n.target sm_90\n.address_size 64\n";
  constexpr int count = 10000;
  for (int i = 0; i < count; ++i) text += ".global .b32 v" + std::to_string(i) + ";\n";
  for (int i = 0; i < count; ++i)
    text += ".visible .entry k" + std::to_string(i) + "() { .reg .b64 a; mov.b64 a, v" +
            std::to_string(i) + "; ret; }\n";
  Budget budget;
  budget.memory_bytes = 64 << 20;
  const auto module = Module::parse(text, budget);
  ASSERT_TRUE(module) << module.error();
  EXPECT_EQ(module->kernels().size(), std::size_t{count});
  EXPECT_EQ(module->variables().size(), std::size_t{count});
}

}  // namespace safety_test
}  // namespace heddle::emulator::ptx::testing
