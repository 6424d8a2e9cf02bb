// tcgen05.ld and tcgen05.st of sm_100: a warp moves a part of tensor memory to registers or back.
//
// Sources: PTX ISA 9.0, "Data Movement Shape" and "Tensor Memory and Register Load/Store
// Instructions", for the instructions. That document shows the layouts only in figures. The maps
// come from CuTe's copy_traits_sm100.hpp, and Triton's getTileLayout agrees.
// tests/instruction/tensor_memory_table_test.cpp compares with both, and has LLVM 22 compile every
// row with exactly its registers.
//
// m is the lane of tensor memory and n the column, both counted from the address. A warp can access
// only 32 of the 128 lanes. Shapes with 16 lanes move the upper or the lower half of these; the
// address says which. 16x32bx2 moves two pieces (`block`); the second begins `immHalfSplitoff`
// columns after the first. `.pack::16b` and `.unpack::16b` move the low 16 bits of two columns in
// one register. tcgen05.ld.red has the layouts of tcgen05.ld.
//
//     shape       what a warp moves at .x1                                            registers
//     32x32b      lane l its row l: one column of 32 bits                             1
//     16x64b      16 rows of two columns                                              1
//     16x128b     16 rows of four columns                                             2
//     16x256b     16 rows of eight columns, in the layout of D of mma.sync            4
//     16x32bx2    16 rows of one column twice, the second at another column           1
//
// .xN moves N times the columns with N times the registers, up to 128 registers.
#pragma once

#include "heddle/instruction/generated_text.h"
#include "heddle/instruction/instruction.h"

namespace heddle::instruction {

/// A shape, with the maps for the largest `.num`. A smaller `.num` uses only the first registers.
struct TensorMove {
  std::string_view shape;
  int lanes;      // m
  int registers;  // at .x1
  int columns;    // n at .x1
  int blocks;
  OperandMap words, halves;  // plain, and packed from 16 bits
};

// clang-format off
inline constexpr std::array tensor_moves{
    TensorMove{"32x32b", 32, 1, 1, 1,
        {128, 32, "element:; register: (0,1) (0,2) (0,4) (0,8) (0,16) (0,32) (0,64); lane: (1,0) (2,0) (4,0) (8,0) (16,0) -> m: 32, n: 128"},
        {128, 16, "element: (0,1); register: (0,2) (0,4) (0,8) (0,16) (0,32) (0,64) (0,128); lane: (1,0) (2,0) (4,0) (8,0) (16,0) -> m: 32, n: 256"}},
    TensorMove{"16x64b", 16, 1, 2, 1,
        {128, 32, "element:; register: (0,2) (0,4) (0,8) (0,16) (0,32) (0,64) (0,128); lane: (8,0) (0,1) (1,0) (2,0) (4,0) -> m: 16, n: 256"},
        {128, 16, "element: (0,1); register: (0,4) (0,8) (0,16) (0,32) (0,64) (0,128) (0,256); lane: (8,0) (0,2) (1,0) (2,0) (4,0) -> m: 16, n: 512"}},
    TensorMove{"16x128b", 16, 2, 4, 1,
        {128, 32, "element:; register: (8,0) (0,4) (0,8) (0,16) (0,32) (0,64) (0,128); lane: (0,1) (0,2) (1,0) (2,0) (4,0) -> m: 16, n: 256"},
        {128, 16, "element: (0,1); register: (8,0) (0,8) (0,16) (0,32) (0,64) (0,128) (0,256); lane: (0,2) (0,4) (1,0) (2,0) (4,0) -> m: 16, n: 512"}},
    TensorMove{"16x256b", 16, 4, 8, 1,
        {128, 32, "element:; register: (0,1) (8,0) (0,8) (0,16) (0,32) (0,64) (0,128); lane: (0,2) (0,4) (1,0) (2,0) (4,0) -> m: 16, n: 256"},
        {128, 16, "element: (0,1); register: (0,2) (8,0) (0,16) (0,32) (0,64) (0,128) (0,256); lane: (0,4) (0,8) (1,0) (2,0) (4,0) -> m: 16, n: 512"}},
    TensorMove{"16x32bx2", 16, 1, 1, 2,
        {128, 32, "element:; register: (0,1,0) (0,2,0) (0,4,0) (0,8,0) (0,16,0) (0,32,0) (0,64,0); lane: (1,0,0) (2,0,0) (4,0,0) (8,0,0) (0,0,1) -> m: 16, n: 128, block: 2"},
        {128, 16, "element: (0,1,0); register: (0,2,0) (0,4,0) (0,8,0) (0,16,0) (0,32,0) (0,64,0) (0,128,0); lane: (1,0,0) (2,0,0) (4,0,0) (8,0,0) (0,0,1) -> m: 16, n: 256, block: 2"}},
};
// clang-format on

/// Calls `use` with the properties of every instruction: kind, shape, .num, and whether it packs.
constexpr void for_each_tensor_move(auto use) {
  for (const Kind kind : {Kind::load, Kind::store})
    for (const TensorMove& move : tensor_moves)
      for (const bool packs : {false, true})
        for (int times = 1; times * move.registers <= 128; times *= 2)
          use(kind, move, times, packs);
}

/// Appends the mnemonic: tcgen05.ld.sync.aligned.16x64b.x4.pack::16b.b32.
constexpr void append_tensor_move_name(auto& text, Kind kind, const TensorMove& move, int times,
                                       bool packs) {
  text.append(kind == Kind::load ? "tcgen05.ld" : "tcgen05.st");
  text.append(".sync.aligned.");
  text.append(move.shape);
  text.append(".x");
  text.append_number(times);
  if (packs) text.append(kind == Kind::load ? ".pack::16b" : ".unpack::16b");
  text.append(".b32");
}

/// Appends LLVM's name, which is the same with and without packing: llvm.nvvm.tcgen05.ld.16x64b.x4.
constexpr void append_tensor_move_intrinsic(auto& text, Kind kind, const TensorMove& move,
                                            int times) {
  text.append(kind == Kind::load ? "llvm.nvvm.tcgen05.ld." : "llvm.nvvm.tcgen05.st.");
  text.append(move.shape);
  text.append(".x");
  text.append_number(times);
}

/// The names and intrinsics of all instructions, one after the other.
template <std::size_t capacity>
constexpr GeneratedText<capacity> tensor_move_text() {
  GeneratedText<capacity> text;
  for_each_tensor_move([&](Kind kind, const TensorMove& move, int times, bool packs) {
    append_tensor_move_name(text, kind, move, times, packs);
    append_tensor_move_intrinsic(text, kind, move, times);
  });
  return text;
}

inline constexpr auto tensor_move_names = tensor_move_text<tensor_move_text<0>().size>();

/// The rows of the catalogue.
inline constexpr auto tensor_move_instructions = [] {
  constexpr std::size_t count_of_all = [] {
    std::size_t count = 0;
    for_each_tensor_move([&](Kind, const TensorMove&, int, bool) { ++count; });
    return count;
  }();
  std::array<Instruction, count_of_all> all{};
  std::size_t count = 0;
  const char* next = tensor_move_names.characters;
  for_each_tensor_move([&](Kind kind, const TensorMove& move, int times, bool packs) {
    GeneratedText<0> name, intrinsic;
    append_tensor_move_name(name, kind, move, times, packs);
    append_tensor_move_intrinsic(intrinsic, kind, move, times);
    Instruction& into = all[count++];
    into.name = {next, name.size};
    into.intrinsic = {next + name.size, intrinsic.size};
    next += name.size + intrinsic.size;
    into.kind = kind;
    into.families = Family::sm100;
    into.wave = 32;
    into.m = move.lanes;
    into.n = move.columns * times * (packs ? 2 : 1);
    into.k = 1;
    into.blocks = move.blocks;
    into.d_type = packs ? ElementType::b16 : ElementType::b32;
    into.a_type = into.b_type = into.d_type;
    into.d = packs ? move.halves : move.words;
    into.d.registers = move.registers * times;
    into.constraints =
        static_cast<std::uint16_t>(static_cast<int>(Constraint::converged_warp) |
                                   static_cast<int>(Constraint::quarter_of_tensor_memory));
    into.witnesses = static_cast<std::uint16_t>(
        static_cast<int>(Witness::cutlass) | static_cast<int>(Witness::ptxas) |
        static_cast<int>(Witness::triton) | static_cast<int>(Witness::llvm));
  });
  return all;
}();

}  // namespace heddle::instruction
