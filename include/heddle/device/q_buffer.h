// Q of attention in registers: the fragments of a warp's queries. It has the interface of Mojo's
// QRegisterBufferRDNA; docs/attention.md compares the members.
//
//   using Q = QBuffer<half_t, TensorCore<float, half_t>, WM, WN, BN, BK, depth>;
//   Q q({rows, stride}, valid_rows);
//   q.template get_mma_tile<strip, step>()   // depths BK * strip + 16 * step … of all WM queries
//
// Q is operand B of S^T = K * Q^T: a lane holds one query.
//
// Unlike K, the same Q is multiplied with all keys. So it is read only once, from global memory
// straight into the fragments, and stays in registers. Shared memory is not used.
#pragma once

#include "heddle/device/v_buffer.h"

namespace heddle::device {

/// The queries of a warp. WM: queries of a warp. WN: keys of a warp. BN: keys of a tile. BN / WN
/// warps have the same queries. BK: depths of a strip. depth: the head size.
template <class T, class Core, int WM, int WN, int BN, int BK, int depth,
          Family family = family_here>
class QBuffer {
 public:
  static_assert(detail::BufferTypes<T, Core>::are_right, "wrong types of a buffer: see above");
  using Element = Bits<T>;
  static constexpr Operand operand = Core::swap_a_b ? Operand::b : Operand::a;
  using FragmentType = Fragment<operand, T, family>;

  // Members with Mojo's names.
  static constexpr int MMA_M = Core::M;
  static constexpr int MMA_K = Core::K;
  static constexpr int simd_width = 16 / static_cast<int>(sizeof(T));
  static constexpr int num_mmas = (WM + MMA_M - 1) / MMA_M;
  static constexpr int num_k_tiles = BK / (MMA_K * Core::group_size);
  static constexpr int num_tiles = depth / BK;
  static constexpr int fragment_size = FragmentType::size;
  static constexpr RowMajor reg_tile_layout{num_mmas * Core::group_size * num_k_tiles * num_tiles,
                                            fragment_size};
  static constexpr RowMajor mma_tile_layout{num_mmas * Core::group_size, fragment_size};
  static_assert(depth % BK == 0 && BK % (16 * Core::group_size) == 0 && BN % WN == 0,
                "BK divides depth and is a multiple of 16 * group_size; WN divides BN");

  /// Fragments. The one of queries 16 * i to 16 * i + 15 of the warp and of step s of k has the
  /// index i * group_size + s.
  struct MMATileType {
    FragmentType tile[mma_tile_layout.rows];
    HEDDLE_DEVICE constexpr const FragmentType& operator[](int row) const { return tile[row]; }
  };

  /// Loads the queries from the rows of `tile`, whose first row belongs to warp 0. The first
  /// `valid_rows` rows exist; further rows count as zero.
  HEDDLE_DEVICE constexpr QBuffer(GlobalTile<T> tile, int valid_rows,
                                  Thread thread = this_thread()) {
    load([&](int row) { return tile.data + row * tile.row_stride; },
         [&](int row) { return row < valid_rows; }, thread);
  }

  /// Loads queries that are not consecutive rows of a matrix: if is_there(row), row_of(row) points
  /// to the first element of the query; otherwise the query is zero.
  HEDDLE_DEVICE constexpr QBuffer(auto row_of, auto is_there, Thread thread = this_thread()) {
    load(row_of, is_there, thread);
  }

  static constexpr instruction::ElementType get_dtype() { return element_kind<T>.type; }

  /// The fragments of step `k_idx` in strip `tile_idx` of BK depths.
  template <int tile_idx, int k_idx>
  HEDDLE_DEVICE constexpr MMATileType get_mma_tile() const {
    static_assert(tile_idx < num_tiles && k_idx < num_k_tiles, "Q has num_tiles * num_k_tiles");
    MMATileType fragments;
#pragma unroll
    for (int row = 0; row < mma_tile_layout.rows; ++row)
      fragments.tile[row].registers = __builtin_bit_cast(
          typename FragmentType::Registers,
          reg_tile[(tile_idx * num_k_tiles + k_idx) * mma_tile_layout.rows + row]);
    return fragments;
  }

  /// The map (position, lane) -> (query, d) of a warp's fragments, in the order of reg_tile.
  static constexpr layout::LinearLayout fragment = held_by_threads(product_of(
      operand_map<operand, T, family>("query", "d"), along(Core::group_size, "position", "d"),
      along(num_mmas, "position", "query"), along(num_k_tiles* num_tiles, "position", "d")));

  Vector<Element, fragment_size> reg_tile[reg_tile_layout.rows];

 private:
  /// The number of elements that one load moves; they are contiguous in memory.
  static constexpr int width =
      std::min(static_cast<int>(layout::contiguity(fragment, "position", "d")),
               std::min(simd_width, fragment_size));
  static constexpr layout::LinearLayout of_lane =
      layout::sublayout(fragment, {"lane"}, {"query", "d"}).value();

  HEDDLE_DEVICE constexpr void load(auto row_of, auto is_there, Thread thread) {
    const auto first = layout::map_index<of_lane>(thread.lane);
    const int row = static_cast<int>(thread.warp) / (BN / WN) * WM + static_cast<int>(first[0]);
    unroll<num_mmas>([&](auto mma) {
      const int query = row + 16 * mma.value;
      const bool there = is_there(query);
      const T* elements = there ? row_of(query) + first[1] : nullptr;
      unroll<reg_tile_layout.rows * fragment_size / width>(
          [&](auto piece) { load_piece<mma.value, piece.value>(elements, there); });
    });
  }

  /// Loads the lane's elements in piece number `piece`, which are `width` contiguous ones, if they
  /// belong to the 16 queries from 16 * mma on.
  template <int mma, int piece>
  HEDDLE_DEVICE constexpr void load_piece(const T* row, bool is_there) {
    constexpr int position = piece * width;
    constexpr layout::Coordinates at =
        fragment.outputs().unpack(fragment.apply(static_cast<std::uint64_t>(position)));
    if constexpr (at.at("query") == 16 * mma) {
      using Piece = Vector<Element, width>;
      Piece values{};
      if (is_there)
        values =
            *reinterpret_cast<const Piece*>(reinterpret_cast<const Element*>(row) + at.at("d"));
#pragma unroll
      for (int i = 0; i < width; ++i)
        reg_tile[position / fragment_size][position % fragment_size + i] = values[i];
    }
  }
};

}  // namespace heddle::device
