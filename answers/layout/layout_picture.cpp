#include "answers/layout/layout_picture.h"


#include <algorithm>

#include "answers/text/markup.h"
#include "answers/text/paragraph.h"

namespace heddle::answers {
namespace {

// Lengths, in units of the drawing.
constexpr int margin = 16;
constexpr int line_height = 17;
constexpr int cell_height = 22;
constexpr int character = 7;  // of a cell or label, at most
constexpr int note_columns = 80;

constexpr std::string_view styles = ".name{font-size:14px}.cell{font-size:11px}";

int width_of(const Line& line) {
  std::size_t widest = 2;
  for (const Cell& cell : line.cells) widest = std::max(widest, cell.text.size());
  return static_cast<int>(widest) * character + 6;
}

/// Words in lines of at most `note_columns`.
std::vector<std::string> wrapped(const std::string& words) {
  const std::string lines = paragraph("", words, 0, note_columns);
  std::vector<std::string> result;
  for (std::size_t begin = 0; begin < lines.size();) {
    const std::size_t end = lines.find('\n', begin);
    result.push_back(lines.substr(begin, end - begin));
    begin = end + 1;
  }
  return result;
}

/// A line of print above the table.
struct Note {
  std::string words;
  bool is_name = false;
};

std::vector<Note> notes_of(const LayoutView& view, const LayoutTable& table) {
  std::vector<Note> notes;
  constexpr std::size_t longest = 300;
  std::string own = view.argument.text;
  if (own.size() > longest) own = own.substr(0, longest) + " …";
  for (std::string& line : wrapped(own)) notes.push_back({std::move(line), true});
  for (const LayoutFact& fact : layout_facts(view))
    if (fact.label == "means")
      for (std::string& line : wrapped(view.argument.what + ": " + fact.words))
        notes.push_back({std::move(line)});
  std::string legend = table.legend;
  if (!table.colours.empty()) legend += "; " + table.colours;
  for (std::string& line : wrapped(legend)) notes.push_back({std::move(line)});
  if (!table.left_out.empty()) notes.push_back({table.left_out});
  return notes;
}

}  // namespace

std::string layout_svg(const LayoutView& view, const LayoutTable& table) {
  const std::vector<Note> notes = notes_of(view, table);
  int cell_width = width_of(table.table.heading);
  std::size_t label = table.table.heading.label.size();
  for (const Line& line : table.table.lines) {
    cell_width = std::max(cell_width, width_of(line));
    label = std::max(label, line.label.size());
  }
  const int left = margin + static_cast<int>(label) * character + 6;
  const int top = margin + static_cast<int>(notes.size()) * line_height + 30;
  int width = left + static_cast<int>(table.table.heading.cells.size()) * cell_width + margin;
  for (const Note& note : notes) {
    constexpr int bold_character = 9;
    const int print = static_cast<int>(note.words.size()) * (note.is_name ? bold_character : 7);
    width = std::max(width, print + 2 * margin);
  }
  const int height = top + static_cast<int>(table.table.lines.size()) * cell_height + margin;
  Drawing drawing;
  int y = margin - 4;
  for (const Note& note : notes)
    drawing.text(margin, y += line_height, note.is_name ? "name" : "note", note.words);
  drawing.text(left - 6, top - 6, "row", table.table.heading.label);
  int x = left + cell_width / 2;
  for (const Cell& cell : table.table.heading.cells) {
    drawing.text(x, top - 6, "axis", cell.text);
    x += cell_width;
  }
  y = top;
  for (const Line& line : table.table.lines) {
    drawing.text(left - 6, y + 15, "row", line.label);
    x = left;
    for (const Cell& cell : line.cells) {
      const std::string fill =
          cell.text == "-" || table.colours.empty() ? "#fff" : lane_colour(cell.lane);
      drawing.filled(x, y, cell_width, cell_height, fill);
      drawing.text(x + cell_width / 2, y + 15, "cell", cell.text);
      x += cell_width;
    }
    y += cell_height;
  }
  return drawing.document(width, height, styles);
}

}  // namespace heddle::answers
