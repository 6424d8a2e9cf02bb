#include "heddle/interop/cute/layout.h"

#include "tests/interop/cute/random_cute.h"
#include "tests/interop/cute/recorded.h"

namespace heddle::interop::cute {
namespace layout_test {

using namespace property;
using test::for_each_call;
using test::RecordedCall;

IntTuple tuple_of(llvm::StringRef text) {
  return shape(test::layout_of((text + ":" + text).str()));
}

TEST(Layout, EvaluatesAsPycute) {
  for_each_call("pycute.json.gz", "evaluate", [](const RecordedCall& call) {
    const Layout layout = call.layout(0);
    const auto& expected = *call.answer.getAsArray();
    ASSERT_EQ(size(layout), static_cast<Number>(expected.size()));
    for (Number i = 0; i < size(layout); ++i)
      ASSERT_EQ(evaluate(layout, i), *expected[static_cast<std::size_t>(i)].getAsInteger());
  });
}

TEST(Layout, CoordinatesAsPycute) {
  // A coordinate may be 0, which is no size: its text is read as one of strides.
  const auto coordinate = [](llvm::StringRef text, const IntTuple& form) {
    const std::string strides = ":" + text.str();
    return stride(test::layout_of(cute::text(form) + strides));
  };
  for_each_call("pycute.json.gz", "idx2crd", [&](const RecordedCall& call) {
    const IntTuple shape = tuple_of(*call.arguments[1].getAsString());
    EXPECT_EQ(idx2crd(*call.arguments[0].getAsInteger(), shape),
              coordinate(*call.answer.getAsString(), shape));
  });
  for_each_call("pycute.json.gz", "crd2idx", [&](const RecordedCall& call) {
    const Layout layout = call.layout(1);
    const auto index = crd2idx(coordinate(*call.arguments[0].getAsString(), shape(layout)), layout);
    ASSERT_TRUE(index);
    EXPECT_EQ(*index, *call.answer.getAsInteger());
  });
}

TEST(Layout, CoalescesAndFiltersAsPycuteAndCute) {
  for (const char* file : {"pycute.json.gz", "cute.json.gz"}) {
    for_each_call(file, "coalesce", [](const RecordedCall& call) {
      EXPECT_EQ(coalesce(call.layout(0)), *call.answer_layout());
    });
    for_each_call(file, "filter", [](const RecordedCall& call) {
      EXPECT_EQ(filter(call.layout(0)), *call.answer_layout());
    });
  }
}

TEST(Layout, CoalesceByModeAsDocumented) {
  // 02_layout_algebra.md, "By-mode Coalesce": (2,(1,6)):(1,(6,2)) by (_1,_1) is (2,6):(1,2).
  const Layout layout = test::layout_of("(2,(1,6)):(1,(6,2))");
  EXPECT_EQ(coalesce(layout, int_tuple(1, 1)), test::layout_of("(2,6):(1,2)"));
  EXPECT_EQ(coalesce(layout, IntTuple(1)), test::layout_of("12:1"));
  EXPECT_EQ(coalesce(layout, int_tuple(1)), layout);
  EXPECT_EQ(coalesce(layout, int_tuple(1, 1, 1)).error(),
            "the profile has 3 modes and the layout 2");
}

RC_GTEST_PROP(Layout, CoalesceKeepsTheFunction, ()) {
  const Layout layout = *any_layout();
  const Layout coalesced = coalesce(layout);
  RC_ASSERT(indices(coalesced) == indices(layout));
  RC_ASSERT(depth(coalesced) <= 1);
  for (const Mode& leaf : flatten(coalesced)) RC_ASSERT(leaf.shape > 1 || coalesced.is_leaf());
}

RC_GTEST_PROP(Layout, FilterKeepsTheImage, ()) {
  const Layout layout = *any_layout();
  RC_ASSERT(image(filter(layout)) == image(layout));
}

RC_GTEST_PROP(Layout, Idx2crdUndoesCrd2idx, ()) {
  const Layout layout = *any_layout();
  const Number i = number_in<Number>(0, 3 * size(layout));
  const IntTuple coordinate = idx2crd(i, shape(layout));
  RC_ASSERT(congruent(coordinate, shape(layout)));
  RC_ASSERT(*crd2idx(coordinate, shape(layout)) == i);
  RC_ASSERT(*crd2idx(coordinate, layout) == evaluate(layout, i));
  RC_ASSERT(cosize(layout) == *image(layout).rbegin() + 1);
}

RC_GTEST_PROP(Layout, CompactLayoutsCount, ()) {
  const Layout compact = make_layout(shape(*any_layout()));
  const std::vector<Number> all = indices(compact);
  for (std::size_t i = 0; i < all.size(); ++i) RC_ASSERT(all[i] == static_cast<Number>(i));
}

TEST(Layout, RefusesWhatIsNone) {
  EXPECT_EQ(make_layout(int_tuple(4, 8), IntTuple(1)).error(),
            "shape and stride nest differently; give each size one stride");
  EXPECT_EQ(make_layout(int_tuple(4, 0), int_tuple(1, 1)).error(),
            "a shape is 0; shapes are 1 or more");
  EXPECT_EQ(make_layout(int_tuple(Number{1} << 40, Number{1} << 40), int_tuple(0, 0)).error(),
            "the layout has more than 2^62 coordinates");
  EXPECT_EQ(make_layout(int_tuple(Number{1} << 40), int_tuple(Number{1} << 40)).error(),
            "the layout reaches beyond index 2^62");
  EXPECT_EQ(crd2idx(int_tuple(1, 2), make_layout(IntTuple(8))).error(),
            "the coordinate has 2 parts where the layout has one leaf");
}

TEST(Layout, NegativeStridesGoBackwards) {
  const Layout layout = test::layout_of("(4,2):(-1,8)");
  EXPECT_EQ(indices(layout), (std::vector<Number>{0, -1, -2, -3, 8, 7, 6, 5}));
  EXPECT_EQ(cosize(layout), 3 + 8 + 1);
  EXPECT_EQ(coalesce(test::layout_of("(4,2):(-1,-4)")), test::layout_of("8:-1"));
}

}  // namespace layout_test
}  // namespace heddle::interop::cute
