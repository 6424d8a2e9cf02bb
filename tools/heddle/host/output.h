// What a command writes.
#pragma once

#include <expected>
#include <string>
#include <string_view>

namespace heddle::tool {

/// Writes `text` to standard output, without what would steer a terminal
/// (runtime/files/printable.h), or a sentence: a full disk and a closed pipe are seen here.
std::expected<void, std::string> print_output(std::string_view text);

/// Writes bytes that are no text, or text with the colours of a table.
std::expected<void, std::string> print_bytes(std::string_view bytes);

/// The first 1000 lines, and of each the first 2000 bytes, with a word on what was left out: names
/// and lines of the input, which errors repeat, may have megabytes.
std::string shortened(std::string_view message);

/// Writes `message`, shortened, and a newline to standard error, likewise without what would steer
/// a terminal. There is nobody left to tell if that fails.
void print_error(std::string_view message);

/// Why there is no answer: a sentence on standard error for people and, where `format` is "json",
/// an object with it on standard output for the program that reads there. Always 2, the exit
/// status.
int refuse(std::string_view message, std::string_view format);

/// The end of a command that only answers in `format`: prints the answer, or why there is none. The
/// exit status.
int answer(const std::expected<std::string, std::string>& text, std::string_view format);

}  // namespace heddle::tool
