// The two views of a layout, beside those that Triton drew.
#include "heddle/interop/triton/view.h"

#include <gtest/gtest.h>

#include <map>

#include "tests/interop/triton/recorded.h"

namespace heddle::interop::triton {
namespace view_test {

/// The map of a case: from its linear layout, or the bases of a case without a class.
Map recorded_map(const llvm::json::Object& record) {
  layout::LinearLayout map;
  if (const llvm::json::Object* raw = record.getObject("raw")) {
    std::vector<NamedBases> inputs;
    for (const auto name :
         {layout::AxisName("offset"), layout::AxisName("register"), layout::AxisName("lane"),
          layout::AxisName("warp"), layout::AxisName("block")}) {
      if (raw->getArray(name.text())) inputs.push_back({name, test::bases_of(*raw, name.text())});
    }
    map = map_of(inputs, test::numbers_of(record, "shape")).value();
  } else {
    map = test::map_of(*record.getObject("linear"));
  }
  if (map.inputs()[0].name == layout::AxisName("offset")) return memory::SharedLayout{map, {}};
  return map;
}

TEST(View, IsTritonsToTheLetter) {
  std::map<std::string, int> checked;
  for (const llvm::json::Value& value : test::recorded_layouts()) {
    const llvm::json::Object& record = *value.getAsObject();
    const auto tensor = record.getString("tensor_view");
    const auto hardware = record.getString("hardware_view");
    if (!tensor || !hardware) continue;
    const Map map = recorded_map(record);
    const auto draw_tensor = [](const auto& own) { return format_tensor_view(own).value(); };
    const auto draw_hardware = [](const auto& own) { return format_hardware_view(own).value(); };
    ASSERT_EQ(std::visit(draw_tensor, map), tensor->str());
    ASSERT_EQ(std::visit(draw_hardware, map), hardware->str());
    ++checked[test::kind_of(record).str()];
  }
  int all = 0;
  for (const auto& [kind, count] : checked) {
    std::printf("%5d %s\n", count, kind.c_str());
    all += count;
  }
  EXPECT_GE(all, 1600);
  for (const char* kind : {"raw", "blocked", "slice", "linear", "nvidia_mma", "swizzled_shared",
                           "nvmma_shared", "shared_linear", "amd_rotating_shared"})
    EXPECT_GT(checked[kind], 0) << kind;
}

TEST(View, OfALayoutAndAShape) {
  const Layout blocked = DistributedLayout(BlockedLayout{{1, 2}, {2, 2}, {1, 1}, {1, 0}});
  EXPECT_EQ(format_tensor_view(blocked, {2, 4}).value(),
            "[[T0:0, T0:1, T1:0, T1:1]\n"
            "[ T2:0, T2:1, T3:0, T3:1]]\n");
  EXPECT_EQ(format_hardware_view(blocked, {2, 4}).value(),
            "Warp0:\n"
            "(0,0), (0,2), (1,0), (1,2)\n"
            "(0,1), (0,3), (1,1), (1,3)\n");
}

// The second example of Triton's documentation of PaddedSharedLayout.
TEST(View, ShowsPadding) {
  const Layout padded =
      PaddedSharedLayout{{{8, 1}}, {{0, 1}, {0, 2}, {2, 0}, {4, 0}, {1, 0}}, {}, {8, 4}};
  EXPECT_EQ(format_tensor_view(padded, {8, 4}).value(),
            "[[(0:0),(0:1),(0:2),(0:3)]\n"
            "[ (2:0),(2:1),(2:2),(2:3),(-:-)]\n"
            "[ (4:0),(4:1),(4:2),(4:3)]\n"
            "[ (6:0),(6:1),(6:2),(6:3),(-:-)]\n"
            "[ (1:0),(1:1),(1:2),(1:3)]\n"
            "[ (3:0),(3:1),(3:2),(3:3),(-:-)]\n"
            "[ (5:0),(5:1),(5:2),(5:3)]\n"
            "[ (7:0),(7:1),(7:2),(7:3)]]\n");
  const Layout small = PaddedSharedLayout{{{2, 1}, {4, 2}}, {{1}, {2}, {4}}, {}, {8}};
  EXPECT_EQ(format_hardware_view(small, {8}).value(),
            "Block: 0:\n"
            "Offset: 0 -> (0)\nOffset: 1 -> (1)\nOffset: 2 -> padding\n"
            "Offset: 3 -> (2)\nOffset: 4 -> (3)\n"
            "Offset: 5 -> padding\nOffset: 6 -> padding\nOffset: 7 -> padding\n"
            "Offset: 8 -> (4)\nOffset: 9 -> (5)\nOffset: 10 -> padding\n"
            "Offset: 11 -> (6)\nOffset: 12 -> (7)\n");
}

TEST(View, NumbersAreAlignedToTheSize) {
  const Layout swizzled = SwizzledSharedLayout{1, 1, 1, {1, 0}};
  const std::string view = format_hardware_view(swizzled, {16, 16}).value();
  EXPECT_TRUE(view.starts_with("Block: 0:\nOffset: 0 -> ( 0, 0)\nOffset: 1 -> ( 0, 1)\n"));
  EXPECT_NE(view.find("Offset: 5 -> ( 0, 5)\n"), std::string::npos);
}

TEST(View, RefusesWhatNobodyCouldRead) {
  const Layout swizzled = SwizzledSharedLayout{1, 1, 1, {1, 0}};
  const auto view = format_tensor_view(swizzled, {2048, 2048});
  ASSERT_FALSE(view.has_value());
  EXPECT_EQ(view.error(),
            "a view has a cell for each element and place; this layout has 2^22, a view at most "
            "2^20: choose a smaller shape");
}

}  // namespace view_test
}  // namespace heddle::interop::triton
