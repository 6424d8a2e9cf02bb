// One 16x16x16 matrix product on one wave of 32 lanes: D = A * B + C, f16 inputs, f32 sums.
//
//             gfx11 (RDNA3, 3.5)               gfx12 (RDNA4)
//   A  lane l holds row m = l % 16:            lane l holds row m = l % 16:
//        element e is k = e (16 of them,         element e is k = 8 * (l / 16) + e (8 of them)
//        lanes 16..31 repeat lanes 0..15)
//   B  the same with column n = l % 16          the same with column n = l % 16
//   D  lane l holds column n = l % 16:          lane l holds column n = l % 16:
//        element e is m = 2 * e + l / 16         element e is m = 8 * (l / 16) + e
//
// The gfx12 order of k is the contiguous one of TileLang and IREE. AMD's own tables number k
// differently inside the instruction; the product is the same as long as A and B agree.
#pragma once

#include "../../../examples/hip_kernel.h"

#if defined(__GFX12__)
constexpr int fragment_size = 8;
using Fragment = half8;
#elif defined(__GFX11__) || !defined(__HIP_DEVICE_COMPILE__)
constexpr int fragment_size = 16;
using Fragment = half16;
#else
#error "these examples are for gfx11 and gfx12"
#endif

// The row of A (or column of B, or column of D) that this lane holds.
__device__ inline int fragment_row(int lane) { return lane % 16; }

// The first k of the `fragment_size` consecutive ones that this lane holds of A and B.
__device__ inline int fragment_k(int lane) { return fragment_size == 8 ? 8 * (lane / 16) : 0; }

// The row m of D that this lane holds in `element`.
__device__ inline int accumulator_row(int lane, int element) {
  return fragment_size == 8 ? 8 * (lane / 16) + element : 2 * element + lane / 16;
}

__device__ inline float8 multiply_accumulate(Fragment a, Fragment b, float8 c) {
#if defined(__GFX12__)
  return __builtin_amdgcn_wmma_f32_16x16x16_f16_w32_gfx12(a, b, c);
#else
  return __builtin_amdgcn_wmma_f32_16x16x16_f16_w32(a, b, c);
#endif
}
