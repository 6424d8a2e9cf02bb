// The emulated address space: regions of 64 GiB, each with one buffer in its middle, and memory of
// the caller's at the addresses of the host.
#pragma once

#include <cstddef>
#include <cstdint>

namespace heddle::emulator {

constexpr int region_shift = 36;

struct Region {
  uint64_t base = 0;  // first emulated address
  uint64_t size = 0;  // bytes; 0: nothing is mapped here
  std::byte* host = nullptr;
  bool writable = false;
};

// Memory of the caller's whose addresses are those of the host: regions in rising order, apart from
// each other. None of their addresses is in a region that has a number.
struct PlacedRegions {
  const Region* first = nullptr;
  uint64_t count = 0;

  // The last region that begins at this address or before it, else the first one; null if there is
  // none at all.
  const Region* find(uint64_t address) const {
    const Region* at = first;
    for (uint64_t left = count; left > 1;) {
      const uint64_t half = left / 2;
      at += at[half].base <= address ? half : 0;
      left -= half;
    }
    return at;
  }
};

// Region 0 is never mapped, so that null and small addresses fault.
constexpr uint32_t image_region = 1;
constexpr uint32_t first_written_region = image_region;  // when it holds variables of a program
constexpr uint32_t argument_region = 2;
constexpr uint32_t packet_region = 3;
constexpr uint32_t scratch_buffer_region = 5;  // of CDNA2's resource for scratch
constexpr uint32_t first_buffer_region = 8;
// The apertures through which flat accesses reach LDS and scratch. They are multiples of 2^48: code
// of gfx9 and gfx10 from before LLVM 16 takes their upper 16 bits from HW_REG_SH_MEM_BASES.
constexpr uint32_t shared_region = 1u << (48 - region_shift);
constexpr uint32_t private_region = 2u << (48 - region_shift);

// True if an address is in one of the first `count` regions, by its upper bits. Region 0 is not
// used: the host may have memory there.
constexpr bool has_number(uint64_t address, uint64_t count) {
  return (address >> region_shift) - 1 < count - 1;
}

constexpr uint64_t region_start(uint32_t region) { return uint64_t{region} << region_shift; }

// gfx1250 has one base for the scratch of all lanes of a wave; bits 56..52 of a flat address are
// the number of the lane. Code distinguishes scratch from memory by bits 63..58, so no other
// address may have the upper bits of the base (LLVM, lowering of llvm.amdgcn.is.private and of
// casts from private to flat).
constexpr uint64_t flat_scratch_base = region_start(private_region) | uint64_t{1} << 58;
constexpr uint64_t flat_region(uint64_t address) {
  constexpr uint64_t of_lane = uint64_t{31} << 52 | uint64_t{1} << 58;
  return (address & ~of_lane) >> region_shift;
}
constexpr unsigned flat_scratch_lane(uint64_t address) { return address >> 52 & 31u; }

// Which lanes of a flat access are in LDS, and which in scratch; the others are in global memory.
// The low words of their addresses are the offsets there.
struct FlatLanes {
  uint32_t lds = 0, scratch = 0;
  explicit FlatLanes(const uint64_t* addresses) {
    for (unsigned lane = 0; lane < 32; ++lane) {
      const uint64_t region = flat_region(addresses[lane]);
      if (region == shared_region) lds |= 1u << lane;
      if (region == private_region) scratch |= 1u << lane;
    }
  }
};

// A buffer lies across a multiple of 4 GiB: half of it on each side, 256-byte aligned.
constexpr uint64_t buffer_base(uint32_t region, uint64_t size) {
  return region_start(region) + (uint64_t{1} << (region_shift - 1)) -
         ((size / 2 + 255) & ~uint64_t{255});
}

// Where the code object lies: page-aligned as the loader would have it.
constexpr uint64_t image_base = region_start(image_region) + (uint64_t{1} << (region_shift - 1));

}  // namespace heddle::emulator
