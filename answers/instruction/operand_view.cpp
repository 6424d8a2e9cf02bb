#include "answers/instruction/operand_view.h"

#include <algorithm>
#include <vector>

#include "answers/instruction/fragment_formula.h"
#include "answers/instruction/row_text.h"
#include "answers/text/paragraph.h"
#include "heddle/instruction/places.h"
#include "heddle/layout/axes.h"
#include "heddle/layout/formula.h"
#include "library/text/formatted.h"
#include "library/text/joined.h"

namespace heddle::answers {
namespace {

using instruction::Instruction;
using instruction::KOrder;
using instruction::Operand;
using instruction::Places;
using layout::LinearLayout;

/// One operand of an instruction with its map (element, register, lane) -> (row, column, ...), and
/// the facts about the map from which the operand's tables are made.
struct Fragment {
  Fragment(const Instruction& row, Operand of, KOrder order)
      : instruction(row),
        operand(of),
        map(instruction::fragment(row, of, order)),
        copies(instruction::lane_copies(map)),
        group_size(static_cast<std::uint64_t>(instruction::k_per_group(row, map))),
        registers_a_step(
            static_cast<std::uint64_t>(instruction::registers_per_step(row.map(of), map))),
        steps(static_cast<std::uint64_t>(row.map(of).registers) / registers_a_step),
        part_columns(static_cast<std::uint64_t>(row.n) / map.output_size("part")) {}

  std::uint64_t size(const layout::AxisName& axis) const { return map.input_size(axis); }
  std::uint64_t place(std::uint64_t element, std::uint64_t reg, std::uint64_t lane) const {
    return map.apply(element + size("element") * (reg + size("register") * lane));
  }
  std::uint64_t row(std::uint64_t place) const { return map.outputs().coordinate(place, 0); }
  std::uint64_t column(std::uint64_t place) const {
    if (!has_columns()) return 0;
    return map.outputs().coordinate(place, 1) + further(place, "part") * part_columns;
  }
  std::uint64_t further(std::uint64_t place, const layout::AxisName& axis) const {
    return map.outputs().unpack(place).at_or(axis, 0);
  }
  /// True if the operand has columns. An operand of addresses has only rows.
  bool has_columns() const {
    return map.outputs().size() > 1 && !(map.outputs()[1].name == "block");
  }
  bool is_copy(std::uint64_t lane) const {
    return std::any_of(copies.begin(), copies.end(),
                       [&](int copy) { return (lane & static_cast<std::uint64_t>(copy)) != 0; });
  }
  /// The name of an output axis of the map. The axis `group`, whose values stand for several
  /// consecutive k each, is shown as k.
  std::string axis(int output) const {
    const std::string name(map.outputs()[output].name.text());
    return name == "group" ? "k" : name;
  }
  /// How many rows or columns of the matrix one value of the output axis stands for.
  std::uint64_t step(int output) const {
    return map.outputs()[output].name == "group" ? group_size : 1;
  }

  char letter() const { return register_letter(instruction, operand); }
  std::string registers(int count) const { return register_words(instruction, operand, count); }

  const Instruction& instruction;
  Operand operand;
  LinearLayout map;
  std::vector<int> copies;
  std::uint64_t group_size;
  std::uint64_t registers_a_step;  // how many one value of the map's register axis stands for
  std::uint64_t steps;             // how many values the register axis has
  std::uint64_t part_columns;      // of an n that is cut into parts
};

/// The rows and columns of a run of adjacent elements, such as "3,4-5" for row 3 and columns 4 and
/// 5. `place` is the map's output for the first element.
std::string run_text(const Fragment& fragment, std::uint64_t place, std::uint64_t rows,
                     std::uint64_t columns) {
  const std::uint64_t row_step = fragment.step(0);
  std::string text = range_text(fragment.row(place) * row_step, rows * row_step);
  if (!fragment.has_columns()) return text;
  const std::uint64_t column_step = fragment.step(1);
  return text + "," + range_text(fragment.column(place) * column_step, columns * column_step);
}

/// The parts of an operand that a register holds, where the instruction has a selector that says
/// which part it reads: " part 1", or " part 0-3" for several parts. Empty if the instruction has
/// no selector.
std::string parts_text(const Fragment& fragment, std::uint64_t reg, std::uint64_t lane) {
  if (!fragment.map.outputs().contains("selector")) return "";
  const auto part = [&](std::uint64_t element) {
    return fragment.further(fragment.place(element, reg, lane), "selector");
  };
  return " part " + range_text(part(0), part(fragment.size("element") - 1) - part(0) + 1);
}

/// The elements of one register of one lane, as text. Adjacent elements of a row or a column are
/// joined: "3,4-5". If the instruction multiplies several blocks of matrices, " b2" names the
/// block. If the instruction has a selector that says which part of the operand it reads, " part 1"
/// names the parts in this register; all these parts hold the same elements, so the elements are
/// listed once.
std::string register_cell(const Fragment& fragment, std::uint64_t reg, std::uint64_t lane) {
  const auto part = [&](std::uint64_t element) {
    return fragment.further(fragment.place(element, reg, lane), "selector");
  };
  std::uint64_t count = fragment.size("element");
  while (part(count - 1) != part(0)) count /= 2;
  std::string text;
  for (std::uint64_t first = 0, run = 1; first < count; first += run) {
    const std::uint64_t start = fragment.place(first, reg, lane);
    const auto is = [&](std::uint64_t i, std::uint64_t rows, std::uint64_t columns) {
      const std::uint64_t place = fragment.place(first + i, reg, lane);
      return fragment.row(place) == fragment.row(start) + rows &&
             fragment.column(place) == fragment.column(start) + columns;
    };
    run = 1;
    while (first + run < count && is(run, 0, run)) ++run;
    const std::uint64_t columns = run;
    while (columns == 1 && first + run < count && is(run, run, 0)) ++run;
    const std::uint64_t rows = columns > 1 ? 1 : run;
    if (!text.empty()) text += ' ';
    text += run_text(fragment, start, rows, columns);
  }
  const std::uint64_t place = fragment.place(0, reg, lane);
  if (fragment.instruction.blocks > 1) text += formatted(" b{}", fragment.further(place, "block"));
  return text + parts_text(fragment, reg, lane);
}

ViewTable register_view(const Fragment& fragment) {
  Line heading{"lane", {}};
  for (std::uint64_t reg = 0; reg < fragment.steps; ++reg)
    heading.cells.push_back({fragment.letter() + range_text(reg * fragment.registers_a_step,
                                                            fragment.registers_a_step)});
  std::vector<Line> lines;
  for (std::uint64_t lane = 0; lane < fragment.size("lane"); ++lane) {
    if (fragment.is_copy(lane)) continue;
    Line line;
    for (int copy : fragment.copies)
      line.label +=
          formatted("{}{}", line.label.empty() ? "" : ",", lane + static_cast<std::uint64_t>(copy));
    for (std::uint64_t reg = 0; reg < fragment.steps; ++reg)
      line.cells.push_back({register_cell(fragment, reg, lane), static_cast<int>(lane),
                            static_cast<int>(reg * fragment.registers_a_step)});
    lines.push_back(std::move(line));
  }
  return {std::move(heading), std::move(lines)};
}

/// A cell of the matrix view: "17v3" means lane 17, register 3. If several elements share a
/// register, ".2" follows for the element at position 2, where positions count elements from the
/// lowest bits. Where an element does not begin at such a position (elements of 6 bits in a second
/// register), ":4" gives its lowest bit instead.
Cell matrix_cell(const Places& places, std::size_t at, bool whole_register, char letter) {
  std::string text = formatted("{}{}{}", places.lane[at], letter, places.reg[at]);
  if (!whole_register && places.bit[at] % places.bits == 0)
    text += formatted(".{}", places.bit[at] / places.bits);
  else if (!whole_register)  // 6 bits: positions do not divide a register
    text += formatted(":{}", places.bit[at]);
  return {std::move(text), places.lane[at], places.reg[at]};
}

ViewTable matrix_view(const Fragment& fragment, const Places& places, const Packing& packing,
                      int block) {
  const auto row_step = static_cast<std::uint64_t>(packing.rows);
  const auto column_step = static_cast<std::uint64_t>(packing.columns);
  const auto cols = static_cast<std::uint64_t>(places.cols);
  const auto rows = static_cast<std::uint64_t>(places.rows);
  const std::string name = places.blocks > 1 ? formatted("block {}, ", block) : "";
  const std::string columns = fragment.has_columns() ? "\\" + fragment.axis(1) : "";
  ViewTable table{{formatted("{}{}{}", name, fragment.axis(0), columns), {}}, {}};
  for (std::uint64_t column = 0; column < cols; column += column_step)
    table.heading.cells.push_back({fragment.has_columns() ? range_text(column, column_step) : ""});
  for (std::uint64_t row = 0; row < rows; row += row_step) {
    Line line{range_text(row, row_step), {}};
    const std::uint64_t first = (static_cast<std::uint64_t>(block) * rows + row) * cols;
    for (std::uint64_t column = 0; column < cols; column += column_step)
      line.cells.push_back(
          matrix_cell(places, first + column, packing.whole_register, fragment.letter()));
    table.lines.push_back(std::move(line));
  }
  return table;
}

/// The formula for the row and column of element e of a lane: "A[m = lane % 16][k = e]". e counts
/// all elements of the lane: first those of the first register, from its lowest bits, then those of
/// the next register.
std::string element_formula(const Fragment& fragment) {
  const auto& inputs = fragment.map.inputs();
  const layout::AxisList axes{{"e", inputs.bits() - inputs.bits_of("lane")},
                              {"lane", inputs.bits_of("lane")}};
  const LinearLayout map = layout::reshape_inputs(fragment.map, axes).value();
  const std::vector<std::string> formulas = layout::formulas(map);
  const bool as_d = fragment.operand == Operand::c && !exists(fragment.instruction.c);
  std::string text(instruction::name(as_d ? Operand::d : fragment.operand));
  for (int axis = 0; axis < map.outputs().size(); ++axis) {
    const std::uint64_t step = fragment.step(axis);
    text += formatted("[{}{} = {}]", fragment.axis(axis),
                      step > 1 ? formatted(" / {}", step) : std::string(),
                      formulas[static_cast<std::size_t>(axis)]);
  }
  return text;
}

/// A sentence that says in which register, and in which bits of it, a lane holds its element e.
std::string register_formula(const Fragment& fragment) {
  const std::uint64_t packed = fragment.size("element");
  const int bits = fragment.instruction.map(fragment.operand).bits;
  const std::string name = fragment.registers(1), names = fragment.registers(2);
  if (bits == 64) return names + " 2 * e (the low half) and 2 * e + 1";
  if (fragment.registers_a_step > 1)
    return formatted("bits from {} * e on of all {} {}", bits,
                     fragment.registers_a_step * fragment.steps, names);
  if (packed > 1)
    return formatted("{} e / {}, bits from {} * (e % {}) on", name, packed, bits, packed);
  return bits < 32 ? formatted("{} e, the low {} bits", name, bits) : formatted("{} e", name);
}

std::string copies_sentence(const Fragment& fragment) {
  const std::vector<int>& copies = fragment.copies;
  if (fragment.operand == Operand::address)
    return copies.size() == 1 ? "Every lane's address is read."
                              : "Addresses of the other lanes are not read.";
  if (copies.size() == 1) return "No lane holds a copy.";
  const auto lanes = static_cast<int>(fragment.size("lane"));
  if (copies[1] * static_cast<int>(copies.size()) == lanes)
    return formatted("Lanes {}-{} repeat lanes 0-{} and must hold the same.", copies[1], lanes - 1,
                     copies[1] - 1);
  std::string list;
  for (std::size_t i = 1; i < copies.size(); ++i)
    list += formatted("{}lane + {}", i == 1 ? "" : ", ", copies[i]);
  return formatted("Copies, which must hold the same: {}.", list);
}

std::string operand_heading(const Fragment& fragment, const Places& places) {
  const Instruction& row = fragment.instruction;
  const int registers = row.map(fragment.operand).registers;
  const std::string lanes = fragment.size("lane") < static_cast<std::uint64_t>(row.wave)
                                ? formatted(", in lanes 0-{} only", fragment.size("lane") - 1)
                                : "";
  return formatted("{}: {}{} of {}, {} {} a lane{}", operand_words(row, fragment.operand),
                   places.blocks > 1 ? formatted("{} blocks of ", places.blocks) : "",
                   extents_text(fragment.operand, places), position_words(row, fragment.operand),
                   registers, fragment.registers(registers), lanes);
}

std::string operand_sentences(const Fragment& fragment) {
  const int held = instruction::elements_per_lane(fragment.instruction, fragment.operand);
  return formatted("A lane holds {} element{}: e is {}, in {}. {}", held, held == 1 ? "" : "s",
                   element_formula(fragment), register_formula(fragment),
                   copies_sentence(fragment));
}

/// Here and in the next function: what the cells of the register view, and those of the matrix
/// view, mean.
std::string register_legend(const Fragment& fragment) {
  return formatted("registers of a lane, as {}{}", fragment.axis(0),
                   fragment.has_columns() ? "," + fragment.axis(1) : "");
}

std::string matrix_legend(const Fragment& fragment, const Selection& selection) {
  const std::string modified =
      selection.modifiers.any() ? formatted(", with {}", words(selection.modifiers)) : "";
  const bool has_parts = fragment.map.outputs().contains("selector");
  const std::string part =
      has_parts && modified.empty() ? formatted(", part {}", selection.selector) : "";
  return formatted("matrix, as lane {} {}{}{}", fragment.letter(),
                   fragment.letter() == 'c' ? "column" : "register", part, modified);
}

/// A note about the order in which k is numbered, if the two orders (the ISA's and the contiguous
/// one) differ for this instruction; otherwise empty.
std::string order_words(const Instruction& row, KOrder order) {
  const LinearLayout renumbering = instruction::contiguous_k(row);
  bool same = true;
  for (int bit = 0; bit < renumbering.input_bits(); ++bit)
    same = same && renumbering.basis(bit) == std::uint64_t{1} << bit;
  if (same || row.kind != instruction::Kind::multiply) return "";
  return order == KOrder::isa
             ? "isa, as the ISA's documents number k; --k-order contiguous numbers it so that a "
               "lane's elements are consecutive, as TileLang and IREE do on gfx12"
             : "contiguous: k renumbered so that a lane's elements are consecutive, as TileLang "
               "and IREE do on gfx12; the same product as --k-order isa when A and B share it";
}

/// Replaces the cells that are not highlighted by a point.
void leave_lit(ViewTable& table, const std::set<std::pair<int, int>>& lit) {
  for (Line& line : table.lines)
    for (Cell& cell : line.cells)
      if (!lit.contains({cell.lane, cell.reg})) cell.text = ".";
}

}  // namespace

std::string instruction_heading(const Selection& selection) {
  return formatted("{} on {}, {}", display_name(selection.row), instruction::name(selection.target),
                   wave_words(selection.row));
}

std::vector<InstructionFact> instruction_facts(const Selection& selection) {
  std::vector<InstructionFact> facts{{"computes", computes_text(selection.row)},
                                     {"needs", needs_text(selection.row)},
                                     {"k order", order_words(selection.row, selection.order)},
                                     {"witnesses", witnesses_text(selection.row)},
                                     {"in doubt", std::string(selection.row.doubt)}};
  std::erase_if(facts, [](const InstructionFact& fact) { return fact.words.empty(); });
  return facts;
}

std::string instruction_text(const Selection& selection, int width) {
  constexpr int label_columns = 12;
  std::string text = instruction_heading(selection) + '\n';
  for (const InstructionFact& fact : instruction_facts(selection))
    text += paragraph(formatted("  {}", fact.label), fact.words, label_columns, width);
  return text;
}

OperandView operand_view(const Selection& selection, Operand operand) {
  const Fragment fragment(selection.row, operand, selection.order);
  const Places places = places_of(selection, operand);
  const Packing packing = packing_of(selection, operand);
  OperandView view{operand_heading(fragment, places), operand_sentences(fragment),
                   register_legend(fragment),         matrix_legend(fragment, selection),
                   register_view(fragment),           {}};
  for (int block = 0; block < places.blocks; ++block)
    view.matrices.push_back(matrix_view(fragment, places, packing, block));
  if (selection.highlight) {
    const auto lit = lit_registers(places, *selection.highlight);
    leave_lit(view.registers, lit);
    for (ViewTable& matrix : view.matrices) leave_lit(matrix, lit);
  }
  return view;
}

std::string operand_text(const OperandView& view, int width, const TableStyle& style) {
  std::string text = view.heading + '\n' + paragraph("", view.sentences, 2, width) +
                     formatted("\n  {}\n", view.register_legend) +
                     view_table(view.registers, style) + formatted("\n  {}\n", view.matrix_legend);
  for (const ViewTable& matrix : view.matrices)
    text += (&matrix == &view.matrices.front() ? "" : "\n") + view_table(matrix, style);
  return text;
}

std::string operand_markdown(const OperandView& view) {
  const TableStyle style{Markup::markdown};
  std::string text =
      formatted("## {}\n\n{}\n\n{}:\n\n{}\n{}:\n", view.heading, view.sentences,
                view.register_legend, view_table(view.registers, style), view.matrix_legend);
  for (const ViewTable& matrix : view.matrices) text += '\n' + view_table(matrix, style);
  return text;
}

std::string operand_json(const Selection& selection, Operand operand) {
  const Places places = places_of(selection, operand);
  std::string text =
      formatted(R"({{"rows": {}, "cols": {}, "blocks": {}, "nbits": {}, "reg": [{}], "lane": [{}])",
                places.rows, places.cols, places.blocks, places.bits, joined(places.reg, ", "),
                joined(places.lane, ", "));
  if (std::ranges::any_of(places.bit, [](int bit) { return bit != 0; }))
    text += formatted(R"(, "bit": [{}])", joined(places.bit, ", "));
  if (places.lane_copies.size() > 1)
    text += formatted(R"(, "lane_copies": [{}])", joined(places.lane_copies, ", "));
  return text + "}";
}

std::string operand_csv(const Selection& selection, Operand operand) {
  const Places places = places_of(selection, operand);
  const auto cols = static_cast<std::size_t>(places.cols);
  const auto rows = static_cast<std::size_t>(places.rows);
  std::string text;
  for (std::size_t i = 0; i < places.reg.size(); ++i)
    text += formatted("{},{},{},{},{},{},{},{},{}\n", instruction::name(operand), i / cols / rows,
                      i / cols % rows, i % cols, places.reg[i], places.lane[i], places.bit[i],
                      places.bits, joined(places.lane_copies, " "));
  return text;
}

}  // namespace heddle::answers
