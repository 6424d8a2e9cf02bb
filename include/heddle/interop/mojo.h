// The attention buffers by the names that Mojo's library gives them (modular, max/kernels,
// nn/attention/gpu/amd_rdna), with its parameters in its order. Shared memory has layouts without
// bank conflicts; with device::PublishedOrder and device::PublishedRows as the last parameter it
// has Mojo's. Mojo's dtypes are types here: DType.float16 is half_t, DType.bfloat16 bhalf_t,
// DType.float32 float, DType.int8 int8_t; parameters that Mojo infers from a tensor (cache_dtype)
// are written out. Mojo's parameter Engine, also inferred, says how a tensor's storage is accessed:
// here it is always accessed by a pointer. `heddle layout` reads the text of Mojo's types of tiles
// (SmemTileType and the like), with numbers in place of names.
//
//   using V = VBufferRDNA<half_t, TiledTensorCore<float, half_t, Shape<16, 16, 16>>, BN, BK, depth,
//                         num_threads>;
//   V v({rows, stride}, shared, total_rows);
//
// Members and methods: docs/attention.md. Two things differ. On gfx12 a fragment has 8 elements, as
// in the hardware; Mojo's has 16. And 8-bit elements are read from the places where they were
// written.
#pragma once

#include "heddle/device/k_buffer.h"
#include "heddle/device/p_buffer.h"
#include "heddle/device/q_buffer.h"
#include "heddle/device/v_buffer.h"

namespace heddle::interop::mojo {

/// IndexList[3] of an instruction: M, N, K. RDNA has 16, 16, 16 only.
template <int M, int N, int K>
struct Shape {
  static_assert(M == 16 && N == 16 && K == 16, "RDNA multiplies 16x16x16: Shape<16, 16, 16>");
  /// Steps of 16 in k. Whoever asks has the assertion above checked.
  static constexpr int steps = 1;
};

/// The buffers compute the transposed product (swap_a_b) whatever transpose_b is: transpose_b
/// describes the operand in memory, and the buffers choose how to read that.
template <class out_type, class in_type, class shape = Shape<16, 16, 16>, int group_size = 1,
          bool transpose_b = false>
using TiledTensorCore = device::TensorCore<out_type, in_type, group_size * shape::steps, true>;

template <class cache_dtype, class tensor_core_mma, int BN, int BK, int depth, int num_threads,
          int num_stages = 1, int num_warps_n = 1, class Order = device::PlacedOrder>
/// V, in strips of BK keys: depths are rows of the operand. device/v_buffer.h has the members.
using VBufferRDNA = device::VBuffer<cache_dtype, tensor_core_mma, BN, BK, depth, num_threads,
                                    num_stages, num_warps_n, Order>;

template <class cache_dtype, class tensor_core_mma, int BN, int WN, int BK, int depth,
          int num_threads, int num_stages = 1, class Order = device::PlacedRows>
/// K, in strips of BK depths of BN keys, of which a warp multiplies WN. device/k_buffer.h.
using KBufferRDNA = device::KBuffer<cache_dtype, tensor_core_mma, BN, WN, BK, depth, num_threads,
                                    num_stages, Order>;

/// Q, which stays in registers: WM queries of a warp by all depths. device/q_buffer.h.
template <class dtype, class mma_shape, int k_group_size, int WM, int WN, int BN, int BK, int depth>
using QRegisterBufferRDNA = device::QBuffer<
    dtype,
    TiledTensorCore<std::conditional_t<std::is_integral_v<dtype>, std::int32_t, float>, dtype,
                    mma_shape, k_group_size>,
    WM, WN, BN, BK, depth>;

/// num_m_mmas and num_n_mmas are WM / 16 and WN / 16, as Mojo's callers pass them.
template <class accum_type, class dtype, int BM, int BN, int BK, int WM, int WN,
          int num_m_mmas = WM / 16, int num_n_mmas = WN / 16, class mma_shape = Shape<16, 16, 16>,
          int k_group_size = 1>
  requires(num_m_mmas == WM / 16 && num_n_mmas == WN / 16)
using PRegisterBufferRDNA =
    device::PBuffer<accum_type, dtype, TiledTensorCore<accum_type, dtype, mma_shape, k_group_size>,
                    BM, BN, BK, WM, WN>;

}  // namespace heddle::interop::mojo
