// The elements of a matrix product at each place, as far as the product itself shows them. The
// numbering of rows, columns and k remains open, because the hardware does not show it.
#pragma once

#include <cstdint>
#include <expected>
#include <string>
#include <vector>

#include "probe/positions.h"

namespace heddle::probe {

/// The row, column and k of every place, numbered in the order in which the places of A (m, k) and
/// then of B (n) meet them. -1: nothing is read or written there. For a sparse instruction there
/// are also two labels for each 4 bits of the index, in the order of selector, register, lane and
/// bit: their row, and the first k label of their group.
struct Labels {
  std::vector<int> a_m, a_k, b_k, b_n, d_m, d_n;
  std::vector<int> index_m, index_k;
  friend bool operator==(const Labels&, const Labels&) = default;
};

/// The labels that the catalogue gives an instruction with A and B at these places.
Labels catalogue_labels(const instruction::Instruction& row, const Positions& a, const Positions& b,
                        Kept kept);

/// Numbers labels as Labels says. Input: any numbers, of m, k and n each for itself.
Labels numbered(const Labels& labels);

/// Gathers the results of an instruction on single ones and finds the labels that explain them.
///
/// Law: if add(a, d, b) is called for exactly those places of which D's is the product of A's and
/// B's, labels() is numbered() of the true coordinates.
class Relation {
 public:
  Relation(int a_places, int b_places, int d_places);

  /// With a one at place `a` of A only, place `d` of D shows what lies at place `b` of B.
  void add(int a, int d, int b);

  /// The labels, or why the instruction is no matrix product.
  std::expected<Labels, std::string> labels();

 private:
  // Classes of equal m, k and n: of A and D, of A and B, of B and D.
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
