// Finds which element of a matrix product each place (in a register or in shared memory) holds, as
// far as the results of the product show it. The numbering of rows, columns and k remains open,
// because the hardware does not show it.
#pragma once

#include <cstdint>
#include <expected>
#include <string>
#include <vector>

#include "probe/positions.h"

namespace heddle::probe {

/// The row, column and k of the element at each place, as numbers (labels). Rows, columns and k are
/// numbered in the order in which they appear in the places of A (m, k) and then of B (n). -1:
/// nothing is read or written at the place.
///
/// For a sparse instruction, each 4 bits of the index belong to one group of k of one row of A.
/// They also have two labels, in the order of selector, register, lane and bit: the row, and the
/// first k label of the group.
struct Labels {
  std::vector<int> a_m, a_k, b_k, b_n, d_m, d_n;
  std::vector<int> index_m, index_k;
  friend bool operator==(const Labels&, const Labels&) = default;
};

/// The labels that the catalogue predicts for an instruction, if A and B have these places.
Labels catalogue_labels(const instruction::Instruction& row, const Positions& a, const Positions& b,
                        Kept kept);

/// Renumbers labels in the order that Labels describes. In `labels` the numbers of m, of k and of n
/// may be any, and are independent of each other.
Labels numbered(const Labels& labels);

/// Collects results of an instruction for matrices A that have a 1 at one place and zeros
/// elsewhere, and finds the labels that explain these results.
///
/// Law: if add(a, d, b) is called for exactly those places for which D's element is the product of
/// A's and B's, labels() is numbered() of the true coordinates.
class Relation {
 public:
  Relation(int a_places, int b_places, int d_places);

  /// Says that place `d` of D shows the element at place `b` of B if A has a 1 at place `a` and
  /// zeros elsewhere.
  void add(int a, int d, int b);

  /// The labels. Error: the reason why the instruction is no matrix product.
  std::expected<Labels, std::string> labels();

 private:
  // Classes of places with equal m (of A and D), equal k (of A and B) or equal n (of B and D).
  class Classes {
   public:
    explicit Classes(int size);
    int find(int member);
    void join(int one, int other);

   private:
    std::vector<int> parents_;
  };

  int a_places_, b_places_;
  Classes m_, k_, n_;
  std::vector<int> lit_;  // places of D that a place of A reaches
  std::vector<std::uint8_t> a_used_, b_used_, d_used_;
};

}  // namespace heddle::probe
