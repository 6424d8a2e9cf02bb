#include "tools/heddle/reports/program_run.h"

#include <llvm/Support/JSON.h>

#include <algorithm>
#include <cstring>
#include <map>

#include "answers/text/counted.h"
#include "answers/text/paragraph.h"
#include "heddle/instruction/target.h"
#include "library/text/formatted.h"
#include "library/text/joined.h"
#include "runtime/device/launch_binding.h"
#include "runtime/files/printable.h"
#include "tools/heddle/reports/report_json.h"
#include "tools/heddle/reports/report_text.h"

namespace heddle::tool {
namespace {

bool is_same(const emulator::Finding& a, const emulator::Finding& b) {
  return a.kind == b.kind && a.place == b.place && a.related == b.related;
}

void add_lines(std::vector<LineCount>& all, const std::vector<LineCount>& more) {
  std::map<std::string, std::size_t> known;
  for (std::size_t i = 0; i < all.size(); ++i) known.emplace(all[i].source, i);
  for (const LineCount& line : more) {
    const auto [place, is_new] = known.emplace(line.source, all.size());
    if (is_new)
      all.push_back(line);
    else
      all[place->second].count += line.count;
  }
}

/// Adds the counts of `more` to `sum`. The figures of single instructions in `sum` stay those of
/// the first launch.
void add_counts(emulator::RunReport& sum, const emulator::RunReport& more) {
  for (const auto count :
       {&emulator::RunReport::instructions, &emulator::RunReport::wmma,
        &emulator::RunReport::barriers, &emulator::RunReport::global_bytes_read,
        &emulator::RunReport::global_bytes_written, &emulator::RunReport::lds_bytes_read,
        &emulator::RunReport::lds_bytes_written, &emulator::RunReport::scratch_bytes,
        &emulator::RunReport::workgroups, &emulator::RunReport::waves})
    sum.*count += more.*count;
  for (const emulator::OpcodeCount& opcode : more.opcodes) {
    const auto known =
        std::ranges::find(sum.opcodes, opcode.mnemonic, &emulator::OpcodeCount::mnemonic);
    if (known == sum.opcodes.end())
      sum.opcodes.push_back(opcode);
    else
      known->count += opcode.count;
  }
  for (const std::string& what : more.unchecked)
    if (std::ranges::find(sum.unchecked, what) == sum.unchecked.end())
      sum.unchecked.push_back(what);
}

std::uint64_t instructions_of(const KernelRun& run) {
  return run.report.emulated ? run.report.emulated->instructions : 0;
}

/// The name of a kernel with its template arguments, by which the kernels of a program can be told
/// apart. Arguments that make the name longer than 100 characters are left out.
std::string name_of(const KernelRun& run) {
  const std::string whole = runtime::full_name(run.kernel.name);
  if (whole.size() > 100) return run.kernel_name + "<…>";
  return runtime::printable_line(whole);
}

std::string ending(const ProgramRun& run) {
  if (run.signal == 0) return formatted("with exit status {}", run.exit_status);
  return formatted("by signal {} ({})", run.signal, ::strsignal(run.signal));
}

}  // namespace

void KernelTotal::add(KernelRun launch, std::uint64_t number) {
  ++launches;
  launch.finding_launches.assign(launch.findings.size(), number);
  if (launches == 1) {
    run = std::move(launch);
    return;
  }
  run.finished = run.finished && launch.finished;
  run.report.seconds += launch.report.seconds;
  if (launch.report.emulated) {
    if (run.report.emulated)
      add_counts(*run.report.emulated, *launch.report.emulated);
    else
      run.report.emulated = launch.report.emulated;
  }
  add_lines(run.lines, launch.lines);
  run.callers.merge(launch.callers);
  constexpr std::size_t most_findings = 4096;  // the most for one kernel, as for one launch
  for (emulator::Finding& finding : launch.findings) {
    const auto known = std::ranges::find_if(
        run.findings, [&](const emulator::Finding& one) { return is_same(one, finding); });
    if (known != run.findings.end()) {
      known->count += finding.count;
    } else if (run.findings.size() < most_findings) {
      run.findings.push_back(std::move(finding));
      run.finding_launches.push_back(number);
    }
  }
}

KernelTotal& ProgramRun::total_of(const emulator::Kernel& kernel) {
  for (KernelTotal& total : kernels)
    if (total.run.kernel.name == kernel.name) return total;
  return kernels.emplace_back();
}

std::size_t ProgramRun::findings() const {
  std::size_t count = checked ? mistakes.size() : 0;
  for (const KernelTotal& total : kernels) count += alike_findings(total.run).size();
  return count;
}

bool ProgramRun::finished() const {
  return std::ranges::all_of(kernels, [](const KernelTotal& total) { return total.run.finished; });
}

int ProgramRun::status() const {
  if (signal != 0) return 128 + signal;
  if (exit_status != 0) return exit_status;
  return findings() > 0 ? 1 : 0;
}

std::string program_run_text(const ProgramRun& run, int width) {
  std::string text;
  for (const KernelTotal& total : run.kernels)
    if (run.checked || !total.run.findings.empty())
      text += kernel_diagnostics_text(total.run, width);
  if (run.checked) text += host_mistakes_text(run.mistakes, run.file, width);
  const auto line = [&](std::string_view label, const std::string& words) {
    text += answers::paragraph(label, words, label_columns, width);
  };
  const instruction::ProcessorRow* target = instruction::find_target(run.target);
  line("program", run.file);
  line("ended", ending(run));  // on a line of its own, which no long path breaks
  if (run.is_built && run.target.empty())
    line("target", "none: the program has not used HIP through the library of `heddle exec`");
  else
    line("target",
         formatted(
             "{}{}, {}{}", run.target, target ? formatted(" ({})", target->product) : "",
             run.target.starts_with("sm_") ? "simulated: no GPU was used"
                                           : "emulated: no GPU was used",
             run.offered.size() < 2 ? "" : formatted("; chosen of {}", joined(run.offered, ", "))));
  if (run.kernels.empty()) line("kernels", "none was launched");
  for (const KernelTotal& total : run.kernels) {
    const KernelRun& kernel = total.run;
    line(&total == run.kernels.data() ? "kernels" : "",
         formatted("{}: {}, {}, {} in {:.1f} ms{}", name_of(kernel),
                   answers::counted(total.launches, "launch"),
                   answers::counted(kernel.report.emulated ? kernel.report.emulated->workgroups : 0,
                                    "workgroup"),
                   answers::counted(instructions_of(kernel), "instruction"),
                   1e3 * kernel.report.seconds, kernel.finished ? "" : "; ended by a fault"));
  }
  for (const std::string& refusal : run.refusals) line("refused", refusal);
  std::string found = run.findings() > 0 ? formatted("{}", run.findings())
                      : !run.checked     ? "not checked (--check does)"
                                         : "none in " + answers::counted(run.launches, "launch");
  std::vector<std::string> unchecked;
  for (const KernelTotal& total : run.kernels)
    if (total.run.report.emulated)
      for (const std::string& what : total.run.report.emulated->unchecked)
        if (std::ranges::find(unchecked, what) == unchecked.end()) unchecked.push_back(what);
  for (const std::string& what : unchecked) found += "; not checked: " + what;
  line("findings", found);
  const std::string ran = formatted("ran in {:.0f} ms", 1e3 * run.seconds);
  line("time",
       run.is_built ? ran : formatted("compiled in {:.0f} ms, {}", 1e3 * run.compile_seconds, ran));
  return text;
}

std::string program_run_json(const ProgramRun& run) {
  using llvm::json::Array;
  using llvm::json::Object;
  Object report = run_report_json("program");
  Array kernels;
  for (const KernelTotal& total : run.kernels) {
    auto parsed = llvm::json::parse(kernel_run_json(total.run));
    if (!parsed) {
      llvm::consumeError(parsed.takeError());
      continue;
    }
    Object kernel = std::move(*parsed->getAsObject());
    kernel["launch"] = nullptr;
    kernel["launches"] = static_cast<std::int64_t>(total.launches);
    kernels.push_back(std::move(kernel));
  }
  report["file"] = run.file;
  report["target"] = run.target;
  report["offered"] = Array(run.offered);
  report["device"] = run.device;
  report["checked"] = run.checked;
  report["finished"] = run.finished();
  report["right"] = run.findings() > 0 || run.status() != 0 ? llvm::json::Value(false) : nullptr;
  report["exit_status"] = run.signal == 0 ? llvm::json::Value(run.exit_status) : nullptr;
  report["signal"] = run.signal == 0 ? llvm::json::Value(nullptr) : run.signal;
  report["launches"] = static_cast<std::int64_t>(run.launches);
  report["refusals"] = Array(run.refusals);
  Array mistakes;
  for (const HostMistake& mistake : run.mistakes)
    mistakes.push_back(Object{{"message", mistake.message}, {"source", mistake.source}});
  report["mistakes"] = std::move(mistakes);
  report["kernels"] = std::move(kernels);
  report["seconds"] = Object{{"compile", run.compile_seconds}, {"run", run.seconds}};
  return json_text(std::move(report));
}

KernelRun merged(const ProgramRun& run) {
  KernelTotal all;
  for (const KernelTotal& total : run.kernels) {
    KernelRun one = total.run;
    const std::vector<std::uint64_t> launches = one.finding_launches;
    const std::size_t known = all.run.findings.size();
    all.add(std::move(one), 0);
    for (std::size_t i = 0; i < launches.size() && known + i < all.run.finding_launches.size(); ++i)
      all.run.finding_launches[known + i] = launches[i];
    if (all.launches > 1) all.run.kernel_name += ", " + total.run.kernel_name;
  }
  all.run.file = run.file;
  if (run.checked) all.run.mistakes = run.mistakes;
  all.run.finished = run.finished();
  all.run.target = run.target;
  all.run.device = run.device;
  return all.run;
}

}  // namespace heddle::tool
