// The parts of <hip/hip_runtime.h> that programs use, for systems without ROCm. `heddle run` puts
// this folder last into the include path, so AMD's own header wins where it is installed.
#pragma once

#include "without_rocm/standard_headers.h"
#include "without_rocm/vectors.h"

#define HIP_DYNAMIC_SHARED(type, name) extern __shared__ type name[];

// threadIdx.x and the like. They are properties, so that each use gives a plain number.
#define HIP_COORDINATES(Name, variable, what)                                   \
  struct Name {                                                                 \
    __declspec(property(get = get_x)) unsigned x;                               \
    __declspec(property(get = get_y)) unsigned y;                               \
    __declspec(property(get = get_z)) unsigned z;                               \
    __device__ unsigned get_x() const { return __builtin_amdgcn_##what##_x(); } \
    __device__ unsigned get_y() const { return __builtin_amdgcn_##what##_y(); } \
    __device__ unsigned get_z() const { return __builtin_amdgcn_##what##_z(); } \
    __device__ operator dim3() const { return dim3(x, y, z); }                  \
    __device__ operator uint3() const { return uint3{x, y, z}; }                \
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
  __device__ operator dim3() const { return dim3(x, y, z); }
};
extern const __device__ __attribute__((weak)) HipGridSize gridDim;

// HIP's older names for these.
#define hipThreadIdx_x threadIdx.x
#define hipThreadIdx_y threadIdx.y
#define hipThreadIdx_z threadIdx.z
#define hipBlockIdx_x blockIdx.x
#define hipBlockIdx_y blockIdx.y
#define hipBlockIdx_z blockIdx.z
#define hipBlockDim_x blockDim.x
#define hipBlockDim_y blockDim.y
#define hipBlockDim_z blockDim.z
#define hipGridDim_x gridDim.x
#define hipGridDim_y gridDim.y
#define hipGridDim_z gridDim.z

// The macro HEDDLE_HOST_OF_WAVES_OF_64 tells the host code of a program the size of waves. The
// template arguments of a kernel may depend on warpSize, and the kernel must have the same name in
// host code and in device code.
#if defined(__GFX9__) || defined(HEDDLE_HOST_OF_WAVES_OF_64)
constexpr int warpSize = 64;
#else
constexpr int warpSize = 32;
#endif

__device__ inline void __syncthreads() {
  __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
  __builtin_amdgcn_s_barrier();
  __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
}
// Lanes of a wave run together, so this only keeps the compiler from reordering.
__device__ inline void __syncwarp(unsigned long long = ~0ull) {
  __builtin_amdgcn_fence(__ATOMIC_ACQ_REL, "wavefront");
  __builtin_amdgcn_wave_barrier();
}
__device__ inline void __threadfence_block() {
  __builtin_amdgcn_fence(__ATOMIC_SEQ_CST, "workgroup");
}
__device__ inline void __threadfence_system() { __builtin_amdgcn_fence(__ATOMIC_SEQ_CST, ""); }
__device__ inline void __threadfence() { __builtin_amdgcn_fence(__ATOMIC_SEQ_CST, "agent"); }

#include "without_rocm/print.h"

// A failed assertion ends the run. The report names the line of the assertion.
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
#include "without_rocm/conversions.h"
#include "without_rocm/lanes.h"
#include "without_rocm/mathematics.h"
#include "without_rocm/memory_functions.h"
#include "without_rocm/sets_of_lanes.h"

// Barriers that count the threads of the thread block for which the predicate holds: each wave adds
// the number of such lanes to a counter in LDS.
__device__ inline int __syncthreads_count(int predicate) {
  __shared__ unsigned heddle_counted;
  __syncthreads();  // the count before this one has been read
  if (threadIdx.x == 0 && threadIdx.y == 0 && threadIdx.z == 0) heddle_counted = 0;
  __syncthreads();
  const unsigned long long votes = __ballot(predicate);
  const int first = __ffsll(static_cast<long long>(__activemask())) - 1;
  if (__lane_id() == first)
    atomicAdd_block(&heddle_counted, static_cast<unsigned>(__popcll(votes)));
  __syncthreads();
  return static_cast<int>(heddle_counted);
}
__device__ inline int __syncthreads_and(int predicate) {
  return __syncthreads_count(!predicate) == 0;
}
__device__ inline int __syncthreads_or(int predicate) {
  return __syncthreads_count(predicate) != 0;
}

#include "hip_runtime_api.h"
