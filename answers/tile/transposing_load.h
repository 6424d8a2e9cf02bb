// The instructions, other than plain loads and stores, that a question names as moving a tile
// between registers and shared memory.
#pragma once

#include <array>
#include <expected>
#include <string>
#include <string_view>

#include "heddle/instruction/instruction.h"

namespace heddle::answers {

/// NVIDIA's moves of 8x8 matrices.
inline constexpr std::array<std::string_view, 4> moves_of_matrices{"ldmatrix", "ldmatrix.trans",
                                                                   "stmatrix", "stmatrix.trans"};

/// Whether any processor of AMD has a load of this name from shared memory that transposes.
bool names_transposing_load(const std::string& name);

/// The load with this name on a processor in waves of `wave` lanes. Otherwise a sentence: the name
/// is something else, other processors have the load, or this processor has other such loads.
std::expected<instruction::Instruction, std::string> transposing_load(const std::string& name,
                                                                      instruction::Target target,
                                                                      int wave);

}  // namespace heddle::answers
