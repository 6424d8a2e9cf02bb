// How a handler reports a memory access to the observer of the wave, which is the profiler's bank
// model or the checker.
#pragma once

#include <cstdint>

namespace heddle::emulator {

struct Instruction;
struct Wavefront;

enum class MemorySpace : uint8_t { lds, scratch, global, flat, scalar };
enum class AccessKind : uint8_t { load, store, atomic };

// One access to memory. It is reported before it happens, after its bounds have been checked. An
// instruction with two addresses reports two accesses, and so does an instruction that is only
// partly in range.
struct MemoryAccess {
  const Instruction* instruction;
  MemorySpace space;
  AccessKind kind;
  uint8_t first_register;  // of the instruction's data: where the data of this access begins
  uint32_t bytes;          // of one lane
  uint32_t lanes;          // that take part
  // The addresses of all 32 lanes, including those that do not take part in the access.
  const uint32_t* offsets;    // LDS, scratch: byte addresses
  const uint64_t* addresses;  // global, flat: emulated addresses; scalar: one
  // For a scalar load that reads beyond the end of memory: how many of its bytes do not exist, in
  // addition to `bytes`. What they read as is undefined.
  uint32_t beyond = 0;
};

using Observer = void (*)(Wavefront&, const MemoryAccess&);

}  // namespace heddle::emulator
