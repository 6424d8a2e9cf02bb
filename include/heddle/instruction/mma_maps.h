// Where the operands of NVIDIA's warp-level multiplies (mma.sync) lie.
//
// Source: PTX ISA 9.0, section "Matrix Fragments for mma.mXnYkZ" of each shape. The warp is eight
// quads of four lanes; in A and C a quad is a row, in B a column. A lane holds the elements of 32
// bits that are consecutive in k (A, B), or two that are consecutive in n (C, D); its further
// registers go 8 down in m, then on in k. Volta's m8n8k4 is of quad pairs: lanes 4i to 4i+3 with
// those 16 higher multiply block i of four.
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
// Volta's m8n8k4: A by rows (k in the registers) or by columns, B likewise.
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
// clang-format on

}  // namespace heddle::instruction::mma
