// What cp.async and the tensor memory accelerator have in common with barriers in memory.
#pragma once

#include <span>

#include "emulator/ptx/decoder.h"

namespace heddle::emulator::ptx {

// Whether a cp.async of a warp other than `writer`, which has not arrived, writes just these bytes
// there.
bool is_on_its_way(const Warp& writer, const Block& block, uint32_t offset,
                   std::span<const std::byte> data);

// The copies of lanes arrive, but those of the last `left` groups; all of them where `all`.
void arrive_copies(Warp& w, uint32_t lanes, uint64_t left, bool all);

// Where the byte at an address of shared memory goes under a swizzle of so many bytes: by the table
// of instruction::SwizzleRow.
uint32_t swizzled(uint32_t address, uint32_t swizzle_bytes);

bool decode_bulk_copy(Decoder& d);     // cp.async.bulk…
bool decode_copy_arrival(Decoder& d);  // cp.async.mbarrier.arrive

}  // namespace heddle::emulator::ptx
