// The functions of the headers that stand in for ROCm's, over arrays: mathematics_test.cpp.
#include <hip/hip_runtime.h>

#define ONE(name)                                                                  \
  extern "C" __global__ void of_##name(const float* x, const float*, float* out) { \
    const int i = blockIdx.x * blockDim.x + threadIdx.x;                           \
    out[i] = name(x[i]);                                                           \
  }
#define TWO(name)                                                                    \
  extern "C" __global__ void of_##name(const float* x, const float* y, float* out) { \
    const int i = blockIdx.x * blockDim.x + threadIdx.x;                             \
    out[i] = name(x[i], y[i]);                                                       \
  }
ONE(expf)
ONE(exp2f)
ONE(exp10f)
ONE(expm1f)
ONE(logf)
ONE(log2f)
ONE(log10f)
ONE(log1pf)
ONE(sqrtf)
ONE(rsqrtf)
ONE(sinf)
ONE(cosf)
ONE(tanf)
ONE(sinhf)
ONE(coshf)
ONE(tanhf)
ONE(erff)
ONE(erfcf)
ONE(erfinvf)
ONE(erfcinvf)
ONE(normcdff)
ONE(normcdfinvf)
ONE(cbrtf)
ONE(rcbrtf)
ONE(lgammaf)
ONE(tgammaf)
ONE(asinf)
ONE(acosf)
ONE(atanf)
ONE(asinhf)
ONE(acoshf)
ONE(atanhf)
ONE(floorf)
ONE(ceilf)
ONE(truncf)
ONE(roundf)
ONE(rintf)
ONE(fabsf)
TWO(powf)
TWO(hypotf)
TWO(atan2f)
TWO(fminf)
TWO(fmaxf)
TWO(fmodf)
TWO(copysignf)
