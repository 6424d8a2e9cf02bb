// The keywords of HIP and CUDA, which are attributes for the compiler. In plain C++ they are empty.
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
// The first argument of __launch_bounds__ is the most threads of a thread block. A second argument
// is only a hint, and is ignored.
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
// Virtual tables refer to these functions in place of pure and deleted functions.
extern "C" {
__attribute__((noreturn)) inline __device__ void __cxa_pure_virtual() { __builtin_trap(); }
__attribute__((noreturn)) inline __device__ void __cxa_deleted_virtual() { __builtin_trap(); }
}
#endif

#if defined(__HIP__) || defined(__CUDA__)
// malloc and free, which memory_functions.h defines. They are declared here, before any other
// header, because clang's <new> calls them.
extern "C" {
__device__ void* malloc(__SIZE_TYPE__ bytes);
__device__ void free(void* pointer);
}
#endif
