#include "compiler/tile/tile.h"

#include <bit>

namespace heddle::compiler {

using layout::LinearLayout;
using mlir::Value;

LinearLayout tile_map(const instruction::Instruction& row, instruction::Operand operand,
                      instruction::KOrder order, const TileAxis& outer, const TileAxis& inner) {
  const LinearLayout atom = instruction::fragment(row, operand, order);
  const int outer_bits = atom.outputs().bits_of(outer.of_instruction);
  const int inner_bits = atom.outputs().bits_of(inner.of_instruction);
  const auto atom_bits = [](int atoms) {
    return static_cast<int>(std::bit_width(static_cast<unsigned>(atoms))) - 1;
  };
  const int outer_all = outer_bits + atom_bits(outer.atoms);
  LinearLayout::Bases bases{};
  std::size_t next = 0;
  const auto add = [&](const layout::AxisName& axis) {
    for (int bit = 0; bit < atom.inputs().bits_of(axis); ++bit)
      bases[next++] = atom.basis(axis, bit, outer.of_instruction) |
                      atom.basis(axis, bit, inner.of_instruction) << outer_all;
  };
  add("element");
  add("register");
  for (int bit = 0; bit < atom_bits(inner.atoms); ++bit)
    bases[next++] = std::uint64_t{1} << (outer_all + inner_bits + bit);
  for (int bit = 0; bit < atom_bits(outer.atoms); ++bit)
    bases[next++] = std::uint64_t{1} << (outer_bits + bit);
  const auto registers = static_cast<int>(next);
  add("lane");
  return LinearLayout::from_words(
             {{"register", registers}, {"lane", atom.inputs().bits_of("lane")}},
             {{outer.of_tile, outer_all}, {inner.of_tile, inner_bits + atom_bits(inner.atoms)}},
             bases)
      .value();
}

std::int64_t constant_part(const LinearLayout& map, std::uint64_t reg,
                           const layout::AxisName& axis) {
  const std::uint64_t word = map.apply(map.inputs().pack({{"register", reg}}).value());
  return static_cast<std::int64_t>(map.outputs().coordinate(word, map.outputs().find(axis)));
}

Value coordinate(const ThreadContext& context, const LinearLayout& map, Value of_lane,
                 std::uint64_t reg, const layout::AxisName& axis) {
  const std::int64_t constant = constant_part(map, reg, axis);
  std::uint64_t moved = 0;
  for (int bit = 0; bit < map.inputs().bits_of("lane"); ++bit)
    moved |= map.basis("lane", bit, axis);
  if ((moved & static_cast<std::uint64_t>(constant)) == 0) return context.add(of_lane, constant);
  return mlir::arith::XOrIOp::create(context.builder, of_lane, context.constant(constant));
}

}  // namespace heddle::compiler
