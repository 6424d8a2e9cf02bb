#include "answers/text/view_table.h"

#include "library/text/formatted.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>

namespace heddle::answers {
namespace {

/// Background colours for lanes, from the palette of 256 colours: 16 light ones for lanes 0-15 and
/// 16 darker ones for lanes 16-31. Black text is readable on all of them. Lane 32 has the colour of
/// lane 0 again.
constexpr std::array lane_colours{224, 223, 229, 193, 194, 195, 189, 183, 225, 217, 222,
                                  192, 158, 159, 153, 147, 174, 180, 186, 150, 115, 116,
                                  110, 140, 176, 138, 179, 149, 79,  80,  74,  104};

std::string painted(const std::string& text, int lane, bool coloured) {
  if (!coloured) return text;
  const int colour = lane_colours[static_cast<std::size_t>(lane) % lane_colours.size()];
  return formatted("\033[38;5;16;48;5;{}m{}\033[0m", colour, text);
}

/// Widths of the labels and of the cells.
struct Widths {
  std::size_t label = 0;
  std::size_t cell = 0;

  void include(const Line& line) {
    label = std::max(label, line.label.size());
    for (const Cell& cell_ : line.cells) cell = std::max(cell, cell_.text.size());
  }
};

/// A part of the table as text: `count` columns from column `first` on, below their headings.
std::string columns(const Line& heading, const std::vector<Line>& lines, const Widths& widths,
                    std::size_t first, std::size_t count, bool coloured) {
  const auto end = [&](const Line& line) { return std::min(line.cells.size(), first + count); };
  std::string text = fmt::format("  {:>{}} |", heading.label, widths.label);
  for (std::size_t i = first; i < end(heading); ++i)
    text += fmt::format(" {:>{}}", heading.cells[i].text, widths.cell);
  text += fmt::format("\n  {:->{}}+{:-<{}}\n", "", widths.label + 1, "",
                      (end(heading) - first) * (widths.cell + 1));
  for (const Line& line : lines) {
    text += fmt::format("  {:>{}} |", line.label, widths.label);
    for (std::size_t i = first; i < end(line); ++i)
      text += painted(fmt::format(" {:>{}}", line.cells[i].text, widths.cell), line.cells[i].lane,
                      coloured);
    text += '\n';
  }
  return text;
}

std::string markdown_line(const Line& line) {
  std::string text = "| " + line.label + " |";
  for (const Cell& cell : line.cells) text += " " + cell.text + " |";
  return text + '\n';
}

std::string markdown_table(const Line& heading, const std::vector<Line>& lines) {
  std::string text = markdown_line(heading) + "| --- |";
  for (std::size_t i = 0; i < heading.cells.size(); ++i) text += " --- |";
  text += '\n';
  for (const Line& line : lines) text += markdown_line(line);
  return text;
}

}  // namespace

std::string view_table(const ViewTable& table, const TableStyle& style) {
  const auto& [heading, lines] = table;
  if (style.markup == Markup::markdown) return markdown_table(heading, lines);
  Widths widths;
  widths.include(heading);
  for (const Line& line : lines) widths.include(line);
  std::size_t at_once = std::max<std::size_t>(heading.cells.size(), 1);
  const auto beside_cells = static_cast<int>(widths.label) + 4;
  if (style.width > 0)
    at_once = static_cast<std::size_t>(
        std::clamp((style.width - beside_cells) / static_cast<int>(widths.cell + 1), 1,
                   static_cast<int>(at_once)));
  std::string text;
  for (std::size_t first = 0; first < heading.cells.size(); first += at_once) {
    if (first > 0) text += '\n';
    text += columns(heading, lines, widths, first, at_once, style.markup == Markup::coloured);
  }
  return text;
}

bool is_coloured(const std::string& choice) {
  if (choice != "auto") return choice == "always";
  const char* no_colour = std::getenv("NO_COLOR");
  const char* terminal = std::getenv("TERM");
  return (no_colour == nullptr || *no_colour == '\0') && isatty(STDOUT_FILENO) != 0 &&
         (terminal == nullptr || std::string_view(terminal) != "dumb");
}

std::string lane_colour(int lane) {
  constexpr std::array lightness{88, 76, 82, 70};
  return formatted("hsl({:.0f},65%,{}%)", lane % 16 * 22.5,
                   lightness[static_cast<std::size_t>(lane / 16 % 4)]);
}

}  // namespace heddle::answers
