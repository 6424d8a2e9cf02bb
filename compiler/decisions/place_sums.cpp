#include "compiler/decisions/place_sums.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "compiler/decisions/key_ranges.h"
#include "compiler/request/actual_product.h"

namespace heddle::compiler {
namespace {

using instruction::ElementType;
using runtime::Interval;

// The largest n for which the type can represent all whole numbers from 0 to n.
std::int64_t most_whole(ElementType type) {
  if (is_number(type))
    return std::numeric_limits<std::int64_t>::max() >> (64 - instruction::bits(type));
  if (type == ElementType::f64) return std::int64_t{1} << 53;
  if (type == ElementType::f32) return std::int64_t{1} << 24;
  if (type == ElementType::f16) return 1 << 11;
  return type == ElementType::bf16 ? 1 << 8 : 0;
}

// Of the numbers between two.
std::int64_t most_of(const WholeRange& range) {
  return std::max(range.low < 0 ? -range.low : range.low,
                  range.high < 0 ? -range.high : range.high);
}

}  // namespace

PlaceSums::PlaceSums(const SoftmaxOperand& softmax, const plan::Problem& problem)
    : softmax_(softmax),
      nodes_(softmax.epilogue.nodes),
      first_place_(static_cast<int>(softmax.extras.size()) + 1) {
  for (const PlaceRecord& place : softmax.places) {
    const PlaceAxes axes{elements(place.batch, problem), elements(place.row, problem),
                         elements(place.column, problem), place.offset};
    const auto most = [&](plan::Loop loop) {
      return problem.is_dynamic(loop) ? most_open_places : problem.size(loop);
    };
    const WholeRange rows = range_along(axes.row, most(plan::Loop::m)),
                     columns = range_along(axes.column, most(plan::Loop::k)),
                     matrices = range_along(axes.batch, most(plan::Loop::batch));
    places_.push_back(axes);
    of_rows_.push_back(rows);
    of_factors_.push_back({axes.offset + rows.low + columns.low + matrices.low,
                           axes.offset + rows.high + columns.high + matrices.high});
  }
  of_places_ = of_factors_;
  find_ranges();
  find_numbers();
}

bool PlaceSums::are_narrow() const {
  return std::ranges::all_of(of_factors_, [](const WholeRange& range) {
    return range.high <= most_whole(ElementType::i32);
  });
}

void PlaceSums::find_ranges() {
  std::vector<Interval> inputs{runtime::any_float()};
  for (const MatrixRecord& extra : softmax_.extras)
    inputs.push_back(is_number(extra.element) ? runtime::any_integer(extra.element)
                                              : runtime::any_float());
  for (const WholeRange& range : of_factors_) {
    Interval place{static_cast<double>(range.low), static_cast<double>(range.high)};
    if (range.low == range.high) place = runtime::whole_number(range.low);
    inputs.push_back(place);
  }
  Expression part;
  for (const Node& one : nodes_) {
    part.nodes.push_back(one);
    ranges_.push_back(runtime::evaluate(part, inputs));
  }
}

void PlaceSums::find_numbers() {
  for (std::size_t i = 0; i < softmax_.extras.size(); ++i) {
    const MatrixRecord& extra = softmax_.extras[i];
    const bool is_one = extra.row.is({}) && extra.column.is({}) && extra.padding.empty();
    if (!is_one || (extra.element != ElementType::i32 && extra.element != ElementType::i64))
      continue;
    numbers_.push_back(static_cast<int>(i));
    of_factors_.push_back({-most_number, most_number});
  }
}

int PlaceSums::factor_of(int at) const {
  if (is_place(at)) return node(at).index - first_place_;
  if (node(at).step != Step::input) return -1;
  const auto known = std::ranges::find(numbers_, node(at).index - 1);
  if (known == numbers_.end()) return -1;
  return static_cast<int>(places_.size()) + static_cast<int>(known - numbers_.begin());
}

WholeRange PlaceSums::range(const PlaceSum& sum) const {
  constexpr __int128 most = __int128{1} << 62;
  __int128 low = sum.constant, high = sum.constant;
  for (std::size_t i = 0; i < sum.factors.size(); ++i) {
    const __int128 factor = sum.factors[i];
    const __int128 x = factor * of_factors_[i].low, y = factor * of_factors_[i].high;
    low += std::min(x, y), high += std::max(x, y);
  }
  return {static_cast<std::int64_t>(std::clamp(low, -most, most)),
          static_cast<std::int64_t>(std::clamp(high, -most, most))};
}

bool PlaceSums::is_narrow(const PlaceSum& sum) const {
  const auto magnitude = [](__int128 number) { return number < 0 ? -number : number; };
  __int128 most = magnitude(sum.constant);
  for (std::size_t i = 0; i < sum.factors.size(); ++i)
    most += magnitude(sum.factors[i]) * most_of(of_factors_[i]);
  return most < 5 * (most_number / 4);
}

bool PlaceSums::has_numbers(const PlaceSum& sum) const {
  for (std::size_t i = places_.size(); i < sum.factors.size(); ++i)
    if (sum.factors[i] != 0) return true;
  return false;
}

std::optional<PlaceSum> PlaceSums::sum(const std::optional<PlaceSum>& x,
                                       const std::optional<PlaceSum>& y, std::int64_t factor) {
  if (!x || !y) return std::nullopt;
  PlaceSum all = *x;
  bool fits = true;
  const auto add = [&](std::int64_t& to, std::int64_t number) {
    fits = !__builtin_mul_overflow(number, factor, &number) &&
           !__builtin_add_overflow(to, number, &to) && fits;
  };
  add(all.constant, y->constant);
  for (std::size_t i = 0; i < all.factors.size(); ++i) add(all.factors[i], y->factors[i]);
  return fits ? std::optional(all) : std::nullopt;
}

std::optional<PlaceSum> PlaceSums::sum_of(int at) const {
  auto found = unchecked_sum_of(at);
  if (!found) return std::nullopt;
  constexpr std::int64_t most = std::int64_t{1} << 40;  // products with it do not overflow
  const WholeRange all = range(*found);
  const std::int64_t limit = std::min(most_whole(node(at).type), most);
  const bool is_exact =
      all.low >= -limit && all.high <= limit &&
      std::ranges::all_of(found->factors, [](auto of) { return -most < of && of < most; });
  return is_exact ? found : std::nullopt;
}

std::optional<PlaceSum> PlaceSums::unchecked_sum_of(int at) const {
  const PlaceSum zero{0, std::vector<std::int64_t>(of_factors_.size())};
  if (const int number = factor_of(at); number >= 0) {
    PlaceSum one = zero;
    one.factors[static_cast<std::size_t>(number)] = 1;
    return one;
  }
  switch (node(at).step) {
    case Step::constant: {
      const double value = node(at).constant;
      if (std::abs(value) > 0x1p31 || value != std::floor(value)) return std::nullopt;
      return PlaceSum{static_cast<std::int64_t>(value), zero.factors};
    }
    case Step::add:
      return sum(sum_of(operand(at, 0)), sum_of(operand(at, 1)));
    case Step::subtract:
      return sum(sum_of(operand(at, 0)), sum_of(operand(at, 1)), -1);
    case Step::negate:
      return sum(zero, sum_of(operand(at, 0)), -1);
    case Step::multiply:
      for (const int side : {0, 1}) {
        const auto constant = sum_of(operand(at, side));
        if (constant && constant->factors == zero.factors)
          return sum(zero, sum_of(operand(at, 1 - side)), constant->constant);
      }
      return std::nullopt;
    case Step::convert:
    case Step::convert_unsigned: {
      auto from = sum_of(operand(at, 0));
      const bool is_signed = node(at).step == Step::convert;
      return from && (is_signed || range(*from).low >= 0) ? from : std::nullopt;
    }
    default:
      return std::nullopt;
  }
}

int PlaceSums::unmoved(int number) const {
  if (!is_number(node(number).type) || node(number).step != Step::add) return -1;
  const double lowest = -std::ldexp(1.0, instruction::bits(node(number).type) - 1);
  return is_constant(operand(number, 1), lowest) ? operand(number, 0) : -1;
}

std::pair<int, int> PlaceSums::compared(int at) const {
  const int x = unmoved(operand(at, 0)), y = unmoved(operand(at, 1));
  const bool are_both = x >= 0 && y >= 0 && range(x).low >= 0 && range(y).low >= 0;
  return are_both ? std::pair(x, y) : std::pair(operand(at, 0), operand(at, 1));
}

std::optional<PlaceSum> PlaceSums::difference(int at) const {
  const auto [x, y] = compared(at);
  return sum(sum_of(x), sum_of(y), -1);
}

}  // namespace heddle::compiler
