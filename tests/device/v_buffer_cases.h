// V buffers of many shapes, for the host (v_buffer_test.cpp) and for the GPU (v_buffer.hip): one
// kernel each, which shows what lies in shared memory and in the fragments.
#pragma once

#include "heddle/device/v_buffer.h"

namespace heddle::device::testing {

// name, type of V, type of the sums, BK, depth, num_threads, num_stages, num_warps_n, order
// On the emulator and on the host:
#define HEDDLE_V_BUFFER_GPU_CASES(CASE)                                           \
  CASE(f16_64, half_t, float, 32, 64, 128, 1, 1, PublishedOrder)                  \
  CASE(f16_128, half_t, float, 32, 128, 128, 1, 1, PublishedOrder)                \
  CASE(f16_128_two_stages, half_t, float, 32, 128, 128, 2, 1, PublishedOrder)     \
  CASE(f16_256_two_warps_n, half_t, float, 32, 256, 128, 1, 2, PublishedOrder)    \
  CASE(bf16_512, bhalf_t, float, 32, 512, 128, 1, 4, PublishedOrder)              \
  CASE(i8_64, std::int8_t, std::int32_t, 32, 64, 128, 1, 1, PublishedOrder)       \
  CASE(i8_128, std::int8_t, std::int32_t, 32, 128, 128, 1, 1, PublishedOrder)     \
  CASE(placed_f16_64, half_t, float, 32, 64, 128, 1, 1, PlacedOrder)              \
  CASE(placed_f16_128, half_t, float, 32, 128, 128, 1, 1, PlacedOrder)            \
  CASE(placed_bf16_128, bhalf_t, float, 64, 128, 128, 1, 1, PlacedOrder)          \
  CASE(placed_i8_128, std::int8_t, std::int32_t, 32, 128, 128, 1, 1, PlacedOrder) \
  CASE(group_f16_128, half_t, float, 64, 128, 128, 1, 1, PublishedOrder, 2)
// These on the host only, all of them being the same code:
#define HEDDLE_V_BUFFER_CASES(CASE)                                                    \
  CASE(f16_256, half_t, float, 32, 256, 128, 1, 1, PublishedOrder)                     \
  CASE(f16_512, half_t, float, 32, 512, 128, 1, 1, PublishedOrder)                     \
  CASE(f16_128_wide, half_t, float, 64, 128, 256, 1, 4, PublishedOrder)                \
  CASE(f16_128_one_warp, half_t, float, 32, 128, 32, 1, 1, PublishedOrder)             \
  CASE(bf16_64, bhalf_t, float, 32, 64, 64, 2, 1, PublishedOrder)                      \
  CASE(bf16_128, bhalf_t, float, 16, 128, 128, 1, 1, PublishedOrder)                   \
  CASE(bf16_256, bhalf_t, float, 32, 256, 256, 1, 8, PublishedOrder)                   \
  CASE(u8_256, std::uint8_t, std::int32_t, 64, 256, 128, 2, 2, PublishedOrder)         \
  CASE(i8_512, std::int8_t, std::int32_t, 32, 512, 128, 1, 1, PublishedOrder)          \
  CASE(placed_f16_256, half_t, float, 16, 256, 128, 1, 1, PlacedOrder)                 \
  CASE(placed_f16_512, half_t, float, 32, 512, 128, 1, 2, PlacedOrder)                 \
  CASE(placed_f16_128_two_stages, half_t, float, 32, 128, 64, 2, 1, PlacedOrder)       \
  CASE(placed_i8_64, std::int8_t, std::int32_t, 32, 64, 128, 1, 1, PlacedOrder)        \
  CASE(placed_u8_256, std::uint8_t, std::int32_t, 64, 256, 128, 1, 1, PlacedOrder)     \
  CASE(placed_i8_512, std::int8_t, std::int32_t, 32, 512, 128, 1, 1, PlacedOrder)      \
  CASE(unswapped_f16_128, half_t, float, 32, 128, 128, 1, 1, PublishedOrder, 1, false) \
  HEDDLE_V_BUFFER_GPU_CASES(CASE)
// The family stands between the order and what may follow it.
#define HEDDLE_ORDER(family, order, ...) order, family __VA_OPT__(, ) __VA_ARGS__

/// What a case's type has from its row; group_size and swap_a_b when the row says them.
template <class T, class Sum, int BK, int depth, int threads, int stages, int warps_n, class Order,
          Family family, int group_size = 1, bool swap_a_b = true>
using Case = VBuffer<T, TensorCore<Sum, T, group_size, swap_a_b>, BK, BK, depth, threads, stages,
                     warps_n, Order, family>;

/// Where the output of a kernel keeps fragment element (stage, k tile, thread, row, element).
template <class Buffer>
constexpr int fragment_place(int stage, int k, int thread, int row, int threads) {
  return (((stage * Buffer::num_k_tiles + k) * threads + thread) * Buffer::mma_tile_layout.rows +
          row) *
         Buffer::fragment_size;
}

}  // namespace heddle::device::testing
