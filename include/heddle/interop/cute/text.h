// The text of CuTe's layouts, as CuTe prints them.
//
//   ((4,8),(2,2)):((32,1),(16,8))          shape:stride, nested alike
//   Sw<3,4,3> o 0 o (8,64):(64,1)          a swizzle after an offset after a layout
//
//   text     =  [ ('Sw' | 'S') '<' number ',' number ',' number '>' 'o' number 'o' ] nest ':' nest
//   nest     =  number | '(' nest { ',' nest } [ ',' ] ')'
//   number   =  [ '_' ] [ '-' ] digits
//
// `_8` is CuTe's text of a number that is known at compile time; it is read as 8 and written as 8.
// Spaces are free. At most 64 leaves, 16 deep.
#pragma once

#include <string>
#include <string_view>

#include "heddle/interop/cute/swizzle.h"
#include "heddle/interop/text_error.h"

namespace heddle::interop::cute {

inline std::string text(const IntTuple& tuple) {
  if (tuple.is_leaf()) return std::to_string(tuple.leaf());
  std::string result = "(";
  for (std::size_t i = 0; i < tuple.rank(); ++i) result += (i > 0 ? "," : "") + text(tuple[i]);
  return result + ")";
}

inline std::string text(const Layout& layout) {
  return text(shape(layout)) + ":" + text(stride(layout));
}

inline std::string text(const Swizzle& swizzle) {
  return "Sw<" + std::to_string(swizzle.bits) + "," + std::to_string(swizzle.base) + "," +
         std::to_string(swizzle.shift) + ">";
}

inline std::string text(const ComposedLayout& composed) {
  return text(composed.swizzle) + " o " + std::to_string(composed.offset) + " o " +
         text(composed.layout);
}

inline std::string text(const AnyLayout& any) {
  return std::visit([](const auto& layout) { return text(layout); }, any);
}

namespace detail {

/// Reads from left to right and keeps the first error.
class TextReader {
 public:
  explicit TextReader(std::string_view text) : text_(text) {}

  std::expected<AnyLayout, TextError> read() {
    AnyLayout result = peek() == 'S' ? AnyLayout(read_composed()) : AnyLayout(read_layout());
    if (!failed() && peek() != '\0') fail("expected the end of the layout");
    if (error_) return std::unexpected(*error_);
    return result;
  }

 private:
  static constexpr int deepest = 16;
  static constexpr int most_leaves = 64;

  bool failed() const { return error_.has_value(); }

  char peek() {
    while (place_ < text_.size() && std::string_view(" \t\r\n").contains(text_[place_])) ++place_;
    return place_ < text_.size() ? text_[place_] : '\0';
  }
  bool take(char wanted) {
    if (peek() != wanted || place_ >= text_.size()) return false;
    ++place_;
    return true;
  }
  void expect(char wanted, const std::string& why) {
    if (!failed() && !take(wanted)) fail("expected '" + std::string(1, wanted) + "'" + why);
  }

  void fail_at(std::size_t place, std::string message) {
    if (!failed()) error_ = TextError{place + 1, std::move(message)};
  }
  void fail(const std::string& expected) {
    peek();
    fail_at(place_, expected + ", found " +
                        (place_ < text_.size() ? "'" + std::string(1, text_[place_]) + "'"
                                               : std::string("the end of the text")));
  }

  static bool is_digit(char c) { return c >= '0' && c <= '9'; }

  Number read_number(const std::string& what) {
    if (failed()) return 0;
    peek();
    const std::size_t begin = place_;
    take('_');
    const bool negative = take('-');
    if (!is_digit(peek())) {
      fail("expected " + what);
      return 0;
    }
    Number value = 0;
    while (place_ < text_.size() && is_digit(text_[place_])) {
      value = value * 10 + (text_[place_++] - '0');
      if (value > most / 16) {
        fail_at(begin, "a number here is at most 2^58");
        return 0;
      }
    }
    return negative ? -value : value;
  }

  IntTuple read_shape(int depth) {
    if (failed()) return {};
    if (depth == deepest && peek() == '(') fail("expected a size; tuples nest at most 16 deep");
    if (!failed() && take('(')) {
      std::vector<IntTuple> modes;
      do {
        if (!modes.empty() && peek() == ')') break;
        modes.push_back(read_shape(depth + 1));
      } while (!failed() && take(','));
      expect(')', " or ',' in the shape");
      return IntTuple::tuple(std::move(modes));
    }
    if (failed()) return {};
    peek();
    const std::size_t begin = place_;
    const Number size = read_number("a size or '('");
    if (!failed() && size < 1) fail_at(begin, "a size is 1 or more");
    if (++leaves_ > most_leaves) fail_at(begin, "a layout has at most 64 leaves");
    return size;
  }

  Layout read_strides(const IntTuple& shape) {
    if (failed()) return {};
    if (shape.is_leaf()) {
      if (peek() == '(') fail("expected a number, the stride of the size " + text(shape));
      return Mode{shape.leaf(), read_number("a number, the stride of the size " + text(shape))};
    }
    const std::string wanted = " with " + std::to_string(shape.rank()) + " strides, as the shape " +
                               text(shape) + " nests";
    expect('(', wanted);
    std::vector<Layout> modes;
    for (std::size_t i = 0; i < shape.rank() && !failed(); ++i) {
      if (i > 0) expect(',', wanted);
      modes.push_back(read_strides(shape[i]));
    }
    take(',');
    expect(')', wanted);
    return make_layout(std::move(modes));
  }

  Layout read_layout() {
    peek();
    const std::size_t begin = place_;
    const IntTuple shape = read_shape(0);
    expect(':', " between shape and strides");
    Layout layout = read_strides(shape);
    if (failed()) return {};
    if (auto reason = check(layout)) fail_at(begin, std::move(*reason));
    return layout;
  }

  ComposedLayout read_composed() {
    ComposedLayout composed;
    take('S');
    take('w');
    expect('<', " of a swizzle as Sw<3,4,3>");
    const std::size_t begin = place_;
    composed.swizzle.bits = read_swizzle_number();
    expect(',', " and the base of the swizzle");
    composed.swizzle.base = read_swizzle_number();
    expect(',', " and the shift of the swizzle");
    composed.swizzle.shift = read_swizzle_number();
    expect('>', " behind the three numbers of a swizzle");
    if (!failed())
      if (auto reason = check(composed.swizzle)) fail_at(begin, std::move(*reason));
    expect('o', " and an offset behind the swizzle, as in Sw<3,4,3> o 0 o (8,64):(64,1)");
    peek();
    const std::size_t offset_place = place_;
    composed.offset = read_number("an offset");
    if (composed.offset < 0) fail_at(offset_place, "an offset is 0 or more");
    expect('o', " and a layout behind the offset");
    composed.layout = read_layout();
    return composed;
  }

  int read_swizzle_number() {
    peek();
    const std::size_t begin = place_;
    const Number number = read_number("a number of the swizzle");
    if (std::abs(number) > 62) fail_at(begin, "a number of a swizzle is at most 62");
    return static_cast<int>(number);
  }

  std::string_view text_;
  std::size_t place_ = 0;
  int leaves_ = 0;
  std::optional<TextError> error_;
};

}  // namespace detail

/// Reads a layout. Errors name the column, what was expected there and what was found.
/// Law: the text reads back: read(text(l)) == l.
inline std::expected<AnyLayout, TextError> read(std::string_view text) {
  return detail::TextReader(text).read();
}

}  // namespace heddle::interop::cute
