// Suggestions for an unknown name of an instruction.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "heddle/instruction/target.h"

namespace heddle::answers {

/// A sentence with instructions whose names resemble `missing`: instructions of `target`, or of all
/// targets if it is null. The sentence has the first of these that there are:
/// - for a virtual intrinsic of IREE, the instructions from which IREE builds it,
/// - names that contain `missing` ("wgmma", "m16n8k16"),
/// - names of which `missing` may be a misspelling,
/// - names that contain what follows a point in `missing` ("mma.sync" for "nvgpu.mma.sync"),
/// - a part of a name of which `missing` may be a misspelling,
/// - the command that lists all names.
std::string similar_names(std::string_view missing, std::optional<instruction::Target> target);

}  // namespace heddle::answers
