// Spread tiles against the definition: every element is where the fragment of its place puts it.
#include "heddle/plan/distribution.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "heddle/layout/layout.h"

namespace heddle::plan {
namespace distribution_test {

// gfx12's A operand of v_wmma_f32_16x16x16_f16: lane l holds row l % 16, k = 8 * (l / 16) + e.
constexpr auto fragment = layout::parse(
    "element: (0,1); register: (0,2) (0,4); lane: (1,0) (2,0) (4,0) (8,0) (0,8) -> m: 16, k: 16");

RC_GTEST_PROP(Distribution, AFragmentIsRepeatedOverColumnsThenRowsThenWarps, ()) {
  TileShape tile;
  tile.row_warps = std::uint64_t{1} << *rc::gen::inRange(0, 3);
  tile.column_warps = std::uint64_t{1} << *rc::gen::inRange(0, 2);
  tile.other_warps = std::uint64_t{1} << *rc::gen::inRange(0, 2);
  const std::uint64_t row_atoms = std::uint64_t{1} << *rc::gen::inRange(0, 3);
  const std::uint64_t column_atoms = std::uint64_t{1} << *rc::gen::inRange(0, 3);
  tile.rows = 16 * row_atoms * tile.row_warps;
  tile.columns = 16 * column_atoms * tile.column_warps;
  const auto spread = distributed(fragment.value(), tile);
  RC_ASSERT(spread.has_value());
  RC_ASSERT(spread->input_size("register") == 8 * row_atoms * column_atoms);
  RC_ASSERT(spread->input_size("warp") == tile.row_warps * tile.column_warps * tile.other_warps);
  const auto reg = *rc::gen::inRange<std::uint64_t>(0, spread->input_size("register"));
  const auto lane = *rc::gen::inRange<std::uint64_t>(0, 32);
  const auto warp = *rc::gen::inRange<std::uint64_t>(0, spread->input_size("warp"));
  const auto place = *spread->apply({{"register", reg}, {"lane", lane}, {"warp", warp}});
  const std::uint64_t row_warp = warp / tile.other_warps % tile.row_warps;
  const std::uint64_t column_warp = warp / tile.other_warps / tile.row_warps;
  const std::uint64_t atom = reg / 8;
  RC_ASSERT(place.at("dim0") == (row_warp * row_atoms + atom / column_atoms) * 16 + lane % 16);
  RC_ASSERT(place.at("dim1") ==
            (column_warp * column_atoms + atom % column_atoms) * 16 + lane / 16 * 8 + reg % 8);
}

RC_GTEST_PROP(Distribution, ThreadsCopyLinesOneAfterTheOther, ()) {
  TileShape tile;
  tile.rows = std::uint64_t{1} << *rc::gen::inRange(0, 8);
  tile.columns = std::uint64_t{1} << *rc::gen::inRange(0, 8);
  tile.row_warps = std::uint64_t{1} << *rc::gen::inRange(0, 4);
  const bool along_rows = *rc::gen::arbitrary<bool>();
  const std::uint64_t line = along_rows ? tile.rows : tile.columns;
  const std::uint64_t vector =
      std::min<std::uint64_t>(line, std::uint64_t{1} << *rc::gen::inRange(0, 4));
  const auto spread = coalesced(tile, vector, 32, along_rows);
  RC_ASSERT(spread.has_value());
  const auto reg = *rc::gen::inRange<std::uint64_t>(0, spread->input_size("register"));
  const auto thread = *rc::gen::inRange<std::uint64_t>(0, 32 * tile.row_warps);
  const auto place =
      *spread->apply({{"register", reg}, {"lane", thread % 32}, {"warp", thread / 32}});
  const std::uint64_t threads = 32 * tile.row_warps;
  const std::uint64_t number =
      (reg % vector + vector * (thread + threads * (reg / vector))) % (tile.rows * tile.columns);
  RC_ASSERT(place.at("dim0") == (along_rows ? number % line : number / line));
  RC_ASSERT(place.at("dim1") == (along_rows ? number / line : number % line));
}

TEST(Distribution, SaysWhatDoesNotFit) {
  const auto error = [&](const TileShape& tile) { return distributed(*fragment, tile).error(); };
  EXPECT_EQ(error({.rows = 48}), "the tile 48x16 and its warps must be powers of two, 48 is not");
  EXPECT_EQ(
      error({.rows = 32, .row_warps = 4}),
      "a tile of 32x16 is smaller than 4x1 warps with a fragment of 16x16 each; at most 2x1 fit");
  EXPECT_EQ(error({.rows = 8}),
            "a tile of 8x16 is smaller than 1x1 warps with a fragment of 16x16 each");
  EXPECT_EQ(coalesced({.columns = 8}, 16, 32).error(),
            "a vector of 16 elements: it must be a power of two and at most the 8 elements of a "
            "line");
}

}  // namespace distribution_test
}  // namespace heddle::plan
