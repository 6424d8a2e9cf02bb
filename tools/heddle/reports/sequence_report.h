// The report of `heddle compile` and `heddle run` for a function with several products or results.
#pragma once

#include <llvm/Support/JSON.h>

#include <string>
#include <vector>

#include "compiler/compile.h"
#include "tools/heddle/reports/run_report.h"

namespace heddle::tool {

/// The plans of all kernels in order, and the memory between them. `names`: a name for each buffer
/// of the sequence.
std::string sequence_text(const compiler::SequenceCompilation& all,
                          const std::vector<std::string>& names, int width);
llvm::json::Object sequence_json(const compiler::SequenceCompilation& all,
                                 const std::vector<std::string>& names);

/// A sequence that was compiled, executed and judged kernel by kernel.
struct SequenceRun {
  std::string file;
  compiler::ProductSequence sequence;
  std::vector<std::string> arrays =
      {};  // names of the sequence's buffers; empty where one has none
  std::vector<MatmulRun> kernels = {};
  double seconds_to_compile = 0;

  bool right() const {
    for (const MatmulRun& run : kernels)
      if (!run.right()) return false;
    return true;
  }
  /// True if no result is known to be wrong, but some result could not be judged.
  bool is_not_judged() const {
    return !right() && std::ranges::all_of(kernels, [](const MatmulRun& run) {
      return run.right() || run.is_not_judged();
    });
  }
};

/// The names of the arrays that part `part` writes. `names` has the names of all buffers of the
/// sequence.
std::vector<std::string> result_names(const compiler::ProductSequence& sequence,
                                      const std::vector<std::string>& names, std::size_t part);

/// The report of a run. For a sequence with one kernel, the flow between kernels is left out.
std::string sequence_run_text(const SequenceRun& run, int width);
llvm::json::Object sequence_run_json(const SequenceRun& run);

}  // namespace heddle::tool
