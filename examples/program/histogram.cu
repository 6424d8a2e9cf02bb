// A whole program in CUDA: `heddle run examples/program/histogram.cu` runs its kernels on the
// simulator of PTX, and with --target gfx1151 on the emulator of AMD's machine code.
#include <cstdio>
#include <vector>

constexpr int bins = 16;
__constant__ int width;
__device__ int blocks;

// Each block counts in shared memory; the blocks' counts are then added up.
__global__ void histogram(const float* numbers, int count, int* result) {
  __shared__ int local[bins];
  if (threadIdx.x < bins) local[threadIdx.x] = 0;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x)
    atomicAdd(&local[static_cast<int>(numbers[i]) / width], 1);
  __syncthreads();
  if (threadIdx.x < bins) atomicAdd(&result[threadIdx.x], local[threadIdx.x]);
  int votes = __ballot_sync(~0u, threadIdx.x % 2 == 0) == 0x55555555u;
  for (int mask = 16; mask > 0; mask /= 2) votes += __shfl_xor_sync(~0u, votes, mask);
  if (threadIdx.x == 0) atomicAdd(&blocks, votes / 32);
}

int main() {
  const int count = 5000, of_bin = 4;
  std::vector<float> numbers(count);
  for (int i = 0; i < count; ++i) numbers[i] = static_cast<float>(i * 7 % (bins * of_bin));
  float* from;
  int* to;
  if (cudaMalloc(&from, count * sizeof(float)) != cudaSuccess) return 2;
  cudaMallocManaged(&to, bins * sizeof(int));
  cudaMemset(to, 0, bins * sizeof(int));
  cudaMemcpy(from, numbers.data(), count * sizeof(float), cudaMemcpyHostToDevice);
  cudaMemcpyToSymbol(width, &of_bin, sizeof of_bin);
  histogram<<<5, 128>>>(from, count, to);
  if (const cudaError_t error = cudaDeviceSynchronize(); error != cudaSuccess) {
    std::printf("%s: %s\n", cudaGetErrorName(error), cudaGetErrorString(error));
    return 3;
  }
  std::vector<int> expected(bins);
  for (const float number : numbers) ++expected[static_cast<int>(number) / of_bin];
  bool right = true;
  for (int i = 0; i < bins; ++i) right = right && to[i] == expected[i];
  int counted = 0;
  cudaMemcpyFromSymbol(&counted, blocks, sizeof counted);
  cudaFree(from);
  cudaFree(to);
  std::printf("%s, %d blocks\n", right && counted == 5 ? "right" : "WRONG", counted);
  return right && counted == 5 ? 0 : 1;
}
