#include "tools/heddle/list_command.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <expected>
#include <memory>
#include <vector>

#include "heddle/instruction/catalogue.h"
#include "tools/heddle/source_file.h"

namespace heddle::tool {
namespace {

using instruction::Instruction;

struct Arguments {
  std::string target = "all";
  std::string format = "text";
};

std::string shape(const Instruction& row) {
  const std::string blocks = row.blocks > 1 ? fmt::format(" {}b", row.blocks) : "";
  return fmt::format("{}x{}x{}{}", row.m, row.n, row.k, blocks);
}

/// Widths of the columns that differ from family to family.
struct Widths {
  std::size_t shape = 9;
  std::size_t type = 5;
};

Widths widths_of(const std::vector<const Instruction*>& rows) {
  Widths widths;
  for (const Instruction* row : rows) {
    widths.shape = std::max(widths.shape, shape(*row).size());
    widths.type = std::max(widths.type, instruction::name(row->a_type).size());
  }
  return widths;
}

std::string text_line(const Widths& widths, const auto&... cells) {
  return fmt::format(
      "{2:<30} {3:<6} {4:>4}  {5:<{0}} {6:<{1}} {7:<{1}} {8:<5} {9:>2} {10:>2} {11:>2}  {12}\n",
      widths.shape, widths.type, cells...);
}

std::string text_line(const Widths& widths, const Instruction& row) {
  return text_line(widths, row.name, instruction::name(row.family()), row.wave, shape(row),
                   instruction::name(row.a_type), instruction::name(row.b_type),
                   instruction::name(row.d_type), row.a.registers, row.b.registers, row.d.registers,
                   row.map_witnesses());
}

std::string json_line(const Instruction& row) {
  return fmt::format(
      R"({{"name": "{}", "family": "{}", "wave": {}, "m": {}, "n": {}, "k": {}, "blocks": {}, )"
      R"("a": "{}", "b": "{}", "d": "{}", "registers": {{"A": {}, "B": {}, "D": {}, "K": {}}}, )"
      R"("sparse": {}, "intrinsic": "{}", "map_witnesses": {}}})",
      row.name, instruction::name(row.family()), row.wave, row.m, row.n, row.k, row.blocks,
      instruction::name(row.a_type), instruction::name(row.b_type), instruction::name(row.d_type),
      row.a.registers, row.b.registers, row.d.registers, row.index.registers, row.is_sparse(),
      row.intrinsic, row.map_witnesses());
}

/// The columns of the text as a table of Markdown, or with commas between.
std::string cells_line(const Instruction& row, std::string_view before, std::string_view between,
                       std::string_view after) {
  return fmt::format("{0}{3}{1}{4}{1}{5}{1}{6}{1}{7}{1}{8}{1}{9}{1}{10}{1}{11}{1}{12}{1}{13}{2}\n",
                     before, between, after, row.name, instruction::name(row.family()), row.wave,
                     shape(row), instruction::name(row.a_type), instruction::name(row.b_type),
                     instruction::name(row.d_type), row.a.registers, row.b.registers,
                     row.d.registers, row.map_witnesses());
}

std::string csv_of(const std::vector<const Instruction*>& rows) {
  std::string text =
      "instruction,family,wave,shape,A,B,D,registers A,registers B,registers D,"
      "witnesses of the places\n";
  for (const Instruction* row : rows) text += cells_line(*row, "", ",", "");
  return text;
}

std::string markdown_of(const std::vector<const Instruction*>& rows) {
  std::string text =
      "| instruction | family | wave | m n k | A | B | C, D | vA | vB | vD | witnesses of the "
      "places |\n"
      "| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |\n";
  for (const Instruction* row : rows) text += cells_line(*row, "| ", " | ", " |");
  return text;
}

std::string list_of(const std::vector<const Instruction*>& rows, std::string_view format) {
  if (format == "csv") return csv_of(rows);
  if (format == "md") return markdown_of(rows);
  std::string text;
  if (format == "text") {
    const Widths widths = widths_of(rows);
    text = text_line(widths, "instruction", "family", "wave", "m n k", "A", "B", "C, D", "vA", "vB",
                     "vD", "witnesses of the places");
    for (const Instruction* row : rows) text += text_line(widths, *row);
    return text;
  }
  for (const Instruction* row : rows)
    text += fmt::format("{}\n  {}", text.empty() ? "" : ",", json_line(*row));
  return "[" + text + "\n]\n";
}

std::expected<std::string, std::string> list(const Arguments& arguments) {
  const auto target = read_processor(arguments.target);
  if (!target && arguments.target != "all") return std::unexpected(target.error());
  std::vector<const Instruction*> rows;
  for (const Instruction& row : instruction::all_instructions()) {
    if (!target || row.is_of(instruction::processor(*target).family)) rows.push_back(&row);
  }
  return list_of(rows, arguments.format);
}

}  // namespace

void add_list_command(CLI::App& program, int& status) {
  const auto arguments = std::make_shared<Arguments>();
  CLI::App* command = program.add_subcommand("list", "List the matrix instructions");
  command->add_option("--arch", arguments->target, "GPU, or all")->capture_default_str();
  command->add_option("--format", arguments->format, "text, json, csv or md")
      ->check(CLI::IsMember({"text", "json", "csv", "md"}))
      ->capture_default_str();
  command->callback([arguments, &status] { status = answer(list(*arguments)); });
}

}  // namespace heddle::tool
