// mbarrier: barriers that lie in shared memory and count arrivals and bytes.
//
// PTX does not specify the 64 bits. Here they are
//   bits 0-19   arrivals that the phase still waits for
//   bits 20-39  arrivals of a phase
//   bits 40-61  bytes that copies still owe (may be negative for a while), two's complement
//   bit  62     always 1
//   bit  63     parity of the phase
#pragma once

#include <cstdint>

#include "emulator/ptx/decoder.h"

namespace heddle::emulator::ptx {

struct MemoryBarrier {
  uint32_t pending = 0, expected = 0;
  int32_t bytes = 0;
  bool parity = false;

  static bool is_one(uint64_t bits) { return (bits >> 62 & 1) != 0 && (bits >> 20 & 0xfffff) != 0; }
  static MemoryBarrier of(uint64_t bits) {
    const auto bytes = static_cast<uint32_t>(bits >> 40 & 0x3fffff);
    return {static_cast<uint32_t>(bits & 0xfffff), static_cast<uint32_t>(bits >> 20 & 0xfffff),
            static_cast<int32_t>(bytes ^ 0x200000u) - 0x200000, (bits >> 63) != 0};
  }
  uint64_t bits() const {
    return uint64_t{pending} | uint64_t{expected} << 20 |
           (static_cast<uint64_t>(static_cast<uint32_t>(bytes)) & 0x3fffff) << 40 |
           uint64_t{1} << 62 | static_cast<uint64_t>(parity) << 63;
  }
  // Ends the phase if no arrival and no byte is owed.
  void complete() {
    if (pending != 0 || bytes != 0) return;
    pending = expected;
    parity = !parity;
  }
};

// Bytes have arrived for the barrier at an offset of a block, so it owes fewer. Does nothing if no
// barrier is there.
void complete_bytes(Block& block, uint32_t offset, uint32_t bytes);

// The operations that a tcgen05.commit or cp.async.mbarrier.arrive tracks have completed: it
// arrives at the barrier at an offset of a block.
void complete_arrival(Block& block, uint32_t offset);

// Completes the next such arrival at this barrier; returns false if none is pending.
bool deliver_commit(Cluster& cluster, const Block& block, uint32_t offset);

// Completes the next copy that this barrier waits for; returns false if no copy is pending.
bool deliver_next(Cluster& cluster, const Block& block, uint32_t offset);

// Completes every copy and commit for which a barrier waits.
void complete_pending(Cluster& cluster);

}  // namespace heddle::emulator::ptx
