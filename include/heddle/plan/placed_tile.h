// A tile that placement.h has laid out in shared memory, and what its accesses cost there.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <tuple>
#include <vector>

#include "heddle/plan/tile_access.h"

namespace heddle::plan {

/// The permitted changes to the row-major order.
///     any            a swizzle; padding too, where a swizzle alone leaves conflicts
///     swizzle_only   no element of shared memory is left free
///     padding_only   the elements of a row stay contiguous, for pointers that walk along rows
///     none           the plain row-major order, for comparison
enum class Means : std::uint8_t { any, swizzle_only, padding_only, none };

constexpr std::string_view name(Means means) {
  constexpr std::array<std::string_view, 4> names{"any", "swizzle only", "padding only", "none"};
  return names[static_cast<std::size_t>(means)];
}

/// The cost of one access in a layout. `instructions` and `passes` count all warps together.
struct PlacedAccess {
  int element_bits_log2 = 0;  // log2 of the elements that a lane moves at once
  std::uint64_t instructions = 0;
  std::uint64_t passes = 0;
  std::uint64_t ideal = 0;  // passes of these instructions without any conflict
};

/// A layout and its cost. `passes` counts the passes of the banks if each access of the request
/// happens once. Placements are compared by price(): fewer passes win; with equal passes, fewer
/// instructions; and so on.
struct Placement {
  memory::SharedLayout shared;
  std::vector<PlacedAccess> accesses;  // in the order of the question
  std::uint64_t passes = 0;
  std::uint64_t instructions = 0;
  std::uint64_t bytes = 0;  // of shared memory
  int scattered = 0;        // see scattered_bits()
  int packed = 0;           // accesses whose 32-bit words hold other elements than their registers
  int address_terms = 0;    // see address_terms()
  int irregular = 0;        // see irregular_steps()
  std::uint64_t bound = 0;  // passes that no layout can go below

  bool is_optimal() const { return passes == bound; }

  /// The costs that are compared, most important first.
  auto price() const {
    return std::tuple(passes, instructions, bytes, scattered, packed, address_terms + irregular,
                      address_terms);
  }
};

/// The cost of the address arithmetic of a lane: the number of shifts that bring the bits of the
/// lane number to their places in the offset. Neighbouring bits that move together need one shift.
/// A swizzle adds one shift for each field that it xors in.
int address_terms(const layout::LinearLayout& access, const layout::LinearLayout& map);

/// For a copy that writes its lanes' bytes to shared memory in order (CDNA): log2 of the number of
/// 64-byte pieces of global memory that the lanes touch at once if the tile has this layout. The
/// pieces are parts of rows of the last dimension.
int scattered_bits(const TileAccess& access, const layout::LinearLayout& map, int element_bits);

/// A measure of how long the text of a layout is in most dialects. It adds two counts over the
/// bases of `map`:
///
/// - the bases that do not continue the basis before them, with the next bit of the same dimension
/// (1 for rows that follow each other)
/// - the bases into which an earlier word is xored
int irregular_steps(const layout::LinearLayout& map);

}  // namespace heddle::plan
