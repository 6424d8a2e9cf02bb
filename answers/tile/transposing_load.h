// Instructions that move a tile between registers and shared memory and are not plain loads and
// stores. A question names them.
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

/// True if some AMD processor has a load of this name that reads shared memory and transposes.
bool names_transposing_load(const std::string& name);

/// The transposing load of this name on the processor, for waves of `wave` lanes. Error: a sentence
/// that says that the name is another instruction, that only other processors have the load, or
/// that the name is unknown; and then what may be named on this processor.
std::expected<instruction::Instruction, std::string> transposing_load(const std::string& name,
                                                                      instruction::Target target,
                                                                      int wave);

}  // namespace heddle::answers
