// The layouts of CDNA's matrix instructions: which lane and register holds which element. Some
// instructions multiply several independent pairs of matrices, called blocks. A map's name gives
// the width of elements, the rows and columns, and the number of blocks (2b: two blocks).
//
// Rules of the maps of A (M x K) and B (K x N) with `blocks` blocks:
// - The lowest lane bits are m (A) or n (B), the next ones the block.
// - A lane holds M * K * blocks / 64 elements with consecutive k.
// - The remaining lane bits continue k.
//
// Rules of the maps of C and D:
// - The lowest lane bits are n.
// - Four registers are four consecutive m. Then the remaining lane bits continue m, then further
// registers continue m and then the block.
// - If M is 4, the lane bits continue the block.
//
// For f64, lane bits continue m first; in 4x4 the lane bits of the block come between those of n
// and m (in A and B between m or n and k). CDNA4's exceptions are described at their maps.
//
// Sources and witnesses: cdna_table.h.
//
// D of 32 x 32, one block: lane l holds column n = l % 32, and its sixteen registers these rows m:
//
//     registers     lanes 0-31     lanes 32-63
//     0-3           0-3            4-7
//     4-7           8-11           12-15
//     8-11          16-19          20-23
//     12-15         24-27          28-31
//
// D of 16 x 16, one block: lane l holds column n = l % 16; registers 0 to 3 are rows 4 (l / 16) to
// 4 (l / 16) + 3. A of 32 x 8 of 16 bits: lane l holds row m = l % 32, k = 4 (l / 32) to 4 (l / 32)
// + 3, two in each of two registers.
#pragma once

#include "heddle/instruction/instruction.h"

namespace heddle::instruction {

// clang-format off
namespace cdna {
// Maps of A, named by width, rows and columns, and blocks.
inline constexpr OperandMap a8_32x4_2b{1, 8,
    "element: (0,1,0) (0,2,0); register:; lane: (1,0,0) (2,0,0) (4,0,0) (8,0,0) (16,0,0) (0,0,1) -> m: 32, k: 4, block: 2"};
inline constexpr OperandMap a8_16x4_4b{1, 8,
    "element: (0,1,0) (0,2,0); register:; lane: (1,0,0) (2,0,0) (4,0,0) (8,0,0) (0,0,1) (0,0,2) -> m: 16, k: 4, block: 4"};
inline constexpr OperandMap a8_4x4_16b{1, 8,
    "element: (0,1,0) (0,2,0); register:; lane: (1,0,0) (2,0,0) (0,0,1) (0,0,2) (0,0,4) (0,0,8) -> m: 4, k: 4, block: 16"};
inline constexpr OperandMap a8_32x8{1, 8,
    "element: (0,1) (0,2); register:; lane: (1,0) (2,0) (4,0) (8,0) (16,0) (0,4) -> m: 32, k: 8"};
inline constexpr OperandMap a8_16x16{1, 8,
    "element: (0,1) (0,2); register:; lane: (1,0) (2,0) (4,0) (8,0) (0,4) (0,8) -> m: 16, k: 16"};
inline constexpr OperandMap a8_32x16{2, 8,
    "element: (0,1) (0,2); register: (0,4); lane: (1,0) (2,0) (4,0) (8,0) (16,0) (0,8) -> m: 32, k: 16"};
inline constexpr OperandMap a8_16x32{2, 8,
    "element: (0,1) (0,2); register: (0,4); lane: (1,0) (2,0) (4,0) (8,0) (0,8) (0,16) -> m: 16, k: 32"};
inline constexpr OperandMap a8_16x64{4, 8,
    "element: (0,1) (0,2); register: (0,4) (0,8); lane: (1,0) (2,0) (4,0) (8,0) (0,16) (0,32) -> m: 16, k: 64"};
inline constexpr OperandMap a8_32x32{4, 8,
    "element: (0,1) (0,2); register: (0,4) (0,8); lane: (1,0) (2,0) (4,0) (8,0) (16,0) (0,16) -> m: 32, k: 32"};
inline constexpr OperandMap a16_32x4_2b{2, 16,
    "element: (0,1,0); register: (0,2,0); lane: (1,0,0) (2,0,0) (4,0,0) (8,0,0) (16,0,0) (0,0,1) -> m: 32, k: 4, block: 2"};
inline constexpr OperandMap a16_16x4_4b{2, 16,
    "element: (0,1,0); register: (0,2,0); lane: (1,0,0) (2,0,0) (4,0,0) (8,0,0) (0,0,1) (0,0,2) -> m: 16, k: 4, block: 4"};
inline constexpr OperandMap a16_4x4_16b{2, 16,
    "element: (0,1,0); register: (0,2,0); lane: (1,0,0) (2,0,0) (0,0,1) (0,0,2) (0,0,4) (0,0,8) -> m: 4, k: 4, block: 16"};
inline constexpr OperandMap a16_32x8{2, 16,
    "element: (0,1); register: (0,2); lane: (1,0) (2,0) (4,0) (8,0) (16,0) (0,4) -> m: 32, k: 8"};
inline constexpr OperandMap a16_16x16{2, 16,
    "element: (0,1); register: (0,2); lane: (1,0) (2,0) (4,0) (8,0) (0,4) (0,8) -> m: 16, k: 16"};
inline constexpr OperandMap a16_32x2_2b{1, 16,
    "element: (0,1,0); register:; lane: (1,0,0) (2,0,0) (4,0,0) (8,0,0) (16,0,0) (0,0,1) -> m: 32, k: 2, block: 2"};
inline constexpr OperandMap a16_16x2_4b{1, 16,
    "element: (0,1,0); register:; lane: (1,0,0) (2,0,0) (4,0,0) (8,0,0) (0,0,1) (0,0,2) -> m: 16, k: 2, block: 4"};
inline constexpr OperandMap a16_4x2_16b{1, 16,
    "element: (0,1,0); register:; lane: (1,0,0) (2,0,0) (0,0,1) (0,0,2) (0,0,4) (0,0,8) -> m: 4, k: 2, block: 16"};
inline constexpr OperandMap a16_32x4{1, 16,
    "element: (0,1); register:; lane: (1,0) (2,0) (4,0) (8,0) (16,0) (0,2) -> m: 32, k: 4"};
inline constexpr OperandMap a16_16x8{1, 16,
    "element: (0,1); register:; lane: (1,0) (2,0) (4,0) (8,0) (0,2) (0,4) -> m: 16, k: 8"};
inline constexpr OperandMap a16_16x32{4, 16,
    "element: (0,1); register: (0,2) (0,4); lane: (1,0) (2,0) (4,0) (8,0) (0,8) (0,16) -> m: 16, k: 32"};
inline constexpr OperandMap a16_32x16{4, 16,
    "element: (0,1); register: (0,2) (0,4); lane: (1,0) (2,0) (4,0) (8,0) (16,0) (0,8) -> m: 32, k: 16"};
inline constexpr OperandMap a32_32x1_2b{1, 32,
    "element:; register:; lane: (1,0,0) (2,0,0) (4,0,0) (8,0,0) (16,0,0) (0,0,1) -> m: 32, k: 1, block: 2"};
inline constexpr OperandMap a32_16x1_4b{1, 32,
    "element:; register:; lane: (1,0,0) (2,0,0) (4,0,0) (8,0,0) (0,0,1) (0,0,2) -> m: 16, k: 1, block: 4"};
inline constexpr OperandMap a32_4x1_16b{1, 32,
    "element:; register:; lane: (1,0,0) (2,0,0) (0,0,1) (0,0,2) (0,0,4) (0,0,8) -> m: 4, k: 1, block: 16"};
inline constexpr OperandMap a32_32x2{1, 32,
    "element:; register:; lane: (1,0) (2,0) (4,0) (8,0) (16,0) (0,1) -> m: 32, k: 2"};
inline constexpr OperandMap a32_16x4{1, 32,
    "element:; register:; lane: (1,0) (2,0) (4,0) (8,0) (0,1) (0,2) -> m: 16, k: 4"};
inline constexpr OperandMap a32_16x8{2, 32,
    "element:; register: (0,1); lane: (1,0) (2,0) (4,0) (8,0) (0,2) (0,4) -> m: 16, k: 8"};
inline constexpr OperandMap a32_32x4{2, 32,
    "element:; register: (0,1); lane: (1,0) (2,0) (4,0) (8,0) (16,0) (0,2) -> m: 32, k: 4"};
inline constexpr OperandMap a64_16x4{2, 64,
    "element:; register:; lane: (1,0) (2,0) (4,0) (8,0) (0,1) (0,2) -> m: 16, k: 4"};
inline constexpr OperandMap a64_4x4_4b{2, 64,
    "element:; register:; lane: (1,0,0) (2,0,0) (0,0,1) (0,0,2) (0,1,0) (0,2,0) -> m: 4, k: 4, block: 4"};
// B.
inline constexpr OperandMap b8_4x32_2b{1, 8,
    "element: (1,0,0) (2,0,0); register:; lane: (0,1,0) (0,2,0) (0,4,0) (0,8,0) (0,16,0) (0,0,1) -> k: 4, n: 32, block: 2"};
inline constexpr OperandMap b8_4x16_4b{1, 8,
    "element: (1,0,0) (2,0,0); register:; lane: (0,1,0) (0,2,0) (0,4,0) (0,8,0) (0,0,1) (0,0,2) -> k: 4, n: 16, block: 4"};
inline constexpr OperandMap b8_4x4_16b{1, 8,
    "element: (1,0,0) (2,0,0); register:; lane: (0,1,0) (0,2,0) (0,0,1) (0,0,2) (0,0,4) (0,0,8) -> k: 4, n: 4, block: 16"};
inline constexpr OperandMap b8_8x32{1, 8,
    "element: (1,0) (2,0); register:; lane: (0,1) (0,2) (0,4) (0,8) (0,16) (4,0) -> k: 8, n: 32"};
inline constexpr OperandMap b8_16x16{1, 8,
    "element: (1,0) (2,0); register:; lane: (0,1) (0,2) (0,4) (0,8) (4,0) (8,0) -> k: 16, n: 16"};
inline constexpr OperandMap b8_16x32{2, 8,
    "element: (1,0) (2,0); register: (4,0); lane: (0,1) (0,2) (0,4) (0,8) (0,16) (8,0) -> k: 16, n: 32"};
inline constexpr OperandMap b8_32x16{2, 8,
    "element: (1,0) (2,0); register: (4,0); lane: (0,1) (0,2) (0,4) (0,8) (8,0) (16,0) -> k: 32, n: 16"};
inline constexpr OperandMap b8_64x16{4, 8,
    "element: (1,0) (2,0); register: (4,0) (8,0); lane: (0,1) (0,2) (0,4) (0,8) (16,0) (32,0) -> k: 64, n: 16"};
inline constexpr OperandMap b8_32x32{4, 8,
    "element: (1,0) (2,0); register: (4,0) (8,0); lane: (0,1) (0,2) (0,4) (0,8) (0,16) (16,0) -> k: 32, n: 32"};
inline constexpr OperandMap b16_4x32_2b{2, 16,
    "element: (1,0,0); register: (2,0,0); lane: (0,1,0) (0,2,0) (0,4,0) (0,8,0) (0,16,0) (0,0,1) -> k: 4, n: 32, block: 2"};
inline constexpr OperandMap b16_4x16_4b{2, 16,
    "element: (1,0,0); register: (2,0,0); lane: (0,1,0) (0,2,0) (0,4,0) (0,8,0) (0,0,1) (0,0,2) -> k: 4, n: 16, block: 4"};
inline constexpr OperandMap b16_4x4_16b{2, 16,
    "element: (1,0,0); register: (2,0,0); lane: (0,1,0) (0,2,0) (0,0,1) (0,0,2) (0,0,4) (0,0,8) -> k: 4, n: 4, block: 16"};
inline constexpr OperandMap b16_8x32{2, 16,
    "element: (1,0); register: (2,0); lane: (0,1) (0,2) (0,4) (0,8) (0,16) (4,0) -> k: 8, n: 32"};
inline constexpr OperandMap b16_16x16{2, 16,
    "element: (1,0); register: (2,0); lane: (0,1) (0,2) (0,4) (0,8) (4,0) (8,0) -> k: 16, n: 16"};
inline constexpr OperandMap b16_2x32_2b{1, 16,
    "element: (1,0,0); register:; lane: (0,1,0) (0,2,0) (0,4,0) (0,8,0) (0,16,0) (0,0,1) -> k: 2, n: 32, block: 2"};
inline constexpr OperandMap b16_2x16_4b{1, 16,
    "element: (1,0,0); register:; lane: (0,1,0) (0,2,0) (0,4,0) (0,8,0) (0,0,1) (0,0,2) -> k: 2, n: 16, block: 4"};
inline constexpr OperandMap b16_2x4_16b{1, 16,
    "element: (1,0,0); register:; lane: (0,1,0) (0,2,0) (0,0,1) (0,0,2) (0,0,4) (0,0,8) -> k: 2, n: 4, block: 16"};
inline constexpr OperandMap b16_4x32{1, 16,
    "element: (1,0); register:; lane: (0,1) (0,2) (0,4) (0,8) (0,16) (2,0) -> k: 4, n: 32"};
inline constexpr OperandMap b16_8x16{1, 16,
    "element: (1,0); register:; lane: (0,1) (0,2) (0,4) (0,8) (2,0) (4,0) -> k: 8, n: 16"};
inline constexpr OperandMap b16_32x16{4, 16,
    "element: (1,0); register: (2,0) (4,0); lane: (0,1) (0,2) (0,4) (0,8) (8,0) (16,0) -> k: 32, n: 16"};
inline constexpr OperandMap b16_16x32{4, 16,
    "element: (1,0); register: (2,0) (4,0); lane: (0,1) (0,2) (0,4) (0,8) (0,16) (8,0) -> k: 16, n: 32"};
inline constexpr OperandMap b32_1x32_2b{1, 32,
    "element:; register:; lane: (0,1,0) (0,2,0) (0,4,0) (0,8,0) (0,16,0) (0,0,1) -> k: 1, n: 32, block: 2"};
inline constexpr OperandMap b32_1x16_4b{1, 32,
    "element:; register:; lane: (0,1,0) (0,2,0) (0,4,0) (0,8,0) (0,0,1) (0,0,2) -> k: 1, n: 16, block: 4"};
inline constexpr OperandMap b32_1x4_16b{1, 32,
    "element:; register:; lane: (0,1,0) (0,2,0) (0,0,1) (0,0,2) (0,0,4) (0,0,8) -> k: 1, n: 4, block: 16"};
inline constexpr OperandMap b32_2x32{1, 32,
    "element:; register:; lane: (0,1) (0,2) (0,4) (0,8) (0,16) (1,0) -> k: 2, n: 32"};
inline constexpr OperandMap b32_4x16{1, 32,
    "element:; register:; lane: (0,1) (0,2) (0,4) (0,8) (1,0) (2,0) -> k: 4, n: 16"};
inline constexpr OperandMap b32_8x16{2, 32,
    "element:; register: (1,0); lane: (0,1) (0,2) (0,4) (0,8) (2,0) (4,0) -> k: 8, n: 16"};
inline constexpr OperandMap b32_4x32{2, 32,
    "element:; register: (1,0); lane: (0,1) (0,2) (0,4) (0,8) (0,16) (2,0) -> k: 4, n: 32"};
inline constexpr OperandMap b64_4x16{2, 64,
    "element:; register:; lane: (0,1) (0,2) (0,4) (0,8) (1,0) (2,0) -> k: 4, n: 16"};
inline constexpr OperandMap b64_4x4_4b{2, 64,
    "element:; register:; lane: (0,1,0) (0,2,0) (0,0,1) (0,0,2) (1,0,0) (2,0,0) -> k: 4, n: 4, block: 4"};
// C and D.
inline constexpr OperandMap d32_32x32_2b{32, 32,
    "element:; register: (1,0,0) (2,0,0) (8,0,0) (16,0,0) (0,0,1); lane: (0,1,0) (0,2,0) (0,4,0) (0,8,0) (0,16,0) (4,0,0) -> m: 32, n: 32, block: 2"};
inline constexpr OperandMap d32_16x16_4b{16, 32,
    "element:; register: (1,0,0) (2,0,0) (0,0,1) (0,0,2); lane: (0,1,0) (0,2,0) (0,4,0) (0,8,0) (4,0,0) (8,0,0) -> m: 16, n: 16, block: 4"};
inline constexpr OperandMap d32_4x4_16b{4, 32,
    "element:; register: (1,0,0) (2,0,0); lane: (0,1,0) (0,2,0) (0,0,1) (0,0,2) (0,0,4) (0,0,8) -> m: 4, n: 4, block: 16"};
inline constexpr OperandMap d32_32x32{16, 32,
    "element:; register: (1,0) (2,0) (8,0) (16,0); lane: (0,1) (0,2) (0,4) (0,8) (0,16) (4,0) -> m: 32, n: 32"};
inline constexpr OperandMap d32_16x16{4, 32,
    "element:; register: (1,0) (2,0); lane: (0,1) (0,2) (0,4) (0,8) (4,0) (8,0) -> m: 16, n: 16"};
inline constexpr OperandMap d64_16x16{8, 64,
    "element:; register: (4,0) (8,0); lane: (0,1) (0,2) (0,4) (0,8) (1,0) (2,0) -> m: 16, n: 16"};
inline constexpr OperandMap d64_4x4_4b{2, 64,
    "element:; register:; lane: (0,1,0) (0,2,0) (0,0,1) (0,0,2) (1,0,0) (2,0,0) -> m: 4, n: 4, block: 4"};
// Sparse A and its index.
inline constexpr OperandMap sparse_a8_16x64{2, 16,
    "element: (0,1); register: (0,2); lane: (1,0) (2,0) (4,0) (8,0) (0,4) (0,8) -> m: 16, group: 16"};
inline constexpr OperandMap sparse_a8_32x32{2, 16,
    "element: (0,1); register: (0,2); lane: (1,0) (2,0) (4,0) (8,0) (16,0) (0,4) -> m: 32, group: 8"};
inline constexpr OperandMap sparse_a16_16x32{2, 32,
    "element:; register: (0,1); lane: (1,0) (2,0) (4,0) (8,0) (0,2) (0,4) -> m: 16, group: 8"};
inline constexpr OperandMap sparse_a16_32x16{2, 32,
    "element:; register: (0,1); lane: (1,0) (2,0) (4,0) (8,0) (16,0) (0,2) -> m: 32, group: 4"};
inline constexpr OperandMap index_16x32{1, 4,
    "element: (0,1); register:; lane: (1,0) (2,0) (4,0) (8,0) (0,2) (0,4) -> m: 16, group: 8"};
inline constexpr OperandMap index_32x16{1, 4,
    "element: (0,1); register:; lane: (1,0) (2,0) (4,0) (8,0) (16,0) (0,2) -> m: 32, group: 4"};
inline constexpr OperandMap index_16x64{1, 4,
    "element: (0,1) (0,2); register:; lane: (1,0) (2,0) (4,0) (8,0) (0,4) (0,8) -> m: 16, group: 16"};
inline constexpr OperandMap index_32x32{1, 4,
    "element: (0,1) (0,2); register:; lane: (1,0) (2,0) (4,0) (8,0) (16,0) (0,4) -> m: 32, group: 8"};
// CDNA4's floats of 8 bits and fewer, 32 of them in a lane. A lane holds two ranges of 16
// consecutive k of 8-bit floats, or one range of 32 consecutive k of smaller ones. 6-bit elements
// may cross from one register to the next.
inline constexpr OperandMap a8_16x128{8, 8,
    "element: (0,1) (0,2); register: (0,4) (0,8) (0,64); lane: (1,0) (2,0) (4,0) (8,0) (0,16) (0,32) -> m: 16, k: 128"};
inline constexpr OperandMap a6_16x128{6, 6,
    "element: (0,1) (0,2) (0,4) (0,8) (0,16); register:; lane: (1,0) (2,0) (4,0) (8,0) (0,32) (0,64) -> m: 16, k: 128"};
inline constexpr OperandMap a4_16x128{4, 4,
    "element: (0,1) (0,2) (0,4); register: (0,8) (0,16); lane: (1,0) (2,0) (4,0) (8,0) (0,32) (0,64) -> m: 16, k: 128"};
inline constexpr OperandMap a8_32x64{8, 8,
    "element: (0,1) (0,2); register: (0,4) (0,8) (0,32); lane: (1,0) (2,0) (4,0) (8,0) (16,0) (0,16) -> m: 32, k: 64"};
inline constexpr OperandMap a6_32x64{6, 6,
    "element: (0,1) (0,2) (0,4) (0,8) (0,16); register:; lane: (1,0) (2,0) (4,0) (8,0) (16,0) (0,32) -> m: 32, k: 64"};
inline constexpr OperandMap a4_32x64{4, 4,
    "element: (0,1) (0,2) (0,4); register: (0,8) (0,16); lane: (1,0) (2,0) (4,0) (8,0) (16,0) (0,32) -> m: 32, k: 64"};
inline constexpr OperandMap b8_128x16{8, 8,
    "element: (1,0) (2,0); register: (4,0) (8,0) (64,0); lane: (0,1) (0,2) (0,4) (0,8) (16,0) (32,0) -> k: 128, n: 16"};
inline constexpr OperandMap b6_128x16{6, 6,
    "element: (1,0) (2,0) (4,0) (8,0) (16,0); register:; lane: (0,1) (0,2) (0,4) (0,8) (32,0) (64,0) -> k: 128, n: 16"};
inline constexpr OperandMap b4_128x16{4, 4,
    "element: (1,0) (2,0) (4,0); register: (8,0) (16,0); lane: (0,1) (0,2) (0,4) (0,8) (32,0) (64,0) -> k: 128, n: 16"};
inline constexpr OperandMap b8_64x32{8, 8,
    "element: (1,0) (2,0); register: (4,0) (8,0) (32,0); lane: (0,1) (0,2) (0,4) (0,8) (0,16) (16,0) -> k: 64, n: 32"};
inline constexpr OperandMap b6_64x32{6, 6,
    "element: (1,0) (2,0) (4,0) (8,0) (16,0); register:; lane: (0,1) (0,2) (0,4) (0,8) (0,16) (32,0) -> k: 64, n: 32"};
inline constexpr OperandMap b4_64x32{4, 4,
    "element: (1,0) (2,0) (4,0); register: (8,0) (16,0); lane: (0,1) (0,2) (0,4) (0,8) (0,16) (32,0) -> k: 64, n: 32"};
inline constexpr std::array f8f6f4_16x16x128{
    FormatRow{ElementType::fp8, a8_16x128, b8_128x16},
    FormatRow{ElementType::bf8, a8_16x128, b8_128x16},
    FormatRow{ElementType::fp6, a6_16x128, b6_128x16},
    FormatRow{ElementType::bf6, a6_16x128, b6_128x16},
    FormatRow{ElementType::fp4, a4_16x128, b4_128x16},
};
inline constexpr std::array f8f6f4_32x32x64{
    FormatRow{ElementType::fp8, a8_32x64, b8_64x32},
    FormatRow{ElementType::bf8, a8_32x64, b8_64x32},
    FormatRow{ElementType::fp6, a6_32x64, b6_64x32},
    FormatRow{ElementType::bf6, a6_32x64, b6_64x32},
    FormatRow{ElementType::fp4, a4_32x64, b4_64x32},
};
// The scales of CDNA4's operands of 8 bits and fewer: a register has four scales, and an
// instruction reads one of them.
inline constexpr OperandMap scale_a_16x128{1, 8,
    "element: (0,0,1) (0,0,2); register:; lane: (1,0,0) (2,0,0) (4,0,0) (8,0,0) (0,1,0) (0,2,0) -> m: 16, group: 4, selector: 4"};
inline constexpr OperandMap scale_a_32x64{1, 8,
    "element: (0,0,1) (0,0,2); register:; lane: (1,0,0) (2,0,0) (4,0,0) (8,0,0) (16,0,0) (0,1,0) -> m: 32, group: 2, selector: 4"};
inline constexpr OperandMap scale_b_128x16{1, 8,
    "element: (0,0,1) (0,0,2); register:; lane: (0,1,0) (0,2,0) (0,4,0) (0,8,0) (1,0,0) (2,0,0) -> group: 4, n: 16, selector: 4"};
inline constexpr OperandMap scale_b_64x32{1, 8,
    "element: (0,0,1) (0,0,2); register:; lane: (0,1,0) (0,2,0) (0,4,0) (0,8,0) (0,16,0) (1,0,0) -> group: 2, n: 32, selector: 4"};
// CDNA4's sparse products with twice the k of CDNA3's. In B, a lane holds two ranges of consecutive
// k. The stored half of A is arranged as a dense matrix with half the k.
inline constexpr OperandMap sparse_a16_16x64{4, 32,
    "element:; register: (0,1) (0,2); lane: (1,0) (2,0) (4,0) (8,0) (0,4) (0,8) -> m: 16, group: 16"};
inline constexpr OperandMap sparse_a16_32x32{4, 32,
    "element:; register: (0,1) (0,2); lane: (1,0) (2,0) (4,0) (8,0) (16,0) (0,4) -> m: 32, group: 8"};
inline constexpr OperandMap sparse_a8_16x128{4, 16,
    "element: (0,1); register: (0,2) (0,4); lane: (1,0) (2,0) (4,0) (8,0) (0,8) (0,16) -> m: 16, group: 32"};
inline constexpr OperandMap sparse_a8_32x64{4, 16,
    "element: (0,1); register: (0,2) (0,4); lane: (1,0) (2,0) (4,0) (8,0) (16,0) (0,8) -> m: 32, group: 16"};
inline constexpr OperandMap sparse_b16_64x16{8, 16,
    "element: (1,0); register: (2,0) (4,0) (32,0); lane: (0,1) (0,2) (0,4) (0,8) (8,0) (16,0) -> k: 64, n: 16"};
inline constexpr OperandMap sparse_b16_32x32{8, 16,
    "element: (1,0); register: (2,0) (4,0) (16,0); lane: (0,1) (0,2) (0,4) (0,8) (0,16) (8,0) -> k: 32, n: 32"};
inline constexpr OperandMap sparse_b8_128x16{8, 8,
    "element: (1,0) (2,0); register: (4,0) (8,0) (64,0); lane: (0,1) (0,2) (0,4) (0,8) (16,0) (32,0) -> k: 128, n: 16"};
inline constexpr OperandMap sparse_b8_64x32{8, 8,
    "element: (1,0) (2,0); register: (4,0) (8,0) (32,0); lane: (0,1) (0,2) (0,4) (0,8) (0,16) (16,0) -> k: 64, n: 32"};
inline constexpr OperandMap index_16x128{1, 4,
    "element: (0,1) (0,2) (0,4); register:; lane: (1,0) (2,0) (4,0) (8,0) (0,8) (0,16) -> m: 16, group: 32"};
inline constexpr OperandMap index_32x64{1, 4,
    "element: (0,1) (0,2) (0,4); register:; lane: (1,0) (2,0) (4,0) (8,0) (16,0) (0,8) -> m: 32, group: 16"};
}  // namespace cdna
// clang-format on

}  // namespace heddle::instruction
