// C = A * B on matrix cores with blocking: a block of 4 waves makes a 128x128 tile of C, a wave
// a 64x64 quarter of it as 4x4 fragments, so that every fragment read from LDS is used 4 times.
// A is m x k, B is k x n, C is m x n, all row-major; any sizes.
//
// Tiles inside the matrices take a way without checks; tiles at an edge check every element.
//
// LDS holds two slices of 16 k: while one is multiplied, the next is on its way from global
// memory to registers, and is then written to the other. Both operands lie there as rows of k
// (B transposed), 24 halves apart: 48 bytes keep the 16-byte fragment loads free of bank
// conflicts in the phases measured on gfx1100 and gfx1201.
//
// Launch: blocks of 128 threads, ceil(n / 128) x ceil(m / 128) of them.
#include "wmma_fragment.h"

constexpr int tile = 128;
constexpr int slice = 16;
constexpr int pitch = slice + 8;
constexpr int threads = 128;

struct Slice {
  half a[tile * pitch];
  half b[tile * pitch];
};

// What one thread carries from global memory to LDS: 16 halves of a row of A, and 8 columns of
// two neighbouring rows of B.
struct Staged {
  half8 a[2];
  half8 b[2];
};

struct Problem {
  const half* a;
  const half* b;
  int m, n, k;
};

// Eight consecutive halves of a row-major matrix. `interior` promises that they are inside and
// that the address is a multiple of 16: one 16-byte load. Otherwise zeros outside the matrix.
template <bool interior>
__device__ inline half8 load_row(const half* matrix, int rows, int columns, int row, int column) {
  const half* first = matrix + static_cast<long>(row) * columns + column;
  if constexpr (interior) return *reinterpret_cast<const half8*>(first);
  half8 values = {};
#pragma unroll
  for (int e = 0; e < 8; ++e)
    if (row < rows && column + e < columns) values[e] = first[e];
  return values;
}

template <bool interior>
__device__ inline Staged load_slice(const Problem& p, int tile_row, int tile_column, int k_base) {
  const int t = thread_index();
  const int b_row = k_base + 2 * (t / 16);
  const int b_column = tile_column + 8 * (t % 16);
  Staged staged;
  staged.a[0] = load_row<interior>(p.a, p.m, p.k, tile_row + t, k_base);
  staged.a[1] = load_row<interior>(p.a, p.m, p.k, tile_row + t, k_base + 8);
  staged.b[0] = load_row<interior>(p.b, p.k, p.n, b_row, b_column);
  staged.b[1] = load_row<interior>(p.b, p.k, p.n, b_row + 1, b_column);
  return staged;
}

__device__ inline void store_slice(Slice& slice_, const Staged& staged) {
  using half2 = half __attribute__((ext_vector_type(2)));
  const int t = thread_index();
  *reinterpret_cast<half8*>(&slice_.a[t * pitch]) = staged.a[0];
  *reinterpret_cast<half8*>(&slice_.a[t * pitch + 8]) = staged.a[1];
  // Two rows of k side by side make the transposed store 4 bytes wide instead of 2.
  for (int e = 0; e < 8; ++e)
    *reinterpret_cast<half2*>(&slice_.b[(8 * (t % 16) + e) * pitch + 2 * (t / 16)]) =
        half2{staged.b[0][e], staged.b[1][e]};
}

__device__ inline Fragment load_fragment(const half* rows, int first_row, int lane) {
  const half* first = rows + (first_row + fragment_row(lane)) * pitch + fragment_k(lane);
#if defined(__GFX12__)
  return *reinterpret_cast<const half8*>(first);
#else
  const half8 low = *reinterpret_cast<const half8*>(first);
  const half8 high = *reinterpret_cast<const half8*>(first + 8);
  return __builtin_shufflevector(low, high, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
#endif
}

// Unrolled everywhere, so that every element of the sums has a fixed register.
using Sums = float8[4][4];

__device__ inline void multiply_slice(const Slice& slice_, int wave_row, int wave_column, int lane,
                                      Sums& sum) {
  Fragment a[4], b[4];
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    a[i] = load_fragment(slice_.a, wave_row + 16 * i, lane);
    b[i] = load_fragment(slice_.b, wave_column + 16 * i, lane);
  }
#pragma unroll
  for (int i = 0; i < 4; ++i)
#pragma unroll
    for (int j = 0; j < 4; ++j) sum[i][j] = multiply_accumulate(a[i], b[j], sum[i][j]);
}

template <bool interior>
__device__ inline void store_sums(float* c, int m, int n, int first_row, int first_column, int lane,
                                  const Sums& sum) {
#pragma unroll
  for (int i = 0; i < 4; ++i)
#pragma unroll
    for (int j = 0; j < 4; ++j)
#pragma unroll
      for (int e = 0; e < 8; ++e) {
        const int row = first_row + 16 * i + accumulator_row(lane, e);
        const int column = first_column + 16 * j + fragment_row(lane);
        if (interior || (row < m && column < n))
          c[static_cast<long>(row) * n + column] = sum[i][j][e];
      }
}

template <bool interior>
__device__ inline void multiply_tile(const Problem& p, float* c, Slice (&slices)[2], int tile_row,
                                     int tile_column) {
  const int lane = thread_index() % 32;
  const int wave = thread_index() / 32;
  const int wave_row = 64 * (wave / 2);
  const int wave_column = 64 * (wave % 2);

  Sums sum = {};
  store_slice(slices[0], load_slice<interior>(p, tile_row, tile_column, 0));
  synchronize_block();
  int current = 0;
  for (int k_base = slice; k_base < p.k; k_base += slice, current ^= 1) {
    const Staged next = load_slice<interior>(p, tile_row, tile_column, k_base);
    multiply_slice(slices[current], wave_row, wave_column, lane, sum);
    store_slice(slices[current ^ 1], next);
    synchronize_block();
  }
  multiply_slice(slices[current], wave_row, wave_column, lane, sum);
  store_sums<interior>(c, p.m, p.n, tile_row + wave_row, tile_column + wave_column, lane, sum);
}

__device__ inline bool is_aligned(const void* pointer) {
  return reinterpret_cast<unsigned long>(pointer) % 16 == 0;
}

extern "C" __global__ void __launch_bounds__(threads)
    wmma_tiled(const half* a, const half* b, float* c, int m, int n, int k) {
  alignas(16) static __shared__ Slice slices[2];
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
