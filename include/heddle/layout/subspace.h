// A set of words that is closed under xor: the span of some registers, lanes or banks.
//
//     question                                          answer
//     how many different places do these lanes reach?   2^dimension of what their bases span
//     is this word one of them?                         contains
//     do two lanes meet in a bank?                      intersection with what a bank holds
//
// Over F2 a span of n independent words has 2^n members, all xors of some of them. {1, 2, 3} spans
// {0, 1, 2, 3}: 3 is 1 ^ 2 and adds nothing, so the dimension is 2.
//
//     Subspace lanes{1, 2, 4};           eight places, 0 to 7
//     lanes.add(6)                       false: 6 = 2 ^ 4 is there
//     lanes.contains(5), .dimension()    true, 3
//     intersection(lanes, {4, 8})        {0, 4}: dimension 1
//
// Unlike a layout it has no names and no order: two are equal when they have the same members.
#pragma once

#include <array>
#include <bit>
#include <cstdint>

#include "heddle/layout/axis_list.h"

namespace heddle::layout {

// The words that some of at most 64 bits span over F2. Kept as rows with distinct lowest set bits.
class Subspace {
 public:
  constexpr Subspace() = default;  // {0}
  constexpr Subspace(std::initializer_list<std::uint64_t> words) {
    for (const std::uint64_t word : words) add(word);
  }

  // Adds `word` and all its xors with the words so far. False if the word was already there.
  // Law: adding grows by one dimension, or not at all if the word was contained.
  constexpr bool add(std::uint64_t word) {
    word = reduced(word);
    if (word == 0) return false;
    const int pivot = std::countr_zero(word);
    pivots_ |= std::uint64_t{1} << pivot;
    rows_[static_cast<std::size_t>(pivot)] = word;
    return true;
  }
  constexpr void add(const Subspace& other) {
    for (std::uint64_t rest = other.pivots_; rest != 0; rest &= rest - 1)
      add(other.rows_[static_cast<std::size_t>(std::countr_zero(rest))]);
  }

  // The word without what the rows take away; 0 exactly for the words of the subspace.
  constexpr std::uint64_t reduced(std::uint64_t word) const {
    for (std::uint64_t rest = word & pivots_; rest != 0; rest = word & pivots_)
      word ^= rows_[static_cast<std::size_t>(std::countr_zero(rest))];
    return word;
  }
  constexpr bool contains(std::uint64_t word) const { return reduced(word) == 0; }
  constexpr bool contains(const Subspace& other) const {
    for (int i = 0; i < other.dimension(); ++i)
      if (!contains(other.basis(i))) return false;
    return true;
  }

  constexpr int dimension() const { return std::popcount(pivots_); }

  // Basis word i, 0 <= i < dimension(); they ascend by their lowest set bit.
  constexpr std::uint64_t basis(int i) const {
    std::uint64_t rest = pivots_;
    while (i-- > 0) rest &= rest - 1;
    return rows_[static_cast<std::size_t>(std::countr_zero(rest))];
  }

  // Law: equal when each contains the other.
  friend constexpr bool operator==(const Subspace& a, const Subspace& b) {
    return a.dimension() == b.dimension() && a.contains(b);
  }

 private:
  std::array<std::uint64_t, max_bits> rows_{};  // rows_[p] has p as its lowest bit; else 0
  std::uint64_t pivots_ = 0;
};

// The words of both.
// Law: a word is in the sum when it is the xor of one of each.
constexpr Subspace sum(Subspace a, const Subspace& b) {
  a.add(b);
  return a;
}

// The words that are in both.
// Law: dimension(a) + dimension(b) == dimension(sum) + dimension(intersection).
constexpr Subspace intersection(const Subspace& a, const Subspace& b) {
  // Zassenhaus's algorithm: each row of `a` stands on both sides, each row of `b` only on the left.
  // If the left side of a combination cancels, its right side is in both subspaces.
  std::array<std::uint64_t, max_bits> left{};
  std::array<std::uint64_t, max_bits> right{};
  Subspace both;
  const auto insert = [&](std::uint64_t word, std::uint64_t beside) {
    while (word != 0) {
      const auto pivot = static_cast<std::size_t>(std::countr_zero(word));
      if (left[pivot] == 0) {
        left[pivot] = word;
        right[pivot] = beside;
        return;
      }
      word ^= left[pivot];
      beside ^= right[pivot];
    }
    both.add(beside);
  };
  for (int i = 0; i < a.dimension(); ++i) insert(a.basis(i), a.basis(i));
  for (int i = 0; i < b.dimension(); ++i) insert(b.basis(i), 0);
  return both;
}

}  // namespace heddle::layout
