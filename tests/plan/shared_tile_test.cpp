#include "heddle/plan/shared_tile.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <set>
#include <vector>

#include "heddle/layout/solve.h"
#include "heddle/plan/operand_plan.h"

namespace heddle::plan {
namespace {

using instruction::Target;
using layout::LinearLayout;

std::vector<GlobalTile> tiles() {
  std::vector<GlobalTile> all;
  for (const int rows : {16, 32, 64, 128}) {
    for (const int k : {16, 32}) {
      all.push_back({"m", rows, k, true, 8});
      all.push_back({"n", rows, k, false, 8});
    }
  }
  return all;
}

// Every candidate of every tile: no two elements share a byte, and none lies past the end.
TEST(SharedTile, ElementsHaveTheirOwnBytes) {
  int checked = 0;
  for (const GlobalTile& tile : tiles()) {
    for (const SharedTile& shared : shared_tiles(tile)) {
      std::set<std::uint32_t> addresses;
      const auto elements = static_cast<std::uint64_t>(tile.rows * tile.k);
      for (std::uint64_t offset = 0; offset < elements; ++offset) {
        const std::uint32_t address = shared.address(offset);
        EXPECT_EQ(address % element_bytes, 0u);
        EXPECT_LE(address + element_bytes, shared.bytes());
        addresses.insert(address);
      }
      EXPECT_EQ(addresses.size(), elements);
      EXPECT_TRUE(layout::is_invertible(shared.layout));
      ++checked;
    }
  }
  EXPECT_GT(checked, 100);
}

RC_GTEST_PROP(SharedTile, AddressOfDisjointOffsetsIsTheSum, ()) {
  const auto all = shared_tiles({"m", 64, 32, true, 8});
  const SharedTile& shared = all[*rc::gen::inRange<std::size_t>(0, all.size())];
  const auto x = *rc::gen::inRange<std::uint64_t>(0, 64 * 32);
  const auto y = *rc::gen::inRange<std::uint64_t>(0, 64 * 32) & ~x;
  RC_ASSERT(shared.address(x ^ y) == shared.address(x) + shared.address(y));
}

TEST(SharedTile, GroupsOfEightElementsStayTogether) {
  for (const SharedTile& shared : shared_tiles({"n", 128, 32, false, 8})) {
    for (std::uint64_t offset = 0; offset < 128 * 32; offset += 8) {
      EXPECT_EQ(shared.address(offset) % 16, 0u);
      EXPECT_EQ(shared.address(offset + 7), shared.address(offset) + 14);
    }
  }
}

// The example above memory::cost, as one access of 16 rows at a 64-byte pitch.
TEST(SharedTile, UnpaddedRowsConflictAndPaddedOnesDoNot) {
  const auto model = memory::bank_model(Target::gfx1151);
  const LinearLayout rows =
      LinearLayout::from_bases({{"element", {{0, 1}, {0, 2}, {0, 4}}},
                                {"lane", {{1, 0}, {2, 0}, {4, 0}, {8, 0}, {0, 0}}}},
                               {{"m", 4}, {"k", 5}})
          .value();
  const auto extra = [&](const SharedTile& shared) {
    const auto loads = layout::invert_and_compose(rows, shared.layout).value();
    return access_cost(model, shared, loads, 8, memory::AccessKind::load).extra_passes;
  };
  EXPECT_EQ(extra(padded_tile("m", 16, 32)), 4 * 3);
  EXPECT_EQ(extra(padded_tile("m", 16, 32, {Padding{64, 16}})), 0);
  EXPECT_EQ(extra(swizzled_tile("m", 16, 32, 1)), 0);
}

TEST(SharedTile, SwizzleMovesGroupsWithinTheirRow) {
  const SharedTile shared = swizzled_tile("m", 16, 32, 1);
  for (std::uint64_t offset = 0; offset < 16 * 32; ++offset) {
    const auto place = shared.layout.apply({{"offset", offset}}).value();
    const std::uint64_t row = offset / 32;
    EXPECT_EQ(place.at("m"), row);
    EXPECT_EQ(place.at("k"), (offset % 32) ^ ((row >> 1 & 3) << 3));
  }
}

TEST(SharedTile, OnlySwizzlesNeedSeveralBases) {
  const LinearLayout fragment =
      LinearLayout::from_bases({{"element", {{0, 1}, {0, 2}, {0, 4}}},
                                {"lane", {{1, 0}, {2, 0}, {4, 0}, {8, 0}, {0, 0}}},
                                {"k_atom", {{0, 8}, {0, 16}}}},
                               {{"m", 4}, {"k", 5}})
          .value();
  const auto bases = [&](const SharedTile& shared) {
    return base_registers(layout::invert_and_compose(fragment, shared.layout).value());
  };
  EXPECT_EQ(bases(padded_tile("m", 16, 32, {Padding{64, 16}})), 1);
  EXPECT_EQ(bases(swizzled_tile("m", 16, 32, 1)), 4);
}

}  // namespace
}  // namespace heddle::plan
