// The report for programs.
#include <llvm/Support/FormatVariadic.h>
#include <llvm/Support/JSON.h>

#include <cmath>

#include "tools/heddle/instruction_mix.h"
#include "tools/heddle/kernel_run.h"

namespace heddle::tool {
namespace {

using llvm::json::Array;
using llvm::json::Object;

Array triple(const std::array<std::uint32_t, 3>& sizes) {
  return Array{sizes[0], sizes[1], sizes[2]};
}

/// JSON has no infinity and no NaN: they are strings.
llvm::json::Value number(double value) {
  if (std::isfinite(value)) return value;
  return std::isnan(value) ? "nan" : value > 0 ? "inf" : "-inf";
}

/// An integer in full.
llvm::json::Value integer(runtime::NumberType type, std::uint64_t value) {
  if (runtime::row(type).is_signed) return static_cast<std::int64_t>(value);
  return value;
}

Object place_json(const emulator::Place& place) {
  return Object{{"program_counter", place.program_counter},
                {"instruction", place.instruction},
                {"source", place.source}};
}

Array findings_json(const KernelRun& run) {
  Array all;
  for (const emulator::Finding& finding : run.findings) {
    Object object = place_json(finding.place);
    object["kind"] = llvm::StringRef(emulator::finding_kind_name(finding.kind));
    object["message"] = finding.message;
    object["fix"] = finding.fix;
    object["workgroup"] = triple(finding.workgroup);
    object["wave"] = finding.wave;
    object["lanes"] = finding.lanes;
    object["count"] = finding.count;
    Array related;
    for (const emulator::RelatedPlace& place : finding.related) {
      Object one = place_json(place.place);
      one["role"] = place.role;
      related.push_back(std::move(one));
    }
    object["related"] = std::move(related);
    Array callers;
    if (const auto known = run.callers.find(finding.place.program_counter);
        known != run.callers.end())
      for (const std::string& caller : known->second) callers.push_back(caller);
    object["callers"] = std::move(callers);
    all.push_back(std::move(object));
  }
  return all;
}

Array results_json(const KernelRun& run) {
  Array all;
  for (const JudgedArray& result : run.results) {
    const runtime::Judgement& judgement = result.judgement;
    Array explanations;
    for (const runtime::Explanation& explanation : result.explanations)
      explanations.push_back(Object{
          {"name", explanation.name}, {"message", explanation.message}, {"fix", explanation.fix}});
    Object object{{"array", judgement.result},
                  {"expectation", result.expectation},
                  {"line", result.line},
                  {"right", judgement.right()},
                  {"elements", judgement.elements.size()},
                  {"wrong", judgement.wrong},
                  {"unwritten", judgement.unwritten},
                  {"exact", judgement.exact},
                  {"largest_error", number(judgement.largest_error)},
                  {"worst", Object{{"row", judgement.worst_row},
                                   {"column", judgement.worst_column},
                                   {"value", number(judgement.worst_value)},
                                   {"reference", number(judgement.worst_reference)},
                                   {"allowed", number(judgement.worst_allowed)}}},
                  {"note", result.note},
                  {"explanations", std::move(explanations)}};
    if (judgement.worst_integer) {
      Object& worst = *object.getObject("worst");
      worst["value"] = integer(judgement.type, *judgement.worst_integer);
      worst["reference"] = integer(judgement.type, *judgement.worst_reference_integer);
    }
    if (!judgement.right()) {
      object["wrong_where"] = where(judgement, runtime::Verdict::wrong);
      object["unwritten_where"] = where(judgement, runtime::Verdict::unwritten);
      object["tiles"] = tile_map(judgement);
    }
    all.push_back(std::move(object));
  }
  return all;
}

Array lds_json(const emulator::RunReport& report) {
  Array all;
  for (const emulator::LdsAccess& access : report.lds) {
    Array phases;
    for (const emulator::ConflictPhase& phase : access.conflicts)
      phases.push_back(Object{{"phase", phase.number},
                              {"extra_passes", phase.extra_passes},
                              {"passes", phase.passes},
                              {"bank", phase.bank},
                              {"lanes", phase.lanes}});
    Object object = place_json({access.program_counter, access.instruction, access.source});
    object["bytes_per_lane"] = access.bytes_per_lane;
    object["issued"] = access.issued;
    object["ideal_passes"] = access.ideal_passes;
    object["extra_passes"] = access.extra_passes;
    object["conflicts"] = std::move(phases);
    all.push_back(std::move(object));
  }
  return all;
}

Array global_json(const emulator::RunReport& report) {
  Array all;
  for (const emulator::GlobalAccess& access : report.global) {
    Object object = place_json({access.program_counter, access.instruction, access.source});
    object["bytes_per_lane"] = access.bytes_per_lane;
    object["issued"] = access.issued;
    object["lanes"] = access.lanes;
    object["sectors_touched"] = access.sectors_touched;
    object["sectors_needed"] = access.sectors_needed;
    all.push_back(std::move(object));
  }
  return all;
}

Object mix_json(const emulator::RunReport& report) {
  const Mix mix = mix_of(report.opcodes);
  Object classes, opcodes;
  for (std::size_t i = 0; i < mix.size(); ++i)
    classes[llvm::StringRef(mix_classes[i].name)] = mix[i];
  for (const emulator::OpcodeCount& opcode : report.opcodes)
    opcodes[opcode.mnemonic] = opcode.count;
  return Object{{"wavefront_instructions", report.instructions},
                {"classes", std::move(classes)},
                {"opcodes", std::move(opcodes)}};
}

Object emulated_json(const KernelRun& run, const emulator::RunReport& report) {
  Array lines;
  for (const LineCount& line : run.lines)
    lines.push_back(Object{{"source", line.source}, {"instructions", line.count}});
  return Object{{"mix", mix_json(report)},
                {"lines", std::move(lines)},
                {"lds", lds_json(report)},
                {"global", global_json(report)},
                {"profiled_workgroups", report.profiled_workgroups},
                {"workgroups", report.workgroups},
                {"bytes_read", report.global_bytes_read},
                {"bytes_written", report.global_bytes_written},
                {"simd", report.simd},
                {"host_threads", report.threads}};
}

}  // namespace

std::string kernel_run_json(const KernelRun& run) {
  Array remark_list;
  for (const Remark& remark : remarks(run)) {
    Object object = place_json(remark.place);
    object["rule"] = remark.rule;
    object["message"] = remark.message;
    object["fix"] = remark.fix;
    remark_list.push_back(std::move(object));
  }
  Array change_list;
  for (const runtime::MemoryChange& change : run.changes)
    change_list.push_back(Object{{"line", change.place.line},
                                 {"column", change.place.column},
                                 {"message", change.message},
                                 {"is_error", change.is_error}});
  // Without an expectation only errors tell.
  const bool is_judged = !run.results.empty() || !run.right();
  const Occupancy fits = occupancy(run);
  Object report{{"file", run.file},
                {"launch", run.launch_file},
                {"kernel", run.kernel_name},
                {"symbol", run.kernel.name},
                {"target", run.target},
                {"executed_on", run.on_hardware ? run.device : "emulator"},
                {"checked", run.checked},
                {"finished", run.finished},
                {"right", is_judged ? llvm::json::Value(run.right()) : nullptr},
                {"grid", triple(run.grid)},
                {"block", triple(run.block)},
                {"resources", Object{{"vgprs", run.kernel.vgpr_count},
                                     {"sgprs", run.kernel.sgpr_count},
                                     {"vgpr_spills", run.kernel.vgpr_spills},
                                     {"sgpr_spills", run.kernel.sgpr_spills},
                                     {"lds_bytes", run.kernel.lds_bytes},
                                     {"dynamic_lds_bytes", run.dynamic_lds_bytes},
                                     {"scratch_bytes", run.kernel.scratch_bytes}}},
                {"occupancy", Object{{"workgroups_per_compute_unit", fits.workgroups},
                                     {"waves_per_workgroup", fits.waves_per_workgroup},
                                     {"by_vgprs", fits.by_vgprs},
                                     {"by_lds", fits.by_lds}}},
                {"findings", findings_json(run)},
                {"changes", std::move(change_list)},
                {"remarks", std::move(remark_list)},
                {"results", results_json(run)},
                {"seconds", Object{{"compile", run.compile_seconds}, {"run", run.report.seconds}}}};
  if (run.report.emulated) report["emulated"] = emulated_json(run, *run.report.emulated);
  return llvm::formatv("{0:2}\n", llvm::json::Value(std::move(report))).str();
}

std::string refusal_json(const std::string& message) {
  return llvm::formatv("{0:2}\n", llvm::json::Value(Object{{"error", message}})).str();
}

}  // namespace heddle::tool
