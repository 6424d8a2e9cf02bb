// The common parts of cp.async, the tensor memory accelerator and barriers in memory.
#pragma once

#include <span>

#include "emulator/ptx/decoder.h"

namespace heddle::emulator::ptx {

// True if a pending cp.async of a warp other than `writer` will write the same bytes to this place.
bool is_on_its_way(const Warp& writer, const Block& block, uint32_t offset,
                   std::span<const std::byte> data);

// Completes the copies of lanes, except those of the last `left` groups. With `all` it completes
// every copy.
void arrive_copies(Warp& w, uint32_t lanes, uint64_t left, bool all);

// The same for the copies that a lane issued before `number`.
void arrive_copies_before(Warp& w, uint32_t lane, uint32_t number);

// The address to which a swizzle of `swizzle_bytes` moves the byte at `address` of shared memory
// (instruction::SwizzleRow).
uint32_t swizzled(uint32_t address, uint32_t swizzle_bytes);

bool decode_bulk_copy(Decoder& d);     // cp.async.bulk…
bool decode_copy_arrival(Decoder& d);  // cp.async.mbarrier.arrive
// clusterlaunchcontrol.try_cancel. The answer, that no cluster was canceled, arrives as a copy.
bool decode_cancel_request(Decoder& d);
bool decode_asynchronous_store(Decoder& d);  // st.async, red.async

}  // namespace heddle::emulator::ptx
