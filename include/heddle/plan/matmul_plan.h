// The tile plan of a matrix product: what every workgroup, wave, lane and register does, decided
// before any code is written, and each decision with its reason.
//
// A plan is data for three readers: the compiler emits it, tests take its maps apart, the user
// reads its reasons. matmul_planner.h makes it. Whoever needs an address derives it from the same
// layouts (operand_plan.h).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "heddle/instruction/catalogue.h"
#include "heddle/plan/operand_plan.h"

namespace heddle::plan {

/// One decision, as shown to the user: {"block", "128x128x32", "the largest …"}.
struct Choice {
  std::string what;
  std::string value;
  std::string why;
};

struct MatmulPlan {
  Problem problem;
  instruction::Target target{};
  const instruction::Instruction* wmma = nullptr;  // a row of the catalogue, never null in a plan
  instruction::KOrder k_order = instruction::KOrder::contiguous;
  BlockTile block;
  OperandPlan a, b;
  layout::LinearLayout result;  // (register, lane, atom_m, atom_n, warp) -> (m, n) in the block
  int buffers = 1;              // tiles of A and B that LDS holds at a time: 1 or 2
  std::uint32_t lds_bytes = 0;  // of one workgroup
  RegisterEstimate registers;   // of one wave
  bool fragments_ahead = true;  // room for the fragments of the next k atom beside the present ones
  std::vector<Choice> choices;

  /// LDS loads of one wave for each of its matrix instructions.
  double loads_per_wmma() const {
    const int a_loads = block.atoms_m() * fragment_loads(a);
    const int b_loads = block.atoms_n() * fragment_loads(b);
    return static_cast<double>(a_loads + b_loads) / (block.atoms_m() * block.atoms_n());
  }
  /// LDS loads of one 16x16 fragment.
  static int fragment_loads(const OperandPlan& operand) {
    const auto& inputs = operand.fragment.inputs();
    return (1 << (inputs.bits_of("element") + inputs.bits_of("register"))) /
           operand.chosen.load_elements();
  }
};

/// The mnemonic that a plan uses for inputs of type `input`.
constexpr std::string_view wmma_name(instruction::ElementType input) {
  return input == instruction::ElementType::f16 ? "v_wmma_f32_16x16x16_f16"
                                                : "v_wmma_f32_16x16x16_bf16";
}

/// The accumulators of a block: (register, lane, atom_m, atom_n, warp) -> (m, n).
constexpr layout::LinearLayout tiled_result(const layout::LinearLayout& fragment,
                                            const BlockTile& block) {
  layout::LinearLayout::Bases bases{};
  std::size_t next = 0;
  const int m_bits = bits_of(block.m / atom);
  const auto along = [&](int from, int to, int shift) {
    for (int at = from; at < to; at *= 2) bases[next++] = static_cast<std::uint64_t>(at) << shift;
  };
  along(1, block.atoms_m(), 0);
  along(1, block.atoms_n(), m_bits);
  along(block.atoms_n(), block.n / atom, m_bits);
  along(block.atoms_m(), block.m / atom, 0);
  const auto tiling =
      layout::LinearLayout::from_words({{"atom_m", bits_of(block.atoms_m())},
                                        {"atom_n", bits_of(block.atoms_n())},
                                        {"warp", bits_of(block.warps())}},
                                       {{"m", m_bits}, {"n", bits_of(block.n / atom)}}, bases);
  return layout::product(fragment, tiling.value()).value();
}

}  // namespace heddle::plan
