#include "tools/heddle/show_command.h"

#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cstdlib>
#include <expected>
#include <memory>
#include <vector>

#include "tools/heddle/fragment_picture.h"
#include "tools/heddle/operand_view.h"
#include "tools/heddle/paragraph.h"
#include "tools/heddle/source_file.h"

namespace heddle::tool {
namespace {

using instruction::Instruction;
using instruction::KOrder;
using instruction::Operand;
using instruction::Target;

struct Arguments {
  std::string name;
  std::string target = "gfx1151";
  int wave = 0;  // that of the processor
  std::string operand = "all";
  std::string k_order = "isa";
  std::string format = "text";
  std::string colour = "auto";
};

/// Colours on a terminal, unless the user has asked for none (no-color.org).
bool is_coloured(const std::string& choice) {
  if (choice != "auto") return choice == "always";
  const char* no_colour = std::getenv("NO_COLOR");
  const char* terminal = std::getenv("TERM");
  return (no_colour == nullptr || *no_colour == '\0') && isatty(STDOUT_FILENO) != 0 &&
         (terminal == nullptr || std::string_view(terminal) != "dumb");
}

/// The operands to show. C lies as D does, so `all` has it only once.
std::expected<std::vector<Operand>, std::string> operands_of(const Instruction& row,
                                                             const std::string& wanted) {
  std::vector<Operand> operands;
  std::string names;
  for (Operand operand : instruction::all_operands) {
    if (!row.has(operand)) continue;
    names += fmt::format("{}{}", names.empty() ? "" : ", ", instruction::name(operand));
    const bool all = wanted == "all" && operand != Operand::c;
    if (all || instruction::name(operand) == wanted) operands.push_back(operand);
  }
  if (operands.empty())
    return std::unexpected(
        fmt::format("{} has no operand {}; its operands are {}", row.name, wanted, names));
  return operands;
}

std::string text_of(const Instruction& row, Target target, const std::vector<Operand>& operands,
                    KOrder order, bool coloured) {
  std::string text = instruction_text(row, target, order, output_width());
  for (Operand operand : operands)
    text += "\n" + operand_text(row, operand, order, coloured, output_width());
  return text;
}

/// One operand is its table alone; several are in an object by name.
std::string json_of(const Instruction& row, Target target, const std::vector<Operand>& operands,
                    KOrder order) {
  if (operands.size() == 1) return operand_json(row, operands[0], order) + "\n";
  std::string tables;
  for (Operand operand : operands)
    tables += fmt::format("{}\n    \"{}\": {}", tables.empty() ? "" : ",",
                          instruction::name(operand), operand_json(row, operand, order));
  return fmt::format(
      "{{\n  \"instruction\": \"{}\", \"arch\": \"{}\", \"wave\": {}, \"k_order\": \"{}\",\n"
      "  \"operands\": {{{}\n  }}\n}}\n",
      row.name, instruction::name(target), row.wave, instruction::name(order), tables);
}

std::expected<std::string, std::string> show(const Arguments& arguments) {
  const auto target = read_processor(arguments.target);
  if (!target) return std::unexpected(target.error());
  const int wave = arguments.wave == 0 ? instruction::default_wave(*target) : arguments.wave;
  const Instruction* row = instruction::find(arguments.name, *target, wave);
  if (row == nullptr)
    return std::unexpected(
        std::string(instruction::why_missing(arguments.name, *target, wave).view()));
  const auto operands = operands_of(*row, arguments.operand);
  if (!operands) return std::unexpected(operands.error());
  const KOrder order = arguments.k_order == "isa" ? KOrder::isa : KOrder::contiguous;
  if (arguments.format == "json") return json_of(*row, *target, *operands, order);
  if (arguments.format == "svg") return fragment_svg(*row, *target, *operands, order);
  return text_of(*row, *target, *operands, order, is_coloured(arguments.colour));
}

int show_command(const Arguments& arguments) {
  const auto text = show(arguments);
  fmt::print(text ? stdout : stderr, "{}", text ? *text : text.error() + "\n");
  return text ? 0 : 2;
}

}  // namespace

void add_show_command(CLI::App& program, int& status) {
  const auto arguments = std::make_shared<Arguments>();
  CLI::App* command =
      program.add_subcommand("show", "Show where an instruction's operands lie in a wave");
  command->add_option("instruction", arguments->name, "mnemonic; `heddle list` has them all")
      ->required();
  command->add_option("--arch", arguments->target, "GPU")->capture_default_str();
  command->add_option("--wave", arguments->wave, "lanes of a wave; without it 32, on CDNA 64")
      ->check(CLI::IsMember({32, 64}));
  command->add_option("--operand", arguments->operand, "A, B, C, D, K (index of a sparse A), all")
      ->transform(CLI::IsMember({"A", "B", "C", "D", "K", "all"}, CLI::ignore_case))
      ->capture_default_str();
  command->add_option("--k-order", arguments->k_order, "numbering of k: isa or contiguous")
      ->check(CLI::IsMember({"isa", "contiguous"}))
      ->capture_default_str();
  command->add_option("--format", arguments->format, "text, json or svg")
      ->check(CLI::IsMember({"text", "json", "svg"}))
      ->capture_default_str();
  command->add_option("--color", arguments->colour, "colour lanes: auto, always or never")
      ->check(CLI::IsMember({"auto", "always", "never"}))
      ->capture_default_str();
  command->callback([arguments, &status] { status = show_command(*arguments); });
}

}  // namespace heddle::tool
