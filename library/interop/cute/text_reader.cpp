// The reader of the grammar in heddle/interop/cute/text.h.
#include <algorithm>
#include <array>
#include <bit>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "heddle/interop/cute/text.h"
#include "heddle/interop/text_scanner.h"

namespace heddle::interop::cute {
namespace {

/// What a pointer says of its elements.
struct Pointee {
  Number bits = 0;      // of one element in memory; 0: nothing was read
  Number sparsity = 1;  // how many indices share one such element
  Number address = 0;   // in bytes; 0 where it is unset
};

/// The swizzle of indices that a swizzle of addresses is; or why there is none.
std::expected<Swizzle, std::string> swizzle_of_indices(const Swizzle& of_bytes,
                                                       const Pointee& pointee) {
  const auto log2 = [](Number number) {
    return std::bit_width(static_cast<std::uint64_t>(number)) - 1;
  };
  if (of_bytes.bits == 0) return Swizzle{0, 0, 0};
  Swizzle swizzle = of_bytes;
  swizzle.base += 3 + log2(pointee.sparsity) - log2(pointee.bits);
  if (swizzle.base < 0)
    return std::unexpected(text(of_bytes) + " of byte addresses flips bits inside an element of " +
                           std::to_string(pointee.bits) + " bits; its base is at least " +
                           std::to_string(of_bytes.base - swizzle.base));
  if (auto reason = check(swizzle)) return std::unexpected(std::move(*reason));
  return swizzle;
}

class TextReader {
 public:
  explicit TextReader(std::string_view text) : in_(text) {}

  std::expected<ReadText, TextError> read() {
    ReadText result;
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
    else if (in_.next_is("TiledCopy"))
      read_tiled_copy(result);
    else if (in_.next_is("TiledMMA") || in_.next_is("MMA_Atom"))
      read_tiled_mma(result);
    else if (in_.next_is("ComposedLayout") || in_.next_is("composition"))
      result.layout = read_composed(result.element_bits);
    else if (in_.take("!fly.layout"))
      result.layout = read_in_brackets();
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

 private:
  static constexpr int deepest = 16;
  static constexpr int most_leaves = 64;
  static constexpr Number most_number = Number{1} << 58;

  /// Mojo prints a layout as "(shape:stride)": the first parenthesis closes at the end, and a colon
  /// is in no other. Source: modular, mojo/kernels/src/layout/layout.mojo (Layout.write_to).
  bool is_in_parentheses() {
    int depth = 0;
    bool has_colon = false;
    std::string_view rest = in_.rest();
    rest = rest.substr(0, rest.find_last_not_of(" \t\r\n") + 1);
    for (std::size_t i = 0; i < rest.size(); ++i) {
      depth += (rest[i] == '(') - (rest[i] == ')');
      if (depth == 0) return has_colon && i + 1 == rest.size();
      has_colon |= rest[i] == ':' && depth == 1;
    }
    return false;
  }

  // Mojo's own text. Source: modular, max/kernels/src/layout/tile_layout.mojo (row_major,
  // col_major, Layout), tile_tensor.mojo (TileTensor, stack_allocation), layout.mojo (the older
  // Layout).

  /// `comptime NAME = `, `alias NAME = ` or `var NAME = ` before what it names, such as
  /// SmemTileType.
  void skip_alias() {
    if (!in_.take("comptime ") && !in_.take("alias ") && !in_.take("var ")) return;
    if (in_.word().empty()) in_.fail("expected a name");
    in_.expect("=", " behind the name");
  }

  /// TileTensor[dtype, type_of(layout), origin, Engine=…, address_space=…], LayoutTensor[dtype,
  /// layout, …] or stack_allocation[dtype, …](layout). The engine operates on the tile's memory,
  /// and does not say where elements lie in it.
  Layout read_tile(int& element_bits) {
    const bool is_call = in_.take("stack_allocation[") || in_.take("tt_stack_allocation[");
    if (!is_call && !in_.take("TileTensor[")) in_.take("LayoutTensor[");
    if (in_.take("mut=True")) in_.expect(",");
    if (in_.take("mut=False")) in_.expect(",");
    in_.take("dtype=");
    if (in_.take("DType.") || in_.take("."))
      element_bits = read_type_bits();
    else
      in_.while_in("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789.");  // a name
    if (is_call) {
      skip_parameters();
      in_.expect("(", " and the layout");
    } else {
      in_.expect(",", " and the layout");
      in_.take("LayoutType=");
      in_.take("layout=");
    }
    Layout layout = read_layout();
    if (is_call)
      in_.expect(")", " behind the layout");
    else
      skip_parameters();
    return layout;
  }

  /// The bits in the name of one of Mojo's types: float16, bfloat16, uint8, float8_e4m3fn, bool.
  int read_type_bits() {
    const std::size_t begin = in_.place();
    const std::string_view name = in_.word();
    const std::size_t digits = name.find_first_of("0123456789");
    if (name == "bool") return 8;
    int bits = 0;
    for (const char digit : name.substr(std::min(digits, name.size()))) {
      if (digit < '0' || digit > '9' || bits > 64) break;
      bits = bits * 10 + (digit - '0');
    }
    if (bits != 4 && bits != 8 && bits != 16 && bits != 32 && bits != 64)
      in_.fail_at(begin, "expected a type of 4, 8, 16, 32 or 64 bits, such as DType.float16");
    return bits;
  }

  /// To the bracket that closes the parameters, which is taken.
  void skip_parameters() {
    for (int depth = 0; !in_.failed();) {
      if (in_.at_end()) return in_.fail("expected ']' behind the parameters");
      const char next = in_.peek();
      if (next == ']' && depth == 0) break;
      depth += (next == '[' || next == '(') - (next == ']' || next == ')');
      in_.take(std::string_view(&next, 1));
    }
    in_.expect("]");
  }

  /// row_major[64, 32](), row_major(Idx[64](), Idx[32]()) or Layout.row_major(64, 32), and the same
  /// of col_major.
  std::optional<Layout> read_order() {
    const TextScanner before = in_;
    in_.take("Layout.");
    const bool is_row_major = in_.take("row_major");
    if (!is_row_major && !in_.take("col_major")) {
      in_ = before;
      return std::nullopt;
    }
    const std::size_t begin = in_.place();
    const bool is_parameters = in_.take("[");
    if (!is_parameters) in_.expect("(", " and sizes");
    const bool is_tuple = in_.take("Coord(") || in_.take("IntTuple(") || in_.take("(");
    std::vector<IntTuple> sizes;
    do {
      if (!sizes.empty() && (in_.next_is(")") || in_.next_is("]"))) break;
      sizes.push_back(read_shape(1));
    } while (in_.take(","));
    if (is_tuple) in_.expect(")", " behind the sizes");
    in_.expect(is_parameters ? "]" : ")", " behind the sizes");
    if (is_parameters) in_.take("()");
    if (in_.failed()) return Layout{};
    Layout layout = contiguous(IntTuple::tuple(std::move(sizes)), is_row_major);
    if (auto reason = check(layout)) in_.fail_at(begin, std::move(*reason));
    return layout;
  }

  Layout read_in_parentheses() {
    in_.expect("(");
    Layout layout = read_layout();
    in_.expect(")", " behind the layout");
    return layout;
  }

  /// What C++ may write before a name and what changes nothing here.
  void skip_qualifiers() {
    while (in_.take("cute::") || in_.take("std::") || in_.take("const ")) {
    }
  }
  void skip_construction() {
    if (!in_.take("{}")) in_.take("()");
  }

  Number read_number(const std::string& what, Number least, Number greatest) {
    skip_qualifiers();
    bool in_brackets = false;
    for (const std::string_view name :
         {"Int<", "C<", "integral_constant<int,", "integral_constant<"})
      in_brackets = in_brackets || in_.take(name);
    const bool in_square = !in_brackets && (in_.take("Idx[") || in_.take("ComptimeInt["));
    if (in_.next_is("int")) in_.fail("expected a number; this one is known only at run time");
    in_.take("_");
    const Number number = in_.number(what, least, greatest);
    if (in_brackets) in_.expect(">", " behind the number");
    if (in_square) in_.expect("]", " behind the number");
    skip_construction();
    return number;
  }

  /// The end of a tuple that begins here, which is taken; nothing where none begins.
  std::string_view take_tuple() {
    skip_qualifiers();
    for (const std::string_view name : {"Shape<", "Stride<", "tuple<"})
      if (in_.take(name)) return ">";
    for (const std::string_view name :
         {"make_shape(", "make_stride(", "make_tuple(", "IntTuple(", "Coord(", "("})
      if (in_.take(name)) return ")";
    return {};
  }

  IntTuple read_shape(int depth) {
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

  Layout read_strides(const IntTuple& shape) {
    if (in_.failed()) return {};
    if (shape.is_leaf()) {
      const std::string what = "the stride of the size " + text(shape);
      return Mode{shape.leaf(), read_number(what, -most_number, most_number)};
    }
    const std::string wanted = " with " + std::to_string(shape.rank()) + " strides, as the shape " +
                               text(shape) + " nests";
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

  Layout read_layout() {
    const bool is_type = in_.take("type_of(");
    Layout layout = read_value();
    if (is_type) in_.expect(")", " behind the layout");
    return layout;
  }

  Layout read_value() {
    skip_qualifiers();
    const std::size_t begin = in_.place();
    if (auto order = read_order()) return *std::move(order);
    const std::string_view end = in_.take("Layout<")                               ? ">"
                                 : in_.take("make_layout(") || in_.take("Layout(") ? ")"
                                                                                   : "";
    const IntTuple shape = read_shape(0);
    Layout layout;
    if (end.empty() || in_.take(",")) {
      if (end.empty()) in_.expect(":", " between shape and strides");
      skip_qualifiers();
      const bool is_left = in_.take("LayoutLeft") || in_.take("GenColMajor");
      const bool is_right = !is_left && (in_.take("LayoutRight") || in_.take("GenRowMajor"));
      layout = is_left    ? contiguous(shape, 0)
               : is_right ? contiguous(shape, 1)
                          : read_strides(shape);
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

  /// <layout> of FlyDSL's types.
  Layout read_in_brackets() {
    in_.expect("<", " and a layout");
    Layout layout = read_layout();
    in_.expect(">", " behind the layout");
    return layout;
  }

  /// The layout whose strides are the sizes before (`from_last`: behind) each mode.
  Layout contiguous(const IntTuple& shape, bool from_last) {
    Number step = 1;
    return contiguous(shape, from_last, step);
  }
  Layout contiguous(const IntTuple& shape, bool from_last, Number& step) {
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

  /// ComposedLayout<Swizzle<3,4,3>, smem_ptr_flag_bits<16>, Layout<…>>, or composition(…, …).
  AnyLayout read_composed(int& element_bits) {
    const bool is_type = in_.take("ComposedLayout");
    if (!is_type) in_.take("composition");
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
      const bool has_offset = is_type || in_.next_is("Int<") || in_.next_is("_");
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

  /// What print() says of a TiledCopy: the tile and the layout of threads and values, and then its
  /// atom, which the layout contains.
  void read_tiled_copy(ReadText& result) {
    in_.take("TiledCopy");
    in_.expect("Tiler_MN:", " of the tiled copy");
    const std::string_view end = take_tuple();
    if (end.empty()) in_.expect("(", " and the sizes of the tile");
    do {
      if (!result.tile.empty() && in_.next_is(end)) break;
      result.tile.push_back(read_number("a size of the tile", 1, Number{1} << 31));
      if (in_.take(":") && read_number("the stride of a size of the tile", 0, most_number) != 1)
        in_.fail("expected the stride 1; a tile with gaps is not read");
      if (result.tile.size() > 8) in_.fail("expected at most 8 sizes");
    } while (in_.take(","));
    in_.expect(end, " behind the sizes of the tile");
    in_.expect("TiledLayout_TV:", " of the tiled copy");
    result.layout = read_layout();
    const std::string_view rest = in_.rest();
    const std::size_t bits = rest.find("ValueType:");
    if (bits != std::string_view::npos) {
      TextScanner type(rest.substr(bits + std::string_view("ValueType:").size()));
      result.element_bits = static_cast<int>(type.number("bits", 0, 4096));
      if (type.failed()) result.element_bits = 0;
    }
    is_rest_known_ = in_.next_is("Copy_Atom");
  }

  /// What print() says of a TiledMMA or of an atom.
  void read_tiled_mma(ReadText& result) {
    const std::size_t begin = in_.place();
    TiledMmaText mma;
    const bool is_tiled = in_.take("TiledMMA");
    if (is_tiled) {
      in_.expect("ThrLayoutVMNK:", " of the tiled product");
      mma.threads = read_layout();
      in_.expect("PermutationMNK:", " of the tiled product");
      in_.expect("(", " and three sizes of the tile");
      for (std::size_t i = 0; i < 3; ++i) {
        mma.tile_mnk[i] = read_tile_of_product();
        in_.expect(i < 2 ? "," : ")", " behind a size of the tile");
      }
    }
    in_.expect("MMA_Atom", " and what the atom is");
    in_.expect("ThrID:", " of the atom");
    const Layout threads = read_layout();
    if (!is_tiled) mma.threads = make_layout({threads, Mode{}, Mode{}, Mode{}});
    in_.expect("Shape_MNK:", " of the atom");
    in_.expect("(", " and three sizes");
    for (std::size_t i = 0; i < 3; ++i) {
      mma.shape_mnk[i] = read_number("a size of the atom", 1, Number{1} << 20);
      in_.expect(i < 2 ? "," : ")", " behind a size of the atom");
    }
    for (const auto& [name, layout] :
         {std::pair{"LayoutA_TV:", &mma.a}, std::pair{"LayoutB_TV:", &mma.b},
          std::pair{"LayoutC_TV:", &mma.c}}) {
      in_.expect(name, " of the atom");
      *layout = read_layout();
    }
    char operand = 'C';
    if (in_.take(".A")) operand = 'A';
    if (in_.take(".B")) operand = 'B';
    if (operand == 'C' && !in_.take(".C")) in_.take(".D");
    if (in_.failed()) return;
    auto tiled = tiled_operand(mma, operand);
    if (!tiled) return in_.fail_at(begin, std::move(tiled.error()));
    result = *std::move(tiled);
  }

  /// `_` for a mode that is as wide as the atoms of all threads, which is 0; or the size of the
  /// mode, perhaps as a layout. A layout that reorders the mode is none of these.
  Number read_tile_of_product() {
    const TextScanner before = in_;
    if (in_.take("_") && (in_.next_is(",") || in_.next_is(")"))) return 0;
    in_ = before;
    if (in_.next_is("(")) {
      in_.fail("expected _ or a size of the tile; a mode that a layout permutes is not read");
      return 0;
    }
    const Number size = read_number("_ or a size of the tile", 1, Number{1} << 30);
    const std::size_t at = in_.place();
    if (in_.take(":") && read_number("the stride of a size of the tile", 0, most_number) != 1)
      in_.fail_at(at, "expected the stride 1; a mode that a layout permutes is not read");
    return size;
  }

  Swizzle read_swizzle() {
    const auto number = [&](const char* what) {
      return static_cast<int>(read_number(std::string("the ") + what + " of a swizzle", -62, 62));
    };
    if (!in_.take("Swizzle") && !in_.take("Sw")) in_.take("S");
    in_.expect("<", " of a swizzle as Sw<3,4,3>");
    const std::size_t begin = in_.place();
    Swizzle swizzle;
    swizzle.bits = number("bits");
    in_.expect(",", " and the base of the swizzle");
    swizzle.base = number("base");
    in_.expect(",", " and the shift of the swizzle");
    swizzle.shift = number("shift");
    in_.expect(">", " behind the three numbers of a swizzle");
    if (auto reason = check(swizzle)) in_.fail_at(begin, std::move(*reason));
    return swizzle;
  }

  /// A swizzle before an offset or a pointer, and the layout behind it. `has_pointer`: a pointer
  /// was read before; one more is then out of place.
  AnyLayout read_swizzled(bool has_pointer, int& element_bits) {
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

  /// The layout behind a pointer whose addresses are swizzled.
  AnyLayout of_pointer(std::size_t begin, const Swizzle& of_bytes, const Pointee& pointee) {
    if (in_.failed()) return Layout{};
    if (!std::has_single_bit(static_cast<std::uint64_t>(pointee.bits))) {
      in_.fail_at(begin, "a swizzle of addresses parts elements of " +
                             std::to_string(pointee.bits) + " bits, no power of two");
      return Layout{};
    }
    const auto swizzle = swizzle_of_indices(of_bytes, pointee);
    if (!swizzle) {
      in_.fail_at(begin, swizzle.error());
      return Layout{};
    }
    // The bits of the address that the swizzle looks at or flips come before every index.
    const int reach = of_bytes.bits + of_bytes.base + std::abs(of_bytes.shift);
    const Number seen = of_bytes.bits == 0 ? 0 : pointee.address % (Number{1} << reach);
    if (seen * 8 % pointee.bits != 0)
      in_.fail_at(begin, "the address " + std::to_string(pointee.address) +
                             " lies inside an element of " + std::to_string(pointee.bits) +
                             " bits");
    Layout layout = read_layout();
    if (swizzle->bits == 0) return layout;
    return ComposedLayout{*swizzle, seen * 8 / pointee.bits * pointee.sparsity, std::move(layout)};
  }

  Pointee read_pointer() {
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

  /// "[16b](0x7f00)", "[16b](unset)", "[4b](0x7f00.1)" of parts of a byte.
  Pointee read_pointee(Pointee pointee, bool has_address) {
    in_.expect("[", " and the bits of an element, as [16b]");
    pointee.bits = read_number("the bits of an element", 1, 4096);
    in_.expect("b", " behind the bits of an element");
    in_.expect("]", " behind the bits of an element");
    if (!in_.next_is("(") && !has_address) return pointee;
    in_.expect("(", " and the address, or unset");
    if (!in_.take("unset") && !in_.take("(nil)")) pointee.address = read_address();
    in_.expect(")", " behind the address");
    return pointee;
  }

  /// 0x7f00, and behind a point which part of the byte; only the low bits matter.
  Number read_address() {
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

  TextScanner in_;
  int leaves_ = 0;
  bool is_rest_known_ = false;  // what follows says nothing of the layout
};

}  // namespace

std::expected<ReadText, TextError> read_text(std::string_view text) {
  return TextReader(text).read();
}

std::expected<AnyLayout, TextError> read(std::string_view text) {
  auto result = read_text(text);
  if (!result) return std::unexpected(std::move(result.error()));
  return std::move(result->layout);
}

}  // namespace heddle::interop::cute
