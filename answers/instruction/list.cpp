#include "answers/instruction/list.h"

#include <algorithm>
#include <expected>
#include <memory>
#include <vector>

#include "answers/instruction/call_source.h"
#include "answers/instruction/processor_list.h"
#include "answers/instruction/row_filter.h"
#include "answers/instruction/row_text.h"
#include "answers/instruction/similar_names.h"
#include "answers/instruction/sums_text.h"
#include "answers/text/columns.h"
#include "answers/text/json_text.h"
#include "answers/text/paragraph.h"
#include "heddle/instruction/processor_name.h"
#include "heddle/instruction/rates.h"
#include "library/text/formatted.h"
#include "library/text/joined.h"

namespace heddle::answers {
namespace {

using instruction::Instruction;
using instruction::Kind;
using instruction::Operand;
using instruction::Target;

using Rows = std::vector<const Instruction*>;

std::string registers_cell(const Instruction& row, Operand operand) {
  if (!row.has(operand)) return "-";
  if (row.map(operand).storage == instruction::Storage::shared_memory) return "mem";
  return formatted("{}", row.map(operand).registers);
}

std::string rate_cell(const Instruction& row, Target target) {
  const auto published = instruction::rate(row, target);
  return published ? formatted("{}", published->multiply_adds) : "-";
}

/// The number of witnesses that confirm where the row's elements lie. A witness is an independent
/// source, such as a vendor's document or tool. "1 only" if there is just one witness, "none" if
/// there is none.
std::string witnesses_cell(const Instruction& row) {
  if (row.map_witnesses() == 0) return "none";
  return formatted("{}{}", row.map_witnesses(), row.map_witnesses() == 1 ? " only" : "");
}

Cells cells_of(const Rows& rows, const RowFilter& filter) {
  Cells cells{{"instruction", "family", "wave", "m n k", "A", "B", "C", "D", "rA", "rB", "rD",
               "witnesses of the places"}};
  if (filter.target)
    cells[0].insert(cells[0].end() - 1,
                    formatted("MACs/clock/{}", instruction::rate_unit(*filter.target)));
  for (const Instruction* row : rows) {
    const bool multiplies = row->kind == Kind::multiply;
    const auto type = [&](Operand operand, bool exists) {
      return exists ? std::string(instruction::name(row->type(operand))) : "-";
    };
    std::vector<std::string> line{
        std::string(row->name),           families_text(*row),
        formatted("{}", row->wave),       shape_text(*row),
        type(Operand::a, true),           type(Operand::b, multiplies),
        type(Operand::c, multiplies),     type(Operand::d, true),
        registers_cell(*row, Operand::a), registers_cell(*row, Operand::b),
        registers_cell(*row, Operand::d), witnesses_cell(*row)};
    if (filter.target) line.insert(line.end() - 1, rate_cell(*row, *filter.target));
    cells.push_back(std::move(line));
  }
  return cells;
}

/// A table with a column for each witness that confirms at least one of the rows.
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
    std::vector<std::string> line{formatted("`{}`", row->name), families_text(*row),
                                  formatted("{}", row->wave)};
    for (const instruction::Witness witness : shown)
      line.emplace_back(row->has(witness) ? "x" : "");
    line.push_back(witnesses_cell(*row));
    cells.push_back(std::move(line));
  }
  return cells;
}

/// Removes columns, the least important first, until the lines fit. The three columns of register
/// counts are removed together. Returns the names of the removed columns.
std::vector<std::string> leave_out_columns(Cells& cells, std::size_t width) {
  using Group = std::vector<std::string_view>;
  const std::array<Group, 6> least_important_first{Group{"witnesses of the places"},
                                                   Group{"family"},
                                                   Group{"rA", "rB", "rD"},
                                                   Group{"C"},
                                                   Group{"wave"},
                                                   Group{"MACs/clock/CU", "MACs/clock/SM"}};
  std::vector<std::string> names;
  for (const Group& group : least_important_first) {
    if (length_of(cells, width) <= width) break;
    for (const std::string_view name : group) {
      const auto column = std::ranges::find(cells[0], name) - cells[0].begin();
      if (column == static_cast<std::ptrdiff_t>(cells[0].size())) continue;  // CU or SM
      for (std::vector<std::string>& line : cells) line.erase(line.begin() + column);
      names.emplace_back(name);
    }
  }
  return names;
}

/// The note "compile for" that `heddle info` prints for one row, here for all rows of the list
/// together: which target a compiler must be given. Empty if no row needs a particular target.
std::string compile_for_note(const Rows& rows, const RowFilter& filter) {
  std::size_t count = 0;
  std::string all_targets;
  for (const Instruction* row : rows) {
    const auto of_family = std::ranges::find(instruction::processor_rows, row->family(),
                                             &instruction::ProcessorRow::family);
    const std::string target = compile_target(*row, filter.target.value_or(of_family->target));
    if (target.empty()) continue;
    ++count;
    if (!all_targets.contains(target)) all_targets += (all_targets.empty() ? "" : " or ") + target;
  }
  if (count == 0) return "";
  return '\n' + paragraph("",
                          formatted("{} of the {} rows are compiled for {}: ptxas takes them for "
                                    "no target without the a",
                                    count, rows.size(), all_targets),
                          0, static_cast<int>(text_width()));
}

/// The list as text for people. If columns were left out for lack of room, the text names them.
std::string list_text(Cells cells, const std::string& note) {
  const std::size_t width = text_width();
  const std::vector<std::string> left_out = leave_out_columns(cells, width);
  std::string text = columns_of(cells, width) + note;
  if (!left_out.empty())
    text += '\n' + paragraph("",
                             formatted("left out at {} columns: {}; --format csv has all", width,
                                       joined(left_out, ", ")),
                             0, static_cast<int>(width));
  return text;
}

std::string json_line(const Instruction& row, const RowFilter& filter) {
  constexpr std::array kinds{"multiply", "load", "store", "transpose"};
  std::vector<int> n_sizes;
  for (int n = 1; n <= row.n; ++n)
    if (instruction::takes_n(row, n)) n_sizes.push_back(n);
  std::string operands, of_target;
  for (const Operand operand : instruction::all_operands)
    if (row.has(operand))
      operands += formatted(R"({}"{}": {{"type": "{}", "registers": {}}})",
                            operands.empty() ? "" : ", ", instruction::name(operand),
                            instruction::name(row.type(operand)), row.map(operand).registers);
  if (filter.target) {
    const auto published = instruction::rate(row, *filter.target);
    of_target =
        formatted(R"("multiply_adds_per_clock": {}, )",
                  published ? formatted("{}", published->multiply_adds) : std::string("null"));
    of_target += formatted(R"("compile_for": "{}", )", compile_target(row, *filter.target));
  }
  std::vector<std::string_view> all = witness_names(row, true);
  for (const std::string_view name : witness_names(row, false)) all.push_back(name);
  return formatted(
      R"({{"name": "{}", "families": {}, "wave": {}, "kind": "{}", "m": {}, "n": {}, "k": {}, )"
      R"("n_sizes": [{}], "blocks": {}, "a": "{}", "b": "{}", "d": "{}", "operands": {{{}}}, )"
      R"("formats": {}, "sparse": {}, "intrinsic": "{}", "builtin": "{}", {}"map_witnesses": {}, )"
      R"("witnesses": {}, "doubt": {}}})",
      row.name, json_strings(family_names(row)), row.wave,
      kinds[static_cast<std::size_t>(row.kind)], row.m, row.n, row.k, joined(n_sizes, ", "),
      row.blocks, instruction::name(row.a_type), instruction::name(row.b_type),
      instruction::name(row.d_type), operands, json_strings(format_names(row)), row.is_sparse(),
      row.intrinsic, builtin_name(row), of_target, row.map_witnesses(), json_strings(all),
      json_string(row.doubt));
}

std::string json_of(const Rows& rows, const RowFilter& filter) {
  std::string text;
  for (const Instruction* row : rows)
    text += formatted("{}\n  {}", text.empty() ? "" : ",", json_line(*row, filter));
  return "{\"instructions\": [" + text + "\n]}\n";
}

/// Counts the rows of one family by what the instructions do. A row that belongs to several
/// families counts in each of them.
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
    cells.push_back({std::string(instruction::name(counts.family)), formatted("{}", counts.rows),
                     formatted("{}", counts.dense), formatted("{}", counts.sparse),
                     formatted("{}", counts.moves), formatted("{}", counts.single),
                     formatted("{}", counts.unconfirmed), joined(counts.processors, " ")});
  return cells;
}

std::string json_of(const std::vector<Counts>& all) {
  std::string text;
  for (const Counts& counts : all)
    text +=
        formatted(R"({}{{"family": "{}", "processors": {}, "rows": {}, "dense": {}, "sparse": {}, )"
                  R"("moves": {}, "of_one_witness": {}, "of_no_witness": {}}})",
                  text.empty() ? "\n  " : ",\n  ", instruction::name(counts.family),
                  json_strings(counts.processors), counts.rows, counts.dense, counts.sparse,
                  counts.moves, counts.single, counts.unconfirmed);
  return "{\"families\": [" + text + "\n]}\n";
}

}  // namespace

std::expected<std::string, std::string> list(const ListQuestion& question) {
  if (question.processors) {
    const FilterArguments& asked = question.filter;
    if (question.counts || !asked.type.empty() || !asked.shape.empty())
      return std::unexpected(
          "--processors lists processors, and --count, --type and --shape are of instructions; "
          "leave them out");
    const std::string processor = asked.name.empty() ? asked.target : asked.name;
    return list_processors(processor == "all" ? "" : processor, question.format);
  }
  const auto filter = read_filter(question.filter);
  if (!filter) return std::unexpected(filter.error());
  Rows rows;
  for (const Instruction& row : instruction::all_instructions())
    if (filter->matches(row)) rows.push_back(&row);
  if (rows.empty()) {
    const FilterArguments& asked = question.filter;
    const bool only_name = asked.type.empty() && asked.shape.empty() && !asked.name.empty();
    if (only_name && instruction::find_processor_by_any_name(asked.name) != nullptr)
      return std::unexpected(
          formatted("'{0}' is a processor; --arch '{0}' lists its instructions, "
                    "and --processors '{0}' says what can be done for it",
                    asked.name));
    return std::unexpected(
        only_name
            ? formatted("no instruction{} has '{}' in its name; {}",
                        filter->target ? formatted(" of {}", instruction::name(*filter->target))
                                       : std::string(),
                        asked.name, similar_names(asked.name, filter->target))
            : std::string("no instruction meets all conditions; leave one out"));
  }
  const bool is_table = question.format == "witnesses" || question.format == "sums";
  if (is_table && question.counts)
    return std::unexpected(formatted(
        "--format {} is a table of instructions; leave out --count, or take another --format",
        question.format));
  if (question.format == "sums")
    return sums_table(rows, filter->target.transform([](instruction::Target target) {
      return instruction::processor(target).family;
    }));
  if (question.format == "witnesses") return markdown_of(witness_cells(rows));
  if (question.counts) {
    const std::vector<Counts> counts = counts_of(rows);
    if (question.format == "json") return json_of(counts);
    if (question.format == "csv") return csv_of(cells_of(counts));
    return question.format == "md"
               ? markdown_of(cells_of(counts))
               : columns_of(cells_of(counts), text_width()) + compile_for_note(rows, *filter);
  }
  if (question.format == "json") return json_of(rows, *filter);
  Cells cells = cells_of(rows, *filter);
  if (question.format == "csv") return csv_of(cells);
  return question.format == "md" ? markdown_of(cells)
                                 : list_text(std::move(cells), compile_for_note(rows, *filter));
}

}  // namespace heddle::answers
