// The part that the buffers of K and V share: how a warp loads the fragments of a strip from shared
// memory.
//
// The whole strip is in shared memory. Along k of the product it has num_k_tiles tiles, and each
// tile has mma_tile_layout.rows fragments along the other axis:
//
//     buffer.template load_from_shared<0>();             // all fragments of the first tile
//     const auto tile = buffer.get_mma_tile();           // tile.tile[row], to multiply with
//     const auto one = buffer.template load_fragment<1, 3>();      // one of the second tile
//
// The kernel itself must have a barrier after the copy to shared memory: nothing here waits for
// other warps.
#pragma once

#include "heddle/device/tensor_core.h"

namespace heddle::device {

/// The base class of `Buffer`, which must have these members: Load, the SharedMove from shared
/// memory to fragments; mma_tile_layout.rows, the number of fragments of a k tile; num_k_tiles, the
/// number of k tiles of a strip; smem_tile, the source; and mma_tile, the registers.
template <class Buffer>
class StripFragments {
 public:
  /// Reads the fragments of k tile `k_mma` of the strip.
  template <int k_mma>
  HEDDLE_DEVICE constexpr void load_from_shared() {
    static_assert(k_mma >= 0 && k_mma < Buffer::num_k_tiles, "a strip has num_k_tiles tiles");
    auto& buffer = static_cast<Buffer&>(*this);
#pragma unroll
    for (int row = 0; row < Buffer::mma_tile_layout.rows; ++row)
      read_fragment(k_mma, row, buffer.mma_tile[row]);
  }

  /// Loads only one of the fragments that load_from_shared<k_mma>() loads: the one in row `row` of
  /// the MMA tile, as Buffer::FragmentType. A kernel that multiplies each fragment at once needs
  /// registers for only a few fragments.
  template <int k_mma, int row>
  HEDDLE_DEVICE constexpr auto load_fragment() const {
    using Fragment = typename Buffer::FragmentType;
    Vector<typename Buffer::Element, Fragment::size> values;
    read_fragment(k_mma, row, values);
    Fragment result;
    result.registers = __builtin_bit_cast(typename Fragment::Registers, values);
    return result;
  }

  /// The fragments that load_from_shared() has read last, as Buffer::MMATileType.
  HEDDLE_DEVICE constexpr auto get_mma_tile() const {
    const auto& buffer = static_cast<const Buffer&>(*this);
    typename Buffer::MMATileType fragments;
#pragma unroll
    for (int row = 0; row < Buffer::mma_tile_layout.rows; ++row)
      fragments.tile[row].registers =
          __builtin_bit_cast(typename Buffer::FragmentType::Registers, buffer.mma_tile[row]);
    return fragments;
  }

 private:
  HEDDLE_DEVICE constexpr void read_fragment(int k_mma, int row, auto& values) const {
    using Element = typename Buffer::Element;
    constexpr int rows = Buffer::mma_tile_layout.rows;
    constexpr int count = Buffer::Load::accesses / Buffer::num_k_tiles / rows;
    static_assert(count > 0, "an access fills no more than one fragment");
    const auto& buffer = static_cast<const Buffer&>(*this);
    Buffer::Load::template load<count>(reinterpret_cast<const Element*>(buffer.smem_tile),
                                       buffer.thread, (k_mma * rows + row) * count,
                                       [&](int position, Element value) {
                                         values[position % Buffer::FragmentType::size] = value;
                                       });
  }
};

}  // namespace heddle::device
