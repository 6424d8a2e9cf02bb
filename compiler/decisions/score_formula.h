// The formula of the scores of attention, in the form in which a kernel computes it tile by tile,
// and the condition under which a key is masked.
//
// A mask is -infinity, or a large negative number, that the formula selects or adds under a
// condition. The condition consists of comparisons joined by "and" and "or". Comparisons of places
// (the numbers of row, column and matrix of the batch) are written as "a sum of places is less than
// 0". From this form, key_ranges.h computes which keys a tile of queries may see by interval
// arithmetic, for any mask: causal, a window, or documents.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

#include "compiler/request/matmul_request.h"
#include "runtime/judge/product_check.h"

namespace heddle::compiler {

/// constant + the sum of factors[i] times place i. In the sum of a Condition, there are also
/// factors for numbers that are known only at launch; they come after the factors of the places.
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
  /// Computes a score divided by `factor`. Its inputs are, in this order: the sum of products,
  /// elements of the softmax's extras, its places (i32), and the results of `comparisons` (b1).
  Expression all;
  /// Computes the score of a key that is known not to be masked, divided by `factor`: `all` without
  /// the steps that mask.
  Expression kept;
  double factor = 1;
  std::vector<PlaceSum> comparisons;  // each is true if its sum is less than 0
  std::vector<PlaceAxes> places;
  std::vector<WholeRange> of_rows;    // of the part of each place that rows move, over all rows
  std::vector<WholeRange> of_places;  // of each place
  /// The operands (integers) that have one element for all scores of a matrix. A kernel reads its
  /// value first. `conditions` are right only if each value is in [-most_number, most_number].
  std::vector<int> numbers;
  std::vector<Condition> conditions;
  int is_kept = -1;  // the condition under which a key is not masked; -1: none is
  /// True if all scores of a row may have a large magnitude. The difference of a score and the
  /// largest score of its row must then be computed exactly, so that it is 0 for the largest score.
  bool has_large_scores = false;
  /// True if a kernel may leave out the keys that are masked for all rows of a tile.
  bool may_skip = false;
  std::int64_t batches = 1, rows = 1, keys = 1;  // of the plan, where a launch says how many
  bool has_open_sizes = false;

  bool has_mask() const { return is_kept >= 0; }
  /// True if it is known only at launch which keys are masked.
  bool has_open_mask() const {
    const auto is_of_places = [](const Condition& one) {
      return one.kind == Condition::Kind::negative;
    };
    return has_mask() &&
           (!numbers.empty() || (has_open_sizes && std::ranges::any_of(conditions, is_of_places)));
  }
};

/// The largest number of steps of a formula, where a step counts once for each path from it to the
/// result. No formula that people write has more.
inline constexpr std::int64_t most_score_steps = 1000;
/// The largest magnitude of a number that is known at launch, such as a position in a cache. Places
/// can be added to it within 32 bits.
inline constexpr std::int64_t most_number = std::int64_t{1} << 30;
/// The largest number of rows, and of keys. Each row and each key is looked at one by one.
inline constexpr std::int64_t most_places = std::int64_t{1} << 24;

/// The largest number of rows, and of keys, if it is known only at launch. A matrix with more rows,
/// of 16 bytes each, would be larger than matrices can be.
inline constexpr std::int64_t most_open_places = std::int64_t{1} << 27;

/// The formula of the softmax's scores. Null if
/// - a number that depends on places needs more than 32 bits,
/// - there are more steps or places than the limits above,
/// - masks are below -1e30, and a row in which all scores are masked has results that are stored.
std::optional<ScoreFormula> score_formula(const SoftmaxOperand& softmax,
                                          const plan::Problem& problem);

}  // namespace heddle::compiler
