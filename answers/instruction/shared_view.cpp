#include "answers/instruction/shared_view.h"

#include <algorithm>
#include <vector>

#include "answers/instruction/row_text.h"
#include "answers/text/paragraph.h"
#include "heddle/layout/formula.h"
#include "heddle/layout/solve.h"
#include "library/text/formatted.h"
#include "library/text/joined.h"

namespace heddle::answers {
namespace {

using instruction::DescriptorForm;
using instruction::Instruction;
using instruction::Major;
using instruction::MatrixDescriptor;
using instruction::Operand;
using instruction::SharedTile;
using instruction::Swizzle;
using layout::LinearLayout;

/// Where an element begins in its tile.
struct Begin {
  int byte, bit;
};

/// A tile in shared memory, with the maps from which its tables are made.
struct SharedView {
  SharedView(const Instruction& row, const SharedTile& of)
      : instruction(row),
        tile(of),
        map(instruction::shared_operand_map(of)),
        places(layout::pseudo_inverse(map)) {}

  Begin place(int mn, int k) const {
    const auto row = static_cast<std::uint64_t>(mn), column = static_cast<std::uint64_t>(k);
    const auto at = tile.operand == Operand::a ? places.apply({{"m", row}, {"k", column}})
                                               : places.apply({{"n", row}, {"k", column}});
    return {static_cast<int>(at->at("byte")), static_cast<int>(at->at("element")) * tile.bits};
  }
  /// Where in shared memory the element in `row` and `column` of the matrix begins. Rows and
  /// columns are m and k for A, k and n for B.
  Begin matrix_place(int row, int column) const {
    return tile.operand == Operand::a ? place(row, column) : place(column, row);
  }
  int rows() const { return tile.operand == Operand::a ? tile.mn : tile.k; }
  int columns() const { return tile.operand == Operand::a ? tile.k : tile.mn; }
  std::string_view mn() const { return tile.operand == Operand::a ? "m" : "n"; }
  bool is_k_major() const { return tile.major == Major::k; }
  DescriptorForm form() const {
    return instruction.is_of(instruction::Family::sm90) ? DescriptorForm::sm_90
                                                        : DescriptorForm::sm_100;
  }

  const Instruction& instruction;
  const SharedTile& tile;
  LinearLayout map;
  LinearLayout places;
};

/// A heading such as "16x24 (k n) of f16 in shared memory, k-major, swizzle 128", after the
/// operand's name.
std::string heading(const SharedView& view) {
  const bool is_a = view.tile.operand == Operand::a;
  const bool packed = is_a && view.instruction.is_sparse();
  return formatted(
      "{}: {}x{} ({}) of {} in shared memory{}, {}-major, swizzle {}",
      instruction::name(view.tile.operand), view.rows(), view.columns(), is_a ? "m k" : "k n",
      instruction::name(view.instruction.type(view.tile.operand)),
      packed ? ", only the k that are stored" : "",
      view.is_k_major() ? std::string_view("k") : view.mn(), instruction::name(view.tile.swizzle));
}

/// The formula for the byte at which an element begins: "n % 8 * 128 + ...".
std::string byte_formula(const SharedView& view) {
  const std::vector<std::string> formulas = layout::formulas(view.places);
  return formulas[static_cast<std::size_t>(view.places.outputs().find("byte"))];
}

/// A sentence with the extents of the map, if the map is larger than the tile: the map is extended
/// to whole swizzle atoms and to powers of two. Otherwise empty.
std::string extent_sentence(const SharedView& view) {
  const auto size = [&](const char* axis) {
    const int at = view.map.outputs().find(*axis == 'k'   ? layout::AxisName("k")
                                           : *axis == 'm' ? layout::AxisName("m")
                                                          : layout::AxisName("n"));
    return static_cast<int>(view.map.outputs()[at].size());
  };
  const int mn = size(view.mn().data()), k = size("k");
  if (mn == view.tile.mn && k == view.tile.k) return "";
  return formatted(" The tile ends with whole atoms and powers of two: {} {} by {} k, {} bytes.",
                   mn, view.mn(), k, view.map.input_size("byte"));
}

std::string descriptor_sentence(const SharedView& view) {
  const MatrixDescriptor descriptor = instruction::matrix_descriptor(view.tile, 0);
  return formatted(
      "Descriptor of a tile at address 0: {:#018x} (leading byte offset {}, stride byte offset "
      "{}); "
      "add address / 16, an address that is a multiple of {}.",
      instruction::encode(descriptor, view.form()), descriptor.leading_bytes,
      descriptor.stride_bytes,
      view.tile.swizzle == Swizzle::none ? 16 : 8 * instruction::row(view.tile.swizzle).line_bytes);
}

std::string sentences(const SharedView& view) {
  const std::string bits =
      view.tile.bits < 8 ? formatted(", {} elements a byte", 8 / view.tile.bits) : "";
  const std::string half = view.instruction.wave == 256
                               ? " Each CTA of the pair holds half of the operand, this one."
                               : "";
  return formatted("Element [{}][k] begins at byte {}{}.{}{} {}", view.mn(), byte_formula(view),
                   bits, extent_sentence(view), half, descriptor_sentence(view));
}

std::string legend(const SharedView& view) {
  const int unit = 128 / view.tile.bits;
  return formatted("bytes from the tile's first on, of every {} elements along {}", unit,
                   view.is_k_major() ? std::string_view("k") : view.mn());
}

/// A table of the tile. In a k-major tile a line is a row m (or n) and a cell has the 16 bytes of
/// consecutive k; otherwise a line is one k and a cell has the 16 bytes of consecutive m (or n).
/// The cell shows the byte at which these 16 bytes begin. Its colour says which of the eight
/// 16-byte pieces of a 128-byte line they are, and so in which four banks they lie.
std::string table(const SharedView& view, const TableStyle& style) {
  const int unit = 128 / view.tile.bits;
  const int along = view.is_k_major() ? view.tile.k : view.tile.mn;
  const int across = view.is_k_major() ? view.tile.mn : view.tile.k;
  const std::string_view major = view.is_k_major() ? "k" : view.mn();
  const std::string_view other = view.is_k_major() ? view.mn() : "k";
  Line head{formatted("{}\\{}", other, major), {}};
  for (int first = 0; first < along; first += unit)
    head.cells.push_back({range_text(first, std::min(unit, along - first))});
  std::vector<Line> lines;
  for (int i = 0; i < across; ++i) {
    Line line{formatted("{}", i), {}};
    for (int first = 0; first < along; first += unit) {
      const int byte = (view.is_k_major() ? view.place(i, first) : view.place(first, i)).byte;
      line.cells.push_back({formatted("{}", byte), byte / 16 % 8});
    }
    lines.push_back(std::move(line));
  }
  return view_table({std::move(head), std::move(lines)}, style);
}

/// Where each element begins, row by row of the matrix.
std::vector<Begin> all_places(const SharedView& view) {
  std::vector<Begin> places;
  for (int row = 0; row < view.rows(); ++row)
    for (int column = 0; column < view.columns(); ++column)
      places.push_back(view.matrix_place(row, column));
  return places;
}

}  // namespace

std::string shared_text(const Instruction& row, const SharedTile& tile, int width,
                        const TableStyle& style) {
  const SharedView view(row, tile);
  return heading(view) + '\n' + paragraph("", sentences(view), 2, width) +
         formatted("\n  {}\n", legend(view)) + table(view, style);
}

std::string shared_markdown(const Instruction& row, const SharedTile& tile) {
  const SharedView view(row, tile);
  return formatted("## {}\n\n{}\n\n{}:\n\n{}", heading(view), sentences(view), legend(view),
                   table(view, {Markup::markdown}));
}

std::string shared_json(const Instruction& row, const SharedTile& tile) {
  const SharedView view(row, tile);
  std::vector<int> bytes, bits;
  for (const Begin& place : all_places(view)) {
    bytes.push_back(place.byte);
    bits.push_back(place.bit);
  }
  std::string text =
      formatted(R"({{"rows": {}, "cols": {}, "blocks": 1, "nbits": {}, "byte": [{}])", view.rows(),
                view.columns(), tile.bits, joined(bytes, ", "));
  if (tile.bits < 8) text += formatted(R"(, "bit": [{}])", joined(bits, ", "));
  const MatrixDescriptor descriptor = instruction::matrix_descriptor(tile, 0);
  return text + formatted(R"(, "descriptor": {{"word": "{:#018x}", "leading_bytes": {}, )"
                          R"("stride_bytes": {}, "swizzle": "{}", "major": "{}"}}}})",
                          instruction::encode(descriptor, view.form()), descriptor.leading_bytes,
                          descriptor.stride_bytes, instruction::name(tile.swizzle),
                          instruction::name(tile.major));
}

std::string shared_csv(const Instruction& row, const SharedTile& tile) {
  const SharedView view(row, tile);
  const std::vector<Begin> places = all_places(view);
  std::string text;
  for (std::size_t i = 0; i < places.size(); ++i) {
    const auto columns = static_cast<std::size_t>(view.columns());
    text += formatted("{},{},{},{},{},{}\n", instruction::name(tile.operand), i / columns,
                      i % columns, places[i].byte, places[i].bit, tile.bits);
  }
  return text;
}

SharedPlace shared_place(const Instruction& instruction, const SharedTile& tile, int row,
                         int column) {
  const Begin begin = SharedView(instruction, tile).matrix_place(row, column);
  return {row, column, begin.byte, begin.bit};
}

std::vector<SharedPlace> shared_places(const Instruction& row, const SharedTile& tile, int byte) {
  const SharedView view(row, tile);
  std::vector<SharedPlace> found;
  const auto positions = view.map.input_size("element");
  for (std::uint64_t position = 0; position < positions; ++position) {
    const std::uint64_t input = position + positions * static_cast<std::uint64_t>(byte);
    const std::uint64_t to = view.map.apply(input);
    const auto mn = static_cast<int>(view.map.outputs().coordinate(to, 0));
    const auto k = static_cast<int>(view.map.outputs().coordinate(to, 1));
    if (mn >= tile.mn || k >= tile.k) continue;
    const bool is_a = tile.operand == Operand::a;
    const int first = byte - (tile.bits > 8 ? byte % (tile.bits / 8) : 0);
    found.push_back({is_a ? mn : k, is_a ? k : mn, first, static_cast<int>(position) * tile.bits});
  }
  return found;
}

}  // namespace heddle::answers
