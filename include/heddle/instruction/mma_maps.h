// The layouts of the operands of NVIDIA's warp-level multiplies (mma.sync).
//
// Source: PTX ISA 9.0, section "Matrix Fragments for mma.mXnYkZ" of each shape. The warp is eight
// quads of four lanes; in A and C a quad has a row, in B a column. A register of a lane holds the
// elements that are consecutive in k and fill 32 bits (A, B), or two elements that are consecutive
// in n (C, D). The lane's next registers are 8 rows further in m, then further in k. Volta's m8n8k4
// uses quad pairs: lanes 4i to 4i+3 and the four lanes 16 higher multiply block i of four.
//
// Sparse A: a lane holds the stored elements of 8 bytes of a row, and its further registers follow
// in the same order. The document shows the metadata (the index of A) and the rows of the scales
// only in figures. The metadata's maps were read from an H200. The maps of the scales are CUTLASS's
// (SFALayout and SFBLayout of SM120_16x8x64_TN_VS). Four bits of metadata describe one group: two
// positions of two bits each, the lower one first. For tf32, 0100 means the first of two elements
// and 1110 the second; for 4-bit types a position is that of a pair of elements.
//
// m16n8k16 of 16 bits, lane l in quad q = l / 4 at place p = l % 4:
//
//     A     register 0    row q         k = 2 p, 2 p + 1
//           register 1    row q + 8     k = 2 p, 2 p + 1
//           register 2    row q         k = 2 p + 8, 2 p + 9
//           register 3    row q + 8     k = 2 p + 8, 2 p + 9
//     B     register 0    column q      k = 2 p, 2 p + 1
//           register 1    column q      k = 2 p + 8, 2 p + 9
//     D     register 0    row q         n = 2 p           (f32)
//           register 1    row q         n = 2 p + 1
//           register 2    row q + 8     n = 2 p
//           register 3    row q + 8     n = 2 p + 1
//
// So lane 13 (quad 3, place 1) holds D(3, 2), D(3, 3), D(11, 2) and D(11, 3).
#pragma once

#include "heddle/instruction/instruction.h"

namespace heddle::instruction::mma {

// clang-format off
// A, by width, rows and columns.
inline constexpr OperandMap a1_8x128{1, 1,
    "element: (0,1) (0,2) (0,4) (0,8) (0,16); register:; lane: (0,32) (0,64) (1,0) (2,0) (4,0) -> m: 8, k: 128"};
inline constexpr OperandMap a1_16x128{2, 1,
    "element: (0,1) (0,2) (0,4) (0,8) (0,16); register: (8,0); lane: (0,32) (0,64) (1,0) (2,0) (4,0) -> m: 16, k: 128"};
inline constexpr OperandMap a1_16x256{4, 1,
    "element: (0,1) (0,2) (0,4) (0,8) (0,16); register: (8,0) (0,128); lane: (0,32) (0,64) (1,0) (2,0) (4,0) -> m: 16, k: 256"};
inline constexpr OperandMap a4_8x32{1, 4,
    "element: (0,1) (0,2) (0,4); register:; lane: (0,8) (0,16) (1,0) (2,0) (4,0) -> m: 8, k: 32"};
inline constexpr OperandMap a4_16x32{2, 4,
    "element: (0,1) (0,2) (0,4); register: (8,0); lane: (0,8) (0,16) (1,0) (2,0) (4,0) -> m: 16, k: 32"};
inline constexpr OperandMap a4_16x64{4, 4,
    "element: (0,1) (0,2) (0,4); register: (8,0) (0,32); lane: (0,8) (0,16) (1,0) (2,0) (4,0) -> m: 16, k: 64"};
inline constexpr OperandMap a8_8x16{1, 8,
    "element: (0,1) (0,2); register:; lane: (0,4) (0,8) (1,0) (2,0) (4,0) -> m: 8, k: 16"};
inline constexpr OperandMap a8_16x16{2, 8,
    "element: (0,1) (0,2); register: (8,0); lane: (0,4) (0,8) (1,0) (2,0) (4,0) -> m: 16, k: 16"};
inline constexpr OperandMap a8_16x32{4, 8,
    "element: (0,1) (0,2); register: (8,0) (0,16); lane: (0,4) (0,8) (1,0) (2,0) (4,0) -> m: 16, k: 32"};
inline constexpr OperandMap a16_16x8{2, 16,
    "element: (0,1); register: (8,0); lane: (0,2) (0,4) (1,0) (2,0) (4,0) -> m: 16, k: 8"};
inline constexpr OperandMap a16_16x16{4, 16,
    "element: (0,1); register: (8,0) (0,8); lane: (0,2) (0,4) (1,0) (2,0) (4,0) -> m: 16, k: 16"};
inline constexpr OperandMap a32_16x4{2, 32,
    "element:; register: (8,0); lane: (0,1) (0,2) (1,0) (2,0) (4,0) -> m: 16, k: 4"};
inline constexpr OperandMap a32_16x8{4, 32,
    "element:; register: (8,0) (0,4); lane: (0,1) (0,2) (1,0) (2,0) (4,0) -> m: 16, k: 8"};
inline constexpr OperandMap a64_8x4{2, 64,
    "element:; register:; lane: (0,1) (0,2) (1,0) (2,0) (4,0) -> m: 8, k: 4"};
inline constexpr OperandMap a64_16x4{4, 64,
    "element:; register: (8,0); lane: (0,1) (0,2) (1,0) (2,0) (4,0) -> m: 16, k: 4"};
inline constexpr OperandMap a64_16x8{8, 64,
    "element:; register: (8,0) (0,4); lane: (0,1) (0,2) (1,0) (2,0) (4,0) -> m: 16, k: 8"};
inline constexpr OperandMap a64_16x16{16, 64,
    "element:; register: (8,0) (0,4) (0,8); lane: (0,1) (0,2) (1,0) (2,0) (4,0) -> m: 16, k: 16"};
// B.
inline constexpr OperandMap b1_128x8{1, 1,
    "element: (1,0) (2,0) (4,0) (8,0) (16,0); register:; lane: (32,0) (64,0) (0,1) (0,2) (0,4) -> k: 128, n: 8"};
inline constexpr OperandMap b1_256x8{2, 1,
    "element: (1,0) (2,0) (4,0) (8,0) (16,0); register: (128,0); lane: (32,0) (64,0) (0,1) (0,2) (0,4) -> k: 256, n: 8"};
inline constexpr OperandMap b4_32x8{1, 4,
    "element: (1,0) (2,0) (4,0); register:; lane: (8,0) (16,0) (0,1) (0,2) (0,4) -> k: 32, n: 8"};
inline constexpr OperandMap b4_64x8{2, 4,
    "element: (1,0) (2,0) (4,0); register: (32,0); lane: (8,0) (16,0) (0,1) (0,2) (0,4) -> k: 64, n: 8"};
inline constexpr OperandMap b8_16x8{1, 8,
    "element: (1,0) (2,0); register:; lane: (4,0) (8,0) (0,1) (0,2) (0,4) -> k: 16, n: 8"};
inline constexpr OperandMap b8_32x8{2, 8,
    "element: (1,0) (2,0); register: (16,0); lane: (4,0) (8,0) (0,1) (0,2) (0,4) -> k: 32, n: 8"};
inline constexpr OperandMap b16_8x8{1, 16,
    "element: (1,0); register:; lane: (2,0) (4,0) (0,1) (0,2) (0,4) -> k: 8, n: 8"};
inline constexpr OperandMap b16_16x8{2, 16,
    "element: (1,0); register: (8,0); lane: (2,0) (4,0) (0,1) (0,2) (0,4) -> k: 16, n: 8"};
inline constexpr OperandMap b32_4x8{1, 32,
    "element:; register:; lane: (1,0) (2,0) (0,1) (0,2) (0,4) -> k: 4, n: 8"};
inline constexpr OperandMap b32_8x8{2, 32,
    "element:; register: (4,0); lane: (1,0) (2,0) (0,1) (0,2) (0,4) -> k: 8, n: 8"};
inline constexpr OperandMap b64_4x8{2, 64,
    "element:; register:; lane: (1,0) (2,0) (0,1) (0,2) (0,4) -> k: 4, n: 8"};
inline constexpr OperandMap b64_8x8{4, 64,
    "element:; register: (4,0); lane: (1,0) (2,0) (0,1) (0,2) (0,4) -> k: 8, n: 8"};
inline constexpr OperandMap b64_16x8{8, 64,
    "element:; register: (4,0) (8,0); lane: (1,0) (2,0) (0,1) (0,2) (0,4) -> k: 16, n: 8"};
// C and D.
inline constexpr OperandMap d16_16x8{2, 16,
    "element: (0,1); register: (8,0); lane: (0,2) (0,4) (1,0) (2,0) (4,0) -> m: 16, n: 8"};
inline constexpr OperandMap d32_8x8{2, 32,
    "element:; register: (0,1); lane: (0,2) (0,4) (1,0) (2,0) (4,0) -> m: 8, n: 8"};
inline constexpr OperandMap d32_16x8{4, 32,
    "element:; register: (0,1) (8,0); lane: (0,2) (0,4) (1,0) (2,0) (4,0) -> m: 16, n: 8"};
inline constexpr OperandMap d64_8x8{4, 64,
    "element:; register: (0,1); lane: (0,2) (0,4) (1,0) (2,0) (4,0) -> m: 8, n: 8"};
inline constexpr OperandMap d64_16x8{8, 64,
    "element:; register: (0,1) (8,0); lane: (0,2) (0,4) (1,0) (2,0) (4,0) -> m: 16, n: 8"};
// Volta's m8n8k4. A may be row-major (then k is in the registers) or column-major, and so may B.
inline constexpr OperandMap a16_rows_8x4_4b{2, 16,
    "element: (0,1,0); register: (0,2,0); lane: (1,0,0) (2,0,0) (0,0,1) (0,0,2) (4,0,0) -> m: 8, k: 4, block: 4"};
inline constexpr OperandMap a16_columns_8x4_4b{2, 16,
    "element: (1,0,0); register: (2,0,0); lane: (0,1,0) (0,2,0) (0,0,1) (0,0,2) (4,0,0) -> m: 8, k: 4, block: 4"};
inline constexpr OperandMap b16_rows_4x8_4b{2, 16,
    "element: (0,1,0); register: (0,2,0); lane: (1,0,0) (2,0,0) (0,0,1) (0,0,2) (0,4,0) -> k: 4, n: 8, block: 4"};
inline constexpr OperandMap b16_columns_4x8_4b{2, 16,
    "element: (1,0,0); register: (2,0,0); lane: (0,1,0) (0,2,0) (0,0,1) (0,0,2) (0,4,0) -> k: 4, n: 8, block: 4"};
inline constexpr OperandMap d16_8x8_4b{4, 16,
    "element: (0,1,0); register: (0,2,0) (0,4,0); lane: (1,0,0) (2,0,0) (0,0,1) (0,0,2) (4,0,0) -> m: 8, n: 8, block: 4"};
inline constexpr OperandMap d32_8x8_4b{8, 32,
    "element:; register: (0,1,0) (2,0,0) (0,4,0); lane: (1,0,0) (0,2,0) (0,0,1) (0,0,2) (4,0,0) -> m: 8, n: 8, block: 4"};
// Sparse A. A name gives the width of a group's stored elements, the rows and the groups. Two of
// four k are stored; of tf32 one of two; of 4-bit types two of four pairs.
inline constexpr OperandMap sparse_a32_16x4{2, 32,
    "element:; register: (8,0); lane: (0,1) (0,2) (1,0) (2,0) (4,0) -> m: 16, group: 4"};
inline constexpr OperandMap sparse_a32_16x8{4, 32,
    "element:; register: (8,0) (0,4); lane: (0,1) (0,2) (1,0) (2,0) (4,0) -> m: 16, group: 8"};
inline constexpr OperandMap sparse_a16_16x8{2, 16,
    "element: (0,1); register: (8,0); lane: (0,2) (0,4) (1,0) (2,0) (4,0) -> m: 16, group: 8"};
inline constexpr OperandMap sparse_a16_16x16{4, 16,
    "element: (0,1); register: (8,0) (0,8); lane: (0,2) (0,4) (1,0) (2,0) (4,0) -> m: 16, group: 16"};
// The index of a sparse A. The instruction's selector chooses the one or two lanes of each quad
// that hold the index.
inline constexpr OperandMap index_16x4{1, 4,
    "element: (0,1,0) (0,2,0) (8,0,0); register:; lane: (0,0,1) (0,0,2) (1,0,0) (2,0,0) (4,0,0) -> m: 16, group: 4, selector: 4"};
inline constexpr OperandMap index_16x8{1, 4,
    "element: (0,1,0) (0,2,0) (8,0,0); register:; lane: (0,4,0) (0,0,1) (1,0,0) (2,0,0) (4,0,0) -> m: 16, group: 8, selector: 2"};
inline constexpr OperandMap index_16x8_of_bytes{1, 4,
    "element: (0,1,0) (0,2,0) (0,4,0); register:; lane: (8,0,0) (0,0,1) (1,0,0) (2,0,0) (4,0,0) -> m: 16, group: 8, selector: 2"};
inline constexpr OperandMap index_16x16{1, 4,
    "element: (0,1) (0,2) (0,4); register:; lane: (8,0) (0,8) (1,0) (2,0) (4,0) -> m: 16, group: 16"};
// B with twice the k, for a sparse A.
inline constexpr OperandMap b4_128x8{4, 4,
    "element: (1,0) (2,0) (4,0); register: (32,0) (64,0); lane: (8,0) (16,0) (0,1) (0,2) (0,4) -> k: 128, n: 8"};
inline constexpr OperandMap b8_64x8{4, 8,
    "element: (1,0) (2,0); register: (16,0) (32,0); lane: (4,0) (8,0) (0,1) (0,2) (0,4) -> k: 64, n: 8"};
inline constexpr OperandMap b16_32x8{4, 16,
    "element: (1,0); register: (8,0) (16,0); lane: (2,0) (4,0) (0,1) (0,2) (0,4) -> k: 32, n: 8"};
inline constexpr OperandMap b32_16x8{4, 32,
    "element:; register: (4,0) (8,0); lane: (1,0) (2,0) (0,1) (0,2) (0,4) -> k: 16, n: 8"};
// Scales of A and B, 1, 2 or 4 along k. The selector is byte-id + 4 * thread-id for 1X, byte-id / 2
// + 2 * thread-id for 2X, thread-id for 4X ("Block Scaling for mma.sync").
inline constexpr OperandMap scale_a_1x{1, 8,
    "element: (0,0,1) (0,0,2); register:; lane: (8,0,0) (0,0,4) (1,0,0) (2,0,0) (4,0,0) -> m: 16, group: 1, selector: 8"};
inline constexpr OperandMap scale_a_2x{1, 8,
    "element: (0,1,0) (0,0,1); register:; lane: (8,0,0) (0,0,2) (1,0,0) (2,0,0) (4,0,0) -> m: 16, group: 2, selector: 4"};
inline constexpr OperandMap scale_a_4x{1, 8,
    "element: (0,1,0) (0,2,0); register:; lane: (8,0,0) (0,0,1) (1,0,0) (2,0,0) (4,0,0) -> m: 16, group: 4, selector: 2"};
inline constexpr OperandMap scale_b_1x{1, 8,
    "element: (0,0,1) (0,0,2); register:; lane: (0,0,4) (0,0,8) (0,1,0) (0,2,0) (0,4,0) -> group: 1, n: 8, selector: 16"};
inline constexpr OperandMap scale_b_2x{1, 8,
    "element: (1,0,0) (0,0,1); register:; lane: (0,0,2) (0,0,4) (0,1,0) (0,2,0) (0,4,0) -> group: 2, n: 8, selector: 8"};
inline constexpr OperandMap scale_b_4x{1, 8,
    "element: (1,0,0) (2,0,0); register:; lane: (0,0,1) (0,0,2) (0,1,0) (0,2,0) (0,4,0) -> group: 4, n: 8, selector: 4"};
// clang-format on

}  // namespace heddle::instruction::mma
