// How A or B travels: global memory -> registers -> LDS -> fragments of the matrix instruction.
//
// Every place is a linear layout, and every access follows from two of them:
//
//   fragment   (element, register, lane, k_atom, atom, warp) -> (m or n, k) in the block's tile
//   shared     offset -> (m or n, k), then padding
//   staging    (element, vector, lane, warp, step) -> (m or n, k)
//   loads      inverse(shared) ∘ fragment
//   stores     inverse(shared) ∘ staging
//
// Several shared layouts are tried, padded and swizzled; the bank model counts what each costs.
#pragma once

#include <algorithm>
#include <tuple>
#include <vector>

#include "heddle/layout/algebra.h"
#include "heddle/layout/solve.h"
#include "heddle/plan/block_tile.h"
#include "heddle/plan/shared_tile.h"
#include "heddle/plan/staging.h"

namespace heddle::plan {

/// One way to lay out an operand in LDS, with what it costs for one k step of the whole block.
struct SharedCandidate {
  SharedTile shared;
  layout::LinearLayout loads;  // inverse(shared) ∘ fragment
  int load_elements = 8;       // of one LDS load: 8 for ds_load_b128
  AccessCost load_cost;
  Staging staging;    // searched only where the candidate could win; else without accesses
  int registers = 1;  // base registers of the loads

  /// What is compared first: how wide the loads are, and their conflicts, which every wave repeats.
  constexpr auto load_price() const { return std::pair(-load_elements, load_cost.extra_passes); }

  /// All that is compared, most important first: the loads; conflicts of the stores; registers; how
  /// well global loads share cache lines; LDS bytes.
  constexpr auto price() const {
    return std::tuple(load_price(), staging.stores.extra_passes, registers, staging.segments,
                      shared.bytes());
  }
};

struct OperandPlan {
  GlobalTile tile;
  Patch patch;
  layout::LinearLayout fragment;
  SharedCandidate chosen;
  std::vector<SharedCandidate> others;  // what it was compared with, best loads first
};

/// `fragment` of one atom, (element, register, lane) -> (row, k) in either order, repeated over the
/// atoms and warps of a block. The warp number has the warps along n in its low bits and those
/// along m above; `warps` of them divide `row`, the others hold copies.
constexpr layout::LinearLayout tiled_fragment(const layout::LinearLayout& fragment,
                                              const GlobalTile& tile, int warps, int other_warps) {
  const int atoms = tile.rows / atom / warps;
  const int row_bits = bits_of(tile.rows / atom);
  const bool copies_first = tile.k_contiguous;  // A: the low warp bits belong to n
  layout::LinearLayout::Bases bases{};
  std::size_t next = 0;
  for (int k = 1; k < tile.k / atom; k *= 2)
    bases[next++] = static_cast<std::uint64_t>(k) << row_bits;
  for (int row = 1; row < atoms; row *= 2) bases[next++] = static_cast<std::uint64_t>(row);
  if (copies_first) next += static_cast<std::size_t>(bits_of(other_warps));
  for (int row = atoms; row < atoms * warps; row *= 2)
    bases[next++] = static_cast<std::uint64_t>(row);
  const auto tiling = layout::LinearLayout::from_words(
      {{"k_atom", bits_of(tile.k / atom)},
       {"atom", bits_of(atoms)},
       {"warp", bits_of(warps * other_warps)}},
      {{tile.row, row_bits}, {"k", bits_of(tile.k / atom)}}, bases);
  return layout::product(fragment, tiling.value()).value();
}

/// How many elements one LDS load can fetch: the first inputs that follow each other in the tile,
/// at most 8, which is 16 bytes.
constexpr int contiguous_elements(const layout::LinearLayout& loads) {
  int bits = 0;
  while (bits < 3 && loads.basis(bits) == std::uint64_t{1} << bits) ++bits;
  return 1 << bits;
}

/// The layouts that are compared: rows padded so that they start in different banks, groups of
/// eight rows padded besides, so that stores eight rows apart do too, and xor swizzles without
/// padding.
inline std::vector<SharedTile> shared_tiles(const GlobalTile& tile) {
  const auto row_bytes = static_cast<std::uint32_t>(tile.k * element_bytes);
  std::vector<SharedTile> tiles{padded_tile(tile.row, tile.rows, tile.k)};
  for (const std::uint32_t row_pad : {16u, 32u, 48u}) {
    for (const std::uint32_t group_pad : {0u, 16u, 32u, 64u}) {
      const Padding each_row{row_bytes, row_pad};
      const Padding each_group = group_pad == 0 ? Padding{} : Padding{8 * row_bytes, group_pad};
      tiles.push_back(padded_tile(tile.row, tile.rows, tile.k, {each_row, each_group}));
    }
  }
  for (const int shift : {0, 1, 2, 3})
    tiles.push_back(swizzled_tile(tile.row, tile.rows, tile.k, shift));
  return tiles;
}

/// Prices the fragment loads from `shared`.
constexpr SharedCandidate price_loads(const memory::BankModel& model,
                                      const layout::LinearLayout& fragment,
                                      const SharedTile& shared) {
  SharedCandidate candidate;
  candidate.shared = shared;
  candidate.loads = layout::invert_and_compose(fragment, shared.layout).value();
  candidate.load_elements = contiguous_elements(candidate.loads);
  candidate.load_cost = access_cost(model, shared, candidate.loads, candidate.load_elements,
                                    memory::AccessKind::load);
  candidate.registers = base_registers(candidate.loads);
  return candidate;
}

/// Searches the staging of the candidates whose loads are best, which come first in `sorted`, and
/// returns the place of the cheapest. The search ends at a candidate that no later one can beat:
/// stores without conflicts, global loads that use whole segments.
constexpr std::size_t choose_shared(const memory::BankModel& model, const GlobalTile& tile,
                                    const Patch& patch, int warps,
                                    std::vector<SharedCandidate>& sorted) {
  std::size_t best = 0;
  for (std::size_t i = 0; i < sorted.size(); ++i) {
    if (sorted[i].load_price() != sorted[0].load_price()) break;
    sorted[i].staging = choose_staging(model, tile, patch, warps, sorted[i].shared);
    if (sorted[i].price() < sorted[best].price()) best = i;
    const Staging& staging = sorted[i].staging;
    if (staging.stores.extra_passes == 0 && staging.segments == fewest_segments(tile, patch)) break;
  }
  return best;
}

/// Plans one operand from the fragment of one atom.
inline OperandPlan plan_operand(const memory::BankModel& model, const GlobalTile& tile,
                                const layout::LinearLayout& atom_fragment, int warps,
                                int other_warps) {
  OperandPlan plan;
  plan.tile = tile;
  plan.patch = choose_patch(tile, warps * other_warps * wave_lanes);
  plan.fragment = tiled_fragment(atom_fragment, tile, warps, other_warps);
  for (const SharedTile& shared : shared_tiles(tile))
    plan.others.push_back(price_loads(model, plan.fragment, shared));
  std::ranges::sort(plan.others, {}, [](const SharedCandidate& candidate) {
    return std::tuple(candidate.load_price(), candidate.registers, candidate.shared.bytes());
  });
  const std::size_t best = choose_shared(model, tile, plan.patch, warps * other_warps, plan.others);
  plan.chosen = plan.others[best];
  plan.others.erase(plan.others.begin() + static_cast<std::ptrdiff_t>(best));
  return plan;
}

}  // namespace heddle::plan
