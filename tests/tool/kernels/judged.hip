// Kernels that a lax judge takes for right; run_kernel_judgement.txt.
#include <hip/hip_runtime.h>

extern "C" __global__ void sum_of_first(const float* in, float* out, int n) {
  float sum = 0;
  for (int i = threadIdx.x; i < n; i += 32) sum += in[i];
  for (int step = 16; step > 0; step /= 2) sum += __shfl_xor(sum, step);
  if (threadIdx.x == 0) out[0] = sum;
}

extern "C" __global__ void add_double(const double* in, double* out, double d) {
  out[threadIdx.x] = in[threadIdx.x] * in[threadIdx.x] + d;
}

extern "C" __global__ void add_long(const long* in, long* out, long d) {
  out[threadIdx.x] = in[threadIdx.x] + d;
}

extern "C" __global__ void cube(const int* in, int* out) {
  const int x = in[threadIdx.x];
  out[threadIdx.x] = x * x * x;
}

extern "C" __global__ void copy_first(const int* in, int* out, int n) {
  if ((int)threadIdx.x < n) out[threadIdx.x] = in[threadIdx.x];
}

extern "C" __global__ void copy_rows(const int* in, int* out, int n) {
  // The last row is one shorter: its gap is no memory.
  if (blockIdx.x + 1 == gridDim.x) --n;
  if ((int)threadIdx.x < n) out[blockIdx.x * 8 + threadIdx.x] = in[threadIdx.x];
}

extern "C" __global__ void clobber(int* in, int* out) {
  out[threadIdx.x] = in[threadIdx.x];
  in[threadIdx.x] = 7;
}
