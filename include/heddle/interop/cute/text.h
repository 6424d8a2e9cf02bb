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
#include "heddle/interop/text_scanner.h"

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

class TextReader {
 public:
  explicit TextReader(std::string_view text) : in_(text) {}

  std::expected<AnyLayout, TextError> read() {
    AnyLayout result = in_.peek() == 'S' ? AnyLayout(read_composed()) : AnyLayout(read_layout());
    in_.expect_end();
    if (in_.failed()) return std::unexpected(*in_.error());
    return result;
  }

 private:
  static constexpr int deepest = 16;
  static constexpr int most_leaves = 64;
  static constexpr Number most_number = Number{1} << 58;

  Number read_number(const std::string& what, Number least, Number greatest) {
    in_.take("_");
    return in_.number(what, least, greatest);
  }

  IntTuple read_shape(int depth) {
    if (depth == deepest && in_.next_is("("))
      in_.fail("expected a size; tuples nest at most 16 deep");
    if (in_.take("(")) {
      std::vector<IntTuple> modes;
      do {
        if (!modes.empty() && in_.next_is(")")) break;
        modes.push_back(read_shape(depth + 1));
      } while (in_.take(","));
      in_.expect(")", " or ',' in the shape");
      return IntTuple::tuple(std::move(modes));
    }
    const std::size_t begin = in_.place();
    if (++leaves_ > most_leaves) in_.fail_at(begin, "a layout has at most 64 leaves");
    return read_number("a size", 1, most_number);
  }

  Layout read_strides(const IntTuple& shape) {
    if (in_.failed()) return {};
    if (shape.is_leaf()) {
      const std::string what = "the stride of the size " + text(shape);
      return Mode{shape.leaf(), read_number(what, -most_number, most_number)};
    }
    const std::string wanted = " with " + std::to_string(shape.rank()) + " strides, as the shape " +
                               text(shape) + " nests";
    in_.expect("(", wanted);
    std::vector<Layout> modes;
    for (std::size_t i = 0; i < shape.rank() && !in_.failed(); ++i) {
      if (i > 0) in_.expect(",", wanted);
      modes.push_back(read_strides(shape[i]));
    }
    in_.take(",");
    in_.expect(")", wanted);
    return make_layout(std::move(modes));
  }

  Layout read_layout() {
    const std::size_t begin = in_.place();
    const IntTuple shape = read_shape(0);
    in_.expect(":", " between shape and strides");
    Layout layout = read_strides(shape);
    if (in_.failed()) return {};
    if (auto reason = check(layout)) in_.fail_at(begin, std::move(*reason));
    return layout;
  }

  ComposedLayout read_composed() {
    ComposedLayout composed;
    const auto number = [&](const char* what) {
      return static_cast<int>(read_number(std::string("the ") + what + " of a swizzle", -62, 62));
    };
    in_.take("S");
    in_.take("w");
    in_.expect("<", " of a swizzle as Sw<3,4,3>");
    const std::size_t begin = in_.place();
    composed.swizzle.bits = number("bits");
    in_.expect(",", " and the base of the swizzle");
    composed.swizzle.base = number("base");
    in_.expect(",", " and the shift of the swizzle");
    composed.swizzle.shift = number("shift");
    in_.expect(">", " behind the three numbers of a swizzle");
    if (auto reason = check(composed.swizzle)) in_.fail_at(begin, std::move(*reason));
    in_.expect("o", " and an offset behind the swizzle, as in Sw<3,4,3> o 0 o (8,64):(64,1)");
    composed.offset = read_number("the offset", 0, most_number);
    in_.expect("o", " and a layout behind the offset");
    composed.layout = read_layout();
    return composed;
  }

  TextScanner in_;
  int leaves_ = 0;
};

}  // namespace detail

/// Reads a layout. Errors name the column, what was expected there and what was found.
/// Law: the text reads back: read(text(l)) == l.
inline std::expected<AnyLayout, TextError> read(std::string_view text) {
  return detail::TextReader(text).read();
}

}  // namespace heddle::interop::cute
