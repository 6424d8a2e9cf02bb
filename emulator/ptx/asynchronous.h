// What cp.async, the tensor memory accelerator and mbarriers have in common.
#pragma once

#include <span>

#include "emulator/ptx/decoder.h"

namespace heddle::emulator::ptx {

// True if a pending cp.async of a warp other than `writer` will write the same bytes at this offset
// of the block's shared memory.
bool is_on_its_way(const Warp& writer, const Block& block, uint32_t offset,
                   std::span<const std::byte> data);

// Completes pending copies of these lanes: those of all commit groups of a lane except the last
// `left` groups, or with `all` every pending copy.
void arrive_copies(Warp& w, uint32_t lanes, uint64_t left, bool all);

// Completes the pending copies of the lane that were issued before the copy with this number.
void arrive_copies_before(Warp& w, uint32_t lane, uint32_t number);

// The address to which a swizzle of `swizzle_bytes` moves the byte at `address` of shared memory
// (instruction::SwizzleRow).
uint32_t swizzled(uint32_t address, uint32_t swizzle_bytes);

bool decode_bulk_copy(Decoder& d);     // cp.async.bulk…
bool decode_copy_arrival(Decoder& d);  // cp.async.mbarrier.arrive
// clusterlaunchcontrol.try_cancel. The answer is always that no cluster was canceled. It is written
// to shared memory like the data of a bulk copy: when a thread waits for the mbarrier.
bool decode_cancel_request(Decoder& d);
bool decode_asynchronous_store(Decoder& d);  // st.async, red.async

}  // namespace heddle::emulator::ptx
