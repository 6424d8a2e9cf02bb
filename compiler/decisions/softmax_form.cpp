#include "compiler/decisions/softmax_form.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "runtime/numbers/math_functions.h"

namespace heddle::compiler {
namespace {

using instruction::ElementType;

// True for types whose numbers a kernel may compute in f32 instead of in the type.
bool fits_f32(ElementType type) {
  return !instruction::is_integer(type) && type != ElementType::b1 && instruction::bits(type) <= 32;
}

std::optional<LinearForm> sum(std::optional<LinearForm> x, const std::optional<LinearForm>& y,
                              double factor) {
  if (!x || !y) return std::nullopt;
  x->constant += factor * y->constant;
  for (const auto& [input, times] : y->factors) {
    x->factors[input] += factor * times;
    if (x->factors[input] == 0) x->factors.erase(input);
  }
  return x;
}

std::optional<LinearForm> times(const std::optional<LinearForm>& form, double factor) {
  return std::isfinite(factor) ? sum(LinearForm{}, form, factor) : std::nullopt;
}

std::optional<double> constant_of(const std::optional<LinearForm>& form) {
  return form && form->factors.empty() ? std::optional(form->constant) : std::nullopt;
}

// Finds out what each step of an expression computes. It goes from the first step to the last, so a
// step that is used twice is read once.
class StepReader {
 public:
  explicit StepReader(const Expression& expression) : nodes_(expression.nodes) {
    for (std::size_t at = 0; at < nodes_.size(); ++at) {
      linear_.push_back(linear(nodes_[at]));
      shares_.push_back(share(nodes_[at]));
    }
  }

  bool is_empty() const { return nodes_.empty(); }
  const std::optional<LinearForm>& linear(int at) const {
    return linear_[static_cast<std::size_t>(at)];
  }
  const std::optional<Share>& share(int at) const { return shares_[static_cast<std::size_t>(at)]; }
  const std::optional<LinearForm>& last_linear() const { return linear_.back(); }
  const std::optional<Share>& last_share() const { return shares_.back(); }

  // If the value of step `at` is that of an input, perhaps converted to another type, the number of
  // this input; otherwise -1.
  int input_of(int at) const {
    const auto& form = linear(at);
    const bool is_input = form && form->constant == 0 && form->factors.size() == 1 &&
                          form->factors.begin()->second == 1;
    return is_input ? form->factors.begin()->first : -1;
  }
  std::optional<double> constant(int at) const { return constant_of(linear(at)); }

  // If the step computes 1 divided by an input, the number of this input; otherwise -1.
  int inverse_of(const Node& node) const {
    const bool is_inverse = node.step == Step::divide && constant(node.operands[0]) == 1.0;
    return is_inverse ? input_of(node.operands[1]) : -1;
  }
  int inverse_of(int at) const {
    const Node* node = &nodes_[static_cast<std::size_t>(at)];
    while (node->step == Step::convert) node = &nodes_[static_cast<std::size_t>(node->operands[0])];
    return inverse_of(*node);
  }

 private:
  std::optional<LinearForm> linear(const Node& node) const {
    if (!fits_f32(node.type)) return std::nullopt;
    const auto of = [&](int number) {
      return linear(node.operands[static_cast<std::size_t>(number)]);
    };
    switch (node.step) {
      case Step::input:
        return LinearForm{{{node.index, 1.0}}, 0};
      case Step::constant:
        return LinearForm{{}, node.constant};
      case Step::convert:
        return of(0);
      case Step::negate:
        return times(of(0), -1);
      case Step::add:
        return sum(of(0), of(1), 1);
      case Step::subtract:
        return sum(of(0), of(1), -1);
      case Step::multiply:
        for (const int side : {0, 1})
          if (const auto factor = constant_of(of(side))) return times(of(1 - side), *factor);
        return std::nullopt;
      case Step::divide:
        if (const auto divisor = constant_of(of(1))) return times(of(0), 1 / *divisor);
        return std::nullopt;
      default:
        return std::nullopt;
    }
  }

  std::optional<Share> share(const Node& node) const {
    if (!fits_f32(node.type)) return std::nullopt;
    const int x = node.operands[0], y = node.operands[1];
    if (node.step == Step::convert) return share(x);
    if (node.step == Step::function1) {
      const bool is_base_two = node.index == runtime::find_math_function("math.exp2");
      if ((!is_base_two && node.index != runtime::find_math_function("math.exp")) || !linear(x))
        return std::nullopt;
      return Share{.power = {*linear(x), is_base_two}};
    }
    if (node.step == Step::divide) {
      auto found = share(x);
      if (!found) return std::nullopt;
      if (const auto number = constant(y)) return times(*std::move(found), 1 / *number);
      return over(*std::move(found), input_of(y), -1);
    }
    if (node.step != Step::multiply) return std::nullopt;
    for (const auto& [one, other] : {std::pair(x, y), std::pair(y, x)}) {
      auto found = share(one);
      if (!found) continue;
      if (const auto number = constant(other)) return times(*std::move(found), *number);
      if (const int divisor = inverse_of(other); divisor >= 0)
        return over(*std::move(found), divisor, -1);
      return over(*std::move(found), -1, input_of(other));
    }
    return std::nullopt;
  }

  static std::optional<Share> times(Share share, double factor) {
    share.scale *= factor;
    return std::isfinite(share.scale) ? std::optional(std::move(share)) : std::nullopt;
  }
  static std::optional<LinearForm> times(const std::optional<LinearForm>& form, double factor) {
    return compiler::times(form, factor);
  }
  static std::optional<Share> over(Share share, int divisor, int reciprocal) {
    if (share.divisor >= 0 || share.reciprocal >= 0 || (divisor < 0 && reciprocal < 0))
      return std::nullopt;
    share.divisor = divisor;
    share.reciprocal = reciprocal;
    return share;
  }

  const std::vector<Node>& nodes_;
  std::vector<std::optional<LinearForm>> linear_;
  std::vector<std::optional<Share>> shares_;
};

// As the kernel has it.
Node number_step(double value) {
  return {.step = Step::constant, .type = ElementType::f32, .constant = static_cast<float>(value)};
}

// The expression reduced to the steps on which its last step depends, in their order. Step `found`
// is replaced by input 0, and what only step `found` needs is left out.
Expression needed(const Expression& expression, int found) {
  const auto count = expression.nodes.size();
  std::vector<bool> is_needed(count);
  is_needed[count - 1] = true;
  for (std::size_t at = count; at-- > 0;) {
    const Node& node = expression.nodes[at];
    if (!is_needed[at] || static_cast<int>(at) == found) continue;
    for (int i = 0; i < operand_count(node.step); ++i)
      is_needed[static_cast<std::size_t>(node.operands[static_cast<std::size_t>(i)])] = true;
  }
  Expression made;
  std::vector<int> places(count, -1);
  for (std::size_t at = 0; at < count; ++at) {
    if (!is_needed[at]) continue;
    Node node = expression.nodes[at];
    if (static_cast<int>(at) == found) node = {.step = Step::input, .type = node.type, .index = 0};
    for (int i = 0; i < operand_count(node.step); ++i) {
      int& operand = node.operands[static_cast<std::size_t>(i)];
      operand = places[static_cast<std::size_t>(operand)];
    }
    places[at] = static_cast<int>(made.nodes.size());
    made.nodes.push_back(node);
  }
  return made;
}

// Gives each step a number, such that steps that compute the same have the same number. `known` has
// a step for each number; steps of several expressions can be numbered with one `known`.
std::vector<int> numbers_of(const Expression& expression, std::vector<Node>& known) {
  std::vector<int> numbers;
  for (Node node : expression.nodes) {
    for (int i = 0; i < operand_count(node.step); ++i) {
      int& operand = node.operands[static_cast<std::size_t>(i)];
      operand = numbers[static_cast<std::size_t>(operand)];
    }
    const auto same = std::ranges::find(known, node);
    numbers.push_back(static_cast<int>(same - known.begin()));
    if (same == known.end()) known.push_back(node);
  }
  return numbers;
}

// True if the result depends on input 0 only through step `step`.
bool is_only_way(const Expression& expression, int step) {
  const Expression rest = needed(expression, step);
  int inputs = 0;
  for (const Node& node : rest.nodes) inputs += node.step == Step::input && node.index == 0 ? 1 : 0;
  return inputs == 1;
}

}  // namespace

std::optional<Share> read_share(const Expression& expression) {
  const StepReader reader(expression);
  return reader.is_empty() ? std::nullopt : reader.last_share();
}

bool has_exponential(const Expression& expression) {
  const StepReader reader(expression);
  for (std::size_t at = 0; at < expression.nodes.size(); ++at) {
    if (expression.nodes[at].step != Step::function1) continue;
    const auto& share = reader.share(static_cast<int>(at));
    if (share && share->power.exponent.factors.size() == 2) return true;
  }
  return false;
}

bool is_only_converted(const Expression& expression) {
  if (expression.is_identity()) return true;
  return StepReader(expression).input_of(static_cast<int>(expression.nodes.size()) - 1) == 0;
}

std::optional<double> factor_of_largest(const Expression& expression) {
  if (expression.is_identity()) return 1;
  const StepReader reader(expression);
  std::vector<std::optional<double>> factors;  // 0: it does not depend on input 0
  for (std::size_t at = 0; at < expression.nodes.size(); ++at) {
    const Node& node = expression.nodes[at];
    std::optional<double> factor;
    const auto of = [&](int number) {
      return factors[static_cast<std::size_t>(node.operands[static_cast<std::size_t>(number)])];
    };
    if (const auto& linear = reader.linear(static_cast<int>(at))) {
      const auto own = linear->factors.find(0);
      if (own == linear->factors.end())
        factor = 0;
      else if (linear->factors.size() == 1 && linear->constant == 0)
        factor = own->second;
    } else if (node.step == Step::maximum || node.step == Step::maximum_number) {
      if (of(0) && of(1) && (*of(0) == 0 || *of(1) == 0)) factor = *of(0) + *of(1);
    } else if (node.step == Step::convert && fits_f32(node.type)) {
      factor = of(0);
    } else {
      factor = 0;
      for (int i = 0; i < operand_count(node.step); ++i)
        if (of(i) != 0.0) factor.reset();
    }
    factors.push_back(factor);
  }
  return factors.back() && *factors.back() > 0 ? factors.back() : std::nullopt;
}

bool is_scaled(const Expression& expression) {
  if (expression.is_identity()) return true;
  const auto form = StepReader(expression).last_linear();
  return form && form->constant == 0 && form->factors.size() == 1 && form->factors.contains(0) &&
         form->factors.at(0) > 0;
}

std::optional<RowSum> read_row_sum(const Expression& expression) {
  if (expression.is_identity()) return RowSum{};
  const StepReader reader(expression);
  RowSum sum;
  int at = static_cast<int>(expression.nodes.size()) - 1;
  const auto node = [&]() -> const Node& { return expression.nodes[static_cast<std::size_t>(at)]; };
  const auto skip_conversions = [&] {
    while (node().step == Step::convert && fits_f32(node().type)) at = node().operands[0];
  };
  skip_conversions();
  if (node().step == Step::divide && reader.constant(node().operands[0]) == 1.0) {
    sum.is_reciprocal = true;
    at = node().operands[1];
    skip_conversions();
  }
  if (node().step == Step::add) {
    const int side = reader.input_of(node().operands[0]) == 0 ? 0 : 1;
    const auto& other = reader.share(node().operands[static_cast<std::size_t>(1 - side)]);
    if (!other || other->divisor >= 0 || other->reciprocal >= 0 || other->scale != 1 ||
        other->power.exponent.factors.contains(0))
      return std::nullopt;
    sum.other = other->power;
    at = node().operands[static_cast<std::size_t>(side)];
  }
  return reader.input_of(at) == 0 ? std::optional(sum) : std::nullopt;
}

std::optional<Expression> value_of_row(const Expression& epilogue, const Expression& sum,
                                       int largest, double row_factor) {
  Expression value = epilogue;
  if (value.nodes.empty()) value.nodes.push_back({.step = Step::input, .type = ElementType::f32});
  const auto read = read_row_sum(sum);
  if (read && read->other) {
    constexpr std::size_t most_steps = 1000;  // each is compared with all others
    if (sum.nodes.size() + value.nodes.size() > most_steps) return std::nullopt;
    // The sum has another exponential besides the row's, and the value must contain all of that
    // sum.
    Expression wanted = sum;
    if (read->is_reciprocal) {
      if (sum.nodes.back().step != Step::divide) return std::nullopt;
      wanted.nodes.resize(static_cast<std::size_t>(sum.nodes.back().operands[1]) + 1);
    }
    std::vector<Node> known;
    const std::vector<int> of_wanted = numbers_of(wanted, known),
                           of_value = numbers_of(value, known);
    const auto same = std::ranges::find(of_value, of_wanted.back());
    if (same == of_value.end()) return std::nullopt;
    const auto found = static_cast<int>(same - of_value.begin());
    if (!is_only_way(value, found)) return std::nullopt;
    value = needed(value, found);
  }
  value = needed(value, -1);
  for (std::size_t at = 0; at < value.nodes.size(); ++at) {
    Node& node = value.nodes[at];
    if (node.step != Step::input || node.index == 0) continue;
    if (node.index != largest || node.type != ElementType::f32) return std::nullopt;
    node.index = 1;
  }
  if (row_factor == 1) return value;
  // The steps want input 1 divided by row_factor: it is row_factor times what they read before.
  Expression made;
  std::vector<int> places;
  for (Node node : value.nodes) {
    for (int i = 0; i < operand_count(node.step); ++i) {
      int& operand = node.operands[static_cast<std::size_t>(i)];
      operand = places[static_cast<std::size_t>(operand)];
    }
    made.nodes.push_back(node);
    if (node.step == Step::input && node.index == 1) {
      const int of = static_cast<int>(made.nodes.size()) - 1;
      made.nodes.push_back(number_step(1 / row_factor));
      made.nodes.push_back(
          {.step = Step::multiply, .type = ElementType::f32, .operands = {of, of + 1}});
    }
    places.push_back(static_cast<int>(made.nodes.size()) - 1);
  }
  return made;
}

bool is_logarithm_of_sum(const Expression& value, bool is_base_two) {
  constexpr int logarithm = 2;  // an input in its place
  constexpr double ln_2 = 0.6931471805599453, ln_10 = 2.302585092994046;
  Expression linear = value;
  double base = 0;  // its natural logarithm
  for (const auto& [name, of_base] :
       {std::pair("math.log", 1.0), std::pair("math.log2", ln_2), std::pair("math.log10", ln_10)}) {
    const StepReader reader(value);
    for (Node& node : linear.nodes) {
      if (node.step != Step::function1 || node.index != runtime::find_math_function(name)) continue;
      if (reader.input_of(node.operands[0]) != 0 || (base != 0 && base != of_base)) return false;
      base = of_base;
      node = {.step = Step::input, .type = node.type, .index = logarithm};
    }
  }
  const auto form = StepReader(needed(linear, -1)).last_linear();
  if (base == 0 || !form || form->factors.contains(0) || !form->factors.contains(logarithm))
    return false;
  const auto of_largest = form->factors.find(1);
  const double wanted = form->factors.at(logarithm) / base * (is_base_two ? ln_2 : 1);
  return of_largest != form->factors.end() &&
         std::abs(of_largest->second - wanted) <= 0x1p-20 * std::abs(wanted);
}

std::optional<Quotient> find_quotient(const Expression& expression) {
  const StepReader reader(expression);
  for (std::size_t at = 0; at < expression.nodes.size(); ++at) {
    const Node& node = expression.nodes[at];
    Quotient found{.step = static_cast<int>(at)};
    if (node.step == Step::divide && reader.input_of(node.operands[0]) == 0) {
      found.divisor = reader.input_of(node.operands[1]);
    } else if (node.step == Step::multiply) {
      const int side = reader.input_of(node.operands[0]) == 0 ? 0 : 1;
      if (reader.input_of(node.operands[static_cast<std::size_t>(side)]) != 0) continue;
      const int other = node.operands[static_cast<std::size_t>(1 - side)];
      found.divisor = reader.inverse_of(other);
      if (found.divisor < 0) found.reciprocal = reader.input_of(other);
    }
    if ((found.divisor > 0 || found.reciprocal > 0) && is_only_way(expression, found.step))
      return found;
  }
  return std::nullopt;
}

Expression from_step(const Expression& expression, int step) { return needed(expression, step); }

Expression scaled(Expression before, double factor) {
  if (factor == 1) return before;
  if (before.nodes.empty()) before.nodes.push_back({.step = Step::input, .type = ElementType::f32});
  std::vector<Node>& nodes = before.nodes;
  const Node last = nodes.back();
  // If the last step multiplies by a constant already, the two factors become one.
  for (const int side : {0, 1}) {
    if (last.step != Step::multiply) break;
    const Node by = nodes[static_cast<std::size_t>(last.operands[static_cast<std::size_t>(side)])];
    if (by.step != Step::constant || last.type != ElementType::f32) continue;
    factor *= by.constant;
    nodes.pop_back();
    const int of = last.operands[static_cast<std::size_t>(1 - side)];
    nodes.push_back(number_step(factor));
    const int number = static_cast<int>(nodes.size()) - 1;
    nodes.push_back({.step = Step::multiply, .type = ElementType::f32, .operands = {of, number}});
    return needed(before, -1);
  }
  const int of = static_cast<int>(nodes.size()) - 1;
  nodes.push_back(number_step(factor));
  nodes.push_back({.step = Step::multiply, .type = ElementType::f32, .operands = {of, of + 1}});
  return before;
}

Expression composed(Expression before, const Expression& after) {
  std::vector<Node>& nodes = before.nodes;
  const int first = static_cast<int>(nodes.size()) - 1;
  std::vector<int> places;
  for (Node node : after.nodes) {
    const bool is_first = node.step == Step::input && node.index == 0;
    for (int i = 0; i < operand_count(node.step); ++i) {
      int& operand = node.operands[static_cast<std::size_t>(i)];
      operand = places[static_cast<std::size_t>(operand)];
    }
    if (!is_first) nodes.push_back(node);
    places.push_back(is_first ? first : static_cast<int>(nodes.size()) - 1);
  }
  if (!places.empty()) nodes.resize(static_cast<std::size_t>(places.back()) + 1);
  return before;
}

Expression formula_in_f32(const MatmulRequest& scores) {
  Expression made;
  made.nodes.push_back({.step = Step::input, .type = ElementType::f32});
  const auto rounded = [&](ElementType type) {
    const int last = static_cast<int>(made.nodes.size()) - 1;
    made.nodes.push_back({.step = Step::convert, .type = type, .operands = {last}});
  };
  if (scores.sum_result != ElementType::f32) rounded(scores.sum_result);
  made = composed(std::move(made), scores.epilogue);
  if (scores.d.element != made.type()) rounded(scores.d.element);
  if (made.type() != ElementType::f32) rounded(ElementType::f32);
  return made.is_identity() ? Expression{} : made;
}

Expression nan_where_infinite(Expression value) {
  const ElementType type = value.type();
  const int last = static_cast<int>(value.nodes.size()) - 1;
  const Node nan{.step = Step::constant, .type = type, .constant = NAN},
      infinite{.step = Step::constant, .type = ElementType::f32, .constant = -INFINITY},
      largest{.step = Step::input, .type = ElementType::f32, .index = 1},
      is_infinite{.step = Step::equal, .type = ElementType::b1, .operands = {last + 3, last + 2}},
      chosen{.step = Step::select, .type = type, .operands = {last + 4, last + 1, last}};
  value.nodes.insert(value.nodes.end(), {nan, infinite, largest, is_infinite, chosen});
  return value;
}

Expression expression_of(const LinearForm& form, const std::vector<MatrixRecord>& inputs) {
  Expression made;
  const auto add = [&](const Node& node) {
    made.nodes.push_back(node);
    return static_cast<int>(made.nodes.size()) - 1;
  };
  const auto number = [&](double value) { return add(number_step(value)); };
  int sum = form.constant != 0 || form.factors.empty() ? number(form.constant) : -1;
  for (const auto& [input, factor] : form.factors) {
    const ElementType type = inputs[static_cast<std::size_t>(input)].element;
    int at = add({.step = Step::input, .type = type, .index = input});
    if (type != ElementType::f32)
      at = add({.step = Step::convert, .type = ElementType::f32, .operands = {at}});
    if (factor != 1)
      at =
          add({.step = Step::multiply, .type = ElementType::f32, .operands = {at, number(factor)}});
    sum = sum < 0 ? at : add({.step = Step::add, .type = ElementType::f32, .operands = {sum, at}});
  }
  return made;
}

}  // namespace heddle::compiler
