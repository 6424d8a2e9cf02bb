#include "emulator/machine/address_space.h"
#include "emulator/record/formatted.h"

namespace heddle::emulator {

AddressSpace::AddressSpace()
    : regions_(first_buffer_region),
      names_(first_buffer_region),
      initialised_(first_buffer_region, true),
      written_(first_buffer_region) {}

uint64_t address_of_buffer(std::size_t number, uint64_t bytes) {
  return buffer_base(first_buffer_region + static_cast<uint32_t>(number), bytes);
}

void AddressSpace::map(uint32_t region, uint64_t base, std::span<std::byte> bytes, bool writable,
                       std::string name) {
  regions_[region] = {base, bytes.size(), bytes.data(), writable};
  names_[region] = std::move(name);
}

uint64_t AddressSpace::add_buffer(const Buffer& buffer) {
  const auto region = static_cast<uint32_t>(regions_.size());
  regions_.emplace_back();
  names_.emplace_back();
  initialised_.push_back(buffer.initialised);
  written_.push_back(buffer.written);
  const uint64_t base = buffer_base(region, buffer.bytes.size());
  map(region, base, buffer.bytes, true,
      "buffer " +
          (buffer.name.empty() ? std::to_string(region - first_buffer_region) : buffer.name));
  return base;
}

bool AddressSpace::find_buffer(std::string_view name, uint64_t offset, uint64_t& address) const {
  for (std::size_t i = first_buffer_region; i < regions_.size(); ++i) {
    if (names_[i] != "buffer " + std::string(name)) continue;
    address = regions_[i].base + offset;
    return true;
  }
  return false;
}

std::string AddressSpace::describe(uint64_t address, uint32_t bytes) const {
  const uint64_t index = address >> region_shift;
  const std::string what = formatted("{} byte{}", bytes, bytes == 1 ? "" : "s");
  if (index >= regions_.size() || names_[index].empty())
    return formatted("{} at address {:x}, which is near no buffer", what, address);
  const Region& region = regions_[index];
  const std::string size = formatted("{} ({} bytes)", names_[index], region.size);
  if (address < region.base)
    return formatted("{} at {} bytes before the start of {}", what, region.base - address, size);
  const uint64_t offset = address - region.base;
  if (offset >= region.size)
    return formatted("{} at {} bytes past the end of {}", what, offset - region.size, size);
  if (offset + bytes > region.size)
    return formatted("{} at byte {} of {}, of which {} lie past its end", what, offset, size,
                     offset + bytes - region.size);
  return formatted("{} at byte {} of {}", what, offset, size);
}

}  // namespace heddle::emulator
