// Where the elements of CDNA's matrix instructions lie, as runs of sixteen lanes.
//
// Whatever the shape, sixteen lanes in a row hold sixteen consecutive rows of A or columns of B, C
// and D, counted through all blocks: row block * m + i, column block * n + j. An instruction of 4 x
// 4 has four blocks in them.
//
// Made here and not by the handlers, which are compiled for each instruction set of the host.
#pragma once

#include <cstddef>
#include <cstdint>

#include "heddle/instruction/cdna_table.h"
#include "heddle/instruction/numerics.h"

namespace heddle::emulator {

/// Sixteen elements of one position: `bit` of the operand's tuple, in which lanes 16 * sixteenth
/// on.
struct MfmaRun {
  uint16_t bit = 0;
  uint8_t sixteenth = 0;
};

/// One operand in one of its formats. Run (i, j) at i * runs + j: i counts k of A and B, groups of
/// k of an index or a scale, rows of C and D; j the sixteens of rows or columns.
struct MfmaOperand {
  static constexpr int most = 128;
  instruction::ElementType type{};
  int count = 0, runs = 0;
  MfmaRun at[most];
};

/// A row of cdna_instructions.
struct MfmaForm {
  static constexpr int formats = 5, most_k = 128, most_numbers = 2048;

  int m = 0, n = 0, k = 0, blocks = 0;
  bool sparse = false, scaled = false, has_formats = false;
  instruction::SumRule rule;
  MfmaOperand a[formats], b[formats];  // the first, unless the row has formats
  // Of a sparse A: survivor s of group g at 2 * g + s. Its index: four bits of each group.
  MfmaOperand d, index, scale_a, scale_b;
  int index_bits = 0;        // of the register, that one part of the index takes
  uint8_t lane_group[8][4];  // by BLGP: from which sixteen lanes of B sixteen lanes read
};

/// Of the row of cdna_instructions with that number; made when it is first asked for.
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

}  // namespace heddle::emulator
