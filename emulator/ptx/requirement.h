// Checks that the .version and .target of a PTX file suffice for its instructions.
#pragma once

#include <optional>
#include <string>

#include "emulator/ptx/source.h"

namespace heddle::emulator::ptx {

// If this instruction needs another .version or .target than the file has: the error message, with
// a remedy. Nothing if the instruction is allowed, or if no row of the table names it.
std::optional<std::string> unmet_requirement(const Statement& statement, const Source& source);

}  // namespace heddle::emulator::ptx
