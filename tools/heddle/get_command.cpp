#include "tools/heddle/get_command.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <expected>
#include <memory>
#include <string>
#include <vector>

#include "tools/heddle/row_text.h"
#include "tools/heddle/selection.h"
#include "tools/heddle/shared_view.h"
#include "tools/heddle/source_file.h"

namespace heddle::tool {
namespace {

using instruction::Operand;
using instruction::Places;

struct Arguments {
  SelectionArguments selection;
  std::vector<int> at;
  int reg = -1;
  int lane = -1;
  int byte = -1;
};

using Answer = std::expected<std::string, std::string>;

/// "D[3][7]", with ", block 1" where there are several.
std::string element_name(const Places& places, Operand operand, std::size_t at) {
  const auto cols = static_cast<std::size_t>(places.cols);
  const auto rows = static_cast<std::size_t>(places.rows);
  const std::string block =
      places.blocks > 1 ? fmt::format(", block {}", at / cols / rows) : std::string();
  return fmt::format("{}[{}][{}]{}", instruction::name(operand), at / cols % rows, at % cols,
                     block);
}

/// "v2", "v2-3" of 64 bits, "v2[15:0]" of fewer than 32, "v2[31:30] v3[3:0]" of what goes on in the
/// next; a instead of v for AGPRs.
std::string register_name(const Places& places, char letter, std::size_t at) {
  const int reg = places.reg[at];
  if (places.bits > 32) return fmt::format("{}{}-{}", letter, reg, reg + places.bits / 32 - 1);
  if (places.bits == 32) return fmt::format("{}{}", letter, reg);
  const int first = places.bit[at];
  const int last = first + places.bits - 1;
  if (last < 32) return fmt::format("{}{}[{}:{}]", letter, reg, last, first);
  return fmt::format("{0}{1}[31:{2}] {0}{3}[{4}:0]", letter, reg, first, reg + 1, last - 32);
}

Answer place_of(const instruction::Instruction& row, const Places& places, Operand operand,
                const std::vector<int>& at) {
  const std::array sizes{places.rows, places.cols, places.blocks};
  if (at.size() == 2 && places.blocks > 1)
    return std::unexpected(fmt::format("--at row,column,block: there are {} blocks", sizes[2]));
  for (std::size_t i = 0; i < at.size(); ++i) {
    constexpr std::array names{"row", "column", "block"};
    if (at[i] < 0 || at[i] >= sizes[i])
      return std::unexpected(fmt::format("{} {}: {} has {}s 0 to {}", names[i], at[i],
                                         instruction::name(operand), names[i], sizes[i] - 1));
  }
  const int block = at.size() == 3 ? at[2] : 0;
  const auto index = static_cast<std::size_t>((block * places.rows + at[0]) * places.cols + at[1]);
  std::string text;
  for (const int copy : places.lane_copies)
    text += fmt::format("{}: lane {}, {}\n", element_name(places, operand, index),
                        places.lane[index] + copy,
                        register_name(places, register_letter(row, operand), index));
  return text;
}

Answer elements_of(const instruction::Instruction& row, const Places& places, Operand operand,
                   int reg, int lane) {
  const int registers = row.map(operand).registers;
  if (reg >= registers)
    return std::unexpected(fmt::format("register {}: {} has registers 0 to {}", reg,
                                       instruction::name(operand), registers - 1));
  if (lane >= row.wave)
    return std::unexpected(fmt::format("lane {}: the wave has lanes 0 to {}", lane, row.wave - 1));
  std::string text;
  for (std::size_t i = 0; i < places.reg.size(); ++i) {
    const int last = places.reg[i] + (places.bit[i] + places.bits - 1) / 32;
    if (reg < places.reg[i] || reg > last) continue;
    for (const int copy : places.lane_copies)
      if (places.lane[i] + copy == lane)
        text += fmt::format("lane {}, {}: {}\n", lane,
                            register_name(places, register_letter(row, operand), i),
                            element_name(places, operand, i));
  }
  if (text.empty())
    text = fmt::format("lane {}, {}{}: nothing of {}\n", lane, register_letter(row, operand), reg,
                       instruction::name(operand));
  return text;
}

/// The same of an operand in shared memory.
Answer in_shared_memory(const instruction::Instruction& row, const instruction::SharedTile& tile,
                        const Arguments& arguments) {
  const bool is_a = tile.operand == Operand::a;
  const std::array sizes{is_a ? tile.mn : tile.k, is_a ? tile.k : tile.mn};
  const std::string_view name = instruction::name(tile.operand);
  if (arguments.byte >= 0) {
    const auto bytes = static_cast<int>(instruction::shared_operand_map(tile).input_size("byte"));
    if (arguments.byte >= bytes)
      return std::unexpected(fmt::format("byte {}: the tile of {} has bytes 0 to {}",
                                         arguments.byte, name, bytes - 1));
    return shared_elements(row, tile, arguments.byte);
  }
  if (arguments.at.size() != 2)
    return std::unexpected(
        fmt::format("{} lies in shared memory: say --at row,column or --byte", name));
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    constexpr std::array names{"row", "column"};
    if (arguments.at[i] < 0 || arguments.at[i] >= sizes[i])
      return std::unexpected(fmt::format("{} {}: {} has {}s 0 to {}", names[i], arguments.at[i],
                                         name, names[i], sizes[i] - 1));
  }
  return shared_place(row, tile, arguments.at[0], arguments.at[1]);
}

Answer get(const Arguments& arguments) {
  const auto selection = select(arguments.selection);
  if (!selection) return std::unexpected(selection.error());
  const instruction::Instruction& row = selection->row;
  const auto operands = operands_of(*selection, arguments.selection.operand);
  if (!operands) return std::unexpected(operands.error());
  std::string text;
  for (const auto& [operand, tile] : *operands) {
    if (tile) {
      const Answer answer = in_shared_memory(row, *tile, arguments);
      if (!answer) return answer;
      text += *answer;
      continue;
    }
    const bool by_place = arguments.reg >= 0 && arguments.lane >= 0;
    const bool half_a_place = by_place != (arguments.reg >= 0 || arguments.lane >= 0);
    if (half_a_place || by_place == !arguments.at.empty())
      return std::unexpected("say either --at row,column[,block] or --reg and --lane");
    const Places places = places_of(*selection, operand);
    const Answer answer = by_place
                              ? elements_of(row, places, operand, arguments.reg, arguments.lane)
                              : place_of(row, places, operand, arguments.at);
    if (!answer) return answer;
    text += *answer;
  }
  return text;
}

}  // namespace

void add_get_command(CLI::App& program, int& status) {
  const auto arguments = std::make_shared<Arguments>();
  CLI::App* command = program.add_subcommand(
      "get", "Say where one element lies, or what one register of one lane holds");
  add_selection(*command, arguments->selection);
  command->get_option("--operand")->required();
  command->add_option("--at", arguments->at, "row,column or row,column,block of the operand")
      ->delimiter(',')
      ->expected(2, 3);
  command->add_option("--reg", arguments->reg, "register of the operand's tuple")
      ->check(CLI::NonNegativeNumber);
  command->add_option("--lane", arguments->lane, "lane of the wave")->check(CLI::NonNegativeNumber);
  command->add_option("--byte", arguments->byte, "byte of a tile in shared memory")
      ->check(CLI::NonNegativeNumber);
  command->callback([arguments, &status] { status = answer(get(*arguments)); });
}

}  // namespace heddle::tool
