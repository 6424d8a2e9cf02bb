#include "probe/positions.h"

#include <algorithm>

#include "heddle/instruction/fragment.h"

namespace heddle::probe {

using instruction::Instruction;
using instruction::Operand;

Positions::Positions(const Instruction& row, Operand operand) {
  const layout::LinearLayout map = instruction::isa_fragment(row, operand);
  const instruction::OperandMap& held = row.map(operand);
  const bool sparse_a = operand == Operand::a && row.is_sparse();
  const int bits = sparse_a ? instruction::bits(row.a_type) : held.bits;
  const int step = instruction::registers_per_step(held, map);
  if (sparse_a) {
    group_ = instruction::k_per_group(row, map);
    kept_ = group_ / 2;
  }
  words_ = held.registers * row.wave;
  const auto rows = static_cast<int>(map.outputs()[0].size());
  const auto columns = static_cast<int>(map.outputs()[1].size()) * kept_;
  for (std::uint64_t word = 0; word >> map.input_bits() == 0; ++word) {
    const layout::Coordinates from = map.inputs().unpack(word);
    const layout::Coordinates to = map.outputs().unpack(map.apply(word));
    const int reg = static_cast<int>(from.at("register")) * step;
    if (reg >= held.registers) continue;  // of a map longer than the tuple
    const auto lane = static_cast<int>(from.at("lane"));
    const auto block = static_cast<int>(to.at_or("block", 0));
    for (int s = 0; s < held.bits / bits; ++s) {
      const int bit = static_cast<int>(from.at("element")) * held.bits + s * bits;
      const int at = (reg + bit / 32) * row.wave + lane;
      places_.push_back({at, bit % 32, bits, at + row.wave});
      stored_.push_back({true, block * rows + static_cast<int>(to[0].value),
                         block * columns + static_cast<int>(to[1].value) * kept_ + s});
    }
  }
}

Positions::Positions(const Instruction& row, const instruction::SharedTile& tile) {
  const layout::LinearLayout map = instruction::shared_operand_map(tile);
  const bool is_a = tile.operand == Operand::a;
  if (is_a && row.is_sparse()) {
    group_ = instruction::k_per_group(row, instruction::isa_fragment(row, Operand::index));
    kept_ = group_ / 2;
  }
  const int bytes = 1 << map.inputs().bits_of("byte");
  words_ = bytes / 4;
  for (int bit = 0; bit < bytes * 8; bit += tile.bits) {
    const auto input = static_cast<std::uint64_t>(bit / std::min(tile.bits, 8));
    const layout::Coordinates to = map.outputs().unpack(map.apply(input));
    const auto mn = static_cast<int>(to[0].value), k = static_cast<int>(to[1].value);
    places_.push_back({bit / 32, bit % 32, tile.bits, 0});
    const bool read = mn < tile.mn && k < tile.k;
    stored_.push_back({read, is_a ? mn : k, is_a ? k : mn});
  }
}

std::optional<Element> Positions::element(int position, Kept kept) const {
  const Stored& stored = stored_[static_cast<std::size_t>(position)];
  if (!stored.read) return std::nullopt;
  const int skipped = kept == Kept::second_half ? group_ - kept_ : 0;
  return Element{stored.first, stored.second / kept_ * group_ + stored.second % kept_ + skipped};
}

std::vector<IndexPlace> index_places(const Instruction& row) {
  const layout::LinearLayout map = instruction::isa_fragment(row, Operand::index);
  std::vector<IndexPlace> places;
  for (std::uint64_t word = 0; word >> map.input_bits() == 0; ++word) {
    const layout::Coordinates from = map.inputs().unpack(word);
    const layout::Coordinates to = map.outputs().unpack(map.apply(word));
    const auto at =
        static_cast<int>(from.at("register")) * row.wave + static_cast<int>(from.at("lane"));
    places.push_back(
        {{at, static_cast<int>(from.at("element")) * row.index.bits, row.index.bits, 0},
         static_cast<int>(to[0].value),
         static_cast<int>(to[1].value),
         static_cast<int>(to.at_or("selector", 0))});
  }
  return places;
}

}  // namespace heddle::probe
