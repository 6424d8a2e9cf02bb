// More values alive than a wave of a large workgroup has registers for.
#include "tile_product.h"

template <int n>
__device__ inline void add(const int* x, int* y) {
  int value[n];
#pragma unroll
  for (int i = 0; i < n; ++i) value[i] = x[32 * i + thread_index() % 32];
  asm volatile("" ::: "memory");  // all of them are loaded before one is stored
#pragma unroll
  for (int i = 0; i < n; ++i) y[32 * i + thread_index() % 32] = value[i];
}

extern "C" __global__ void __attribute__((amdgpu_flat_work_group_size(1, 1024)))
__attribute__((amdgpu_num_vgpr(48)))
copy(const int* x, int* y) {
  add<MISTAKE ? 64 : 16>(x, y);
  if (!MISTAKE)
    for (int part = 1; part < 4; ++part) add<16>(x + 512 * part, y + 512 * part);
}
