#include "compiler/plan/matmul_reasons.h"

#include <bit>
#include <cstdint>
#include <string>

#include "compiler/plan/copied_operand.h"
#include "compiler/plan/fma_atom.h"
#include "compiler/plan/matmul_fragments.h"
#include "compiler/plan/matmul_planner.h"
#include "compiler/plan/ping_pong.h"
#include "compiler/plan/words.h"
#include "library/text/formatted.h"

namespace heddle::plan {
namespace {

using instruction::Instruction;

/// Describes a layout in LDS in words: the order of elements, the fastest dimension first, and the
/// padding, as in "32 k, 128 m, 16 bytes after every 128". If a bit of the offset changes several
/// coordinates, the words mention xors.
std::string words(const memory::SharedLayout& shared, int element_bytes) {
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

std::string cost_words(const SharedCandidate& candidate) {
  const auto extra = [](const PlacedAccess& access, const char* passes, const char* what) {
    return number(static_cast<std::int64_t>(access.passes - access.ideal)) + passes + "in " +
           number(static_cast<std::int64_t>(access.instructions)) + what;
  };
  return extra(candidate.load_cost(), " extra passes ", " loads and ") +
         extra(candidate.store_cost(), " ", " stores, ") + number(candidate.registers) +
         (candidate.registers == 1 ? " base register, " : " base registers, ") +
         number(static_cast<std::int64_t>(candidate.placement.bytes)) + " bytes";
}

/// Words for how many rows of A and columns of B a lane has in an atom of multiply-adds.
std::string fma_share(const Instruction& row) {
  return row.wave == 64 ? "two rows of A and two columns of B"
                        : "two rows of A and four columns of B";
}

std::string instruction_reason(const MatmulPlan& plan) {
  const Problem& problem = plan.problem;
  if (is_fma(*plan.instruction)) {
    const std::string type(instruction::name(problem.input));
    const std::string rounding =
        instruction::is_integer(problem.input)
            ? "modulo 2^" + number(std::int64_t{instruction::bits(problem.input)})
            : "in " + type + ", each rounded as one";
    return "products and sums " + rounding + ": no matrix instruction multiplies " + type +
           "; a lane has " + fma_share(*plan.instruction) + " of each 16x16 atom, four k at a time";
  }
  if (problem.is_split())
    return "f32 as bf16x3: an input is the sum of two bf16, and of their four products the three "
           "largest are summed in f32; that leaves out at most 2^-15 of each |a b|";
  const std::string inputs = problem.cuts_tf32() ? "f32 cut off at 11 bits; "
                             : problem.is_tf32() ? "f32 rounded to 11 bits; "
                                                 : "";
  const std::string sums =
      inputs + "sums in " + std::string(instruction::name(problem.sum_type())) + "; ";
  const int elements =
      instruction::elements_per_lane(*plan.instruction, instruction::Operand::a) * plan.pack;
  const int bytes = lane_bytes(*plan.instruction, instruction::Operand::a, problem) * plan.pack;
  const std::string load =
      number(elements) + " elements are " +
      (bytes == 32 ? "two 16-byte loads" : "one " + number(bytes) + "-byte load");
  if (plan.instruction->has(instruction::Constraint::equal_copies))
    return sums +
           "lanes 16-31 repeat the fragments of lanes 0-15, as gfx11 requires, and a lane's " +
           load;
  if (problem.has_scales)
    return sums + "products of " + number(scale_block) +
           " k are multiplied by a scale of A's row and one of B's column; a lane's " + load +
           (problem.elements_of_unit() == 2 ? ", and k is counted in bytes of two elements" : "");
  const std::string order =
      "k in the contiguous order, not the ISA's: A and B share it, so the "
      "product is the same, and a lane's ";
  if (plan.pack == 1) return sums + order + load;
  return sums + order + load + ", for " + number(plan.pack) + " instructions";
}

Choice instruction_choice(const MatmulPlan& plan) {
  return {"instruction", std::string(plan.instruction->name), instruction_reason(plan)};
}

bool has_large_blocks(const MatmulPlan& plan) {
  return instruction::row(plan.target).multiprocessors != 0;
}

Choice block_choice(const MatmulPlan& plan) {
  const Tiling& block = plan.tiles;
  const std::int64_t work = computed(plan.problem, block.m, block.n);
  const std::int64_t percent = 100 * work / computed(plan.problem, 1, 1) - 100;
  const bool is_mean = has_most(plan.problem, Loop::m) || has_most(plan.problem, Loop::n);
  const std::string why =
      "the largest of 16 to " + std::string(has_large_blocks(plan) ? "256" : "128") +
      " a side whose registers fit and that computes at most " +
      (most_waste_quarters(plan.problem) == 3 ? "1.75" : "1.5") +
      " times what 16x16 atoms would; it computes " + number(percent) + "% more than D has" +
      (is_mean ? " in the mean of all its sizes, in at most " : ", in ") +
      times(block.blocks_m(plan.problem), block.blocks_n(plan.problem)) + " workgroups";
  return {"block", times(block.m, block.n) + "x" + number(block.k), why};
}

std::string unit_of(const MatmulPlan& plan) {
  if (is_fma(*plan.instruction)) return "FMA tile";
  return instruction::is_cdna(instruction::row(plan.target).family) ? "MFMA" : "WMMA";
}

Choice waves_choice(const MatmulPlan& plan) {
  const Tiling& block = plan.tiles;
  const int atoms = plan.atoms_m() * plan.atoms_n();
  const std::string loads = formatted("{}", plan.loads_per_instruction());
  return {"waves", times(block.warps_m, block.warps_n),
          "a wave has " + times(plan.atoms_m(), plan.atoms_n()) +
              " atoms: " + number(atoms * plan.pack) + " " + unit_of(plan) + " for " +
              number(plan.atoms_m()) + " fragments of A and " + number(plan.atoms_n()) + " of B, " +
              loads.substr(0, loads.find('.') + 3) + " LDS loads a " + unit_of(plan)};
}

std::string access_reason(const OperandPlan& operand, std::int64_t row_elements) {
  if (access_of(operand.tile, operand.patch) < operand.tile.access)
    return "fewest loads and LDS stores together for a thread's share of the tile";
  const std::string rows =
      "rows are " + number(row_elements * operand.tile.stored_bytes) + " bytes";
  if (row_elements == 0) return "rows are as long as the kernel is told";
  if (operand.tile.access * operand.tile.stored_bytes == 16)
    return rows + ", so 16-byte accesses stay aligned inside them";
  return rows + ", and a wider access would straddle two or lose its alignment";
}

Choice global_choice(const std::string& name, const OperandPlan& operand,
                     std::int64_t row_elements) {
  if (operand.copies == Copies::tiles) {
    const layout::LinearLayout& map = operand.chosen.staging.map;
    const auto warps = std::int64_t{1} << map.inputs().bits_of("warp");
    const GlobalTile& tile = operand.tile;
    return {"global " + name, "tiles by descriptors",
            "each wave copies " + number((tile.k_contiguous ? tile.rows : tile.k) / warps) +
                " rows of " + number((tile.k_contiguous ? tile.k : tile.rows) * tile.stored_bytes) +
                " bytes with one instruction, which fills with zeros what is outside of " + name +
                (tile.k_contiguous ? "" : "; fragments are transposed when LDS is read")};
  }
  return {
      "global " + name,
      number(std::int64_t{access_of(operand.tile, operand.patch)} * operand.tile.stored_bytes) +
          "-byte loads",
      access_reason(operand, row_elements) + "; each thread carries " +
          times(operand.patch.rows, operand.patch.k) + " (" + std::string(operand.tile.row.text()) +
          " x k)" +
          (operand.tile.k_contiguous ? ""
           : operand.transposing ? ", transposed when LDS is read"
                                 : ", transposed in registers so that LDS is contiguous along k") +
          ", a wave's load touches " + number(operand.chosen.staging.segments) +
          " of the 64-byte segments of memory"};
}

Choice shared_choice(const std::string& matrix, const OperandPlan& operand) {
  std::string why = cost_words(operand.chosen) + " a k step";
  if (operand.chosen.placement.is_optimal()) why += ", and no layout has fewer passes";
  for (const SharedCandidate& other : operand.others)
    why +=
        "; " +
        (other.means == Means::none ? "with neither" : "with " + std::string(name(other.means))) +
        ", " + words(other.shared(), operand.tile.element_bytes) + ": " + cost_words(other);
  return {"LDS " + matrix, words(operand.chosen.shared(), operand.tile.element_bytes), why};
}

Choice buffers_choice(const MatmulPlan& plan, std::uint32_t tiles_bytes, int lds_bytes) {
  const std::string sizes = number(tiles_bytes) + " bytes a tile pair of " + number(lds_bytes);
  const std::string buffers = number(plan.tiles.stages);
  if (plan.ping_pong)
    return {"LDS buffers", buffers,
            sizes + ", which one workgroup has: " +
                (plan.tiles.stages == 1
                     ? "the next tile waits in registers until both halves have read this one"
                     : "one is read while the rest is filled")};
  if (plan.has_copies() && plan.tiles.stages > 1) {
    const std::int64_t stages = plan.tiles.stages;
    return {"LDS buffers", buffers,
            sizes + ": one is read while " + number(stages - 1) + (stages == 2 ? " is" : " are") +
                " on the way, one barrier a k step, and two workgroups still fit"};
  }
  if (plan.tiles.stages == 2) {
    return {"LDS buffers", "2",
            sizes +
                ": one is read while the other is filled, one barrier a "
                "k step, and two workgroups still fit"};
  }
  if (plan.tiles.k_steps(plan.problem) == 1)
    return {"LDS buffers", "1", sizes + ": there is only one k step"};
  return {"LDS buffers", "1",
          sizes +
              ": two would leave no room for a second workgroup; the next "
              "tile waits in registers, two barriers a k step"};
}

Choice registers_choice(const MatmulPlan& plan, int limit) {
  const RegisterEstimate& estimate = plan.registers;
  return {"registers", number(estimate.total()) + " of " + number(limit) + " VGPRs (estimate)",
          number(estimate.accumulators) + " accumulators, " + number(estimate.fragments) +
              " fragments, " + number(estimate.in_flight) + " in flight from global memory, " +
              number(estimate.addresses) + " addresses; " +
              number(waves_per_simd(instruction::row(plan.target), estimate.total())) +
              " waves fit a SIMD"};
}

Choice ahead_choice(const MatmulPlan& plan, int limit) {
  const std::string depth = number(plan.instruction->k * plan.pack);
  if (plan.ping_pong)
    return {"fragments", "a turn ahead",
            "a wave loads those of the next " + depth + " k while the other half multiplies"};
  const int needed = plan.registers.total() + plan.registers.fragments;
  const std::string sets =
      "two sets of fragments would take " + number(needed) + " of " + number(limit) + " VGPRs";
  if (plan.fragments_ahead) {
    return {"fragments", "fetched ahead",
            sets + ": those of the next " + depth +
                " k may be on their way while the present ones multiply"};
  }
  return {"fragments", "one k atom at a time", sets + "; other waves hide the wait"};
}

/// The number of elements of a contiguous line of A or B in memory; 0 if it is not known at compile
/// time.
std::int64_t row_of(const Problem& problem, bool is_a) {
  const Loop inner = is_a ? (problem.a.transposed ? Loop::m : Loop::k)
                          : (problem.b.transposed ? Loop::k : Loop::n);
  return problem.is_dynamic(inner) ? 0 : problem.size(inner);
}

std::string copies_why(const MatmulPlan& plan, const OperandPlan& operand,
                       const std::string& matrices) {
  switch (operand.copies) {
    case Copies::registers:
      return operand.why_not_copied;
    case Copies::tiles:
      return "descriptors of tiles put " + matrices +
             " straight into LDS, with no registers on the way and zeros outside of " +
             (matrices.size() == 1 ? "it" : "them");
    case Copies::pieces:
      break;
  }
  const char* loads =
      are_asynchronous(operand.copies, plan.target) ? "asynchronous loads put " : "loads put ";
  return loads + matrices +
         " straight into LDS, with no registers on the way: what the lanes of a wave load lies "
         "side "
         "by side there" +
         (operand.why_not_copied.empty() ? "" : "; " + operand.why_not_copied);
}

Choice copies_choice(const MatmulPlan& plan) {
  if (plan.a.copies == plan.b.copies &&
      (plan.has_copies() || plan.a.why_not_copied == plan.b.why_not_copied))
    return {"copies", copies_text(plan), copies_why(plan, plan.a, "A and B")};
  return {"copies", copies_text(plan),
          copies_why(plan, plan.a, "A") + "; " + copies_why(plan, plan.b, "B")};
}

}  // namespace

std::string copies_text(const MatmulPlan& plan) {
  const std::string a(name(plan.a.copies, plan.target)), b(name(plan.b.copies, plan.target));
  return a == b ? a : a + ", " + b;
}

void explain(MatmulPlan& plan, const std::string& together_why) {
  const instruction::ProcessorRow& limits = instruction::row(plan.target);
  plan.choices = {
      instruction_choice(plan),
      block_choice(plan),
      waves_choice(plan),
      global_choice("A", plan.a, row_of(plan.problem, true)),
      global_choice("B", plan.b, row_of(plan.problem, false)),
      shared_choice("A", plan.a),
      shared_choice("B", plan.b),
      buffers_choice(plan, plan.shared_bytes / static_cast<std::uint32_t>(plan.tiles.stages),
                     limits.shared_bytes),
      registers_choice(plan, compiled_vgprs(plan.target)),
      ahead_choice(plan, compiled_vgprs(plan.target))};
  if (limits.copied_bytes != 0 || limits.copies_tiles) plan.choices.push_back(copies_choice(plan));
  if (const std::string why = why_no_ping_pong(plan); plan.ping_pong || why.empty())
    plan.choices.push_back(schedule_choice(plan, together_why));
  else if (together_why.empty())  // the planner would have it
    plan.choices.push_back(schedule_choice(plan, why));
  if (plan.dies > 1)
    plan.choices.push_back(
        {"order", "tiles of " + number(plan.dies) + " XCDs",
         "the GPU gives workgroups to its XCDs in turns: each computes neighbouring tiles, which "
         "share rows of A and columns of B in its L2"});
  if (plan.tiles.split_k > 1)
    plan.choices.push_back(split_choice(plan.split_memory(), "workgroups"));
}

}  // namespace heddle::plan
