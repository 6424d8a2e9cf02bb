#include "heddle/memory/transposed_read.h"

#include <bit>
#include <cstddef>
#include <cstdint>
#include <string>

#include "heddle/layout/solve.h"
#include "library/text/formatted.h"

namespace heddle::memory {

std::expected<layout::LinearLayout, std::string> read_by(const instruction::Instruction& load,
                                                         const layout::LinearLayout& held,
                                                         int element_bits) {
  using instruction::Operand;
  const std::string name(load.name);
  const int width = load.d.bits;
  if (element_bits > width || width % element_bits != 0 ||
      !std::has_single_bit(static_cast<unsigned>(width / element_bits)))
    return std::unexpected(formatted("{} moves elements of {} bits; the access has elements of {}",
                                     name, width, element_bits));
  const layout::AxisList& axes = held.inputs();
  const int element_axis_bits = axes.bits_of("element");
  const int positions = element_axis_bits + axes.bits_of("register");
  const int joined = std::countr_zero(static_cast<unsigned>(width / element_bits));
  const layout::LinearLayout got = instruction::isa_fragment(load, Operand::d);
  const layout::LinearLayout addresses = instruction::isa_fragment(load, Operand::address);
  const int own = got.inputs().bits_of("element") + got.inputs().bits_of("register");
  const int lanes = got.inputs().bits_of("lane");
  if (positions < joined + own)
    return std::unexpected(formatted("{} gives a lane {} elements; the access has {}", name,
                                     1 << (joined + own), 1 << positions));
  if (axes.bits_of("lane") < lanes)
    return std::unexpected(formatted("{} is of waves of {}; the access has {} lanes", name,
                                     load.wave, axes.size_of("lane")));
  const auto word = [&](const layout::AxisName& axis, int bit) {
    return held.basis(axes.offset(axes.find(axis)) + bit);
  };
  const auto word_of_position = [&](int bit) {
    return bit < element_axis_bits ? word("element", bit)
                                   : word("register", bit - element_axis_bits);
  };
  // The element of the fragment in the register and lane that hold the point (m, n, block) of D.
  const layout::LinearLayout places = layout::pseudo_inverse(got);
  const auto word_of_place = [&](std::uint64_t point) {
    const std::uint64_t place = places.apply(point);
    std::uint64_t sum = 0;
    for (int bit = 0; bit < own; ++bit)
      if ((place >> bit & 1) != 0) sum ^= word_of_position(joined + bit);
    for (int bit = 0; bit < lanes; ++bit)
      if ((place >> (own + bit) & 1) != 0) sum ^= word("lane", bit);
    return sum;
  };
  layout::AxisList inputs{{"register", positions}};
  for (const layout::Axis& axis : axes)
    if (axis.name != "element" && axis.name != "register") inputs.push_back(axis);
  layout::LinearLayout::Bases bases{};
  for (int bit = 0; bit < positions; ++bit)
    bases[static_cast<std::size_t>(bit)] = word_of_position(bit);
  const int n_offset = got.outputs().offset(got.outputs().find("n"));
  for (int bit = 0; bit < own; ++bit)
    bases[static_cast<std::size_t>(joined + bit)] =
        word_of_place(std::uint64_t{1} << (n_offset + bit));
  int next = positions;
  for (const layout::Axis& axis : inputs) {
    if (axis.name == "register") continue;
    for (int bit = 0; bit < axis.bits; ++bit, ++next) {
      if (axis.name != "lane" || bit >= lanes) {
        bases[static_cast<std::size_t>(next)] = word(axis.name, bit);
        continue;
      }
      std::uint64_t point = 0;
      for (const layout::Axis& out : addresses.outputs())
        point |= addresses.basis("lane", bit, out.name)
                 << got.outputs().offset(got.outputs().find(out.name));
      bases[static_cast<std::size_t>(next)] = word_of_place(point);
    }
  }
  return layout::LinearLayout::from_words(inputs, held.outputs(), bases).value();
}

}  // namespace heddle::memory
