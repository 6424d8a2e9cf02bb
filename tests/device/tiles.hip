// Tiles in LDS of every kind on the emulator: A and B^T (rows of k both) are copied to LDS, and one
// wave multiplies all of their fragments: D = A * B, 64 or 48 x 64 x k.
#include "heddle/device/multiply_accumulate.h"
#include "heddle/device/shared_tile.h"

using namespace heddle::device;

template <class T, class Tile>
__device__ void copy_to(Tile& tile, const T* matrix, int vector_size) {
  using Eight = Vector<T, 8>;
  for (unsigned row = thread_index_x(); row < Tile::rows; row += 32)
    for (unsigned column = 0; column < Tile::columns; column += 8) {
      Eight values;
      for (unsigned i = 0; i < 8; ++i) values[i] = matrix[row * Tile::columns + column + i];
      if (vector_size == 8)
        tile.store(row, column, values);
      else
        for (unsigned i = 0; i < 8; ++i) *tile.at(row, column + i) = values[i];
    }
}

template <class T, class TD, class LayoutA, class LayoutB>
__device__ void multiply_tiles(const T* a, const T* b, TD* d) {
  using TileA = SharedTile<T, LayoutA>;
  using TileB = SharedTile<T, LayoutB>;
  static __shared__ TileA tile_a;
  static __shared__ TileB tile_b;
  copy_to(tile_a, a, 8);
  copy_to(tile_b, b, 1);
  synchronize_block();
  for (unsigned row = 0; row < TileA::rows; row += 16)
    for (unsigned column = 0; column < TileB::rows; column += 16) {
      auto sum = Accumulator<TD>::filled(0);
      for (unsigned k = 0; k < TileA::columns; k += 16) {
        FragmentA<T> fa;
        FragmentB<T> fb;
        load_matrix_sync_lds(fa, tile_a, row, k);
        load_matrix_sync_lds_b_transposed(fb, tile_b, column, k);
        sum = multiply_accumulate(fa, fb, sum);
      }
      store_matrix_sync(d + row * TileB::rows + column, sum, TileB::rows);
    }
}

#define TILES(name, T, TD, ...)                                                          \
  extern "C" __global__ void __launch_bounds__(32) name(const T* a, const T* b, TD* d) { \
    multiply_tiles<T, TD, __VA_ARGS__, __VA_ARGS__>(a, b, d);                            \
  }
TILES(plain_16, half_t, float, Padded<64, 16>)
TILES(plain_32, half_t, float, Padded<64, 32>)
TILES(padded_16, half_t, float, Padded<64, 16, 8>)
TILES(padded_32, half_t, float, Padded<64, 32, 8>)
TILES(padded_48_rows, half_t, float, Padded<48, 32, 8>)
TILES(swizzled_16, half_t, float, Swizzled<64, 16, 8, 2, 1>)
TILES(swizzled_32, half_t, float, Swizzled<64, 32, 8, 1, 3>)
TILES(row_parity_16, half_t, float, SwizzledByRowParity<64, 16, 8>)
TILES(row_parity_32, half_t, float, SwizzledByRowParity<64, 32, 8>)
TILES(padded_bytes, std::int8_t, std::int32_t, Padded<64, 32, 16>)
TILES(swizzled_bytes, std::int8_t, std::int32_t, Swizzled<64, 64, 16, 1, 3>)

// A as rows of m and B as rows of n: what lies in LDS is A^T (k x m) and B (k x n), so that nothing
// is contiguous in k.
extern "C" __global__ void __launch_bounds__(32)
    across_rows(const half_t* a_transposed, const half_t* b, float* d) {
  using Tile = SharedTile<half_t, Swizzled<32, 64, 8, 0, 7>>;
  static __shared__ Tile tile_a, tile_b;
  copy_to(tile_a, a_transposed, 8);
  copy_to(tile_b, b, 8);
  synchronize_block();
  for (unsigned row = 0; row < 64; row += 16)
    for (unsigned column = 0; column < 64; column += 16) {
      auto sum = Accumulator<float>::filled(0);
      for (unsigned k = 0; k < 32; k += 16) {
        FragmentA<half_t> fa;
        FragmentB<half_t> fb;
        load_matrix_sync<Order::column_major>(fa, tile_a, k, row);
        load_matrix_sync<Order::row_major>(fb, tile_b, k, column);
        sum = multiply_accumulate(fa, fb, sum);
      }
      store_matrix_sync(d + row * 64 + column, sum, 64);
    }
}

// The bare vectors and pointers of the published note, its pitch of 24 halves included.
extern "C" __global__ void __launch_bounds__(32)
    bare_vectors(const half_t* a, const half_t* b, float* d) {
  constexpr int pitch = 16 + 8;
  static __shared__ half_t a_lds[64][pitch], b_lds[64][pitch];
  for (unsigned row = thread_index_x(); row < 64; row += 32)
    for (unsigned k = 0; k < 16; ++k) {
      a_lds[row][k] = a[row * 16 + k];
      b_lds[row][k] = b[row * 16 + k];
    }
  synchronize_block();
  for (int row = 0; row < 64; row += 16)
    for (int column = 0; column < 64; column += 16) {
      FragmentA<half_t>::Registers a_frag, b_frag;
      load_matrix_sync_lds(a_frag, &a_lds[row][0], pitch);
      load_matrix_sync_lds_b_transposed(b_frag, &b_lds[column][0], pitch);
      const float8 zero = {};
      const auto sum = multiply_accumulate(FragmentA<half_t>{a_frag}, FragmentB<half_t>{b_frag},
                                           Accumulator<float>{zero});
      store_matrix_sync(d + row * 64 + column, sum, 64);
    }
}
