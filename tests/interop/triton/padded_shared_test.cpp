// PaddedSharedLayout: Gluon's own answers, the examples of its documentation, and where a GPU found
// the elements.
#include "heddle/interop/triton/padded_shared.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "tests/interop/triton/recorded.h"

namespace heddle::interop::triton {
namespace padded_shared_test {

using Object = llvm::json::Object;

std::string error_of(const Result<void>& result) { return result ? "" : result.error(); }

// All cases of the table that Triton 3.6.0 recorded, errors too. Where Triton asserts without a
// sentence there is one here.
TEST(PaddedShared, GluonsTable) {
  const auto file = test::read_golden("gluon_padded.json.gz");
  int cases = 0;
  for (const llvm::json::Value& value : *file.getAsObject()->getArray("cases")) {
    const Object& record = *value.getAsObject();
    const Bases pairs = test::bases_of(record, "interval_padding_pairs");
    const Numbers shape = test::numbers_of(record, "shape");
    const bool by_identity = *record.getString("make") == "with_identity_for";
    Result<PaddedSharedLayout> layout = PaddedSharedLayout{
        pairs, test::bases_of(record, "offset_bases"), test::bases_of(record, "cga_layout"), shape};
    if (by_identity)
      layout =
          PaddedSharedLayout::with_identity_for(pairs, shape, test::numbers_of(record, "order"));
    if (layout && !layout->verify()) layout = wrong(layout->verify().error());
    ++cases;
    if (const auto error = record.getString("error")) {
      ASSERT_FALSE(layout.has_value()) << error->str();
      const std::string sentence = error->str().substr(std::string("AssertionError: ").size());
      if (!sentence.empty()) EXPECT_EQ(layout.error(), sentence);
      EXPECT_GT(layout.error().size(), 20u);
      continue;
    }
    ASSERT_TRUE(layout.has_value()) << layout.error();
    EXPECT_EQ(layout->mangle(), record.getObject("mangle")->getString("ok")->str());
    if (!by_identity) continue;
    EXPECT_EQ(layout->interval_padding_pairs,
              test::bases_of(record, "attr_interval_padding_pairs"));
    EXPECT_EQ(layout->offset_bases, test::bases_of(record, "attr_offset_bases"));
    EXPECT_EQ(layout->cga_layout, test::bases_of(record, "attr_block_bases"));
    EXPECT_EQ(layout->shape, test::numbers_of(record, "attr_shape"));
  }
  EXPECT_EQ(cases, 81);
}

/// The memory as the documentation draws it: the element at each place, or -1 for padding.
std::vector<std::int64_t> memory(const PaddedSharedLayout& layout) {
  const memory::SharedLayout shared = layout.to_shared().value();
  std::vector<std::int64_t> places(shared.size(), -1);
  for (std::uint64_t offset = 0; offset >> shared.map.input_bits() == 0; ++offset) {
    std::int64_t number = 0;
    const layout::Coordinates point = shared.map.outputs().unpack(shared.map.apply(offset));
    for (std::size_t dim = 0; dim < layout.shape.size(); ++dim)
      number = number * layout.shape[dim] +
               static_cast<std::int64_t>(point[static_cast<int>(dim)].value);
    places[shared.place(offset)] = number;
  }
  return places;
}

// "[e0, e1, p0, e2, e3, p1, p2, p3, e4, e5, p4, e6, e7, p5, p6, p7, …]"
TEST(PaddedShared, DocumentedPairs) {
  const PaddedSharedLayout layout{{{2, 1}, {4, 2}}, {{1}, {2}, {4}}, {}, {8}};
  EXPECT_EQ(memory(layout),
            (std::vector<std::int64_t>{0, 1, -1, 2, 3, -1, -1, -1, 4, 5, -1, 6, 7}));
  EXPECT_EQ(layout.padded_size(), 13u);
  EXPECT_EQ(layout.physical_offset(4), 8u);
  EXPECT_EQ(layout.mangle(), "PaddedShared_[[2, 1], [4, 2]]_[[1], [2], [4]]_[]_[8]_PaddedShared");
  EXPECT_EQ(layout.type(),
            "constexpr_type[PaddedSharedLayout(interval_padding_pairs=[[2, 1], [4, 2]], "
            "offset_bases=[[1], [2], [4]], cga_layout=[], shape=[8])]");
}

// "After padding for shape = [8] with interval-padding list [[2, 2]], offset_bases = [[2], [1]]:
// [x0, x2, p0 p1, x1, x3]". Two bases reach four elements, and four are drawn: the shape is [4].
TEST(PaddedShared, DocumentedRemappingWithItsSlip) {
  PaddedSharedLayout layout{{{2, 2}}, {{2}, {1}}, {}, {8}};
  const auto refused = layout.to_shared();
  ASSERT_FALSE(refused.has_value());
  EXPECT_EQ(refused.error(), "the bases reach the shape [4]; the layout's shape is [8]");
  layout.shape = {4};
  EXPECT_EQ(memory(layout), (std::vector<std::int64_t>{0, 2, -1, -1, 1, 3}));
}

// "[x0y0, x0y1, x0y2, x0y3, x2y0, …, x2y3, p0, x4y0, …]"
TEST(PaddedShared, DocumentedRemappingOfRows) {
  const PaddedSharedLayout layout{{{8, 1}}, {{0, 1}, {0, 2}, {2, 0}, {4, 0}, {1, 0}}, {}, {8, 4}};
  std::vector<std::int64_t> expected;
  const std::array<std::int64_t, 8> rows{0, 2, 4, 6, 1, 3, 5, 7};
  for (std::size_t line = 0; line < rows.size(); ++line) {
    if (line % 2 == 0 && line > 0) expected.push_back(-1);
    for (std::int64_t column = 0; column < 4; ++column) expected.push_back(rows[line] * 4 + column);
  }
  EXPECT_EQ(memory(layout), expected);
}

// What a kernel of Triton's found in the shared memory of an H200.
TEST(PaddedShared, PlacesAreThoseOnTheGpu) {
  int cases = 0;
  for (const llvm::json::Value& value : test::recorded_layouts()) {
    const Object& record = *value.getAsObject();
    if (test::kind_of(record) != "padded_shared" || !record.getArray("places")) continue;
    const auto layout = std::get<PaddedSharedLayout>(test::layout_of(*record.getObject("fields")));
    EXPECT_EQ(memory(layout), test::numbers_of(record, "places")) << layout.mangle();
    EXPECT_EQ(layout.padded_size(), record.getArray("places")->size());
    EXPECT_EQ(layout.mangle(), record.getString("mangle")->str());
    ++cases;
  }
  EXPECT_GE(cases, 100);
}

TEST(PaddedShared, ErrorsWhereTritonHasNone) {
  const PaddedSharedLayout right{{{4, 2}}, {{0, 1}, {1, 0}}, {}, {2, 2}};
  EXPECT_TRUE(right.verify().has_value());
  PaddedSharedLayout layout = right;
  layout.interval_padding_pairs = {{4}};
  EXPECT_EQ(error_of(layout.verify()),
            "PaddedSharedLayout interval_padding_pairs has [4], which is no pair; write [interval, "
            "padding]");
  layout.interval_padding_pairs = {{4, 1}, {8, 1}, {4, 2}};
  EXPECT_EQ(error_of(layout.verify()),
            "PaddedSharedLayout interval 4 is there twice; give each interval one padding, the sum "
            "of the two");
  layout = right;
  layout.offset_bases = {{0, 1}, {1}};
  EXPECT_EQ(error_of(layout.verify()),
            "the basis [1] of offset_bases has 1 coordinates; the layout has 2 dimensions");
  layout.offset_bases = {{0, 1}, {-1, 0}};
  EXPECT_EQ(error_of(layout.verify()),
            "the basis [-1, 0] of offset_bases has the coordinate -1; a coordinate is 0 to "
            "2147483647");
  layout.offset_bases = {{0, 1}, {0, 1}, {1, 0}};
  EXPECT_EQ(layout.to_shared().error(),
            "Broadcasting is not supported: the bases must reach each element of the shape [2, 2] "
            "once");
  EXPECT_EQ(PaddedSharedLayout::with_identity_for({{4, 2}}, {4, 4}, {0, 0}).error(),
            "PaddedSharedLayout order [0, 0] must name each dimension of the shape [4, 4] once");
  EXPECT_EQ(PaddedSharedLayout::with_identity_for({{4, 2}}, {6}, {0}).error(),
            "the shape [6] has the size 6; sizes are powers of two up to 2147483648");
  EXPECT_EQ(
      PaddedSharedLayout::with_identity_for({{4, 2}}, {2, 2}, {1, 0}, {{1, 0}, {2, 0}}).error(),
      "Shape [2, 2] is not divisible by CGA layout [[1, 0], [2, 0]]");
}

// Several CTAs: each has its part, in the order of its offsets.
RC_GTEST_PROP(PaddedShared, CtasShareTheShape, ()) {
  const int rows = *rc::gen::inRange(1, 5);
  const int columns = *rc::gen::inRange(1, 5);
  const int row_ctas = *rc::gen::inRange(0, rows + 1);
  Bases cga;
  for (int bit = 0; bit < row_ctas; ++bit) cga.push_back({std::int64_t{1} << bit, 0});
  const Numbers shape{std::int64_t{1} << rows, std::int64_t{1} << columns};
  const auto layout = PaddedSharedLayout::with_identity_for({{2, 1}}, shape, {1, 0}, cga);
  RC_ASSERT(layout.has_value());
  const auto shared = layout->to_shared();
  RC_ASSERT(shared.has_value());
  RC_ASSERT(shared->map.inputs().contains("block") == (row_ctas > 0));
  RC_ASSERT(shared->size() == layout->padded_size());
  const std::uint64_t part_rows = std::uint64_t{1} << (rows - row_ctas);
  for (std::uint64_t block = 0; block < std::uint64_t{1} << row_ctas; ++block) {
    for (std::uint64_t row = 0; row < part_rows; ++row) {
      layout::Coordinates point{{"offset", row << columns}};
      if (row_ctas > 0) point.push_back({"block", block});
      RC_ASSERT(shared->map.apply(point)->at("dim0") == block * part_rows + row);
    }
  }
}

}  // namespace padded_shared_test
}  // namespace heddle::interop::triton
