// The one way in which Heddle writes values into a text: a sentence with fields, as std::format has
// it.
//
//   formatted("a wave has {} lanes, not {}", wave, lanes)
//   formatted("bit {} of address {:#x}", bit, address)
//
// The compiler checks the number of fields and their formats. A width that is a value, "{:>{}}", is
// refused: call fmt for it. formatted.cpp alone calls fmt, so whoever links libheddle.a needs no
// fmt, and a call costs the compiler a tenth of what fmt's own costs it.
#pragma once

#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <type_traits>

namespace heddle {
namespace formatting {

template <class T>
concept Text = std::convertible_to<const T&, std::string_view>;

// A value that a text will contain. A value that is a text itself is not copied.
class Value {
 public:
  enum class Kind : unsigned char { boolean, character, integer, natural, single, real, text };

  explicit Value(bool value) : kind_(Kind::boolean), boolean_(value) {}
  explicit Value(char value) : kind_(Kind::character), character_(value) {}
  template <std::signed_integral T>
  explicit Value(T value) : kind_(Kind::integer), integer_(value) {}
  template <std::unsigned_integral T>
  explicit Value(T value) : kind_(Kind::natural), natural_(value) {}
  explicit Value(float value) : kind_(Kind::single), single_(value) {}
  explicit Value(double value) : kind_(Kind::real), real_(value) {}
  template <Text T>
  explicit Value(const T& value) : kind_(Kind::text), text_(value) {}

  // Appends the value to `to`, in the format of `field`, such as "{:#x}".
  void append(std::string_view field, std::string& to) const;

 private:
  Kind kind_;
  union {
    bool boolean_;
    char character_;
    std::int64_t integer_;
    std::uint64_t natural_;
    float single_;
    double real_;
    std::string_view text_;
  };
};

// The kinds of the values, two bits for each: 1 text, 2 integer, 3 real number. A kind decides
// which formats a field may ask for.
template <class... Values>
consteval std::uint64_t kinds() {
  static_assert(sizeof...(Values) <= 32, "a sentence of more than 32 values is read by nobody");
  std::uint64_t all = 0;
  int bit = 0;
  ((all |= std::uint64_t{std::floating_point<Values>                            ? 3U
                         : std::integral<Values> && !std::same_as<Values, bool> ? 2U
                                                                                : 1U}
           << bit,
    bit += 2),
   ...);
  return all;
}

// Functions that are not constexpr. If the check of a sentence calls one, the sentence does not
// compile, and the compiler prints the function's name.
void a_field_has_no_value();
void a_value_has_no_field();
void a_brace_is_not_closed();
void a_field_has_a_name_or_another_field_inside();
void the_value_of_this_field_is_no_integer();
void the_value_of_this_field_is_no_real_number();

// Removes the number at the beginning of a field, as in "{0}: {1} is not {1:#x}", and returns it.
// Returns `next` if the field has no number.
constexpr std::size_t take_number(std::string_view& field, std::size_t next) {
  std::size_t number = 0;
  std::size_t digits = 0;
  for (; digits < field.size() && field[digits] >= '0' && field[digits] <= '9'; ++digits)
    number = number * 10 + static_cast<std::size_t>(field[digits] - '0');
  field.remove_prefix(digits);
  return digits > 0 ? number : next;
}

// A sentence that has been checked at compile time: its fields fit the kinds of its values.
template <std::uint64_t value_kinds>
struct Sentence {
  // NOLINTNEXTLINE(google-explicit-constructor)
  consteval Sentence(const char* sentence) : text(sentence) {
    std::uint64_t left = value_kinds;
    std::size_t next = 0;
    for (std::size_t at = 0; at < text.size(); ++at) {
      if (text[at] != '{' && text[at] != '}') continue;
      if (at + 1 < text.size() && text[at + 1] == text[at]) {
        ++at;
        continue;
      }
      const std::size_t end = text.find('}', at);
      if (text[at] == '}' || end == std::string_view::npos) a_brace_is_not_closed();
      std::string_view field = text.substr(at + 1, end - at - 1);
      const std::size_t number = take_number(field, next++);
      const std::uint64_t kind = number < 32 ? value_kinds >> (2 * number) & 3 : 0;
      if (kind == 0) a_field_has_no_value();
      if (!field.empty() && (field[0] != ':' || field.find('{') != std::string_view::npos))
        a_field_has_a_name_or_another_field_inside();
      const char type = field.empty() ? ':' : field.back();
      if ((type == 'x' || type == 'X' || type == 'd' || type == 'b') && kind != 2)
        the_value_of_this_field_is_no_integer();
      if ((type == 'g' || type == 'f' || type == 'e') && kind != 3)
        the_value_of_this_field_is_no_real_number();
      left &= ~(std::uint64_t{3} << (2 * number));
      at = end;
    }
    if (left != 0) a_value_has_no_field();
  }
  std::string_view text;
};

std::string filled(std::string_view sentence, std::initializer_list<Value> values);

}  // namespace formatting

// The sentence with a value in the place of each field, in their order.
template <class... Values>
std::string formatted(formatting::Sentence<formatting::kinds<Values...>()> sentence,
                      const Values&... values) {
  return formatting::filled(sentence.text, {formatting::Value(values)...});
}

}  // namespace heddle
