// The sources of A and B. For one wave of a workgroup, a source loads the wave's share of every
// stage from memory and stores it in LDS (except DirectSource, which does not use LDS):
//
//     source.issue(i, ahead)      the i-th of `loads` loads, `ahead` stages after the current one
//     source.commit(i, cells)     the i-th of `stores` stores into the cells of a stage in LDS
//     source.move_to(bytes)       the current stage is this far from the first
//
// A cell is what a tile of 16 rows has of one slab, 32 bytes of k (slab.h). The cells of a stage
// are dealt out to the waves in turn: cell c is slab c % slabs of tile c / slabs. Addresses inside
// a matrix cost one register a source. The difference between loads is a scalar that never changes
// or an immediate offset. Loads go through a buffer descriptor whose bounds make rows beyond the
// matrix zero, so an edge along m or n costs nothing. A load beyond the end of a row brings
// elements of rows or columns that are not stored, or of stages that are not multiplied.
#pragma once

#include "kernels/rdna/slab.h"

namespace heddle::kernels::rdna {

/// The description of an operand, from which its sources are made. Strides are in elements.
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
/// checking"). The sources here put rows into the scalar offset and rely on this rule. It is
/// documented, but was not measured on a GPU, and IntrinsicsAMDGPU.td of LLVM 22 still calls
/// soffset excluded.
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

/// A source whose pieces of 16 bytes are contiguous in memory and in LDS: it loads and stores 16
/// bytes at a time.
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
  /// Makes the i-th load. `step` is the distance in bytes from the first load; it is a scalar.
  /// `constant` is added to the lane's offset as an immediate.
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
};

/// A packed operand whose fragments go from memory straight into the registers of the one wave that
/// multiplies them, without LDS. It is for A if the waves of a workgroup have different rows: then
/// every fragment is read only once, and LDS would save no load. A packed fragment is 256 or 512
/// consecutive bytes.
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
  /// Loads piece number `piece` of the lane from tile number `tile` of the wave, `slabs_ahead`
  /// slabs after the first slab of the current stage.
  HEDDLE_DEVICE Piece load(int tile, int piece, int slabs_ahead) const {
    const unsigned constant = static_cast<unsigned>(slabs_ahead) * cell_bytes +
                              static_cast<unsigned>(piece) * Share::second_piece * piece_bytes;
    return __builtin_amdgcn_raw_buffer_load_b128(buffer, static_cast<int>(offset + constant),
                                                 static_cast<int>(tile * tile_bytes), 0);
  }
  HEDDLE_DEVICE void move_to(unsigned bytes) { offset = moved_by(start, bytes); }
  HEDDLE_DEVICE void issue(int, int) {}
  HEDDLE_DEVICE void commit(int, Piece*) {}
};

template <class Source>
concept Direct = requires { Source::is_direct; };

/// Rows of consecutive k: a row-major A, or a transposed B. Rows begin at multiples of 16 bytes.
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
};

#endif  // __HIP__

}  // namespace heddle::kernels::rdna
