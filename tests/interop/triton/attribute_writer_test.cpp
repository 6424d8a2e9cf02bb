// Writing attributes: as Triton printed them, and so that they read back.
#include "heddle/interop/triton/attribute_writer.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "heddle/interop/triton/attribute_reader.h"
#include "heddle/layout/text.h"
#include "tests/interop/triton/recorded.h"

namespace heddle::interop::triton {
namespace attribute_writer_test {

using Object = llvm::json::Object;

// The attribute of every recorded layout, to the letter.
TEST(AttributeWriter, PrintsWhatTritonPrints) {
  int cases = 0;
  for (const llvm::json::Value& value : test::recorded_layouts()) {
    const Object& record = *value.getAsObject();
    const auto text = record.getString("text");
    if (!text || !record.getObject("fields") || record.getBoolean("wrong")) continue;
    const std::string own = std::visit([](const auto& layout) { return attribute(layout); },
                                       test::layout_of(*record.getObject("fields")));
    const std::string whole = text->str();
    const std::size_t begin = whole.find("#ttg.");
    const std::size_t end = std::min(whole.rfind(", #ttg.shared_memory"), whole.size() - 1);
    EXPECT_EQ(own, whole.substr(begin, end - begin));
    ++cases;
  }
  EXPECT_GE(cases, 3700);
}

/// A random map that reaches every element: a basis for each bit of a random shape, shuffled over
/// the inputs, with swizzles, and with zero bases between them for copies.
layout::LinearLayout random_map(const layout::NameList& inputs, bool has_copies) {
  const auto rank = *rc::gen::inRange<std::size_t>(1, 4);
  Numbers shape;
  Bases bits;
  for (std::size_t dim = 0; dim < rank; ++dim) {
    const int log = *rc::gen::inRange(dim == 0 ? 1 : 0, 5);
    shape.push_back(std::int64_t{1} << log);
    for (int bit = 0; bit < log; ++bit) {
      Numbers basis(rank, 0);
      basis[dim] = std::int64_t{1} << bit;
      bits.push_back(basis);
    }
  }
  for (std::size_t i = bits.size(); i-- > 1;)
    std::swap(bits[i], bits[*rc::gen::inRange<std::size_t>(0, i + 1)]);
  for (std::size_t i = 1; i < bits.size(); ++i) {  // swizzles
    if (*rc::gen::inRange(0, 4) != 0) continue;
    const auto other = *rc::gen::inRange<std::size_t>(0, i);
    for (std::size_t dim = 0; dim < rank; ++dim) bits[i][dim] ^= bits[other][dim];
  }
  std::vector<NamedBases> named;
  for (const layout::AxisName& name : inputs) named.push_back({name, {}});
  for (const Numbers& basis : bits) {
    auto& target = named[*rc::gen::inRange<std::size_t>(0, named.size())].bases;
    if (has_copies && *rc::gen::inRange(0, 5) == 0) target.push_back(Numbers(rank, 0));
    target.push_back(basis);
  }
  return map_of(named, shape).value();
}

RC_GTEST_PROP(AttributeWriter, ADistributedMapReadsBack, ()) {
  const auto map = random_map({"register", "lane", "warp", "block"}, true);
  const auto text = write(map);
  RC_ASSERT(text.has_value());
  const auto back = read(*text);
  RC_ASSERT(back.has_value());
  RC_ASSERT(std::get<layout::LinearLayout>(back->map) == map);
}

RC_GTEST_PROP(AttributeWriter, ASharedMapReadsBack, ()) {
  const memory::SharedLayout shared{random_map({"offset"}, false), {}};
  const auto text = write(shared);
  RC_ASSERT(text.has_value());
  const auto back = read(*text, shape_of(shared.map));  // a swizzled one does not say it
  RC_ASSERT(back.has_value());
  RC_ASSERT(std::get<memory::SharedLayout>(back->map) == shared);
}

RC_GTEST_PROP(AttributeWriter, APaddedMapReadsBack, ()) {
  memory::SharedLayout shared{random_map({"offset"}, false), {}};
  shared.padding.push_back(
      {std::uint64_t{1} << *rc::gen::inRange(1, 6), std::uint64_t{1} << *rc::gen::inRange(0, 4)});
  const auto text = write(shared);
  RC_ASSERT(text.has_value());
  const auto back = read(*text);
  RC_ASSERT(back.has_value());
  RC_ASSERT(std::get<memory::SharedLayout>(back->map) == shared);
}

// What Triton gave bases for is written, reads back, and where it was blocked or swizzled is found
// to be that again.
TEST(AttributeWriter, RecordedMapsReadBack) {
  int cases = 0;
  int blocked = 0;
  int swizzled = 0;
  for (const llvm::json::Value& value : test::recorded_layouts()) {
    const Object& record = *value.getAsObject();
    if (!record.getObject("linear")) continue;
    const auto map = test::map_of(*record.getObject("linear"));
    if (map.input_bits() == 0) continue;
    const bool is_shared = map.inputs()[0].name == layout::AxisName("offset");
    const auto text = is_shared ? write(memory::SharedLayout{map, {}}) : write(map);
    ASSERT_TRUE(text.has_value()) << layout::text(map).view() << text.error();
    const auto back = is_shared ? read(*text, shape_of(map)) : read(*text);
    ASSERT_TRUE(back.has_value()) << *text << back.error().message;
    EXPECT_TRUE(is_shared ? std::get<memory::SharedLayout>(back->map).map == map
                          : std::get<layout::LinearLayout>(back->map) == map)
        << *text;
    const bool one_cta = map.inputs().bits_of("block") == 0;
    if (test::kind_of(record) == "blocked" && one_cta) {
      // A tile cut by a small shape may be no box any more; one that fits always is.
      const auto found = short_layout(map);
      const auto own = test::layout_of(*record.getObject("fields"));
      const Numbers tile = tile_of(std::get<DistributedLayout>(own));
      const Numbers shape = shape_of(map);
      bool fits = true;
      for (std::size_t dim = 0; dim < tile.size(); ++dim) fits = fits && tile[dim] <= shape[dim];
      EXPECT_TRUE(found.has_value() || !fits) << record.getString("text")->str();
      if (found) EXPECT_EQ(std::get<layout::LinearLayout>(*to_map(*found, shape)), map);
      blocked += found.has_value();
    }
    if (test::kind_of(record) == "swizzled_shared") {
      const memory::SharedLayout shared{map, {}};
      const auto found = short_layout(shared);
      ASSERT_TRUE(found.has_value()) << record.getString("text")->str();
      EXPECT_EQ(std::get<memory::SharedLayout>(*to_map(*found, shape_of(map))), shared);
      ++swizzled;
    }
    ++cases;
  }
  EXPECT_GE(cases, 3300);
  EXPECT_GE(blocked, 70);
  EXPECT_GE(swizzled, 250);
}

TEST(AttributeWriter, ShortFormsFirst) {
  const auto rewritten = [](std::string_view text, const std::optional<Numbers>& shape = {}) {
    const auto layout = read(text, shape);
    EXPECT_TRUE(layout.has_value()) << layout.error().message;
    return std::visit([](const auto& map) { return write(map).value(); }, layout->map);
  };
  for (const std::string_view text :
       {"#ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], "
        "order = "
        "[1, 0]}>",
        "#ttg.swizzled_shared<{vec = 8, perPhase = 1, maxPhase = 8, order = [1, 0]}>",
        "#ttg.padded_shared<[4:+2] {order = [1, 0], shape = [16, 16]}>"})
    EXPECT_EQ(rewritten(text), text);
  EXPECT_EQ(rewritten("#ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [1, 1], "
                      "instrShape = [16, 8]}>"),
            "#ttg.linear<{register = [[0, 1], [8, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, "
            "0]], warp = [], block = []}>");
}

TEST(AttributeWriter, SaysWhyItCannot) {
  const auto map = [](std::string_view text) { return layout::parse(text).value(); };
  EXPECT_EQ(
      write(map("thread: (1) (2) -> m: 4")).error(),
      "the input axis 'thread' is out of place: #ttg.linear has register, lane, warp, block, in "
      "that order");
  EXPECT_EQ(
      write(map("register: (1); lane: (2) -> m: 8")).error(),
      "no basis reaches the upper half of the output axis 'm'; an attribute's shape is what its "
      "bases reach");
  EXPECT_EQ(write(map("register: (1); lane: (4) -> m: 8")).error(),
            "the bases do not reach every element; Triton's layouts are onto");
  EXPECT_EQ(write(memory::SharedLayout{map("lane: (1) -> m: 2"), {}}).error(),
            "the input axis 'lane' is out of place: #ttg.shared_linear has offset, block, in that "
            "order");
  EXPECT_EQ(
      write(memory::SharedLayout{map("offset: (1) (0) -> m: 2"), {{2, 1}}}).error(),
      "Broadcasting is not supported: the bases must reach each element of the shape [2] once");
  EXPECT_EQ(write(memory::SharedLayout{map("offset: (1) -> m: 2"), {{2, 3}}}).error(),
            "PaddedSharedLayout padding values must all be power of two");
}

}  // namespace attribute_writer_test
}  // namespace heddle::interop::triton
