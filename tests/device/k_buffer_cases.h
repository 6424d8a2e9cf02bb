// K buffers of several shapes, for the host (k_buffer_test.cpp) and for the GPU (k_buffer.hip).
#pragma once

#include "heddle/device/k_buffer.h"

namespace heddle::device::testing {

// name, type, type of the sums, BN, WN, BK, depth, num_threads, num_stages, order, group_size,
// swap_a_b
#define HEDDLE_K_BUFFER_CASES(CASE)                                                          \
  CASE(f16_strips, half_t, float, 64, 32, 32, 128, 128, 2, PublishedRows, 1, true)           \
  CASE(bf16_whole, bhalf_t, float, 32, 32, 64, 64, 128, 1, PublishedRows, 1, true)           \
  CASE(i8_strips, std::int8_t, std::int32_t, 32, 16, 64, 128, 64, 2, PublishedRows, 1, true) \
  CASE(f16_idle_threads, half_t, float, 16, 16, 32, 64, 128, 1, PublishedRows, 1, true)      \
  CASE(placed_f16_32, half_t, float, 64, 32, 32, 64, 128, 1, PlacedRows, 1, true)            \
  CASE(placed_f16_128, half_t, float, 32, 32, 128, 128, 128, 1, PlacedRows, 1, true)         \
  CASE(placed_bf16_256, bhalf_t, float, 16, 16, 256, 256, 64, 1, PlacedRows, 1, true)        \
  CASE(placed_q_256, half_t, float, 64, 16, 256, 256, 128, 1, PlacedRows, 1, false)          \
  CASE(group_f16, half_t, float, 32, 32, 64, 64, 128, 1, PlacedRows, 2, true)

template <class T, class Sum, int BN, int WN, int BK, int depth, int threads, int stages,
          class Order, int group_size, bool swap_a_b, Family family>
using KCase = KBuffer<T, TensorCore<Sum, T, group_size, swap_a_b>, BN, WN, BK, depth, threads,
                      stages, Order, family>;

/// Where the output keeps the first element of a fragment.
template <class Buffer>
constexpr int k_fragment_place(int stage, int k, int thread, int row) {
  return (((stage * Buffer::num_k_tiles + k) * 32 * Buffer::num_warps + thread) *
              Buffer::mma_tile_layout.rows +
          row) *
         Buffer::fragment_size;
}

}  // namespace heddle::device::testing
