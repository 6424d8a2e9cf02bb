#include "tools/heddle/show_command.h"

#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdlib>
#include <expected>
#include <memory>
#include <vector>

#include "tools/heddle/fragment_page.h"
#include "tools/heddle/fragment_picture.h"
#include "tools/heddle/operand_view.h"
#include "tools/heddle/paragraph.h"
#include "tools/heddle/selection.h"
#include "tools/heddle/source_file.h"

namespace heddle::tool {
namespace {

using instruction::Operand;

struct Arguments {
  SelectionArguments selection;
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

std::string text_of(const Selection& selection, const std::vector<Operand>& operands,
                    bool coloured) {
  const TableStyle style{coloured ? Markup::coloured : Markup::plain, terminal_width()};
  std::string text = instruction_text(selection, output_width());
  for (Operand operand : operands)
    text += "\n" + operand_text(operand_view(selection, operand), output_width(), style);
  return text;
}

std::string markdown_of(const Selection& selection, const std::vector<Operand>& operands) {
  std::string text = fmt::format("# {}\n\n", instruction_heading(selection));
  for (const InstructionFact& fact : instruction_facts(selection))
    text += fmt::format("- {}: {}\n", fact.label, fact.words);
  for (Operand operand : operands)
    text += '\n' + operand_markdown(operand_view(selection, operand));
  return text;
}

/// One operand is its table alone; several are in an object by name, in which a C that lies as D is
/// "=D".
std::string json_of(const Selection& selection, const std::vector<Operand>& operands) {
  if (operands.size() == 1) return operand_json(selection, operands[0]) + "\n";
  std::string tables;
  for (Operand operand : instruction::all_operands) {
    const bool shown = std::ranges::find(operands, operand) != operands.end();
    const bool as_d = operand == Operand::c && selection.row.has(operand) && !shown;
    if (!shown && !as_d) continue;
    tables +=
        fmt::format("{}\n    \"{}\": {}", tables.empty() ? "" : ",", instruction::name(operand),
                    shown ? operand_json(selection, operand) : "\"=D\"");
  }
  return fmt::format(
      "{{\n  \"instruction\": \"{}\", \"arch\": \"{}\", \"wave\": {}, \"k_order\": \"{}\",\n"
      "  \"operands\": {{{}\n  }}\n}}\n",
      selection.row.name, instruction::name(selection.target), selection.row.wave,
      instruction::name(selection.order), tables);
}

/// A line for each element of each operand.
std::string csv_of(const Selection& selection, const std::vector<Operand>& operands) {
  std::string text = "operand,block,row,column,register,lane,bit,bits,lane_copies\n";
  for (Operand operand : operands) text += operand_csv(selection, operand);
  return text;
}

std::expected<std::string, std::string> show(const Arguments& arguments) {
  const auto selection = select(arguments.selection);
  if (!selection) return std::unexpected(selection.error());
  const auto operands = operands_of(selection->row, arguments.selection.operand);
  if (!operands) return std::unexpected(operands.error());
  if (arguments.format == "json") return json_of(*selection, *operands);
  if (arguments.format == "md") return markdown_of(*selection, *operands);
  if (arguments.format == "csv") return csv_of(*selection, *operands);
  if (arguments.format == "html") return fragment_page(*selection, *operands);
  if (arguments.format == "svg") return fragment_svg(*selection, *operands);
  return text_of(*selection, *operands, is_coloured(arguments.colour));
}

}  // namespace

void add_show_command(CLI::App& program, int& status) {
  const auto arguments = std::make_shared<Arguments>();
  CLI::App* command =
      program.add_subcommand("show", "Show where an instruction's operands lie in a wave");
  add_selection(*command, arguments->selection);
  command->add_option("--format", arguments->format, "text, json, csv, md, svg or html")
      ->check(CLI::IsMember({"text", "json", "csv", "md", "svg", "html"}))
      ->capture_default_str();
  command->add_option("--color", arguments->colour, "colour lanes: auto, always or never")
      ->check(CLI::IsMember({"auto", "always", "never"}))
      ->capture_default_str();
  command->callback([arguments, &status] { status = answer(show(*arguments)); });
}

}  // namespace heddle::tool
