#include "compiler/plan/operand_planner.h"

#include <algorithm>
#include <expected>
#include <optional>
#include <string>
#include <vector>

#include "library/plan/placement_search.h"

namespace heddle::plan {
namespace {

std::expected<Placement, std::string> placed(const memory::BankModel& model,
                                             const std::vector<TileAccess>& accesses, Means means,
                                             int element_bytes) {
  const int element_bits = 8 * element_bytes;
  if (means != Means::none) return place(model, accesses, element_bits, means);
  const layout::AxisList& dims = accesses[0].map.outputs();
  return place_among(model, accesses, element_bits,
                     {{detail::map_of(detail::units_in_order(dims, 1), dims), {}}});
}

}  // namespace

std::optional<SharedCandidate> shared_candidate(const memory::BankModel& model,
                                                const OperandPlan& plan, int warps, Means means,
                                                StagingGoal goal) {
  const layout::NameList dims{plan.tile.row, "k"};
  const auto neighbouring = [&](const layout::LinearLayout& map) {
    return detail::by_register(taken_together(map, plan.tile.row, plan.in_turn), dims);
  };
  const TileAccess load{neighbouring(plan.fragment), Move::load};
  auto for_loads = placed(model, {load}, means, plan.tile.element_bytes);
  if (!for_loads) return std::nullopt;
  const auto in_turn = [&](layout::LinearLayout& map) {
    map = taken_in_turn(map, plan.tile.row, plan.in_turn);
  };
  // If a lane stores elements of a single row, it may have the rows in any order.
  const bool any_rows = plan.tile.k_contiguous && plan.patch.rows == 1;
  if (!any_rows) in_turn(for_loads->shared.map);
  SharedCandidate candidate;
  candidate.means = means;
  candidate.staging = choose_staging(model, plan.tile, plan.patch, warps, for_loads->shared, goal);
  if (any_rows) in_turn(candidate.staging.map);
  const TileAccess store{neighbouring(candidate.staging.map), Move::store,
                         plan.patch.k * plan.tile.element_bytes};
  auto placement = placed(model, {store, load}, means, plan.tile.element_bytes);
  if (!placement) return std::nullopt;
  candidate.placement = *std::move(placement);
  in_turn(candidate.placement.shared.map);
  const layout::LinearLayout& shared = candidate.shared().map;
  candidate.stores = layout::invert_and_compose(candidate.staging.map, shared).value();
  candidate.loads = layout::invert_and_compose(plan.fragment, shared).value();
  candidate.registers = std::max(base_registers(candidate.stores), base_registers(candidate.loads));
  if (!detail::is_in_order(candidate.stores, bits_of(plan.patch.k)) ||
      !detail::is_in_order(candidate.loads, candidate.load_cost().element_bits_log2))
    return std::nullopt;
  return candidate;
}

OperandPlan plan_operand(const memory::BankModel& model, const GlobalTile& tile,
                         const layout::LinearLayout& fragment, int warps, InTurn in_turn) {
  OperandPlan plan;
  plan.in_turn = in_turn;
  plan.tile = tile;
  plan.patch = choose_patch(tile, warps * model.wave,
                            in_turn.atom_bits == 2 && tile.element_bytes > 1 ? 4 : 8);
  plan.fragment = fragment;
  for (const Means means : {Means::padding_only, Means::swizzle_only, Means::none}) {
    std::optional<SharedCandidate> best;
    for (const StagingGoal goal : {StagingGoal::few_conflicts, StagingGoal::few_segments}) {
      auto candidate = shared_candidate(model, plan, warps, means, goal);
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
