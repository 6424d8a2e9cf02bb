// Names and lists of axes.
#include "heddle/layout/axis.h"

#include <gtest/gtest.h>

#include <string>

namespace heddle::layout {
namespace axis_test {

static_assert(AxisName("register") == AxisName(std::string_view("register")));
static_assert(AxisName("lane") != AxisName("lanes"));
static_assert(AxisName("abcdefghijklmno").text() == "abcdefghijklmno", "15 characters fit");
static_assert(AxisName().empty() && AxisName().text().empty());
static_assert(sizeof(AxisName) == 16, "a name is two words");

TEST(AxisName, holds_1_to_15_letters_digits_and_underscores) {
  EXPECT_TRUE(AxisName::is_valid("m"));
  EXPECT_TRUE(AxisName::is_valid("dim_0"));
  EXPECT_TRUE(AxisName::is_valid("_15_characters_"));
  EXPECT_FALSE(AxisName::is_valid(""));
  EXPECT_FALSE(AxisName::is_valid("16_characters___"));
  EXPECT_FALSE(AxisName::is_valid("0dim"));
  EXPECT_FALSE(AxisName::is_valid("a b"));
  EXPECT_FALSE(AxisName::is_valid("a:b"));
  EXPECT_FALSE(AxisName::is_valid(std::string_view("a\0b", 3)));
}

TEST(AxisName, gives_back_its_text_at_every_length) {
  for (std::size_t length = 1; length <= AxisName::max_size; ++length) {
    const std::string text(length, 'x');
    EXPECT_EQ(AxisName(std::string_view(text)).text(), text);
  }
}

TEST(AxisName, differs_in_every_character) {
  const std::string text = "abcdefghijklmno";
  for (std::size_t i = 0; i < text.size(); ++i) {
    std::string other = text;
    other[i] = '_';
    EXPECT_FALSE(AxisName(std::string_view(text)) == AxisName(std::string_view(other))) << i;
  }
}

TEST(AxisNameDeathTest, stops_with_a_sentence_on_a_bad_name) {
  EXPECT_DEATH(AxisName(std::string_view("no spaces")), "an axis name is 1 to 15 letters");
}

TEST(FixedList, remembers_that_it_was_given_too_many) {
  NameList names = {"a", "b", "c", "d", "e", "f", "g", "h"};
  EXPECT_FALSE(names.is_overfull());
  names.push_back("i");
  EXPECT_TRUE(names.is_overfull());
  EXPECT_EQ(names.size(), 8);
  EXPECT_EQ(names[7], AxisName("h"));
}

TEST(Coordinates, are_found_by_name) {
  const Coordinates point = {{"lane", 5}, {"register", 3}};
  EXPECT_EQ(point.at("lane"), 5u);
  EXPECT_EQ(point.at("register"), 3u);
  EXPECT_EQ(point.find("register"), 1);
  EXPECT_EQ(point.find("warp"), -1);
  EXPECT_EQ(point.at_or("lane", 7), 5u);
  EXPECT_EQ(point.at_or("warp", 7), 7u);
}

TEST(CoordinatesDeathTest, stop_with_the_name_that_is_not_there) {
  const Coordinates point = {{"lane", 5}};
  EXPECT_DEATH((void)point.at("Lane"), "^heddle: this point has no axis 'Lane'\n");
  EXPECT_DEATH((void)point.at("fifteen_letters"), "has no axis 'fifteen_letters'\n");
}

}  // namespace axis_test
}  // namespace heddle::layout
