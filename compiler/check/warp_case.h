// One run of a warp-level function that is to be judged: the values of its memrefs before the run,
// and the values that the reference expects after it.
//
//   auto trial = make_warp_case(text, "tile.mlir", {.seed = 1});
//   … run the kernel on trial->memory(), then …
//   WarpVerdict verdict = judge(*trial, results);
//
// Elements that the function does not read begin as all ones, which is NaN: a kernel that reads
// them, if only to multiply them by zero, is found. Elements that it does not write must keep their
// bits.
#pragma once

#include <cstdint>
#include <expected>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/check/warp_reference.h"

namespace heddle::compiler {

/// The kind of random numbers. Exact ones are multiples of 1/4 in [-1, 1]; their sums are exact, so
/// a result is right to the last bit or wrong. Uniform ones have all their bits. Integers have
/// their whole range in both cases.
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

/// Errors: what WarpReference::read and run refuse. Never ends the process: see
/// compiler/codegen/guarded.h.
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
