#include "compiler/decisions/row_order.h"

#include <algorithm>
#include <set>
#include <vector>

#include "compiler/request/actual_product.h"

namespace heddle::compiler {
namespace {

using runtime::MatrixAxis;

// A part of the number of a row or of a matrix: it counts to `size`, and each of its steps is
// `every` of the number's.
struct Digit {
  bool is_of_batch = false;
  std::int64_t every = 1, size = 1;
};
using Digits = std::vector<Digit>;

// Where a matrix moves along rows and along the batch.
struct RowAxes {
  MatrixAxis row, batch;

  std::int64_t step(const Digit& digit) const {
    return (digit.is_of_batch ? batch : row).at(digit.every);
  }
};

RowAxes axes_of(const MatrixRecord& matrix, const plan::Problem& problem) {
  return {elements(matrix.row, problem), elements(matrix.batch, problem)};
}

// The digits through which all axes are linear, the innermost first; of rows, then of the batch.
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

// Splits a digit into an inner one of `size` and the rest.
void split(Digits& digits, std::size_t at, std::int64_t size) {
  Digit rest = digits[at];
  rest.every *= size;
  rest.size /= size;
  digits[at].size = size;
  digits.insert(digits.begin() + static_cast<std::ptrdiff_t>(at) + 1, rest);
}

// The digits of `own` in the order of those of `other`, both of which count through the same
// places; digits are split where one of the two has several. `other` then has as many.
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

// The axis of a number with the digits of `own` whose counterparts in `other` are of the batch, or
// of rows.
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
  // Rows of B are along k, and stay; those of the others move B by nothing.
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
  // B has no rows along m: what moves it is of the batch.
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
