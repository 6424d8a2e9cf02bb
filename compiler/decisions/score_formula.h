// The formula of a score of attention, ready for a kernel that takes it tile by tile, and the
// condition under which a key is masked.
//
// A mask is a value of -infinity, or a large negative one, that the formula selects or adds under
// a condition. Conditions on places are comparisons of sums of places with 0, joined by "and" and
// "or", so that the keys that a tile of queries may see are found by intervals (key_ranges.h),
// whatever comparison it is: of a causal mask, of a window, of documents.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

#include "compiler/request/matmul_request.h"
#include "runtime/judge/product_check.h"

namespace heddle::compiler {

/// constant + the sum of factors[i] times place i; in a Condition, numbers of the launch follow.
struct PlaceSum {
  std::int64_t constant = 0;
  std::vector<std::int64_t> factors;
  friend bool operator==(const PlaceSum&, const PlaceSum&) = default;
};

/// A PlaceRecord with known distances.
struct PlaceAxes {
  runtime::MatrixAxis batch, row, column;
  std::int64_t offset = 0;
};

/// The least and the largest of some numbers.
struct WholeRange {
  std::int64_t low = 0, high = 0;
};

/// A condition on a query and a key.
struct Condition {
  enum class Kind : std::uint8_t { always, never, unknown, negative, both, either };
  Kind kind = Kind::unknown;
  PlaceSum sum = {};   // negative: it is less than 0
  int x = -1, y = -1;  // both, either: numbers of earlier conditions
};

struct ScoreFormula {
  /// A score divided by `factor`. The inputs are the sum, elements of the softmax's extras, its
  /// places (i32), and the comparisons (b1).
  Expression all;
  /// The same of a key that is not masked: without the conditions that say so.
  Expression kept;
  double factor = 1;
  std::vector<PlaceSum> comparisons;  // each is true if its sum is less than 0
  std::vector<PlaceAxes> places;
  std::vector<WholeRange> of_rows;    // of the part of each place that rows move, over all rows
  std::vector<WholeRange> of_places;  // of each place
  /// Operands of which all scores have the same element, an integer. Conditions hold if each is in
  /// [-most_number, most_number].
  std::vector<int> numbers;
  std::vector<Condition> conditions;
  int is_kept = -1;  // the condition under which a key is not masked; -1: none is
  /// True if scores may be so large, and rows have no others, that a score less the largest one has
  /// to be exact: 0 where they are equal.
  bool has_large_scores = false;
  /// True if the keys that are masked for all rows of a tile may be left out.
  bool may_skip = false;
  std::int64_t batches = 1, rows = 1, keys = 1;  // of the plan, where a launch says how many
  bool has_open_sizes = false;

  bool has_mask() const { return is_kept >= 0; }
  /// True if a launch says which keys are masked.
  bool has_open_mask() const {
    const auto is_of_places = [](const Condition& one) {
      return one.kind == Condition::Kind::negative;
    };
    return has_mask() &&
           (!numbers.empty() || (has_open_sizes && std::ranges::any_of(conditions, is_of_places)));
  }
};

/// Steps are followed back to the inputs on each way: no formula that people write has so many.
inline constexpr std::int64_t most_score_steps = 1000;
/// Positions in a cache and the like; with places they have 32 bits.
inline constexpr std::int64_t most_number = std::int64_t{1} << 30;
/// Of rows and of keys, which are looked at one by one.
inline constexpr std::int64_t most_places = std::int64_t{1} << 24;

/// The most rows and keys of launches that say how many there are: such rows of 16 bytes fill the
/// largest matrix.
inline constexpr std::int64_t most_open_places = std::int64_t{1} << 27;

/// Nothing if a number that depends on places has more than 32 bits, if there are more ways or
/// places than these, or if masks are below -1e30 and a row of them alone has results.
std::optional<ScoreFormula> score_formula(const SoftmaxOperand& softmax,
                                          const plan::Problem& problem);

}  // namespace heddle::compiler
