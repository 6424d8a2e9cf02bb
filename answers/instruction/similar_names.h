// What to offer for a name of an instruction that is none.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "heddle/instruction/target.h"

namespace heddle::answers {

/// What instructions there are, of the target or of all, whose names resemble the one that is
/// missing: first those that contain it or its last parts behind a point ("wgmma", "m16n8k16",
/// "mma.sync" of "nvgpu.mma.sync"), else those that a slip turns into it. Where neither is there,
/// how to list all names.
std::string similar_names(std::string_view missing, std::optional<instruction::Target> target);

}  // namespace heddle::answers
