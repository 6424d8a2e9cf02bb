// Asks the system whether memory of the process is there.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>

namespace heddle::tool {

/// Why a range cannot be read, or written if that is wanted: a part of it is not mapped, or
/// protected. It looks at the protection of the first and the last page.
std::optional<std::string> why_not_usable(std::span<const std::byte> range, bool is_written);

}  // namespace heddle::tool
