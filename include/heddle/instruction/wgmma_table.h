// wgmma.mma_async of sm_90: a warpgroup of 128 lanes multiplies. B is in shared memory; A is in
// registers or in shared memory.
//
// Sources: PTX ISA 9.0, "Register Fragments and Shared Memory Matrix Layouts" and "Matrix fragments
// for warpgroup-level multiply-accumulate operation with sparse matrix A" of the asynchronous
// warpgroup level instructions; CuTe's mma_traits_sm90_gmma.hpp and
// mma_traits_sm90_gmma_sparse.hpp. tests/instruction/wgmma_table_test.cpp compares every element
// with both.
//
// A row stands for all n of its list. Its map of A is that of registers; in shared memory A has the
// layouts of B (shared_operand.h). `.satfinite` of the integer rows does not change layouts and has
// no rows of its own.
//
// D of m64nN into f32: warp w = t / 32 of the warpgroup (t is the thread) has rows 16 w to 16 w +
// 15. Each 8 columns have the layout of mma.sync's D (mma_maps.h): register 4 j + r is register r
// of columns 8 j to 8 j + 7. So N = 256 takes 128 registers of every thread. A in registers has the
// layout of mma.sync's A, with 16 rows for each warp; A and B in shared memory have the layouts of
// their descriptors (shared_operand.h).
#pragma once

#include "heddle/instruction/instruction.h"

namespace heddle::instruction {

// clang-format off
namespace wgmma {
// Warp w of the four holds rows 16 * w to 16 * w + 15, in the layouts of A and D of mma.sync.
inline constexpr OperandMap a32{4, 32,
    "element:; register: (8,0) (0,4); lane: (0,1) (0,2) (1,0) (2,0) (4,0) (16,0) (32,0) -> m: 64, k: 8"};
inline constexpr OperandMap a16{4, 16,
    "element: (0,1); register: (8,0) (0,8); lane: (0,2) (0,4) (1,0) (2,0) (4,0) (16,0) (32,0) -> m: 64, k: 16"};
inline constexpr OperandMap a8{4, 8,
    "element: (0,1) (0,2); register: (8,0) (0,16); lane: (0,4) (0,8) (1,0) (2,0) (4,0) (16,0) (32,0) -> m: 64, k: 32"};
inline constexpr OperandMap a1{4, 1,
    "element: (0,1) (0,2) (0,4) (0,8) (0,16); register: (8,0) (0,128); lane: (0,32) (0,64) (1,0) (2,0) (4,0) (16,0) (32,0) -> m: 64, k: 256"};
inline constexpr OperandMap d32{128, 32,
    "element:; register: (0,1) (8,0) (0,8) (0,16) (0,32) (0,64) (0,128); lane: (0,2) (0,4) (1,0) (2,0) (4,0) (16,0) (32,0) -> m: 64, n: 256"};
inline constexpr OperandMap d16{64, 16,
    "element: (0,1); register: (8,0) (0,8) (0,16) (0,32) (0,64) (0,128); lane: (0,2) (0,4) (1,0) (2,0) (4,0) (16,0) (32,0) -> m: 64, n: 256"};
// Sparse A: a group is 4 k, of which 2 are stored; for tf32 a group is 2 k, of which 1 is stored.
inline constexpr OperandMap sparse_a32{4, 32,
    "element:; register: (8,0) (0,4); lane: (0,1) (0,2) (1,0) (2,0) (4,0) (16,0) (32,0) -> m: 64, group: 8"};
inline constexpr OperandMap sparse_a8{4, 16,
    "element: (0,1); register: (8,0) (0,8); lane: (0,2) (0,4) (1,0) (2,0) (4,0) (16,0) (32,0) -> m: 64, group: 16"};
// The selector says whether lanes 0 and 1 or lanes 2 and 3 of each four hold the index.
inline constexpr OperandMap index32{1, 4,
    "element: (0,1,0) (0,2,0) (8,0,0); register:; lane: (0,4,0) (0,0,1) (1,0,0) (2,0,0) (4,0,0) (16,0,0) (32,0,0) -> m: 64, group: 8, selector: 2"};
inline constexpr OperandMap index8{1, 4,
    "element: (0,1) (0,2) (0,4); register:; lane: (8,0) (0,8) (1,0) (2,0) (4,0) (16,0) (32,0) -> m: 64, group: 16"};
constexpr OperandMap shared(int bits) { return {0, bits, "", Storage::shared_memory}; }
}  // namespace wgmma

inline constexpr auto wgmma_instructions = [] {
  using enum ElementType;
  using namespace wgmma;
  constexpr auto sm90 = Family::sm90;
  constexpr auto group = static_cast<std::uint16_t>(Constraint::warpgroup);
  constexpr auto document = static_cast<std::uint16_t>(static_cast<std::uint16_t>(Witness::document) |
                                                       static_cast<std::uint16_t>(Witness::probe) |
                                                       static_cast<std::uint16_t>(Witness::ptxas));
  constexpr auto cute = static_cast<std::uint16_t>(document | static_cast<std::uint16_t>(Witness::cutlass));
  constexpr auto multiply = Kind::multiply;
  constexpr auto in32 = shared(32), in16 = shared(16), in8 = shared(8), in1 = shared(1);
  constexpr OperandMap none{};
  // Which n an instruction may have: bit i stands for 8 * (i + 1). `all`: the multiples of 8 up to
  // 256; `integers`: 8, 16, 24, 32 and the multiples of 16 above.
  constexpr std::uint32_t all = 0xffffffff, integers = 0xaaaaaaaf;
  return std::array{
      Instruction{"wgmma.mma_async.sync.aligned.m64nNk16.f16.f16.f16", sm90, 128, 64, 256, 16, 1, f16, f16, f16, a16, in16, d16, none, "", group, cute, multiply, all},
      Instruction{"wgmma.mma_async.sync.aligned.m64nNk16.f32.f16.f16", sm90, 128, 64, 256, 16, 1, f16, f16, f32, a16, in16, d32, none, "", group, cute, multiply, all},
      Instruction{"wgmma.mma_async.sync.aligned.m64nNk16.f32.bf16.bf16", sm90, 128, 64, 256, 16, 1, bf16, bf16, f32, a16, in16, d32, none, "", group, cute, multiply, all},
      Instruction{"wgmma.mma_async.sync.aligned.m64nNk8.f32.tf32.tf32", sm90, 128, 64, 256, 8, 1, xf32, xf32, f32, a32, in32, d32, none, "", group, cute, multiply, all},
      Instruction{"wgmma.mma_async.sync.aligned.m64nNk32.f16.e4m3.e4m3", sm90, 128, 64, 256, 32, 1, fp8, fp8, f16, a8, in8, d16, none, "", group, cute, multiply, all},
      Instruction{"wgmma.mma_async.sync.aligned.m64nNk32.f16.e4m3.e5m2", sm90, 128, 64, 256, 32, 1, fp8, bf8, f16, a8, in8, d16, none, "", group, cute, multiply, all},
      Instruction{"wgmma.mma_async.sync.aligned.m64nNk32.f16.e5m2.e4m3", sm90, 128, 64, 256, 32, 1, bf8, fp8, f16, a8, in8, d16, none, "", group, cute, multiply, all},
      Instruction{"wgmma.mma_async.sync.aligned.m64nNk32.f16.e5m2.e5m2", sm90, 128, 64, 256, 32, 1, bf8, bf8, f16, a8, in8, d16, none, "", group, cute, multiply, all},
      Instruction{"wgmma.mma_async.sync.aligned.m64nNk32.f32.e4m3.e4m3", sm90, 128, 64, 256, 32, 1, fp8, fp8, f32, a8, in8, d32, none, "", group, cute, multiply, all},
      Instruction{"wgmma.mma_async.sync.aligned.m64nNk32.f32.e4m3.e5m2", sm90, 128, 64, 256, 32, 1, fp8, bf8, f32, a8, in8, d32, none, "", group, cute, multiply, all},
      Instruction{"wgmma.mma_async.sync.aligned.m64nNk32.f32.e5m2.e4m3", sm90, 128, 64, 256, 32, 1, bf8, fp8, f32, a8, in8, d32, none, "", group, cute, multiply, all},
      Instruction{"wgmma.mma_async.sync.aligned.m64nNk32.f32.e5m2.e5m2", sm90, 128, 64, 256, 32, 1, bf8, bf8, f32, a8, in8, d32, none, "", group, cute, multiply, all},
      Instruction{"wgmma.mma_async.sync.aligned.m64nNk32.s32.s8.s8", sm90, 128, 64, 256, 32, 1, i8, i8, i32, a8, in8, d32, none, "", group, cute, multiply, integers},
      Instruction{"wgmma.mma_async.sync.aligned.m64nNk32.s32.s8.u8", sm90, 128, 64, 256, 32, 1, i8, u8, i32, a8, in8, d32, none, "", group, cute, multiply, integers},
      Instruction{"wgmma.mma_async.sync.aligned.m64nNk32.s32.u8.s8", sm90, 128, 64, 256, 32, 1, u8, i8, i32, a8, in8, d32, none, "", group, cute, multiply, integers},
      Instruction{"wgmma.mma_async.sync.aligned.m64nNk32.s32.u8.u8", sm90, 128, 64, 256, 32, 1, u8, u8, i32, a8, in8, d32, none, "", group, cute, multiply, integers},
      Instruction{"wgmma.mma_async.sync.aligned.m64nNk256.s32.b1.b1.and.popc", sm90, 128, 64, 256, 256, 1, b1, b1, i32, a1, in1, d32, none, "", group, document, multiply, integers},
      // sparse A
      Instruction{"wgmma.mma_async.sp.sync.aligned.m64nNk32.f16.f16.f16", sm90, 128, 64, 256, 32, 1, f16, f16, f16, sparse_a32, in16, d16, index32, "", group, cute, multiply, all},
      Instruction{"wgmma.mma_async.sp.sync.aligned.m64nNk32.f32.f16.f16", sm90, 128, 64, 256, 32, 1, f16, f16, f32, sparse_a32, in16, d32, index32, "", group, cute, multiply, all},
      Instruction{"wgmma.mma_async.sp.sync.aligned.m64nNk32.f32.bf16.bf16", sm90, 128, 64, 256, 32, 1, bf16, bf16, f32, sparse_a32, in16, d32, index32, "", group, cute, multiply, all},
      Instruction{"wgmma.mma_async.sp.sync.aligned.m64nNk16.f32.tf32.tf32", sm90, 128, 64, 256, 16, 1, xf32, xf32, f32, sparse_a32, in32, d32, index32, "", group, cute, multiply, all},
      Instruction{"wgmma.mma_async.sp.sync.aligned.m64nNk64.f16.e4m3.e4m3", sm90, 128, 64, 256, 64, 1, fp8, fp8, f16, sparse_a8, in8, d16, index8, "", group, cute, multiply, all},
      Instruction{"wgmma.mma_async.sp.sync.aligned.m64nNk64.f16.e4m3.e5m2", sm90, 128, 64, 256, 64, 1, fp8, bf8, f16, sparse_a8, in8, d16, index8, "", group, cute, multiply, all},
      Instruction{"wgmma.mma_async.sp.sync.aligned.m64nNk64.f16.e5m2.e4m3", sm90, 128, 64, 256, 64, 1, bf8, fp8, f16, sparse_a8, in8, d16, index8, "", group, cute, multiply, all},
      Instruction{"wgmma.mma_async.sp.sync.aligned.m64nNk64.f16.e5m2.e5m2", sm90, 128, 64, 256, 64, 1, bf8, bf8, f16, sparse_a8, in8, d16, index8, "", group, cute, multiply, all},
      Instruction{"wgmma.mma_async.sp.sync.aligned.m64nNk64.f32.e4m3.e4m3", sm90, 128, 64, 256, 64, 1, fp8, fp8, f32, sparse_a8, in8, d32, index8, "", group, cute, multiply, all},
      Instruction{"wgmma.mma_async.sp.sync.aligned.m64nNk64.f32.e4m3.e5m2", sm90, 128, 64, 256, 64, 1, fp8, bf8, f32, sparse_a8, in8, d32, index8, "", group, cute, multiply, all},
      Instruction{"wgmma.mma_async.sp.sync.aligned.m64nNk64.f32.e5m2.e4m3", sm90, 128, 64, 256, 64, 1, bf8, fp8, f32, sparse_a8, in8, d32, index8, "", group, cute, multiply, all},
      Instruction{"wgmma.mma_async.sp.sync.aligned.m64nNk64.f32.e5m2.e5m2", sm90, 128, 64, 256, 64, 1, bf8, bf8, f32, sparse_a8, in8, d32, index8, "", group, cute, multiply, all},
      Instruction{"wgmma.mma_async.sp.sync.aligned.m64nNk64.s32.s8.s8", sm90, 128, 64, 256, 64, 1, i8, i8, i32, sparse_a8, in8, d32, index8, "", group, cute, multiply, integers},
      Instruction{"wgmma.mma_async.sp.sync.aligned.m64nNk64.s32.s8.u8", sm90, 128, 64, 256, 64, 1, i8, u8, i32, sparse_a8, in8, d32, index8, "", group, cute, multiply, integers},
      Instruction{"wgmma.mma_async.sp.sync.aligned.m64nNk64.s32.u8.s8", sm90, 128, 64, 256, 64, 1, u8, i8, i32, sparse_a8, in8, d32, index8, "", group, cute, multiply, integers},
      Instruction{"wgmma.mma_async.sp.sync.aligned.m64nNk64.s32.u8.u8", sm90, 128, 64, 256, 64, 1, u8, u8, i32, sparse_a8, in8, d32, index8, "", group, cute, multiply, integers}
  };
}();
// clang-format on

}  // namespace heddle::instruction
