// Numbers in a formula of scores as sums of places and of numbers of the launch, where no step on
// the way to them wraps around or rounds.
#pragma once

#include <optional>
#include <utility>
#include <vector>

#include "compiler/decisions/score_formula.h"
#include "runtime/numbers/interval.h"

namespace heddle::compiler {

class PlaceSums {
 public:
  /// Both stay. Rows and keys are at most `most_places`.
  PlaceSums(const SoftmaxOperand& softmax, const plan::Problem& problem);

  const std::vector<PlaceAxes>& places() const { return places_; }
  const std::vector<WholeRange>& of_rows() const { return of_rows_; }
  const std::vector<WholeRange>& of_places() const { return of_places_; }
  /// Operands, i32 or i64, of which all scores of a matrix have the same element.
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
  /// Of sums that have more than 62 bits, the ends that these have.
  WholeRange range(const PlaceSum& sum) const;
  /// True if a kernel has 32 bits for the sum, for each part of it and for what it adds to them.
  bool is_narrow(const PlaceSum& sum) const;
  bool has_numbers(const PlaceSum& sum) const;

  /// x + factor * y; nothing if one is missing, or has more than 64 bits.
  static std::optional<PlaceSum> sum(const std::optional<PlaceSum>& x,
                                     const std::optional<PlaceSum>& y, std::int64_t factor = 1);
  std::optional<PlaceSum> sum_of(int at) const;

  /// The operand of an unsigned comparison, which is moved down by half of its range, before that;
  /// -1 if it is not moved.
  int unmoved(int number) const;
  /// The operands of a comparison. An unsigned one says the same of numbers from 0 on without the
  /// move.
  std::pair<int, int> compared(int at) const;
  /// x - y of a comparison.
  std::optional<PlaceSum> difference(int at) const;

 private:
  std::optional<PlaceSum> unchecked_sum_of(int at) const;
  // The factor of a sum that an input is: a place, or a number of the launch; -1: neither.
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
