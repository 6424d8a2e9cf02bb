#include "tools/heddle/operand_view.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <vector>

#include "heddle/instruction/places.h"
#include "heddle/layout/axes.h"
#include "heddle/layout/formula.h"
#include "tools/heddle/paragraph.h"

namespace heddle::tool {
namespace {

using instruction::Instruction;
using instruction::KOrder;
using instruction::Operand;
using layout::LinearLayout;

constexpr int label_columns = 12;  // of the heading's paragraphs

/// A cell of a view: its text, and the lane whose colour it has.
struct Cell {
  std::string text;
  int lane = 0;
};

/// A line of a view: a label and its cells.
struct Line {
  std::string label;
  std::vector<Cell> cells;
};

/// Backgrounds of the 256-colour palette for lanes 0-15 and, darker, 16-31; both readable under
/// black. Lanes 32-63 of a wave64 begin again.
constexpr std::array lane_colours{224, 223, 229, 193, 194, 195, 189, 183, 225, 217, 222,
                                  192, 158, 159, 153, 147, 174, 180, 186, 150, 115, 116,
                                  110, 140, 176, 138, 179, 149, 79,  80,  74,  104};

std::string painted(const std::string& text, int lane, bool coloured) {
  if (!coloured) return text;
  const int colour = lane_colours[static_cast<std::size_t>(lane) % lane_colours.size()];
  return fmt::format("\033[38;5;16;48;5;{}m{}\033[0m", colour, text);
}

/// Lines in columns, the first of which is the labels; all cells of a view are equally wide.
std::string table(const Line& heading, const std::vector<Line>& lines, bool coloured) {
  std::size_t label_width = heading.label.size();
  std::size_t width = 0;
  for (const Cell& cell : heading.cells) width = std::max(width, cell.text.size());
  for (const Line& line : lines) {
    label_width = std::max(label_width, line.label.size());
    for (const Cell& cell : line.cells) width = std::max(width, cell.text.size());
  }
  std::string text = fmt::format("  {:>{}} |", heading.label, label_width);
  for (const Cell& cell : heading.cells) text += fmt::format(" {:>{}}", cell.text, width);
  text += fmt::format("\n  {:->{}}+{:-<{}}\n", "", label_width + 1, "",
                      heading.cells.size() * (width + 1));
  for (const Line& line : lines) {
    text += fmt::format("  {:>{}} |", line.label, label_width);
    for (const Cell& cell : line.cells)
      text += painted(fmt::format(" {:>{}}", cell.text, width), cell.lane, coloured);
    text += '\n';
  }
  return text;
}

/// "7", or "6-7" for two and more.
std::string range(std::uint64_t first, std::uint64_t count) {
  return count == 1 ? fmt::format("{}", first) : fmt::format("{}-{}", first, first + count - 1);
}

/// A fragment with what its views need to know about it.
struct Fragment {
  Fragment(const Instruction& row, Operand of, KOrder order)
      : instruction(row),
        operand(of),
        map(instruction::fragment(row, of, order)),
        copies(instruction::lane_copies(map)),
        group_size(static_cast<std::uint64_t>(instruction::k_per_group(row, map))),
        registers_a_step(static_cast<std::uint64_t>(row.map(of).registers) /
                         map.input_size("register")) {}

  std::uint64_t size(const layout::AxisName& axis) const { return map.input_size(axis); }
  std::uint64_t place(std::uint64_t element, std::uint64_t reg, std::uint64_t lane) const {
    return map.apply(element + size("element") * (reg + size("register") * lane));
  }
  std::uint64_t row(std::uint64_t place) const { return map.outputs().coordinate(place, 0); }
  std::uint64_t column(std::uint64_t place) const { return map.outputs().coordinate(place, 1); }
  std::uint64_t block(std::uint64_t place) const {
    return map.outputs().unpack(place).at_or("block", 0);
  }
  bool is_copy(std::uint64_t lane) const {
    return std::any_of(copies.begin(), copies.end(),
                       [&](int copy) { return (lane & static_cast<std::uint64_t>(copy)) != 0; });
  }
  std::uint64_t selector(std::uint64_t place) const {
    return map.outputs().unpack(place).at_or("selector", 0);
  }
  /// How many rows or columns of the matrix one coordinate of an output axis stands for.
  std::uint64_t width(int output) const {
    return map.outputs()[output].name == "group" ? group_size : 1;
  }
  /// The name of an output axis; a group is a run of k, and is shown as those.
  std::string axis(int output) const {
    const std::string name(map.outputs()[output].name.text());
    return name == "group" ? "k" : name;
  }

  const Instruction& instruction;
  Operand operand;
  LinearLayout map;
  std::vector<int> copies;
  std::uint64_t group_size;        // columns of the matrix that one column of the map stands for
  std::uint64_t registers_a_step;  // that one value of the map's register axis stands for

  char register_letter() const { return instruction.register_letter(operand); }
  std::string_view registers() const { return register_letter() == 'a' ? "AGPR" : "VGPR"; }
};

/// " opsel 0-3" of an operand of which the instruction reads a part: in which it is what is here.
std::string selectors(const Fragment& fragment, std::uint64_t reg, std::uint64_t lane) {
  if (!fragment.map.outputs().contains("selector")) return "";
  const std::uint64_t first = fragment.selector(fragment.place(0, reg, lane));
  const std::uint64_t last =
      fragment.selector(fragment.place(fragment.size("element") - 1, reg, lane));
  return " opsel " + range(first, last - first + 1);
}

/// The elements of one register of one lane, "3,4-5": neighbours in a row or a column together. Of
/// several blocks " b2" says which.
std::string register_cell(const Fragment& fragment, std::uint64_t reg, std::uint64_t lane) {
  const std::uint64_t part = fragment.selector(fragment.place(0, reg, lane));
  std::uint64_t count = fragment.size("element");  // of the first part
  while (fragment.selector(fragment.place(count - 1, reg, lane)) != part) count /= 2;
  std::string text;
  for (std::uint64_t first = 0, run = 1; first < count; first += run) {
    const std::uint64_t start = fragment.place(first, reg, lane);
    const std::uint64_t row = fragment.row(start);
    const std::uint64_t column = fragment.column(start);
    const auto is = [&](std::uint64_t i, std::uint64_t rows, std::uint64_t columns) {
      const std::uint64_t place = fragment.place(first + i, reg, lane);
      return fragment.row(place) == row + rows && fragment.column(place) == column + columns;
    };
    run = 1;
    while (first + run < count && is(run, 0, run)) ++run;
    const std::uint64_t columns = run;
    while (columns == 1 && first + run < count && is(run, run, 0)) ++run;
    const std::uint64_t rows = columns > 1 ? 1 : run;
    if (!text.empty()) text += ' ';
    text += range(row * fragment.width(0), rows * fragment.width(0)) + "," +
            range(column * fragment.width(1), columns * fragment.width(1));
  }
  text += selectors(fragment, reg, lane);
  if (fragment.instruction.blocks > 1)
    text += fmt::format(" b{}", fragment.block(fragment.place(0, reg, lane)));
  return text;
}

std::string register_view(const Fragment& fragment, bool coloured) {
  Line heading{"lane", {}};
  for (std::uint64_t reg = 0; reg < fragment.size("register"); ++reg)
    heading.cells.push_back({fragment.register_letter() +
                             range(reg * fragment.registers_a_step, fragment.registers_a_step)});
  std::vector<Line> lines;
  for (std::uint64_t lane = 0; lane < fragment.size("lane"); ++lane) {
    if (fragment.is_copy(lane)) continue;
    Line line;
    for (int copy : fragment.copies)
      line.label += fmt::format("{}{}", line.label.empty() ? "" : ",", lane + copy);
    for (std::uint64_t reg = 0; reg < fragment.size("register"); ++reg)
      line.cells.push_back({register_cell(fragment, reg, lane), static_cast<int>(lane)});
    lines.push_back(std::move(line));
  }
  return table(heading, lines, coloured);
}

/// How many neighbours along an output axis share a register, lowest bits first.
std::uint64_t packed_along(const Fragment& fragment, int output) {
  std::uint64_t packed = 1;
  for (int bit = 0; bit < fragment.map.inputs().bits_of("element"); ++bit) {
    const std::uint64_t basis = fragment.map.basis(bit);
    const std::uint64_t other = fragment.map.outputs().coordinate(basis, 1 - output);
    if (other == 0 && fragment.map.outputs().coordinate(basis, output) == packed) packed *= 2;
  }
  return packed;
}

/// "17v3": lane 17, register 3; ".2" behind it where the cell begins at position 2 of the register.
Cell matrix_cell(const instruction::Places& places, std::size_t at, bool whole_register,
                 char letter) {
  std::string text = fmt::format("{}{}{}", places.lane[at], letter, places.reg[at]);
  if (!whole_register) text += fmt::format(".{}", places.bit[at] / places.bits);
  return {std::move(text), places.lane[at]};
}

std::string matrix_view(const Fragment& fragment, const instruction::Places& places,
                        bool coloured) {
  const std::uint64_t row_step = packed_along(fragment, 0);
  const std::uint64_t column_step = packed_along(fragment, 1);
  const bool is_moved = places.bit[0] != 0;  // by a modifier: element 0 begins at 0
  const bool whole_register = row_step * column_step == fragment.size("element") && !is_moved;
  const std::uint64_t width = column_step * fragment.width(1);
  const std::uint64_t height = row_step * fragment.width(0);
  const auto cols = static_cast<std::uint64_t>(places.cols);
  std::string text;
  for (int block = 0; block < places.blocks; ++block) {
    const std::string name = places.blocks > 1 ? fmt::format("block {}, ", block) : "";
    Line heading{fmt::format("{}{}\\{}", name, fragment.axis(0), fragment.axis(1)), {}};
    for (std::uint64_t column = 0; column < cols; column += width)
      heading.cells.push_back({range(column, width)});
    std::vector<Line> lines;
    const auto rows = static_cast<std::uint64_t>(places.rows);
    for (std::uint64_t row = 0; row < rows; row += height) {
      Line line{range(row, height), {}};
      const std::uint64_t first = (static_cast<std::uint64_t>(block) * rows + row) * cols;
      for (std::uint64_t column = 0; column < cols; column += width)
        line.cells.push_back(
            matrix_cell(places, first + column, whole_register, fragment.register_letter()));
      lines.push_back(std::move(line));
    }
    text += table(heading, lines, coloured);
  }
  return text;
}

/// "A[m = lane % 16][k = e]": element e of a lane, the elements of a register counted from its
/// lowest bits and the registers in order.
std::string element_formula(const Fragment& fragment) {
  const auto& inputs = fragment.map.inputs();
  const layout::AxisList axes{{"e", inputs.bits() - inputs.bits_of("lane")},
                              {"lane", inputs.bits_of("lane")}};
  const LinearLayout map = layout::reshape_inputs(fragment.map, axes).value();
  const std::vector<std::string> formulas = layout::formulas(map);
  std::string text(instruction::name(fragment.operand == Operand::c &&
                                             !instruction::exists(fragment.instruction.c)
                                         ? Operand::d
                                         : fragment.operand));
  for (int axis = 0; axis < map.outputs().size(); ++axis) {
    const std::string run =
        fragment.width(axis) > 1 ? fmt::format(" / {}", fragment.group_size) : std::string();
    text += fmt::format("[{}{} = {}]", fragment.axis(axis), run,
                        formulas[static_cast<std::size_t>(axis)]);
  }
  return text;
}

/// Where element e of a lane lies.
std::string register_formula(const Fragment& fragment) {
  const std::uint64_t packed = fragment.size("element");
  const int bits = fragment.instruction.map(fragment.operand).bits;
  if (32 % bits != 0 && bits < 32)
    return fmt::format("bits from {} * e on of its {} VGPRs, taken as one", bits,
                       fragment.instruction.map(fragment.operand).registers);
  if (fragment.registers_a_step > 1) return "VGPRs 2 * e (the low half) and 2 * e + 1";
  if (packed > 1)
    return fmt::format("VGPR e / {}, bits from {} * (e % {}) on", packed, bits, packed);
  return bits < 32 ? fmt::format("VGPR e, the low {} bits", bits)
                   : fmt::format("{} e", fragment.registers());
}

std::string copies_sentence(const Fragment& fragment) {
  const std::vector<int>& copies = fragment.copies;
  if (copies.size() == 1) return "No lane holds a copy.";
  const auto lanes = static_cast<int>(fragment.size("lane"));
  if (copies[1] * static_cast<int>(copies.size()) == lanes)
    return fmt::format("Lanes {}-{} repeat lanes 0-{} and must hold the same.", copies[1],
                       lanes - 1, copies[1] - 1);
  std::string list;
  for (std::size_t i = 1; i < copies.size(); ++i)
    list += fmt::format("{}lane + {}", i == 1 ? "" : ", ", copies[i]);
  return fmt::format("Copies, which must hold the same: {}.", list);
}

/// What one position of the operand is.
std::string element_words(const Fragment& fragment) {
  const std::string_view type = instruction::name(fragment.instruction.type(fragment.operand));
  if (fragment.operand == Operand::index) return "pair of 2-bit places";
  if (fragment.operand == Operand::scale_a || fragment.operand == Operand::scale_b)
    return fmt::format("{}, one for {} k", type, fragment.group_size);
  return fmt::format("{}{}", type, fragment.group_size > 1 ? " pair" : "");
}

std::string names_of_witnesses(const Instruction& row, bool of_map) {
  std::string text;
  for (const instruction::WitnessRow& witness : instruction::witness_rows) {
    if (witness.of_map != of_map || !row.has(witness.witness)) continue;
    text += fmt::format("{}{}", text.empty() ? "" : "; ", witness.sentence);
  }
  return text;
}

/// What `order` is, where the two orders differ for this instruction; else nothing.
std::string order_words(const Instruction& row, KOrder order) {
  const LinearLayout renumbering = instruction::contiguous_k(row);
  bool same = true;
  for (int bit = 0; bit < renumbering.input_bits(); ++bit)
    same = same && renumbering.basis(bit) == std::uint64_t{1} << bit;
  if (same) return "";
  return order == KOrder::isa
             ? "isa, as AMD's documents and calculator number k; TileLang and IREE number it so "
               "that a lane's elements are consecutive: --k-order contiguous"
             : "contiguous: k renumbered so that a lane's elements are consecutive, as TileLang "
               "and IREE do; the same product as --k-order isa when A and B share it";
}

}  // namespace

std::string instruction_text(const Instruction& row, instruction::Target target, KOrder order,
                             int width) {
  std::string types = fmt::format(
      "{} x {} + {} -> {}", instruction::name(row.a_type), instruction::name(row.b_type),
      instruction::name(row.type(Operand::c)), instruction::name(row.d_type));
  std::string text =
      fmt::format("{} on {}, wave{}\n", row.name, instruction::name(target), row.wave);
  text += paragraph("  computes",
                    fmt::format("D = A x B + C, {}{}x{}x{} (m n k){}, {}",
                                row.blocks > 1 ? fmt::format("{} blocks of ", row.blocks) : "",
                                row.m, row.n, row.k,
                                row.is_sparse()             ? ", A sparse (2 of 4 k) with index K"
                                : row.has(Operand::scale_a) ? ", A scaled by SA and B by SB"
                                                            : "",
                                types),
                    label_columns, width);
  std::string needs;
  for (const instruction::ConstraintRow& constraint : instruction::constraint_rows)
    if (row.has(constraint.constraint))
      needs += fmt::format("{}{}", needs.empty() ? "" : "; ", constraint.sentence);
  if (!needs.empty()) text += paragraph("  needs", needs, label_columns, width);
  if (const std::string words = order_words(row, order); !words.empty())
    text += paragraph("  k order", words, label_columns, width);
  text += paragraph("  witnesses",
                    fmt::format("of the places: {}{}; of registers and encoding: {}",
                                row.map_witnesses() == 0 ? "NONE" : names_of_witnesses(row, true),
                                row.map_witnesses() == 1 ? " (the only one)" : "",
                                names_of_witnesses(row, false)),
                    label_columns, width);
  if (!row.doubt.empty())
    text += paragraph("  in doubt", std::string(row.doubt), label_columns, width);
  return text;
}

std::string operand_text(const Selection& selection, Operand operand, bool coloured, int width) {
  const Instruction& row = selection.row;
  const Fragment fragment(row, operand, selection.order);
  const instruction::Places places = places_of(selection, operand);
  const bool is_accumulator = operand == Operand::c || operand == Operand::d;
  const int held = instruction::elements_per_lane(row, operand);
  const std::string lanes = fragment.size("lane") < static_cast<std::uint64_t>(row.wave)
                                ? fmt::format(", in lanes 0-{} only", fragment.size("lane") - 1)
                                : "";
  std::string text = fmt::format(
      "{}: {}{}x{} ({} {}) of {}, {} {}{} a lane{}\n",
      is_accumulator && !instruction::exists(row.c) ? "C and D" : instruction::name(operand),
      places.blocks > 1 ? fmt::format("{} blocks of ", places.blocks) : "", places.rows,
      places.cols, fragment.axis(0), fragment.axis(1), element_words(fragment),
      row.map(operand).registers, fragment.registers(), row.map(operand).registers == 1 ? "" : "s",
      lanes);
  text += paragraph(
      "",
      fmt::format("A lane holds {} element{}: e is {}, in {}. {}", held, held == 1 ? "" : "s",
                  element_formula(fragment), register_formula(fragment), copies_sentence(fragment)),
      2, width);
  text += fmt::format("\n  registers of a lane, as {},{}\n", fragment.axis(0), fragment.axis(1));
  text += register_view(fragment, coloured);
  const std::string modified = selection.modifiers.any()
                                   ? fmt::format(", with {}", words(selection.modifiers))
                                   : std::string();
  text += fmt::format("\n  matrix, as lane {} register{}\n", fragment.register_letter(), modified);
  return text + matrix_view(fragment, places, coloured);
}

std::string operand_json(const Selection& selection, Operand operand) {
  const instruction::Places places = places_of(selection, operand);
  return fmt::format(
      R"({{"rows": {}, "cols": {}, "blocks": {}, "nbits": {}, "reg": [{}], "lane": [{}], "bit": [{}], "lane_copies": [{}]}})",
      places.rows, places.cols, places.blocks, places.bits, fmt::join(places.reg, ", "),
      fmt::join(places.lane, ", "), fmt::join(places.bit, ", "),
      fmt::join(places.lane_copies, ", "));
}

std::string operand_csv(const Selection& selection, Operand operand) {
  const instruction::Places places = places_of(selection, operand);
  const auto cols = static_cast<std::size_t>(places.cols);
  const auto rows = static_cast<std::size_t>(places.rows);
  std::string text;
  for (std::size_t i = 0; i < places.reg.size(); ++i)
    text += fmt::format("{},{},{},{},{},{},{},{},{}\n", instruction::name(operand), i / cols / rows,
                        i / cols % rows, i % cols, places.reg[i], places.lane[i], places.bit[i],
                        places.bits, fmt::join(places.lane_copies, " "));
  return text;
}

}  // namespace heddle::tool
