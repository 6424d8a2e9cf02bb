// What `heddle run KERNEL LAUNCH` found out.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "emulator/decode/code_object.h"
#include "emulator/record/finding.h"
#include "heddle/instruction/occupancy.h"
#include "runtime/device/device.h"
#include "runtime/judge/explanation.h"
#include "runtime/judge/judgement.h"
#include "runtime/judge/memory_changes.h"
#include "runtime/launch/text.h"

namespace heddle::tool {

/// An array beside what was expected of it.
struct JudgedArray {
  runtime::Judgement judgement;
  std::string expectation;  // the line of the launch file
  std::size_t line = 0;     // its number
  bool is_product = true;   // of two matrices, so that mistakes were tried
  std::vector<runtime::Explanation> explanations;
  std::string note;  // what else there is to say: why the reference is NaN
};

/// Wavefront instructions of one line of the source, those that were inlined there included.
struct LineCount {
  std::string source;  // "file:line:column" of the first of its instructions
  std::uint64_t count = 0;
};

/// What the host code of a program did wrong: a launch that is refused, a pointer freed twice.
struct HostMistake {
  std::string message;
  std::string source;  // "file:line:column" of the call, empty where it is not known
};

/// By program counter, the calls around code that was inlined, the innermost first.
using Callers = std::map<std::uint64_t, std::vector<std::string>>;

struct KernelRun {
  std::string file, launch_file;
  std::string target;
  std::string device;
  bool on_hardware = false;
  bool checked = false;
  bool unoptimised = false;  // the flags ask for -O0
  emulator::Kernel kernel;
  std::string kernel_name;  // as in the source
  std::array<std::uint32_t, 3> grid{}, block{};
  std::uint32_t dynamic_lds_bytes = 0;
  runtime::LaunchReport report;
  std::vector<LineCount> lines;
  Callers callers;
  /// With --check what the checker says; without it the fault that ended the run, if one did.
  std::vector<emulator::Finding> findings;
  /// Of a checked program.
  std::vector<HostMistake> mistakes;
  /// Of a program: in which of its launches each was first seen, counted from 1. Else empty.
  std::vector<std::uint64_t> finding_launches;
  std::vector<JudgedArray> results;  // none when the run was ended by a fault
  /// What was written beside the results; in a run that finished.
  std::vector<runtime::MemoryChange> changes;
  bool finished = true;
  /// Of bare numbers whose type only their spelling says; shown when a wrong result is not
  /// explained.
  std::vector<std::pair<std::string, std::string>> spelled;  // place in the launch file, text
  double compile_seconds = 0;
  std::vector<std::string> dumped;  // the files that --dump wrote
  std::string printed;              // by the kernel's printf; of a program it is on its output

  bool right() const {
    for (const JudgedArray& result : results)
      if (!result.judgement.right()) return false;
    for (const runtime::MemoryChange& change : changes)
      if (change.is_error) return false;
    return findings.empty() && mistakes.empty() && finished;
  }
  /// Nothing is known to be wrong, and not all is known to be right.
  bool is_not_judged() const {
    bool is = false;
    for (const JudgedArray& result : results) {
      if (!result.judgement.right() && !result.judgement.is_not_judged()) return false;
      is = is || result.judgement.is_not_judged();
    }
    for (const runtime::MemoryChange& change : changes)
      if (change.is_error) return false;
    return is && findings.empty() && mistakes.empty() && finished;
  }
};

/// The text of "file:line:column" in parts; line 0 when there is none.
struct SourcePlace {
  std::string file;
  std::size_t line = 0, column = 0;
};
SourcePlace source_place(const std::string& source);

/// `source` with its file as seen from the working directory, where that contains it.
std::string near_source(const std::string& source);

/// Findings of one kind between the same lines, of which the first is shown: an unrolled loop has
/// many instructions there. All reports have one entry for each.
struct AlikeFindings {
  const emulator::Finding* first = nullptr;
  std::size_t count = 0;  // with the first
};
/// In the order in which they were met.
std::vector<AlikeFindings> alike_findings(const KernelRun& run);

/// Something that is slow, not wrong: of one source line, at the worst of its instructions. Or
/// something that the emulator cannot be sure of.
struct Remark {
  // "bank-conflict", "uncoalesced-access", "register-spill", "number-by-spelling", "in-doubt"
  std::string rule;
  std::string message, fix;
  emulator::Place place;
  std::uint32_t order = ~0u;  // among the findings of the launch: Finding::order
};

/// Those of the checker as they were met, then in program order: LDS instructions with extra
/// passes, with their phases; global ones that touch more than twice the sectors that they need
/// (16-byte loads of rows that lie apart touch exactly twice as many, and the next load takes the
/// other half); spilled registers.
std::vector<Remark> remarks(const KernelRun& run);

/// Of the workgroups of the launch, how many fit a compute unit of AMD at a time.
instruction::Occupancy occupancy(const KernelRun& run);

/// Lanes of a mask as "0-15,20".
std::string lanes_text(std::uint64_t lanes);

/// What is wrong with a result, or that it is right, in one sentence.
std::string result_text(const JudgedArray& result);

/// Findings, wrong results and remarks, each with its source line.
std::string kernel_diagnostics_text(const KernelRun& run, int width);
/// Mistakes of the host code, each with its line.
std::string host_mistakes_text(const std::vector<HostMistake>& mistakes, const std::string& file,
                               int width);
/// The rule that they break, in all reports.
inline constexpr std::string_view host_mistake_rule = "host-mistake";
/// The screen of figures alone, and with everything that was found before it.
std::string kernel_figures_text(const KernelRun& run, int width);
std::string kernel_run_text(const KernelRun& run, int width);
std::string kernel_run_json(const KernelRun& run);
std::string kernel_run_sarif(const KernelRun& run);
std::string kernel_run_html(const KernelRun& run);

/// Why there is no run, in the form of a report: a SARIF log with one error about `file`, a page.
std::string refusal_sarif(const std::string& message, const std::string& file);
std::string refusal_html(const std::string& message);

}  // namespace heddle::tool
