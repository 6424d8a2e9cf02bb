// CDNA's matrix instructions: MFMA of CDNA1 to 4 (gfx908, gfx90a, gfx942, gfx950), and SMFMAC,
// which is MFMA with a sparse A, from CDNA3 on.
//
// Sources: AMD Instinct MI100, MI200, MI300 and CDNA4 Instruction Set Architecture, sections on
// matrix arithmetic, which give the layouts by shape and width, not by instruction. AMD's matrix
// instruction calculator 1.3.2 prints the same maps for CDNA1, 2 and 3;
// tests/instruction/catalogue_test.cpp compares every element with its output.
// cdna4_document_test.cpp has CDNA4's formulas and tables. LLVM 22 confirms that the processors
// have these instructions, and no others except those that coverage_test.cpp lists. IREE, Triton,
// Composable Kernel and AMD's emulator rocjitsu also have layouts (amd_witnesses_test.cpp). They
// may number k differently, as long as A and B are numbered alike.
//
// Known disagreements. In CDNA4's formula for C and D of v_mfma_f64_4x4x4_4b_f64, the blocks are in
// the upper lane bits, above m; the calculator and IREE have them between n and m. For scaled 8-bit
// floats, IREE has 32 consecutive k in a lane and their scale in the same lane. The document,
// Triton and Composable Kernel have two ranges of 16 consecutive k, so that a lane's elements have
// two different scales.
//
// AMD's calculator prints wrong opcodes for v_mfma_i32_16x16x16i8, v_mfma_i32_32x32x16_i8 and
// v_mfma_i32_16x16x32_i8; coverage_test.cpp lists them with LLVM's.
//
// READING A NAME: v_mfma_f32_32x32x4_2b_f16 has a D of f32, 32 rows m, 32 columns n, k of 4, two
// blocks, and elements of f16. A block is a separate product: with 2b there are two of A, two of B
// and two of D, and blocks do not influence each other. Without blocks the whole wave computes one
// product.
//
//     name on gfx942, f16            blocks   VGPRs of A, B, D    multiply-adds
//     v_mfma_f32_32x32x8_f16         1        2, 2, 16            8192
//     v_mfma_f32_16x16x16_f16        1        2, 2, 4             4096
//     v_mfma_f32_32x32x4_2b_f16      2        2, 2, 32            8192
//     v_mfma_f32_16x16x4_4b_f16      4        2, 2, 16            4096
//     v_mfma_f32_4x4x4_16b_f16       16       2, 2, 4             1024
//
// D of the last one: lane l holds column l % 4 of block l / 4, and VGPR v is row v. gfx950 also has
// 32x32x16 and 16x16x32 of f16 and bf16, which take 4 VGPRs of A and of B.
//
// SMFMAC stores half of A: of each 4 consecutive elements in k at most 2 are not zero, and the
// index gives their positions, in 2 bits each. v_smfmac_f32_16x16x32_f16 reads 2 VGPRs of A, which
// stand for k = 32, and 4 of B.
//
// To add an instruction: a map in cdna_maps.h if none fits, one row in cdna_rows, and the output of
// a witness under tests/data. No code is needed.
#pragma once

#include "heddle/instruction/cdna_maps.h"
#include "heddle/instruction/instruction.h"

namespace heddle::instruction {

/// An instruction and the families that have it under this name.
struct CdnaRow {
  std::string_view name;
  Families families;
  int m, n, k, blocks;
  ElementType a_type, b_type, d_type;
  OperandMap a, b, d, index;
  std::string_view intrinsic;
  int witnesses = 0;  // besides those that follow from the family and the shape (witnesses_of)
  std::span<const FormatRow> formats{};
  OperandMap scale_a{}, scale_b{};
};

// Column legend: name, families, m, n, k, blocks, types of A, B and C/D, maps of A, B, C/D and the
// sparse index, LLVM's intrinsic, more witnesses, formats of A and B, maps of the scales. Waves
// have 64 lanes.
// clang-format off
inline constexpr std::array cdna_rows = [] {
  using namespace cdna;
  using enum ElementType;
  using enum Family;
  constexpr OperandMap no_index{};
  constexpr int by_triton = static_cast<int>(Witness::triton);
  constexpr int by_kernels = static_cast<int>(Witness::composable_kernel);
  constexpr int by_rocjitsu = static_cast<int>(Witness::rocjitsu);
  return std::array{
      // MFMA with the names of CDNA1 and CDNA2: the types follow the shape without an underscore
      CdnaRow{"v_mfma_f32_32x32x1f32", gfx908 | gfx90a, 32, 32, 1, 2, f32, f32, f32,
              a32_32x1_2b, b32_1x32_2b, d32_32x32_2b, no_index, "llvm.amdgcn.mfma.f32.32x32x1f32"},
      CdnaRow{"v_mfma_f32_16x16x1f32", gfx908 | gfx90a, 16, 16, 1, 4, f32, f32, f32,
              a32_16x1_4b, b32_1x16_4b, d32_16x16_4b, no_index, "llvm.amdgcn.mfma.f32.16x16x1f32"},
      CdnaRow{"v_mfma_f32_4x4x1f32", gfx908 | gfx90a, 4, 4, 1, 16, f32, f32, f32,
              a32_4x1_16b, b32_1x4_16b, d32_4x4_16b, no_index, "llvm.amdgcn.mfma.f32.4x4x1f32"},
      CdnaRow{"v_mfma_f32_32x32x2f32", gfx908 | gfx90a, 32, 32, 2, 1, f32, f32, f32,
              a32_32x2, b32_2x32, d32_32x32, no_index, "llvm.amdgcn.mfma.f32.32x32x2f32", by_triton},
      CdnaRow{"v_mfma_f32_16x16x4f32", gfx908 | gfx90a, 16, 16, 4, 1, f32, f32, f32,
              a32_16x4, b32_4x16, d32_16x16, no_index, "llvm.amdgcn.mfma.f32.16x16x4f32"},
      CdnaRow{"v_mfma_f32_32x32x4f16", gfx908 | gfx90a, 32, 32, 4, 2, f16, f16, f32,
              a16_32x4_2b, b16_4x32_2b, d32_32x32_2b, no_index, "llvm.amdgcn.mfma.f32.32x32x4f16"},
      CdnaRow{"v_mfma_f32_16x16x4f16", gfx908 | gfx90a, 16, 16, 4, 4, f16, f16, f32,
              a16_16x4_4b, b16_4x16_4b, d32_16x16_4b, no_index, "llvm.amdgcn.mfma.f32.16x16x4f16"},
      CdnaRow{"v_mfma_f32_4x4x4f16", gfx908 | gfx90a, 4, 4, 4, 16, f16, f16, f32,
              a16_4x4_16b, b16_4x4_16b, d32_4x4_16b, no_index, "llvm.amdgcn.mfma.f32.4x4x4f16"},
      CdnaRow{"v_mfma_f32_32x32x8f16", gfx908 | gfx90a, 32, 32, 8, 1, f16, f16, f32,
              a16_32x8, b16_8x32, d32_32x32, no_index, "llvm.amdgcn.mfma.f32.32x32x8f16"},
      CdnaRow{"v_mfma_f32_16x16x16f16", gfx908 | gfx90a, 16, 16, 16, 1, f16, f16, f32,
              a16_16x16, b16_16x16, d32_16x16, no_index, "llvm.amdgcn.mfma.f32.16x16x16f16"},
      CdnaRow{"v_mfma_i32_32x32x4i8", gfx908 | gfx90a, 32, 32, 4, 2, i8, i8, i32,
              a8_32x4_2b, b8_4x32_2b, d32_32x32_2b, no_index, "llvm.amdgcn.mfma.i32.32x32x4i8"},
      CdnaRow{"v_mfma_i32_16x16x4i8", gfx908 | gfx90a, 16, 16, 4, 4, i8, i8, i32,
              a8_16x4_4b, b8_4x16_4b, d32_16x16_4b, no_index, "llvm.amdgcn.mfma.i32.16x16x4i8"},
      CdnaRow{"v_mfma_i32_4x4x4i8", gfx908 | gfx90a, 4, 4, 4, 16, i8, i8, i32,
              a8_4x4_16b, b8_4x4_16b, d32_4x4_16b, no_index, "llvm.amdgcn.mfma.i32.4x4x4i8"},
      CdnaRow{"v_mfma_i32_32x32x8i8", gfx908 | gfx90a, 32, 32, 8, 1, i8, i8, i32,
              a8_32x8, b8_8x32, d32_32x32, no_index, "llvm.amdgcn.mfma.i32.32x32x8i8"},
      CdnaRow{"v_mfma_i32_16x16x16i8", gfx908 | gfx90a, 16, 16, 16, 1, i8, i8, i32,
              a8_16x16, b8_16x16, d32_16x16, no_index, "llvm.amdgcn.mfma.i32.16x16x16i8"},
      CdnaRow{"v_mfma_f32_32x32x2bf16", gfx908 | gfx90a, 32, 32, 2, 2, bf16, bf16, f32,
              a16_32x2_2b, b16_2x32_2b, d32_32x32_2b, no_index, "llvm.amdgcn.mfma.f32.32x32x2bf16"},
      CdnaRow{"v_mfma_f32_16x16x2bf16", gfx908 | gfx90a, 16, 16, 2, 4, bf16, bf16, f32,
              a16_16x2_4b, b16_2x16_4b, d32_16x16_4b, no_index, "llvm.amdgcn.mfma.f32.16x16x2bf16"},
      CdnaRow{"v_mfma_f32_4x4x2bf16", gfx908 | gfx90a, 4, 4, 2, 16, bf16, bf16, f32,
              a16_4x2_16b, b16_2x4_16b, d32_4x4_16b, no_index, "llvm.amdgcn.mfma.f32.4x4x2bf16"},
      CdnaRow{"v_mfma_f32_32x32x4bf16", gfx908 | gfx90a, 32, 32, 4, 1, bf16, bf16, f32,
              a16_32x4, b16_4x32, d32_32x32, no_index, "llvm.amdgcn.mfma.f32.32x32x4bf16"},
      CdnaRow{"v_mfma_f32_16x16x8bf16", gfx908 | gfx90a, 16, 16, 8, 1, bf16, bf16, f32,
              a16_16x8, b16_8x16, d32_16x16, no_index, "llvm.amdgcn.mfma.f32.16x16x8bf16"},
      // CDNA2 adds bf16 with the k of f16, and f64
      CdnaRow{"v_mfma_f32_32x32x4bf16_1k", gfx90a, 32, 32, 4, 2, bf16, bf16, f32,
              a16_32x4_2b, b16_4x32_2b, d32_32x32_2b, no_index, "llvm.amdgcn.mfma.f32.32x32x4bf16.1k"},
      CdnaRow{"v_mfma_f32_16x16x4bf16_1k", gfx90a, 16, 16, 4, 4, bf16, bf16, f32,
              a16_16x4_4b, b16_4x16_4b, d32_16x16_4b, no_index, "llvm.amdgcn.mfma.f32.16x16x4bf16.1k"},
      CdnaRow{"v_mfma_f32_4x4x4bf16_1k", gfx90a, 4, 4, 4, 16, bf16, bf16, f32,
              a16_4x4_16b, b16_4x4_16b, d32_4x4_16b, no_index, "llvm.amdgcn.mfma.f32.4x4x4bf16.1k"},
      CdnaRow{"v_mfma_f32_32x32x8bf16_1k", gfx90a, 32, 32, 8, 1, bf16, bf16, f32,
              a16_32x8, b16_8x32, d32_32x32, no_index, "llvm.amdgcn.mfma.f32.32x32x8bf16.1k"},
      CdnaRow{"v_mfma_f32_16x16x16bf16_1k", gfx90a, 16, 16, 16, 1, bf16, bf16, f32,
              a16_16x16, b16_16x16, d32_16x16, no_index, "llvm.amdgcn.mfma.f32.16x16x16bf16.1k"},
      CdnaRow{"v_mfma_f64_16x16x4f64", gfx90a, 16, 16, 4, 1, f64, f64, f64,
              a64_16x4, b64_4x16, d64_16x16, no_index, "llvm.amdgcn.mfma.f64.16x16x4f64"},
      CdnaRow{"v_mfma_f64_4x4x4f64", gfx90a, 4, 4, 4, 4, f64, f64, f64,
              a64_4x4_4b, b64_4x4_4b, d64_4x4_4b, no_index, "llvm.amdgcn.mfma.f64.4x4x4f64"},
      // MFMA with the names of CDNA3 and CDNA4: underscores before the number of blocks and the
      // types
      CdnaRow{"v_mfma_f32_32x32x1_2b_f32", gfx942 | gfx950, 32, 32, 1, 2, f32, f32, f32,
              a32_32x1_2b, b32_1x32_2b, d32_32x32_2b, no_index, "llvm.amdgcn.mfma.f32.32x32x1f32"},
      CdnaRow{"v_mfma_f32_16x16x1_4b_f32", gfx942 | gfx950, 16, 16, 1, 4, f32, f32, f32,
              a32_16x1_4b, b32_1x16_4b, d32_16x16_4b, no_index, "llvm.amdgcn.mfma.f32.16x16x1f32"},
      CdnaRow{"v_mfma_f32_4x4x1_16b_f32", gfx942 | gfx950, 4, 4, 1, 16, f32, f32, f32,
              a32_4x1_16b, b32_1x4_16b, d32_4x4_16b, no_index, "llvm.amdgcn.mfma.f32.4x4x1f32"},
      CdnaRow{"v_mfma_f32_32x32x2_f32", gfx942 | gfx950, 32, 32, 2, 1, f32, f32, f32,
              a32_32x2, b32_2x32, d32_32x32, no_index, "llvm.amdgcn.mfma.f32.32x32x2f32", by_triton},
      CdnaRow{"v_mfma_f32_16x16x4_f32", gfx942 | gfx950, 16, 16, 4, 1, f32, f32, f32,
              a32_16x4, b32_4x16, d32_16x16, no_index, "llvm.amdgcn.mfma.f32.16x16x4f32"},
      CdnaRow{"v_mfma_f32_32x32x4_2b_f16", gfx942 | gfx950, 32, 32, 4, 2, f16, f16, f32,
              a16_32x4_2b, b16_4x32_2b, d32_32x32_2b, no_index, "llvm.amdgcn.mfma.f32.32x32x4f16"},
      CdnaRow{"v_mfma_f32_16x16x4_4b_f16", gfx942 | gfx950, 16, 16, 4, 4, f16, f16, f32,
              a16_16x4_4b, b16_4x16_4b, d32_16x16_4b, no_index, "llvm.amdgcn.mfma.f32.16x16x4f16"},
      CdnaRow{"v_mfma_f32_4x4x4_16b_f16", gfx942 | gfx950, 4, 4, 4, 16, f16, f16, f32,
              a16_4x4_16b, b16_4x4_16b, d32_4x4_16b, no_index, "llvm.amdgcn.mfma.f32.4x4x4f16"},
      CdnaRow{"v_mfma_f32_32x32x8_f16", gfx942 | gfx950, 32, 32, 8, 1, f16, f16, f32,
              a16_32x8, b16_8x32, d32_32x32, no_index, "llvm.amdgcn.mfma.f32.32x32x8f16"},
      CdnaRow{"v_mfma_f32_16x16x16_f16", gfx942 | gfx950, 16, 16, 16, 1, f16, f16, f32,
              a16_16x16, b16_16x16, d32_16x16, no_index, "llvm.amdgcn.mfma.f32.16x16x16f16"},
      CdnaRow{"v_mfma_i32_32x32x4_2b_i8", gfx942 | gfx950, 32, 32, 4, 2, i8, i8, i32,
              a8_32x4_2b, b8_4x32_2b, d32_32x32_2b, no_index, "llvm.amdgcn.mfma.i32.32x32x4i8"},
      CdnaRow{"v_mfma_i32_16x16x4_4b_i8", gfx942 | gfx950, 16, 16, 4, 4, i8, i8, i32,
              a8_16x4_4b, b8_4x16_4b, d32_16x16_4b, no_index, "llvm.amdgcn.mfma.i32.16x16x4i8"},
      CdnaRow{"v_mfma_i32_4x4x4_16b_i8", gfx942 | gfx950, 4, 4, 4, 16, i8, i8, i32,
              a8_4x4_16b, b8_4x4_16b, d32_4x4_16b, no_index, "llvm.amdgcn.mfma.i32.4x4x4i8"},
      CdnaRow{"v_mfma_f32_32x32x4_2b_bf16", gfx942 | gfx950, 32, 32, 4, 2, bf16, bf16, f32,
              a16_32x4_2b, b16_4x32_2b, d32_32x32_2b, no_index, "llvm.amdgcn.mfma.f32.32x32x4bf16.1k"},
      CdnaRow{"v_mfma_f32_16x16x4_4b_bf16", gfx942 | gfx950, 16, 16, 4, 4, bf16, bf16, f32,
              a16_16x4_4b, b16_4x16_4b, d32_16x16_4b, no_index, "llvm.amdgcn.mfma.f32.16x16x4bf16.1k"},
      CdnaRow{"v_mfma_f32_4x4x4_16b_bf16", gfx942 | gfx950, 4, 4, 4, 16, bf16, bf16, f32,
              a16_4x4_16b, b16_4x4_16b, d32_4x4_16b, no_index, "llvm.amdgcn.mfma.f32.4x4x4bf16.1k"},
      CdnaRow{"v_mfma_f32_32x32x8_bf16", gfx942 | gfx950, 32, 32, 8, 1, bf16, bf16, f32,
              a16_32x8, b16_8x32, d32_32x32, no_index, "llvm.amdgcn.mfma.f32.32x32x8bf16.1k"},
      CdnaRow{"v_mfma_f32_16x16x16_bf16", gfx942 | gfx950, 16, 16, 16, 1, bf16, bf16, f32,
              a16_16x16, b16_16x16, d32_16x16, no_index, "llvm.amdgcn.mfma.f32.16x16x16bf16.1k"},
      CdnaRow{"v_mfma_f64_16x16x4_f64", gfx942 | gfx950, 16, 16, 4, 1, f64, f64, f64,
              a64_16x4, b64_4x16, d64_16x16, no_index, "llvm.amdgcn.mfma.f64.16x16x4f64"},
      CdnaRow{"v_mfma_f64_4x4x4_4b_f64", gfx942 | gfx950, 4, 4, 4, 4, f64, f64, f64,
              a64_4x4_4b, b64_4x4_4b, d64_4x4_4b, no_index, "llvm.amdgcn.mfma.f64.4x4x4f64"},
      CdnaRow{"v_mfma_i32_32x32x16_i8", gfx942 | gfx950, 32, 32, 16, 1, i8, i8, i32,
              a8_32x16, b8_16x32, d32_32x32, no_index, "llvm.amdgcn.mfma.i32.32x32x16.i8"},
      CdnaRow{"v_mfma_i32_16x16x32_i8", gfx942 | gfx950, 16, 16, 32, 1, i8, i8, i32,
              a8_16x32, b8_32x16, d32_16x16, no_index, "llvm.amdgcn.mfma.i32.16x16x32.i8"},
      // CDNA3 alone has the 19-bit float
      CdnaRow{"v_mfma_f32_16x16x8_xf32", gfx942, 16, 16, 8, 1, xf32, xf32, f32,
              a32_16x8, b32_8x16, d32_16x16, no_index, "llvm.amdgcn.mfma.f32.16x16x8.xf32", by_triton},
      CdnaRow{"v_mfma_f32_32x32x4_xf32", gfx942, 32, 32, 4, 1, xf32, xf32, f32,
              a32_32x4, b32_4x32, d32_32x32, no_index, "llvm.amdgcn.mfma.f32.32x32x4.xf32", by_triton},
      // 8-bit floats, in the encodings of CDNA3 (no infinities, no negative zero)
      CdnaRow{"v_mfma_f32_16x16x32_bf8_bf8", gfx942, 16, 16, 32, 1, bf8_fnuz, bf8_fnuz, f32,
              a8_16x32, b8_32x16, d32_16x16, no_index, "llvm.amdgcn.mfma.f32.16x16x32.bf8.bf8"},
      CdnaRow{"v_mfma_f32_16x16x32_bf8_fp8", gfx942, 16, 16, 32, 1, bf8_fnuz, fp8_fnuz, f32,
              a8_16x32, b8_32x16, d32_16x16, no_index, "llvm.amdgcn.mfma.f32.16x16x32.bf8.fp8"},
      CdnaRow{"v_mfma_f32_16x16x32_fp8_bf8", gfx942, 16, 16, 32, 1, fp8_fnuz, bf8_fnuz, f32,
              a8_16x32, b8_32x16, d32_16x16, no_index, "llvm.amdgcn.mfma.f32.16x16x32.fp8.bf8"},
      CdnaRow{"v_mfma_f32_16x16x32_fp8_fp8", gfx942, 16, 16, 32, 1, fp8_fnuz, fp8_fnuz, f32,
              a8_16x32, b8_32x16, d32_16x16, no_index, "llvm.amdgcn.mfma.f32.16x16x32.fp8.fp8"},
      CdnaRow{"v_mfma_f32_32x32x16_bf8_bf8", gfx942, 32, 32, 16, 1, bf8_fnuz, bf8_fnuz, f32,
              a8_32x16, b8_16x32, d32_32x32, no_index, "llvm.amdgcn.mfma.f32.32x32x16.bf8.bf8"},
      CdnaRow{"v_mfma_f32_32x32x16_bf8_fp8", gfx942, 32, 32, 16, 1, bf8_fnuz, fp8_fnuz, f32,
              a8_32x16, b8_16x32, d32_32x32, no_index, "llvm.amdgcn.mfma.f32.32x32x16.bf8.fp8"},
      CdnaRow{"v_mfma_f32_32x32x16_fp8_bf8", gfx942, 32, 32, 16, 1, fp8_fnuz, bf8_fnuz, f32,
              a8_32x16, b8_16x32, d32_32x32, no_index, "llvm.amdgcn.mfma.f32.32x32x16.fp8.bf8"},
      CdnaRow{"v_mfma_f32_32x32x16_fp8_fp8", gfx942, 32, 32, 16, 1, fp8_fnuz, fp8_fnuz, f32,
              a8_32x16, b8_16x32, d32_32x32, no_index, "llvm.amdgcn.mfma.f32.32x32x16.fp8.fp8"},
      // 8-bit floats, in the encodings of CDNA4 (OCP)
      CdnaRow{"v_mfma_f32_16x16x32_bf8_bf8", gfx950, 16, 16, 32, 1, bf8, bf8, f32,
              a8_16x32, b8_32x16, d32_16x16, no_index, "llvm.amdgcn.mfma.f32.16x16x32.bf8.bf8"},
      CdnaRow{"v_mfma_f32_16x16x32_bf8_fp8", gfx950, 16, 16, 32, 1, bf8, fp8, f32,
              a8_16x32, b8_32x16, d32_16x16, no_index, "llvm.amdgcn.mfma.f32.16x16x32.bf8.fp8"},
      CdnaRow{"v_mfma_f32_16x16x32_fp8_bf8", gfx950, 16, 16, 32, 1, fp8, bf8, f32,
              a8_16x32, b8_32x16, d32_16x16, no_index, "llvm.amdgcn.mfma.f32.16x16x32.fp8.bf8"},
      CdnaRow{"v_mfma_f32_16x16x32_fp8_fp8", gfx950, 16, 16, 32, 1, fp8, fp8, f32,
              a8_16x32, b8_32x16, d32_16x16, no_index, "llvm.amdgcn.mfma.f32.16x16x32.fp8.fp8"},
      CdnaRow{"v_mfma_f32_32x32x16_bf8_bf8", gfx950, 32, 32, 16, 1, bf8, bf8, f32,
              a8_32x16, b8_16x32, d32_32x32, no_index, "llvm.amdgcn.mfma.f32.32x32x16.bf8.bf8"},
      CdnaRow{"v_mfma_f32_32x32x16_bf8_fp8", gfx950, 32, 32, 16, 1, bf8, fp8, f32,
              a8_32x16, b8_16x32, d32_32x32, no_index, "llvm.amdgcn.mfma.f32.32x32x16.bf8.fp8"},
      CdnaRow{"v_mfma_f32_32x32x16_fp8_bf8", gfx950, 32, 32, 16, 1, fp8, bf8, f32,
              a8_32x16, b8_16x32, d32_32x32, no_index, "llvm.amdgcn.mfma.f32.32x32x16.fp8.bf8"},
      CdnaRow{"v_mfma_f32_32x32x16_fp8_fp8", gfx950, 32, 32, 16, 1, fp8, fp8, f32,
              a8_32x16, b8_16x32, d32_32x32, no_index, "llvm.amdgcn.mfma.f32.32x32x16.fp8.fp8"},
      // SMFMAC: sparse A
      CdnaRow{"v_smfmac_f32_16x16x32_f16", gfx942 | gfx950, 16, 16, 32, 1, f16, f16, f32,
              sparse_a16_16x32, b16_32x16, d32_16x16, index_16x32, "llvm.amdgcn.smfmac.f32.16x16x32.f16", by_rocjitsu},
      CdnaRow{"v_smfmac_f32_32x32x16_f16", gfx942 | gfx950, 32, 32, 16, 1, f16, f16, f32,
              sparse_a16_32x16, b16_16x32, d32_32x32, index_32x16, "llvm.amdgcn.smfmac.f32.32x32x16.f16", by_rocjitsu},
      CdnaRow{"v_smfmac_f32_16x16x32_bf16", gfx942 | gfx950, 16, 16, 32, 1, bf16, bf16, f32,
              sparse_a16_16x32, b16_32x16, d32_16x16, index_16x32, "llvm.amdgcn.smfmac.f32.16x16x32.bf16", by_rocjitsu},
      CdnaRow{"v_smfmac_f32_32x32x16_bf16", gfx942 | gfx950, 32, 32, 16, 1, bf16, bf16, f32,
              sparse_a16_32x16, b16_16x32, d32_32x32, index_32x16, "llvm.amdgcn.smfmac.f32.32x32x16.bf16", by_rocjitsu},
      CdnaRow{"v_smfmac_i32_16x16x64_i8", gfx942 | gfx950, 16, 16, 64, 1, i8, i8, i32,
              sparse_a8_16x64, b8_64x16, d32_16x16, index_16x64, "llvm.amdgcn.smfmac.i32.16x16x64.i8", by_rocjitsu},
      CdnaRow{"v_smfmac_i32_32x32x32_i8", gfx942 | gfx950, 32, 32, 32, 1, i8, i8, i32,
              sparse_a8_32x32, b8_32x32, d32_32x32, index_32x32, "llvm.amdgcn.smfmac.i32.32x32x32.i8", by_rocjitsu},
      // 8-bit floats, sparse, in the encodings of CDNA3 (no infinities, no negative zero)
      CdnaRow{"v_smfmac_f32_16x16x64_bf8_bf8", gfx942, 16, 16, 64, 1, bf8_fnuz, bf8_fnuz, f32,
              sparse_a8_16x64, b8_64x16, d32_16x16, index_16x64, "llvm.amdgcn.smfmac.f32.16x16x64.bf8.bf8", by_rocjitsu},
      CdnaRow{"v_smfmac_f32_16x16x64_bf8_fp8", gfx942, 16, 16, 64, 1, bf8_fnuz, fp8_fnuz, f32,
              sparse_a8_16x64, b8_64x16, d32_16x16, index_16x64, "llvm.amdgcn.smfmac.f32.16x16x64.bf8.fp8", by_rocjitsu},
      CdnaRow{"v_smfmac_f32_16x16x64_fp8_bf8", gfx942, 16, 16, 64, 1, fp8_fnuz, bf8_fnuz, f32,
              sparse_a8_16x64, b8_64x16, d32_16x16, index_16x64, "llvm.amdgcn.smfmac.f32.16x16x64.fp8.bf8", by_rocjitsu},
      CdnaRow{"v_smfmac_f32_16x16x64_fp8_fp8", gfx942, 16, 16, 64, 1, fp8_fnuz, fp8_fnuz, f32,
              sparse_a8_16x64, b8_64x16, d32_16x16, index_16x64, "llvm.amdgcn.smfmac.f32.16x16x64.fp8.fp8", by_rocjitsu},
      CdnaRow{"v_smfmac_f32_32x32x32_bf8_bf8", gfx942, 32, 32, 32, 1, bf8_fnuz, bf8_fnuz, f32,
              sparse_a8_32x32, b8_32x32, d32_32x32, index_32x32, "llvm.amdgcn.smfmac.f32.32x32x32.bf8.bf8", by_rocjitsu},
      CdnaRow{"v_smfmac_f32_32x32x32_bf8_fp8", gfx942, 32, 32, 32, 1, bf8_fnuz, fp8_fnuz, f32,
              sparse_a8_32x32, b8_32x32, d32_32x32, index_32x32, "llvm.amdgcn.smfmac.f32.32x32x32.bf8.fp8", by_rocjitsu},
      CdnaRow{"v_smfmac_f32_32x32x32_fp8_bf8", gfx942, 32, 32, 32, 1, fp8_fnuz, bf8_fnuz, f32,
              sparse_a8_32x32, b8_32x32, d32_32x32, index_32x32, "llvm.amdgcn.smfmac.f32.32x32x32.fp8.bf8", by_rocjitsu},
      CdnaRow{"v_smfmac_f32_32x32x32_fp8_fp8", gfx942, 32, 32, 32, 1, fp8_fnuz, fp8_fnuz, f32,
              sparse_a8_32x32, b8_32x32, d32_32x32, index_32x32, "llvm.amdgcn.smfmac.f32.32x32x32.fp8.fp8", by_rocjitsu},
      // 8-bit floats, sparse, in the encodings of CDNA4 (OCP)
      CdnaRow{"v_smfmac_f32_16x16x64_bf8_bf8", gfx950, 16, 16, 64, 1, bf8, bf8, f32,
              sparse_a8_16x64, b8_64x16, d32_16x16, index_16x64, "llvm.amdgcn.smfmac.f32.16x16x64.bf8.bf8", by_rocjitsu},
      CdnaRow{"v_smfmac_f32_16x16x64_bf8_fp8", gfx950, 16, 16, 64, 1, bf8, fp8, f32,
              sparse_a8_16x64, b8_64x16, d32_16x16, index_16x64, "llvm.amdgcn.smfmac.f32.16x16x64.bf8.fp8", by_rocjitsu},
      CdnaRow{"v_smfmac_f32_16x16x64_fp8_bf8", gfx950, 16, 16, 64, 1, fp8, bf8, f32,
              sparse_a8_16x64, b8_64x16, d32_16x16, index_16x64, "llvm.amdgcn.smfmac.f32.16x16x64.fp8.bf8", by_rocjitsu},
      CdnaRow{"v_smfmac_f32_16x16x64_fp8_fp8", gfx950, 16, 16, 64, 1, fp8, fp8, f32,
              sparse_a8_16x64, b8_64x16, d32_16x16, index_16x64, "llvm.amdgcn.smfmac.f32.16x16x64.fp8.fp8", by_rocjitsu},
      CdnaRow{"v_smfmac_f32_32x32x32_bf8_bf8", gfx950, 32, 32, 32, 1, bf8, bf8, f32,
              sparse_a8_32x32, b8_32x32, d32_32x32, index_32x32, "llvm.amdgcn.smfmac.f32.32x32x32.bf8.bf8", by_rocjitsu},
      CdnaRow{"v_smfmac_f32_32x32x32_bf8_fp8", gfx950, 32, 32, 32, 1, bf8, fp8, f32,
              sparse_a8_32x32, b8_32x32, d32_32x32, index_32x32, "llvm.amdgcn.smfmac.f32.32x32x32.bf8.fp8", by_rocjitsu},
      CdnaRow{"v_smfmac_f32_32x32x32_fp8_bf8", gfx950, 32, 32, 32, 1, fp8, bf8, f32,
              sparse_a8_32x32, b8_32x32, d32_32x32, index_32x32, "llvm.amdgcn.smfmac.f32.32x32x32.fp8.bf8", by_rocjitsu},
      CdnaRow{"v_smfmac_f32_32x32x32_fp8_fp8", gfx950, 32, 32, 32, 1, fp8, fp8, f32,
              sparse_a8_32x32, b8_32x32, d32_32x32, index_32x32, "llvm.amdgcn.smfmac.f32.32x32x32.fp8.fp8", by_rocjitsu},
      // CDNA4 alone: twice as deep
      CdnaRow{"v_mfma_f32_16x16x32_f16", gfx950, 16, 16, 32, 1, f16, f16, f32,
              a16_16x32, b16_32x16, d32_16x16, no_index, "llvm.amdgcn.mfma.f32.16x16x32.f16"},
      CdnaRow{"v_mfma_f32_16x16x32_bf16", gfx950, 16, 16, 32, 1, bf16, bf16, f32,
              a16_16x32, b16_32x16, d32_16x16, no_index, "llvm.amdgcn.mfma.f32.16x16x32.bf16"},
      CdnaRow{"v_mfma_f32_32x32x16_f16", gfx950, 32, 32, 16, 1, f16, f16, f32,
              a16_32x16, b16_16x32, d32_32x32, no_index, "llvm.amdgcn.mfma.f32.32x32x16.f16"},
      CdnaRow{"v_mfma_f32_32x32x16_bf16", gfx950, 32, 32, 16, 1, bf16, bf16, f32,
              a16_32x16, b16_16x32, d32_32x32, no_index, "llvm.amdgcn.mfma.f32.32x32x16.bf16"},
      CdnaRow{"v_mfma_i32_16x16x64_i8", gfx950, 16, 16, 64, 1, i8, i8, i32,
              a8_16x64, b8_64x16, d32_16x16, no_index, "llvm.amdgcn.mfma.i32.16x16x64.i8"},
      CdnaRow{"v_mfma_i32_32x32x32_i8", gfx950, 32, 32, 32, 1, i8, i8, i32,
              a8_32x32, b8_32x32, d32_32x32, no_index, "llvm.amdgcn.mfma.i32.32x32x32.i8"},
      // CDNA4 alone: sparse, twice as deep
      CdnaRow{"v_smfmac_f32_16x16x64_f16", gfx950, 16, 16, 64, 1, f16, f16, f32,
              sparse_a16_16x64, sparse_b16_64x16, d32_16x16, index_16x64, "llvm.amdgcn.smfmac.f32.16x16x64.f16", by_rocjitsu | by_kernels},
      CdnaRow{"v_smfmac_f32_32x32x32_f16", gfx950, 32, 32, 32, 1, f16, f16, f32,
              sparse_a16_32x32, sparse_b16_32x32, d32_32x32, index_32x32, "llvm.amdgcn.smfmac.f32.32x32x32.f16", by_rocjitsu},
      CdnaRow{"v_smfmac_f32_16x16x64_bf16", gfx950, 16, 16, 64, 1, bf16, bf16, f32,
              sparse_a16_16x64, sparse_b16_64x16, d32_16x16, index_16x64, "llvm.amdgcn.smfmac.f32.16x16x64.bf16", by_rocjitsu},
      CdnaRow{"v_smfmac_f32_32x32x32_bf16", gfx950, 32, 32, 32, 1, bf16, bf16, f32,
              sparse_a16_32x32, sparse_b16_32x32, d32_32x32, index_32x32, "llvm.amdgcn.smfmac.f32.32x32x32.bf16", by_rocjitsu},
      CdnaRow{"v_smfmac_i32_16x16x128_i8", gfx950, 16, 16, 128, 1, i8, i8, i32,
              sparse_a8_16x128, sparse_b8_128x16, d32_16x16, index_16x128, "llvm.amdgcn.smfmac.i32.16x16x128.i8", by_rocjitsu | by_kernels},
      CdnaRow{"v_smfmac_i32_32x32x64_i8", gfx950, 32, 32, 64, 1, i8, i8, i32,
              sparse_a8_32x64, sparse_b8_64x32, d32_32x32, index_32x64, "llvm.amdgcn.smfmac.i32.32x32x64.i8", by_rocjitsu | by_kernels},
      CdnaRow{"v_smfmac_f32_16x16x128_bf8_bf8", gfx950, 16, 16, 128, 1, bf8, bf8, f32,
              sparse_a8_16x128, sparse_b8_128x16, d32_16x16, index_16x128, "llvm.amdgcn.smfmac.f32.16x16x128.bf8.bf8", by_rocjitsu},
      CdnaRow{"v_smfmac_f32_16x16x128_bf8_fp8", gfx950, 16, 16, 128, 1, bf8, fp8, f32,
              sparse_a8_16x128, sparse_b8_128x16, d32_16x16, index_16x128, "llvm.amdgcn.smfmac.f32.16x16x128.bf8.fp8", by_rocjitsu},
      CdnaRow{"v_smfmac_f32_16x16x128_fp8_bf8", gfx950, 16, 16, 128, 1, fp8, bf8, f32,
              sparse_a8_16x128, sparse_b8_128x16, d32_16x16, index_16x128, "llvm.amdgcn.smfmac.f32.16x16x128.fp8.bf8", by_rocjitsu},
      CdnaRow{"v_smfmac_f32_16x16x128_fp8_fp8", gfx950, 16, 16, 128, 1, fp8, fp8, f32,
              sparse_a8_16x128, sparse_b8_128x16, d32_16x16, index_16x128, "llvm.amdgcn.smfmac.f32.16x16x128.fp8.fp8", by_rocjitsu},
      CdnaRow{"v_smfmac_f32_32x32x64_bf8_bf8", gfx950, 32, 32, 64, 1, bf8, bf8, f32,
              sparse_a8_32x64, sparse_b8_64x32, d32_32x32, index_32x64, "llvm.amdgcn.smfmac.f32.32x32x64.bf8.bf8", by_rocjitsu},
      CdnaRow{"v_smfmac_f32_32x32x64_bf8_fp8", gfx950, 32, 32, 64, 1, bf8, fp8, f32,
              sparse_a8_32x64, sparse_b8_64x32, d32_32x32, index_32x64, "llvm.amdgcn.smfmac.f32.32x32x64.bf8.fp8", by_rocjitsu},
      CdnaRow{"v_smfmac_f32_32x32x64_fp8_bf8", gfx950, 32, 32, 64, 1, fp8, bf8, f32,
              sparse_a8_32x64, sparse_b8_64x32, d32_32x32, index_32x64, "llvm.amdgcn.smfmac.f32.32x32x64.fp8.bf8", by_rocjitsu},
      CdnaRow{"v_smfmac_f32_32x32x64_fp8_fp8", gfx950, 32, 32, 64, 1, fp8, fp8, f32,
              sparse_a8_32x64, sparse_b8_64x32, d32_32x32, index_32x64, "llvm.amdgcn.smfmac.f32.32x32x64.fp8.fp8", by_rocjitsu},
      // CDNA4 only: floats of 8, 6 and 4 bits. CBSZ and BLGP choose the formats of A and B; these
      // rows have the first format for both. The scaled products have a scale (an exponent) for
      // each 32 k of a row of A and of a column of B
      CdnaRow{"v_mfma_f32_16x16x128_f8f6f4", gfx950, 16, 16, 128, 1, fp8, fp8, f32,
              a8_16x128, b8_128x16, d32_16x16, no_index, "llvm.amdgcn.mfma.scale.f32.16x16x128.f8f6f4", by_rocjitsu,
              f8f6f4_16x16x128},
      CdnaRow{"v_mfma_scale_f32_16x16x128_f8f6f4", gfx950, 16, 16, 128, 1, fp8, fp8, f32,
              a8_16x128, b8_128x16, d32_16x16, no_index, "llvm.amdgcn.mfma.scale.f32.16x16x128.f8f6f4", by_rocjitsu,
              f8f6f4_16x16x128, scale_a_16x128, scale_b_128x16},
      CdnaRow{"v_mfma_f32_32x32x64_f8f6f4", gfx950, 32, 32, 64, 1, fp8, fp8, f32,
              a8_32x64, b8_64x32, d32_32x32, no_index, "llvm.amdgcn.mfma.scale.f32.32x32x64.f8f6f4", by_rocjitsu,
              f8f6f4_32x32x64},
      CdnaRow{"v_mfma_scale_f32_32x32x64_f8f6f4", gfx950, 32, 32, 64, 1, fp8, fp8, f32,
              a8_32x64, b8_64x32, d32_32x32, no_index, "llvm.amdgcn.mfma.scale.f32.32x32x64.f8f6f4", by_rocjitsu,
              f8f6f4_32x32x64, scale_a_32x64, scale_b_64x32}
  };
}();
// clang-format on

inline constexpr std::array cdna_families{Family::gfx908, Family::gfx90a, Family::gfx942,
                                          Family::gfx950};

/// True if IREE has the layouts of the instruction. IREE has all dense instructions except
/// - f32 of 32x32x2 with one block, and xf32;
/// - bf16 with small k and several blocks.
///
/// With two blocks, IREE orders C and D differently. For the scaled instructions see "Known
/// disagreements" at the top of this file.
constexpr bool is_in_iree(const CdnaRow& row) {
  if (exists(row.index) || !row.formats.empty() || row.a_type == ElementType::xf32) return false;
  if (row.blocks == 1) return row.a_type != ElementType::f32 || row.m == 16;
  return row.blocks != 2 && (row.a_type != ElementType::bf16 || row.k == 4);
}

constexpr bool has_predecessor(const CdnaRow& row) {
  // 8-bit floats have separate rows on CDNA4, because their encodings differ from CDNA3's.
  const bool shallow = row.m * row.k <= (exists(row.index) ? 1024 : 512);
  return row.families.contains(Family::gfx942) ||
         (bits(row.a_type) == 8 && row.d_type == ElementType::f32 && shallow);
}

/// The witnesses (independent sources) that confirm a row for a family. The calculator covers CDNA1
/// to CDNA3, so on CDNA4 it confirms only the instructions that CDNA3 has too. CDNA4's document has
/// formulas for all shapes.
constexpr int witnesses_of(const CdnaRow& row, Family family) {
  int witnesses = static_cast<int>(Witness::llvm) | row.witnesses;
  if (family != Family::gfx950) witnesses |= static_cast<int>(Witness::calculator);
  if (family == Family::gfx950 && (row.d_type != ElementType::f64 || row.blocks == 1))
    witnesses |= static_cast<int>(Witness::document);
  if (family == Family::gfx950 && has_predecessor(row))
    witnesses |= static_cast<int>(Witness::predecessor);
  if (is_in_iree(row)) witnesses |= static_cast<int>(Witness::iree);
  return witnesses;
}

/// The catalogue's row of an instruction, for one of its families.
constexpr Instruction instruction_of(const CdnaRow& row, Family family) {
  const Constraint registers =
      family == Family::gfx908 ? Constraint::accumulation_registers : Constraint::even_tuples;
  Instruction instruction{row.name,
                          family,
                          64,
                          row.m,
                          row.n,
                          row.k,
                          row.blocks,
                          row.a_type,
                          row.b_type,
                          row.d_type,
                          row.a,
                          row.b,
                          row.d,
                          row.index,
                          row.intrinsic,
                          static_cast<std::uint16_t>(registers),
                          static_cast<std::uint16_t>(witnesses_of(row, family))};
  instruction.formats = row.formats;
  if (!exists(row.scale_a)) return instruction;
  instruction.scale_a = row.scale_a;
  instruction.scale_b = row.scale_b;
  instruction.scale_type = ElementType::e8m0;
  return instruction;
}

inline constexpr std::size_t cdna_instruction_count = [] {
  std::size_t count = 0;
  for (const CdnaRow& row : cdna_rows)
    for (const Family family : cdna_families) count += row.families.contains(family);
  return count;
}();

/// The rows above for each family, one family after the other.
inline constexpr auto cdna_instructions = [] {
  std::array<Instruction, cdna_instruction_count> instructions{};
  std::size_t count = 0;
  for (const Family family : cdna_families)
    for (const CdnaRow& row : cdna_rows)
      if (row.families.contains(family)) instructions[count++] = instruction_of(row, family);
  return instructions;
}();

}  // namespace heddle::instruction
