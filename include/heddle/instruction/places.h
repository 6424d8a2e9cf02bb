// The inverse of a fragment: for each element of an operand, the register, lane and bits that hold
// it, with all copies. It has the same columns as the tables of AMD's calculator.
//
//     const Places a = places(row, Operand::a);      of v_wmma_f32_16x16x16_f16 on gfx11
//     a.rows, a.cols, a.bits                         16, 16, 16
//     a.reg[3 * 16 + 5], a.lane[…], a.bit[…]         2, 3, 16: A(3, 5) is in the upper half of
//                                                    register 2 of lane 3
//     a.lane_copies                                  0, 16: and of lane 19
#pragma once

#include <bit>
#include <cstdint>
#include <vector>

#include "heddle/instruction/fragment.h"
#include "heddle/instruction/instruction.h"

namespace heddle::instruction {

/// Where each element of an operand is. The lists are in row-major order over blocks x rows x cols.
/// - A: rows m, columns k; B: rows k, columns n; C and D: rows m, columns n. An address has rows m
/// and one column.
/// - If an element has copies, `lane` has the lowest lane that holds the element; the other lanes
/// are `lane + copy` for each `copy` of lane_copies.
/// - A sparse A, its index and the scales have one place for each group of k. The lists repeat this
/// place for each k of the group.
/// - An element of 6 bits may begin in one register and end in the next.
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

/// The lanes that hold the same elements as lane 0: all sums of lane bits with a zero basis.
inline std::vector<int> lane_copies(const layout::LinearLayout& map) {
  std::vector<int> lanes{0};
  const int first = map.inputs().offset(map.inputs().find("lane"));
  for (int bit = 0; bit < map.inputs().bits_of("lane"); ++bit) {
    if (map.basis(first + bit) != 0) continue;
    const std::size_t count = lanes.size();
    for (std::size_t i = 0; i < count; ++i) lanes.push_back(lanes[i] + (1 << bit));
  }
  return lanes;
}

/// The places of an operand that is in registers or tensor memory. `selector` chooses the part of
/// the operand's map that the instruction uses, if the map has such an axis.
inline Places places(const Instruction& instruction, Operand operand, KOrder order = KOrder::isa,
                     int selector = 0) {
  const layout::LinearLayout map = fragment(instruction, operand, order);
  const OperandMap& held = instruction.map(operand);
  const int step = registers_per_step(held, map);
  const int k_step = k_per_group(instruction, map);
  // The size of one of the two matrix axes; an address has only one axis.
  const bool one_axis = map.outputs().size() < 2 || map.outputs()[1].name == "block";
  const auto extent = [&](int axis) {
    const layout::Axis& at = map.outputs()[axis];
    if (at.name == "n") return instruction.n;
    return static_cast<int>(at.size()) * (at.name == "group" ? k_step : 1);
  };
  const auto width = [&](int axis) { return map.outputs()[axis].name == "group" ? k_step : 1; };
  const int part = instruction.n / static_cast<int>(map.output_size("part"));
  Places result;
  result.rows = extent(0);
  result.cols = one_axis ? 1 : extent(1);
  result.blocks = instruction.blocks;
  result.bits = held.bits;
  result.lane_copies = lane_copies(map);
  const auto size = static_cast<std::size_t>(result.blocks * result.rows * result.cols);
  result.reg.resize(size);
  result.lane.resize(size);
  result.bit.resize(size);
  for (std::uint64_t input = std::uint64_t{1} << map.input_bits(); input-- > 0;) {
    // The loop counts down, so that of several copies the lowest lane is written last and remains.
    const layout::Coordinates from = map.inputs().unpack(input);
    const int first_register = static_cast<int>(from.at("register")) * step;
    if (first_register >= held.registers) continue;
    const layout::Coordinates to = map.outputs().unpack(map.apply(input));
    if (to.at_or("selector", static_cast<std::uint64_t>(selector)) !=
        static_cast<std::uint64_t>(selector))
      continue;
    const int bit = static_cast<int>(from.at("element")) * held.bits;
    const auto block = static_cast<int>(to.at_or("block", 0));
    const int begin = static_cast<int>(to.at_or("part", 0)) * part;
    for (int i = 0; i < width(0); ++i) {
      for (int j = 0; j < (one_axis ? 1 : width(1)); ++j) {
        const int row = static_cast<int>(to[0].value) * width(0) + i;
        const int column = one_axis ? 0 : begin + static_cast<int>(to[1].value) * width(1) + j;
        if (column >= result.cols) continue;  // of an n that is no power of two
        const auto at =
            static_cast<std::size_t>((block * result.rows + row) * result.cols + column);
        result.reg[at] = first_register + bit / 32;
        result.lane[at] = static_cast<int>(from.at("lane"));
        result.bit[at] = bit % 32;
      }
    }
  }
  return result;
}

}  // namespace heddle::instruction
