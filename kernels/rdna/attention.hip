// The attention kernels of a release: attention_TYPE_DEPTH for prefill, and
// attention_part_TYPE_DEPTH and attention_join_TYPE_DEPTH for decode, which has many keys and few
// rows. docs/attention.md is their contract.
#include "kernels/rdna/attention.h"

using namespace heddle::kernels;

#define HEDDLE_TENSORS(T)                                                    \
  const T *q, const T *k, const T *v, T *o, const std::int32_t *query_start, \
      const std::int32_t *query_length, const std::int32_t *key_start,       \
      const std::int32_t *key_length

#define HEDDLE_ATTENTION(name, T, depth, warps_m, BN)                                           \
  extern "C" __global__ void __launch_bounds__(32 * warps_m)                                    \
      attention_##name##_##depth(HEDDLE_TENSORS(T), AttentionArguments arguments) {             \
    using Shape = AttentionShape<T, depth, warps_m, 1, BN>;                                     \
    alignas(16) static __shared__ T lds[Shape::shared_size];                                    \
    attention<Shape>({q, k, v, o, query_start, query_length, key_start, key_length}, arguments, \
                     lds);                                                                      \
  }

// `sequences`: as many as the starts and lengths have.
#define HEDDLE_ATTENTION_PARTS(name, T, depth, warps_d, BN)                                    \
  extern "C" __global__ void __launch_bounds__(32 * warps_d) attention_part_##name##_##depth(  \
      HEDDLE_TENSORS(T), float* workspace_o, float* workspace_softmax, std::int32_t sequences, \
      AttentionArguments arguments) {                                                          \
    using Shape = AttentionShape<T, depth, 1, warps_d, BN>;                                    \
    alignas(16) static __shared__ T lds[Shape::shared_size];                                   \
    attention_part<Shape>({q, k, v, o, query_start, query_length, key_start, key_length},      \
                          {workspace_o, workspace_softmax}, sequences, arguments, lds);        \
  }                                                                                            \
  extern "C" __global__ void __launch_bounds__(32 * warps_d) attention_join_##name##_##depth(  \
      HEDDLE_TENSORS(T), float* workspace_o, float* workspace_softmax, std::int32_t sequences, \
      AttentionArguments arguments) {                                                          \
    attention_join<AttentionShape<T, depth, 1, warps_d, BN>>(                                  \
        {q, k, v, o, query_start, query_length, key_start, key_length},                        \
        {workspace_o, workspace_softmax}, sequences, arguments);                               \
  }

HEDDLE_ATTENTION(f16, half_t, 64, 4, 32)
HEDDLE_ATTENTION(f16, half_t, 128, 4, 32)
HEDDLE_ATTENTION(f16, half_t, 256, 4, 16)
HEDDLE_ATTENTION(bf16, bhalf_t, 64, 4, 32)
HEDDLE_ATTENTION(bf16, bhalf_t, 128, 4, 32)
HEDDLE_ATTENTION(bf16, bhalf_t, 256, 4, 16)
HEDDLE_ATTENTION_PARTS(f16, half_t, 64, 1, 16)
HEDDLE_ATTENTION_PARTS(f16, half_t, 128, 1, 16)
HEDDLE_ATTENTION_PARTS(f16, half_t, 256, 2, 16)
HEDDLE_ATTENTION_PARTS(bf16, bhalf_t, 64, 1, 16)
HEDDLE_ATTENTION_PARTS(bf16, bhalf_t, 128, 1, 16)
HEDDLE_ATTENTION_PARTS(bf16, bhalf_t, 256, 2, 16)
