// A tile of 16-bit elements in shared memory: where each element lies, and what its accesses cost.
//
// The place is said once, by a linear layout  offset -> (row, k)  that counts elements, and then by
// padding: after every `interval` bytes of the unpadded tile, `amount` bytes are left free. Loads
// and stores follow from it: the offsets of an access are inverse(layout) ∘ access, and `address`
// turns an offset into bytes.
//
// Why padding can keep the arithmetic cheap: intervals are powers of two, so for offsets x and y
// without a common bit, address(x ^ y) == address(x) + address(y). A lane's part and a constant
// part of an offset therefore become one register and one immediate. A swizzle that xors row bits
// into the k bits has no such split where the two parts meet: it costs a register for each pattern.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <span>

#include "heddle/layout/linear_layout.h"
#include "heddle/memory/banks.h"

namespace heddle::plan {

/// After every `interval` bytes, `amount` bytes are left free. Both are 0 for no padding; else the
/// interval is a power of two and the amount a multiple of 16, so that 16-byte accesses stay
/// aligned.
struct Padding {
  std::uint32_t interval = 0;
  std::uint32_t amount = 0;
  friend constexpr bool operator==(const Padding&, const Padding&) = default;
};

inline constexpr int element_bytes = 2;  // f16 and bf16

struct SharedTile {
  layout::LinearLayout layout;       // offset -> (m or n, k), in elements
  std::array<Padding, 2> padding{};  // on the unpadded byte offset; both apply
  int swizzle_shift = -1;            // 16-byte group ^= row >> shift; -1: no swizzle

  /// Byte address of the element at unpadded `offset`.
  /// Law: address(x ^ y) == address(x) + address(y) when x & y == 0.
  constexpr std::uint32_t address(std::uint64_t offset) const {
    const auto byte = static_cast<std::uint32_t>(offset) * element_bytes;
    std::uint32_t padded = byte;
    for (const Padding& pad : padding) {
      if (pad.amount != 0) padded += byte / pad.interval * pad.amount;
    }
    return padded;
  }

  /// Bytes of the whole tile, a multiple of 16.
  constexpr std::uint32_t bytes() const {
    const std::uint64_t last = (std::uint64_t{1} << layout.input_bits()) - 1;
    return (address(last) + element_bytes + 15) / 16 * 16;
  }
};

/// Rows of `k` elements one after the other, padded. `rows` and `k` are powers of two.
constexpr SharedTile padded_tile(const layout::AxisName& row, int rows, int k,
                                 std::array<Padding, 2> padding = {}) {
  const int k_bits = std::countr_zero(static_cast<unsigned>(k));
  const int row_bits = std::countr_zero(static_cast<unsigned>(rows));
  layout::LinearLayout::Bases bases{};
  for (int bit = 0; bit < k_bits; ++bit)  // outputs: row in the low bits, then k
    bases[static_cast<std::size_t>(bit)] = std::uint64_t{1} << (row_bits + bit);
  for (int bit = 0; bit < row_bits; ++bit)
    bases[static_cast<std::size_t>(k_bits) + static_cast<std::size_t>(bit)] = std::uint64_t{1}
                                                                              << bit;
  const auto layout = layout::LinearLayout::from_words({{"offset", k_bits + row_bits}},
                                                       {{row, row_bits}, {"k", k_bits}}, bases);
  return {layout.value(), padding, -1};
}

/// Rows of `k` elements whose 16-byte group g lies at place g ^ (row >> shift), without padding.
constexpr SharedTile swizzled_tile(const layout::AxisName& row, int rows, int k, int shift) {
  constexpr int group_bits = 3;  // 8 elements
  SharedTile tile = padded_tile(row, rows, k);
  const layout::LinearLayout& plain = tile.layout;
  const int row_bits = plain.outputs().bits_of(row);
  const int k_bits = plain.input_bits() - row_bits;
  layout::LinearLayout::Bases bases{};
  for (int bit = 0; bit < plain.input_bits(); ++bit) {
    std::uint64_t word = plain.basis(bit);
    const int group_bit = bit - k_bits - shift + group_bits;  // the k bit that this row bit flips
    if (bit >= k_bits + shift && group_bit < k_bits)
      word |= std::uint64_t{1} << (row_bits + group_bit);
    bases[static_cast<std::size_t>(bit)] = word;
  }
  tile.layout = layout::LinearLayout::from_words(plain.inputs(), plain.outputs(), bases).value();
  tile.swizzle_shift = shift;
  return tile;
}

/// What all accesses of a kind cost together.
struct AccessCost {
  int accesses = 0;
  int extra_passes = 0;
};

/// Cost of the accesses `offsets`: (…, lane, …) -> offset, in which a lane moves `elements`
/// consecutive elements at once: the lowest input bits, which must be contiguous in the tile.
/// Every combination of the inputs above them, except the lane, is one access.
constexpr AccessCost access_cost(const memory::BankModel& model, const SharedTile& tile,
                                 const layout::LinearLayout& offsets, int elements,
                                 memory::AccessKind kind) {
  const int low = std::countr_zero(static_cast<unsigned>(elements));
  const int lane_index = offsets.inputs().find("lane");
  const int lane_at = offsets.inputs().offset(lane_index);
  const int lane_bits = offsets.inputs()[lane_index].bits;
  const int rest_bits = offsets.input_bits() - lane_bits - low;
  AccessCost total;
  for (std::uint64_t access = 0; access >> rest_bits == 0; ++access) {
    const std::uint64_t below = access << low & layout::low_bits(lane_at);
    const std::uint64_t above = access << low >> lane_at << (lane_at + lane_bits);
    std::array<std::uint32_t, 32> address{};
    for (std::uint64_t lane = 0; lane < 32; ++lane)
      address[lane] = tile.address(offsets.apply(below | lane << lane_at | above));
    ++total.accesses;
    total.extra_passes += memory::extra_passes(
        model, {.kind = kind, .bytes = elements * element_bytes, .address = address});
  }
  return total;
}

/// How many base registers the accesses `offsets` need: one for each way in which the constant part
/// of an offset flips bits that also depend on lane or warp. 1 without a swizzle.
constexpr int base_registers(const layout::LinearLayout& offsets) {
  std::uint64_t moving = 0;
  for (const layout::AxisName axis : {layout::AxisName("lane"), layout::AxisName("warp")}) {
    for (int bit = 0; bit < offsets.inputs().bits_of(axis); ++bit)
      moving |= offsets.basis(axis, bit, "offset");
  }
  std::uint64_t flipped = 0;  // rank of the constant part's patterns within the moving bits
  int rank = 0;
  for (int index = 0; index < offsets.inputs().size(); ++index) {
    const layout::Axis& axis = offsets.inputs()[index];
    if (axis.name == layout::AxisName("lane") || axis.name == layout::AxisName("warp")) continue;
    for (int bit = 0; bit < axis.bits; ++bit) {
      const std::uint64_t pattern = offsets.basis(axis.name, bit, "offset") & moving;
      if ((pattern & ~flipped) == 0) continue;
      flipped |= pattern;
      ++rank;
    }
  }
  return 1 << rank;
}

}  // namespace heddle::plan
