#include "probe/positions.h"

namespace heddle::probe {

using instruction::Instruction;
using instruction::Operand;

namespace {

Place place_of(const layout::LinearLayout& map, std::uint64_t word, int step, int bits) {
  const layout::Coordinates from = map.inputs().unpack(word);
  const int bit = static_cast<int>(from.at("element")) * bits;
  return {static_cast<int>(from.at("register")) * step + bit / 32,
          static_cast<int>(from.at("lane")), bit % 32, bits};
}

}  // namespace

Positions::Positions(const Instruction& row, Operand operand)
    : map_(instruction::isa_fragment(row, operand)) {
  const instruction::OperandMap& held = row.map(operand);
  const bool sparse_a = operand == Operand::a && row.is_sparse();
  bits_ = sparse_a ? instruction::bits(row.a_type) : held.bits;
  stored_ = held.bits / bits_;
  group_ = sparse_a ? instruction::k_per_group(row, map_) : 1;
  registers_ = held.registers;
  const int step = instruction::registers_per_step(held, map_);
  for (std::uint64_t word = 0; word >> map_.input_bits() == 0; ++word) {
    Place place = place_of(map_, word, step, held.bits);
    if (place.reg >= registers_) continue;  // of a map longer than the tuple
    place.bits = bits_;
    for (int s = 0; s < stored_; ++s, place.bit += bits_) {
      places_.push_back(place);
      words_.push_back(word);
    }
  }
  first_extent_ = static_cast<int>(map_.outputs()[0].size());
  second_extent_ = static_cast<int>(map_.outputs()[1].size()) * (sparse_a ? group_ : 1);
}

Element Positions::element(int position, Kept kept) const {
  const layout::Coordinates to =
      map_.outputs().unpack(map_.apply(words_[static_cast<std::size_t>(position)]));
  const auto block = static_cast<int>(to.at_or("block", 0));
  int second = static_cast<int>(to[1].value);
  if (group_ > 1)
    second = second * group_ + position % stored_ + (kept == Kept::second_half ? group_ / 2 : 0);
  return {block * first_extent_ + static_cast<int>(to[0].value), block * second_extent_ + second};
}

std::vector<IndexPlace> index_places(const Instruction& row) {
  const layout::LinearLayout map = instruction::isa_fragment(row, Operand::index);
  std::vector<IndexPlace> places;
  for (std::uint64_t word = 0; word >> map.input_bits() == 0; ++word) {
    const layout::Coordinates to = map.outputs().unpack(map.apply(word));
    places.push_back({place_of(map, word, 1, row.index.bits), static_cast<int>(to[0].value),
                      static_cast<int>(to[1].value), static_cast<int>(to.at_or("selector", 0))});
  }
  return places;
}

}  // namespace heddle::probe
