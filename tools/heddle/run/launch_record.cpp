#include "tools/heddle/run/launch_record.h"

#include <map>
#include <set>

#include "library/text/formatted.h"
#include "runtime/device/launch_binding.h"
#include "runtime/files/printable.h"

namespace heddle::tool {
namespace {

/// A place in a source, with the path as the user sees it. If `source` is a place in PTX, the
/// result is a place in the PTX file.
std::string placed(const KernelRun& run, const std::string& source) {
  constexpr std::string_view in_ptx = "PTX:";
  if (source.starts_with(in_ptx)) return run.file + ":" + source.substr(in_ptx.size());
  return near_source(source);
}

void place(const KernelRun& run, std::vector<emulator::Finding>& findings) {
  for (emulator::Finding& finding : findings) {
    finding.place.source = placed(run, finding.place.source);
    for (emulator::RelatedPlace& related : finding.related)
      related.place.source = placed(run, related.place.source);
  }
}

/// Replaces the file names in the places of findings by paths as the user sees them.
void place_findings(KernelRun& run) {
  place(run, run.findings);
  if (run.report.emulated) place(run, run.report.emulated->notes);
}

const std::vector<std::string>& add_callers(KernelRun& run, const emulator::CodeObject& object,
                                            std::uint64_t program_counter) {
  const auto [known, is_new] = run.callers.try_emplace(program_counter);
  if (is_new)
    for (const std::string& caller : object.source_callers(run.kernel.entry + program_counter))
      known->second.push_back(near_source(caller));
  return known->second;
}

/// Of PTX: the lines of its text.
void count_lines(KernelRun& run) {
  std::map<std::uint32_t, LineCount> lines;
  for (const emulator::InstructionCount& instruction : run.report.emulated->executed) {
    LineCount& line = lines[instruction.line];
    if (line.count == 0)
      line.source = formatted("{}:{}:{}", run.file, instruction.line, instruction.column);
    line.count += instruction.count;
  }
  for (auto& [number, line] : lines) run.lines.push_back(std::move(line));
}

void count_lines(KernelRun& run, const emulator::CodeObject& object) {
  std::map<std::pair<std::string, std::size_t>, LineCount> lines;
  for (const emulator::InstructionCount& instruction : run.report.emulated->executed) {
    std::vector<std::string> sources = add_callers(run, object, instruction.program_counter);
    sources.insert(sources.begin(),
                   near_source(object.source_line(run.kernel.entry + instruction.program_counter)));
    // with recursion a line may be called twice
    std::set<std::pair<std::string, std::size_t>> counted;
    for (const std::string& source : sources) {
      const SourcePlace place = source_place(source);
      const std::pair key(place.file, place.line);
      if (place.line == 0 || !counted.insert(key).second) continue;
      LineCount& line = lines.try_emplace(key, LineCount{source, 0}).first->second;
      line.count += instruction.count;
    }
  }
  for (auto& [key, line] : lines) run.lines.push_back(std::move(line));
}

}  // namespace

void record_launch(KernelRun& run, const runtime::Module& module, const runtime::Device& device,
                   const emulator::Launch& launch) {
  run.target = module.target();
  run.device = device.description();
  run.on_hardware = device.is_hardware();
  for (const emulator::Kernel& kernel : module.kernels())
    if (kernel.name == launch.kernel) run.kernel = kernel;
  run.kernel_name = runtime::printable_line(runtime::source_name(launch.kernel));
  run.grid = launch.grid;
  run.block = launch.workgroup;
  run.dynamic_lds_bytes = launch.dynamic_lds_bytes;
}

void record_report(KernelRun& run, const runtime::Module& module, runtime::LaunchReport report) {
  run.report = std::move(report);
  if (auto& emulated = run.report.emulated) {
    run.findings = emulated->findings;
    run.finished = !emulated->fault;
    for (emulator::LdsAccess& access : emulated->lds) access.source = placed(run, access.source);
    for (emulator::GlobalAccess& access : emulated->global)
      access.source = placed(run, access.source);
    if (module.code_object() != nullptr)
      count_lines(run, *module.code_object());
    else
      count_lines(run);
  }
  place_findings(run);
}

std::optional<Stop> record_failure(KernelRun& run, const runtime::Module& module,
                                   const runtime::Failure& failure) {
  if (!failure.fault || failure.fault->kind == emulator::FaultKind::bad_launch)
    return Stop{2, failure.message};
  run.findings.push_back(emulator::finding_of(*failure.fault));
  run.finished = false;
  if (module.code_object() != nullptr)
    add_callers(run, *module.code_object(), failure.fault->program_counter);
  place_findings(run);
  return {};
}

}  // namespace heddle::tool
