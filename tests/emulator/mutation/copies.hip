// Tiles that come to LDS without passing registers, two at a time: while one is used, the next is on
// its way. Each lane uses what the other wave of its workgroup has copied.
#include "../../../examples/hip_kernel.h"

constexpr int tiles = 4;

#define GLOBAL __attribute__((address_space(1)))
#define SHARED __attribute__((address_space(3)))

#if defined(__gfx1250__)
constexpr int threads = 64, words = 4;  // of a lane in a tile
typedef int Four __attribute__((ext_vector_type(4)));
typedef int Eight __attribute__((ext_vector_type(8)));

// Waits until `left` copies are on their way at most, then for the other wave.
#define WAIT_FOR_COPIES(left)              \
  __builtin_amdgcn_s_wait_asynccnt(left);  \
  synchronize_block()

__device__ inline void copy(const int* from, int* to) {
  __builtin_amdgcn_global_load_async_to_lds_b128((GLOBAL Four*)from, (SHARED Four*)to, 0, 0);
}
#else
constexpr int threads = 128;
#if defined(__gfx950__)
constexpr int words = 4;
#else
constexpr int words = 1;
#endif

// LLVM puts the wait before the first use of LDS.
#define WAIT_FOR_COPIES(left)                               \
  __builtin_amdgcn_s_waitcnt(0x0f70 | (left)); /* vmcnt */  \
  __builtin_amdgcn_s_barrier()

// The lanes of a wave write behind each other from the address of the first on.
__device__ inline void copy(const int* from, int* to) {
  __builtin_amdgcn_global_load_lds((GLOBAL void*)from, (SHARED void*)to, 4 * words, 0, 0);
}
#endif

__device__ inline int* place(int* tile, int lane) {
#if defined(__gfx1250__)
  return tile + words * lane;
#else
  return tile + words * __builtin_amdgcn_readfirstlane(lane);
#endif
}

extern "C" __global__ void __launch_bounds__(threads) turn_tiles(const int* x, int* y) {
  __shared__ __attribute__((aligned(16))) int tile[2][threads * words];
  const int lane = thread_index();
  constexpr int step = threads * words;
  copy(x + words * lane, place(tile[0], lane));
  for (int t = 0; t < tiles; ++t) {
    if (t + 1 < tiles) {
      copy(x + step * (t + 1) + words * lane, place(tile[(t + 1) % 2], lane));
      WAIT_FOR_COPIES(1);
    } else {
      WAIT_FOR_COPIES(0);
    }
    for (int i = 0; i < words; ++i)
      y[step * t + words * lane + i] = tile[t % 2][step - 1 - words * lane - i];
    synchronize_block();
  }
}

#if defined(__gfx1250__)
// From LDS to memory, and the next tile into the same place.
extern "C" __global__ void __launch_bounds__(threads) store_tiles(const int* x, int* y) {
  __shared__ __attribute__((aligned(16))) int tile[threads * words];
  const int lane = thread_index();
  for (int t = 0; t < tiles; ++t) {
    const int base = words * (threads * t + lane);
    for (int i = 0; i < words; ++i)
      tile[words * (threads - 1 - lane) + i] = x[base + i];
    synchronize_block();
    __builtin_amdgcn_global_store_async_from_lds_b128((GLOBAL Four*)(y + base),
                                                      (SHARED Four*)(tile + words * lane), 0, 0);
    __builtin_amdgcn_s_wait_asynccnt(0);
    synchronize_block();
  }
}

// The first wave copies whole tiles for all.
extern "C" __global__ void __launch_bounds__(threads) transfer_tiles(const int* x, int* y) {
  __shared__ __attribute__((aligned(16))) int tile[2][threads];
  const int lane = thread_index();
  const bool first = __builtin_amdgcn_readfirstlane(lane) == 0;
  const auto transfer = [&](int t) {
    const auto from = reinterpret_cast<unsigned long long>(x + threads * t);
    const Four place = {1, static_cast<int>(reinterpret_cast<unsigned long long>(
                               (SHARED int*)tile[t % 2])),
                        static_cast<int>(from), static_cast<int>(from >> 32 | 0x80000000u)};
    // 64 elements of 4 bytes in one row.
    const Eight shape = {0x20000, threads << 16, 1 << 16, threads << 16, 1, threads, 0, 0};
    __builtin_amdgcn_tensor_load_to_lds_d2(place, shape, 0);
  };
  if (first) transfer(0);
  for (int t = 0; t < tiles; ++t) {
    if (first && t + 1 < tiles) transfer(t + 1);
    if (t + 1 < tiles)
      __builtin_amdgcn_s_wait_tensorcnt(1);
    else
      __builtin_amdgcn_s_wait_tensorcnt(0);
    synchronize_block();
    y[threads * t + lane] = tile[t % 2][threads - 1 - lane];
    synchronize_block();
  }
}

// Pairs of waves that wait for each other at a barrier of their own.
extern "C" __global__ void __launch_bounds__(128) turn_pairs(const int* x, int* y) {
  __shared__ int tile[128];
  static __shared__ __amdgpu_named_workgroup_barrier_t barriers[2];
  const int lane = thread_index(), wave = __builtin_amdgcn_readfirstlane(lane / 32);
  if (wave == 0) {
    __builtin_amdgcn_s_barrier_init(&barriers[0], 2);
    __builtin_amdgcn_s_barrier_init(&barriers[1], 2);
  }
  synchronize_block();
  __builtin_amdgcn_s_barrier_join(&barriers[wave / 2]);
  for (int t = 0; t < tiles; ++t) {
    tile[lane] = x[128 * t + lane];
    __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
    __builtin_amdgcn_s_barrier_signal_var(&barriers[wave / 2], 2);
    __builtin_amdgcn_s_barrier_wait(1);
    __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
    y[128 * t + lane] = tile[lane ^ 63];
    __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
    __builtin_amdgcn_s_barrier_signal_var(&barriers[wave / 2], 2);
    __builtin_amdgcn_s_barrier_wait(1);
    __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
  }
}
#endif
