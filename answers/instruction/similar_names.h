// Suggestions for an unknown name of an instruction.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "heddle/instruction/target.h"

namespace heddle::answers {

/// A sentence with the instructions, of the target or of all, whose names resemble `missing`. First
/// come names that contain it or its last parts after a point ("wgmma", "m16n8k16", "mma.sync" for
/// "nvgpu.mma.sync"). If there are none, it has names that differ by a typo. If there are none
/// either, it says how to list all names.
std::string similar_names(std::string_view missing, std::optional<instruction::Target> target);

}  // namespace heddle::answers
