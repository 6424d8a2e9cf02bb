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

}  // namespace heddle::answers
