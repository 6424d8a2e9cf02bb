// Describes a product by plain multiply-adds in the form of a matrix instruction: which elements of
// a small tile (an "atom") each lane of a warp has. The atom is 32x16x1 on NVIDIA and 16x16x4 on
// AMD. So products in exact f32, f64, i32 and i64 are planned and compiled in the same way as
// products by matrix instructions.
#pragma once

#include <array>
#include <string_view>

#include "heddle/instruction/instruction.h"

namespace heddle::plan {

/// A type for which multiply-adds are used, with the instructions: the one of NVIDIA's PTX and the
/// one of AMD (if one AMD instruction multiplies and others add, the one that multiplies).
struct FmaRow {
  instruction::ElementType type;
  std::string_view ptx, amd;
};

inline constexpr std::array fma_rows{
    FmaRow{instruction::ElementType::f32, "fma.rn.f32", "v_fma_f32"},
    FmaRow{instruction::ElementType::i32, "mad.lo.s32", "v_mul_lo_u32"},
    FmaRow{instruction::ElementType::f64, "fma.rn.f64", "v_fma_f64"},
    FmaRow{instruction::ElementType::i64, "mad.lo.s64", "v_mad_u64_u32"}};

/// Position in fma_rows; -1: no multiply-adds of the type.
constexpr int fma_row(instruction::ElementType type) {
  for (std::size_t i = 0; i < fma_rows.size(); ++i)
    if (fma_rows[i].type == type) return static_cast<int>(i);
  return -1;
}

/// The atom on NVIDIA. 8x4 lanes have 4x4 sums each. For each k, a lane reads four adjacent
/// elements of a column of A and four of a row of B. So in shared memory A is contiguous along m
/// and B along n, however they lie in global memory. The atom has a single k, because fragments
/// that are read ahead then take few registers, which leaves a lane room for many sums.
constexpr instruction::Instruction fma_atom(const FmaRow& row) {
  instruction::Instruction atom{};
  atom.name = row.ptx;
  atom.wave = 32;
  atom.m = 32;
  atom.n = 16;
  atom.k = 1;
  atom.blocks = 1;
  atom.a_type = atom.b_type = atom.d_type = row.type;
  atom.a = {4, 32,
            "element:; register: (1,0) (2,0); lane: (0,0) (0,0) (4,0) (8,0) (16,0) -> m: 32, k: 1"};
  atom.b = {4, 32,
            "element:; register: (0,1) (0,2); lane: (0,4) (0,8) (0,0) (0,0) (0,0) -> k: 1, n: 16"};
  atom.d = {16, 32,
            "element:; register: (0,1) (0,2) (1,0) (2,0); lane: (0,4) (0,8) (4,0) (8,0) (16,0) -> "
            "m: 32, n: 16"};
  return atom;
}

/// The atom on AMD. In waves of 32 lanes, 8x4 lanes have 2x4 sums each; in waves of 64 lanes, 8x8
/// lanes have 2x2 sums each. In LDS both A and B are contiguous along k, so a lane reads four k of
/// a row at once. Lanes that need the same rows or columns read the same addresses.
constexpr instruction::Instruction amd_fma_atom(const FmaRow& row, int lanes) {
  instruction::Instruction atom{};
  atom.name = row.amd;
  atom.wave = lanes;
  atom.m = atom.n = 16;
  atom.k = 4;
  atom.blocks = 1;
  atom.a_type = atom.b_type = atom.d_type = row.type;
  if (lanes == 64) {
    atom.a = {8, 32,
              "element: (0,1) (0,2); register: (8,0); lane: (0,0) (0,0) (0,0) (1,0) (2,0) (4,0) -> "
              "m: 16, k: 4"};
    atom.b = {8, 32,
              "element: (1,0) (2,0); register: (0,8); lane: (0,1) (0,2) (0,4) (0,0) (0,0) (0,0) -> "
              "k: 4, n: 16"};
    atom.d = {
        4, 32,
        "element:; register: (0,8) (8,0); lane: (0,1) (0,2) (0,4) (1,0) (2,0) (4,0) -> m: 16, "
        "n: 16"};
    return atom;
  }
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

/// The atoms on AMD: for each row of fma_rows one for 32 lanes and one for 64.
inline constexpr auto amd_fma_atoms = [] {
  std::array<instruction::Instruction, 2 * fma_rows.size()> atoms{};
  for (std::size_t i = 0; i < atoms.size(); ++i)
    atoms[i] = amd_fma_atom(fma_rows[i / 2], i % 2 == 0 ? 32 : 64);
  return atoms;
}();

/// The atom on AMD for a type of fma_rows.
constexpr const instruction::Instruction& amd_fma_for(instruction::ElementType type, int lanes) {
  return amd_fma_atoms[static_cast<std::size_t>(2 * fma_row(type) + (lanes == 64 ? 1 : 0))];
}

/// One for each row.
inline constexpr auto fma_atoms = [] {
  std::array<instruction::Instruction, fma_rows.size()> atoms{};
  for (std::size_t i = 0; i < atoms.size(); ++i) atoms[i] = fma_atom(fma_rows[i]);
  return atoms;
}();

/// The atom on NVIDIA for a type of fma_rows.
constexpr const instruction::Instruction& fma_for(instruction::ElementType type) {
  return fma_atoms[static_cast<std::size_t>(fma_row(type))];
}

/// True if the products are plain multiply-adds.
constexpr bool is_fma(const instruction::Instruction& row) { return row.families.bits == 0; }

}  // namespace heddle::plan
