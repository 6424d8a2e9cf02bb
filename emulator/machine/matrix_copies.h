// gfx11: what lanes 16 to 31 of A and B must repeat of lanes 0 to 15.
#pragma once

#include <cstdint>

namespace heddle::emulator {

// Whether the upper half-wave holds the rows of A and the columns of B that the lower one holds,
// with one order of k for both: each half multiplies its own A by its own B, so an order that
// differs from that of the lower half, but not between A and B, gives the same sums (rocWMMA's
// fragments do so). `a`, `b`: the first of `registers` VGPRs each, which hold 16 elements of k.
bool copies_agree(const uint32_t (*a)[32], const uint32_t (*b)[32], unsigned registers);

}  // namespace heddle::emulator
