#include "compiler/plan/matmul_fragments.h"

#include "heddle/instruction/fragment.h"
#include "heddle/layout/axes.h"

namespace heddle::plan {

using instruction::Instruction;

bool exchanges(const Instruction& row) {
  using instruction::Operand;
  const auto contiguous = instruction::KOrder::contiguous;
  const auto sums = instruction::fragment(row, Operand::d);
  if (row.m != row.n || sums.inputs().bits_of("register") == 0 ||
      sums.basis("register", 0, "m") != 1)
    return false;
  const auto a = instruction::fragment(row, Operand::a, contiguous);
  const auto b =
      layout::transpose_outputs(instruction::fragment(row, Operand::b, contiguous), {"n", "k"});
  if (!b || a.input_bits() != b->input_bits()) return false;
  for (int bit = 0; bit < a.input_bits(); ++bit)
    if (a.basis(bit) != b->basis(bit)) return false;
  return true;
}

layout::LinearLayout in_units(const layout::LinearLayout& fragment, const Problem& problem) {
  if (problem.elements_of_unit() == 1) return fragment;
  layout::AxisList inputs, outputs;
  for (const layout::Axis& axis : fragment.inputs())
    inputs.push_back({axis.name, axis.bits - (axis.name == "element" ? 1 : 0)});
  for (const layout::Axis& axis : fragment.outputs())
    outputs.push_back({axis.name, axis.bits - (axis.name == "k" ? 1 : 0)});
  layout::LinearLayout::Bases bases{};
  std::size_t next = 0;
  for (const layout::Axis& axis : fragment.inputs())
    for (int bit = axis.name == "element" ? 1 : 0; bit < axis.bits; ++bit, ++next)
      for (int out = 0; out < outputs.size(); ++out)
        bases[next] |= fragment.basis(axis.name, bit, outputs[out].name) >>
                       (outputs[out].name == "k" ? 1 : 0) << outputs.offset(out);
  return layout::LinearLayout::from_words(inputs, outputs, bases).value();
}

layout::LinearLayout scale_fragment(const Instruction& row, bool is_a) {
  using instruction::Operand;
  const layout::LinearLayout map =
      instruction::isa_fragment(row, is_a ? Operand::scale_a : Operand::scale_b);
  const auto name = is_a ? layout::AxisName("m") : layout::AxisName("n");
  const int row_bits = map.outputs().bits_of(name);
  layout::LinearLayout::Bases bases{};
  std::size_t next = 0;
  int elements = 0;
  for (const layout::AxisName axis : {layout::AxisName("element"), layout::AxisName("lane")}) {
    for (int bit = 0; bit < map.inputs().bits_of(axis); ++bit) {
      const std::uint64_t word = map.basis(axis, bit, name) | map.basis(axis, bit, "group")
                                                                  << row_bits;
      if (axis == "element" && word == 0) continue;
      bases[next++] = word;
      if (axis == "element") ++elements;
    }
  }
  return layout::LinearLayout::from_words(
             {{"element", elements}, {"lane", map.inputs().bits_of("lane")}},
             {{name, row_bits}, {"k", map.outputs().bits_of("group")}}, bases)
      .value();
}

}  // namespace heddle::plan
