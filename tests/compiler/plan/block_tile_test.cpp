#include "compiler/plan/block_tile.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <bit>

#include "tests/compiler/plan/random_problems.h"

namespace heddle::plan {
namespace block_tile_test {

using instruction::Target;

constexpr Problem square(std::int64_t size) { return {size, size, size}; }

// Fragments of f16: of gfx11 in both half-waves, of CDNA those of two instructions.
constexpr AtomTile of_gfx11{16, 16, 16, 32, 8, 8, 8};
constexpr AtomTile of_gfx12{16, 16, 16, 32, 4, 4, 8};
constexpr AtomTile small_of_cdna{16, 16, 32, 64, 4, 4, 4};
constexpr AtomTile large_of_cdna{32, 32, 16, 64, 4, 4, 16};

constexpr Tiling choose_block(const Problem& problem, Target target) {
  return choose_block(problem, target,
                      instruction::row(target).family == instruction::Family::gfx11 ? of_gfx11
                      : instruction::default_wave(target) == 64                     ? small_of_cdna
                                                                                    : of_gfx12);
}

// Register blocking of the large product: a wave keeps 4x4 atoms.
static_assert(choose_block(square(512), Target::gfx1151) == Tiling{128, 128, 32, 2, 2});
static_assert(choose_block(square(512), Target::gfx1201) == Tiling{128, 128, 32, 2, 2});
// On CDNA too, by either instruction.
static_assert(choose_block(square(512), Target::gfx942, small_of_cdna) ==
              Tiling{.m = 128, .n = 128, .k = 32, .warps_m = 2, .warps_n = 2, .lanes = 64});
static_assert(choose_block(square(512), Target::gfx942, large_of_cdna) ==
              choose_block(square(512), Target::gfx942, small_of_cdna));
static_assert(choose_block({1, 1000, 32}, Target::gfx942, large_of_cdna).m == 32);
// Larger ones where there is one for each of 304 compute units, and two of their waves fit a SIMD.
static_assert(choose_block(square(8192), Target::gfx942, large_of_cdna) ==
              Tiling{.m = 256, .n = 256, .k = 32, .warps_m = 4, .warps_n = 2, .lanes = 64});
static_assert(choose_block(square(4096), Target::gfx942, large_of_cdna).m *
                  choose_block(square(4096), Target::gfx942, large_of_cdna).n ==
              256 * 128);
static_assert(choose_block(square(8192), Target::gfx1151).m == 128);
// A block has at least the k of what one fragment is for.
static_assert(choose_block({64, 64, 8}, Target::gfx942, small_of_cdna).k == 32);
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
static_assert(waves_per_simd(instruction::row(Target::gfx942), 129) == 3);
static_assert(waves_per_simd(instruction::row(Target::gfx942), 24) == 8);

// Odd row lengths double what is in flight, which a 128x128 block of gfx11 has no room for.
static_assert(estimate_registers(square(513), {128, 128, 32, 2, 2}, of_gfx11).total() > 256);
static_assert(choose_block(square(513), Target::gfx1151).m *
                  choose_block(square(513), Target::gfx1151).n <
              128 * 128);

AtomTile any_atom() { return *rc::gen::element(of_gfx11, of_gfx12, small_of_cdna, large_of_cdna); }

RC_GTEST_PROP(BlockTile, IsMadeOfWholeAtomsSharedOutEvenly, ()) {
  const Problem problem = property::any_problem();
  const AtomTile of = any_atom();
  const Tiling block = choose_block(problem, property::any_target(), of);
  for (const int size : {block.m, block.n, block.k, block.warps_m, block.warps_n})
    RC_ASSERT(std::has_single_bit(static_cast<unsigned>(size)));
  RC_ASSERT(atoms_m(block, of) * block.warps_m * of.m == block.m);
  RC_ASSERT(atoms_n(block, of) * block.warps_n * of.n == block.n);
  RC_ASSERT(atoms_m(block, of) >= 1 && atoms_n(block, of) >= 1);
  RC_ASSERT(block.k % of.k == 0);
  RC_ASSERT(block.threads() == of.lanes * block.warps());
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
  const AtomTile of = any_atom();
  const Tiling block = choose_block(problem, target, of);
  RC_ASSERT(estimate_registers(problem, block, of).total() <= compiled_vgprs(target));
}

RC_GTEST_PROP(BlockTile, ComputesAtMostHalfAsMuchAgainAsWholeAtoms, ()) {
  const Problem problem = property::any_problem();
  const Tiling block = choose_block(problem, property::any_target());
  RC_ASSERT(2 * computed(problem, block.m, block.n) <= 3 * computed(problem, atom_side, atom_side));
}

// Of a size that has a limit, blocks compute the mean of what they do of every size up to it.
RC_GTEST_PROP(BlockTile, ComputesTheMeanOfAllSizesUpToTheMost, ()) {
  const int block = 1 << *rc::gen::inRange(4, 9);
  Problem problem;
  problem.m = block * *rc::gen::inRange(1, 9);
  problem.most[0] = problem.m;
  std::int64_t sum = 0;
  for (std::int64_t rows = 1; rows <= problem.m; ++rows) {
    Problem one = problem;
    one.most[0] = 0;
    one.m = rows;
    sum += computed(one, Loop::m, block);
  }
  RC_ASSERT(computed(problem, Loop::m, block) * problem.m == sum);
}

// Of a wave's instructions there, those before and behind its loop are about half: blocks may
// compute more that D does not have, and of two alike the taller is taken.
TEST(BlockTile, SmallLaunchesHaveSmallBlocks) {
  Problem problem{.m = 256, .n = 256, .k = 1024};
  problem.dynamic = 7;
  const auto area = [&] {
    const Tiling block = choose_block(problem, Target::gfx950);
    return block.m * block.n;
  };
  EXPECT_EQ(area(), 128 * 128);
  problem.most = {256, 256};
  EXPECT_EQ(area(), 128 * 64);
  const Tiling small = choose_block(problem, Target::gfx950);
  EXPECT_EQ(small.m, 128);
  EXPECT_EQ(small.warps_m, 2);
  EXPECT_EQ(small.warps_n, 2);
  problem.m = problem.n = 512;
  problem.most = {512, 512};
  EXPECT_EQ(area(), 128 * 128);
  problem.m = 16;
  problem.most = {16, 0};
  EXPECT_EQ(area(), 16 * 128);
}

RC_GTEST_PROP(BlockTile, AccessesNeverStraddleTwoRows, ()) {
  const auto row = *rc::gen::inRange<std::int64_t>(1, 100000);
  const int width = access_elements(row);
  RC_ASSERT(row % width == 0);
  RC_ASSERT(width == 8 || row % (2 * width) != 0);
}

}  // namespace block_tile_test
}  // namespace heddle::plan
