#include "compiler/plan/staging.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <set>
#include <vector>

#include "library/plan/placement_search.h"
#include "tests/compiler/plan/random_problems.h"

namespace heddle::plan {
namespace staging_test {

using instruction::Target;

GlobalTile any_tile() {
  const bool k_contiguous = *rc::gen::arbitrary<bool>();
  return {k_contiguous ? layout::AxisName("m") : layout::AxisName("n"),
          *rc::gen::element(16, 32, 64, 128), *rc::gen::element(16, 32), k_contiguous,
          *rc::gen::element(1, 2, 4, 8)};
}

// Rows in any order of the bits above groups of eight, which is what stores need, and any padding.
memory::SharedLayout any_shared(const GlobalTile& tile) {
  const int row_bits = bits_of(tile.rows);
  std::vector<std::uint64_t> words;
  for (int bit = 0; bit < row_bits + bits_of(tile.k); ++bit)
    words.push_back(std::uint64_t{1} << ((bit + row_bits) % (row_bits + bits_of(tile.k))));
  for (std::size_t i = words.size(); i > 4; --i)
    std::swap(words[i - 1], words[*rc::gen::inRange<std::size_t>(3, i)]);
  layout::LinearLayout::Bases bases{};
  std::ranges::copy(words, bases.begin());
  const auto map =
      layout::LinearLayout::from_words({{"offset", static_cast<int>(words.size())}},
                                       {{tile.row, row_bits}, {"k", bits_of(tile.k)}}, bases);
  memory::SharedLayout shared{map.value(), {}};
  if (*rc::gen::arbitrary<bool>())
    shared.padding.push_back(
        {*rc::gen::element<std::uint64_t>(16, 64, 256), *rc::gen::element<std::uint64_t>(8, 24)});
  return shared;
}

// Of a wave's first store, each lane's address by itself.
int extra_of_lanes(const memory::BankModel& model, const memory::SharedLayout& shared,
                   const layout::LinearLayout& map, const GlobalTile& tile, int elements) {
  const auto to_offset = layout::invert(shared.map).value();
  const int lane_at = map.inputs().offset(map.inputs().find("lane"));
  std::vector<std::uint32_t> address(static_cast<std::size_t>(model.wave));
  for (std::uint64_t lane = 0; lane < address.size(); ++lane) {
    const std::uint64_t place = to_offset.apply(map.apply(lane << lane_at));
    address[lane] = static_cast<std::uint32_t>(shared.place(place) *
                                               static_cast<std::uint64_t>(tile.element_bytes));
  }
  return memory::extra_passes(model, {.kind = memory::AccessKind::store,
                                      .bytes = elements * tile.element_bytes,
                                      .address = address});
}

StagingGoal any_goal() {
  return *rc::gen::element(StagingGoal::few_conflicts, StagingGoal::few_segments);
}

RC_GTEST_PROP(Staging, EveryElementIsCarried, ()) {
  const GlobalTile tile = any_tile();
  const int warps = *rc::gen::element(1, 2, 4);
  const auto model = memory::bank_model(property::any_target());
  const Patch patch = choose_patch(tile, warps * model.wave);
  const Staging staging = choose_staging(model, tile, patch, warps, any_shared(tile), any_goal());
  std::map<std::uint64_t, int> carried;
  const std::uint64_t inputs = std::uint64_t{1} << staging.map.input_bits();
  for (std::uint64_t input = 0; input < inputs; ++input) ++carried[staging.map.apply(input)];
  const auto elements = static_cast<std::size_t>(tile.rows * tile.k);
  RC_ASSERT(carried.size() == elements);
  // Threads without a patch of their own repeat others, all equally often.
  for (const auto& [element, times] : carried)
    RC_ASSERT(static_cast<std::size_t>(times) == inputs / elements);
}

// Either goal is met at least as well by the lanes that were chosen for it.
RC_GTEST_PROP(Staging, GoalsAreMet, ()) {
  const GlobalTile tile = any_tile();
  const auto model = memory::bank_model(property::any_target());
  const Patch patch = choose_patch(tile, 4 * model.wave);
  const memory::SharedLayout shared = any_shared(tile);
  const auto extra = [&](const Staging& staging) {
    return extra_of_lanes(model, shared, staging.map, tile, patch.k);
  };
  const Staging quiet = choose_staging(model, tile, patch, 4, shared, StagingGoal::few_conflicts);
  const Staging shares = choose_staging(model, tile, patch, 4, shared, StagingGoal::few_segments);
  RC_ASSERT(std::pair(extra(quiet), quiet.segments) <= std::pair(extra(shares), shares.segments));
  RC_ASSERT(std::pair(shares.segments, extra(shares)) <= std::pair(quiet.segments, extra(quiet)));
  RC_ASSERT(shares.segments == touched_segments(tile, shares.map));
  RC_ASSERT(shares.segments >= fewest_segments(tile, patch, model.wave));
}

// Not even one that the search leaves out because it only swaps lanes of a phase, or phases.
RC_GTEST_PROP(Staging, NoOrderOfLanesIsBetter, ()) {
  const GlobalTile tile = any_tile();
  const auto model = memory::bank_model(property::any_target());
  const Patch patch = choose_patch(tile, 4 * model.wave);
  const memory::SharedLayout shared = any_shared(tile);
  const StagingGoal goal = any_goal();
  const auto price = [&](const layout::LinearLayout& map) {
    const int extra = extra_of_lanes(model, shared, map, tile, patch.k);
    const int segments = touched_segments(tile, map);
    return goal == StagingGoal::few_conflicts ? std::pair(extra, segments)
                                              : std::pair(segments, extra);
  };
  const auto chosen = price(choose_staging(model, tile, patch, 4, shared, goal).map);
  std::vector<int> bits(
      static_cast<std::size_t>(bits_of(tile.k / patch.k) +
                               std::min(bits_of(tile.rows / patch.rows), bits_of(model.wave) - 1)));
  std::iota(bits.begin(), bits.end(), 0);
  for (int draw = 0; draw < 20; ++draw) {
    for (std::size_t i = bits.size(); i > 1; --i)
      std::swap(bits[i - 1], bits[*rc::gen::inRange<std::size_t>(0, i)]);
    LaneBits order = no_lane_bits;
    std::copy_n(bits.begin(), std::min(bits.size(), static_cast<std::size_t>(bits_of(model.wave))),
                order.begin());
    RC_ASSERT(chosen <= price(staging_map(tile, patch, 4, model.wave, order)));
  }
}

// One global access and one LDS store each move elements that lie side by side.
RC_GTEST_PROP(Staging, PiecesAreContiguousInBothMemories, ()) {
  const GlobalTile tile = any_tile();
  const int lanes = *rc::gen::element(32, 64);
  const Patch patch = choose_patch(tile, 4 * lanes);
  const auto map = staging_map(tile, patch, 4, lanes, {0, 1, 2, 3, 4, 5});
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
    const layout::AxisList dims{{"m", 7}, {"k", 5}};
    const memory::SharedLayout rows{detail::map_of(detail::units_in_order(dims, 1), dims),
                                    {{32, 8}}};
    const Staging staging = choose_staging(model, a, {1, 8}, 4, rows, StagingGoal::few_conflicts);
    EXPECT_EQ(extra_of_lanes(model, rows, staging.map, a, 8), 0);
    EXPECT_EQ(staging.segments, 8);  // 32 lanes of 16 bytes in segments of 64
  }
}

TEST(Staging, SegmentsAreCountedByBruteForce) {
  const GlobalTile tile{"n", 64, 32, false, 8};
  const auto map = staging_map(tile, {8, 4}, 2, 32, {3, 4, 5, 0, 1, -1});
  std::set<std::pair<std::uint64_t, std::uint64_t>> segments;
  for (std::uint64_t lane = 0; lane < 32; ++lane) {
    const auto place = map.apply({{"lane", lane}}).value();
    segments.insert(
        {place.at("k"), place.at("n") * static_cast<unsigned>(tile.element_bytes) / 64});
  }
  EXPECT_EQ(static_cast<std::size_t>(touched_segments(tile, map)), segments.size());
}

}  // namespace staging_test
}  // namespace heddle::plan
