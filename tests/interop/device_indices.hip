// Each index computed twice, by tilelang.h and by hand, as device functions: device_code_test.cpp
// compiles this for a GPU and compares the machine code. `_ours` and `_hand` make a pair.
#include "heddle/interop/tilelang.h"

// `used`, because nothing calls these; there is no HIP header to define __device__.
#define __device__ __attribute__((device, used))

using namespace heddle::interop::tilelang;

// Both results, so that neither is dead, combined by an instruction that both versions share.
template <class Index>
__device__ Index both(Index first, Index second) {
  return first - second;
}
template <class Index>
__device__ Index both(const Pair<Index>& pair) {
  return both(pair[0], pair[1]);
}

extern "C" {

__device__ int a12_forward_ours(int i, int j) {
  return both(shared_16x16_to_local_32x8_layout_A_gfx12(i, j));
}
__device__ int a12_forward_hand(int i, int j) { return both(((j >> 3) << 4) + i, j & 7); }

__device__ int a12_reverse_ours(int t, int l) {
  return both(thread_id_shared_access_32x8_to_16x16_layout_A_gfx12(t, l));
}
__device__ int a12_reverse_hand(int t, int l) { return both(t & 15, ((t >> 4) << 3) + l); }

__device__ int b11_forward_ours(int i, int j) {
  return both(shared_16x16_to_local_32x16_layout_B_gfx11(i, j));
}
__device__ int b11_forward_hand(int i, int j) { return both(j, i); }

__device__ int b11_reverse_ours(int t, int l) {
  return both(thread_id_shared_access_32x16_to_16x16_layout_B_gfx11(t, l));
}
__device__ int b11_reverse_hand(int t, int l) { return both(l, t & 15); }

__device__ int c11_forward_ours(int i, int j) {
  return both(shared_16x16_to_local_32x8_layout_C_gfx11(i, j));
}
__device__ int c11_forward_hand(int i, int j) { return both(((i & 1) << 4) + j, i >> 1); }

__device__ int store11_ours(int t, int l) { return both(wmma_store_index_map_gfx11(t, l)); }
__device__ int store11_hand(int t, int l) { return both((t >> 4) + l * 2, t & 15); }

__device__ unsigned store12_ours(unsigned t, unsigned l) {
  return both(wmma_store_index_map_gfx12(t, l));
}
__device__ unsigned store12_hand(unsigned t, unsigned l) { return both((t / 16) * 8 + l, t % 16); }

__device__ int copy11_ours(int i, int j, int rep) {
  return both(fragment_forward_A_gfx11(i, j, rep));
}
__device__ int copy11_hand(int i, int j, int rep) { return both(i + 16 * rep, j); }

}  // extern "C"
