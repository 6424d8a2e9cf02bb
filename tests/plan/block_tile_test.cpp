#include "heddle/plan/block_tile.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <bit>

#include "random_problems.h"

namespace heddle::plan {
namespace {

using instruction::Target;

constexpr Problem square(std::int64_t size) { return {size, size, size}; }

// Register blocking of the large product: a wave keeps 4x4 atoms.
static_assert(choose_block(square(512), Target::gfx1151) == Tiling{128, 128, 32, 2, 2});
static_assert(choose_block(square(512), Target::gfx1201) == Tiling{128, 128, 32, 2, 2});
// Small products take small blocks.
static_assert(choose_block(square(16), Target::gfx1100) == Tiling{16, 16, 16, 1, 1});
static_assert(choose_block({42, 64, 32}, Target::gfx1151).m == 64);
static_assert(choose_block({1, 1000, 32}, Target::gfx1151).m == 16);

static_assert(access_elements(32) == 8);
static_assert(access_elements(100) == 4);
static_assert(access_elements(42) == 2);
static_assert(access_elements(65) == 1);

// Too many blocks of rows for y go along x.
static_assert(rows_on_x(choose_block({10'000'000, 1, 1}, Target::gfx1151), {10'000'000, 1, 1}));
static_assert(!rows_on_x(choose_block(square(512), Target::gfx1151), square(512)));

// 241 registers are 11 granules of 24: 264, of which 1536 hold five.
static_assert(waves_per_simd(instruction::row(Target::gfx1151), 241) == 5);
static_assert(waves_per_simd(instruction::row(Target::gfx1151), 24) == 16);

// Odd row lengths double what is in flight, which a 128x128 block of gfx11 has no room for.
static_assert(estimate_registers(square(513), {128, 128, 32, 2, 2}, instruction::Family::gfx11)
                  .total() > 256);
static_assert(choose_block(square(513), Target::gfx1151).m *
                  choose_block(square(513), Target::gfx1151).n <
              128 * 128);

RC_GTEST_PROP(BlockTile, IsMadeOfWholeAtomsSharedOutEvenly, ()) {
  const Problem problem = property::any_problem();
  const Tiling block = choose_block(problem, property::any_target());
  for (const int size : {block.m, block.n, block.k, block.warps_m, block.warps_n})
    RC_ASSERT(std::has_single_bit(static_cast<unsigned>(size)));
  RC_ASSERT(atoms_m(block) * block.warps_m * atom == block.m);
  RC_ASSERT(atoms_n(block) * block.warps_n * atom == block.n);
  RC_ASSERT(atoms_m(block) >= 1 && atoms_n(block) >= 1);
}

RC_GTEST_PROP(BlockTile, BlocksCoverTheMatrixAndNoneIsIdle, ()) {
  const Problem problem = property::any_problem();
  const Tiling block = choose_block(problem, property::any_target());
  RC_ASSERT(block.blocks_m(problem) * block.m >= problem.m);
  RC_ASSERT(block.blocks_n(problem) * block.n >= problem.n);
  RC_ASSERT(block.k_steps(problem) * block.k >= problem.k);
  RC_ASSERT((block.blocks_m(problem) - 1) * block.m < problem.m);
  RC_ASSERT((block.blocks_n(problem) - 1) * block.n < problem.n);
  RC_ASSERT((block.k_steps(problem) - 1) * block.k < problem.k);
}

RC_GTEST_PROP(BlockTile, RegistersFitTheTarget, ()) {
  const Problem problem = property::any_problem();
  const Target target = property::any_target();
  const Tiling block = choose_block(problem, target);
  const instruction::ProcessorRow& limits = instruction::row(target);
  RC_ASSERT(estimate_registers(problem, block, limits.family).total() <= limits.max_vgprs);
}

RC_GTEST_PROP(BlockTile, ComputesAtMostHalfAsMuchAgainAsWholeAtoms, ()) {
  const Problem problem = property::any_problem();
  const Tiling block = choose_block(problem, property::any_target());
  RC_ASSERT(2 * computed(problem, block.m, block.n) <= 3 * computed(problem, atom, atom));
}

RC_GTEST_PROP(BlockTile, AccessesNeverStraddleTwoRows, ()) {
  const auto row = *rc::gen::inRange<std::int64_t>(1, 100000);
  const int width = access_elements(row);
  RC_ASSERT(row % width == 0);
  RC_ASSERT(width == 8 || row % (2 * width) != 0);
}

}  // namespace
}  // namespace heddle::plan
