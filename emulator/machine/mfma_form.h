// Where the elements of the matrix instructions of CDNA and gfx1250 lie, as runs of sixteen lanes.
//
// Whatever the shape, sixteen lanes in a row hold sixteen consecutive rows of A or columns of B, C
// and D, counted through all blocks: row block * m + i, column block * n + j. In an instruction of
// 4 x 4, sixteen lanes hold four blocks.
//
// The handlers do not make them, because they are compiled for each instruction set of the host.
#pragma once

#include <cstddef>
#include <cstdint>

#include "heddle/instruction/cdna_table.h"
#include "heddle/instruction/gfx1250_table.h"
#include "heddle/instruction/numerics.h"

namespace heddle::emulator {

/// Sixteen elements of one position: from bit `bit` of the operand's tuple on, in the lanes from 16
/// * sixteenth on.
struct MfmaRun {
  uint16_t bit = 0;
  uint8_t sixteenth = 0;
};

/// One operand in one of its formats. Run (i, j) is at i * runs + j. i counts k of A and B, groups
/// of k of an index or a scale, and rows of C and D. j counts groups of sixteen rows or columns.
struct MfmaOperand {
  static constexpr int most = 256;
  instruction::ElementType type{};
  unsigned bits = 0;  // of an element
  int count = 0, runs = 0;
  MfmaRun at[most];
};

/// A row of cdna_instructions or gfx1250_instructions.
struct MfmaForm {
  static constexpr int formats = 5, most_k = 128, most_numbers = 2048;

  int m = 0, n = 0, k = 0, blocks = 0;
  bool sparse = false, scaled = false, has_formats = false;
  instruction::SumRule rule;
  MfmaOperand a[formats], b[formats];  // the first, unless the row has formats
  // Of a sparse A: survivor s of group g at 2 * g + s. Its index: four bits of each group.
  MfmaOperand c, d, index, scale_a, scale_b;
  int index_bits = 0;        // of the register, that one part of the index takes
  uint8_t lane_group[8][4];  // by BLGP: from which sixteen lanes of B sixteen lanes read
};

/// The number of gfx1250's first row: they follow those of CDNA.
constexpr std::size_t first_gfx1250_form = instruction::cdna_instructions.size();

/// The row of the catalogue with that number.
constexpr const instruction::Instruction& mfma_row(std::size_t number) {
  return number < first_gfx1250_form
             ? instruction::cdna_instructions[number]
             : instruction::gfx1250_instructions[number - first_gfx1250_form];
}

/// Of the row with that number; made when it is first asked for.
const MfmaForm& mfma_form(std::size_t row);

// The modifiers of an instruction in Instruction::offset; the format of A is cbsz, that of B blgp.
struct MfmaModifiers {
  int cbsz = 0, abid = 0, blgp = 0, scale_a = 0, scale_b = 0;

  constexpr int32_t packed() const {
    return cbsz | abid << 3 | blgp << 7 | scale_a << 10 | scale_b << 12;
  }
  static constexpr MfmaModifiers of(int32_t packed) {
    return {packed & 7, packed >> 3 & 15, packed >> 7 & 7, packed >> 10 & 3, packed >> 12 & 3};
  }
};

// The same for gfx1250. A scale's row is the half of the wave that holds it. Its format is 0 for
// E8M0, 1 for E5M3 and 2 for E4M3, in LLVM's order of MATRIX_SCALE_FMT.
struct WmmaModifiers {
  int a_format = 0, b_format = 0, a_row = 0, b_row = 0, a_scale_format = 0, b_scale_format = 0;

  constexpr int32_t packed() const {
    return a_format | b_format << 3 | a_row << 6 | b_row << 7 | a_scale_format << 8 |
           b_scale_format << 10;
  }
  static constexpr WmmaModifiers of(int32_t packed) {
    return {packed & 7,      packed >> 3 & 7, packed >> 6 & 1,
            packed >> 7 & 1, packed >> 8 & 3, packed >> 10 & 3};
  }
};

}  // namespace heddle::emulator
