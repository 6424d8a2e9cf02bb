// A processor as a user names it.
#pragma once

#include <expected>
#include <string>

#include "heddle/instruction/target.h"

namespace heddle::answers {

/// The target of kernels named `text`, or a sentence with all names.
std::expected<instruction::Target, std::string> read_target(const std::string& text);

/// The processor of the catalogue named `text`, or a sentence with all names.
std::expected<instruction::Target, std::string> read_processor(const std::string& text);

/// The same for a question that compiles nothing. A generic target of LLVM whose members share the
/// instructions of one family, such as gfx11-generic, becomes a processor of that family. For other
/// generic targets the error gives the reason.
std::expected<instruction::Target, std::string> read_processor_or_generic(const std::string& text);

}  // namespace heddle::answers
