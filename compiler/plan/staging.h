// Decides which thread carries which elements of a tile from global memory to shared memory (LDS).
//
// A thread carries patches of rows x k elements. It reads a patch by loads along the contiguous
// direction of global memory, and writes it to LDS by stores along k, one store for each row of the
// patch.
// - A is contiguous along k in global memory and in LDS, so a patch of A is one row.
// - B is contiguous along n in global memory, so the thread transposes a patch of B in registers.
// - A transposed A is handled like B, and a transposed B like A.
//
// Which lane copies which patch is free. The choice decides how well a wave's global loads share
// cache lines, and whether its LDS stores conflict in banks.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <utility>

#include "compiler/plan/block_tile.h"
#include "heddle/layout/linear_layout.h"
#include "heddle/layout/solve.h"
#include "heddle/memory/banks.h"
#include "heddle/memory/shared_layout.h"

namespace heddle::plan {

/// The patch that one thread carries at a time, in elements.
struct Patch {
  int rows = 1;
  int k = 1;
  friend constexpr bool operator==(const Patch&, const Patch&) = default;
};

/// A tile in global memory.
struct GlobalTile {
  layout::AxisName row;  // "m" or "n"
  int rows = atom_side;  // of the block
  int k = atom_side;
  bool k_contiguous = true;  // A and a transposed B; the others are contiguous along rows
  int access = 8;            // elements of the widest global access that fits the rows
  int element_bytes = 2;     // in shared memory
  int stored_bytes = 2;      // in global memory
};

/// The number of elements of one global access of a thread: no wider than the tile's widest access,
/// and no wider than the patch.
constexpr int access_of(const GlobalTile& tile, const Patch& patch) {
  return std::min(tile.access, tile.k_contiguous ? patch.k : patch.rows);
}

/// The number of patches that every thread copies. If the tile has fewer patches than there are
/// threads, the number is 1, and several threads copy the same patch.
constexpr int staging_steps(const GlobalTile& tile, const Patch& patch, int threads) {
  return std::max(tile.rows * tile.k / (patch.rows * patch.k * threads), 1);
}

/// The number of global loads and LDS stores that one thread executes for the whole tile.
constexpr int staging_instructions(const GlobalTile& tile, const Patch& patch, int threads) {
  const int loads = patch.rows * patch.k / access_of(tile, patch);
  return staging_steps(tile, patch, threads) * (loads + patch.rows);
}

/// The patch that needs the fewest instructions; of several such patches, the one with the widest
/// global accesses. It has at most 64 bytes (16 registers) and at most `most_rows` rows. With more
/// rows than plan::InTurn interleaves, every layout in LDS that uses no xors has bank conflicts.
constexpr Patch choose_patch(const GlobalTile& tile, int threads, int most_rows = 8) {
  Patch best{1, 1};
  int least = staging_instructions(tile, best, threads);
  for (int rows = tile.k_contiguous ? 1 : most_rows; rows >= 1; rows /= 2) {
    for (int k = 16 / tile.element_bytes; k >= 2; k /= 2) {
      const Patch patch{rows, k};
      if (rows * k * std::max(tile.element_bytes, tile.stored_bytes) > 64) continue;
      if (rows > tile.rows || k > tile.k) continue;
      const int instructions = staging_instructions(tile, patch, threads);
      if (instructions >= least) continue;
      best = patch;
      least = instructions;
    }
  }
  return best;
}

/// Patches of a tile are numbered: the low bits of the number count along k, the other bits along
/// the rows. Returns the distance in (row, k), packed into one word, between a patch and the one
/// whose number differs in bit `bit`; 0 if the number has no such bit.
constexpr std::uint64_t patch_basis(const GlobalTile& tile, const Patch& patch, int bit) {
  const int k_bits = bits_of(tile.k / patch.k);
  if (bit < 0 || bit >= k_bits + bits_of(tile.rows / patch.rows)) return 0;
  return std::uint64_t{1} << (bit < k_bits ? bits_of(tile.rows) + bits_of(patch.k) + bit
                                           : bits_of(patch.rows) + bit - k_bits);
}

/// Entry i is the bit of the patch number that bit i of the lane number selects. -1 means that the
/// lane bit selects nothing: lanes that differ only in this bit copy the same patch. Waves of 32
/// lanes use the first five entries.
using LaneBits = std::array<int, 6>;
inline constexpr LaneBits no_lane_bits{-1, -1, -1, -1, -1, -1};

/// A staging map (element, vector, lane, warp, step) -> (row, k): the element of the tile that a
/// thread copies. `element` counts the elements of one LDS store, along k; `vector` counts the rows
/// of a patch. `lane_bits` lists which bits of the patch number the bits of the lane number select
/// (see patch_basis). If there are more threads than patches, the surplus threads copy the same
/// patches as others (zero bases in warp or lane).
constexpr layout::LinearLayout staging_map(const GlobalTile& tile, const Patch& patch, int warps,
                                           int lanes, const LaneBits& lane_bits) {
  const int row_bits = bits_of(tile.rows);
  const int patch_bits = bits_of(tile.k / patch.k) + bits_of(tile.rows / patch.rows);
  layout::LinearLayout::Bases bases{};
  std::size_t next = 0;
  for (int k = 1; k < patch.k; k *= 2) bases[next++] = static_cast<std::uint64_t>(k) << row_bits;
  for (int row = 1; row < patch.rows; row *= 2) bases[next++] = static_cast<std::uint64_t>(row);
  unsigned taken = 0;
  const auto take = [&](int bit) {
    if (bit >= 0 && bit < patch_bits) taken |= 1u << bit;
    bases[next++] = patch_basis(tile, patch, bit);
  };
  const int wave_bits = bits_of(lanes), warp_bits = bits_of(warps);
  for (int bit = 0; bit < wave_bits; ++bit) take(lane_bits[static_cast<std::size_t>(bit)]);
  const int step_bits = std::max(patch_bits - wave_bits - warp_bits, 0);
  for (int bit = 0; bit < warp_bits + step_bits; ++bit) take(std::countr_one(taken));
  return layout::LinearLayout::from_words({{"element", bits_of(patch.k)},
                                           {"vector", bits_of(patch.rows)},
                                           {"lane", wave_bits},
                                           {"warp", warp_bits},
                                           {"step", step_bits}},
                                          {{tile.row, row_bits}, {"k", bits_of(tile.k)}}, bases)
      .value();
}

/// A staging map, and how well its global loads share cache lines.
struct Staging {
  layout::LinearLayout map;  // (element, vector, lane, warp, step) -> (row, k)
  int segments = 0;          // 64-byte pieces of global memory that one load of a wave touches
};

/// The choice of lanes minimises two numbers: bank conflicts, and touched 64-byte segments of
/// global memory. The goal names the number that is minimised first; the other number decides
/// between equals.
enum class StagingGoal : std::uint8_t { few_conflicts, few_segments };

/// The number of 64-byte segments of global memory that one load of a wave touches in the best
/// case: if the patches of its lanes are neighbours along the contiguous direction.
constexpr int fewest_segments(const GlobalTile& tile, const Patch& patch, int lanes) {
  const int patch_bytes = (tile.k_contiguous ? patch.k : patch.rows) * tile.stored_bytes;
  const int tile_bytes = (tile.k_contiguous ? tile.k : tile.rows) * tile.stored_bytes;
  return std::max(lanes * patch_bytes / std::min(tile_bytes, 64), 1);
}

/// A coordinate (row, k), packed, for each lane of a wave.
struct LanePlaces {
  int lanes = 32;
  std::array<std::uint64_t, 64> place{};
};

/// The coordinates of all lanes. Each is the xor of bases[i] over the set bits i of the lane
/// number.
constexpr LanePlaces lane_places(int lanes, const std::array<std::uint64_t, 6>& bases) {
  LanePlaces places{lanes};
  for (unsigned lane = 1; lane < static_cast<unsigned>(lanes); ++lane) {
    const auto bit = static_cast<std::size_t>(std::countr_zero(lane));
    places.place[lane] = places.place[lane & (lane - 1)] ^ bases[bit];
  }
  return places;
}

/// The number of 64-byte segments of global memory that one load of a wave touches, if every row of
/// the matrix begins at the start of a segment. `places` has the (row, k), packed, that each lane
/// loads.
constexpr int touched_segments(const GlobalTile& tile, const LanePlaces& places) {
  std::array<std::uint64_t, 64> touched{};
  const int row_bits = bits_of(tile.rows);
  const auto lanes = static_cast<std::size_t>(places.lanes);
  for (std::size_t lane = 0; lane < lanes; ++lane) {
    const std::uint64_t row = places.place[lane] & ((std::uint64_t{1} << row_bits) - 1);
    const std::uint64_t k = places.place[lane] >> row_bits;
    const std::uint64_t along =
        (tile.k_contiguous ? k : row) * static_cast<std::uint64_t>(tile.stored_bytes) / 64;
    touched[lane] = (tile.k_contiguous ? row : k) << 32 | along;
  }
  const auto end = touched.begin() + lanes;
  std::sort(touched.begin(), end);
  return static_cast<int>(std::unique(touched.begin(), end) - touched.begin());
}

/// The same for a staging map.
constexpr int touched_segments(const GlobalTile& tile, const layout::LinearLayout& map) {
  const int bits = map.inputs().bits_of("lane");
  const int lane_at = map.inputs().offset(map.inputs().find("lane"));
  std::array<std::uint64_t, 6> bases{};
  for (int bit = 0; bit < bits; ++bit)
    bases[static_cast<std::size_t>(bit)] = map.basis(lane_at + bit);
  return touched_segments(tile, lane_places(1 << bits, bases));
}

namespace detail {

/// Enumerates all ways to assign bits of the patch number, those in the set `free`, to the bits of
/// the lane number, of which there are `places`. `keep_going` is called with each assignment; the
/// enumeration stops when it returns false. If `free` has fewer bits than the lane number, the last
/// lane bits get -1: lanes that differ only in them copy the same patch.
struct LaneOrders {
  int places = 5;
  unsigned ascending =
      0;  // places of which only orders are wanted that take a later bit than before
  LaneBits chosen = no_lane_bits;

  template <class Visit>
  constexpr bool visit(int place, unsigned free, const Visit& keep_going) {
    if (place == places || free == 0) return keep_going(chosen);
    const auto at = static_cast<std::size_t>(place);
    for (int bit = (ascending >> place & 1u) != 0 ? chosen[at - 1] + 1 : 0; bit < 32; ++bit) {
      if ((free >> bit & 1u) == 0) continue;
      chosen[at] = bit;
      if (!visit(place + 1, free & ~(1u << bit), keep_going)) return false;
      chosen[at] = -1;
    }
    return true;
  }
};

/// The set of lanes `mask`, after the bits with numbers `bit` - 1 and `bit` are exchanged in the
/// number of each lane of the set.
constexpr std::uint64_t with_bits_swapped(std::uint64_t mask, unsigned bit) {
  std::uint64_t swapped = 0;
  for (unsigned lane = 0; lane < 64; ++lane) {
    const unsigned differs = (lane >> bit ^ lane >> (bit - 1)) & 1u;
    if ((mask >> lane & 1u) != 0)
      swapped |= std::uint64_t{1} << (lane ^ differs * (3u << (bit - 1)));
  }
  return swapped;
}

/// The bits of the lane number that may be exchanged with the next lower bit without a change of
/// the number of bank conflicts: after the exchange, the hardware's phases (the sets of lanes that
/// it serves together) are the same sets in another order.
constexpr unsigned interchangeable(const memory::Phases& phases, int lanes) {
  unsigned bits = 0;
  const auto end = phases.lanes.begin() + phases.count;
  for (unsigned bit = 1; 1 << bit < lanes; ++bit) {
    const bool same = std::all_of(phases.lanes.begin(), end, [&](std::uint64_t mask) {
      return std::find(phases.lanes.begin(), end, with_bits_swapped(mask, bit)) != end;
    });
    if (same) bits |= 1u << bit;
  }
  return bits;
}

/// The extra passes (bank conflicts) of a wave's first store, in which each lane stores `elements`
/// elements. `offsets` are the lanes' offsets in `shared`. The wave's other stores have the same
/// conflicts, since their addresses are those of the first store shifted.
constexpr int extra_of_first_store(const memory::BankModel& model,
                                   const memory::SharedLayout& shared, const LanePlaces& offsets,
                                   const GlobalTile& tile, int elements) {
  std::array<std::uint32_t, 64> address{};
  for (std::size_t lane = 0; lane < static_cast<std::size_t>(offsets.lanes); ++lane)
    address[lane] = static_cast<std::uint32_t>(shared.place(offsets.place[lane]) *
                                               static_cast<std::uint64_t>(tile.element_bytes));
  return memory::extra_passes(
      model, {.kind = memory::AccessKind::store,
              .bytes = elements * tile.element_bytes,
              .address = std::span(address).first(static_cast<std::size_t>(offsets.lanes))});
}

}  // namespace detail

/// Chooses which lane copies which patch of a tile. `shared`, (offset) -> (row, k), is the tile's
/// layout in LDS. Minimises the bank conflicts of one store and the touched 64-byte segments;
/// `goal` says which of the two counts first. The search ends early when an assignment reaches the
/// lower bound of these two numbers.
constexpr Staging choose_staging(const memory::BankModel& model, const GlobalTile& tile,
                                 const Patch& patch, int warps, const memory::SharedLayout& shared,
                                 StagingGoal goal) {
  const int k_bits = bits_of(tile.k / patch.k);
  const int row_bits = bits_of(tile.rows / patch.rows);
  const int wave_bits = bits_of(model.wave);
  // The lanes select at most wave_bits bits of the patch number, so only so many bits along the
  // rows are tried. More bring nothing new, unless all bits of the lane number can count rows.
  const int rows_seen = std::min(
      row_bits, std::max(tile.k_contiguous ? wave_bits - 1 : wave_bits, wave_bits - k_bits));
  const unsigned candidates = (1u << (k_bits + rows_seen)) - 1;
  const layout::LinearLayout to_offset = layout::invert(shared.map).value();
  const auto price = [&](int extra, int segments) {
    return goal == StagingGoal::few_conflicts ? std::pair(extra, segments)
                                              : std::pair(segments, extra);
  };
  const auto unbeatable = price(0, fewest_segments(tile, patch, model.wave));
  auto least = price(1 << 20, 1 << 20);
  LaneBits best = no_lane_bits;
  int best_segments = 0;
  // Cached by the set of patch bits: touched segments depend on the set, not on its order.
  std::array<int, 1u << 13> segments_of{};
  // Assignments that differ only by an exchange of interchangeable bits cost the same: only one is
  // tried.
  detail::LaneOrders orders{.places = wave_bits,
                            .ascending = detail::interchangeable(
                                memory::phases_of(model, {.kind = memory::AccessKind::store,
                                                          .bytes = patch.k * tile.element_bytes}),
                                model.wave)};
  orders.visit(0, candidates, [&](const LaneBits& lane_bits) {
    std::array<std::uint64_t, 6> bases{};
    unsigned taken = 0;
    for (std::size_t i = 0; i < static_cast<std::size_t>(wave_bits); ++i) {
      bases[i] = patch_basis(tile, patch, lane_bits[i]);
      if (lane_bits[i] >= 0) taken |= 1u << lane_bits[i];
    }
    int& segments = segments_of[taken];
    if (segments == 0) segments = touched_segments(tile, lane_places(model.wave, bases));
    if (price(0, segments) >= least) return true;
    for (std::uint64_t& basis : bases) basis = to_offset.apply(basis);
    const int extra =
        detail::extra_of_first_store(model, shared, lane_places(model.wave, bases), tile, patch.k);
    if (price(extra, segments) >= least) return true;
    least = price(extra, segments);
    best = lane_bits;
    best_segments = segments;
    return least > unbeatable;
  });
  return {staging_map(tile, patch, warps, model.wave, best), best_segments};
}

}  // namespace heddle::plan
