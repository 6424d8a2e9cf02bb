// The stages of a compilation, the times that its steps took, and the outputs of the last stages.
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

/// The stage after which compilation stops. The output of each stage is the input of the next one.
enum class Stage : std::uint8_t { plan, mlir, llvm, assembly, object };

/// How long one step took.
struct Timing {
  std::string step;
  std::chrono::microseconds time;
};

/// Does `work` and notes how long it took.
void timed(std::vector<Timing>& timings, const char* step, llvm::function_ref<void()> work);

/// The message for a failure after the user's text was accepted. Such a failure is a fault of this
/// compiler, and the message says so. The message names the user's file only to say which file was
/// being compiled.
std::string internal_error(std::string_view file_name, const std::string& message);

/// What the stages after MLIR write: `text` is LLVM IR or assembly, `object` the bytes of stage
/// object. For NVIDIA these bytes are the PTX text, for AMD the linked code object. write_code
/// takes a module that `optimise` has prepared, and the module cannot be used afterwards.
struct Code {
  std::string text;
  std::vector<std::uint8_t> object;
};
std::expected<Code, std::string> write_code(llvm::Module& module, instruction::Target target,
                                            Stage stage, std::vector<Timing>& timings);

}  // namespace heddle::compiler
