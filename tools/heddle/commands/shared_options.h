// The options that several commands share.
#pragma once

#include <CLI/App.hpp>

#include "answers/instruction/selection.h"
#include "answers/layout/layout_view.h"
#include "answers/tile/tile_options.h"
#include "tools/heddle/modules/run_module.h"

namespace heddle::tool {

/// Adds the instruction, --arch, --wave and --n.
void add_row_selection(CLI::App& command, answers::RowArguments& arguments);

/// Adds the options of add_row_selection, --operand, --k-order and the modifiers.
void add_selection(CLI::App& command, answers::SelectionArguments& arguments);

/// Adds --arch, --tile, --warps, --type, --wave and --k-order.
void add_tile_options(CLI::App& command, answers::TileOptions& options);

/// Adds an option, by default --to, with which the command prints code instead of its usual answer.
void add_code_option(CLI::App& command, std::string& language, const std::string& option = "--to");

/// Adds --to for a command that places a tile: only the layout is printed, in a dialect or as code.
void add_placed_as_option(CLI::App& command, std::string& dialect_or_language);

/// Adds the text of a layout, and options for facts that the text does not give: --shape, --warps
/// and the like.
void add_layout_arguments(CLI::App& command, answers::LayoutArguments& arguments);

/// Adds --limit-compile.
void add_compile_limit(CLI::App& command, std::uint64_t& seconds);

/// Adds --devices of a program.
void add_devices_option(CLI::App& command, unsigned& devices);

/// Adds --report of what runs.
void add_report_option(CLI::App& command, std::string& report);

/// Adds --threads, --profile-all and an option for each limit on the cost of a run (docs/trust.md).
void add_run_limits(CLI::App& command, RunArguments& arguments);

/// Sets the memory limit of this process: the limit of every command, plus the memory that the
/// run's budget allows.
void set_run_ceiling(const emulator::Budget& budget);

/// Links an object to a code object (RunArguments::link). This opens the module that contains the
/// linker.
std::expected<std::vector<std::uint8_t>, std::string> link_by_module(std::string_view object);

}  // namespace heddle::tool
