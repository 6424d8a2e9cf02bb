// mbarrier: barriers in shared memory that count arrivals of threads and bytes of copies.
//
// PTX does not specify the meaning of the 64 bits. Here they are
//   bits 0-19   arrivals that the current phase still waits for
//   bits 20-39  arrivals that each phase expects
//   bits 40-61  bytes that copies have yet to write (may be negative for a while), two's complement
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
  // Completes the phase if no more arrivals and no more bytes are expected.
  void complete() {
    if (pending != 0 || bytes != 0) return;
    pending = expected;
    parity = !parity;
  }
};

// Subtracts bytes that have arrived from those that the barrier at this offset of the block still
// expects. Does nothing if the offset is outside of the block's shared memory.
void complete_bytes(Block& block, uint32_t offset, uint32_t bytes);

// Performs the arrival of a tcgen05.commit or cp.async.mbarrier.arrive, whose operations have
// completed, at the barrier at this offset of the block.
void complete_arrival(Block& block, uint32_t offset);

// Completes the next pending arrival of this kind (PendingCommit) at this barrier; false if none is
// pending.
bool deliver_commit(Cluster& cluster, const Block& block, uint32_t offset);

// Completes the next pending copy whose bytes this barrier counts. If there is none, completes the
// next pending arrival as deliver_commit() does. False if nothing is pending for this barrier.
bool deliver_next(Cluster& cluster, const Block& block, uint32_t offset);

// Completes all pending copies and commits that an mbarrier counts.
void complete_pending(Cluster& cluster);

}  // namespace heddle::emulator::ptx
