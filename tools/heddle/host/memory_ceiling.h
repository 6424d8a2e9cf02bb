// The most memory that the program takes, whatever its input says. The system keeps it: an
// allocation beyond ends the program with a message and status 2.
#pragma once

#include <cstdint>

namespace heddle::tool {

/// Of every command. `heddle run` has the memory of its budget besides, and none with a GPU, whose
/// driver reserves what it likes.
inline constexpr std::uint64_t memory_ceiling = std::uint64_t{4} << 30;

/// Bytes of writable memory that the program may have from now on; 0: as many as before the first
/// call. Memory of files and of shared libraries' code is not counted. `cure`: what the message
/// ends with, a literal. Without effect where the system has no such limit, and under sanitizers.
void set_memory_ceiling(std::uint64_t bytes, const char* cure);

}  // namespace heddle::tool
