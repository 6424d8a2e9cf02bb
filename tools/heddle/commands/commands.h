// The commands of the program. Each function adds a command with its options. When the command is
// called, it prints its answer or error and sets `status`: 0 the answer is right or found, 1 a
// result is wrong or a check fails, 2 the input is refused.
#pragma once

#include <CLI/App.hpp>

namespace heddle::tool {

/// Adds the command; its exit status goes to `status` when it was the one given.
void add_list_command(CLI::App& program, int& status);

/// Adds the command; its exit status goes to `status` when it was the one given.
void add_show_command(CLI::App& program, int& status);

/// Adds the command; its exit status goes to `status` when it was the one given.
void add_get_command(CLI::App& program, int& status);

/// Adds the command; its exit status goes to `status` when it was the one given.
void add_info_command(CLI::App& program, int& status);

/// Adds the command; when it is called, `status` becomes the exit status.
void add_layout_command(CLI::App& program, int& status);

/// Adds the command; when it is called, `status` becomes the exit status.
void add_translate_command(CLI::App& program, int& status);

/// Adds the command; its exit status goes to `status` when it was the one given.
void add_banks_command(CLI::App& program, int& status);

/// Adds the command; when it is called, `status` becomes the exit status.
void add_place_command(CLI::App& program, int& status);

/// Adds the command; when it is called, `status` becomes the exit status.
void add_convert_command(CLI::App& program, int& status);

/// Adds the command; its exit status goes to `status` when it was the one given.
void add_compile_command(CLI::App& program, int& status);

/// Adds the command. When it is called, it sets `status` to its exit status. `behind`: the words
/// after --, which are filled in when the command is called.
void add_run_command(CLI::App& program, int& status, const std::vector<std::string>& behind);
void add_exec_command(CLI::App& program, int& status, const std::vector<std::string>& behind);

/// Adds the command; its exit status goes to `status` when it was the one given.
void add_explore_command(CLI::App& program, int& status);

/// Adds the command, which prints the script that a shell needs to complete words, or the words.
/// Status: 0.
void add_completion_command(CLI::App& program, int& status);

/// Adds the command, which prints manual pages. It knows itself and the commands that were added
/// before. Status: 0.
void add_manual_command(CLI::App& program, int& status);

/// Adds the command; when it runs it sets `status`: 1 if the GPU contradicts the catalogue, 2 if
/// there is none or an instruction is not known.
void add_probe_command(CLI::App& program, int& status);

}  // namespace heddle::tool
