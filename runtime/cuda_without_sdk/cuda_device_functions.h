// Device functions that CUDA has and HIP lacks, for targets of NVIDIA and AMD. cuda_runtime.h
// includes this file. Source: "CUDA C++ Programming Guide" 12.8, sections "Address Space Predicate
// Functions", "Address Space Conversion Functions", "Load Functions Using Cache Hints", "Nanosleep
// Function" and "Trap Function"; "CUDA Math API" 12.8, "Integer Intrinsics".
#pragma once

// Converts a generic pointer to an address in one memory space, as inline PTX takes it, and back.
#define CUDA_ADDRESS_SPACE(name, number)                                        \
  __device__ inline size_t __cvta_generic_to_##name(const void* generic) {      \
    return (size_t)(const __attribute__((address_space(number))) void*)generic; \
  }                                                                             \
  __device__ inline void* __cvta_##name##_to_generic(size_t address) {          \
    return (void*)(__attribute__((address_space(number))) void*)address;        \
  }
CUDA_ADDRESS_SPACE(global, 1)
CUDA_ADDRESS_SPACE(shared, 3)
CUDA_ADDRESS_SPACE(local, 5)
#undef CUDA_ADDRESS_SPACE

// Where a generic pointer leads to.
#if defined(__NVPTX__)
__device__ inline unsigned __isShared(const void* p) { return __nvvm_isspacep_shared(p); }
__device__ inline unsigned __isLocal(const void* p) { return __nvvm_isspacep_local(p); }
__device__ inline unsigned __isGlobal(const void* p) { return __nvvm_isspacep_global(p); }
#elif defined(__AMDGCN__)
__device__ inline unsigned __isShared(const void* p) { return __builtin_amdgcn_is_shared(p); }
__device__ inline unsigned __isLocal(const void* p) { return __builtin_amdgcn_is_private(p); }
__device__ inline unsigned __isGlobal(const void* p) { return !__isShared(p) && !__isLocal(p); }
#else  // the host compiles what it never calls
__device__ unsigned __isShared(const void* p);
__device__ unsigned __isLocal(const void* p);
__device__ unsigned __isGlobal(const void* p);
#endif

// c and the four products of bytes.
#define CUDA_DOT(T, Vector, Byte)                                              \
  __device__ inline T __dp4a(T a, T b, T c) {                                  \
    T sum = c;                                                                 \
    for (int i = 0; i < 4; ++i)                                                \
      sum += T(static_cast<Byte>(a >> 8 * i)) * static_cast<Byte>(b >> 8 * i); \
    return sum;                                                                \
  }                                                                            \
  __device__ inline T __dp4a(Vector a, Vector b, T c) {                        \
    return c + T(a.x) * b.x + T(a.y) * b.y + T(a.z) * b.z + T(a.w) * b.w;      \
  }
CUDA_DOT(int, char4, signed char)
CUDA_DOT(unsigned, uchar4, unsigned char)
#undef CUDA_DOT
// c plus two products of a 16-bit number of `a` with a byte of `b`. _lo takes the two lower bytes
// of b, _hi the two upper ones.
#define CUDA_HALF_DOT(T, Pair, Bytes, Word, Byte)                                                 \
  __device__ inline T __dp2a_lo(T a, T b, T c) {                                                  \
    return c + T(static_cast<Word>(a)) * static_cast<Byte>(b) +                                   \
           T(static_cast<Word>(a >> 16)) * static_cast<Byte>(b >> 8);                             \
  }                                                                                               \
  __device__ inline T __dp2a_hi(T a, T b, T c) {                                                  \
    return c + T(static_cast<Word>(a)) * static_cast<Byte>(b >> 16) +                             \
           T(static_cast<Word>(a >> 16)) * static_cast<Byte>(b >> 24);                            \
  }                                                                                               \
  __device__ inline T __dp2a_lo(Pair a, Bytes b, T c) { return c + T(a.x) * b.x + T(a.y) * b.y; } \
  __device__ inline T __dp2a_hi(Pair a, Bytes b, T c) { return c + T(a.x) * b.z + T(a.y) * b.w; }
CUDA_HALF_DOT(int, short2, char4, short, signed char)
CUDA_HALF_DOT(unsigned, ushort2, uchar4, unsigned short, unsigned char)
#undef CUDA_HALF_DOT

// The hints change no value.
#define CUDA_LOAD(name)                      \
  template <class T>                         \
  __device__ inline T name(const T* place) { \
    return *place;                           \
  }
#define CUDA_STORE(name)                                                   \
  template <class T>                                                       \
  __device__ inline void name(T* place, typename HipSame<T>::type value) { \
    *place = value;                                                        \
  }
CUDA_LOAD(__ldca)
CUDA_LOAD(__ldcg)
CUDA_LOAD(__ldcs)
CUDA_LOAD(__ldlu)
CUDA_LOAD(__ldcv)
CUDA_STORE(__stwb)
CUDA_STORE(__stcg)
CUDA_STORE(__stcs)
CUDA_STORE(__stwt)
#undef CUDA_LOAD
#undef CUDA_STORE

__device__ inline void __nanosleep(unsigned nanoseconds) {
#if defined(__NVPTX__)
  asm volatile("nanosleep.u32 %0;" ::"r"(nanoseconds));
#elif defined(__AMDGCN__)
  __builtin_amdgcn_s_sleep(1);
#endif
}
__device__ inline void __trap() { __builtin_trap(); }
__device__ inline void __brkpt() { __builtin_trap(); }
// Increments a counter of a profiler. There is no profiler here.
#define __prof_trigger(counter) ((void)(counter))

#include "cuda_atomics.h"
#include "cuda_packed_integers.h"
