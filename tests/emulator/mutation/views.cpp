#include "views.h"

#include <cstring>

namespace heddle::emulator::testing {

bool overlap(const std::vector<Piece>& a, const std::vector<Piece>& b) {
  for (const Piece& x : a)
    for (const Piece& y : b)
      if (x.address < y.address + y.bytes && y.address < x.address + x.bytes) return true;
  return false;
}

std::byte* host_of(const Region* regions, const Piece& piece) {
  const Region& region = regions[piece.address >> region_shift];
  return region.host + (piece.address - region.base);
}

View::View(const AddressSpace& memory)
    : regions_(memory.regions(), memory.regions() + memory.region_count()) {
  for (std::size_t i = first_buffer_region; i < regions_.size(); ++i) {
    Region& region = regions_[i];
    bytes_.emplace_back(region.host, region.host + region.size);
    region.host = bytes_.back().data();
  }
}

void View::renew(const Region* from) {
  for (std::size_t i = first_buffer_region; i < regions_.size(); ++i)
    std::memcpy(regions_[i].host, from[i].host, regions_[i].size);
}

void View::renew(const Region* from, const std::vector<Piece>& pieces) {
  for (const Piece& piece : pieces)
    std::memcpy(host_of(regions(), piece), host_of(from, piece), piece.bytes);
}

}  // namespace heddle::emulator::testing
