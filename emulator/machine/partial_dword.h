// Dwords that memory contains only in part.
//
// If there is no smaller compare-and-swap, an update of an element of 8 or 16 bits is a
// compare-and-swap of the aligned dword that holds it. LLVM expands atomics of f16 and bf16 in this
// way (AtomicExpandPass, "partword"), and users of HIP and CUDA write them so. At the end of an
// array, a part of such a dword may lie beyond the array; at the front of an array that is not
// aligned to 4 bytes, before it. The hardware only checks pages, so this is right as long as the
// other bytes do not change.
#pragma once

#include <algorithm>
#include <cstdint>

#include "emulator/machine/instruction.h"
#include "emulator/machine/memory.h"

namespace heddle::emulator {

// The value that missing bytes read as. They are undefined, and code that uses them must not be
// right by chance.
constexpr uint32_t undefined_word = 0xa5a5a5a5u;

// Set for a load of a dword, in code that has a compare-and-swap of a dword: memory may contain the
// dword only in part. It is an InstructionFlag of the decoder.
constexpr uint16_t flag_loads_for_exchange = 16384;
static_assert(flag_loads_for_exchange > flag_gfx1250_memory);

// Bytes of a dword: `first`, `first` + 1 ...
struct PartOfDword {
  uint32_t first = 0, bytes = 0;
  constexpr uint32_t mask() const { return ((1u << 8 * bytes) - 1) << 8 * first; }
};

// The bytes of the aligned dword at `address` that are in the region: 1 to 3. None if the dword is
// not aligned, or lies inside of the region or outside of it.
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
