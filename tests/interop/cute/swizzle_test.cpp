#include "heddle/interop/cute/swizzle.h"

#include <sstream>

#include "tests/interop/cute/random_cute.h"
#include "tests/interop/cute/recorded.h"

namespace heddle::interop::cute {
namespace swizzle_test {

using namespace property;
using test::for_each_call;
using test::RecordedCall;

static_assert(Swizzle{3, 4, 3}(1 << 7) == (1 << 7 | 1 << 4));
static_assert(Swizzle{2, 0, -2}(1) == (1 | 4));

TEST(Swizzle, AsPycute) {
  for_each_call("pycute.json.gz", "swizzle", [](const RecordedCall& call) {
    const auto number = [&](std::size_t i) {
      return static_cast<int>(*call.arguments[i].getAsInteger());
    };
    const Swizzle swizzle{number(0), number(1), number(2)};
    ASSERT_FALSE(check(swizzle));
    const auto& inputs = *call.arguments[3].getAsArray();
    const auto& expected = *call.answer.getAsArray();
    for (std::size_t i = 0; i < inputs.size(); ++i)
      EXPECT_EQ(swizzle(*inputs[i].getAsInteger()), *expected[i].getAsInteger());
  });
}

// CuTe prints the composed layout, then its indices. A swizzle of 0 bits vanishes there.
TEST(Swizzle, ComposedLayoutsReadAndEvaluateAsCute) {
  for_each_call("cute.json.gz", "swizzle", [](const RecordedCall& call) {
    std::istringstream words(call.answer.getAsString()->str());
    std::string printed, word;
    std::vector<Number> expected;
    while (words >> word) {
      const bool is_index = word.find_first_not_of("0123456789") == std::string::npos;
      const bool is_text = !is_index || printed.ends_with("o ");
      if (is_text) {
        printed += word + " ";
      } else {
        expected.push_back(std::stoll(word));
      }
    }
    const auto layout = read(printed);
    ASSERT_TRUE(layout) << printed << ": " << layout.error().message;
    ASSERT_EQ(size(*layout), static_cast<Number>(expected.size()));
    for (Number i = 0; i < size(*layout); ++i)
      ASSERT_EQ(evaluate(*layout, i), expected[static_cast<std::size_t>(i)]);
    const auto named = read(call.arguments[0].getAsString()->str() + " o 0 o " +
                            call.arguments[1].getAsString()->str());
    ASSERT_TRUE(named);
    for (Number i = 0; i < size(*named); ++i) ASSERT_EQ(evaluate(*named, i), evaluate(*layout, i));
  });
}

RC_GTEST_PROP(Swizzle, IsItsOwnInverseAndLinear, ()) {
  const Swizzle swizzle = *any_swizzle();
  RC_ASSERT(!check(swizzle));
  const Number x = number_in<Number>(0, 1 << 16), y = number_in<Number>(0, 1 << 16);
  RC_ASSERT(swizzle(swizzle(x)) == x);
  RC_ASSERT(swizzle(x ^ y) == (swizzle(x) ^ swizzle(y)));
}

RC_GTEST_PROP(Swizzle, CompositionIsPointwise, ()) {
  const ComposedLayout left{*any_swizzle(), number_in<Number>(0, 9), *any_layout()};
  const Layout right = *any_layout(100);
  const auto result = composition(left, right);
  RC_CLASSIFY(result.has_value());
  if (!result) return;
  for (Number i = 0; i < size(right); ++i)
    RC_ASSERT(evaluate(*result, i) == evaluate(left, evaluate(right, i)));
}

RC_GTEST_PROP(Swizzle, DividesInside, ()) {
  const ComposedLayout composed{*any_swizzle(), number_in<Number>(0, 9), *any_layout()};
  const Tiler tile = tiler(*any_layout(40));
  const auto plain = zipped_divide(composed.layout, tile);
  const auto divided =
      inside(composed, [&](const Layout& layout) { return zipped_divide(layout, tile); });
  RC_ASSERT(divided.has_value() == plain.has_value());
  if (!divided) return;
  for (Number i = 0; i < size(*plain); ++i)
    RC_ASSERT(evaluate(*divided, i) == composed.swizzle(composed.offset + evaluate(*plain, i)));
}

TEST(Swizzle, RefusesWhatIsNone) {
  EXPECT_EQ(check(Swizzle{3, 4, 2}),
            "a swizzle of 3 bits needs a shift of at least 3, or it would flip bits by themselves");
  EXPECT_EQ(check(Swizzle{-1, 4, 2}), "the bits and the base of a swizzle are 0 or more");
  EXPECT_EQ(check(Swizzle{3, 50, 10}), "a swizzle moves bits below bit 62");
}

}  // namespace swizzle_test
}  // namespace heddle::interop::cute
