// The text that a kernel has printed. It is in a variable of the kernel's module
// (runtime/program/printed_text.h).
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "runtime/device/device.h"

namespace heddle::tool {

/// Finds, among the variables of a module, the one that holds the text printed by kernels. `image`
/// has the bytes of the variables. Null if the module's kernels print nothing.
const emulator::DeviceVariable* find_printed(const runtime::Module& module,
                                             std::span<const std::byte> image);

/// Removes the printed text from the variable and returns it, with unprintable characters escaped.
std::string take_printed(std::span<std::byte> image, const emulator::DeviceVariable& variable);

}  // namespace heddle::tool
