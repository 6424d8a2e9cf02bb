#include "tools/heddle/fragment_picture.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "heddle/instruction/places.h"

namespace heddle::tool {
namespace {

using instruction::Operand;
using instruction::Places;

// Pixels.
constexpr int cell_width = 34;
constexpr int cell_height = 30;
constexpr int margin = 34;
constexpr int heading = 64;
constexpr int least_width = 170;  // for the words above a narrow operand

constexpr std::string_view row_axis(Operand operand) { return operand == Operand::b ? "k" : "m"; }

constexpr std::string_view column_axis(Operand operand) {
  return operand == Operand::a || operand == Operand::index ? "k" : "n";
}

/// Sixteen lanes go once around the colour wheel; the next sixteen are darker.
std::string colour(int lane) {
  constexpr std::array lightness{84, 66, 75, 57};
  return fmt::format("hsl({:.0f},70%,{}%)", lane % 16 * 22.5,
                     lightness[static_cast<std::size_t>(lane / 16 % 4)]);
}

std::string text(int x, int y, std::string_view style, std::string_view words) {
  return fmt::format("<text x=\"{}\" y=\"{}\" class=\"{}\">{}</text>\n", x, y, style, words);
}

std::string cell(const Places& places, int block, int row, int column, int left, int top) {
  const auto at = static_cast<std::size_t>((block * places.rows + row) * places.cols + column);
  const int x = left + column * cell_width;
  const int y = top + row * cell_height;
  const int middle = x + cell_width / 2;
  std::string register_text = fmt::format("v{}", places.reg[at]);
  if (places.bits < 32) register_text += fmt::format(".{}", places.bit[at] / places.bits);
  return fmt::format("<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" fill=\"{}\"/>\n", x, y,
                     cell_width, cell_height, colour(places.lane[at])) +
         text(middle, y + 13, "lane", fmt::format("{}", places.lane[at])) +
         text(middle, y + 25, "register", register_text);
}

std::string copies_text(const Places& places) {
  std::string lanes;
  for (std::size_t i = 1; i < places.lane_copies.size(); ++i)
    lanes += fmt::format("{}+{}", i == 1 ? "" : ", ", places.lane_copies[i]);
  return lanes.empty() ? "" : fmt::format("; again in lane {}", lanes);
}

/// Height of one block's grid with the numbers of its columns, and of all blocks.
int block_height(const Places& places) {
  return places.rows * cell_height + (places.blocks > 1 ? margin : 0);
}

std::string block_grid(const Places& places, int block, int left, int top) {
  std::string svg;
  if (places.blocks > 1) svg += text(left - 14, top - 5, "axis", fmt::format("b{}", block));
  for (int column = 0; column < places.cols; ++column)
    svg += text(left + column * cell_width + cell_width / 2, top - 5, "axis",
                fmt::format("{}", column));
  for (int row = 0; row < places.rows; ++row) {
    svg += text(left - 12, top + row * cell_height + 19, "axis", fmt::format("{}", row));
    for (int column = 0; column < places.cols; ++column)
      svg += cell(places, block, row, column, left, top);
  }
  return svg;
}

std::string grid(const Places& places, Operand operand, int left) {
  std::string svg =
      text(left, 28, "title",
           fmt::format("{} ({} rows, {} columns)", instruction::name(operand), row_axis(operand),
                       column_axis(operand))) +
      text(left, 44, "note", fmt::format("lane above, register below{}", copies_text(places)));
  for (int block = 0; block < places.blocks; ++block)
    svg += block_grid(places, block, left, heading + block * block_height(places));
  return svg;
}

}  // namespace

std::string fragment_svg(const Selection& selection, std::span<const Operand> operands) {
  int left = margin;
  int height = 0;
  std::string grids;
  for (const Operand operand : operands) {
    const Places places = places_of(selection, operand);
    grids += grid(places, operand, left);
    left += std::max(places.cols * cell_width, least_width) + margin;
    height = std::max(height, heading + places.blocks * block_height(places));
  }
  const std::string modified =
      selection.modifiers.any() ? fmt::format(", {}", words(selection.modifiers)) : std::string();
  return fmt::format(
             "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0} {1}\" width=\"{0}\" "
             "height=\"{1}\">\n"
             "<style>text{{font-family:sans-serif;text-anchor:middle}}"
             ".title{{font-size:15px;font-weight:bold;text-anchor:start}}"
             ".note{{font-size:11px;text-anchor:start}}.footer{{font-size:11px;text-anchor:end}}"
             ".axis{{font-size:10px;fill:#555}}"
             ".lane{{font-size:12px;font-weight:bold}}.register{{font-size:9px}}"
             "rect{{stroke:#fff;stroke-width:1}}</style>\n"
             "<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n",
             left, height + margin) +
         text(left - margin, height + 22, "footer",
              fmt::format("{} on {}, wave{}{}", selection.row.name,
                          instruction::name(selection.target), selection.row.wave, modified)) +
         grids + "</svg>\n";
}

}  // namespace heddle::tool
