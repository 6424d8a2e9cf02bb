// <hip/hip_complex.h> where there is no ROCm.
#pragma once

#ifndef __CUDA__  // cuda_runtime.h is there
#include "hip_runtime.h"
#endif

#define HIP_COMPLEX(Name, T, f)                                                                  \
  using Name = T##2;                                                                             \
  __host__ __device__ inline Name make_##Name(T x, T y) { return {x, y}; }                       \
  __host__ __device__ inline T hipCreal##f(Name z) { return z.x; }                               \
  __host__ __device__ inline T hipCimag##f(Name z) { return z.y; }                               \
  __host__ __device__ inline Name hipConj##f(Name z) { return {z.x, -z.y}; }                     \
  __host__ __device__ inline T hipCsqabs##f(Name z) { return z.x * z.x + z.y * z.y; }            \
  __host__ __device__ inline T hipCabs##f(Name z) { return __builtin_sqrt##f(hipCsqabs##f(z)); } \
  __host__ __device__ inline Name hipCadd##f(Name a, Name b) { return {a.x + b.x, a.y + b.y}; }  \
  __host__ __device__ inline Name hipCsub##f(Name a, Name b) { return {a.x - b.x, a.y - b.y}; }  \
  __host__ __device__ inline Name hipCmul##f(Name a, Name b) {                                   \
    return {a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x};                                       \
  }                                                                                              \
  __host__ __device__ inline Name hipCdiv##f(Name a, Name b) {                                   \
    const T size = hipCsqabs##f(b);                                                              \
    return {(a.x * b.x + a.y * b.y) / size, (a.y * b.x - a.x * b.y) / size};                     \
  }                                                                                              \
  __host__ __device__ inline Name hipCfma##f(Name a, Name b, Name c) {                           \
    return hipCadd##f(hipCmul##f(a, b), c);                                                      \
  }
HIP_COMPLEX(hipFloatComplex, float, f)
HIP_COMPLEX(hipDoubleComplex, double, )
#undef HIP_COMPLEX
using hipComplex = hipFloatComplex;
__host__ __device__ inline hipComplex make_hipComplex(float x, float y) { return {x, y}; }
