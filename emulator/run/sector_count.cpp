#include "emulator/run/sector_count.h"

#include <algorithm>
#include <array>
#include <bit>
#include <span>

namespace heddle::emulator {
namespace {

// Sorts the numbers and removes duplicates; returns how many remain.
std::size_t make_unique(std::span<uint64_t> numbers) {
  std::ranges::sort(numbers);
  return static_cast<std::size_t>(std::ranges::unique(numbers).begin() - numbers.begin());
}

}  // namespace

void SectorCount::note(const uint64_t* addresses, uint32_t width, uint32_t active) {
  constexpr uint64_t sector = GlobalAccess::sector_bytes;
  std::array<uint64_t, 32> starts;
  std::array<uint64_t, 64> sectors;
  std::size_t count = 0, touched = 0;
  for (uint32_t rest = active; rest != 0; rest &= rest - 1) {
    const uint64_t first = addresses[std::countr_zero(rest)];
    const uint64_t last = first + width - 1;  // in the same sector or in the next
    starts[count++] = first;
    sectors[touched++] = first / sector;
    if (last / sector != first / sector) sectors[touched++] = last / sector;
  }
  if (count == 0) return;
  touched = make_unique(std::span(sectors).first(touched));
  const std::size_t different = make_unique(std::span(starts).first(count));
  uint64_t bytes = 0, end = 0;  // of the bytes of all lanes together
  for (std::size_t i = 0; i < different; ++i) {
    bytes += starts[i] + width - std::max(starts[i], end);
    end = starts[i] + width;
  }
  ++issued;
  lanes += count;
  sectors_touched += touched;
  sectors_needed += (bytes + sector - 1) / sector;
  bytes_per_lane = static_cast<int>(width);
}

void SectorCount::add(const SectorCount& other) {
  issued += other.issued;
  lanes += other.lanes;
  sectors_touched += other.sectors_touched;
  sectors_needed += other.sectors_needed;
  bytes_per_lane = std::max(bytes_per_lane, other.bytes_per_lane);
}

GlobalAccess SectorCount::access() const {
  GlobalAccess access;
  access.bytes_per_lane = bytes_per_lane;
  access.issued = issued;
  access.lanes = lanes;
  access.sectors_touched = sectors_touched;
  access.sectors_needed = sectors_needed;
  return access;
}

}  // namespace heddle::emulator
