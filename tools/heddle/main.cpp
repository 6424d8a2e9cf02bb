// heddle: the program. Each command lives in a file of its own and adds itself here.
//
// Exit status: 0 the answer is right or found, 1 a result is wrong or a check fails, 2 the input is
// refused.

#include <CLI/CLI.hpp>
#include <algorithm>
#include <exception>
#include <new>
#include <sstream>
#include <string>
#include <vector>

#include "tools/heddle/commands/commands.h"
#include "tools/heddle/commands/mistyped.h"
#include "tools/heddle/host/memory_ceiling.h"
#include "tools/heddle/host/output.h"

#ifndef __wasi__
#include <csignal>
#endif

namespace {

/// The value of --format or --report. It is read before the command line is parsed, so that an
/// error of the parser can be printed as JSON, too.
std::string asked_format(const std::vector<std::string>& words) {
  std::string format = "text";
  for (std::size_t i = 0; i < words.size() && words[i] != "--"; ++i)
    for (const std::string_view option : {"--format", "--report"}) {
      if (words[i] == option && i + 1 < words.size()) format = words[i + 1];
      if (words[i].starts_with(std::string(option) + "="))
        format = words[i].substr(option.size() + 1);
    }
  return CLI::detail::to_lower(format);  // as the options take it
}

/// The message about something missing: "instruction is required" and the usage of the command, or,
/// if the command itself is missing, the list of commands.
std::string what_is_missing(const CLI::App& program, const std::string& message) {
  const auto commands = program.get_subcommands();
  if (commands.empty()) {
    std::string names;
    for (const CLI::App* command : program.get_subcommands(nullptr))
      names += (names.empty() ? "" : ", ") + command->get_name();
    return "a command is required: " + names + "; `heddle COMMAND --help` shows how each is called";
  }
  const std::string name = "heddle " + commands[0]->get_name();
  const std::string help = commands[0]->help();
  constexpr std::string_view mark = "Usage: ";  // the command's own name follows
  const std::size_t usage = help.find(mark), end = help.find('\n', usage);
  const std::string call =
      usage < end ? "heddle " + help.substr(usage + mark.size(), end - usage - mark.size()) : name;
  // For a missing option, such as "--operand is required", adds what the help says about it.
  const CLI::Option* const option =
      commands[0]->get_option_no_throw(message.substr(0, message.find(' ')));
  const std::string value =
      option != nullptr && message.starts_with("--") ? ": " + option->get_description() : "";
  return message + value + "; " + call + "; `" + name + " --help` explains it";
}

/// The message about a wrong option, and where the option is explained.
std::string what_is_wrong(const CLI::App& program, const CLI::ParseError& error) {
  std::string message = error.what();
  const auto commands = program.get_subcommands();
  const CLI::App& command = commands.empty() ? program : *commands[0];
  const std::string name = message.substr(0, message.find(':'));
  const CLI::Option* const option = command.get_option_no_throw(name);
  if (option && error.get_exit_code() == static_cast<int>(CLI::ExitCodes::ArgumentMismatch))
    message = name + " needs a value: " + option->get_description();
  // The message names the wrong value of a list. Adds how a list is written.
  if (option && option->get_delimiter() != '\0' &&
      error.get_exit_code() == static_cast<int>(CLI::ExitCodes::ValidationError))
    message += "; it takes " + option->get_description();
  const std::string call = commands.empty() ? "heddle" : "heddle " + command.get_name();
  return message + "; `" + call + " --help` explains it";
}

/// Ends the program after CLI11 has stopped. The help and the version are answers; everything else
/// is a refusal.
int finish(const CLI::App& program, const CLI::ParseError& error, const std::string& format) {
  if (error.get_exit_code() == static_cast<int>(CLI::ExitCodes::ExtrasError))
    return heddle::tool::refuse(heddle::tool::unexpected_arguments(program), format);
  if (error.get_exit_code() == static_cast<int>(CLI::ExitCodes::RequiredError))
    return heddle::tool::refuse(what_is_missing(program, error.what()), format);
  if (error.get_exit_code() != static_cast<int>(CLI::ExitCodes::Success))
    return heddle::tool::refuse(what_is_wrong(program, error), format);
  std::ostringstream answer, none;
  program.exit(error, answer, none);
  return heddle::tool::answer(answer.str(), "text");
}

int run_program(int argc, char** argv) {
  CLI::App program("Data layouts of GPU matrix cores: show, compile, run", "heddle");
  program.set_version_flag("--version", "heddle " HEDDLE_VERSION);
  program.require_subcommand(1);
  int status = 0;
  heddle::tool::add_list_command(program, status);
  heddle::tool::add_show_command(program, status);
  heddle::tool::add_get_command(program, status);
  heddle::tool::add_info_command(program, status);
  heddle::tool::add_layout_command(program, status);
  heddle::tool::add_translate_command(program, status);
  heddle::tool::add_banks_command(program, status);
  heddle::tool::add_place_command(program, status);
  heddle::tool::add_convert_command(program, status);
  heddle::tool::add_explore_command(program, status);
  heddle::tool::add_probe_command(program, status);
  heddle::tool::add_compile_command(program, status);
  std::vector<std::string> behind;
  heddle::tool::add_run_command(program, status, behind);
  heddle::tool::add_exec_command(program, status, behind);
  heddle::tool::add_completion_command(program, status);
  heddle::tool::add_manual_command(program, status);
  // The footer is set last, because a command copies the footer that exists when it is added.
  program.footer(
      "\nDocuments and examples that are named, as docs/run.md, are in the source, and where "
      "Heddle "
      "is installed below share/doc/heddle.\n\n"
      "Exit status: 0 the answer is right or found, 1 a result is wrong or a check fails, 2 the "
      "input is refused.");
  std::vector<std::string> words(argv + std::min(argc, 1), argv + argc);
  if (!words.empty() && words[0] == "help") {  // `heddle help run` is `heddle run --help`
    words.erase(words.begin());
    words.emplace_back("--help");
  }
  const std::string format = asked_format(words);
  if (const auto wrong = heddle::tool::mistyped(program, words))
    return heddle::tool::refuse(*wrong, format);
  // The words after -- belong to another program. They are removed for `run` and `exec`, so that no
  // positional argument takes them.
  if (const auto end = std::ranges::find(words, "--");
      !words.empty() && (words[0] == "run" || words[0] == "exec")) {
    behind.assign(end == words.end() ? end : end + 1, words.end());
    words.erase(end, words.end());
  }
  try {
    std::reverse(words.begin(), words.end());  // as CLI11 needs them
    program.parse(words);
  } catch (const CLI::ParseError& error) {
    return finish(program, error, format);
  }
  return status;
}

}  // namespace

int main(int argc, char** argv) {
#ifndef __wasi__  // which has no signals
  // A file beyond the system's size limit is an error like a full disk. The code that writes the
  // file reports it.
  std::signal(SIGXFSZ, SIG_IGN);
#endif
  heddle::tool::set_memory_ceiling(heddle::tool::memory_ceiling, "");
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
