#include "tools/heddle/list_command.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <expected>
#include <memory>
#include <vector>

#include "heddle/instruction/rates.h"
#include "tools/heddle/call_source.h"
#include "tools/heddle/json_text.h"
#include "tools/heddle/row_filter.h"
#include "tools/heddle/row_text.h"
#include "tools/heddle/source_file.h"

namespace heddle::tool {
namespace {

using instruction::Instruction;
using instruction::Kind;
using instruction::Operand;
using instruction::Target;

using Rows = std::vector<const Instruction*>;

struct Arguments {
  FilterArguments filter;
  std::string format = "text";
  bool counts = false;
};

/// Lines of cells, of which the first is the heading.
using Cells = std::vector<std::vector<std::string>>;

std::string registers_cell(const Instruction& row, Operand operand) {
  if (!row.has(operand)) return "-";
  if (row.map(operand).storage == instruction::Storage::shared_memory) return "mem";
  return fmt::format("{}", row.map(operand).registers);
}

std::string rate_cell(const Instruction& row, Target target) {
  const auto published = instruction::rate(row, target);
  return published ? fmt::format("{}", published->multiply_adds) : "-";
}

/// "1 only" of a row whose places one witness alone has; "none" where nobody has.
std::string witnesses_cell(const Instruction& row) {
  if (row.map_witnesses() == 0) return "none";
  return fmt::format("{}{}", row.map_witnesses(), row.map_witnesses() == 1 ? " only" : "");
}

Cells cells_of(const Rows& rows, const RowFilter& filter) {
  Cells cells{{"instruction", "family", "wave", "m n k", "A", "B", "C", "D", "rA", "rB", "rD",
               "witnesses of the places"}};
  if (filter.target)
    cells[0].insert(cells[0].end() - 1,
                    fmt::format("MACs/clock/{}", instruction::rate_unit(*filter.target)));
  for (const Instruction* row : rows) {
    const bool multiplies = row->kind == Kind::multiply;
    const auto type = [&](Operand operand, bool exists) {
      return exists ? std::string(instruction::name(row->type(operand))) : "-";
    };
    std::vector<std::string> line{
        std::string(row->name),           families_text(*row),
        fmt::format("{}", row->wave),     shape_text(*row),
        type(Operand::a, true),           type(Operand::b, multiplies),
        type(Operand::c, multiplies),     type(Operand::d, true),
        registers_cell(*row, Operand::a), registers_cell(*row, Operand::b),
        registers_cell(*row, Operand::d), witnesses_cell(*row)};
    if (filter.target) line.insert(line.end() - 1, rate_cell(*row, *filter.target));
    cells.push_back(std::move(line));
  }
  return cells;
}

/// A column for each witness that has any of the rows.
Cells witness_cells(const Rows& rows) {
  Cells cells{{"instruction", "family", "wave"}};
  std::vector<instruction::Witness> shown;
  for (const instruction::WitnessRow& witness : instruction::witness_rows) {
    if (std::ranges::none_of(rows, [&](auto* row) { return row->has(witness.witness); })) continue;
    shown.push_back(witness.witness);
    cells[0].emplace_back(witness.sentence);
  }
  cells[0].emplace_back("witnesses of the places");
  for (const Instruction* row : rows) {
    std::vector<std::string> line{fmt::format("`{}`", row->name), families_text(*row),
                                  fmt::format("{}", row->wave)};
    for (const instruction::Witness witness : shown)
      line.emplace_back(row->has(witness) ? "x" : "");
    line.push_back(witnesses_cell(*row));
    cells.push_back(std::move(line));
  }
  return cells;
}

/// Columns as wide as their widest cell; those of numbers to the right.
std::string columns_of(const Cells& cells) {
  std::vector<std::size_t> widths(cells[0].size());
  std::vector<bool> is_number(cells[0].size(), cells.size() > 1);
  for (std::size_t i = 0; i < cells.size(); ++i) {
    for (std::size_t j = 0; j < cells[i].size(); ++j) {
      widths[j] = std::max(widths[j], cells[i][j].size());
      const bool digits = cells[i][j].find_first_not_of("0123456789-") == std::string::npos;
      is_number[j] = is_number[j] && (i == 0 || digits || cells[i][j] == "mem");
    }
  }
  std::string text;
  for (const std::vector<std::string>& line : cells) {
    for (std::size_t j = 0; j < line.size(); ++j) {
      const bool is_last = j + 1 == line.size();
      if (is_number[j])
        text += fmt::format("{:>{}}{}", line[j], widths[j], is_last ? "" : "  ");
      else
        text += is_last ? line[j] : fmt::format("{:<{}}  ", line[j], widths[j]);
    }
    text += '\n';
  }
  return text;
}

std::string csv_of(const Cells& cells) {
  std::string text;
  for (const std::vector<std::string>& line : cells)
    text += fmt::format("{}\n", fmt::join(line, ","));
  return text;
}

std::string markdown_of(const Cells& cells) {
  std::string text;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    text += fmt::format("| {} |\n", fmt::join(cells[i], " | "));
    if (i == 0)
      text += fmt::format("|{}\n",
                          fmt::join(std::vector<std::string_view>(cells[0].size(), " --- |"), ""));
  }
  return text;
}

std::string json_strings(const std::vector<std::string_view>& texts) {
  std::string list;
  for (const std::string_view text : texts)
    list += fmt::format("{}{}", list.empty() ? "" : ", ", json_string(text));
  return "[" + list + "]";
}

std::string json_line(const Instruction& row, const RowFilter& filter) {
  constexpr std::array kinds{"multiply", "load", "store", "transpose"};
  std::vector<int> n_sizes;
  for (int n = 1; n <= row.n; ++n)
    if (instruction::takes_n(row, n)) n_sizes.push_back(n);
  std::string operands, rate;
  for (const Operand operand : instruction::all_operands)
    if (row.has(operand))
      operands += fmt::format(R"({}"{}": {{"type": "{}", "registers": {}}})",
                              operands.empty() ? "" : ", ", instruction::name(operand),
                              instruction::name(row.type(operand)), row.map(operand).registers);
  if (filter.target) {
    const auto published = instruction::rate(row, *filter.target);
    rate =
        fmt::format(R"("multiply_adds_per_clock": {}, )",
                    published ? fmt::format("{}", published->multiply_adds) : std::string("null"));
  }
  std::vector<std::string_view> all = witness_names(row, true);
  for (const std::string_view name : witness_names(row, false)) all.push_back(name);
  return fmt::format(
      R"({{"name": "{}", "families": {}, "wave": {}, "kind": "{}", "m": {}, "n": {}, "k": {}, )"
      R"("n_sizes": {}, "blocks": {}, "a": "{}", "b": "{}", "d": "{}", "operands": {{{}}}, )"
      R"("formats": {}, "sparse": {}, "intrinsic": "{}", "builtin": "{}", {}"map_witnesses": {}, )"
      R"("witnesses": {}, "doubt": {}}})",
      row.name, json_strings(family_names(row)), row.wave,
      kinds[static_cast<std::size_t>(row.kind)], row.m, row.n, row.k, n_sizes, row.blocks,
      instruction::name(row.a_type), instruction::name(row.b_type), instruction::name(row.d_type),
      operands, json_strings(format_names(row)), row.is_sparse(), row.intrinsic, builtin_name(row),
      rate, row.map_witnesses(), json_strings(all), json_string(row.doubt));
}

std::string json_of(const Rows& rows, const RowFilter& filter) {
  std::string text;
  for (const Instruction* row : rows)
    text += fmt::format("{}\n  {}", text.empty() ? "" : ",", json_line(*row, filter));
  return "{\"instructions\": [" + text + "\n]}\n";
}

/// The rows of one family, by what they do. A row of several families counts in each.
struct Counts {
  instruction::Family family;
  std::vector<std::string_view> processors;
  int rows = 0, dense = 0, sparse = 0, moves = 0, single = 0, unconfirmed = 0;
};

std::vector<Counts> counts_of(const Rows& rows) {
  std::vector<Counts> all;
  for (const instruction::FamilyRow& family : instruction::family_rows) {
    Counts counts{family.family, {}};
    for (const instruction::ProcessorRow& processor : instruction::processor_rows)
      if (processor.family == family.family) counts.processors.push_back(processor.name);
    for (const Instruction* row : rows) {
      if (!row->is_of(family.family)) continue;
      ++counts.rows;
      const bool multiplies = row->kind == Kind::multiply;
      ++(multiplies ? row->is_sparse() ? counts.sparse : counts.dense : counts.moves);
      counts.single += row->map_witnesses() == 1;
      counts.unconfirmed += row->map_witnesses() == 0;
    }
    if (counts.rows > 0) all.push_back(std::move(counts));
  }
  return all;
}

Cells cells_of(const std::vector<Counts>& all) {
  Cells cells{{"family", "rows", "dense", "sparse", "loads and stores", "places of one witness",
               "of none", "processors"}};
  for (const Counts& counts : all)
    cells.push_back({std::string(instruction::name(counts.family)), fmt::format("{}", counts.rows),
                     fmt::format("{}", counts.dense), fmt::format("{}", counts.sparse),
                     fmt::format("{}", counts.moves), fmt::format("{}", counts.single),
                     fmt::format("{}", counts.unconfirmed),
                     fmt::format("{}", fmt::join(counts.processors, " "))});
  return cells;
}

std::string json_of(const std::vector<Counts>& all) {
  std::string text;
  for (const Counts& counts : all)
    text += fmt::format(
        R"({}{{"family": "{}", "processors": {}, "rows": {}, "dense": {}, "sparse": {}, )"
        R"("moves": {}, "of_one_witness": {}, "of_no_witness": {}}})",
        text.empty() ? "\n  " : ",\n  ", instruction::name(counts.family),
        json_strings(counts.processors), counts.rows, counts.dense, counts.sparse, counts.moves,
        counts.single, counts.unconfirmed);
  return "{\"families\": [" + text + "\n]}\n";
}

std::string in_format(const Cells& cells, std::string_view format) {
  if (format == "csv") return csv_of(cells);
  return format == "md" ? markdown_of(cells) : columns_of(cells);
}

std::expected<std::string, std::string> list(const Arguments& arguments) {
  const auto filter = read_filter(arguments.filter);
  if (!filter) return std::unexpected(filter.error());
  Rows rows;
  for (const Instruction& row : instruction::all_instructions())
    if (filter->matches(row)) rows.push_back(&row);
  if (rows.empty()) return std::unexpected("no instruction is all that; leave out a condition");
  if (arguments.format == "witnesses") return markdown_of(witness_cells(rows));
  if (arguments.counts) {
    const std::vector<Counts> counts = counts_of(rows);
    return arguments.format == "json" ? json_of(counts)
                                      : in_format(cells_of(counts), arguments.format);
  }
  if (arguments.format == "json") return json_of(rows, *filter);
  return in_format(cells_of(rows, *filter), arguments.format);
}

}  // namespace

void add_list_command(CLI::App& program, int& status) {
  const auto arguments = std::make_shared<Arguments>();
  CLI::App* command = program.add_subcommand("list", "List the matrix instructions");
  command->add_option("--arch", arguments->filter.target, "those of a GPU; without it, all");
  command->add_option("--type", arguments->filter.type,
                      "those with A or B of a type: f16, bf16, s8, e4m3, tf32, ...");
  command->add_option("--shape", arguments->filter.shape,
                      "those of m, n and k: 16x16x16, or of any k: 16x16");
  command->add_flag("--count", arguments->counts, "how many there are, by family");
  command
      ->add_option("--format", arguments->format,
                   "text, json, csv, md; witnesses: the table of docs/witnesses.md")
      ->check(CLI::IsMember({"text", "json", "csv", "md", "witnesses"}))
      ->capture_default_str();
  command->callback([arguments, &status] { status = answer(list(*arguments), arguments->format); });
}

}  // namespace heddle::tool
