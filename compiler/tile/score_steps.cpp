#include "compiler/tile/score_steps.h"

#include <algorithm>
#include <cmath>

#include "runtime/numbers/interval.h"
#include "runtime/numbers/math_functions.h"

namespace heddle::compiler {
namespace {

using instruction::ElementType;

// The limit for sums of indices and for their factors. With numbers below it nothing overflows in
// i32.
constexpr double most_of_sum = 0x1p30;
// f32 holds these numbers and their differences.
constexpr double most_as_float = 0x1p23;
// A number (PlaceNumber) is computed from two parts of a sum of indices, each multiplied by a
// factor and rounded. If the factor is a power of two, the products are exact. With other factors
// up to this limit, the rounding errors over at most 256 keys are a tenth of the errors from
// rounding P to 16 bits.
constexpr float most_inexact_factor = 1;

class Builder {
 public:
  Builder(const ScoreFormula& formula, const Expression& from, std::size_t extras)
      : formula_(formula),
        from_(from),
        first_place_(extras + 1),
        first_number_(first_place_ + formula.places.size() + formula.comparisons.size()) {}

  ScoreSteps build(bool takes_tanh) {
    for (const Node& node : from_.nodes) moved_.push_back(moved(node));
    steps_.score.nodes.resize(static_cast<std::size_t>(moved_.back()) + 1);
    if (takes_tanh) take_tanh();
    return std::move(steps_);
  }

 private:
  const Node& made(int at) const { return steps_.score.nodes[static_cast<std::size_t>(at)]; }
  bool is_constant(int at) const { return made(at).step == Step::constant; }

  int emitted(const Node& node) {
    auto& nodes = steps_.score.nodes;
    const auto known = std::ranges::find(nodes, node);
    const auto at = static_cast<int>(known - nodes.begin());
    if (known == nodes.end()) nodes.push_back(node);
    return at;
  }

  int moved(Node node) {
    for (int i = 0; i < operand_count(node.step); ++i) {
      int& operand = node.operands[static_cast<std::size_t>(i)];
      operand = moved_[static_cast<std::size_t>(operand)];
    }
    if (node.step == Step::multiply && node.type == ElementType::f32)
      return product(node.operands[0], node.operands[1]);
    const int at = emitted(node);
    const bool converts = node.step == Step::convert || node.step == Step::convert_unsigned;
    if (converts && node.type == ElementType::f32)
      if (const auto sum = sum_of(at)) return number({*sum});
    return at;
  }

  // Makes the step x * y. If x is itself a product with a constant and y is a constant, the two
  // constants are multiplied first, which may change the last bit of the result.
  int product(int x, int y) {
    if (is_constant(x)) std::swap(x, y);
    const auto is_usual = [&](int at) {
      const double size = std::abs(made(at).constant);
      return is_constant(at) && size > 0x1p-60 && size < 0x1p60;
    };
    const Node inner = made(x);
    if (inner.step == Step::multiply && is_usual(y) && is_usual(inner.operands[1])) {
      const double factor = made(y).constant * made(inner.operands[1]).constant;
      y = emitted({.step = Step::constant,
                   .type = ElementType::f32,
                   .constant = static_cast<float>(factor)});
      x = inner.operands[0];
    }
    const auto first = static_cast<int>(first_number_);
    if (made(x).step == Step::input && made(x).index >= first && is_usual(y)) {
      PlaceNumber scaled = steps_.numbers[static_cast<std::size_t>(made(x).index - first)];
      const auto factor = static_cast<float>(made(y).constant);
      int exponent = 0;
      const bool is_exact = std::abs(std::frexp(factor, &exponent)) == 0.5F;
      if (scaled.factor == 1 && (is_exact || std::abs(factor) <= most_inexact_factor)) {
        scaled.factor = factor;
        return number(scaled);
      }
    }
    return emitted({Step::multiply, ElementType::f32, {x, y}});
  }

  int number(const PlaceNumber& of) {
    const auto known = std::ranges::find(steps_.numbers, of);
    const auto at = static_cast<std::size_t>(known - steps_.numbers.begin());
    if (known == steps_.numbers.end()) steps_.numbers.push_back(of);
    return emitted({.step = Step::input,
                    .type = ElementType::f32,
                    .index = static_cast<int>(first_number_ + at)});
  }

  // Step `at` converts an integer to f32. Returns that integer as a sum of indices. Null if it is
  // no such sum, or if the sum is not exact in f32.
  std::optional<PlaceSum> sum_of(int at) {
    const auto found = whole_sum(made(at).operands[0]);
    if (!found) return std::nullopt;
    bool is_linear = true, moves = false;
    for (std::size_t i = 0; i < found->factors.size(); ++i) {
      if (found->factors[i] == 0) continue;
      is_linear = is_linear && formula_.places[i].column.jumps.empty();
      moves = moves || formula_.places[i].column.step != 0;
    }
    const Range range = range_of(*found);
    const bool is_signed = made(at).step == Step::convert || range.low >= 0;
    const bool fits = -range.low <= most_as_float && range.high <= most_as_float;
    return is_linear && moves && is_signed && fits ? found : std::nullopt;
  }

  // The integer that step `at` computes, as a sum of indices. Null if it is no such sum, or if one
  // of the steps that compute it could wrap around.
  std::optional<PlaceSum> whole_sum(int at) {
    const Node& node = made(at);
    if (node.type != ElementType::i32 && node.type != ElementType::i64) return std::nullopt;
    auto found = unchecked_sum(node);
    if (!found) return std::nullopt;
    const Range range = range_of(*found);
    const bool is_small = -range.low <= most_of_sum && range.high <= most_of_sum &&
                          std::abs(static_cast<double>(found->constant)) <= most_of_sum &&
                          std::ranges::all_of(found->factors, [](std::int64_t factor) {
                            return std::abs(static_cast<double>(factor)) <= most_of_sum;
                          });
    return is_small ? found : std::nullopt;
  }

  std::optional<PlaceSum> unchecked_sum(const Node& node) {
    const PlaceSum zero{0, std::vector<std::int64_t>(formula_.places.size())};
    const auto operand = [&](std::size_t i) { return whole_sum(node.operands[i]); };
    switch (node.step) {
      case Step::input: {
        const auto place = static_cast<std::size_t>(node.index) - first_place_;
        if (static_cast<std::size_t>(node.index) < first_place_ || place >= zero.factors.size())
          return std::nullopt;
        PlaceSum sum = zero;
        sum.factors[place] = 1;
        return sum;
      }
      case Step::constant:
        if (!(std::abs(node.constant) <= most_of_sum)) return std::nullopt;
        return PlaceSum{static_cast<std::int64_t>(node.constant), zero.factors};
      case Step::add:
        return combined(operand(0), operand(1), 1);
      case Step::subtract:
        return combined(operand(0), operand(1), -1);
      case Step::negate:
        return combined(zero, operand(0), -1);
      case Step::convert:
        return operand(0);
      default:
        return std::nullopt;
    }
  }

  static std::optional<PlaceSum> combined(const std::optional<PlaceSum>& x,
                                          const std::optional<PlaceSum>& y, std::int64_t sign) {
    if (!x || !y) return std::nullopt;
    PlaceSum sum = *x;
    sum.constant += sign * y->constant;
    for (std::size_t i = 0; i < sum.factors.size(); ++i) sum.factors[i] += sign * y->factors[i];
    return sum;
  }

  struct Range {
    double low = 0, high = 0;
  };
  Range range_of(const PlaceSum& sum) {
    if (of_places_.empty())
      for (const WholeRange& place : formula_.of_places)
        of_places_.push_back({static_cast<double>(place.low), static_cast<double>(place.high)});
    Range range{static_cast<double>(sum.constant), static_cast<double>(sum.constant)};
    for (std::size_t i = 0; i < sum.factors.size(); ++i) {
      const auto factor = static_cast<double>(sum.factors[i]);
      const double x = factor * of_places_[i].low, y = factor * of_places_[i].high;
      range = {range.low + std::min(x, y), range.high + std::max(x, y)};
    }
    return range;
  }

  void take_tanh() {
    static const int tanh = runtime::find_math_function("math.tanh");
    std::vector<Node>& nodes = steps_.score.nodes;
    const auto is_tanh = [&](const Node& node) {
      return node.step == Step::function1 && node.index == tanh && node.type == ElementType::f32;
    };
    if (std::ranges::count_if(nodes, is_tanh) != 1) return;
    // 1 + tanh(x) has code of its own.
    if (std::ranges::any_of(nodes, [&](const Node& node) {
          return runtime::operand_of_one_and_tanh(steps_.score, node).has_value();
        }))
      return;
    Node& node = *std::ranges::find_if(nodes, is_tanh);
    const auto end = nodes.begin() + node.operands[0] + 1;
    steps_.tanh_of.nodes.assign(nodes.begin(), end);
    node = {.step = Step::input,
            .type = ElementType::f32,
            .index = static_cast<int>(first_number_ + steps_.numbers.size())};
  }

  const ScoreFormula& formula_;
  const Expression& from_;
  std::size_t first_place_, first_number_;
  std::vector<int> moved_;  // the new step of each
  std::vector<Range> of_places_;
  ScoreSteps steps_;
};

}  // namespace

ScoreSteps score_steps(const ScoreFormula& formula, const Expression& expression,
                       std::size_t extras, bool takes_tanh) {
  if (expression.nodes.empty()) return {};
  return Builder(formula, expression, extras).build(takes_tanh);
}

}  // namespace heddle::compiler
