#include "compiler/plan/mma_planner.h"

#include <algorithm>
#include <array>
#include <expected>
#include <string>
#include <utility>

#include "compiler/plan/words.h"
#include "heddle/instruction/catalogue.h"
#include "library/plan/placement_search.h"
#include "library/text/formatted.h"

namespace heddle::plan {
namespace {

/// Which thread copies which elements of a tile. Adjacent lanes copy elements that are adjacent in
/// global memory; further bits of lane, then of warp, then of step go to further lines. If there
/// are more threads than the tile needs, several threads copy the same elements.
layout::LinearLayout copies(const MmaOperandPlan& operand, int warps) {
  const int row_bits = bits_of(operand.rows);
  const int k_bits = bits_of(operand.k);
  const int elements = operand.copy_elements();
  layout::LinearLayout::Bases bases{};
  const int inner_bits = operand.k_contiguous ? k_bits : row_bits;
  const auto word = [&](int bit) {  // contiguous dimension first
    const bool inner = bit < inner_bits;
    const int at = inner ? bit : bit - inner_bits;
    return std::uint64_t{1} << (inner == operand.k_contiguous ? row_bits + at : at);
  };
  const int element_bits = bits_of(elements);
  const int warp_bits = bits_of(warps);
  const int step_bits = std::max(row_bits + k_bits - element_bits - 5 - warp_bits, 0);
  const int bits = element_bits + 5 + warp_bits + step_bits;
  std::vector<std::uint64_t> words;
  for (int bit = 0; bit < row_bits + k_bits; ++bit) words.push_back(word(bit));
  // If the operand is transposed on its way, its elements are written one by one. A warp then has
  // eight lanes along k and four rows: if four rows at a time are swizzled by k, such a warp uses
  // every bank once, and it reads whole sectors of 32 bytes.
  if (operand.transposes && k_bits > 3)
    std::rotate(words.begin() + 3, words.begin() + k_bits,
                words.begin() + k_bits + std::min(row_bits, 2));
  for (int bit = 0; bit < std::min(bits, row_bits + k_bits); ++bit)
    bases[static_cast<std::size_t>(bit)] = words[static_cast<std::size_t>(bit)];
  return layout::LinearLayout::from_words(
             {{"element", element_bits}, {"lane", 5}, {"warp", warp_bits}, {"step", step_bits}},
             {{operand.row, row_bits}, {"k", k_bits}}, bases)
      .value();
}

/// The ldmatrix instruction that loads `matrices` (1, 2 or 4) matrices of 8x8 16-bit elements.
const instruction::Instruction* ldmatrix(instruction::Target target, int matrices,
                                         bool transposed) {
  const std::string name = formatted("ldmatrix.sync.aligned.m8n8.x{}{}.shared.b16", matrices,
                                     transposed ? ".trans" : "");
  return instruction::find(name, target);
}

/// The fragment as a map (position, lane, k_atom, warp) -> element, in which the position counts
/// through the elements, registers and atoms of the fragment.
layout::LinearLayout positions(const layout::LinearLayout& fragment) {
  const layout::AxisList& in = fragment.inputs();
  const int bits = in.bits_of("element") + in.bits_of("register") + in.bits_of("atom");
  const auto ordered =
      layout::transpose_inputs(fragment, {"element", "register", "atom", "k_atom", "lane", "warp"});
  return layout::reshape_inputs(ordered.value(), {{"position", bits},
                                                  {"k_atom", in.bits_of("k_atom")},
                                                  {"lane", in.bits_of("lane")},
                                                  {"warp", in.bits_of("warp")}})
      .value();
}

/// ldmatrix loads matrices whose rows are given by addresses: each lane gives the address of one
/// row. For each bit of the lane's number, returns the first element of the row whose address a
/// lane with only this bit gives, for the ldmatrix that loads the first registers. The element is
/// given by the (position, lane) that holds it in the fragment, as one word.
std::array<std::uint64_t, 5> address_words(const instruction::Instruction& ldmatrix,
                                           int element_bits) {
  using instruction::Operand;
  const layout::LinearLayout held = instruction::fragment(ldmatrix, Operand::d);
  const layout::LinearLayout asked = instruction::fragment(ldmatrix, Operand::address);
  const layout::LinearLayout where = layout::invert(held).value();  // (m, n, block) -> register …
  std::array<std::uint64_t, 5> words{};
  for (int bit = 0; bit < 5; ++bit) {
    const int lane_bit = asked.inputs().offset(asked.inputs().find("lane")) + bit;
    const std::uint64_t reached = asked.basis(lane_bit);
    layout::Coordinates place;
    for (const layout::Axis& axis : where.inputs()) {
      const int from = asked.outputs().find(axis.name);
      place.push_back({axis.name, from < 0 ? 0 : asked.outputs().coordinate(reached, from)});
    }
    const layout::Coordinates in = where.apply(place).value();
    // Positions count 16-bit elements; elements of another width are found by register.
    const std::uint64_t position = (in.at("element") & (element_bits == 16 ? 1u : 0u)) |
                                   in.at("register") << element_bits_in(4, element_bits);
    words[static_cast<std::size_t>(bit)] = position << 5 | in.at("lane");
  }
  return words;
}

/// For each load ("fetch") of a fragment, the element whose address a lane gives: (fetch, k_atom,
/// lane, warp) -> element. `lanes` is what address_words returns, for ldmatrix; null: each lane
/// gives the address of its own elements.
layout::LinearLayout fetches(const layout::LinearLayout& positions, int fetched_bits,
                             const std::array<std::uint64_t, 5>* lanes) {
  const layout::AxisList& in = positions.inputs();
  const int fetch_bits = in.bits_of("position") - fetched_bits;
  layout::LinearLayout::Bases bases{};
  std::size_t next = 0;
  for (int bit = 0; bit < fetch_bits; ++bit) bases[next++] = positions.basis(fetched_bits + bit);
  const int k_at = in.offset(in.find("k_atom"));
  const int lane_at = in.offset(in.find("lane"));
  const int warp_at = in.offset(in.find("warp"));
  for (int bit = 0; bit < in.bits_of("k_atom"); ++bit) bases[next++] = positions.basis(k_at + bit);
  for (int bit = 0; bit < 5; ++bit) {
    if (lanes == nullptr) {
      bases[next++] = positions.basis(lane_at + bit);
      continue;
    }
    const std::uint64_t word = (*lanes)[static_cast<std::size_t>(bit)];
    bases[next++] = positions.apply(word >> 5) ^ positions.apply((word & 31) << lane_at);
  }
  for (int bit = 0; bit < in.bits_of("warp"); ++bit) bases[next++] = positions.basis(warp_at + bit);
  return layout::LinearLayout::from_words({{"fetch", fetch_bits},
                                           {"k_atom", in.bits_of("k_atom")},
                                           {"lane", 5},
                                           {"warp", in.bits_of("warp")}},
                                          positions.outputs(), bases)
      .value();
}

/// Candidates for the layout in shared memory: the tile line by line (a line is contiguous in
/// global memory), and swizzles of this layout that permute units of 16 bytes inside as many bytes
/// as all banks have. With all of these, the lanes of a cp.async that read one line of global
/// memory write one line of shared memory. (On an H200, layouts without conflicts that spread 128
/// bytes over eight lines made the whole product three times slower;
/// bench/records/notes/2026-11-27-nvidia_kernels.md.)
std::vector<memory::SharedLayout> swizzles_in_lines(const MmaOperandPlan& operand,
                                                    const memory::BankModel& model) {
  const layout::AxisList dims{{operand.row, bits_of(operand.rows)}, {"k", bits_of(operand.k)}};
  const std::vector<std::uint64_t> units =
      detail::units_in_order(dims, operand.k_contiguous_in_tile() ? 1 : 0);
  const int vector = element_bits_in(16, operand.element_bits());
  const int line = element_bits_in(model.banks() * model.bank_bytes, operand.element_bits());
  std::vector<memory::SharedLayout> all{{detail::map_of(units, dims), {}}};
  for (int first = vector; first < line; ++first) {
    for (int count = 1; first + count <= line; ++count) {
      for (int shift = count; first + shift + count <= dims.bits(); ++shift) {
        if (first + shift < line) continue;
        std::vector<std::uint64_t> words = units;
        for (int bit = 0; bit < count; ++bit)
          words[static_cast<std::size_t>(first + shift + bit)] ^=
              units[static_cast<std::size_t>(first + bit)];
        all.push_back({detail::map_of(words, dims), {}});
      }
    }
  }
  return all;
}

/// Tries to load fragments in the way `move`: finds a layout in shared memory for it, and fills
/// `stores`, `loads` and what follows from them. False if there is no such layout.
bool try_move(MmaOperandPlan& operand, const memory::BankModel& model, instruction::Target target,
              Move move, int most_bytes) {
  const int element_bits = operand.element_bits();
  const layout::NameList dims{operand.row, "k"};
  const TileAccess store{detail::by_register(operand.staging, dims), Move::store,
                         operand.copy_bytes};
  const TileAccess load{
      detail::by_register(operand.fragment, dims, {"element", "register", "atom", "k_atom"}), move,
      most_bytes};
  auto placed = place_among(model, {store, load}, element_bits, swizzles_in_lines(operand, model),
                            256 * 1024);
  if (!placed) return false;
  const int copy_bits = element_bits_in(operand.copy_bytes, element_bits);
  if (placed->accesses[0].element_bits_log2 != copy_bits) return false;
  const layout::LinearLayout& shared = placed->shared.map;
  const layout::LinearLayout flat = positions(operand.fragment);
  const int packed = element_bits_in(4, element_bits);
  int fetched_bits = placed->accesses[1].element_bits_log2;
  std::array<std::uint64_t, 5> lanes{};
  const std::array<std::uint64_t, 5>* given = nullptr;
  if (is_matrix(move)) {
    const int register_bits = std::min(flat.inputs().bits_of("position") - packed, 2);
    const auto* row = ldmatrix(target, 1 << register_bits, is_transposed(move));
    if (row == nullptr) return false;
    lanes = address_words(*row, element_bits);
    given = &lanes;
    fetched_bits = packed + register_bits;
    operand.fetched_registers = 1 << register_bits;
  } else {
    fetched_bits = std::min(fetched_bits, flat.inputs().bits_of("position"));
  }
  operand.loads = layout::invert_and_compose(fetches(flat, fetched_bits, given), shared).value();
  operand.stores = layout::invert_and_compose(operand.staging, shared).value();
  if (!detail::is_in_order(operand.stores, copy_bits)) return false;
  if (!is_matrix(move)) {
    const auto every = layout::invert_and_compose(flat, shared).value();
    if (!detail::is_in_order(every, fetched_bits)) return false;
  }
  operand.move = move;
  operand.load_elements = is_matrix(move) ? 1 : 1 << fetched_bits;
  operand.placement = *std::move(placed);
  return true;
}

/// Decides how fragments of the operand are loaded: by ldmatrix if each register is part of a row
/// of 16 bytes in shared memory, otherwise by the widest plain loads that are possible.
/// Precondition: the members of `operand` up to `fragment` are filled.
bool place_operand(MmaOperandPlan& operand, instruction::Target target, bool by_matrix) {
  const memory::BankModel model = memory::bank_model(target);
  if (by_matrix && operand.k_contiguous && try_move(operand, model, target, Move::ldmatrix, 16))
    return true;
  if (by_matrix && !operand.k_contiguous && operand.element_bits() == 16 &&
      try_move(operand, model, target, Move::ldmatrix_transposed, 16))
    return true;
  for (int bytes = 16; bytes * 8 >= operand.element_bits(); bytes /= 2)
    if (try_move(operand, model, target, Move::load, bytes)) return true;
  return false;
}

/// Decides how elements get from global to shared memory: by cp.async or through registers, and how
/// many at once. Rows begin at multiples of `alignment` bytes. If `is_checked`, they may in fact be
/// aligned to more bytes, and the kernel tests that at run time. Preconditions: the members of
/// `operand` above copy_bytes, and `computes`, are filled.
void choose_copies(MmaOperandPlan& operand, int alignment, bool is_checked) {
  const int contiguous = operand.k_contiguous ? operand.k : operand.rows;
  operand.copy_bytes =
      std::min(16, (operand.transposes ? 1 : contiguous) * operand.element_bits() / 8);
  const int stored_bytes = operand.stored_bytes();
  const int most = std::min(16 / stored_bytes, operand.copy_elements());
  const int aligned = std::min(most, alignment / stored_bytes);
  operand.checks_alignment = is_checked && aligned < most;
  operand.access_elements = operand.checks_alignment ? most : aligned;
  operand.by_registers = operand.computes || operand.access_elements * stored_bytes < 4;
  if (!operand.by_registers) operand.copy_bytes = operand.access_elements * stored_bytes;
}

Choice operand_choice(const char* name, const MmaOperandPlan& operand) {
  const PlacedAccess& load = operand.placement.accesses[1];
  const PlacedAccess& store = operand.placement.accesses[0];
  const auto bytes = [](int count) { return formatted("{}-byte ", count); };
  std::string copy = bytes(operand.access_elements * operand.stored_bytes());
  if (operand.by_registers) {
    copy += "loads, " + bytes(operand.copy_bytes) + "stores";
    copy += operand.computes ? ", and operations in between"
                             : ": rows are not aligned to the 4 bytes that cp.async needs";
  } else {
    copy += "cp.async";
  }
  if (operand.checks_alignment)
    copy += " (" + bytes(operand.stored_bytes()) + "loads where sizes do not keep rows aligned)";
  const std::string fetch =
      is_matrix(operand.move)
          ? formatted("{}.x{}", is_transposed(operand.move) ? "ldmatrix.trans" : "ldmatrix",
                      operand.fetched_registers)
          : formatted("{}-byte loads", operand.load_elements * operand.element_bits() / 8);
  const auto extra = [](const PlacedAccess& access) {
    return formatted("{}", access.passes - access.ideal);
  };
  std::string why =
      formatted("{} extra passes in {} loads and {} in {} copies of a tile, {} bytes", extra(load),
                load.instructions, extra(store), store.instructions, operand.placement.bytes);
  if (operand.placement.is_optimal()) why += "; no layout has fewer passes";
  return {std::string("shared ") + name, copy + ", " + fetch, why};
}

std::string why_instruction(const MmaPlan& plan) {
  if (plan.problem.is_split())
    return "each f32 is the sum of two bf16, of whose products the three largest are added: at "
           "most 2^-15 of each |a b| is left out";
  if (!is_fma(*plan.instruction)) return "the largest of the processor for these types";
  const std::string type(instruction::name(plan.instruction->a_type));
  if (!plan.a.computes && !plan.b.computes)
    return "multiply-adds of single elements, as " + type + " is multiplied to the last bit";
  return "multiply-adds of single elements: what is computed of A or B on the way to the product, "
         "scales too, is " +
         type + " and multiplied to the last bit (mma.sync ….block_scale is not used)";
}

void explain(MmaPlan& plan, const std::string& why_tiles) {
  const Tiling& tiles = plan.tiles;
  plan.choices = {
      {"instruction", std::string(plan.instruction->name),
       why_instruction(plan) + "; sums are " +
           std::string(instruction::name(plan.instruction->d_type))},
      {"block", formatted("{}x{}", times(tiles.m, tiles.n), tiles.k), why_tiles},
      {"warps", times(tiles.warps_m, tiles.warps_n),
       "a warp has " + times(plan.atoms_m(), plan.atoms_n()) + " atoms of " +
           times(plan.instruction->m, plan.instruction->n)},
      operand_choice("A", plan.a),
      operand_choice("B", plan.b),
      {"stages", formatted("{}", tiles.stages),
       formatted("{} bytes each of {} of a block: copies of tiles ahead hide the latency of memory",
                 plan.stage_bytes, instruction::processor(plan.target).shared_bytes)},
      {"order of blocks", formatted("groups of {} rows", tiles.group),
       "blocks that run together share rows of A and columns of B in L2"},
      {"blocks", plan.problem.dynamic != 0 ? "as many as tiles" : formatted("{}", tiles.blocks),
       plan.has_one_tile_each()
           ? "one for each tile of D"
           : formatted("for {} tiles of D: a block computes one after the other, and the copies "
                       "for the next begin while one is multiplied",
                       plan.blocks_m() * plan.blocks_n())}};
  if (tiles.split_k > 1) plan.choices.push_back(split_choice(plan.split_memory(), "blocks"));
}

}  // namespace

bool place_mma_operand(MmaOperandPlan& operand, int warps, instruction::Target target) {
  operand.staging = copies(operand, warps);
  return place_operand(operand, target, /*by_matrix=*/true);
}

std::expected<MmaPlan, std::string> make_mma_plan(const MmaRequest& request) {
  using instruction::Operand;
  MmaPlan plan;
  plan.problem = request.problem;
  plan.target = request.target;
  plan.instruction = find_mma(request);
  if (plan.instruction == nullptr)
    return std::unexpected("no mma of " + std::string(instruction::name(request.multiply)) +
                           " on " + std::string(instruction::name(request.target)));
  const instruction::Instruction& mma = *plan.instruction;
  // ldmatrix moves the factors themselves.
  const bool by_matrix = !is_fma(mma) && !request.problem.is_split();
  std::string why;
  const auto tiles = choose_tiles(request, mma, why);
  if (!tiles) return std::unexpected(tiles.error());
  plan.tiles = *tiles;
  const Tiling& t = plan.tiles;
  const auto operand = [&](Operand which, bool k_contiguous, int warps) {
    MmaOperandPlan made;
    const bool is_a = which == Operand::a;
    made.row = is_a ? layout::AxisName("m") : layout::AxisName("n");
    made.k_contiguous = k_contiguous;
    made.transposes = k_contiguous && is_fma(mma);
    made.element = is_a ? request.problem.input : request.problem.b_input();
    made.stored = is_a ? request.problem.a_stored() : request.problem.b_stored();
    made.computes = is_a ? request.a_computes : request.b_computes;
    made.rows = is_a ? t.m : t.n;
    made.k = t.k;
    choose_copies(made, is_a ? request.a_alignment : request.b_alignment,
                  is_a ? request.a_checked : request.b_checked);
    made.staging = copies(made, t.warps());
    made.fragment =
        tiled_fragment(instruction::fragment(mma, which), made.row, plan.atoms_k(),
                       is_a ? plan.atoms_m() : plan.atoms_n(), warps, t.warps() / warps);
    return made;
  };
  plan.a = operand(Operand::a, !request.problem.a.transposed, t.warps_m);
  plan.b = operand(Operand::b, request.problem.b.transposed, t.warps_n);
  for (MmaOperandPlan* each : {&plan.a, &plan.b})
    if (!place_operand(*each, request.target, by_matrix))
      return std::unexpected("no layout of shared memory for a tile of " +
                             times(each->rows, each->k) +
                             "; accepted: a smaller block, such as 64x64x32");
  plan.result = tiled_result(instruction::fragment(mma, Operand::d), plan.atoms_m(), plan.atoms_n(),
                             t.warps_m, t.warps_n);
  const auto aligned = [](std::uint64_t bytes) {
    return static_cast<std::uint32_t>((bytes + 127) / 128 * 128);
  };
  plan.stage_bytes = aligned(plan.a.placement.bytes) + aligned(plan.b.placement.bytes);
  plan.shared_bytes = plan.stage_bytes * static_cast<std::uint32_t>(t.stages);
  const int room = instruction::processor(request.target).shared_bytes;
  if (std::cmp_greater(plan.shared_bytes, room))
    return std::unexpected(
        formatted("{} bytes of shared memory for {} stages of {}x{}; accepted: at most {}",
                  plan.shared_bytes, t.stages, times(t.m, t.n), t.k, room));
  explain(plan, why);
  return plan;
}

}  // namespace heddle::plan
