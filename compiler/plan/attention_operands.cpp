#include "compiler/plan/attention_operands.h"

#include <algorithm>
#include <bit>

#include "compiler/plan/mma_plan.h"
#include "compiler/plan/mma_planner.h"
#include "heddle/instruction/catalogue.h"
#include "heddle/layout/solve.h"
#include "heddle/memory/bank_model.h"
#include "heddle/plan/conversion.h"
#include "heddle/plan/placement.h"
#include "library/plan/placement_search.h"

namespace heddle::plan {
namespace {

using instruction::Instruction;
using instruction::Operand;
using layout::LinearLayout;

// Neighbouring lanes copy neighbours in global memory; then come rows, warps, steps. A thread
// copies 2^`line_bits` lines, so that as many neighbours along k can be stored together.
LinearLayout staging_of(const SharedOperand& operand, int lanes, int warps, int line_bits) {
  const int row_bits = bits_of(operand.rows), k_bits = bits_of(operand.k);
  const int inner_bits = operand.k_contiguous ? k_bits : row_bits;
  std::vector<std::uint64_t> words;
  for (int bit = 0; bit < row_bits + k_bits; ++bit) {
    const bool inner = bit < inner_bits;
    const int at = inner ? bit : bit - inner_bits;
    words.push_back(std::uint64_t{1} << (inner == operand.k_contiguous ? row_bits + at : at));
  }
  const int element_bits = bits_of(operand.copy_elements);
  std::rotate(words.begin() + element_bits, words.begin() + inner_bits,
              words.begin() + inner_bits + line_bits);
  const int register_bits = element_bits + line_bits;
  const int lane_bits = bits_of(lanes), warp_bits = bits_of(warps);
  const int step_bits = std::max(row_bits + k_bits - register_bits - lane_bits - warp_bits, 0);
  LinearLayout::Bases bases{};
  const auto count = std::min<std::size_t>(
      words.size(), static_cast<std::size_t>(register_bits + lane_bits + warp_bits + step_bits));
  for (std::size_t bit = 0; bit < count; ++bit) bases[bit] = words[bit];
  return LinearLayout::from_words({{"register", register_bits},
                                   {"lane", lane_bits},
                                   {"warp", warp_bits},
                                   {"step", step_bits}},
                                  {{operand.row, row_bits}, {"k", k_bits}}, bases)
      .value();
}

// The warps of a block that one tile keeps busy with copies of `elements` each; the other tiles'
// copies are for others.
int copying_warps(SharedOperand& operand, const AttentionPlan& plan, int elements) {
  if (operand.tiles == 1) return plan.warps;
  const int busy = std::max(operand.rows * operand.k / (elements * plan.lanes), 1);
  const int warps = std::min(plan.warps, busy);
  operand.tiles_at_once = plan.warps / warps;
  return warps;
}

// (register, k_atom, lane, warp) -> element, registers running over those of all atoms.
LinearLayout by_position(const LinearLayout& fragment) {
  const layout::AxisList& in = fragment.inputs();
  const int bits = in.bits_of("element") + in.bits_of("register") + in.bits_of("atom");
  const auto ordered =
      layout::transpose_inputs(fragment, {"element", "register", "atom", "k_atom", "lane", "warp"});
  return layout::reshape_inputs(ordered.value(), {{"register", bits},
                                                  {"k_atom", in.bits_of("k_atom")},
                                                  {"lane", in.bits_of("lane")},
                                                  {"warp", in.bits_of("warp")}})
      .value();
}

// True if the registers that are accessed together fill whole vectors of `width` elements, which
// begin at the same registers in all lanes.
bool fill_vectors(const LinearLayout& offsets, std::uint64_t width) {
  layout::Subspace low;
  for (int bit = 0; bit < offsets.inputs().bits_of("register"); ++bit) {
    const std::uint64_t word = offsets.basis("register", bit, "offset");
    if (word < width)
      low.add(word);
    else if (word % width != 0)
      return false;
  }
  for (const layout::Axis& axis : offsets.inputs())
    for (int bit = 0; axis.name != "register" && bit < axis.bits; ++bit)
      if (offsets.basis(axis.name, bit, "offset") % width != 0) return false;
  return std::uint64_t{1} << low.dimension() == width;
}

// Loads of whole vectors are worth more than wide stores: there is one of these for each warp's.
bool place_by_registers(SharedOperand& operand, const LinearLayout& fragment,
                        const AttentionPlan& plan) {
  const layout::NameList dims{operand.row, "k"};
  const memory::BankModel model = memory::bank_model(plan.target);
  const int bits = instruction::bits(plan.problem.input);
  // Words of 32 bits along k.
  const int line_bits = operand.k_contiguous ? 0 : bits_of(32 / bits);
  const int warps = copying_warps(operand, plan, operand.copy_elements << line_bits);
  operand.staging = staging_of(operand, plan.lanes, warps, line_bits);
  const auto tried = [&](int load_bytes, int store_bytes) {
    const TileAccess store{detail::by_register(operand.staging, dims), Move::store, store_bytes};
    const TileAccess load{
        detail::by_register(fragment, dims, {"element", "register", "atom", "k_atom"}), Move::load,
        load_bytes};
    auto placed = place(model, {store, load}, bits);
    if (!placed) return false;
    operand.placement = *std::move(placed);
    const LinearLayout& shared = operand.placement.shared.map;
    operand.stores = layout::invert_and_compose(operand.staging, shared).value();
    operand.loads = layout::invert_and_compose(by_position(fragment), shared).value();
    operand.store_elements = 1 << operand.placement.accesses[0].element_bits_log2;
    operand.load_elements = 1 << operand.placement.accesses[1].element_bits_log2;
    // A fragment is loaded for one k atom at a time.
    return fill_vectors(operand.stores, static_cast<std::uint64_t>(operand.store_elements)) &&
           fill_vectors(operand.loads, static_cast<std::uint64_t>(operand.load_elements));
  };
  for (int load_bytes = 16; load_bytes * 8 >= bits; load_bytes /= 2)
    for (int store_bytes = 16; store_bytes * 8 >= bits; store_bytes /= 2)
      if (tried(load_bytes, store_bytes)) return true;
  return false;
}

bool place_by_copies(SharedOperand& operand, const LinearLayout& fragment,
                     const AttentionPlan& plan) {
  MmaOperandPlan made;
  made.row = operand.row;
  made.k_contiguous = operand.k_contiguous;
  made.element = made.stored = plan.problem.input;
  made.rows = operand.rows;
  made.k = operand.k;
  made.copy_bytes = 16;
  made.fragment = fragment;
  const int warps = copying_warps(operand, plan, operand.copy_elements);
  if (!place_mma_operand(made, warps, plan.target)) return false;
  const auto renamed = [](const LinearLayout& map) {
    return layout::reshape_inputs(map, {{"register", map.inputs().bits_of("element")},
                                        {"lane", map.inputs().bits_of("lane")},
                                        {"warp", map.inputs().bits_of("warp")},
                                        {"step", map.inputs().bits_of("step")}})
        .value();
  };
  operand.is_asynchronous = true;
  operand.staging = renamed(made.staging);
  operand.stores = renamed(made.stores);
  operand.move = made.move;
  operand.fetched_registers = made.fetched_registers;
  operand.load_elements = made.load_elements;
  operand.placement = made.placement;
  operand.loads =
      is_matrix(made.move)
          ? made.loads
          : layout::invert_and_compose(by_position(fragment), made.shared().map).value();
  return true;
}

int power_above(std::int64_t size) {
  return static_cast<int>(std::bit_ceil(static_cast<std::uint64_t>(size)));
}

// The fragment, whose warps hold copies, with the highest atoms along `axis` divided among `warps`
// of them: the low bits of the warp's number.
LinearLayout divided(const LinearLayout& fragment, const layout::AxisName& axis, int warps) {
  layout::AxisList inputs;
  LinearLayout::Bases bases{};
  std::size_t next = 0;
  for (const layout::Axis& each : fragment.inputs()) {
    const int taken = each.name == axis ? bits_of(warps) : 0;
    const int given = each.name == "warp" ? bits_of(warps) : 0;
    inputs.push_back({each.name, each.bits - taken});
    for (int bit = 0; bit < given; ++bit)
      bases[next++] = fragment.basis(fragment.inputs().offset(fragment.inputs().find(axis)) +
                                     fragment.inputs().bits_of(axis) - given + bit);
    for (int bit = given; bit < each.bits - taken; ++bit)
      bases[next++] =
          fragment.basis(fragment.inputs().offset(fragment.inputs().find(each.name)) + bit);
  }
  return LinearLayout::from_words(inputs, fragment.outputs(), bases).value();
}

// `keys`: the axis of the fragment along which there are keys; `others`: the other one.
bool place_operand(SharedOperand& operand, const AttentionPlan& plan, const layout::AxisName& keys,
                   const layout::AxisName& others) {
  const Instruction& row = *plan.instruction;
  const LinearLayout atom =
      instruction::fragment(row, plan.keys_are_rows ? Operand::a : Operand::b, plan.order);
  const int atom_rows = plan.keys_are_rows ? row.m : row.n;
  operand.piece_elements =
      1 << (atom.inputs().bits_of("element") + atom.inputs().bits_of("register"));
  LinearLayout fragment = divided(
      tiled_fragment(atom, operand.row, operand.k / row.k, operand.rows / atom_rows, 1, plan.warps),
      keys, plan.key_warps);
  fragment = divided(fragment, others, plan.column_warps);
  if (operand.k_contiguous) fragment = plan.in_key_order(fragment, operand.row);
  operand.copy_elements = 128 / instruction::bits(plan.problem.input);
  // No ldmatrix transposes bytes: what lies along another axis than k passes registers.
  const bool is_copied = instruction::is_nvidia(row.family()) &&
                         (operand.k_contiguous || instruction::bits(plan.problem.input) == 16);
  return is_copied ? place_by_copies(operand, fragment, plan)
                   : place_by_registers(operand, fragment, plan);
}

// Q, of which each warp has its rows.
bool place_queries(AttentionPlan& plan) {
  const Instruction& row = *plan.instruction;
  SharedOperand& q = plan.q.emplace();
  q.row = "m";
  q.rows = plan.block_queries();
  q.k = power_above(plan.depth_atoms * row.k);
  q.copy_elements = 128 / instruction::bits(plan.problem.input);
  const LinearLayout atom = instruction::fragment(row, Operand::a, plan.order);
  q.piece_elements = 1 << (atom.inputs().bits_of("element") + atom.inputs().bits_of("register"));
  return place_by_copies(
      q, tiled_fragment(atom, q.row, q.k / row.k, plan.queries / row.m, plan.warps, 1), plan);
}

// Tiles of 128 bytes a line, or more if all warps are to have instructions of each.
void divide_into_tiles(SharedOperand& operand, int& line, int atom, std::int64_t length,
                       const AttentionPlan& plan) {
  constexpr int line_bits = 128 * 8;
  line = std::max(line_bits / instruction::bits(plan.problem.input), atom * plan.column_warps);
  operand.tiles = static_cast<int>((length + line - 1) / line);
}

}  // namespace

bool place_operands(AttentionPlan& plan) {
  const Instruction& row = *plan.instruction;
  const int atom_rows = plan.keys_are_rows ? row.m : row.n;
  for (SharedOperand* operand : {&plan.k, &plan.v})
    operand->row = plan.keys_are_rows ? layout::AxisName("m") : layout::AxisName("n");
  plan.k.k_contiguous = true;
  plan.k.rows = plan.keys;
  plan.k.k = power_above(plan.depth_atoms * row.k);
  plan.v.k_contiguous = false;
  plan.v.rows = power_above(plan.columns_atoms * atom_rows);
  plan.v.k = plan.keys;
  if (plan.column_warps > 1) {
    divide_into_tiles(plan.k, plan.k.k, row.k, plan.depth, plan);
    divide_into_tiles(plan.v, plan.v.rows, atom_rows, plan.problem.n, plan);
    plan.depth_atoms = plan.k.tiles * (plan.k.k / (row.k * plan.column_warps));
    plan.columns_atoms = plan.v.tiles * (plan.v.rows / (atom_rows * plan.column_warps));
  }
  if (!place_operand(plan.k, plan, "atom", "k_atom") ||
      !place_operand(plan.v, plan, "k_atom", "atom"))
    return false;
  const auto aligned = [](std::uint64_t bytes) {
    return static_cast<std::uint32_t>((bytes + 127) / 128 * 128);
  };
  plan.v.start = plan.k.end();
  plan.sums_start = plan.v.end();
  plan.shared_bytes = plan.sums_start;
  if (plan.column_warps > 1)
    plan.shared_bytes += aligned(std::uint64_t{4} * static_cast<unsigned>(plan.warps) *
                                 static_cast<unsigned>(plan.queries * plan.keys));
  if (plan.key_warps > 1)
    plan.shared_bytes =
        std::max(plan.shared_bytes,
                 aligned(static_cast<std::uint64_t>(
                     4 * plan.threads() * plan.sum_words(plan.joined_atoms() * plan.key_warps))));
  if (plan.queries == (plan.keys_are_rows ? row.n : row.m)) return true;
  if (!place_queries(plan)) return false;
  plan.q->start = plan.shared_bytes;
  plan.shared_bytes += aligned(plan.q->placement.bytes);
  return true;
}

}  // namespace heddle::plan
