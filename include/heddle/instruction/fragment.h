// The map of an instruction's operand, made from its row: which element of the matrix each register
// and lane holds.
//
//   const LinearLayout a = fragment(row, Operand::a);      // (element, register, lane) -> (m, k)
//
// This header does not include the catalogue: code that has a row needs only that row's table. A
// kernel for one family then compiles in a tenth of the time.
//
//     constexpr auto a = fragment(row, Operand::a);              of v_wmma_f32_16x16x16_f16, gfx11
//     text(a)     "element: (0,1); register: (0,2) (0,4) (0,8);
//                  lane: (1,0) (2,0) (4,0) (8,0) (0,0) -> m: 16, k: 16"
//     a.apply({{"element", 1}, {"register", 2}, {"lane", 3}})    m 3, k 5
//     invert_and_compose(a, tile)                                the offset of each in memory
//     elements_per_lane(row, Operand::a)                         16, copies included
#pragma once

#include <bit>
#include <cstdint>
#include <string_view>

#include "heddle/instruction/instruction.h"
#include "heddle/layout/linear_layout.h"
#include "heddle/layout/text.h"

namespace heddle::instruction {

/// How the k of an instruction's registers are numbered. Every numbering gives the same product, as
/// long as A and B share it. The fragments differ, and so does the code that loads them.
///
///   isa         the numbering of the ISA documents and of AMD's calculator
///   contiguous  renumbered so that the elements of a lane are consecutive in k and can be loaded
///               as one piece; TileLang and IREE use this on gfx12
///
/// The two differ for 16-bit A and B of gfx12 in wave32 (element e of lane l):
///   isa  k = 8 * (e / 4) + 4 * (l / 16) + e % 4      contiguous  k = 8 * (l / 16) + e
/// and wherever, on gfx950 or gfx1250, a lane holds several separate ranges of k of B. They never
/// differ on gfx11, nor for scaled products, where each scale belongs to certain k.
enum class KOrder : std::uint8_t { isa, contiguous };

constexpr std::string_view name(KOrder order) {
  return order == KOrder::isa ? "isa" : "contiguous";
}

/// The number of registers for which one step of the map's `register` axis stands: 2 if elements
/// have 64 bits, the whole tuple if elements cross from one register to the next, otherwise 1.
constexpr int registers_per_step(const OperandMap& operand, const layout::LinearLayout& map) {
  const int step = (static_cast<int>(map.input_size("element")) * operand.bits + 31) / 32;
  return step > 1 ? step : 1;
}

/// The map, cut to the first `registers` steps of the register axis. The sizes of the output axes
/// are reduced to what the remaining bases reach.
constexpr layout::LinearLayout with_registers(const layout::LinearLayout& map, int registers) {
  const int axis = map.inputs().find("register");
  int wanted = 0;
  while (1 << wanted < registers) ++wanted;
  if (axis < 0 || wanted >= map.inputs()[axis].bits) return map;
  const int dropped = map.inputs()[axis].bits - wanted;
  const int first = map.inputs().offset(axis) + wanted;
  layout::AxisList inputs;
  for (const layout::Axis& input : map.inputs())
    inputs.push_back({input.name, input.name == "register" ? wanted : input.bits});
  std::uint64_t reached = 0;
  for (int bit = 0; bit < map.input_bits(); ++bit)
    if (bit < first || bit >= first + dropped) reached |= map.basis(bit);
  layout::AxisList outputs;
  for (int out = 0; out < map.outputs().size(); ++out)
    outputs.push_back({map.outputs()[out].name,
                       static_cast<int>(std::bit_width(map.outputs().coordinate(reached, out)))});
  layout::LinearLayout::Bases bases{};
  for (int bit = 0; bit < inputs.bits(); ++bit) {
    const std::uint64_t word = map.basis(bit < first ? bit : bit + dropped);
    for (int out = 0; out < outputs.size(); ++out)
      bases[static_cast<std::size_t>(bit)] |= map.outputs().coordinate(word, out)
                                              << outputs.offset(out);
  }
  return layout::LinearLayout::from_words(inputs, outputs, bases).value();
}

/// The table's map of an operand, with k in the order of the ISA. Its axes are described at
/// OperandMap. The result is the layout of a single point if the instruction does not have the
/// operand (see Instruction::has), or if the operand is in shared memory, because then its map
/// depends on a descriptor (shared_operand.h).
constexpr layout::LinearLayout isa_fragment(const Instruction& instruction, Operand operand) {
  const OperandMap& row = instruction.map(operand);
  if (row.text.empty()) return {};
  const layout::LinearLayout map = layout::parse(row.text).value();
  return with_registers(map, row.registers / registers_per_step(row, map));
}

/// True if k cannot be renumbered. With NVIDIA's sparse A, a lane has other k of A than of B, so no
/// order of k makes the k of a lane consecutive in A and in B. With scales, each scale belongs to a
/// range of k.
constexpr bool has_fixed_k(const Instruction& instruction) {
  const bool nvidia = is_nvidia(instruction.family());
  return (nvidia && instruction.is_sparse()) || instruction.has(Operand::scale_a);
}

/// The renumbering from k in the ISA's order to k in `contiguous` order; both axes are named `k`.
/// - Bits of k that differ between the elements and registers of one lane become the lowest bits,
/// in the order that they have in the lane.
/// - Bits of k that differ between lanes follow, in their old order.
///
/// The renumbering is derived from B, which is never sparse. A of the same instruction has the same
/// bits, except that on gfx950 its ranges of consecutive k may be longer. The result is the
/// identity if has_fixed_k is true or B is not in registers.
constexpr layout::LinearLayout contiguous_k(const Instruction& instruction) {
  const layout::LinearLayout b = isa_fragment(instruction, Operand::b);
  const int bits = std::countr_zero(static_cast<unsigned>(instruction.k));
  layout::LinearLayout::Bases bases{};
  std::uint64_t next = 1;
  std::uint64_t numbered = 0;
  const auto number = [&](std::uint64_t k) {
    for (int bit = 0; bit < bits; ++bit) {
      if (k >> bit != 1 || (numbered & k) != 0) continue;
      bases[static_cast<std::size_t>(bit)] = next;
      next <<= 1;
      numbered |= k;
    }
  };
  for (const layout::AxisName axis : {layout::AxisName("element"), layout::AxisName("register")}) {
    if (has_fixed_k(instruction)) break;
    for (int bit = 0; bit < b.inputs().bits_of(axis); ++bit) number(b.basis(axis, bit, "k"));
  }
  for (int bit = 0; bit < bits; ++bit) number(std::uint64_t{1} << bit);
  return layout::LinearLayout::from_words({{"k", bits}}, {{"k", bits}}, bases).value();
}

/// The number of consecutive k in one group of the map's `group` axis; 1 if it has no such axis.
constexpr int k_per_group(const Instruction& instruction, const layout::LinearLayout& map) {
  return map.outputs().contains("group") ? instruction.k / (1 << map.outputs().bits_of("group"))
                                         : 1;
}

/// The map of an operand with k in the given order: (element, register, lane) -> the operand's
/// axes.
///
///   A         m, k
///   B         k, n
///   C and D   m, n; they do not depend on the order of k
///
/// If the instruction multiplies several matrices at once, there is also the output axis `block`.
///
/// Law: fragment(i, o, contiguous) is fragment(i, o, isa) followed by contiguous_k(i).
constexpr layout::LinearLayout fragment(const Instruction& instruction, Operand operand,
                                        KOrder order = KOrder::isa) {
  const layout::LinearLayout isa = isa_fragment(instruction, operand);
  const int per_group = k_per_group(instruction, isa);
  const int k_axis =
      isa.outputs().find(per_group > 1 ? layout::AxisName("group") : layout::AxisName("k"));
  if (order == KOrder::isa || k_axis < 0) return isa;
  const layout::LinearLayout renumbering = contiguous_k(instruction);
  const auto renumbered = [&](std::uint64_t k) {
    const auto step = static_cast<std::uint64_t>(per_group);
    return renumbering.apply(k * step) / step;
  };
  const int offset = isa.outputs().offset(k_axis);
  layout::LinearLayout::Bases bases{};
  for (int bit = 0; bit < isa.input_bits(); ++bit) {
    const std::uint64_t word = isa.basis(bit);
    const std::uint64_t k = isa.outputs().coordinate(word, k_axis);
    bases[static_cast<std::size_t>(bit)] = (word ^ k << offset) | renumbered(k) << offset;
  }
  return layout::LinearLayout::from_words(isa.inputs(), isa.outputs(), bases).value();
}

/// The number of elements of the operand that one lane holds, copies included. Without copies, all
/// lanes together hold m * k elements.
constexpr int elements_per_lane(const Instruction& instruction, Operand operand) {
  const OperandMap& row = instruction.map(operand);
  const layout::LinearLayout map = isa_fragment(instruction, operand);
  return static_cast<int>(map.input_size("element")) * row.registers / registers_per_step(row, map);
}

}  // namespace heddle::instruction
