// Atomics with an order and a scope, which CUDA has since 12.8: cuda_device_functions.h includes
// them.
// Source: "CUDA C++ Programming Guide" 12.8, section "Atomic Functions", "__nv_atomic functions".
#pragma once

#define __NV_ATOMIC_RELAXED __ATOMIC_RELAXED
#define __NV_ATOMIC_CONSUME __ATOMIC_CONSUME
#define __NV_ATOMIC_ACQUIRE __ATOMIC_ACQUIRE
#define __NV_ATOMIC_RELEASE __ATOMIC_RELEASE
#define __NV_ATOMIC_ACQ_REL __ATOMIC_ACQ_REL
#define __NV_ATOMIC_SEQ_CST __ATOMIC_SEQ_CST

// Not every clang has the scope of a cluster. The scope of the device includes it.
#ifdef __MEMORY_SCOPE_CLUSTR
#define __NV_THREAD_SCOPE_CLUSTER __MEMORY_SCOPE_CLUSTR
#else
#define __NV_THREAD_SCOPE_CLUSTER __MEMORY_SCOPE_DEVICE
#endif
#define __NV_THREAD_SCOPE_THREAD __MEMORY_SCOPE_SINGLE
#define __NV_THREAD_SCOPE_BLOCK __MEMORY_SCOPE_WRKGRP
#define __NV_THREAD_SCOPE_DEVICE __MEMORY_SCOPE_DEVICE
#define __NV_THREAD_SCOPE_SYSTEM __MEMORY_SCOPE_SYSTEM

__device__ inline void __nv_atomic_thread_fence(int order, int scope = __NV_THREAD_SCOPE_SYSTEM) {
  __scoped_atomic_thread_fence(order, scope);
}
template <class T>
__device__ inline void __nv_atomic_load(const T* place, T* result, int order,
                                        int scope = __NV_THREAD_SCOPE_SYSTEM) {
  __scoped_atomic_load(const_cast<T*>(place), result, order, scope);
}
template <class T>
__device__ inline T __nv_atomic_load_n(const T* place, int order,
                                       int scope = __NV_THREAD_SCOPE_SYSTEM) {
  T result;
  __nv_atomic_load(place, &result, order, scope);
  return result;
}
template <class T>
__device__ inline void __nv_atomic_store(T* place, T* value, int order,
                                         int scope = __NV_THREAD_SCOPE_SYSTEM) {
  __scoped_atomic_store(place, value, order, scope);
}
template <class T>
__device__ inline void __nv_atomic_store_n(T* place, typename HipSame<T>::type value, int order,
                                           int scope = __NV_THREAD_SCOPE_SYSTEM) {
  __scoped_atomic_store(place, &value, order, scope);
}
template <class T>
__device__ inline void __nv_atomic_exchange(T* place, T* value, T* result, int order,
                                            int scope = __NV_THREAD_SCOPE_SYSTEM) {
  __scoped_atomic_exchange(place, value, result, order, scope);
}
template <class T>
__device__ inline T __nv_atomic_exchange_n(T* place, typename HipSame<T>::type value, int order,
                                           int scope = __NV_THREAD_SCOPE_SYSTEM) {
  T result;
  __scoped_atomic_exchange(place, &value, &result, order, scope);
  return result;
}
template <class T>
__device__ inline bool __nv_atomic_compare_exchange(T* place, T* expected, T* desired, bool,
                                                    int success, int failure,
                                                    int scope = __NV_THREAD_SCOPE_SYSTEM) {
  return __scoped_atomic_compare_exchange(place, expected, desired, false, success, failure, scope);
}
template <class T>
__device__ inline bool __nv_atomic_compare_exchange_n(T* place, T* expected,
                                                      typename HipSame<T>::type desired, bool,
                                                      int success, int failure,
                                                      int scope = __NV_THREAD_SCOPE_SYSTEM) {
  return __scoped_atomic_compare_exchange(place, expected, &desired, false, success, failure,
                                          scope);
}

#define CUDA_ATOMIC(name)                                                                         \
  template <class T>                                                                              \
  __device__ inline T __nv_atomic_fetch_##name(T* place, typename HipSame<T>::type value,         \
                                               int order, int scope = __NV_THREAD_SCOPE_SYSTEM) { \
    return __scoped_atomic_fetch_##name(place, value, order, scope);                              \
  }                                                                                               \
  template <class T>                                                                              \
  __device__ inline void __nv_atomic_##name(T* place, typename HipSame<T>::type value, int order, \
                                            int scope = __NV_THREAD_SCOPE_SYSTEM) {               \
    __scoped_atomic_fetch_##name(place, value, order, scope);                                     \
  }
CUDA_ATOMIC(add)
CUDA_ATOMIC(sub)
CUDA_ATOMIC(and)
CUDA_ATOMIC(or)
CUDA_ATOMIC(xor)
CUDA_ATOMIC(min)
CUDA_ATOMIC(max)
#undef CUDA_ATOMIC
