// The report of a memory access from a handler to the observers of the wave: the profiler's bank
// model and the checker.
#pragma once

#include <cstdint>

namespace heddle::emulator {

struct Instruction;
struct Wavefront;

enum class MemorySpace : uint8_t { lds, scratch, global, flat, scalar };
enum class AccessKind : uint8_t { load, store, atomic };

// Reported when the access is known to be in bounds, and before it happens. An instruction with two
// addresses makes two accesses, and so does one that is partly out of range.
struct MemoryAccess {
  const Instruction* instruction;
  MemorySpace space;
  AccessKind kind;
  uint8_t first_register;  // of the instruction's data: where the data of this access begins
  uint32_t bytes;          // of one lane
  uint32_t lanes;          // that take part
  // Of 32 lanes, whether they take part or not.
  const uint32_t* offsets;    // LDS, scratch: byte addresses
  const uint64_t* addresses;  // global, flat: emulated addresses; scalar: one
  // For a scalar load: the number of further bytes that it reads and that do not exist in memory.
  // Their contents are undefined.
  uint32_t beyond = 0;
};

using Observer = void (*)(Wavefront&, const MemoryAccess&);

}  // namespace heddle::emulator
