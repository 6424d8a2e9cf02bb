// Copies of dwords that are only partly in memory (emulator/machine/partial_dword.h). An
// instruction accesses these copies instead of memory.
#pragma once

#include "emulator/handlers/lanes.h"
#include "emulator/machine/partial_dword.h"

namespace heddle::emulator::HEDDLE_LEVEL {

// find() must be inlined (flatten): the linker would keep one copy of it for all levels
// (instruction sets of the host).
[[gnu::noinline, gnu::flatten]] inline const Region* placed_region(const Wavefront& w,
                                                                   uint64_t address) {
  return w.placed.find(address);
}
// The only memory region that may contain this address; null if there is none. The caller must
// check that it does contain the address.
HEDDLE_INLINE const Region* region_of(const Wavefront& w, uint64_t address) {
  if (has_number(address, w.region_count)) [[likely]]
    return &w.regions[address >> region_shift];
  return placed_region(w, address);
}

struct PartialDwords {
  uint32_t word[lanes];
  uint64_t address[lanes];
  std::byte* host[lanes];  // of the part
  PartOfDword part[lanes];

  bool has(uint64_t pointer) const {
    return pointer - reinterpret_cast<uint64_t>(word) < sizeof word;
  }
};
HEDDLE_INLINE PartialDwords& partial_dwords() {
  static thread_local PartialDwords dwords;
  return dwords;
}

// A lock that all threads of the host take to update a partial dword, since hosts have no atomic
// operation on, for example, three bytes.
HEDDLE_INLINE bool& partial_dwords_are_busy() {
  static bool is_busy;
  return is_busy;
}

// The memory region that contains some but not all bytes of the dword at `address`; null if there
// is none. Sets `part` to the bytes that the region contains.
[[gnu::noinline]] inline const Region* region_of_part(const Wavefront& w, uint64_t address,
                                                      PartOfDword& part) {
  for (const uint64_t byte : {address, address + 3}) {
    const Region* const region = region_of(w, byte);
    if (region) part = part_of_dword(*region, address);
    if (part.bytes != 0) return region;
  }
  return nullptr;
}

HEDDLE_INLINE const std::byte* read_partial_dword(const Wavefront& w, int lane, uint64_t address,
                                                  bool write) {
  PartOfDword part;
  const Region* const region = region_of_part(w, address, part);
  if (!region || (write && !region->writable)) return nullptr;
  PartialDwords& all = partial_dwords();
  all.word[lane] = undefined_word;
  all.address[lane] = address;
  all.host[lane] = region->host + (address + part.first - region->base);
  all.part[lane] = part;
  for (uint32_t i = 0; i < part.bytes; ++i)
    reinterpret_cast<std::byte*>(&all.word[lane])[part.first + i] = all.host[lane][i];
  return reinterpret_cast<const std::byte*>(&all.word[lane]);
}

}  // namespace heddle::emulator::HEDDLE_LEVEL
