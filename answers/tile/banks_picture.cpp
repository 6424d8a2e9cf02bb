#include "answers/tile/banks_picture.h"

#include <algorithm>
#include <sstream>
#include <vector>

#include "answers/text/counted.h"
#include "answers/text/markup.h"
#include "library/text/formatted.h"

namespace heddle::answers {
namespace {

using memory::PhaseReport;
using memory::WantedWord;

// Lengths in the units of the drawing. A page is about 800 units wide.
constexpr int margin = 16;
constexpr int labels_right = 64;
constexpr int row_height = 19;
constexpr int phase_gap = 8;
constexpr int axis_height = 18;
constexpr int line_height = 17;
constexpr int panel_gap = 20;
constexpr int mark = 6;       // the corner that marks an extra pass
constexpr int character = 8;  // of a note or name, at most
constexpr int title_character = 10;
constexpr std::size_t longest_label = 26;

/// `words` in lines of at most `columns` characters; longer words are cut.
std::vector<std::string> wrapped(const std::string& words, std::size_t columns) {
  std::vector<std::string> lines;
  std::istringstream stream(words);
  for (std::string word; stream >> word;) {
    for (; word.size() > columns; word.erase(0, columns)) lines.push_back(word.substr(0, columns));
    if (lines.empty() || lines.back().size() + 1 + word.size() > columns)
      lines.push_back(word);
    else
      lines.back() += ' ' + word;
  }
  return lines;
}

/// A box of the drawing. It covers the words of adjacent banks that the same lanes access in the
/// same pass.
struct Box {
  int bank;
  int banks;
  int pass;
  std::uint64_t lanes;
};

std::vector<Box> boxes_of(const PhaseReport& phase) {
  std::vector<Box> boxes;
  int pass = 0, bank = -1;
  for (const WantedWord& word : phase.words) {
    pass = word.bank == bank ? pass + 1 : 0;
    bank = word.bank;
    const auto left = std::find_if(boxes.begin(), boxes.end(), [&](const Box& box) {
      return box.pass == pass && box.bank + box.banks == bank && box.lanes == word.lanes;
    });
    if (left != boxes.end())
      ++left->banks;
    else
      boxes.push_back({bank, 1, pass, word.lanes});
  }
  return boxes;
}

/// The most banks that the phases of any access use.
int banks_of(const MemoryView& memory) {
  int most = 0;
  for (const memory::AccessReport& report : memory.reports)
    for (const PhaseReport& phase : report.phases) most = std::max(most, phase.banks);
  return most;
}

/// The drawing of one layout of the tile: the instruction with the most extra passes, and the text
/// next to it.
class Panel {
 public:
  Panel(const AccessView& access, const MemoryView& memory)
      : banks_(banks_of(memory)), bank_width_(banks_ > 32 ? 14 : 20), memory_(memory) {
    const std::vector<AlikeAccesses> kinds = alike(memory);
    const AlikeAccesses& kind = *std::max_element(
        kinds.begin(), kinds.end(),
        [&](const AlikeAccesses& a, const AlikeAccesses& b) { return extra(a) < extra(b); });
    drawn_ = kind.first;
    const auto columns = static_cast<std::size_t>((width() - 2 * margin) / character);
    for (const std::string& line : wrapped(memory.name, columns)) lines_.push_back({"name", line});
    std::string note = formatted("{}: {}", instructions_text(access, memory),
                                 counted(memory.total.extra_passes, "extra pass"));
    if (memory.issued.list.size() > 1)
      note += formatted("; drawn: element{} {} of each lane",
                        memory.issued.list[drawn_].positions.size() == 1 ? "" : "s",
                        ranges_text(memory.issued.list[drawn_].positions));
    if (kind.count > 1) note += formatted(" ({} more alike)", kind.count - 1);
    for (const std::string& line : wrapped(note, columns)) lines_.push_back({"note", line});
    const std::string why = memory.reasons.empty() ? std::string(memory::no_conflict_sentence)
                                                   : memory.reasons.front().sentence();
    for (const std::string& line : wrapped(why, columns)) lines_.push_back({"note", line});
  }

  int width() const {
    return margin + labels_left() + banks_ * bank_width_ + labels_right + margin;
  }
  int height() const {
    int height = static_cast<int>(lines_.size()) * line_height + 6 + axis_height;
    for (const PhaseReport& phase : phases()) height += phase.passes * row_height + phase_gap;
    return height;
  }

  void draw(Drawing& drawing, int top) const {
    for (const Line& line : lines_)
      drawing.text(margin, top += line_height, line.style, line.words);
    top += 6 + axis_height;
    drawing.text(margin + labels_left() - 6, top - 5, "row", "bank");
    for (int bank = 0; bank < banks_; bank += 4)
      drawing.text(x_of(bank) + bank_width_ / 2, top - 5, "axis", formatted("{}", bank));
    for (const PhaseReport& phase : phases()) {
      draw_phase(drawing, phase, top);
      top += phase.passes * row_height + phase_gap;
    }
  }

 private:
  struct Line {
    std::string_view style;
    std::string words;
  };

  int extra(const AlikeAccesses& kind) const {
    return memory_.reports[kind.first].cost().extra_passes;
  }
  const std::vector<PhaseReport>& phases() const { return memory_.reports[drawn_].phases; }
  /// The number of a phase and its lanes, "phase 0: 0-3 20-23". If this is too long, only "phase
  /// 0".
  static std::string label_of(const PhaseReport& phase) {
    const std::string label =
        formatted("phase {}: {}", phase.number, ranges_text(lanes_of(phase.lanes)));
    return label.size() <= longest_label ? label : formatted("phase {}", phase.number);
  }
  int labels_left() const {
    std::size_t longest = 8;
    for (const PhaseReport& phase : phases()) longest = std::max(longest, label_of(phase).size());
    return static_cast<int>(longest) * 6 + 14;
  }
  int x_of(int bank) const { return margin + labels_left() + bank * bank_width_; }

  void draw_phase(Drawing& drawing, const PhaseReport& phase, int top) const {
    drawing.text(margin + labels_left() - 6, top + 13, "row", label_of(phase));
    for (int pass = 0; pass < phase.passes; ++pass) {
      const int y = top + pass * row_height;
      for (int bank = 0; bank < banks_; ++bank)
        drawing.box(x_of(bank), y, bank_width_, row_height, "idle");
      if (pass > 0) drawing.text(x_of(banks_) + 6, y + 13, "extra", formatted("extra {}", pass));
    }
    for (const Box& box : boxes_of(phase)) draw_box(drawing, box, top);
  }

  void draw_box(Drawing& drawing, const Box& box, int top) const {
    const int x = x_of(box.bank), y = top + box.pass * row_height;
    const int width = box.banks * bank_width_;
    const std::vector<std::uint64_t> lanes = lanes_of(box.lanes);
    drawing.box(x, y, width, row_height, box.pass == 0 ? "word" : "waits");
    if (box.pass > 0) drawing.corner(x, y, mark, "mark");
    std::string label = formatted("{}", lanes.front());
    const std::string all = ranges_text(lanes);
    if (lanes.size() > 1) label = static_cast<int>(all.size()) * 7 < width - 4 ? all : label + "+";
    drawing.text(x + width / 2, y + 14, "lane", label);
  }

  int banks_;
  int bank_width_;
  const MemoryView& memory_;
  std::size_t drawn_ = 0;
  std::vector<Line> lines_;
};

constexpr std::string_view styles =
    ".title{font-size:15px}.name{font-size:12px}.axis{font-size:10px}"
    ".extra{font-size:11px;fill:#8a1c00;font-weight:bold;text-anchor:start}.lane{font-size:11px}"
    "rect{stroke-width:.7}.idle{fill:#fff;stroke:#ddd}.word{fill:#cfe3f7}"
    ".waits{fill:#f8c9a8;stroke:#8a1c00;stroke-width:1.4}.mark{fill:#8a1c00}";

}  // namespace

std::string banks_svg(const BanksView& view) {
  std::vector<Panel> panels;
  for (const MemoryView& memory : view.memories) panels.emplace_back(view.access, memory);
  int width = 0, height = margin + line_height + 6;
  for (const Panel& panel : panels) {
    width = std::max(width, panel.width());
    height += panel.height() + panel_gap;
  }
  height += margin;
  std::vector<std::string> title =
      wrapped(formatted("{} on {}", view.access.name, view.access.model.name),
              static_cast<std::size_t>((width - 2 * margin) / title_character));
  height += static_cast<int>(title.size()) * line_height;
  Drawing drawing;
  int y = margin;
  for (const std::string& line : title) drawing.text(margin, y += line_height, "title", line);
  drawing.text(
      margin, y += line_height, "note",
      "a column is a bank, a row a pass, a number the lane; marked: waits for an extra pass");
  y += 6;
  for (const Panel& panel : panels) {
    y += panel_gap;
    panel.draw(drawing, y);
    y += panel.height();
  }
  return drawing.document(width, height, styles);
}

}  // namespace heddle::answers
