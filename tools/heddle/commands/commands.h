// The commands of the program. Each function here adds a command with its options to the program.
// When the user calls the command, it prints its answer or error and sets `status`: 0 the answer is
// right or found, 1 a result is wrong or a check fails, 2 the input is refused.
#pragma once

#include <CLI/App.hpp>

namespace heddle::tool {

/// Adds the command. When it is called, `status` becomes the exit status.
void add_list_command(CLI::App& program, int& status);

/// Adds the command. When it is called, `status` becomes the exit status.
void add_show_command(CLI::App& program, int& status);

/// Adds the command. When it is called, `status` becomes the exit status.
void add_get_command(CLI::App& program, int& status);

/// Adds the command. When it is called, `status` becomes the exit status.
void add_info_command(CLI::App& program, int& status);

/// Adds the command; when it is called, `status` becomes the exit status.
void add_layout_command(CLI::App& program, int& status);

/// Adds the command; when it is called, `status` becomes the exit status.
void add_translate_command(CLI::App& program, int& status);

/// Adds the command. When it is called, `status` becomes the exit status.
void add_banks_command(CLI::App& program, int& status);

/// Adds the command; when it is called, `status` becomes the exit status.
void add_place_command(CLI::App& program, int& status);

/// Adds the command; when it is called, `status` becomes the exit status.
void add_convert_command(CLI::App& program, int& status);

/// Adds the command. When it is called, `status` becomes the exit status.
void add_compile_command(CLI::App& program, int& status);

/// Adds the command. When it is called, it sets `status` to its exit status. `behind` has the words
/// after -- on the command line. It is filled before the command is called, and must outlive
/// `program`.
void add_run_command(CLI::App& program, int& status, const std::vector<std::string>& behind);
void add_exec_command(CLI::App& program, int& status, const std::vector<std::string>& behind);

/// Adds the command. When it is called, `status` becomes the exit status.
void add_explore_command(CLI::App& program, int& status);

/// Adds the command. Called by the user, it prints a script with which a shell completes words.
/// Called by that script, it prints the words that may follow. Status: 0.
void add_completion_command(CLI::App& program, int& status);

/// Adds the command, which prints manual pages for itself and for all commands that were added
/// before it. Status: 0.
void add_manual_command(CLI::App& program, int& status);

/// Adds the command. When it is called, it sets `status`: 1 if the GPU contradicts the catalogue, 2
/// if there is no GPU or an instruction is not known.
void add_probe_command(CLI::App& program, int& status);

}  // namespace heddle::tool
