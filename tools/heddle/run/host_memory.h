// Asks the system whether memory of the process is there.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>

#include "emulator/record/launch.h"

namespace heddle::tool {

/// Why one of these arrays cannot be read, or written if it is writable: a part of it is not
/// mapped, or protected. Of a large array it looks at the protection of the first and the last
/// page, and before Linux 5.14 at none.
std::optional<std::string> why_not_usable(std::span<const emulator::Buffer> arrays);

}  // namespace heddle::tool
