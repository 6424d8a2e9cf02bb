// The error messages for unknown commands and options.
#pragma once

#include <CLI/App.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace heddle::tool {

/// The command of this name; null if there is none.
const CLI::App* find_command(const CLI::App& program, std::string_view name);

/// Looks for the first of `words` (without the program's name) that is no command, or no option of
/// the command before it. Returns a sentence with the nearest names and all valid ones; nothing if
/// all words are known.
std::optional<std::string> mistyped(const CLI::App& program, const std::vector<std::string>& words);

/// A sentence about arguments that the command does not take.
std::string unexpected_arguments(const CLI::App& program);

}  // namespace heddle::tool
