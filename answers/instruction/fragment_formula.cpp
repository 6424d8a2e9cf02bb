#include "answers/instruction/fragment_formula.h"

#include <algorithm>
#include <cctype>
#include <string_view>

#include "answers/instruction/row_text.h"
#include "heddle/instruction/places.h"
#include "heddle/layout/formula.h"
#include "heddle/layout/solve.h"
#include "library/text/formatted.h"

namespace heddle::answers {
namespace {

using instruction::Operand;
using layout::LinearLayout;

bool is_letter(char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0; }

/// Returns `text` with each whole word `word` replaced by `other`.
std::string with_word(std::string text, std::string_view word, std::string_view other) {
  for (std::size_t at = 0; (at = text.find(word, at)) != std::string::npos;) {
    const std::size_t end = at + word.size();
    const bool whole =
        (at == 0 || !is_letter(text[at - 1])) && (end == text.size() || !is_letter(text[end]));
    if (whole) text.replace(at, word.size(), other);
    at += whole ? other.size() : word.size();
  }
  return text;
}

/// Rewrites a formula in `group` as a formula in k, where a group is `per_group` consecutive k. For
/// groups of 4, "group / 2" becomes "k / 8".
std::string over_k(std::string text, int per_group) {
  constexpr std::string_view quotient = "group / ";
  for (std::size_t at = 0; (at = text.find(quotient, at)) != std::string::npos;) {
    const std::size_t first = at + quotient.size();
    const std::size_t last = text.find_first_not_of("0123456789", first);
    const int divisor = std::stoi(text.substr(first, last - first));
    text.replace(at, std::min(last, text.size()) - at, formatted("k / {}", divisor * per_group));
  }
  return with_word(std::move(text), "group",
                   per_group == 1 ? "k" : formatted("(k / {})", per_group));
}

/// Rewrites a formula over the outputs of the map as a formula over the matrix's indices m, k and
/// n. Two outputs may differ from these indices:
/// - `group` counts groups of several consecutive k.
/// - If the map has an output `part`, the columns are cut into equal parts: `part` is the number of
/// the part, and the map's `n` counts the columns inside that part.
std::string over_matrix(const instruction::Instruction& row, const LinearLayout& map,
                        std::string text) {
  text = over_k(std::move(text), instruction::k_per_group(row, map));
  if (!map.outputs().contains("part")) return text;
  const int columns = row.n / static_cast<int>(map.output_size("part"));
  text = with_word(std::move(text), "n", formatted("(n % {})", columns));
  return with_word(std::move(text), "part", formatted("(n / {})", columns));
}

/// Returns how many elements that are adjacent along an output axis share a register. The count
/// begins with the element in the register's lowest bits.
int packed_along(const LinearLayout& map, int output) {
  if (output >= map.outputs().size()) return 1;
  std::uint64_t packed = 1;
  for (int bit = 0; bit < map.inputs().bits_of("element"); ++bit) {
    const std::uint64_t basis = map.basis(bit);
    const std::uint64_t along = map.outputs().coordinate(basis, output);
    const bool straight = basis == along << map.outputs().offset(output);
    if (straight && along == packed) packed *= 2;
  }
  return static_cast<int>(packed);
}

}  // namespace

Packing packing_of(const Selection& selection, Operand operand) {
  const LinearLayout map = instruction::fragment(selection.row, operand, selection.order);
  const bool has_columns = map.outputs().size() > 1 && !(map.outputs()[1].name == "block");
  const int rows = packed_along(map, 0);
  const int columns = has_columns ? packed_along(map, 1) : 1;
  const int group = instruction::k_per_group(selection.row, map);
  const auto step = [&](int output) { return map.outputs()[output].name == "group" ? group : 1; };
  const bool is_moved = instruction::reading(selection.row, operand, selection.modifiers).bits != 0;
  return {rows * step(0), columns * (has_columns ? step(1) : 1),
          rows * columns == static_cast<int>(map.input_size("element")) && !is_moved};
}

std::vector<std::string> place_formulas(const Selection& selection, Operand operand) {
  const instruction::Instruction& row = selection.row;
  const LinearLayout map = instruction::fragment(row, operand, selection.order);
  const std::vector<std::string> inverse = layout::formulas(layout::pseudo_inverse(map));
  const auto formula = [&](std::string_view axis) {
    const int output = map.inputs().find(layout::AxisName(axis));
    return over_matrix(row, map, inverse[static_cast<std::size_t>(output)]);
  };
  const int step = instruction::registers_per_step(row.map(operand), map);
  const std::string name = register_words(row, operand, 1);
  std::vector<std::string> lines{"lane = " + formula("lane")};
  std::string copies;
  for (const int copy : instruction::lane_copies(map))
    if (copy > 0) copies += formatted("{}+ {}", copies.empty() ? "" : ", ", copy);
  if (!copies.empty() && operand != Operand::address)
    lines.back() += formatted(", and again {}", copies);
  if (map.input_size("register") > 1)
    lines.push_back(step > 1 ? formatted("{} = {} * ({})", name, step, formula("register"))
                             : formatted("{} = {}", name, formula("register")));
  if (map.input_size("element") > 1)
    lines.push_back(formatted("bits from {} * ({}) on", row.map(operand).bits, formula("element")));
  return lines;
}

}  // namespace heddle::answers
