#include "tools/heddle/list_command.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <expected>
#include <memory>

#include "heddle/instruction/catalogue.h"
#include "tools/heddle/source_file.h"

namespace heddle::tool {
namespace {

using instruction::Family;
using instruction::Instruction;

struct Arguments {
  std::string target = "all";
  std::string format = "text";
};

std::string_view family_name(Family family) { return family == Family::gfx11 ? "gfx11" : "gfx12"; }

std::string shape(const Instruction& row) { return fmt::format("{}x{}x{}", row.m, row.n, row.k); }

std::string text_line(const Instruction& row) {
  return fmt::format("{:<30} {:<6} {:>4}  {:<9} {:<5} {:<5} {:<5} {:>2} {:>2} {:>2}  {}\n",
                     row.name, family_name(row.family), row.wave, shape(row),
                     instruction::name(row.a_type), instruction::name(row.b_type),
                     instruction::name(row.d_type), row.a.registers, row.b.registers,
                     row.d.registers, row.map_witnesses());
}

std::string json_line(const Instruction& row) {
  return fmt::format(
      R"({{"name": "{}", "family": "{}", "wave": {}, "m": {}, "n": {}, "k": {}, "blocks": {}, )"
      R"("a": "{}", "b": "{}", "d": "{}", "registers": {{"A": {}, "B": {}, "D": {}, "K": {}}}, )"
      R"("sparse": {}, "intrinsic": "{}", "map_witnesses": {}}})",
      row.name, family_name(row.family), row.wave, row.m, row.n, row.k, row.blocks,
      instruction::name(row.a_type), instruction::name(row.b_type), instruction::name(row.d_type),
      row.a.registers, row.b.registers, row.d.registers, row.index.registers, row.is_sparse(),
      row.intrinsic, row.map_witnesses());
}

std::string list_of(const std::vector<const Instruction*>& rows, bool json) {
  std::string text;
  if (!json) {
    text = fmt::format("{:<30} {:<6} {:>4}  {:<9} {:<5} {:<5} {:<5} {:>2} {:>2} {:>2}  {}\n",
                       "instruction", "family", "wave", "m n k", "A", "B", "C, D", "vA", "vB", "vD",
                       "witnesses of the places");
    for (const Instruction* row : rows) text += text_line(*row);
    return text;
  }
  for (const Instruction* row : rows)
    text += fmt::format("{}\n  {}", text.empty() ? "" : ",", json_line(*row));
  return "[" + text + "\n]\n";
}

std::expected<std::string, std::string> list(const Arguments& arguments) {
  const auto target = read_target(arguments.target);
  if (!target && arguments.target != "all") return std::unexpected(target.error());
  std::vector<const Instruction*> rows;
  for (const Instruction& row : instruction::all_instructions()) {
    if (!target || row.family == instruction::row(*target).family) rows.push_back(&row);
  }
  return list_of(rows, arguments.format == "json");
}

}  // namespace

void add_list_command(CLI::App& program, int& status) {
  const auto arguments = std::make_shared<Arguments>();
  CLI::App* command = program.add_subcommand("list", "List the matrix instructions");
  command->add_option("--arch", arguments->target, "GPU, or all")->capture_default_str();
  command->add_option("--format", arguments->format, "text or json")
      ->check(CLI::IsMember({"text", "json"}))
      ->capture_default_str();
  command->callback([arguments, &status] { status = answer(list(*arguments)); });
}

}  // namespace heddle::tool
