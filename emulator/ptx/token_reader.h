// Reads the tokens of a PTX text in order, for the parser. It checks expected tokens, reads
// numbers, and skips what may be skipped. On an error it throws a ParseError.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "emulator/ptx/lexer.h"
#include "emulator/record/budget.h"

namespace heddle::emulator::ptx {

struct Number {
  uint64_t bits = 0;
  bool is_real = false;
  uint8_t real_bits = 64;
};

// The number that a token represents; nothing if it is not a number.
std::optional<Number> number_of(std::string_view text);

class TokenReader {
 protected:
  TokenReader(std::string_view text, Meter& meter) : meter_(meter), lexer_(text) {}

  const Token& token() const { return lexer_.token(); }
  void advance() { lexer_.advance(); }
  std::size_t position() const { return lexer_.position(); }

  [[noreturn]] void fail(const Place& place, std::string message) const;
  [[noreturn]] void expected(const char* what) const;
  static std::string shortened(std::string_view text);

  // Charges the budget of memory for text that is kept.
  void spend(std::size_t bytes);
  bool accept(std::string_view text);
  void require(std::string_view text);
  std::string word(const char* what);
  Number number(const char* what);
  uint64_t whole(const char* what, uint64_t most);
  void skip_to(std::string_view mark);
  // Skips a directive that is ignored here, up to the end of its line.
  void skip_line();

 private:
  Meter& meter_;
  Lexer lexer_;
};

}  // namespace heddle::emulator::ptx
