// Where the pieces of a block of A or B come from. A source has one wave's part of every stage:
//
//     source.issue(i, ahead)      the i-th of `loads` loads, `ahead` stages after the current one
//     source.commit(i, cells)     the i-th of `stores` stores into the cells of a stage in LDS
//     source.advance(stages)      the current stage moves on
//
// The cells of a stage are dealt out to the waves in turn: cell c is slab c % slabs of tile
// c / slabs. Addresses inside a matrix cost one register a source; what differs from load to load
// is a scalar that never changes or an immediate offset. Loads go through a buffer descriptor whose
// bounds make rows beyond the matrix zero, so an edge along m or n costs nothing. What a load
// beyond the end of a row brings is of rows or columns that are not stored, or of stages that are
// not multiplied.
#pragma once

#include "kernels/rdna/slab.h"

namespace heddle::kernels::rdna {

/// What the sources of an operand share. Row counts and strides in elements.
struct OperandView {
  const void* data;
  unsigned rows;        // m, or n
  unsigned k;           // of packed operands: padded
  unsigned row_stride;  // between rows
  unsigned k_stride;    // between neighbours along k
};

/// How the tiles of a block are staged.
struct Staging {
  int tiles, slabs, waves, interleave;
  constexpr int cells_per_wave() const { return tiles * slabs / waves; }
};

#if defined(__HIP__)

using Buffer = __amdgpu_buffer_rsrc_t;

/// Byte offsets from `data`; loads at or beyond `bytes` give 0. Word 3: 32-bit float format (7 in
/// bits 12-17 and 4 above, as LLVM and HIP set it), bit 24 (resource level), OOB_SELECT 3 in bits
/// 28-29, which compares byte offsets (RDNA3 ISA, "Buffer Resource Descriptor"). The scalar offset
/// of a load counts against the bounds: it is out of them where offset + bytes > num_records -
/// soffset, a difference that stops at 0 (LLVM's documentation of AMDGPU buffers; RDNA3 ISA, "Range
/// checking"). Documented, not measured on a GPU: the sources here put rows into the scalar offset
/// and rely on it, while IntrinsicsAMDGPU.td of LLVM 22 still calls soffset excluded.
HEDDLE_DEVICE inline Buffer make_buffer(const void* data, unsigned bytes) {
  constexpr int word3 = 3 << 28 | 1 << 24 | 4 << 15 | 7 << 12;
  return __builtin_amdgcn_make_buffer_rsrc(const_cast<void*>(data), 0, static_cast<int>(bytes),
                                           word3);
}

HEDDLE_DEVICE inline const void* moved(const void* data, std::uint64_t bytes) {
  return static_cast<const char*>(data) + bytes;
}

/// `offset + bytes` in one register: the compiler does not add again before every load.
HEDDLE_DEVICE inline unsigned moved_by(unsigned offset, unsigned bytes) {
  unsigned sum = offset + bytes;
  asm volatile("" : "+v"(sum));
  return sum;
}

HEDDLE_DEVICE inline unsigned smaller(unsigned a, unsigned b) { return a < b ? a : b; }

/// Whole pieces that lie in memory as they go into LDS: loads of 16 bytes, stores of 16 bytes.
template <class T, Staging staging>
struct PieceLoads {
  static constexpr int loads = staging.cells_per_wave();
  static constexpr int stores = loads;
  static_assert(staging.tiles * staging.slabs % staging.waves == 0 &&
                    staging.waves % staging.slabs == 0,
                "every wave stages whole cells, always of the same slab");
  static constexpr unsigned tiles_per_load = staging.waves / staging.slabs;

  Buffer buffer;
  unsigned start;   // bytes, of the lane's piece of the first stage
  unsigned offset;  // the same of the current stage
  unsigned place;   // in LDS, in pieces

  HEDDLE_DEVICE void move_to(unsigned bytes) { offset = moved_by(start, bytes); }
  Piece pieces[loads];

  HEDDLE_DEVICE void commit(int i, Piece* cells) {
    cells[place + static_cast<unsigned>(i * staging.waves) * cell_pieces] = pieces[i];
  }

 protected:
  /// `step` is how far the i-th load is from the first, `constant` what an immediate offset holds.
  HEDDLE_DEVICE void load(int i, unsigned step, unsigned constant) {
    pieces[i] = __builtin_amdgcn_raw_buffer_load_b128(buffer, static_cast<int>(offset + constant),
                                                      static_cast<int>(step), 0);
  }
};

/// An operand that pack.h has brought into the order of the cells: all slabs of a tile, then the
/// next tile. A load moves 512 consecutive bytes.
template <class T, Staging staging>
struct PackedSource : PieceLoads<T, staging> {
  using Base = PieceLoads<T, staging>;
  static constexpr unsigned stage_bytes = cell_bytes * staging.slabs;
  unsigned load_stride;  // bytes from load to load

  HEDDLE_DEVICE PackedSource(const OperandView& view, unsigned first_row, unsigned wave,
                             unsigned lane) {
    const unsigned tile_bytes = view.k * sizeof(T) * tile_rows;
    constexpr unsigned group = staging.interleave * tile_rows;
    const unsigned tiles = (view.rows + group - 1) / group * staging.interleave;
    const unsigned first = first_row / tile_rows;
    const unsigned there = smaller(tiles - first, staging.tiles);
    this->buffer =
        make_buffer(moved(view.data, std::uint64_t{first} * tile_bytes), there * tile_bytes);
    const unsigned place = StagedPiece(lane).place();
    this->start = this->offset =
        wave / staging.slabs * tile_bytes + wave % staging.slabs * cell_bytes + place * piece_bytes;
    load_stride = Base::tiles_per_load * tile_bytes;
    this->place = wave * cell_pieces + place;
  }
  HEDDLE_DEVICE void issue(int i, int ahead) {
    this->load(i, static_cast<unsigned>(i) * load_stride,
               static_cast<unsigned>(ahead) * stage_bytes);
  }
  HEDDLE_DEVICE void advance(int stages) {
    this->offset += static_cast<unsigned>(stages) * stage_bytes;
  }
};

/// A packed operand whose fragments go from memory into the registers of the one wave that
/// multiplies them, past LDS. For A, when the waves of a workgroup have different rows: LDS would
/// save no load, only hold what is read once. Packed, a fragment is 256 or 512 consecutive bytes.
template <class T, Staging staging>
struct DirectSource {
  static constexpr bool is_direct = true;
  static constexpr int loads = 0;
  static constexpr int stores = 0;
  static constexpr unsigned stage_bytes = cell_bytes * staging.slabs;
  static constexpr int wave_tiles = staging.tiles / staging.waves;

  Buffer buffer;
  unsigned start;       // bytes, of the lane's share of the wave's first tile in the first stage
  unsigned offset;      // the same in the current stage
  unsigned tile_bytes;  // of all k

  HEDDLE_DEVICE DirectSource(const OperandView& view, unsigned first_row, unsigned wave,
                             unsigned lane)
      : tile_bytes(view.k * sizeof(T) * tile_rows) {
    constexpr unsigned group = staging.interleave * tile_rows;
    const unsigned tiles = (view.rows + group - 1) / group * staging.interleave;
    const unsigned first = first_row / tile_rows;
    const unsigned there = smaller(tiles - first, staging.tiles);
    buffer = make_buffer(moved(view.data, std::uint64_t{first} * tile_bytes), there * tile_bytes);
    start = offset = wave * wave_tiles * tile_bytes + Share::place(lane) * piece_bytes;
  }
  /// The lane's `piece`-th piece of a tile of the wave, `slabs_ahead` slabs after the current
  /// stage's first.
  HEDDLE_DEVICE Piece load(int tile, int piece, int slabs_ahead) const {
    const unsigned constant = static_cast<unsigned>(slabs_ahead) * cell_bytes +
                              static_cast<unsigned>(piece) * Share::second_piece * piece_bytes;
    return __builtin_amdgcn_raw_buffer_load_b128(buffer, static_cast<int>(offset + constant),
                                                 static_cast<int>(tile * tile_bytes), 0);
  }
  HEDDLE_DEVICE void move_to(unsigned bytes) { offset = moved_by(start, bytes); }
  HEDDLE_DEVICE void issue(int, int) {}
  HEDDLE_DEVICE void commit(int, Piece*) {}
  HEDDLE_DEVICE void advance(int stages) { offset += static_cast<unsigned>(stages) * stage_bytes; }
};

template <class Source>
concept Direct = requires { Source::is_direct; };

/// Rows of consecutive k: A as it is (row-major), B transposed. Rows begin at multiples of 16
/// bytes.
template <class T, Staging staging>
struct RowSource : PieceLoads<T, staging> {
  using Base = PieceLoads<T, staging>;
  static constexpr unsigned stage_bytes = slab_bytes * staging.slabs;
  unsigned pitch;  // bytes from row to row

  HEDDLE_DEVICE RowSource(const OperandView& view, unsigned first_row, unsigned wave, unsigned lane)
      : pitch(view.row_stride * sizeof(T)) {
    const unsigned there = smaller(view.rows - first_row, staging.tiles * tile_rows);
    this->buffer = make_buffer(moved(view.data, std::uint64_t{first_row} * pitch),
                               (there - 1) * pitch + view.k * static_cast<unsigned>(sizeof(T)));
    const StagedPiece staged(lane);
    const unsigned row = block_row<staging.interleave>(wave / staging.slabs, staged.row);
    this->start = this->offset =
        row * pitch + wave % staging.slabs * slab_bytes + staged.piece * piece_bytes;
    this->place = wave * cell_pieces + staged.place();
  }
  static_assert(Base::tiles_per_load % staging.interleave == 0 ||
                    staging.interleave % Base::tiles_per_load == 0,
                "the same steps from load to load for every wave");
  HEDDLE_DEVICE void issue(int i, int ahead) {
    const auto tile = static_cast<unsigned>(i) * Base::tiles_per_load;
    this->load(i, block_row<staging.interleave>(tile, 0) * pitch,
               static_cast<unsigned>(ahead) * stage_bytes);
  }
  HEDDLE_DEVICE void advance(int stages) {
    this->offset += static_cast<unsigned>(stages) * stage_bytes;
  }
};

/// Rows that are neighbours where k is not: B as it is (row-major, k x n), A transposed. Every k
/// begins at a multiple of 16 bytes. A lane loads 4 neighbouring rows for each k of a piece, turns
/// that into one piece for each of 4 tiles, and stores these.
template <class T, Staging staging>
struct ColumnSource {
  static_assert(staging.interleave == 4, "a lane has a piece of each of 4 tiles");
  static constexpr unsigned depth = piece_elements<T>;
  static constexpr int units = staging.cells_per_wave() / 4;
  static constexpr int loads = units * static_cast<int>(depth);
  static constexpr int stores = units * 4;
  static_assert(units * staging.waves * 4 == staging.tiles * staging.slabs &&
                    staging.waves % staging.slabs == 0,
                "every wave stages whole groups of 4 cells, always of the same slab");
  static constexpr unsigned group_rows_of_unit = staging.waves / staging.slabs * 4 * tile_rows;
  /// Four neighbours of one k.
  using Rows = device::Vector<std::uint32_t, static_cast<int>(sizeof(T))>;

  Buffer buffer;
  unsigned offset;  // bytes
  unsigned pitch;   // bytes from k to k
  unsigned place;   // in LDS, in pieces
  Rows rows[units][depth];

  HEDDLE_DEVICE ColumnSource(const OperandView& view, unsigned first_row, unsigned wave,
                             unsigned lane)
      : pitch(view.k_stride * sizeof(T)) {
    buffer = make_buffer(
        moved(view.data, first_row * sizeof(T)),
        (view.k - 1) * pitch + (view.rows - first_row) * static_cast<unsigned>(sizeof(T)));
    const StagedPiece staged(lane);
    const unsigned group = wave / staging.slabs, slab = wave % staging.slabs;
    const unsigned row = group * 4 * tile_rows + block_row<4>(0, staged.row);
    offset = (slab * slab_depth<T> + staged.piece * depth) * pitch + row * sizeof(T);
    place = (group * 4 * staging.slabs + slab) * cell_pieces + staged.place();
  }

  /// Only one stage ahead: no immediate reaches the next k.
  HEDDLE_DEVICE void issue(int i, int) {
    const int unit = i / static_cast<int>(depth), k = i % static_cast<int>(depth);
    const auto step = static_cast<int>(offset + unit * group_rows_of_unit * sizeof(T));
    const auto down = static_cast<int>(static_cast<unsigned>(k) * pitch);
    if constexpr (sizeof(T) == 2)
      rows[unit][k] = __builtin_amdgcn_raw_buffer_load_b64(buffer, step, down, 0);
    else
      rows[unit][k] = __builtin_amdgcn_raw_buffer_load_b32(buffer, step, down, 0);
  }
  HEDDLE_DEVICE void commit(int i, Piece* cells) {
    const int unit = i / 4, tile = i % 4;
    Piece piece;
#pragma unroll
    for (int word = 0; word < 4; ++word) piece[word] = transposed(rows[unit], tile, word);
    cells[place + static_cast<unsigned>(unit * staging.waves * 4 + tile * staging.slabs) *
                      cell_pieces] = piece;
  }
  HEDDLE_DEVICE void advance(int stages) {
    offset += static_cast<unsigned>(stages * staging.slabs) * slab_depth<T> * pitch;
  }

 private:
  /// Word `word` of the piece of tile `tile`: its neighbour's elements of 2 or 4 consecutive k.
  HEDDLE_DEVICE static std::uint32_t transposed(const Rows (&rows)[depth], int tile, int word) {
    // v_perm_b32: bytes 0-3 of the pair are those of the second argument, 4-7 of the first.
    constexpr unsigned low_halves = 0x05040100, high_halves = 0x07060302;
    const unsigned half = tile % 2 == 0 ? low_halves : high_halves;
    if constexpr (sizeof(T) == 2) {
      const Rows &first = rows[2 * word], &second = rows[2 * word + 1];
      return __builtin_amdgcn_perm(second[tile / 2], first[tile / 2], half);
    } else {
      // Bytes 0 and 1, or 2 and 3, of two k in turn; then of all four.
      const unsigned bytes = tile < 2 ? 0x05010400 : 0x07030602;
      const Rows* of = &rows[4 * word];
      const unsigned first = __builtin_amdgcn_perm(of[1][0], of[0][0], bytes);
      const unsigned second = __builtin_amdgcn_perm(of[3][0], of[2][0], bytes);
      return __builtin_amdgcn_perm(second, first, half);
    }
  }
};

/// Any strides, any alignment, any size: element by element. Those outside the matrix are loaded
/// from beyond the end of the buffer, which gives zeros without a branch.
template <class T, Staging staging>
struct CheckedSource {
  static constexpr bool may_be_empty = true;  // k of 0
  static constexpr int loads = staging.cells_per_wave();
  static constexpr int stores = loads;
  static_assert(staging.slabs == 1 && staging.tiles % staging.waves == 0,
                "every wave stages whole cells");
  using Elements = device::Vector<T, static_cast<int>(piece_elements<T>)>;

  Buffer buffer;
  unsigned k, last_k;          // of the lane's first element, and of the matrix
  unsigned offset;             // bytes, of that element for the wave's first tile
  unsigned k_step, tile_step;  // bytes
  unsigned rows_left;          // from the lane's row in the first tile to the end
  unsigned place;              // in LDS, in pieces
  Piece pieces[loads];

  static constexpr unsigned rows_per_load =
      block_row<staging.interleave>(static_cast<unsigned>(staging.waves), 0);
  static_assert(staging.waves % staging.interleave == 0, "equal steps from load to load");

  HEDDLE_DEVICE CheckedSource(const OperandView& view, unsigned first_row, unsigned wave,
                              unsigned lane) {
    const std::uint64_t first = std::uint64_t{first_row} * view.row_stride;
    const std::uint64_t end = std::uint64_t{view.rows - 1} * view.row_stride +
                              std::uint64_t{view.k - 1} * view.k_stride + 1;
    const std::uint64_t bytes = view.k == 0 ? 0 : (end - first) * sizeof(T), most = 0xffffffffu;
    buffer = make_buffer(moved(view.data, first * sizeof(T)),
                         static_cast<unsigned>(bytes < most ? bytes : most));
    const StagedPiece staged(lane);
    const unsigned row = block_row<staging.interleave>(wave, staged.row);
    k = staged.piece * piece_elements<T>;
    last_k = view.k;
    offset = (row * view.row_stride + k * view.k_stride) * sizeof(T);
    k_step = view.k_stride * sizeof(T);
    tile_step = rows_per_load * view.row_stride * sizeof(T);
    rows_left = view.rows - first_row > row ? view.rows - first_row - row : 0;
    place = wave * cell_pieces + staged.place();
  }
  /// Only one stage ahead, like ColumnSource.
  HEDDLE_DEVICE void issue(int i, int) {
    const auto tile = static_cast<unsigned>(i);
    Elements elements;
#pragma unroll
    for (unsigned e = 0; e < piece_elements<T>; ++e) {
      const bool inside = tile * rows_per_load < rows_left && k + e < last_k;
      const unsigned at = inside ? offset + tile * tile_step + e * k_step : ~0u;
      if constexpr (sizeof(T) == 2)
        elements[e] = __builtin_bit_cast(
            T, __builtin_amdgcn_raw_buffer_load_b16(buffer, static_cast<int>(at), 0, 0));
      else
        elements[e] = __builtin_bit_cast(
            T, __builtin_amdgcn_raw_buffer_load_b8(buffer, static_cast<int>(at), 0, 0));
    }
    pieces[i] = __builtin_bit_cast(Piece, elements);
  }
  HEDDLE_DEVICE void commit(int i, Piece* cells) {
    cells[place + static_cast<unsigned>(i * staging.waves) * cell_pieces] = pieces[i];
  }
  HEDDLE_DEVICE void advance(int stages) {
    k += static_cast<unsigned>(stages) * slab_depth<T>;
    offset += static_cast<unsigned>(stages) * slab_depth<T> * k_step;
  }
};

/// How the tiles of a source take rows (slab.h): packed operands have one order, and a lane of
/// ColumnSource has four neighbours. Columns of B are columns of D: in fours a lane stores four at
/// once, so B takes fours where nothing speaks against it.
template <template <class, Staging> class Source>
inline constexpr int interleave_of_a = packed_interleave;
template <>
inline constexpr int interleave_of_a<ColumnSource> = 4;
template <template <class, Staging> class Source>
inline constexpr int interleave_of_b = 4;
template <>
inline constexpr int interleave_of_b<PackedSource> = packed_interleave;

#endif  // __HIP__

}  // namespace heddle::kernels::rdna
