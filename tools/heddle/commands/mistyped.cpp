#include "tools/heddle/commands/mistyped.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <string_view>
#include <utility>

#include "heddle/instruction/fragment.h"
#include "heddle/instruction/processor_name.h"
#include "library/text/formatted.h"
#include "library/text/joined.h"
#include "tools/heddle/commands/option_values.h"

namespace heddle::tool {
namespace {

/// "heddle run".
std::string full_name(const CLI::App& app) {
  return app.get_parent() == nullptr ? app.get_name()
                                     : app.get_parent()->get_name() + " " + app.get_name();
}

/// `written` is an option of other tools; `meant` is the option of heddle with the same meaning.
struct Synonym {
  std::string_view written, meant;
};
constexpr std::array synonyms{Synonym{"--gpu", "--arch"},      Synonym{"--gpu", "--target"},
                              Synonym{"--format", "--report"}, Synonym{"--report", "--format"},
                              Synonym{"--output", "-o"},       Synonym{"--shape", "--tile"},
                              Synonym{"--colour", "--color"},  Synonym{"--help-all", "--help"},
                              Synonym{"--access", "--load"}};

/// The option among `names` that has the meaning which `word` has in other tools. Empty if there is
/// none.
std::string_view synonym_of(std::string_view word, const std::vector<std::string>& names) {
  for (const Synonym& synonym : synonyms)
    if (synonym.written == word)
      for (const std::string& name : names)
        if (name == synonym.meant) return name;
  return "";
}

std::string wrong_command(const CLI::App& program, std::string_view word) {
  std::vector<std::string> names;
  for (const CLI::App* command : program.get_subcommands(nullptr))
    names.push_back(command->get_name());
  const std::string_view guess = near_name(word, names);
  return formatted("no command '{}'; {}the commands are {}", word,
                   guess.empty() ? std::string() : formatted("did you mean {}? ", guess),
                   joined(names, ", "));
}

/// True for values, as opposed to options. A value may begin with a dash: negative numbers, and "-"
/// for standard output.
bool is_value(std::string_view word) {
  return !word.starts_with('-') || word.size() == 1 ||
         std::isdigit(static_cast<unsigned char>(word[1])) != 0;
}

/// The option that a word names: "--seed" of "--seed=3", "-o" of "-ofile".
std::string option_name(std::string_view word) {
  if (word.starts_with("--")) return std::string(word.substr(0, word.find('=')));
  return std::string(word.substr(0, 2));
}

/// The name with two dashes of an option that was written with one: "--check" for "-check=3". Empty
/// for other words.
std::string with_two_dashes(std::string_view word) {
  if (word.starts_with("--") || word.size() < 3) return "";
  return formatted("-{}", word.substr(0, word.find('=')));
}

/// The name of an option in messages: "--arch", or "-h" if it has no long name. Empty for a
/// positional argument.
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

/// The commands that have this option, as "`heddle banks` has it". Empty if none has.
std::string who_has(const CLI::App& program, std::string_view word) {
  std::vector<std::string> commands;
  for (const CLI::App* command : program.get_subcommands(nullptr))
    if (std::ranges::count(option_names(*command), word) != 0)
      commands.push_back(formatted("`{}`", full_name(*command)));
  return commands.empty()
             ? ""
             : formatted("{} {} it", joined(commands, ", "), commands.size() == 1 ? "has" : "have");
}

/// True for a flag of clang and hipcc: -DNAME, -Ifolder, -O3, -std=c++20.
bool is_compiler_flag(std::string_view word) {
  static constexpr std::array<std::string_view, 6> beginnings{"-D",    "-I", "-O",
                                                              "-std=", "-m", "-W"};
  return word.size() > 2 && std::ranges::any_of(beginnings, [&](std::string_view beginning) {
           return word.starts_with(beginning);
         });
}

/// The message that `word` is no option of the command. The message names the option that was
/// probably meant. `name` is `word` with two dashes and without a value.
std::string wrong_option(const CLI::App& program, const CLI::App& command, std::string_view word,
                         std::string_view name) {
  const std::vector<std::string> names = option_names(command);
  const std::string what = formatted("`{}` has no option", full_name(command));
  // The option --with belongs to `heddle banks`; here an instruction stands before a layout.
  if (name == "--with" && command.get_name() == "place")
    return formatted(
        "{} '{}'; name the instruction before the layout, as --load ldmatrix:rows:8; its options "
        "are {}",
        what, word, joined(names, ", "));
  if (name == "--json")
    for (const std::string_view option : {"--report", "--format"})
      if (std::ranges::count(names, option) != 0)
        return formatted("{} '{}'; did you mean {} json?", what, word, option);
  if (is_compiler_flag(word) && std::ranges::count(names, "--flags") != 0)
    return formatted(
        "{} '{}'; flags of a kernel's compiler go behind the launch file and --, those of a "
        "program "
        "into --flags={}",
        what, word, word);
  // An option of this very name in another command is more likely than a similar name in this one.
  const std::string_view synonym =
      std::ranges::count(names, name) != 0 ? name : synonym_of(name, names);
  const std::string elsewhere = synonym.empty() ? who_has(program, name) : "";
  const bool is_near = synonym.empty() && elsewhere.empty();
  const std::string_view guess = is_near ? near_name(name, names) : synonym;
  if (!guess.empty())
    return formatted("{} '{}'; did you mean {}? `{} --help` explains it", what, word, guess,
                     full_name(command));
  return formatted(
      "{} '{}'; {}{} {}", what, word, elsewhere,
      elsewhere.empty() ? "its options are" : formatted("; those of `{}` are", full_name(command)),
      joined(names, ", "));
}

/// The error that the option `before` has no value: the next word, `word`, begins with a dash and
/// so is no value. Empty if `before` is no option that needs a value.
std::string value_with_dash(const CLI::App& command, const std::string& before,
                            std::string_view word) {
  const bool waits = before.starts_with('-') && !before.contains('=');
  const CLI::Option* const option = waits ? command.get_option_no_throw(before) : nullptr;
  if (option == nullptr || option->get_items_expected_min() == 0) return "";
  return formatted("{0} has no value: '{1}' begins with a dash, as an option does; write {0}={1}",
                   before, word);
}

/// The name of the command's option for a GPU. Empty if it has none.
std::string gpu_option(const CLI::App& command) {
  for (const CLI::Option* option : command.get_options())
    if (option->get_type_name() == gpu_type) return shown_name(*option);
  return "";
}

}  // namespace

const CLI::App* find_command(const CLI::App& program, std::string_view word) {
  for (const CLI::App* command : program.get_subcommands(nullptr))
    if (command->get_name() == word) return command;
  return nullptr;
}

std::optional<std::string> mistyped(const CLI::App& program,
                                    const std::vector<std::string>& words) {
  const CLI::App* command = &program;
  std::string before;
  for (const std::string& word : words) {
    const std::string previous = std::exchange(before, word);
    if (word == "--") break;  // no option follows
    if (is_value(word)) {
      if (command != &program) continue;
      command = find_command(program, word);
      if (command == nullptr) return wrong_command(program, word);
      // the rest belongs to another command
      if (command->get_prefix_command()) return std::nullopt;
    } else {
      const std::string name = option_name(word), longer = with_two_dashes(word);
      const auto has = [&](const std::string& one) {
        return !one.empty() && command->get_option_no_throw(one) != nullptr;
      };
      if (!has(name) && !has(longer) &&
          near_name(word.substr(0, word.find('=')), option_names(*command)).empty())
        if (std::string text = value_with_dash(*command, previous, word); !text.empty())
          return text;
      if (!has(name) && !has(longer) && is_compiler_flag(word))
        return wrong_option(program, *command, word, word);
      // -output means --output, not -o with the value utput.
      if (has(longer) || (!has(name) && !longer.empty()))
        return wrong_option(program, *command, longer.substr(1), longer);
      if (!has(name)) return wrong_option(program, *command, name, name);
    }
  }
  return std::nullopt;
}

std::string unexpected_arguments(const CLI::App& program) {
  const CLI::App* command = &program;
  for (const CLI::App* parsed : program.get_subcommands()) command = parsed;
  const std::vector<std::string> words = program.remaining(true);
  std::string text =
      formatted("`{}` has no place for '{}'", full_name(*command), joined(words, "', '"));
  if (words.size() == 1 && command->get_option_no_throw("--operand") != nullptr)
    for (const instruction::Operand operand : instruction::all_operands)
      if (instruction::name(operand) == words[0])
        return text + formatted("; an operand is named by its option, as --operand {}", words[0]);
  const std::string option = gpu_option(*command);
  for (const std::string& word : words)
    if (!option.empty() && instruction::find_processor_by_any_name(word) != nullptr)
      return text + formatted("; a GPU is named by its option, as {} {}", option, word);
  return text;
}

}  // namespace heddle::tool
