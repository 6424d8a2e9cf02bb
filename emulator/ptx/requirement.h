// Which .version and .target of a file its instructions need.
#pragma once

#include <optional>
#include <string>

#include "emulator/ptx/source.h"

namespace heddle::emulator::ptx {

// What is wrong with an instruction in a file with this .version and .target, and what would be
// right; nothing if it may stand there, or if no row of the table names it.
std::optional<std::string> unmet_requirement(const Statement& statement, const Source& source);

}  // namespace heddle::emulator::ptx
