#include "heddle/interop/iree_text.h"

#include "tests/layout/random_layouts.h"

namespace heddle::interop::iree {
namespace iree_text_test {

using layout::property::full_size;
using layout::property::number_in;

Sizes any_sizes(std::size_t rank, std::int64_t least) {
  Sizes sizes(rank);
  for (std::int64_t& size : sizes) size = number_in<std::int64_t>(least, 70);
  return sizes;
}

rc::Gen<AnyLayout> any_text_layout() {
  return full_size([]() -> AnyLayout {
    const auto rank = number_in<std::size_t>(0, 5);
    const auto sizes = [&] { return any_sizes(rank, 1); };
    const auto strides = [&] { return any_sizes(rank, 0); };
    if (number_in(0, 2) == 0) return SubgroupLayout{sizes(), sizes(), strides(), sizes()};
    return NestedLayout{sizes(), sizes(), sizes(), sizes(), sizes(), strides(), strides()};
  });
}

RC_GTEST_PROP(IreeText, ReadsBack, ()) {
  const AnyLayout layout = *any_text_layout();
  const auto again = read(text(layout));
  RC_ASSERT(again.has_value());
  RC_ASSERT((*again == layout));
}

RC_GTEST_PROP(IreeText, DamagedTextsAreReadOrRefusedInside, ()) {
  std::string damaged = text(*any_text_layout());
  const auto place = number_in<std::size_t>(0, damaged.size());
  damaged[place] = *rc::gen::element('[', ']', ',', '=', '{', '}', '>', '7', 'x', ' ');
  const auto result = read(damaged);
  if (result) {
    RC_ASSERT((read(text(*result)) == result));
  } else {
    RC_ASSERT(result.error().column >= 1u);
    RC_ASSERT(result.error().column <= damaged.size() + 1);
  }
}

TEST(IreeText, WritesAsIreePrints) {
  const NestedLayout nested{{1, 1}, {2, 4}, {4, 1}, {4, 2}, {1, 4}, {0, 0}, {1, 4}};
  EXPECT_EQ(text(nested),
            "#iree_vector_ext.nested_layout<subgroup_tile = [1, 1], batch_tile = [2, 4], "
            "outer_tile = [4, 1], thread_tile = [4, 2], element_tile = [1, 4], "
            "subgroup_strides = [0, 0], thread_strides = [1, 4]>");
  EXPECT_EQ(text(SubgroupLayout{{8, 1}, {2, 16}, {16, 1}, {1, 1}}),
            "{outer = [8, 1], thread = [2, 16], tstrides = [16, 1], element = [1, 1]}");
}

TEST(IreeText, OtherSpellings) {
  const SubgroupLayout layout{{8, 1}, {2, 16}, {16, 1}, {1, 1}};
  for (const char* text :
       {"{/*outer=*/{8, 1}, /*thread=*/{2, 16}, /*strides=*/{16, 1}, /*element=*/{1, 1}}",
        "{element=[1,1],thread=[2,16],outer=[8,1],tstrides=[16,1]}"}) {
    ASSERT_TRUE(read(text)) << read(text).error().message;
    EXPECT_EQ(std::get<SubgroupLayout>(*read(text)), layout);
  }
  EXPECT_TRUE(
      read("nested_layout<subgroup_tile = [], batch_tile = [], outer_tile = [], "
           "thread_tile = [], element_tile = [], subgroup_strides = [], "
           "thread_strides = []>"));
}

struct Mistake {
  const char* text;
  std::size_t column;
  const char* message;
};

TEST(IreeText, ErrorsPointAtTheColumn) {
  const Mistake mistakes[] = {
      {"", 1,
       "expected '{' of an operand's layout, or '#iree_vector_ext.nested_layout<', found the end "
       "of the text"},
      {"{outer [8]", 8, "expected '=' behind the field outer, found '['"},
      {"{outer = 8", 10, "expected '[' and the numbers of outer, found '8'"},
      {"{outer = [8, 0]", 14, "a number of outer is from 1 to 1099511627776"},
      {"{outer = [8, 1}", 15, "expected ']' or ',' in outer, found '}'"},
      {"{outer = [8, 1]}", 16, "expected ',' and the field thread, found '}'"},
      {"{outer = [8, 1], outer = [8, 1]}", 18, "the field outer is there twice"},
      {"{outer = [8, 1], threads = [2, 16]}", 18, "there is no field 'threads'; thread is missing"},
      {"{outer = [8, 1], thread = [2]}", 27, "thread has 1 numbers and the fields before it 2"},
      {"{outer = [8], thread = [2], tstrides = [1], element = [1]>", 58,
       "expected '}' behind the last field, found '>'"},
      {"{outer = [1], thread = [2], tstrides = [1], element = [1]} x", 60,
       "expected the end of the layout, found 'x'"},
      {"{outer = [1,1,1,1,1,1,1,1,1]", 27, "expected at most 8 dimensions, found '1'"},
  };
  for (const Mistake& mistake : mistakes) {
    const auto result = read(mistake.text);
    ASSERT_FALSE(result) << mistake.text;
    EXPECT_EQ(result.error().column, mistake.column) << mistake.text;
    EXPECT_EQ(result.error().message, mistake.message);
  }
}

}  // namespace iree_text_test
}  // namespace heddle::interop::iree
