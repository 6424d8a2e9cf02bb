// The positions of the elements of the matrix instructions of CDNA and gfx1250, as runs of 16
// lanes.
//
// For every shape, 16 consecutive lanes have 16 consecutive rows of A, or columns of B, C and D. An
// instruction may multiply several matrices at once (blocks). Rows and columns are numbered through
// all blocks: row block * m + i, column block * n + j. For matrices of 4 x 4, the 16 lanes have the
// rows or columns of four blocks.
//
// The runs are not computed in the handlers, because these are compiled for each instruction set of
// the host.
#pragma once

#include <cstddef>
#include <cstdint>

#include "heddle/instruction/cdna_table.h"
#include "heddle/instruction/gfx1250_table.h"
#include "heddle/instruction/numerics.h"

namespace heddle::emulator {

/// The elements of 16 lanes at one position. The lanes are 16 * sixteenth to 16 * sixteenth + 15;
/// in each, the element begins at bit `bit` of the operand's registers.
struct MfmaRun {
  uint16_t bit = 0;
  uint8_t sixteenth = 0;
};

/// The runs of one operand in one of its formats. Run (i, j) is at[i * runs + j]. i counts the k of
/// A and B, the groups of k of an index or a scale, or the rows of C and D. j counts groups of
/// sixteen rows (of A) or columns (of B, C and D).
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
  // A sparse A stores two elements (survivors) of every group of four k: survivor s of group g is
  // number 2 * g + s. The index has four bits for each group.
  MfmaOperand c, d, index, scale_a, scale_b;
  int index_bits = 0;        // of the register, that one part of the index takes
  uint8_t lane_group[8][4];  // by BLGP: from which sixteen lanes of B sixteen lanes read
};

/// gfx1250's rows are numbered after those of CDNA; this is the number of the first one.
constexpr std::size_t first_gfx1250_form = instruction::cdna_instructions.size();

/// Row number `number` of the catalogue, in which gfx1250's rows follow those of CDNA.
constexpr const instruction::Instruction& mfma_row(std::size_t number) {
  return number < first_gfx1250_form
             ? instruction::cdna_instructions[number]
             : instruction::gfx1250_instructions[number - first_gfx1250_form];
}

/// The form of row number `row`. It is made when it is first requested.
const MfmaForm& mfma_form(std::size_t row);

// The modifiers of an instruction of CDNA, and how they are packed into Instruction::offset. If the
// instruction has several formats, cbsz is the format of A and blgp that of B.
struct MfmaModifiers {
  int cbsz = 0, abid = 0, blgp = 0, scale_a = 0, scale_b = 0;

  constexpr int32_t packed() const {
    return cbsz | abid << 3 | blgp << 7 | scale_a << 10 | scale_b << 12;
  }
  static constexpr MfmaModifiers of(int32_t packed) {
    return {packed & 7, packed >> 3 & 15, packed >> 7 & 7, packed >> 10 & 3, packed >> 12 & 3};
  }
};

// The modifiers of an instruction of gfx1250, and how they are packed into Instruction::offset.
// a_row and b_row say which half of the wave (16 lanes) has the scales. The scale formats are 0 for
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
