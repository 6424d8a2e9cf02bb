// What kernels use of <hip/hip_runtime.h>, where there is no ROCm: `heddle run` puts this folder
// last into the include path, so that AMD's own header wins where it is installed. For device code
// only; it has nothing of the host's API.
#pragma once

#include <stddef.h>
#include <stdint.h>

#define __global__ __attribute__((global))
#define __device__ __attribute__((device))
#define __host__ __attribute__((host))
#define __shared__ __attribute__((shared))
#define __constant__ __attribute__((constant))
#define __forceinline__ inline __attribute__((always_inline))
#define __noinline__ __attribute__((noinline))
// One argument: threads of a block, at most. Of two, the second is a hint that is left out.
#define HIP_FIRST_BOUND(threads, ...) __attribute__((amdgpu_flat_work_group_size(1, threads)))
#define __launch_bounds__(...) HIP_FIRST_BOUND(__VA_ARGS__, 0)
#define __align__(bytes) __attribute__((aligned(bytes)))
#define HIP_DYNAMIC_SHARED(type, name) extern __shared__ type name[];

// threadIdx.x and its kin: properties, so that they are plain numbers wherever they stand.
#define HIP_COORDINATES(Name, variable, what)                                   \
  struct Name {                                                                 \
    __declspec(property(get = get_x)) unsigned x;                               \
    __declspec(property(get = get_y)) unsigned y;                               \
    __declspec(property(get = get_z)) unsigned z;                               \
    __device__ unsigned get_x() const { return __builtin_amdgcn_##what##_x(); } \
    __device__ unsigned get_y() const { return __builtin_amdgcn_##what##_y(); } \
    __device__ unsigned get_z() const { return __builtin_amdgcn_##what##_z(); } \
  };                                                                            \
  extern const __device__ __attribute__((weak)) Name variable;

HIP_COORDINATES(HipThreadIndex, threadIdx, workitem_id)
HIP_COORDINATES(HipBlockIndex, blockIdx, workgroup_id)
HIP_COORDINATES(HipBlockSize, blockDim, workgroup_size)

struct HipGridSize {
  __declspec(property(get = get_x)) unsigned x;
  __declspec(property(get = get_y)) unsigned y;
  __declspec(property(get = get_z)) unsigned z;
  __device__ unsigned get_x() const {
    return __builtin_amdgcn_grid_size_x() / __builtin_amdgcn_workgroup_size_x();
  }
  __device__ unsigned get_y() const {
    return __builtin_amdgcn_grid_size_y() / __builtin_amdgcn_workgroup_size_y();
  }
  __device__ unsigned get_z() const {
    return __builtin_amdgcn_grid_size_z() / __builtin_amdgcn_workgroup_size_z();
  }
};
extern const __device__ __attribute__((weak)) HipGridSize gridDim;

constexpr int warpSize = 32;

__device__ inline void __syncthreads() {
  __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
  __builtin_amdgcn_s_barrier();
  __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
}
// Lanes of a wave go together: what the compiler may not reorder is all there is to say.
__device__ inline void __syncwarp(unsigned long long = ~0ull) {
  __builtin_amdgcn_fence(__ATOMIC_ACQ_REL, "wavefront");
  __builtin_amdgcn_wave_barrier();
}
__device__ inline void __threadfence_block() {
  __builtin_amdgcn_fence(__ATOMIC_SEQ_CST, "workgroup");
}
__device__ inline void __threadfence_system() { __builtin_amdgcn_fence(__ATOMIC_SEQ_CST, ""); }
__device__ inline void __threadfence() { __builtin_amdgcn_fence(__ATOMIC_SEQ_CST, "agent"); }

// What a kernel prints goes nowhere; a failed assertion ends the run at its line.
template <class... T>
__device__ int printf(const char*, T...) {
  return 0;
}
__device__ inline void __assert_fail(const char*, const char*, unsigned, const char*) {
  __builtin_trap();  // of <cassert>, where it is included behind this header
}
#ifndef assert
#ifdef NDEBUG
#define assert(condition) ((void)0)
#else
#define assert(condition) ((condition) ? (void)0 : __builtin_trap())
#endif
#endif

#undef HIP_COORDINATES

#include "without_rocm/atomics.h"
#include "without_rocm/bits.h"
#include "without_rocm/lanes.h"
#include "without_rocm/mathematics.h"
#include "without_rocm/vectors.h"
