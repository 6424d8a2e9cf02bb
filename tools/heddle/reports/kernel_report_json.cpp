// The report for programs.
#include <llvm/Support/JSON.h>

#include "tools/heddle/reports/kernel_run.h"
#include "tools/heddle/reports/report_json.h"

namespace heddle::tool {
namespace {

using llvm::json::Array;
using llvm::json::Object;

/// An integer in full.
llvm::json::Value integer(runtime::NumberType type, std::uint64_t value) {
  if (runtime::row(type).is_signed) return static_cast<std::int64_t>(value);
  return value;
}

Array findings_json(const KernelRun& run) {
  Array all;
  for (const AlikeFindings& alike : alike_findings(run)) {
    const emulator::Finding& finding = *alike.first;
    Object object = finding_json(finding, run.target);
    object["alike"] = alike.count - 1;
    if (!run.finding_launches.empty())
      object["launch"] =
          run.finding_launches[static_cast<std::size_t>(&finding - run.findings.data())];
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
                  {"right", verdict_json(judgement.right(), judgement.is_not_judged())},
                  {"elements", judgement.elements.size()},
                  {"wrong", judgement.wrong},
                  {"unwritten", judgement.unwritten},
                  {"unjudged", judgement.unjudged},
                  {"exact", judgement.exact},
                  {"not_finite", judgement.not_finite},
                  {"largest_error", number_json(judgement.largest_error)},
                  {"worst", Object{{"row", judgement.worst_row},
                                   {"column", judgement.worst_column},
                                   {"value", number_json(judgement.worst_value)},
                                   {"reference", number_json(judgement.worst_reference)},
                                   {"allowed", number_json(judgement.worst_allowed)}}},
                  {"note", result.note},
                  {"explanations", std::move(explanations)}};
    if (judgement.worst_integer) {
      Object& worst = *object.getObject("worst");
      worst["value"] = integer(judgement.type, *judgement.worst_integer);
      worst["reference"] = integer(judgement.type, *judgement.worst_reference_integer);
    }
    if (!judgement.right() && !judgement.is_not_judged()) {
      object["wrong_where"] = where(judgement, runtime::Verdict::wrong);
      object["unwritten_where"] = where(judgement, runtime::Verdict::unwritten);
      object["tiles"] = tile_map(judgement);
    }
    all.push_back(std::move(object));
  }
  return all;
}

Object emulated_with_lines(const KernelRun& run) {
  Object emulated = tool::emulated_json(*run.report.emulated, run.target);
  Array lines;
  for (const LineCount& line : run.lines)
    lines.push_back(Object{{"source", line.source}, {"instructions", line.count}});
  emulated["lines"] = std::move(lines);
  return emulated;
}

}  // namespace

std::string kernel_run_json(const KernelRun& run) {
  Array remark_list;
  for (const Remark& remark : remarks(run)) {
    Object object = place_json(remark.place, run.target);
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
  // If the launch file expects no result, there is a verdict only if the run has errors.
  const bool is_judged = !run.results.empty() || !run.right();
  const instruction::Occupancy fits = occupancy(run);
  Object report = run_report_json("kernel");
  report["file"] = run.file;
  report["launch"] = run.launch_file;
  report["kernel"] = run.kernel_name;
  report["symbol"] = llvm::json::fixUTF8(run.kernel.name);
  report["target"] = run.target;
  report["executed_on"] = run.on_hardware ? run.device : "emulator";
  report["device"] = run.device;
  report["hardware"] = run.on_hardware;
  report["checked"] = run.checked;
  report["finished"] = run.finished;
  report["right"] = verdict_json(run.right(), !is_judged || run.is_not_judged());
  report["grid"] = sizes_json(run.grid);
  report["block"] = sizes_json(run.block);
  report["resources"] = resources_json(run.kernel, run.dynamic_lds_bytes);
  report["occupancy"] = Object{{"workgroups_per_compute_unit", fits.workgroups()},
                               {"waves_per_workgroup", fits.waves_per_workgroup},
                               {"by_vgprs", fits.by_vgprs},
                               {"by_lds", fits.by_lds}};
  report["dumped"] = Array(run.dumped);
  report["printed"] = llvm::json::fixUTF8(run.printed);
  report["findings"] = findings_json(run);
  report["changes"] = std::move(change_list);
  report["remarks"] = std::move(remark_list);
  report["results"] = results_json(run);
  report["seconds"] = Object{{"compile", run.compile_seconds}, {"run", run.report.seconds}};
  if (run.report.emulated) report["emulated"] = emulated_with_lines(run);
  return json_text(std::move(report));
}

}  // namespace heddle::tool
