#include "compiler/decisions/fused_attention.h"

#include <algorithm>
#include <cmath>
#include <unordered_map>

#include "compiler/decisions/row_order.h"
#include "compiler/request/actual_product.h"
#include "compiler/request/transposed.h"
#include "compiler/request/uses.h"
#include "runtime/numbers/math_functions.h"

namespace heddle::compiler {
namespace {

using instruction::ElementType;

// What an exponential, and its quotient, are made of: positions among the inputs of an expression.
struct Exponential {
  int score = -1, largest = -1, sum = -1;
  bool is_base_two = false;
};

class ExpressionReader {
 public:
  explicit ExpressionReader(const Expression& expression) : nodes_(expression.nodes) {}

  // exp(score - largest) / sum, rounded to other types or not.
  std::optional<Exponential> quotient() const {
    if (nodes_.empty()) return std::nullopt;
    const Node* root = without_roundings(nodes_.back());
    if (root->step != Step::divide) return std::nullopt;
    auto found = exponential(operand(*root, 0));
    const Node& sum = operand(*root, 1);
    if (!found || sum.step != Step::input) return std::nullopt;
    found->sum = sum.index;
    return found;
  }

  // exp(score - largest).
  std::optional<Exponential> exponential() const {
    return nodes_.empty() ? std::nullopt : exponential(nodes_.back());
  }

 private:
  const Node& operand(const Node& node, std::size_t number) const {
    return nodes_[static_cast<std::size_t>(node.operands[number])];
  }

  const Node* without_roundings(const Node& node) const {
    const Node* at = &node;
    while (at->step == Step::convert && instruction::bits(at->type) < 32) at = &operand(*at, 0);
    return at;
  }

  std::optional<Exponential> exponential(const Node& node) const {
    if (node.step != Step::function1 || node.type != ElementType::f32) return std::nullopt;
    const bool is_base_two = node.index == runtime::find_math_function("math.exp2");
    if (!is_base_two && node.index != runtime::find_math_function("math.exp")) return std::nullopt;
    const Node& difference = operand(node, 0);
    if (difference.step != Step::subtract) return std::nullopt;
    const Node &score = operand(difference, 0), &largest = operand(difference, 1);
    if (score.step != Step::input || largest.step != Step::input) return std::nullopt;
    return Exponential{score.index, largest.index, -1, is_base_two};
  }

  const std::vector<Node>& nodes_;
};

bool is_one(const Expression& producer) {
  return producer.nodes.size() == 1 && producer.nodes[0].step == Step::constant &&
         producer.nodes[0].constant == 1;
}

// The places of a matrix of known sizes, in elements.
struct Places {
  Places(const MatrixRecord& matrix, const plan::Problem& problem)
      : batch(elements(matrix.batch, problem)),
        row(elements(matrix.row, problem)),
        column(elements(matrix.column, problem)),
        offset(matrix.offset) {}

  std::int64_t of_row(std::int64_t number, std::int64_t m) const {
    return offset + batch.at(number) + row.at(m);
  }

  runtime::MatrixAxis batch, row, column;
  std::int64_t offset;
};

// A number of a row of the scores, by the place where the row begins.
using RowPlaces = std::unordered_map<std::int64_t, std::int64_t>;

class Fusion {
 public:
  Fusion(const ProductSequence& sequence, std::size_t product)
      : sequence_(sequence), product_(product), values_(sequence.parts[product].request) {}

  std::optional<std::expected<ProductSequence, std::string>> run() {
    auto read = ExpressionReader(values_.a_producer).quotient();
    if (!read && can_be_transposed(values_)) {
      MatmulRequest other = transposed(values_);
      read = ExpressionReader(other.a_producer).quotient();
      if (read) values_ = std::move(other);
    }
    if (!read) return std::nullopt;
    p_ = *read;
    if (const std::string why = find_parts(); !why.empty()) return std::unexpected(why);
    if (const std::string why = check_places(); !why.empty()) return std::unexpected(why);
    return fused();
  }

 private:
  const SequencePart& part(std::size_t number) const { return sequence_.parts[number]; }

  // The matrix that is input `index` of a producer of A.
  static const MatrixRecord& input(const MatmulRequest& request, int index) {
    return index == 0 ? request.a : request.a_extras[static_cast<std::size_t>(index - 1)];
  }

  int buffer_of(std::size_t number, const MatrixRecord& matrix) const {
    return part(number).buffers[static_cast<std::size_t>(matrix.parameter)];
  }

  // The part that writes what the product reads as that input, if nobody else needs it.
  std::optional<std::size_t> writer(int index) const {
    const int number = buffer_of(product_, input(values_, index));
    const SequenceBuffer& buffer = sequence_.buffers[static_cast<std::size_t>(number)];
    if (buffer.kind != SequenceBuffer::Kind::intermediate || buffer.first < 0) return std::nullopt;
    const auto first = static_cast<std::size_t>(buffer.first);
    const MatmulRequest& request = part(first).request;
    const bool is_its_result = buffer_of(first, request.d) == number;
    if (!is_its_result || !request.further.empty() || request.c) return std::nullopt;
    return first;
  }

  std::string find_parts() {
    if (values_.problem.dynamic != 0) return "sizes that only a launch knows";
    if (!values_.further.empty() || values_.c || values_.problem.combine != Step::add ||
        values_.constant.value_or(1) != 0)
      return "a product with V that has several results, or is added to something";
    if (!values_.b_producer.nodes.empty() || !values_.b.padding.empty())
      return "V is computed from what is in memory";
    const ElementType type = values_.problem.input;
    if ((type != ElementType::f16 && type != ElementType::bf16) ||
        values_.problem.b_input() != type)
      return "the shares are multiplied as " + std::string(instruction::name(type)) +
             ", and f16 or bf16 is taken";
    const auto scores = writer(p_.score), largest = writer(p_.largest), sum = writer(p_.sum);
    if (!scores || !largest || !sum) return "scores or their sums are needed elsewhere too";
    const int result = buffer_of(product_, values_.d);
    if (values_.in_place || std::ranges::count(part(*scores).buffers, result) != 0)
      return "the result lies where an operand does";
    scores_at_ = *scores, largest_at_ = *largest, sum_at_ = *sum;
    for (const int index : {p_.score, p_.largest, p_.sum})
      if (const std::string why = check_uses(index); !why.empty()) return why;
    return check_forms();
  }

  // Between its writer and the product no other part may read it.
  std::string check_uses(int index) const {
    const int number = buffer_of(product_, input(values_, index));
    for (std::size_t i = 0; i < sequence_.parts.size(); ++i) {
      if (i == scores_at_ || i == largest_at_ || i == sum_at_ || i == product_) continue;
      if (std::ranges::count(part(i).buffers, number) != 0)
        return "another kernel reads the scores, their maxima or their sums";
    }
    return {};
  }

  std::string check_forms() {
    scores_ = part(scores_at_).request;
    const plan::Problem& problem = scores_.problem;
    if (problem.combine != Step::add || problem.dynamic != 0 || scores_.constant.value_or(1) != 0 ||
        !scores_.a_producer.nodes.empty() || !scores_.b_producer.nodes.empty() ||
        !scores_.a.padding.empty() || !scores_.b.padding.empty())
      return "Q or K is computed from what is in memory";
    if (problem.input != values_.problem.input || problem.b_input() != problem.input)
      return "Q and K are " + std::string(instruction::name(problem.input)) +
             ", and V is multiplied as " + std::string(instruction::name(values_.problem.input));
    if (scores_.sum_result != ElementType::f32 || scores_.d.element != ElementType::f32)
      return "scores are rounded to " + std::string(instruction::name(scores_.d.element));
    const MatmulRequest& largest = part(largest_at_).request;
    const Step combine = largest.problem.combine;
    if ((combine != Step::maximum && combine != Step::maximum_number) ||
        !largest.a_producer.is_identity() || !largest.epilogue.is_identity() ||
        largest.constant.value_or(-INFINITY) > -1e37)
      return "what is subtracted from a score is not the largest of its row";
    sums_ = part(sum_at_).request;
    if (is_one(sums_.a_producer) && can_be_transposed(sums_)) sums_ = transposed(sums_);
    const auto read = ExpressionReader(sums_.a_producer).exponential();
    if (sums_.problem.combine != Step::add || !is_one(sums_.b_producer) || !read ||
        !sums_.epilogue.is_identity() || sums_.constant.value_or(1) != 0 ||
        read->is_base_two != p_.is_base_two)
      return "what divides an exponential is not the sum of those of its row";
    in_sums_ = *read;
    return {};
  }

  // All read and write the same rows and columns of the scores.
  std::string check_places() {
    for (const bool as_they_are : {true, false}) {
      if (!as_they_are) {
        if (!can_be_transposed(scores_)) break;
        scores_ = transposed(scores_);
      }
      const auto read_places = [&] { return Places(input(values_, p_.score), values_.problem); };
      if (!writes_for(read_places())) agree_on_rows();
      const Places read = read_places();
      if (writes_for(read)) {
        const auto maxima = rows_of(part(largest_at_).request, part(largest_at_).request.a, read);
        const auto sums = rows_of(sums_, input(sums_, in_sums_.score), read);
        if (maxima && sums && are_rows(values_, p_.score, p_.largest, *maxima) &&
            are_rows(values_, p_.score, p_.sum, *sums) &&
            are_rows(sums_, in_sums_.score, in_sums_.largest, *maxima))
          return {};
        return "the maximum or the sum is of other elements than a row of the scores";
      }
    }
    return "the scores are read in another order than they are computed in";
  }

  // Both products count through rows and the batch in one way: that with more rows for each K and
  // V, or that of the result.
  void agree_on_rows() {
    const MatrixRecord& score = input(values_, p_.score);
    if (scores_.problem.batch < values_.problem.batch) {
      if (auto same = with_order_of(scores_, scores_.d, values_, score)) values_ = *std::move(same);
    } else if (auto same = with_order_of(values_, score, scores_, scores_.d)) {
      scores_ = *std::move(same);
    }
  }

  bool writes_for(const Places& read) const {
    const plan::Problem &from = scores_.problem, &to = values_.problem;
    if (from.batch != to.batch || from.m != to.m || from.n != to.k) return false;
    const Places written(scores_.d, from);
    for (std::int64_t number = 0; number < to.batch; ++number)
      for (std::int64_t m = 0; m < to.m; ++m)
        if (written.of_row(number, m) != read.of_row(number, m)) return false;
    return has_columns(written, read);
  }

  bool has_columns(const Places& places, const Places& read) const {
    for (std::int64_t k = 0; k < values_.problem.k; ++k)
      if (places.column.at(k) != read.column.at(k)) return false;
    return true;
  }

  // Where the result of a part that combines the rows of `scores` is, for each row; nothing if it
  // combines something else.
  std::optional<RowPlaces> rows_of(const MatmulRequest& request, const MatrixRecord& scores,
                                   const Places& read) const {
    const plan::Problem& problem = request.problem;
    const Places from(scores, problem), to(request.d, problem);
    if (problem.k != values_.problem.k || problem.n != 1 || problem.dynamic != 0 ||
        !has_columns(from, read))
      return std::nullopt;
    RowPlaces places;
    for (std::int64_t number = 0; number < problem.batch; ++number)
      for (std::int64_t m = 0; m < problem.m; ++m)
        places[from.of_row(number, m)] = to.of_row(number, m);
    return places;
  }

  // True if input `of_row` of each row is what stands at `places` for the row of input `score`.
  static bool are_rows(const MatmulRequest& request, int score, int of_row,
                       const RowPlaces& places) {
    const plan::Problem& problem = request.problem;
    const Places rows(input(request, score), problem), read(input(request, of_row), problem);
    for (std::int64_t k = 0; k < problem.k; ++k)
      if (read.column.at(k) != 0) return false;
    for (std::int64_t number = 0; number < problem.batch; ++number)
      for (std::int64_t m = 0; m < problem.m; ++m) {
        const auto found = places.find(rows.of_row(number, m));
        if (found == places.end() || found->second != read.of_row(number, m)) return false;
      }
    return true;
  }

  // A buffer of one of the old parts becomes one of the new part; returns its number there.
  int taken(SequencePart& made, std::size_t from, const MatmulRequest& request,
            const MatrixRecord& matrix, Role role) const {
    const int number = buffer_of(from, matrix);
    const auto known = std::ranges::find(made.buffers, number);
    const auto at = static_cast<int>(known - made.buffers.begin());
    if (known == made.buffers.end()) {
      made.buffers.push_back(number);
      made.request.buffers.push_back(request.buffers[static_cast<std::size_t>(matrix.parameter)]);
      made.request.buffers.back().role = role;
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
    SoftmaxOperand softmax;
    softmax.depth = scores_.problem.k;
    softmax.input = scores_.problem.input;
    softmax.keys = scores_.b;
    softmax.epilogue = scores_.epilogue;
    softmax.extras = scores_.extras;
    softmax.places = scores_.places;
    softmax.is_base_two = p_.is_base_two;
    std::swap(softmax.keys.row, softmax.keys.column);
    const auto take = [&](MatrixRecord& to, std::size_t from, const MatmulRequest& of,
                          const MatrixRecord& matrix, Role role) {
      const int at = taken(made, from, of, matrix, role);
      to = matrix;
      to.parameter = at;
    };
    take(request.a, scores_at_, scores_, scores_.a, Role::a);
    const auto keys_at = taken(made, scores_at_, scores_, scores_.b, Role::extra);
    softmax.keys.parameter = keys_at;
    take(request.b, product_, values_, values_.b, Role::b);
    for (std::size_t i = 0; i < scores_.extras.size(); ++i)
      take(softmax.extras[i], scores_at_, scores_, scores_.extras[i], Role::extra);
    for (std::size_t i = 0; i < values_.extras.size(); ++i)
      take(request.extras[i], product_, values_, values_.extras[i], Role::extra);
    take(request.d, product_, values_, values_.d, Role::d);
    request.softmax = std::move(softmax);
    request.problem.a = scores_.problem.a;
    return without_old_parts(std::move(made));
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

  const ProductSequence& sequence_;
  std::size_t product_;
  MatmulRequest values_, scores_, sums_;
  Exponential p_, in_sums_;
  std::size_t scores_at_ = 0, largest_at_ = 0, sum_at_ = 0;
};

}  // namespace

std::optional<std::expected<ProductSequence, std::string>> with_fused_attention(
    const ProductSequence& sequence, std::size_t product) {
  return Fusion(sequence, product).run();
}

}  // namespace heddle::compiler
