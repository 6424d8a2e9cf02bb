// Writes the output of commands.
#pragma once

#include <expected>
#include <string>
#include <string_view>

namespace heddle::tool {

/// Writes `text` to standard output, without bytes that control a terminal
/// (runtime/files/printable.h). Error: a sentence, for example for a full disk or a closed pipe.
std::expected<void, std::string> print_output(std::string_view text);

/// Writes bytes unchanged: bytes that are no text, or text with the colours of a table.
std::expected<void, std::string> print_bytes(std::string_view bytes);

/// Shortens an error message to 1000 lines, and each line to 2000 bytes, with a note about the
/// rest. This is needed because messages repeat names and lines of the input, which may have
/// megabytes.
std::string shortened(std::string_view message);

/// Writes `message`, shortened, and a newline to standard error, also without bytes that control a
/// terminal. A failure is ignored.
void print_error(std::string_view message);

/// Reports that the input is refused: prints a sentence to standard error for people and, if
/// `format` is "json", an object with the sentence to standard output for programs. Returns the
/// exit status, always 2.
int refuse(std::string_view message, std::string_view format);

/// Ends a command whose whole output is an answer in `format`: prints the answer, or the reason why
/// there is none. Returns the exit status.
int answer(const std::expected<std::string, std::string>& text, std::string_view format);

}  // namespace heddle::tool
