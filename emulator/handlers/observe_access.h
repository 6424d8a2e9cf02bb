// Reports the addresses that an instruction is about to access to the observer of the wave, which
// is the checker or the profile of accesses.
#pragma once

#include "emulator/handlers/lanes.h"

namespace heddle::emulator::HEDDLE_LEVEL {

// LDS and scratch.
HEDDLE_INLINE void observe(Wavefront& w, const Instruction* in, MemorySpace space, AccessKind kind,
                           U32 offsets, uint32_t bytes, uint32_t mask,
                           uint32_t first_register = 0) {
  if (!w.observe) [[likely]]
    return;
  uint32_t each[lanes];
  __builtin_memcpy(each, &offsets, sizeof each);
  w.observe(w, {in, space, kind, static_cast<uint8_t>(first_register), bytes, mask, each, nullptr});
}

// Global and flat.
HEDDLE_INLINE void observe(Wavefront& w, const Instruction* in, MemorySpace space, AccessKind kind,
                           U64 addresses, uint32_t bytes, uint32_t mask,
                           uint32_t first_register = 0) {
  if (!w.observe) [[likely]]
    return;
  uint64_t each[lanes];
  __builtin_memcpy(each, &addresses, sizeof each);
  w.observe(w, {in, space, kind, static_cast<uint8_t>(first_register), bytes, mask, nullptr, each});
}

}  // namespace heddle::emulator::HEDDLE_LEVEL
