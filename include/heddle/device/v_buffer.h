// Moves V of attention from global memory through shared memory to the matrix cores. V is read row
// by row, stored transposed in shared memory, and loaded from there as an operand of O^T = V^T *
// P^T. It has the interface of Mojo's VBufferRDNA: the names of parameters, members and methods are
// the same; docs/attention.md compares the two.
//
//   using V = VBuffer<half_t, TensorCore<float, half_t>, BN, BK, depth, num_threads>;
//   V v({v_rows, stride}, lds, rows);
//   v.load_from_dram();                  // the next BK rows into registers; missing rows are zero
//   v.copy_to_shared();                  // transposed, into lds
//   synchronize_block();
//   v.template load_from_shared<k>();    // keys 16 * k … 16 * k + 15 of all depths of this warp
//   v.get_mma_tile();                    // one fragment for every 16 depths
//
// Three maps say which thread or offset holds which element, and all code is derived from them:
//
//   loaded    (position, lane, warp) -> (key, d)   what a thread reads from global memory
//   shared    offset -> (key, d), and padding      the layout in shared memory
//   fragment  (position, lane, warp) -> (key, d)   what the instruction takes
//
// The policy Order chooses the first two: PlacedOrder, the default, has no bank conflicts;
// PublishedOrder is Mojo's.
#pragma once

#include <algorithm>
#include <limits>

#include "heddle/device/strip_fragments.h"

namespace heddle::device {

/// Rows of a matrix in global memory.
template <class T>
struct GlobalTile {
  const T* data = nullptr;  // the first row
  long row_stride = 0;      // elements from one row to the next; 64 rows are less than 2 GiB
};

/// Loads the vector that is `offset` elements after `base`. The offset in bytes has 32 bits, and
/// the instruction adds it to a scalar address: offset * sizeof(T) must be less than 4 GiB.
template <class Piece, class T>
HEDDLE_DEVICE constexpr Piece load_global(const T* base, unsigned offset) {
  const auto bytes = offset * static_cast<unsigned>(sizeof(T));
  return *reinterpret_cast<const Piece*>(reinterpret_cast<const char*>(base) + bytes);
}

/// The shape of a row-major tile of registers: a row is what one instruction moves or takes, and
/// columns count its elements.
struct RowMajor {
  int rows = 0;
  int columns = 0;
  friend constexpr bool operator==(const RowMajor&, const RowMajor&) = default;
};

/// The sizes on which the layouts of a strip of V may depend. All are powers of two.
struct VStrip {
  int element_bytes;  // 1, 2 or 4
  int BK;             // keys of a strip
  int depth;          // elements of a row
  int num_threads;    // of the block
  int k_run;          // keys that a lane of the operand has side by side, 16 bytes at most

  /// Elements of 16 bytes.
  constexpr int simd_width() const { return 16 / element_bytes; }
  constexpr int depth_tile_size() const { return std::min(depth, 128); }
  constexpr int elements_per_thread() const { return BK * depth / num_threads; }
};

/// Splits the axis `thread` of a map into lane and warp: (position, thread) -> tile becomes
/// (position, lane, warp) -> tile.
constexpr layout::LinearLayout with_warps(const layout::LinearLayout& held) {
  const layout::LinearLayout ordered = held_by_threads(held);
  const int threads = ordered.inputs().bits_of("thread");
  return layout::reshape_inputs(ordered, {{"position", ordered.inputs().bits_of("position")},
                                          {"lane", 5},
                                          {"warp", threads - 5}})
      .value();
}

/// Mojo's order. A thread has one key and depth_tile_size / threads_per_row consecutive depths of
/// each depth tile. In shared memory simd_width keys are contiguous, then come the depths, then the
/// groups of keys. Unless depth is 64, a padding of depth_tile_size / simd_width rows follows each
/// depth tile. Sources: the members of VBufferRDNA as Modular documents them, and the public source
/// of load_from_dram, copy_to_shared and pad (modular, max/kernels, nn/attention/gpu/amd_rdna).
struct PublishedOrder {
  static constexpr int load_width(const VStrip& strip) {
    return strip.depth == 64 ? 4 : strip.simd_width();
  }

  /// A warp has 1 to 32 rows.
  static constexpr bool fits(const VStrip& strip) {
    return strip.num_threads / static_cast<int>(wave_size) <= strip.BK &&
           strip.BK <= strip.num_threads;
  }

  static constexpr layout::LinearLayout loaded(const VStrip& strip) {
    const int warps = strip.num_threads / static_cast<int>(wave_size);
    const int rows_per_warp = strip.BK / warps;
    const int threads_per_row = static_cast<int>(wave_size) / rows_per_warp;
    const int depth_per_thread = strip.depth_tile_size() / threads_per_row;
    return held_by_threads(
        product_of(along(depth_per_thread, "position", "d"), along(threads_per_row, "lane", "d"),
                   along(rows_per_warp, "lane", "key"), along(warps, "warp", "key"),
                   along(strip.depth / strip.depth_tile_size(), "position", "d")));
  }

  static constexpr memory::SharedLayout shared(const VStrip& strip) {
    const int width = strip.simd_width();
    memory::SharedLayout order{product_of(along(width, "offset", "key"),
                                          along(strip.depth, "offset", "d"),
                                          along(strip.BK / width, "offset", "key"))};
    const auto tile = static_cast<std::uint64_t>(strip.depth_tile_size());
    if (strip.depth != 64)
      order.padding.push_back({tile * static_cast<std::uint64_t>(width), tile});
    return order;
  }
};

/// An order without bank conflicts on gfx11 and gfx12. It needs the fewest passes that are possible
/// with any layout for these accesses (tests/device/v_buffer_test.cpp compares with
/// plan/placement.h).
///
/// A thread has a nearly square block of keys and depths, and transposes it in registers. So its
/// stores are 4 to 16 bytes wide; Mojo's order stores single elements. In shared memory k_run
/// consecutive keys of one depth form a piece, and each access of a fragment load moves one piece.
/// The pieces of all depths follow each other. After every 128 bytes, which is a line of all banks,
/// there is a padding of one piece. So eight consecutive pieces are in different banks, and so are
/// eight pieces at a distance of two, four or eight.
struct PlacedOrder {
  static constexpr bool fits(const VStrip&) { return true; }

  static constexpr int keys_per_thread(const VStrip& strip) {
    const auto log =
        static_cast<int>(std::bit_width(static_cast<unsigned>(strip.elements_per_thread()))) - 1;
    return std::min({1 << (log + 1) / 2, strip.k_run, strip.simd_width(), strip.BK});
  }
  static constexpr int load_width(const VStrip& strip) {
    return std::min(strip.elements_per_thread() / keys_per_thread(strip), strip.simd_width());
  }

  static constexpr layout::LinearLayout loaded(const VStrip& strip) {
    const int keys = keys_per_thread(strip);
    const int depths = load_width(strip);
    const int repeats = strip.elements_per_thread() / keys / depths;
    const int run = std::min(strip.k_run, strip.BK);
    return with_warps(product_of(
        along(depths, "position", "d"), along(keys, "position", "key"),
        along(run / keys, "thread", "key"), along(strip.depth / depths / repeats, "thread", "d"),
        along(repeats, "position", "d"), along(strip.BK / run, "thread", "key")));
  }

  static constexpr memory::SharedLayout shared(const VStrip& strip) {
    const int run = std::min(strip.k_run, strip.BK);
    memory::SharedLayout order{product_of(along(run, "offset", "key"),
                                          along(strip.depth, "offset", "d"),
                                          along(strip.BK / run, "offset", "key"))};
    order.padding.push_back(
        {static_cast<std::uint64_t>(128 / strip.element_bytes), static_cast<std::uint64_t>(run)});
    return order;
  }
};

/// The buffer that the top of this file describes.
///
///   CacheType     the type of V in memory
///   Core          the instruction (TensorCore)
///   BN, BK        keys of a tile (as in Mojo) and of a strip; a tile is read strip by strip
///   depth         the head size
///   num_threads   threads of the thread block
///   num_stages    strips that registers hold
///   num_warps_n   warps among which the depths are divided
template <class CacheType, class Core, int BN, int BK, int depth, int num_threads,
          int num_stages = 1, int num_warps_n = 1, class Order = PlacedOrder,
          Family family = family_here>
class VBuffer : public StripFragments<VBuffer<CacheType, Core, BN, BK, depth, num_threads,
                                              num_stages, num_warps_n, Order, family>> {
 public:
  static_assert(detail::BufferTypes<CacheType, Core>::are_right,
                "wrong types of a buffer: see above");
  using Element = Bits<CacheType>;
  static constexpr int num_warps = num_threads / static_cast<int>(wave_size);
  static constexpr Operand operand = Core::swap_a_b ? Operand::a : Operand::b;
  using FragmentType = Fragment<operand, CacheType, family>;

  static_assert(depth == 64 || depth == 128 || depth == 256 || depth == 512,
                "V buffers are for head sizes 64, 128, 256 and 512");
  static_assert(BN % BK == 0, "a tile of BN keys is a whole number of strips of BK");
  static_assert(std::has_single_bit(static_cast<unsigned>(BK)) && BK >= 16 * Core::group_size,
                "BK is a power of two and at least 16 * group_size");
  static_assert(num_threads % 32 == 0 && std::has_single_bit(static_cast<unsigned>(num_threads)),
                "num_threads is 32, 64, 128, …");
  static_assert(num_warps % num_warps_n == 0 && depth / num_warps_n >= 16,
                "num_warps_n divides the warps, and leaves each at least 16 depths");

  // Members with Mojo's names.
  static constexpr int simd_width = 16 / static_cast<int>(sizeof(CacheType));
  static constexpr int MMA_M = Core::M;
  static constexpr int MMA_K = Core::K;
  static constexpr int num_repeats = BK / simd_width;
  static constexpr int num_k_tiles =
      (BK + MMA_K * Core::group_size - 1) / (MMA_K * Core::group_size);
  static constexpr int num_depth_tiles = depth / MMA_M;
  static constexpr int warp_depth_tiles = depth / num_warps_n / MMA_M;
  static constexpr int depth_tile_size = std::min(depth, 128);

  /// The number of rows that `dim` rows of a column block take, including their padding.
  template <int dim>
  static constexpr int pad() {
    return dim + (depth == 64 ? 0 : dim / simd_width);
  }

  static constexpr int fragment_size = FragmentType::size;

 private:
  static constexpr layout::LinearLayout atom = operand_map<operand, CacheType, family>("d", "key");

 public:
  static constexpr VStrip strip{
      static_cast<int>(sizeof(CacheType)), BK, depth, num_threads,
      std::min(simd_width, static_cast<int>(layout::contiguity(atom, "position", "key")))};
  static_assert(Order::fits(strip),
                "Mojo's order gives each warp BK / warps rows of a strip, 1 to 32 of them: "
                "num_threads / 32 <= BK <= num_threads");

  // The maps.
  static constexpr layout::LinearLayout loaded = Order::loaded(strip);
  static constexpr memory::SharedLayout shared = Order::shared(strip);
  static constexpr layout::LinearLayout fragment = held_by_threads(product_of(
      atom, along(Core::group_size, "position", "key"), along(warp_depth_tiles, "position", "d"),
      along(num_warps_n, "warp", "d"), copies(num_warps / num_warps_n, "warp", "d"),
      along(num_k_tiles, "position", "key")));

  static constexpr int load_width = Order::load_width(strip);
  static constexpr int loads_per_thread_per_depth_tile =
      depth_tile_size * BK / (load_width * num_threads);
  static_assert(loads_per_thread_per_depth_tile > 0,
                "fewer elements than threads times load_width: take a larger BK or fewer threads");
  static constexpr int loads_per_stage = loads_per_thread_per_depth_tile * depth / depth_tile_size;
  static constexpr RowMajor load_layout{loads_per_stage * num_stages, load_width};
  static constexpr RowMajor mma_tile_layout{warp_depth_tiles * Core::group_size, fragment_size};
  static constexpr RowMajor smem_layout{pad<depth>() * num_repeats, simd_width};
  /// The number of elements of shared memory that the buffer needs. This memory must be aligned to
  /// 16 bytes.
  static constexpr int shared_size = static_cast<int>(shared.size());

  using LoadTileType = Vector<Element, load_width>;
  /// Fragments. The one of depth tile i of the warp and of step s of k has the index i * group_size
  /// + s.
  struct MMATileType {
    FragmentType tile[mma_tile_layout.rows];
    HEDDLE_DEVICE constexpr const FragmentType& operator[](int row) const { return tile[row]; }
  };

  using Store = SharedMove<shared, loaded, 8 * static_cast<int>(sizeof(CacheType))>;
  using Load = SharedMove<shared, fragment, 8 * static_cast<int>(sizeof(CacheType))>;

  /// `total_rows`: the number of rows of the tile that exist. Further rows of the tile are not read
  /// and count as zero.
  HEDDLE_DEVICE constexpr VBuffer(GlobalTile<CacheType> tile, CacheType* shared_ptr,
                                  int total_rows = std::numeric_limits<int>::max(),
                                  Thread thread_ = this_thread())
      : gmem_tile(tile), smem_tile(shared_ptr), remaining_rows(total_rows), thread(thread_) {}

  static constexpr instruction::ElementType get_dtype() { return element_kind<CacheType>.type; }

  /// Reads the next strip into the registers of the current stage, then makes the next stage
  /// current.
  HEDDLE_DEVICE constexpr void load_from_dram() {
    unroll<num_stages>([&](auto stage) {
      if (num_stages == 1 || stage.value == current_stage)
        load_stage(&load_tile[stage.value * loads_per_stage]);
    });
    ++strip_idx;
    remaining_rows = remaining_rows > BK ? remaining_rows - BK : 0;
    current_stage = (current_stage + 1) % num_stages;
  }

  /// Writes stage `tile_id` to shared memory, transposed.
  template <int tile_id = 0>
  HEDDLE_DEVICE constexpr void copy_to_shared() const {
    static_assert(tile_id >= 0 && tile_id < num_stages, "registers hold num_stages strips");
    Store::store(reinterpret_cast<Element*>(smem_tile), thread, [&](int position) {
      return load_tile[tile_id * loads_per_stage + position / load_width][position % load_width];
    });
  }

  LoadTileType load_tile[load_layout.rows];
  Vector<Element, fragment_size> mma_tile[mma_tile_layout.rows];
  GlobalTile<CacheType> gmem_tile;
  CacheType* smem_tile;
  int strip_idx = 0;
  int current_stage = 0;
  int remaining_rows;
  Thread thread;  // this one

 private:
  static constexpr layout::LinearLayout loaded_by_thread =
      layout::sublayout(loaded, {"lane", "warp"}, {"key", "d"}).value();

  /// Loads a strip. Rows of it that do not exist count as zero; it may be that none exists. The
  /// part of an address that all lanes share is a scalar; the rest is a 32-bit offset.
  HEDDLE_DEVICE constexpr void load_stage(LoadTileType* stage) const {
    const auto stride = static_cast<unsigned>(gmem_tile.row_stride);
    // After the last strip, the address would be outside of V.
    const CacheType* base = remaining_rows > 0 ? gmem_tile.data + static_cast<long>(strip_idx) *
                                                                      BK * gmem_tile.row_stride
                                               : nullptr;
    const auto first = layout::map_index<loaded_by_thread>(thread.lane, thread.warp);
    const unsigned key = first[0], d = first[1];
    if (remaining_rows >= BK) {
      unroll<loads_per_stage>([&](auto load) {
        constexpr Place at = place_of_load(load.value);
        stage[load.value] = load_global<LoadTileType>(base + at.key * gmem_tile.row_stride + at.d,
                                                      key * stride + d);
      });
    } else if (remaining_rows > 0) {
      // To avoid a branch, the last row is read in place of rows out of range, then set to zero.
      const auto last = static_cast<unsigned>(remaining_rows - 1);
      unroll<loads_per_stage>([&](auto load) {
        constexpr Place at = place_of_load(load.value);
        const unsigned row = key + at.key;
        const auto piece = load_global<LoadTileType>(base + at.d, std::min(row, last) * stride + d);
        stage[load.value] = row <= last ? piece : LoadTileType{};
      });
    } else {
#pragma unroll
      for (int load = 0; load < loads_per_stage; ++load) stage[load] = LoadTileType{};
    }
  }

  struct Place {
    unsigned key, d;
  };
  static constexpr Place place_of_load(int load) {
    const layout::Coordinates at =
        loaded.outputs().unpack(loaded.apply(static_cast<std::uint64_t>(load * load_width)));
    return {static_cast<unsigned>(at.at("key")), static_cast<unsigned>(at.at("d"))};
  }
};

}  // namespace heddle::device
