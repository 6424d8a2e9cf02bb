// Words about a row of the catalogue that several commands use.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "heddle/instruction/places.h"

namespace heddle::answers {

/// Its name; of an instruction for several n of which one was chosen with that n: m64n96k16.
std::string display_name(const instruction::Instruction& row);

/// "16x16x4 4b": m, n and k, and the number of blocks where there are several.
std::string shape_text(const instruction::Instruction& row);

/// The names of its families in the order of Family.
std::vector<std::string_view> family_names(const instruction::Instruction& row);

/// "sm_80" of one; "sm_80 to sm_120" of several without a gap, else all with spaces between.
std::string families_text(const instruction::Instruction& row);

/// The types that A and B may have, in the order of the modifiers' values; none without a choice.
std::vector<std::string_view> format_names(const instruction::Instruction& row);

/// "D = A x B + C, 16x16x16 (m n k), f16 x f16 + f32 -> f32", or what it moves.
std::string computes_text(const instruction::Instruction& row);

/// What the hardware demands, apart by semicolons.
std::string needs_text(const instruction::Instruction& row);

/// For which target a compiler takes the call, where the processor's name is not enough: wgmma, and
/// what Blackwell brought, need "sm_90a" and the like. Else empty. Source: ptxas 13.0, which
/// refuses the calls without the a; PTX ISA 9.0, "Target ISA Notes".
std::string compile_for_text(const instruction::Instruction& row, instruction::Target target);

/// That target alone: "sm_90a", or empty.
std::string compile_target(const instruction::Instruction& row, instruction::Target target);

/// The witnesses of the places (`of_map`), or those of registers and encoding.
std::vector<std::string_view> witness_names(const instruction::Instruction& row, bool of_map);

/// All of them in a sentence, which says so where one alone confirms the places.
std::string witnesses_text(const instruction::Instruction& row);

/// Of CDNA's products: how they add, and how sure that is (heddle/instruction/numerics.h); else
/// empty.
std::string sums_text(const instruction::Instruction& row);

/// What an operand lies in: "VGPR", "AGPR", of NVIDIA "register", in tensor memory "column"; with
/// an s unless `count` is 1.
std::string register_words(const instruction::Instruction& row, instruction::Operand operand,
                           int count);

/// The letter before the number of a register: v, a, of NVIDIA r, and c of a column.
char register_letter(const instruction::Instruction& row, instruction::Operand operand);

/// "C and D" of an instruction whose C lies as its D; else the operand's name.
std::string operand_words(const instruction::Instruction& row, instruction::Operand operand);

/// "16x32 (m k)", or "8 (m)": the extents of the matrix view and the axes they count.
std::string extents_text(instruction::Operand operand, const instruction::Places& places);

/// What one position of an operand is: "f16", "f16 pair" of a sparse A, "2-bit places",
/// "addresses".
std::string position_words(const instruction::Instruction& row, instruction::Operand operand);

/// "3-5": `count` numbers from `first` on; a single one alone.
std::string range_text(std::uint64_t first, std::uint64_t count);

/// "wave32"; of NVIDIA "warp", "warpgroup", or the lanes of tensor memory where D lies there.
std::string wave_words(const instruction::Instruction& row);

}  // namespace heddle::answers
