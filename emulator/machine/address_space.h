// The memory of a launch. The emulated address space consists of regions, each of which maps to
// memory of the host.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "emulator/machine/memory.h"
#include "emulator/record/launch.h"

namespace heddle::emulator {

// The emulated address of Launch::buffers[number], if that buffer has `bytes` bytes. It depends on
// nothing else: a program that launches several kernels may store the address in memory and in
// arguments.
uint64_t address_of_buffer(std::size_t number, uint64_t bytes);

class AddressSpace {
 public:
  AddressSpace();

  // add_buffer() maps a buffer in a new region, and returns its emulated address. map() maps host
  // memory at the address `base` in the region with number `region`.
  uint64_t add_buffer(const Buffer& buffer);
  void map(uint32_t region, uint64_t base, std::span<std::byte> bytes, bool writable,
           std::string name);
  // Maps Launch::memory, which must outlive this object, at the addresses that it has on the host.
  // Parts that overlap become one region. Call it after all calls of add_buffer. If the memory
  // cannot be mapped, returns the reason; else null.
  std::optional<std::string> place(std::span<const Buffer> memory);

  // Sets `address` to the emulated address of byte `offset` of the buffer with this name. Returns
  // false if no buffer with this name was added.
  bool find_buffer(std::string_view name, uint64_t offset, uint64_t& address) const;

  // All regions. First come the numbered regions, whose number can be read from their addresses;
  // then the placed regions, which are memory of the caller at its host addresses.
  const Region* regions() const { return regions_.data(); }
  uint64_t region_count() const { return regions_.size(); }
  uint64_t numbered_count() const { return numbered_count_; }
  PlacedRegions placed() const {
    const uint64_t count = regions_.size() - numbered_count_;
    return {count == 0 ? nullptr : regions_.data() + numbered_count_, count};
  }
  static constexpr uint32_t buffer_capacity = most_buffers;
  bool full() const { return regions_.size() >= first_buffer_region + buffer_capacity; }

  // The number of the only region that may contain this address; region_count() if there is none.
  // The caller must check that the region does contain it.
  uint64_t region_at(uint64_t address) const {
    if (has_number(address, numbered_count_)) [[likely]]
      return address >> region_shift;
    const PlacedRegions others = placed();
    return others.count == 0 ? regions_.size()
                             : static_cast<uint64_t>(others.find(address) - regions_.data());
  }

  // True if the launch says that the region's buffer has defined contents from the start.
  bool is_initialised(uint64_t region) const { return initialised_[region]; }
  // Buffer::written of the region's buffer, or null.
  uint8_t* written(uint64_t region) const { return written_[region]; }
  // Launch::unordered.
  void set_unordered(Launch::Range range) { unordered_ = range; }
  Launch::Range unordered() const { return unordered_; }
  // Like Launch::unordered, for a whole region that is no buffer. Moreover, its accesses are not
  // searched for races.
  void set_unordered(uint32_t region) { unordered_region_ = region; }
  uint32_t unordered_region() const { return unordered_region_; }
  // Whether a kernel can change what the region holds.
  bool is_writable(uint64_t region) const {
    return regions_[region].writable && regions_[region].size > 0;
  }

  // Describes an address for messages, for example "4 bytes at 12 bytes past the end of buffer c
  // (10752 bytes)".
  std::string describe(uint64_t address, uint32_t bytes) const;

 private:
  std::size_t nearest(uint64_t address) const;
  std::string name_of(std::size_t region) const;

  std::vector<Region> regions_;
  std::vector<std::string> names_;  // of those with a number
  std::vector<bool> initialised_;
  std::vector<uint8_t*> written_;
  std::span<const Buffer> placed_parts_;
  uint64_t numbered_count_ = first_buffer_region;
  Launch::Range unordered_;
  uint32_t unordered_region_ = ~0u;  // none
};

}  // namespace heddle::emulator
