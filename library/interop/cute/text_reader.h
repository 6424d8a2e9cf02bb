// The reader of the grammar in heddle/interop/cute/text.h: what its files share. Layouts, swizzles
// and pointers are read in text_reader.cpp, what print() says of products and copies in
// text_products.cpp, and what other languages write in text_languages.cpp.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "heddle/interop/cute/text.h"
#include "heddle/interop/text_scanner.h"

namespace heddle::interop::cute {

/// What a pointer says of its elements.
struct Pointee {
  Number bits = 0;      // of one element in memory; 0: nothing was read
  Number sparsity = 1;  // how many indices share one such element
  Number address = 0;   // in bytes; 0 where it is unset
};

/// The swizzle of indices that a swizzle of addresses is; or why there is none.
std::expected<Swizzle, std::string> swizzle_of_indices(const Swizzle& of_bytes,
                                                       const Pointee& pointee);

class TextReader {
 public:
  explicit TextReader(std::string_view text) : in_(text) {}

  std::expected<ReadText, TextError> read();

 private:
  static constexpr int deepest = 16;
  static constexpr int most_leaves = 64;
  static constexpr Number most_number = Number{1} << 58;

  /// Mojo prints a layout as "(shape:stride)": the first parenthesis closes at the end, and a colon
  /// is in no other. Source: modular, mojo/kernels/src/layout/layout.mojo (Layout.write_to).
  bool is_in_parentheses();

  // Mojo's own text. Source: modular, max/kernels/src/layout/tile_layout.mojo (row_major,
  // col_major, Layout), tile_tensor.mojo (TileTensor, stack_allocation), layout.mojo (the older
  // Layout).

  /// `comptime NAME = `, `alias NAME = ` or `var NAME = ` before what it names, such as
  /// SmemTileType.
  void skip_alias();
  /// TileTensor[dtype, type_of(layout), origin, Engine=…, address_space=…], LayoutTensor[dtype,
  /// layout, …] or stack_allocation[dtype, …](layout). The engine operates on the tile's memory,
  /// and does not say where elements lie in it.
  Layout read_tile(int& element_bits);
  /// The bits in the name of one of Mojo's types: float16, bfloat16, uint8, float8_e4m3fn, bool.
  int read_type_bits();
  /// To the bracket that closes the parameters, which is taken.
  void skip_parameters();
  /// row_major[64, 32](), row_major(Idx[64](), Idx[32]()) or Layout.row_major(64, 32), and the same
  /// of col_major.
  std::optional<Layout> read_order();
  Layout read_in_parentheses();
  /// What C++ and Python may write before a name and what changes nothing here.
  void skip_qualifiers();
  /// The bits of a type of C++, MLIR or Python: half_t, float_e4m3_t, bf16, f8E4M3FN, Float32.
  int read_bits_of_type();
  /// GMMA::Layout_K_SW128_Atom<half_t>, and MN, INTER, SW32 and SW64; the same of UMMA. A row of
  /// 128, 256, 512 or 1024 bits lies eight times; K: along the second mode. Source: NVIDIA/cutlass,
  /// include/cute/atom/mma_traits_sm90_gmma.hpp (Layout_K_SW128_Atom_Bits and the like).
  AnyLayout read_canonical_atom(int& element_bits);

  // What the Python DSLs print: CuTe's and FlyDSL's types of MLIR, and CuTe's tensors. CuTe's DSL
  // is not open: its prints are as comments and recorded IR in public repositories have them, in
  // November 2026. FlyDSL's are those of ROCm/FlyDSL, tests/mlir.

  /// What stands between a pointer's brackets: its type, its space, its alignment and the swizzle
  /// of its addresses.
  struct DslPointer {
    Pointee pointee;
    std::optional<Swizzle> swizzle{};
  };

  DslPointer read_dsl_pointer();
  /// The layout behind a pointer, swizzled where the pointer is.
  AnyLayout behind_pointer(std::size_t begin, const DslPointer& pointer);
  /// shape:stride, with Sw<…> o offset o before it or not.
  AnyLayout read_plain_or_swizzled();
  void read_dsl(ReadText& result);
  void skip_construction();
  Number read_number(const std::string& what, Number least, Number greatest);
  /// The end of a tuple that begins here, which is taken; nothing where none begins.
  std::string_view take_tuple();
  IntTuple read_shape(int depth);
  Layout read_strides(const IntTuple& shape);
  Layout read_layout();
  Layout read_value();
  /// The rest of make_ordered_layout(shape, order): the mode with the lowest number is contiguous,
  /// the one with the next lies behind it, and so on; those of equal numbers have the same stride.
  Layout read_ordered(std::size_t begin);
  /// The layout whose strides are the sizes before (`from_last`: behind) each mode.
  Layout contiguous(const IntTuple& shape, bool from_last);
  Layout contiguous(const IntTuple& shape, bool from_last, Number& step);
  /// ComposedLayout<Swizzle<3,4,3>, smem_ptr_flag_bits<16>, Layout<…>>, or composition(…, …).
  AnyLayout read_composed(int& element_bits);
  /// What print() says of a TiledCopy: the tile and the layout of threads and values, and then its
  /// atom, which the layout contains.
  void read_tiled_copy(ReadText& result);
  /// Lets each place along a mode of the tile lie where the mode's layout says.
  void permute(ReadText& result, std::size_t begin, const std::vector<Layout>& modes);
  /// A label of what C++ prints, or the same in the words of the DSL.
  void expect_label(std::string_view label, std::string_view of_dsl, const std::string& why);
  /// What print() says of a TiledMMA or of an atom.
  void read_tiled_mma(ReadText& result);
  /// `_` for a mode that is as wide as the atoms of all threads, which is 0; or the size of the
  /// mode, perhaps as a layout of it, which goes to `permutation` where it moves something.
  Number read_tile_of_product(Layout& permutation);
  /// A mode of a tile as a layout, which has each place of the mode once.
  Number read_permutation(std::size_t begin, Layout& permutation);
  Swizzle read_swizzle();
  /// A swizzle before an offset or a pointer, and the layout behind it. `has_pointer`: a pointer
  /// was read before; one more is then out of place.
  AnyLayout read_swizzled(bool has_pointer, int& element_bits);
  /// The layout behind a pointer whose addresses are swizzled.
  AnyLayout of_pointer(std::size_t begin, const Swizzle& of_bytes, const Pointee& pointee);
  Pointee read_pointer();
  /// "[16b](0x7f00)", "[16b](unset)", "[4b](0x7f00.1)" of parts of a byte.
  Pointee read_pointee(Pointee pointee, bool has_address);
  /// 0x7f00, and behind a point which part of the byte; only the low bits matter.
  Number read_address();

  TextScanner in_;
  int leaves_ = 0;
  bool is_rest_known_ = false;  // what follows says nothing of the layout
};

}  // namespace heddle::interop::cute
