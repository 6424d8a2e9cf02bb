// What the fixtures share whose workgroups tell each other something: atomics and fences of the
// device's scope. MISTAKE is 1 for the mistake and 0 for the corrected twin.
#pragma once

#include "../../../examples/hip_kernel.h"

#ifndef MISTAKE
#define MISTAKE 0
#endif

#define DEVICE __HIP_MEMORY_SCOPE_AGENT

__device__ inline int add_relaxed(int* at, int value) {
  return __hip_atomic_fetch_add(at, value, __ATOMIC_RELAXED, DEVICE);
}
__device__ inline int add_ordered(int* at, int value) {
  return __hip_atomic_fetch_add(at, value, __ATOMIC_ACQ_REL, DEVICE);
}
__device__ inline int load_relaxed(int* at) {
  return __hip_atomic_load(at, __ATOMIC_RELAXED, DEVICE);
}
__device__ inline int load_acquire(int* at) {
  return __hip_atomic_load(at, __ATOMIC_ACQUIRE, DEVICE);
}
__device__ inline void store_relaxed(int* at, int value) {
  __hip_atomic_store(at, value, __ATOMIC_RELAXED, DEVICE);
}
__device__ inline void store_release(int* at, int value) {
  __hip_atomic_store(at, value, __ATOMIC_RELEASE, DEVICE);
}
// __threadfence() of HIP.
__device__ inline void fence() { __builtin_amdgcn_fence(__ATOMIC_SEQ_CST, "agent"); }
