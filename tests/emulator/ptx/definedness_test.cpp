// Values that nobody wrote, on the simulator of PTX: each wrong kernel beside a right twin.
#include <algorithm>

#include "tests/emulator/ptx/simulate.h"

namespace heddle::emulator::ptx::testing {
namespace definedness_test {

struct Case {
  const char* name;
  FindingKind kind;
  std::string wrong, right;
  const char* message = "";  // a part of it
};

void PrintTo(const Case& one, std::ostream* out) { *out << one.name; }

/// A kernel of one warp with %t (its thread), %x (a buffer, whose word of the thread is %a), %s
/// (the shared word of the thread) and %o (an output that the launch does not initialise).
RunReport checked(const std::string& body) {
  std::vector<uint32_t> x(64, 7), o(64, 0xffffffffu);
  Launch launch;
  Buffer output = buffer(std::span(o), "o");
  output.initialised = false;
  launch.arguments = {buffer(std::span(x), "x"), output};
  launch.workgroup = {32, 1, 1};
  launch.check = true;
  return simulate(
      module_of(kernel_text(
          ".param .u64 x, .param .u64 o",
          ".shared .align 16 .b8 sm[1024];\n.local .align 8 .b8 lo[64];\n"
          ".reg .b32 %r<16>, %t, %s;\n.reg .b64 %x, %o, %a, %l<8>;\n.reg .b16 %h<8>;\n"
          ".reg .pred %p<8>;\nld.param.u64 %x, [x];\nld.param.u64 %o, [o];\nmov.u32 %t, %tid.x;\n"
          "mad.wide.u32 %a, %t, 4, %x;\nmad.wide.u32 %o, %t, 4, %o;\nmov.u32 %s, sm;\n"
          "mad.lo.u32 %s, %t, 4, %s;\n" +
              body + "\nret;")),
      launch);
}

class Values : public ::testing::TestWithParam<Case> {};

TEST_P(Values, OfNobodyAreFound) {
  const Case& one = GetParam();
  const RunReport wrong = checked(one.wrong);
  ASSERT_FALSE(wrong.findings.empty());
  EXPECT_EQ(wrong.findings[0].kind, one.kind) << wrong.findings[0].text("k");
  EXPECT_NE(wrong.findings[0].message.find(one.message), std::string::npos)
      << wrong.findings[0].message;
  const RunReport right = checked(one.right);
  EXPECT_TRUE(right.findings.empty()) << right.findings[0].text("k");
}

using enum FindingKind;
const Case cases[] = {
    {"Store", undefined_store, "st.global.b32 [%a], %r1;",
     "mov.b32 %r1, 1; st.global.b32 [%a], %r1;", "stores %r1 of lane 0, which was not written"},
    {"StoreOfSomeLanes", undefined_store,
     "setp.lt.u32 %p0, %t, 5; @!%p0 mov.b32 %r1, 1; add.u32 %r2, %r1, %t; st.global.b32 [%a], %r2;",
     "setp.lt.u32 %p0, %t, 5; @!%p0 mov.b32 %r1, 1; @%p0 mov.b32 %r1, 2; add.u32 %r2, %r1, %t; "
     "st.global.b32 [%a], %r2;",
     "stores %r2 of lane 0"},
    {"Address", undefined_address, "ld.global.b32 %r2, [%l0];",
     "mov.b64 %l0, %a; ld.global.b32 %r2, "
     "[%l0];",
     "the address comes from %l0"},
    {"Condition", undefined_condition, "setp.gt.s32 %p0, %r1, 0; @%p0 bra E; E:",
     "setp.gt.s32 %p0, %t, 0; @%p0 bra E; E:", "a branch depends on"},
    {"Guard", undefined_condition, "@%p1 st.global.b32 [%a], %t;",
     "setp.gt.s32 %p1, %t, 0; @%p1 st.global.b32 [%a], %t;"},
    {"DecidedCondition", undefined_condition,
     "setp.ge.u32 %p1, %t, 0; setp.gt.and.s32 %p0, %r1, 0, %p1; @%p0 bra E; E:",
     "setp.lt.u32 %p1, %t, 0; setp.gt.and.s32 %p0, %r1, 0, %p1; @%p0 bra E; E:"},
    {"Shared", lds_read_before_written,
     "ld.shared.b32 %r1, [%s]; add.u32 %r1, %r1, 1; st.global.b32 [%a], %r1;",
     "st.shared.b32 [%s], %t; bar.sync 0; ld.shared.b32 %r1, [%s]; st.global.b32 [%a], %r1;",
     "shared memory that nobody has written, and the value is stored"},
    {"SharedOfOneLane", lds_read_before_written,
     "setp.lt.u32 %p0, %t, 31; @%p0 st.shared.b32 [%s], %t; bar.sync 0; ld.shared.b32 %r1, [%s]; "
     "st.global.b32 [%a], %r1;",
     "setp.lt.u32 %p0, %t, 31; @%p0 st.shared.b32 [%s], %t; bar.sync 0; ld.shared.b32 %r1, [%s]; "
     "@%p0 st.global.b32 [%a], %r1;"},
    {"SharedPart", undefined_store,
     "st.shared.b16 [%s], 1; ld.shared.b32 %r1, [%s]; st.global.b32 [%a], %r1;",
     "st.shared.b16 [%s], 1; ld.shared.b32 %r1, [%s]; and.b32 %r1, %r1, 0xffff; st.global.b32 "
     "[%a], "
     "%r1;"},
    {"UndefinedThroughShared", undefined_store,
     "st.shared.b32 [%s], %r1; bar.sync 0; ld.shared.b32 %r2, [%s]; st.global.b32 [%a], %r2;",
     "st.shared.b32 [%s], %r1; bar.sync 0; ld.shared.b32 %r2, [%s];"},
    {"Local", undefined_store, "ld.local.b32 %r1, [lo]; st.global.b32 [%a], %r1;",
     "st.local.b32 [lo], %t; ld.local.b32 %r1, [lo]; st.global.b32 [%a], %r1;"},
    {"Output", global_read_before_written, "ld.global.b32 %r1, [%o];",
     "st.global.b32 [%o], %t; ld.global.b32 %r1, [%o];", "declared as output and not yet written"},
    {"OutputAtomically", global_read_before_written, "red.global.add.u32 [%o], 1;",
     "st.global.b32 [%o], 0; red.global.add.u32 [%o], 1;"},
    {"Copy", lds_read_before_written,
     "cvt.u64.u32 %l0, %s; mov.u32 %r1, sm; add.u32 %r1, %r1, 512; ld.shared.b32 %r2, [%r1]; "
     "st.global.b32 [%a], %r2;",
     "mov.u32 %r1, sm; mad.lo.u32 %r1, %t, 4, %r1; cp.async.ca.shared.global [%r1], [%a], 4; "
     "cp.async.wait_all; ld.shared.b32 %r2, [%r1]; st.global.b32 [%a], %r2;"},
    {"OtherHalf", undefined_store, "mov.b32 %r1, {%h0, %h1}; st.global.b32 [%a], %r1;",
     "mov.b16 %h0, 1; mov.b32 %r1, {%h0, %h1}; shl.b32 %r1, %r1, 16; st.global.b32 [%a], %r1;"},
    {"HalfOfPair", undefined_store,
     "mov.b16 %h0, 1; mov.b32 %r1, {%h0, %h1}; add.rn.f16x2 %r2, %r1, %r1; mov.b32 {%h2, %h3}, "
     "%r2; "
     "st.global.b16 [%a], %h3;",
     "mov.b16 %h0, 1; mov.b32 %r1, {%h0, %h1}; add.rn.f16x2 %r2, %r1, %r1; mov.b32 {%h2, %h3}, "
     "%r2; "
     "st.global.b16 [%a], %h2;"},
    // As Triton narrows bf16 to f8E5M2 on sm_80, with one element in a word for two.
    {"HalfOfAWord", undefined_store,
     "mov.b16 %h0, 1; mov.b32 %r1, {%h0, %h1}; and.b32 %r2, %r1, 0xffff0000; "
     "max.u32 %r2, %r2, 0x38000000; min.u32 %r2, %r2, 0x57e00000; and.b32 %r3, %r1, 0xffff; "
     "or.b32 %r3, %r2, %r3; add.u32 %r3, %r3, 0x100010; sub.u32 %r3, %r3, 3; "
     "mov.b32 {%h2, %h3}, %r3; st.global.b16 [%a], %h3;",
     "mov.b16 %h0, 1; mov.b32 %r1, {%h0, %h1}; and.b32 %r2, %r1, 0xffff0000; "
     "max.u32 %r2, %r2, 0x38000000; min.u32 %r2, %r2, 0x57e00000; and.b32 %r3, %r1, 0xffff; "
     "or.b32 %r3, %r2, %r3; add.u32 %r3, %r3, 0x100010; sub.u32 %r3, %r3, 3; "
     "mov.b32 {%h2, %h3}, %r3; st.global.b16 [%a], %h2;"},
    {"Chosen", undefined_store,
     "setp.lt.u32 %p0, %t, 5; selp.b32 %r2, %r1, %t, %p0; st.global.b32 [%a], %r2;",
     "setp.lt.u32 %p0, %t, 0; selp.b32 %r2, %r1, %t, %p0; st.global.b32 [%a], %r2;"},
    {"FromAnotherLane", undefined_store,
     "setp.ne.u32 %p0, %t, 3; @%p0 mov.b32 %r1, 1; shfl.sync.idx.b32 %r2, %r1, 3, 31, -1; "
     "st.global.b32 [%a], %r2;",
     "setp.ne.u32 %p0, %t, 3; @%p0 mov.b32 %r1, 1; shfl.sync.idx.b32 %r2, %r1, 4, 31, -1; "
     "st.global.b32 [%a], %r2;",
     "lane 0"},
    {"FromALaneThatTakesNoPart", undefined_store,
     "mov.b32 %r1, 1; mov.b32 %r2, 0; setp.lt.u32 %p0, %t, 1; @%p0 bra E; "
     "shfl.sync.up.b32 %r2, %r1, 1, 0, -1; E: st.global.b32 [%a], %r2;",
     "mov.b32 %r1, 1; mov.b32 %r2, 0; shfl.sync.up.b32 %r3, %r1, 1, 0, -1; setp.lt.u32 %p0, %t, 1; "
     "@%p0 bra E; mov.b32 %r2, %r3; E: st.global.b32 [%a], %r2;",
     "lane 1"},
    {"SumOfLanes", undefined_store,
     "setp.ne.u32 %p0, %t, 3; @%p0 mov.b32 %r1, 1; redux.sync.add.s32 %r2, %r1, -1; "
     "st.global.b32 [%a], %r2;",
     "mov.b32 %r1, 1; redux.sync.add.s32 %r2, %r1, -1; st.global.b32 [%a], %r2;"},
    {"Matrix", undefined_matrix_operand,
     "mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%r4, %r5, %r6, %r7}, {%t, %t}, {%t}, "
     "{%r8, %r9, %r10, %r11};",
     "mov.b32 %r8, 0; mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%r4, %r5, %r6, %r7}, "
     "{%t, %t}, {%t}, {%r8, %r8, %r8, %r8}; st.global.b32 [%a], %r7;",
     "%r8 is multiplied or added"},
    {"Carry", undefined_store, "addc.u32 %r1, %t, %t; st.global.b32 [%a], %r1;",
     "add.cc.u32 %r1, %t, %t; addc.u32 %r1, %t, %t; st.global.b32 [%a], %r1;"},
};
INSTANTIATE_TEST_SUITE_P(Definedness, Values, ::testing::ValuesIn(cases),
                         [](const auto& info) { return std::string(info.param.name); });

/// What a launch wrote is known to the next one.
TEST(Definedness, LaterLaunchesKnowWhatWasWritten) {
  std::vector<uint32_t> o(32);
  std::vector<uint8_t> written(128);
  Launch launch;
  Buffer output = buffer(std::span(o), "o");
  output.initialised = false;
  output.written = written.data();
  launch.arguments = {output};
  launch.workgroup = {16, 1, 1};
  launch.check = true;
  const std::string begin =
      ".reg .b32 %r1, %t;\n.reg .b64 %o;\nld.param.u64 %o, [o];\nmov.u32 %t, %tid.x;\n"
      "mad.wide.u32 %o, %t, 4, %o;\n";
  simulate(module_of(kernel_text(".param .u64 o", begin + "st.global.u32 [%o], %t;\nret;")),
           launch);
  const Module reads =
      module_of(kernel_text(".param .u64 o", begin + "ld.global.u32 %r1, [%o];\nret;"));
  EXPECT_TRUE(simulate(reads, launch).findings.empty());
  launch.workgroup = {17, 1, 1};
  const RunReport report = simulate(reads, launch);
  ASSERT_EQ(report.findings.size(), 1u);
  EXPECT_EQ(report.findings[0].lanes, uint64_t{1} << 16);
}

}  // namespace definedness_test
}  // namespace heddle::emulator::ptx::testing
