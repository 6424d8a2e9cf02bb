// What the text of an instruction says about memory, counters and caches: all that the adversary
// knows of the instruction set. The rules are those of the CDNA3, RDNA3 and RDNA4 ISA documents
// ("Data dependency resolution", "Memory scopes") and of LLVM's "User Guide for AMDGPU Backend"
// ("Memory Model gfx10-gfx11" and "gfx12"), read apart from the checker.
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "emulator/machine/target.h"

namespace heddle::emulator::testing {

enum Counter { loads, stores, lds, scalars, copies, transfers, counters };

// Operations of one queue end in the order of their issue, but for scalar loads.
enum Queue : uint8_t {
  vector_queue,
  store_queue,
  lds_queue,
  scalar_queue,
  copy_queue,
  transfer_queue
};

// The caches that stand between a wave and the memory that all waves share. Each answers with what
// it held when it was last invalidated: the first is the wave's (L0), the second one the
// workgroup's (L1 of gfx11), the third is the one of scalar loads.
enum class Reach : uint8_t { wave, workgroup, device };

struct Meaning {
  bool is_memory = false;
  Queue queue = vector_queue;
  std::array<bool, counters> counts = {};                     // what it counts in until it ends
  std::array<int, counters> wait = {-1, -1, -1, -1, -1, -1};  // a wait: the most that may be left
  bool is_flat = false;
  bool is_private = false;  // scratch: no other wave sees it
  bool is_atomic = false;   // reads and writes at once
  bool is_store = false;    // a store that is no atomic
  bool is_copy = false;     // between memory and LDS, through no register
  bool returns = false;     // writes registers
  // Fills half a register, and may write back the other half as it was at the issue.
  bool restores_half = false;
  Reach reach = Reach::wave;  // past which caches an access goes

  bool is_cache_control = false;  // no access, although it counts as one
  // An invalidation: of which caches.
  bool renews_wave = false, renews_workgroup = false, renews_scalars = false;
};

Meaning meaning_of(const std::string& text, const Target& target);

}  // namespace heddle::emulator::testing
