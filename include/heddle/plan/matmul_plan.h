// The tile plan of a matrix product: what every workgroup, wave, lane and register does, decided
// before any code is written, and each decision with its reason.
//
//   const MatmulPlan plan = make_plan({.m = 512, .n = 512, .k = 512}, Target::gfx1151);
//   for (const Choice& choice : plan.choices) print(choice.what, choice.value, choice.why);
//
// A plan is data for three readers: the compiler emits it, tests take its maps apart, the user
// reads its reasons. Whoever needs an address derives it from the same layouts (operand_plan.h).
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
           operand.chosen.load_elements;
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

namespace detail {

inline std::string number(std::int64_t value) { return std::to_string(value); }

inline std::string times(std::int64_t x, std::int64_t y) { return number(x) + "x" + number(y); }

/// "80-byte rows, 16 more after every 512 bytes" or "16-byte groups xor row >> 1".
inline std::string words(const SharedTile& shared) {
  if (shared.swizzle_shift > 0)
    return "16-byte group ^= row >> " + number(shared.swizzle_shift) + ", no padding";
  if (shared.swizzle_shift == 0) return "16-byte group ^= row, no padding";
  std::string text;
  for (const Padding& pad : shared.padding) {
    if (pad.amount == 0) continue;
    text += (text.empty() ? "" : ", and ") + number(pad.amount) + " bytes after every " +
            number(pad.interval);
  }
  return text.empty() ? "rows without padding" : text;
}

inline std::string cost_words(const SharedCandidate& candidate) {
  const AccessCost& stores = candidate.staging.stores;
  std::string text = number(candidate.load_cost.extra_passes) + " extra passes in " +
                     number(candidate.load_cost.accesses) + " loads";
  if (stores.accesses > 0)
    text += " and " + number(stores.extra_passes) + " in " + number(stores.accesses) + " stores";
  return text + ", " + number(candidate.registers) +
         (candidate.registers == 1 ? " base register" : " base registers");
}

inline Choice instruction_choice(const MatmulPlan& plan) {
  const bool gfx12 = instruction::row(plan.target).family == instruction::Family::gfx12;
  return {
      "instruction", std::string(plan.wmma->name),
      gfx12 ? "sums in f32; k in the contiguous order, not the ISA's: A and B share it, so the "
              "product is the same, and a lane's 8 elements are one 16-byte load"
            : "sums in f32; lanes 16-31 repeat the fragments of lanes 0-15, as gfx11 requires, so "
              "a lane's 16 elements are two 16-byte loads"};
}

inline Choice block_choice(const MatmulPlan& plan) {
  const BlockTile& block = plan.block;
  const std::int64_t work = computed(plan.problem, block.m, block.n);
  const std::int64_t percent = 100 * work / (plan.problem.m * plan.problem.n) - 100;
  const std::string why =
      "the largest of 16 to 128 a side whose registers fit and that computes at most 1.5 times "
      "what 16x16 atoms would; it computes " +
      number(percent) + "% more than D has, in " +
      times(block.blocks_m(plan.problem), block.blocks_n(plan.problem)) + " workgroups";
  return {"block", times(block.m, block.n) + "x" + number(block.k), why};
}

inline Choice waves_choice(const MatmulPlan& plan) {
  const BlockTile& block = plan.block;
  const int atoms = block.atoms_m() * block.atoms_n();
  const std::string loads = std::to_string(plan.loads_per_wmma());
  return {"waves", times(block.warps_m, block.warps_n),
          "a wave has " + times(block.atoms_m(), block.atoms_n()) + " atoms: " + number(atoms) +
              " WMMA for " + number(block.atoms_m()) + " fragments of A and " +
              number(block.atoms_n()) + " of B, " + loads.substr(0, loads.find('.') + 3) +
              " LDS loads a WMMA"};
}

inline std::string access_reason(const OperandPlan& operand, std::int64_t row_elements) {
  if (access_of(operand.tile, operand.patch) < operand.tile.access)
    return "fewest loads and LDS stores together for a thread's share of the tile";
  const std::string rows = "rows are " + number(row_elements * element_bytes) + " bytes";
  if (operand.tile.access == 8) return rows + ", so 16-byte accesses stay aligned inside them";
  return rows + ", and a wider access would straddle two or lose its alignment";
}

inline Choice global_choice(const std::string& name, const OperandPlan& operand,
                            std::int64_t row_elements) {
  return {
      "global " + name,
      number(std::int64_t{access_of(operand.tile, operand.patch)} * element_bytes) + "-byte loads",
      access_reason(operand, row_elements) + "; each thread carries " +
          times(operand.patch.rows, operand.patch.k) +
          (operand.tile.k_contiguous ? " (m x k)"
                                     : " (n x k), transposed in registers so that LDS is "
                                       "contiguous along k") +
          ", a wave's load touches " + number(operand.chosen.staging.segments) +
          " of the 64-byte segments of memory"};
}

inline Choice shared_choice(const std::string& name, const OperandPlan& operand) {
  std::string why = cost_words(operand.chosen) + " a k step";
  for (const SharedCandidate& other : operand.others) {
    const bool plain = other.shared.swizzle_shift < 0 && other.shared.padding[0].amount == 0;
    const bool swizzled = other.shared.swizzle_shift >= 0;
    const bool best_swizzle =
        swizzled && &other == &*std::find_if(operand.others.begin(), operand.others.end(),
                                             [](const SharedCandidate& candidate) {
                                               return candidate.shared.swizzle_shift >= 0;
                                             });
    if (plain || best_swizzle) why += "; " + words(other.shared) + ": " + cost_words(other);
  }
  return {"LDS " + name, words(operand.chosen.shared), why};
}

inline Choice buffers_choice(const MatmulPlan& plan, std::uint32_t tiles_bytes, int lds_bytes) {
  const std::string sizes = number(tiles_bytes) + " bytes a tile pair of " + number(lds_bytes);
  if (plan.buffers == 2) {
    return {"LDS buffers", "2",
            sizes +
                ": one is read while the other is filled, one barrier a "
                "k step, and two workgroups still fit"};
  }
  if (plan.block.k_steps(plan.problem) == 1)
    return {"LDS buffers", "1", sizes + ": there is only one k step"};
  return {"LDS buffers", "1",
          sizes +
              ": two would leave no room for a second workgroup; the next "
              "tile waits in registers, two barriers a k step"};
}

inline Choice registers_choice(const MatmulPlan& plan, int limit) {
  const RegisterEstimate& estimate = plan.registers;
  return {"registers", number(estimate.total()) + " of " + number(limit) + " VGPRs (estimate)",
          number(estimate.accumulators) + " accumulators, " + number(estimate.fragments) +
              " fragments, " + number(estimate.in_flight) + " in flight from global memory, " +
              number(estimate.addresses) + " addresses; " +
              number(waves_per_simd(instruction::row(plan.target), estimate.total())) +
              " waves fit a SIMD"};
}

inline Choice ahead_choice(const MatmulPlan& plan, int limit) {
  const int needed = plan.registers.total() + plan.registers.fragments;
  const std::string sets =
      "two sets of fragments would take " + number(needed) + " of " + number(limit) + " VGPRs";
  if (plan.fragments_ahead) {
    return {"fragments", "fetched ahead",
            sets + ": those of the next 16 k may be on their way while the present ones multiply"};
  }
  return {"fragments", "one k atom at a time", sets + "; other waves hide the wait"};
}

inline void explain(MatmulPlan& plan) {
  const instruction::TargetRow& limits = instruction::row(plan.target);
  plan.choices = {instruction_choice(plan),
                  block_choice(plan),
                  waves_choice(plan),
                  global_choice("A", plan.a, plan.problem.k),
                  global_choice("B", plan.b, plan.problem.n),
                  shared_choice("A", plan.a),
                  shared_choice("B", plan.b),
                  buffers_choice(plan, plan.lds_bytes / static_cast<std::uint32_t>(plan.buffers),
                                 limits.lds_bytes),
                  registers_choice(plan, limits.max_vgprs),
                  ahead_choice(plan, limits.max_vgprs)};
}

}  // namespace detail

/// Decides everything. Any problem that keeps the rules of Problem has a plan.
inline MatmulPlan make_plan(const Problem& problem, instruction::Target target) {
  using instruction::Operand;
  const instruction::TargetRow& limits = instruction::row(target);
  const memory::BankModel model = memory::bank_model(target);
  MatmulPlan plan;
  plan.problem = problem;
  plan.target = target;
  plan.wmma = instruction::find(wmma_name(problem.input), target);
  const BlockTile block = choose_block(problem, target);
  plan.block = block;
  const GlobalTile a{"m", block.m, block.k, true, access_elements(problem.k)};
  const GlobalTile b{"n", block.n, block.k, false, access_elements(problem.n)};
  plan.a = plan_operand(model, a, instruction::fragment(*plan.wmma, Operand::a, plan.k_order),
                        block.warps_m, block.warps_n);
  plan.b = plan_operand(model, b, instruction::fragment(*plan.wmma, Operand::b, plan.k_order),
                        block.warps_n, block.warps_m);
  plan.result = tiled_result(instruction::fragment(*plan.wmma, Operand::d), block);
  const std::uint32_t tiles = plan.a.chosen.shared.bytes() + plan.b.chosen.shared.bytes();
  const bool room = 4 * tiles <= static_cast<std::uint32_t>(limits.lds_bytes);
  plan.buffers = room && block.k_steps(problem) > 1 ? 2 : 1;
  plan.lds_bytes = tiles * static_cast<std::uint32_t>(plan.buffers);
  plan.registers = estimate_registers(problem, block, limits.family);
  plan.fragments_ahead = plan.registers.total() + plan.registers.fragments <= limits.max_vgprs;
  detail::explain(plan);
  return plan;
}

}  // namespace heddle::plan
