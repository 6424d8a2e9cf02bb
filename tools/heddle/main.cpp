// heddle: the program. Each command lives in a file of its own and adds itself here.
//
// Exit status: 0 the answer is right or found, 1 a result is wrong or a check fails, 2 the input is
// refused.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <exception>
#include <iostream>
#include <new>
#include <string_view>

#include "heddle/instruction/nearest.h"
#include "tools/heddle/compile_command.h"
#include "tools/heddle/get_command.h"
#include "tools/heddle/list_command.h"
#include "tools/heddle/probe_command.h"
#include "tools/heddle/run_command.h"
#include "tools/heddle/show_command.h"
#include "tools/heddle/source_file.h"

namespace {

bool is_command(const CLI::App& program, std::string_view word) {
  for (const CLI::App* command : program.get_subcommands(nullptr))
    if (command->get_name() == word) return true;
  return false;
}

/// CLI11 says only that a command is required when the first word is no command; this says which.
int refuse_command(const CLI::App& program, std::string_view word) {
  std::vector<std::string> names;
  for (const CLI::App* command : program.get_subcommands(nullptr))
    names.push_back(command->get_name());
  heddle::instruction::NearestNames nearest(word);
  for (const std::string& name : names) nearest.consider(name);
  heddle::tool::print_error(fmt::format("no command '{}'; did you mean {}? The commands are {}",
                                        word, nearest.names()[0], fmt::join(names, ", ")));
  return 2;
}

/// Help and version are answers; anything else that CLI11 stops at is a refusal.
int finish(const CLI::App& program, const CLI::ParseError& error) {
  const bool answered = program.exit(error) == 0;
  if (answered && !std::cout.flush()) heddle::tool::print_error("cannot write standard output");
  return answered && std::cout.good() ? 0 : 2;
}

int run_program(int argc, char** argv) {
  CLI::App program("Data layouts of GPU matrix cores: show, compile, run", "heddle");
  program.set_version_flag("--version", "heddle " HEDDLE_VERSION);
  program.require_subcommand(1);
  int status = 0;
  heddle::tool::add_show_command(program, status);
  heddle::tool::add_get_command(program, status);
  heddle::tool::add_list_command(program, status);
  heddle::tool::add_compile_command(program, status);
  heddle::tool::add_probe_command(program, status);
  heddle::tool::add_run_command(program, status);
  if (argc > 1 && argv[1][0] != '-' && !is_command(program, argv[1]))
    return refuse_command(program, argv[1]);
  try {
    program.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return finish(program, error);
  }
  return status;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run_program(argc, argv);
  } catch (const std::bad_alloc&) {
    heddle::tool::print_error(
        "not enough memory: the matrices, their float64 copies and the "
        "emulator's buffers do not fit");
  } catch (const std::exception& error) {
    heddle::tool::print_error(error.what());
  }
  return 2;
}
