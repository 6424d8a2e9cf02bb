// The V buffers of v_buffer_cases.h in kernels, one of each: all stages are read, then written to
// shared memory one after the other; what lies there and what the fragments hold goes out.
#include "v_buffer_cases.h"

using namespace heddle::device;
using heddle::device::testing::Case;
using heddle::device::testing::fragment_place;

template <class Buffer, class Element, int k>
__device__ void show_fragments(Buffer& buffer, int stage, Element* fragments) {
  buffer.template load_from_shared<k>();
  const auto tile = buffer.get_mma_tile();
  const int thread = static_cast<int>(thread_index_x());
#pragma unroll
  for (int row = 0; row < Buffer::mma_tile_layout.rows; ++row) {
    using Registers = decltype(tile[row].registers);
    *reinterpret_cast<Registers*>(
        fragments + fragment_place<Buffer>(stage, k, thread, row, 32 * Buffer::num_warps)) =
        tile[row].registers;
  }
  if constexpr (k + 1 < Buffer::num_k_tiles)
    show_fragments<Buffer, Element, k + 1>(buffer, stage, fragments);
}

template <class Buffer, int stage, int stages, class T>
__device__ void show_stages(Buffer& buffer, const T* lds, T* shared, T* fragments) {
  buffer.template copy_to_shared<stage>();
  synchronize_block();
  for (int i = static_cast<int>(thread_index_x()); i < Buffer::shared_size;
       i += 32 * Buffer::num_warps)
    shared[stage * Buffer::shared_size + i] = lds[i];
  show_fragments<Buffer, T, 0>(buffer, stage, fragments);
  synchronize_block();
  if constexpr (stage + 1 < stages)
    show_stages<Buffer, stage + 1, stages>(buffer, lds, shared, fragments);
}

template <class Buffer, int stages, class T>
__device__ void show(const T* v, int stride, int rows, T* shared, T* fragments, T* lds) {
  Buffer buffer({v, stride}, lds, rows);
#pragma unroll
  for (int stage = 0; stage < stages; ++stage) buffer.load_from_dram();
  show_stages<Buffer, 0, stages>(buffer, lds, shared, fragments);
}

#define HEDDLE_KERNEL(name, T, Sum, BK, depth, threads, stages, warps_n, ...)                      \
  extern "C" __global__ void __launch_bounds__(threads)                                            \
      v_buffer_##name(const T* v, int stride, int rows, T* shared, T* fragments) {                 \
    using Buffer =                                                                                 \
        Case<T, Sum, BK, depth, threads, stages, warps_n, HEDDLE_ORDER(family_here, __VA_ARGS__)>; \
    alignas(16) static __shared__ T lds[Buffer::shared_size];                                      \
    show<Buffer, stages>(v, stride, rows, shared, fragments, lds);                                 \
  }
HEDDLE_V_BUFFER_GPU_CASES(HEDDLE_KERNEL)
