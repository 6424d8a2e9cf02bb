// Combines the lanes of an access into runs of contiguous bytes.
#pragma once

#include <bit>
#include <cstdint>

namespace heddle::emulator::check {

// Calls each(first address, bytes) for each run of lanes whose bytes follow each other in memory.
// Further lanes with the address of the first lane of a run, directly after it, belong to the run.
template <class Each>
void for_runs(const uint64_t* addresses, uint32_t lanes, uint32_t bytes, Each each) {
  uint64_t first = 0, count = 0;
  for (uint32_t rest = lanes; rest != 0; rest &= rest - 1) {
    const uint64_t address = addresses[std::countr_zero(rest)];
    if (count != 0 && address == first + count) {
      count += bytes;
    } else if (count != bytes || address != first) {
      if (count != 0) each(first, count);
      first = address;
      count = bytes;
    }
  }
  if (count != 0) each(first, count);
}

}  // namespace heddle::emulator::check
