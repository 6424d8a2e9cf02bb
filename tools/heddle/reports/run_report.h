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
  /// True if nothing is known to be wrong, but not everything is known to be right.
  bool is_not_judged() const {
    const auto has_no_wrong = [](const runtime::MatmulCheck& one) {
      return one.right() || one.is_not_judged();
    };
    return !right() && has_no_wrong(check) && std::ranges::all_of(further, has_no_wrong);
  }
};

std::string run_text(const MatmulRun& run, int width);
/// A line "findings" and the text of each; empty if the run was not checked.
std::string findings_text(const MatmulRun& run, int width);
/// "RIGHT: all 2688 elements …", without the operands.
std::string verdict_text(const runtime::MatmulCheck& check);
/// The verdict of each result after the name of its array, where there are several.
std::vector<std::string> verdicts(const MatmulRun& run);
/// "42x64x32 (m n k), f16 x f16 -> f32, D = A * B", with the sizes of the run.
std::string product_text(const MatmulRun& run);
/// A verdict with the keys of a kernel's result, for an array of that name.
llvm::json::Object result_json(const MatmulRun& run, const runtime::MatmulCheck& check,
                               const std::string& array);
llvm::json::Object run_json(const MatmulRun& run);

}  // namespace heddle::tool
