// The tile of D that one workgroup computes (a "block"), and how its waves divide it.
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

// The smallest m and n of a workgroup's tile of D. It is also the smallest k of a step, unless the
// instruction has a larger k.
inline constexpr int atom_side = 16;

/// What the planner must know about one multiplication: the tile of D that a fragment of A and a
/// fragment of B give (the "atom"), and the registers that it takes.
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

/// How many bytes a lane has of a fragment of A or of B, for one instruction.
constexpr int lane_bytes(const instruction::Instruction& row, instruction::Operand operand,
                         const Problem& problem) {
  return instruction::elements_per_lane(row, operand) * problem.element_bytes() /
         problem.elements_of_unit();
}

/// The AtomTile of a multiplication whose fragments each have the elements for `pack` instructions.
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

/// True if workgroups along x of the grid compute different rows of D, and those along y different
/// columns; false for the other way round, which is usual. Launchers take few workgroups along y.
/// Rows and columns cannot both be too many for y, because D would be larger than any buffer.
constexpr bool rows_on_x(const Tiling& tile, const Problem& problem) {
  return tile.blocks_m(problem) > most_blocks_on_y;
}

/// The widest access to a row of `row_elements` elements, as a number of elements (a power of two).
/// It has at most 16 bytes; an element has `bytes`. Every row begins at a multiple of it, and no
/// access crosses the end of a row.
constexpr int access_elements(std::int64_t row_elements, int bytes = 2) {
  return static_cast<int>(std::min<std::int64_t>(row_elements & -row_elements, 16 / bytes));
}

/// An estimate of how many VGPRs the values take that a wave keeps at the same time.
struct RegisterEstimate {
  int accumulators = 0;  // sums
  int fragments = 0;     // one atom row of A and of B
  int in_flight = 0;     // the next tiles, between global memory and LDS
  int addresses = 0;     // and all else
  constexpr int total() const { return accumulators + fragments + in_flight + addresses; }
};

/// How many VGPRs a lane needs for what it loads of the next tile of A or B. Elements that must be
/// loaded one at a time (rows of odd length) take a whole register each until they are packed.
constexpr int registers_in_flight(const Problem& problem, const Tiling& tile, bool is_a) {
  const int each = std::max((is_a ? tile.m : tile.n) * tile.k / tile.threads(), 1);
  const int bytes = instruction::bits(is_a ? problem.a_stored() : problem.b_stored()) / 8;
  const int packed = (each * bytes + 3) / 4;
  const std::int64_t divisor = is_a ? problem.a_divisor() : problem.b_divisor();
  return access_elements(divisor, bytes) == 1 ? std::max(each, packed) : packed;
}

/// The estimate for `tile` if its operands go through registers.
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

/// How many VGPRs of a wave compiled kernels may use: all that `target` has. But if the target has
/// registers in banks, only v0 to v255: behind a barrier LLVM 22 switches to another bank one
/// instruction too early, and that instruction then names wrong registers (llvm-project pull
/// request 176206 fixes it). Precondition: the compiler makes kernels for the target.
constexpr int compiled_vgprs(instruction::Target target) {
  const instruction::ProcessorRow& processor = instruction::row(target);
  return processor.has(instruction::Feature::vgpr_banks) ? 256 : processor.max_vgprs;
}

/// True if the plan is only for launches in which the size of this loop is limited (problem.most).
constexpr bool has_most(const Problem& problem, Loop loop) {
  return problem.most[static_cast<unsigned>(loop)] != 0;
}

/// How many rows (or columns) of D the workgroups compute whose tiles have `block` rows (or
/// columns), including rows outside the matrix. If only the maximum of the size is known, the
/// result is the mean over all sizes up to the maximum, provided that `block` divides the maximum.
constexpr std::int64_t computed(const Problem& problem, Loop loop, int block) {
  const std::int64_t whole = (problem.size(loop) + block - 1) / block * block;
  return has_most(problem, loop) ? (whole + block) / 2 : whole;
}

/// How many elements of D workgroups with tiles of m x n compute, including elements outside the
/// matrix.
constexpr std::int64_t computed(const Problem& problem, int m, int n) {
  return computed(problem, Loop::m, m) * computed(problem, Loop::n, n);
}

/// The most waves that divide a workgroup's tile: four, or eight for a tile of 256x256.
constexpr int most_warps(const Tiling& tile) { return tile.m * tile.n > 256 * 128 ? 8 : 4; }

/// Divides `tile` among at most `most` waves, such that the tile of a wave is as square as
/// possible: in a square tile each loaded fragment is used most often. If the tile of a wave is
/// square and is to be halved once more, it is cut along the side that has been cut less often.
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

/// The k of one step: such that a row has 64 bytes, but not more than the product's k, and at least
/// an atom's k.
constexpr int block_k(const Problem& problem, const AtomTile& of) {
  const int most = 64 / problem.element_bytes();
  int k = std::max(atom_side, of.k);
  while (k < most && k < problem.k) k *= 2;
  return k;
}

/// True if tiles with a side of more than 128 keep the GPU busy. The number of its compute units
/// must be known; each unit must have a workgroup, and two waves must fit on a SIMD. This is
/// assumed, not measured.
constexpr bool fills(const Problem& problem, const Tiling& tile,
                     const instruction::ProcessorRow& target, int registers) {
  const std::int64_t blocks = tile.blocks_m(problem) * tile.blocks_n(problem) * problem.batch;
  return target.multiprocessors != 0 && blocks >= target.multiprocessors &&
         waves_per_simd(target, registers) >= 2;
}

/// An upper bound for the bytes of LDS that a tile of A and a tile of B take together: their
/// elements and an eighth more for padding.
constexpr std::int64_t most_tile_bytes(const Problem& problem, const Tiling& tile) {
  const std::int64_t elements = std::int64_t{tile.m + tile.n} * tile.k * planes(problem);
  return elements * problem.element_bytes() / 8 * 9;
}

/// True if a plan is only for launches with few rows and columns.
constexpr bool is_for_small_launches(const Problem& problem) {
  return has_most(problem, Loop::m) && has_most(problem, Loop::n);
}

/// A workgroup's tile may reach beyond D, so more is computed than with tiles of 16x16. Returns how
/// much more is allowed, in quarters of the work with tiles of 16x16: two. In small launches three
/// are allowed: the work of a wave before and after its loop over k weighs as much there as
/// elements that D does not have.
constexpr int most_waste_quarters(const Problem& problem) {
  return is_for_small_launches(problem) ? 3 : 2;
}

/// Chooses the workgroup's tile: the largest one that meets four conditions. (Larger tiles read A
/// and B fewer times, and use fragments more often.)
/// - The registers of its waves suffice.
/// - The tiles of A and B fit into LDS.
/// - It computes at most one and a half times as much as tiles of 16x16 do (small launches: one and
/// three quarters).
/// - If it has a side of more than 128, such tiles keep the GPU busy (fills).
///
/// If no tile meets them, it is one atom. Among tiles of the same size, the one that computes least
/// is preferred, then the squarest one. In small launches the tallest is then preferred, because
/// fragments of a B that is contiguous along n take twice as many loads from LDS.
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
