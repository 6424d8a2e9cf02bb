// How a matrix instruction of AMD is encoded: the format and its opcode.
//
//   if (const auto encoded = encoding(row))
//     print(encoded->format, encoded->opcode, encoded->bytes);
//
// Sources: LLVM 22, which decodes every opcode of these formats
// (tests/instruction/coverage_test.cpp compares); AMD's matrix instruction calculator 1.3.2 for
// CDNA1 to 3, with three misprints that the same test lists. The formats are those of AMD's
// Instruction Set Architecture documents, section "Instruction Formats". NVIDIA publishes no
// encodings of its machine code.
//
// To add an instruction: a line in library/instruction/encoding.cpp.
//
//     encoding(*find("v_wmma_f32_16x16x16_f16", Target::gfx1151))     VOP3P, 0x40, 8 bytes
//
//     format       bits of word 0 that identify it                used by
//     VOP3P        31:24 are 0xcc; opcode in 22:16 (23:16)        WMMA, SWMMAC
//     VOP3P-MAI    31:23 are 0x1a7, opcode in 22:16               MFMA, SMFMAC
//
// An opcode is valid for one format on one family: RDNA and CDNA use the same numbers for different
// instructions.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "heddle/instruction/instruction.h"

namespace heddle::instruction {

/// The opcode of the instruction with this name, which is the same on all processors that have the
/// instruction.
struct OpcodeRow {
  std::string_view name;
  std::uint8_t opcode;  // bits 22:16 of the first word, on gfx1250 23:16
};

/// All matrix instructions of AMD with their opcodes, grouped by family.
std::span<const OpcodeRow> opcodes();

/// An instruction that loads the scales of the instruction after it. The assembler treats the two
/// instructions as one.
struct ScaleLoad {
  std::string_view name;
  std::uint8_t opcode;
};

/// The encoding of an instruction: its format, and its opcode within the format.
struct Encoding {
  std::string_view format;  // "VOP3P" or "VOP3P-MAI"
  std::uint8_t opcode;
  int bytes;                              // 8; 16 with a scale load
  std::optional<ScaleLoad> scale_load{};  // the 8 bytes before, of an instruction with scales
};

/// The instruction that loads the scales of `row`. Precondition: the row has scales. gfx1250 has
/// one such instruction for scales that each belong to 32 elements (4 bytes a lane), and one for
/// scales that each belong to 16 elements (8 bytes a lane).
ScaleLoad scale_load(const Instruction& row);

/// The encoding of `row`; nothing of NVIDIA's.
std::optional<Encoding> encoding(const Instruction& row);

}  // namespace heddle::instruction
