#include "emulator/ptx/lexer.h"

namespace heddle::emulator::ptx {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '$' || c == '%';
}

}  // namespace

void Lexer::step() {
  if (at(next_) == '\n') {
    ++place_.line;
    place_.column = 1;
  } else {
    ++place_.column;
  }
  ++next_;
}

void Lexer::skip_blanks() {
  while (next_ < text_.size()) {
    const char c = at(next_);
    if (c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\0') {
      step();
    } else if (c == '/' && at(next_ + 1) == '/') {
      while (next_ < text_.size() && at(next_) != '\n') step();
    } else if (c == '/' && at(next_ + 1) == '*') {
      step();
      step();
      while (next_ < text_.size() && !(at(next_) == '*' && at(next_ + 1) == '/')) step();
      if (next_ < text_.size()) step();
      if (next_ < text_.size()) step();
    } else {
      return;
    }
  }
}

void Lexer::advance() {
  skip_blanks();
  token_ = {Token::Kind::end, {}, place_, next_};
  if (next_ >= text_.size()) return;
  const std::size_t begin = next_;
  const char c = at(next_);
  if (c == '"') {
    step();
    while (next_ < text_.size() && at(next_) != '"' && at(next_) != '\n') step();
    token_.kind = Token::Kind::string;
    token_.text = text_.substr(begin + 1, next_ - begin - 1);
    if (at(next_) == '"') step();
    return;
  }
  if (is_digit(c)) {
    // 1.5e+3 is one number; 0x1e+3 is none.
    const bool is_coded =
        c == '0' && (at(begin + 1) == 'x' || at(begin + 1) == 'X' || at(begin + 1) == 'f' ||
                     at(begin + 1) == 'F' || at(begin + 1) == 'd' || at(begin + 1) == 'D');
    while (is_digit(at(next_)) || is_letter(at(next_)) || at(next_) == '.' ||
           (!is_coded && (at(next_) == '+' || at(next_) == '-') &&
            (at(next_ - 1) == 'e' || at(next_ - 1) == 'E') && next_ > begin))
      step();
    token_.kind = Token::Kind::number;
  } else if (is_letter(c) || (c == '.' && (is_letter(at(next_ + 1)) || is_digit(at(next_ + 1))))) {
    // A '.' ends a word that begins with '.': directives such as .reg.b32, written without a blank,
    // are two tokens.
    while (is_letter(at(next_)) || is_digit(at(next_)) ||
           (at(next_) == '.' && (c != '.' || next_ == begin)) ||
           (at(next_) == ':' && at(next_ + 1) == ':')) {
      if (at(next_) == ':') step();
      step();
    }
    token_.kind = Token::Kind::word;
  } else {
    step();
    token_.kind = Token::Kind::mark;
  }
  token_.text = text_.substr(begin, next_ - begin);
}

}  // namespace heddle::emulator::ptx
