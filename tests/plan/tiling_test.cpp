#include "heddle/plan/tiling.h"

#include <gtest/gtest.h>

namespace heddle::plan {
namespace tiling_test {

static_assert(Tiling{128, 64, 32, 2, 2}.blocks_m({129, 129, 129}) == 2);
static_assert(Tiling{128, 64, 32, 2, 2}.blocks_n({129, 129, 129}) == 3);
static_assert(Tiling{128, 64, 32, 2, 2}.k_steps({129, 129, 129}) == 5);
static_assert(Tiling{128, 64, 32, 2, 2}.threads() == 128);

static_assert(is_size(64, 16, 256) && !is_size(48, 16, 256));
static_assert(!is_size(8, 16, 256) && !is_size(512, 16, 256));

constexpr layout::LinearLayout atom(const layout::AxisName& row, const layout::AxisName& column) {
  return layout::LinearLayout::from_words({{"element", 1}, {"register", 0}, {"lane", 5}},
                                          {{row, 3}, {column, 3}}, {8, 16, 32, 1, 2, 4})
      .value();
}

// A's rows depend on the high bits of the warp, B's columns on the low ones, as those of D do.
TEST(Tiling, WarpsShareFragmentsAlongTheOtherSide) {
  const auto a = tiled_fragment(atom("m", "k"), "m", 2, 4, 2, 4);
  const auto b = tiled_fragment(atom("k", "n"), "n", 2, 2, 4, 2);
  const auto d = tiled_result(atom("m", "n"), 4, 2, 2, 4);
  for (int bit = 0; bit < 3; ++bit) {
    EXPECT_EQ(a.basis("warp", bit, "m"), d.basis("warp", bit, "m"));
    EXPECT_EQ(b.basis("warp", bit, "n"), d.basis("warp", bit, "n"));
    EXPECT_EQ(d.basis("warp", bit, "n") != 0, bit < 2);
  }
  EXPECT_EQ(a.output_size("k"), 16u);
  EXPECT_EQ(d.output_size("m") * d.output_size("n"), 64u * 64u);
}

}  // namespace tiling_test
}  // namespace heddle::plan
