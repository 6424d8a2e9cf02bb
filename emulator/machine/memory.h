// The emulated address space. It has numbered regions of 64 GiB, each with one buffer in its
// middle. It also has the memory of the caller, at the addresses that this memory has on the host
// (placed regions).
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

// The placed regions: memory of the caller at its host addresses. They are in ascending order, do
// not overlap, and share no address with a numbered region.
struct PlacedRegions {
  const Region* first = nullptr;
  uint64_t count = 0;

  // Of the regions that begin at `address` or before it, the last one; if none does, the first
  // region. Null if there are no regions.
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

// The numbers of regions. Region 0 is never mapped, so that a null or small address is a fault.
constexpr uint32_t image_region = 1;
constexpr uint32_t first_written_region = image_region;  // when it holds variables of a program
constexpr uint32_t argument_region = 2;
constexpr uint32_t packet_region = 3;
constexpr uint32_t scratch_buffer_region = 5;  // of CDNA2's resource for scratch
constexpr uint32_t first_buffer_region = 8;
// The apertures: two ranges of flat addresses; an access to the first reaches LDS, an access to the
// second scratch. They begin at multiples of 2^48, because code of gfx9 and gfx10 from before LLVM
// 16 takes their upper 16 bits from HW_REG_SH_MEM_BASES.
constexpr uint32_t shared_region = 1u << (48 - region_shift);
constexpr uint32_t private_region = 2u << (48 - region_shift);

// True if the address is in one of the numbered regions 1 to count - 1; the number of the region is
// the upper bits of the address. Region 0 is excluded, because the caller's memory may be there.
constexpr bool has_number(uint64_t address, uint64_t count) {
  return (address >> region_shift) - 1 < count - 1;
}

constexpr uint64_t region_start(uint32_t region) { return uint64_t{region} << region_shift; }

// On gfx1250, the scratch of all lanes of a wave has the same base address; bits 56..52 of a flat
// address are the number of the lane. Code recognises scratch by bits 63..58 of an address, so no
// other memory may have addresses with these upper bits (LLVM, lowering of llvm.amdgcn.is.private
// and of casts from private to flat).
constexpr uint64_t flat_scratch_base = region_start(private_region) | uint64_t{1} << 58;
constexpr uint64_t flat_region(uint64_t address) {
  constexpr uint64_t of_lane = uint64_t{31} << 52 | uint64_t{1} << 58;
  return (address & ~of_lane) >> region_shift;
}
constexpr unsigned flat_scratch_lane(uint64_t address) { return address >> 52 & 31u; }

// The lanes of a flat access, by the memory that they reach: LDS or scratch; all other lanes reach
// global memory. The low 32 bits of a lane's address are its offset in LDS or scratch.
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

// The emulated address of a buffer in a region. The buffer straddles a multiple of 4 GiB, with
// about half of the buffer on each side, and its start is aligned to 256 bytes.
constexpr uint64_t buffer_base(uint32_t region, uint64_t size) {
  return region_start(region) + (uint64_t{1} << (region_shift - 1)) -
         ((size / 2 + 255) & ~uint64_t{255});
}

// The emulated address at which the code object is loaded. It is aligned to a page, as the loader
// does it.
constexpr uint64_t image_base = region_start(image_region) + (uint64_t{1} << (region_shift - 1));

}  // namespace heddle::emulator
