// Suggestions for an unknown name of an instruction.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "heddle/instruction/target.h"

namespace heddle::answers {

/// A sentence with instructions whose names resemble `missing`: instructions of `target`, or of all
/// targets if it is null. The sentence has
/// - names that contain `missing`, or contain what follows a point in it ("wgmma", "m16n8k16";
/// "mma.sync" for "nvgpu.mma.sync"),
/// - if there are none, names of which `missing` may be a misspelling,
/// - if there are none either, the command that lists all names.
std::string similar_names(std::string_view missing, std::optional<instruction::Target> target);

}  // namespace heddle::answers
