// Limits the memory of the program, whatever its input says. The system enforces the limit: an
// allocation beyond it ends the program with a message and status 2.
#pragma once

#include <cstdint>

namespace heddle::tool {

/// The memory limit of every command. `heddle run` may also use the memory of its budget. On a GPU
/// it has no limit, because the GPU's driver reserves any amount.
inline constexpr std::uint64_t memory_ceiling = std::uint64_t{4} << 30;

/// Sets the bytes of writable memory that the program may have from now on; 0: restores the limit
/// that held before the first call. Memory of files and of shared libraries' code is not counted.
/// `cure`: a literal that ends the message. It has no effect under sanitizers, and on systems
/// without such a limit.
void set_memory_ceiling(std::uint64_t bytes, const char* cure);

}  // namespace heddle::tool
