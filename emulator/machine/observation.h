// What a handler tells of an access of memory to whoever watches the wave: the profiler's bank
// model and the checker.
#pragma once

#include <cstdint>

namespace heddle::emulator {

struct Instruction;
struct Wavefront;

enum class MemorySpace : uint8_t { lds, scratch, global, flat, scalar };
enum class AccessKind : uint8_t { load, store, atomic };

// Told once the access is known to be in bounds and before it happens. An instruction with two
// addresses makes two accesses, and so does one that is out of range in part.
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
  // A scalar load: bytes behind these that it reads, too, where no memory is. What they hold is
  // undefined.
  uint32_t beyond = 0;
};

using Observer = void (*)(Wavefront&, const MemoryAccess&);

}  // namespace heddle::emulator
