#include "tools/heddle/commands/completion.h"

#include <algorithm>
#include <cstddef>

#include "heddle/instruction/catalogue.h"
#include "heddle/instruction/target.h"
#include "library/text/formatted.h"
#include "tools/heddle/commands/mistyped.h"
#include "tools/heddle/commands/option_values.h"

namespace heddle::tool {
namespace {

/// Splits a line into words as a shell does: quotes and backslashes keep blanks. The last word is
/// the text before the cursor; it is empty after a blank.
std::vector<std::string> words_of(std::string_view line) {
  std::vector<std::string> words{""};
  bool is_begun = false;
  char quote = 0;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    const bool is_blank = c == ' ' || c == '\t' || c == '\n';
    if (quote == 0 && is_blank) {
      if (is_begun) words.emplace_back();
      is_begun = false;
      continue;
    }
    is_begun = true;
    if (quote != '\'' && c == '\\' && i + 1 < line.size()) {
      words.back() += line[++i];
    } else if (c == quote) {
      quote = 0;
    } else if (quote == 0 && (c == '\'' || c == '"')) {
      quote = c;
    } else {
      words.back() += c;
    }
  }
  return words;
}

/// The state before the cursor: the command that the words lead to, the option whose value comes
/// next (if any), and how many values the command itself has.
struct Position {
  const CLI::App* command;
  const CLI::Option* option = nullptr;
  /// `option` may have `may` more values, of which `must` are required.
  int may = 0, must = 0;
  std::size_t values = 0;
  bool options_ended = false;
};

/// Advances by one word.
void advance(Position& position, const CLI::App& program, const std::string& word) {
  if (word == "--") {
    position.options_ended = true;
    position.option = nullptr;
  } else if (!position.options_ended && position.must == 0 && word.size() > 1 &&
             word.starts_with('-')) {
    const std::size_t end = word.starts_with("--") ? word.find('=') : std::string::npos;
    position.option = position.command->get_option_no_throw(word.substr(0, end));
    if (position.option == nullptr) return;
    const int given = end == std::string::npos ? 0 : 1;
    position.may = position.option->get_items_expected_max() - given;
    position.must = std::max(0, position.option->get_items_expected_min() - given);
  } else if (position.option != nullptr && position.may > 0) {
    --position.may;
    position.must = std::max(0, position.must - 1);
  } else if (const CLI::App* command = find_command(program, word);
             command != nullptr && position.values == 0 &&
             (position.command == &program || position.command->get_prefix_command())) {
    position = {.command = command};  // `explore place …` has the options of place
  } else if (position.command != &program || word != "help") {
    ++position.values;
  }
  if (position.may <= 0) position.option = nullptr;
}

/// Adds the values that an option may have, as its help shows them: the words in braces that one_of
/// lists, or all names of a type such as GPU.
void add_values(Candidates& candidates, const CLI::Option& option, std::string_view prefix) {
  const auto add = [&](std::string_view word, std::string_view description) {
    const std::string whole = formatted("{}{}", prefix, word);
    const auto same = [&](const Candidate& other) { return other.word == whole; };
    if (whole.starts_with(candidates.current) && std::ranges::none_of(candidates.words, same))
      candidates.words.push_back({whole, std::string(description)});
  };
  const std::string type = option.get_type_name();
  if (const std::size_t begin = type.find(":{"); begin != std::string::npos) {
    const std::string_view all(type.data() + begin + 2, type.find('}', begin) - begin - 2);
    for (std::size_t at = 0; at <= all.size();) {
      const std::size_t end = std::min(all.find(',', at), all.size());
      add(all.substr(at, end - at), "");
      at = end + 1;
    }
  } else if (type.starts_with(gpu_type)) {
    for (const instruction::ProcessorRow& row : instruction::processor_rows)
      add(row.name, row.product);
  } else if (type.starts_with(instruction_type)) {
    for (const instruction::Instruction& row : instruction::all_instructions()) add(row.name, "");
  } else if (type.starts_with(layout_type)) {
    for (const instruction::Instruction& row : instruction::all_instructions())
      for (const instruction::Operand operand : instruction::all_operands)
        if (row.has(operand)) add(formatted("{}.{}", row.name, instruction::name(operand)), "");
    candidates.files = true;
  } else {
    candidates.files = type.starts_with(file_type);
  }
}

void add_options(Candidates& candidates, const CLI::App& command) {
  for (const CLI::Option* option : command.get_options())
    for (const std::string& name : option->get_lnames())
      if (const std::string word = "--" + name; word.starts_with(candidates.current))
        candidates.words.push_back({word, option->get_description()});
}

/// The positional argument to which value number `number` belongs. Null if the command does not
/// take so many.
const CLI::Option* positional(const CLI::App& command, std::size_t number) {
  for (const CLI::Option* option : command.get_options()) {
    if (!option->get_positional()) continue;
    const int most = option->get_items_expected_max();
    if (most > 0 && number < static_cast<std::size_t>(most)) return option;
    number -= static_cast<std::size_t>(std::max(most, 0));
  }
  return nullptr;
}

constexpr std::string_view bash_script = R"(# Completion for bash, which asks the program itself.
_heddle() {
  local line
  COMPREPLY=()
  while IFS= read -r line; do
    if [ "$line" = :files ]; then
      compopt -o default 2>/dev/null
    else
      COMPREPLY+=("$line")
    fi
  done < <("$1" completion bash "${COMP_LINE:0:COMP_POINT}" 2>/dev/null)
}
complete -F _heddle heddle
)";

constexpr std::string_view zsh_script = R"(#compdef heddle
# Completion for zsh, which asks the program itself.
_heddle() {
  local -a answers
  answers=("${(@f)$(${(Q)words[1]} completion zsh "${(j: :)words[1,CURRENT-1]} $PREFIX" 2>/dev/null)}")
  if [[ $answers[-1] == :files ]]; then
    answers[-1]=()
    _files
  fi
  answers=(${answers:#})
  (( $#answers )) && _describe -V heddle answers
}
if [[ $funcstack[1] == _heddle ]]; then
  _heddle
else
  compdef _heddle heddle
fi
)";

constexpr std::string_view fish_script = R"(# Completion for fish, which asks the program itself.
function __heddle_answers
  set -l words (commandline -opc)
  for line in ($words[1] completion fish (commandline -pc | string collect) 2>/dev/null)
    if test "$line" = :files
      __fish_complete_path (commandline -ct)
    else
      printf '%s\n' $line
    end
  end
end
complete -c heddle -f -a '(__heddle_answers)'
)";

}  // namespace

Candidates complete(const CLI::App& program, std::string_view line) {
  const std::vector<std::string> words = words_of(line);
  Candidates candidates;
  if (words.size() > 1) candidates.current = words.back();
  Position position{.command = &program};
  for (std::size_t i = 1; i + 1 < words.size(); ++i) advance(position, program, words[i]);

  const std::size_t equals = candidates.current.find('=');
  if (position.must == 0 && !position.options_ended && candidates.current.starts_with('-')) {
    if (equals == std::string::npos || !candidates.current.starts_with("--")) {
      add_options(candidates, *position.command);
    } else if (const CLI::Option* option =
                   position.command->get_option_no_throw(candidates.current.substr(0, equals));
               option != nullptr) {
      add_values(candidates, *option, candidates.current.substr(0, equals + 1));
    }
    return candidates;
  }
  if (position.option != nullptr) add_values(candidates, *position.option, "");
  if (position.option != nullptr && position.must > 0) return candidates;

  const bool takes_command = position.command == &program ||
                             (position.command->get_prefix_command() && position.values == 0);
  if (takes_command)
    for (const CLI::App* command : program.get_subcommands(nullptr))
      if (command->get_name().starts_with(candidates.current) && command != position.command)
        candidates.words.push_back({command->get_name(), command->get_description()});
  if (const CLI::Option* option = positional(*position.command, position.values))
    add_values(candidates, *option, "");
  if (candidates.words.empty() && !candidates.files && !position.options_ended)
    add_options(candidates, *position.command);
  return candidates;
}

std::string_view completion_script(std::string_view shell) {
  if (shell == "bash") return bash_script;
  if (shell == "zsh") return zsh_script;
  return shell == "fish" ? fish_script : std::string_view();
}

std::string candidate_lines(const Candidates& candidates, std::string_view shell) {
  std::string text;
  // Bash's Readline takes ':' and '=' as ends of words: it replaces only the text after the last of
  // these characters.
  const std::size_t kept = candidates.current.find_last_of(":=") + 1;
  for (const Candidate& candidate : candidates.words) {
    if (shell == "bash") {
      text += candidate.word.substr(kept);
    } else if (shell == "fish") {
      text += formatted("{}\t{}", candidate.word, candidate.description);
    } else {  // a colon ends the word
      for (const char c : candidate.word) text += c == ':' ? "\\:" : std::string(1, c);
      if (!candidate.description.empty()) text += formatted(":{}", candidate.description);
    }
    text += '\n';
  }
  return text + (candidates.files ? ":files\n" : "");
}

}  // namespace heddle::tool
