#include "heddle/plan/operand_planner.h"

#include <algorithm>
#include <expected>
#include <optional>
#include <string>
#include <vector>

#include "library/plan/placement_search.h"

namespace heddle::plan {
namespace {

/// `map` as placement.h takes it: (register, lane, warp) -> (row, k), with all inputs but lane and
/// warp counted by `register`, in their order.
layout::LinearLayout by_register(const layout::LinearLayout& map, const GlobalTile& tile) {
  layout::NameList order;
  int bits = 0;
  for (const layout::Axis& axis : map.inputs()) {
    if (axis.name == "lane" || axis.name == "warp") continue;
    order.push_back(axis.name);
    bits += axis.bits;
  }
  order.push_back("lane");
  order.push_back("warp");
  const auto ordered = layout::transpose_inputs(map, order).value();
  const auto flat = layout::reshape_inputs(ordered, {{"register", bits},
                                                     {"lane", map.inputs().bits_of("lane")},
                                                     {"warp", map.inputs().bits_of("warp")}});
  return layout::transpose_outputs(flat.value(), {tile.row, "k"}).value();
}

std::expected<Placement, std::string> placed(const memory::BankModel& model,
                                             const std::vector<TileAccess>& accesses, Means means,
                                             int element_bytes) {
  const int element_bits = 8 * element_bytes;
  if (means != Means::none) return place(model, accesses, element_bits, means);
  const layout::AxisList& dims = accesses[0].map.outputs();
  return place_among(model, accesses, element_bits,
                     {{detail::map_of(detail::units_in_order(dims, 1), dims), {}}});
}

/// Whether an access moves its first inputs as they lie side by side in LDS, and all else steps by
/// whole vectors of 2^bits elements: so that a vector holds them in their order.
constexpr bool is_in_order(const layout::LinearLayout& offsets, int bits) {
  for (int bit = 0; bit < offsets.input_bits(); ++bit) {
    const std::uint64_t word = offsets.basis(bit);
    if (bit < bits ? word != std::uint64_t{1} << bit : (word & layout::low_bits(bits)) != 0)
      return false;
  }
  return true;
}

}  // namespace

std::optional<SharedCandidate> shared_candidate(const memory::BankModel& model,
                                                const OperandPlan& plan, int warps, Means means,
                                                StagingGoal goal) {
  const TileAccess load{by_register(plan.fragment, plan.tile), Move::load};
  const auto for_loads = placed(model, {load}, means, plan.tile.element_bytes);
  if (!for_loads) return std::nullopt;
  SharedCandidate candidate;
  candidate.means = means;
  candidate.staging = choose_staging(model, plan.tile, plan.patch, warps, for_loads->shared, goal);
  const TileAccess store{by_register(candidate.staging.map, plan.tile), Move::store,
                         plan.patch.k * plan.tile.element_bytes};
  auto placement = placed(model, {store, load}, means, plan.tile.element_bytes);
  if (!placement) return std::nullopt;
  candidate.placement = *std::move(placement);
  const layout::LinearLayout& shared = candidate.shared().map;
  candidate.stores = layout::invert_and_compose(candidate.staging.map, shared).value();
  candidate.loads = layout::invert_and_compose(plan.fragment, shared).value();
  candidate.registers = std::max(base_registers(candidate.stores), base_registers(candidate.loads));
  if (!is_in_order(candidate.stores, bits_of(plan.patch.k)) ||
      !is_in_order(candidate.loads, candidate.load_cost().element_bits_log2))
    return std::nullopt;
  return candidate;
}

OperandPlan plan_operand(const memory::BankModel& model, const GlobalTile& tile,
                         const layout::LinearLayout& atom_fragment, int warps, int other_warps) {
  OperandPlan plan;
  plan.tile = tile;
  plan.patch = choose_patch(tile, warps * other_warps * wave_lanes);
  plan.fragment = tiled_fragment(atom_fragment, tile, warps, other_warps);
  for (const Means means : {Means::padding_only, Means::swizzle_only, Means::none}) {
    std::optional<SharedCandidate> best;
    for (const StagingGoal goal : {StagingGoal::few_conflicts, StagingGoal::few_segments}) {
      auto candidate = shared_candidate(model, plan, warps * other_warps, means, goal);
      if (candidate && (!best || candidate->price() < best->price())) best = std::move(candidate);
    }
    if (best) plan.others.push_back(*std::move(best));
  }
  std::ranges::sort(plan.others, {}, &SharedCandidate::price);
  plan.chosen = std::move(plan.others.front());
  plan.others.erase(plan.others.begin());
  return plan;
}

}  // namespace heddle::plan
