#include "heddle/plan/staging.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <map>
#include <set>

#include "heddle/plan/operand_plan.h"
#include "random_problems.h"

namespace heddle::plan {
namespace {

using instruction::Target;

GlobalTile any_tile() {
  const bool k_contiguous = *rc::gen::arbitrary<bool>();
  return {k_contiguous ? layout::AxisName("m") : layout::AxisName("n"),
          *rc::gen::element(16, 32, 64, 128), *rc::gen::element(16, 32), k_contiguous,
          *rc::gen::element(1, 2, 4, 8)};
}

RC_GTEST_PROP(Staging, EveryElementIsCarried, ()) {
  const GlobalTile tile = any_tile();
  const int warps = *rc::gen::element(1, 2, 4);
  const Patch patch = choose_patch(tile, warps * wave_lanes);
  const auto model = memory::bank_model(property::any_target());
  const auto shared = shared_tiles(tile);
  const Staging staging = choose_staging(model, tile, patch, warps,
                                         shared[*rc::gen::inRange<std::size_t>(0, shared.size())]);
  std::map<std::uint64_t, int> carried;
  const std::uint64_t inputs = std::uint64_t{1} << staging.map.input_bits();
  for (std::uint64_t input = 0; input < inputs; ++input) ++carried[staging.map.apply(input)];
  const auto elements = static_cast<std::size_t>(tile.rows * tile.k);
  RC_ASSERT(carried.size() == elements);
  // Threads without a patch of their own repeat others, all equally often.
  for (const auto& [element, times] : carried)
    RC_ASSERT(static_cast<std::size_t>(times) == inputs / elements);
}

RC_GTEST_PROP(Staging, StoresArriveWhereTheLayoutSays, ()) {
  const GlobalTile tile = any_tile();
  const Patch patch = choose_patch(tile, 4 * wave_lanes);
  const auto model = memory::bank_model(property::any_target());
  const auto shared = shared_tiles(tile);
  const SharedTile& chosen = shared[*rc::gen::inRange<std::size_t>(0, shared.size())];
  const Staging staging = choose_staging(model, tile, patch, 4, chosen);
  const auto input =
      *rc::gen::inRange<std::uint64_t>(0, std::uint64_t{1} << staging.map.input_bits());
  const std::uint64_t offset = staging.offsets.apply(input);
  RC_ASSERT(chosen.layout.outputs().unpack(chosen.layout.apply(offset)) ==
            staging.map.outputs().unpack(staging.map.apply(input)));
}

// One global access and one LDS store each move elements that lie side by side.
RC_GTEST_PROP(Staging, PiecesAreContiguousInBothMemories, ()) {
  const GlobalTile tile = any_tile();
  const Patch patch = choose_patch(tile, 4 * wave_lanes);
  const auto map = staging_map(tile, patch, 4, {0, 1, 2, 3, 4});
  for (int bit = 0; bit < bits_of(patch.k); ++bit)
    RC_ASSERT(map.basis("element", bit, "k") == std::uint64_t{1} << bit);
  for (int bit = 0; bit < bits_of(patch.rows); ++bit)
    RC_ASSERT(map.basis("vector", bit, tile.row) == std::uint64_t{1} << bit);
}

// What the comment in choose_patch promises for the large tiles of a 512x512x512 product.
TEST(Staging, LargeTilesUseSixteenByteAccesses) {
  EXPECT_EQ(choose_patch({"m", 128, 32, true, 8}, 128), (Patch{1, 8}));
  EXPECT_EQ(choose_patch({"n", 128, 32, false, 8}, 128), (Patch{8, 4}));
}

TEST(Staging, LargeTilesShareCacheLinesAndAvoidConflicts) {
  for (const Target target : {Target::gfx1100, Target::gfx1151, Target::gfx1201}) {
    const auto model = memory::bank_model(target);
    const GlobalTile a{"m", 128, 32, true, 8};
    const Staging staging =
        choose_staging(model, a, {1, 8}, 4, padded_tile("m", 128, 32, {Padding{64, 16}}));
    EXPECT_EQ(staging.stores.extra_passes, 0);
    EXPECT_EQ(staging.segments, 8);  // 32 lanes of 16 bytes in segments of 64
  }
}

TEST(Staging, SegmentsAreCountedByBruteForce) {
  const GlobalTile tile{"n", 64, 32, false, 8};
  const auto map = staging_map(tile, {8, 4}, 2, {3, 4, 5, 0, 1});
  std::set<std::pair<std::uint64_t, std::uint64_t>> segments;
  for (std::uint64_t lane = 0; lane < 32; ++lane) {
    const auto place = map.apply({{"lane", lane}}).value();
    segments.insert({place.at("k"), place.at("n") * element_bytes / 64});
  }
  EXPECT_EQ(static_cast<std::size_t>(touched_segments(tile, map)), segments.size());
}

}  // namespace
}  // namespace heddle::plan
