// Index arithmetic as Python and TVM write it, read and evaluated.
//
//   _i // 8 * 4 + _j % 4        floordiv(_i, 8) * 4 + floormod(_j, 4)        T.bitwise_xor(_i, _j)
//
//   from the loosest:   |   ^   &   << >>   + -   * // %   -x
//   functions:          floordiv, floormod, bitwise_and, bitwise_or, bitwise_xor, shift_left,
//                       shift_right, int32, int64; each also behind `T.`
//
// Integers of 64 bits; // and % round down, as in Python. `/` is not read: it is no integer there.
//
//     TextScanner in("_i // 8 * 4 + _j % 4");
//     const auto place = IndexExpression::read(in, std::array<std::string, 2>{"_i", "_j"});
//     place.evaluate(std::array<std::int64_t, 2>{19, 6})       10: 19 // 8 * 4 + 6 % 4
//     place.operations()                                       9: variables and numbers count, too
//
// Only evaluation tells what an expression means: nothing is simplified, and two expressions of the
// same values with other texts are not equal.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "heddle/interop/text_scanner.h"
#include "heddle/layout/needs_cxx20.h"

namespace heddle::interop {

/// A tree in an array: a node names its operands by their places before it.
class IndexExpression {
 public:
  /// Reads an expression over the variables; it ends where it cannot go on. Fails in the scanner:
  /// at an unknown name, a missing operand or parenthesis, more than 64 levels or 1000 operations.
  static IndexExpression read(TextScanner& in, std::span<const std::string> variables) {
    IndexExpression expression;
    const std::size_t begin = in.place();
    expression.root_ = expression.read_level(in, variables, 0, 0);
    expression.text_ = in.taken_since(begin);
    return expression;
  }

  /// As it was read.
  const std::string& text() const { return text_; }

  /// How many operations, variables and numbers: what one evaluation costs.
  std::int64_t operations() const { return static_cast<std::int64_t>(nodes_.size()); }

  /// The value where the variables, in their order, have those values; nothing for a division by 0,
  /// a shift by less than 0 or more than 62, or a result beyond 64 bits. Precondition: read without
  /// failing; as many values as variables.
  std::optional<std::int64_t> evaluate(std::span<const std::int64_t> values) const {
    return evaluate(root_, values);
  }

  friend bool operator==(const IndexExpression& a, const IndexExpression& b) {
    return a.text_ == b.text_;
  }

 private:
  enum class Kind : std::uint8_t {
    number,
    variable,
    bit_or,
    bit_xor,
    bit_and,
    shift_left,
    shift_right,
    add,
    subtract,
    multiply,
    floor_divide,
    floor_modulo
  };

  struct Node {
    Kind kind = Kind::number;
    std::int64_t value = 0;  // the number, or which variable
    std::size_t left = 0, right = 0;
  };

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

  std::size_t append(TextScanner& in, Node node) {
    if (nodes_.size() == 1000) in.fail("expected an expression of at most 1000 operations");
    nodes_.push_back(node);
    return nodes_.size() - 1;
  }

  std::size_t read_level(TextScanner& in, std::span<const std::string> variables, int level,
                         int depth) {
    if (in.failed()) return append(in, {});
    if (depth > 64) in.fail("expected at most 64 parentheses inside each other");
    if (level == unary_level) return read_unary(in, variables, depth);
    std::size_t left = read_level(in, variables, level + 1, depth);
    while (!in.failed()) {
      const Operator* found = nullptr;
      for (const Operator& one : operators)
        if (one.level == level && in.next_is(one.sign)) found = &one;
      if (found == nullptr || !in.take(found->sign)) break;
      const std::size_t right = read_level(in, variables, level + 1, depth);
      left = append(in, {found->kind, 0, left, right});
    }
    return left;
  }

  std::size_t read_unary(TextScanner& in, std::span<const std::string> variables, int depth) {
    if (in.take("-")) {
      const std::size_t operand = read_level(in, variables, unary_level, depth + 1);
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

  std::size_t read_name(TextScanner& in, std::span<const std::string> variables, int depth) {
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
    for (const Function& function : functions) {
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

  using Value = std::optional<std::int64_t>;

  Value evaluate(std::size_t index, std::span<const std::int64_t> values) const {
    const Node& node = nodes_[index];
    if (node.kind == Kind::number) return node.value;
    if (node.kind == Kind::variable) return values[static_cast<std::size_t>(node.value)];
    const Value a = evaluate(node.left, values);
    const Value b = evaluate(node.right, values);
    if (!a || !b) return std::nullopt;
    return combine(node.kind, *a, *b);
  }

  static Value combine(Kind kind, std::int64_t a, std::int64_t b) {
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

  std::vector<Node> nodes_;
  std::size_t root_ = 0;
  std::string text_;
};

}  // namespace heddle::interop
