// What a command reads and writes.
#pragma once

#include <expected>
#include <string>

#include "heddle/instruction/target.h"

namespace heddle::tool {

/// The whole file, or a sentence: "cannot read 'x.mlir': No such file or directory". Reads no more
/// than 16 MiB: nothing that a command takes is near that, and a device never ends.
std::expected<std::string, std::string> read_file(const std::string& path);

/// Writes `bytes` to `path`, or a sentence.
std::expected<void, std::string> write_file(const std::string& path, std::string_view bytes);

/// Writes `text` to standard output, or a sentence: a full disk and a closed pipe are seen here.
std::expected<void, std::string> print_output(std::string_view text);

/// Writes `message` and a newline to standard error. There is nobody left to tell if that fails.
void print_error(std::string_view message);

/// The end of a command that only answers: prints the answer, or why there is none. The exit
/// status.
int answer(const std::expected<std::string, std::string>& text);

/// The target of kernels named `text`, or a sentence with all names.
std::expected<instruction::Target, std::string> read_target(const std::string& text);

/// The processor of the catalogue named `text`, or a sentence with all names.
std::expected<instruction::Target, std::string> read_processor(const std::string& text);

}  // namespace heddle::tool
