#include "answers/instruction/fragment_page.h"

#include <algorithm>
#include <string_view>

#include "answers/instruction/fragment_formula.h"
#include "answers/instruction/operand_view.h"
#include "answers/instruction/row_text.h"
#include "answers/text/markup.h"
#include "library/text/formatted.h"

namespace heddle::answers {
namespace {

using instruction::Operand;

std::string table(const ViewTable& view) {
  std::string html = "<table><tr><th>" + escaped(view.heading.label);
  for (const Cell& cell : view.heading.cells) html += "<th>" + escaped(cell.text);
  for (const Line& line : view.lines) {
    html += "\n<tr><th>" + escaped(line.label);
    for (const Cell& cell : line.cells)
      html += formatted("<td class=\"l{} r{}\">{}", cell.lane, cell.reg, escaped(cell.text));
  }
  return html + "</table>\n";
}

std::string section(const Selection& selection, Operand operand) {
  const OperandView view = operand_view(selection, operand);
  std::string html = formatted("<section id=\"{}\" data-letter=\"{}\"><h2>{}</h2>\n<p>{}</p>\n",
                               instruction::name(operand), register_letter(selection.row, operand),
                               escaped(view.heading), escaped(view.sentences));
  for (const std::string& line : place_formulas(selection, operand))
    html += formatted("<p class=\"formula\">{}</p>\n", escaped(line));
  html += formatted("<div class=\"views\"><div><h3>{}</h3>\n", escaped(view.matrix_legend));
  for (const ViewTable& matrix : view.matrices) html += table(matrix);
  return html + formatted("</div><div><h3>{}</h3>\n{}</div></div></section>\n",
                          escaped(view.register_legend), table(view.registers));
}

constexpr std::string_view page_style =
    "body{font-family:sans-serif;margin:1.5em;color:#000;background:#fff}\n"
    "h1{font-size:1.3em}h2{font-size:1.1em;margin-top:2em}h3{font-size:1em;font-weight:normal}\n"
    "dt{float:left;clear:left;width:6em}dd{margin-left:6.5em}p{max-width:50em;margin:.3em 0}\n"
    ".formula,table{font-family:monospace}.views{display:flex;flex-wrap:wrap;gap:2em}\n"
    "table{border-collapse:collapse;margin-bottom:1em;font-size:13px}\n"
    "td,th{border:1px solid #888;padding:1px 5px;text-align:right;white-space:nowrap}\n"
    "th{font-weight:normal;border-color:#ccc;color:#444}\n"
    "#under{position:fixed;left:0;bottom:0;padding:.4em 1.5em;background:#000;color:#fff}\n"
    "#under:empty{display:none}\n"
    "@media print{#under{display:none}td{border-color:#000}h2{break-after:avoid}}\n";

/// The script that marks the lane and the register of the cell under the mouse pointer. A cell of
/// class l19 is held by lane 19; one of class r2 is in register 2 of the operand.
constexpr std::string_view script =
    "<div id=\"under\"></div><page_style id=\"marks\"></style><script>\n"
    "document.addEventListener('mouseover', (event) => {\n"
    "  const cell = event.target.closest('td');\n"
    "  const marks = document.getElementById('marks'), under = document.getElementById('under');\n"
    "  if (!cell) { marks.textContent = under.textContent = ''; return; }\n"
    "  const [lane, register] = cell.classList, operand = cell.closest('section');\n"
    "  marks.textContent = `.${lane}{outline:2px solid #000}` +\n"
    "    `#${operand.id} .${lane}.${register}{background:#000;color:#fff}`;\n"
    "  under.textContent = `${operand.id}: lane ${lane.slice(1)}, ` +\n"
    "    `${operand.dataset.letter}${register.slice(1)}`;\n"
    "});\n"
    "</script>\n";

}  // namespace

std::string fragment_page(const Selection& selection, std::span<const Operand> operands) {
  const std::string heading = escaped(instruction_heading(selection));
  std::string html = formatted(
      "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n"
      "<title>{}</title>\n<style>\n{}",
      heading, page_style);
  for (int lane = 0; lane < selection.row.wave; ++lane)
    html += formatted(".l{}{{background:{}}}\n", lane, lane_colour(lane));
  html += formatted("</style></head><body>\n<h1>{}</h1>\n<dl>\n", heading);
  for (const InstructionFact& fact : instruction_facts(selection))
    html += formatted("<dt>{}</dt><dd>{}</dd>\n", fact.label, escaped(fact.words));
  html += "</dl>\n";
  for (const Operand operand : operands) html += section(selection, operand);
  return html + std::string(script) + "</body></html>\n";
}

}  // namespace heddle::answers
