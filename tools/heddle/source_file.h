// The input file of a command.
#pragma once

#include <expected>
#include <string>

#include "heddle/instruction/target.h"

namespace heddle::tool {

/// The whole file, or a sentence: "cannot read 'x.mlir': No such file or directory".
std::expected<std::string, std::string> read_file(const std::string& path);

/// Writes `bytes` to `path`, or a sentence.
std::expected<void, std::string> write_file(const std::string& path, std::string_view bytes);

/// The target of kernels named `text`, or a sentence with all names.
std::expected<instruction::Target, std::string> read_target(const std::string& text);

/// The processor of the catalogue named `text`, or a sentence with all names.
std::expected<instruction::Target, std::string> read_processor(const std::string& text);

}  // namespace heddle::tool
