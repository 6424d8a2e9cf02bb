// Atomics of <hip/hip_runtime.h> where there is no ROCm: relaxed, seen by the whole device. They
// return the previous value.
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

// Counters that wrap around. atomicInc counts 0, 1, …, most, 0, and so on; atomicDec counts down in
// the same range. Source: PTX ISA 9.0, "atom", .inc and .dec.
#define HIP_ATOMIC_OF_SCOPE(suffix, scope)                                                 \
  __device__ inline unsigned atomicInc##suffix(unsigned* place, unsigned most) {           \
    return __scoped_atomic_fetch_uinc(place, most, __ATOMIC_RELAXED, scope);               \
  }                                                                                        \
  __device__ inline unsigned atomicDec##suffix(unsigned* place, unsigned most) {           \
    return __scoped_atomic_fetch_udec(place, most, __ATOMIC_RELAXED, scope);               \
  }                                                                                        \
  template <class T>                                                                       \
  __device__ inline T atomicCAS##suffix(T* place, typename HipSame<T>::type expected,      \
                                        typename HipSame<T>::type desired) {               \
    __scoped_atomic_compare_exchange_n(place, &expected, desired, false, __ATOMIC_RELAXED, \
                                       __ATOMIC_RELAXED, scope);                           \
    return expected;                                                                       \
  }
HIP_ATOMIC_OF_SCOPE(, __MEMORY_SCOPE_DEVICE)
HIP_ATOMIC_OF_SCOPE(_block, __MEMORY_SCOPE_WRKGRP)
HIP_ATOMIC_OF_SCOPE(_system, __MEMORY_SCOPE_SYSTEM)
#undef HIP_ATOMIC_OF_SCOPE

// For atomic operations on four bytes that processors lack. It repeats a compare-and-swap until no
// other thread has changed the word in between.
template <class T, class Change>
__device__ inline T heddle_atomic_update(T* place, Change change) {
  static_assert(sizeof(T) == 4);
  auto* word = reinterpret_cast<unsigned*>(place);
  unsigned before = __scoped_atomic_load_n(word, __ATOMIC_RELAXED, __MEMORY_SCOPE_DEVICE);
  while (!__scoped_atomic_compare_exchange_n(
      word, &before, __builtin_bit_cast(unsigned, change(__builtin_bit_cast(T, before))), false,
      __ATOMIC_RELAXED, __ATOMIC_RELAXED, __MEMORY_SCOPE_DEVICE))
    continue;
  return __builtin_bit_cast(T, before);
}

// HIP's two names for an addition: "unsafe" allows the processor's own instruction, "safe" works on
// any memory. Here both are atomicAdd.
template <class T>
__device__ inline T unsafeAtomicAdd(T* place, typename HipSame<T>::type value) {
  return atomicAdd(place, value);
}
template <class T>
__device__ inline T safeAtomicAdd(T* place, typename HipSame<T>::type value) {
  return atomicAdd(place, value);
}
