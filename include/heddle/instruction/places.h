// The matrix view of an operand: for each element, the register, lane and bits that hold it. It is
// the inverse of the fragment, with all copies, and has the fields of AMD's calculator tables.
#pragma once

#include <bit>
#include <cstdint>
#include <vector>

#include "heddle/instruction/catalogue.h"

namespace heddle::instruction {

/// The lists are row-major over blocks x rows x cols and hold the first lane of an element: that
/// with all copy bits 0. `lane + copy` is one holder for each `copy` of lane_copies. A: rows m,
/// columns k; B: rows k, columns n; C and D: rows m, columns n. A sparse A and its index repeat the
/// place of a group for each of its 4 columns of k.
struct Places {
  int rows = 0;
  int cols = 0;
  int blocks = 1;
  int bits = 0;          // width of an element in its register
  std::vector<int> reg;  // register of the operand's tuple; of a 64-bit element the lower
  std::vector<int> lane;
  std::vector<int> bit;          // lowest bit inside the register
  std::vector<int> lane_copies;  // 0 first; only 0 when nothing is copied
};

/// The lanes that hold the same as lane 0: all sums of lane bits with a zero basis.
inline std::vector<int> lane_copies(const layout::LinearLayout& map) {
  std::vector<int> copies{0};
  const int first = map.inputs().offset(map.inputs().find("lane"));
  for (int bit = 0; bit < map.inputs().bits_of("lane"); ++bit) {
    if (map.basis(first + bit) != 0) continue;
    const std::size_t count = copies.size();
    for (std::size_t i = 0; i < count; ++i) copies.push_back(copies[i] + (1 << bit));
  }
  return copies;
}

/// All places of an operand. `instruction` has it (Instruction::has).
inline Places places(const Instruction& instruction, Operand operand, KOrder order = KOrder::isa) {
  const layout::LinearLayout map = fragment(instruction, operand, order);
  const bool groups = map.outputs().contains("group");
  const int k_per_column = groups ? 4 : 1;
  const int registers_a_step =
      instruction.map(operand).registers / static_cast<int>(map.input_size("register"));
  Places result;
  result.rows = static_cast<int>(map.outputs()[0].size());
  result.cols = static_cast<int>(map.outputs()[1].size()) * k_per_column;
  result.blocks = instruction.blocks;
  result.bits = instruction.map(operand).bits;
  result.lane_copies = lane_copies(map);
  const auto size = static_cast<std::size_t>(result.blocks * result.rows * result.cols);
  result.reg.resize(size);
  result.lane.resize(size);
  result.bit.resize(size);
  for (std::uint64_t input = std::uint64_t{1} << map.input_bits(); input-- > 0;) {
    // Downwards, so that the lowest lane of several copies is written last.
    const layout::Coordinates from = map.inputs().unpack(input);
    const layout::Coordinates to = map.outputs().unpack(map.apply(input));
    const auto row = static_cast<int>(to[0].value);
    const auto column = static_cast<int>(to[1].value) * k_per_column;
    const auto block = static_cast<int>(to.at_or("block", 0));
    for (int k = 0; k < k_per_column; ++k) {
      const auto at =
          static_cast<std::size_t>((block * result.rows + row) * result.cols + column + k);
      result.reg[at] = static_cast<int>(from.at("register")) * registers_a_step;
      result.lane[at] = static_cast<int>(from.at("lane"));
      result.bit[at] = static_cast<int>(from.at("element")) * result.bits;
    }
  }
  return result;
}

}  // namespace heddle::instruction
