// heddle: the program. Each command lives in a file of its own and adds itself here.
//
// Exit status: 0 the answer is right or found, 1 a result is wrong or a check fails, 2 the input is
// refused.
#include <CLI/CLI.hpp>

#include "tools/heddle/list_command.h"
#include "tools/heddle/show_command.h"

int main(int argc, char** argv) {
  CLI::App program("Data layouts of GPU matrix cores: show, compile, run", "heddle");
  program.set_version_flag("--version", "heddle " HEDDLE_VERSION);
  program.require_subcommand(1);
  int status = 0;
  heddle::tool::add_show_command(program, status);
  heddle::tool::add_list_command(program, status);
  try {
    program.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return program.exit(error) == 0 ? 0 : 2;
  }
  return status;
}
