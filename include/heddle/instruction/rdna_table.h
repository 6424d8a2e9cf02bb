// RDNA's matrix instructions: WMMA of RDNA3 and 3.5 (gfx11), WMMA and SWMMAC of RDNA4 (gfx12).
//
// Sources: RDNA3 and RDNA4 Instruction Set Architecture, chapter "Vector ALU Operations", section
// "Wave Matrix Multiply Accumulate (WMMA)", which give the layouts by element width and wave size,
// not by instruction. AMD's matrix instruction calculator 1.3.2 prints the same maps;
// tests/instruction/catalogue_test.cpp compares every element with its output.
//
// To add an instruction: a map below if none fits, one row in rdna_instructions, and the output of
// a witness under tests/data. No code is needed.
//
// THE TWO GENERATIONS COMPARED, 16 x 16 x 16 of 16 bits in waves of 32. Lane l and VGPR v:
//
//     operand    gfx11                                       gfx12, k as the ISA numbers it
//     A          row m = l % 16; k = 2 v, 2 v + 1;           row m = l % 16; four VGPRs:
//                eight VGPRs; lanes 16 to 31 as 0 to 15      k = 8 (v / 2) + 4 (l / 16) + 2 (v % 2)
//                                                            and the next
//     B          the same with column n = l % 16             the same with column n = l % 16
//     D of f32   column n = l % 16; row m = 2 v + l / 16     column n = l % 16; row v + 8 (l / 16)
//
// So on gfx11, v3 of lanes 0 to 15 is row 6 of D and v3 of lanes 16 to 31 is row 7; on gfx12 they
// are rows 3 and 11.
#pragma once

#include "heddle/instruction/instruction.h"

namespace heddle::instruction {

// clang-format off
// Lanes 16-31 hold copies of A and B: their basis is zero. A lane holds a row of A and a column of
// B.
namespace gfx11_wave32 {
inline constexpr OperandMap a16{8, 16,
    "element: (0,1); register: (0,2) (0,4) (0,8); lane: (1,0) (2,0) (4,0) (8,0) (0,0) -> m: 16, k: 16"};
inline constexpr OperandMap b16{8, 16,
    "element: (1,0); register: (2,0) (4,0) (8,0); lane: (0,1) (0,2) (0,4) (0,8) (0,0) -> k: 16, n: 16"};
inline constexpr OperandMap a8{4, 8,
    "element: (0,1) (0,2); register: (0,4) (0,8); lane: (1,0) (2,0) (4,0) (8,0) (0,0) -> m: 16, k: 16"};
inline constexpr OperandMap b8{4, 8,
    "element: (1,0) (2,0); register: (4,0) (8,0); lane: (0,1) (0,2) (0,4) (0,8) (0,0) -> k: 16, n: 16"};
inline constexpr OperandMap a4{2, 4,
    "element: (0,1) (0,2) (0,4); register: (0,8); lane: (1,0) (2,0) (4,0) (8,0) (0,0) -> m: 16, k: 16"};
inline constexpr OperandMap b4{2, 4,
    "element: (1,0) (2,0) (4,0); register: (8,0); lane: (0,1) (0,2) (0,4) (0,8) (0,0) -> k: 16, n: 16"};
inline constexpr OperandMap d32{8, 32,
    "element:; register: (2,0) (4,0) (8,0); lane: (0,1) (0,2) (0,4) (0,8) (1,0) -> m: 16, n: 16"};
inline constexpr OperandMap d16{8, 16,
    "element:; register: (2,0) (4,0) (8,0); lane: (0,1) (0,2) (0,4) (0,8) (1,0) -> m: 16, n: 16"};
}  // namespace gfx11_wave32

// Like wave32, but with four copies of A and B.
namespace gfx11_wave64 {
inline constexpr OperandMap a16{8, 16,
    "element: (0,1); register: (0,2) (0,4) (0,8); lane: (1,0) (2,0) (4,0) (8,0) (0,0) (0,0) -> m: 16, k: 16"};
inline constexpr OperandMap b16{8, 16,
    "element: (1,0); register: (2,0) (4,0) (8,0); lane: (0,1) (0,2) (0,4) (0,8) (0,0) (0,0) -> k: 16, n: 16"};
inline constexpr OperandMap a8{4, 8,
    "element: (0,1) (0,2); register: (0,4) (0,8); lane: (1,0) (2,0) (4,0) (8,0) (0,0) (0,0) -> m: 16, k: 16"};
inline constexpr OperandMap b8{4, 8,
    "element: (1,0) (2,0); register: (4,0) (8,0); lane: (0,1) (0,2) (0,4) (0,8) (0,0) (0,0) -> k: 16, n: 16"};
inline constexpr OperandMap a4{2, 4,
    "element: (0,1) (0,2) (0,4); register: (0,8); lane: (1,0) (2,0) (4,0) (8,0) (0,0) (0,0) -> m: 16, k: 16"};
inline constexpr OperandMap b4{2, 4,
    "element: (1,0) (2,0) (4,0); register: (8,0); lane: (0,1) (0,2) (0,4) (0,8) (0,0) (0,0) -> k: 16, n: 16"};
inline constexpr OperandMap d32{4, 32,
    "element:; register: (4,0) (8,0); lane: (0,1) (0,2) (0,4) (0,8) (1,0) (2,0) -> m: 16, n: 16"};
inline constexpr OperandMap d16{4, 16,
    "element:; register: (4,0) (8,0); lane: (0,1) (0,2) (0,4) (0,8) (1,0) (2,0) -> m: 16, n: 16"};
}  // namespace gfx11_wave64

// There are no copies. In the ISA's order of k, lanes 0-15 and lanes 16-31 alternately hold four
// consecutive k of 16-bit A and B; see KOrder.
namespace gfx12_wave32 {
inline constexpr OperandMap a16{4, 16,
    "element: (0,1); register: (0,2) (0,8); lane: (1,0) (2,0) (4,0) (8,0) (0,4) -> m: 16, k: 16"};
inline constexpr OperandMap b16{4, 16,
    "element: (1,0); register: (2,0) (8,0); lane: (0,1) (0,2) (0,4) (0,8) (4,0) -> k: 16, n: 16"};
inline constexpr OperandMap a8{2, 8,
    "element: (0,1) (0,2); register: (0,4); lane: (1,0) (2,0) (4,0) (8,0) (0,8) -> m: 16, k: 16"};
inline constexpr OperandMap b8{2, 8,
    "element: (1,0) (2,0); register: (4,0); lane: (0,1) (0,2) (0,4) (0,8) (8,0) -> k: 16, n: 16"};
inline constexpr OperandMap a4_k16{1, 4,
    "element: (0,1) (0,2) (0,4); register:; lane: (1,0) (2,0) (4,0) (8,0) (0,8) -> m: 16, k: 16"};
inline constexpr OperandMap b4_k16{1, 4,
    "element: (1,0) (2,0) (4,0); register:; lane: (0,1) (0,2) (0,4) (0,8) (8,0) -> k: 16, n: 16"};
inline constexpr OperandMap a4_k32{2, 4,
    "element: (0,1) (0,2) (0,4); register: (0,8); lane: (1,0) (2,0) (4,0) (8,0) (0,16) -> m: 16, k: 32"};
inline constexpr OperandMap b4_k32{2, 4,
    "element: (1,0) (2,0) (4,0); register: (8,0); lane: (0,1) (0,2) (0,4) (0,8) (16,0) -> k: 32, n: 16"};
inline constexpr OperandMap d32{8, 32,
    "element:; register: (1,0) (2,0) (4,0); lane: (0,1) (0,2) (0,4) (0,8) (8,0) -> m: 16, n: 16"};
inline constexpr OperandMap d16{4, 16,
    "element: (1,0); register: (2,0) (4,0); lane: (0,1) (0,2) (0,4) (0,8) (8,0) -> m: 16, n: 16"};
// Sparse products. In the maps of A and of its index, the axis `group` counts groups of 4
// consecutive k. B has twice as many k as A stores.
inline constexpr OperandMap sparse_a16{4, 32,
    "element:; register: (0,1) (0,4); lane: (1,0) (2,0) (4,0) (8,0) (0,2) -> m: 16, group: 8"};
inline constexpr OperandMap sparse_a8{2, 16,
    "element: (0,1); register: (0,2); lane: (1,0) (2,0) (4,0) (8,0) (0,4) -> m: 16, group: 8"};
inline constexpr OperandMap sparse_a4{1, 8,
    "element: (0,1) (0,2); register:; lane: (1,0) (2,0) (4,0) (8,0) (0,4) -> m: 16, group: 8"};
inline constexpr OperandMap sparse_b16{8, 16,
    "element: (1,0); register: (2,0) (4,0) (16,0); lane: (0,1) (0,2) (0,4) (0,8) (8,0) -> k: 32, n: 16"};
inline constexpr OperandMap sparse_b8{4, 8,
    "element: (1,0) (2,0); register: (4,0) (8,0); lane: (0,1) (0,2) (0,4) (0,8) (16,0) -> k: 32, n: 16"};
inline constexpr OperandMap sparse_a4_k64{2, 8,
    "element: (0,1) (0,2); register: (0,4); lane: (1,0) (2,0) (4,0) (8,0) (0,8) -> m: 16, group: 16"};
inline constexpr OperandMap sparse_b4_k64{4, 4,
    "element: (1,0) (2,0) (4,0); register: (8,0) (16,0); lane: (0,1) (0,2) (0,4) (0,8) (32,0) -> k: 64, n: 16"};
inline constexpr OperandMap index_k64{1, 4,
    "element: (0,1) (0,2) (0,4); register:; lane: (1,0) (2,0) (4,0) (8,0) (0,8) -> m: 16, group: 16"};
inline constexpr OperandMap index16{1, 4,
    "element: (0,1) (0,4); register:; lane: (1,0) (2,0) (4,0) (8,0) (0,2) -> m: 16, group: 8"};
inline constexpr OperandMap index8{1, 4,
    "element: (0,1) (0,2); register:; lane: (1,0) (2,0) (4,0) (8,0) (0,4) -> m: 16, group: 8"};
}  // namespace gfx12_wave32

namespace gfx12_wave64 {
inline constexpr OperandMap a16{2, 16,
    "element: (0,1); register: (0,2); lane: (1,0) (2,0) (4,0) (8,0) (0,4) (0,8) -> m: 16, k: 16"};
inline constexpr OperandMap b16{2, 16,
    "element: (1,0); register: (2,0); lane: (0,1) (0,2) (0,4) (0,8) (4,0) (8,0) -> k: 16, n: 16"};
inline constexpr OperandMap a8{1, 8,
    "element: (0,1) (0,2); register:; lane: (1,0) (2,0) (4,0) (8,0) (0,8) (0,4) -> m: 16, k: 16"};
inline constexpr OperandMap b8{1, 8,
    "element: (1,0) (2,0); register:; lane: (0,1) (0,2) (0,4) (0,8) (8,0) (4,0) -> k: 16, n: 16"};
inline constexpr OperandMap a4_k32{1, 4,
    "element: (0,1) (0,2) (0,4); register:; lane: (1,0) (2,0) (4,0) (8,0) (0,16) (0,8) -> m: 16, k: 32"};
inline constexpr OperandMap b4_k32{1, 4,
    "element: (1,0) (2,0) (4,0); register:; lane: (0,1) (0,2) (0,4) (0,8) (16,0) (8,0) -> k: 32, n: 16"};
inline constexpr OperandMap d32{4, 32,
    "element:; register: (1,0) (2,0); lane: (0,1) (0,2) (0,4) (0,8) (8,0) (4,0) -> m: 16, n: 16"};
inline constexpr OperandMap d16{2, 16,
    "element: (1,0); register: (2,0); lane: (0,1) (0,2) (0,4) (0,8) (8,0) (4,0) -> m: 16, n: 16"};
// Operands of iu4 may be too small for 64 lanes. A sparse A and its index with k = 32 fill only
// lanes 0-31. Dense A and B with k = 16 fill only lanes 0-31 too; their rows use the maps of
// wave32.
inline constexpr OperandMap sparse_a16{2, 32,
    "element:; register: (0,1); lane: (1,0) (2,0) (4,0) (8,0) (0,2) (0,4) -> m: 16, group: 8"};
inline constexpr OperandMap sparse_a8{1, 16,
    "element: (0,1); register:; lane: (1,0) (2,0) (4,0) (8,0) (0,4) (0,2) -> m: 16, group: 8"};
inline constexpr OperandMap sparse_a4{1, 8,
    "element: (0,1) (0,2); register:; lane: (1,0) (2,0) (4,0) (8,0) (0,4) -> m: 16, group: 8"};
inline constexpr OperandMap sparse_b16{4, 16,
    "element: (1,0); register: (2,0) (4,0); lane: (0,1) (0,2) (0,4) (0,8) (8,0) (16,0) -> k: 32, n: 16"};
inline constexpr OperandMap sparse_b8{2, 8,
    "element: (1,0) (2,0); register: (4,0); lane: (0,1) (0,2) (0,4) (0,8) (16,0) (8,0) -> k: 32, n: 16"};
inline constexpr OperandMap index16{1, 4,
    "element: (0,1); register:; lane: (1,0) (2,0) (4,0) (8,0) (0,2) (0,4) -> m: 16, group: 8"};
inline constexpr OperandMap index8{1, 4,
    "element: (0,1); register:; lane: (1,0) (2,0) (4,0) (8,0) (0,4) (0,2) -> m: 16, group: 8"};
inline constexpr OperandMap index4{1, 4,
    "element: (0,1) (0,2); register:; lane: (1,0) (2,0) (4,0) (8,0) (0,4) -> m: 16, group: 8"};
inline constexpr OperandMap sparse_a4_k64{1, 8,
    "element: (0,1) (0,2); register:; lane: (1,0) (2,0) (4,0) (8,0) (0,8) (0,4) -> m: 16, group: 16"};
inline constexpr OperandMap sparse_b4_k64{2, 4,
    "element: (1,0) (2,0) (4,0); register: (8,0); lane: (0,1) (0,2) (0,4) (0,8) (32,0) (16,0) -> k: 64, n: 16"};
inline constexpr OperandMap index_k64{1, 4,
    "element: (0,1) (0,2); register:; lane: (1,0) (2,0) (4,0) (8,0) (0,8) (0,4) -> m: 16, group: 16"};
}  // namespace gfx12_wave64

// Values for the last columns of a row. LLVM confirms every row: a test assembles it.
inline constexpr std::uint16_t full_exec = static_cast<std::uint16_t>(Constraint::exec_all_ones);
inline constexpr std::uint16_t copies =
    full_exec | static_cast<std::uint16_t>(Constraint::equal_copies);
inline constexpr std::uint16_t by_llvm = static_cast<std::uint16_t>(Witness::llvm);
// AMD's calculator and emulator know them all.
inline constexpr std::uint16_t by_calculator = by_llvm |
                                               static_cast<std::uint16_t>(Witness::calculator) |
                                               static_cast<std::uint16_t>(Witness::rocjitsu);
inline constexpr std::uint16_t by_iree = by_llvm | static_cast<std::uint16_t>(Witness::iree);
inline constexpr std::uint16_t by_tilelang = by_llvm | static_cast<std::uint16_t>(Witness::tilelang);

// Column legend: name, family, wave, m, n, k, blocks, types of A, B and C/D, maps of A, B, C/D and
// the sparse index, LLVM's intrinsic, constraints, witnesses.
inline constexpr OperandMap no_index{};
inline constexpr std::array rdna_instructions = [] {
  using enum ElementType;
  using enum Family;
  return std::array{
      // RDNA3 and 3.5, wave32
      Instruction{"v_wmma_f32_16x16x16_f16", gfx11, 32, 16, 16, 16, 1, f16, f16, f32,
                  gfx11_wave32::a16, gfx11_wave32::b16, gfx11_wave32::d32, no_index,
                  "llvm.amdgcn.wmma.f32.16x16x16.f16", copies, by_calculator | by_iree | by_tilelang},
      Instruction{"v_wmma_f32_16x16x16_bf16", gfx11, 32, 16, 16, 16, 1, bf16, bf16, f32,
                  gfx11_wave32::a16, gfx11_wave32::b16, gfx11_wave32::d32, no_index,
                  "llvm.amdgcn.wmma.f32.16x16x16.bf16", copies, by_calculator | by_iree | by_tilelang},
      Instruction{"v_wmma_f16_16x16x16_f16", gfx11, 32, 16, 16, 16, 1, f16, f16, f16,
                  gfx11_wave32::a16, gfx11_wave32::b16, gfx11_wave32::d16, no_index,
                  "llvm.amdgcn.wmma.f16.16x16x16.f16", copies, by_calculator | by_iree},
      Instruction{"v_wmma_bf16_16x16x16_bf16", gfx11, 32, 16, 16, 16, 1, bf16, bf16, bf16,
                  gfx11_wave32::a16, gfx11_wave32::b16, gfx11_wave32::d16, no_index,
                  "llvm.amdgcn.wmma.bf16.16x16x16.bf16", copies, by_calculator | by_iree},
      Instruction{"v_wmma_i32_16x16x16_iu8", gfx11, 32, 16, 16, 16, 1, iu8, iu8, i32,
                  gfx11_wave32::a8, gfx11_wave32::b8, gfx11_wave32::d32, no_index,
                  "llvm.amdgcn.wmma.i32.16x16x16.iu8", copies, by_calculator | by_iree},
      Instruction{"v_wmma_i32_16x16x16_iu4", gfx11, 32, 16, 16, 16, 1, iu4, iu4, i32,
                  gfx11_wave32::a4, gfx11_wave32::b4, gfx11_wave32::d32, no_index,
                  "llvm.amdgcn.wmma.i32.16x16x16.iu4", copies, by_calculator},
      // RDNA3 and 3.5, wave64
      Instruction{"v_wmma_f32_16x16x16_f16", gfx11, 64, 16, 16, 16, 1, f16, f16, f32,
                  gfx11_wave64::a16, gfx11_wave64::b16, gfx11_wave64::d32, no_index,
                  "llvm.amdgcn.wmma.f32.16x16x16.f16", copies, by_calculator},
      Instruction{"v_wmma_f32_16x16x16_bf16", gfx11, 64, 16, 16, 16, 1, bf16, bf16, f32,
                  gfx11_wave64::a16, gfx11_wave64::b16, gfx11_wave64::d32, no_index,
                  "llvm.amdgcn.wmma.f32.16x16x16.bf16", copies, by_calculator},
      Instruction{"v_wmma_f16_16x16x16_f16", gfx11, 64, 16, 16, 16, 1, f16, f16, f16,
                  gfx11_wave64::a16, gfx11_wave64::b16, gfx11_wave64::d16, no_index,
                  "llvm.amdgcn.wmma.f16.16x16x16.f16", copies, by_calculator},
      Instruction{"v_wmma_bf16_16x16x16_bf16", gfx11, 64, 16, 16, 16, 1, bf16, bf16, bf16,
                  gfx11_wave64::a16, gfx11_wave64::b16, gfx11_wave64::d16, no_index,
                  "llvm.amdgcn.wmma.bf16.16x16x16.bf16", copies, by_calculator},
      Instruction{"v_wmma_i32_16x16x16_iu8", gfx11, 64, 16, 16, 16, 1, iu8, iu8, i32,
                  gfx11_wave64::a8, gfx11_wave64::b8, gfx11_wave64::d32, no_index,
                  "llvm.amdgcn.wmma.i32.16x16x16.iu8", copies, by_calculator},
      Instruction{"v_wmma_i32_16x16x16_iu4", gfx11, 64, 16, 16, 16, 1, iu4, iu4, i32,
                  gfx11_wave64::a4, gfx11_wave64::b4, gfx11_wave64::d32, no_index,
                  "llvm.amdgcn.wmma.i32.16x16x16.iu4", copies, by_calculator},
      // RDNA4, wave32
      Instruction{"v_wmma_f32_16x16x16_f16", gfx12, 32, 16, 16, 16, 1, f16, f16, f32,
                  gfx12_wave32::a16, gfx12_wave32::b16, gfx12_wave32::d32, no_index,
                  "llvm.amdgcn.wmma.f32.16x16x16.f16", full_exec, by_calculator | by_iree | by_tilelang},
      Instruction{"v_wmma_f32_16x16x16_bf16", gfx12, 32, 16, 16, 16, 1, bf16, bf16, f32,
                  gfx12_wave32::a16, gfx12_wave32::b16, gfx12_wave32::d32, no_index,
                  "llvm.amdgcn.wmma.f32.16x16x16.bf16", full_exec, by_calculator | by_iree | by_tilelang},
      Instruction{"v_wmma_f16_16x16x16_f16", gfx12, 32, 16, 16, 16, 1, f16, f16, f16,
                  gfx12_wave32::a16, gfx12_wave32::b16, gfx12_wave32::d16, no_index,
                  "llvm.amdgcn.wmma.f16.16x16x16.f16", full_exec, by_calculator | by_iree},
      Instruction{"v_wmma_bf16_16x16x16_bf16", gfx12, 32, 16, 16, 16, 1, bf16, bf16, bf16,
                  gfx12_wave32::a16, gfx12_wave32::b16, gfx12_wave32::d16, no_index,
                  "llvm.amdgcn.wmma.bf16.16x16x16.bf16", full_exec, by_calculator | by_iree},
      Instruction{"v_wmma_i32_16x16x16_iu8", gfx12, 32, 16, 16, 16, 1, iu8, iu8, i32,
                  gfx12_wave32::a8, gfx12_wave32::b8, gfx12_wave32::d32, no_index,
                  "llvm.amdgcn.wmma.i32.16x16x16.iu8", full_exec, by_calculator | by_iree},
      Instruction{"v_wmma_i32_16x16x16_iu4", gfx12, 32, 16, 16, 16, 1, iu4, iu4, i32,
                  gfx12_wave32::a4_k16, gfx12_wave32::b4_k16, gfx12_wave32::d32, no_index,
                  "llvm.amdgcn.wmma.i32.16x16x16.iu4", full_exec, by_calculator},
      Instruction{"v_wmma_i32_16x16x32_iu4", gfx12, 32, 16, 16, 32, 1, iu4, iu4, i32,
                  gfx12_wave32::a4_k32, gfx12_wave32::b4_k32, gfx12_wave32::d32, no_index,
                  "llvm.amdgcn.wmma.i32.16x16x32.iu4", full_exec, by_calculator},
      Instruction{"v_wmma_f32_16x16x16_fp8_fp8", gfx12, 32, 16, 16, 16, 1, fp8, fp8, f32,
                  gfx12_wave32::a8, gfx12_wave32::b8, gfx12_wave32::d32, no_index,
                  "llvm.amdgcn.wmma.f32.16x16x16.fp8.fp8", full_exec, by_calculator | by_iree},
      Instruction{"v_wmma_f32_16x16x16_fp8_bf8", gfx12, 32, 16, 16, 16, 1, fp8, bf8, f32,
                  gfx12_wave32::a8, gfx12_wave32::b8, gfx12_wave32::d32, no_index,
                  "llvm.amdgcn.wmma.f32.16x16x16.fp8.bf8", full_exec, by_calculator | by_iree},
      Instruction{"v_wmma_f32_16x16x16_bf8_fp8", gfx12, 32, 16, 16, 16, 1, bf8, fp8, f32,
                  gfx12_wave32::a8, gfx12_wave32::b8, gfx12_wave32::d32, no_index,
                  "llvm.amdgcn.wmma.f32.16x16x16.bf8.fp8", full_exec, by_calculator | by_iree},
      Instruction{"v_wmma_f32_16x16x16_bf8_bf8", gfx12, 32, 16, 16, 16, 1, bf8, bf8, f32,
                  gfx12_wave32::a8, gfx12_wave32::b8, gfx12_wave32::d32, no_index,
                  "llvm.amdgcn.wmma.f32.16x16x16.bf8.bf8", full_exec, by_calculator | by_iree},
      // RDNA4, wave32, sparse A
      Instruction{"v_swmmac_f32_16x16x32_f16", gfx12, 32, 16, 16, 32, 1, f16, f16, f32,
                  gfx12_wave32::sparse_a16, gfx12_wave32::sparse_b16, gfx12_wave32::d32, gfx12_wave32::index16,
                  "llvm.amdgcn.swmmac.f32.16x16x32.f16", full_exec, by_calculator},
      Instruction{"v_swmmac_f32_16x16x32_bf16", gfx12, 32, 16, 16, 32, 1, bf16, bf16, f32,
                  gfx12_wave32::sparse_a16, gfx12_wave32::sparse_b16, gfx12_wave32::d32, gfx12_wave32::index16,
                  "llvm.amdgcn.swmmac.f32.16x16x32.bf16", full_exec, by_calculator},
      Instruction{"v_swmmac_f16_16x16x32_f16", gfx12, 32, 16, 16, 32, 1, f16, f16, f16,
                  gfx12_wave32::sparse_a16, gfx12_wave32::sparse_b16, gfx12_wave32::d16, gfx12_wave32::index16,
                  "llvm.amdgcn.swmmac.f16.16x16x32.f16", full_exec, by_calculator},
      Instruction{"v_swmmac_bf16_16x16x32_bf16", gfx12, 32, 16, 16, 32, 1, bf16, bf16, bf16,
                  gfx12_wave32::sparse_a16, gfx12_wave32::sparse_b16, gfx12_wave32::d16, gfx12_wave32::index16,
                  "llvm.amdgcn.swmmac.bf16.16x16x32.bf16", full_exec, by_calculator},
      Instruction{"v_swmmac_i32_16x16x32_iu8", gfx12, 32, 16, 16, 32, 1, iu8, iu8, i32,
                  gfx12_wave32::sparse_a8, gfx12_wave32::sparse_b8, gfx12_wave32::d32, gfx12_wave32::index8,
                  "llvm.amdgcn.swmmac.i32.16x16x32.iu8", full_exec, by_calculator},
      Instruction{"v_swmmac_i32_16x16x32_iu4", gfx12, 32, 16, 16, 32, 1, iu4, iu4, i32,
                  gfx12_wave32::sparse_a4, gfx12_wave32::b4_k32, gfx12_wave32::d32, gfx12_wave32::index8,
                  "llvm.amdgcn.swmmac.i32.16x16x32.iu4", full_exec, by_calculator},
      Instruction{"v_swmmac_i32_16x16x64_iu4", gfx12, 32, 16, 16, 64, 1, iu4, iu4, i32,
                  gfx12_wave32::sparse_a4_k64, gfx12_wave32::sparse_b4_k64, gfx12_wave32::d32, gfx12_wave32::index_k64,
                  "llvm.amdgcn.swmmac.i32.16x16x64.iu4", full_exec, by_calculator},
      Instruction{"v_swmmac_f32_16x16x32_fp8_fp8", gfx12, 32, 16, 16, 32, 1, fp8, fp8, f32,
                  gfx12_wave32::sparse_a8, gfx12_wave32::sparse_b8, gfx12_wave32::d32, gfx12_wave32::index8,
                  "llvm.amdgcn.swmmac.f32.16x16x32.fp8.fp8", full_exec, by_calculator},
      Instruction{"v_swmmac_f32_16x16x32_fp8_bf8", gfx12, 32, 16, 16, 32, 1, fp8, bf8, f32,
                  gfx12_wave32::sparse_a8, gfx12_wave32::sparse_b8, gfx12_wave32::d32, gfx12_wave32::index8,
                  "llvm.amdgcn.swmmac.f32.16x16x32.fp8.bf8", full_exec, by_calculator},
      Instruction{"v_swmmac_f32_16x16x32_bf8_fp8", gfx12, 32, 16, 16, 32, 1, bf8, fp8, f32,
                  gfx12_wave32::sparse_a8, gfx12_wave32::sparse_b8, gfx12_wave32::d32, gfx12_wave32::index8,
                  "llvm.amdgcn.swmmac.f32.16x16x32.bf8.fp8", full_exec, by_calculator},
      Instruction{"v_swmmac_f32_16x16x32_bf8_bf8", gfx12, 32, 16, 16, 32, 1, bf8, bf8, f32,
                  gfx12_wave32::sparse_a8, gfx12_wave32::sparse_b8, gfx12_wave32::d32, gfx12_wave32::index8,
                  "llvm.amdgcn.swmmac.f32.16x16x32.bf8.bf8", full_exec, by_calculator},
      // RDNA4, wave64
      Instruction{"v_wmma_f32_16x16x16_f16", gfx12, 64, 16, 16, 16, 1, f16, f16, f32,
                  gfx12_wave64::a16, gfx12_wave64::b16, gfx12_wave64::d32, no_index,
                  "llvm.amdgcn.wmma.f32.16x16x16.f16", full_exec, by_calculator},
      Instruction{"v_wmma_f32_16x16x16_bf16", gfx12, 64, 16, 16, 16, 1, bf16, bf16, f32,
                  gfx12_wave64::a16, gfx12_wave64::b16, gfx12_wave64::d32, no_index,
                  "llvm.amdgcn.wmma.f32.16x16x16.bf16", full_exec, by_calculator},
      Instruction{"v_wmma_f16_16x16x16_f16", gfx12, 64, 16, 16, 16, 1, f16, f16, f16,
                  gfx12_wave64::a16, gfx12_wave64::b16, gfx12_wave64::d16, no_index,
                  "llvm.amdgcn.wmma.f16.16x16x16.f16", full_exec, by_calculator},
      Instruction{"v_wmma_bf16_16x16x16_bf16", gfx12, 64, 16, 16, 16, 1, bf16, bf16, bf16,
                  gfx12_wave64::a16, gfx12_wave64::b16, gfx12_wave64::d16, no_index,
                  "llvm.amdgcn.wmma.bf16.16x16x16.bf16", full_exec, by_calculator},
      Instruction{"v_wmma_i32_16x16x16_iu8", gfx12, 64, 16, 16, 16, 1, iu8, iu8, i32,
                  gfx12_wave64::a8, gfx12_wave64::b8, gfx12_wave64::d32, no_index,
                  "llvm.amdgcn.wmma.i32.16x16x16.iu8", full_exec, by_calculator},
      Instruction{"v_wmma_i32_16x16x16_iu4", gfx12, 64, 16, 16, 16, 1, iu4, iu4, i32,
                  gfx12_wave32::a4_k16, gfx12_wave32::b4_k16, gfx12_wave64::d32, no_index,
                  "llvm.amdgcn.wmma.i32.16x16x16.iu4", full_exec, by_calculator},
      Instruction{"v_wmma_i32_16x16x32_iu4", gfx12, 64, 16, 16, 32, 1, iu4, iu4, i32,
                  gfx12_wave64::a4_k32, gfx12_wave64::b4_k32, gfx12_wave64::d32, no_index,
                  "llvm.amdgcn.wmma.i32.16x16x32.iu4", full_exec, by_calculator},
      Instruction{"v_wmma_f32_16x16x16_fp8_fp8", gfx12, 64, 16, 16, 16, 1, fp8, fp8, f32,
                  gfx12_wave64::a8, gfx12_wave64::b8, gfx12_wave64::d32, no_index,
                  "llvm.amdgcn.wmma.f32.16x16x16.fp8.fp8", full_exec, by_calculator},
      Instruction{"v_wmma_f32_16x16x16_fp8_bf8", gfx12, 64, 16, 16, 16, 1, fp8, bf8, f32,
                  gfx12_wave64::a8, gfx12_wave64::b8, gfx12_wave64::d32, no_index,
                  "llvm.amdgcn.wmma.f32.16x16x16.fp8.bf8", full_exec, by_calculator},
      Instruction{"v_wmma_f32_16x16x16_bf8_fp8", gfx12, 64, 16, 16, 16, 1, bf8, fp8, f32,
                  gfx12_wave64::a8, gfx12_wave64::b8, gfx12_wave64::d32, no_index,
                  "llvm.amdgcn.wmma.f32.16x16x16.bf8.fp8", full_exec, by_calculator},
      Instruction{"v_wmma_f32_16x16x16_bf8_bf8", gfx12, 64, 16, 16, 16, 1, bf8, bf8, f32,
                  gfx12_wave64::a8, gfx12_wave64::b8, gfx12_wave64::d32, no_index,
                  "llvm.amdgcn.wmma.f32.16x16x16.bf8.bf8", full_exec, by_calculator},
      // RDNA4, wave64, sparse A
      Instruction{"v_swmmac_f32_16x16x32_f16", gfx12, 64, 16, 16, 32, 1, f16, f16, f32,
                  gfx12_wave64::sparse_a16, gfx12_wave64::sparse_b16, gfx12_wave64::d32, gfx12_wave64::index16,
                  "llvm.amdgcn.swmmac.f32.16x16x32.f16", full_exec, by_calculator},
      Instruction{"v_swmmac_f32_16x16x32_bf16", gfx12, 64, 16, 16, 32, 1, bf16, bf16, f32,
                  gfx12_wave64::sparse_a16, gfx12_wave64::sparse_b16, gfx12_wave64::d32, gfx12_wave64::index16,
                  "llvm.amdgcn.swmmac.f32.16x16x32.bf16", full_exec, by_calculator},
      Instruction{"v_swmmac_f16_16x16x32_f16", gfx12, 64, 16, 16, 32, 1, f16, f16, f16,
                  gfx12_wave64::sparse_a16, gfx12_wave64::sparse_b16, gfx12_wave64::d16, gfx12_wave64::index16,
                  "llvm.amdgcn.swmmac.f16.16x16x32.f16", full_exec, by_calculator},
      Instruction{"v_swmmac_bf16_16x16x32_bf16", gfx12, 64, 16, 16, 32, 1, bf16, bf16, bf16,
                  gfx12_wave64::sparse_a16, gfx12_wave64::sparse_b16, gfx12_wave64::d16, gfx12_wave64::index16,
                  "llvm.amdgcn.swmmac.bf16.16x16x32.bf16", full_exec, by_calculator},
      Instruction{"v_swmmac_i32_16x16x32_iu8", gfx12, 64, 16, 16, 32, 1, iu8, iu8, i32,
                  gfx12_wave64::sparse_a8, gfx12_wave64::sparse_b8, gfx12_wave64::d32, gfx12_wave64::index8,
                  "llvm.amdgcn.swmmac.i32.16x16x32.iu8", full_exec, by_calculator},
      Instruction{"v_swmmac_i32_16x16x32_iu4", gfx12, 64, 16, 16, 32, 1, iu4, iu4, i32,
                  gfx12_wave64::sparse_a4, gfx12_wave64::b4_k32, gfx12_wave64::d32, gfx12_wave64::index4,
                  "llvm.amdgcn.swmmac.i32.16x16x32.iu4", full_exec, by_calculator},
      Instruction{"v_swmmac_i32_16x16x64_iu4", gfx12, 64, 16, 16, 64, 1, iu4, iu4, i32,
                  gfx12_wave64::sparse_a4_k64, gfx12_wave64::sparse_b4_k64, gfx12_wave64::d32, gfx12_wave64::index_k64,
                  "llvm.amdgcn.swmmac.i32.16x16x64.iu4", full_exec, by_calculator},
      Instruction{"v_swmmac_f32_16x16x32_fp8_fp8", gfx12, 64, 16, 16, 32, 1, fp8, fp8, f32,
                  gfx12_wave64::sparse_a8, gfx12_wave64::sparse_b8, gfx12_wave64::d32, gfx12_wave64::index8,
                  "llvm.amdgcn.swmmac.f32.16x16x32.fp8.fp8", full_exec, by_calculator},
      Instruction{"v_swmmac_f32_16x16x32_fp8_bf8", gfx12, 64, 16, 16, 32, 1, fp8, bf8, f32,
                  gfx12_wave64::sparse_a8, gfx12_wave64::sparse_b8, gfx12_wave64::d32, gfx12_wave64::index8,
                  "llvm.amdgcn.swmmac.f32.16x16x32.fp8.bf8", full_exec, by_calculator},
      Instruction{"v_swmmac_f32_16x16x32_bf8_fp8", gfx12, 64, 16, 16, 32, 1, bf8, fp8, f32,
                  gfx12_wave64::sparse_a8, gfx12_wave64::sparse_b8, gfx12_wave64::d32, gfx12_wave64::index8,
                  "llvm.amdgcn.swmmac.f32.16x16x32.bf8.fp8", full_exec, by_calculator},
      Instruction{"v_swmmac_f32_16x16x32_bf8_bf8", gfx12, 64, 16, 16, 32, 1, bf8, bf8, f32,
                  gfx12_wave64::sparse_a8, gfx12_wave64::sparse_b8, gfx12_wave64::d32, gfx12_wave64::index8,
                  "llvm.amdgcn.swmmac.f32.16x16x32.bf8.bf8", full_exec, by_calculator}
  };
}();
// clang-format on

}  // namespace heddle::instruction
