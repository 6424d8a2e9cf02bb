#include "answers/text/columns.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "answers/text/paragraph.h"
#include "library/text/formatted.h"
#include "library/text/joined.h"

namespace heddle::answers {
namespace {

std::vector<std::size_t> widths_of(const Cells& cells) {
  std::vector<std::size_t> widths(cells[0].size());
  for (const std::vector<std::string>& line : cells)
    for (std::size_t j = 0; j < line.size(); ++j) widths[j] = std::max(widths[j], line[j].size());
  return widths;
}

constexpr std::size_t margin_below_name = 2;

/// True if each name in the first column gets a line to itself, because the names take half of the
/// width or more.
bool names_stand_apart(const std::vector<std::size_t>& widths, std::size_t width) {
  return 2 * widths[0] >= width;
}

}  // namespace

std::size_t length_of(const Cells& cells, std::size_t width) {
  std::vector<std::size_t> widths = widths_of(cells);
  if (names_stand_apart(widths, width)) widths[0] = margin_below_name;
  std::size_t length = 2 * (widths.size() - 1);
  for (const std::size_t one : widths) length += one;
  return length;
}

std::string columns_of(const Cells& cells, std::size_t width) {
  std::vector<std::size_t> widths = widths_of(cells);
  std::vector<bool> is_number(cells[0].size(), cells.size() > 1);
  for (std::size_t i = 1; i < cells.size(); ++i) {
    for (std::size_t j = 0; j < cells[i].size(); ++j) {
      const bool digits = cells[i][j].find_first_not_of("0123456789-") == std::string::npos;
      is_number[j] = is_number[j] && (digits || cells[i][j] == "mem");
    }
  }
  const bool apart = names_stand_apart(widths, width);
  std::string text;
  for (const std::vector<std::string>& line : cells) {
    if (apart) text += line[0] + '\n' + std::string(margin_below_name + 2, ' ');
    for (std::size_t j = apart ? 1 : 0; j < line.size(); ++j) {
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

std::size_t text_width() {
  constexpr std::size_t usual_width = 80;
  const int width = terminal_width();
  return width == 0 ? usual_width : static_cast<std::size_t>(width);
}

// A cell with a comma is quoted (RFC 4180).
std::string csv_of(const Cells& cells) {
  std::string text;
  for (const std::vector<std::string>& line : cells)
    for (std::size_t i = 0; i < line.size(); ++i)
      text += (line[i].contains(',') ? '"' + line[i] + '"' : line[i]) +
              (i + 1 == line.size() ? "\n" : ",");
  return text;
}

std::string markdown_of(const Cells& cells) {
  std::string text;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    text += formatted("| {} |\n", joined(cells[i], " | "));
    if (i == 0)
      text +=
          formatted("|{}\n", joined(std::vector<std::string_view>(cells[0].size(), " --- |"), ""));
  }
  return text;
}

}  // namespace heddle::answers
