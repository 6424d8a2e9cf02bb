#include "heddle/interop/index_expression.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace heddle::interop {

struct IndexExpression::Grammar {
  struct Operator {
    std::string_view sign;
    Kind kind;
    int level;
  };
  static constexpr int unary_level = 6;
  static constexpr std::array operators{
      Operator{"|", Kind::bit_or, 0},        Operator{"^", Kind::bit_xor, 1},
      Operator{"&", Kind::bit_and, 2},       Operator{"<<", Kind::shift_left, 3},
      Operator{">>", Kind::shift_right, 3},  Operator{"+", Kind::add, 4},
      Operator{"-", Kind::subtract, 4},      Operator{"*", Kind::multiply, 5},
      Operator{"//", Kind::floor_divide, 5}, Operator{"%", Kind::floor_modulo, 5}};
  struct Function {
    std::string_view name;
    Kind kind;
  };
  static constexpr std::array functions{
      Function{"floordiv", Kind::floor_divide},  Function{"floormod", Kind::floor_modulo},
      Function{"bitwise_and", Kind::bit_and},    Function{"bitwise_or", Kind::bit_or},
      Function{"bitwise_xor", Kind::bit_xor},    Function{"shift_left", Kind::shift_left},
      Function{"shift_right", Kind::shift_right}};
};

IndexExpression IndexExpression::read(TextScanner& in, std::span<const std::string> variables) {
  IndexExpression expression;
  const std::size_t begin = in.place();
  expression.root_ = expression.read_level(in, variables, 0, 0);
  expression.text_ = in.taken_since(begin);
  return expression;
}

std::size_t IndexExpression::append(TextScanner& in, Node node) {
  if (nodes_.size() == 1000) in.fail("expected an expression of at most 1000 operations");
  nodes_.push_back(node);
  return nodes_.size() - 1;
}

std::size_t IndexExpression::read_level(TextScanner& in, std::span<const std::string> variables,
                                        int level, int depth) {
  if (in.failed()) return append(in, {});
  if (depth > 64) in.fail("expected at most 64 parentheses inside each other");
  if (level == Grammar::unary_level) return read_unary(in, variables, depth);
  std::size_t left = read_level(in, variables, level + 1, depth);
  while (!in.failed()) {
    const Grammar::Operator* found = nullptr;
    for (const Grammar::Operator& one : Grammar::operators)
      if (one.level == level && in.next_is(one.sign)) found = &one;
    if (found == nullptr || !in.take(found->sign)) break;
    const std::size_t right = read_level(in, variables, level + 1, depth);
    left = append(in, {found->kind, 0, left, right});
  }
  return left;
}

std::size_t IndexExpression::read_unary(TextScanner& in, std::span<const std::string> variables,
                                        int depth) {
  if (in.take("-")) {
    const std::size_t operand = read_level(in, variables, Grammar::unary_level, depth + 1);
    return append(in, {Kind::subtract, 0, append(in, {}), operand});
  }
  if (in.take("(")) {
    const std::size_t inner = read_level(in, variables, 0, depth + 1);
    in.expect(")", " or an operator");
    return inner;
  }
  if (in.next_is_digit())
    return append(in, {Kind::number, in.number("a number", 0, std::int64_t{1} << 40)});
  return read_name(in, variables, depth);
}

std::size_t IndexExpression::read_name(TextScanner& in, std::span<const std::string> variables,
                                       int depth) {
  const std::size_t begin = in.place();
  in.take("T.");
  const std::string_view name = in.word();
  for (std::size_t i = 0; i < variables.size(); ++i)
    if (name == variables[i]) return append(in, {Kind::variable, static_cast<std::int64_t>(i)});
  if (name == "int32" || name == "int64") {
    in.expect("(", " behind " + std::string(name));
    const std::size_t inner = read_level(in, variables, 0, depth + 1);
    in.expect(")", " behind the operand of " + std::string(name));
    return inner;
  }
  for (const Grammar::Function& function : Grammar::functions) {
    if (function.name != name) continue;
    in.expect("(", " behind " + std::string(name));
    const std::size_t left = read_level(in, variables, 0, depth + 1);
    in.expect(",", " and the second operand of " + std::string(name));
    const std::size_t right = read_level(in, variables, 0, depth + 1);
    in.expect(")", " behind the operands of " + std::string(name));
    return append(in, {function.kind, 0, left, right});
  }
  std::string known;
  for (const std::string& variable : variables) known += (known.empty() ? "" : ", ") + variable;
  if (name.empty()) in.fail("expected a number, '(' or one of " + known);
  in.fail_at(begin, "'" + std::string(name) + "' is no variable here; they are " + known);
  return append(in, {});
}

IndexExpression::Value IndexExpression::evaluate(std::size_t index,
                                                 std::span<const std::int64_t> values) const {
  const Node& node = nodes_[index];
  if (node.kind == Kind::number) return node.value;
  if (node.kind == Kind::variable) return values[static_cast<std::size_t>(node.value)];
  const Value a = evaluate(node.left, values);
  const Value b = evaluate(node.right, values);
  if (!a || !b) return std::nullopt;
  return combine(node.kind, *a, *b);
}

IndexExpression::Value IndexExpression::combine(Kind kind, std::int64_t a, std::int64_t b) {
  std::int64_t result = 0;
  switch (kind) {
    case Kind::bit_or:
      return a | b;
    case Kind::bit_xor:
      return a ^ b;
    case Kind::bit_and:
      return a & b;
    case Kind::shift_left:
      if (b < 0 || b > 62) return std::nullopt;
      return __builtin_mul_overflow(a, std::int64_t{1} << b, &result) ? Value() : result;
    case Kind::shift_right:
      return b < 0 || b > 62 ? Value() : a >> b;
    case Kind::add:
      return __builtin_add_overflow(a, b, &result) ? Value() : result;
    case Kind::subtract:
      return __builtin_sub_overflow(a, b, &result) ? Value() : result;
    case Kind::multiply:
      return __builtin_mul_overflow(a, b, &result) ? Value() : result;
    case Kind::floor_divide:
      if (b == 0) return std::nullopt;
      if (b == -1) return combine(Kind::subtract, 0, a);  // the smallest number has no negative
      return a / b - (a % b != 0 && (a < 0) != (b < 0) ? 1 : 0);
    case Kind::floor_modulo:
      if (b == 0) return std::nullopt;
      if (b == -1) return 0;
      return a % b + (a % b != 0 && (a < 0) != (b < 0) ? b : 0);
    default:
      return std::nullopt;
  }
}

}  // namespace heddle::interop
