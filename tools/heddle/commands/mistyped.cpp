#include "tools/heddle/commands/mistyped.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <string_view>

#include "tools/heddle/commands/option_values.h"

namespace heddle::tool {
namespace {

/// "heddle run".
std::string full_name(const CLI::App& app) {
  return app.get_parent() == nullptr ? app.get_name()
                                     : app.get_parent()->get_name() + " " + app.get_name();
}

/// What a reader of other tools calls the same option.
struct Synonym {
  std::string_view written, meant;
};
constexpr std::array synonyms{
    Synonym{"--arch", "--target"}, Synonym{"--target", "--arch"},   Synonym{"--gpu", "--arch"},
    Synonym{"--gpu", "--target"},  Synonym{"--format", "--report"}, Synonym{"--report", "--format"},
    Synonym{"--output", "-o"},     Synonym{"--shape", "--tile"},    Synonym{"--json", "--format"},
    Synonym{"--json", "--report"}, Synonym{"--colour", "--color"},  Synonym{"--help-all", "--help"},
    Synonym{"--access", "--load"}};

/// The name that was meant: one of a synonym, or one that a slip turns into `word`; empty when no
/// name is that near.
std::string_view guess_of(std::string_view word, const std::vector<std::string>& names) {
  for (const Synonym& synonym : synonyms)
    if (synonym.written == word)
      for (const std::string& name : names)
        if (name == synonym.meant) return name;
  return near_name(word, names);
}

/// "WHAT 'WORD'; did you mean NEAREST? ALL NAMES", without the guess where none is near.
std::string sentence(std::string_view what, std::string_view word,
                     const std::vector<std::string>& names, std::string_view all) {
  const std::string_view guess = guess_of(word, names);
  return fmt::format("{} '{}'; {}{} {}", what, word,
                     guess.empty() ? std::string() : fmt::format("did you mean {}? ", guess), all,
                     fmt::join(names, ", "));
}

const CLI::App* find_command(const CLI::App& program, std::string_view word) {
  for (const CLI::App* command : program.get_subcommands(nullptr))
    if (command->get_name() == word) return command;
  return nullptr;
}

std::string wrong_command(const CLI::App& program, std::string_view word) {
  std::vector<std::string> names;
  for (const CLI::App* command : program.get_subcommands(nullptr))
    names.push_back(command->get_name());
  return sentence("no command", word, names, "the commands are");
}

/// Words that begin with a dash and are no option: a value below zero, and "-", standard output.
bool is_value(std::string_view word) {
  return !word.starts_with('-') || word.size() == 1 ||
         std::isdigit(static_cast<unsigned char>(word[1])) != 0;
}

/// The option that a word names: "--seed" of "--seed=3", "-o" of "-ofile".
std::string option_name(std::string_view word) {
  if (word.starts_with("--")) return std::string(word.substr(0, word.find('=')));
  return std::string(word.substr(0, 2));
}

/// "--arch" of an option, or "-h" where it has no long name; nothing of a positional argument.
std::string shown_name(const CLI::Option& option) {
  if (!option.get_lnames().empty()) return "--" + option.get_lnames()[0];
  return option.get_snames().empty() ? "" : "-" + option.get_snames()[0];
}

std::vector<std::string> option_names(const CLI::App& command) {
  std::vector<std::string> names;
  for (const CLI::Option* option : command.get_options())
    if (std::string name = shown_name(*option); !name.empty()) names.push_back(std::move(name));
  return names;
}

/// "`heddle banks` has it; ", or nothing when no command has the option.
std::string who_has(const CLI::App& program, std::string_view word) {
  std::vector<std::string> commands;
  for (const CLI::App* command : program.get_subcommands(nullptr))
    if (std::ranges::count(option_names(*command), word) != 0)
      commands.push_back(fmt::format("`{}`", full_name(*command)));
  return commands.empty() ? ""
                          : fmt::format("{} {} it; ", fmt::join(commands, ", "),
                                        commands.size() == 1 ? "has" : "have");
}

std::string wrong_option(const CLI::App& program, const CLI::App& command, std::string_view word) {
  const std::vector<std::string> names = option_names(command);
  const std::string what = fmt::format("`{}` has no option", full_name(command));
  // The moves that `heddle banks` takes with --with stand before a layout here.
  if (word == "--with" && command.get_name() == "place")
    return fmt::format(
        "{} '{}'; name the instruction before the layout, as --load ldmatrix:rows:8; its options "
        "are {}",
        what, word, fmt::join(names, ", "));
  const std::string elsewhere = guess_of(word, names).empty() ? who_has(program, word) : "";
  return sentence(what, word, names, elsewhere + "its options are");
}

}  // namespace

std::optional<std::string> mistyped(const CLI::App& program,
                                    const std::vector<std::string>& words) {
  const CLI::App* command = &program;
  for (const std::string& word : words) {
    if (word == "--") break;  // what follows is no option
    if (is_value(word)) {
      if (command != &program) continue;
      command = find_command(program, word);
      if (command == nullptr) return wrong_command(program, word);
      if (command->get_prefix_command()) return std::nullopt;  // what follows is another command's
    } else if (const std::string name = option_name(word);
               command->get_option_no_throw(name) == nullptr) {
      return wrong_option(program, *command, name);
    }
  }
  return std::nullopt;
}

std::string unexpected_arguments(const CLI::App& program) {
  const CLI::App* command = &program;
  for (const CLI::App* parsed : program.get_subcommands()) command = parsed;
  return fmt::format("`{}` has no place for '{}'", full_name(*command),
                     fmt::join(program.remaining(true), "', '"));
}

}  // namespace heddle::tool
