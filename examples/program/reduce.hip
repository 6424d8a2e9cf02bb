// A whole program in HIP: host code, templates, streams, events, variables of the device, managed
// memory. `heddle run examples/program/reduce.hip` compiles it, runs the host code here and the
// kernels on the emulator; docs/programs.md explains how.
#include <hip/hip_cooperative_groups.h>
#include <hip/hip_fp16.h>
#include <hip/hip_runtime.h>

#include <cstdio>
#include <cstdlib>
#include <numeric>
#include <vector>

#define CHECK(call)                                                     \
  do {                                                                  \
    if (const hipError_t error = (call); error != hipSuccess) {         \
      std::printf("line %d: %s\n", __LINE__, hipGetErrorString(error)); \
      std::exit(3);                                                     \
    }                                                                   \
  } while (0)

namespace cg = cooperative_groups;

__constant__ float scale[2];
__device__ unsigned finished;
__managed__ int launches = 0;

// The sum of each block of `Threads` numbers, in shared memory and then in a wave.
template <class T, int Threads>
__global__ void reduce(const T* in, float* out, int count) {
  __shared__ float sums[Threads];
  const int self = threadIdx.x, i = blockIdx.x * Threads + self;
  sums[self] = i < count ? static_cast<float>(in[i]) * scale[0] + scale[1] : 0.0f;
  __syncthreads();
  for (int half = Threads / 2; half >= 32; half /= 2) {
    if (self < half) sums[self] += sums[self + half];
#ifndef FORGET_BARRIER
    __syncthreads();
#endif
  }
  if (self < 32) {
    const auto tile = cg::tiled_partition<32>(cg::this_thread_block());
    const float sum = cg::reduce(tile, sums[self], cg::plus<float>());
    if (self == 0) out[blockIdx.x] = sum;
  }
  if (self == 0) atomicAdd(&finished, 1u);
  if (self == 0 && blockIdx.x == 0) {
    ++launches;
    printf("block %u of %u: %.1f\n", blockIdx.x, gridDim.x, out[0]);
  }
}

template <class T>
bool try_type(const char* name, int count) {
  constexpr int threads = 128;
  const int blocks = (count + threads - 1) / threads;
  std::vector<T> in(count);
  for (int i = 0; i < count; ++i) in[i] = static_cast<T>(static_cast<float>(i % 7));
  T* from = nullptr;
  float* to = nullptr;
  CHECK(hipMalloc(&from, count * sizeof(T)));
  CHECK(hipHostMalloc(&to, blocks * sizeof(float)));
  hipStream_t stream;
  CHECK(hipStreamCreate(&stream));
  CHECK(hipMemcpyAsync(from, in.data(), count * sizeof(T), hipMemcpyHostToDevice, stream));
  hipEvent_t begin, end;
  CHECK(hipEventCreate(&begin));
  CHECK(hipEventCreate(&end));
  CHECK(hipEventRecord(begin, stream));
  reduce<T, threads><<<blocks, threads, 0, stream>>>(from, to, count);
  CHECK(hipGetLastError());
  CHECK(hipEventRecord(end, stream));
  CHECK(hipStreamSynchronize(stream));
  float milliseconds = -1;
  CHECK(hipEventElapsedTime(&milliseconds, begin, end));
  const float sum =
      std::accumulate(to, to + blocks, 0.0f);  // memory of the host, written by the kernel
  float expected = 0;
  for (int i = 0; i < count; ++i) expected += 2 * static_cast<float>(i % 7) + 1;
  CHECK(hipFree(from));
  CHECK(hipHostFree(to));
  CHECK(hipEventDestroy(begin));
  CHECK(hipEventDestroy(end));
  CHECK(hipStreamDestroy(stream));
  std::printf("%s: %s\n", name, sum == expected && milliseconds > 0 ? "right" : "WRONG");
  return sum == expected;
}

int main(int argc, char** argv) {
  const int count = argc > 1 ? std::atoi(argv[1]) : 1000;
  const float values[2] = {2, 1};
  CHECK(hipMemcpyToSymbol(HIP_SYMBOL(scale), values, sizeof values));
  bool right = try_type<float>("float", count) & try_type<half>("half", count);
  unsigned blocks = 0;
  CHECK(hipMemcpyFromSymbol(&blocks, HIP_SYMBOL(finished), sizeof blocks));
  std::printf("%u blocks in %d launches\n", blocks, launches);
  return right && launches == 2 ? 0 : 1;
}
