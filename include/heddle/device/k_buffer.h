// Moves K of attention from global memory through shared memory to the matrix cores: rows of keys,
// in strips of BK depths (columns of K), as an operand of S^T = K * Q^T. It has the interface of
// Mojo's KBufferRDNA; docs/attention.md compares the members. It works for the rows of any matrix:
// with swap_a_b = false the buffer holds Q as operand B of the same product.
//
//   using K = KBuffer<half_t, TensorCore<float, half_t>, BN, WN, BK, depth, num_threads>;
//   K k({rows, stride}, lds, valid_rows);
//   k.load_from_dram();                  // BN rows x the next BK depths; missing rows are zero
//   k.copy_to_shared();
//   synchronize_block();
//   k.template load_from_shared<step>(); // depths 16 * step … + 15 of the WN keys of this warp
//   k.get_mma_tile();                    // one fragment for every 16 keys
//
// As in v_buffer.h, three maps say which thread or offset holds which element. A policy chooses the
// map of shared memory: PlacedRows, the default, has no bank conflicts; PublishedRows is Mojo's, in
// which the rows are contiguous.
//
// ONE STRIP, on a block of 256 threads with BN 128, WN 32, BK 32 and 16-bit elements:
//
//     load_from_dram       a row of 32 elements is 4 pieces of 16 bytes; 64 rows at once, twice
//     copy_to_shared       the same pieces, permuted by an xor within each line of eight
//     load_from_shared     a warp reads two fragments of 16 keys for each 16 depths
//     shared_size          128 * 32 elements: no padding
#pragma once

#include "heddle/device/v_buffer.h"

namespace heddle::device {

/// The sizes on which the layout of a strip of K in shared memory may depend. All are powers of
/// two.
struct KStrip {
  int element_bytes;  // 1 or 2
  int BN;             // keys
  int BK;             // depths
};

/// Rows one after the other.
struct PublishedRows {
  static constexpr memory::SharedLayout shared(const KStrip& strip) {
    return {product_of(along(strip.BK, "offset", "d"), along(strip.BN, "offset", "key")), {}};
  }
};

/// Contiguous rows in which units of 16 bytes are permuted: some bits of the key are xored into the
/// index of the unit within its row. Without this xor, keys that differ in these bits would have
/// the same banks in a fragment load. With the xor, 16-byte loads and stores have no bank conflicts
/// on gfx11 and gfx12, and no padding is needed.
struct PlacedRows {
  static constexpr memory::SharedLayout shared(const KStrip& strip) {
    const auto bits = [](int size) { return std::countr_zero(static_cast<unsigned>(size)); };
    const memory::SharedLayout plain = PublishedRows::shared(strip);
    const int piece = bits(16 / strip.element_bytes);
    const int row = bits(strip.BK);
    // A line of all banks holds eight pieces. They are from one row, or from consecutive rows if a
    // row has fewer than eight.
    const int in_line = std::min(row - piece, 3);
    layout::LinearLayout::Bases bases{};
    for (int bit = 0; bit < plain.map.input_bits(); ++bit)
      bases[static_cast<std::size_t>(bit)] = plain.map.basis(bit);
    for (int key = 3 - in_line; key < std::min(3, bits(strip.BN)); ++key)
      bases[static_cast<std::size_t>(row + key)] ^= plain.map.basis(piece + key - (3 - in_line));
    return {
        layout::LinearLayout::from_words(plain.map.inputs(), plain.map.outputs(), bases).value(),
        {}};
  }
};

/// The buffer that the top of this file describes. BN: keys of the tile, WN: keys of a warp, BK:
/// depths of a strip, depth: the head size, num_threads: threads of the block, num_stages: strips
/// that are held in registers.
template <class CacheType, class Core, int BN, int WN, int BK, int depth, int num_threads,
          int num_stages = 1, class Order = PlacedRows, Family family = family_here>
class KBuffer
    : public StripFragments<
          KBuffer<CacheType, Core, BN, WN, BK, depth, num_threads, num_stages, Order, family>> {
 public:
  static_assert(detail::BufferTypes<CacheType, Core>::are_right,
                "wrong types of a buffer: see above");
  using Element = Bits<CacheType>;
  static constexpr int num_warps = num_threads / static_cast<int>(wave_size);
  static constexpr Operand operand = Core::swap_a_b ? Operand::a : Operand::b;
  using FragmentType = Fragment<operand, CacheType, family>;

  static_assert(std::has_single_bit(static_cast<unsigned>(BN)) && WN >= 16 && BN % WN == 0,
                "BN is a power of two, WN at least 16 and a divisor of it");
  static_assert(std::has_single_bit(static_cast<unsigned>(BK)) && BK >= 16 * Core::group_size &&
                    depth % BK == 0,
                "BK is a power of two, at least 16 * group_size, and divides depth");
  static_assert(num_threads % 32 == 0 && std::has_single_bit(static_cast<unsigned>(num_threads)),
                "num_threads is 32, 64, 128, …");

  // Members with Mojo's names.
  static constexpr int MMA_M = Core::M;
  static constexpr int MMA_N = Core::N;
  static constexpr int MMA_K = Core::K;
  static constexpr int simd_width = 16 / static_cast<int>(sizeof(CacheType));
  static constexpr int num_warps_n = BN / WN;
  static constexpr int num_mmas = WN / MMA_N;
  static constexpr int num_k_tiles = BK / (MMA_K * Core::group_size);
  static_assert(num_warps % num_warps_n == 0, "BN / WN divides the number of warps");

 private:
  static constexpr int pieces_per_row = BK / simd_width;
  static constexpr int rows_at_once = std::min(num_threads / pieces_per_row, BN);
  static_assert(rows_at_once > 0, "a row of a strip has more pieces of 16 bytes than threads");
  /// The number of threads that store. If a strip has fewer pieces of 16 bytes than the block has
  /// threads, the other threads load copies of the pieces, which they do not store.
  static constexpr int busy_threads = pieces_per_row * rows_at_once;

 public:
  static constexpr int loads_per_stage = BN / rows_at_once;
  static constexpr RowMajor load_layout{loads_per_stage * num_stages, simd_width};
  static constexpr int fragment_size = FragmentType::size;
  static constexpr RowMajor mma_tile_layout{num_mmas * Core::group_size, fragment_size};
  static constexpr RowMajor smem_layout{BN, BK};

  // The maps.
  static constexpr layout::LinearLayout loaded = with_warps(
      product_of(along(simd_width, "position", "d"), along(pieces_per_row, "thread", "d"),
                 along(rows_at_once, "thread", "key"), along(loads_per_stage, "position", "key"),
                 copies(num_threads / busy_threads, "thread", "key")));
  static constexpr memory::SharedLayout shared =
      Order::shared({static_cast<int>(sizeof(CacheType)), BN, BK});
  static constexpr layout::LinearLayout fragment = held_by_threads(product_of(
      operand_map<operand, CacheType, family>("key", "d"), along(Core::group_size, "position", "d"),
      along(num_mmas, "position", "key"), along(num_warps_n, "warp", "key"),
      copies(num_warps / num_warps_n, "warp", "key"), along(num_k_tiles, "position", "d")));
  /// The number of elements of shared memory that the buffer needs. This memory must be aligned to
  /// 16 bytes.
  static constexpr int shared_size = static_cast<int>(shared.size());

  using LoadTileType = Vector<Element, simd_width>;
  /// Fragments. The one of keys 16 * i to 16 * i + 15 of the warp and of step s of k has the index
  /// i * group_size + s.
  struct MMATileType {
    FragmentType tile[mma_tile_layout.rows];
    HEDDLE_DEVICE constexpr const FragmentType& operator[](int row) const { return tile[row]; }
  };

  using Store = SharedMove<shared, loaded, 8 * static_cast<int>(sizeof(CacheType))>;
  using Load = SharedMove<shared, fragment, 8 * static_cast<int>(sizeof(CacheType))>;

  /// `valid_rows`: the number of rows of the tile that exist. Further rows of the tile are not read
  /// and count as zero.
  HEDDLE_DEVICE constexpr KBuffer(GlobalTile<CacheType> tile, CacheType* shared_ptr,
                                  int valid_rows = BN, Thread thread_ = this_thread())
      : gmem_tile(tile), smem_tile(shared_ptr), valid_rows(valid_rows), thread(thread_) {}

  static constexpr instruction::ElementType get_dtype() { return element_kind<CacheType>.type; }

  /// Reads the next strip into the registers of the current stage, then makes the next stage
  /// current.
  HEDDLE_DEVICE constexpr void load_from_dram() {
    if (valid_rows >= BN) {
      // The part of an address that all lanes share is a scalar; the rest is an offset of 32 bits.
      load_rows(
          [this](int key, int constant) {
            return RowPlace{
                gmem_tile.data + constant * gmem_tile.row_stride,
                static_cast<unsigned>(key) * static_cast<unsigned>(gmem_tile.row_stride)};
          },
          std::true_type());
    } else if (valid_rows > 0) {
      // To avoid a branch, the last row is read in place of rows out of range, then set to zero.
      const int last = valid_rows - 1;
      load_rows(
          [this, last](int key, int constant) {
            const int row = key + constant < last ? key + constant : last;
            return RowPlace{gmem_tile.data, static_cast<unsigned>(row) *
                                                static_cast<unsigned>(gmem_tile.row_stride)};
          },
          [last](int row) { return row <= last; });
    } else {
      load_rows([](int, int) { return RowPlace{}; }, std::false_type());
    }
  }

  /// Where a row begins: `offset` elements after `base`. `base` and `offset` may differ between
  /// lanes.
  struct RowPlace {
    const CacheType* base = nullptr;
    unsigned offset = 0;
  };

  /// Like load_from_dram() for rows at arbitrary places: row_of(key, constant) is the RowPlace of
  /// row key + constant, where `constant` is the same for all threads. A row for which
  /// is_there(row) is false counts as zero; its RowPlace must still be readable. If is_there is
  /// std::false_type, nothing is read.
  HEDDLE_DEVICE constexpr void load_rows(auto row_of, auto is_there) {
    const auto first = layout::map_index<loaded_by_thread>(thread.lane, thread.warp);
    unroll<num_stages>([&](auto stage) {
      if (num_stages == 1 || stage.value == load_tile_id)
        unroll<loads_per_stage>([&](auto load) {
          load_tile[stage.value * loads_per_stage + load.value] =
              load_piece<load.value>(first[0], static_cast<int>(first[1]), row_of, is_there);
        });
    });
    ++strip_idx;
    load_tile_id = (load_tile_id + 1) % num_stages;
  }

  /// Goes on to the first strip of the next BN rows.
  HEDDLE_DEVICE constexpr void next_tile() {
    gmem_tile.data += BN * gmem_tile.row_stride;
    valid_rows -= BN;
    strip_idx = 0;
  }

  /// Writes stage `tile_id` to shared memory.
  template <int tile_id = 0>
  HEDDLE_DEVICE constexpr void copy_to_shared() const {
    static_assert(tile_id >= 0 && tile_id < num_stages, "registers hold num_stages strips");
    if (busy_threads < num_threads && thread.warp * wave_size + thread.lane >= busy_threads) return;
    Store::store(reinterpret_cast<Element*>(smem_tile), thread, [&](int position) {
      return load_tile[tile_id * loads_per_stage + position / simd_width][position % simd_width];
    });
  }

  LoadTileType load_tile[load_layout.rows];
  Vector<Element, fragment_size> mma_tile[mma_tile_layout.rows];
  GlobalTile<CacheType> gmem_tile;
  CacheType* smem_tile;
  int strip_idx = 0;
  int load_tile_id = 0;
  int valid_rows;
  Thread thread;  // this one

 private:
  static constexpr layout::LinearLayout loaded_by_thread =
      layout::sublayout(loaded, {"lane", "warp"}, {"d", "key"}).value();

  template <int load>
  HEDDLE_DEVICE constexpr LoadTileType load_piece(unsigned d, int key, auto row_of,
                                                  auto is_there) const {
    if constexpr (std::is_same_v<decltype(is_there), std::false_type>) {
      return LoadTileType{};
    } else {
      constexpr layout::Coordinates at =
          loaded.outputs().unpack(loaded.apply(static_cast<std::uint64_t>(load * simd_width)));
      static_assert(at.at("d") == 0, "a thread's pieces are of one column");
      constexpr int constant = static_cast<int>(at.at("key"));
      const RowPlace row = row_of(key, constant);
      const LoadTileType piece =
          load_global<LoadTileType>(row.base + strip_idx * BK, row.offset + d);
      if constexpr (std::is_same_v<decltype(is_there), std::true_type>) {
        return piece;
      } else {
        return is_there(key + constant) ? piece : LoadTileType{};
      }
    }
  }
};

}  // namespace heddle::device
