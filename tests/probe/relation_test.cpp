// Labels are found from nothing but which ones meet: any product with shuffled places gives its
// true coordinates back, and what is no product is refused.
#include "probe/relation.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <numeric>

namespace heddle::probe {
namespace relation_test {

std::vector<int> shuffled(int size) {
  std::vector<int> order(static_cast<std::size_t>(size));
  std::iota(order.begin(), order.end(), 0);
  for (int i = size - 1; i > 0; --i)
    std::swap(order[static_cast<std::size_t>(i)],
              order[static_cast<std::size_t>(*rc::gen::inRange(0, i + 1))]);
  return order;
}

/// An M x K times K x N product whose places are shuffled: place p holds element order[p].
struct Product {
  int m, n, k;
  std::vector<int> a, b, d;

  Labels truth() const {
    Labels labels;
    for (const int element : a) {
      labels.a_m.push_back(element / k);
      labels.a_k.push_back(element % k);
    }
    for (const int element : b) {
      labels.b_k.push_back(element / n);
      labels.b_n.push_back(element % n);
    }
    for (const int element : d) {
      labels.d_m.push_back(element / n);
      labels.d_n.push_back(element % n);
    }
    return labels;
  }
};

template <typename Add>
void run(const Product& product, Add add) {
  const Labels truth = product.truth();
  for (std::size_t a = 0; a < product.a.size(); ++a)
    for (std::size_t d = 0; d < product.d.size(); ++d)
      for (std::size_t b = 0; b < product.b.size(); ++b)
        if (truth.a_m[a] == truth.d_m[d] && truth.a_k[a] == truth.b_k[b] &&
            truth.b_n[b] == truth.d_n[d])
          add(static_cast<int>(a), static_cast<int>(d), static_cast<int>(b));
}

Product any_product() {
  const int m = *rc::gen::inRange(2, 5), n = *rc::gen::inRange(2, 5), k = *rc::gen::inRange(2, 5);
  return {m, n, k, shuffled(m * k), shuffled(k * n), shuffled(m * n)};
}

Relation relation_of(const Product& product) {
  return Relation(static_cast<int>(product.a.size()), static_cast<int>(product.b.size()),
                  static_cast<int>(product.d.size()));
}

RC_GTEST_PROP(Relation, FindsTheCoordinatesOfAShuffledProduct, ()) {
  const Product product = any_product();
  Relation relation = relation_of(product);
  run(product, [&](int a, int d, int b) { relation.add(a, d, b); });
  const auto found = relation.labels();
  RC_ASSERT(found.has_value());
  RC_ASSERT(*found == numbered(product.truth()));
}

RC_GTEST_PROP(Relation, RefusesWhatMissesAnAnswer, ()) {
  const Product product = any_product();
  Relation relation = relation_of(product);
  const int lost = *rc::gen::inRange(0, product.m * product.n * product.k);
  int seen = 0;
  run(product, [&](int a, int d, int b) {
    if (seen++ != lost) relation.add(a, d, b);
  });
  RC_ASSERT(!relation.labels().has_value());
}

RC_GTEST_PROP(Relation, RefusesAWrongAnswer, ()) {
  const Product product = any_product();
  Relation relation = relation_of(product);
  const int wrong = *rc::gen::inRange(0, product.m * product.n * product.k);
  int seen = 0;
  run(product, [&](int a, int d, int b) {
    relation.add(a, d, seen++ == wrong ? (b + 1) % static_cast<int>(product.b.size()) : b);
  });
  RC_ASSERT(!relation.labels().has_value());
}

TEST(Relation, NumbersAreThoseOfTheFirstMeeting) {
  const Labels labels{.a_m = {7, 7, 3},
                      .a_k = {9, 1, 9},
                      .b_k = {1, 9},
                      .b_n = {4, 2},
                      .d_m = {3, 7},
                      .d_n = {2, 2},
                      .index_m = {-1, 3},
                      .index_k = {-1, 9}};
  const Labels wanted{.a_m = {0, 0, 1},
                      .a_k = {0, 1, 0},
                      .b_k = {1, 0},
                      .b_n = {0, 1},
                      .d_m = {1, 0},
                      .d_n = {1, 1},
                      .index_m = {-1, 1},
                      .index_k = {-1, 0}};
  EXPECT_EQ(numbered(labels), wanted);
}

}  // namespace relation_test
}  // namespace heddle::probe
