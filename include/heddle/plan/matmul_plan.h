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

#include "heddle/instruction/fragment.h"
#include "heddle/instruction/instruction.h"
#include "heddle/plan/launch_grid.h"
#include "heddle/plan/operand_plan.h"
#include "heddle/plan/split_k.h"

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
  const instruction::Instruction* wmma = nullptr;  // a row of the catalogue; null: FMA
  instruction::KOrder k_order = instruction::KOrder::contiguous;
  BlockTile block;
  OperandPlan a, b;
  layout::LinearLayout result;  // (register, lane, atom_m, atom_n, warp) -> (m, n) in the block
  int buffers = 1;              // tiles of A and B that LDS holds at a time: 1 or 2
  std::uint32_t lds_bytes = 0;  // of one workgroup
  int splits = 1;               // workgroups that share the k of one tile of D, a power of two
  RegisterEstimate registers;   // of one wave
  bool fragments_ahead = true;  // room for the fragments of the next k atom beside the present ones
  std::vector<Choice> choices;

  /// The k of one workgroup, but of the last of a tile: whole steps.
  std::int64_t part_k() const { return (block.k_steps(problem) + splits - 1) / splits * block.k; }
  /// 32-bit numbers that the parts of a tile leave for the last of them, for each part.
  std::int64_t part_words() const {
    return std::int64_t{block.threads()} * block.atoms_m() * block.atoms_n() *
           static_cast<std::int64_t>(result.input_size("register"));
  }
  std::int64_t tiles() const {
    return block.blocks_m(problem) * block.blocks_n(problem) * problem.batch;
  }
  LaunchGrid grid() const {
    const LaunchNumber rows{1, {{{Loop::m, block.m}}}}, columns{1, {{{Loop::n, block.n}}}};
    const LaunchNumber parts{splits, {{{Loop::batch, 1}}}};
    if (block.rows_on_x(problem)) return {rows, columns, parts};
    return {columns, rows, parts};
  }
  /// Of the memory in which the parts of all tiles meet: a counter for each tile, then the sums.
  std::int64_t workspace_bytes() const { return split_bytes(tiles(), splits, part_words()); }
  /// The mnemonic of the instruction.
  std::string_view instruction_name() const {
    if (wmma != nullptr) return wmma->name;
    return problem.input == instruction::ElementType::i32 ? "v_mul_lo_u32" : "v_fma_f32";
  }
  /// First element of B's tile in shared memory, and elements of all tiles together.
  std::uint32_t b_start() const {
    return static_cast<std::uint32_t>(a.chosen.placement.bytes * planes(problem)) /
           static_cast<std::uint32_t>(problem.element_bytes());
  }
  std::uint32_t lds_elements() const {
    return lds_bytes / static_cast<std::uint32_t>(problem.element_bytes());
  }

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

/// The places of an operand in a 16x16x4 step of f32 FMA, (element, register, lane) -> (row, k) or
/// (m, n): a lane multiplies two rows of A with four columns of B, and lanes with the same rows or
/// columns read them from shared memory together.
constexpr layout::LinearLayout fma_fragment(instruction::Operand operand) {
  using layout::LinearLayout;
  if (operand == instruction::Operand::a) {
    return LinearLayout::from_words({{"element", 2}, {"register", 1}, {"lane", 5}},
                                    {{"m", 4}, {"k", 2}}, {1u << 4, 2u << 4, 8, 0, 0, 1, 2, 4})
        .value();
  }
  if (operand == instruction::Operand::b) {
    return LinearLayout::from_words({{"element", 2}, {"register", 2}, {"lane", 5}},
                                    {{"n", 4}, {"k", 2}}, {1u << 4, 2u << 4, 4, 8, 1, 2, 0, 0, 0})
        .value();
  }
  return LinearLayout::from_words({{"register", 3}, {"lane", 5}}, {{"m", 4}, {"n", 4}},
                                  {4u << 4, 8u << 4, 8, 1u << 4, 2u << 4, 1, 2, 4})
      .value();
}

/// The places of an operand of the instruction that a plan uses.
constexpr layout::LinearLayout atom_fragment(const MatmulPlan& plan, instruction::Operand operand) {
  if (plan.wmma == nullptr) return fma_fragment(operand);
  if (operand == instruction::Operand::d) return instruction::fragment(*plan.wmma, operand);
  return instruction::fragment(*plan.wmma, operand, plan.k_order);
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
