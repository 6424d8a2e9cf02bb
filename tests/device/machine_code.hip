// Each way from and to memory twice, by the headers and by hand: machine_code_test.cpp compares the
// machine code. `_ours` and `_hand` make a pair. By hand they are the loops of the published note
// on gfx1151 (A's as it was corrected later), and their counterparts for gfx12.
#include "heddle/device/multiply_accumulate.h"
#include "heddle/device/shared_tile.h"

using namespace heddle::device;

using Registers = FragmentA<half_t>::Registers;
constexpr int size = FragmentA<half_t>::size;

__device__ inline int lane() { return thread_index_x() % 32; }
// What a lane holds, by hand: the row of A (column of B and D), its first k, its rows of D.
__device__ inline int hand_row() { return lane() % 16; }
__device__ inline int hand_k() { return size == 8 ? 8 * (lane() / 16) : 0; }
__device__ inline int hand_d_row(int i) {
  return size == 8 ? 8 * (lane() / 16) + i : 2 * i + lane() / 16;
}

__device__ inline float8 hand_multiply(Registers a, Registers b, float8 c) {
#if defined(__GFX12__)
  return __builtin_amdgcn_wmma_f32_16x16x16_f16_w32_gfx12(a, b, c);
#else
  return __builtin_amdgcn_wmma_f32_16x16x16_f16_w32(a, b, c);
#endif
}

#define KERNEL(name) extern "C" __global__ void __launch_bounds__(128) name

// LDS is filled the same way in both of a pair.
template <class T, int count>
__device__ inline void fill(T (&lds)[count], const T* from) {
  for (int i = thread_index_x(); i < count; i += 128) lds[i] = from[i];
  synchronize_block();
}

// A and B from rows of k in LDS, 24 halves apart.
KERNEL(lds_padded_ours)(const half_t* from, Registers* out) {
  __shared__ half_t lds[64 * 24];
  fill(lds, from);
  Registers a, b;
  load_matrix_sync_lds(a, lds + 16 * wave_index() * 24, 24);
  load_matrix_sync_lds_b_transposed(b, lds + 16 * wave_index() * 24 + 16 * 24, 24);
  out[2 * thread_index_x()] = a;
  out[2 * thread_index_x() + 1] = b;
}
KERNEL(lds_padded_hand)(const half_t* from, Registers* out) {
  __shared__ half_t lds[64 * 24];
  fill(lds, from);
  Registers a, b;
  const half_t* first = lds + 16 * wave_index() * 24;
#pragma unroll
  for (int i = 0; i < size; ++i) a[i] = first[hand_row() * 24 + hand_k() + i];
#pragma unroll
  for (int i = 0; i < size; ++i) b[i] = first[16 * 24 + hand_row() * 24 + hand_k() + i];
  out[2 * thread_index_x()] = a;
  out[2 * thread_index_x() + 1] = b;
}

// A tile of 64 rows of 32 k, whose groups of eight are swizzled.
using Tile = SharedTile<half_t, Swizzled<64, 32, 8, 1, 3>>;
KERNEL(lds_swizzled_ours)(const half_t* from, Registers* out) {
  __shared__ Tile tile;
  fill(tile.elements, from);
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    FragmentA<half_t> a;
    load_matrix_sync_lds(a, tile, 16 * (i / 2), 16 * (i % 2));
    out[4 * thread_index_x() + i] = a.registers;
  }
}
KERNEL(lds_swizzled_hand)(const half_t* from, Registers* out) {
  alignas(16) __shared__ half_t lds[64 * 32];
  fill(lds, from);
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    Registers a;
    const int row = 16 * (i / 2) + hand_row();
#pragma unroll
    for (int group = 0; group < size / 8; ++group) {
      const int column = 16 * (i % 2) + hand_k() + 8 * group;
      const int swizzled_column = (column / 8 ^ (row >> 1 & 3)) * 8 + column % 8;
      const half8 part = *reinterpret_cast<const half8*>(lds + row * 32 + swizzled_column);
#pragma unroll
      for (int e = 0; e < 8; ++e) a[8 * group + e] = part[e];
    }
    out[4 * thread_index_x() + i] = a;
  }
}

// A row-major and B row-major from global memory, a product, D row-major with bounds.
KERNEL(product_ours)(const half_t* a, const half_t* b, float* d, int m, int n, int k) {
  auto sum = Accumulator<float>::filled(0);
  for (int kk = 0; kk < k; kk += 16) {
    FragmentA<half_t> fa;
    FragmentB<half_t> fb;
    load_matrix_sync(fa, a + kk, k);
    load_matrix_sync(fb, b + kk * n, n);
    sum = multiply_accumulate(fa, fb, sum);
  }
  store_matrix_sync_bounded(d, sum, n, m, n);
}
KERNEL(product_hand)(const half_t* a, const half_t* b, float* d, int m, int n, int k) {
  float8 sum = {};
  for (int kk = 0; kk < k; kk += 16) {
    Registers fa, fb;
#pragma unroll
    for (int i = 0; i < size; ++i) {
      fa[i] = a[hand_row() * k + kk + hand_k() + i];
      fb[i] = b[(kk + hand_k() + i) * n + hand_row()];
    }
    sum = hand_multiply(fa, fb, sum);
  }
#pragma unroll
  for (int i = 0; i < 8; ++i)
    if (hand_d_row(i) < m && hand_row() < n) d[hand_d_row(i) * n + hand_row()] = sum[i];
}

// D as halves, and column-major.
KERNEL(store_ours)(const float8* from, half_t* halves, float* columns, int n) {
  const Accumulator<float> sum{from[thread_index_x()]};
  store_matrix_sync(halves, sum, n);
  store_matrix_sync<Order::column_major>(columns, sum, n);
}
KERNEL(store_hand)(const float8* from, half_t* halves, float* columns, int n) {
  const float8 sum = from[thread_index_x()];
#pragma unroll
  for (int i = 0; i < 8; ++i) {
    halves[hand_d_row(i) * n + hand_row()] = static_cast<half_t>(sum[i]);
    columns[hand_row() * n + hand_d_row(i)] = sum[i];
  }
}
