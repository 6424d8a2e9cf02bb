// Limits the memory of the program, whatever its input says. The system enforces the limit: an
// allocation beyond it ends the program with a message and status 2.
#pragma once

#include <cstdint>

namespace heddle::tool {

/// The memory limit of every command. `heddle run` may use the memory of its budget in addition. If
/// `heddle run` uses a GPU there is no limit, because the GPU's driver reserves any amount.
inline constexpr std::uint64_t memory_ceiling = std::uint64_t{4} << 30;

/// Sets the limit for the writable memory of the program, in bytes. 0 restores the limit that held
/// before the first call. Mapped files and the code of shared libraries are not counted. `cure` is
/// a string literal that ends the message. The function has no effect under sanitizers, and on
/// systems without such a limit.
void set_memory_ceiling(std::uint64_t bytes, const char* cure);

}  // namespace heddle::tool
