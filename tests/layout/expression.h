// Evaluates a C expression over non-negative integers, so that a printed formula can be checked
// without believing the printer. Operators: | ^ & << >> + - * / %, parentheses, names, numbers.
#pragma once

#include <cctype>
#include <map>
#include <stdexcept>
#include <string>
#include <string_view>

namespace heddle::test {

class Expression {
 public:
  Expression(std::string_view text, const std::map<std::string, long>& values)
      : rest_(text), values_(values) {}

  /// Throws std::runtime_error at text that is no such expression.
  long value() {
    const long result = binary(0);
    if (peek() != "") fail();
    return result;
  }

 private:
  [[noreturn]] void fail() const {
    throw std::runtime_error("not an expression: '" + std::string(rest_) + "'");
  }

  // The next operator, parenthesis, name or number, without taking it.
  std::string_view peek() {
    while (!rest_.empty() && rest_[0] == ' ') rest_.remove_prefix(1);
    std::size_t size = rest_.empty() ? 0 : 1;
    if (rest_.starts_with("<<") || rest_.starts_with(">>")) size = 2;
    const auto is_word = [](char c) { return std::isalnum(c) || c == '_'; };
    if (size == 1 && is_word(rest_[0])) {
      while (size < rest_.size() && is_word(rest_[size])) ++size;
    }
    return rest_.substr(0, size);
  }
  std::string_view take() {
    const std::string_view token = peek();
    rest_.remove_prefix(token.size());
    return token;
  }

  // C's precedence, weakest first; -1: no operator.
  static int precedence(std::string_view token) {
    if (token == "|") return 0;
    if (token == "^") return 1;
    if (token == "&") return 2;
    if (token == "<<" || token == ">>") return 3;
    if (token == "+" || token == "-") return 4;
    return token == "*" || token == "/" || token == "%" ? 5 : -1;
  }

  long binary(int weakest) {
    long left = operand();
    while (precedence(peek()) >= weakest) {
      const std::string_view token = take();
      left = apply(token, left, binary(precedence(token) + 1));
    }
    return left;
  }

  long apply(std::string_view token, long a, long b) const {
    if (token == "|") return a | b;
    if (token == "^") return a ^ b;
    if (token == "&") return a & b;
    if (token == "<<") return a << b;
    if (token == ">>") return a >> b;
    if (token == "+") return a + b;
    if (token == "-") return a - b;
    if (token == "*") return a * b;
    if (b == 0) fail();
    return token == "/" ? a / b : a % b;
  }

  long operand() {
    const std::string token(take());
    if (token == "(") {
      const long inner = binary(0);
      if (take() != ")") fail();
      return inner;
    }
    if (const auto found = values_.find(token); found != values_.end()) return found->second;
    if (token.empty() || !std::isdigit(static_cast<unsigned char>(token[0]))) fail();
    return std::stol(token);
  }

  std::string_view rest_;
  const std::map<std::string, long>& values_;
};

inline long evaluate(std::string_view text, const std::map<std::string, long>& values) {
  return Expression(text, values).value();
}

}  // namespace heddle::test
