#include "heddle/instruction/nearest.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <string>

namespace heddle::instruction {
namespace nearest_test {

static_assert(edit_distance("kitten", "sitting") == 3);
static_assert(edit_distance("", "abc") == 3);

RC_GTEST_PROP(EditDistance, IsZeroForEqualOnly, (const std::string& a, const std::string& b)) {
  RC_PRE(a.size() <= longest_compared_name && b.size() <= longest_compared_name);
  RC_ASSERT((edit_distance(a, b) == 0) == (a == b));
}

RC_GTEST_PROP(EditDistance, IsSymmetric, (const std::string& a, const std::string& b)) {
  RC_ASSERT(edit_distance(a, b) == edit_distance(b, a));
}

RC_GTEST_PROP(EditDistance, IsOneAfterOneEdit, (std::string a, char c)) {
  a.resize(std::min(a.size(), longest_compared_name - 1));
  const auto at = *rc::gen::inRange<std::size_t>(0, a.size() + 1);
  std::string b = a;
  b.insert(at, 1, c);
  RC_ASSERT(edit_distance(a, b) == 1);
}

TEST(NearestNames, KeepsTheThreeNearestInOrder) {
  NearestNames nearest("abcd");
  for (const char* candidate : {"wxyz", "abxx", "abcx", "abcx", "xxxxxxx", "abcd"}) {
    nearest.consider(candidate);
  }
  EXPECT_EQ(nearest.names(), (std::array<std::string_view, 3>{"abcd", "abcx", "abxx"}));
}

TEST(NearestNames, MayBeFewer) {
  NearestNames nearest("abcd");
  nearest.consider("b");
  EXPECT_EQ(nearest.names(), (std::array<std::string_view, 3>{"b", "", ""}));
}

TEST(NearestNames, LongNamesAreCutOff) {
  EXPECT_EQ(edit_distance(std::string(1000, 'a'), std::string(2000, 'a')), 0);
}

}  // namespace nearest_test
}  // namespace heddle::instruction
