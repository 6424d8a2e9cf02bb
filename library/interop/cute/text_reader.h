// The reader of the grammar in heddle/interop/cute/text.h: the class that the three files of the
// reader share. text_reader.cpp reads layouts, swizzles and pointers; text_products.cpp reads
// products and copies as print() writes them; text_languages.cpp reads the text of other languages.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "heddle/interop/cute/text.h"
#include "heddle/interop/text_scanner.h"

namespace heddle::interop::cute {

/// The element type of a pointer.
struct Pointee {
  Number bits = 0;      // bits of one element in memory; 0: nothing was read
  Number sparsity = 1;  // how many indices share one such element
  Number address = 0;   // in bytes; 0: unset
};

/// Turns a swizzle that acts on the bits of byte addresses into the swizzle with the same effect on
/// the bits of indices. Error: the reason why there is none.
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

  /// Mojo prints a layout as "(shape:stride)": the first parenthesis closes at the end, and no
  /// other has a colon. Source: modular, mojo/kernels/src/layout/layout.mojo (Layout.write_to).
  bool is_in_parentheses();

  // Mojo's own text. Source: modular, max/kernels/src/layout/tile_layout.mojo (row_major,
  // col_major, Layout), tile_tensor.mojo (TileTensor, stack_allocation), layout.mojo (the older
  // Layout).

  /// Skips `comptime NAME = `, `alias NAME = ` or `var NAME = `, where NAME is the name of a type
  /// such as SmemTileType.
  void skip_alias();
  /// Reads TileTensor[dtype, type_of(layout), origin, Engine=…, address_space=…],
  /// LayoutTensor[dtype, layout, …] or stack_allocation[dtype, …](layout). The engine operates on
  /// the tile's memory, and does not say where elements lie in it.
  Layout read_tile(int& element_bits);
  /// Reads the name of a Mojo type (float16, bfloat16, uint8, float8_e4m3fn, bool) and returns how
  /// many bits an element of it has.
  int read_type_bits();
  /// Skips to the bracket that closes the parameters, and takes it.
  void skip_parameters();
  /// Reads row_major[64, 32](), row_major(Idx[64](), Idx[32]()) or Layout.row_major(64, 32), and
  /// the same forms of col_major.
  std::optional<Layout> read_order();
  Layout read_in_parentheses();
  /// Skips qualifiers of C++ and Python before a name that change nothing here.
  void skip_qualifiers();
  /// Reads the bits of a type of C++, MLIR or Python: half_t, float_e4m3_t, bf16, f8E4M3FN,
  /// Float32.
  int read_bits_of_type();
  /// Reads GMMA::Layout_K_SW128_Atom<half_t>, and the same with MN, INTER, SW32 and SW64, and with
  /// UMMA. An atom has eight rows of 128, 256, 512 or 1024 bits. With K, a row runs along the
  /// second mode. Source: NVIDIA/cutlass, include/cute/atom/mma_traits_sm90_gmma.hpp
  /// (Layout_K_SW128_Atom_Bits and the like).
  AnyLayout read_canonical_atom(int& element_bits);

  // The text that the Python DSLs print: CuTe's and FlyDSL's types of MLIR, and CuTe's tensors.
  // CuTe's DSL is not open: its text follows comments and recorded IR in public repositories of
  // November 2026. FlyDSL's follows ROCm/FlyDSL, tests/mlir.

  /// What stands between a pointer's brackets: the type of its elements, its memory space,
  /// its alignment and the swizzle of its addresses.
  struct DslPointer {
    Pointee pointee;
    std::optional<Swizzle> swizzle{};
  };

  DslPointer read_dsl_pointer();
  /// Reads the layout after a pointer, and applies the pointer's swizzle if it has one.
  AnyLayout behind_pointer(std::size_t begin, const DslPointer& pointer);
  /// Reads shape:stride, which may follow Sw<…> o offset o.
  AnyLayout read_plain_or_swizzled();
  void read_dsl(ReadText& result);
  void skip_construction();
  Number read_number(const std::string& what, Number least, Number greatest);
  /// Takes the tuple that begins here; empty if none does.
  std::string_view take_tuple();
  IntTuple read_shape(int depth);
  Layout read_strides(const IntTuple& shape);
  Layout read_layout();
  Layout read_value();
  /// Reads the rest of make_ordered_layout(shape, order). The mode with the lowest number in
  /// `order` is contiguous; the mode with the next number has the next larger stride, and so on.
  /// Modes with equal numbers have the same stride.
  Layout read_ordered(std::size_t begin);
  /// A contiguous layout: each stride is the product of the sizes before the mode (`from_last`:
  /// after it).
  Layout contiguous(const IntTuple& shape, bool from_last);
  Layout contiguous(const IntTuple& shape, bool from_last, Number& step);
  /// ComposedLayout<Swizzle<3,4,3>, smem_ptr_flag_bits<16>, Layout<…>>, or composition(…, …).
  AnyLayout read_composed(int& element_bits);
  /// Reads a TiledCopy as print() writes it: the tile, the layout of threads and values, and the
  /// atom, which that layout contains.
  void read_tiled_copy(ReadText& result);
  /// `modes` has a layout for each mode of the tile. Moves each coordinate along a mode to the
  /// coordinate that this layout gives.
  void permute(ReadText& result, std::size_t begin, const std::vector<Layout>& modes);
  /// Takes the label of a line: `label`, as C++ prints it, or `of_dsl`, as the DSL prints it. These
  /// labels have the same meaning.
  void expect_label(std::string_view label, std::string_view of_dsl, const std::string& why);
  /// Reads a TiledMMA or an atom as print() writes it.
  void read_tiled_mma(ReadText& result);
  /// Reads the size of a mode of the tile. `_` is a mode as wide as the atoms of all threads, and
  /// gives 0. The size may be a layout, which goes to `permutation` if it moves something.
  Number read_tile_of_product(Layout& permutation);
  /// Reads a mode of the tile that is written as a layout, and returns its size. The layout must
  /// give each coordinate of the mode once.
  Number read_permutation(std::size_t begin, Layout& permutation);
  Swizzle read_swizzle();
  /// Reads a swizzle before an offset or a pointer, and the layout behind it. `has_pointer`: a
  /// pointer was read before, so another one is an error.
  AnyLayout read_swizzled(bool has_pointer, int& element_bits);
  /// Reads the layout after a pointer whose addresses are swizzled.
  AnyLayout of_pointer(std::size_t begin, const Swizzle& of_bytes, const Pointee& pointee);
  Pointee read_pointer();
  /// Reads "[16b](0x7f00)", "[16b](unset)", or "[4b](0x7f00.1)" for elements smaller than a byte.
  Pointee read_pointee(Pointee pointee, bool has_address);
  /// Reads an address such as 0x7f00, which may have the part of a byte after a point. Only the low
  /// bits matter.
  Number read_address();

  TextScanner in_;
  int leaves_ = 0;
  bool is_rest_known_ = false;  // the rest of the text does not change the layout
};

}  // namespace heddle::interop::cute
