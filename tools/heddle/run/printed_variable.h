// What a kernel prints: it stands in a variable of its module (runtime/program/printed_text.h).
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "runtime/device/device.h"

namespace heddle::tool {

/// The variable that holds the text printed by kernels, among the variables of a module, which lie
/// in `image`; null if its kernels print nothing.
const emulator::DeviceVariable* find_printed(const runtime::Module& module,
                                             std::span<const std::byte> image);

/// Takes what was printed from the variable, in printable characters.
std::string take_printed(std::span<std::byte> image, const emulator::DeviceVariable& variable);

}  // namespace heddle::tool
