#include "compiler/decisions/score_formula.h"

#include <cmath>
#include <limits>

#include "compiler/decisions/key_ranges.h"
#include "compiler/request/actual_product.h"
#include "compiler/request/formula_ways.h"
#include "runtime/numbers/interval.h"

namespace heddle::compiler {
namespace {

using instruction::ElementType;
using runtime::infinity;
using runtime::Interval;

// Scores are no smaller than this: products of f16 never are, others in no network.
constexpr double below_scores = -1e30;

bool is_number(ElementType type) { return instruction::is_integer(type); }
bool is_float(ElementType type) { return !is_number(type) && type != ElementType::b1; }

// Beyond this number, not all whole numbers are numbers of the type.
std::int64_t most_whole(ElementType type) {
  if (is_number(type))
    return std::numeric_limits<std::int64_t>::max() >> (64 - instruction::bits(type));
  if (type == ElementType::f64) return std::int64_t{1} << 53;
  if (type == ElementType::f32) return std::int64_t{1} << 24;
  if (type == ElementType::f16) return 1 << 11;
  return type == ElementType::bf16 ? 1 << 8 : 0;
}

class FormulaBuilder {
 public:
  FormulaBuilder(const SoftmaxOperand& softmax, const plan::Problem& problem)
      : softmax_(softmax), nodes_(softmax.epilogue.nodes) {
    made_.batches = problem.batch;
    made_.rows = problem.m;
    made_.keys = problem.k;
    first_place_ = static_cast<int>(softmax.extras.size()) + 1;
    for (const PlaceRecord& place : softmax.places) {
      const PlaceAxes axes{elements(place.batch, problem), elements(place.row, problem),
                           elements(place.column, problem), place.offset};
      const WholeRange rows = range_along(axes.row, problem.m),
                       columns = range_along(axes.column, problem.k),
                       matrices = range_along(axes.batch, problem.batch);
      made_.places.push_back(axes);
      made_.of_rows.push_back(rows);
      of_places_.push_back({axes.offset + rows.low + columns.low + matrices.low,
                            axes.offset + rows.high + columns.high + matrices.high});
    }
  }

  std::optional<ScoreFormula> build() {
    for (const WholeRange& range : of_places_)
      if (range.high > most_whole(ElementType::i32)) return std::nullopt;
    find_ranges();
    if (nodes_.empty()) return std::move(made_);
    const int root = static_cast<int>(nodes_.size()) - 1;
    made_.is_kept = kept(root);
    if (is(made_.is_kept, Condition::Kind::always)) made_.is_kept = -1;
    find_factor(root);
    const bool is_scaled = made_.factor != 1;
    moved_.assign(nodes_.size(), -1);
    into_ = {};
    finish(is_scaled ? unscaled(root, false) : plain(root));
    made_.all = std::exchange(into_, {});
    moved_.assign(nodes_.size(), -1);
    finish(is_scaled ? unscaled(root, true) : on_the_way(root));
    made_.kept = std::exchange(into_, {});
    made_.has_large_scores = !softmax_.extras.empty() || highest_mask_ != -infinity;
    made_.may_skip = made_.has_mask() && may_skip();
    return std::move(made_);
  }

 private:
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

  void find_ranges() {
    std::vector<Interval> inputs{runtime::any_float()};
    for (const MatrixRecord& extra : softmax_.extras)
      inputs.push_back(is_number(extra.element) ? runtime::any_integer(extra.element)
                                                : runtime::any_float());
    for (const WholeRange& range : of_places_) {
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
  const Interval& range(int at) const { return ranges_[static_cast<std::size_t>(at)]; }

  WholeRange range(const PlaceSum& sum) const {
    WholeRange all{sum.constant, sum.constant};
    for (std::size_t i = 0; i < sum.factors.size(); ++i) {
      const std::int64_t x = sum.factors[i] * of_places_[i].low,
                         y = sum.factors[i] * of_places_[i].high;
      all = {all.low + std::min(x, y), all.high + std::max(x, y)};
    }
    return all;
  }

  static std::optional<PlaceSum> sum(const std::optional<PlaceSum>& x,
                                     const std::optional<PlaceSum>& y, std::int64_t factor = 1) {
    if (!x || !y) return std::nullopt;
    PlaceSum all = *x;
    all.constant += factor * y->constant;
    for (std::size_t i = 0; i < all.factors.size(); ++i) all.factors[i] += factor * y->factors[i];
    return all;
  }

  // A number as a sum of places, if no step on the way to it wraps around or rounds.
  std::optional<PlaceSum> sum_of(int at) const {
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

  std::optional<PlaceSum> unchecked_sum_of(int at) const {
    const PlaceSum zero{0, std::vector<std::int64_t>(softmax_.places.size())};
    if (is_place(at)) {
      PlaceSum place = zero;
      place.factors[static_cast<std::size_t>(node(at).index - first_place_)] = 1;
      return place;
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

  bool is(int condition, Condition::Kind kind) const {
    return made_.conditions[static_cast<std::size_t>(condition)].kind == kind;
  }
  int add(const Condition& condition) {
    made_.conditions.push_back(condition);
    return static_cast<int>(made_.conditions.size()) - 1;
  }
  int constant(bool holds) {
    return add({.kind = holds ? Condition::Kind::always : Condition::Kind::never});
  }
  int negative(const PlaceSum& sum) {
    const WholeRange all = range(sum);
    if (all.high < 0 || all.low >= 0) return constant(all.high < 0);
    return add({.kind = Condition::Kind::negative, .sum = sum});
  }
  int both(int x, int y) {
    using enum Condition::Kind;
    if (is(x, never) || is(y, always)) return x;
    if (is(y, never) || is(x, always)) return y;
    return add({.kind = both_, .x = x, .y = y});
  }
  int either(int x, int y) {
    using enum Condition::Kind;
    if (is(x, always) || is(y, never)) return x;
    if (is(y, always) || is(x, never)) return y;
    return add({.kind = either_, .x = x, .y = y});
  }
  static constexpr auto both_ = Condition::Kind::both, either_ = Condition::Kind::either;

  // The operands of a comparison. An unsigned one compares numbers moved down by half of their
  // range, which says the same of numbers from 0 on without that.
  std::pair<int, int> compared(int at) const {
    const auto unmoved = [&](int side) {
      const int number = operand(at, side);
      if (!is_number(node(number).type)) return number;
      const double lowest = -std::ldexp(1.0, instruction::bits(node(number).type) - 1);
      const bool is_moved =
          node(number).step == Step::add && is_constant(operand(number, 1), lowest);
      return is_moved && range(operand(number, 0)).low >= 0 ? operand(number, 0) : number;
    };
    const int x = unmoved(0), y = unmoved(1);
    const bool are_both = x != operand(at, 0) && y != operand(at, 1);
    return are_both ? std::pair(x, y) : std::pair(operand(at, 0), operand(at, 1));
  }

  // x - y of a comparison, as a sum of places.
  std::optional<PlaceSum> difference(int at) const {
    const auto [x, y] = compared(at);
    return sum(sum_of(x), sum_of(y), -1);
  }
  static PlaceSum plus(PlaceSum sum, std::int64_t constant) {
    sum.constant += constant;
    return sum;
  }
  PlaceSum negated(const PlaceSum& of) const {
    return *sum(PlaceSum{0, std::vector<std::int64_t>(of.factors.size())}, of, -1);
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

  // The condition that step `at`, of b1, is `wanted`.
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

  // The condition that a float is not masked. On the way to the masks are steps of which the result
  // is masked where an operand is.
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

  // The positive constant by which step `at` multiplies; 1 if it does not.
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

  // A score is its factor times what is left if each way to a mask of -infinity ends in it.
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

  // True if a float is 0 or -infinity.
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

  // The step with that result becomes the last.
  void finish(int root) {
    into_.nodes.resize(static_cast<std::size_t>(root) + 1);
    if (into_.is_identity()) into_.nodes.clear();
  }

  // The same steps for a key that is not masked; `at` is on the way to the masks.
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
    // As much below all scores, and far from an overflow when it is multiplied.
    if (one.step == Step::constant && is_float(one.type) && one.constant < below_scores &&
        one.constant != -infinity)
      one.constant = below_scores;
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

  // A division by a constant as a product: it differs in the last bit, and takes a tenth of the time.
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

  // Those operands of a new step that are whole numbers.
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

  // A comparison of sums of places as one of a sum with 0, which is an input.
  std::optional<int> comparison(int at) {
    const Step step = node(at).step;
    const auto found = difference(at);
    if (!found || (step != Step::less && step != Step::less_equal)) return std::nullopt;
    const PlaceSum sum = step == Step::less ? *found : plus(*found, -1);
    const auto known = std::ranges::find(made_.comparisons, sum);
    const auto number = static_cast<int>(known - made_.comparisons.begin());
    if (known == made_.comparisons.end()) made_.comparisons.push_back(sum);
    const int first = first_place_ + static_cast<int>(softmax_.places.size());
    return emitted({.step = Step::input, .type = ElementType::b1, .index = first + number});
  }

  // Exponentials of masked scores are 0 if masks are -infinity. Others are 0 next to a score that
  // is not masked, and each row has to have one.
  bool may_skip() const {
    if (highest_mask_ == -infinity) return true;
    if (highest_mask_ > below_scores || !softmax_.extras.empty()) return false;
    if (made_.batches * made_.rows > most_places) return false;
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
  std::vector<Interval> ranges_;  // of each step
  std::vector<WholeRange> of_places_;
  int first_place_ = 1;
  double highest_mask_ = -infinity;
  std::vector<int> moved_;  // the new step of each
  Expression into_;
  ScoreFormula made_;
};

}  // namespace

std::optional<ScoreFormula> score_formula(const SoftmaxOperand& softmax,
                                          const plan::Problem& problem) {
  if (steps_of_all_ways(softmax.epilogue) > most_score_steps) return std::nullopt;
  const std::int64_t rows = std::max({problem.batch, problem.m, problem.k});
  if (!softmax.places.empty() && rows > most_places) return std::nullopt;
  return FormulaBuilder(softmax, problem).build();
}

}  // namespace heddle::compiler
