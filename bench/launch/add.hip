// z = x + y, for launches whose own cost is measured.
#include <hip/hip_runtime.h>

extern "C" __global__ void add(const float* x, const float* y, float* z, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) z[i] = x[i] + y[i];
}
