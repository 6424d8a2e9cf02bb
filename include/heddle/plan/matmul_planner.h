// Makes the tile plan of a matrix product.
//
//   const MatmulPlan plan = make_plan({.m = 512, .n = 512, .k = 512}, Target::gfx1151);
//   for (const Choice& choice : plan.choices) print(choice.what, choice.value, choice.why);
#pragma once

#include <cstdint>
#include <string>

#include "heddle/memory/bank_model.h"
#include "heddle/plan/matmul_plan.h"
#include "heddle/plan/operand_planner.h"

namespace heddle::plan {

namespace detail {

inline std::string number(std::int64_t value) { return std::to_string(value); }

inline std::string times(std::int64_t x, std::int64_t y) { return number(x) + "x" + number(y); }

/// The order in which elements lie, fastest first, and the padding: "32 k, 128 m, 16 bytes after
/// every 128". Bits of the offset that move more than one coordinate are xors.
inline std::string words(const memory::SharedLayout& shared) {
  const layout::AxisList& dims = shared.map.outputs();
  std::string text;
  bool has_xors = false;
  std::uint64_t used = 0;
  const auto new_bit = [&](int bit) {  // of the tile: not yet moved by bits below
    const std::uint64_t word = shared.map.basis(bit);
    return std::countr_zero((word & ~used) != 0 ? word & ~used : word);
  };
  for (int bit = 0; bit < shared.map.input_bits();) {
    const int first = new_bit(bit);
    const int axis = dims.axis_of_bit(first);
    int count = 0;  // bits that continue the same coordinate
    for (; bit < shared.map.input_bits(); ++bit, ++count) {
      const int at = new_bit(bit);
      if (at != first + count || dims.axis_of_bit(at) != axis) break;
      has_xors |= !std::has_single_bit(shared.map.basis(bit));
      used |= std::uint64_t{1} << at;
    }
    text += (text.empty() ? "" : ", ") + number(std::int64_t{1} << count) + " " +
            std::string(dims[axis].name.text());
  }
  if (has_xors) text += ", with xors";
  for (const memory::Padding& pad : shared.padding)
    text += ", " + number(static_cast<std::int64_t>(pad.amount) * element_bytes) +
            " bytes after every " + number(static_cast<std::int64_t>(pad.interval) * element_bytes);
  return text;
}

inline std::string cost_words(const SharedCandidate& candidate) {
  const auto extra = [](const PlacedAccess& access, const char* passes, const char* what) {
    return number(static_cast<std::int64_t>(access.passes - access.ideal)) + passes + "in " +
           number(static_cast<std::int64_t>(access.instructions)) + what;
  };
  return extra(candidate.load_cost(), " extra passes ", " loads and ") +
         extra(candidate.store_cost(), " ", " stores, ") + number(candidate.registers) +
         (candidate.registers == 1 ? " base register, " : " base registers, ") +
         number(static_cast<std::int64_t>(candidate.placement.bytes)) + " bytes";
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

inline Choice shared_choice(const std::string& matrix, const OperandPlan& operand) {
  std::string why = cost_words(operand.chosen) + " a k step";
  if (operand.chosen.placement.is_optimal()) why += ", and no layout has fewer passes";
  for (const SharedCandidate& other : operand.others)
    why +=
        "; " +
        (other.means == Means::none ? "with neither" : "with " + std::string(name(other.means))) +
        ", " + words(other.shared()) + ": " + cost_words(other);
  return {"LDS " + matrix, words(operand.chosen.shared()), why};
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
  const auto tiles =
      static_cast<std::uint32_t>(plan.a.chosen.placement.bytes + plan.b.chosen.placement.bytes);
  const bool room = 4 * tiles <= static_cast<std::uint32_t>(limits.lds_bytes);
  plan.buffers = room && block.k_steps(problem) > 1 ? 2 : 1;
  plan.lds_bytes = tiles * static_cast<std::uint32_t>(plan.buffers);
  plan.registers = estimate_registers(problem, block, limits.family);
  plan.fragments_ahead = plan.registers.total() + plan.registers.fragments <= limits.max_vgprs;
  detail::explain(plan);
  return plan;
}

}  // namespace heddle::plan
