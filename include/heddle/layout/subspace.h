// A set of 64-bit words that is closed under xor, such as all the lane numbers that some lane
// numbers give when they are combined by xor (their span).
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

// The span over F2 of some words of at most 64 bits. The subspace is stored as rows: words that
// span it, each with another lowest set bit.
class Subspace {
 public:
  constexpr Subspace() = default;  // {0}
  constexpr Subspace(std::initializer_list<std::uint64_t> words) {
    for (const std::uint64_t word : words) add(word);
  }

  // Adds `word`, and its xor with every word of the subspace. Returns false if the subspace already
  // has `word`.
  //
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

  // Clears each pivot bit that is set in `word` by a xor with the row that has this pivot. The
  // result is 0 exactly if `word` is in the subspace.
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

  // Basis word i, 0 <= i < dimension(). Basis words are in ascending order of their lowest set bit.
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

// The span of `a` and `b` together.
//
// Law: a word is in the sum when it is the xor of a word of `a` and a word of `b`.
constexpr Subspace sum(Subspace a, const Subspace& b) {
  a.add(b);
  return a;
}

// The words that are in `a` and in `b`.
//
// Law: dimension(a) + dimension(b) == dimension(sum) + dimension(intersection).
constexpr Subspace intersection(const Subspace& a, const Subspace& b) {
  // Zassenhaus's algorithm on pairs (left, right): (x, x) for each row x of `a`, (y, 0) for each
  // row y of `b`. Where a xor of pairs has the left side 0, its right side is in `a` and in `b`.
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
