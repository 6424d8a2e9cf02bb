// The report for a terminal: findings as a compiler shows its errors, then a screen of figures.

#include <algorithm>
#include <cmath>

#include "answers/text/counted.h"
#include "answers/text/marked_text.h"
#include "answers/text/paragraph.h"
#include "heddle/instruction/target.h"
#include "library/text/formatted.h"
#include "tools/heddle/reports/code_address.h"
#include "tools/heddle/reports/how_near.h"
#include "tools/heddle/reports/kernel_run.h"
#include "tools/heddle/reports/report_sources.h"
#include "tools/heddle/reports/report_text.h"

namespace heddle::tool {
namespace {

/// Writes findings as a compiler writes its errors: "kernel.hip:12:5: error: MESSAGE [NAME]", the
/// source line with a mark, notes, and the fix.
class Diagnostics {
 public:
  explicit Diagnostics(const KernelRun& run, int width)
      : run_(run), width_(width), sources_(run.file) {}

  std::string text() {
    std::string all;
    const std::vector<Remark> remarks = tool::remarks(run_);
    std::size_t remark = 0;
    for (const AlikeFindings& alike : alike_findings(run_)) {
      // Remarks of the checker come in order, since one may name the cause of a later finding.
      while (remark < remarks.size() && remarks[remark].order < alike.first->order)
        all += of(remarks[remark++]);
      all += of(*alike.first, alike.count);
    }
    for (const JudgedArray& result : run_.results) all += of(result);
    for (const runtime::MemoryChange& change : run_.changes)
      all += formatted("{}:{}:{}: {}: {}\n\n", run_.launch_file, change.place.line,
                       change.place.column, change.is_error ? "error" : "remark", change.message);
    for (; remark < remarks.size(); ++remark) all += of(remarks[remark]);
    return all;
  }

 private:
  std::string of(const emulator::Finding& finding, std::size_t alike) {
    std::string text =
        head(finding.place, "error", finding.message, emulator::finding_kind_name(finding.kind));
    std::string who = formatted("workgroup ({}, {}, {})", finding.workgroup[0],
                                finding.workgroup[1], finding.workgroup[2]);
    if (!run_.finding_launches.empty())
      who = formatted(
          "launch {}, {}",
          run_.finding_launches[static_cast<std::size_t>(&finding - run_.findings.data())], who);
    if (finding.wave >= 0) who += formatted(", wave {}", finding.wave);
    if (finding.lanes != 0) who += formatted(", lanes {}", lanes_text(finding.lanes));
    if (finding.count > 1) who += formatted("; {} times in all", finding.count);
    text += callers(finding.place);
    text += note("first in", who);
    if (alike > 1)
      text +=
          note("and", formatted("{} more between these lines, at other instructions", alike - 1));
    text += note("instruction", instruction(finding.place));
    for (const emulator::RelatedPlace& related : finding.related) {
      text += note("note", formatted("{}: {}{}", related.role, at(related.place),
                                     instruction(related.place)));
      text += excerpt(related.place) + callers(related.place);
    }
    return text + note("fix", finding.fix) + "\n";
  }

  std::string of(const JudgedArray& result) {
    const runtime::Judgement& judgement = result.judgement;
    if (judgement.right()) return "";
    std::string text =
        formatted("{}:{}: error: {}\n", run_.launch_file, result.line, result_text(result));
    text += note("expected", trimmed(result.expectation));
    if (judgement.is_not_judged()) return text + note("note", result.note) + "\n";
    if (judgement.unwritten > 0)
      text += note("not written", where(judgement, runtime::Verdict::unwritten));
    if (judgement.wrong > 0) text += note("wrong", where(judgement, runtime::Verdict::wrong));
    if (judgement.size.rows > 16 || judgement.size.columns > 16) text += tiles(judgement);
    for (std::size_t i = 0; i < std::min<std::size_t>(result.explanations.size(), 3); ++i) {
      const runtime::Explanation& explanation = result.explanations[i];
      text += note(i == 0 ? "explanation" : "or",
                   formatted("{} [{}]", explanation.message, explanation.name));
      text += note("fix", explanation.fix + ".");
    }
    if (result.explanations.empty() && judgement.wrong > 0 && result.is_product)
      text += note("explanation", "none of the usual mistakes gives these numbers");
    if (!result.note.empty()) text += note("note", result.note);
    return text + "\n";
  }

  std::string of(const Remark& remark) {
    std::string text = head(remark.place, "remark", remark.message, remark.rule);
    text += callers(remark.place);
    if (!remark.place.instruction.empty()) text += note("instruction", instruction(remark.place));
    return text + note("fix", remark.fix) + "\n";
  }

  std::string tiles(const runtime::Judgement& judgement) const {
    std::string map = tile_map(judgement), text;
    bool first = true;
    for (std::size_t begin = 0; begin < map.size();) {
      const std::size_t end = map.find('\n', begin);
      text +=
          formatted("  {:<12} {}{}\n", first ? "16x16 tiles" : "", map.substr(begin, end - begin),
                    first ? "   . right  # wrong  + partly wrong  - not written  _ partly not "
                            "written"
                          : "");
      first = false;
      begin = end + 1;
    }
    return text;
  }

  std::string head(const emulator::Place& place, std::string_view severity,
                   const std::string& message, std::string_view rule) {
    const std::string where = place.source.empty() ? run_.kernel_name : place.source;
    return formatted("{}: {}: {} [{}]\n{}", where, severity, message, rule, excerpt(place));
  }

  std::string excerpt(const emulator::Place& place) {
    const SourcePlace source = source_place(place.source);
    if (source.line == 0) return "";
    const std::string line = sources_.line(source.file, source.line);
    if (line.empty()) return "";
    return answers::marked_text(line, source.column,
                                static_cast<std::size_t>(std::max(40, width_ - 2)));
  }

  /// Notes with the calls that lead to inlined code. The user wrote these calls, and perhaps not
  /// the code.
  std::string callers(const emulator::Place& place) {
    const auto known = run_.callers.find(place.program_counter);
    if (known == run_.callers.end() || place.source.empty()) return "";
    std::string text;
    for (const std::string& caller : known->second) {
      text += note("called from", caller);
      const SourcePlace source = source_place(caller);
      if (const std::string line = sources_.line(source.file, source.line); !line.empty())
        text += answers::marked_text(line, source.column,
                                     static_cast<std::size_t>(std::max(40, width_ - 2)));
    }
    return text;
  }

  std::string instruction(const emulator::Place& place) const {
    return code_text(place, run_.target);
  }
  static std::string at(const emulator::Place& place) {
    return place.source.empty() ? "" : place.source + ": ";
  }
  static std::string trimmed(std::string text) {
    text.erase(0, text.find_first_not_of(" \t"));
    return text;
  }
  std::string note(std::string_view label, const std::string& words) const {
    return answers::paragraph(formatted("  {}", label), words, label_columns - 1, width_);
  }

  const KernelRun& run_;
  int width_;
  ReportSources sources_;
};

/// A number for a report. NaN is printed without its sign, which means nothing. Integers are
/// printed with all digits.
std::string number_text(runtime::NumberType type, double value,
                        std::optional<std::uint64_t> integer) {
  if (integer) return runtime::integer_text(type, *integer);
  if (!runtime::is_float(type) && std::abs(value) <= 0x1p53) return formatted("{:.0f}", value);
  return std::isnan(value) ? "nan" : formatted("{:.9g}", value);
}

std::string lds_text(const emulator::RunReport& report) {
  std::uint64_t issued = 0, ideal = 0, extra = 0;
  for (const emulator::LdsAccess& access : report.lds) {
    issued += access.issued;
    ideal += access.ideal_passes;
    extra += access.extra_passes;
  }
  return formatted("{} by {}, {}, {} of them by bank conflicts ({} of {} workgroups counted)",
                   answers::counted(issued, "access"),
                   answers::counted(report.lds.size(), "instruction"),
                   answers::counted(ideal + extra, "pass"), extra, report.profiled_workgroups,
                   report.workgroups);
}

std::string global_text(const emulator::RunReport& report) {
  std::uint64_t touched = 0, needed = 0;
  for (const emulator::GlobalAccess& access : report.global) {
    touched += access.sectors_touched;
    needed += access.sectors_needed;
  }
  std::string text = formatted("lanes read {}, wrote {}", bytes_text(report.global_bytes_read),
                               bytes_text(report.global_bytes_written));
  if (needed > 0)
    text += formatted("; {} of 32 bytes touched where {} {} needed",
                      answers::counted(touched, "sector"), needed, needed == 1 ? "is" : "are");
  return text;
}

std::string findings_text(const KernelRun& run) {
  if (!run.finished) return "the run was ended by the last of them, so that no result was judged";
  // Even without --check, the simulator of PTX finds missing waits.
  if (run.target.starts_with("sm_") && !run.checked && !run.on_hardware && run.findings.empty())
    return "none; not checked: races (--check does)";
  if (!run.checked)
    return run.on_hardware ? "not checked: kernels on a GPU are not" : "not checked (--check does)";
  return found_text(alike_findings(run).size(), run.report.emulated ? run.report.emulated->unchecked
                                                                    : std::vector<std::string>());
}

}  // namespace

std::string result_text(const JudgedArray& result) {
  const runtime::Judgement& judgement = result.judgement;
  const auto elements = judgement.elements.size();
  if (judgement.right() && judgement.exact == static_cast<std::int64_t>(elements))
    return formatted("{} is RIGHT: {}, to the last bit", judgement.result,
                     answers::all_elements(elements));
  if (judgement.right())
    return formatted("{} is RIGHT: {}{}{}{}{}", judgement.result,
                     judged_elements(judgement, static_cast<std::int64_t>(elements)),
                     how_near(judgement, static_cast<std::int64_t>(elements)),
                     few_not_judged(judgement, static_cast<std::int64_t>(elements)),
                     result.note.empty() ? "" : "; ", result.note);
  if (judgement.is_not_judged())
    return formatted("{} is NOT JUDGED: {}", judgement.result,
                     why_not_judged(judgement, static_cast<std::int64_t>(elements)));
  std::string text = formatted("{} is WRONG: ", judgement.result);
  if (judgement.unwritten > 0)
    text += formatted("{} of {} {} not written{}", judgement.unwritten,
                      answers::counted(elements, "element"),
                      judgement.unwritten == 1 ? "is" : "are", judgement.wrong > 0 ? ", and " : "");
  if (judgement.wrong > 0)
    text += formatted(
        "{} of {} {} wrong; worst at row {}, column {}: {}, expected {} and "
        "{:.3g} is allowed",
        judgement.wrong, answers::counted(elements, "element"), judgement.wrong == 1 ? "is" : "are",
        judgement.worst_row, judgement.worst_column,
        number_text(judgement.type, judgement.worst_value, judgement.worst_integer),
        number_text(judgement.type, judgement.worst_reference, judgement.worst_reference_integer),
        judgement.worst_allowed);
  return text;
}

std::string host_mistakes_text(const std::vector<HostMistake>& mistakes, const std::string& file,
                               int width) {
  std::string text;
  ReportSources sources(file);
  for (const HostMistake& mistake : mistakes) {
    const SourcePlace place = source_place(mistake.source);
    text += formatted("{}: error: {} [{}]\n", mistake.source.empty() ? file : mistake.source,
                      mistake.message, host_mistake_rule);
    if (const std::string line = place.line == 0 ? "" : sources.line(place.file, place.line);
        !line.empty())
      text += answers::marked_text(line, place.column,
                                   static_cast<std::size_t>(std::max(40, width - 2)));
    text += "\n";
  }
  return text;
}

std::string kernel_diagnostics_text(const KernelRun& run, int width) {
  return Diagnostics(run, width).text();
}

std::string kernel_run_text(const KernelRun& run, int width) {
  const bool is_whole = run.printed.empty() || run.printed.ends_with('\n');
  return run.printed + (is_whole ? "" : "\n") + kernel_diagnostics_text(run, width) +
         kernel_figures_text(run, width);
}

std::string kernel_figures_text(const KernelRun& run, int width) {
  const auto line = [&](std::string_view label, const std::string& words) {
    return answers::paragraph(label, words, label_columns, width);
  };
  const instruction::ProcessorRow* target = instruction::find_target(run.target);
  std::string text = line("kernel", formatted("{}  {}", run.kernel_name, run.file));
  text += line("target",
               formatted("{}{}, {}", run.target, target ? formatted(" ({})", target->product) : "",
                         run.on_hardware                 ? run.device
                         : run.target.starts_with("sm_") ? "simulated: no GPU was used"
                                                         : "emulated: no GPU was used"));
  text += line("launch",
               formatted("{}x{}x{} workgroups of {}x{}x{} threads  {}", run.grid[0], run.grid[1],
                         run.grid[2], run.block[0], run.block[1], run.block[2], run.launch_file));
  // PTX has no hardware registers, which the assembler assigns later. So none are reported.
  const bool is_ptx = run.target.starts_with("sm_");
  const std::string shared = bytes_text(run.kernel.lds_bytes + run.dynamic_lds_bytes);
  if (is_ptx) {
    text += line("memory", formatted("shared {} a block; local {} a thread", shared,
                                     bytes_text(run.kernel.scratch_bytes)));
  } else {
    const instruction::Occupancy fits = occupancy(run);
    text += line("registers", formatted("{} VGPRs, {} SGPRs, {} spilled; LDS {}; scratch {} a lane",
                                        run.kernel.vgpr_count, run.kernel.sgpr_count,
                                        run.kernel.vgpr_spills + run.kernel.sgpr_spills, shared,
                                        bytes_text(run.kernel.scratch_bytes)));
    text += line("occupancy", formatted("{} of {} a compute unit: {} by VGPRs, {} by LDS and waves",
                                        answers::counted(fits.workgroups(), "workgroup"),
                                        answers::counted(fits.waves_per_workgroup, "wave"),
                                        fits.by_vgprs, fits.by_lds));
  }
  if (const auto& report = run.report.emulated) {
    text += line("executed", mix_text(*report, is_ptx));
    if (!report->lds.empty()) text += line(is_ptx ? "shared memory" : "LDS", lds_text(*report));
    text += line("global memory", global_text(*report));
  }
  text += line("findings", findings_text(run));
  for (const JudgedArray& result : run.results) text += line("result", result_text(result));
  if (run.results.empty() && run.finished)
    text += line("result", run.launch_file.empty()
                               ? "not judged: a program judges its results itself"
                               : "not judged: the launch file has no line 'expect'");
  const std::string simd = run.report.emulated ? ", " + run.report.emulated->simd : "";
  return text + line("time", formatted("compiled in {:.0f} ms, ran in {:.1f} ms{}",
                                       1e3 * run.compile_seconds, 1e3 * run.report.seconds, simd));
}

}  // namespace heddle::tool
