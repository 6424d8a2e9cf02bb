// Splits PTX text into tokens, each with its line and column.
#pragma once

#include <cstdint>
#include <string_view>

#include "emulator/ptx/source.h"

namespace heddle::emulator::ptx {

struct Token {
  enum class Kind : uint8_t { word, number, string, mark, end };
  Kind kind = Kind::end;
  std::string_view text;  // without the quotes of a string
  Place place;
  std::size_t begin = 0;
  bool is(std::string_view other) const { return kind != Kind::string && text == other; }
};

// Words hold letters, digits, _ $ % . and ::, so an opcode with its modifiers is one word, and so
// is %tid.x.
class Lexer {
 public:
  explicit Lexer(std::string_view text) : text_(text) { advance(); }

  const Token& token() const { return token_; }
  void advance();
  // The offset of the current token in the text.
  std::size_t position() const { return token_.begin; }

 private:
  void skip_blanks();
  void step();
  char at(std::size_t i) const { return i < text_.size() ? text_[i] : '\0'; }

  std::string_view text_;
  std::size_t next_ = 0;
  Place place_;
  Token token_;
};

}  // namespace heddle::emulator::ptx
