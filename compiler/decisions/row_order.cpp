#include "compiler/decisions/row_order.h"

#include <algorithm>
#include <set>
#include <vector>

#include "compiler/request/actual_product.h"

namespace heddle::compiler {
namespace {

using runtime::MatrixAxis;

// The number of a row (or of a matrix of the batch) consists of digits, as a number with mixed
// radices does. This digit counts from 0 to size - 1. If it grows by 1, the number grows by
// `every`.
struct Digit {
  bool is_of_batch = false;
  std::int64_t every = 1, size = 1;
};
using Digits = std::vector<Digit>;

// How far apart in memory the rows of a matrix are, and the matrices of the batch.
struct RowAxes {
  MatrixAxis row, batch;

  std::int64_t step(const Digit& digit) const {
    return (digit.is_of_batch ? batch : row).at(digit.every);
  }
};

RowAxes axes_of(const MatrixRecord& matrix, const plan::Problem& problem) {
  return {elements(matrix.row, problem), elements(matrix.batch, problem)};
}

// Splits the numbers of rows and of the batch into digits along which the places in all matrices
// are linear. The digits of the row come first, then those of the batch; among each, the innermost
// digit first.
Digits digits_of(const std::vector<RowAxes>& all, const plan::Problem& problem) {
  Digits digits;
  for (const bool is_of_batch : {false, true}) {
    const std::int64_t count = is_of_batch ? problem.batch : problem.m;
    std::set<std::int64_t> starts{1};
    for (const RowAxes& axes : all)
      for (const MatrixAxis::Jump& jump : (is_of_batch ? axes.batch : axes.row).jumps)
        if (jump.every < count) starts.insert(jump.every);
    for (auto at = starts.begin(); at != starts.end(); ++at) {
      const auto next = std::next(at);
      const std::int64_t end = next == starts.end() ? count : *next;
      if (end != *at) digits.push_back({is_of_batch, *at, end / *at});
    }
  }
  return digits;
}

// Splits a digit into an inner digit of `size` and an outer digit for the rest.
void split(Digits& digits, std::size_t at, std::int64_t size) {
  Digit rest = digits[at];
  rest.every *= size;
  rest.size /= size;
  digits[at].size = size;
  digits.insert(digits.begin() + static_cast<std::ptrdiff_t>(at) + 1, rest);
}

// Finds for each digit of `other` the digit of `own` that moves by the same distance in memory, and
// returns the digits of `own` in this order. If one digit corresponds to several digits of the
// other list, it is split, so that both lists have equally many digits in the end. Null if the
// lists do not correspond.
std::optional<Digits> ordered(Digits own, const RowAxes& own_axes, Digits& other,
                              const RowAxes& other_axes) {
  Digits result;
  for (std::size_t i = 0; i < other.size(); ++i) {
    const std::int64_t step = other_axes.step(other[i]);
    const auto found =
        std::ranges::find_if(own, [&](const Digit& digit) { return own_axes.step(digit) == step; });
    if (found == own.end()) return std::nullopt;
    const auto at = static_cast<std::size_t>(found - own.begin());
    if (own[at].size % other[i].size == 0 && own[at].size != other[i].size)
      split(own, at, other[i].size);
    else if (other[i].size % own[at].size == 0 && other[i].size != own[at].size)
      split(other, i, own[at].size);
    if (own[at].size != other[i].size) return std::nullopt;
    result.push_back(own[at]);
    own.erase(own.begin() + static_cast<std::ptrdiff_t>(at));
  }
  return own.empty() ? std::optional(result) : std::nullopt;
}

// The axis of a matrix along the batch (`is_of_batch`) or along the rows after the numbers have
// changed. It consists of those digits of `own` to which a digit of the batch, or of the rows,
// corresponds in `other`.
Axis reordered(const RowAxes& axes, const Digits& own, const Digits& other, bool is_of_batch) {
  Axis made;
  std::int64_t every = 1, inner = 0;
  for (std::size_t i = 0; i < own.size(); ++i) {
    if (other[i].is_of_batch != is_of_batch) continue;
    const std::int64_t step = axes.step(own[i]);
    if (every == 1)
      made.step = {step, 0};
    else if (step != inner)
      made.jumps.push_back({every, {step, 0}, {inner, 0}, 0});
    every *= own[i].size;
    inner = step * own[i].size;
  }
  return made;
}

}  // namespace

std::optional<MatmulRequest> with_order_of(const MatmulRequest& other, const MatrixRecord& same,
                                           MatmulRequest request, const MatrixRecord& own) {
  const plan::Problem problem = request.problem;
  if (problem.dynamic != 0 || other.problem.dynamic != 0 || !request.b_extras.empty() ||
      !request.a.padding.empty() || !request.b.padding.empty())
    return std::nullopt;
  // Rows of B are along k, and the change leaves them as they are. Rows along m do not move B.
  const auto axes = [&](const MatrixRecord& matrix) {
    RowAxes found = axes_of(matrix, problem);
    if (&matrix == &request.b) found.row = {};
    return found;
  };
  std::vector<RowAxes> all;
  for_each_matrix(request, [&](MatrixRecord& matrix) { all.push_back(axes(matrix)); });
  for (const PlaceRecord& place : request.places)
    all.push_back({elements(place.row, problem), elements(place.batch, problem)});
  const RowAxes other_axes = axes_of(same, other.problem);
  Digits other_digits = digits_of({other_axes}, other.problem);
  const auto digits =
      ordered(digits_of(all, problem), axes_of(own, problem), other_digits, other_axes);
  if (!digits) return std::nullopt;
  // B has no rows along m, so each digit that moves B must be of the batch.
  const RowAxes of_b = axes(request.b);
  for (std::size_t i = 0; i < digits->size(); ++i)
    if (!other_digits[i].is_of_batch && of_b.step((*digits)[i]) != 0) return std::nullopt;
  for_each_matrix(request, [&](MatrixRecord& matrix) {
    const RowAxes before = axes(matrix);
    if (&matrix != &request.b) matrix.row = reordered(before, *digits, other_digits, false);
    matrix.batch = reordered(before, *digits, other_digits, true);
  });
  for (PlaceRecord& place : request.places) {
    const RowAxes before{elements(place.row, problem), elements(place.batch, problem)};
    place.row = reordered(before, *digits, other_digits, false);
    place.batch = reordered(before, *digits, other_digits, true);
  }
  request.problem.m = other.problem.m;
  request.problem.batch = other.problem.batch;
  return request;
}

}  // namespace heddle::compiler
