// Computes which keys a tile of queries may see, as a range of keys. It follows from the condition
// of a ScoreFormula under which a key is not masked, by interval arithmetic on places (numbers of
// rows, columns and matrices of the batch).
//
// The same code serves the compiler, which knows all numbers, and kernels, which compute them at
// run time: the template parameter `Arithmetic` has the operations on numbers.
#pragma once

#include <algorithm>
#include <vector>

#include "compiler/decisions/score_formula.h"

namespace heddle::compiler {

/// A range that includes the places along `axis` of all indices from 0 to count - 1; it may be
/// larger.
inline WholeRange range_along(const runtime::MatrixAxis& axis, std::int64_t count) {
  WholeRange range;
  if (axis.jumps.empty() || count > most_places) {
    // Without jumps, or with too many places to look at each: bounds that no place exceeds.
    std::vector<std::int64_t> parts{axis.step * (count - 1)};
    for (const auto& jump : axis.jumps) parts.push_back((count - 1) / jump.every * jump.elements);
    for (const std::int64_t part : parts) (part < 0 ? range.low : range.high) += part;
    return range;
  }
  for (std::int64_t i = 0; i < count; ++i) {
    const std::int64_t at = axis.at(i);
    range = {std::min(range.low, at), std::max(range.high, at)};
  }
  return range;
}

/// Known numbers.
struct KnownArithmetic {
  using Number = std::int64_t;
  Number number(std::int64_t value) const { return value; }
  Number keys(const ScoreFormula& formula) const { return formula.keys; }
  Number add(Number x, Number y) const { return x + y; }
  Number multiply(Number x, std::int64_t by) const { return x * by; }
  /// x, which is at least 0, divided by `by`.
  Number divide(Number x, std::int64_t by) const { return x / by; }
  Number least(Number x, Number y) const { return x < y ? x : y; }
  Number largest(Number x, Number y) const { return x > y ? x : y; }
  /// `yes` if x < y, else `no`.
  Number if_less(Number x, Number y, Number yes, Number no) const { return x < y ? yes : no; }
};

template <class Arithmetic>
class KeyRanges {
 public:
  using Number = typename Arithmetic::Number;
  /// The keys from `first` to `end`, without `end`. No keys if `end` is not larger than `first`.
  struct Range {
    Number first, end;
  };
  struct Ranges {
    Range possible;  // beyond it no query sees a key
    Range certain;   // in it all queries see all keys
  };
  /// Rows from `first` to `last`, inclusive, of matrix `batch`.
  struct Rows {
    Number batch, first, last;
  };

  /// `numbers` are the values of formula.numbers, which are known at launch. If `numbers` is empty,
  /// the ranges are right for all values of formula.numbers.
  KeyRanges(Arithmetic arithmetic, const ScoreFormula& formula, const Rows& rows,
            std::vector<Number> numbers = {})
      : of_(arithmetic), formula_(formula), rows_(rows), numbers_(std::move(numbers)) {}

  Ranges ranges() const { return of(formula_.is_kept); }

 private:
  Range all() const { return {of_.number(0), of_.keys(formula_)}; }
  Range none() const { return {of_.keys(formula_), of_.number(0)}; }

  Ranges of(int number) const {
    const Condition& condition = formula_.conditions[static_cast<std::size_t>(number)];
    switch (condition.kind) {
      case Condition::Kind::always:
        return {all(), all()};
      case Condition::Kind::never:
        return {none(), none()};
      case Condition::Kind::unknown:
        return {all(), none()};
      case Condition::Kind::negative:
        return of_sum(condition.sum);
      case Condition::Kind::both: {
        const Ranges x = of(condition.x), y = of(condition.y);
        return {intersection(x.possible, y.possible), intersection(x.certain, y.certain)};
      }
      case Condition::Kind::either:
        break;
    }
    const Ranges x = of(condition.x), y = of(condition.y);
    const Range possible{of_.least(x.possible.first, y.possible.first),
                         of_.largest(x.possible.end, y.possible.end)};
    return {possible, longer(x.certain, y.certain)};
  }

  Range intersection(const Range& x, const Range& y) const {
    return {of_.largest(x.first, y.first), of_.least(x.end, y.end)};
  }
  Range longer(const Range& x, const Range& y) const {
    const auto length = [&](const Range& range) {
      return of_.add(range.end, of_.multiply(range.first, -1));
    };
    const Number of_x = length(x), of_y = length(y);
    return {of_.if_less(of_x, of_y, y.first, x.first), of_.if_less(of_x, of_y, y.end, x.end)};
  }

  Number place(const runtime::MatrixAxis& axis, Number at) const {
    Number sum = of_.multiply(at, axis.step);
    for (const auto& jump : axis.jumps)
      sum = of_.add(sum, of_.multiply(of_.divide(at, jump.every), jump.elements));
    return sum;
  }

  // Returns n such that the part of a place that depends on the row does not fall from one row to
  // the next within each aligned group of n rows; 0: it never falls. `every` of a shorter jump
  // divides `every` of a longer one, so a group's boundary is a boundary of all shorter jumps, too.
  static std::int64_t rises_in(const runtime::MatrixAxis& axis) {
    std::int64_t change = axis.step;
    for (const auto& jump : axis.jumps) {
      change += jump.elements;
      if (change < 0) return jump.every;
    }
    return 0;
  }

  // The least and the largest value that the part of a place that depends on the row has in rows_.
  Range of_rows(std::size_t number) const {
    const runtime::MatrixAxis& axis = formula_.places[number].row;
    const Range ends{place(axis, rows_.first), place(axis, rows_.last)};
    const std::int64_t every = rises_in(axis);
    if (every == 0) return ends;
    const Number before = of_.divide(rows_.first, every), after = of_.divide(rows_.last, every);
    const WholeRange& all = formula_.of_rows[number];
    return {of_.if_less(before, after, of_.number(all.low), ends.first),
            of_.if_less(before, after, of_.number(all.high), ends.end)};
  }

  // The keys for which constant + along * key + others < 0. `others` are the terms that depend on
  // the row or on the launch. As they differ from row to row, they are given by their least and
  // largest value.
  Ranges of_sum(const PlaceSum& sum) const {
    Range others{of_.number(sum.constant), of_.number(sum.constant)};
    std::int64_t along = 0;
    for (std::size_t i = 0; i < sum.factors.size(); ++i) {
      const std::int64_t factor = sum.factors[i];
      if (factor == 0) continue;
      if (const std::size_t places = formula_.places.size(); i >= places) {
        if (numbers_.empty()) return {all(), none()};
        const Number moved = of_.multiply(numbers_[i - places], factor);
        others = {of_.add(others.first, moved), of_.add(others.end, moved)};
        continue;
      }
      const PlaceAxes& axes = formula_.places[i];
      if (!axes.column.jumps.empty()) return {all(), none()};
      along += factor * axes.column.step;
      const Number fixed =
          of_.multiply(of_.add(place(axes.batch, rows_.batch), of_.number(axes.offset)), factor);
      const Range moved = of_rows(i);
      const Number low = of_.multiply(factor > 0 ? moved.first : moved.end, factor);
      const Number high = of_.multiply(factor > 0 ? moved.end : moved.first, factor);
      others = {of_.add(others.first, of_.add(fixed, low)),
                of_.add(others.end, of_.add(fixed, high))};
    }
    return {where_negative(along, others.first), where_negative(along, others.end)};
  }

  // The keys with along * key + other < 0.
  Range where_negative(std::int64_t along, Number other) const {
    const Number zero = of_.number(0), keys = of_.keys(formula_);
    if (along == 0) return {zero, of_.if_less(other, zero, keys, zero)};
    if (along > 0) {
      const Number below = of_.largest(of_.multiply(other, -1), zero);
      return {zero, of_.least(of_.divide(of_.add(below, of_.number(along - 1)), along), keys)};
    }
    const Number above = of_.largest(of_.add(other, of_.number(-along)), zero);
    return {of_.least(of_.divide(above, -along), keys), keys};
  }

  Arithmetic of_;
  const ScoreFormula& formula_;
  Rows rows_;
  std::vector<Number> numbers_;
};

}  // namespace heddle::compiler
