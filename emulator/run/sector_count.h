// Counts the sectors of global memory that the accesses of one instruction touch.
#pragma once

#include <cstdint>

#include "emulator/record/report.h"

namespace heddle::emulator {

struct SectorCount {
  uint64_t issued = 0, lanes = 0, sectors_touched = 0, sectors_needed = 0;
  int bytes_per_lane = 0;

  // Counts an access of `bytes` bytes by each lane of `active`: at most 32 bytes, aligned to their
  // size, or at most 16 bytes at any address.
  void note(const uint64_t* addresses, uint32_t bytes, uint32_t active);
  void add(const SectorCount& other);
  // The counts, without places.
  GlobalAccess access() const;
};

}  // namespace heddle::emulator
