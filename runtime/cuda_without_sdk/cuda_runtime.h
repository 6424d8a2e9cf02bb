// The parts of <cuda_runtime.h> that programs use, for systems without the CUDA SDK. `heddle run`
// includes this file before the text of a .cu file, as nvcc does. For a target of AMD's the file
// gives HIP's functions CUDA's names.
#pragma once

// Programs test these macros to see that nvcc compiles them.
#ifndef __CUDACC__
#define __CUDACC__ 1
#endif
#define __NVCC__ 1
#define __CUDACC_VER_MAJOR__ 12
#define __CUDACC_VER_MINOR__ 8
#define __CUDACC_VER_BUILD__ 0

#ifdef __HIP__
#include <hip/hip_runtime.h>
#else
// Before headers of the system.
#include <hip/without_rocm/language.h>

#include <limits.h>
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmath>

#include <hip/without_rocm/vectors.h>
#ifdef __CUDA__
#include <__clang_cuda_builtin_vars.h>

#include <hip/without_rocm/print.h>

// `clamp` is bits 0 to 4 of the operand c of shfl.sync; the segment mask lies above them (PTX ISA
// 9.0, "shfl.sync").
#define HIP_SHUFFLE(name, builtin, Lane, clamp)                                              \
  template <class T>                                                                         \
  __device__ inline T __##name##_sync(unsigned mask, T value, Lane lane, int width = 32) {   \
    static_assert(sizeof(T) <= 16, "a value of at most 16 bytes");                           \
    constexpr int words = (sizeof(T) + 3) / 4;                                               \
    int parts[words] = {};                                                                   \
    __builtin_memcpy(parts, &value, sizeof(T));                                              \
    for (int i = 0; i < words; ++i)                                                          \
      parts[i] = builtin(mask, parts[i], static_cast<int>(lane), (32 - width) << 8 | clamp); \
    __builtin_memcpy(&value, parts, sizeof(T));                                              \
    return value;                                                                            \
  }
HIP_SHUFFLE(shfl, __nvvm_shfl_sync_idx_i32, int, 31)
HIP_SHUFFLE(shfl_up, __nvvm_shfl_sync_up_i32, unsigned, 0)
HIP_SHUFFLE(shfl_down, __nvvm_shfl_sync_down_i32, unsigned, 31)
HIP_SHUFFLE(shfl_xor, __nvvm_shfl_sync_bfly_i32, int, 31)
#undef HIP_SHUFFLE

__device__ inline unsigned __ballot_sync(unsigned mask, int predicate) {
  return __nvvm_vote_ballot_sync(mask, predicate != 0);
}
__device__ inline int __any_sync(unsigned mask, int predicate) {
  return __nvvm_vote_any_sync(mask, predicate != 0);
}
__device__ inline int __all_sync(unsigned mask, int predicate) {
  return __nvvm_vote_all_sync(mask, predicate != 0);
}
__device__ inline unsigned __activemask() {
  unsigned mask;
  asm volatile("activemask.b32 %0;" : "=r"(mask));
  return mask;
}
__device__ inline int __lane_id() { return __nvvm_read_ptx_sreg_laneid(); }
__device__ inline void __syncwarp(unsigned mask = ~0u) { __nvvm_bar_warp_sync(mask); }
__device__ inline int __syncthreads_count(int predicate) { return __nvvm_bar0_popc(predicate); }
__device__ inline int __syncthreads_and(int predicate) { return __nvvm_bar0_and(predicate); }
__device__ inline int __syncthreads_or(int predicate) { return __nvvm_bar0_or(predicate); }
__device__ inline void __threadfence_block() { __nvvm_membar_cta(); }
__device__ inline void __threadfence() { __nvvm_membar_gl(); }
__device__ inline void __threadfence_system() { __nvvm_membar_sys(); }

__device__ inline void __assert_fail(const char*, const char*, unsigned, const char*) {
  __builtin_trap();
}

#include <hip/without_rocm/atomics.h>
#include <hip/without_rocm/bits.h>
#include <hip/without_rocm/conversions.h>
#include <hip/without_rocm/mathematics.h>
#include <hip/without_rocm/memory_functions.h>
#include <hip/without_rocm/sets_of_lanes.h>
#endif
#endif

#if defined(__HIP__) || defined(__CUDA__)
#include "cuda_device_functions.h"
#endif
#include "cuda_runtime_api.h"
