// The way through shared memory: the registers of a warp or block are stored into a buffer in one
// layout and loaded from it in the other.
//
// PARTS
//
// If the conversion moves the elements of some registers to no other lane or warp, these registers
// need not be in the buffer at the same time. If E is a span of such elements, the tile splits into
// cosets of a complement of E. Each coset goes through the buffer alone, so the buffer is 2^dim(E)
// times smaller. The lanes and warps of both sides must lie in the complement, so that every lane
// takes part in every part with the same registers. The tile is split as long as this costs no more
// passes and at most four times the instructions.
#pragma once

#include "heddle/instruction/target.h"
#include "heddle/memory/banks.h"
#include "heddle/plan/conversion_way.h"

namespace heddle::plan::detail {

/// Splits the tile into parts: element -> (part, number in the part). If two elements differ by a
/// word of `apart` (their xor), they are in different parts; if they differ by a word of
/// `together`, they are in the same part. Precondition: the words of `apart` are independent of
/// those of `together`.
layout::LinearLayout parts_of(const layout::AxisList& dims, const std::vector<std::uint64_t>& apart,
                              const std::vector<std::uint64_t>& together);

/// The elements of part 0 that `map` holds: (register, lane, warp) -> element, with only the
/// registers that hold elements of part 0.
layout::LinearLayout first_part(const layout::LinearLayout& map, const layout::LinearLayout& parts);

/// The possible conversions through shared memory. The first one splits the tile into as many parts
/// as it can at little cost, barriers not counted. The second one moves the whole tile at once;
/// there is no second one if it would equal the first. `source` is S of conversion.h.
std::expected<std::vector<ConversionWay>, std::string> shared_ways(
    const instruction::ProcessorRow& processor, const memory::BankModel& model,
    const layout::LinearLayout& to, const layout::LinearLayout& from, int element_bits,
    bool crosses_warps, const layout::LinearLayout& source);

}  // namespace heddle::plan::detail
