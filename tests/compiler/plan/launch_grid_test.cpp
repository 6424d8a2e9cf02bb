#include "compiler/plan/launch_grid.h"

#include <gtest/gtest.h>

#include <vector>

#include "compiler/plan/matmul_planner.h"

namespace heddle::plan {
namespace launch_grid_test {

// Tiles counted one by one.
std::int64_t steps(std::int64_t size, std::int64_t tile) {
  std::int64_t count = 0;
  for (std::int64_t first = 0; first < size; first += tile) ++count;
  return count;
}

TEST(LaunchGrid, CountsTilesOfActualSizes) {
  const LaunchNumber number{2, {{{Loop::m, 64}, {Loop::n, 48}, {Loop::batch, 1}}}};
  for (const std::int64_t m : {1, 63, 64, 65, 1000})
    for (const std::int64_t n : {1, 48, 49, 500})
      EXPECT_EQ(number.value({.m = m, .n = n, .batch = 3}), 2 * steps(m, 64) * steps(n, 48) * 3);
}

TEST(LaunchGrid, IsBounded) {
  const LaunchNumber number{2, {{{Loop::m, 64}}}, 66};
  EXPECT_EQ(number.value({.m = 64 * 66}), 132);
  EXPECT_EQ(number.value({.m = 64 * 65}), 130);
  EXPECT_EQ(number.value({.m = 64 * 6600}), 132);
}

// Every tile once, and those of a die in a row.
TEST(LaunchGrid, DiesHaveNeighbouringTiles) {
  for (const std::int64_t count : {1, 7, 8, 9, 20, 63, 64, 1000}) {
    for (const std::int64_t dies : {1, 2, 8}) {
      std::vector<std::int64_t> tiles;
      for (std::int64_t die = 0; die < dies; ++die)
        for (std::int64_t number = die; number < count; number += dies)
          tiles.push_back(tile_on_dies(number, count, dies));
      ASSERT_EQ(static_cast<std::int64_t>(tiles.size()), count);
      for (std::int64_t i = 0; i < count; ++i) EXPECT_EQ(tiles[static_cast<std::size_t>(i)], i);
    }
  }
}

// Rows of blocks are along x where there are too many for y, and where is decided when the kernel
// is planned: its code knows it.
TEST(LaunchGrid, TheAxesAreThoseOfThePlan) {
  const MatmulPlan tall =
      make_plan({.m = 10'000'019, .n = 2, .k = 3}, instruction::Target::gfx1151);
  const auto few = blocks(tall.grid(), {.m = 5, .n = 1000, .k = 3});
  EXPECT_EQ(few[0], steps(5, tall.tiles.m));
  EXPECT_EQ(few[1], steps(1000, tall.tiles.n));
}

}  // namespace launch_grid_test
}  // namespace heddle::plan
