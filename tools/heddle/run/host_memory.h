// Asks the system whether memory of the process is there.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>

#include "emulator/record/launch.h"

namespace heddle::tool {

/// The reason that one of these arrays cannot be read, or written if it is writable: a part of it
/// is not mapped, or is protected. For a large array only the protection of the first and the last
/// page is checked; before Linux 5.14 no protection is checked.
std::optional<std::string> why_not_usable(std::span<const emulator::Buffer> arrays);

}  // namespace heddle::tool
