// Swizzled, rotating and linear layouts of shared memory, where a GPU found the elements.
#include "heddle/interop/triton/swizzled_shared.h"

#include <gtest/gtest.h>

#include "heddle/layout/text.h"
#include "tests/interop/triton/recorded.h"

namespace heddle::interop::triton {
namespace swizzled_shared_test {

using Object = llvm::json::Object;

/// Compares the map of each recorded case of a kind; returns how many there were.
template <class Make>
int compare(llvm::StringRef kind, const Make& make) {
  int cases = 0;
  for (const llvm::json::Value& value : test::recorded_layouts()) {
    const Object& record = *value.getAsObject();
    if (test::kind_of(record) != kind || !record.getObject("linear")) continue;
    const auto shared = make(record).to_shared(test::numbers_of(record, "shape"));
    EXPECT_TRUE(shared.has_value()) << shared.error();
    if (!shared) continue;
    EXPECT_EQ(layout::text(shared->map).view(),
              layout::text(test::map_of(*record.getObject("linear"))).view())
        << record.getString("text")->str();
    ++cases;
  }
  return cases;
}

TEST(SwizzledShared, PlacesAreThoseOnTheGpu) {
  EXPECT_GE(
      compare("swizzled_shared",
              [](const Object& record) {
                return std::get<SwizzledSharedLayout>(test::layout_of(*record.getObject("fields")));
              }),
      300);
}

TEST(RotatingShared, PlacesAreThoseOnTheGpu) {
  EXPECT_GE(compare("amd_rotating_shared",
                    [](const Object& record) {
                      const Object& spec = *record.getObject("spec");
                      return SwizzledSharedLayout{*spec.getInteger("vec"),
                                                  *spec.getInteger("per_phase"),
                                                  *spec.getInteger("max_phase"),
                                                  test::numbers_of(spec, "order"),
                                                  {},
                                                  true};
                    }),
            110);
}

TEST(SharedLinear, PlacesAreThoseOnTheGpu) {
  EXPECT_GE(
      compare("shared_linear",
              [](const Object& record) {
                return std::get<SharedLinearLayout>(test::layout_of(*record.getObject("fields")));
              }),
      150);
}

TEST(SwizzledShared, NamesAreGluons) {
  int cases = 0;
  for (const llvm::json::Value& value : test::recorded_layouts()) {
    const Object& record = *value.getAsObject();
    const llvm::StringRef kind = test::kind_of(record);
    if (!record.getString("mangle")) continue;
    if (kind != "swizzled_shared" && kind != "shared_linear") continue;
    const auto layout = test::layout_of(*record.getObject("fields"));
    const auto* swizzled = std::get_if<SwizzledSharedLayout>(&layout);
    EXPECT_EQ(swizzled ? swizzled->mangle() : std::get<SharedLinearLayout>(layout).mangle(),
              record.getString("mangle")->str());
    ++cases;
  }
  EXPECT_GE(cases, 550);
}

TEST(SwizzledShared, CtasShareTheShape) {
  const SwizzledSharedLayout layout{2, 1, 2, {1, 0}, {{1, 0}}};
  const auto shared = layout.to_shared({4, 4});
  ASSERT_TRUE(shared.has_value());
  EXPECT_EQ(layout::text(shared->map).view(),
            "offset: (0,1) (0,2) (1,2); block: (2,0) -> dim0: 4, dim1: 4");
}

TEST(SwizzledShared, Errors) {
  const auto error = [](const SwizzledSharedLayout& layout) { return layout.verify().error(); };
  EXPECT_EQ(error({8, 1, 8, {1, 1}}), "order must be a permutation of 0..(rank-1), but was [1, 1]");
  EXPECT_EQ(error({8, 1, 8, {}}), "order has 0 entries; a layout has 1 to 8 dimensions");
  EXPECT_EQ(error({3, 1, 8, {1, 0}}),
            "SwizzledSharedLayout vec is 3; it must be a power of two up to 65536");
  EXPECT_EQ(error({8, 1, 0, {1, 0}}),
            "SwizzledSharedLayout max_phase is 0; it must be a power of two up to 65536");
  EXPECT_EQ((SwizzledSharedLayout{8, 1, 8, {1, 0}}.to_shared({64}).error()),
            "the shape [64] has 1 dimensions; the layout has 2");
}

TEST(SharedLinear, Errors) {
  const auto error = [](const SharedLinearLayout& layout) { return layout.verify().error(); };
  EXPECT_EQ(error({{}}), "SharedLinearLayout offset_bases must not be empty");
  EXPECT_EQ(error({{{0, 1}, {1, 0}}, {}, 3}),
            "SharedLinearLayout alignment must be a positive power of two");
  EXPECT_EQ(error({{{0, 1}, {0, 1}, {1, 0}}}),
            "After removing the zero bases the layout must be bijective");
  EXPECT_EQ(error({{{0, 2}}}), "The layout must be surjective");
  EXPECT_EQ(error({{{0, 1}, {0}}}),
            "the basis [0] of offset_bases has 1 coordinates; the layout has 2 dimensions");
  EXPECT_EQ((SharedLinearLayout{{{0, 1}, {1, 0}}}.to_shared({4, 2}).error()),
            "the bases reach the shape [2, 2], not [4, 2]; a linear layout of shared memory is "
            "neither repeated nor cut");
}

}  // namespace swizzled_shared_test
}  // namespace heddle::interop::triton
