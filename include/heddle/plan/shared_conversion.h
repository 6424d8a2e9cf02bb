// The way through shared memory: the registers of a warp or block are stored into a buffer in one
// layout and loaded from it in the other.
//
// PARTS
//
// Registers whose elements stay in their lane and warp need not be in the buffer at the same time.
// If E is a span of such elements, the tile splits into cosets of a complement of E. Each coset
// goes through the buffer alone, so the buffer is 2^dim(E) times smaller. The lanes and warps of
// both sides must lie in the complement, so that every lane takes part in every part with the same
// registers. The tile is split as long as this costs no more passes and at most four times the
// instructions.
#pragma once

#include "heddle/instruction/target.h"
#include "heddle/memory/banks.h"
#include "heddle/plan/conversion_way.h"

namespace heddle::plan::detail {

/// Splits the tile by the words `apart`: element -> (part, element of the part). Words of
/// `together` lead to no other part. `apart` is independent of `together`.
layout::LinearLayout parts_of(const layout::AxisList& dims, const std::vector<std::uint64_t>& apart,
                              const std::vector<std::uint64_t>& together);

/// The elements of part 0 that `map` holds: (register, lane, warp) -> element, with the registers
/// of that part.
layout::LinearLayout first_part(const layout::LinearLayout& map, const layout::LinearLayout& parts);

/// The ways through shared memory: in as many parts as cost little except barriers, and the whole
/// tile at once, if that is a different way. `source` is S.
std::expected<std::vector<ConversionWay>, std::string> shared_ways(
    const instruction::ProcessorRow& processor, const memory::BankModel& model,
    const layout::LinearLayout& to, const layout::LinearLayout& from, int element_bits,
    bool crosses_warps, const layout::LinearLayout& source);

}  // namespace heddle::plan::detail
