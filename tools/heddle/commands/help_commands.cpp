#include "tools/heddle/commands/commands.h"

#include <CLI/CLI.hpp>
#include <memory>
#include <string>

#include "tools/heddle/commands/completion.h"
#include "tools/heddle/commands/manual.h"
#include "tools/heddle/commands/option_values.h"
#include "tools/heddle/host/output.h"

namespace heddle::tool {

void add_completion_command(CLI::App& program, int& status) {
  struct Arguments {
    std::string shell, line;
  };
  const auto arguments = std::make_shared<Arguments>();
  CLI::App* command = program.add_subcommand(
      "completion", "Print what a shell reads to complete commands, options and their values");
  command->add_option("shell", arguments->shell, "the shell")
      ->required()
      ->transform(one_of({"bash", "zsh", "fish"}));
  command->add_option("line", arguments->line,
                      "asked by the shell: the line up to the cursor; what may follow is printed");
  command->footer(
      "\nThe Debian package installs all three. By hand, for one session or in a file that the "
      "shell "
      "reads when it starts:\n\n"
      "  source <(heddle completion bash)         # in bash; also in zsh, with zsh\n"
      "  heddle completion fish | source          # in fish");
  command->callback([arguments, command, &program, &status] {
    const std::string text =
        command->count("line") == 0
            ? std::string(completion_script(arguments->shell))
            : candidate_lines(complete(program, arguments->line), arguments->shell);
    status = answer(text, "text");
  });
}

void add_manual_command(CLI::App& program, int& status) {
  const auto name = std::make_shared<std::string>();
  CLI::App* command =
      program.add_subcommand("manual", "Print the manual page of a command, or of the program");
  std::vector<std::string> names;
  for (const CLI::App* one : program.get_subcommands(nullptr)) names.push_back(one->get_name());
  command->add_option("command", *name, "the command; without it the program")
      ->transform(one_of(names));
  command->footer("\nIt is written for man, as in: heddle manual show | man -l -");
  command->callback([name, &program, &status] {
    const CLI::App* page = name->empty() ? &program : program.get_subcommand(*name);
    status = answer(manual_page(program, *page), "text");
  });
}

}  // namespace heddle::tool
