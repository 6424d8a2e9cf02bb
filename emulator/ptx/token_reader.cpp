#include "emulator/ptx/token_reader.h"

#include <bit>
#include <cstdlib>
#include <cstring>

#include "library/text/formatted.h"

namespace heddle::emulator::ptx {
std::optional<Number> number_of(std::string_view text) {
  Number number;
  const auto digits = [&](std::string_view part, unsigned base) -> bool {
    if (part.ends_with('U') || part.ends_with('u')) part.remove_suffix(1);
    if (part.empty() || part.size() > 64) return false;
    for (const char c : part) {
      const unsigned digit = c >= '0' && c <= '9'   ? static_cast<unsigned>(c - '0')
                             : c >= 'a' && c <= 'f' ? static_cast<unsigned>(c - 'a') + 10
                             : c >= 'A' && c <= 'F' ? static_cast<unsigned>(c - 'A') + 10
                                                    : 99;
      if (digit >= base || number.bits > (~uint64_t{0} - digit) / base) return false;
      number.bits = number.bits * base + digit;
    }
    return true;
  };
  if (text.size() > 1 && text[0] == '0') {
    const char code = text[1];
    if (code == 'x' || code == 'X')
      return digits(text.substr(2), 16) ? std::optional(number) : std::nullopt;
    if (code == 'b' || code == 'B')
      return digits(text.substr(2), 2) ? std::optional(number) : std::nullopt;
    if (code == 'f' || code == 'F' || code == 'd' || code == 'D') {
      const bool is_single = code == 'f' || code == 'F';
      number.is_real = true;
      number.real_bits = is_single ? 32 : 64;
      if (text.size() != (is_single ? 10u : 18u) || !digits(text.substr(2), 16)) return {};
      return number;
    }
  }
  if (text.find_first_of(".eE") != std::string_view::npos) {
    const std::string copy(text);
    char* end = nullptr;
    const double value = std::strtod(copy.c_str(), &end);
    if (*end != 0) return {};
    number.is_real = true;
    number.bits = std::bit_cast<uint64_t>(value);
    return number;
  }
  const bool is_octal = text.size() > 1 && text[0] == '0' && text[1] != 'U';
  if (!digits(text, is_octal ? 8 : 10)) return {};
  return number;
}

void TokenReader::fail(const Place& place, std::string message) const {
  throw ParseError{place, std::move(message)};
}

void TokenReader::expected(const char* what) const {
  fail(token().place,
       token().kind == Token::Kind::end
           ? formatted("the text ends where {} is expected", what)
           : formatted("'{}' stands where {} is expected", shortened(token().text), what));
}

void TokenReader::spend(std::size_t bytes) {
  if (!meter_.charge(Resource::memory_bytes, bytes))
    fail(token().place, "to read the text up to here, " + meter_.message(Resource::memory_bytes));
}

std::string TokenReader::shortened(std::string_view text) {
  return std::string(text.substr(0, 60)) + (text.size() > 60 ? "…" : "");
}

bool TokenReader::accept(std::string_view text) {
  if (!token().is(text)) return false;
  advance();
  return true;
}

void TokenReader::require(std::string_view text) {
  if (!accept(text)) expected(formatted("'{}'", std::string(text)).c_str());
}

std::string TokenReader::word(const char* what) {
  if (token().kind != Token::Kind::word) expected(what);
  const std::string text(token().text);
  advance();
  return text;
}

Number TokenReader::number(const char* what) {
  const bool minus = accept("-");
  if (token().kind != Token::Kind::number) expected(what);
  const auto found = number_of(token().text);
  if (!found)
    fail(token().place, formatted("'{}' is no number of at most 64 bits", shortened(token().text)));
  advance();
  Number result = *found;
  if (minus) {
    if (!result.is_real)
      result.bits = 0 - result.bits;
    else
      result.bits ^= uint64_t{1} << (result.real_bits - 1);
  }
  return result;
}

uint64_t TokenReader::whole(const char* what, uint64_t most) {
  const Place place = token().place;
  const Number found = number(what);
  if (found.is_real || found.bits > most)
    fail(place, formatted("{} is a whole number up to {}", what, most));
  return found.bits;
}

void TokenReader::skip_to(std::string_view mark) {
  while (token().kind != Token::Kind::end && !token().is(mark)) advance();
  require(mark);
}

void TokenReader::skip_line() {
  const uint32_t line = token().place.line;
  while (token().kind != Token::Kind::end && token().place.line == line) advance();
}

}  // namespace heddle::emulator::ptx
