#include "emulator/machine/address_space.h"

#include <algorithm>

#include "library/text/formatted.h"

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
  numbered_count_ = region + 1;
  regions_.emplace_back();
  names_.emplace_back();
  initialised_.push_back(buffer.initialised);
  written_.push_back(buffer.written);
  const uint64_t base = buffer_base(region, buffer.bytes.size());
  map(region, base, buffer.bytes, true,
      "buffer " +
          (buffer.name.empty() ? formatted("{}", region - first_buffer_region) : buffer.name));
  return base;
}

std::optional<std::string> AddressSpace::place(std::span<const Buffer> memory) {
  placed_parts_ = memory;
  std::vector<const Buffer*> parts;
  parts.reserve(memory.size());
  regions_.reserve(regions_.size() + memory.size());
  for (const Buffer& part : memory) {
    if (part.bytes.empty()) continue;
    const auto first = reinterpret_cast<uint64_t>(part.bytes.data());
    const uint64_t last = first + (part.bytes.size() - 1);
    const uint64_t numbered = numbered_count_ << region_shift;
    if (first == 0 || last < first || last >= region_start(shared_region))
      return formatted(
          "array {} would have {} bytes at address {:#x}: the host has no memory there", part.name,
          part.bytes.size(), first);
    if (last >= region_start(1) && first < numbered)
      return formatted(
          "array {} lies at address {:#x}: memory of the host may be below {:#x} and from {:#x} "
          "on, "
          "as "
          "the machine has addresses of its own between",
          part.name, first, region_start(1), numbered);
    parts.push_back(&part);
  }
  std::ranges::sort(parts, {}, [](const Buffer* part) { return part->bytes.data(); });
  for (const Buffer* part : parts) {
    const auto first = reinterpret_cast<uint64_t>(part->bytes.data());
    Region& before = regions_.back();
    if (regions_.size() > numbered_count_ && first - before.base < before.size) {
      before.size = std::max(before.size, first + part->bytes.size() - before.base);
      before.writable |= part->writable;
      initialised_.back() = initialised_.back() || part->initialised;
      continue;
    }
    regions_.push_back({first, part->bytes.size(), part->bytes.data(), part->writable});
    initialised_.push_back(part->initialised);
    written_.push_back(nullptr);
  }
  return {};
}

bool AddressSpace::find_buffer(std::string_view name, uint64_t offset, uint64_t& address) const {
  for (std::size_t i = first_buffer_region; i < numbered_count_; ++i) {
    if (names_[i] != "buffer " + std::string(name)) continue;
    address = regions_[i].base + offset;
    return true;
  }
  return false;
}

// For an address that is in no region: the number of the region that was probably meant, for
// messages.
std::size_t AddressSpace::nearest(uint64_t address) const {
  const uint64_t found = region_at(address);
  if (found < numbered_count_ || found + 1 >= regions_.size()) return found;
  const Region& before = regions_[found];
  const Region& after = regions_[found + 1];
  if (address < before.base + before.size) return found;
  return address - (before.base + before.size) < after.base - address ? found : found + 1;
}

// The name of a region, for messages. A region of the caller's memory may consist of several parts;
// its name consists of the names of these parts.
std::string AddressSpace::name_of(std::size_t region) const {
  if (region < numbered_count_) return names_[region];
  const Region& of = regions_[region];
  std::vector<std::string_view> names;
  for (const Buffer& part : placed_parts_)
    if (reinterpret_cast<uint64_t>(part.bytes.data()) - of.base < of.size && !part.bytes.empty() &&
        !part.name.empty() && std::ranges::find(names, part.name) == names.end())
      names.push_back(part.name);
  if (names.empty()) return formatted("array at {:#x}", of.base);
  std::string all = "array ";
  for (std::size_t i = 0; i < names.size() && all.size() < 200; ++i)
    all += (i == 0 ? "" : " and ") + std::string(names[i]);
  return all;
}

std::string AddressSpace::describe(uint64_t address, uint32_t bytes) const {
  const std::string what = formatted("{} byte{}", bytes, bytes == 1 ? "" : "s");
  const uint64_t index = nearest(address);
  const std::string name = index < regions_.size() ? name_of(index) : "";
  if (name.empty()) return formatted("{} at address {:#x}, which is near no buffer", what, address);
  const Region& region = regions_[index];
  const std::string size = formatted("{} ({} bytes)", name, region.size);
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
