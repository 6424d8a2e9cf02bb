// The reader of the grammar in heddle/interop/cute/text.h.
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

  /// What C++ and Python may write before a name and what changes nothing here.
  void skip_qualifiers() {
    while (in_.take("cute::") || in_.take("cute.") || in_.take("std::") || in_.take("const ") ||
           in_.take("fx.") || in_.take("SM90::") || in_.take("SM100::")) {
    }
  }

  /// The bits of a type of C++, MLIR or Python: half_t, float_e4m3_t, bf16, f8E4M3FN, Float32.
  int read_bits_of_type() {
    static constexpr std::array<std::pair<std::string_view, int>, 9> named{{{"half_t", 16},
                                                                            {"half", 16},
                                                                            {"bfloat16_t", 16},
                                                                            {"float", 32},
                                                                            {"tfloat32_t", 32},
                                                                            {"double", 64},
                                                                            {"float_e4m3_t", 8},
                                                                            {"float_e5m2_t", 8},
                                                                            {"float_e2m1_t", 4}}};
    while (in_.take("cutlass::")) {
    }
    const std::size_t begin = in_.place();
    const std::string_view word = in_.word();
    for (const auto& [name, bits] : named)
      if (word == name) return bits;
    const std::size_t digits = std::min(word.find_first_of("0123456789"), word.size());
    int bits = 0;
    for (const char digit : word.substr(digits)) {
      if (digit < '0' || digit > '9' || bits > 128) break;
      bits = bits * 10 + (digit - '0');
    }
    const std::string_view letters = word.substr(0, digits);
    constexpr std::array<std::string_view, 16> kinds{
        "f",     "bf",     "tf",  "i",    "si",  "ui",   "u",     "s",
        "Float", "BFloat", "Int", "Uint", "int", "uint", "float", "bfloat"};
    if (bits == 0 || bits > 128 || std::ranges::find(kinds, letters) == kinds.end())
      in_.fail_at(begin, "expected a type whose width is known, as half_t or f16");
    return bits;
  }

  /// GMMA::Layout_K_SW128_Atom<half_t>, and MN, INTER, SW32 and SW64; the same of UMMA. A row of
  /// 128, 256, 512 or 1024 bits lies eight times; K: along the second mode. Source: NVIDIA/cutlass,
  /// include/cute/atom/mma_traits_sm90_gmma.hpp (Layout_K_SW128_Atom_Bits and the like).
  AnyLayout read_canonical_atom(int& element_bits) {
    if (!in_.take("GMMA::")) in_.expect("UMMA::");
    in_.expect("Layout_", ", as in GMMA::Layout_K_SW128_Atom<half_t>");
    const bool is_k = in_.take("K_");
    if (!is_k) in_.expect("MN_", " or 'K_'");
    int bits = 0;  // of the swizzle
    if (in_.take("SW128"))
      bits = 3;
    else if (in_.take("SW64"))
      bits = 2;
    else if (in_.take("SW32"))
      bits = 1;
    else
      in_.expect("INTER", ", 'SW32', 'SW64' or 'SW128'");
    in_.expect("_Atom<", " and the type of an element");
    const std::size_t begin = in_.place();
    element_bits = read_bits_of_type();
    in_.expect(">", " behind the type");
    skip_construction();
    if (in_.failed()) return Layout{};
    const Number row = 128 << bits;
    if (row % element_bits != 0) {
      in_.fail_at(begin, "expected a type of a power of two of bits");
      return Layout{};
    }
    const Number length = row / element_bits;
    const Layout layout = is_k ? make_layout({Mode{8, length}, Mode{length, 1}})
                               : make_layout({Mode{length, 1}, Mode{8, length}});
    if (bits == 0) return layout;
    const auto swizzle = swizzle_of_indices({bits, 4, 3}, {.bits = element_bits});
    if (!swizzle) {
      in_.fail_at(begin, swizzle.error());
      return layout;
    }
    return ComposedLayout{*swizzle, 0, layout};
  }

  // What the Python DSLs print: CuTe's and FlyDSL's types of MLIR, and CuTe's tensors. Sources:
  // NVIDIA/cutlass, python/CuTeDSL (printed by its examples, release 4.3); ROCm/FlyDSL,
  // tests/mlir.

  /// What stands between a pointer's brackets: its type, its space, its alignment and the swizzle
  /// of its addresses.
  struct DslPointer {
    Pointee pointee;
    std::optional<Swizzle> swizzle{};
  };

  DslPointer read_dsl_pointer() {
    DslPointer pointer;
    pointer.pointee.bits = read_bits_of_type();
    while (in_.next_is(",") && !in_.failed()) {
      const TextScanner before = in_;
      in_.take(",");
      if (in_.take("S<")) {
        in_ = before;
        in_.take(",");
        pointer.swizzle = read_swizzle();
      } else if (in_.take("align<")) {
        in_.number("an alignment in bytes", 1, most_number);
        in_.expect(">", " behind the alignment");
      } else if (in_.take("#")) {
        in_.word();  // #fly_rocdl.buffer_desc
        while (in_.take(".")) in_.word();
      } else if (in_.word().empty()) {
        in_ = before;  // the layout
        break;
      }
    }
    return pointer;
  }

  /// The layout behind a pointer, swizzled where the pointer is.
  AnyLayout behind_pointer(std::size_t begin, const DslPointer& pointer) {
    if (pointer.swizzle) return of_pointer(begin, *pointer.swizzle, pointer.pointee);
    return read_plain_or_swizzled();
  }

  /// shape:stride, with Sw<…> o offset o before it or not.
  AnyLayout read_plain_or_swizzled() {
    int bits = 0;
    if (in_.next_is("S<") || in_.next_is("Sw<")) return read_swizzled(false, bits);
    return read_layout();
  }

  void read_dsl(ReadText& result) {
    const std::size_t begin = in_.place();
    std::string_view end = ">";
    if (in_.take("tensor<")) {
      in_.expect("ptr<", " of the tensor");
      const DslPointer pointer = read_dsl_pointer();
      in_.expect(">", " behind the pointer");
      in_.expect("o", " and the layout of the tensor");
      result.element_bits = static_cast<int>(pointer.pointee.bits);
      result.layout = behind_pointer(begin, pointer);
    } else if (in_.take("raw_ptr(")) {
      DslPointer pointer;
      const Number address = read_address();
      in_.expect(":", " and the type behind the address");
      pointer = read_dsl_pointer();
      pointer.pointee.address = address;
      in_.expect(")", " behind the pointer");
      in_.expect("o", " and the layout of the tensor");
      result.element_bits = static_cast<int>(pointer.pointee.bits);
      result.layout = behind_pointer(begin, pointer);
      end = {};
    } else if (in_.take("!cute.memref<") || in_.take("!fly.memref<")) {
      const DslPointer pointer = read_dsl_pointer();
      in_.expect(",", " and the layout");
      result.element_bits = static_cast<int>(pointer.pointee.bits);
      const bool is_quoted = in_.take("\"");
      result.layout = behind_pointer(begin, pointer);
      if (is_quoted) in_.expect("\"", " behind the layout");
    } else {
      const bool is_known = in_.take("!cute.layout<") || in_.take("!cute.composed_layout<") ||
                            in_.take("!fly.layout<") || in_.take("!fly.composed_layout<");
      if (!is_known) in_.fail("expected a layout, composed_layout or memref of !cute or !fly");
      const bool is_quoted = in_.take("\"");
      result.layout = read_plain_or_swizzled();
      if (is_quoted) in_.expect("\"", " behind the layout");
    }
    if (!end.empty()) in_.expect(end, " behind the layout");
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
    if (in_.next_is("int") || in_.next_is("?"))
      in_.fail("expected a number; this one is known only at run time");
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

  /// The rest of make_ordered_layout(shape, order): the mode with the lowest number is contiguous,
  /// the one with the next lies behind it, and so on; those of equal numbers have the same stride.
  Layout read_ordered(std::size_t begin) {
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

  /// What print() says of a TiledCopy: the tile and the layout of threads and values, and then its
  /// atom, which the layout contains.
  void read_tiled_copy(ReadText& result) {
    const std::size_t begin_of_copy = in_.place();
    if (!in_.take("TiledCopy")) in_.take("Tiled Copy");
    expect_label("Tiler_MN:", "Tiler MN:", " of the tiled copy");
    const std::string_view end = take_tuple();
    if (end.empty()) in_.expect("(", " and the sizes of the tile");
    std::vector<Layout> modes;
    do {
      if (!result.tile.empty() && in_.next_is(end)) break;
      const TextScanner before = in_;
      const std::size_t begin = in_.place();
      Layout mode = Mode{};
      Number length = 0;
      const bool is_nest = in_.next_is("(");
      if (!is_nest) length = read_number("a size of the tile", 1, Number{1} << 30);
      if (is_nest || in_.next_is(":")) {
        in_ = before;
        length = read_permutation(begin, mode);
      }
      result.tile.push_back(length);
      modes.push_back(mode.is_leaf() ? Layout(Mode{length, 1}) : mode);
      if (result.tile.size() > 8) in_.fail("expected at most 8 sizes");
    } while (in_.take(","));
    in_.expect(end, " behind the sizes of the tile");
    expect_label("TiledLayout_TV:", "TV Layout tiled:", " of the tiled copy");
    result.layout = read_layout();
    permute(result, begin_of_copy, modes);
    const std::string_view rest = in_.rest();
    const std::size_t bits = rest.find("ValueType:");
    if (bits != std::string_view::npos) {
      // The DSL's "Value type:" names the type in words, and is left alone.
      TextScanner type(rest.substr(bits + std::string_view("ValueType:").size()));
      result.element_bits = static_cast<int>(type.number("bits", 0, 4096));
      if (type.failed()) result.element_bits = 0;
    }
    is_rest_known_ = in_.next_is("Copy_Atom") || in_.next_is("Copy Atom");
  }

  /// Lets each place along a mode of the tile lie where the mode's layout says.
  void permute(ReadText& result, std::size_t begin, const std::vector<Layout>& modes) {
    if (in_.failed() || std::ranges::all_of(modes, &Layout::is_leaf)) return;
    std::vector<Layout> tile;
    Number step = 1;
    for (std::size_t i = 0; i < modes.size(); ++i) {
      tile.push_back(scaled(modes[i], step));
      if (step > most_number / result.tile[i]) return in_.fail_at(begin, "the tile is too large");
      step *= result.tile[i];
    }
    const auto* plain = std::get_if<Layout>(&result.layout);
    auto permuted = composition(make_layout(std::move(tile)), *plain);
    if (!permuted) return in_.fail_at(begin, std::move(permuted.error()));
    result.layout = *std::move(permuted);
  }

  /// A label of what C++ prints, or the same in the words of the DSL.
  void expect_label(std::string_view label, std::string_view of_dsl, const std::string& why) {
    if (!in_.take(of_dsl)) in_.expect(label, why);
  }

  /// What print() says of a TiledMMA or of an atom.
  void read_tiled_mma(ReadText& result) {
    const std::size_t begin = in_.place();
    TiledMmaText mma;
    const bool is_tiled = in_.take("TiledMMA") || in_.take("Tiled MMA");
    if (is_tiled) {
      expect_label("ThrLayoutVMNK:", "Thr Layout VMNK:", " of the tiled product");
      mma.threads = read_layout();
      expect_label("PermutationMNK:", "Permutation MNK:", " of the tiled product");
      in_.expect("(", " and three sizes of the tile");
      for (std::size_t i = 0; i < 3; ++i) {
        mma.tile_mnk[i] = read_tile_of_product(mma.permutation_mnk[i]);
        in_.expect(i < 2 ? "," : ")", " behind a size of the tile");
      }
    }
    expect_label("MMA_Atom", "MMA Atom", " and what the atom is");
    in_.expect("ThrID:", " of the atom");
    const Layout threads = read_layout();
    if (!is_tiled) mma.threads = make_layout({threads, Mode{}, Mode{}, Mode{}});
    expect_label("Shape_MNK:", "Shape MNK:", " of the atom");
    in_.expect("(", " and three sizes");
    for (std::size_t i = 0; i < 3; ++i) {
      mma.shape_mnk[i] = read_number("a size of the atom", 1, Number{1} << 20);
      in_.expect(i < 2 ? "," : ")", " behind a size of the atom");
    }
    for (const auto& [name, of_dsl, layout] : {std::tuple{"LayoutA_TV:", "TV Layout A:", &mma.a},
                                               std::tuple{"LayoutB_TV:", "TV Layout B:", &mma.b},
                                               std::tuple{"LayoutC_TV:", "TV Layout C:", &mma.c}}) {
      expect_label(name, of_dsl, " of the atom");
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
  /// mode, perhaps as a layout of it, which goes to `permutation` where it moves something.
  Number read_tile_of_product(Layout& permutation) {
    permutation = Mode{};
    const TextScanner before = in_;
    if (in_.take("_") && (in_.next_is(",") || in_.next_is(")"))) return 0;
    in_ = before;
    const std::size_t begin = in_.place();
    if (in_.next_is("(")) return read_permutation(begin, permutation);
    const Number size = read_number("_ or a size of the tile", 1, Number{1} << 30);
    if (!in_.next_is(":")) return size;
    in_ = before;
    return read_permutation(begin, permutation);
  }

  /// A mode of a tile as a layout, which has each place of the mode once.
  Number read_permutation(std::size_t begin, Layout& permutation) {
    permutation = read_layout();
    if (in_.failed()) return 1;
    const Number length = size(permutation);
    if (length > Number{1} << 30 || !is_compact(permutation))
      in_.fail_at(begin, "expected a layout that has each place of the tile's mode once");
    if (coalesce(permutation) == Layout(Mode{length, 1})) permutation = Mode{length, 1};
    return length;
  }

  Swizzle read_swizzle() {
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
    // Documents write a word for the address, as smem_ptr[16b](SMEM_ADDR_A).
    if (!in_.take("(nil)") && in_.word().empty()) pointee.address = read_address();
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
