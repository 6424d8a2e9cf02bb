#include "checked_kernel.h"

#include <algorithm>
#include <numeric>

namespace heddle::emulator::testing {
namespace {

// "{lds 2}" by name, on gfx11 and on gfx12.
struct WaitForm {
  std::string name, gfx11_before, gfx11_after, gfx12;
};
const WaitForm wait_forms[] = {
    {"lds", "s_waitcnt lgkmcnt(", ")", "s_wait_dscnt "},
    {"scalar", "s_waitcnt lgkmcnt(", ")", "s_wait_kmcnt "},
    {"load", "s_waitcnt vmcnt(", ")", "s_wait_loadcnt "},
    {"store", "s_waitcnt_vscnt null, ", "", "s_wait_storecnt "},
};

std::string replaced(const std::string& token, const std::string& target) {
  const bool gfx12 = target.starts_with("gfx12");
  if (token == "barrier") return gfx12 ? "s_barrier_signal -1\ns_barrier_wait -1" : "s_barrier";
  const std::size_t space = token.find(' ');
  const std::string name = token.substr(0, space), left = token.substr(space + 1);
  for (const WaitForm& form : wait_forms)
    if (form.name == name)
      return gfx12 ? form.gfx12 + left : form.gfx11_before + left + form.gfx11_after;
  ADD_FAILURE() << "no form " << token;
  return {};
}

}  // namespace

std::string for_target(std::string body, const std::string& target) {
  for (std::size_t open; (open = body.find('{')) != std::string::npos;) {
    const std::size_t close = body.find('}', open);
    body.replace(open, close - open + 1, replaced(body.substr(open + 1, close - open - 1), target));
  }
  return body;
}

std::string CheckedRun::text() const {
  std::string all;
  for (const Finding& finding : report.findings) all += finding.text("kernel");
  return all;
}

int CheckedRun::count(FindingKind kind) const {
  return static_cast<int>(std::ranges::count(report.findings, kind, &Finding::kind));
}

CheckedRun run_checked(const CheckedKernel& kernel, const std::string& target) {
  CheckedRun run;
  run.in.resize(4096);
  run.out.resize(4096);
  std::iota(run.in.begin(), run.in.end(), 1u);
  const bool cdna = target.starts_with("gfx9");
  const std::string prologue = std::string(cdna ? "s_load_dwordx4" : "s_load_b128") +
                               " s[4:7], s[0:1], 0x0\n{scalar 0}\nv_lshlrev_b32_e32 v1, 2, v0\n";
  const AssemblyKernel assembly = {
      .name = "kernel",
      .body = for_target(prologue + kernel.body + "\ns_endpgm", target),
      .arguments = 2,
      .lds_bytes = kernel.lds_bytes,
      .scratch_bytes = kernel.scratch_bytes,
      .wave = cdna ? 64 : kernel.wave};
  const CodeObject object = assemble(kernel_text({assembly}, target), target, assembly.wave);
  Launch launch;
  Buffer out = buffer(std::span(run.out), "out");
  out.initialised = false;
  launch.arguments = {buffer(std::span(run.in), "in"), out};
  launch.workgroup = {kernel.threads, 1, 1};
  launch.grid = {kernel.workgroups, 1, 1};
  launch.threads = kernel.host_threads;
  launch.budget.instructions_per_workgroup = 1'000'000;
  launch.check = true;
  const auto report = emulator::run(object, launch);
  if (report)
    run.report = *report;
  else
    ADD_FAILURE() << report.error().text();
  return run;
}

CheckedRun Checked::expect(FindingKind kind, const CheckedKernel& kernel) const {
  CheckedRun run = run_checked(kernel, GetParam());
  EXPECT_GE(run.count(kind), 1) << "no " << finding_kind_name(kind) << " in\n" << kernel.body;
  EXPECT_EQ(run.count(kind), static_cast<int>(run.report.findings.size())) << run.text();
  for (const Finding& finding : run.report.findings) {
    EXPECT_FALSE(finding.message.empty());
    EXPECT_FALSE(finding.fix.empty());
    EXPECT_FALSE(finding.place.instruction.empty());
  }
  return run;
}

void Checked::expect_silent(const CheckedKernel& kernel) const {
  const CheckedRun run = run_checked(kernel, GetParam());
  EXPECT_TRUE(run.report.findings.empty()) << run.text() << "of\n" << kernel.body;
  EXPECT_TRUE(run.report.notes.empty()) << run.report.notes[0].text("kernel") << "of\n"
                                        << kernel.body;
}

}  // namespace heddle::emulator::testing
