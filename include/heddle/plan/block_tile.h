// How much of the product one workgroup computes, and how its waves share it.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <tuple>

#include "heddle/instruction/element_type.h"
#include "heddle/instruction/target.h"

namespace heddle::plan {

/// D = A * B (+ C), row-major: A is m x k and B is k x n of `input`, D is m x n of `result`.
/// Sizes are at least 1; `input` is f16 or bf16; `result` is f32 or the input type.
struct Problem {
  std::int64_t m = 1;
  std::int64_t n = 1;
  std::int64_t k = 1;
  instruction::ElementType input = instruction::ElementType::f16;
  instruction::ElementType result = instruction::ElementType::f32;
  friend constexpr bool operator==(const Problem&, const Problem&) = default;
};

inline constexpr int atom = 16;          // m, n and k of one WMMA
inline constexpr int wave_lanes = 32;    // wave32
inline constexpr int element_bytes = 2;  // of A and B: f16 and bf16

/// Source: HIP's hipDeviceProp_t::maxGridSize on AMD GPUs.
inline constexpr std::int64_t most_blocks_on_y = 65535;

/// One workgroup's tile of D, the k it takes at a time, and its waves, in a grid of
/// warps_m x warps_n. All are powers of two; a wave's tile is at least one atom.
struct BlockTile {
  int m = atom;
  int n = atom;
  int k = atom;
  int warps_m = 1;
  int warps_n = 1;

  constexpr int warps() const { return warps_m * warps_n; }
  constexpr int threads() const { return warps() * wave_lanes; }
  constexpr int atoms_m() const { return m / warps_m / atom; }  // of one wave
  constexpr int atoms_n() const { return n / warps_n / atom; }
  constexpr int atoms_k() const { return k / atom; }
  constexpr std::int64_t blocks_m(const Problem& p) const { return (p.m + m - 1) / m; }
  constexpr std::int64_t blocks_n(const Problem& p) const { return (p.n + n - 1) / n; }
  constexpr std::int64_t k_steps(const Problem& p) const { return (p.k + k - 1) / k; }
  /// Whether the rows of blocks run along x of the grid, instead of the columns: launchers take few
  /// blocks along y. Both cannot be too many: D would be larger than any buffer.
  constexpr bool rows_on_x(const Problem& p) const { return blocks_m(p) > most_blocks_on_y; }
  friend constexpr bool operator==(const BlockTile&, const BlockTile&) = default;
};

/// The widest power-of-two access, in elements up to 8, that stays inside rows of `row_elements`
/// 16-bit elements: every row then starts at a multiple of it, and it never crosses a row's end.
constexpr int access_elements(std::int64_t row_elements) {
  return static_cast<int>(std::min<std::int64_t>(row_elements & -row_elements, 8));
}

/// VGPRs of one 16x16 operand fragment of f16 or bf16: gfx11 holds it in both half-waves.
constexpr int fragment_registers(instruction::Family family) {
  return family == instruction::Family::gfx11 ? 8 : 4;
}

/// What a wave keeps in VGPRs at once.
struct RegisterEstimate {
  int accumulators = 0;  // f32 results
  int fragments = 0;     // one atom row of A and of B
  int in_flight = 0;     // the next tiles, between global memory and LDS
  int addresses = 0;     // and all else
  constexpr int total() const { return accumulators + fragments + in_flight + addresses; }
};

/// Estimate for `tile`. Elements loaded one at a time take a whole register each until they are
/// packed, so odd row lengths cost twice the registers in flight.
constexpr RegisterEstimate estimate_registers(const Problem& problem, const BlockTile& tile,
                                              instruction::Family family) {
  const auto in_flight = [&](int elements, std::int64_t row_elements) {
    const int each = std::max(elements / tile.threads(), 1);
    return access_elements(row_elements) == 1 ? each : (each + 1) / 2;
  };
  RegisterEstimate estimate;
  estimate.accumulators = tile.atoms_m() * tile.atoms_n() * 8;
  estimate.fragments = (tile.atoms_m() + tile.atoms_n()) * fragment_registers(family);
  estimate.in_flight =
      in_flight(tile.m * tile.k, problem.k) + in_flight(tile.n * tile.k, problem.n);
  estimate.addresses = 24;
  return estimate;
}

/// How many waves of `vgprs` registers a SIMD holds, at most the 16 that it has slots for.
/// Source: RDNA3 Instruction Set Architecture, "Wave32 and Wave64"; the granules are the target's.
constexpr int waves_per_simd(const instruction::TargetRow& target, int vgprs) {
  const int granules = (vgprs + target.vgpr_granule - 1) / target.vgpr_granule;
  return std::min(target.simd_vgprs / (granules * target.vgpr_granule), 16);
}

/// Elements of D that blocks of this tile compute, those outside the matrix included.
constexpr std::int64_t computed(const Problem& problem, int m, int n) {
  return (problem.m + m - 1) / m * m * ((problem.n + n - 1) / n * n);
}

/// Gives `tile` up to four waves, shared out so that a wave's tile is as square as can be: square
/// tiles reuse each loaded fragment most.
constexpr BlockTile with_warps(BlockTile tile) {
  constexpr int most_warps = 4;
  while (tile.warps() < most_warps) {
    if (tile.atoms_m() == 1 && tile.atoms_n() == 1) break;
    if (tile.atoms_m() >= tile.atoms_n()) {
      tile.warps_m *= 2;
    } else {
      tile.warps_n *= 2;
    }
  }
  return tile;
}

/// The largest block whose waves' registers fit and whose padding makes the GPU compute at most one
/// and a half times what whole atoms would; among equals the one that computes least, then the
/// squarest. Larger blocks read A and B fewer times and reuse fragments more.
constexpr BlockTile choose_block(const Problem& problem, instruction::Target target) {
  constexpr std::array sizes{16, 32, 64, 128};
  const instruction::TargetRow& limits = instruction::row(target);
  const std::int64_t least = computed(problem, atom, atom);
  BlockTile best;
  best.k = problem.k > atom ? 2 * atom : atom;
  const int k = best.k;
  std::int64_t best_computed = least;
  for (const int m : sizes) {
    for (const int n : sizes) {
      const BlockTile tile = with_warps({m, n, k, 1, 1});
      const std::int64_t work = computed(problem, m, n);
      const int registers = estimate_registers(problem, tile, limits.family).total();
      if (work > least + least / 2 || registers > limits.max_vgprs) continue;
      const bool better = std::tuple(m * n, -work, -std::max(m, n)) >
                          std::tuple(best.m * best.n, -best_computed, -std::max(best.m, best.n));
      if (!better) continue;
      best = tile;
      best_computed = work;
    }
  }
  return best;
}

}  // namespace heddle::plan
