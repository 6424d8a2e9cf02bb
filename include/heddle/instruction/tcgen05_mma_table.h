// tcgen05.mma of sm_100: one thread starts a multiplication, whose result is in tensor memory.
//
// Sources: PTX ISA 9.0, "Matrix Shape", "Data Path Layout Organization" and "Packing formats of
// elements in Tensor and Shared memory", for the instructions and the letters of the layouts. That
// document shows the layouts only in figures. The maps come from CuTe's mma_traits_sm100_frag.hpp,
// and Triton's tensorMemoryToLinearLayout agrees. tests/instruction/tcgen05_mma_table_test.cpp
// compares with both.
//
// M, N and the types are in the instruction descriptor, not in the mnemonic. So the names here end
// with them, as wgmma's names do: ".m128nNk16.f32", where f32 is the type of D. If the kind allows
// several types of A and B, they are the formats of the row. The elements of f8f6f4 take 8 bits
// each in tensor memory; in shared memory, a 16-byte unit holds 16 small elements. Scales are in
// tensor memory, and their type is the last part of the name. `.block16` and `.block32` say how
// many k share a scale; `.scale_vec::NX` says the same by the number of scales in a row of A. (K =
// 96, which only sm_103 has, is missing.)
//
// The `lane` axis counts the 128 lanes of tensor memory; with a pair of CTAs (cta_group::2), lanes
// from 128 on are those of the odd CTA. `register` counts 32-bit columns. 16-bit elements of D are
// in the low half of a column. Layouts B, E and G divide n into parts that are in different lanes.
// Layouts C and F use 16 of every 32 lanes; the address of D selects them. B is in shared memory
// (shared_operand.h); each CTA of a pair has half of the columns of B. The map of A is that of
// tensor memory, if one of the sources has such a map. A may also be in shared memory; then each
// CTA of a pair has half of the rows of A.
//
// THE LAYOUT OF D, by m and the number of CTAs that work together:
//
//     m       CTAs   dense   sparse   .ws      lane of tensor memory that holds row m, of column n
//     32      1                       G        m + 32 (n / (N / 4))
//     64      1      F       F                 m % 16 + 32 (m / 16), or 16 more
//     64      1                       E        m + 64 (n / (N / 2))
//     128     1      D       D        D        m
//     128     2      B                         m % 64 + 64 (n / (N / 2)) + 128 (m / 64)
//     128     2              C                 m % 16 + 32 (m / 16), or 16 more
//     256     2      A       A                 m: rows from 128 on are in the odd CTA
//
// .ws ("weight stationary") may keep B in a buffer for the next product. In layouts A and D, column
// n of f32 is column n of tensor memory, counted from the instruction's address.
#pragma once

#include "heddle/instruction/generated_text.h"
#include "heddle/instruction/mma_table.h"

namespace heddle::instruction {

// clang-format off
namespace tcgen05 {
// Maps of D, by the letter of the layout: `register` is the column and `lane` the lane of tensor
// memory.
inline constexpr OperandMap d_a{256, 32,
    "element:; register: (0,1) (0,2) (0,4) (0,8) (0,16) (0,32) (0,64) (0,128); lane: (1,0) (2,0) (4,0) (8,0) (16,0) (32,0) (64,0) (128,0) -> m: 256, n: 256", Storage::tensor_memory};
inline constexpr OperandMap d_b{128, 32,
    "element:; register: (0,1,0) (0,2,0) (0,4,0) (0,8,0) (0,16,0) (0,32,0) (0,64,0); lane: (1,0,0) (2,0,0) (4,0,0) (8,0,0) (16,0,0) (32,0,0) (0,0,1) (64,0,0) -> m: 128, n: 128, part: 2", Storage::tensor_memory};
inline constexpr OperandMap d_c{256, 32,
    "element:; register: (0,1,0) (0,2,0) (0,4,0) (0,8,0) (0,16,0) (0,32,0) (0,64,0) (0,128,0); lane: (1,0,0) (2,0,0) (4,0,0) (8,0,0) (0,0,1) (16,0,0) (32,0,0) (64,0,0) -> m: 128, n: 256, selector: 2", Storage::tensor_memory};
inline constexpr OperandMap d_d{256, 32,
    "element:; register: (0,1) (0,2) (0,4) (0,8) (0,16) (0,32) (0,64) (0,128); lane: (1,0) (2,0) (4,0) (8,0) (16,0) (32,0) (64,0) -> m: 128, n: 256", Storage::tensor_memory};
inline constexpr OperandMap d_e{128, 32,
    "element:; register: (0,1,0) (0,2,0) (0,4,0) (0,8,0) (0,16,0) (0,32,0) (0,64,0); lane: (1,0,0) (2,0,0) (4,0,0) (8,0,0) (16,0,0) (32,0,0) (0,0,1) -> m: 64, n: 128, part: 2", Storage::tensor_memory};
inline constexpr OperandMap d_f{256, 32,
    "element:; register: (0,1,0) (0,2,0) (0,4,0) (0,8,0) (0,16,0) (0,32,0) (0,64,0) (0,128,0); lane: (1,0,0) (2,0,0) (4,0,0) (8,0,0) (0,0,1) (16,0,0) (32,0,0) -> m: 64, n: 256, selector: 2", Storage::tensor_memory};
inline constexpr OperandMap d_g{64, 32,
    "element:; register: (0,1,0) (0,2,0) (0,4,0) (0,8,0) (0,16,0) (0,32,0); lane: (1,0,0) (2,0,0) (4,0,0) (8,0,0) (16,0,0) (0,0,1) (0,0,2) -> m: 32, n: 64, part: 4", Storage::tensor_memory};
// Maps of A in tensor memory, by the letter of the layout and the width: 32 bytes of k take eight
// columns. In layout B, lanes 64 to 127 of each CTA are copies of lanes 0 to 63.
inline constexpr OperandMap a32_a{8, 32,
    "element:; register: (0,1) (0,2) (0,4); lane: (1,0) (2,0) (4,0) (8,0) (16,0) (32,0) (64,0) (128,0) -> m: 256, k: 8", Storage::tensor_memory};
inline constexpr OperandMap a16_a{8, 16,
    "element: (0,1); register: (0,2) (0,4) (0,8); lane: (1,0) (2,0) (4,0) (8,0) (16,0) (32,0) (64,0) (128,0) -> m: 256, k: 16", Storage::tensor_memory};
inline constexpr OperandMap a8_a{8, 8,
    "element: (0,1) (0,2); register: (0,4) (0,8) (0,16); lane: (1,0) (2,0) (4,0) (8,0) (16,0) (32,0) (64,0) (128,0) -> m: 256, k: 32", Storage::tensor_memory};
inline constexpr OperandMap a32_b{8, 32,
    "element:; register: (0,1) (0,2) (0,4); lane: (1,0) (2,0) (4,0) (8,0) (16,0) (32,0) (0,0) (64,0) -> m: 128, k: 8", Storage::tensor_memory};
inline constexpr OperandMap a16_b{8, 16,
    "element: (0,1); register: (0,2) (0,4) (0,8); lane: (1,0) (2,0) (4,0) (8,0) (16,0) (32,0) (0,0) (64,0) -> m: 128, k: 16", Storage::tensor_memory};
inline constexpr OperandMap a8_b{8, 8,
    "element: (0,1) (0,2); register: (0,4) (0,8) (0,16); lane: (1,0) (2,0) (4,0) (8,0) (16,0) (32,0) (0,0) (64,0) -> m: 128, k: 32", Storage::tensor_memory};
inline constexpr OperandMap a32_d{8, 32,
    "element:; register: (0,1) (0,2) (0,4); lane: (1,0) (2,0) (4,0) (8,0) (16,0) (32,0) (64,0) -> m: 128, k: 8", Storage::tensor_memory};
inline constexpr OperandMap a16_d{8, 16,
    "element: (0,1); register: (0,2) (0,4) (0,8); lane: (1,0) (2,0) (4,0) (8,0) (16,0) (32,0) (64,0) -> m: 128, k: 16", Storage::tensor_memory};
inline constexpr OperandMap a8_d{8, 8,
    "element: (0,1) (0,2); register: (0,4) (0,8) (0,16); lane: (1,0) (2,0) (4,0) (8,0) (16,0) (32,0) (64,0) -> m: 128, k: 32", Storage::tensor_memory};
inline constexpr OperandMap a32_f{8, 32,
    "element:; register: (0,1,0) (0,2,0) (0,4,0); lane: (1,0,0) (2,0,0) (4,0,0) (8,0,0) (0,0,1) (16,0,0) (32,0,0) -> m: 64, k: 8, selector: 2", Storage::tensor_memory};
inline constexpr OperandMap a16_f{8, 16,
    "element: (0,1,0); register: (0,2,0) (0,4,0) (0,8,0); lane: (1,0,0) (2,0,0) (4,0,0) (8,0,0) (0,0,1) (16,0,0) (32,0,0) -> m: 64, k: 16, selector: 2", Storage::tensor_memory};
inline constexpr OperandMap a8_f{8, 8,
    "element: (0,1,0) (0,2,0); register: (0,4,0) (0,8,0) (0,16,0); lane: (1,0,0) (2,0,0) (4,0,0) (8,0,0) (0,0,1) (16,0,0) (32,0,0) -> m: 64, k: 32, selector: 2", Storage::tensor_memory};
// Maps of the index of a sparse A; 4 bits describe a group. For 16-bit and 32-bit elements, half of
// the groups are 8 lanes further, and the rows m + 8 are in the upper half of a column. If .ws has
// fewer than 128 rows, there are copies.
inline constexpr OperandMap index_wide_a{1, 4,
    "element: (0,1) (0,2) (8,0); register:; lane: (1,0) (2,0) (4,0) (0,4) (16,0) (32,0) (64,0) (128,0) -> m: 256, group: 8", Storage::tensor_memory};
inline constexpr OperandMap index_narrow_a{2, 4,
    "element: (0,1) (0,2) (0,4); register: (0,8); lane: (1,0) (2,0) (4,0) (8,0) (16,0) (32,0) (64,0) (128,0) -> m: 256, group: 16", Storage::tensor_memory};
inline constexpr OperandMap index_wide_d{1, 4,
    "element: (0,1) (0,2) (8,0); register:; lane: (1,0) (2,0) (4,0) (0,4) (16,0) (32,0) (64,0) -> m: 128, group: 8", Storage::tensor_memory};
inline constexpr OperandMap index_narrow_d{2, 4,
    "element: (0,1) (0,2) (0,4); register: (0,8); lane: (1,0) (2,0) (4,0) (8,0) (16,0) (32,0) (64,0) -> m: 128, group: 16", Storage::tensor_memory};
inline constexpr OperandMap index_wide_e{1, 4,
    "element: (0,1) (0,2) (8,0); register:; lane: (1,0) (2,0) (4,0) (0,4) (16,0) (32,0) (0,0) -> m: 64, group: 8", Storage::tensor_memory};
inline constexpr OperandMap index_narrow_e{2, 4,
    "element: (0,1) (0,2) (0,4); register: (0,8); lane: (1,0) (2,0) (4,0) (8,0) (16,0) (32,0) (0,0) -> m: 64, group: 16", Storage::tensor_memory};
inline constexpr OperandMap index_wide_g{1, 4,
    "element: (0,1) (0,2) (8,0); register:; lane: (1,0) (2,0) (4,0) (0,4) (16,0) (0,0) (0,0) -> m: 32, group: 8", Storage::tensor_memory};
inline constexpr OperandMap index_narrow_g{2, 4,
    "element: (0,1) (0,2) (0,4); register: (0,8); lane: (1,0) (2,0) (4,0) (8,0) (16,0) (0,0) (0,0) -> m: 32, group: 16", Storage::tensor_memory};
// Maps of scales, named by the number of scales in a row of A. A scale is a byte of a column. In a
// CTA, each group of 32 lanes holds the same 32 rows of A or columns of B; further ones are in
// further columns of tensor memory. SFA_ID or SFB_ID selects the bytes that an instruction reads:
// for one scale the byte `selector`, for two scales a half of the column.
inline constexpr OperandMap scale_a1_d{4, 8,
    "element: (0,0,1) (0,0,2); register: (32,0,0) (64,0,0); lane: (1,0,0) (2,0,0) (4,0,0) (8,0,0) (16,0,0) (0,0,0) (0,0,0) -> m: 128, group: 1, selector: 4", Storage::tensor_memory};
inline constexpr OperandMap scale_b1_d{8, 8,
    "element: (0,0,1) (0,0,2); register: (0,32,0) (0,64,0) (0,128,0); lane: (0,1,0) (0,2,0) (0,4,0) (0,8,0) (0,16,0) (0,0,0) (0,0,0) -> group: 1, n: 256, selector: 4", Storage::tensor_memory};
inline constexpr OperandMap scale_a2_d{4, 8,
    "element: (0,1,0) (0,0,1); register: (32,0,0) (64,0,0); lane: (1,0,0) (2,0,0) (4,0,0) (8,0,0) (16,0,0) (0,0,0) (0,0,0) -> m: 128, group: 2, selector: 2", Storage::tensor_memory};
inline constexpr OperandMap scale_b2_d{8, 8,
    "element: (1,0,0) (0,0,1); register: (0,32,0) (0,64,0) (0,128,0); lane: (0,1,0) (0,2,0) (0,4,0) (0,8,0) (0,16,0) (0,0,0) (0,0,0) -> group: 2, n: 256, selector: 2", Storage::tensor_memory};
inline constexpr OperandMap scale_a4_d{4, 8,
    "element: (0,1) (0,2); register: (32,0) (64,0); lane: (1,0) (2,0) (4,0) (8,0) (16,0) (0,0) (0,0) -> m: 128, group: 4", Storage::tensor_memory};
inline constexpr OperandMap scale_b4_d{8, 8,
    "element: (1,0) (2,0); register: (0,32) (0,64) (0,128); lane: (0,1) (0,2) (0,4) (0,8) (0,16) (0,0) (0,0) -> group: 4, n: 256", Storage::tensor_memory};
inline constexpr OperandMap scale_a1_a{4, 8,
    "element: (0,0,1) (0,0,2); register: (32,0,0) (64,0,0); lane: (1,0,0) (2,0,0) (4,0,0) (8,0,0) (16,0,0) (0,0,0) (0,0,0) (128,0,0) -> m: 256, group: 1, selector: 4", Storage::tensor_memory};
inline constexpr OperandMap scale_b1_a{8, 8,
    "element: (0,0,1) (0,0,2); register: (0,32,0) (0,64,0) (0,128,0); lane: (0,1,0) (0,2,0) (0,4,0) (0,8,0) (0,16,0) (0,0,0) (0,0,0) (0,0,0) -> group: 1, n: 256, selector: 4", Storage::tensor_memory};
inline constexpr OperandMap scale_a2_a{4, 8,
    "element: (0,1,0) (0,0,1); register: (32,0,0) (64,0,0); lane: (1,0,0) (2,0,0) (4,0,0) (8,0,0) (16,0,0) (0,0,0) (0,0,0) (128,0,0) -> m: 256, group: 2, selector: 2", Storage::tensor_memory};
inline constexpr OperandMap scale_b2_a{8, 8,
    "element: (1,0,0) (0,0,1); register: (0,32,0) (0,64,0) (0,128,0); lane: (0,1,0) (0,2,0) (0,4,0) (0,8,0) (0,16,0) (0,0,0) (0,0,0) (0,0,0) -> group: 2, n: 256, selector: 2", Storage::tensor_memory};
inline constexpr OperandMap scale_a4_a{4, 8,
    "element: (0,1) (0,2); register: (32,0) (64,0); lane: (1,0) (2,0) (4,0) (8,0) (16,0) (0,0) (0,0) (128,0) -> m: 256, group: 4", Storage::tensor_memory};
inline constexpr OperandMap scale_b4_a{8, 8,
    "element: (1,0) (2,0); register: (0,32) (0,64) (0,128); lane: (0,1) (0,2) (0,4) (0,8) (0,16) (0,0) (0,0) (0,0) -> group: 4, n: 256", Storage::tensor_memory};
constexpr OperandMap shared(int bits) { return {0, bits, "", Storage::shared_memory}; }
// A map that no source gives in words or numbers.
constexpr OperandMap unknown(int bits) { return {0, bits, "", Storage::tensor_memory}; }
}  // namespace tcgen05
// clang-format on

/// The types of a product. `scales`: the number of scales in a row of A, of type `scale_type`; 0
/// without scales.
struct TensorKind {
  std::string_view name;
  int k;  // of dense A
  ElementType a_type, d_type;
  int scales = 0;
  ElementType scale_type{};
};

inline constexpr std::array tensor_kinds{
    TensorKind{"f16", 16, ElementType::f16, ElementType::f16},
    TensorKind{"f16", 16, ElementType::f16, ElementType::f32},
    TensorKind{"tf32", 8, ElementType::xf32, ElementType::f32},
    TensorKind{"f8f6f4", 32, ElementType::fp8, ElementType::f16},
    TensorKind{"f8f6f4", 32, ElementType::fp8, ElementType::f32},
    TensorKind{"i8", 32, ElementType::i8, ElementType::i32},
    TensorKind{"mxf8f6f4", 32, ElementType::fp8, ElementType::f32, 1, ElementType::e8m0},
    TensorKind{"mxf4", 64, ElementType::fp4, ElementType::f32, 2, ElementType::e8m0},
    TensorKind{"mxf4nvf4", 64, ElementType::fp4, ElementType::f32, 2, ElementType::e8m0},
    TensorKind{"mxf4nvf4", 64, ElementType::fp4, ElementType::f32, 4, ElementType::e8m0},
    TensorKind{"mxf4nvf4", 64, ElementType::fp4, ElementType::f32, 4, ElementType::ue4m3},
};

/// The maps of the scales of A and B for one, two and four scales in a row of A.
struct TensorScales {
  std::array<OperandMap, 3> a, b;
};

/// A shape and its layout. `a`: the maps of A for elements of 32, 16 and 8 bits. `index`: the maps
/// of the index for a sparse A with wide elements and with narrow ones. A map that does not exist
/// is empty. A shape without maps of scales has no scaled products.
struct TensorShape {
  bool weight_stationary;  // .ws
  bool sparse;
  int ctas;
  int m;
  OperandMap d;
  std::array<OperandMap, 3> a;
  std::array<OperandMap, 2> index;
  int witnesses;
  TensorScales scales{};
};

inline constexpr auto tensor_shapes = [] {
  using namespace tcgen05;
  constexpr std::array in_shared{shared(32), shared(16), shared(8)};
  constexpr std::array<OperandMap, 2> dense{};
  constexpr std::array no_source{unknown(4), unknown(4)};
  constexpr TensorScales scales_d{{scale_a1_d, scale_a2_d, scale_a4_d},
                                  {scale_b1_d, scale_b2_d, scale_b4_d}};
  constexpr TensorScales scales_a{{scale_a1_a, scale_a2_a, scale_a4_a},
                                  {scale_b1_a, scale_b2_a, scale_b4_a}};
  constexpr std::array any{unknown(8), unknown(8), unknown(8)};
  constexpr TensorScales scales_b{any, any};
  constexpr int cute = static_cast<int>(Witness::cutlass);
  constexpr int both = cute | static_cast<int>(Witness::triton);
  constexpr int document = static_cast<int>(Witness::document);
  return std::array{
      TensorShape{false, false, 1, 64, d_f, {a32_f, a16_f, a8_f}, dense, both},
      TensorShape{false, false, 1, 128, d_d, {a32_d, a16_d, a8_d}, dense, both, scales_d},
      TensorShape{false, false, 2, 128, d_b, {a32_b, a16_b, a8_b}, dense, both, scales_b},
      TensorShape{false, false, 2, 256, d_a, {a32_a, a16_a, a8_a}, dense, both, scales_a},
      TensorShape{false, true, 1, 64, d_f, in_shared, no_source, both},
      TensorShape{
          false, true, 1, 128, d_d, in_shared, {index_wide_d, index_narrow_d}, both, scales_d},
      TensorShape{false, true, 2, 128, d_c, in_shared, no_source, document},
      TensorShape{
          false, true, 2, 256, d_a, in_shared, {index_wide_a, index_narrow_a}, both, scales_a},
      TensorShape{true, false, 1, 32, d_g, in_shared, dense, cute},
      TensorShape{true, false, 1, 64, d_e, in_shared, dense, cute},
      TensorShape{true, false, 1, 128, d_d, in_shared, dense, cute},
      TensorShape{true, true, 1, 32, d_g, in_shared, {index_wide_g, index_narrow_g}, cute},
      TensorShape{true, true, 1, 64, d_e, in_shared, {index_wide_e, index_narrow_e}, cute},
      TensorShape{true, true, 1, 128, d_d, in_shared, {index_wide_d, index_narrow_d}, cute},
  };
}();

/// The possible n of a row, as bits of Instruction::n_sizes. Source: PTX ISA 9.0, "Various
/// combinations of .kind and shapes".
constexpr std::uint32_t n_sizes(const TensorShape& shape, const TensorKind& kind) {
  const bool integers = kind.d_type == ElementType::i32;
  if (shape.weight_stationary) return shape.sparse ? 0x8080 : 0x80008080;  // 64, 128, 256
  if (shape.ctas == 2) return integers ? 0x88888888 : 0xaaaaaaaa;          // steps of 32, of 16
  return integers ? 0xaaaaaaaf : 0xffffffff;  // steps of 8; of integers above 32 of 16
}

/// The possible types of A and B for each kind. All types of a kind have the same layout.
struct TensorFormats {
  std::array<FormatRow, 2> halves;
  std::array<FormatRow, 5> small_floats;
  std::array<FormatRow, 2> integers;
};

/// The formats of a product. `a16` and `a8`: the maps of A for elements of 16 and 8 bits, which are
/// those of tensor memory, or, for scaled products, of shared memory.
constexpr TensorFormats tensor_formats_of(const OperandMap& a16, const OperandMap& a8) {
  using enum ElementType;
  constexpr OperandMap in16 = tcgen05::shared(16), in8 = tcgen05::shared(8);
  return {{{{f16, a16, in16}, {bf16, a16, in16}}},
          {{{fp8, a8, in8}, {bf8, a8, in8}, {fp6, a8, in8}, {bf6, a8, in8}, {fp4, a8, in8}}},
          {{{i8, a8, in8}, {u8, a8, in8}}}};
}

inline constexpr auto tensor_formats = [] {
  std::array<TensorFormats, tensor_shapes.size()> all{};
  for (std::size_t i = 0; i < all.size(); ++i)
    all[i] = tensor_formats_of(tensor_shapes[i].a[1], tensor_shapes[i].a[2]);
  return all;
}();
inline constexpr TensorFormats scaled_formats =
    tensor_formats_of(tcgen05::shared(16), tcgen05::shared(8));

/// The formats that A and B of this kind may have; empty if there is only one, as for the kind of
/// f16 whose D is f16.
constexpr std::span<const FormatRow> tensor_formats_for(const TensorShape& shape,
                                                        const TensorKind& kind) {
  const auto& formats = tensor_formats[static_cast<std::size_t>(&shape - tensor_shapes.data())];
  switch (kind.a_type) {
    case ElementType::f16:
      return kind.d_type == ElementType::f16 ? std::span<const FormatRow>{} : formats.halves;
    case ElementType::fp8:
      return kind.scales > 0 ? scaled_formats.small_floats : formats.small_floats;
    case ElementType::i8:
      return formats.integers;
    default:
      return {};
  }
}

/// What no source says about an instruction, or on which sources disagree.
constexpr std::string_view doubt(const TensorShape& shape, const TensorKind& kind) {
  if (shape.sparse && shape.ctas == 2 && shape.m == 128)
    return "the ISA document gives D layout C, CuTe the places of layout B; where the index lies "
           "is in the document's figures alone";
  if (shape.sparse && !shape.weight_stationary && shape.m == 64)
    return "where the index lies is in the ISA document's figures alone";
  if (kind.scales > 0 && shape.ctas == 2 && shape.m == 128)
    return "where the scales lie is in the ISA document's figures alone";
  return "";
}

/// Calls `use` with every instruction, in the order of the catalogue.
constexpr void for_each_tensor_product(auto use) {
  for (const TensorShape& shape : tensor_shapes)
    for (const TensorKind& kind : tensor_kinds)
      if (kind.scales == 0 || exists(shape.scales.a[0])) use(shape, kind);
}

/// The part of the name that follows the kind of a scaled product, such as ".block_scale.block32".
constexpr std::string_view block_scale(const TensorKind& kind) {
  if (kind.scales == 0) return "";
  return kind.scales == 4 ? ".block_scale.block16" : ".block_scale.block32";
}

/// Appends the name: tcgen05.mma.ws.sp.cta_group::1.kind::f16.m64nNk32.f32.
constexpr void append_tensor_name(auto& text, const TensorShape& shape, const TensorKind& kind) {
  text.append("tcgen05.mma");
  if (shape.weight_stationary) text.append(".ws");
  if (shape.sparse) text.append(".sp");
  text.append(shape.ctas == 1 ? ".cta_group::1.kind::" : ".cta_group::2.kind::");
  text.append(kind.name);
  text.append(block_scale(kind));
  text.append(".m");
  text.append_number(shape.m);
  text.append("nNk");
  text.append_number(kind.k * (shape.sparse ? 2 : 1));
  text.append(".");
  text.append(ptx_name(kind.d_type));
  if (kind.scales == 0) return;
  text.append(".");
  text.append(ptx_name(kind.scale_type));
}

/// Appends LLVM's name for A in shared memory. (For A in tensor memory, LLVM's name ends in
/// "tensor".)
constexpr void append_tensor_intrinsic(auto& text, const TensorShape& shape,
                                       const TensorKind& kind) {
  text.append("llvm.nvvm.tcgen05.mma");
  if (shape.weight_stationary) text.append(".ws");
  if (shape.sparse) text.append(".sp");
  text.append(".shared");
  if (kind.scales == 0) return;
  text.append(".");
  text.append(kind.name);
  text.append(block_scale(kind));
}

/// The names and intrinsics of all instructions, one after the other.
template <std::size_t capacity>
constexpr GeneratedText<capacity> tensor_text() {
  GeneratedText<capacity> text;
  for_each_tensor_product([&](const TensorShape& shape, const TensorKind& kind) {
    append_tensor_name(text, shape, kind);
    append_tensor_intrinsic(text, shape, kind);
  });
  return text;
}

inline constexpr auto tensor_names = tensor_text<tensor_text<0>().size>();

/// True if something has copies in several lanes: scales, dense A of layout B, or the index of a
/// sparse A of layouts E and G.
constexpr bool has_copies(const TensorShape& shape, const TensorKind& kind) {
  if (kind.scales > 0) return true;
  return shape.sparse ? shape.weight_stationary && shape.m < 128
                      : shape.ctas == 2 && shape.m == 128;
}

constexpr Instruction tensor_instruction(const TensorShape& shape, const TensorKind& kind) {
  const int width = bits(kind.a_type);
  const std::size_t narrow = width == 32 ? 0 : width == 16 ? 1 : 2;
  Instruction row{};
  row.families = Family::sm100;
  row.wave = 128 * shape.ctas;
  row.m = shape.m;
  row.n = shape.weight_stationary && shape.sparse ? 128 : 256;
  row.k = kind.k * (shape.sparse ? 2 : 1);
  row.blocks = 1;
  row.n_sizes = n_sizes(shape, kind);
  row.a_type = row.b_type = kind.a_type;
  row.d_type = kind.d_type;
  row.a = kind.scales == 0 ? shape.a[narrow] : tcgen05::shared(width);
  row.b = tcgen05::shared(width);
  row.d = shape.d;
  row.d.bits = bits(kind.d_type);
  row.d.registers = shape.d.registers * row.n / 256;
  row.index = shape.index[narrow == 2 ? 1 : 0];
  if (kind.scales > 0) {
    const std::size_t scales = kind.scales == 4 ? 2 : kind.scales == 2 ? 1 : 0;
    row.scale_a = shape.scales.a[scales];
    row.scale_b = shape.scales.b[scales];
    row.scale_type = kind.scale_type;
  }
  row.formats = tensor_formats_for(shape, kind);
  row.doubt = doubt(shape, kind);
  const auto is = [](Constraint constraint) { return static_cast<int>(constraint); };
  row.constraints = static_cast<std::uint16_t>(
      is(Constraint::one_thread) |
      (kind.d_type == ElementType::i32 ? is(Constraint::not_on_sm_103) : 0) |
      (has_copies(shape, kind) ? is(Constraint::equal_copies) : 0));
  row.witnesses = static_cast<std::uint16_t>(shape.witnesses | static_cast<int>(Witness::llvm));
  return row;
}

/// The rows of the catalogue.
inline constexpr auto tensor_instructions = [] {
  constexpr std::size_t count_of_all = [] {
    std::size_t count = 0;
    for_each_tensor_product([&](const TensorShape&, const TensorKind&) { ++count; });
    return count;
  }();
  std::array<Instruction, count_of_all> all{};
  std::size_t count = 0;
  const char* next = tensor_names.characters;
  for_each_tensor_product([&](const TensorShape& shape, const TensorKind& kind) {
    GeneratedText<0> name, intrinsic;
    append_tensor_name(name, shape, kind);
    append_tensor_intrinsic(intrinsic, shape, kind);
    Instruction& into = all[count++];
    into = tensor_instruction(shape, kind);
    into.name = {next, name.size};
    into.intrinsic = {next + name.size, intrinsic.size};
    next += name.size + intrinsic.size;
  });
  return all;
}();

}  // namespace heddle::instruction
