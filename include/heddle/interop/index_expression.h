// Reads and evaluates index arithmetic with the syntax of Python and TVM.
//
//   _i // 8 * 4 + _j % 4        floordiv(_i, 8) * 4 + floormod(_j, 4)        T.bitwise_xor(_i, _j)
//
//   operators, the loosest first:   |   ^   &   << >>   + -   * // %   -x
//   functions:          floordiv, floormod, bitwise_and, bitwise_or, bitwise_xor, shift_left,
//                       shift_right, int32, int64; each also with `T.` in front
//
// Integers have 64 bits; // and % round down, as in Python. `/` is rejected, because its result in
// Python is not an integer.
//
//     TextScanner in("_i // 8 * 4 + _j % 4");
//     const auto place = IndexExpression::read(in, std::array<std::string, 2>{"_i", "_j"});
//     place.evaluate(std::array<std::int64_t, 2>{19, 6})       10: 19 // 8 * 4 + 6 % 4
//     place.operations()                                       9: variables and numbers count, too
//
// Nothing is simplified: two expressions with the same values but different texts are not equal. To
// compare their values, evaluate both.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "heddle/interop/text_scanner.h"
#include "heddle/layout/needs_cxx20.h"

namespace heddle::interop {

/// An expression: a tree whose nodes are stored in an array. A node refers to its operands by their
/// indices, which are smaller than its own.
class IndexExpression {
 public:
  /// Reads an expression over the variables, up to the first character that cannot belong to the
  /// expression. Sets the scanner's error if there is an unknown name, if an operand or a
  /// parenthesis is missing, or if there are more than 64 levels or 1000 operations.
  static IndexExpression read(TextScanner& in, std::span<const std::string> variables);

  /// As it was read.
  const std::string& text() const { return text_; }

  /// The number of operations, variables and numbers: the cost of one evaluation.
  std::int64_t operations() const { return static_cast<std::int64_t>(nodes_.size()); }

  /// The value of the expression for these values of the variables, in their order. Nothing if it
  /// divides by 0, shifts by less than 0 or more than 62, or exceeds 64 bits. Precondition: the
  /// expression was read without an error, and there is one value for each variable.
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

  struct Grammar;  // the signs and functions, and what binds closer

  struct Node {
    Kind kind = Kind::number;
    std::int64_t value = 0;  // the number, or which variable
    std::size_t left = 0, right = 0;
  };

  std::size_t append(TextScanner& in, Node node);

  std::size_t read_level(TextScanner& in, std::span<const std::string> variables, int level,
                         int depth);

  std::size_t read_unary(TextScanner& in, std::span<const std::string> variables, int depth);

  std::size_t read_name(TextScanner& in, std::span<const std::string> variables, int depth);

  using Value = std::optional<std::int64_t>;

  Value evaluate(std::size_t index, std::span<const std::int64_t> values) const;

  static Value combine(Kind kind, std::int64_t a, std::int64_t b);

  std::vector<Node> nodes_;
  std::size_t root_ = 0;
  std::string text_;
};

}  // namespace heddle::interop
