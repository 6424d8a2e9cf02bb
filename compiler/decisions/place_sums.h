// Rewrites numbers in a formula of scores as sums: of places (numbers of the row, the column and
// the matrix of the batch, PlaceRecord), each with a factor, and of numbers that are known at
// launch. A number is rewritten only if no step that computes it wraps around or rounds.
#pragma once

#include <optional>
#include <utility>
#include <vector>

#include "compiler/decisions/score_formula.h"
#include "runtime/numbers/interval.h"

namespace heddle::compiler {

class PlaceSums {
 public:
  /// Keeps a reference to `softmax`, which must outlive this object. If the softmax has places, the
  /// problem's known sizes must be at most `most_places`.
  PlaceSums(const SoftmaxOperand& softmax, const plan::Problem& problem);

  const std::vector<PlaceAxes>& places() const { return places_; }
  const std::vector<WholeRange>& of_rows() const { return of_rows_; }
  const std::vector<WholeRange>& of_places() const { return of_places_; }
  /// The operands (of type i32 or i64) that have one number for all scores of a matrix.
  const std::vector<int>& numbers() const { return numbers_; }
  /// True if all places have 32 bits.
  bool are_narrow() const;

  const Node& node(int at) const { return nodes_[static_cast<std::size_t>(at)]; }
  int operand(int at, int number) const {
    return node(at).operands[static_cast<std::size_t>(number)];
  }
  bool is_constant(int at) const { return node(at).step == Step::constant; }
  bool is_constant(int at, double value) const {
    return is_constant(at) && node(at).constant == value;
  }
  bool is_place(int at) const {
    return node(at).step == Step::input && node(at).index >= first_place_;
  }
  /// The input that is place 0.
  int first_place() const { return first_place_; }

  /// The numbers that a step may have.
  const runtime::Interval& range(int at) const { return ranges_[static_cast<std::size_t>(at)]; }
  /// The range of values of a sum, limited to what 62 bits hold.
  WholeRange range(const PlaceSum& sum) const;
  /// True if a kernel can compute the sum in 32 bits: the sum, each of its terms, and all
  /// intermediate results fit.
  bool is_narrow(const PlaceSum& sum) const;
  bool has_numbers(const PlaceSum& sum) const;

  /// The sum x + factor * y. Null if x or y is null, or if a number of the result has more than 64
  /// bits.
  static std::optional<PlaceSum> sum(const std::optional<PlaceSum>& x,
                                     const std::optional<PlaceSum>& y, std::int64_t factor = 1);
  std::optional<PlaceSum> sum_of(int at) const;

  /// In an expression, an unsigned comparison is a signed comparison of operands from which half of
  /// their range is subtracted. Returns operand `number` before this subtraction; -1 if nothing is
  /// subtracted from it.
  int unmoved(int number) const;
  /// The two operands of comparison `at`. For an unsigned comparison whose operands are at least 0,
  /// these are the operands before half of the range is subtracted (see unmoved), which compare in
  /// the same way.
  std::pair<int, int> compared(int at) const;
  /// x - y of a comparison.
  std::optional<PlaceSum> difference(int at) const;

 private:
  std::optional<PlaceSum> unchecked_sum_of(int at) const;
  // If input `at` is a place or a number of the launch, its index in PlaceSum::factors; otherwise
  // -1.
  int factor_of(int at) const;
  void find_ranges();
  void find_numbers();

  const SoftmaxOperand& softmax_;
  const std::vector<Node>& nodes_;
  std::vector<PlaceAxes> places_;
  std::vector<WholeRange> of_rows_, of_places_;
  std::vector<int> numbers_;
  std::vector<runtime::Interval> ranges_;  // of each step
  std::vector<WholeRange> of_factors_;     // of places, then of numbers of the launch
  int first_place_ = 1;
};

/// True if the type is of whole numbers.
inline bool is_number(instruction::ElementType type) { return instruction::is_integer(type); }

}  // namespace heddle::compiler
