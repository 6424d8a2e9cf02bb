// The algebra against pycute and CuTe, and its laws by trying every coordinate. Where a witness
// answers and we refuse, its answer has to break the law.
#include "heddle/interop/cute/algebra.h"

#include "tests/interop/cute/random_cute.h"
#include "tests/interop/cute/recorded.h"

namespace heddle::interop::cute {
namespace algebra_test {

using namespace property;
using test::for_each_call;
using test::RecordedCall;

constexpr std::array files{"pycute.json.gz", "cute.json.gz"};

bool is_composition(const Layout& a, const Layout& b, const Layout& result) {
  if (size(result) != size(b)) return false;
  for (Number i = 0; i < size(b); ++i)
    if (evaluate(result, i) != evaluate(a, evaluate(b, i))) return false;
  return true;
}

bool is_complement(const Layout& layout, Number cotarget, const Layout& rest) {
  const Layout own = filter(layout);
  Number end = 1;
  for (const Layout* part : {&own, &rest})
    for (const Mode& leaf : flatten(*part)) end = std::max(end, leaf.shape * leaf.stride);
  if (end < cotarget) return false;
  const std::vector<Number> all = indices(rest);
  if (!std::ranges::is_sorted(all, std::ranges::less_equal())) return false;
  std::set<Number> sums;
  for (const Number x : indices(own))
    for (const Number y : all) sums.insert(x + y);
  return static_cast<Number>(sums.size()) == size(own) * size(rest);
}

TEST(Algebra, CompositionAsPycuteAndCute) {
  int ours_alone = 0, refused = 0;
  for (const char* file : files) {
    for_each_call(file, "composition", [&](const RecordedCall& call) {
      const auto ours = composition(call.layout(0), call.layout(1));
      const auto theirs = call.answer_layout();
      ours_alone += ours && !theirs;
      refused += !ours;
      if (!theirs) return;
      if (!ours) {
        EXPECT_FALSE(is_composition(call.layout(0), call.layout(1), *theirs)) << ours.error();
      } else if (test::simplified(*ours) != test::simplified(*theirs)) {
        // pycute coalesces a last mode of size 1 away, CuTe does not.
        EXPECT_FALSE(is_composition(call.layout(0), call.layout(1), *theirs)) << text(*ours);
      }
    });
  }
  EXPECT_GT(ours_alone, 0);
  EXPECT_GT(refused, 20);
}

TEST(Algebra, ComplementAsPycuteAndCute) {
  for (const char* file : files) {
    for_each_call(file, "complement", [](const RecordedCall& call) {
      const Number cotarget = *call.arguments[1].getAsInteger();
      const auto ours = complement(call.layout(0), cotarget);
      const auto theirs = call.answer_layout();
      if (ours && theirs) {
        EXPECT_EQ(*ours, *theirs);
      } else if (theirs) {
        EXPECT_FALSE(is_complement(call.layout(0), cotarget, *theirs)) << ours.error();
      }
    });
  }
}

TEST(Algebra, RightInverseAsCute) {
  for_each_call("cute.json.gz", "right_inverse", [](const RecordedCall& call) {
    EXPECT_EQ(right_inverse(call.layout(0)), *call.answer_layout());
  });
}

TEST(Algebra, RightInverseIsNoShorterThanPycutes) {
  // pycute stops at the first stride that is not the wanted one, also at a 0.
  int equal = 0;
  for_each_call("pycute.json.gz", "right_inverse", [&](const RecordedCall& call) {
    const Layout ours = right_inverse(call.layout(0));
    const Layout theirs = *call.answer_layout();
    equal += ours == theirs;
    EXPECT_GE(size(ours), size(theirs));
    for (Number i = 0; i < size(theirs); ++i)
      EXPECT_EQ(evaluate(call.layout(0), evaluate(ours, i)),
                evaluate(call.layout(0), evaluate(theirs, i)));
  });
  EXPECT_GT(equal, 500);
}

TEST(Algebra, LeftInverseAsCute) {
  int answered = 0;
  for_each_call("cute.json.gz", "left_inverse", [&](const RecordedCall& call) {
    const auto ours = left_inverse(call.layout(0));
    const auto theirs = call.answer_layout();
    answered += ours.has_value();
    if (ours) {
      ASSERT_TRUE(theirs) << text(*ours);
      EXPECT_EQ(*ours, *theirs);
    } else if (theirs) {  // CuTe's is then no inverse
      bool leads_back = true;
      for (const Number index : indices(call.layout(0)))
        leads_back = leads_back && evaluate(call.layout(0), evaluate(*theirs, index)) == index;
      EXPECT_FALSE(leads_back) << ours.error();
    }
  });
  EXPECT_GT(answered, 8);
}

// pycute's leads elsewhere from what lies between the indices, and not always back.
TEST(Algebra, LeftInverseLeadsBackAsPycutes) {
  int alike = 0;
  for_each_call("pycute.json.gz", "left_inverse", [&](const RecordedCall& call) {
    const Layout layout = call.layout(0);
    const auto ours = left_inverse(layout);
    const auto theirs = call.answer_layout();
    if (!ours || !theirs || !is_injective(layout)) return;
    bool same = true;
    for (Number i = 0; i < size(layout); ++i) {
      ASSERT_EQ(evaluate(*ours, evaluate(layout, i)), i);
      same = same && evaluate(*theirs, evaluate(layout, i)) == i;
    }
    alike += same;
  });
  EXPECT_GT(alike, 300);
}

RC_GTEST_PROP(Algebra, CompositionIsPointwise, ()) {
  const Layout a = *any_layout(), b = *any_layout(200);
  const auto result = composition(a, b);
  RC_CLASSIFY(result.has_value());
  if (!result) return;
  RC_ASSERT(is_composition(a, b, *result));
  if (b.is_leaf()) return;
  RC_ASSERT(result->rank() == b.rank());
  for (std::size_t i = 0; i < b.rank(); ++i) RC_ASSERT(size((*result)[i]) == size(b[i]));
}

RC_GTEST_PROP(Algebra, CompositionOfPowersOfTwoIsRefusedOnlyForOverhang, ()) {
  const Layout a = *power_of_two_layout(), b = make_layout(shape(*power_of_two_layout()));
  const auto result = composition(a, b);
  RC_ASSERT(result.has_value());
  RC_ASSERT(is_composition(a, b, *result));
}

RC_GTEST_PROP(Algebra, ComplementIsDisjointAndOrdered, ()) {
  const Layout layout = *any_layout(100);
  const Number cotarget = number_in<Number>(1, 300);
  const auto rest = complement(layout, cotarget);
  RC_CLASSIFY(rest.has_value());
  if (rest) {
    RC_ASSERT(is_complement(layout, cotarget, *rest));
  } else {  // only with leaves of overlapping reach
    const std::vector<Mode> leaves = flatten(filter(layout));
    bool overlap = false;
    for (const Mode& x : leaves)
      for (const Mode& y : leaves)
        overlap = overlap || (&x != &y && x.stride <= y.stride && y.stride < x.shape * x.stride);
    RC_ASSERT(overlap);
  }
}

RC_GTEST_PROP(Algebra, RightInverseLeadsBack, ()) {
  const Layout layout = *any_layout();
  const Layout inverse = right_inverse(layout);
  for (Number i = 0; i < size(inverse); ++i) RC_ASSERT(evaluate(layout, evaluate(inverse, i)) == i);
  const std::set<Number> reached = image(layout);
  if (is_injective(layout) && *reached.rbegin() + 1 == size(layout))
    RC_ASSERT(size(inverse) == size(layout));  // a bijection has a whole inverse
}

RC_GTEST_PROP(Algebra, LeftInverseLeadsBack, ()) {
  const Layout layout = *any_layout();
  const auto inverse = left_inverse(layout);
  RC_CLASSIFY(inverse.has_value());
  if (!inverse) return;
  for (const Number index : indices(layout))
    RC_ASSERT(evaluate(layout, evaluate(*inverse, index)) == index);
}

TEST(Algebra, DocumentedExamples) {
  const auto l = test::layout_of;
  // 02_layout_algebra.md: "Example 1", "Example 2" of composition, and of complement.
  EXPECT_EQ(composition(l("(6,2):(8,2)"), l("(4,3):(3,1)")), l("((2,2),3):((24,2),8)"));
  EXPECT_EQ(composition(l("20:2"), l("(5,4):(4,1)")), l("(5,4):(8,2)"));
  EXPECT_EQ(composition(l("(10,2):(16,4)"), l("(5,4):(1,5)")), l("(5,(2,2)):(16,(80,4))"));
  EXPECT_EQ(complement(l("4:1"), 24), l("6:4"));
  EXPECT_EQ(complement(l("6:4"), 24), l("4:1"));
  EXPECT_EQ(complement(l("(4,6):(1,4)"), 24), l("1:0"));
  EXPECT_EQ(complement(l("4:2"), 24), l("(2,3):(1,8)"));
  EXPECT_EQ(complement(l("(2,4):(1,6)"), 24), l("3:2"));
  EXPECT_EQ(complement(l("(2,2):(1,6)"), 24), l("(3,2):(2,12)"));
}

TEST(Algebra, RefusalsNameTheLeaf) {
  const auto l = test::layout_of;
  EXPECT_EQ(composition(l("(4,6):(1,7)"), l("2:3")), l("2:3"));  // 0 and 3: inside one leaf
  EXPECT_EQ(composition(l("(4,6):(1,7)"), l("4:3")).error(),
            "the leaf 4:3 steps by 3 through the leaf 4:1, and neither of 3 and 4 divides the "
            "other");
  EXPECT_EQ(composition(l("(4,6):(1,7)"), l("6:1")).error(),
            "the leaf 6:1 takes 4 steps inside the leaf 4:1, which does not divide the 6 that it "
            "has left");
  EXPECT_EQ(composition(l("(5,6):(3,4)"), l("(3,2):(1,3)")).error(),
            "the leaves of the right layout add up beyond the leaf 5:3 of the left one and would "
            "carry into the next, which strides cannot say");
  EXPECT_EQ(composition(l("4:1"), l("2:-1")).error(),
            "the leaf 2:-1 goes backwards; composition takes strides of 0 or more");
  EXPECT_EQ(complement(l("(3,2):(2,5)"), 24).error(),
            "the leaf 2:5 overlaps those of smaller strides, which fill 6");
  EXPECT_EQ(complement(l("3:-2"), 24).error(),
            "the leaf 3:-2 goes backwards; a complement is of strides of 0 or more");
  EXPECT_EQ(complement(l("3:2"), 0).error(),
            "the size to fill is 0; it is 1 or more, at most 2^62");
  EXPECT_EQ(left_inverse(l("(2,4):(1,1)")).error(),
            "the leaf 4:1 overlaps the leaf 2:1; an inverse needs indices of their own");
  EXPECT_EQ(left_inverse(l("(2,4):(2,5)")).error(),
            "the stride of the leaf 4:5 is no multiple of that of the leaf 2:2, which an inverse "
            "needs");
  EXPECT_EQ(composition(l("4:288230376151711744"), l("4:288230376151711744")).error(),
            "the composition reaches beyond index 2^62");
}

}  // namespace algebra_test
}  // namespace heddle::interop::cute
