// The results of `heddle run KERNEL LAUNCH`.
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

/// The verdict on an array that has an expectation.
struct JudgedArray {
  runtime::Judgement judgement;
  std::string expectation;  // the line of the launch file
  std::size_t line = 0;     // its number
  bool is_product = true;   // a product of two matrices, so mistakes were tried
  std::vector<runtime::Explanation> explanations;
  std::string note;  // a further remark, such as why the reference is NaN
};

/// The number of wavefront instructions that were executed for one source line. Code of a function
/// that was inlined into this line counts, too.
struct LineCount {
  std::string source;  // "file:line:column" of the first of its instructions
  std::uint64_t count = 0;
};

/// A mistake of a program's host code: a launch that is refused, a pointer that is freed twice.
struct HostMistake {
  std::string message;
  std::string source;  // "file:line:column" of the call, empty where it is not known
};

/// For each instruction (program counter) in inlined code: the calls around it, innermost first.
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
  /// With --check the findings of the checker; without it the fault that ended the run, if any.
  std::vector<emulator::Finding> findings;
  /// Only for a checked program.
  std::vector<HostMistake> mistakes;
  /// For a program: the launch in which each finding was first seen, counted from 1. Otherwise
  /// empty.
  std::vector<std::uint64_t> finding_launches;
  std::vector<JudgedArray> results;  // none when the run was ended by a fault
  /// The memory that the kernel wrote outside the expected results, if the run finished.
  std::vector<runtime::MemoryChange> changes;
  bool finished = true;
  /// Arguments that are bare numbers and whose type was guessed from the spelling of the number.
  /// The report shows these arguments if a wrong result is not explained.
  std::vector<std::pair<std::string, std::string>> spelled;  // place in the launch file, text
  double compile_seconds = 0;
  std::vector<std::string> dumped;  // the files that --dump wrote
  std::string printed;              // by the kernel's printf; a program prints it itself

  bool right() const {
    for (const JudgedArray& result : results)
      if (!result.judgement.right()) return false;
    for (const runtime::MemoryChange& change : changes)
      if (change.is_error) return false;
    return findings.empty() && mistakes.empty() && finished;
  }
  /// True if no result is known to be wrong, but some result could not be judged.
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

/// The parts of "file:line:column"; line 0 if there is none.
struct SourcePlace {
  std::string file;
  std::size_t line = 0, column = 0;
};
SourcePlace source_place(const std::string& source);

/// `source` ("file:line:column"), with the path of its file relative to the working directory if
/// the file lies in it or below.
std::string near_source(const std::string& source);

/// Findings of one kind between the same source lines. Reports show only the first of them, because
/// an unrolled loop has many instructions on a line.
struct AlikeFindings {
  const emulator::Finding* first = nullptr;
  std::size_t count = 0;  // how many, with the first
};
/// The groups in the order of their first findings.
std::vector<AlikeFindings> alike_findings(const KernelRun& run);

/// A remark. It is about something slow, and then its place is the worst instruction of a source
/// line; or about something of which the emulator is not certain.
struct Remark {
  // "bank-conflict", "uncoalesced-access", "register-spill", "number-by-spelling", "in-doubt"
  std::string rule;
  std::string message, fix;
  emulator::Place place;
  std::uint32_t order = ~0u;  // among the findings of the launch: Finding::order
};

/// All remarks. The checker's remarks come first, in the order in which the checker made them. The
/// others follow in program order:
///
/// - LDS instructions with extra passes, with their phases
/// - global instructions that touch more than twice the sectors that they need (16-byte loads of
/// separate rows touch exactly twice as many, and the next load uses the other half)
/// - spilled registers
std::vector<Remark> remarks(const KernelRun& run);

/// The number of workgroups of this launch that fit on a compute unit of AMD at the same time.
instruction::Occupancy occupancy(const KernelRun& run);

/// Lanes of a mask as "0-15,20".
std::string lanes_text(std::uint64_t lanes);

/// One sentence: what is wrong with a result, or that it is right.
std::string result_text(const JudgedArray& result);

/// Findings, wrong results and remarks, each with its source line.
std::string kernel_diagnostics_text(const KernelRun& run, int width);
/// Mistakes of the host code, each with its line.
std::string host_mistakes_text(const std::vector<HostMistake>& mistakes, const std::string& file,
                               int width);
/// The name of the rule for mistakes of host code, in all reports.
inline constexpr std::string_view host_mistake_rule = "host-mistake";
/// kernel_figures_text: the figures of the run alone. kernel_run_text: findings and then the
/// figures.
std::string kernel_figures_text(const KernelRun& run, int width);
std::string kernel_run_text(const KernelRun& run, int width);
std::string kernel_run_json(const KernelRun& run);
std::string kernel_run_sarif(const KernelRun& run);
std::string kernel_run_html(const KernelRun& run);

/// Reports for input that was refused: a SARIF log with one error about `file`, and an HTML page.
std::string refusal_sarif(const std::string& message, const std::string& file);
std::string refusal_html(const std::string& message);

}  // namespace heddle::tool
