// C = A * B on matrix cores with blocking: a block of 4 waves makes a 128x128 tile of C, a wave
// a 64x64 quarter of it as 4x4 fragments, so that every fragment read from LDS is used 4 times.
// A is m x k, B is k x n, C is m x n, all row-major; any sizes.
//
// Tiles inside the matrices take a way without checks; tiles at an edge check every element.
//
// LDS holds two slices of 16 k: while one is multiplied, the next is on its way from global
// memory to registers, and is then written to the other. Both operands lie there as rows of k
// (B transposed), 24 halves apart, which keeps the fragment loads free of bank conflicts.
//
// Launch: blocks of 128 threads, ceil(n / 128) x ceil(m / 128) of them.
#include "heddle/device/multiply_accumulate.h"
#include "heddle/device/shared_tile.h"

using namespace heddle::device;

constexpr int tile = 128;
constexpr int slice = 16;
constexpr int threads = 128;

using Slice = SharedTile<half_t, Padded<tile, slice, 8>>;
static_assert(extra_passes<FragmentA<half_t>, Slice, Order::row_major>() == 0,
              "fragment loads of this tile have bank conflicts");

struct Slices {
  Slice a;
  Slice b;
};

// What one thread carries from global memory to LDS: 16 halves of a row of A, and 8 columns of
// two neighbouring rows of B.
struct Staged {
  half8 a[2];
  half8 b[2];
};

struct Problem {
  const half_t* a;
  const half_t* b;
  int m, n, k;
};

// Eight consecutive halves of a row-major matrix. `interior` promises that they are inside and
// that the address is a multiple of 16: one 16-byte load. Otherwise zeros outside the matrix.
template <bool interior>
__device__ inline half8 load_row(const half_t* matrix, int rows, int columns, int row, int column) {
  const half_t* first = matrix + static_cast<long>(row) * columns + column;
  if constexpr (interior) return *reinterpret_cast<const half8*>(first);
  half8 values = {};
#pragma unroll
  for (int e = 0; e < 8; ++e)
    if (row < rows && column + e < columns) values[e] = first[e];
  return values;
}

template <bool interior>
__device__ inline Staged load_slice(const Problem& p, int tile_row, int tile_column, int k_base) {
  const int t = thread_index_x();
  const int b_row = k_base + 2 * (t / 16);
  const int b_column = tile_column + 8 * (t % 16);
  Staged staged;
  staged.a[0] = load_row<interior>(p.a, p.m, p.k, tile_row + t, k_base);
  staged.a[1] = load_row<interior>(p.a, p.m, p.k, tile_row + t, k_base + 8);
  staged.b[0] = load_row<interior>(p.b, p.k, p.n, b_row, b_column);
  staged.b[1] = load_row<interior>(p.b, p.k, p.n, b_row + 1, b_column);
  return staged;
}

__device__ inline void store_slice(Slices& slices, const Staged& staged) {
  const int t = thread_index_x();
  slices.a.store(t, 0, staged.a[0]);
  slices.a.store(t, 8, staged.a[1]);
  // Two rows of k side by side make the transposed store 4 bytes wide instead of 2.
  for (int e = 0; e < 8; ++e)
    slices.b.store(8 * (t % 16) + e, 2 * (t / 16), half2{staged.b[0][e], staged.b[1][e]});
}

// Unrolled everywhere, so that every element of the sums has a fixed register.
using Sums = Accumulator<float>[4][4];

__device__ inline void multiply_slice(const Slices& slices, int wave_row, int wave_column,
                                      Sums& sum) {
  FragmentA<half_t> a[4];
  FragmentB<half_t> b[4];
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    load_matrix_sync_lds(a[i], slices.a, wave_row + 16 * i, 0);
    load_matrix_sync_lds_b_transposed(b[i], slices.b, wave_column + 16 * i, 0);
  }
#pragma unroll
  for (int i = 0; i < 4; ++i)
#pragma unroll
    for (int j = 0; j < 4; ++j) sum[i][j] = multiply_accumulate(a[i], b[j], sum[i][j]);
}

template <bool interior>
__device__ inline void store_sums(float* c, int m, int n, int first_row, int first_column,
                                  const Sums& sum) {
#pragma unroll
  for (int i = 0; i < 4; ++i)
#pragma unroll
    for (int j = 0; j < 4; ++j) {
      const int row = first_row + 16 * i, column = first_column + 16 * j;
      float* first = c + static_cast<long>(row) * n + column;
      if constexpr (interior)
        store_matrix_sync(first, sum[i][j], n);
      else
        store_matrix_sync_bounded(first, sum[i][j], n, m - row, n - column);
    }
}

template <bool interior>
__device__ inline void multiply_tile(const Problem& p, float* c, Slices (&slices)[2], int tile_row,
                                     int tile_column) {
  const int wave_row = 64 * (wave_index() / 2);
  const int wave_column = 64 * (wave_index() % 2);

  Sums sum = {};
  store_slice(slices[0], load_slice<interior>(p, tile_row, tile_column, 0));
  synchronize_block();
  int current = 0;
  for (int k_base = slice; k_base < p.k; k_base += slice, current ^= 1) {
    const Staged next = load_slice<interior>(p, tile_row, tile_column, k_base);
    multiply_slice(slices[current], wave_row, wave_column, sum);
    store_slice(slices[current ^ 1], next);
    synchronize_block();
  }
  multiply_slice(slices[current], wave_row, wave_column, sum);
  store_sums<interior>(c, p.m, p.n, tile_row + wave_row, tile_column + wave_column, sum);
}

__device__ inline bool is_aligned(const void* pointer) {
  return reinterpret_cast<unsigned long>(pointer) % 16 == 0;
}

extern "C" __global__ void __launch_bounds__(threads)
    wmma_tiled(const half_t* a, const half_t* b, float* c, int m, int n, int k) {
  static __shared__ Slices slices[2];
  const int tile_row = tile * block_index_y();
  const int tile_column = tile * block_index_x();
  const Problem problem{a, b, m, n, k};
  const bool interior = tile_row + tile <= m && tile_column + tile <= n && k % slice == 0 &&
                        k > 0 && n % 8 == 0 && is_aligned(a) && is_aligned(b);
  if (interior)
    multiply_tile<true>(problem, c, slices, tile_row, tile_column);
  else
    multiply_tile<false>(problem, c, slices, tile_row, tile_column);
}
