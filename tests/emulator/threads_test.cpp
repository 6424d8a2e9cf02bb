// Both machines on several threads of the host: `./dev threads` runs this under
// ThreadSanitizer. What is shared between threads is decoded code, shadow memory, the budget, and
// the memory of the kernel, which correct kernels share through atomics alone.
#include "kernels.h"
#include "tests/emulator/ptx/simulate.h"

namespace heddle::emulator::testing {
namespace threads_test {

constexpr unsigned host_threads = 4;
constexpr uint32_t workgroups = 64;

class Threads : public ::testing::TestWithParam<bool> {};

// Each workgroup adds to a counter, and writes its own part of an output through LDS.
TEST_P(Threads, WorkgroupsOfAmd) {
  for (const std::string& target : {"gfx1151", "gfx1201"}) {
    const bool gfx12 = target == "gfx1201";
    const std::string wait = gfx12 ? "s_wait_kmcnt 0x0\ns_wait_dscnt 0x0\ns_wait_loadcnt 0x0\n"
                                   : "s_waitcnt vmcnt(0) lgkmcnt(0)\n";
    const std::string barrier = gfx12 ? "s_barrier_signal -1\ns_barrier_wait -1\n" : "s_barrier\n";
    const std::string workgroup = gfx12 ? "ttmp9" : "s2";
    const AssemblyKernel kernel{
        .name = "many",
        .body = "s_load_b128 s[4:7], s[0:1], 0x0\n" + wait + "s_lshl_b32 s8, " + workgroup +
                ", 8\nv_lshlrev_b32 v1, 2, v0\nv_xor_b32 v2, 0x80, v1\n"
                "ds_store_b32 v1, v0\n" +
                wait + barrier + "ds_load_b32 v3, v2\n" + wait +
                "v_add_nc_u32 v4, s8, v1\nglobal_store_b32 v4, v3, s[6:7]\n"
                "v_mov_b32 v5, 0\nv_mov_b32 v6, 1\nglobal_atomic_add_u32 v5, v6, s[4:5]" +
                (gfx12 ? " scope:SCOPE_DEV\n" : "\n") + "s_endpgm",
        .arguments = 2,
        .lds_bytes = 256,
        .scratch_bytes = 16};
    const CodeObject object = assemble(kernel_text({kernel}, target), target);
    std::vector<uint32_t> counter(1), out(64 * workgroups);
    Launch launch;
    launch.arguments = {buffer(std::span(counter), "counter"),
                        Buffer{std::as_writable_bytes(std::span(out)), "out", false}};
    launch.grid = {workgroups, 1, 1};
    launch.workgroup = {64, 1, 1};
    launch.threads = host_threads;
    launch.check = GetParam();
    const auto report = run(object, launch);
    ASSERT_TRUE(report) << report.error().text();
    EXPECT_EQ(report->threads, host_threads);
    EXPECT_TRUE(report->findings.empty());
    EXPECT_EQ(counter[0], 64 * workgroups);
    for (uint32_t i = 0; i < out.size(); ++i) ASSERT_EQ(out[i], i % 64 ^ 32u);
  }
}

// Every workgroup has the same mistake: the findings of all threads are merged.
TEST_P(Threads, FindingsAndFaults) {
  const AssemblyKernel kernel{.name = "wrong",
                              .body =
                                  "s_load_b64 s[4:5], s[0:1], 0x0\ns_waitcnt lgkmcnt(0)\n"
                                  "v_lshlrev_b32 v1, 2, v0\nglobal_load_b32 v2, v1, s[4:5]\n"
                                  "v_mov_b32 v3, v2\nv_mov_b32 v4, 0x10000\n"
                                  "global_load_b32 v3, v4, s[4:5]\ns_endpgm"};
  const CodeObject object = assemble(kernel_text({kernel}, "gfx1151"), "gfx1151");
  std::vector<uint32_t> data(64);
  Launch launch;
  launch.arguments = {buffer(std::span(data), "data")};
  launch.grid = {workgroups, 1, 1};
  launch.threads = host_threads;
  launch.check = GetParam();
  const auto report = run(object, launch);
  const Fault fault = report ? report->fault.value_or(Fault{}) : report.error();
  EXPECT_EQ(fault.kind, FaultKind::global_out_of_bounds);
  EXPECT_EQ(fault.workgroup[0], 0u);
}

// The run's budget is shared: whichever thread spends the last of it, the run ends.
TEST_P(Threads, OneBudget) {
  const CodeObject object = assemble(
      kernel_text({{.name = "loop", .body = "again:\ns_branch again"}}, "gfx1151"), "gfx1151");
  std::vector<uint32_t> data(1);
  Launch launch;
  launch.arguments = {buffer(std::span(data), "data")};
  launch.grid = {workgroups, 1, 1};
  launch.threads = host_threads;
  launch.check = GetParam();
  launch.budget.instructions = 2'000'000;
  const auto report = run(object, launch);
  const Fault fault = report ? report->fault.value_or(Fault{}) : report.error();
  EXPECT_EQ(fault.kind, FaultKind::budget_spent);
  EXPECT_NE(fault.message.find("2000000 instructions of the whole run"), std::string::npos)
      << fault.message;
}

INSTANTIATE_TEST_SUITE_P(Checked, Threads, ::testing::Bool(),
                         [](const auto& info) { return info.param ? "Checked" : "Plain"; });

TEST(PtxThreads, BlocksAddToOneCounter) {
  const ptx::Module module = ptx::testing::module_of(ptx::testing::kernel_text(
      ".param .u64 x, .param .u64 y",
      ".reg .b32 %r<8>;\n.reg .b64 %x, %y, %a;\n.shared .align 4 .b8 s[256];\n"
      "ld.param.u64 %x, [x];\nld.param.u64 %y, [y];\nmov.u32 %r0, %tid.x;\nmov.u32 %r1, %ctaid.x;\n"
      "mov.u32 %r2, s;\nmad.lo.u32 %r3, %r0, 4, %r2;\nst.shared.u32 [%r3], %r0;\nbar.sync 0;\n"
      "xor.b32 %r4, %r0, 32;\nmad.lo.u32 %r4, %r4, 4, %r2;\nld.shared.u32 %r5, [%r4];\n"
      "mad.lo.u32 %r6, %r1, 64, %r0;\nmul.wide.u32 %a, %r6, 4;\nadd.u64 %a, %y, %a;\n"
      "st.global.u32 [%a], %r5;\nred.global.add.u32 [%x], 1;"));
  std::vector<uint32_t> counter(1), out(64 * workgroups);
  Launch launch;
  launch.arguments = {buffer(std::span(counter), "x"), buffer(std::span(out), "y")};
  launch.grid = {workgroups, 1, 1};
  launch.workgroup = {64, 1, 1};
  launch.threads = host_threads;
  ptx::testing::simulate(module, launch);
  EXPECT_EQ(counter[0], 64 * workgroups);
  for (uint32_t i = 0; i < out.size(); ++i) ASSERT_EQ(out[i], i % 64 ^ 32u);
}

}  // namespace threads_test
}  // namespace heddle::emulator::testing
