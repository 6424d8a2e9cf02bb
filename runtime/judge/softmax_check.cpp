#include "runtime/judge/softmax_check.h"

#include <algorithm>
#include <cmath>

#include "heddle/instruction/numerics.h"

namespace heddle::runtime {
namespace {

constexpr double half_step = 0x1p-24;
constexpr double of_exponential = 0x1p-22;
constexpr double below_largest = 8;  // how far what is subtracted may be below the largest score
constexpr double masked = -1e4;  // scores of masks, of which a kernel subtracts equal ones exactly

// The largest finite magnitude that is possible.
double magnitude(const Interval& score) {
  double most = 0;
  for (const double end : {score.low, score.high})
    if (std::isfinite(end)) most = std::max(most, std::abs(end));
  return most;
}

class Row {
 public:
  Row(const Interval* scores, std::int64_t count, const std::optional<Interval>& sink,
      const SoftmaxRounding& rounding)
      : scores_(scores), count_(count), rounding_(rounding) {
    const auto for_each = [&](auto visit) {
      for (std::int64_t i = 0; i < count; ++i) visit(scores[i]);
      if (sink) visit(*sink);
    };
    for_each([&](const Interval& score) {
      largest_low_ = std::max(largest_low_, score.low);
      largest_ = std::max(largest_, score.high);
      has_nan_ = has_nan_ || score.has_nan();
    });
    for_each([&](const Interval& score) {
      if (!is_far(score)) most_ = std::max(most_, magnitude(score));
      is_flat_ =
          is_flat_ && (is_far(score) || (score.low == largest_low_ && score.high == largest_low_));
      least_sum_ += power(score.low);
      largest_sum_ += power(score.high);
    });
  }

  // The range of `of`, an expression of l and m. A kernel may have another m than the largest
  // score, and an l that belongs to this m; the value of the expression is then the same.
  Interval value(const plan::Expression& of) const {
    if (has_nan_ || largest_ == infinity || (largest_low_ == -infinity && largest_ != -infinity))
      return any_float();
    if (largest_ == -infinity)
      return evaluate(of, {Interval{0, 0}, Interval{-infinity, -infinity}});
    const double m = std::max(std::abs(largest_), std::abs(largest_low_)) + below_largest;
    const double of_sum = std::expm1(error_of_sum(m));
    const double of_largest =
        half_step * 4 * m + of_exponential * (below_largest + std::log(largest_sum_ + 1));
    const double most = largest_sum_ * power(2 * largest_ - largest_low_);
    return evaluate(of, {Interval{least_sum_ / (1 + of_sum), most * (1 + of_sum)},
                         Interval{largest_low_ - of_largest, largest_ + of_largest}});
  }

  void add_shares(std::vector<Interval>& shares) const {
    // A row without a finite largest score has no softmax: 0 / 0 or infinity - infinity.
    const bool is_known = !has_nan_ && std::isfinite(largest_) && std::isfinite(largest_low_);
    for (std::int64_t i = 0; i < count_; ++i)
      shares.push_back(is_known                ? share(scores_[i])
                       : largest_ == -infinity ? not_a_number()
                                               : any_float());
  }

 private:
  double power(double score) const {
    return rounding_.is_base_two ? std::exp2(score - largest_) : std::exp(score - largest_);
  }

  // True if this exponential is negligible beside the largest one, whatever rounding does to it.
  bool is_far(const Interval& score) const { return !(score.high >= largest_ - 256); }

  // The relative error of the sum l, as the logarithm of a factor. It comes from the exponents,
  // from rescaling, and from the additions.
  double error_of_sum(double m) const {
    const double of_any = is_masked() ? 0 : half_step * (2 * most_ + 2 * m + 3 * (most_ + m));
    return of_any + of_rescales() + half_step * static_cast<double>(rounding_.additions);
  }
  bool is_masked() const { return is_flat_ && largest_ <= masked; }
  double of_rescales() const {
    const double each = 8 * half_step * (most_ + below_largest) + of_exponential + 2 * half_step;
    return (is_masked() ? 0 : static_cast<double>(rounding_.rescales)) * each + of_exponential;
  }

  Interval share(const Interval& score) const {
    if (score.high == -infinity) return {0, 0};
    if (is_far(score)) return {0, 0x1p-126};
    const double least = power(score.low), most = power(score.high);
    const double low = least / (least + std::max(largest_sum_ - most, 0.0));
    const double high = most / (most + std::max(least_sum_ - least, 0.0));
    // `above`: the relative error of the numerator. `below`: that of the denominator.
    const double m = std::max(std::abs(largest_), std::abs(largest_low_)) + below_largest;
    const double s = magnitude(score);
    const double of_exponent = is_masked() ? 0 : half_step * (2 * s + 2 * m + 3 * (s + m));
    const int bits = instruction::float_shape(rounding_.factor).fraction_bits + 1;
    const double above =
        std::expm1(of_exponent + of_rescales() + std::ldexp(1.0, -bits) + 4 * half_step);
    const double below = std::expm1(error_of_sum(m));
    const int exponent =
        instruction::float_shape(rounding_.factor).smallest_exponent - rounding_.exponent;
    const double least_normal = std::ldexp(1.0, exponent);
    const double step = std::ldexp(1.0, exponent - bits);
    const double absolute =
        (rounding_.flushes_subnormals ? least_normal : step) / least_sum_ + 0x1p-126;
    // The sum contains this exponential, so that a share cannot exceed 1 by more than roundings.
    const double most_share = (1 + std::ldexp(1.0, -bits)) * (1 + 8 * half_step) + absolute;
    return {above < 1 ? std::max(low * (1 - above) / (1 + below) - absolute, 0.0) : 0,
            std::min(high * (1 + above) / std::max(1 - below, 0x1p-30) + absolute, most_share)};
  }

  const Interval* scores_;
  std::int64_t count_;
  const SoftmaxRounding& rounding_;
  double largest_low_ = -infinity,
         largest_ = -infinity;              // of the row: the least it may be, the most
  double most_ = 0;                         // the largest magnitude that counts
  double least_sum_ = 0, largest_sum_ = 0;  // of powers relative to `largest_`
  bool has_nan_ = false;
  bool is_flat_ = true;  // all scores are one number, besides those that are far from it
};

template <class Visit>
void for_each_row(const Product& scores, const SoftmaxRounding& rounding,
                  const std::optional<SinkScore>& sink, std::int64_t matrix, Visit visit) {
  const std::vector<Interval> of_scores = results_of(scores, matrix);
  for (std::int64_t m = 0; m < scores.problem.m; ++m) {
    std::optional<Interval> of_sink;
    if (sink) {
      std::vector<Interval> inputs;
      for (const MatrixView& extra : sink->extras) inputs.push_back(extra.number(matrix, m, 0));
      of_sink = evaluate(sink->value, inputs);
    }
    visit(Row(of_scores.data() + m * scores.problem.n, scores.problem.n, of_sink, rounding));
  }
}

}  // namespace

std::function<std::vector<Interval>(std::int64_t matrix)> softmax_of(
    Product scores, const SoftmaxRounding& rounding, std::optional<SinkScore> sink) {
  return [scores = std::move(scores), rounding, sink = std::move(sink)](std::int64_t matrix) {
    std::vector<Interval> shares;
    shares.reserve(static_cast<std::size_t>(scores.problem.m * scores.problem.n));
    for_each_row(scores, rounding, sink, matrix, [&](const Row& row) { row.add_shares(shares); });
    return shares;
  };
}

std::vector<Interval> numbers_of_rows(const Product& scores, const SoftmaxRounding& rounding,
                                      const std::optional<SinkScore>& sink,
                                      const plan::Expression& value, std::int64_t matrix) {
  std::vector<Interval> numbers;
  for_each_row(scores, rounding, sink, matrix,
               [&](const Row& row) { numbers.push_back(row.value(value)); });
  return numbers;
}

}  // namespace heddle::runtime
