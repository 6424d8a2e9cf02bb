// Dwords that end beyond the memory.
//
// An update of an element of 8 or 16 bits is a compare-and-swap of the aligned dword that holds it,
// where there is no smaller one: so LLVM expands atomics of f16 and bf16 (AtomicExpandPass,
// "partword"), and so users of HIP and CUDA write them. At the end of an array such a dword may lie
// beyond it in part. The hardware has no bounds but those of pages, so that is right as long as the
// other bytes stay as they are.
#pragma once

#include <cstdint>

#include "emulator/machine/instruction.h"
#include "emulator/machine/memory.h"

namespace heddle::emulator {

// What bytes beyond the memory are read as: they are undefined, and code that uses them shall not
// be right by chance.
constexpr uint32_t undefined_word = 0xa5a5a5a5u;

// Of a load of a dword, in code that has a compare-and-swap of one: the dword may end beyond the
// memory (an InstructionFlag of the decoder's).
constexpr uint16_t flag_loads_for_exchange = 16384;
static_assert(flag_loads_for_exchange > flag_gfx1250_memory);

// The bytes of the dword at `address` that exist: 1 to 3, of one that is aligned and ends beyond
// the memory; else 0.
[[gnu::always_inline]] inline uint32_t bytes_of_partial_dword(const Region& region,
                                                              uint64_t address) {
  const uint64_t offset = address - region.base;
  if (address % 4 != 0 || offset >= region.size || region.size - offset >= 4) return 0;
  return static_cast<uint32_t>(region.size - offset);
}

}  // namespace heddle::emulator
