// Reads the MessagePack metadata of a code object: what is needed to launch each kernel.
#pragma once

#include <expected>
#include <span>
#include <string>
#include <string_view>

#include "emulator/decode/code_object.h"

namespace heddle::emulator {

// Fills in arguments, register counts and spills of the kernels that `metadata` names. Refuses
// MessagePack that cannot be read, and numbers beyond 32 bits; ignores unknown keys.
std::expected<void, std::string> read_metadata(const std::string& metadata,
                                               std::span<Kernel> kernels);

}  // namespace heddle::emulator
