// The matrix instructions of gfx1250 (CDNA5): WMMA and SWMMAC, in waves of 32 lanes.
//
// LLVM 22 confirms that the processor has these instructions, and no others except those that
// coverage_test.cpp lists. The layouts come from Composable Kernel, which also has the order of k,
// and from Triton, IREE and AMD's emulator rocjitsu, which number the k of A and B alike but in
// their own order. amd_witnesses_test.cpp compares every element with theirs. AMD Instinct CDNA5
// Instruction Set Architecture, section 7.12, has tables of the layouts. rocjitsu's tests quote two
// of these tables, 8-bit A (16x64) and B of an 8-bit sparse product (128x16); they agree with the
// maps here. The other tables have not been compared.
//
// Rules of the maps. Lanes 0-15 are the rows m of A or the columns n of B. A lane holds several
// ranges of consecutive k. The length of a range is
//    8 elements   for 16-bit elements; 8-bit ones with k = 64; the stored elements of a sparse A
//   16            for 8-bit elements with k = 128; B of a sparse product
//   32            for 6- and 4-bit elements with k = 128
// (for f32 it is 2, with one range). Lanes 16-31 hold the ranges in between. In C and D, registers
// are 8 consecutive m, lanes 0-15 are n, and lanes 16-31 have the next 8 m; further m are in
// further registers. The index of a sparse A has the positions of the stored elements, in their
// order and, for 16-bit elements, in their lane (for 8-bit elements see index8).
//
// 16 x 16 x 32 of 16 bits, lane l and VGPR v, k in the order of the ISA:
//
//     A     row m = l % 16       k = 16 (v / 4) + 8 (l / 16) + 2 (v % 4), and the next
//     B     column n = l % 16    the same k
//     D     column n = l % 16    row m = v + 8 (l / 16)                             (f32)
//
//     lane 0, A      v0 .. v3: k = 0 .. 7      v4 .. v7: k = 16 .. 23
//     lane 16, A     v0 .. v3: k = 8 .. 15     v4 .. v7: k = 24 .. 31
//
// D is that of gfx12. A lane's range of 8 elements has 16 bytes, so a row of A in memory is read by
// two loads of 16 bytes.
//
// Known disagreements. The index of a sparse A: rocjitsu has the positions of the first half of k
// in lanes 0-15 and those of the second half in lanes 16-31, whichever lane holds the stored
// elements. Unscaled products of an 8-bit and a smaller float: rocjitsu orders the k of the smaller
// one differently than in scaled products, for which all witnesses agree.
//
// To add an instruction: a map below if none fits, one row in gfx1250_rows, and the output of a
// witness under tests/data. No code is needed.
#pragma once

#include "heddle/instruction/instruction.h"

namespace heddle::instruction {

// clang-format off
namespace gfx1250 {
inline constexpr OperandMap a32_k4{2, 32,
    "element:; register: (0,1); lane: (1,0) (2,0) (4,0) (8,0) (0,2) -> m: 16, k: 4"};
inline constexpr OperandMap b32_k4{2, 32,
    "element:; register: (1,0); lane: (0,1) (0,2) (0,4) (0,8) (2,0) -> k: 4, n: 16"};
inline constexpr OperandMap a16_k32{8, 16,
    "element: (0,1); register: (0,2) (0,4) (0,16); lane: (1,0) (2,0) (4,0) (8,0) (0,8) -> m: 16, k: 32"};
inline constexpr OperandMap b16_k32{8, 16,
    "element: (1,0); register: (2,0) (4,0) (16,0); lane: (0,1) (0,2) (0,4) (0,8) (8,0) -> k: 32, n: 16"};
inline constexpr OperandMap a8_k64{8, 8,
    "element: (0,1) (0,2); register: (0,4) (0,16) (0,32); lane: (1,0) (2,0) (4,0) (8,0) (0,8) -> m: 16, k: 64"};
inline constexpr OperandMap b8_k64{8, 8,
    "element: (1,0) (2,0); register: (4,0) (16,0) (32,0); lane: (0,1) (0,2) (0,4) (0,8) (8,0) -> k: 64, n: 16"};
inline constexpr OperandMap a8_k128{16, 8,
    "element: (0,1) (0,2); register: (0,4) (0,8) (0,32) (0,64); lane: (1,0) (2,0) (4,0) (8,0) (0,16) -> m: 16, k: 128"};
inline constexpr OperandMap b8_k128{16, 8,
    "element: (1,0) (2,0); register: (4,0) (8,0) (32,0) (64,0); lane: (0,1) (0,2) (0,4) (0,8) (16,0) -> k: 128, n: 16"};
// Positions of 6 bits cross registers.
inline constexpr OperandMap a6_k128{12, 6,
    "element: (0,1) (0,2) (0,4) (0,8) (0,16) (0,64); register:; lane: (1,0) (2,0) (4,0) (8,0) (0,32) -> m: 16, k: 128"};
inline constexpr OperandMap b6_k128{12, 6,
    "element: (1,0) (2,0) (4,0) (8,0) (16,0) (64,0); register:; lane: (0,1) (0,2) (0,4) (0,8) (32,0) -> k: 128, n: 16"};
inline constexpr OperandMap a4_k128{8, 4,
    "element: (0,1) (0,2) (0,4); register: (0,8) (0,16) (0,64); lane: (1,0) (2,0) (4,0) (8,0) (0,32) -> m: 16, k: 128"};
inline constexpr OperandMap b4_k128{8, 4,
    "element: (1,0) (2,0) (4,0); register: (8,0) (16,0) (64,0); lane: (0,1) (0,2) (0,4) (0,8) (32,0) -> k: 128, n: 16"};
// 32 rows: as two matrices of 16 rows, the second one in the upper half of the registers.
inline constexpr OperandMap a4_32x128{16, 4,
    "element: (0,1) (0,2) (0,4); register: (0,8) (0,16) (0,64) (16,0); lane: (1,0) (2,0) (4,0) (8,0) (0,32) -> m: 32, k: 128"};
inline constexpr OperandMap d32{8, 32,
    "element:; register: (1,0) (2,0) (4,0); lane: (0,1) (0,2) (0,4) (0,8) (8,0) -> m: 16, n: 16"};
inline constexpr OperandMap d16{4, 16,
    "element: (1,0); register: (2,0) (4,0); lane: (0,1) (0,2) (0,4) (0,8) (8,0) -> m: 16, n: 16"};
inline constexpr OperandMap d32_32x16{16, 32,
    "element:; register: (1,0) (2,0) (4,0) (16,0); lane: (0,1) (0,2) (0,4) (0,8) (8,0) -> m: 32, n: 16"};
// Sparse products. In the maps of A and of its index, the axis `group` counts groups of 4
// consecutive k.
inline constexpr OperandMap sparse_a16{8, 32,
    "element:; register: (0,1) (0,2) (0,8); lane: (1,0) (2,0) (4,0) (8,0) (0,4) -> m: 16, group: 16"};
inline constexpr OperandMap sparse_b16{16, 16,
    "element: (1,0); register: (2,0) (4,0) (8,0) (32,0); lane: (0,1) (0,2) (0,4) (0,8) (16,0) -> k: 64, n: 16"};
inline constexpr OperandMap index16{1, 4,
    "element: (0,1) (0,2) (0,8); register:; lane: (1,0) (2,0) (4,0) (8,0) (0,4) -> m: 16, group: 16"};
inline constexpr OperandMap sparse_a8{8, 16,
    "element: (0,1); register: (0,2) (0,8) (0,16); lane: (1,0) (2,0) (4,0) (8,0) (0,4) -> m: 16, group: 32"};
inline constexpr OperandMap sparse_b8{16, 8,
    "element: (1,0) (2,0); register: (4,0) (8,0) (32,0) (64,0); lane: (0,1) (0,2) (0,4) (0,8) (16,0) -> k: 128, n: 16"};
// The index of an element may be in another lane than the element. AMD's emulator rocjitsu has the
// index in the same lanes as this map (ROCm/rocm-systems, emulation/rocjitsu, swmmac_index_loc),
// since kernels that were written for the hardware need it there.
inline constexpr OperandMap index8{2, 4,
    "element: (0,1) (0,2) (0,8); register: (0,4); lane: (1,0) (2,0) (4,0) (8,0) (0,16) -> m: 16, group: 32"};
// Scales, one for each 32 or 16 k. With 16 rows or columns, 16 lanes have the scales, and the
// instruction selects whether these are lanes 0-15 or lanes 16-31. With 32 rows, all 32 lanes have
// scales.
inline constexpr OperandMap scale_a{1, 8,
    "element: (0,1,0) (0,2,0); register:; lane: (1,0,0) (2,0,0) (4,0,0) (8,0,0) (0,0,1) -> m: 16, group: 4, selector: 2"};
inline constexpr OperandMap scale_b{1, 8,
    "element: (1,0,0) (2,0,0); register:; lane: (0,1,0) (0,2,0) (0,4,0) (0,8,0) (0,0,1) -> group: 4, n: 16, selector: 2"};
inline constexpr OperandMap scale16_a{2, 8,
    "element: (0,1,0) (0,2,0); register: (0,4,0); lane: (1,0,0) (2,0,0) (4,0,0) (8,0,0) (0,0,1) -> m: 16, group: 8, selector: 2"};
inline constexpr OperandMap scale16_b{2, 8,
    "element: (1,0,0) (2,0,0); register: (4,0,0); lane: (0,1,0) (0,2,0) (0,4,0) (0,8,0) (0,0,1) -> group: 8, n: 16, selector: 2"};
inline constexpr OperandMap scale_a_32{1, 8,
    "element: (0,1) (0,2); register:; lane: (1,0) (2,0) (4,0) (8,0) (16,0) -> m: 32, group: 4"};
inline constexpr OperandMap scale16_a_32{2, 8,
    "element: (0,1) (0,2); register: (0,4); lane: (1,0) (2,0) (4,0) (8,0) (16,0) -> m: 32, group: 8"};
inline constexpr std::array f8f6f4{
    FormatRow{ElementType::fp8, a8_k128, b8_k128},
    FormatRow{ElementType::bf8, a8_k128, b8_k128},
    FormatRow{ElementType::fp6, a6_k128, b6_k128},
    FormatRow{ElementType::bf6, a6_k128, b6_k128},
    FormatRow{ElementType::fp4, a4_k128, b4_k128},
};
inline constexpr std::string_view index_is_disputed =
    "the index: AMD's emulator rocjitsu reads it in another order of lanes";
inline constexpr std::string_view index_is_unconfirmed =
    "the index: only AMD's emulator rocjitsu says where it lies, after kernels made for the hardware, "
    "and says that AMD's ISA document has it elsewhere";
inline constexpr std::string_view result_is_unconfirmed =
    "the index: AMD's emulator rocjitsu reads it in another order of lanes; that D takes the first 4 of "
    "C's 8 registers rocjitsu alone says";
inline constexpr std::string_view mixed_widths_are_disputed =
    "an 8-bit with a smaller format: AMD's emulator rocjitsu orders the k of the smaller otherwise";
}  // namespace gfx1250

/// A row. The last members, from `doubt` on, are for what only some instructions have.
struct Gfx1250Row {
  std::string_view name;
  int m, n, k;
  ElementType a_type, b_type, d_type;
  OperandMap a, b, d, index;
  std::string_view intrinsic;
  int witnesses;
  std::string_view doubt{};
  OperandMap c{};  // where it is not that of D
  std::span<const FormatRow> formats{};
  OperandMap scale_a{}, scale_b{};
};

// Columns: name, m, n, k, types of A, B and D, maps of A, B, D and the sparse index, LLVM's
// intrinsic, witnesses in addition to LLVM, doubt, map of an f32 C, formats of A and B, maps of the
// scales.
inline constexpr std::array gfx1250_rows = [] {
  using namespace gfx1250;
  using enum ElementType;
  constexpr OperandMap no{};
  constexpr int iree = static_cast<int>(Witness::iree);
  constexpr int triton = static_cast<int>(Witness::triton);
  constexpr int kernels = static_cast<int>(Witness::composable_kernel);
  constexpr int rocjitsu = static_cast<int>(Witness::rocjitsu);
  constexpr int all = iree | triton | kernels | rocjitsu;
  return std::array{
      Gfx1250Row{"v_wmma_f32_16x16x4_f32", 16, 16, 4, f32, f32, f32, a32_k4, b32_k4, d32, no,
                 "llvm.amdgcn.wmma.f32.16x16x4.f32", all},
      Gfx1250Row{"v_wmma_f32_16x16x32_f16", 16, 16, 32, f16, f16, f32, a16_k32, b16_k32, d32, no,
                 "llvm.amdgcn.wmma.f32.16x16x32.f16", all},
      Gfx1250Row{"v_wmma_f32_16x16x32_bf16", 16, 16, 32, bf16, bf16, f32, a16_k32, b16_k32, d32, no,
                 "llvm.amdgcn.wmma.f32.16x16x32.bf16", all},
      Gfx1250Row{"v_wmma_f16_16x16x32_f16", 16, 16, 32, f16, f16, f16, a16_k32, b16_k32, d16, no,
                 "llvm.amdgcn.wmma.f16.16x16x32.f16", iree | rocjitsu},
      Gfx1250Row{"v_wmma_bf16_16x16x32_bf16", 16, 16, 32, bf16, bf16, bf16, a16_k32, b16_k32, d16, no,
                 "llvm.amdgcn.wmma.bf16.16x16x32.bf16", iree | kernels | rocjitsu},
      Gfx1250Row{"v_wmma_bf16f32_16x16x32_bf16", 16, 16, 32, bf16, bf16, bf16, a16_k32, b16_k32, d16, no,
                 "llvm.amdgcn.wmma.bf16f32.16x16x32.bf16", rocjitsu, {}, d32},
      Gfx1250Row{"v_wmma_f32_16x16x64_fp8_fp8", 16, 16, 64, fp8, fp8, f32, a8_k64, b8_k64, d32, no,
                 "llvm.amdgcn.wmma.f32.16x16x64.fp8.fp8", all},
      Gfx1250Row{"v_wmma_f32_16x16x64_fp8_bf8", 16, 16, 64, fp8, bf8, f32, a8_k64, b8_k64, d32, no,
                 "llvm.amdgcn.wmma.f32.16x16x64.fp8.bf8", all},
      Gfx1250Row{"v_wmma_f32_16x16x64_bf8_fp8", 16, 16, 64, bf8, fp8, f32, a8_k64, b8_k64, d32, no,
                 "llvm.amdgcn.wmma.f32.16x16x64.bf8.fp8", all},
      Gfx1250Row{"v_wmma_f32_16x16x64_bf8_bf8", 16, 16, 64, bf8, bf8, f32, a8_k64, b8_k64, d32, no,
                 "llvm.amdgcn.wmma.f32.16x16x64.bf8.bf8", all},
      Gfx1250Row{"v_wmma_f16_16x16x64_fp8_fp8", 16, 16, 64, fp8, fp8, f16, a8_k64, b8_k64, d16, no,
                 "llvm.amdgcn.wmma.f16.16x16x64.fp8.fp8", iree | kernels | rocjitsu},
      Gfx1250Row{"v_wmma_f16_16x16x64_fp8_bf8", 16, 16, 64, fp8, bf8, f16, a8_k64, b8_k64, d16, no,
                 "llvm.amdgcn.wmma.f16.16x16x64.fp8.bf8", iree | kernels | rocjitsu},
      Gfx1250Row{"v_wmma_f16_16x16x64_bf8_fp8", 16, 16, 64, bf8, fp8, f16, a8_k64, b8_k64, d16, no,
                 "llvm.amdgcn.wmma.f16.16x16x64.bf8.fp8", iree | kernels | rocjitsu},
      Gfx1250Row{"v_wmma_f16_16x16x64_bf8_bf8", 16, 16, 64, bf8, bf8, f16, a8_k64, b8_k64, d16, no,
                 "llvm.amdgcn.wmma.f16.16x16x64.bf8.bf8", iree | kernels | rocjitsu},
      Gfx1250Row{"v_wmma_f32_16x16x128_fp8_fp8", 16, 16, 128, fp8, fp8, f32, a8_k128, b8_k128, d32, no,
                 "llvm.amdgcn.wmma.f32.16x16x128.fp8.fp8", all},
      Gfx1250Row{"v_wmma_f32_16x16x128_fp8_bf8", 16, 16, 128, fp8, bf8, f32, a8_k128, b8_k128, d32, no,
                 "llvm.amdgcn.wmma.f32.16x16x128.fp8.bf8", all},
      Gfx1250Row{"v_wmma_f32_16x16x128_bf8_fp8", 16, 16, 128, bf8, fp8, f32, a8_k128, b8_k128, d32, no,
                 "llvm.amdgcn.wmma.f32.16x16x128.bf8.fp8", all},
      Gfx1250Row{"v_wmma_f32_16x16x128_bf8_bf8", 16, 16, 128, bf8, bf8, f32, a8_k128, b8_k128, d32, no,
                 "llvm.amdgcn.wmma.f32.16x16x128.bf8.bf8", all},
      Gfx1250Row{"v_wmma_f16_16x16x128_fp8_fp8", 16, 16, 128, fp8, fp8, f16, a8_k128, b8_k128, d16, no,
                 "llvm.amdgcn.wmma.f16.16x16x128.fp8.fp8", iree | rocjitsu},
      Gfx1250Row{"v_wmma_f16_16x16x128_fp8_bf8", 16, 16, 128, fp8, bf8, f16, a8_k128, b8_k128, d16, no,
                 "llvm.amdgcn.wmma.f16.16x16x128.fp8.bf8", iree | rocjitsu},
      Gfx1250Row{"v_wmma_f16_16x16x128_bf8_fp8", 16, 16, 128, bf8, fp8, f16, a8_k128, b8_k128, d16, no,
                 "llvm.amdgcn.wmma.f16.16x16x128.bf8.fp8", iree | rocjitsu},
      Gfx1250Row{"v_wmma_f16_16x16x128_bf8_bf8", 16, 16, 128, bf8, bf8, f16, a8_k128, b8_k128, d16, no,
                 "llvm.amdgcn.wmma.f16.16x16x128.bf8.bf8", iree | rocjitsu},
      Gfx1250Row{"v_wmma_i32_16x16x64_iu8", 16, 16, 64, iu8, iu8, i32, a8_k64, b8_k64, d32, no,
                 "llvm.amdgcn.wmma.i32.16x16x64.iu8", all},
      Gfx1250Row{"v_wmma_f32_16x16x128_f8f6f4", 16, 16, 128, fp8, fp8, f32, a8_k128, b8_k128, d32, no,
                 "llvm.amdgcn.wmma.f32.16x16x128.f8f6f4", kernels, mixed_widths_are_disputed, no, f8f6f4},
      Gfx1250Row{"v_wmma_scale_f32_16x16x128_f8f6f4", 16, 16, 128, fp8, fp8, f32, a8_k128, b8_k128, d32, no,
                 "llvm.amdgcn.wmma.scale.f32.16x16x128.f8f6f4", kernels | rocjitsu, {}, no, f8f6f4, scale_a, scale_b},
      Gfx1250Row{"v_wmma_scale16_f32_16x16x128_f8f6f4", 16, 16, 128, fp8, fp8, f32, a8_k128, b8_k128, d32, no,
                 "llvm.amdgcn.wmma.scale16.f32.16x16x128.f8f6f4", kernels | rocjitsu, {}, no, f8f6f4, scale16_a, scale16_b},
      Gfx1250Row{"v_wmma_f32_32x16x128_f4", 32, 16, 128, fp4, fp4, f32, a4_32x128, b4_k128, d32_32x16, no,
                 "llvm.amdgcn.wmma.f32.32x16x128.f4", kernels | rocjitsu},
      Gfx1250Row{"v_wmma_scale_f32_32x16x128_f4", 32, 16, 128, fp4, fp4, f32, a4_32x128, b4_k128, d32_32x16, no,
                 "llvm.amdgcn.wmma.scale.f32.32x16x128.f4", triton | kernels | rocjitsu, {}, no, {}, scale_a_32, scale_b},
      Gfx1250Row{"v_wmma_scale16_f32_32x16x128_f4", 32, 16, 128, fp4, fp4, f32, a4_32x128, b4_k128, d32_32x16, no,
                 "llvm.amdgcn.wmma.scale16.f32.32x16x128.f4", triton | kernels | rocjitsu, {}, no, {}, scale16_a_32, scale16_b},
      Gfx1250Row{"v_swmmac_f32_16x16x64_f16", 16, 16, 64, f16, f16, f32, sparse_a16, sparse_b16, d32, index16,
                 "llvm.amdgcn.swmmac.f32.16x16x64.f16", kernels, index_is_disputed},
      Gfx1250Row{"v_swmmac_f32_16x16x64_bf16", 16, 16, 64, bf16, bf16, f32, sparse_a16, sparse_b16, d32, index16,
                 "llvm.amdgcn.swmmac.f32.16x16x64.bf16", kernels, index_is_disputed},
      Gfx1250Row{"v_swmmac_f16_16x16x64_f16", 16, 16, 64, f16, f16, f16, sparse_a16, sparse_b16, d16, index16,
                 "llvm.amdgcn.swmmac.f16.16x16x64.f16", kernels, index_is_disputed},
      Gfx1250Row{"v_swmmac_bf16_16x16x64_bf16", 16, 16, 64, bf16, bf16, bf16, sparse_a16, sparse_b16, d16, index16,
                 "llvm.amdgcn.swmmac.bf16.16x16x64.bf16", kernels, index_is_disputed},
      Gfx1250Row{"v_swmmac_bf16f32_16x16x64_bf16", 16, 16, 64, bf16, bf16, bf16, sparse_a16, sparse_b16, d16, index16,
                 "llvm.amdgcn.swmmac.bf16f32.16x16x64.bf16", 0, result_is_unconfirmed, d32},
      Gfx1250Row{"v_swmmac_f32_16x16x128_fp8_fp8", 16, 16, 128, fp8, fp8, f32, sparse_a8, sparse_b8, d32, index8,
                 "llvm.amdgcn.swmmac.f32.16x16x128.fp8.fp8", kernels | rocjitsu, index_is_unconfirmed},
      Gfx1250Row{"v_swmmac_f32_16x16x128_fp8_bf8", 16, 16, 128, fp8, bf8, f32, sparse_a8, sparse_b8, d32, index8,
                 "llvm.amdgcn.swmmac.f32.16x16x128.fp8.bf8", kernels | rocjitsu, index_is_unconfirmed},
      Gfx1250Row{"v_swmmac_f32_16x16x128_bf8_fp8", 16, 16, 128, bf8, fp8, f32, sparse_a8, sparse_b8, d32, index8,
                 "llvm.amdgcn.swmmac.f32.16x16x128.bf8.fp8", kernels | rocjitsu, index_is_unconfirmed},
      Gfx1250Row{"v_swmmac_f32_16x16x128_bf8_bf8", 16, 16, 128, bf8, bf8, f32, sparse_a8, sparse_b8, d32, index8,
                 "llvm.amdgcn.swmmac.f32.16x16x128.bf8.bf8", kernels | rocjitsu, index_is_unconfirmed},
      Gfx1250Row{"v_swmmac_f16_16x16x128_fp8_fp8", 16, 16, 128, fp8, fp8, f16, sparse_a8, sparse_b8, d16, index8,
                 "llvm.amdgcn.swmmac.f16.16x16x128.fp8.fp8", kernels | rocjitsu, index_is_unconfirmed},
      Gfx1250Row{"v_swmmac_f16_16x16x128_fp8_bf8", 16, 16, 128, fp8, bf8, f16, sparse_a8, sparse_b8, d16, index8,
                 "llvm.amdgcn.swmmac.f16.16x16x128.fp8.bf8", kernels | rocjitsu, index_is_unconfirmed},
      Gfx1250Row{"v_swmmac_f16_16x16x128_bf8_fp8", 16, 16, 128, bf8, fp8, f16, sparse_a8, sparse_b8, d16, index8,
                 "llvm.amdgcn.swmmac.f16.16x16x128.bf8.fp8", kernels | rocjitsu, index_is_unconfirmed},
      Gfx1250Row{"v_swmmac_f16_16x16x128_bf8_bf8", 16, 16, 128, bf8, bf8, f16, sparse_a8, sparse_b8, d16, index8,
                 "llvm.amdgcn.swmmac.f16.16x16x128.bf8.bf8", kernels | rocjitsu, index_is_unconfirmed},
      Gfx1250Row{"v_swmmac_i32_16x16x128_iu8", 16, 16, 128, iu8, iu8, i32, sparse_a8, sparse_b8, d32, index8,
                 "llvm.amdgcn.swmmac.i32.16x16x128.iu8", kernels | rocjitsu, index_is_unconfirmed}
  };
}();
// clang-format on

constexpr Instruction instruction_of(const Gfx1250Row& row) {
  Instruction instruction{
      row.name,
      Family::gfx1250,
      32,
      row.m,
      row.n,
      row.k,
      1,
      row.a_type,
      row.b_type,
      row.d_type,
      row.a,
      row.b,
      row.d,
      row.index,
      row.intrinsic,
      static_cast<std::uint16_t>(Constraint::even_registers),
      static_cast<std::uint16_t>(static_cast<int>(Witness::llvm) | row.witnesses)};
  instruction.doubt = row.doubt;
  instruction.formats = row.formats;
  if (exists(row.c)) {
    instruction.c = row.c;
    instruction.c_type = ElementType::f32;
  }
  if (exists(row.scale_a)) {
    instruction.scale_a = row.scale_a;
    instruction.scale_b = row.scale_b;
    instruction.scale_type = ElementType::e8m0;
  }
  return instruction;
}

inline constexpr auto gfx1250_instructions = [] {
  std::array<Instruction, gfx1250_rows.size()> instructions{};
  for (std::size_t i = 0; i < instructions.size(); ++i)
    instructions[i] = instruction_of(gfx1250_rows[i]);
  return instructions;
}();

}  // namespace heddle::instruction
