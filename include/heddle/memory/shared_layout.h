// A tile in shared memory: where each of its elements lies.
//
// The inverse of a linear layout offset -> (dim0, dim1, …), which counts elements, gives the offset
// of an element. Padding is then added to the offset: after every `interval` elements of the
// unpadded tile, `amount` elements are left free. So element (dim0, dim1, …) lies at
//
//     place(o) = o + sum over paddings of o / interval * amount
//     with o = inverse(map)(dim0, dim1, …)
//
// elements after the start of the tile. The map expresses swizzles, transposition and any other
// order. Only padding is not linear over F2. Triton's PaddedSharedLayout is the same pair (its
// interval_padding_pairs and offset_bases), and its cga_layout is the map's input axis `block`.
//
// Why padding keeps addresses cheap: intervals are powers of two, so for offsets x and y without a
// common bit, place(x ^ y) == place(x) + place(y). A lane's part and a constant part of an offset
// become one register and one immediate.
//
// EXAMPLE. Four rows of four elements, with one element left free after every four:
//
//     const SharedLayout tile{parse("offset: (0,1) (0,2) (1,0) (2,0) -> row: 4, col: 4").value(),
//                             {{4, 1}}};
//
//     place    +0       +1       +2       +3       +4
//        0     (0,0)    (0,1)    (0,2)    (0,3)    free
//        5     (1,0)    (1,1)    (1,2)    (1,3)    free
//       10     (2,0)    (2,1)    (2,2)    (2,3)    free
//       15     (3,0)    (3,1)    (3,2)    (3,3)
//
//     tile.place(8)        10, where row 2 begins: 8 / 4 * 1 elements are free before it
//     tile.size()          19: no padding is counted behind the last element
//     bytes(tile, 16)      38
//
// Two paddings add up: {{4, 1}, {8, 2}} leaves one element free after every four and two more after
// every eight.
#pragma once

#include <array>
#include <bit>
#include <cstdint>

#include "heddle/layout/linear_layout.h"

namespace heddle::memory {

/// After every `interval` elements, `amount` elements are left free. The interval is a power of
/// two.
struct Padding {
  std::uint64_t interval = 0;
  std::uint64_t amount = 0;
  friend constexpr bool operator==(const Padding&, const Padding&) = default;
};

/// Up to eight paddings, which add up.
class PaddingList {
 public:
  static constexpr std::size_t most = 8;

  constexpr PaddingList() = default;
  constexpr PaddingList(std::initializer_list<Padding> paddings) {
    for (const Padding& padding : paddings) push_back(padding);
  }

  /// Precondition: size() < most, padding.interval a power of two.
  constexpr void push_back(const Padding& padding) { items_[size_++] = padding; }
  constexpr std::size_t size() const { return size_; }
  constexpr bool empty() const { return size_ == 0; }
  constexpr const Padding* begin() const { return items_.data(); }
  constexpr const Padding* end() const { return items_.data() + size_; }

  friend constexpr bool operator==(const PaddingList& a, const PaddingList& b) {
    return a.size_ == b.size_ && a.items_ == b.items_;
  }

 private:
  std::array<Padding, most> items_{};
  std::size_t size_ = 0;
};

/// The map has the input axis `offset`. If several thread blocks (CTAs) of a cluster share the
/// tile, each with its own memory, the map also has the input axis `block`. The outputs of the map
/// are the tile's dimensions, under any names. Each element of the tile has an offset: the map is
/// onto. If an element has several offsets, for example because zero bases leave gaps, functions
/// here take the lowest.
struct SharedLayout {
  layout::LinearLayout map;  // (offset[, block]) -> (dim0, dim1, …), in elements; onto the tile
  PaddingList padding{};

  /// The distance in elements, padding included, from the start of the tile to the element whose
  /// unpadded offset is `offset`.
  ///
  /// Law: place(x ^ y) == place(x) + place(y) when x & y == 0.
  constexpr std::uint64_t place(std::uint64_t offset) const {
    std::uint64_t padded = offset;
    for (const Padding& pad : padding)
      padded += (offset >> std::countr_zero(pad.interval)) * pad.amount;
    return padded;
  }

  /// The number of elements from the first to the last element that one thread block holds. It
  /// includes the padding between them, but none after the last.
  constexpr std::uint64_t size() const {
    return place((std::uint64_t{1} << map.inputs().bits_of("offset")) - 1) + 1;
  }

  friend constexpr bool operator==(const SharedLayout&, const SharedLayout&) = default;
};

/// The bytes of the tile, or of the share of it that one thread block holds, if an element has
/// `element_bits` bits; rounded up.
constexpr std::uint64_t bytes(const SharedLayout& shared, int element_bits) {
  return (shared.size() * static_cast<std::uint64_t>(element_bits) + 7) / 8;
}

}  // namespace heddle::memory
