// How much of the product one workgroup computes, and how its waves share it.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <tuple>

#include "compiler/plan/tiling.h"
#include "heddle/instruction/element_type.h"
#include "heddle/instruction/fragment.h"
#include "heddle/instruction/occupancy.h"
#include "heddle/instruction/target.h"

namespace heddle::plan {

inline constexpr int atom = 16;  // the least m and n of a block, and k but for deeper instructions

/// What planning a block needs of the fragments that are multiplied at once.
struct AtomTile {
  int m = atom, n = atom;
  int k = atom;           // of all instructions that one fragment is for
  int lanes = 32;         // of a wave
  int a_registers = 0;    // of a lane, for a fragment of A; of f32 as two bf16 for both parts
  int b_registers = 0;    // the same of B
  int sum_registers = 0;  // of a lane, for the sums of one atom
};

/// The k of an instruction, as the problem counts it.
constexpr int depth(const instruction::Instruction& row, const Problem& problem) {
  return row.k / problem.elements_of_unit();
}

/// Bytes of A's or B's fragment in a lane.
constexpr int lane_bytes(const instruction::Instruction& row, instruction::Operand operand,
                         const Problem& problem) {
  return instruction::elements_per_lane(row, operand) * problem.element_bytes() /
         problem.elements_of_unit();
}

/// That of `pack` instructions for each fragment.
constexpr AtomTile atom_tile(const instruction::Instruction& row, const Problem& problem,
                             int pack) {
  using instruction::Operand;
  const auto registers = [&](Operand operand) {
    return std::max(lane_bytes(row, operand, problem) * pack / 4, 1);
  };
  const int sums = instruction::elements_per_lane(row, Operand::d);
  return {row.m,
          row.n,
          depth(row, problem) * pack,
          row.wave,
          registers(Operand::a) * planes(problem),
          registers(Operand::b) * planes(problem),
          sums * instruction::bits(problem.sum_type()) / 32};
}

/// Source: HIP's hipDeviceProp_t::maxGridSize on AMD GPUs.
inline constexpr std::int64_t most_blocks_on_y = 65535, most_blocks_on_z = 65535;

/// Atoms of one wave.
constexpr int atoms_m(const Tiling& tile, const AtomTile& of) {
  return tile.m / tile.warps_m / of.m;
}
constexpr int atoms_n(const Tiling& tile, const AtomTile& of) {
  return tile.n / tile.warps_n / of.n;
}

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

/// What a wave keeps in VGPRs at once.
struct RegisterEstimate {
  int accumulators = 0;  // sums
  int fragments = 0;     // one atom row of A and of B
  int in_flight = 0;     // the next tiles, between global memory and LDS
  int addresses = 0;     // and all else
  constexpr int total() const { return accumulators + fragments + in_flight + addresses; }
};

/// VGPRs of a lane for its part of the next tile of A or B. Elements loaded one at a time take a
/// whole register each until they are packed, so odd row lengths cost twice as many.
constexpr int registers_in_flight(const Problem& problem, const Tiling& tile, bool is_a) {
  const int each = std::max((is_a ? tile.m : tile.n) * tile.k / tile.threads(), 1);
  const int bytes = instruction::bits(is_a ? problem.a_stored() : problem.b_stored()) / 8;
  const int packed = (each * bytes + 3) / 4;
  const std::int64_t divisor = is_a ? problem.a_divisor() : problem.b_divisor();
  return access_elements(divisor, bytes) == 1 ? std::max(each, packed) : packed;
}

/// Estimate for `tile` whose operands pass registers.
constexpr RegisterEstimate estimate_registers(const Problem& problem, const Tiling& tile,
                                              const AtomTile& of) {
  RegisterEstimate estimate;
  estimate.accumulators = atoms_m(tile, of) * atoms_n(tile, of) * of.sum_registers;
  estimate.fragments = atoms_m(tile, of) * of.a_registers + atoms_n(tile, of) * of.b_registers;
  estimate.in_flight =
      registers_in_flight(problem, tile, true) + registers_in_flight(problem, tile, false);
  estimate.addresses = 24;
  return estimate;
}

/// How many VGPRs of a wave compiled kernels use: all that `target` has, which must have kernels;
/// on gfx1250 only v0 to v255. Behind a barrier LLVM 22 switches to higher registers one
/// instruction too early, and that instruction names wrong ones (llvm-project pull request 176206
/// is the cure).
constexpr int compiled_vgprs(instruction::Target target) {
  return target == instruction::Target::gfx1250 ? 256 : instruction::row(target).max_vgprs;
}

/// Whether the plan is for launches of which this size has a limit.
constexpr bool has_most(const Problem& problem, Loop loop) {
  return problem.most[static_cast<unsigned>(loop)] != 0;
}

/// Rows or columns of D that blocks of `block` a side compute, those outside the matrix included.
/// Of a size of which the most is known, the mean of all sizes up to it, where `block` divides it.
constexpr std::int64_t computed(const Problem& problem, Loop loop, int block) {
  const std::int64_t whole = (problem.size(loop) + block - 1) / block * block;
  return has_most(problem, loop) ? (whole + block) / 2 : whole;
}

/// Elements of D that blocks of this tile compute.
constexpr std::int64_t computed(const Problem& problem, int m, int n) {
  return computed(problem, Loop::m, m) * computed(problem, Loop::n, n);
}

/// How many waves compute a tile: four, of 256x256 eight.
constexpr int most_warps(const Tiling& tile) { return tile.m * tile.n > 256 * 128 ? 8 : 4; }

/// Gives `tile` up to `most` waves, shared out so that a wave's tile is as square as can be: square
/// tiles reuse each loaded fragment most. A square one is cut along the side with fewer waves.
constexpr Tiling with_warps(Tiling tile, const AtomTile& of, int most) {
  while (tile.warps() < most) {
    const int rows = tile.m / tile.warps_m, columns = tile.n / tile.warps_n;
    if (rows == of.m && columns == of.n) break;
    const bool is_taller = rows > columns || (rows == columns && tile.warps_m <= tile.warps_n);
    if (columns == of.n || (is_taller && rows > of.m)) {
      tile.warps_m *= 2;
    } else {
      tile.warps_n *= 2;
    }
  }
  return tile;
}

/// The k of a block: 64 bytes of a row, and no more than the product has, but at least an atom's.
constexpr int block_k(const Problem& problem, const AtomTile& of) {
  const int most = 64 / problem.element_bytes();
  int k = std::max(atom, of.k);
  while (k < most && k < problem.k) k *= 2;
  return k;
}

/// Whether blocks of more than 128 a side occupy a GPU of which it is known how many compute units
/// it has: there is one for each, and two of its waves fit a SIMD. Assumed, not measured.
constexpr bool fills(const Problem& problem, const Tiling& tile,
                     const instruction::ProcessorRow& target, int registers) {
  const std::int64_t blocks = tile.blocks_m(problem) * tile.blocks_n(problem) * problem.batch;
  return target.multiprocessors != 0 && blocks >= target.multiprocessors &&
         waves_per_simd(target, registers) >= 2;
}

/// Bytes of LDS of a tile of A and one of B, which may have an eighth more for padding.
constexpr std::int64_t most_tile_bytes(const Problem& problem, const Tiling& tile) {
  const std::int64_t elements = std::int64_t{tile.m + tile.n} * tile.k * planes(problem);
  return elements * problem.element_bytes() / 8 * 9;
}

/// Whether a plan is for launches with few rows and columns alone.
constexpr bool is_for_small_launches(const Problem& problem) {
  return has_most(problem, Loop::m) && has_most(problem, Loop::n);
}

/// How many quarters more than atoms of 16x16 would a block may compute: two; of small launches
/// three, since what a wave does before and behind its loop over k counts there as much as elements
/// that D does not have.
constexpr int most_waste_quarters(const Problem& problem) {
  return is_for_small_launches(problem) ? 3 : 2;
}

/// The largest block whose waves' registers fit, whose tiles fit LDS, and whose padding makes the
/// GPU compute at most one and a half times what atoms of 16x16 would, for small launches one and
/// three quarters; or one atom where none is so small. Among equals it is the one that computes
/// least, then the squarest; for small launches then the tallest, since fragments of a B that lies
/// along n take twice the loads of LDS. Larger blocks read A and B fewer times and reuse fragments
/// more.
constexpr Tiling choose_block(const Problem& problem, instruction::Target target,
                              const AtomTile& of) {
  constexpr std::array sizes{16, 32, 64, 128, 256};
  const instruction::ProcessorRow& limits = instruction::row(target);
  const std::int64_t least = computed(problem, atom, atom);
  const int k = block_k(problem, of);
  const auto block = [&](int m, int n) {
    Tiling tile{m, n, k, 1, 1};
    tile.lanes = of.lanes;
    return with_warps(tile, of, most_warps(tile));
  };
  Tiling best = block(of.m, of.n);
  std::int64_t best_computed = computed(problem, of.m, of.n);
  for (const int m : sizes) {
    for (const int n : sizes) {
      if (m < of.m || n < of.n) continue;
      const Tiling tile = block(m, n);
      const std::int64_t work = computed(problem, m, n);
      const int registers = estimate_registers(problem, tile, of).total();
      if (work > least + least * most_waste_quarters(problem) / 4 ||
          registers > compiled_vgprs(target) ||
          most_tile_bytes(problem, tile) > limits.shared_bytes)
        continue;
      if (std::max(m, n) > 128 && !fills(problem, tile, limits, registers)) continue;
      const auto value = [&](const Tiling& of_tile, std::int64_t computed_by) {
        const int height = is_for_small_launches(problem) ? of_tile.m : 0;
        return std::tuple(of_tile.m * of_tile.n, -computed_by, -std::max(of_tile.m, of_tile.n),
                          height);
      };
      const bool better = value(tile, work) > value(best, best_computed);
      if (!better) continue;
      best = tile;
      best_computed = work;
    }
  }
  return best;
}

}  // namespace heddle::plan
