#include "runtime/judge/product_check.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cmath>
#include <limits>

#include "emulator/record/host_threads.h"
#include "heddle/instruction/numerics.h"
#include "runtime/judge/reference_product.h"
#include "runtime/judge/rounding_limit.h"
#include "runtime/judge/tally.h"

namespace heddle::runtime {
namespace {

using instruction::ElementType;

// An f32 as a tf32, which has 11 significant bits. If `cut`, low bits are cut off, as instructions
// do by themselves. Otherwise it is rounded to nearest. For ties the result is the middle, because
// both directions are right: cvt.rna.tf32.f32 rounds ties away from zero (PTX ISA, "cvt"), and
// copies with a map of tf32 round ties to even (tests/data/nvidia_rounded_boxes_h100.json.gz).
Middle as_tf32(float x, bool cut) {
  if (!std::isfinite(x)) return {x, 0};
  const auto bits = std::bit_cast<std::uint32_t>(x);
  const auto number = [](std::uint32_t of) { return double{std::bit_cast<float>(of & ~0x1fffu)}; };
  if (cut) return {number(bits), 0};
  if ((bits & 0x1fffu) == 0x1000u) return {x, std::abs(x - number(bits))};
  return {number(bits + 0x1000u), 0};
}

double least_normal(ElementType type) {
  return std::ldexp(1.0, instruction::float_shape(type).smallest_exponent);
}

// overflow_of: the least sum that is rounded to infinity. least_number: the least number above 0.
double overflow_of(ElementType sums) {
  return sums == ElementType::f64 ? std::numeric_limits<double>::max() : 0x1.ffffffp127;
}
double least_number(ElementType sums) { return sums == ElementType::f64 ? 0x1p-1074 : 0x1p-149; }

// The numbers of one matrix of the batch, and the bounds of its sums.
class Sums {
 public:
  Sums(const Product& product, std::int64_t matrix) : matrix_(matrix), problem_(product.problem) {
    std::vector<double> a_slack, b_slack, a_poison, b_poison;
    const std::vector<Interval> computed =
        product.computed_a ? product.computed_a(matrix) : std::vector<Interval>();
    a_ = numbers({product.a, product.a_extras, product.a_producer, computed}, problem_.m,
                 problem_.k, problem_.input == ElementType::u8, a_slack, a_poison, a_wholes_);
    b_ = numbers({product.b, product.b_extras, product.b_producer, {}}, problem_.k, problem_.n,
                 problem_.b_input() == ElementType::u8, b_slack, b_poison, b_wholes_);
    initial_.reserve(static_cast<std::size_t>(problem_.m * problem_.n));
    const Interval constant = rounded(problem_.sum_type(), {product.constant, product.constant,
                                                            plan::integer_of(product.constant)});
    for (std::int64_t m = 0; m < problem_.m; ++m) {
      for (std::int64_t n = 0; n < problem_.n; ++n) {
        const Interval first = product.c ? product.c->number(matrix, m, n) : constant;
        initial_.push_back(first.low);
        if (has_wholes()) initial_wholes_.push_back(whole(first));
      }
    }
    quantum_ = std::min(quantum(a_) * quantum(b_), quantum(initial_));
    const std::vector<double> a = aligned(a_, problem_.input);
    const std::vector<double> b = aligned(b_, problem_.b_input());
    row_norms_ = norms(a, problem_.m, problem_.k, problem_.k, 1);
    column_norms_ = norms(b, problem_.n, problem_.k, 1, problem_.n);
    if (problem_.loses_bits_of_f32()) {
      row_largest_ = largest(a, problem_.m, problem_.k, problem_.k, 1);
      column_largest_ = largest(b, problem_.n, problem_.k, 1, problem_.n);
    }
    row_slack_ = norms(a_slack, problem_.m, problem_.k, problem_.k, 1);
    column_slack_ = norms(b_slack, problem_.n, problem_.k, 1, problem_.n);
    if (!a_poison.empty()) row_poison_ = largest(a_poison, problem_.m, problem_.k, problem_.k, 1);
    if (!b_poison.empty())
      column_poison_ = largest(b_poison, problem_.n, problem_.k, 1, problem_.n);
    const auto is_bf16 = [](double x) {
      return !std::isfinite(x) || rounded(ElementType::bf16, x) == x;
    };
    loses_parts_ = problem_.is_split() &&
                   !(std::ranges::all_of(a_, is_bf16) && std::ranges::all_of(b_, is_bf16));
  }

  /// The reference sums of `count` rows from row `first` on. If sums have fewer bits than f32,
  /// `parts` is filled: for each sum, the largest magnitude that the sum has after any addition of
  /// the instruction.
  std::vector<Interval> rows(std::int64_t first, std::int64_t count,
                             std::vector<double>& parts) const {
    std::vector<Interval> sums;
    sums.reserve(static_cast<std::size_t>(count * problem_.n));
    if (has_wholes() || problem_.combine != plan::Step::add ||
        problem_.sum_type() == ElementType::f64) {
      for (std::int64_t m = first; m < first + count; ++m)
        for (std::int64_t n = 0; n < problem_.n; ++n)
          sums.push_back(has_wholes() ? whole_sum(m, n) : exact_sum(m, n));
      return sums;
    }
    const auto begin = initial_.begin() + first * problem_.n;
    std::vector<double> numbers(begin, begin + count * problem_.n);
    const bool is_short = problem_.loses_bits_of_f32();
    const auto note_parts = [&] {
      parts.resize(is_short ? numbers.size() : 0);
      for (std::size_t i = 0; i < parts.size(); ++i)
        parts[i] = std::max(parts[i], std::abs(numbers[i]));
    };
    note_parts();
    const std::int64_t step = is_short ? problem_.sums->group : problem_.k;
    for (std::int64_t k = 0; k < problem_.k; k += step) {
      add_product(a_.data() + first * problem_.k + k, problem_.k, b_.data() + k * problem_.n,
                  problem_.n, numbers.data(), problem_.n, count, problem_.n,
                  std::min(step, problem_.k - k));
      note_parts();
    }
    for (const double number : numbers) sums.push_back({number, number});
    return sums;
  }

  ElementTerms terms(std::int64_t m, std::int64_t n) const {
    const double* const row = a_.data() + m * problem_.k;
    ElementTerms found{{row, row + problem_.k}, {}, initial_.data()[m * problem_.n + n]};
    for (std::int64_t k = 0; k < problem_.k; ++k) found.b.push_back(b_.data()[k * problem_.n + n]);
    return found;
  }

  /// All values that a kernel may have for the sum whose reference is `reference`. `part` is needed
  /// if sums have fewer bits than f32: the largest magnitude of a part of the sum (see rows).
  Interval sum(std::int64_t m, std::int64_t n, const Interval& reference, double part) const {
    const auto row = static_cast<std::size_t>(m), column = static_cast<std::size_t>(n);
    if ((!row_poison_.empty() && row_poison_[row] > 0) ||
        (!column_poison_.empty() && column_poison_[column] > 0))
      return poison();
    const double unknown = slack(m, n);
    if (unknown == infinity) return is_whole() ? any_integer(problem_.sum_type()) : any_float();
    if (is_whole() && unknown == 0) return reference;
    const double middle = reference.low;
    if (!std::isfinite(middle) && unknown > 0) return any_float();
    if (std::isnan(middle)) return reference;
    const double error = allowed(m, n, part);
    if (is_whole() || combines() || !overflows(m, n, error))
      return error == 0 ? reference : Interval{middle - error, middle + error};
    return beyond(m, n, middle, error);
  }

 private:
  bool is_whole() const { return instruction::is_integer(problem_.sum_type()); }

  // Replaces subnormal numbers by the least normal number. A matrix instruction aligns terms as if
  // they were that large when it cuts off their low bits (instruction/tensor_sums.h, FusedSum).
  static std::vector<double> aligned(std::vector<double> numbers, ElementType type) {
    if (instruction::is_integer(type) || instruction::bits(type) > 16) return numbers;
    const double least = least_normal(type);
    for (double& x : numbers)
      if (x != 0 && std::abs(x) < least) x = least;
    return numbers;
  }
  bool combines() const { return problem_.combine != plan::Step::add; }

  // How far a sum may be from the reference because its operands are uncertain.
  double slack(std::int64_t m, std::int64_t n) const {
    const auto row = static_cast<std::size_t>(m), column = static_cast<std::size_t>(n);
    if (combines()) return row_slack_[row];
    if (row_slack_[row] == 0 && column_slack_[column] == 0) return 0;
    const double all = row_slack_[row] * (column_norms_[column] + column_slack_[column]) +
                       row_norms_[row] * column_slack_[column];
    return std::isnan(all) ? infinity : all;
  }

  // True if the terms of a sum are so large that a sum of some of them may be infinite.
  bool overflows(std::int64_t m, std::int64_t n, double error) const {
    const double all =
        std::abs(initial_[static_cast<std::size_t>(m * problem_.n + n)]) +
        row_norms_[static_cast<std::size_t>(m)] * column_norms_[static_cast<std::size_t>(n)];
    return all + error >= overflow_of(problem_.sum_type());
  }

  // The range of a sum that may overflow. Depending on the order, the terms of one sign may add up
  // to an infinity, and so may those of the other sign. Both infinities together, or one with an
  // infinite product of the other sign, give NaN.
  Interval beyond(std::int64_t m, std::int64_t n, long double middle, long double error) const {
    long double above = 0, below = 0;
    const auto add = [&](long double term) { (term < 0 ? below : above) += std::abs(term); };
    add(initial_[static_cast<std::size_t>(m * problem_.n + n)]);
    for (std::int64_t k = 0; k < problem_.k; ++k)
      add(static_cast<long double>(a_[static_cast<std::size_t>(m * problem_.k + k)]) *
          b_[static_cast<std::size_t>(k * problem_.n + n)]);
    const long double most = overflow_of(problem_.sum_type());
    if (std::isinf(above) || std::isinf(below)) {
      const long double others = std::min(above, below);
      const double infinite = std::isinf(above) ? infinity : -infinity;
      return {infinite, infinite, 0, others + lost(others, others) >= most};
    }
    // For f64, the sum and the norms may be too large for float64 themselves.
    if (!std::isfinite(middle)) middle = above - below;
    if (!std::isfinite(error)) error = lost(above + below, above + below) + slack(m, n);
    const bool may_rise = above + error >= most, may_fall = below + error >= most;
    return {may_fall ? -infinity : static_cast<double>(middle - error),
            may_rise ? infinity : static_cast<double>(middle + error), 0, may_rise && may_fall};
  }

  // The largest allowed distance of a sum from the reference.
  double allowed(std::int64_t m, std::int64_t n, double part) const {
    const auto row = static_cast<std::size_t>(m), column = static_cast<std::size_t>(n);
    const double slack = this->slack(m, n);
    if (is_whole() || combines() || slack == infinity) return slack;
    const double products = row_norms_[row] * column_norms_[column] + slack;
    const double all = std::abs(initial_[static_cast<std::size_t>(m * problem_.n + n)]) + products;
    const auto depth = static_cast<double>(problem_.short_depth());
    const double of_sum =  // of short sums: no more than all, nor than `depth` of the largest
        depth == 0 ? 0 : std::min(products, depth * row_largest_[row] * column_largest_[column]);
    const double least = least_number(problem_.sum_type());
    const double cut = problem_.sums ? problem_.sums->per_product : 0;
    const bool keeps_all = depth > 0 || std::max(unit(), cut) * all <= quantum_;
    if (keeps_all && unit() * all <= quantum_ && (quantum_ >= least || all == 0) &&
        cut * of_sum <= quantum_ && !loses_parts_ && slack == 0)
      return 0;
    long double of_short = lost_by_short_sums(products);
    if (depth > 0 && slack == 0)
      of_short = std::min(of_short,
                          lost_by_short_parts(row_largest_[row] * column_largest_[column], part));
    const auto error = static_cast<double>(lost_by_rounding(all, products) + of_short + slack);
    return std::isnan(error) ? infinity : error;
  }

  // The error of sums with fewer bits than f32. lost_by_short_sums: a bound that takes every part
  // of a sum to be as large as the sum of all products. lost_by_short_parts: a bound that uses the
  // largest product and the largest part of the sum.
  long double lost_by_short_sums(long double products) const {
    const std::int64_t depth = problem_.short_depth();
    return depth == 0 ? 0 : problem_.sums->share(depth) * products;
  }
  long double lost_by_short_parts(long double largest, long double part) const {
    // One instruction's sum of products may be larger than the largest of these products.
    const double share = problem_.sums->share(problem_.k);
    return share < infinity ? share * std::max(largest, 2 * part) : infinity;
  }

  // The error of a sum. `all` bounds the magnitudes of all terms together, `products` those of the
  // products alone.
  long double lost(long double all, long double products) const {
    return lost_by_rounding(all, products) + lost_by_short_sums(products);
  }
  long double lost_by_rounding(long double all, long double products) const {
    const bool is_f64 = problem_.sum_type() == ElementType::f64;
    const auto count = problem_.k * (problem_.is_split() ? 3 : 1);
    // A sum of f64 counts two more terms: the reference, and each end of the allowed range, are
    // rounded to f64. If it is unknown how an instruction adds, it may cut off bits instead of
    // rounding.
    const double terms = std::max(static_cast<double>(count) + (is_f64 ? 3 : 1), 4.0);
    const bool is_own = problem_.sums && !problem_.loses_bits_of_f32() && !is_f64;
    const double share = is_own ? problem_.sums->share(count) : terms * unit();
    // Subnormal numbers have a constant distance, that of the least number.
    const long double least = terms * least_number(problem_.sum_type());
    return std::max<long double>(share * all, least) + (loses_parts_ ? 0x1p-15 : 0) * products;
  }
  double unit() const { return problem_.sum_type() == ElementType::f64 ? 0x1p-53 : 0x1p-24; }

  double combined(double x, double y) const {
    using plan::Step;
    const bool takes_number =
        problem_.combine == Step::maximum_number || problem_.combine == Step::minimum_number;
    if (std::isnan(x)) return takes_number ? y : x;
    if (std::isnan(y)) return takes_number ? x : y;
    return is_largest() ? std::max(x, y) : std::min(x, y);
  }
  bool is_largest() const {
    return problem_.combine == plan::Step::maximum ||
           problem_.combine == plan::Step::maximum_number;
  }

  // True if the factors are integers of 32 or 64 bits. Their products may not fit float64.
  bool has_wholes() const {
    return problem_.input == ElementType::i32 || problem_.input == ElementType::i64;
  }
  std::int64_t whole(const Interval& number) const {
    return problem_.input == ElementType::i64 ? number.integer
                                              : static_cast<std::int64_t>(number.low);
  }

  // The elements of A and of B, and the initial values to which the products are added.
  template <class Number>
  struct Terms {
    const std::vector<Number>&a, &b, &initial;
  };
  template <class Sum, class Number>
  Sum reduced(const Terms<Number>& terms, std::int64_t m, std::int64_t n, auto add) const {
    auto sum = static_cast<Sum>(terms.initial[static_cast<std::size_t>(m * problem_.n + n)]);
    for (std::int64_t k = 0; k < problem_.k; ++k)
      sum = add(sum, static_cast<Sum>(terms.a[static_cast<std::size_t>(m * problem_.k + k)]),
                static_cast<Sum>(terms.b[static_cast<std::size_t>(k * problem_.n + n)]));
    return sum;
  }
  // The sum of integers modulo 2^64, which is also right modulo 2^32; or the largest or smallest.
  Interval whole_sum(std::int64_t m, std::int64_t n) const {
    const Terms<std::int64_t> terms{a_wholes_, b_wholes_, initial_wholes_};
    const std::int64_t sum =
        problem_.combine == plan::Step::add
            ? static_cast<std::int64_t>(reduced<std::uint64_t>(
                  terms, m, n, [](auto all, auto x, auto y) { return all + x * y; }))
            : reduced<std::int64_t>(terms, m, n, [&](auto all, auto x, auto) {
                return is_largest() ? std::max(all, x) : std::min(all, x);
              });
    return whole_number(problem_.input == ElementType::i64 ? sum : static_cast<std::int32_t>(sum));
  }
  // The sum for f64, computed with more bits; or, if the step is a maximum or minimum, the largest
  // or smallest element.
  Interval exact_sum(std::int64_t m, std::int64_t n) const {
    const Terms<double> terms{a_, b_, initial_};
    const double sum = problem_.combine == plan::Step::add
                           ? static_cast<double>(reduced<long double>(
                                 terms, m, n, [](auto all, auto x, auto y) { return all + x * y; }))
                           : reduced<double>(terms, m, n, [&](double all, double x, double) {
                               return combined(all, x);
                             });
    return {sum, sum};
  }

  struct Factor {
    const MatrixView& view;
    const std::vector<MatrixView>& extras;
    const plan::Expression& producer;
    const std::vector<Interval>& computed;  // the elements row by row, or nothing
  };
  // The elements of a factor as its producer computes them. `slack`: for each element, how far the
  // kernel's value may be from the value returned here. `poisoned`: 1 for each element that is
  // poison; empty if none is. `wholes`: the elements as integers.
  std::vector<double> numbers(const Factor& factor, std::int64_t rows, std::int64_t columns,
                              bool is_unsigned, std::vector<double>& slack,
                              std::vector<double>& poisoned,
                              std::vector<std::int64_t>& wholes) const {
    std::vector<double> all;
    all.reserve(static_cast<std::size_t>(rows * columns));
    slack.reserve(all.capacity());
    const bool plain = factor.producer.nodes.empty();
    std::vector<Interval> inputs(1 + factor.extras.size() + (factor.view.tells_padding ? 1 : 0));
    const auto read = [&](const MatrixView& view, std::int64_t row, std::int64_t column) {
      return view.number(matrix_, row, column, is_unsigned && plain);
    };
    for (std::int64_t row = 0; row < rows; ++row) {
      for (std::int64_t column = 0; column < columns; ++column) {
        inputs[0] =
            factor.computed.empty() ? read(factor.view, row, column) : factor.computed[all.size()];
        for (std::size_t i = 0; i < factor.extras.size(); ++i)
          inputs[i + 1] = read(factor.extras[i], row, column);
        if (factor.view.tells_padding) {
          const double is_stored = factor.view.is_padding(matrix_, row, column) ? 0 : 1;
          inputs.back() = {is_stored, is_stored};
        }
        const Interval range = plain ? inputs[0] : evaluate(factor.producer, inputs);
        auto [made, distance] = middle_of(range);
        if (range.is_poison) {
          poisoned.resize(static_cast<std::size_t>(rows * columns));
          poisoned[all.size()] = 1;
        }
        if (has_wholes() && distance > 0) {
          made = std::nearbyint(made);
          distance = std::max(range.high - made, made - range.low);
        }
        slack.push_back(distance);
        if (problem_.flushes_subnormals && std::abs(made) < least_normal(problem_.input))
          slack.back() = std::max(slack.back(), std::abs(made));
        if (problem_.is_tf32()) {
          const Middle tf32 = as_tf32(static_cast<float>(made), problem_.cuts_tf32());
          made = tf32.at;
          slack.back() += tf32.distance;
        }
        all.push_back(is_unsigned && made < 0 ? made + 256 : made);
        if (has_wholes()) wholes.push_back(distance == 0 ? whole(range) : plan::integer_of(made));
      }
    }
    return all;
  }

  std::int64_t matrix_;
  plan::Problem problem_;
  std::vector<double> a_, b_, initial_, row_norms_, column_norms_, row_slack_, column_slack_;
  std::vector<double> row_largest_, column_largest_;  // magnitudes, where sums are short
  std::vector<double> row_poison_, column_poison_;    // above 0 where an operand is poison; or none
  std::vector<std::int64_t> a_wholes_, b_wholes_, initial_wholes_;
  double quantum_ = 1;
  bool loses_parts_ = false;
};

// True if D is the sum itself, only rounded to a float of at least 16 bits.
bool is_sum(const Product& product) {
  return product.epilogue.nodes.empty() && !instruction::is_integer(product.d.element) &&
         instruction::bits(product.d.element) > 8;
}

// All values that D may have if the sum lies in `sum`.
Interval expected(const Product& product, std::int64_t matrix, std::int64_t m, std::int64_t n,
                  Interval sum) {
  if (product.problem.sum_type() == ElementType::f32) sum = rounded(ElementType::f32, sum);
  std::vector<Interval> inputs{rounded(product.sum_result, sum)};
  for (const MatrixView& extra : product.extras) inputs.push_back(extra.number(matrix, m, n));
  return evaluate(product.epilogue, inputs);
}

void judge(Tally& tally, const Product& product, std::int64_t matrix, std::int64_t m,
           std::int64_t n, const Interval& exact, const Interval& sum) {
  Tally::Element element{.type = product.d.element,
                         .found = product.d.number(matrix, m, n),
                         .range = {},
                         .without_width = {},
                         .is_rounded_sum = is_sum(product),
                         .row = matrix * product.problem.m + m,
                         .column = n};
  if (element.is_rounded_sum) {
    element.range = rounded(product.d.element, sum);
    element.without_width = exact;
  } else {
    element.range = expected(product, matrix, m, n, sum);
    element.without_width = sum.is_point() ? element.range : expected(product, matrix, m, n, exact);
  }
  element.is_exact =
      element.is_rounded_sum ? sum.low == sum.high : element.range.low == element.range.high;
  tally.judge(element);
}

// Judges every row of one matrix of the batch, on all cores.
void judge_matrix(const Product& product, std::int64_t matrix, std::vector<Tally>& parts,
                  const std::function<void(std::int64_t rows)>& progress) {
  constexpr std::int64_t rows_at_once = 32;
  const plan::Problem& problem = product.problem;
  const Sums sums(product, matrix);
  std::atomic<std::int64_t> next = 0;
  const auto work = [&](std::size_t worker) {
    for (;;) {
      const std::int64_t first = next.fetch_add(rows_at_once);
      if (first >= problem.m) return;
      const std::int64_t count = std::min(rows_at_once, problem.m - first);
      std::vector<double> parts_of_sums;
      const std::vector<Interval> reference = sums.rows(first, count, parts_of_sums);
      for (std::int64_t m = first; m < first + count; ++m)
        for (std::int64_t n = 0; n < problem.n; ++n) {
          const auto at = static_cast<std::size_t>((m - first) * problem.n + n);
          const Interval& exact = reference[at];
          const double part = parts_of_sums.empty() ? 0 : parts_of_sums[at];
          judge(parts[worker], product, matrix, m, n, exact, sums.sum(m, n, exact, part));
        }
      if (worker == 0 && progress) progress(matrix * problem.m + first);
    }
  };
  const std::size_t useful = static_cast<std::size_t>(problem.m + rows_at_once - 1) / rows_at_once;
  emulator::on_host_threads(std::min(parts.size(), useful), work);
}

}  // namespace

std::vector<Interval> results_of(const Product& product, std::int64_t matrix) {
  const plan::Problem& problem = product.problem;
  const Sums sums(product, matrix);
  std::vector<double> parts;
  const std::vector<Interval> reference = sums.rows(0, problem.m, parts);
  std::vector<Interval> results;
  results.reserve(reference.size());
  for (std::int64_t m = 0; m < problem.m; ++m)
    for (std::int64_t n = 0; n < problem.n; ++n) {
      const std::size_t at = results.size();
      const double part = parts.empty() ? 0 : parts[at];
      results.push_back(expected(product, matrix, m, n, sums.sum(m, n, reference[at], part)));
    }
  return results;
}

ElementTerms terms_of(const Product& product, std::int64_t row, std::int64_t column) {
  return Sums(product, row / product.problem.m).terms(row % product.problem.m, column);
}

double value_of(const Product& product, std::int64_t row, std::int64_t column, double sum) {
  if (is_sum(product)) return sum;
  const std::int64_t matrix = row / product.problem.m;
  return middle_of(expected(product, matrix, row % product.problem.m, column, {sum, sum})).at;
}

MatmulCheck check_product(const Product& product,
                          const std::function<void(std::int64_t rows)>& progress) {
  std::vector<Tally> parts(emulator::host_threads(0));
  for (std::int64_t matrix = 0; matrix < product.problem.batch; ++matrix)
    judge_matrix(product, matrix, parts, progress);
  for (std::size_t i = 1; i < parts.size(); ++i) parts[0].merge(parts[i]);
  return parts[0].finished();
}

}  // namespace heddle::runtime
