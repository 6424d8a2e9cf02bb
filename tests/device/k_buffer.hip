// The K buffers of k_buffer_cases.h in kernels: the first stages of a tile are read, then written
// to shared memory one after the other; what the fragments hold goes out.
#include "k_buffer_cases.h"

using namespace heddle::device;
using namespace heddle::device::testing;

template <class Buffer, int stages, class T>
__device__ void show(const T* rows, int stride, int valid, T* fragments, T* lds) {
  Buffer buffer({rows, stride}, lds, valid);
#pragma unroll
  for (int stage = 0; stage < stages; ++stage) buffer.load_from_dram();
  unroll<stages>([&](auto stage) {
    buffer.template copy_to_shared<stage.value>();
    synchronize_shared();
    unroll<Buffer::num_k_tiles>([&](auto k) {
      buffer.template load_from_shared<k.value>();
      const auto tile = buffer.get_mma_tile();
#pragma unroll
      for (int row = 0; row < Buffer::mma_tile_layout.rows; ++row) {
        using Registers = decltype(tile[row].registers);
        *reinterpret_cast<Registers*>(
            fragments + k_fragment_place<Buffer>(stage.value, k.value,
                                                 static_cast<int>(thread_index_x()), row)) =
            tile[row].registers;
      }
    });
    synchronize_shared();
  });
}

#define HEDDLE_KERNEL(name, T, Sum, BN, WN, BK, depth, threads, stages, ...)                    \
  extern "C" __global__ void __launch_bounds__(threads)                                         \
      k_buffer_##name(const T* rows, int stride, int valid, T* fragments) {                     \
    using Buffer = KCase<T, Sum, BN, WN, BK, depth, threads, stages, __VA_ARGS__, family_here>; \
    alignas(16) static __shared__ T lds[Buffer::shared_size];                                   \
    show<Buffer, stages>(rows, stride, valid, fragments, lds);                                  \
  }
HEDDLE_K_BUFFER_CASES(HEDDLE_KERNEL)
