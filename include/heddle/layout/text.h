// The text form of a layout: text() prints it and parse() reads it back.
//
//   register: (2,0) (4,0) (8,0); lane: (0,1) (0,2) (0,4) (0,8) (1,0) -> m: 16, n: 16
//
//   layout  =  [ input { ';' input } ] '->' [ output { ',' output } ]
//   input   =  name ':' { basis }            bases of the axis, lowest bit first; none: size 1
//   basis   =  '(' [ number { ',' number } ] ')'      one coordinate for each output axis, in order
//   output  =  name ':' size
//   size    =  a power of two, as 16 or 2^40
//   name    =  1 to 15 letters, digits and underscores, not starting with a digit
//
// Spaces, tabs and line ends may stand between the names, numbers and signs. The catalogue of
// instructions keeps its rows in this form.
//
// WHAT ELSE IS ALLOWED, AND WHAT IS NOT
//
//     "-> "                          the layout of a single point: no axes on either side
//     "lane:; warp: (1) -> m: 2"     an axis of size 1 has no bases
//     "lane: (0,1) (0,0) -> …"       a basis of zeros is a copy: lanes 2 and 3 hold what 0 and 1 do
//     "lane: (3) -> m: 4"            a basis may have several bits: a swizzle
//
//     "lane: (1) (2) -> m: 3"        column 21: expected the size of axis 'm', a power of two
//                                    such as 16 or 2^40, found '3'
//     "lane (1) -> m: 2"             column 6: expected ':' after axis 'lane', found '('
//     "lane: (1)"                    column 10: expected '->' and the output axes, as in
//                                    'lane: (1) (2) -> m: 4'
//
// HOW TO READ ONE. Where is element (register 5, lane 17) of the layout at the top? Take the bases
// of the bits that are set, lowest bit first, and combine them with xor:
//
//     register 5 = 101 in binary       its first and third basis      (2,0) (8,0)
//     lane 17    = 10001               its first and fifth            (0,1) (1,0)
//     together   (2,0) ^ (8,0) ^ (0,1) ^ (1,0) = (11,1)               m = 11, n = 1
//
// This is D of a 16 x 16 WMMA on gfx11: `heddle get` answers the same question, and the inverse of
// the layout answers the way back, who holds m = 11, n = 1.
//
// Input axes with their bases come first and output axes with their sizes last, as in an arrow. The
// number of bases of an axis is its number of bits; a size is never written for an input.
#pragma once

#include "heddle/layout/linear_layout.h"

namespace heddle::layout {

// Room for every layout: 64 bases of 8 coordinates that share 64 bits, and 16 names.
using LayoutText = FixedText<4096>;

// The layout as text.
// Law: the text form reads back: parse(text(layout)) == layout.
constexpr LayoutText text(const LinearLayout& layout);

// Reads the text form of a layout. It is cheap enough in constant evaluation for tables of hundreds
// of layouts. Errors name the column, counted from 1, what was expected in that column and what was
// found.
constexpr Expected<LinearLayout> parse(std::string_view text);

// Appends one basis: (1,0).
constexpr void append_basis(LayoutText& text, const LinearLayout& layout, int bit) {
  text.append('(');
  for (int axis = 0; axis < layout.outputs().size(); ++axis) {
    if (axis > 0) text.append(',');
    text.append_number(layout.outputs().coordinate(layout.basis(bit), axis));
  }
  text.append(')');
}

constexpr LayoutText text(const LinearLayout& layout) {
  LayoutText text;
  int bit = 0;
  for (const Axis& axis : layout.inputs()) {
    if (text.size() > 0) text.append("; ");
    text.append(axis.name.text());
    text.append(':');
    for (const int end = bit + axis.bits; bit < end; ++bit) {
      text.append(' ');
      append_basis(text, layout, bit);
    }
  }
  text.append(text.size() > 0 ? " ->" : "->");
  std::string_view separator = " ";
  for (const Axis& axis : layout.outputs()) {
    text.append(separator);
    text.append(axis.name.text());
    text.append(": ");
    text.append_size(static_cast<std::uint64_t>(axis.bits));
    separator = ", ";
  }
  return text;
}

// Reads the two sides of the text, each from left to right: first the outputs, after the arrow, and
// then the inputs, so that each basis can be checked and packed when it is read. `place_` is the
// next byte, and `end_` is where the side that is being read ends: the arrow, for the inputs. After
// the first error nothing more is read, so that loops end and the error is kept.
class LayoutParser {
 public:
  constexpr explicit LayoutParser(std::string_view text) : text_(text) {}

  constexpr Expected<LinearLayout> parse() {
    const std::size_t arrow = text_.find("->");
    if (arrow == std::string_view::npos) return error_at(text_.size(), ErrorCode::text_needs_arrow);
    place_ = arrow + 2;
    end_ = text_.size();
    parse_outputs();
    place_ = 0;
    end_ = arrow;
    if (!failed()) parse_inputs();
    if (failed()) return error_;
    return LinearLayout::from_words(inputs_, outputs_, bases_);
  }

 private:
  constexpr bool failed() const { return error_.code != ErrorCode::none; }

  static constexpr bool is_space(char c) { return c == ' ' || c == '\n' || c == '\t' || c == '\r'; }

  // The next character that is no space, or 0 if the side that is being read (inputs or outputs)
  // has no more characters.
  constexpr char peek() {
    while (place_ < end_ && is_space(text_[place_])) ++place_;
    return place_ < end_ ? text_[place_] : '\0';
  }
  constexpr bool take(char wanted) {
    if (peek() != wanted || place_ >= end_) return false;
    ++place_;
    return true;
  }

  constexpr Error error_at(std::size_t place, ErrorCode code, const AxisName& axis = {},
                           const AxisName& other = {}, std::uint64_t second = 0) {
    const bool is_end = place >= text_.size();
    const std::uint64_t found = is_end ? end_of_text : static_cast<unsigned char>(text_[place]);
    return {code, axis, other, {place + 1, second, found}};
  }
  constexpr void fail(ErrorCode code, const AxisName& axis = {}, const AxisName& other = {},
                      std::uint64_t second = 0) {
    peek();
    if (!failed()) error_ = error_at(place_, code, axis, other, second);
  }

  constexpr AxisName parse_name() {
    peek();
    const std::size_t begin = place_;
    while (place_ < end_ && AxisName::is_name_character(text_[place_])) ++place_;
    const std::string_view name = text_.substr(begin, place_ - begin);
    if (AxisName::is_valid(name)) return AxisName(name);
    place_ = begin;
    const bool too_long = name.size() > AxisName::max_size;
    fail(too_long ? ErrorCode::text_needs_shorter_name : ErrorCode::text_needs_name, {}, {},
         name.size());
    return {};
  }

  // Reads the digits of a number; the caller has seen the first one. Sets the error if the number
  // does not fit into 64 bits.
  constexpr std::uint64_t parse_number() {
    const std::size_t begin = place_;
    std::uint64_t number = 0;
    for (; place_ < end_ && AxisName::is_digit(text_[place_]); ++place_) {
      const auto digit = static_cast<std::uint64_t>(text_[place_] - '0');
      if (number > (~std::uint64_t{0} - digit) / 10) {
        place_ = begin;
        fail(ErrorCode::text_number_too_large);
        return 0;
      }
      number = number * 10 + digit;
    }
    return number;
  }

  // Reads the name and the colon that begin an axis.
  // Errors: no name, a name that this side already has, a ninth axis, no colon.
  constexpr AxisName parse_axis_head(const AxisList& side) {
    peek();
    const std::size_t begin = place_;
    const AxisName name = parse_name();
    if (!failed() && (side.contains(name) || side.size() == max_axes)) {
      place_ = begin;
      fail(side.contains(name) ? ErrorCode::text_axis_twice : ErrorCode::text_too_many_axes, name);
    }
    if (!failed() && !take(':')) fail(ErrorCode::text_needs_colon, name);
    return name;
  }

  // Reads a size, such as 16 or 2^4, and returns log2 of the size, the number of bits of the axis.
  constexpr int parse_size(const AxisName& axis) {
    peek();
    const std::size_t begin = place_;
    const bool has_digits = AxisName::is_digit(peek());
    const std::uint64_t number = has_digits ? parse_number() : 0;
    if (failed()) return 0;
    if (number == 2 && take('^')) {
      if (!AxisName::is_digit(peek())) {
        fail(ErrorCode::text_needs_size, axis);
        return 0;
      }
      const std::uint64_t bits = parse_number();
      if (!failed() && bits <= max_bits) return static_cast<int>(bits);
    } else if (std::has_single_bit(number)) {
      return std::countr_zero(number);
    }
    place_ = begin;
    fail(ErrorCode::text_needs_size, axis);
    return 0;
  }

  constexpr void parse_outputs() {
    if (peek() == '\0' && place_ >= end_) return;  // a layout without output axes
    do {
      const AxisName name = parse_axis_head(outputs_);
      const int bits = failed() ? 0 : parse_size(name);
      if (!failed() && outputs_.bits() + bits > max_bits) {
        fail(ErrorCode::text_too_many_bits, name);
      }
      if (!failed()) outputs_.push_back({name, bits});
    } while (!failed() && take(','));
    peek();
    if (!failed() && place_ < end_) fail(ErrorCode::text_needs_end);
  }

  constexpr void parse_inputs() {
    peek();
    if (place_ >= end_) return;  // a layout without input axes
    do {
      const AxisName name = parse_axis_head(inputs_);
      const int first = inputs_.bits();
      int bit = first;
      while (!failed() && take('(')) {
        if (bit == max_bits) fail(ErrorCode::text_too_many_bits, name);
        if (!failed()) bases_[static_cast<std::size_t>(bit++)] = parse_basis(name);
      }
      if (!failed()) inputs_.push_back({name, bit - first});
      peek();
      if (!failed() && place_ < end_ && text_[place_] != ';') {
        fail(ErrorCode::text_needs_tuple, name);
      }
    } while (!failed() && take(';'));
  }

  // Reads the coordinates and the closing parenthesis of a basis, and returns the basis as a flat
  // word.
  constexpr std::uint64_t parse_basis(const AxisName& input) {
    std::uint64_t word = 0;
    int offset = 0;
    for (int i = 0; i < outputs_.size() && !failed(); ++i) {
      if (i > 0 && !take(',')) fail(ErrorCode::text_needs_comma, input, outputs_[i].name);
      const std::uint64_t coordinate = failed() ? 0 : parse_coordinate(input, outputs_[i]);
      if (outputs_[i].bits > 0) word |= coordinate << offset;
      offset += outputs_[i].bits;
    }
    if (!failed() && !take(')')) {
      fail(ErrorCode::text_needs_closing, input, {}, static_cast<std::uint64_t>(outputs_.size()));
    }
    return word;
  }

  constexpr std::uint64_t parse_coordinate(const AxisName& input, const Axis& output) {
    if (!AxisName::is_digit(peek())) {
      fail(ErrorCode::text_needs_number, input, output.name);
      return 0;
    }
    const std::size_t begin = place_;
    const std::uint64_t coordinate = parse_number();
    if (failed() || coordinate <= low_bits(output.bits)) return coordinate;
    place_ = begin;
    fail(ErrorCode::text_coordinate_outside_axis, input, output.name, coordinate);
    error_.numbers[2] = static_cast<std::uint64_t>(output.bits);
    return 0;
  }

  std::string_view text_;
  std::size_t place_ = 0;
  std::size_t end_ = 0;
  AxisList inputs_;
  AxisList outputs_;
  LinearLayout::Bases bases_ = {};
  Error error_;
};

constexpr Expected<LinearLayout> parse(std::string_view text) { return LayoutParser(text).parse(); }

}  // namespace heddle::layout
