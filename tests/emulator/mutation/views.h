// The buffers of a launch as one cache shows them: a copy of all, as old as the last time that the
// cache was invalidated.
//
// Hardware caches hold lines, and may drop any of them at any time. A cache that held everything
// from the start of the launch and drops nothing by itself shows the oldest values that a cache may
// show, and takes the least code. A kernel that is synchronised as the memory model asks cannot
// tell.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "emulator/machine/address_space.h"

namespace heddle::emulator::testing {

// Bytes in a row of one buffer.
struct Piece {
  uint64_t address;
  uint32_t bytes;
};

bool overlap(const std::vector<Piece>& a, const std::vector<Piece>& b);

class View {
 public:
  explicit View(const AddressSpace& memory);
  View(const View&) = delete;
  View& operator=(const View&) = delete;

  // For Wavefront::regions. What is no buffer is the launch's own.
  const Region* regions() const { return regions_.data(); }

  void renew(const Region* from);
  void renew(const Region* from, const std::vector<Piece>& pieces);

 private:
  std::vector<Region> regions_;
  std::vector<std::vector<std::byte>> bytes_;
};

std::byte* host_of(const Region* regions, const Piece& piece);

}  // namespace heddle::emulator::testing
