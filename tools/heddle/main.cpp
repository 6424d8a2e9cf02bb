// heddle: the program. Each command lives in a file of its own and adds itself here.
//
// Exit status: 0 the answer is right or found, 1 a result is wrong or a check fails, 2 the input is
// refused.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <string_view>

#include "heddle/instruction/nearest.h"
#include "tools/heddle/compile_command.h"
#include "tools/heddle/get_command.h"
#include "tools/heddle/list_command.h"
#include "tools/heddle/run_command.h"
#include "tools/heddle/show_command.h"

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
  fmt::print(stderr, "no command '{}'; did you mean {}? The commands are {}\n", word,
             nearest.names()[0], fmt::join(names, ", "));
  return 2;
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App program("Data layouts of GPU matrix cores: show, compile, run", "heddle");
  program.set_version_flag("--version", "heddle " HEDDLE_VERSION);
  program.require_subcommand(1);
  int status = 0;
  heddle::tool::add_show_command(program, status);
  heddle::tool::add_get_command(program, status);
  heddle::tool::add_list_command(program, status);
  heddle::tool::add_compile_command(program, status);
  heddle::tool::add_run_command(program, status);
  if (argc > 1 && argv[1][0] != '-' && !is_command(program, argv[1]))
    return refuse_command(program, argv[1]);
  try {
    program.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return program.exit(error) == 0 ? 0 : 2;
  }
  return status;
}
