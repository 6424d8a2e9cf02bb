// Finds the layout of a tile in shared memory for the accesses that write and read it, and a lower
// bound of the passes. A result at the bound is proven optimal.
//
// WHY A SWIZZLE THAT COSTS NOTHING ALMOST ALWAYS EXISTS
//
// tile_access.h says what an access costs in a linear layout: conflicts are the steps to the same
// banks (H) that lie among the differences U = L + Low of the lanes of one phase. A phase reaches
// no more words than there are banks, so U has no more dimensions than a line of banks, and H,
// which has the others, can be a complement of U. Two subspaces of equal dimension always have a
// complement in common (no vector space is the union of two of its proper subspaces, so a basis of
// H is found one word at a time outside both), so one store and one load seldom need to conflict,
// however large the tile. They conflict in two cases: a wide access leaves a narrow one too few
// places, which the bound counts, or the lanes of one access mix dimensions that the other moves at
// once. If a tile has three kinds of access, the construction can also fail (over F2), and then
// padding is tried on top. If accesses see different numbers of banks (gfx950: stores 32, loads
// 64), the steps of the longer line are among those of the shorter line, and the words between only
// have to avoid the span of the shorter line's lanes.
//
// The search goes through the widths that the accesses may have, best bound first. For each it
// takes
//   Low   vectors: words that the wide accesses have in their registers, narrow ones first
//   H     lines: words outside all U, preferring those that change the row-major order least
//   the rest in row-major order
// and stops at the first result that no other widths can beat.
//
//     const auto placed = place(memory::bank_model(Target::gfx1151), accesses, 16);
//     if (!placed) return placed.error();          why no layout will do, in a sentence
//     placed->shared                               the layout: give it to a kernel
//     placed->passes, placed->bound                equal where it is proven that none is better
//     placed->accesses[i].element_bits_log2        how wide each access may be
//
// `heddle place` is this function for the command line, and compiler/plan asks it for every
// product.
#pragma once

#include <expected>
#include <optional>
#include <string>
#include <vector>

#include "heddle/layout/needs_cxx23.h"
#include "heddle/plan/placed_tile.h"

namespace heddle::plan {

/// The default limit for the shared memory of a layout, in bytes: 64 KiB, the LDS of a workgroup of
/// RDNA and CDNA1 to CDNA3.
inline constexpr std::uint64_t most_placed_bytes = 65536;

/// The layout of a tile for its accesses: fewest passes, then fewest instructions (widest vectors),
/// then least shared memory, then cheapest addresses. Preconditions: the maps have the same output
/// axes; element_bits is 4, 8, 16, 32 or 64. Errors: no access; tiles that differ; lanes that are
/// not a wave's; an access that is impossible; elements that nobody moves; widths that no layout
/// has; more than `most_bytes` of shared memory.
std::expected<Placement, std::string> place(const memory::BankModel& model,
                                            const std::vector<TileAccess>& accesses,
                                            int element_bits, Means means = Means::any,
                                            std::uint64_t most_bytes = most_placed_bytes);

/// The best of the given layouts, `candidates`. Hardware that reads the tile by a descriptor
/// (wgmma, tcgen05.mma) or writes it (bulk tensor copies) only has its own swizzles, and then the
/// layout must be one of these. The bound of the result is that of all layouts. Errors: as place;
/// no candidate that all accesses can use.
std::expected<Placement, std::string> place_among(
    const memory::BankModel& model, const std::vector<TileAccess>& accesses, int element_bits,
    const std::vector<memory::SharedLayout>& candidates,
    std::uint64_t most_bytes = most_placed_bytes);

}  // namespace heddle::plan
