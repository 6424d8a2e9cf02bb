#include "answers/instruction/get.h"

#include <climits>

#include <algorithm>
#include <array>
#include <expected>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "answers/instruction/row_text.h"
#include "answers/instruction/selection.h"
#include "answers/instruction/shared_view.h"
#include "library/text/formatted.h"

namespace heddle::answers {
namespace {

using instruction::Instruction;
using instruction::Operand;
using instruction::Places;
using instruction::SharedTile;

using Answer = std::expected<std::string, std::string>;

/// A result: an element and one of its places, as text and as a JSON object.
struct Finding {
  std::string text;
  std::string json;
};

using Findings = std::expected<std::vector<Finding>, std::string>;

/// The name of an element: "D[3][7]", or "D[3][7], block 1" if there are several blocks.
std::string element_name(const Places& places, Operand operand, std::size_t at) {
  const auto cols = static_cast<std::size_t>(places.cols);
  const auto rows = static_cast<std::size_t>(places.rows);
  const std::string block =
      places.blocks > 1 ? formatted(", block {}", at / cols / rows) : std::string();
  return formatted("{}[{}][{}]{}", instruction::name(operand), at / cols % rows, at % cols, block);
}

/// The name of an element's register: "v2"; "v2-3" for 64 bits; "v2[15:0]" for fewer than 32;
/// "v2[31:30] v3[3:0]" for bits that continue in the next register. AGPRs have a instead of v.
std::string register_name(const Places& places, char letter, std::size_t at) {
  const int reg = places.reg[at];
  if (places.bits > 32) return formatted("{}{}-{}", letter, reg, reg + places.bits / 32 - 1);
  if (places.bits == 32) return formatted("{}{}", letter, reg);
  const int first = places.bit[at];
  const int last = first + places.bits - 1;
  if (last < 32) return formatted("{}{}[{}:{}]", letter, reg, last, first);
  return formatted("{0}{1}[31:{2}] {0}{3}[{4}:0]", letter, reg, first, reg + 1, last - 32);
}

/// The answer for one element, at the place where one lane holds it. The text begins with what the
/// question gave: with the place (lane and register) if `by_place`, otherwise with the element.
Finding finding(const Instruction& row, Operand operand, const Places& places, std::size_t at,
                int lane, bool by_place) {
  const std::string element = element_name(places, operand, at);
  const std::string place =
      formatted("lane {}, {}", lane, register_name(places, register_letter(row, operand), at));
  const auto cols = static_cast<std::size_t>(places.cols);
  const auto rows = static_cast<std::size_t>(places.rows);
  return {by_place ? formatted("{}: {}", place, element) : formatted("{}: {}", element, place),
          formatted(R"({{"operand": "{}", "block": {}, "row": {}, "col": {}, "lane": {}, )"
                    R"("reg": {}, "bit": {}, "nbits": {}}})",
                    instruction::name(operand), at / cols / rows, at / cols % rows, at % cols, lane,
                    places.reg[at], places.bit[at], places.bits)};
}

/// The reason why one of the numbers of `at` (a row, a column, a block) is out of range; empty if
/// all of these numbers are valid.
std::string why_outside(Operand operand, const std::vector<int>& at,
                        const std::array<int, 3>& sizes) {
  constexpr std::array names{"row", "column", "block"};
  for (std::size_t i = 0; i < at.size(); ++i)
    if (at[i] < 0 || at[i] >= sizes[i])
      return formatted("{} {}: {} has {}s 0 to {}", names[i], at[i], instruction::name(operand),
                       names[i], sizes[i] - 1);
  return "";
}

Findings place_of(const Instruction& row, const Places& places, Operand operand,
                  const std::vector<int>& at) {
  if (at.size() == 2 && places.blocks > 1)
    return std::unexpected(formatted("--at row,column,block: there are {} blocks", places.blocks));
  const std::string outside = why_outside(operand, at, {places.rows, places.cols, places.blocks});
  if (!outside.empty()) return std::unexpected(outside);
  const int block = at.size() == 3 ? at[2] : 0;
  const auto index = static_cast<std::size_t>((block * places.rows + at[0]) * places.cols + at[1]);
  std::vector<Finding> found;
  for (const int copy : places.lane_copies)
    found.push_back(finding(row, operand, places, index, places.lane[index] + copy, false));
  return found;
}

Findings elements_of(const Instruction& row, const Places& places, Operand operand, int reg,
                     int lane) {
  const int registers = row.map(operand).registers;
  if (reg >= registers)
    return std::unexpected(formatted("register {}: {} has registers 0 to {}", reg,
                                     instruction::name(operand), registers - 1));
  if (lane >= row.wave)
    return std::unexpected(formatted("lane {}: the wave has lanes 0 to {}", lane, row.wave - 1));
  std::vector<Finding> found;
  for (std::size_t i = 0; i < places.reg.size(); ++i) {
    const int last = places.reg[i] + (places.bit[i] + places.bits - 1) / 32;
    if (reg < places.reg[i] || reg > last) continue;
    for (const int copy : places.lane_copies)
      if (places.lane[i] + copy == lane)
        found.push_back(finding(row, operand, places, i, lane, true));
  }
  return found;
}

/// An element of a tile in shared memory.
Finding finding(const SharedTile& tile, const SharedPlace& place, bool by_place) {
  const std::string_view operand = instruction::name(tile.operand);
  const std::string element = formatted("{}[{}][{}]", operand, place.row, place.column);
  std::string bytes = formatted("byte {}", place.byte);
  if (tile.bits > 8) bytes += formatted("-{}", place.byte + tile.bits / 8 - 1);
  if (tile.bits < 8) bytes += formatted(", bits {}:{}", place.bit + tile.bits - 1, place.bit);
  return {by_place ? formatted("{}: {}", bytes, element) : formatted("{}: {}", element, bytes),
          formatted(R"({{"operand": "{}", "row": {}, "col": {}, "byte": {}, "bit": {}, )"
                    R"("nbits": {}}})",
                    operand, place.row, place.column, place.byte, place.bit, tile.bits)};
}

Findings in_shared_memory(const Instruction& row, const SharedTile& tile,
                          const GetQuestion& arguments) {
  const bool is_a = tile.operand == Operand::a;
  const std::string_view name = instruction::name(tile.operand);
  if (arguments.byte >= 0) {
    const auto bytes = static_cast<int>(instruction::shared_operand_map(tile).input_size("byte"));
    if (arguments.byte >= bytes)
      return std::unexpected(
          formatted("byte {}: the tile of {} has bytes 0 to {}", arguments.byte, name, bytes - 1));
    std::vector<Finding> found;
    for (const SharedPlace& place : shared_places(row, tile, arguments.byte))
      found.push_back(finding(tile, place, true));
    return found;
  }
  if (arguments.at.size() != 2)
    return std::unexpected(
        formatted("{} lies in shared memory: say --at row,column or --byte", name));
  const std::string outside = why_outside(tile.operand, arguments.at,
                                          {is_a ? tile.mn : tile.k, is_a ? tile.k : tile.mn, 1});
  if (!outside.empty()) return std::unexpected(outside);
  return std::vector{
      finding(tile, shared_place(row, tile, arguments.at[0], arguments.at[1]), false)};
}

Findings in_registers(const Selection& selection, Operand operand, const GetQuestion& arguments) {
  const bool by_place = arguments.reg >= 0 && arguments.lane >= 0;
  const bool half_a_place = by_place != (arguments.reg >= 0 || arguments.lane >= 0);
  if (half_a_place || by_place == !arguments.at.empty())
    return std::unexpected("say either --at row,column[,block] or --reg and --lane");
  const Places places = places_of(selection, operand);
  return by_place ? elements_of(selection.row, places, operand, arguments.reg, arguments.lane)
                  : place_of(selection.row, places, operand, arguments.at);
}

/// Numbers in ascending order as ranges: "0-3 8-11".
std::string ranges(const std::vector<int>& numbers) {
  std::string text;
  for (std::size_t i = 0; i < numbers.size();) {
    std::size_t end = i + 1;
    while (end < numbers.size() && numbers[end] == numbers[end - 1] + 1) ++end;
    text += formatted("{}{}", text.empty() ? "" : " ",
                      range_text(static_cast<std::uint64_t>(numbers[i]), end - i));
    i = end;
  }
  return text;
}

/// What one lane contributes of one operand to an element of D: the indices k of the operand's
/// elements in that lane, and the registers that hold these elements.
struct Share {
  std::vector<int> k, registers;
};

/// The elements of `operand` from which D[row][column] is computed. The text has a line for each
/// lane that holds some of them; the JSON has an object for each element.
Findings sources_in(const Selection& selection, Operand operand, const std::vector<int>& at) {
  const Places places = places_of(selection, operand);
  const bool is_a = operand == Operand::a, is_c = operand == Operand::c;
  const int count = is_c ? 1 : is_a ? places.cols : places.rows;
  std::map<int, Share> lanes;
  std::string json;
  for (int k = 0; k < count; ++k) {
    std::vector<int> place{operand == Operand::b ? k : at[0], is_a ? k : at[1]};
    if (places.blocks > 1) place.push_back(at[2]);
    const auto found = place_of(selection.row, places, operand, place);
    if (!found) return found;
    for (const Finding& one : *found) json += (json.empty() ? "" : ",\n  ") + one.json;
    const int block = places.blocks > 1 ? at[2] : 0;
    const auto index =
        static_cast<std::size_t>((block * places.rows + place[0]) * places.cols + place[1]);
    for (const int copy : places.lane_copies) {
      Share& share = lanes[places.lane[index] + copy];
      share.k.push_back(k);
      const int last = places.reg[index] + (places.bit[index] + places.bits - 1) / 32;
      for (int reg = places.reg[index]; reg <= last; ++reg)
        if (std::ranges::find(share.registers, reg) == share.registers.end())
          share.registers.push_back(reg);
    }
  }
  std::string text;
  for (auto& [lane, share] : lanes) {
    std::ranges::sort(share.registers);
    const std::string element = is_c   ? formatted("C[{}][{}]", at[0], at[1])
                                : is_a ? formatted("A[{}][{}]", at[0], ranges(share.k))
                                       : formatted("B[{}][{}]", ranges(share.k), at[1]);
    text += formatted("{}{}: lane {}, {}{}", text.empty() ? "" : "\n", element, lane,
                      register_letter(selection.row, operand), ranges(share.registers));
  }
  return std::vector{Finding{std::move(text), std::move(json)}};
}

/// Finds, for one element of D, the places of every element that it is computed from: a row of A, a
/// column of B, and the same element of C.
Findings sources_of(const Selection& selection, const GetQuestion& question) {
  const instruction::Instruction& row = selection.row;
  if (row.kind != instruction::Kind::multiply || row.is_sparse())
    return std::unexpected(formatted(
        "--sources: {} {}; only products of dense matrices have them", row.name,
        row.is_sparse() ? "skips zeros of A, and the index says which" : "multiplies nothing"));
  for (const Operand operand : {Operand::a, Operand::b})
    if (row.map(operand).storage != instruction::Storage::registers ||
        row.map(operand).text.empty())
      return std::unexpected(formatted("--sources: {} of {} lies in no registers",
                                       instruction::name(operand), row.name));
  const Places places = places_of(selection, Operand::d);
  const auto there = place_of(row, places, Operand::d, question.at);
  if (!there) return there;
  std::vector<Finding> found = *there;
  for (const Operand operand : {Operand::a, Operand::b, Operand::c}) {
    if (!row.has(operand) || row.map(operand).text.empty()) continue;
    auto sources = sources_in(selection, operand, question.at);
    if (!sources) return sources;
    found.push_back(std::move(sources->front()));
  }
  return found;
}

/// The sentence that a place holds nothing.
std::string nothing(const Instruction& row, const SeenOperand& seen, const GetQuestion& arguments) {
  const std::string_view name = instruction::name(seen.operand);
  if (seen.tile)
    return formatted("byte {}: nothing of {} that the instruction reads\n", arguments.byte, name);
  return formatted("lane {}, {}{}: nothing of {}\n", arguments.lane,
                   register_letter(row, seen.operand), arguments.reg, name);
}

}  // namespace

std::expected<std::string, std::string> get(const GetQuestion& question) {
  const auto selection = select(question.selection);
  if (!selection) return std::unexpected(selection.error());
  const auto operands = operands_of(*selection, question.selection.operand);
  if (!operands) return std::unexpected(operands.error());
  std::string text, json;
  if (question.sources && (question.selection.operand != "D" || question.at.empty()))
    return std::unexpected("--sources: say --operand D and --at row,column");
  for (const SeenOperand& seen : *operands) {
    const Findings found = question.sources ? sources_of(*selection, question)
                           : seen.tile      ? in_shared_memory(selection->row, *seen.tile, question)
                                            : in_registers(*selection, seen.operand, question);
    if (!found) return std::unexpected(found.error());
    if (found->empty()) text += nothing(selection->row, seen, question);
    for (const Finding& one : *found) {
      text += one.text + '\n';
      json += formatted("{}\n  {}", json.empty() ? "" : ",", one.json);
    }
  }
  return question.format == "text" ? text : formatted("{{\"found\": [{}\n]}}\n", json);
}

}  // namespace heddle::answers
