#include <hip/hip_runtime.h>

__global__ void typed(float* y, int n, double d) { y[threadIdx.x] = n + static_cast<float>(d); }
