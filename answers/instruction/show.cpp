#include "answers/instruction/show.h"

#include <algorithm>
#include <expected>
#include <memory>
#include <vector>

#include "answers/instruction/fragment_page.h"
#include "answers/instruction/fragment_picture.h"
#include "answers/instruction/operand_view.h"
#include "answers/instruction/selection.h"
#include "answers/instruction/shared_view.h"
#include "answers/layout/layout_code.h"
#include "answers/text/paragraph.h"
#include "answers/text/view_table.h"
#include "library/text/formatted.h"

namespace heddle::answers {
namespace {

using instruction::Operand;

using Operands = std::vector<SeenOperand>;

std::string text_of(const Selection& selection, const Operands& operands, bool coloured) {
  const TableStyle style{coloured ? Markup::coloured : Markup::plain, table_width()};
  std::string text = instruction_text(selection, output_width());
  for (const auto& [operand, tile] : operands)
    text += "\n" + (tile ? shared_text(selection.row, *tile, output_width(), style)
                         : operand_text(operand_view(selection, operand), output_width(), style));
  return text;
}

std::string markdown_of(const Selection& selection, const Operands& operands) {
  std::string text = formatted("# {}\n\n", instruction_heading(selection));
  for (const InstructionFact& fact : instruction_facts(selection))
    text += formatted("- {}: {}\n", fact.label, fact.words);
  for (const auto& [operand, tile] : operands)
    text += '\n' + (tile ? shared_markdown(selection.row, *tile)
                         : operand_markdown(operand_view(selection, operand)));
  return text;
}

std::string table_json(const Selection& selection, const SeenOperand& seen) {
  return seen.tile ? shared_json(selection.row, *seen.tile) : operand_json(selection, seen.operand);
}

/// The JSON of the operands. For one operand it is the operand's table alone. For several it is an
/// object with a table under each operand's name; a C that lies where D lies has "=D" instead of a
/// table.
std::string json_of(const Selection& selection, const Operands& operands) {
  if (operands.size() == 1) return table_json(selection, operands[0]) + "\n";
  std::string tables;
  for (Operand operand : instruction::all_operands) {
    const auto shown = std::ranges::find(operands, operand, &SeenOperand::operand);
    const bool as_d = operand == Operand::c && selection.row.has(operand);
    if (shown == operands.end() && !as_d) continue;
    tables += formatted("{}\n    \"{}\": {}", tables.empty() ? "" : ",", instruction::name(operand),
                        shown != operands.end() ? table_json(selection, *shown) : "\"=D\"");
  }
  return formatted(
      "{{\n  \"instruction\": \"{}\", \"arch\": \"{}\", \"wave\": {}, \"k_order\": \"{}\",\n"
      "  \"operands\": {{{}\n  }}\n}}\n",
      selection.row.name, instruction::name(selection.target), selection.row.wave,
      instruction::name(selection.order), tables);
}

/// A line for each element of each operand.
std::string csv_of(const Selection& selection, const Operands& operands) {
  if (operands.front().tile)
    return "operand,row,column,byte,bit,bits\n" + shared_csv(selection.row, *operands.front().tile);
  std::string text = "operand,block,row,column,register,lane,bit,bits,lane_copies\n";
  for (const SeenOperand& seen : operands) text += operand_csv(selection, seen.operand);
  return text;
}

std::vector<Operand> drawn(const Operands& operands) {
  std::vector<Operand> result;
  for (const SeenOperand& seen : operands) result.push_back(seen.operand);
  return result;
}

/// The reason why `format` cannot show these operands; empty if `format` can show them.
std::string why_not(const std::string& format, const Operands& operands) {
  const bool any_shared =
      std::ranges::any_of(operands, [](const SeenOperand& seen) { return seen.tile.has_value(); });
  if (!any_shared) return "";
  if (format == "svg" || format == "html")
    return "pictures are of operands in registers; leave out --swizzle, or take another --format";
  if (format == "csv" && operands.size() > 1)
    return "an operand in shared memory has other columns; name one with --operand";
  return "";
}

/// The reason why no operand has highlighted elements, in words about the first operand. Empty if
/// at least one operand may have highlighted elements.
std::string why_dark(const Selection& selection, const Operands& operands) {
  std::string reason;
  for (const SeenOperand& seen : operands) {
    if (seen.tile) continue;
    const std::string outside = why_outside(
        *selection.highlight, instruction::name(seen.operand), places_of(selection, seen.operand),
        selection.row.map(seen.operand).registers, selection.row.wave);
    if (outside.empty()) return "";
    if (reason.empty()) reason = outside;
  }
  return reason;
}

/// The text of functions that compute where an operand's elements lie. The functions' names do not
/// contain the operand, so the question must name exactly one operand.
std::expected<std::string, std::string> code_of(const Selection& selection,
                                                const Operands& operands,
                                                const ShowQuestion& question) {
  if (operands.size() != 1)
    return std::unexpected("--to writes functions for one operand; name it with --operand");
  if (operands[0].tile)
    return std::unexpected("--to is of operands in registers; this one lies in shared memory");
  const LayoutArgument argument{
      "", formatted("{} of {}", instruction::name(operands[0].operand), selection.row.name),
      instruction::fragment(selection.row, operands[0].operand, selection.order),
      selection.row.map(operands[0].operand).bits, ""};
  return code_answer(layout_view(argument, false), question.code, question.format);
}

}  // namespace

std::expected<std::string, std::string> show(const ShowQuestion& question) {
  auto selection = select(question.selection);
  if (!selection) return std::unexpected(selection.error());
  if (!question.highlight.empty() && !question.code.empty())
    return std::unexpected("--to writes functions of a whole operand; leave out --highlight");
  if (!question.highlight.empty()) {
    const auto highlight = read_highlight(question.highlight);
    if (!highlight) return std::unexpected(highlight.error());
    if (question.format != "text" && question.format != "md" && question.format != "svg")
      return std::unexpected(
          "--highlight is for --format text, md and svg: a page of html marks what the "
          "pointer is on, and json and csv have everything");
    selection->highlight = *highlight;
  }
  const auto operands = operands_of(*selection, question.selection.operand);
  if (!operands) return std::unexpected(operands.error());
  if (const std::string reason = why_not(question.format, *operands); !reason.empty())
    return std::unexpected(reason);
  if (selection->highlight)
    if (const std::string reason = why_dark(*selection, *operands); !reason.empty())
      return std::unexpected(reason);
  if (!question.code.empty()) return code_of(*selection, *operands, question);
  if (question.format == "json") return json_of(*selection, *operands);
  if (question.format == "md") return markdown_of(*selection, *operands);
  if (question.format == "csv") return csv_of(*selection, *operands);
  if (question.format == "svg") return fragment_svg(*selection, drawn(*operands));
  if (question.format == "html") return fragment_page(*selection, drawn(*operands));
  return text_of(*selection, *operands, is_coloured(question.colour));
}

}  // namespace heddle::answers
