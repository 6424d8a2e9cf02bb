// The errors of the layout algebra: each is a code with its details, and can be printed as a
// sentence.
//
// An Error is small and constexpr, because every Expected contains one, also in a kernel. It is no
// std::string, which the rest of Heddle uses for error messages, because kernels have no
// std::string. Only message() makes a text of an Error, from the table below, in which each code
// has a sentence with placeholders for the details. To add an error, add a code, its sentence at
// the same index, and a test that provokes it.
//
//     const auto layout = parse("lane: (1) (5) -> m: 4");
//     layout.error().code          ErrorCode::text_coordinate_outside_axis, for programs
//     layout.error().message()
//         "column 12: coordinate 5 lies outside axis 'm', which has size 4"
//
// Programs should compare codes, never texts: the words of a sentence may change in any release.
// `axis`, `other` and `numbers` of an Error are the details that its sentence mentions, in the
// order of error_sentences.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "heddle/layout/axis.h"

namespace heddle::layout {

// A text stored in place: at most `capacity` characters and a zero. Longer text is truncated. A
// compiler can print such a text, because the class has data() and size():
// static_assert(r.has_value(), r.error().message()) is C++26; clang 17 and gcc 14 accept it in
// C++20 too, with a warning.
template <int capacity>
class FixedText {
 public:
  constexpr const char* data() const { return characters_; }
  constexpr std::size_t size() const { return size_; }
  constexpr std::string_view view() const { return {characters_, size_}; }
  constexpr operator std::string_view() const { return view(); }

  // All append functions drop the characters beyond the capacity. They never fail, so that an error
  // can be reported from anywhere.
  constexpr void append(char c) {
    if (size_ < capacity) characters_[size_++] = c;
  }
  constexpr void append(std::string_view text) {
    for (char c : text) append(c);
  }
  constexpr void append_number(std::uint64_t number) {
    char digits[20] = {};
    int count = 0;
    do {
      digits[count++] = static_cast<char>('0' + number % 10);
      number /= 10;
    } while (number != 0);
    while (count > 0) append(digits[--count]);
  }
  // Appends the size 2^bits: as a number such as 16, or, from 2^32 on, as a power such as 2^40.
  // (The size 2^64 does not fit into 64 bits.)
  constexpr void append_size(std::uint64_t bits) {
    if (bits >= 32) append("2^");
    append_number(bits >= 32 ? bits : std::uint64_t{1} << bits);
  }

 private:
  char characters_[capacity + 1] = {};
  std::size_t size_ = 0;
};

// Long enough for the longest sentence of the algebra with the longest names.
using Text = FixedText<320>;

// All errors that the algebra reports. error_sentences below has their sentences, in the same
// order.
enum class ErrorCode : std::uint8_t {
  none,
  // About the axes of one side: from AxisList::check, and so from every function that makes a
  // layout from axes.
  too_many_axes,      // a ninth axis on one side
  too_many_bits,      // axes of one side that have more than 64 bits together
  bits_out_of_range,  // an axis of -1 or of 65 bits
  axis_without_name,  // an Axis whose name is AxisName()
  duplicate_axis,     // "lane" twice on one side, or twice in a point
  // About sizes, strides and bases: from identity, strided, zeros, from_bases and from_words.
  size_not_a_power_of_two,    // identity(12, …)
  stride_not_a_power_of_two,  // strided(4, 3, …)
  wrong_coordinate_count,     // a basis {1, 0} where there are three output axes
  coordinate_outside_axis,    // a basis {5} for an output axis of size 4
  basis_outside_outputs,      // a flat word with a bit above all outputs
  // About points and names: from pack, apply by name, and all functions that take the name of an
  // axis.
  unknown_axis,        // "warp" where there are register and lane
  value_outside_axis,  // lane 32 of 32 lanes
  // About two layouts that do not fit: from compose, invert_and_compose, concatenate_inputs and
  // _outputs.
  axis_missing_in_second,  // compose: the inner layout has an output that the outer lacks
  axis_missing_in_first,   // the other way round
  sizes_differ,            // m: 4 meets m: 8
  axis_in_both,            // concatenate_inputs of two layouts with lanes
  // Of inverses: invert, and invert_and_compose for no_solution.
  not_injective,   // two inputs of one output: copies
  not_surjective,  // an output that no input reaches: a gap
  no_solution,     // invert_and_compose: memory does not hold what a lane wants
  // Of quotients: divide_left.
  part_axis_missing,      // divide_left by an atom with an axis that the tile lacks
  part_axis_larger,       // by an atom of 32 lanes where the tile has 16
  part_basis_differs,     // the tile does not begin as the atom
  rest_basis_meets_part,  // beyond the atom the tile moves inside of it
  // About axes that are regrouped: from reshape, transpose and resize_output.
  reshape_changes_bits,        // 16 coordinates as 32
  order_is_not_a_permutation,  // an axis named twice, or not at all
  resize_cuts_basis,           // an axis shrinks below what a basis reaches
  // About text: from parse. numbers[0] is the column, counted from 1.
  text_needs_name,               // "(1) -> m: 2"
  text_needs_shorter_name,       // a name of sixteen letters
  text_needs_colon,              // "lane (1) -> m: 2"
  text_needs_tuple,              // "lane: 1 -> m: 2"
  text_needs_number,             // "lane: (a) -> m: 2"
  text_needs_comma,              // "lane: (1) -> m: 2, n: 2"
  text_needs_closing,            // "lane: (1,0) -> m: 2"
  text_needs_arrow,              // "lane: (1)"
  text_needs_size,               // "lane: (1) -> m: 3"
  text_needs_end,                // "lane: (1) -> m: 2 n: 2"
  text_number_too_large,         // a number from 2^64 on
  text_coordinate_outside_axis,  // "lane: (5) -> m: 4"
  text_axis_twice,               // "lane: (1); lane: (2) -> m: 4"
  text_too_many_axes,            // a ninth axis
  text_too_many_bits,            // "lane: (1) … -> m: 2^40, n: 2^40"
  count_of_codes,
};

// Stands for the end of the text in place of a character, because a text may contain a zero byte.
inline constexpr std::uint64_t end_of_text = 256;

// The sentences. {axis} and {other} stand for axis names, and {1} {2} {3} for numbers. {i1} is a
// number that may be negative. {s1} {s2} {s3} are numbers of bits that are printed as sizes. {c3}
// is a character or end_of_text.
inline constexpr std::string_view error_sentences[] = {
    "no error",
    "more than 8 axes on one side; a layout has at most 8 input and 8 output axes",
    "the axes of one side have {1} bits together; a layout has at most 64 on each side",
    "axis '{axis}' has {i1} bits; an axis has 0 to 64",
    "axis {1} has no name; a name is 1 to 15 letters, digits and underscores, not starting "
    "with a digit",
    "axis '{axis}' is named twice on one side; give each axis its own name",
    "axis '{axis}' would have size {1}; sizes are powers of two, {s2} is the next one",
    "the stride of axis '{axis}' is {1}; strides are powers of two, {s2} is the next one",
    "basis {1} of axis '{axis}' has {2} coordinates; it needs {3}, one for each output axis",
    "basis {1} of axis '{axis}' has coordinate {2} on axis '{other}', which has size {s3}; "
    "a coordinate is below the size",
    "basis {1} of axis '{axis}' is {2}, outside the outputs, which have {3} bits together",
    "there is no axis '{axis}' on this side of the layout; its first axis is '{other}'",
    "the value {1} lies outside axis '{axis}', which has size {s2}",
    "axis '{axis}' of the first layout is missing in the second; the two need the same axes there",
    "axis '{axis}' of the second layout is missing in the first; the two need the same axes there",
    "axis '{axis}' has size {s1} in the first layout and {s2} in the second; make them equal",
    "axis '{axis}' is in both layouts; rename it in one of them",
    "the layout is not injective: basis {1} of input axis '{axis}' is zero or a combination of the "
    "bases before it, so several inputs share an output; an invertible layout has none",
    "the layout is not surjective: no input reaches coordinate {1} of output axis '{axis}' alone; "
    "an invertible layout reaches every output",
    "no solution: basis {1} of input axis '{axis}' of the first layout leads to an output that the "
    "second layout never reaches",
    "not divisible: axis '{axis}' of the part is missing in the whole",
    "not divisible: axis '{axis}' has size {s1} in the part and only {s2} in the whole",
    "not divisible: basis {1} of input axis '{axis}' differs between the part and the whole",
    "not divisible: basis {1} of input axis '{axis}' of the whole belongs to the quotient but "
    "moves inside the part's coordinates of output axis '{other}'",
    "the new axes have {1} bits together and the old ones {2}; a reshape keeps the number of bits",
    "the order must name each of the {1} axes once; '{axis}' is missing or named twice",
    "axis '{axis}' cannot shrink to size {s1}: basis {2} of input axis '{other}' reaches further",
    "column {1}: expected the name of an axis (letters, digits, underscores; no digit first), "
    "found "
    "{c3}",
    "column {1}: this name has {2} characters; an axis name has at most 15",
    "column {1}: expected ':' after axis '{axis}', found {c3}",
    "column {1}: expected '(' to begin a basis of axis '{axis}', ';' and the next input axis, or "
    "'->' and the output axes, found {c3}",
    "column {1}: expected a coordinate on output axis '{other}', found {c3}",
    "column {1}: expected ',' and a coordinate on output axis '{other}' (a basis has one for each "
    "output axis), found {c3}",
    "column {1}: expected ')' after the {2} coordinates of this basis of axis '{axis}', found {c3}",
    "column {1}: expected '->' and the output axes, as in 'lane: (1) (2) -> m: 4'",
    "column {1}: expected the size of axis '{axis}', a power of two such as 16 or 2^40, found {c3}",
    "column {1}: expected ',' and another output axis, or the end, found {c3}",
    "column {1}: this number does not fit into 64 bits",
    "column {1}: coordinate {2} lies outside axis '{other}', which has size {s3}",
    "column {1}: axis '{axis}' is named twice on this side; give each axis its own name",
    "column {1}: axis '{axis}' is one too many; a layout has at most 8 input and 8 output axes",
    "column {1}: more than 64 bits on this side with axis '{axis}'; a layout has at most 64",
};
static_assert(std::size(error_sentences) == static_cast<std::size_t>(ErrorCode::count_of_codes),
              "every error code needs its sentence, at the same place in the list");

// An error: what is wrong (code), and where (axes, numbers). It has 64 bytes and needs no heap;
// message() makes its sentence.
struct Error {
  ErrorCode code = ErrorCode::none;
  AxisName axis = {};
  AxisName other = {};
  std::array<std::uint64_t, 3> numbers = {};

  // The whole sentence: what is wrong, where, and what would be right.
  constexpr Text message() const {
    Text text;
    std::string_view rest = error_sentences[static_cast<int>(code)];
    while (!rest.empty()) {
      const std::size_t close = rest[0] == '{' ? rest.find('}') : std::string_view::npos;
      if (close == std::string_view::npos) {
        text.append(rest[0]);
        rest.remove_prefix(1);
      } else {
        append_field(text, rest.substr(1, close - 1));
        rest.remove_prefix(close + 1);
      }
    }
    return text;
  }

  friend constexpr bool operator==(const Error&, const Error&) = default;

 private:
  // Appends the detail for which a placeholder stands (see error_sentences); `field` is the text
  // between its braces.
  constexpr void append_field(Text& text, std::string_view field) const {
    if (field == "axis") return text.append(axis.text());
    if (field == "other") return text.append(other.text());
    const std::uint64_t number = numbers[static_cast<std::size_t>(field.back() - '1')];
    if (field[0] == 's') return text.append_size(number);
    if (field[0] == 'c') return append_character(text, number);
    if (field[0] == 'i' && number >> 63 != 0) {  // two's complement
      text.append('-');
      return text.append_number(0 - number);
    }
    text.append_number(number);
  }

  static constexpr void append_character(Text& text, std::uint64_t c) {
    if (c >= end_of_text) return text.append("the end of the text");
    if (c < ' ' || c > '~') {  // a control character, or part of a letter beyond ASCII
      text.append("byte ");
      return text.append_number(c);
    }
    text.append('\'');
    text.append(static_cast<char>(c));
    text.append('\'');
  }
};
static_assert(sizeof(Error) <= 64, "an Error travels in every Expected: keep it in a cache line");

}  // namespace heddle::layout
