// How the sums of an instruction come about, how certain that is, and how exact they are, in words
// (heddle/instruction/sum_standing.h).
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "heddle/instruction/sum_standing.h"

namespace heddle::answers {

/// "16 products and C at once, cut off …; bits measured (sums recorded on an H200)". Empty for
/// instructions that are no product.
std::string sums_text(const instruction::Instruction& row, instruction::Family family);

/// The bound of the error of a sum of k products, as a formula and for `products` of them.
std::string sum_error_text(const instruction::Instruction& row, instruction::Family family,
                           std::int64_t products);

/// Both as an object; null for what is no product.
std::string sums_json(const instruction::Instruction& row, instruction::Family family,
                      std::int64_t products);

/// The table of bench/records/sums.md. A line stands for all instructions of a family, of one kind
/// and with the same types, that add alike. If `only` names a family, the table has only that
/// family.
std::string sums_table(std::span<const instruction::Instruction* const> rows,
                       std::optional<instruction::Family> only);

}  // namespace heddle::answers
