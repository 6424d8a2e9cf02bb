// How much of the product one workgroup computes, and how its waves share it.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <tuple>

#include "heddle/instruction/element_type.h"
#include "heddle/instruction/target.h"
#include "heddle/plan/tiling.h"

namespace heddle::plan {

inline constexpr int atom = 16;        // m and n of one WMMA, or of a tile of FMA
inline constexpr int wave_lanes = 32;  // wave32

/// The k of one WMMA, and of one step of FMA: what a lane has of a row of 32- or 64-bit numbers.
constexpr int atom_k(const Problem& problem) {
  return instruction::bits(problem.input) >= 32 && !problem.is_split() ? 4 : atom;
}

/// Source: HIP's hipDeviceProp_t::maxGridSize on AMD GPUs.
inline constexpr std::int64_t most_blocks_on_y = 65535, most_blocks_on_z = 65535;

/// Atoms of one wave.
constexpr int atoms_m(const Tiling& tile) { return tile.m / tile.warps_m / atom; }
constexpr int atoms_n(const Tiling& tile) { return tile.n / tile.warps_n / atom; }

/// Whether the rows of blocks run along x of the grid, instead of the columns: launchers take few
/// blocks along y. Both cannot be too many: D would be larger than any buffer.
constexpr bool rows_on_x(const Tiling& tile, const Problem& problem) {
  return tile.blocks_m(problem) > most_blocks_on_y;
}

/// The widest power-of-two access, in elements of `bytes` and up to 16 bytes, that stays inside
/// rows of `row_elements` elements: every row then starts at a multiple of it, and it never crosses
/// a row's end.
constexpr int access_elements(std::int64_t row_elements, int bytes = 2) {
  return static_cast<int>(std::min<std::int64_t>(row_elements & -row_elements, 16 / bytes));
}

/// VGPRs of one operand fragment: gfx11 holds it in both half-waves. FMA multiplies two rows of A
/// with four columns of B, of four k each.
constexpr int fragment_registers(const Problem& problem, instruction::Family family, bool is_a) {
  if (atom_k(problem) != atom) return (is_a ? 8 : 16) * problem.element_bytes() / 4;
  const int elements = family == instruction::Family::gfx11 ? 16 : 8;
  return elements * problem.element_bytes() * planes(problem) / 4;
}

/// What a wave keeps in VGPRs at once.
struct RegisterEstimate {
  int accumulators = 0;  // sums
  int fragments = 0;     // one atom row of A and of B
  int in_flight = 0;     // the next tiles, between global memory and LDS
  int addresses = 0;     // and all else
  constexpr int total() const { return accumulators + fragments + in_flight + addresses; }
};

/// Estimate for `tile`. Elements loaded one at a time take a whole register each until they are
/// packed, so odd row lengths cost twice the registers in flight.
constexpr RegisterEstimate estimate_registers(const Problem& problem, const Tiling& tile,
                                              instruction::Family family) {
  const auto in_flight = [&](int elements, std::int64_t divisor, instruction::ElementType stored) {
    const int each = std::max(elements / tile.threads(), 1);
    const int bytes = instruction::bits(stored) / 8;
    const int packed = (each * bytes + 3) / 4;
    return access_elements(divisor, bytes) == 1 ? std::max(each, packed) : packed;
  };
  RegisterEstimate estimate;
  estimate.accumulators =
      atoms_m(tile) * atoms_n(tile) * 8 * instruction::bits(problem.sum_type()) / 32;
  estimate.fragments = atoms_m(tile) * fragment_registers(problem, family, true) +
                       atoms_n(tile) * fragment_registers(problem, family, false);
  estimate.in_flight = in_flight(tile.m * tile.k, problem.a_divisor(), problem.a_stored()) +
                       in_flight(tile.n * tile.k, problem.b_divisor(), problem.b_stored());
  estimate.addresses = 24;
  return estimate;
}

/// How many waves of `vgprs` registers a SIMD holds, at most the 16 that it has slots for.
/// Source: RDNA3 Instruction Set Architecture, "Wave32 and Wave64"; the granules are the target's.
constexpr int waves_per_simd(const instruction::ProcessorRow& target, int vgprs) {
  const int granules = (vgprs + target.vgpr_granule - 1) / target.vgpr_granule;
  return std::min(target.simd_vgprs / (granules * target.vgpr_granule), 16);
}

/// Elements of D that blocks of this tile compute, those outside the matrix included.
constexpr std::int64_t computed(const Problem& problem, int m, int n) {
  return (problem.m + m - 1) / m * m * ((problem.n + n - 1) / n * n);
}

/// Gives `tile` up to four waves, shared out so that a wave's tile is as square as can be: square
/// tiles reuse each loaded fragment most.
constexpr Tiling with_warps(Tiling tile) {
  constexpr int most_warps = 4;
  while (tile.warps() < most_warps) {
    if (atoms_m(tile) == 1 && atoms_n(tile) == 1) break;
    if (atoms_m(tile) >= atoms_n(tile)) {
      tile.warps_m *= 2;
    } else {
      tile.warps_n *= 2;
    }
  }
  return tile;
}

/// The k of a block: 64 bytes of a row, and no more than the product has.
constexpr int block_k(const Problem& problem) {
  const int most = 64 / problem.element_bytes();
  int k = atom;
  while (k < most && k < problem.k) k *= 2;
  return k;
}

/// The largest block whose waves' registers fit and whose padding makes the GPU compute at most one
/// and a half times what whole atoms would; among equals the one that computes least, then the
/// squarest. Larger blocks read A and B fewer times and reuse fragments more.
constexpr Tiling choose_block(const Problem& problem, instruction::Target target) {
  constexpr std::array sizes{16, 32, 64, 128};
  const instruction::ProcessorRow& limits = instruction::row(target);
  const std::int64_t least = computed(problem, atom, atom);
  const int k = block_k(problem);
  Tiling best{atom, atom, k, 1, 1};
  std::int64_t best_computed = least;
  for (const int m : sizes) {
    for (const int n : sizes) {
      const Tiling tile = with_warps({m, n, k, 1, 1});
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
