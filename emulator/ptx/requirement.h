// Which .version and .target of a file its instructions need.
#pragma once

#include <optional>
#include <string>

#include "emulator/ptx/source.h"

namespace heddle::emulator::ptx {

// The error of an instruction in a file with this .version and .target, and the cure. Nothing if
// the instruction is allowed there, or if no row of the table names it.
std::optional<std::string> unmet_requirement(const Statement& statement, const Source& source);

}  // namespace heddle::emulator::ptx
