// The results of `heddle run` on MLIR, on one screen or as JSON.
#pragma once

#include <llvm/Support/JSON.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "compiler/compile.h"
#include "emulator/decode/code_object.h"
#include "emulator/record/report.h"
#include "heddle/instruction/instruction.h"
#include "runtime/judge/matmul_check.h"

namespace heddle::tool {

/// Seconds of each stage.
struct StageSeconds {
  double compile = 0;
  double decode = 0;
  double run = 0;
  double check = 0;
};

/// Whose the error of an element is.
struct ErrorParts {
  std::int64_t row = 0, column = 0;
  double value = 0, exact = 0;  // D, and what it is with exact sums
  double by_instruction = 0;    // D with the instruction's sums, added and rounded exactly
  instruction::Instruction instruction;
  std::int64_t part_k = 0;  // the products that instructions add to one sum

  double of_instruction() const { return std::abs(by_instruction - exact); }
  double of_kernel() const { return std::abs(value - by_instruction); }
};

/// One matmul, compiled, executed and judged.
struct MatmulRun {
  std::string file;
  std::uint64_t seed = 0;
  std::string inputs;                      // words for the operands that no file gives
  std::vector<std::string> given, dumped;  // NAME=FILE of the others; the written files
  compiler::Compilation compilation;
  plan::Problem problem;     // with the sizes of this run
  std::string device;        // words for the machine that ran it
  bool on_hardware = false;  // a GPU ran it
  bool is_variant = false;   // the kernel is made for some launches only
  bool checked = false;      // report.findings cover every access
  emulator::Kernel kernel;
  emulator::RunReport report;
  std::vector<std::string> results = {};      // names of the written arrays, where several are
  runtime::MatmulCheck check;                 // of D
  std::vector<runtime::MatmulCheck> further;  // of each further result
  std::optional<ErrorParts> error;            // of D, where it was asked for
  StageSeconds seconds;

  bool right() const {
    return check.right() && std::ranges::all_of(further, &runtime::MatmulCheck::right);
  }
  /// True if no result is known to be wrong, but some result could not be judged.
  bool is_not_judged() const {
    const auto has_no_wrong = [](const runtime::MatmulCheck& one) {
      return one.right() || one.is_not_judged();
    };
    return !right() && has_no_wrong(check) && std::ranges::all_of(further, has_no_wrong);
  }
};

std::string run_text(const MatmulRun& run, int width);
/// The line "findings" and the text of each finding. Empty if the run was not checked.
std::string findings_text(const MatmulRun& run, int width);
/// The verdict in words: "RIGHT: all 2688 elements …". The operands are not named.
std::string verdict_text(const runtime::MatmulCheck& check);
/// A text for each result with its verdict. If there are several results, each text begins with the
/// name of the array.
std::vector<std::string> verdicts(const MatmulRun& run);
/// The product in words: "42x64x32 (m n k), f16 x f16 -> f32, D = A * B", with the sizes of the
/// run.
std::string product_text(const MatmulRun& run);
/// The verdict on an array as an object, with the same keys as the object that the report of a
/// kernel has for a result.
llvm::json::Object result_json(const MatmulRun& run, const runtime::MatmulCheck& check,
                               const std::string& array);
llvm::json::Object run_json(const MatmulRun& run);

}  // namespace heddle::tool
