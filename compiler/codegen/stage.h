// The stages of a compilation, how long each step took, and what the last ones write.
#pragma once

#include <chrono>
#include <cstdint>
#include <expected>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/codegen/code_object.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace heddle::compiler {

/// Nothing, or what is wrong.
using Done = std::expected<void, std::string>;

/// The stage at which compilation stops. Each stage's output is the text or bytes that the next one
/// reads.
enum class Stage : std::uint8_t { plan, mlir, llvm, assembly, object };

/// How long one step took.
struct Timing {
  std::string step;
  std::chrono::microseconds time;
};

/// Does `work` and notes how long it took.
void timed(std::vector<Timing>& timings, const char* step, llvm::function_ref<void()> work);

/// A failure behind the front end is ours: it says so, with the user's file for orientation.
std::string internal_error(std::string_view file_name, const std::string& message);

/// The output of the stages after MLIR: a text, or the bytes of an object. For NVIDIA these are the
/// PTX, for AMD the linked code object. Consumes the module, which `optimise` has prepared.
struct Code {
  std::string text;
  std::vector<std::uint8_t> object;
};
std::expected<Code, std::string> write_code(llvm::Module& module, instruction::Target target,
                                            Stage stage, std::vector<Timing>& timings);

}  // namespace heddle::compiler
