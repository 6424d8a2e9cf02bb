// Words about a row of the catalogue that several commands use.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "heddle/instruction/places.h"

namespace heddle::answers {

/// The row's name. If one n of several was chosen, the name has that n: m64n96k16.
std::string display_name(const instruction::Instruction& row);

/// "16x16x4 4b": m, n and k, and the number of blocks where there are several.
std::string shape_text(const instruction::Instruction& row);

/// The names of the row's families, in the order of Family.
std::vector<std::string_view> family_names(const instruction::Instruction& row);

/// "sm_80" for one family, "sm_80 to sm_120" for several without a gap, else all names with spaces
/// between.
std::string families_text(const instruction::Instruction& row);

/// The types that A and B may have, in the order of the modifiers' values; none without a choice.
std::vector<std::string_view> format_names(const instruction::Instruction& row);

/// "D = A x B + C, 16x16x16 (m n k), f16 x f16 + f32 -> f32", or a sentence about what it moves.
std::string computes_text(const instruction::Instruction& row);

/// The demands of the hardware, separated by semicolons.
std::string needs_text(const instruction::Instruction& row);

/// The target that a compiler must be given, if the processor's name is not enough: wgmma, and
/// Blackwell's new instructions, need "sm_90a" and the like. Otherwise empty. Source: ptxas 13.0,
/// which refuses the calls without the a; PTX ISA 9.0, "Target ISA Notes".
std::string compile_for_text(const instruction::Instruction& row, instruction::Target target);

/// Only the name of that target: "sm_90a", or empty.
std::string compile_target(const instruction::Instruction& row, instruction::Target target);

/// The witnesses of the places (`of_map`), or those of registers and encoding.
std::vector<std::string_view> witness_names(const instruction::Instruction& row, bool of_map);

/// All witnesses in a sentence. It says so if only one confirms the places.
std::string witnesses_text(const instruction::Instruction& row);

/// The word for what holds an operand: "VGPR" or "AGPR", "register" for NVIDIA, "column" in tensor
/// memory; with an s unless `count` is 1.
std::string register_words(const instruction::Instruction& row, instruction::Operand operand,
                           int count);

/// The letter before a register's number: v or a, r for NVIDIA, c for a column.
char register_letter(const instruction::Instruction& row, instruction::Operand operand);

/// "C and D" if C has the layout of D; else the operand's name.
std::string operand_words(const instruction::Instruction& row, instruction::Operand operand);

/// "16x32 (m k)", or "8 (m)": the extents of the matrix view and the axes they count.
std::string extents_text(instruction::Operand operand, const instruction::Places& places);

/// The word for one position of an operand: "f16", "f16 pair" for a sparse A, "2-bit places",
/// "addresses".
std::string position_words(const instruction::Instruction& row, instruction::Operand operand);

/// "3-5" for `count` numbers from `first` on; a single number for one.
std::string range_text(std::uint64_t first, std::uint64_t count);
inline std::string range_text(int first, int count) {
  return range_text(static_cast<std::uint64_t>(first), static_cast<std::uint64_t>(count));
}

/// "wave32"; for NVIDIA "warp" or "warpgroup", or the lanes of tensor memory if D lies there.
std::string wave_words(const instruction::Instruction& row);

}  // namespace heddle::answers
