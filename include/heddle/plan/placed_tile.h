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
///     any            swizzle first; padding on top where a swizzle alone leaves conflicts
///     swizzle_only   no element of shared memory is left free
///     padding_only   rows stay rows, as where a pointer walks along them
///     none           the plain row-major order, for comparison
enum class Means : std::uint8_t { any, swizzle_only, padding_only, none };

constexpr std::string_view name(Means means) {
  constexpr std::array<std::string_view, 4> names{"any", "swizzle only", "padding only", "none"};
  return names[static_cast<std::size_t>(means)];
}

/// One access in a layout. Passes are those of all instructions of all warps.
struct PlacedAccess {
  int element_bits_log2 = 0;  // log2 of the elements that a lane moves at once
  std::uint64_t instructions = 0;
  std::uint64_t passes = 0;
  std::uint64_t ideal = 0;  // passes of these instructions without any conflict
};

/// A layout and its cost. `passes` counts the passes of the banks if each access of the request
/// happens once. Among layouts with equal passes the one with fewer instructions wins, and so on in
/// the order of price().
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

/// The address arithmetic of a lane: the number of shifts that take its bits to their places in the
/// offset. Neighbouring bits that move together need one shift. A swizzle adds one for each field
/// that it xors in.
int address_terms(const layout::LinearLayout& access, const layout::LinearLayout& map);

/// log2 of the number of 64-byte pieces of global memory that the lanes of an in-order copy touch
/// at once if the tile has this layout. The pieces are parts of rows of the last dimension.
int scattered_bits(const TileAccess& access, const layout::LinearLayout& map, int element_bits);

/// The number of times that the offsets of `map` leave their dimension or its order (1 for rows one
/// after the other), plus the number of words into which an earlier word is xored. A layout with
/// fewer of both has a shorter text in most dialects.
int irregular_steps(const layout::LinearLayout& map);

}  // namespace heddle::plan
