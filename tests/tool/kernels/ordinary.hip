// A kernel as AMD's own samples are written: ROCm's headers, threadIdx, __syncthreads.
#include <hip/hip_fp16.h>
#include <hip/hip_runtime.h>

constexpr int tile = 16;

__global__ void __launch_bounds__(256, 2)
    matmul(const __half* a, const __half* b, float* c, int n) {
  __shared__ __half as[tile][tile + 2], bs[tile][tile + 2];
  const int row = blockIdx.y * blockDim.y + threadIdx.y, column = blockIdx.x * tile + threadIdx.x;
  float sum = 0;
  for (int k = 0; k < n; k += tile) {
    as[threadIdx.y][threadIdx.x] = a[row * n + k + threadIdx.x];
    bs[threadIdx.y][threadIdx.x] = b[(k + threadIdx.y) * n + column];
    __syncthreads();
    for (int i = 0; i < tile; ++i)
      sum += __half2float(as[threadIdx.y][i]) * __half2float(bs[i][threadIdx.x]);
    __syncthreads();
  }
  c[row * n + column] = sum;
}

__global__ void total(const float* x, float* sum) {
  float value = x[blockIdx.x * blockDim.x + threadIdx.x];
  for (int step = warpSize / 2; step > 0; step /= 2) value += __shfl_xor(value, step);
  if (threadIdx.x % warpSize == 0) atomicAdd(sum, value);
  if (blockIdx.x == gridDim.x - 1 && threadIdx.x == 0) sum[1] = min(2.0f, max(1.0f, 3.0f));
}
