// vprintf and __assertfail: what is printed, and how a failed assertion ends a run.
#include <algorithm>
#include <string_view>

#include "tests/emulator/ptx/simulate.h"

namespace heddle::emulator::ptx::testing {
namespace declared_calls_test {

constexpr std::string_view declarations =
    ".extern .func (.param .b32 r) vprintf (.param .b64 a, .param .b64 b);\n"
    ".extern .func __assertfail (.param .b64 a, .param .b64 b, .param .b32 c, .param .b64 d, "
    ".param .b64 e) .noreturn;\n";

/// A .global variable that holds the text and its end.
std::string text_variable(const std::string& name, std::string_view text, bool ends = true) {
  std::string bytes;
  for (const char c : text)
    bytes += std::to_string(static_cast<int>(static_cast<unsigned char>(c))) + ", ";
  return ".global .align 1 .b8 " + name + "[" + std::to_string(text.size() + (ends ? 1 : 0)) +
         "] = {" + bytes.substr(0, bytes.size() - 2) + "};\n";
}

/// A kernel that prints: its buffer of values is `%v`, the shorter address `%l`.
struct Print {
  std::string format;
  std::string values = {};  // instructions that store values at [%l]
  std::string more = {};    // variables
  std::string format_address = "mov.b64 %f, format; cvta.global.u64 %f, %f;";
  uint32_t blocks = 1, threads = 1;
  unsigned host_threads = 0;
  bool check = false, ends = true;

  std::string printed = {};
  std::vector<uint32_t> x = std::vector<uint32_t>(64, 7);
  Launch launch = {};

  Module module() {
    const std::string body =
        ".local .align 8 .b8 values[64];\n.reg .b64 %v, %l, %f, %x, %t;\n"
        ".reg .b32 %r<4>;\n.reg .b64 %d<4>;\nld.param.u64 %x, [x];\n"
        "mov.b64 %l, values;\ncvta.local.u64 %v, %l;\nmov.u32 %r0, %tid.x;\nmov.u32 %r1, "
        "%ctaid.x;\n" +
        values + format_address +
        "{ .param .b64 p; .param .b64 q; .param .b32 r;\nst.param.b64 [p], %f; st.param.b64 [q], "
        "%v;\ncall.uni (r), vprintf, (p, q);\nld.param.b32 %r3, [r]; }\n"
        "st.global.b32 [%x], %r3;\nret;";
    return module_of(
        kernel_text(".param .u64 x", body,
                    std::string(declarations) + more + text_variable("format", format, ends)));
  }
  Launch& prepare() {
    launch.arguments = {buffer(std::span(x), "x")};
    launch.grid = {blocks, 1, 1};
    launch.workgroup = {threads, 1, 1};
    launch.threads = host_threads;
    launch.check = check;
    launch.printed = &printed;
    return launch;
  }
  std::string run() {
    const RunReport report = simulate(module(), prepare());
    EXPECT_TRUE(report.findings.empty() || check);
    return printed;
  }
  Fault fault() { return fault_of(module(), prepare()); }
};

TEST(PtxPrintf, ValuesOfEverySize) {
  Print print{.format = "%d %lld %f '%5c' %x %s%%\n",
              .values =
                  "st.local.b32 [%l], -3;\nmov.b64 %d0, -5000000000;\nst.local.b64 [%l+8], "
                  "%d0;\nmov.b64 %d1, 0d3ff8000000000000;\nst.local.b64 [%l+16], %d1;\n"
                  "st.local.b32 [%l+24], 65;\nst.local.b32 [%l+28], 48879;\nmov.b64 %t, "
                  "word;\ncvta.global.u64 %t, %t;\nst.local.b64 [%l+32], %t;\n",
              .more = text_variable("word", "yes")};
  EXPECT_EQ(print.run(), "-3 -5000000000 1.500000 '    A' beef yes%\n");
  EXPECT_EQ(print.x[0], 6u);  // the number of values
}

TEST(PtxPrintf, WidthsFromValuesAreBounded) {
  Print print{.format = "[%*d|%.*s|%2000000000d]",
              .values =
                  "st.local.b32 [%l], -4;\nst.local.b32 [%l+4], 7;\nst.local.b32 [%l+8], "
                  "2;\nmov.b64 %t, word;\ncvta.global.u64 %t, %t;\nst.local.b64 [%l+16], "
                  "%t;\nst.local.b32 [%l+24], 1;\n",
              .more = text_variable("word", "yes")};
  EXPECT_EQ(print.run(), "[7   |ye|" + std::string(999, ' ') + "1]");
}

TEST(PtxPrintf, NoValuesNeedNoBuffer) {
  Print print{.format = "100% done%n%q%", .values = "mov.b64 %v, 0;\n"};
  const Fault fault = print.fault();  // %n has a value
  EXPECT_EQ(fault.kind, FaultKind::global_out_of_bounds) << fault.text();
  Print simple{.format = "done", .values = "mov.b64 %v, 0;\n"};
  EXPECT_EQ(simple.run(), "done");
  EXPECT_EQ(simple.x[0], 0u);
}

TEST(PtxPrintf, BlocksComeInTheirOrderOnAnyNumberOfThreads) {
  Print print{.format = "%u.%u ",
              .values = "st.local.v2.b32 [%l], {%r1, %r0};\n",
              .blocks = 40,
              .threads = 3,
              .host_threads = 4};
  std::string expected;
  for (int block = 0; block < 40; ++block)
    for (int thread = 0; thread < 3; ++thread)
      expected += std::to_string(block) + "." + std::to_string(thread) + " ";
  EXPECT_EQ(print.run(), expected);
  // Other orders of the blocks are tried without printing.
  print.check = true;
  EXPECT_EQ(print.run(), expected);
}

TEST(PtxPrintf, TooMuchIsCut) {
  Print print{.format = std::string(1000, 'x'), .blocks = 8, .threads = 256};
  const std::string printed = print.run();
  EXPECT_EQ(printed.size(), (1u << 20) + 49u);
  EXPECT_TRUE(printed.ends_with("(more than 1 MiB was printed; the rest is lost)\n"));
}

TEST(PtxPrintf, TextsThatAreNoneAreFaults) {
  Print unterminated{.format = "abc", .ends = false};
  unterminated.more = "";
  Fault fault = unterminated.fault();
  EXPECT_EQ(fault.kind, FaultKind::global_out_of_bounds) << fault.text();
  Print endless{.format = "", .more = ".global .align 1 .b8 many[70000];\n"};
  endless.format_address = "mov.b64 %f, format; cvta.global.u64 %f, %f; add.u64 %f, %f, 123456;";
  fault = endless.fault();
  EXPECT_EQ(fault.kind, FaultKind::global_out_of_bounds) << fault.text();
  Print bad_string{.format = "%s", .values = "mov.b64 %d0, 123456789;\nst.local.b64 [%l], %d0;\n"};
  fault = bad_string.fault();
  EXPECT_EQ(fault.kind, FaultKind::global_out_of_bounds) << fault.text();
  EXPECT_EQ(fault.lane, 0);
  Print null{.format = "%s|", .values = "mov.b64 %d0, 0;\nst.local.b64 [%l], %d0;\n"};
  EXPECT_EQ(null.run(), "(null)|");
}

TEST(PtxPrintf, WhatWasPrintedBeforeAFaultComesBack) {
  Print print{.format = "before\n", .values = "add.u64 %x, %x, 4096;\n"};
  EXPECT_EQ(print.fault().kind, FaultKind::global_out_of_bounds);
  EXPECT_EQ(print.printed, "before\n");
}

/// Thread 37 of block (1, 0, 0) fails.
std::string failing(const std::string& message) {
  const std::string body =
      ".reg .b64 %m, %f, %n;\n.reg .b32 %r<4>;\n.reg .pred %p;\nmov.u32 %r0, %tid.x;\n"
      "mov.u32 %r1, %ctaid.x;\nmad.lo.u32 %r0, %r1, 1000, %r0;\nsetp.ne.u32 %p, %r0, 1037;\n"
      "@%p bra done;\n" +
      message +
      "mov.b64 %f, file; cvta.global.u64 %f, %f;\nmov.b64 %n, name; cvta.global.u64 %n, %n;\n"
      "{ .param .b64 a; .param .b64 b; .param .b32 c; .param .b64 d; .param .b64 e;\n"
      "st.param.b64 [a], %m; st.param.b64 [b], %f; st.param.b32 [c], 21; st.param.b64 [d], %n; "
      "st.param.b64 [e], 1;\ncall.uni __assertfail, (a, b, c, d, e); }\ntrap;\ndone: ret;";
  return kernel_text("", body,
                     std::string(declarations) + text_variable("message", "x < 3") +
                         text_variable("file", "dir/a.py") + text_variable("name", "scale"));
}

TEST(PtxAssertion, EndsTheRunWithItsPlace) {
  Launch launch;
  launch.grid = {3, 1, 1};
  launch.workgroup = {64, 1, 1};
  const Module module = module_of(failing("mov.b64 %m, message; cvta.global.u64 %m, %m;\n"));
  const Fault fault = fault_of(module, launch);
  EXPECT_EQ(fault.kind, FaultKind::trap);
  EXPECT_EQ(fault.message,
            "assertion failed: x < 3 (dir/a.py:21, in scale), block (1, 0, 0), thread (37, 0, 0)");
  EXPECT_EQ(fault.workgroup[0], 1u);
  EXPECT_EQ(fault.wave, 1);
  EXPECT_EQ(fault.lane, 5);
  launch.check = true;
  const RunReport report = simulate(module, launch);
  ASSERT_EQ(report.findings.size(), 1u);
  EXPECT_EQ(finding_kind_name(report.findings[0].kind), "assertion-failed");
  EXPECT_EQ(report.findings[0].message, fault.message);
}

TEST(PtxAssertion, WithABadMessageIsAFaultToo) {
  Launch launch;
  launch.grid = {2, 1, 1};
  launch.workgroup = {64, 1, 1};
  EXPECT_EQ(fault_of(module_of(failing("mov.b64 %m, 4096;\n")), launch).kind,
            FaultKind::global_out_of_bounds);
  EXPECT_NE(fault_of(module_of(failing("mov.b64 %m, 0;\n")), launch).message.find("dir/a.py:21"),
            std::string::npos);
}

/// Each thread takes memory, leaves its number in it, and writes what it reads back; `more`
/// follows.
std::string taking(const std::string& bytes, const std::string& more) {
  return kernel_text(
      ".param .u64 x",
      ".reg .b64 %x, %m, %n, %a;\n.reg .b32 %r<4>;\nld.param.u64 %x, [x];\nmov.u32 %r0, %tid.x;\n"
      "mul.wide.u32 %a, %r0, 4;\nadd.u64 %x, %x, %a;\nmov.b64 %n, " +
          bytes +
          ";\n{ .param .b64 p; .param .b64 r; st.param.b64 [p], %n;\ncall.uni (r), malloc, (p);\n"
          "ld.param.b64 %m, [r]; }\n" +
          more + "ret;",
      ".extern .func (.param .b64 r) malloc (.param .b64 a);\n.extern .func free (.param .b64 "
      "a);\n");
}

constexpr std::string_view give_back =
    "{ .param .b64 p; st.param.b64 [p], %m; call.uni free, (p); }\n";

TEST(PtxHeap, GivesEachThreadMemoryOfItsOwn) {
  std::vector<uint32_t> x(64);
  Launch launch;
  launch.arguments = {buffer(std::span(x), "x")};
  launch.workgroup = {64, 1, 1};
  for (const bool check : {false, true}) {
    launch.check = check;
    const RunReport report =
        simulate(module_of(taking("40",
                                  "st.b32 [%m+36], %r0;\nbar.sync 0;\nld.b32 %r1, [%m+36];\n"
                                  "st.global.b32 [%x], %r1;\n" +
                                      std::string(give_back))),
                 launch);
    EXPECT_TRUE(report.findings.empty());
    for (uint32_t i = 0; i < 64; ++i) EXPECT_EQ(x[i], i);
  }
}

TEST(PtxHeap, IsBounded) {
  std::vector<uint32_t> x(64);
  Launch launch;
  launch.arguments = {buffer(std::span(x), "x")};
  launch.workgroup = {64, 1, 1};
  const std::string keep =
      "cvt.u32.u64 %r1, %m; shr.u64 %m, %m, 32; cvt.u32.u64 %r2, %m; or.b32 "
      "%r1, %r1, %r2; st.global.b32 [%x], %r1;\n";
  // 8 MiB are enough for 7 threads with 1 MiB and a bit.
  simulate(module_of(taking("1048592", keep)), launch);
  EXPECT_EQ(std::ranges::count(x, 0u), 64 - 7);
  simulate(module_of(taking("-1", keep)), launch);
  EXPECT_EQ(std::ranges::count(x, 0u), 64);
}

TEST(PtxHeap, AWrongFreeIsAFault) {
  std::vector<uint32_t> x(1);
  Launch launch;
  launch.arguments = {buffer(std::span(x), "x")};
  launch.workgroup = {1, 1, 1};
  const std::string twice = std::string(give_back) + std::string(give_back);
  EXPECT_NE(fault_of(module_of(taking("8", twice)), launch).message.find("is free already"),
            std::string::npos);
  const std::string inside = "add.u64 %m, %m, 16;\n" + std::string(give_back);
  EXPECT_NE(fault_of(module_of(taking("64", inside)), launch).message.find("malloc has not given"),
            std::string::npos);
  simulate(module_of(taking("64", "mov.b64 %m, 0;\n" + std::string(give_back))), launch);
  EXPECT_EQ(fault_of(module_of(taking("8", "ld.b32 %r1, [%m+8388608];\n")), launch).kind,
            FaultKind::global_out_of_bounds);
}

TEST(PtxDeclaredCalls, OtherFunctionsAndOtherParametersAreRefused) {
  const std::string call = "{ .param .b32 p; st.param.b32 [p], 1; call.uni NAME, (p); }\nret;";
  const auto text = [&](std::string name, const std::string& declared) {
    std::string body = call;
    return kernel_text("", body.replace(body.find("NAME"), 4, name), declared);
  };
  const Module module = module_of(text("exp2", ".extern .func exp2 (.param .b32 a);\n"));
  const Fault fault = fault_of(module, {});
  EXPECT_EQ(fault.kind, FaultKind::unsupported);
  EXPECT_NE(fault.message.find("__assertfail, free, malloc, vprintf"), std::string::npos)
      << fault.message;
  const auto other = Module::parse(text("vprintf", ".extern .func vprintf (.param .b32 a);\n"));
  ASSERT_FALSE(other);
  EXPECT_NE(other.error().find("vprintf has other parameters"), std::string::npos) << other.error();
}

}  // namespace declared_calls_test
}  // namespace heddle::emulator::ptx::testing
