// Words about a row of the catalogue that several commands use.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "heddle/instruction/places.h"

namespace heddle::answers {

/// The row's name. If the instruction exists for several n, the name contains the n that was chosen
/// for the row: "m64n96k16".
std::string display_name(const instruction::Instruction& row);

/// "16x16x4 4b": m, n and k, then the number of blocks if the instruction multiplies several blocks
/// of matrices.
std::string shape_text(const instruction::Instruction& row);

/// The names of the row's families, in the order of Family.
std::vector<std::string_view> family_names(const instruction::Instruction& row);

/// "sm_80" for one family, "sm_80 to sm_120" for several that are consecutive, otherwise all names
/// with spaces between.
std::string families_text(const instruction::Instruction& row);

/// The types that A and B may have, if modifiers of the instruction choose them. The position of a
/// type in the list is the value of the modifier. Empty if the types are fixed.
std::vector<std::string_view> format_names(const instruction::Instruction& row);

/// "D = A x B + C, 16x16x16 (m n k), f16 x f16 + f32 -> f32", or a sentence about what it moves.
std::string computes_text(const instruction::Instruction& row);

/// The constraints of the hardware on the instruction, separated by semicolons.
std::string needs_text(const instruction::Instruction& row);

/// The target that a compiler must be given, if the processor's name is not enough: wgmma, and
/// Blackwell's new instructions, need "sm_90a" and the like. Otherwise empty. Source: ptxas 13.0,
/// which refuses the calls without the a; PTX ISA 9.0, "Target ISA Notes".
std::string compile_for_text(const instruction::Instruction& row, instruction::Target target);

/// The target that compile_for_text() names, without its words: "sm_90a", or empty.
std::string compile_target(const instruction::Instruction& row, instruction::Target target);

/// The names of witnesses of the row, that is, of independent sources that confirm it. If `of_map`,
/// those that confirm the places of elements; otherwise those that confirm registers and encoding.
std::vector<std::string_view> witness_names(const instruction::Instruction& row, bool of_map);

/// All witnesses in a sentence. If only one of them confirms the places of elements, the sentence
/// says so.
std::string witnesses_text(const instruction::Instruction& row);

/// The word for what holds an operand: "VGPR" or "AGPR", "register" for NVIDIA, "column" in tensor
/// memory; with an s unless `count` is 1.
std::string register_words(const instruction::Instruction& row, instruction::Operand operand,
                           int count);

/// The letter before a register's number: v or a, r for NVIDIA, c for a column.
char register_letter(const instruction::Instruction& row, instruction::Operand operand);

/// "C and D" for C or D of a product in which C has the layout of D; otherwise the operand's name.
std::string operand_words(const instruction::Instruction& row, instruction::Operand operand);

/// "16x32 (m k)", or "8 (m)": the extents of the matrix view and the axes they count.
std::string extents_text(instruction::Operand operand, const instruction::Places& places);

/// Words for what one position of an operand holds: "f16"; "f16 pair" for a sparse A; "2-bit
/// places" for an index, which says where the elements of a sparse A belong; "addresses".
std::string position_words(const instruction::Instruction& row, instruction::Operand operand);

/// "3-5" for `count` numbers from `first` on; a single number for one.
std::string range_text(std::uint64_t first, std::uint64_t count);
inline std::string range_text(int first, int count) {
  return range_text(static_cast<std::uint64_t>(first), static_cast<std::uint64_t>(count));
}

/// The lanes that execute the instruction, in words: "wave32"; for NVIDIA "warp" or "warpgroup", or
/// "128 lanes of tensor memory" if D lies in tensor memory.
std::string wave_words(const instruction::Instruction& row);

}  // namespace heddle::answers
