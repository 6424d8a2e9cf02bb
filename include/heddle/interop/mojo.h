// The attention buffers with the names that Mojo's library gives them (modular, max/kernels,
// nn/attention/gpu/amd_rdna), with its parameters in the same order. By default, layouts in shared
// memory have no bank conflicts; with device::PublishedOrder or device::PublishedRows as the last
// parameter they are Mojo's. Mojo's dtypes are types here: DType.float16 is half_t, DType.bfloat16
// bhalf_t, DType.float32 float, DType.int8 int8_t. Parameters that Mojo infers from a tensor
// (cache_dtype) must be given. Mojo's parameter Engine, which is also inferred, says how a tensor's
// storage is accessed: here always by a pointer. `heddle layout` reads the text of Mojo's types of
// tiles (such as SmemTileType), with numbers in place of names.
//
//   using V = VBufferRDNA<half_t, TiledTensorCore<float, half_t, Shape<16, 16, 16>>, BN, BK, depth,
//                         num_threads>;
//   V v({rows, stride}, shared, total_rows);
//
// docs/attention.md lists members and methods. Two things differ. On gfx12 a fragment has 8
// elements, as in the hardware; Mojo's has 16. And 8-bit elements are read from where they were
// written.
#pragma once

#include "heddle/device/k_buffer.h"
#include "heddle/device/p_buffer.h"
#include "heddle/device/q_buffer.h"
#include "heddle/device/v_buffer.h"

namespace heddle::interop::mojo {

/// Mojo's IndexList[3] of an instruction: M, N, K. RDNA has only 16, 16, 16.
template <int M, int N, int K>
struct Shape {
  static_assert(M == 16 && N == 16 && K == 16, "RDNA multiplies 16x16x16: Shape<16, 16, 16>");
  /// The number of steps of 16 in k. Using this constant makes the compiler check the assertion
  /// above.
  static constexpr int steps = 1;
};

/// The buffers always compute the transposed product (swap_a_b), whatever transpose_b is:
/// transpose_b describes the operand in memory, and the buffers choose how to read it.
template <class out_type, class in_type, class shape = Shape<16, 16, 16>, int group_size = 1,
          bool transpose_b = false>
using TiledTensorCore = device::TensorCore<out_type, in_type, group_size * shape::steps, true>;

template <class cache_dtype, class tensor_core_mma, int BN, int BK, int depth, int num_threads,
          int num_stages = 1, int num_warps_n = 1, class Order = device::PlacedOrder>
/// The buffer of V, in strips of BK keys. Rows of the operand are depths. The members are in
/// device/v_buffer.h.
using VBufferRDNA = device::VBuffer<cache_dtype, tensor_core_mma, BN, BK, depth, num_threads,
                                    num_stages, num_warps_n, Order>;

template <class cache_dtype, class tensor_core_mma, int BN, int WN, int BK, int depth,
          int num_threads, int num_stages = 1, class Order = device::PlacedRows>
/// The buffer of K, in strips of BK depths of BN keys; a warp multiplies WN of these keys. The
/// members are in device/k_buffer.h.
using KBufferRDNA = device::KBuffer<cache_dtype, tensor_core_mma, BN, WN, BK, depth, num_threads,
                                    num_stages, Order>;

/// The buffer of Q, which stays in registers: the WM queries of a warp, with all depths. The
/// members are in device/q_buffer.h.
template <class dtype, class mma_shape, int k_group_size, int WM, int WN, int BN, int BK, int depth>
using QRegisterBufferRDNA = device::QBuffer<
    dtype,
    TiledTensorCore<std::conditional_t<std::is_integral_v<dtype>, std::int32_t, float>, dtype,
                    mma_shape, k_group_size>,
    WM, WN, BN, BK, depth>;

/// The buffer of P. num_m_mmas and num_n_mmas must be WM / 16 and WN / 16, which Mojo's callers
/// pass.
template <class accum_type, class dtype, int BM, int BN, int BK, int WM, int WN,
          int num_m_mmas = WM / 16, int num_n_mmas = WN / 16, class mma_shape = Shape<16, 16, 16>,
          int k_group_size = 1>
  requires(num_m_mmas == WM / 16 && num_n_mmas == WN / 16)
using PRegisterBufferRDNA =
    device::PBuffer<accum_type, dtype, TiledTensorCore<accum_type, dtype, mma_shape, k_group_size>,
                    BM, BN, BK, WM, WN>;

}  // namespace heddle::interop::mojo
