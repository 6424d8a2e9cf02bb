#include "heddle/plan/matmul_planner.h"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <expected>
#include <functional>
#include <string>
#include <tuple>
#include <vector>

#include "heddle/instruction/catalogue.h"
#include "heddle/instruction/variant.h"
#include "heddle/plan/copied_operand.h"
#include "heddle/plan/fma_atom.h"
#include "library/plan/matmul_fragments.h"
#include "library/plan/words.h"

namespace heddle::plan {
namespace {

using instruction::ElementType;
using instruction::Instruction;

/// An instruction that multiplies the problem's inputs, and how many of them a fragment is for.
struct Multiplication {
  const Instruction* instruction = nullptr;
  int pack = 1;
  AtomTile atom;
};

/// Whether the instruction can be told to multiply numbers of these types, of as many bits.
bool multiplies(const Instruction& row, ElementType a, ElementType b) {
  if (row.formats.empty()) return row.a_type == a && row.b_type == b;
  const auto has = [&](ElementType type) {  // of other sizes the row's maps are not
    return instruction::bits(type) == instruction::bits(row.a_type) &&
           std::ranges::find(row.formats, type, &instruction::FormatRow::type) != row.formats.end();
  };
  return has(a) && has(b);
}

/// Whether its scales are of scale_block elements each.
bool has_block_scales(const Instruction& row) {
  using instruction::Operand;
  return row.has(Operand::scale_a) &&
         instruction::k_per_group(row, instruction::isa_fragment(row, Operand::scale_a)) ==
             scale_block;
}

/// The rows of the catalogue, and of those that read scales and are told their formats also one of
/// 4-bit floats.
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

/// Consecutive k of a lane are read at once, up to 16 bytes: of shallow instructions those of
/// several. No more than the product has.
Multiplication multiplication_of(const Instruction& row, const Problem& problem) {
  const int bytes = lane_bytes(row, instruction::Operand::a, problem);
  int pack = 1;
  while (!is_fma(row) && !problem.has_scales && 2 * pack * bytes <= 16 &&
         2 * pack * row.k * problem.element_bytes() <= 64 && pack * row.k < problem.k)
    pack *= 2;
  return {&row, pack, atom_tile(row, problem, pack)};
}

/// The matrix instructions for a problem, of each shape of D the deepest, larger shapes first;
/// where there is none, the multiply-adds of its type.
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

/// The one with the largest block, then with the one that computes least, then with the fewest
/// instructions.
Multiplication best_of(const Problem& problem, instruction::Target target,
                       const std::vector<Multiplication>& all) {
  const auto price = [&](const Multiplication& by) {
    const Tiling block = choose_block(problem, target, by.atom);
    const std::int64_t work = computed(problem, block.m, block.n);
    const bool wasteful =
        4 * work > (4 + most_waste_quarters(problem)) * computed(problem, atom, atom);
    return std::tuple(wasteful, -block.m * block.n, work);
  };
  return *std::ranges::min_element(all, {}, price);
}

/// The order in which elements lie, fastest first, and the padding: "32 k, 128 m, 16 bytes after
/// every 128". Bits of the offset that move more than one coordinate are xors.
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

/// How many matrices' rows and columns a lane of an FMA atom has.
std::string fma_share(const Instruction& row) {
  return row.wave == 64 ? "two rows of A and two columns of B"
                        : "two rows of A and four columns of B";
}

std::string instruction_reason(const MatmulPlan& plan) {
  const instruction::Family family = instruction::row(plan.target).family;
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
  if (family == instruction::Family::gfx11)
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
  const std::string loads = std::to_string(plan.loads_per_instruction());
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
  if (plan.copied && plan.tiles.stages > 1) {
    const std::int64_t stages = plan.tiles.stages;
    return {"LDS buffers", number(stages),
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
  const int needed = plan.registers.total() + plan.registers.fragments;
  const std::string sets =
      "two sets of fragments would take " + number(needed) + " of " + number(limit) + " VGPRs";
  if (plan.fragments_ahead) {
    return {"fragments", "fetched ahead",
            sets + ": those of the next " + number(plan.instruction->k * plan.pack) +
                " k may be on their way while the present ones multiply"};
  }
  return {"fragments", "one k atom at a time", sets + "; other waves hide the wait"};
}

/// Elements of a row in memory, 0 where only the kernel learns it.
std::int64_t row_of(const Problem& problem, bool is_a) {
  const Loop inner = is_a ? (problem.a.transposed ? Loop::m : Loop::k)
                          : (problem.b.transposed ? Loop::k : Loop::n);
  return problem.is_dynamic(inner) ? 0 : problem.size(inner);
}

std::string direct_why(Copies copies) {
  if (copies == Copies::tiles)
    return "descriptors of tiles put A and B straight into LDS, with no registers on the way and "
           "zeros outside of them";
  return "loads put A and B straight into LDS, with no registers on the way: what the lanes of a "
         "wave load lies side by side there";
}

/// `registers_why`: why A and B go through registers.
void explain(MatmulPlan& plan, const std::string& registers_why) {
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
  if (limits.copied_bytes != 0 || limits.copies_tiles)
    plan.choices.push_back({"copies", plan.copied ? "direct" : "registers",
                            plan.copied ? direct_why(plan.a.copies) : registers_why});
  if (plan.dies > 1)
    plan.choices.push_back(
        {"order", "tiles of " + number(plan.dies) + " XCDs",
         "the GPU gives workgroups to its XCDs in turns: each computes neighbouring tiles, which "
         "share rows of A and columns of B in its L2"});
  if (plan.tiles.split_k > 1)
    plan.choices.push_back(split_choice(plan.split_memory(), "workgroups"));
}

/// Small grids leave most of a GPU idle: up to 8 tiles of a deep product are shared, until 32
/// workgroups are busy or a part has fewer than 8 steps.
int choose_splits(const MatmulPlan& plan) {
  const std::int64_t tiles = plan.tiles_of_d();
  if (plan.problem.dynamic != 0 || tiles > 8) return 1;
  return splits_of(plan.tiles.k_steps(plan.problem), 32 / tiles, 8);
}

/// How many atoms take rows of D in turn, or columns: of RDNA's instructions whose sums of a lane
/// are no neighbours in a row, as many of B's as are stored together; and of a transposed A four,
/// so that LDS has patches of four rows without conflicts and without padding.
int atoms_in_turn(const MatmulPlan& plan, bool is_a) {
  const instruction::Family family = instruction::row(plan.target).family;
  if (plan.exchanged || is_fma(*plan.instruction) ||
      (family != instruction::Family::gfx11 && family != instruction::Family::gfx12))
    return 1;
  if (is_a) return plan.problem.a.transposed ? std::min(plan.atoms_m(), 4) : 1;
  return std::min(plan.atoms_n(), 128 / std::max(8, instruction::bits(plan.problem.result)));
}

/// The dies among which tiles are given out: those of the GPU, where each has two of them or more
/// and the kernel knows how many there are.
int dies_for(const MatmulPlan& plan) {
  const int dies = instruction::row(plan.target).dies;
  const bool is_known = !plan.problem.is_dynamic(Loop::m) && !plan.problem.is_dynamic(Loop::n);
  return is_known && plan.blocks_m() * plan.blocks_n() >= 2 * dies ? dies : 1;
}

/// How many tiles of A and B lie in LDS, where two workgroups are to fit: of those that are copied
/// two are on the way while one is multiplied.
int stages_for(const MatmulPlan& plan, std::uint32_t tile_bytes) {
  const Problem& problem = plan.problem;
  const std::int64_t steps =
      problem.is_dynamic(Loop::k) ? std::int64_t{1} << 30 : plan.tiles.k_steps(problem);
  const auto lds = static_cast<std::uint32_t>(instruction::row(plan.target).shared_bytes);
  int stages = static_cast<int>(std::min<std::int64_t>(plan.copied ? 3 : 2, steps));
  while (stages > 1 && 2 * static_cast<std::uint32_t>(stages) * tile_bytes > lds) --stages;
  return stages;
}

/// What instructions do while tiles are copied straight to LDS that has to be done before, or why
/// tiles are not; empty where they may be.
std::string why_not_copied(const MatmulPlan& plan, const PlanFields& asked) {
  const Problem& problem = plan.problem;
  const instruction::ProcessorRow& processor = instruction::row(plan.target);
  if (copies_of(processor) == Copies::registers)
    return "loads straight to LDS move " + number(processor.copied_bytes) +
           " bytes a lane, those to registers 16";
  if (asked.copies == "registers") return "as the plan file says";
  if (problem.is_split()) return "each f32 becomes two bf16 on its way";
  if (is_fma(*plan.instruction) && (problem.a.transposed || !problem.b.transposed))
    return "multiply-adds load four k at once, and " +
           std::string(problem.a.transposed ? "A" : "B") + " does not lie along k";
  if (problem.a.passes_registers) return "A is more than moved on its way";
  if (problem.b.passes_registers) return "B is more than moved on its way";
  if (processor.copies_tiles && problem.a.is_irregular)
    return "no descriptor says where the elements of A are";
  if (processor.copies_tiles && problem.b.is_irregular)
    return "no descriptor says where the elements of B are";
  return {};
}

/// The plan of blocks of this tiling, the stages and parts of which it decides where they are 0.
MatmulPlan plan_of_block(const Problem& problem, instruction::Target target,
                         const Multiplication& by, const Tiling& block,
                         const PlanFields& asked = {}) {
  using instruction::Operand;
  const memory::BankModel model = memory::bank_model(target);
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
  std::string why = why_not_copied(plan, asked);
  if (why.empty()) {
    const auto copied = [&](bool is_a) {
      return plan_copied_operand(target, tile_of(is_a), fragment_of(is_a), block.warps());
    };
    auto a = copied(true), b = copied(false);
    plan.copied = a && b;
    if (plan.copied) {
      plan.a = *std::move(a);
      plan.b = *std::move(b);
    } else {
      why = a ? b.error() : a.error();
    }
  }
  if (!plan.copied) {
    plan.a = plan_operand(model, tile_of(true), fragment_of(true), block.warps(), in_turn(true));
    plan.b = plan_operand(model, tile_of(false), fragment_of(false), block.warps(), in_turn(false));
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
  if (block.stages == 0) plan.tiles.stages = stages_for(plan, bytes);
  if (block.split_k == 0) plan.tiles.split_k = choose_splits(plan);
  plan.shared_bytes = bytes * static_cast<std::uint32_t>(plan.tiles.stages);
  plan.registers = estimate_registers(problem, block, by.atom);
  if (plan.copied) {
    plan.registers.in_flight = 0;
    for (const OperandPlan* operand : {&plan.a, &plan.b})
      if (operand->copies == Copies::pieces)
        plan.registers.addresses +=
            static_cast<int>(operand->chosen.staging.map.input_size("step"));
  }
  plan.fragments_ahead =
      plan.registers.total() + plan.registers.fragments <= compiled_vgprs(target);
  explain(plan, why);
  return plan;
}

/// The same with twice the k in a step where tiles are copied straight to LDS and no work is added:
/// no register waits for it, and there are half as many barriers. Not where only the kernel knows
/// k, nor where workgroups share it: there steps are few.
MatmulPlan plan_of_block_or_deeper(const Problem& problem, instruction::Target target,
                                   const Multiplication& by, const Tiling& block,
                                   const PlanFields& asked = {}) {
  MatmulPlan plan = plan_of_block(problem, target, by, block, asked);
  if (!plan.copied || problem.has_scales || problem.is_dynamic(Loop::k) || asked.block_k != 0 ||
      asked.stages != 0 || plan.tiles.split_k != 1)
    return plan;
  Tiling twice = block;
  twice.k *= 2;
  const std::int64_t steps = twice.k_steps(problem);
  if (steps < 4 || 2 * steps != block.k_steps(problem)) return plan;
  MatmulPlan deeper = plan_of_block(problem, target, by, twice, asked);
  if (!deeper.copied || deeper.tiles.stages == 1) return plan;
  deeper.choices[1].why += "; a step has 128 bytes of each row, for which no register waits";
  return deeper;
}

}  // namespace

MatmulPlan make_plan(const Problem& problem, instruction::Target target) {
  const Multiplication by = best_of(problem, target, multiplications_of(problem, target));
  return plan_of_block_or_deeper(problem, target, by, choose_block(problem, target, by.atom));
}

namespace {

/// The block that `asked` has for this multiplication, or what cannot be.
std::expected<Tiling, std::string> asked_block(const Problem& problem, instruction::Target target,
                                               const PlanFields& asked, const Multiplication& by) {
  Tiling block = choose_block(problem, target, by.atom);
  const bool is_changed = asked.block_m != 0 || asked.block_n != 0;
  if (asked.block_m != 0) block.m = asked.block_m;
  if (asked.block_n != 0) block.n = asked.block_n;
  if (asked.block_k != 0) block.k = asked.block_k;
  const int least_k = std::max(atom, by.atom.k);
  if (!is_size(block.m, by.atom.m, 256) || !is_size(block.n, by.atom.n, 256) ||
      !is_size(block.k, least_k, 128))
    return std::unexpected("a block of " + times(block.m, block.n) + "x" + number(block.k) +
                           "; accepted: powers of two, " + number(by.atom.m) +
                           " to 256 for m and n, " + number(least_k) + " to 128 for k");
  if (is_changed) {
    block.warps_m = block.warps_n = 1;
    block = with_warps(block, by.atom);
  }
  if (asked.warps_m != 0) block.warps_m = asked.warps_m;
  if (asked.warps_n != 0) block.warps_n = asked.warps_n;
  if (!is_size(block.warps_m, 1, block.m / by.atom.m) ||
      !is_size(block.warps_n, 1, block.n / by.atom.n) || block.warps() > 16)
    return std::unexpected(
        times(block.warps_m, block.warps_n) +
        " warps; accepted: powers of two, at most 16 in all, each with at least " +
        times(by.atom.m, by.atom.n) + " of the block");
  const int registers = estimate_registers(problem, block, by.atom).total();
  if (registers > compiled_vgprs(target))
    return std::unexpected("a block of " + times(block.m, block.n) + " with " +
                           times(block.warps_m, block.warps_n) + " warps, which takes " +
                           number(registers) + " VGPRs; accepted: at most " +
                           number(compiled_vgprs(target)));
  block.stages = asked.stages;
  block.split_k = asked.split_k;
  if (asked.split_k != 0)
    if (std::string wrong = split_refusal(block, problem, most_blocks_on_z / problem.batch,
                                          std::int64_t{block.m} * block.n);
        !wrong.empty())
      return std::unexpected(std::move(wrong));
  return block;
}

/// What is wrong with the stages and the copies that were asked for; empty where nothing is. A
/// kernel for any sizes may have other copies than the faster ones beside it.
std::string refused_copies(const MatmulPlan& plan, const PlanFields& asked) {
  if (plan.tiles.stages > (plan.copied ? 4 : 2))
    return number(plan.tiles.stages) + " stages; accepted: 1 " + (plan.copied ? "to 4" : "or 2");
  if (asked.copies != "direct" || plan.copied || plan.problem.dynamic != 0) return {};
  const auto chosen = std::ranges::find(plan.choices, "copies", &Choice::what);
  return "direct copies; accepted: registers, since " +
         (chosen == plan.choices.end() ? "no load goes straight to LDS" : chosen->why);
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
  if (!asked.copies.empty() && asked.copies != "direct" && asked.copies != "registers")
    return std::unexpected("copies \"" + asked.copies + "\"; accepted: direct or registers");
  MatmulPlan plan = plan_of_block_or_deeper(problem, target, by, *block, asked);
  if (std::string wrong = refused_copies(plan, asked); !wrong.empty())
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
