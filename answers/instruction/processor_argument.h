// A processor as a user names it.
#pragma once

#include <expected>
#include <string>

#include "heddle/instruction/target.h"

namespace heddle::answers {

/// Returns the target named `text`, which must be one that kernels are compiled for. Error: a
/// sentence with the names of all such targets.
std::expected<instruction::Target, std::string> read_target(const std::string& text);

/// Returns the processor of the catalogue named `text`. Error: a sentence with the names of all
/// processors.
std::expected<instruction::Target, std::string> read_processor(const std::string& text);

/// Reads a processor for a question that compiles nothing. `text` may also be a generic target of
/// LLVM, which stands for several processors: if these have the same matrix instructions, as for
/// gfx11-generic, one of these processors is returned. For other generic targets the error gives
/// the reason.
std::expected<instruction::Target, std::string> read_processor_or_generic(const std::string& text);

}  // namespace heddle::answers
