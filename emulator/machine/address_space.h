// The memory of a launch as regions of the emulated address space.
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

// The address of Launch::buffers[number], which has `bytes` bytes, as a kernel sees it. A program
// that launches several kernels may keep it in memory and in arguments.
uint64_t address_of_buffer(std::size_t number, uint64_t bytes);

class AddressSpace {
 public:
  AddressSpace();

  // Maps `bytes` at its own range and returns the first emulated address.
  uint64_t add_buffer(const Buffer& buffer);
  void map(uint32_t region, uint64_t base, std::span<std::byte> bytes, bool writable,
           std::string name);
  // Places Launch::memory, which outlives this object. Parts that overlap become one region. No
  // buffer may be added after it. Returns the reason if it cannot be placed.
  std::optional<std::string> place(std::span<const Buffer> memory);

  // The address of a byte of a buffer added before; false when there is none of that name.
  bool find_buffer(std::string_view name, uint64_t offset, uint64_t& address) const;

  // All regions: first those with a number in their addresses, then the placed ones.
  const Region* regions() const { return regions_.data(); }
  uint64_t region_count() const { return regions_.size(); }
  uint64_t numbered_count() const { return numbered_count_; }
  PlacedRegions placed() const {
    const uint64_t count = regions_.size() - numbered_count_;
    return {count == 0 ? nullptr : regions_.data() + numbered_count_, count};
  }
  static constexpr uint32_t buffer_capacity = most_buffers;
  bool full() const { return regions_.size() >= first_buffer_region + buffer_capacity; }

  // The number of the one region that this address may be in; region_count() if there is none.
  uint64_t region_at(uint64_t address) const {
    if (has_number(address, numbered_count_)) [[likely]]
      return address >> region_shift;
    const PlacedRegions others = placed();
    return others.count == 0 ? regions_.size()
                             : static_cast<uint64_t>(others.find(address) - regions_.data());
  }

  // Whether the launch says that the buffer of a region holds values from the start.
  bool is_initialised(uint64_t region) const { return initialised_[region]; }
  // Buffer::written of the region's buffer, or null.
  uint8_t* written(uint64_t region) const { return written_[region]; }
  // Launch::unordered.
  void set_unordered(Launch::Range range) { unordered_ = range; }
  Launch::Range unordered() const { return unordered_; }
  // The same for a whole region that is no buffer. Its accesses are not searched for races, either.
  void set_unordered(uint32_t region) { unordered_region_ = region; }
  uint32_t unordered_region() const { return unordered_region_; }
  // Whether a kernel can change what the region holds.
  bool is_writable(uint64_t region) const {
    return regions_[region].writable && regions_[region].size > 0;
  }

  // "4 bytes at 12 bytes past the end of buffer c (10752 bytes)".
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
