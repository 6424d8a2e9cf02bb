// One run of a warp-level function whose results are to be judged: the values of its memrefs before
// the run, and the values that the reference expects after it.
//
//   auto trial = make_warp_case(text, "tile.mlir", {.seed = 1});
//   … run the kernel on trial->memory(), then …
//   WarpVerdict verdict = judge(*trial, results);
//
// Elements that the function does not read have all bits set before the run, which is NaN for
// floats. So a kernel that reads them is found, even if it only multiplies them by zero. Elements
// that the function does not write must have the same bits after the run.
#pragma once

#include <cstdint>
#include <expected>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/check/warp_reference.h"

namespace heddle::compiler {

/// Which random numbers the memrefs have before the run. `exact`: floats are multiples of 1/4 in
/// [-1, 1]; sums of these are exact, so each result is either right to the last bit or wrong.
/// `uniform`: floats use all their bits. In both cases integers are drawn from the whole range of
/// their type.
enum class WarpInputs : std::uint8_t { exact, uniform };

struct WarpCaseOptions {
  std::uint64_t seed = 1;
  WarpInputs inputs = WarpInputs::exact;
  std::int64_t open_size = 64;  // of sizes that the function leaves open
  ReferenceOptions reference{};
};

struct WarpCase {
  std::string function;
  std::vector<WarpArgument> arguments;         // bound
  std::vector<std::vector<std::byte>> memory;  // as the function finds it; empty: an index
  std::vector<std::vector<Cell>> expected;     // as it must leave it
};

/// Makes a case from the function in `text`. Errors: whatever WarpReference::read and
/// WarpReference::run refuse. A crash of LLVM becomes an error, too, and does not end the process
/// (compiler/codegen/guarded.h).
std::expected<WarpCase, std::string> make_warp_case(std::string_view text,
                                                    std::string_view file_name,
                                                    const WarpCaseOptions& options);

struct ArgumentVerdict {
  std::string name;
  runtime::NumberType element = runtime::NumberType::f32;
  std::int64_t written = 0;  // elements that the function writes
  std::int64_t exact = 0;    // of them: those that must be right to the last bit
  std::int64_t wrong = 0;    // of them
  std::int64_t changed = 0;  // elements that it must not touch, and that changed
  // The first wrong or changed element; empty when there is none.
  std::string first_fault;
};

struct WarpVerdict {
  std::vector<ArgumentVerdict> arguments;  // the memrefs

  /// False too when the function writes nothing.
  bool right() const;
  /// The first fault; empty if all is right.
  std::string first_fault() const;
};

/// Precondition: `results` has the sizes of `trial.memory`.
WarpVerdict judge(const WarpCase& trial, const std::vector<std::vector<std::byte>>& results);

}  // namespace heddle::compiler
