// The part of the product that one workgroup computes, and its division among waves.
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

// The least m and n of a block, and its least k but for deeper instructions.
inline constexpr int atom_side = 16;

/// Facts about the fragments of one multiplication that the planning of a block needs.
struct AtomTile {
  int m = atom_side, n = atom_side;
  int k = atom_side;      // of all instructions that one fragment is for
  int lanes = 32;         // of a wave
  int a_registers = 0;    // of a lane, for a fragment of A; of f32 as two bf16 for both parts
  int b_registers = 0;    // the same of B
  int sum_registers = 0;  // of a lane, for the sums of one atom
};

/// The k of an instruction, in the problem's units.
constexpr int depth(const instruction::Instruction& row, const Problem& problem) {
  return row.k / problem.elements_of_unit();
}

/// Bytes of A's or B's fragment in a lane.
constexpr int lane_bytes(const instruction::Instruction& row, instruction::Operand operand,
                         const Problem& problem) {
  return instruction::elements_per_lane(row, operand) * problem.element_bytes() /
         problem.elements_of_unit();
}

/// The same for the fragment of `pack` instructions.
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

/// True if the rows of blocks run along x of the grid, instead of the columns: launchers take few
/// blocks along y. Both cannot be too many, since D would be larger than any buffer.
constexpr bool rows_on_x(const Tiling& tile, const Problem& problem) {
  return tile.blocks_m(problem) > most_blocks_on_y;
}

/// The widest power-of-two access, in elements of `bytes` and up to 16 bytes, that stays inside
/// rows of `row_elements` elements: every row begins at a multiple of it, and no access crosses the
/// end of a row.
constexpr int access_elements(std::int64_t row_elements, int bytes = 2) {
  return static_cast<int>(std::min<std::int64_t>(row_elements & -row_elements, 16 / bytes));
}

/// The values that a wave keeps in VGPRs at once.
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

/// The estimate for `tile` if its operands pass registers.
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

/// The number of VGPRs of a wave that compiled kernels use: all VGPRs of `target`, or only v0 to
/// v255 if they are in banks. Precondition: the target has kernels. Behind a barrier LLVM 22
/// switches to higher registers one instruction too early, and that instruction names wrong ones
/// (llvm-project pull request 176206 fixes it).
constexpr int compiled_vgprs(instruction::Target target) {
  const instruction::ProcessorRow& processor = instruction::row(target);
  return processor.has(instruction::Feature::vgpr_banks) ? 256 : processor.max_vgprs;
}

/// True if the plan is for launches in which this size has a limit.
constexpr bool has_most(const Problem& problem, Loop loop) {
  return problem.most[static_cast<unsigned>(loop)] != 0;
}

/// The rows or columns of D that blocks of `block` a side compute, including those outside the
/// matrix. If only the maximum of a size is known, the mean over all sizes up to it, if `block`
/// divides it.
constexpr std::int64_t computed(const Problem& problem, Loop loop, int block) {
  const std::int64_t whole = (problem.size(loop) + block - 1) / block * block;
  return has_most(problem, loop) ? (whole + block) / 2 : whole;
}

/// Elements of D that blocks of this tile compute.
constexpr std::int64_t computed(const Problem& problem, int m, int n) {
  return computed(problem, Loop::m, m) * computed(problem, Loop::n, n);
}

/// The number of waves that compute a tile: four, or eight for 256x256.
constexpr int most_warps(const Tiling& tile) { return tile.m * tile.n > 256 * 128 ? 8 : 4; }

/// Gives `tile` up to `most` waves, so that a wave's tile is as square as possible: square tiles
/// reuse each loaded fragment most. A square tile is cut along the side with fewer waves.
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

/// The k of a block: 64 bytes of a row, at most the product's k, at least an atom's.
constexpr int block_k(const Problem& problem, const AtomTile& of) {
  const int most = 64 / problem.element_bytes();
  int k = std::max(atom_side, of.k);
  while (k < most && k < problem.k) k *= 2;
  return k;
}

/// True if blocks of more than 128 a side occupy a GPU with a known number of compute units: each
/// has one, and two waves of a block fit a SIMD. Assumed, not measured.
constexpr bool fills(const Problem& problem, const Tiling& tile,
                     const instruction::ProcessorRow& target, int registers) {
  const std::int64_t blocks = tile.blocks_m(problem) * tile.blocks_n(problem) * problem.batch;
  return target.multiprocessors != 0 && blocks >= target.multiprocessors &&
         waves_per_simd(target, registers) >= 2;
}

/// Bytes of LDS of a tile of A and one of B, with up to an eighth more for padding.
constexpr std::int64_t most_tile_bytes(const Problem& problem, const Tiling& tile) {
  const std::int64_t elements = std::int64_t{tile.m + tile.n} * tile.k * planes(problem);
  return elements * problem.element_bytes() / 8 * 9;
}

/// True if a plan is only for launches with few rows and columns.
constexpr bool is_for_small_launches(const Problem& problem) {
  return has_most(problem, Loop::m) && has_most(problem, Loop::n);
}

/// The work that a block may add to that of atoms of 16x16, in quarters: two. In small launches
/// three, since there the work of a wave before and behind its loop over k weighs as much as
/// elements that D does not have.
constexpr int most_waste_quarters(const Problem& problem) {
  return is_for_small_launches(problem) ? 3 : 2;
}

/// The largest block that meets three conditions: the registers of its waves fit, its tiles fit
/// LDS, and with its padding the GPU computes at most one and a half times what atoms of 16x16
/// would (small launches: one and three quarters). One atom if no block is so small. Among equals
/// it is the block that computes least, then the squarest. For small launches it is then the
/// tallest, since fragments of a B that lies along n take twice the loads of LDS. Larger blocks
/// read A and B fewer times and reuse fragments more.
constexpr Tiling choose_block(const Problem& problem, instruction::Target target,
                              const AtomTile& of) {
  constexpr std::array sizes{16, 32, 64, 128, 256};
  const instruction::ProcessorRow& limits = instruction::row(target);
  const std::int64_t least = computed(problem, atom_side, atom_side);
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
