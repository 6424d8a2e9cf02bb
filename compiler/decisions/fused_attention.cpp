#include "compiler/decisions/fused_attention.h"

#include <algorithm>
#include <cmath>
#include <functional>

#include "compiler/decisions/product_memory.h"
#include "compiler/decisions/row_order.h"
#include "compiler/decisions/row_places.h"
#include "compiler/decisions/sequence_sizes.h"
#include "compiler/decisions/softmax_form.h"
#include "compiler/request/actual_product.h"
#include "compiler/request/transposed.h"
#include "compiler/request/uses.h"
#include "library/text/formatted.h"

namespace heddle::compiler {
namespace {

using instruction::ElementType;

bool is_one(const Expression& producer) {
  return producer.nodes.size() == 1 && producer.nodes[0].step == Step::constant &&
         producer.nodes[0].constant == 1;
}

// An exponential of a score and of a number that is the same for a row of scores. `score` and `row`
// are the indices of these inputs. The value is e (or 2) to the power of factor * score -
// row_factor * row.
struct ScorePower {
  int score = -1, row = -1;
  double factor = 1, row_factor = 1;
};

// Reads the exponential as a ScorePower; null if it has another form. `is_row(i)` is true if input
// i is a number that is the same for a row.
std::optional<ScorePower> power_of_score(const Exponential& power,
                                         const std::function<bool(int)>& is_row) {
  if (power.exponent.constant != 0 || power.exponent.factors.size() != 2) return std::nullopt;
  ScorePower found;
  for (const auto& [input, factor] : power.exponent.factors) {
    const bool is_of_row = is_row(input);
    (is_of_row ? found.row : found.score) = input;
    (is_of_row ? found.row_factor : found.factor) = is_of_row ? -factor : factor;
  }
  const bool is_right = found.score >= 0 && found.row >= 0 && found.factor > 0;
  return is_right ? std::optional(found) : std::nullopt;
}

// True for the types that scores, and numbers computed from scores, may have.
bool is_float(ElementType type) {
  return type == ElementType::f32 || type == ElementType::f16 || type == ElementType::bf16;
}

// True for the types that Q, K and V may have. The results of the softmax, the shares, are rounded
// to the type of Q, K and V.
bool is_multiplied(ElementType type) {
  return type == ElementType::f16 || type == ElementType::bf16 || is_small_float(type);
}

constexpr const char* one_type =
    "; accepted: f16, bf16 or a float of 8 bits, the same for Q, K and V: a cast before the "
    "product has a kernel";

bool is_about(double x, double y) { return std::abs(x - y) <= 0x1p-20 * std::abs(y); }

class Fusion : private ProductMemory {
 public:
  Fusion(const ProductSequence& sequence, std::size_t product)
      : ProductMemory(sequence, product), values_(sequence.parts[product].request) {}

  std::optional<std::expected<ProductSequence, std::string>> run() {
    auto read = read_shares();
    if (is_one(values_.b_producer) || !is_of_scores(values_.a_producer)) return std::nullopt;
    if (!read) {
      if (!has_exponential(values_.a_producer)) return std::nullopt;
      return std::unexpected(
          std::string("more is computed between the exponentials and V than their division by a "
                      "sum; accepted: a constant factor"));
    }
    share_ = *std::move(read);
    if (const std::string why = find_parts(); !why.empty()) return std::unexpected(why);
    if (const std::string why = check_places(); !why.empty()) return std::unexpected(why);
    return fused();
  }

  std::optional<AttentionParts> parts() {
    auto read = read_shares();
    if (!read || values_.problem.dynamic != 0) return std::nullopt;
    const auto power = power_of_score(read->power, is_row_of(values_));
    const auto scores = power ? writer(input(values_, power->score), false) : std::nullopt;
    if (!scores || is_one(values_.b_producer)) return std::nullopt;
    return AttentionParts{*scores, is_transposed_};
  }

 private:
  // Reads the results of the softmax, the shares, from the producer of A. If the softmax is in B
  // instead, transposes the product first, so that the softmax is in A.
  std::optional<Share> read_shares() {
    auto read = read_share(values_.a_producer);
    if (read || has_exponential(values_.a_producer) || !can_be_transposed(values_)) return read;
    MatmulRequest other = transposed(values_);
    read = read_share(other.a_producer);
    is_transposed_ = read || has_exponential(other.a_producer);
    if (is_transposed_) values_ = std::move(other);
    return read;
  }

  // The matrix that A's producer has as its input number `index`: A itself or one of its a_extras.
  static const MatrixRecord& input(const MatmulRequest& request, int index) {
    return index == 0 ? request.a : request.a_extras[static_cast<std::size_t>(index - 1)];
  }
  // The matrix that divides the shares.
  const MatrixRecord& of_sum() const {
    return sum_in_epilogue_ > 0 ? values_.extras[static_cast<std::size_t>(sum_in_epilogue_ - 1)]
                                : input(values_, std::max(share_.divisor, share_.reciprocal));
  }

  static std::function<bool(int)> is_row_of(const MatmulRequest& request) {
    return [&request](int index) { return input(request, index).column.is({0, 0}); };
  }

  // True if the producer reads a matrix that has one number for each row and that an earlier kernel
  // of the sequence writes, as a softmax does. An activation function that contains an exponential
  // has no such input.
  bool is_of_scores(const Expression& producer) const {
    return std::ranges::any_of(producer.nodes, [&](const Node& node) {
      return node.step == Step::input && node.index <= static_cast<int>(values_.a_extras.size()) &&
             is_row_of(values_)(node.index) && is_computed(input(values_, node.index));
    });
  }
  std::string find_parts() {
    if (values_.problem.is_dynamic(plan::Loop::n)) return "columns of V that only a launch knows";
    if (!values_.further.empty() || values_.c || values_.problem.combine != Step::add ||
        values_.constant.value_or(1) != 0)
      return "a product with V that has several results, or is added to something";
    const ElementType type = values_.problem.input;
    if (!is_multiplied(type) || values_.problem.b_input() != type)
      return "shares and V are multiplied as " + std::string(instruction::name(type)) + one_type;
    if (!values_.b_producer.nodes.empty() || !values_.b.padding.empty())
      return "V is computed from what is in memory";
    const auto power = power_of_score(share_.power, is_row_of(values_));
    if (!power) return "what is subtracted from a score is not one number for its row";
    p_ = *power;
    bool is_reciprocal = share_.reciprocal >= 0;
    if (share_.divisor < 0 && share_.reciprocal < 0) {
      const auto quotient = find_quotient(values_.epilogue);
      if (!quotient) return "exponentials are not divided by their sum";
      quotient_ = quotient->step;
      sum_in_epilogue_ = std::max(quotient->divisor, quotient->reciprocal);
      is_reciprocal = quotient->reciprocal >= 0;
      if (sum_in_epilogue_ > static_cast<int>(values_.extras.size()))
        return "exponentials are not divided by their sum";
    }
    const auto scores = writer(input(values_, p_.score), false),
               largest = writer(input(values_, p_.row), true), sum = writer(of_sum(), true);
    for (const MatrixRecord* matrix :
         {&input(values_, p_.score), &input(values_, p_.row), &of_sum()})
      if (!writer(*matrix, matrix != &input(values_, p_.score))) return why_no_writer(*matrix);
    const int result = buffer_of(product_, values_.d);
    for (const std::size_t number : {*scores, *largest, *sum, product_})
      if (std::ranges::count(part(number).buffers, result) != (number == product_ ? 1 : 0))
        return "the result lies where an operand does";
    scores_at_ = *scores, largest_at_ = *largest, sum_at_ = *sum;
    if (!part(largest_at_).request.further.empty())
      return "more is computed of the largest score of a row";
    for (const MatrixRecord* matrix :
         {&input(values_, p_.score), &input(values_, p_.row), &of_sum()})
      if (is_used_besides(*matrix, {*scores, *largest, *sum, product_}))
        return "another kernel reads the scores, their maxima or their sums";
    if (const std::string why = check_scores(); !why.empty()) return why;
    if (const std::string why = check_sum(is_reciprocal); !why.empty()) return why;
    MatmulRequest request = values_;
    divide_later(request);
    for (const MatrixRecord& extra : request.extras)
      for (const MatrixRecord* matrix :
           {&input(values_, p_.score), &input(values_, p_.row), &of_sum()})
        if (extra.parameter == matrix->parameter)
          return "scores, maxima or sums of rows are needed elsewhere too";
    return {};
  }

  std::string check_scores() {
    scores_ = part(scores_at_).request;
    const plan::Problem& problem = scores_.problem;
    if (problem.is_dynamic(plan::Loop::k)) return "a depth that only a launch knows";
    if (problem.input != values_.problem.input || problem.b_input() != problem.input)
      return "Q and K are multiplied as " + std::string(instruction::name(problem.input)) +
             ", and V as " + std::string(instruction::name(values_.problem.input)) + one_type;
    if (problem.combine != Step::add || scores_.constant.value_or(1) != 0 ||
        !scores_.a_producer.nodes.empty() || !scores_.b_producer.nodes.empty() ||
        !scores_.a.padding.empty() || !scores_.b.padding.empty())
      return "Q or K is computed from what is in memory";
    for (const ElementType type : {scores_.sum_result, scores_.d.element})
      if (!is_float(type)) return "scores are rounded to " + std::string(instruction::name(type));
    const MatmulRequest& largest = part(largest_at_).request;
    const Step combine = largest.problem.combine;
    const auto factor = factor_of_largest(largest.epilogue);
    if ((combine != Step::maximum && combine != Step::maximum_number) ||
        !is_only_converted(largest.a_producer) || !factor ||
        !is_about(p_.row_factor * *factor, p_.factor) || !is_below_scores(largest))
      return "what is subtracted from a score is not the largest of its row";
    return {};
  }

  // The text computes the maximum of a row beginning with some number. True if this number is below
  // all scores, or makes no difference: even for a row in which all scores are masks, the results
  // are those of a kernel that begins at -infinity.
  bool is_below_scores(const MatmulRequest& largest) const {
    const double least = largest.constant.value_or(INFINITY);
    const bool ignores_nan = largest.problem.combine == Step::maximum_number;
    if (least <= -1e37 || (std::isnan(least) && ignores_nan)) return true;
    return std::ranges::none_of(scores_.epilogue.nodes,
                                [&](const Node& node) {
                                  return node.step == Step::constant &&
                                         std::isfinite(node.constant) && node.constant <= -1e4;
                                }) &&
           (least <= -1e29 || has_other_power());
  }
  // True if the sum of a row includes one more exponential (a "sink") than those of the scores.
  // What is subtracted from the scores is then at least the exponent of the sink.
  bool has_other_power() const {
    const auto sum = read_row_sum(part(sum_at_).request.epilogue);
    return sum && sum->other;
  }

  std::string check_sum(bool is_reciprocal) {
    std::string why = "what divides an exponential is not the sum of those of its row";
    sums_ = part(sum_at_).request;
    std::vector<FurtherResult> others = std::exchange(sums_.further, {});
    const bool is_turned = is_one(sums_.a_producer) && can_be_transposed(sums_);
    sums_.further = std::move(others);
    if (is_turned) sums_ = transposed(sums_);
    for (FurtherResult& further : sums_.further) {
      if (buffer_of(sum_at_, further.d) != buffer_of(product_, of_sum())) continue;
      std::swap(further.d, sums_.d);
      std::swap(further.epilogue, sums_.epilogue);
    }
    const auto read = read_share(sums_.a_producer);
    const auto sum = read_row_sum(sums_.epilogue);
    if (!read || !sum || sums_.problem.combine != Step::add || !is_one(sums_.b_producer) ||
        sums_.constant.value_or(1) != 0 || read->divisor >= 0 || read->reciprocal >= 0 ||
        read->scale != 1 || read->power.is_base_two != share_.power.is_base_two ||
        sum->is_reciprocal != is_reciprocal)
      return why;
    const auto power = power_of_score(read->power, is_row_of(sums_));
    if (!power || power->factor != p_.factor || power->row_factor != p_.row_factor) return why;
    in_sums_ = *power;
    if (!sum->other) return {};
    // e^(sink - row_factor * row)
    if (sum->other->is_base_two != share_.power.is_base_two) return why;
    sink_ = sum->other->exponent;
    for (const auto& [index, factor] : sink_->factors) {
      const auto at = static_cast<std::size_t>(index - 1);
      if (at >= sums_.extras.size()) return why;
      if (buffer_of(sum_at_, sums_.extras[at]) ==
          buffer_of(largest_at_, part(largest_at_).request.d))
        row_in_sink_ = index;
    }
    if (row_in_sink_ == 0 || !is_about(-sink_->factors[row_in_sink_], p_.row_factor)) return why;
    sink_->factors.erase(row_in_sink_);
    return {};
  }

  // Checks that all parts of the attention agree on where the rows and columns of the scores lie in
  // memory. A size of a part that is known only at launch must equal one of the product's sizes.
  std::string check_places() {
    std::vector<plan::Problem> of_values, of_scores, of_sums;
    for (int sample = 0; sample < size_samples(values_); ++sample) {
      sizes_.emplace(sequence_, product_, values_, sample);
      for (const std::size_t number : {scores_at_, largest_at_, sum_at_})
        if (!sizes_->learn(number, part(number).request))
          return "sizes that no array of scores has";
      if (std::string why = check_known_places(); !why.empty()) return why;
      of_values.push_back(actual(values_, product_));
      of_scores.push_back(actual(scores_, scores_at_));
      of_sums.push_back(actual(sums_, sum_at_));
    }
    const auto scores = equal_sizes(of_scores, of_values), sums = equal_sizes(of_sums, of_values);
    const bool reads_sums = sink_ || !results_.empty();
    if (!scores || (reads_sums && !sums)) return "scores of other sizes than the product's with V";
    of_scores_ = *scores, of_sums_ = sums.value_or(same_sizes());
    return {};
  }

  // Its sizes in the sample.
  plan::Problem actual(const MatmulRequest& request, std::size_t number) const {
    return sizes_->of(number, request);
  }

  std::string check_known_places() {
    for (const bool as_they_are : {true, false}) {
      if (!as_they_are) {
        if (!can_be_transposed(scores_)) break;
        scores_ = transposed(scores_);
      }
      const auto read_places = [&] {
        return Places(input(values_, p_.score), actual(values_, product_));
      };
      if (!writes_for(read_places())) agree_on_rows();
      const Places read = read_places();
      if (writes_for(read)) {
        const MatmulRequest& largest = part(largest_at_).request;
        const auto maxima = rows_of(largest, largest_at_, largest.a, read);
        const auto sums = rows_of(sums_, sum_at_, input(sums_, in_sums_.score), read);
        const MatrixRecord& scores = input(values_, p_.score);
        const plan::Problem problem = actual(values_, product_);
        if (maxima && sums && are_rows(problem, scores, input(values_, p_.row), *maxima) &&
            are_rows(problem, scores, of_sum(), *sums) &&
            are_rows(actual(sums_, sum_at_), input(sums_, in_sums_.score),
                     input(sums_, in_sums_.row), *maxima))
          return check_rows(*maxima);
        return "the maximum or the sum is of other elements than a row of the scores";
      }
    }
    return "the scores are read in another order than they are computed in";
  }

  // Gives both products (Q K, and softmax times V) the same numbers of rows and batch: those of the
  // product with the smaller batch, if possible, otherwise those of the product with V.
  void agree_on_rows() {
    const auto of_values = [&] {
      auto same = with_order_of(scores_, scores_.d, values_, input(values_, p_.score));
      if (!same) return false;
      values_ = *std::move(same);
      return true;
    };
    const auto of_scores = [&] {
      auto same = with_order_of(values_, input(values_, p_.score), scores_, scores_.d);
      if (same) scores_ = *std::move(same);
    };
    if (scores_.problem.batch >= values_.problem.batch || !of_values()) of_scores();
  }

  bool writes_for(const Places& read) const {
    const plan::Problem from = actual(scores_, scores_at_), to = actual(values_, product_);
    if (from.batch != to.batch || from.m != to.m || from.n != to.k) return false;
    const Places written(scores_.d, from);
    for (std::int64_t number = 0; number < to.batch; ++number)
      for (std::int64_t m = 0; m < to.m; ++m)
        if (written.of_row(number, m) != read.of_row(number, m)) return false;
    return has_columns(written, read);
  }

  bool has_columns(const Places& places, const Places& read) const {
    const std::int64_t keys = actual(values_, product_).k;
    for (std::int64_t k = 0; k < keys; ++k)
      if (places.column.at(k) != read.column.at(k)) return false;
    return true;
  }

  // If a part combines each row of `scores` to a number: where the rows begin and where the numbers
  // are written. Null if the part combines anything else.
  std::optional<RowPlaces> rows_of(const MatmulRequest& request, std::size_t number,
                                   const MatrixRecord& scores, const Places& read) const {
    const plan::Problem problem = actual(request, number);
    const Places from(scores, problem), to(request.d, problem);
    if (problem.k != actual(values_, product_).k || problem.n != 1 || !has_columns(from, read))
      return std::nullopt;
    return RowPlaces{problem, from, to};
  }

  // Checks that the numbers of the sink are read, and results with a number for each row are
  // written, in the order in which the product numbers its rows.
  std::string check_rows(const RowPlaces& maxima) {
    const bool has_results =
        !sums_.further.empty() || is_returned(of_sum()) || is_returned(input(values_, p_.row));
    if (!sink_ && !has_results) return {};
    // A row has one sum, so numbers for it have no columns.
    sums_.d.column = {};
    for (MatrixRecord& extra : sums_.extras) extra.column = {};
    for (FurtherResult& further : sums_.further) further.d.column = {};
    for (std::size_t i = 0; i < sums_.extras.size(); ++i) {
      if (!is_largest(sums_.extras[i])) continue;
      if (!are_rows(actual(sums_, sum_at_), input(sums_, in_sums_.score), sums_.extras[i], maxima))
        return "what is added to the sum of a row has the maximum of another subtracted";
    }
    const auto is_in_order = [&] {
      const plan::Problem from = actual(sums_, sum_at_), to = actual(values_, product_);
      const Places own(input(sums_, in_sums_.score), from), other(input(values_, p_.score), to);
      if (from.batch != to.batch || from.m != to.m) return false;
      for (std::int64_t number = 0; number < to.batch; ++number)
        for (std::int64_t m = 0; m < to.m; ++m)
          if (own.of_row(number, m) != other.of_row(number, m)) return false;
      return true;
    };
    if (!is_in_order()) {
      auto same =
          with_order_of(values_, input(values_, p_.score), sums_, input(sums_, in_sums_.score));
      if (same) sums_ = *std::move(same);
    }
    if (!is_in_order()) return "what is added to the sums is read in another order than rows";
    return has_results ? find_results() : "";
  }

  bool is_largest(const MatrixRecord& of_sums) const {
    return buffer_of(sum_at_, of_sums) == buffer_of(largest_at_, part(largest_at_).request.d);
  }

  // What the function returns for each row.
  std::string find_results() {
    const MatmulRequest& maxima = part(largest_at_).request;
    const double least = maxima.constant.value_or(NAN);
    int largest = -1;
    for (std::size_t i = 0; i < sums_.extras.size(); ++i)
      if (is_largest(sums_.extras[i])) largest = static_cast<int>(i) + 1;
    bool are_known = sums_.sum_result == ElementType::f32;
    results_.clear();
    const auto add = [&](MatrixRecord d, const Expression& epilogue, int of_largest) {
      d.column = {};
      are_known = are_known && is_float(d.element);
      auto value = value_of_row(epilogue, sums_.epilogue, of_largest, p_.row_factor);
      are_known = are_known && value;
      if (!are_known) return;
      needs_largest_ = needs_largest_ || !is_logarithm_of_sum(*value, share_.power.is_base_two);
      // If all scores of a row are -infinity, the text computes infinity minus infinity: NaN.
      results_.push_back({d, std::isfinite(least) ? *value : nan_where_infinite(*value)});
    };
    for (const FurtherResult& further : sums_.further) add(further.d, further.epilogue, largest);
    if (is_returned(of_sum())) add(sums_.d, sums_.epilogue, -1);
    Expression itself;
    itself.nodes.push_back({.step = Step::input, .type = ElementType::f32, .index = 1});
    if (is_returned(input(values_, p_.row))) add(input(sums_, in_sums_.row), itself, 1);
    if (needs_largest_)
      are_known = are_known && !sink_ && is_scaled(maxima.epilogue) && !std::isfinite(least);
    if (!are_known) return "results of rows follow from more than the largest score and the sum";
    for (const SoftmaxResult& result : results_)
      if (!is_result_alone(result.d)) return "a result of rows lies where another kernel reads";
    return {};
  }

  // `d` has a number for each row. The text writes it with the sums, the fused kernel only when it
  // computes the product. True if no part uses the memory of `d` in between.
  bool is_result_alone(const MatrixRecord& d) const {
    const int number = buffer_of(sum_at_, d);
    const bool is_read = number == buffer_of(product_, of_sum()) || is_largest(d);
    for (std::size_t i = 0; i <= product_; ++i) {
      const bool may_use =
          i == sum_at_ || (i == largest_at_ && is_largest(d)) || (i == product_ && is_read);
      if (!may_use && std::ranges::count(part(i).buffers, number) != 0) return false;
    }
    int uses = 0;
    MatmulRequest sums = part(sum_at_).request;
    for_each_matrix(
        sums, [&](const MatrixRecord& matrix) { uses += matrix.parameter == d.parameter ? 1 : 0; });
    return uses == 1 || is_largest(d);
  }

  // Gives the new part `made` the buffer in which part `from` has `matrix`; returns its number.
  int taken(SequencePart& made, std::size_t from, const MatmulRequest& request,
            const MatrixRecord& matrix, Role role) const {
    const int number = buffer_of(from, matrix);
    const auto known = std::ranges::find(made.buffers, number);
    const auto at = static_cast<int>(known - made.buffers.begin());
    if (known == made.buffers.end()) {
      made.buffers.push_back(number);
      made.request.buffers.push_back(request.buffers[static_cast<std::size_t>(matrix.parameter)]);
      made.request.buffers.back().role = role;
      rename_sizes(made.request.buffers.back(), sizes_of(from));
    }
    return at;
  }

  ProductSequence fused() const {
    SequencePart made;
    made.request = values_;
    MatmulRequest& request = made.request;
    request.buffers.clear();
    request.a_producer = {};
    request.a_extras.clear();
    divide_later(request);
    SoftmaxOperand softmax;
    softmax.depth = scores_.problem.k;
    softmax.input = scores_.problem.input;
    softmax.keys = scores_.b;
    softmax.epilogue = scaled(formula_in_f32(scores_), p_.factor);
    softmax.extras = scores_.extras;
    softmax.places = scores_.places;
    for (PlaceRecord& place : softmax.places)
      for (Axis* axis : {&place.batch, &place.row, &place.column}) rename_sizes(*axis, of_scores_);
    softmax.is_base_two = share_.power.is_base_two;
    std::swap(softmax.keys.row, softmax.keys.column);
    const auto take = [&](MatrixRecord& to, std::size_t from, const MatmulRequest& of,
                          const MatrixRecord& matrix, Role role) {
      const int at = taken(made, from, of, matrix, role);
      to = matrix;
      to.parameter = at;
      rename_sizes(to, sizes_of(from));
    };
    take(request.a, scores_at_, scores_, scores_.a, Role::a);
    const auto keys_at = taken(made, scores_at_, scores_, scores_.b, Role::extra);
    softmax.keys.parameter = keys_at;
    rename_sizes(softmax.keys, of_scores_);
    take(request.b, product_, values_, values_.b, Role::b);
    for (std::size_t i = 0; i < scores_.extras.size(); ++i)
      take(softmax.extras[i], scores_at_, scores_, scores_.extras[i], Role::extra);
    for (MatrixRecord& extra : request.extras) {
      const MatrixRecord from = extra;
      take(extra, product_, values_, from, Role::extra);
    }
    if (sink_) {
      softmax.sink.emplace();
      take_sink(*softmax.sink, take);
    }
    take(request.d, product_, values_, values_.d, Role::d);
    softmax.results = results_;
    softmax.needs_largest = needs_largest_;
    for (SoftmaxResult& result : softmax.results)
      take(result.d, sum_at_, sums_, MatrixRecord(result.d), Role::d);
    request.softmax = std::move(softmax);
    request.problem.a = scores_.problem.a;
    return without_old_parts(std::move(made));
  }

  // The sizes of part `number`, each with the size of the product to which it is equal.
  SizeMap sizes_of(std::size_t number) const {
    return number == scores_at_ ? of_scores_ : number == sum_at_ ? of_sums_ : same_sizes();
  }

  // Removes a division by the sum of the shares from the epilogue: the fused kernel divides by
  // itself. What follows the division stays; the scale of the shares is applied before it.
  void divide_later(MatmulRequest& request) const {
    Expression& epilogue = request.epilogue;
    if (quotient_ >= 0) {
      request.sum_result = epilogue.nodes[static_cast<std::size_t>(quotient_)].type;
      epilogue = from_step(epilogue, quotient_);
    }
    if (share_.scale != 1) {
      const ElementType type = std::exchange(request.sum_result, ElementType::f32);
      Expression before = scaled({}, share_.scale);
      if (type != ElementType::f32)
        before.nodes.push_back({.step = Step::convert, .type = type, .operands = {2}});
      epilogue = composed(std::move(before), epilogue);
    }
    drop_unread_extras(request);
  }

  template <class Take>
  void take_sink(SoftmaxSink& sink, Take take) const {
    LinearForm form{{}, sink_->constant};
    for (const auto& [index, factor] : sink_->factors) {
      const MatrixRecord& of = sums_.extras[static_cast<std::size_t>(index - 1)];
      form.factors[static_cast<int>(sink.extras.size())] = factor;
      take(sink.extras.emplace_back(), sum_at_, sums_, of, Role::extra);
    }
    sink.value = expression_of(form, sink.extras);
  }

  ProductSequence without_old_parts(SequencePart made) const {
    ProductSequence result = sequence_;
    result.parts[product_] = std::move(made);
    std::vector<std::size_t> old{scores_at_, largest_at_, sum_at_};
    std::ranges::sort(old, std::greater());
    for (const std::size_t number : old)
      result.parts.erase(result.parts.begin() + static_cast<std::ptrdiff_t>(number));
    drop_unused_buffers(result);
    if (result.parts.size() == 1) result.parts[0].request.function = result.function;
    return result;
  }

  MatmulRequest values_, scores_, sums_;
  std::optional<SequenceSizes> sizes_;  // of the sample
  SizeMap of_scores_ = same_sizes(), of_sums_ = same_sizes();
  Share share_;
  ScorePower p_, in_sums_;
  bool is_transposed_ = false;
  int quotient_ = -1;        // the step of the epilogue that divides by the sum; -1: A is divided
  int sum_in_epilogue_ = 0;  // the epilogue's input that divides
  std::optional<LinearForm> sink_;  // of the inputs of the sums' epilogue
  int row_in_sink_ = 0;             // the one of these that is subtracted
  std::vector<SoftmaxResult> results_;
  bool needs_largest_ = false;
  std::size_t scores_at_ = 0, largest_at_ = 0, sum_at_ = 0;
};

}  // namespace

std::optional<std::expected<ProductSequence, std::string>> with_fused_attention(
    const ProductSequence& sequence, std::size_t product) {
  return Fusion(sequence, product).run();
}

std::optional<AttentionParts> attention_parts(const ProductSequence& sequence,
                                              std::size_t product) {
  return Fusion(sequence, product).parts();
}

std::string why_unfused(const std::string& why, std::string_view refused) {
  if (refused.empty() || !why.starts_with(by_elements)) return why;
  constexpr std::string_view severity = "error: ";
  std::string_view place;
  if (const std::size_t at = refused.find(severity); at != std::string_view::npos) {
    place = refused.substr(0, at);
    refused.remove_prefix(at + severity.size());
  }
  return formatted("{}: {}{}", by_elements, place, refused);
}

}  // namespace heddle::compiler
