// NVIDIA's instructions that move matrices between registers and shared memory, or transpose a
// matrix in registers: ldmatrix, stmatrix, movmatrix.
//
// Source: PTX ISA 9.0, "Warp-level matrix load instruction: ldmatrix", "… store … stmatrix", "…
// transpose … movmatrix". CuTe's copy_traits_sm75.hpp, _sm90.hpp and _sm100.hpp have the same
// layouts in another notation; tests/instruction/matrix_move_table_test.cpp compares.
//
// m, n and block refer to the matrices in memory: an address is that of the first element of row m
// of matrix `block`, and n counts along the row. So `.trans` changes only the map of D: a lane
// holds a part of a column. (The PTX ISA keeps the fragment and calls the memory column-major. That
// explains the name of stmatrix.m16n8, which stores 8 rows of 16 elements.)
//
// ldmatrix of one 8 x 8 matrix of 16 bits: lanes 0 to 7 give the addresses of rows 0 to 7, 16 bytes
// each. Lane l then holds two elements in one register:
//
//     .x1             row l / 4, columns 2 (l % 4) and the next
//     .x1.trans       column l / 4, rows 2 (l % 4) and the next
//     .x2, .x4        matrix i in register i; its rows are addressed by lanes 8 i to 8 i + 7
//
// stmatrix is the inverse, with the same addresses. A lane gets exactly what mma.sync takes as A of
// 16 x 16 (.x4) and as B of 16 x 8 (.x2, if the rows in memory are B's columns).
#pragma once

#include "heddle/instruction/instruction.h"

namespace heddle::instruction {

// clang-format off
namespace matrix_move {
// Matrices of 16-bit elements: four lanes hold a row of 8 elements.
inline constexpr OperandMap rows16_x1{1, 16,
    "element: (0,1); register:; lane: (0,2) (0,4) (1,0) (2,0) (4,0) -> m: 8, n: 8"};
inline constexpr OperandMap rows16_x2{2, 16,
    "element: (0,1,0); register: (0,0,1); lane: (0,2,0) (0,4,0) (1,0,0) (2,0,0) (4,0,0) -> m: 8, n: 8, block: 2"};
inline constexpr OperandMap rows16_x4{4, 16,
    "element: (0,1,0); register: (0,0,1) (0,0,2); lane: (0,2,0) (0,4,0) (1,0,0) (2,0,0) (4,0,0) -> m: 8, n: 8, block: 4"};
inline constexpr OperandMap columns16_x1{1, 16,
    "element: (1,0); register:; lane: (2,0) (4,0) (0,1) (0,2) (0,4) -> m: 8, n: 8"};
inline constexpr OperandMap columns16_x2{2, 16,
    "element: (1,0,0); register: (0,0,1); lane: (2,0,0) (4,0,0) (0,1,0) (0,2,0) (0,4,0) -> m: 8, n: 8, block: 2"};
inline constexpr OperandMap columns16_x4{4, 16,
    "element: (1,0,0); register: (0,0,1) (0,0,2); lane: (2,0,0) (4,0,0) (0,1,0) (0,2,0) (0,4,0) -> m: 8, n: 8, block: 4"};
// 16 rows of 16 bytes, transposed: a register holds four rows of one column.
inline constexpr OperandMap columns8_x1{2, 8,
    "element: (1,0) (2,0); register: (0,8); lane: (4,0) (8,0) (0,1) (0,2) (0,4) -> m: 16, n: 16"};
inline constexpr OperandMap columns8_x2{4, 8,
    "element: (1,0,0) (2,0,0); register: (0,8,0) (0,0,1); lane: (4,0,0) (8,0,0) (0,1,0) (0,2,0) (0,4,0) -> m: 16, n: 16, block: 2"};
// 8 rows of 16 elements of 6 or 4 bits. In registers, each element takes a byte.
inline constexpr OperandMap rows8_x1{1, 8,
    "element: (0,1) (0,2); register:; lane: (0,4) (0,8) (1,0) (2,0) (4,0) -> m: 8, n: 16"};
inline constexpr OperandMap rows8_x2{2, 8,
    "element: (0,1,0) (0,2,0); register: (0,0,1); lane: (0,4,0) (0,8,0) (1,0,0) (2,0,0) (4,0,0) -> m: 8, n: 16, block: 2"};
inline constexpr OperandMap rows8_x4{4, 8,
    "element: (0,1,0) (0,2,0); register: (0,0,1) (0,0,2); lane: (0,4,0) (0,8,0) (1,0,0) (2,0,0) (4,0,0) -> m: 8, n: 16, block: 4"};
// 8 rows of 16 bytes, transposed: a register holds two rows of the columns n and n + 8.
inline constexpr OperandMap stored8_x1{1, 8,
    "element: (1,0) (0,8); register:; lane: (2,0) (4,0) (0,1) (0,2) (0,4) -> m: 8, n: 16"};
inline constexpr OperandMap stored8_x2{2, 8,
    "element: (1,0,0) (0,8,0); register: (0,0,1); lane: (2,0,0) (4,0,0) (0,1,0) (0,2,0) (0,4,0) -> m: 8, n: 16, block: 2"};
inline constexpr OperandMap stored8_x4{4, 8,
    "element: (1,0,0) (0,8,0); register: (0,0,1) (0,0,2); lane: (2,0,0) (4,0,0) (0,1,0) (0,2,0) (0,4,0) -> m: 8, n: 16, block: 4"};
// Addresses of the 8 or 16 rows of each matrix. Addresses in the other lanes are not read.
inline constexpr OperandMap rows_x1{1, 32,
    "element:; register:; lane: (1) (2) (4) (0) (0) -> m: 8"};
inline constexpr OperandMap rows_x2{1, 32,
    "element:; register:; lane: (1,0) (2,0) (4,0) (0,1) (0,0) -> m: 8, block: 2"};
inline constexpr OperandMap rows_x4{1, 32,
    "element:; register:; lane: (1,0) (2,0) (4,0) (0,1) (0,2) -> m: 8, block: 4"};
inline constexpr OperandMap rows_16_x1{1, 32,
    "element:; register:; lane: (1) (2) (4) (8) (0) -> m: 16"};
inline constexpr OperandMap rows_16_x2{1, 32,
    "element:; register:; lane: (1,0) (2,0) (4,0) (8,0) (0,1) -> m: 16, block: 2"};
// movmatrix: for A and for its transpose D, four lanes hold a row.
inline constexpr OperandMap moved_a{1, 16,
    "element: (0,1); register:; lane: (0,2) (0,4) (1,0) (2,0) (4,0) -> m: 8, k: 8"};

// The last columns of the rows.
inline constexpr auto document = static_cast<std::uint16_t>(static_cast<std::uint16_t>(Witness::document) |
                                                            static_cast<std::uint16_t>(Witness::llvm));
inline constexpr auto cute =
    static_cast<std::uint16_t>(document | static_cast<std::uint16_t>(Witness::cutlass));
inline constexpr auto of_the_transposition =
    static_cast<std::uint16_t>(static_cast<std::uint16_t>(Witness::document) |
                               static_cast<std::uint16_t>(Witness::cutlass) |
                               static_cast<std::uint16_t>(Witness::probe) |
                               static_cast<std::uint16_t>(Witness::ptxas));
inline constexpr auto warp = static_cast<std::uint16_t>(Constraint::converged_warp);

/// A row of the catalogue for a load or store. `memory` is the type of an element in memory, `held`
/// its type in registers.
constexpr Instruction moves(Kind kind, std::string_view name, Families families, int blocks, int m,
                            int n, ElementType memory, ElementType held, const OperandMap& d,
                            const OperandMap& address, std::string_view intrinsic,
                            std::uint16_t witnesses) {
  // The 8x8 matrices of 16 bits were also probed on an H200.
  const int seen = static_cast<int>(Witness::ptxas) |
                   (m == 8 && n == 8 ? static_cast<int>(Witness::probe) : 0);
  return {.name = name, .families = families, .wave = 32, .m = m, .n = n, .k = 1, .blocks = blocks,
          .a_type = memory, .b_type = memory, .d_type = held, .a = {}, .b = {}, .d = d, .index = {},
          .intrinsic = intrinsic, .constraints = warp,
          .witnesses = static_cast<std::uint16_t>(witnesses | seen), .kind = kind,
          .address = address};
}
}  // namespace matrix_move

inline constexpr auto matrix_move_instructions = [] {
  using enum ElementType;
  using namespace matrix_move;
  constexpr auto sm75 = Family::sm75 | Family::sm80 | Family::sm89 | Family::sm90 | Family::sm100 | Family::sm120;
  constexpr auto sm90 = Family::sm90 | Family::sm100 | Family::sm120;
  constexpr auto sm100 = Family::sm100 | Family::sm120;
  constexpr auto load = Kind::load, store = Kind::store;
  return std::array{
      moves(load, "ldmatrix.sync.aligned.m8n8.x1.shared.b16", sm75, 1, 8, 8, b16, b16, rows16_x1, rows_x1,
            "llvm.nvvm.ldmatrix.sync.aligned.m8n8.x1.b16", cute),
      moves(load, "ldmatrix.sync.aligned.m8n8.x2.shared.b16", sm75, 2, 8, 8, b16, b16, rows16_x2, rows_x2,
            "llvm.nvvm.ldmatrix.sync.aligned.m8n8.x2.b16", cute),
      moves(load, "ldmatrix.sync.aligned.m8n8.x4.shared.b16", sm75, 4, 8, 8, b16, b16, rows16_x4, rows_x4,
            "llvm.nvvm.ldmatrix.sync.aligned.m8n8.x4.b16", cute),
      moves(load, "ldmatrix.sync.aligned.m8n8.x1.trans.shared.b16", sm75, 1, 8, 8, b16, b16, columns16_x1, rows_x1,
            "llvm.nvvm.ldmatrix.sync.aligned.m8n8.x1.trans.b16", cute),
      moves(load, "ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16", sm75, 2, 8, 8, b16, b16, columns16_x2, rows_x2,
            "llvm.nvvm.ldmatrix.sync.aligned.m8n8.x2.trans.b16", cute),
      moves(load, "ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16", sm75, 4, 8, 8, b16, b16, columns16_x4, rows_x4,
            "llvm.nvvm.ldmatrix.sync.aligned.m8n8.x4.trans.b16", cute),
      moves(load, "ldmatrix.sync.aligned.m16n16.x1.trans.shared.b8", sm100, 1, 16, 16, b8, b8, columns8_x1, rows_16_x1,
            "llvm.nvvm.ldmatrix.sync.aligned.m16n16.x1.trans.b8", cute),
      moves(load, "ldmatrix.sync.aligned.m16n16.x2.trans.shared.b8", sm100, 2, 16, 16, b8, b8, columns8_x2, rows_16_x2,
            "llvm.nvvm.ldmatrix.sync.aligned.m16n16.x2.trans.b8", cute),
      moves(load, "ldmatrix.sync.aligned.m16n16.x1.trans.shared.b8x16.b6x16_p32", sm100, 1, 16, 16, b6, b8, columns8_x1, rows_16_x1,
            "llvm.nvvm.ldmatrix.sync.aligned.m16n16.x1.trans.b8x16.b6x16_p32", document),
      moves(load, "ldmatrix.sync.aligned.m16n16.x2.trans.shared.b8x16.b6x16_p32", sm100, 2, 16, 16, b6, b8, columns8_x2, rows_16_x2,
            "llvm.nvvm.ldmatrix.sync.aligned.m16n16.x2.trans.b8x16.b6x16_p32", document),
      moves(load, "ldmatrix.sync.aligned.m16n16.x1.trans.shared.b8x16.b4x16_p64", sm100, 1, 16, 16, b4, b8, columns8_x1, rows_16_x1,
            "llvm.nvvm.ldmatrix.sync.aligned.m16n16.x1.trans.b8x16.b4x16_p64", document),
      moves(load, "ldmatrix.sync.aligned.m16n16.x2.trans.shared.b8x16.b4x16_p64", sm100, 2, 16, 16, b4, b8, columns8_x2, rows_16_x2,
            "llvm.nvvm.ldmatrix.sync.aligned.m16n16.x2.trans.b8x16.b4x16_p64", document),
      moves(load, "ldmatrix.sync.aligned.m8n16.x1.shared.b8x16.b6x16_p32", sm100, 1, 8, 16, b6, b8, rows8_x1, rows_x1,
            "llvm.nvvm.ldmatrix.sync.aligned.m8n16.x1.b8x16.b6x16_p32", cute),
      moves(load, "ldmatrix.sync.aligned.m8n16.x2.shared.b8x16.b6x16_p32", sm100, 2, 8, 16, b6, b8, rows8_x2, rows_x2,
            "llvm.nvvm.ldmatrix.sync.aligned.m8n16.x2.b8x16.b6x16_p32", cute),
      moves(load, "ldmatrix.sync.aligned.m8n16.x4.shared.b8x16.b6x16_p32", sm100, 4, 8, 16, b6, b8, rows8_x4, rows_x4,
            "llvm.nvvm.ldmatrix.sync.aligned.m8n16.x4.b8x16.b6x16_p32", cute),
      moves(load, "ldmatrix.sync.aligned.m8n16.x1.shared.b8x16.b4x16_p64", sm100, 1, 8, 16, b4, b8, rows8_x1, rows_x1,
            "llvm.nvvm.ldmatrix.sync.aligned.m8n16.x1.b8x16.b4x16_p64", cute),
      moves(load, "ldmatrix.sync.aligned.m8n16.x2.shared.b8x16.b4x16_p64", sm100, 2, 8, 16, b4, b8, rows8_x2, rows_x2,
            "llvm.nvvm.ldmatrix.sync.aligned.m8n16.x2.b8x16.b4x16_p64", cute),
      moves(load, "ldmatrix.sync.aligned.m8n16.x4.shared.b8x16.b4x16_p64", sm100, 4, 8, 16, b4, b8, rows8_x4, rows_x4,
            "llvm.nvvm.ldmatrix.sync.aligned.m8n16.x4.b8x16.b4x16_p64", cute),
      moves(store, "stmatrix.sync.aligned.m8n8.x1.shared.b16", sm90, 1, 8, 8, b16, b16, rows16_x1, rows_x1,
            "llvm.nvvm.stmatrix.sync.aligned.m8n8.x1.b16", cute),
      moves(store, "stmatrix.sync.aligned.m8n8.x2.shared.b16", sm90, 2, 8, 8, b16, b16, rows16_x2, rows_x2,
            "llvm.nvvm.stmatrix.sync.aligned.m8n8.x2.b16", cute),
      moves(store, "stmatrix.sync.aligned.m8n8.x4.shared.b16", sm90, 4, 8, 8, b16, b16, rows16_x4, rows_x4,
            "llvm.nvvm.stmatrix.sync.aligned.m8n8.x4.b16", cute),
      moves(store, "stmatrix.sync.aligned.m8n8.x1.trans.shared.b16", sm90, 1, 8, 8, b16, b16, columns16_x1, rows_x1,
            "llvm.nvvm.stmatrix.sync.aligned.m8n8.x1.trans.b16", cute),
      moves(store, "stmatrix.sync.aligned.m8n8.x2.trans.shared.b16", sm90, 2, 8, 8, b16, b16, columns16_x2, rows_x2,
            "llvm.nvvm.stmatrix.sync.aligned.m8n8.x2.trans.b16", cute),
      moves(store, "stmatrix.sync.aligned.m8n8.x4.trans.shared.b16", sm90, 4, 8, 8, b16, b16, columns16_x4, rows_x4,
            "llvm.nvvm.stmatrix.sync.aligned.m8n8.x4.trans.b16", cute),
      moves(store, "stmatrix.sync.aligned.m16n8.x1.trans.shared.b8", sm100, 1, 8, 16, b8, b8, stored8_x1, rows_x1,
            "llvm.nvvm.stmatrix.sync.aligned.m16n8.x1.trans.b8", cute),
      moves(store, "stmatrix.sync.aligned.m16n8.x2.trans.shared.b8", sm100, 2, 8, 16, b8, b8, stored8_x2, rows_x2,
            "llvm.nvvm.stmatrix.sync.aligned.m16n8.x2.trans.b8", cute),
      moves(store, "stmatrix.sync.aligned.m16n8.x4.trans.shared.b8", sm100, 4, 8, 16, b8, b8, stored8_x4, rows_x4,
            "llvm.nvvm.stmatrix.sync.aligned.m16n8.x4.trans.b8", cute),
      Instruction{.name = "movmatrix.sync.aligned.m8n8.trans.b16", .families = sm75, .wave = 32, .m = 8, .n = 8, .k = 8, .blocks = 1,
                  .a_type = b16, .b_type = b16, .d_type = b16, .a = moved_a, .b = {}, .d = rows16_x1, .index = {},
                  .intrinsic = "", .constraints = warp, .witnesses = of_the_transposition, .kind = Kind::transpose},
  };
}();
// clang-format on

}  // namespace heddle::instruction
