#include "compiler/decisions/score_formula.h"

#include <algorithm>
#include <cmath>

#include "compiler/decisions/key_ranges.h"
#include "compiler/decisions/place_sums.h"
#include "compiler/request/formula_ways.h"
#include "runtime/numbers/interval.h"

namespace heddle::compiler {
namespace {

using instruction::ElementType;
using runtime::infinity;

// Scores are assumed to be at least this: scores from products of f16 always are, and no network
// has lower ones of other types.
constexpr double below_scores = -1e30;

bool is_float(ElementType type) { return !is_number(type) && type != ElementType::b1; }

PlaceSum plus(PlaceSum sum, std::int64_t constant) {
  sum.constant += constant;
  return sum;
}

PlaceSum negated(PlaceSum sum) {
  sum.constant = -sum.constant;
  for (std::int64_t& factor : sum.factors) factor = -factor;
  return sum;
}

class FormulaBuilder : private PlaceSums {
 public:
  FormulaBuilder(const SoftmaxOperand& softmax, const plan::Problem& problem)
      : PlaceSums(softmax, problem), softmax_(softmax), nodes_(softmax.epilogue.nodes) {
    made_.batches = problem.batch;
    made_.rows = problem.m;
    made_.keys = problem.k;
    made_.places = places();
    made_.of_rows = of_rows();
    made_.of_places = of_places();
    made_.has_open_sizes = problem.dynamic != 0;
    made_.numbers = numbers();
  }

  std::optional<ScoreFormula> build() {
    if (!are_narrow()) return std::nullopt;
    if (nodes_.empty()) return std::move(made_);
    const int root = static_cast<int>(nodes_.size()) - 1;
    made_.is_kept = kept(root);
    if (is(made_.is_kept, Condition::Kind::always)) made_.is_kept = -1;
    made_.conditions = conditions_;
    const auto has = [&](const Condition& one) { return has_numbers(one.sum); };
    if (std::ranges::none_of(conditions_, has)) made_.numbers.clear();
    find_factor(root);
    const bool is_scaled = made_.factor != 1;
    moved_.assign(nodes_.size(), -1);
    into_ = {};
    finish(is_scaled ? unscaled(root, false) : plain(root));
    made_.all = std::exchange(into_, {});
    moved_.assign(nodes_.size(), -1);
    finish(is_scaled ? unscaled(root, true) : on_the_way(root));
    made_.kept = std::exchange(into_, {});
    made_.has_large_scores = has_operands() || highest_mask_ != -infinity;
    made_.may_skip = made_.has_mask() && may_skip();
    // The results for a row that is wholly masked depend on the masks, and new_step() has changed
    // these.
    if (has_higher_masks_ && !made_.may_skip && !softmax_.results.empty()) return std::nullopt;
    return std::move(made_);
  }

 private:
  // True if operands of the formula take part in the value of a score, and do not only decide
  // whether it is masked.
  bool has_operands() const {
    const auto is_whole = [](const MatrixRecord& extra) { return is_number(extra.element); };
    const auto is_made_a_float = [&](const Node& one) {
      return (one.step == Step::convert || one.step == Step::convert_unsigned) &&
             is_float(one.type) && is_number(node(one.operands[0]).type);
    };
    return !std::ranges::all_of(softmax_.extras, is_whole) ||
           (!softmax_.extras.empty() && std::ranges::any_of(nodes_, is_made_a_float));
  }

  bool is(int condition, Condition::Kind kind) const {
    return conditions_[static_cast<std::size_t>(condition)].kind == kind;
  }
  int add(const Condition& condition) {
    conditions_.push_back(condition);
    return static_cast<int>(conditions_.size()) - 1;
  }
  int constant(bool holds) {
    return add({.kind = holds ? Condition::Kind::always : Condition::Kind::never});
  }
  int both(int x, int y) {
    using enum Condition::Kind;
    if (is(x, never) || is(y, always)) return x;
    if (is(y, never) || is(x, always)) return y;
    return add({.kind = Condition::Kind::both, .x = x, .y = y});
  }
  int either(int x, int y) {
    using enum Condition::Kind;
    if (is(x, always) || is(y, never)) return x;
    if (is(y, always) || is(x, never)) return y;
    return add({.kind = Condition::Kind::either, .x = x, .y = y});
  }
  // The condition that `sum` is negative. If the range of the sum decides this, it is a constant;
  // but not if the sum has numbers of the launch, because their assumed range may be wrong for a
  // launch.
  int negative(const PlaceSum& sum) {
    const WholeRange all = range(sum);
    if (!has_numbers(sum) && (all.high < 0 || all.low >= 0)) return constant(all.high < 0);
    if (!is_narrow(sum)) return add({.kind = Condition::Kind::unknown});
    return add({.kind = Condition::Kind::negative, .sum = sum});
  }

  // The condition for an unsigned comparison, if one of the two numbers is known to be at least 0.
  // The other one, if it is negative, counts as larger than all numbers from 0 on. Null if neither
  // is known to be at least 0.
  std::optional<int> unsigned_condition(int at, bool wanted) {
    const int x = unmoved(operand(at, 0)), y = unmoved(operand(at, 1));
    const auto of_x = x < 0 ? std::nullopt : sum_of(x), of_y = y < 0 ? std::nullopt : sum_of(y);
    const auto less = sum(of_x, of_y, -1);
    if (!less || node(at).step > Step::less_equal) return std::nullopt;
    const bool is_x = range(*of_x).low >= 0;
    if (!is_x && range(*of_y).low < 0) return std::nullopt;
    const int as_signed = of_difference(node(at).step, *less, wanted);
    const int beyond = is_x ? negative(*of_y) : negative(*of_x);
    const int within = negative(plus(negated(is_x ? *of_y : *of_x), -1));
    return is_x == wanted ? either(as_signed, beyond) : both(as_signed, within);
  }

  // A number that is one of two constants.
  struct Cases {
    int condition = 0;  // a step of b1
    double if_true = 1, if_false = 0;
  };
  std::optional<Cases> cases(int at) const {
    const Node& one = node(at);
    const bool is_cast = one.step == Step::convert || one.step == Step::convert_unsigned;
    if (is_cast && node(one.operands[0]).type == ElementType::b1)
      return Cases{one.operands[0], one.step == Step::convert ? -1.0 : 1.0, 0};
    if (is_cast)
      if (const auto from = cases(one.operands[0]);
          from && is_number(one.type) && (one.step == Step::convert || from->if_true >= 0))
        return from;
    if (one.step == Step::select && is_constant(one.operands[1]) && is_constant(one.operands[2]))
      return Cases{one.operands[0], node(one.operands[1]).constant, node(one.operands[2]).constant};
    return std::nullopt;
  }

  static bool holds(Step step, double x, double y) {
    return step == Step::less         ? x < y
           : step == Step::less_equal ? x <= y
           : step == Step::equal      ? x == y
                                      : x != y;
  }

  // The condition under which step `at`, of type b1, has the value `wanted`.
  int condition(int at, bool wanted) {
    const Node& one = node(at);
    if (one.step == Step::constant) return constant((one.constant != 0) == wanted);
    if (one.step == Step::select) {
      const int chosen = one.operands[0];
      return either(both(condition(chosen, true), condition(one.operands[1], wanted)),
                    both(condition(chosen, false), condition(one.operands[2], wanted)));
    }
    if (one.step < Step::less || one.step > Step::not_equal)
      return add({.kind = Condition::Kind::unknown});
    if (const auto found = difference(at)) return of_difference(one.step, *found, wanted);
    if (const auto found = unsigned_condition(at, wanted)) return *found;
    for (const int side : {0, 1}) {
      const int other = one.operands[static_cast<std::size_t>(1 - side)];
      if (!is_constant(other)) continue;
      const double number = node(other).constant;
      const int varied = one.operands[static_cast<std::size_t>(side)];
      auto of = cases(varied);
      if (node(varied).type == ElementType::b1) of = Cases{varied};
      if (!of) continue;
      const auto result = [&](double value) {
        return holds(one.step, side == 0 ? value : number, side == 0 ? number : value) == wanted;
      };
      return either(both(condition(of->condition, true), constant(result(of->if_true))),
                    both(condition(of->condition, false), constant(result(of->if_false))));
    }
    return add({.kind = Condition::Kind::unknown});
  }

  int of_difference(Step step, const PlaceSum& found, bool wanted) {
    const PlaceSum back = negated(found);
    switch (step) {
      case Step::less:
        return negative(wanted ? found : plus(back, -1));
      case Step::less_equal:
        return negative(wanted ? plus(found, -1) : back);
      default:
        return (step == Step::equal) == wanted
                   ? both(negative(plus(found, -1)), negative(plus(back, -1)))
                   : either(negative(found), negative(back));
    }
  }

  // The condition under which the float of step `at` is not masked. A constant of -10000 or less is
  // a mask. Other steps are masked if certain operands are masked (an addition: one of the two);
  // these operands are followed.
  int kept(int at) {
    const Node& one = node(at);
    if (!is_float(one.type)) return constant(true);
    switch (one.step) {
      case Step::constant:
        if (one.constant <= -1e4) {
          highest_mask_ = std::max(highest_mask_, one.constant);
          return constant(false);
        }
        return constant(true);
      case Step::select:
        return either(both(condition(one.operands[0], true), kept(one.operands[1])),
                      both(condition(one.operands[0], false), kept(one.operands[2])));
      case Step::add:
      case Step::minimum:
      case Step::minimum_number:
        return both(kept(one.operands[0]), kept(one.operands[1]));
      case Step::subtract:
      case Step::convert:
        return is_float(node(one.operands[0]).type) ? kept(one.operands[0]) : constant(true);
      case Step::multiply:
        for (const int side : {0, 1})
          if (const int other = one.operands[static_cast<std::size_t>(1 - side)];
              is_constant(other) && node(other).constant > 0)
            return kept(one.operands[static_cast<std::size_t>(side)]);
        return constant(true);
      default:
        return constant(true);
    }
  }

  bool is_never_kept(int at) { return is(kept(at), Condition::Kind::never); }

  // If step `at` multiplies by a positive constant, returns the constant, and `other` is the other
  // operand. Otherwise 1.
  double factor_at(int at, int& other) const {
    if (node(at).step != Step::multiply || node(at).type != ElementType::f32) return 1;
    for (const int side : {0, 1}) {
      const int constant = operand(at, side);
      const double value = node(constant).constant;
      other = operand(at, 1 - side);
      if (is_constant(constant) && value > 0x1p-100 && value < 0x1p100) return value;
    }
    return 1;
  }

  // Looks for a factor that the formula applies last: a multiplication by a constant. True if every
  // path back from the result leads to a multiplication by the same constant, or to a mask of
  // -infinity. The score is then `factor` times the formula without these multiplications.
  bool find_factor_of(int at, double& factor) {
    if (is_constant(at, -infinity)) return true;
    int other = 0;
    if (const double found = factor_at(at, other); found != 1) {
      if (!is(kept(other), Condition::Kind::always) && highest_mask_ != -infinity) return false;
      const bool is_same = factor == 1 || factor == found;
      factor = found;
      return is_same;
    }
    if (node(at).step == Step::select)
      return find_factor_of(operand(at, 1), factor) && find_factor_of(operand(at, 2), factor);
    if (node(at).step == Step::add)
      for (const int side : {0, 1})
        if (is_mask(operand(at, 1 - side))) return find_factor_of(operand(at, side), factor);
    return false;
  }

  // True if a float can only be 0 or -infinity.
  bool is_mask(int at) const {
    if (is_constant(at, -infinity) || is_constant(at, 0)) return true;
    return node(at).step == Step::select && is_mask(operand(at, 1)) && is_mask(operand(at, 2));
  }

  void find_factor(int root) {
    double factor = 1;
    if (find_factor_of(root, factor)) made_.factor = factor;
  }

  int unscaled(int at, bool is_kept) {
    int other = 0;
    if (factor_at(at, other) != 1) return is_kept ? on_the_way(other) : plain(other);
    const Node& one = node(at);
    if (one.step == Step::select) {
      for (const int side : {1, 2})
        if (is_kept && is_never_kept(one.operands[static_cast<std::size_t>(3 - side)]))
          return unscaled(one.operands[static_cast<std::size_t>(side)], true);
      return emitted({Step::select,
                      one.type,
                      {plain(one.operands[0]), unscaled(one.operands[1], is_kept),
                       unscaled(one.operands[2], is_kept)}});
    }
    if (one.step != Step::add) return plain(at);
    const int mask = is_mask(one.operands[1]) ? 1 : 0;
    const int score = unscaled(one.operands[static_cast<std::size_t>(1 - mask)], is_kept);
    const int added = one.operands[static_cast<std::size_t>(mask)];
    return sum_of_steps(score, is_kept ? on_the_way(added) : plain(added), one.type);
  }

  int emitted(const Node& one) {
    const auto known = std::ranges::find(into_.nodes, one);
    const auto at = static_cast<int>(known - into_.nodes.begin());
    if (known == into_.nodes.end()) into_.nodes.push_back(one);
    return at;
  }
  const Node& made(int at) const { return into_.nodes[static_cast<std::size_t>(at)]; }

  int sum_of_steps(int x, int y, ElementType type) {
    for (const auto& [one, other] : {std::pair(x, y), std::pair(y, x)})
      if (made(other).step == Step::constant && made(other).constant == 0) return one;
    return emitted({Step::add, type, {x, y}});
  }

  // Makes step `root` the last one.
  void finish(int root) {
    into_.nodes.resize(static_cast<std::size_t>(root) + 1);
    if (into_.is_identity()) into_.nodes.clear();
  }

  // Copies the steps that a key which is not masked needs, so that selects and additions of masks
  // are left out. `at` is a step between the masks and the result.
  int on_the_way(int at) {
    const Node one = node(at);
    if (!is_float(one.type)) return plain(at);
    switch (one.step) {
      case Step::select:
        if (is_never_kept(one.operands[2])) return on_the_way(one.operands[1]);
        if (is_never_kept(one.operands[1])) return on_the_way(one.operands[2]);
        return emitted(
            {one.step,
             one.type,
             {plain(one.operands[0]), on_the_way(one.operands[1]), on_the_way(one.operands[2])}});
      case Step::add:
        return sum_of_steps(on_the_way(one.operands[0]), on_the_way(one.operands[1]), one.type);
      case Step::minimum:
      case Step::minimum_number:
        return emitted(
            {one.step, one.type, {on_the_way(one.operands[0]), on_the_way(one.operands[1])}});
      case Step::subtract:
        return emitted({one.step, one.type, {on_the_way(one.operands[0]), plain(one.operands[1])}});
      case Step::convert:
        if (!is_float(node(one.operands[0]).type)) return plain(at);
        return emitted({one.step, one.type, {on_the_way(one.operands[0])}});
      case Step::multiply:
        for (const int side : {0, 1}) {
          const int other = one.operands[static_cast<std::size_t>(1 - side)];
          if (!is_constant(other) || node(other).constant <= 0) continue;
          return emitted(
              {one.step,
               one.type,
               {on_the_way(one.operands[static_cast<std::size_t>(side)]), plain(other)}});
        }
        return plain(at);
      default:
        return plain(at);
    }
  }

  int plain(int at) {
    int& known = moved_[static_cast<std::size_t>(at)];
    if (known < 0) known = new_step(at);
    return known;
  }

  int new_step(int at) {
    Node one = node(at);
    if (is_place(at)) one.type = ElementType::i32;
    if (one.step == Step::input) return emitted(one);
    // Masks below this are raised to it: still below all scores, and no overflow when multiplied.
    if (one.step == Step::constant && is_float(one.type) && one.constant < below_scores &&
        one.constant != -infinity) {
      one.constant = below_scores;
      has_higher_masks_ = true;
    }
    const bool compares = one.step >= Step::less && one.step <= Step::not_equal;
    if (compares)
      if (const auto found = comparison(at)) return *found;
    if (one.step == Step::divide && one.type == ElementType::f32 && is_constant(one.operands[1]))
      if (const auto product = quotient(one)) return *product;
    const bool fits = one.type == ElementType::i64 && range(at).low >= -0x1p31 &&
                      range(at).high < 0x1p31 && !range(at).is_poison;
    const auto [x, y] = compares ? compared(at) : std::pair(one.operands[0], one.operands[1]);
    const std::array<int, 3> from{x, y, one.operands[2]};
    for (int i = 0; i < operand_count(one.step); ++i)
      one.operands[static_cast<std::size_t>(i)] = plain(from[static_cast<std::size_t>(i)]);
    if (one.step == Step::convert || one.step == Step::convert_unsigned)
      return converted(one, from[0], fits);
    bool is_narrow = fits;
    for_whole_operands(one, [&](int& of) {
      is_narrow = is_narrow && (made(of).type != ElementType::i64 || is_constant_i32(of));
    });
    if (compares) {
      bool has_narrow = false, has_wide = false;
      for_whole_operands(one, [&](int& of) {
        has_wide = has_wide || (made(of).type == ElementType::i64 && !is_constant_i32(of));
        has_narrow = has_narrow || made(of).type == ElementType::i32;
      });
      is_narrow = has_narrow && !has_wide;
    }
    if (one.type == ElementType::i64 || (compares && is_number(node(from[0]).type)))
      for_whole_operands(one, [&](int& of) {
        if (node(from[0]).type == ElementType::i64 || one.type == ElementType::i64)
          of = as(of, is_narrow ? ElementType::i32 : ElementType::i64);
      });
    if (is_narrow && one.type == ElementType::i64) one.type = ElementType::i32;
    return emitted(one);
  }

  // Replaces a division by a constant by a product with the reciprocal. The result may differ in
  // the last bit, but takes a tenth of the time.
  std::optional<int> quotient(const Node& one) {
    const double divisor = static_cast<float>(node(one.operands[1]).constant);
    if (std::abs(divisor) < 0x1p-100 || std::abs(divisor) > 0x1p100) return std::nullopt;
    const int factor = emitted(
        {.step = Step::constant, .type = one.type, .constant = static_cast<float>(1 / divisor)});
    return emitted({Step::multiply, one.type, {plain(one.operands[0]), factor}});
  }

  bool is_constant_i32(int at) const {
    return made(at).step == Step::constant && std::abs(made(at).constant) < 0x1p31;
  }

  // Calls `visit` for those operands of a new step that are whole numbers.
  template <class Visit>
  void for_whole_operands(Node& one, Visit visit) const {
    for (int i = one.step == Step::select ? 1 : 0; i < operand_count(one.step); ++i)
      if (is_number(made(one.operands[static_cast<std::size_t>(i)]).type))
        visit(one.operands[static_cast<std::size_t>(i)]);
  }

  // A new step as i32 or i64.
  int as(int at, ElementType type) {
    Node one = made(at);
    if (one.type == type) return at;
    if (one.step != Step::constant) return emitted({Step::convert, type, {at}});
    one.type = type;
    return emitted(one);
  }

  int converted(Node one, int from, bool fits) {
    const bool was_wide = node(from).type == ElementType::i64;
    const bool is_narrow = was_wide && made(one.operands[0]).type == ElementType::i32;
    if (one.step == Step::convert_unsigned && is_narrow) {
      if (range(from).low >= 0)
        one.step = Step::convert;
      else
        one.operands[0] = as(one.operands[0], ElementType::i64);
    }
    if (fits) one.type = ElementType::i32;
    const ElementType of = made(one.operands[0]).type;
    const bool is_same = of == one.type && one.step == Step::convert;
    return is_same ? one.operands[0] : emitted(one);
  }

  // If step `at` compares two sums of places, returns an input (b1) that replaces it: whether the
  // difference of the two sums is less than 0, which the kernel computes itself. Null for other
  // comparisons.
  std::optional<int> comparison(int at) {
    const Step step = node(at).step;
    const auto found = difference(at);
    if (!found || (step != Step::less && step != Step::less_equal)) return std::nullopt;
    PlaceSum sum = step == Step::less ? *found : plus(*found, -1);
    if (has_numbers(sum) || !is_narrow(sum)) return std::nullopt;
    sum.factors.resize(softmax_.places.size());
    const auto known = std::ranges::find(made_.comparisons, sum);
    const auto number = static_cast<int>(known - made_.comparisons.begin());
    if (known == made_.comparisons.end()) made_.comparisons.push_back(sum);
    const int first = first_place() + static_cast<int>(softmax_.places.size());
    return emitted({.step = Step::input, .type = ElementType::b1, .index = first + number});
  }

  // True if masked keys may be left out, because their exponentials are 0. If masks are -infinity,
  // that is always so. With other masks, the exponentials are 0 only in a row that also has a score
  // which is not masked, so it must be certain that each row has one.
  bool may_skip() const {
    if (highest_mask_ == -infinity) return true;
    if (highest_mask_ > below_scores || !softmax_.extras.empty()) return false;  // nor numbers
    if (made_.has_open_sizes || made_.batches * made_.rows > most_places) return false;
    using Ranges = KeyRanges<KnownArithmetic>;
    for (std::int64_t batch = 0; batch < made_.batches; ++batch)
      for (std::int64_t row = 0; row < made_.rows; ++row) {
        const auto seen = Ranges({}, made_, {batch, row, row}).ranges().certain;
        if (seen.first >= seen.end) return false;
      }
    return true;
  }

  const SoftmaxOperand& softmax_;
  const std::vector<Node>& nodes_;
  double highest_mask_ = -infinity;
  bool has_higher_masks_ = false;  // than the text has
  std::vector<int> moved_;         // the new step of each
  Expression into_;
  std::vector<Condition> conditions_;
  ScoreFormula made_;
};

}  // namespace

std::optional<ScoreFormula> score_formula(const SoftmaxOperand& softmax,
                                          const plan::Problem& problem) {
  if (steps_of_all_ways(softmax.epilogue) > most_score_steps) return std::nullopt;
  const std::int64_t rows = std::max({problem.batch, problem.m, problem.k});
  if (!softmax.places.empty() && rows > most_places) return std::nullopt;
  const auto is_known = [](const Axis& axis) {
    return axis.step.is_static() && std::ranges::all_of(axis.jumps, [](const Jump& jump) {
             return jump.sizes == 0 && jump.forward.is_static() && jump.back.is_static();
           });
  };
  for (const PlaceRecord& place : softmax.places)
    if (!is_known(place.batch) || !is_known(place.row) || !is_known(place.column))
      return std::nullopt;
  return FormulaBuilder(softmax, problem).build();
}

}  // namespace heddle::compiler
