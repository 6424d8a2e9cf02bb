// Checks whether memory that the caller names is mapped and accessible in this process.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>

#include "emulator/record/launch.h"

namespace heddle::tool {

/// The reason why one of these arrays cannot be used: a part of it is not mapped, cannot be read,
/// or cannot be written although the array is writable. For a large array only the protection of
/// the first and the last page is checked; before Linux 5.14 no protection is checked.
std::optional<std::string> why_not_usable(std::span<const emulator::Buffer> arrays);

}  // namespace heddle::tool
