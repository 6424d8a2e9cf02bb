// What the program says to a command or an option that it does not have.
#pragma once

#include <CLI/App.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace heddle::tool {

/// The command of this name; null if there is none.
const CLI::App* find_command(const CLI::App& program, std::string_view name);

/// A sentence on the first of `words` (without the program's own name) that is no command, or no
/// option of the command before it: the nearest names, and all there are. Nothing when there is
/// none.
std::optional<std::string> mistyped(const CLI::App& program, const std::vector<std::string>& words);

/// A sentence on arguments behind the command that it has no place for.
std::string unexpected_arguments(const CLI::App& program);

}  // namespace heddle::tool
