// A product by plain multiply-adds, described like a matrix instruction: which lane of a warp has
// which elements of a small tile, 32x16x4 on NVIDIA and 16x16x4 on RDNA. So f32 that must be exact,
// and i32, take the same way as matrix instructions.
#pragma once

#include <array>

#include "heddle/instruction/instruction.h"

namespace heddle::plan {

/// 4x4 sums a lane, lanes 8x4; four k at a time, so that rows of A are read 16 bytes at once. A and
/// B are each written so that what is contiguous in memory comes first.
constexpr instruction::Instruction fma_atom(instruction::ElementType type, bool a_k_contiguous,
                                            bool b_k_contiguous) {
  using instruction::ElementType;
  instruction::Instruction atom{};
  atom.name = type == ElementType::i32 ? "mad.lo.s32" : "fma.rn.f32";
  atom.wave = 32;
  atom.m = 32;
  atom.n = 16;
  atom.k = 4;
  atom.blocks = 1;
  atom.a_type = atom.b_type = atom.d_type = type;
  atom.a = {16, 32,
            a_k_contiguous ? "element:; register: (0,1) (0,2) (1,0) (2,0); lane: (0,0) (0,0) (4,0) "
                             "(8,0) (16,0) -> m: 32, k: 4"
                           : "element:; register: (1,0) (2,0) (0,1) (0,2); lane: (0,0) (0,0) (4,0) "
                             "(8,0) (16,0) -> m: 32, k: 4"};
  atom.b = {16, 32,
            b_k_contiguous ? "element:; register: (1,0) (2,0) (0,1) (0,2); lane: (0,4) (0,8) (0,0) "
                             "(0,0) (0,0) -> k: 4, n: 16"
                           : "element:; register: (0,1) (0,2) (1,0) (2,0); lane: (0,4) (0,8) (0,0) "
                             "(0,0) (0,0) -> k: 4, n: 16"};
  atom.d = {16, 32,
            "element:; register: (0,1) (0,2) (1,0) (2,0); lane: (0,4) (0,8) (4,0) (8,0) (16,0) -> "
            "m: 32, n: 16"};
  return atom;
}

/// On RDNA: 2x4 sums a lane, lanes 8x4. Both operands are contiguous along k in shared memory, so
/// four k of a row are read at once; lanes with the same rows or columns read them together.
constexpr instruction::Instruction rdna_fma_atom(instruction::ElementType type) {
  instruction::Instruction atom{};
  atom.name = type == instruction::ElementType::i32 ? "v_mul_lo_u32" : "v_fma_f32";
  atom.wave = 32;
  atom.m = atom.n = 16;
  atom.k = 4;
  atom.blocks = 1;
  atom.a_type = atom.b_type = atom.d_type = type;
  atom.a = {8, 32,
            "element: (0,1) (0,2); register: (8,0); lane: (0,0) (0,0) (1,0) (2,0) (4,0) -> m: 16, "
            "k: 4"};
  atom.b = {16, 32,
            "element: (1,0) (2,0); register: (0,4) (0,8); lane: (0,1) (0,2) (0,0) (0,0) (0,0) -> "
            "k: 4, n: 16"};
  atom.d = {8, 32,
            "element:; register: (0,4) (0,8) (8,0); lane: (0,1) (0,2) (1,0) (2,0) (4,0) -> m: 16, "
            "n: 16"};
  return atom;
}

inline constexpr std::array rdna_fma_atoms{rdna_fma_atom(instruction::ElementType::f32),
                                           rdna_fma_atom(instruction::ElementType::i32)};

inline constexpr std::array fma_atoms = [] {
  using enum instruction::ElementType;
  return std::array{fma_atom(f32, false, false), fma_atom(f32, true, false),
                    fma_atom(f32, false, true),  fma_atom(f32, true, true),
                    fma_atom(i32, false, false), fma_atom(i32, true, false),
                    fma_atom(i32, false, true),  fma_atom(i32, true, true)};
}();

/// The atom for operands of f32 or i32 in this order in memory.
constexpr const instruction::Instruction& fma_for(instruction::ElementType type,
                                                  bool a_k_contiguous, bool b_k_contiguous) {
  return fma_atoms[(a_k_contiguous ? 1u : 0u) + (b_k_contiguous ? 2u : 0u) +
                   (type == instruction::ElementType::i32 ? 4u : 0u)];
}

/// Whether the products are plain multiply-adds.
constexpr bool is_fma(const instruction::Instruction& row) { return row.families.bits == 0; }

}  // namespace heddle::plan
