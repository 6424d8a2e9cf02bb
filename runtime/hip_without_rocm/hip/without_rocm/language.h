// The words of HIP and CUDA that are attributes. In plain C++ they say nothing.
#pragma once

#if defined(__HIP__) || defined(__CUDA__)
#define __global__ __attribute__((global))
#define __device__ __attribute__((device))
#define __host__ __attribute__((host))
#define __shared__ __attribute__((shared))
#define __constant__ __attribute__((constant))
#else
#define __global__
#define __device__
#define __host__
#define __shared__
#define __constant__
#endif
#ifdef __HIP__
#define __managed__ __attribute__((managed))
#define __cluster_dims__(...) __attribute__((cluster_dims(__VA_ARGS__)))
#define __no_cluster__ __attribute__((no_cluster))
// One argument: threads of a block, at most. Of two, the second is a hint that is left out.
#define HIP_FIRST_BOUND(threads, ...) __attribute__((amdgpu_flat_work_group_size(1, threads)))
#define __launch_bounds__(...) HIP_FIRST_BOUND(__VA_ARGS__, 0)
#endif
#ifdef __CUDA__
#define __launch_bounds__(...) __attribute__((launch_bounds(__VA_ARGS__)))
#define __grid_constant__ __attribute__((grid_constant))
#endif
#define __forceinline__ inline __attribute__((always_inline))
#define __align__(bytes) __attribute__((aligned(bytes)))

#ifdef __HIP__
// The entries of virtual tables for pure and deleted functions.
extern "C" {
__attribute__((noreturn)) inline __device__ void __cxa_pure_virtual() { __builtin_trap(); }
__attribute__((noreturn)) inline __device__ void __cxa_deleted_virtual() { __builtin_trap(); }
}
#endif

#if defined(__HIP__) || defined(__CUDA__)
// Defined in memory_functions.h. They are declared before any header because clang's <new> calls
// them.
extern "C" {
__device__ void* malloc(__SIZE_TYPE__ bytes);
__device__ void free(void* pointer);
}
#endif
