// Dwords (aligned 32-bit words) of which only a part is in memory.
//
// If the hardware has no compare-and-swap of 8 or 16 bits, such an element is updated by a
// compare-and-swap of the dword that contains it. LLVM expands atomics of f16 and bf16 in this way
// (AtomicExpandPass, "partword"), and users of HIP and CUDA write such code. A part of this dword
// may then be outside of the array: beyond its end, or before its start if the array is not aligned
// to 4 bytes. The hardware only checks pages, so this is valid as long as the bytes outside of the
// array do not change.
#pragma once

#include <algorithm>
#include <cstdint>

#include "emulator/machine/instruction.h"
#include "emulator/machine/memory.h"

namespace heddle::emulator {

// What the missing bytes of a partial dword read as. They are undefined; this unusual value
// prevents that code which uses them is right by chance.
constexpr uint32_t undefined_word = 0xa5a5a5a5u;

// An InstructionFlag. The decoder sets it for a load of a dword if the same function also has a
// compare-and-swap of a dword. Then the loaded dword may be only partly in memory.
constexpr uint16_t flag_loads_for_exchange = 16384;
static_assert(flag_loads_for_exchange > flag_gfx1250_memory);

// A part of a dword: the bytes from `first` on, `bytes` of them.
struct PartOfDword {
  uint32_t first = 0, bytes = 0;
  constexpr uint32_t mask() const { return ((1u << 8 * bytes) - 1) << 8 * first; }
};

// The bytes of the dword at `address` that are in the region, if these are 1 to 3 bytes. Empty if
// the dword is not aligned, or is completely inside or completely outside of the region.
[[gnu::always_inline]] inline PartOfDword part_of_dword(const Region& region, uint64_t address) {
  if (address % 4 != 0) return {};
  const uint64_t offset = address - region.base, before = region.base - address;
  if (before - 1 < 3)
    return {static_cast<uint32_t>(before),
            static_cast<uint32_t>(std::min(region.size, uint64_t{4} - before))};
  if (offset >= region.size || region.size - offset >= 4) return {};
  return {0, static_cast<uint32_t>(region.size - offset)};
}

}  // namespace heddle::emulator
