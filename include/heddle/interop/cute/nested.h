// CuTe's hierarchical tuples: a value, or a tuple of such.
//
//   (4,(2,8))     a tuple of rank 2 and depth 2, with three leaves
//
//     tuple              rank    depth    flatten          written as
//     4                  1       0        4                int_tuple is not needed: IntTuple(4)
//     (4,8)              2       1        4, 8             int_tuple(4, 8)
//     (4,(2,8))          2       2        4, 2, 8          int_tuple(4, int_tuple(2, 8))
//     ()                 0       1        nothing          IntTuple::tuple({})
//
// Shapes, strides and coordinates of CuTe's layouts are such tuples. Two tuples are congruent if
// they nest alike, so that map_leaves can turn one into the other. Source: NVIDIA/cutlass,
// media/docs/cpp/cute/01_layout.md.
//
// For the host only: a tuple stores its modes in a vector. The depth is not limited here: readers
// of text limit it before they make a tuple.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace heddle::interop::cute {

using Number = std::int64_t;

/// A leaf, or a tuple of any rank, the empty one included.
template <class Leaf>
class Nested {
 public:
  Nested() = default;
  Nested(Leaf leaf) : leaf_(std::move(leaf)) {}
  static Nested tuple(std::vector<Nested> modes) {
    Nested result;
    result.modes_ = std::move(modes);
    result.is_tuple_ = true;
    return result;
  }

  bool is_leaf() const { return !is_tuple_; }
  /// Precondition: is_leaf().
  const Leaf& leaf() const { return leaf_; }

  /// The number of modes. A leaf has rank 1: it is its own only mode.
  std::size_t rank() const { return is_tuple_ ? modes_.size() : 1; }
  /// Precondition: mode < rank().
  const Nested& operator[](std::size_t mode) const { return is_tuple_ ? modes_[mode] : *this; }

  friend bool operator==(const Nested& a, const Nested& b) {
    if (a.is_tuple_ != b.is_tuple_) return false;
    return a.is_tuple_ ? a.modes_ == b.modes_ : a.leaf_ == b.leaf_;
  }

 private:
  Leaf leaf_{};
  std::vector<Nested> modes_;
  bool is_tuple_ = false;
};

using IntTuple = Nested<Number>;

/// Makes the tuple (first, rest…) of numbers or tuples.
template <class... Modes>
IntTuple int_tuple(const Modes&... modes) {
  return IntTuple::tuple({IntTuple(modes)...});
}

template <class Leaf>
std::size_t rank(const Nested<Leaf>& nested) {
  return nested.rank();
}

/// The depth to which tuples are nested: 0 for a leaf.
template <class Leaf>
int depth(const Nested<Leaf>& nested) {
  if (nested.is_leaf()) return 0;
  int deepest = 0;
  for (std::size_t i = 0; i < nested.rank(); ++i) deepest = std::max(deepest, depth(nested[i]));
  return deepest + 1;
}

/// Calls visit(leaf) for every leaf, from left to right.
template <class Leaf>
void for_each_leaf(const Nested<Leaf>& nested, auto&& visit) {
  if (nested.is_leaf()) {
    visit(nested.leaf());
    return;
  }
  for (std::size_t i = 0; i < nested.rank(); ++i) for_each_leaf(nested[i], visit);
}

/// The leaves from left to right.
template <class Leaf>
std::vector<Leaf> flatten(const Nested<Leaf>& nested) {
  std::vector<Leaf> leaves;
  for_each_leaf(nested, [&](const Leaf& leaf) { leaves.push_back(leaf); });
  return leaves;
}

/// The same nested tuple, with change(leaf) in place of each leaf.
template <class To, class Leaf>
Nested<To> map_leaves(const Nested<Leaf>& nested, auto&& change) {
  if (nested.is_leaf()) return Nested<To>(change(nested.leaf()));
  std::vector<Nested<To>> modes;
  for (std::size_t i = 0; i < nested.rank(); ++i)
    modes.push_back(map_leaves<To>(nested[i], change));
  return Nested<To>::tuple(std::move(modes));
}

/// True if both nest alike, whatever their leaves are.
template <class A, class B>
bool congruent(const Nested<A>& a, const Nested<B>& b) {
  if (a.is_leaf() || b.is_leaf()) return a.is_leaf() && b.is_leaf();
  if (a.rank() != b.rank()) return false;
  for (std::size_t i = 0; i < a.rank(); ++i)
    if (!congruent(a[i], b[i])) return false;
  return true;
}

/// The product of all leaves; 1 of the empty tuple. Precondition: the product fits into 63 bits, as
/// in every layout that check() of layout.h accepts.
Number product(const IntTuple& tuple);

}  // namespace heddle::interop::cute
