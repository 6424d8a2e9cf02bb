// The text of CuTe's layouts, as CuTe prints them, and as C++ and compilers write their types.
//
//   ((4,8),(2,2)):((32,1),(16,8))                       shape:stride, nested alike
//   Sw<3,3,3> o 0 o (8,64):(64,1)                       a swizzle after an offset after a layout
//   Sw<3,4,3> o smem_ptr[16b](unset) o (8,64):(64,1)    the same layout: this swizzle counts bytes
//   Sw<3,4,3>_smem_ptr[16b](0x400) o (8,64):(64,1)      a tensor: a pointer, then its layout
//   gmem_ptr[16b](0x7f00) o (8,64):(64,1)               the same without a swizzle
//   TiledCopy …                                         who copies what of a tile
//   TiledMMA …, MMA_Atom …                              who holds C of a product; with .A, .B or
//                                                       .C behind it, who holds that operand
//   Layout<Shape<_8,_64>, Stride<_64,_1>>               (8,64):(64,1)
//   ComposedLayout<Swizzle<3,4,3>, smem_ptr_flag_bits<16>, Layout<Shape<_8,_64>, Stride<_64,_1>>>
//   GMMA::Layout_K_SW128_Atom<half_t>                   the canonical layouts of wgmma and tcgen05
//   make_ordered_layout(Shape<_128,_64>{}, Step<_2,_1>{})
//   cute.make_layout((8, 64), stride=(64, 1))           calls of CuTe's Python DSL, and what it
//   tensor<ptr<f16, smem, S<3,4,3>> o (8,64):(64,1)>    prints: tensors, "Tiled MMA", types of MLIR
//   !cute.memref<f16, smem, "(8,64):(64,1)">            (!cute.layout, !cute.composed_layout)
//   !fly.layout<(8,64):(64,1)>                          FlyDSL's types (composed_layout, memref)
//
//   text     =  [ swizzle 'o' [ ( number | flag ) 'o' ] ] layout
//            |  [ swizzle '_' ] pointer 'o' text [ ':' the tensor's elements ]
//            |  'ComposedLayout' '<' swizzle ',' ( number | flag ) ',' layout '>'
//            |  'composition' '(' swizzle ',' layout ')'
//            |  ( '!cute.' | '!fly.' ) ( 'layout' | 'composed_layout' ) '<' text '>'
//            |  ( '!cute.' | '!fly.' ) 'memref<' type { ',' word } [ ',' swizzle ] ',' text '>'
//            |  'tensor<ptr<' type { ',' word } [ ',' swizzle ] '> o' text '>'
//            |  'raw_ptr(' address ':' type { ',' word } ') o' text
//            |  ( 'GMMA' | 'UMMA' ) '::Layout_' ( 'K' | 'MN' ) '_' mode '_Atom<' type '>'
//            |  'TiledCopy' 'Tiler_MN:' nest 'TiledLayout_TV:' layout …
//            |  [ 'TiledMMA' 'ThrLayoutVMNK:' layout 'PermutationMNK:'
//               '(' tile ',' tile ',' tile ')' ] 'MMA_Atom'
//               'ThrID:' layout 'Shape_MNK:' nest 'LayoutA_TV:' layout 'LayoutB_TV:' layout
//               'LayoutC_TV:' layout [ '.A' | '.B' | '.C' | '.D' ]
//   tile     =  '_' | number [ ':' '1' ] | layout
//   layout   =  nest ':' nest
//            |  'make_ordered_layout(' nest ',' order ')'
//            |  'Layout' '<' nest [ ',' nest ] '>'
//            |  'make_layout' '(' nest [ ',' nest ] ')'
//   swizzle  =  ('Swizzle' | 'Sw' | 'S') '<' number ',' number ',' number '>'
//   flag     =  ( 'smem_ptr' | 'smem_sparse' '<' number '>' '_ptr' ) '[' number 'b](unset)'
//   pointer  =  { 'smem_' | 'gmem_' | 'rmem_' | 'sparse' '<' number '>' '_' }
//               ( 'ptr' | 'subptr' ) '[' number 'b](' address ')'
//            |  'tmem_[' number 'b](' address ')'
//            |  ( 'smem_ptr_flag_bits' '<' number '>' ) | 'smem_ptr_flag'
//   nest     =  number | '(' nest { ',' nest } [ ',' ] ')'
//            |  ( 'Shape' | 'Stride' | 'tuple' ) '<' nest { ',' nest } '>'
//            |  ( 'make_shape' | 'make_stride' | 'make_tuple' ) '(' nest { ',' nest } ')'
//   number   =  [ '_' ] [ '-' ] digits | ( 'Int' | 'C' | 'integral_constant' ) '<' number '>'
//
// `_8` is CuTe's text of a number that is known at compile time; it is read as 8 and written as 8.
// cute:: and const before a name are ignored, and so are {} and () after a C++ type. Without
// strides the first mode is contiguous, as in CuTe; LayoutLeft and LayoutRight choose the order by
// name. Spaces are free. A layout has at most 64 leaves and a depth of 16.
//
// A swizzle before a number flips bits of the index of an element. A swizzle of a pointer flips
// bits of its address in bytes; the reader converts it to the swizzle of indices. With sparse
// pointers an index counts the elements before packing, so `sparse<2>` has two elements at an
// address.
//
// Source: NVIDIA/cutlass, include/cute/pointer.hpp, pointer_swizzle.hpp, pointer_flagged.hpp
// (as_position_independent_swizzle_layout) and pointer_sparse.hpp, at release 4.
#pragma once

#include <array>
#include <expected>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "heddle/interop/cute/swizzle.h"
#include "heddle/interop/text_error.h"

namespace heddle::interop::cute {

std::string text(const IntTuple& tuple);

std::string text(const Layout& layout);

std::string text(const Swizzle& swizzle);

std::string text(const ComposedLayout& composed);

std::string text(const AnyLayout& any);

/// A layout, and the width of its elements if the text has a pointer that gives the width.
struct ReadText {
  AnyLayout layout;
  int element_bits = 0;  // 0: the text does not say
  std::vector<std::int64_t>
      tile{};  // of a TiledCopy and of an operand of a TiledMMA: (thread, value) -> index in it
};

/// The information that print() gives about a TiledMMA. For a single atom, `threads` is (the atom's
/// threads,1,1,1).
struct TiledMmaText {
  Layout threads;                     // (V,M,N,K) -> thread
  std::array<Number, 3> shape_mnk{};  // of the atom
  std::array<Number, 3> tile_mnk{};   // 0: as wide as the atoms of all threads
  // A permutation of each mode of the tile: position -> index in the mode. A leaf means none.
  std::array<Layout, 3> permutation_mnk{};
  Layout a, b, c;  // of the atom: (thread, value) -> index in its operand
};

/// The (thread, value) layout of operand 'A', 'B' or 'C' in the tile that all threads multiply
/// together: A is M x K, B N x K and C M x N. If the tile is larger than the atoms of all threads,
/// a thread holds several atoms, first down the rows, then along the columns.
///
/// Law: as a function, the layout is that of CuTe's TiledMMA::get_layoutA_TV() and so on.
///
/// Errors: gaps between threads, a tile that is not a multiple of the atoms, tiles beyond 2^58
/// elements.
std::expected<ReadText, std::string> tiled_operand(const TiledMmaText& text, char operand);

/// True if the text begins like a pointer that CuTe prints.
bool begins_with_pointer(std::string_view text);

/// The names with which layouts of CuTe, FlyDSL and Mojo begin, each with the characters that must
/// follow it, if any must.
std::span<const std::string_view> names_of_layouts();

/// True if the text begins with one of these names.
bool begins_with_name(std::string_view text);

/// Reads a layout, or the layout of a tensor. Errors give the column, what was expected there and
/// what was found: a mistake in the text, or a swizzle of addresses that splits elements.
std::expected<ReadText, TextError> read_text(std::string_view text);

/// Like read_text(), but without the width of elements.
///
/// Law: the text reads back: read(text(l)) == l.
std::expected<AnyLayout, TextError> read(std::string_view text);

}  // namespace heddle::interop::cute
