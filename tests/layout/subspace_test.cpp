// Subspace against the set of words itself.
#include "heddle/layout/subspace.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <set>
#include <vector>

namespace heddle::layout {
namespace subspace_test {

static_assert(Subspace{3, 5, 6}.dimension() == 2);
static_assert(Subspace{3, 5}.contains(6) && !Subspace{3, 5}.contains(1));
static_assert(intersection(Subspace{1, 2}, Subspace{3, 4}) == Subspace{3});

using Words = std::vector<std::uint64_t>;

Words random_words() {
  return *rc::gen::container<Words>(*rc::gen::inRange<std::size_t>(0, 5),
                                    rc::gen::inRange<std::uint64_t>(0, 128));
}

Subspace span_of(const Words& words) {
  Subspace subspace;
  for (const std::uint64_t word : words) subspace.add(word);
  return subspace;
}

std::set<std::uint64_t> all_sums(const Words& words) {
  std::set<std::uint64_t> sums;
  for (std::uint64_t chosen = 0; chosen >> words.size() == 0; ++chosen) {
    std::uint64_t sum = 0;
    for (std::size_t i = 0; i < words.size(); ++i)
      if ((chosen >> i & 1) != 0) sum ^= words[i];
    sums.insert(sum);
  }
  return sums;
}

std::set<std::uint64_t> members(const Subspace& subspace) {
  std::set<std::uint64_t> found;
  for (std::uint64_t word = 0; word < 128; ++word)
    if (subspace.contains(word)) found.insert(word);
  return found;
}

RC_GTEST_PROP(Subspace, HoldsExactlyTheSums, ()) {
  const Words words = random_words();
  const Subspace subspace = span_of(words);
  RC_ASSERT(members(subspace) == all_sums(words));
  RC_ASSERT(members(subspace).size() == std::size_t{1} << subspace.dimension());
  Words basis;
  for (int i = 0; i < subspace.dimension(); ++i) basis.push_back(subspace.basis(i));
  RC_ASSERT(all_sums(basis) == all_sums(words));
}

RC_GTEST_PROP(Subspace, AddSaysWhetherTheWordIsNew, ()) {
  Subspace subspace = span_of(random_words());
  const auto word = *rc::gen::inRange<std::uint64_t>(0, 128);
  const bool is_new = !subspace.contains(word);
  const int before = subspace.dimension();
  RC_ASSERT(subspace.add(word) == is_new);
  RC_ASSERT(subspace.dimension() == before + is_new);
}

RC_GTEST_PROP(Subspace, SumAndIntersectionAreThoseOfTheSets, ()) {
  const Words a = random_words();
  const Words b = random_words();
  Words both = a;
  both.insert(both.end(), b.begin(), b.end());
  RC_ASSERT(members(sum(span_of(a), span_of(b))) == all_sums(both));
  std::set<std::uint64_t> shared;
  for (const std::uint64_t word : all_sums(a))
    if (all_sums(b).contains(word)) shared.insert(word);
  RC_ASSERT(members(intersection(span_of(a), span_of(b))) == shared);
  RC_ASSERT((span_of(a) == span_of(b)) == (all_sums(a) == all_sums(b)));
}

}  // namespace subspace_test
}  // namespace heddle::layout
