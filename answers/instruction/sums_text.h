// In words: in which order and with which rounding an instruction adds its products, how certain
// that is, and how exact the sums are (heddle/instruction/sum_standing.h).
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "heddle/instruction/sum_standing.h"

namespace heddle::answers {

/// How the instruction adds, such as "16 products and C at once, cut off …; bits measured (sums
/// recorded on an H200)". Empty if the instruction computes no product of matrices.
std::string sums_text(const instruction::Instruction& row, instruction::Family family);

/// The bound of the error of a sum of k products: the formula, and its value for k = `products`.
std::string sum_error_text(const instruction::Instruction& row, instruction::Family family,
                           std::int64_t products);

/// The contents of sums_text and sum_error_text as a JSON object; "null" if the instruction
/// computes no product of matrices.
std::string sums_json(const instruction::Instruction& row, instruction::Family family,
                      std::int64_t products);

/// The table of bench/records/sums.md. One line of the table stands for all instructions that have
/// the same family, kind (mma, wgmma, …) and types and that add in the same way. If `only` names a
/// family, the table has only that family.
std::string sums_table(std::span<const instruction::Instruction* const> rows,
                       std::optional<instruction::Family> only);

}  // namespace heddle::answers
