#include "library/interop/cute/text_reader.h"

#include <algorithm>
#include <array>
#include <bit>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "heddle/interop/cute/algebra.h"
#include "library/text/formatted.h"

namespace heddle::interop::cute {

std::expected<Swizzle, std::string> swizzle_of_indices(const Swizzle& of_bytes,
                                                       const Pointee& pointee) {
  const auto log2 = [](Number number) {
    return std::bit_width(static_cast<std::uint64_t>(number)) - 1;
  };
  if (of_bytes.bits == 0) return Swizzle{0, 0, 0};
  Swizzle swizzle = of_bytes;
  swizzle.base += 3 + log2(pointee.sparsity) - log2(pointee.bits);
  if (swizzle.base < 0)
    return std::unexpected(formatted(
        "{} of byte addresses flips bits inside an element of {} bits; its base is at least {}",
        text(of_bytes), pointee.bits, of_bytes.base - swizzle.base));
  if (auto reason = check(swizzle)) return std::unexpected(std::move(*reason));
  return swizzle;
}

std::expected<ReadText, TextError> TextReader::read() {
  ReadText result;
  skip_qualifiers();
  if (in_.next_is("!cute.") || in_.next_is("!fly.") || in_.next_is("tensor<") ||
      in_.next_is("raw_ptr(")) {
    read_dsl(result);
    in_.expect_end();
    if (in_.failed()) return std::unexpected(*in_.error());
    return result;
  }
  const bool is_tensor = begins_with_pointer(in_.rest());
  if (is_tensor) {
    result.element_bits = static_cast<int>(read_pointer().bits);
    in_.expect("o", " and a layout behind the pointer");
  }
  skip_alias();
  skip_qualifiers();
  if (in_.next_is("TileTensor[") || in_.next_is("LayoutTensor[") ||
      in_.next_is("stack_allocation[") || in_.next_is("tt_stack_allocation["))
    result.layout = read_tile(result.element_bits);
  else if (in_.next_is("TiledCopy") || in_.next_is("Tiled Copy"))
    read_tiled_copy(result);
  else if (in_.next_is("TiledMMA") || in_.next_is("Tiled MMA") || in_.next_is("MMA_Atom") ||
           in_.next_is("MMA Atom"))
    read_tiled_mma(result);
  else if (in_.next_is("ComposedLayout") || in_.next_is("composition") ||
           in_.next_is("make_composed_layout"))
    result.layout = read_composed(result.element_bits);
  else if (in_.next_is("GMMA::") || in_.next_is("UMMA::"))
    result.layout = read_canonical_atom(result.element_bits);
  else if (in_.peek() == 'S' && !in_.next_is("Shape"))
    result.layout = read_swizzled(is_tensor, result.element_bits);
  else if (is_in_parentheses())
    result.layout = read_in_parentheses();
  else
    result.layout = read_layout();
  if (is_tensor && in_.take(":")) is_rest_known_ = true;  // the tensor's elements
  if (!is_rest_known_) in_.expect_end();
  if (in_.failed()) return std::unexpected(*in_.error());
  return result;
}

void TextReader::skip_qualifiers() {
  while (in_.take("cute::") || in_.take("cute.") || in_.take("std::") || in_.take("const ") ||
         in_.take("fx.") || in_.take("SM90::") || in_.take("SM100::")) {
  }
}

void TextReader::skip_construction() {
  if (!in_.take("{}")) in_.take("()");
}

Number TextReader::read_number(const std::string& what, Number least, Number greatest) {
  skip_qualifiers();
  bool in_brackets = false;
  for (const std::string_view name : {"Int<", "C<", "integral_constant<int,", "integral_constant<"})
    in_brackets = in_brackets || in_.take(name);
  const bool in_square = !in_brackets && (in_.take("Idx[") || in_.take("ComptimeInt["));
  if (in_.next_is("int") || in_.next_is("?"))
    in_.fail("expected a number; this one is known only at run time");
  in_.take("_");
  const Number number = in_.number(what, least, greatest);
  if (in_brackets) in_.expect(">", " behind the number");
  if (in_square) in_.expect("]", " behind the number");
  skip_construction();
  return number;
}

std::string_view TextReader::take_tuple() {
  skip_qualifiers();
  for (const std::string_view name : {"Shape", "Stride", "tuple"}) {
    const TextScanner before = in_;
    if (in_.take(name) && in_.take("<")) return ">";
    in_ = before;
  }
  for (const std::string_view name :
       {"make_shape(", "make_stride(", "make_tuple(", "IntTuple(", "Coord(", "("})
    if (in_.take(name)) return ")";
  return {};
}

IntTuple TextReader::read_shape(int depth) {
  const TextScanner before = in_;
  if (const std::string_view end = take_tuple(); !end.empty()) {
    if (depth == deepest) {
      in_ = before;
      in_.fail("expected a size; tuples nest at most 16 deep");
    }
    std::vector<IntTuple> modes;
    do {
      if (!modes.empty() && in_.next_is(end)) break;
      modes.push_back(read_shape(depth + 1));
    } while (in_.take(","));
    in_.expect(end, " or ',' in the shape");
    skip_construction();
    return IntTuple::tuple(std::move(modes));
  }
  const std::size_t begin = in_.place();
  if (++leaves_ > most_leaves) in_.fail_at(begin, "a layout has at most 64 leaves");
  return read_number("a size", 1, most_number);
}

Layout TextReader::read_strides(const IntTuple& shape) {
  if (in_.failed()) return {};
  if (shape.is_leaf()) {
    const std::string what = "the stride of the size " + text(shape);
    return Mode{shape.leaf(), read_number(what, -most_number, most_number)};
  }
  const std::string wanted =
      formatted(" with {} strides, as the shape {} nests", shape.rank(), text(shape));
  const std::string_view end = take_tuple();
  if (end.empty()) in_.expect("(", wanted);
  std::vector<Layout> modes;
  for (std::size_t i = 0; i < shape.rank() && !in_.failed(); ++i) {
    if (i > 0) in_.expect(",", wanted);
    modes.push_back(read_strides(shape[i]));
  }
  in_.take(",");
  in_.expect(end, wanted);
  skip_construction();
  return make_layout(std::move(modes));
}

Layout TextReader::read_layout() {
  const bool is_type = in_.take("type_of(");
  Layout layout = read_value();
  if (is_type) in_.expect(")", " behind the layout");
  return layout;
}

Layout TextReader::read_value() {
  skip_qualifiers();
  const std::size_t begin = in_.place();
  if (auto order = read_order()) return *std::move(order);
  if (in_.take("make_ordered_layout(")) return read_ordered(begin);
  const std::string_view end = in_.take("Layout<")                               ? ">"
                               : in_.take("make_layout(") || in_.take("Layout(") ? ")"
                                                                                 : "";
  in_.take("shape=");
  const IntTuple shape = read_shape(0);
  Layout layout;
  if (end.empty() || in_.take(",")) {
    if (end.empty()) in_.expect(":", " between shape and strides");
    skip_qualifiers();
    in_.take("stride=");
    const bool is_left = in_.take("LayoutLeft") || in_.take("GenColMajor");
    const bool is_right = !is_left && (in_.take("LayoutRight") || in_.take("GenRowMajor"));
    layout = is_left ? contiguous(shape, 0) : is_right ? contiguous(shape, 1) : read_strides(shape);
    if (is_left || is_right) skip_construction();
  } else {
    layout = contiguous(shape, 0);
  }
  if (!end.empty()) in_.expect(end, " behind shape and strides");
  skip_construction();
  if (in_.failed()) return {};
  if (auto reason = check(layout)) in_.fail_at(begin, std::move(*reason));
  return layout;
}

Layout TextReader::read_ordered(std::size_t begin) {
  const IntTuple shape = read_shape(0);
  in_.expect(",", " and the order");
  in_.take("order=");
  skip_qualifiers();
  const std::string_view end = in_.take("Step<") ? ">" : ")";
  if (end == ")" && !in_.take("make_step(")) in_.expect("(", " and a number for each mode");
  const std::size_t modes = shape.is_leaf() ? 1 : shape.rank();
  std::vector<Number> order;
  for (std::size_t i = 0; i < modes && !in_.failed(); ++i) {
    if (i > 0) in_.expect(",", " and a number for each mode");
    order.push_back(read_number("the place of a mode", 0, most_number));
  }
  in_.take(",");
  in_.expect(end, " behind a number for each mode");
  skip_construction();
  in_.expect(")", " behind the order");
  if (in_.failed()) return {};
  std::vector<Layout> result(modes);
  const auto mode = [&](std::size_t i) { return shape.is_leaf() ? shape : shape[i]; };
  for (std::size_t i = 0; i < modes; ++i) {
    Number step = 1;
    for (std::size_t j = 0; j < modes; ++j)
      if (order[j] < order[i]) contiguous(mode(j), false, step);
    result[i] = contiguous(mode(i), false, step);
  }
  if (in_.failed()) return {};
  Layout layout = shape.is_leaf() ? result[0] : make_layout(std::move(result));
  if (auto reason = check(layout)) in_.fail_at(begin, std::move(*reason));
  return layout;
}

Layout TextReader::contiguous(const IntTuple& shape, bool from_last) {
  Number step = 1;
  return contiguous(shape, from_last, step);
}

Layout TextReader::contiguous(const IntTuple& shape, bool from_last, Number& step) {
  if (shape.is_leaf()) {
    const Layout mode = Mode{shape.leaf(), step};
    if (step > most_number / std::max<Number>(1, shape.leaf()))
      in_.fail("expected fewer elements, at most 2^58");
    else
      step *= shape.leaf();
    return mode;
  }
  std::vector<Layout> modes(shape.rank());
  for (std::size_t i = 0; i < shape.rank(); ++i) {
    const std::size_t at = from_last ? shape.rank() - 1 - i : i;
    modes[at] = contiguous(shape[at], from_last, step);
  }
  return make_layout(std::move(modes));
}

AnyLayout TextReader::read_composed(int& element_bits) {
  const bool is_type = in_.take("ComposedLayout");
  const bool is_python = in_.take("make_composed_layout");
  if (!is_type && !is_python) in_.take("composition");
  const std::string_view end = is_type ? ">" : ")";
  in_.expect(is_type ? "<" : "(", " and a swizzle");
  skip_qualifiers();
  const std::size_t begin = in_.place();
  const Swizzle swizzle = read_swizzle();
  skip_construction();
  in_.expect(",", " behind the swizzle");
  skip_qualifiers();
  AnyLayout result;
  if (in_.take("smem_ptr_flag")) {
    Pointee pointee{.bits = 8};
    if (in_.take("_bits<")) {
      pointee.bits = read_number("the bits of an element", 1, 4096);
      in_.expect(">", " behind the bits of an element");
    }
    skip_construction();
    element_bits = static_cast<int>(pointee.bits);
    in_.expect(",", " and a layout");
    result = of_pointer(begin, swizzle, pointee);
  } else {
    ComposedLayout composed{swizzle, 0, {}};
    const bool has_offset = is_type || is_python || in_.next_is("Int<") || in_.next_is("_");
    if (has_offset) {
      composed.offset = read_number("the offset", 0, most_number);
      in_.expect(",", " and a layout behind the offset");
    }
    composed.layout = read_layout();
    result = composed;
  }
  in_.expect(end, " behind the layout");
  skip_construction();
  return result;
}

Swizzle TextReader::read_swizzle() {
  const auto number = [&](const char* what) {
    return static_cast<int>(read_number(std::string("the ") + what + " of a swizzle", -62, 62));
  };
  const bool is_call = in_.take("make_swizzle(");
  if (!is_call && !in_.take("Swizzle") && !in_.take("Sw")) in_.take("S");
  if (!is_call) in_.expect("<", " of a swizzle as Sw<3,4,3>");
  const std::size_t begin = in_.place();
  Swizzle swizzle;
  swizzle.bits = number("bits");
  in_.expect(",", " and the base of the swizzle");
  swizzle.base = number("base");
  in_.expect(",", " and the shift of the swizzle");
  swizzle.shift = number("shift");
  in_.expect(is_call ? ")" : ">", " behind the three numbers of a swizzle");
  if (auto reason = check(swizzle)) in_.fail_at(begin, std::move(*reason));
  return swizzle;
}

AnyLayout TextReader::read_swizzled(bool has_pointer, int& element_bits) {
  const std::size_t begin = in_.place();
  const Swizzle swizzle = read_swizzle();
  if (!has_pointer && in_.take("_")) {
    const Pointee pointee = read_pointer();
    element_bits = static_cast<int>(pointee.bits);
    in_.expect("o", " and a layout behind the pointer");
    return of_pointer(begin, swizzle, pointee);
  }
  in_.expect("o", " and an offset behind the swizzle, as in Sw<3,4,3> o 0 o (8,64):(64,1)");
  if (!has_pointer && in_.next_is("smem_")) {
    const Pointee pointee = read_pointer();
    element_bits = static_cast<int>(pointee.bits);
    in_.expect("o", " and a layout behind the pointer");
    return of_pointer(begin, swizzle, pointee);
  }
  ComposedLayout composed{swizzle, 0, {}};
  if (!in_.next_is("(")) {
    composed.offset = read_number("the offset", 0, most_number);
    in_.expect("o", " and a layout behind the offset");
  }
  composed.layout = read_layout();
  return composed;
}

AnyLayout TextReader::of_pointer(std::size_t begin, const Swizzle& of_bytes,
                                 const Pointee& pointee) {
  if (in_.failed()) return Layout{};
  if (!std::has_single_bit(static_cast<std::uint64_t>(pointee.bits))) {
    in_.fail_at(begin,
                formatted("a swizzle of addresses parts elements of {} bits, no power of two",
                          pointee.bits));
    return Layout{};
  }
  const auto swizzle = swizzle_of_indices(of_bytes, pointee);
  if (!swizzle) {
    in_.fail_at(begin, swizzle.error());
    return Layout{};
  }
  // The address bits that the swizzle reads or flips become an offset, added to every index.
  const int reach = of_bytes.bits + of_bytes.base + std::abs(of_bytes.shift);
  const Number seen = of_bytes.bits == 0 ? 0 : pointee.address % (Number{1} << reach);
  if (seen * 8 % pointee.bits != 0)
    in_.fail_at(begin, formatted("the address {} lies inside an element of {} bits",
                                 pointee.address, pointee.bits));
  Layout layout = read_layout();
  if (swizzle->bits == 0) return layout;
  return ComposedLayout{*swizzle, seen * 8 / pointee.bits * pointee.sparsity, std::move(layout)};
}

Pointee TextReader::read_pointer() {
  Pointee pointee;
  if (in_.take("tmem_")) return read_pointee(pointee, true);
  while (in_.take("smem_") || in_.take("gmem_") || in_.take("rmem_") || in_.next_is("sparse<")) {
    if (!in_.take("sparse<")) continue;
    const std::size_t begin = in_.place();
    pointee.sparsity = read_number("how many elements one stands for", 1, 64);
    if (!std::has_single_bit(static_cast<std::uint64_t>(pointee.sparsity)))
      in_.fail_at(begin, "a sparse pointer has a power of two of elements at an address");
    in_.expect(">", " behind the sparsity");
    in_.expect("_", " and the rest of the pointer");
  }
  // Streams of C++ write smem_[16b], without an address.
  const bool is_streamed = in_.next_is("[");
  if (!is_streamed) in_.take("sub");
  if (!is_streamed) in_.expect("ptr", " as in smem_ptr[16b](unset)");
  return read_pointee(pointee, !is_streamed);
}

Pointee TextReader::read_pointee(Pointee pointee, bool has_address) {
  in_.expect("[", " and the bits of an element, as [16b]");
  pointee.bits = read_number("the bits of an element", 1, 4096);
  in_.expect("b", " behind the bits of an element");
  in_.expect("]", " behind the bits of an element");
  if (!in_.next_is("(") && !has_address) return pointee;
  in_.expect("(", " and the address, or unset");
  // Documents write a word for the address, as smem_ptr[16b](SMEM_ADDR_A).
  if (!in_.take("(nil)") && in_.word().empty()) pointee.address = read_address();
  in_.expect(")", " behind the address");
  return pointee;
}

Number TextReader::read_address() {
  in_.expect("0x", " of an address, or unset");
  std::uint64_t address = 0;
  const std::string_view digits = in_.while_in("0123456789abcdefABCDEF");
  if (digits.empty()) in_.fail("expected hexadecimal digits");
  for (const char digit : digits) {
    const int value = digit <= '9' ? digit - '0' : (digit | 0x20) - 'a' + 10;
    address = address << 4 | static_cast<std::uint64_t>(value);
  }
  if (in_.take(".")) in_.while_in("0123456789abcdefABCDEFx");
  return static_cast<Number>(address & ((std::uint64_t{1} << 58) - 1));
}

std::expected<ReadText, TextError> read_text(std::string_view text) {
  return TextReader(text).read();
}

std::expected<AnyLayout, TextError> read(std::string_view text) {
  auto result = read_text(text);
  if (!result) return std::unexpected(std::move(result.error()));
  return std::move(result->layout);
}

}  // namespace heddle::interop::cute
