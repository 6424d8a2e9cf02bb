// The text form: reads back exactly, and says at which column it cannot be read.
#include "heddle/layout/text.h"

#include "random_layouts.h"

namespace heddle::layout {
namespace text_test {

constexpr std::string_view operand_a =
    "element: (0,1) (0,2) (0,4) (0,8); lane: (1,0) (2,0) (4,0) (8,0) (0,0) -> m: 16, k: 16";
constexpr auto parsed = parse(operand_a);
static_assert(parsed.has_value(), parsed.error().message());
static_assert(text(*parsed).view() == operand_a);
static_assert(parsed->apply({{"element", 9}, {"lane", 21}})->at("m") == 5);

RC_GTEST_PROP(Text, the_text_form_reads_back, ()) {
  const LinearLayout layout = *property::any_layout();
  const auto again = parse(text(layout));
  RC_ASSERT(again.has_value());
  RC_ASSERT(*again == layout);
}

RC_GTEST_PROP(Text, the_text_form_reads_back_with_64_bits, ()) {
  const int split = property::number_in(0, 65);
  const AxisList inputs = {{"a", split}, {"b", 64 - split}};
  const AxisList outputs = {{"x", 64 - split}, {"y", split}};
  LinearLayout::Bases bases = {};
  for (std::uint64_t& basis : bases) {
    basis = property::any_word();
  }
  const LinearLayout layout = LinearLayout::from_words(inputs, outputs, bases).value();
  RC_ASSERT(*parse(text(layout)) == layout);
}

TEST(Text, has_room_for_the_longest_layout) {
  AxisList inputs, outputs;
  for (char letter = 'a'; letter < 'i'; ++letter) {
    const std::string name(15, letter);
    inputs.push_back({AxisName(std::string_view(name)), 8});
    outputs.push_back({AxisName(std::string_view(name)), 8});
  }
  LinearLayout::Bases bases = {};
  bases.fill(~std::uint64_t{0});
  const LinearLayout layout = LinearLayout::from_words(inputs, outputs, bases).value();
  EXPECT_LT(text(layout).size(), 4096u);
  EXPECT_TRUE(*parse(text(layout)) == layout);
}

TEST(Text, prints_layouts_without_axes_or_bases) {
  EXPECT_EQ(text(LinearLayout()).view(), "->");
  EXPECT_TRUE(parse("->").value() == LinearLayout());
  const auto broadcast = parse("lane: () () ->");
  ASSERT_TRUE(broadcast.has_value()) << broadcast.error().message().view();
  EXPECT_EQ(text(*broadcast).view(), "lane: () () ->");
  const auto point = parse("register:; lane: -> m: 1, n: 1");
  ASSERT_TRUE(point.has_value()) << point.error().message().view();
  EXPECT_EQ(text(*point).view(), "register:; lane: -> m: 1, n: 1");
}

TEST(Text, takes_free_spaces_and_sizes_as_powers) {
  const auto layout = parse("\n lane :(1 , 0)(\t2,0 )->m:2^2 ,  n : 2^40\r\n");
  ASSERT_TRUE(layout.has_value()) << layout.error().message().view();
  EXPECT_EQ(text(*layout).view(), "lane: (1,0) (2,0) -> m: 4, n: 2^40");
  EXPECT_EQ(parse("-> all: 2^64")->outputs().bits(), 64);
}

// One mistake a line: the text and the sentence.
struct Mistake {
  const char* text;
  const char* sentence;
};

constexpr Mistake mistakes[] = {
    {"", "column 1: expected '->' and the output axes, as in 'lane: (1) (2) -> m: 4'"},
    {"lane: (1)", "column 10: expected '->' and the output axes, as in 'lane: (1) (2) -> m: 4'"},
    {"lane (1) -> m: 2", "column 6: expected ':' after axis 'lane', found '('"},
    {"lane: (1) -> m 2", "column 16: expected ':' after axis 'm', found '2'"},
    {": (1) -> m: 2",
     "column 1: expected the name of an axis (letters, digits, underscores; no digit first), found "
     "':'"},
    {"lane: (1) -> 0m: 2",
     "column 14: expected the name of an axis (letters, digits, underscores; no digit first), "
     "found "
     "'0'"},
    {"lane: (1); -> m: 2",
     "column 12: expected the name of an axis (letters, digits, underscores; no digit first), "
     "found '-'"},
    {"lane: (1) -> m: 2,",
     "column 19: expected the name of an axis (letters, digits, underscores; no digit first), "
     "found the end of the "
     "text"},
    {"lane: (1) -> sixteen_letters_: 2",
     "column 14: this name has 16 characters; an axis name has at most 15"},
    {"lane: 1 -> m: 2",
     "column 7: expected '(' to begin a basis of axis 'lane', ';' and the next input axis, or '->' "
     "and the output axes, found '1'"},
    {"lane: (1) (x) -> m: 2", "column 12: expected a coordinate on output axis 'm', found 'x'"},
    {"lane: (1) -> m: 2, n: 2",
     "column 9: expected ',' and a coordinate on output axis 'n' (a basis has one for each output "
     "axis), found ')'"},
    {"lane: (1,1) -> m: 2",
     "column 9: expected ')' after the 1 coordinates of this basis of axis 'lane', found ','"},
    {"lane: (4) -> m: 4", "column 8: coordinate 4 lies outside axis 'm', which has size 4"},
    {"lane: (1) -> m: 12",
     "column 17: expected the size of axis 'm', a power of two such as 16 or 2^40, found '1'"},
    {"lane: (1) -> m: 0",
     "column 17: expected the size of axis 'm', a power of two such as 16 or 2^40, found '0'"},
    {"lane: (1) -> m: 2^65",
     "column 17: expected the size of axis 'm', a power of two such as 16 or 2^40, found '2'"},
    {"-> m: 2^",
     "column 9: expected the size of axis 'm', a power of two such as 16 or 2^40, found the end of "
     "the text"},
    {"-> m: 2^ x, n: 2",
     "column 10: expected the size of axis 'm', a power of two such as 16 or 2^40, found 'x'"},
    {"lane: (1) -> m: big",
     "column 17: expected the size of axis 'm', a power of two such as 16 or 2^40, found 'b'"},
    {"lane: (1) -> m: 2 n: 4",
     "column 19: expected ',' and another output axis, or the end, found 'n'"},
    {"lane: (99999999999999999999) -> m: 2", "column 8: this number does not fit into 64 bits"},
    {"lane: (1); lane: (1) -> m: 2",
     "column 12: axis 'lane' is named twice on this side; give each axis its own name"},
    {"-> m: 2, m: 4",
     "column 10: axis 'm' is named twice on this side; give each axis its own name"},
    {"-> a:1,b:1,c:1,d:1,e:1,f:1,g:1,h:1,i:1",
     "column 36: axis 'i' is one too many; a layout has at most 8 input and 8 output axes"},
    {"-> m: 2^40, n: 2^30",
     "column 20: more than 64 bits on this side with axis 'n'; a layout has at most 64"},
};

TEST(Text, says_at_which_column_it_cannot_be_read) {
  for (const Mistake& mistake : mistakes) {
    const auto layout = parse(mistake.text);
    EXPECT_FALSE(layout.has_value()) << mistake.text;
    EXPECT_EQ(layout.error().message().view(), mistake.sentence) << mistake.text;
  }
}

TEST(Text, a_zero_byte_is_not_the_end_of_the_text) {
  EXPECT_EQ(parse(std::string_view("lane: (1) -> m: 2\0", 18)).error().message().view(),
            "column 18: expected ',' and another output axis, or the end, found byte 0");
  EXPECT_EQ(parse(std::string_view("lane\0: (1) -> m: 2", 18)).error().message().view(),
            "column 5: expected ':' after axis 'lane', found byte 0");
  EXPECT_EQ(parse(std::string_view("-> \0", 4)).error().message().view().substr(0, 8), "column 4");
}

TEST(Text, refuses_the_65th_basis) {
  std::string text = "lane:";
  for (int bit = 0; bit < 65; ++bit) text += " (1)";
  EXPECT_EQ(parse(text + " -> m: 2").error().message().view(),
            "column 264: more than 64 bits on this side with axis 'lane'; a layout has at most 64");
}

RC_GTEST_PROP(Text, any_text_is_read_or_refused_with_a_column_inside_it, ()) {
  const auto pieces = *rc::gen::container<std::vector<std::string>>(rc::gen::element<std::string>(
      "lane", "m", ":", ";", ",", "(", ")", "->", " ", "1", "2", "16", "^", "x"));
  std::string text;
  for (const std::string& piece : pieces) text += piece;
  const auto layout = parse(text);
  if (layout) {
    RC_ASSERT(*parse(heddle::layout::text(*layout)) == *layout);
  } else {
    const std::uint64_t column = layout.error().numbers[0];
    RC_ASSERT(column >= 1);
    RC_ASSERT(column <= text.size() + 1);
  }
}

}  // namespace text_test
}  // namespace heddle::layout
