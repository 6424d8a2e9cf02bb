// Bits, casts and loads of <hip/hip_runtime.h> where there is no ROCm.
#pragma once

__device__ inline int __popc(unsigned x) { return __builtin_popcount(x); }
__device__ inline int __popcll(unsigned long long x) { return __builtin_popcountll(x); }
__device__ inline int __clz(int x) { return x == 0 ? 32 : __builtin_clz(x); }
__device__ inline int __clzll(long long x) { return x == 0 ? 64 : __builtin_clzll(x); }
__device__ inline int __ffs(int x) { return __builtin_ffs(x); }
__device__ inline int __ffsll(long long x) { return __builtin_ffsll(x); }
__device__ inline unsigned __brev(unsigned x) { return __builtin_bitreverse32(x); }
__device__ inline unsigned long long __brevll(unsigned long long x) {
  return __builtin_bitreverse64(x);
}
__device__ inline int __mul24(int a, int b) { return ((a << 8) >> 8) * ((b << 8) >> 8); }
__device__ inline int __mulhi(int a, int b) {
  return static_cast<int>((static_cast<long long>(a) * b) >> 32);
}
__device__ inline unsigned __umulhi(unsigned a, unsigned b) {
  return static_cast<unsigned>((static_cast<unsigned long long>(a) * b) >> 32);
}

__device__ inline float __int_as_float(int x) { return __builtin_bit_cast(float, x); }
__device__ inline float __uint_as_float(unsigned x) { return __builtin_bit_cast(float, x); }
__device__ inline int __float_as_int(float x) { return __builtin_bit_cast(int, x); }
__device__ inline unsigned __float_as_uint(float x) { return __builtin_bit_cast(unsigned, x); }
__device__ inline double __longlong_as_double(long long x) { return __builtin_bit_cast(double, x); }
__device__ inline long long __double_as_longlong(double x) {
  return __builtin_bit_cast(long long, x);
}

__device__ inline int __float2int_rn(float x) { return static_cast<int>(__builtin_rintf(x)); }
__device__ inline int __float2int_rz(float x) { return static_cast<int>(x); }
__device__ inline int __float2int_rd(float x) { return static_cast<int>(__builtin_floorf(x)); }
__device__ inline int __float2int_ru(float x) { return static_cast<int>(__builtin_ceilf(x)); }
__device__ inline float __int2float_rn(int x) { return static_cast<float>(x); }

template <class T>
__device__ inline T __ldg(const T* place) {
  return *place;
}

__device__ inline long long clock64() {
  return static_cast<long long>(__builtin_readcyclecounter());
}
__device__ inline long long wall_clock64() { return clock64(); }
__device__ inline long long clock() { return clock64(); }
