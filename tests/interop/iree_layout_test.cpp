// IREE's layouts against IREE's own formulas, and against the catalogue: what IREE's sources say of
// an instruction's operands (IREEGPUAttrs.cpp, getSingleSubgroupLayout, commit b48a5955) is what
// the catalogue has.
#include "heddle/interop/iree_layout.h"

#include "heddle/instruction/catalogue.h"
#include "heddle/interop/iree_text.h"
#include "heddle/layout/axes.h"
#include "tests/layout/random_layouts.h"

namespace heddle::interop::iree {
namespace iree_layout_test {

using instruction::Operand;
using instruction::Target;
using layout::LinearLayout;
using layout::property::full_size;
using layout::property::number_in;

/// The digits of `flat` in a grid, the last dimension fastest.
Sizes delinearized(std::int64_t flat, const Sizes& grid) {
  Sizes digits(grid.size());
  for (std::size_t i = grid.size(); i-- > 0; flat /= grid[i]) digits[i] = flat % grid[i];
  return digits;
}

std::int64_t product(const Sizes& sizes) {
  std::int64_t result = 1;
  for (const std::int64_t size : sizes) result *= size;
  return result;
}

/// The documented definition, in divisions and remainders.
Sizes by_definition(const NestedLayout& layout, std::int64_t reg, std::int64_t lane,
                    std::int64_t warp) {
  const std::int64_t elements = product(layout.element_tile);
  const std::int64_t outers = product(layout.outer_tile);
  const Sizes element = delinearized(reg % elements, layout.element_tile);
  const Sizes outer = delinearized(reg / elements % outers, layout.outer_tile);
  const Sizes batch = delinearized(reg / elements / outers, layout.batch_tile);
  Sizes point(element.size());
  const auto id = [](std::int64_t number, std::int64_t stride, std::int64_t tile) {
    return tile == 1 ? 0 : number / stride % tile;
  };
  for (std::size_t i = 0; i < point.size(); ++i) {
    std::int64_t at = id(warp, layout.subgroup_strides[i], layout.subgroup_tile[i]);
    at = at * layout.batch_tile[i] + batch[i];
    at = at * layout.outer_tile[i] + outer[i];
    at = at * layout.thread_tile[i] + id(lane, layout.thread_strides[i], layout.thread_tile[i]);
    point[i] = at * layout.element_tile[i] + element[i];
  }
  return point;
}

bool follows_definition(const NestedLayout& layout, const LinearLayout& map) {
  for (std::uint64_t flat = 0; flat >> map.input_bits() == 0; ++flat) {
    const auto in = map.inputs().unpack(flat);
    const auto out = map.outputs().unpack(map.apply(flat));
    const Sizes expected = by_definition(layout, static_cast<std::int64_t>(in.at("register")),
                                         static_cast<std::int64_t>(in.at("lane")),
                                         static_cast<std::int64_t>(in.at("warp")));
    for (std::size_t i = 0; i < expected.size(); ++i)
      if (out[static_cast<int>(i)].value != static_cast<std::uint64_t>(expected[i])) return false;
  }
  return true;
}

/// A random tile, and strides by which ids select it: fields of the id that do not overlap.
Sizes any_tile(std::size_t rank, int most_bits) {
  Sizes tile(rank, 1);
  for (std::int64_t& size : tile) size = std::int64_t{1} << number_in(0, most_bits + 1);
  return tile;
}
Sizes any_strides(const Sizes& tile) {
  Sizes strides(tile.size(), 0);
  std::vector<std::size_t> order(tile.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  for (std::size_t i = order.size(); i > 1; --i)
    std::swap(order[i - 1], order[number_in<std::size_t>(0, i)]);
  std::int64_t next = std::int64_t{1} << number_in(0, 2);
  for (const std::size_t i : order) {
    if (tile[i] == 1) continue;
    strides[i] = next;
    next *= tile[i] * (std::int64_t{1} << (number_in(0, 5) == 0));
  }
  return strides;
}

rc::Gen<NestedLayout> any_nested() {
  return full_size([] {
    const auto rank = number_in<std::size_t>(1, 4);
    NestedLayout layout{any_tile(rank, 1),
                        any_tile(rank, 1),
                        any_tile(rank, 1),
                        any_tile(rank, 2),
                        any_tile(rank, 1),
                        {},
                        {}};
    layout.subgroup_strides = any_strides(layout.subgroup_tile);
    layout.thread_strides = any_strides(layout.thread_tile);
    return layout;
  });
}

RC_GTEST_PROP(IreeLayout, IsItsDefinition, ()) {
  const NestedLayout layout = *any_nested();
  const auto map = to_distributed(layout);
  RC_ASSERT(map.has_value());
  RC_ASSERT(follows_definition(layout, *map));
  for (std::size_t i = 0; i < layout.outer_tile.size(); ++i)
    RC_ASSERT(map->outputs()[static_cast<int>(i)].size() ==
              static_cast<std::uint64_t>(layout.subgroup_tile[i] * layout.batch_tile[i] *
                                         layout.outer_tile[i] * layout.thread_tile[i] *
                                         layout.element_tile[i]));
}

RC_GTEST_PROP(IreeLayout, FromDistributedUndoesToDistributed, ()) {
  const LinearLayout map = *to_distributed(*any_nested());
  const auto lanes = static_cast<std::int64_t>(map.input_size("lane"));
  const auto warps = static_cast<std::int64_t>(map.input_size("warp"));
  const auto layout = from_distributed(map);
  RC_ASSERT(layout.has_value());
  RC_ASSERT((to_distributed(*layout, lanes, warps) == map));
}

RC_GTEST_PROP(IreeLayout, AnotherMapIsRefusedOrTheSame, ()) {
  const LinearLayout map = *layout::property::layout_between(
      layout::AxisList{{"register", number_in(0, 4)}, {"lane", number_in(0, 4)}},
      layout::AxisList{{"dim0", number_in(0, 4)}, {"dim1", number_in(0, 4)}});
  const auto layout = from_distributed(map);
  if (!layout) {
    RC_ASSERT(!layout.error().empty());
    return;
  }
  const auto again = to_distributed(*layout, static_cast<std::int64_t>(map.input_size("lane")));
  for (std::uint64_t flat = 0; flat >> map.input_bits() == 0; ++flat)
    RC_ASSERT(again->apply(flat) == map.apply(flat));
}

TEST(IreeLayout, DocumentedExample) {
  const NestedLayout layout{{2, 1}, {2, 4}, {1, 1}, {16, 4}, {1, 4}, {1, 0}, {1, 16}};
  const LinearLayout map = to_distributed(layout, 64, 4).value();
  EXPECT_EQ(layout::text(map).view(),
            "register: (0,1) (0,2) (0,16) (0,32) (16,0); "
            "lane: (1,0) (2,0) (4,0) (8,0) (0,4) (0,8); warp: (32,0) (0,0) -> dim0: 64, dim1: 64");
  EXPECT_TRUE(follows_definition(layout, map));
}

/// An operand of instructions as IREE's sources write it.
struct Row {
  Target target;
  std::vector<const char*> names;
  Operand operand;
  std::vector<const char*> dims;
  const char* text;
};

const std::vector<Row> rows{
    {Target::gfx1151,
     {"v_wmma_f32_16x16x16_f16", "v_wmma_f32_16x16x16_bf16", "v_wmma_i32_16x16x16_iu8"},
     Operand::a,
     {"m", "k"},
     "{/*outer=*/{1, 1}, /*thread=*/{16, 1}, /*strides=*/{1, 0}, /*element=*/{1, 16}}"},
    {Target::gfx1151,
     {"v_wmma_f32_16x16x16_f16", "v_wmma_f32_16x16x16_bf16", "v_wmma_i32_16x16x16_iu8"},
     Operand::b,
     {"k", "n"},
     "{/*outer=*/{1, 1}, /*thread=*/{1, 16}, /*tstrides=*/{0, 1}, /*element=*/{16, 1}}"},
    {Target::gfx1151,
     {"v_wmma_f32_16x16x16_f16", "v_wmma_f32_16x16x16_bf16", "v_wmma_i32_16x16x16_iu8"},
     Operand::d,
     {"m", "n"},
     "{/*outer=*/{8, 1}, /*thread=*/{2, 16}, /*tstrides=*/{16, 1}, /*element=*/{1, 1}}"},
    {Target::gfx1201,
     {"v_wmma_f32_16x16x16_f16", "v_wmma_f32_16x16x16_bf16", "v_wmma_i32_16x16x16_iu8",
      "v_wmma_f32_16x16x16_fp8_fp8", "v_wmma_f16_16x16x16_f16"},
     Operand::a,
     {"m", "k"},
     "{/*outer=*/{1, 1}, /*thread=*/{16, 2}, /*tstrides=*/{1, 16}, /*element=*/{1, 8}}"},
    {Target::gfx1201,
     {"v_wmma_f32_16x16x16_f16", "v_wmma_f32_16x16x16_bf16", "v_wmma_i32_16x16x16_iu8",
      "v_wmma_f32_16x16x16_fp8_fp8", "v_wmma_f16_16x16x16_f16"},
     Operand::b,
     {"k", "n"},
     "{/*outer=*/{1, 1}, /*thread=*/{2, 16}, /*tstrides=*/{16, 1}, /*element=*/{8, 1}}"},
    {Target::gfx1201,
     {"v_wmma_f32_16x16x16_f16", "v_wmma_f32_16x16x16_bf16", "v_wmma_i32_16x16x16_iu8",
      "v_wmma_f32_16x16x16_fp8_fp8", "v_wmma_f16_16x16x16_f16"},
     Operand::d,
     {"m", "n"},
     "{/*outer=*/{1, 1}, /*thread=*/{2, 16}, /*tstrides=*/{16, 1}, /*element=*/{8, 1}}"},
    {Target::gfx942,
     {"v_mfma_f32_16x16x16_f16", "v_mfma_f32_16x16x16_bf16"},
     Operand::a,
     {"m", "k"},
     "{/*outer=*/{1, 1}, /*thread=*/{16, 4}, /*tstrides=*/{1, 16}, /*element=*/{1, 4}}"},
    {Target::gfx942,
     {"v_mfma_f32_16x16x16_f16", "v_mfma_f32_16x16x16_bf16"},
     Operand::b,
     {"k", "n"},
     "{/*outer=*/{1, 1}, /*thread=*/{4, 16}, /*tstrides=*/{16, 1}, /*element=*/{4, 1}}"},
    {Target::gfx942,
     {"v_mfma_f32_16x16x16_f16", "v_mfma_f32_16x16x32_fp8_fp8"},
     Operand::d,
     {"m", "n"},
     "{/*outer=*/{1, 1}, /*thread=*/{4, 16}, /*tstrides=*/{16, 1}, /*element=*/{4, 1}}"},
    {Target::gfx942,
     {"v_mfma_f32_32x32x8_f16", "v_mfma_f32_32x32x8_bf16"},
     Operand::a,
     {"m", "k"},
     "{/*outer=*/{1, 1}, /*thread=*/{32, 2}, /*tstrides=*/{1, 32}, /*element=*/{1, 4}}"},
    {Target::gfx942,
     {"v_mfma_f32_32x32x8_f16", "v_mfma_f32_32x32x16_fp8_fp8"},
     Operand::d,
     {"m", "n"},
     "{/*outer=*/{4, 1}, /*thread=*/{2, 32}, /*tstrides=*/{32, 1}, /*element=*/{4, 1}}"},
    {Target::gfx942,
     {"v_mfma_f64_16x16x4_f64"},
     Operand::d,
     {"m", "n"},
     "{/*outer=*/{4, 1}, /*thread=*/{4, 16}, /*tstrides=*/{16, 1}, /*element=*/{1, 1}}"},
    {Target::gfx942,
     {"v_mfma_f32_4x4x4_16b_f16"},
     Operand::a,
     {"block", "m", "k"},
     "{/*outer=*/{1, 1, 1}, /*thread=*/{16, 4, 1}, /*tstrides=*/{4, 1, 64}, /*element=*/{1, 1, "
     "4}}"},
    {Target::gfx942,
     {"v_mfma_f32_16x16x4_4b_f16"},
     Operand::d,
     {"block", "m", "n"},
     "{/*outer=*/{1, 1, 1}, /*thread=*/{1, 4, 16}, /*tstrides=*/{64, 16, 1}, /*element=*/{4, 4, "
     "1}}"},
};

/// Whether IREE's operand has each element where the catalogue has it.
bool is_the_catalogues(const Row& row, const char* name) {
  const auto* found = instruction::find(name, row.target);
  if (found == nullptr) return false;
  const LinearLayout fragment =
      instruction::fragment(*found, row.operand, instruction::KOrder::contiguous);
  const auto map = to_distributed(read(row.text).value(), found->wave);
  if (!map || map->input_bits() != fragment.input_bits()) return false;
  for (std::uint64_t flat = 0; flat >> fragment.input_bits() == 0; ++flat) {
    const auto theirs = map->outputs().unpack(map->apply(flat));
    const auto ours = fragment.outputs().unpack(fragment.apply(flat));
    for (std::size_t dim = 0; dim < row.dims.size(); ++dim)
      if (theirs[static_cast<int>(dim)].value !=
          ours.at(layout::AxisName(std::string_view(row.dims[dim]))))
        return false;
  }
  return true;
}

TEST(IreeLayout, IreesOperandsAreTheCatalogues) {
  int compared = 0;
  for (const Row& row : rows) {
    for (const char* name : row.names) {
      EXPECT_TRUE(is_the_catalogues(row, name)) << name << " " << row.text;
      ++compared;
    }
  }
  EXPECT_GT(compared, 30);
}

// Here IREE has the block between the two low and the two high bits of m that a lane holds; AMD's
// calculator, and the catalogue, have it above all of m.
TEST(IreeLayout, IreesTwoBlocksOf32x32AreNotTheCalculators) {
  const Row row{Target::gfx942,
                {"v_mfma_f32_32x32x4_2b_f16"},
                Operand::d,
                {"block", "m", "n"},
                "{/*outer=*/{1, 4, 1}, /*thread=*/{1, 2, 32}, /*tstrides=*/{64, 32, 1}, "
                "/*element=*/{2, 4, 1}}"};
  EXPECT_FALSE(is_the_catalogues(row, row.names[0]));
}
TEST(IreeLayout, BackToTheOperandsLayout) {
  for (const Row& row : rows) {
    const auto layout = std::get<SubgroupLayout>(read(row.text).value());
    const auto back = subgroup_from_distributed(to_distributed(layout).value());
    ASSERT_TRUE(back) << row.text << ": " << back.error();
    EXPECT_EQ(to_distributed(*back), to_distributed(layout));
    if (layout.outer == Sizes(layout.outer.size(), 1)) EXPECT_EQ(back->element, layout.element);
  }
}

TEST(IreeLayout, RefusalsSayWhy) {
  const auto refusal = [](const NestedLayout& layout, std::int64_t lanes = 0) {
    return to_distributed(layout, lanes).error();
  };
  const NestedLayout good{{1, 1}, {1, 1}, {1, 1}, {4, 8}, {1, 2}, {0, 0}, {8, 1}};
  EXPECT_TRUE(to_distributed(good));
  NestedLayout bad = good;
  bad.thread_tile[1] = 6;
  EXPECT_EQ(refusal(bad),
            "dimension 1 has a tile of 6; a linear map has sizes that are powers of two");
  bad = good;
  bad.thread_strides[0] = 4;
  EXPECT_EQ(refusal(bad),
            "lane bit 2 selects twice, the second time in dimension 1; tiles of "
            "different dimensions must not overlap");
  bad = good;
  bad.thread_strides[1] = 0;
  EXPECT_EQ(refusal(bad),
            "the lane stride is 0 in dimension 1, which has a tile of 8; a linear "
            "map needs a power of two");
  bad = good;
  bad.batch_tile = {1};
  EXPECT_EQ(refusal(bad),
            "all parts of the layout need one number for each dimension; one has 1, "
            "another 2");
  EXPECT_EQ(refusal(good, 16), "the layout uses lane ids below 32, and there are only 16");
  const auto back = [](const char* text) {
    return from_distributed(layout::parse(text).value()).error();
  };
  EXPECT_EQ(back("register: (1,1); lane: (2,0) -> dim0: 4, dim1: 2"),
            "register bit 0 moves by more than one bit of the dimensions, as a swizzle does; "
            "IREE's layouts have no such");
  EXPECT_EQ(back("register: (0); lane: (1) -> dim0: 2"),
            "register bit 0 is a copy; in IREE's layouts only lanes and subgroups are");
  EXPECT_EQ(back("block: (1); lane: (2) -> dim0: 4"),
            "the map has an input axis 'block'; IREE's layouts have register, lane and warp");
  EXPECT_TRUE(back("lane: (2) (1) -> dim0: 4").starts_with("no nested layout has this order"));
  EXPECT_EQ(subgroup_from_distributed(
                layout::parse("register: (1); lane: (2); warp: (4) -> dim0: 8").value())
                .error(),
            "the map needs several subgroups; the layout of one operand has outer, thread and "
            "element alone");
}

}  // namespace iree_layout_test
}  // namespace heddle::interop::iree
