// Atomics of <hip/hip_runtime.h> where there is no ROCm: relaxed, seen by the whole device. They
// return what was there before.
#pragma once

template <class T>
struct HipSame {
  using type = T;
};

#define HIP_ATOMIC(name, operation)                                                            \
  template <class T>                                                                           \
  __device__ inline T name(T* place, typename HipSame<T>::type value) {                        \
    return __scoped_atomic_##operation(place, value, __ATOMIC_RELAXED, __MEMORY_SCOPE_DEVICE); \
  }                                                                                            \
  template <class T>                                                                           \
  __device__ inline T name##_block(T* place, typename HipSame<T>::type value) {                \
    return __scoped_atomic_##operation(place, value, __ATOMIC_RELAXED, __MEMORY_SCOPE_WRKGRP); \
  }                                                                                            \
  template <class T>                                                                           \
  __device__ inline T name##_system(T* place, typename HipSame<T>::type value) {               \
    return __scoped_atomic_##operation(place, value, __ATOMIC_RELAXED, __MEMORY_SCOPE_SYSTEM); \
  }
HIP_ATOMIC(atomicAdd, fetch_add)
HIP_ATOMIC(atomicSub, fetch_sub)
HIP_ATOMIC(atomicMin, fetch_min)
HIP_ATOMIC(atomicMax, fetch_max)
HIP_ATOMIC(atomicAnd, fetch_and)
HIP_ATOMIC(atomicOr, fetch_or)
HIP_ATOMIC(atomicXor, fetch_xor)
HIP_ATOMIC(atomicExch, exchange_n)
#undef HIP_ATOMIC

template <class T>
__device__ inline T atomicCAS(T* place, typename HipSame<T>::type expected,
                              typename HipSame<T>::type desired) {
  __scoped_atomic_compare_exchange_n(place, &expected, desired, false, __ATOMIC_RELAXED,
                                     __ATOMIC_RELAXED, __MEMORY_SCOPE_DEVICE);
  return expected;
}
