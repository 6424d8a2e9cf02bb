#include "compiler/plan/matmul_planner.h"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <expected>
#include <functional>
#include <string>
#include <tuple>
#include <vector>

#include "compiler/plan/copied_operand.h"
#include "compiler/plan/fma_atom.h"
#include "compiler/plan/matmul_fragments.h"
#include "compiler/plan/matmul_reasons.h"
#include "compiler/plan/ping_pong.h"
#include "compiler/plan/words.h"
#include "heddle/instruction/catalogue.h"
#include "heddle/instruction/variant.h"
#include "heddle/plan/placement.h"

namespace heddle::plan {
namespace {

using instruction::ElementType;
using instruction::Instruction;

/// An instruction that can multiply the problem's inputs. A fragment has the elements for `pack`
/// such instructions.
struct Multiplication {
  const Instruction* instruction = nullptr;
  int pack = 1;
  AtomTile atom;
};

/// True if the instruction can multiply an `a` and a `b`. An instruction whose modifiers choose the
/// types counts only for types with the same number of bits as the row's own types.
bool multiplies(const Instruction& row, ElementType a, ElementType b) {
  if (row.formats.empty()) return row.a_type == a && row.b_type == b;
  const auto has = [&](ElementType type) {  // of other sizes the row's maps are not
    return instruction::bits(type) == instruction::bits(row.a_type) &&
           std::ranges::find(row.formats, type, &instruction::FormatRow::type) != row.formats.end();
  };
  return has(a) && has(b);
}

/// True if the instruction reads scales, each of which is for scale_block elements along k.
bool has_block_scales(const Instruction& row) {
  using instruction::Operand;
  return row.has(Operand::scale_a) &&
         instruction::k_per_group(row, instruction::isa_fragment(row, Operand::scale_a)) ==
             scale_block;
}

/// All rows of the catalogue. If a row reads scales and its modifiers choose among formats with
/// 4-bit floats, the list also has a copy of the row for 4-bit floats.
const std::vector<Instruction>& candidates() {
  static const std::vector<Instruction> all = [] {
    std::vector<Instruction> rows;
    for (const Instruction& row : instruction::all_instructions()) {
      rows.push_back(row);
      const auto fp4 =
          std::ranges::find(row.formats, ElementType::fp4, &instruction::FormatRow::type);
      if (fp4 == row.formats.end() || !row.has(instruction::Operand::scale_a)) continue;
      const auto number = static_cast<int>(fp4 - row.formats.begin());
      rows.push_back(instruction::with_formats(row, number, number).value());
    }
    return rows;
  }();
  return all;
}

/// How instructions of `row` multiply for this problem. If an instruction has a small k, a lane
/// reads consecutive k for several instructions at once: up to 16 bytes, but not more k than the
/// product has.
Multiplication multiplication_of(const Instruction& row, const Problem& problem) {
  const int bytes = lane_bytes(row, instruction::Operand::a, problem);
  int pack = 1;
  while (!is_fma(row) && !problem.has_scales && 2 * pack * bytes <= 16 &&
         2 * pack * row.k * problem.element_bytes() <= 64 && pack * row.k < problem.k)
    pack *= 2;
  return {&row, pack, atom_tile(row, problem, pack)};
}

/// The matrix instructions that can compute the problem: for each shape of D the one with the
/// largest k, in the order of the shapes, larger shapes first. If there is none, the multiply-adds
/// for the problem's type.
std::vector<Multiplication> multiplications_of(const Problem& problem, instruction::Target target) {
  const instruction::Family family = instruction::processor(target).family;
  const auto in_catalogue = [&](ElementType type) {
    if (problem.is_split()) return ElementType::bf16;
    if (problem.is_tf32()) return ElementType::xf32;
    const bool is_byte = type == ElementType::i8 || type == ElementType::u8;
    return is_byte && !instruction::is_cdna(family) ? ElementType::iu8 : type;
  };
  const ElementType a = in_catalogue(problem.input);
  const ElementType b = in_catalogue(problem.b_input());
  std::vector<const Instruction*> found;
  for (const Instruction& row : candidates()) {
    if (!row.is_of(family) || row.kind != instruction::Kind::multiply || row.is_sparse() ||
        row.has(instruction::Operand::scale_a) != problem.has_scales ||
        (problem.has_scales && (!has_block_scales(row) || row.formats.empty())) ||
        row.blocks != 1 || row.wave != instruction::default_wave(target) ||
        !multiplies(row, a, b) || row.d_type != problem.sum_type() || problem.combine != Step::add)
      continue;
    const auto same = std::ranges::find_if(found, [&](const auto* one) { return one->m == row.m; });
    if (same == found.end()) {
      found.push_back(&row);
    } else if ((*same)->k < row.k) {
      *same = &row;
    }
  }
  std::ranges::sort(found, std::greater(), &Instruction::m);
  if (found.empty())
    found.push_back(&amd_fma_for(problem.input, instruction::default_wave(target)));
  std::vector<Multiplication> all;
  for (const Instruction* row : found) all.push_back(multiplication_of(*row, problem));
  return all;
}

/// The multiplication for which the planner chooses the largest tile of a workgroup. If tiles are
/// equally large, the one that computes least is preferred, then the one with the fewest
/// instructions.
Multiplication best_of(const Problem& problem, instruction::Target target,
                       const std::vector<Multiplication>& all) {
  const auto price = [&](const Multiplication& by) {
    const Tiling block = choose_block(problem, target, by.atom);
    const std::int64_t work = computed(problem, block.m, block.n);
    const bool wasteful =
        4 * work > (4 + most_waste_quarters(problem)) * computed(problem, atom_side, atom_side);
    return std::tuple(wasteful, -block.m * block.n, work);
  };
  return *std::ranges::min_element(all, {}, price);
}

/// How many workgroups divide the k of a tile of D among them. If D has few tiles, most of a GPU
/// would be idle. So if D has at most 8 tiles, k is divided until about 32 workgroups are busy, as
/// long as each part has at least 8 steps.
int choose_splits(const MatmulPlan& plan) {
  const std::int64_t tiles = plan.tiles_of_d();
  if (plan.problem.dynamic != 0 || tiles > 8) return 1;
  return splits_of(plan.tiles.k_steps(plan.problem), 32 / tiles, 8);
}

/// Usually an atom (the tile of one instruction) has contiguous rows of D. Instead, n atoms may
/// take rows alternately: row i belongs to atom i % n. This returns n, for the rows of A's or the
/// columns of B's atoms; 1: contiguous.
/// - Columns of B: on RDNA the sums of a lane are not adjacent in a row of D. With n atoms
/// alternately, the sums of n atoms are adjacent and are stored together.
/// - Rows of a transposed A: n is four, so that LDS has patches of four rows, without conflicts and
/// without padding.
int atoms_in_turn(const MatmulPlan& plan, bool is_a) {
  if (plan.exchanged || is_fma(*plan.instruction) ||
      !instruction::is_rdna(instruction::row(plan.target).family))
    return 1;
  if (is_a) return plan.problem.a.transposed ? std::min(plan.atoms_m(), 4) : 1;
  return std::min(plan.atoms_n(), 128 / std::max(8, instruction::bits(plan.problem.result)));
}

/// Among how many dies of the GPU the tiles of D are divided (tile_on_dies). 1 if a die would have
/// fewer than two tiles, or if the number of tiles is not known at compile time.
int dies_for(const MatmulPlan& plan) {
  const int dies = instruction::row(plan.target).dies;
  const bool is_known = !plan.problem.is_dynamic(Loop::m) && !plan.problem.is_dynamic(Loop::n);
  return is_known && plan.blocks_m() * plan.blocks_n() >= 2 * dies ? dies : 1;
}

/// The number of stages, that is, how many tiles of A (and of B) are in LDS.
/// - Usually two workgroups must fit into LDS.
/// - If tiles are copied straight to LDS, there are three stages if they fit: two tiles are in
/// flight while one is multiplied.
/// - In ping-pong, one workgroup occupies the SIMDs, so it may have all of LDS; copies need one
/// tile more than the tile that is read.
int stages_for(const MatmulPlan& plan, std::uint32_t tile_bytes) {
  const Problem& problem = plan.problem;
  const std::int64_t steps =
      problem.is_dynamic(Loop::k) ? std::int64_t{1} << 30 : plan.tiles.k_steps(problem);
  const auto lds = static_cast<std::uint32_t>(instruction::row(plan.target).shared_bytes);
  int stages = static_cast<int>(std::min<std::int64_t>(plan.has_copies() ? 3 : 2, steps));
  const std::uint32_t workgroups = plan.ping_pong ? 1 : 2;
  while (stages > 1 && workgroups * static_cast<std::uint32_t>(stages) * tile_bytes > lds) --stages;
  return plan.ping_pong && plan.has_copies() ? std::max(stages, 2) : stages;
}

/// What the plan file says about the copies of A (`is_a`) or of B. It has one name for both, or two
/// names: "A's, B's". Empty if it says nothing.
std::string_view asked_copies(const PlanFields& asked, bool is_a) {
  const std::string_view all = asked.copies;
  const std::size_t comma = all.find(", ");
  if (comma == std::string_view::npos) return all;
  return is_a ? all.substr(0, comma) : all.substr(comma + 2);
}

/// The reason why neither A nor B can be copied straight to LDS, however they lie in memory; empty
/// if A or B may be.
std::string why_not_copied(const MatmulPlan& plan) {
  const instruction::ProcessorRow& processor = instruction::row(plan.target);
  if (copies_of(processor).empty())
    return "loads straight to LDS move " + number(processor.copied_bytes) +
           " bytes a lane, those to registers 16";
  if (plan.problem.is_split()) return "each f32 becomes two bf16 on its way";
  return {};
}

/// The reason why A (or B) is not copied straight to LDS in the way `by`; empty if it may be.
/// Reasons that depend on the operand's tile are not considered here.
std::string why_not_copied(const MatmulPlan& plan, bool is_a, Copies by) {
  const OperandForm& form = is_a ? plan.problem.a : plan.problem.b;
  const std::string matrix = is_a ? "A" : "B";
  if (is_fma(*plan.instruction) && form.transposed == is_a)
    return "multiply-adds load four k at once, and " + matrix + " does not lie along k";
  if (form.passes_registers) return matrix + " is more than moved on its way";
  if (by == Copies::tiles && form.is_irregular)
    return "no descriptor says where the elements of " + matrix + " are";
  return {};
}

/// The plan of A or B. The operand is copied in the first way straight to LDS that is possible and
/// that `asked` does not exclude. If there is none, it goes through registers.
OperandPlan planned_operand(const MatmulPlan& plan, bool is_a, const GlobalTile& tile,
                            const layout::LinearLayout& fragment, const PlanFields& asked,
                            InTurn in_turn) {
  const int warps = plan.tiles.warps();
  const std::string_view wanted = asked_copies(asked, is_a);
  std::string why = wanted == "registers" ? "as the plan file says" : why_not_copied(plan);
  if (why.empty()) {
    for (const Copies by : copies_of(instruction::row(plan.target))) {
      if (!wanted.empty() && wanted != "direct" && wanted != name(by, plan.target)) continue;
      std::string why_not = why_not_copied(plan, is_a, by);
      if (why_not.empty()) {
        auto copied = plan_copied_operand(plan.target, by, tile, fragment, warps);
        if (copied) {
          copied->why_not_copied = std::move(why);
          return *std::move(copied);
        }
        why_not = std::move(copied).error();
      }
      if (why != why_not) why += (why.empty() ? "" : "; ") + why_not;
    }
  }
  OperandPlan through_registers =
      plan_operand(memory::bank_model(plan.target), tile, fragment, warps, in_turn);
  through_registers.why_not_copied = std::move(why);
  return through_registers;
}

/// The plan for workgroups with this tiling. If the tiling has 0 as its number of stages, or of
/// parts of k, this function decides the number.
MatmulPlan plan_of_block(const Problem& problem, instruction::Target target,
                         const Multiplication& by, const Tiling& block,
                         const PlanFields& asked = {}) {
  using instruction::Operand;
  MatmulPlan plan;
  plan.problem = problem;
  plan.target = target;
  plan.instruction = by.instruction;
  plan.pack = by.pack;
  plan.tiles = block;
  const auto tile_of = [&](bool is_a) {
    const bool k_contiguous = is_a ? !problem.a.transposed : problem.b.transposed;
    const std::int64_t divisor = is_a ? problem.a_divisor() : problem.b_divisor();
    const int bytes = instruction::bits(is_a ? problem.a_stored() : problem.b_stored()) / 8;
    return GlobalTile{is_a ? layout::AxisName("m") : layout::AxisName("n"),
                      is_a ? block.m : block.n,
                      block.k,
                      k_contiguous,
                      access_elements(divisor, bytes),
                      problem.element_bytes(),
                      bytes};
  };
  plan.exchanged = exchanges(*plan.instruction);
  const auto in_turn = [&](bool is_a) {
    return InTurn{bits_of(is_a ? by.atom.m : by.atom.n), bits_of(atoms_in_turn(plan, is_a))};
  };
  const auto tiled = [&](bool is_a, const layout::LinearLayout& of_atom) {
    const auto row = is_a ? layout::AxisName("m") : layout::AxisName("n");
    const int warps = is_a ? block.warps_m : block.warps_n;
    const layout::LinearLayout all =
        tiled_fragment(of_atom, row, plan.atoms_k(), is_a ? plan.atoms_m() : plan.atoms_n(), warps,
                       block.warps() / warps);
    return taken_in_turn(all, row, in_turn(is_a));
  };
  const auto fragment_of = [&](bool is_a) {
    const auto of_one =
        instruction::fragment(*plan.instruction, is_a ? Operand::a : Operand::b, plan.k_order);
    return tiled(is_a, packed_fragment(in_units(of_one, problem), plan.pack));
  };
  const auto planned = [&](bool is_a, const PlanFields& as) {
    return planned_operand(plan, is_a, tile_of(is_a), fragment_of(is_a), as, in_turn(is_a));
  };
  plan.a = planned(true, asked);
  plan.b = planned(false, asked);
  // In ping-pong either both A and B go through registers, or neither does.
  if (asked.schedule == "ping-pong" && asked.copies.empty() &&
      plan.a.is_copied() != plan.b.is_copied()) {
    const bool is_a = plan.a.is_copied();
    PlanFields registers = asked;
    registers.copies = "registers";
    (is_a ? plan.a : plan.b) = planned(is_a, registers);
    (is_a ? plan.a : plan.b).why_not_copied =
        std::string("in ping-pong ") + (is_a ? "A goes as B" : "B goes as A");
  }
  if (problem.has_scales) {
    plan.a.scales = tiled(true, scale_fragment(*plan.instruction, true));
    plan.b.scales = tiled(false, scale_fragment(*plan.instruction, false));
  }
  plan.dies = dies_for(plan);
  const auto sums = instruction::fragment(*plan.instruction, Operand::d);
  plan.result = tiled_result(plan.exchanged ? exchanged_result(sums) : sums, plan.atoms_m(),
                             plan.atoms_n(), block.warps_m, block.warps_n);
  plan.result = taken_in_turn(taken_in_turn(plan.result, "m", in_turn(true)), "n", in_turn(false));
  const auto bytes =
      static_cast<std::uint32_t>(plan.a.chosen.placement.bytes + plan.b.chosen.placement.bytes) *
      static_cast<std::uint32_t>(planes(problem));
  plan.registers = estimate_registers(problem, block, by.atom);
  for (const OperandPlan* operand : {&plan.a, &plan.b}) {
    if (!operand->is_copied()) continue;
    plan.registers.in_flight -= registers_in_flight(problem, block, operand == &plan.a);
    if (operand->copies == Copies::pieces)
      plan.registers.addresses += static_cast<int>(operand->chosen.staging.map.input_size("step"));
  }
  plan.fragments_ahead =
      plan.registers.total() + plan.registers.fragments <= compiled_vgprs(target);
  const std::string together =
      asked.schedule == "together" ? "as the plan file says" : why_together(plan);
  plan.ping_pong =
      why_no_ping_pong(plan).empty() && (together.empty() || asked.schedule == "ping-pong");
  if (block.stages == 0) plan.tiles.stages = stages_for(plan, bytes);
  if (block.split_k == 0) plan.tiles.split_k = choose_splits(plan);
  plan.shared_bytes = bytes * static_cast<std::uint32_t>(plan.tiles.stages);
  explain(plan, together);
  return plan;
}

/// The plan with `block`, or with twice its k in a step. The latter needs no more registers and
/// half as many barriers. It is chosen only if both A and B are copied straight to LDS, and the
/// larger step adds no work at the end of k. It is not chosen if k is not known at compile time, or
/// if workgroups divide k, since each of them then has few steps.
MatmulPlan plan_of_block_or_deeper(const Problem& problem, instruction::Target target,
                                   const Multiplication& by, const Tiling& block,
                                   const PlanFields& asked = {}) {
  MatmulPlan plan = plan_of_block(problem, target, by, block, asked);
  const auto copies_both = [](const MatmulPlan& one) {
    return one.a.is_copied() && one.b.is_copied();
  };
  if (!copies_both(plan) || problem.has_scales || problem.is_dynamic(Loop::k) ||
      asked.block_k != 0 || asked.stages != 0 || plan.tiles.split_k != 1)
    return plan;
  Tiling twice = block;
  twice.k *= 2;
  const std::int64_t steps = twice.k_steps(problem);
  if (steps < 4 || 2 * steps != block.k_steps(problem)) return plan;
  MatmulPlan deeper = plan_of_block(problem, target, by, twice, asked);
  if (!copies_both(deeper) || deeper.tiles.stages == 1) return plan;
  deeper.choices[1].why += "; a step has 128 bytes of each row, for which no register waits";
  return deeper;
}

}  // namespace

MatmulPlan make_plan(const Problem& problem, instruction::Target target) {
  const Multiplication by = best_of(problem, target, multiplications_of(problem, target));
  return plan_of_block_or_deeper(problem, target, by, choose_block(problem, target, by.atom));
}

namespace {

/// The tiling that `asked` wants for a workgroup with this multiplication. Error: the reason why it
/// is impossible.
std::expected<Tiling, std::string> asked_block(const Problem& problem, instruction::Target target,
                                               const PlanFields& asked, const Multiplication& by) {
  Tiling block = choose_block(problem, target, by.atom);
  const bool is_changed = asked.block_m != 0 || asked.block_n != 0;
  if (asked.block_m != 0) block.m = asked.block_m;
  if (asked.block_n != 0) block.n = asked.block_n;
  if (asked.block_k != 0) block.k = asked.block_k;
  const int least_k = std::max(atom_side, by.atom.k);
  if (!is_size(block.m, by.atom.m, 256) || !is_size(block.n, by.atom.n, 256) ||
      !is_size(block.k, least_k, 128))
    return std::unexpected("a block of " + times(block.m, block.n) + "x" + number(block.k) +
                           "; accepted: powers of two, " + number(by.atom.m) +
                           " to 256 for m and n, " + number(least_k) + " to 128 for k");
  const bool is_ping_pong = asked.schedule == "ping-pong";
  if (is_changed || is_ping_pong) {
    block.warps_m = block.warps_n = 1;
    block = with_warps(block, by.atom, is_ping_pong ? ping_pong_waves : most_warps(block));
  }
  if (asked.warps_m != 0) block.warps_m = asked.warps_m;
  if (asked.warps_n != 0) block.warps_n = asked.warps_n;
  if (!is_size(block.warps_m, 1, block.m / by.atom.m) ||
      !is_size(block.warps_n, 1, block.n / by.atom.n) || block.warps() > 16)
    return std::unexpected(
        times(block.warps_m, block.warps_n) +
        " warps; accepted: powers of two, at most 16 in all, each with at least " +
        times(by.atom.m, by.atom.n) + " of the block");
  if (is_ping_pong && block.warps() != ping_pong_waves)
    return std::unexpected(
        "the schedule \"ping-pong\" of a block of " + times(block.m, block.n) + " with " +
        times(block.warps_m, block.warps_n) + " waves; accepted: " + number(ping_pong_waves) +
        " waves, each with at least " + times(by.atom.m, by.atom.n) + " of the block");
  const int registers = estimate_registers(problem, block, by.atom).total();
  if (registers > compiled_vgprs(target))
    return std::unexpected("a block of " + times(block.m, block.n) + " with " +
                           times(block.warps_m, block.warps_n) + " warps, which takes " +
                           number(registers) + " VGPRs; accepted: at most " +
                           number(compiled_vgprs(target)));
  for (const bool is_a : {true, false}) {
    const std::int64_t bytes =
        std::int64_t{is_a ? block.m : block.n} * block.k * problem.element_bytes();
    if (static_cast<std::uint64_t>(bytes) > most_placed_bytes)
      return std::unexpected("a tile of " + std::string(is_a ? "A" : "B") + " of " + number(bytes) +
                             " bytes in LDS; accepted: at most " + number(most_placed_bytes));
  }
  block.stages = asked.stages;
  block.split_k = asked.split_k;
  if (asked.split_k != 0)
    if (std::string wrong = split_refusal(block, problem, most_blocks_on_z / problem.batch,
                                          std::int64_t{block.m} * block.n);
        !wrong.empty())
      return std::unexpected(std::move(wrong));
  return block;
}

/// The names that a plan file may use on this processor for how A or B gets to LDS.
std::vector<std::string> names_of_copies(instruction::Target target) {
  std::vector<std::string> all{"direct"};
  for (const Copies by : copies_of(instruction::row(target)))
    if (name(by, target) != all.front()) all.emplace_back(name(by, target));
  all.emplace_back("registers");
  return all;
}

/// The mistake in the names that the plan file uses for how A and B get to LDS; empty if there is
/// none.
std::string refused_names(const PlanFields& asked, instruction::Target target) {
  const std::vector<std::string> all = names_of_copies(target);
  const auto is_name = [&](bool is_a) {
    return std::ranges::find(all, asked_copies(asked, is_a)) != all.end();
  };
  if (asked.copies.empty() || (is_name(true) && is_name(false))) return {};
  std::string text = "copies \"" + asked.copies + "\"; accepted: ";
  for (const std::string& name : all)
    text += (name == all.back() ? "or " : "") + name +
            (name == all.back() ? ""
             : all.size() == 2  ? " "
                                : ", ");
  return text + ", or A's and B's: \"direct, registers\"";
}

/// True if, for some sizes, A (or B) may be copied in the way that `wanted` names.
bool may_be_copied(const MatmulPlan& plan, bool is_a, const std::string& wanted) {
  if (!why_not_copied(plan).empty()) return false;
  return std::ranges::any_of(copies_of(instruction::row(plan.target)), [&](Copies by) {
    return (wanted == "direct" || wanted == name(by, plan.target)) &&
           why_not_copied(plan, is_a, by).empty();
  });
}

/// The mistake in the stages and copies that the plan file asks for; empty if there is none. It is
/// no mistake if this plan's copies differ from those asked for but other sizes could have them: a
/// kernel for any sizes may copy in another way than the faster kernels for special launches.
std::string refused_copies(const MatmulPlan& plan, const PlanFields& asked) {
  const bool has_copies = plan.has_copies();
  if (plan.tiles.stages > (has_copies ? 4 : 2))
    return number(plan.tiles.stages) + " stages; accepted: 1 " + (has_copies ? "to 4" : "or 2");
  for (const bool is_a : {true, false}) {
    const OperandPlan& operand = is_a ? plan.a : plan.b;
    const std::string wanted(asked_copies(asked, is_a));
    if (wanted.empty() || wanted == "registers" || operand.is_copied() ||
        (plan.problem.dynamic != 0 && may_be_copied(plan, is_a, wanted)))
      continue;
    const auto& choices = plan.choices;
    const bool has_choice = std::ranges::find(choices, "copies", &Choice::what) != choices.end();
    const std::string found = wanted == "direct" ? "direct copies; accepted: registers, since "
                                                 : wanted + " copies of " + (is_a ? "A" : "B") +
                                                       "; accepted: direct or registers, since ";
    return found + (has_choice ? operand.why_not_copied : "no load goes straight to LDS");
  }
  return {};
}

}  // namespace

std::expected<MatmulPlan, std::string> make_plan(const Problem& problem, instruction::Target target,
                                                 const PlanFields& asked) {
  const instruction::ProcessorRow& limits = instruction::row(target);
  std::vector<Multiplication> all = multiplications_of(problem, target);
  const auto is_asked = [&](const Multiplication& by) {
    return by.instruction->name == asked.instruction;
  };
  if (std::ranges::any_of(all, is_asked))
    std::erase_if(all, [&](const Multiplication& by) { return !is_asked(by); });
  Multiplication by = best_of(problem, target, all);
  auto block = asked_block(problem, target, asked, by);
  if (!block) {  // perhaps by smaller atoms, which end the list
    by = all.back();
    block = asked_block(problem, target, asked, by);
  }
  if (!block) return std::unexpected(std::move(block).error());
  if (std::string wrong = refused_names(asked, target); !wrong.empty())
    return std::unexpected(std::move(wrong));
  MatmulPlan plan = plan_of_block_or_deeper(problem, target, by, *block, asked);
  if (std::string wrong = refused_copies(plan, asked); !wrong.empty())
    return std::unexpected(std::move(wrong));
  const bool mixes_copies =
      (asked_copies(asked, true) == "registers") != (asked_copies(asked, false) == "registers");
  if (std::string wrong = refused_schedule(plan, asked.schedule, mixes_copies); !wrong.empty())
    return std::unexpected(std::move(wrong));
  if (plan.shared_bytes > static_cast<std::uint32_t>(limits.shared_bytes))
    return std::unexpected(number(plan.shared_bytes) +
                           " bytes of shared memory; accepted: at most " +
                           number(limits.shared_bytes) + ": a smaller block or one stage");
  if (asked.block_m + asked.block_n + asked.block_k != 0)
    plan.choices[1].why = "as the plan file says";
  if (asked.warps_m + asked.warps_n != 0) plan.choices[2].why = "as the plan file says";
  return plan;
}

}  // namespace heddle::plan
