// Softmax, layer normalisation and a reduction as people write them for ROCm: no builtins, only
// what <hip/hip_runtime.h> and <hip/hip_fp16.h> promise.
#include <hip/hip_fp16.h>
#include <hip/hip_runtime.h>

#include <cassert>
#include <cmath>
#include <cstdint>
#include <cstdio>

constexpr int threads = 128;

__inline__ __device__ float wave_sum(float value) {
#pragma unroll
  for (int offset = warpSize / 2; offset > 0; offset /= 2) value += __shfl_xor(value, offset);
  return value;
}

__inline__ __device__ float wave_max(float value) {
  for (int offset = warpSize / 2; offset > 0; offset >>= 1)
    value = fmaxf(value, __shfl_down(value, offset));
  return __shfl(value, 0);
}

template <class Combine>
__device__ float block_combine(float value, float* shared, Combine combine, float neutral) {
  const int lane = threadIdx.x % warpSize, wave = threadIdx.x / warpSize;
  value = combine(value);
  __syncthreads();
  if (lane == 0) shared[wave] = value;
  __syncthreads();
  return combine(lane < threads / warpSize ? shared[lane] : neutral);
}

__global__ void __launch_bounds__(threads)
    softmax(const float* __restrict__ x, float* __restrict__ y, int columns) {
  __shared__ float shared[threads / 32];
  assert(columns > 0);
  if (columns < 0) printf("no columns: %d\n", columns);
  x += blockIdx.x * size_t(columns);
  y += blockIdx.x * size_t(columns);
  float largest = -INFINITY, sum = 0.0f;
  for (int i = threadIdx.x; i < columns; i += blockDim.x) largest = fmaxf(largest, __ldg(x + i));
  largest = block_combine(largest, shared, wave_max, -INFINITY);
  for (int i = threadIdx.x; i < columns; i += blockDim.x) sum += __expf(x[i] - largest);
  sum = block_combine(sum, shared, wave_sum, 0.0f);
  for (int i = threadIdx.x; i < columns; i += blockDim.x) y[i] = expf(x[i] - largest) / sum;
}

// y = (x - mean) / sqrt(variance + epsilon) * gain, of rows whose mean is 0 and whose elements
// are 1 and -1: y is x * gain / sqrt(1 + epsilon).
__global__ void layernorm(const float4* x, const float4* gain, float4* y, int columns,
                          float epsilon) {
  __shared__ float shared[threads / 32];
  const int i = blockIdx.x * columns / 4 + threadIdx.x;
  float4 v = make_float4(0.f, 0.f, 0.f, 0.f);
  const bool mine = threadIdx.x < columns / 4;
  if (mine) v = x[i];
  const float mean = block_combine(v.x + v.y + v.z + v.w, shared, wave_sum, 0.f) / columns;
  const float4 d = make_float4(v.x - mean, v.y - mean, v.z - mean, v.w - mean);
  const float squares = mine ? d.x * d.x + d.y * d.y + d.z * d.z + d.w * d.w : 0.f;
  const float scale = rsqrtf(block_combine(squares, shared, wave_sum, 0.f) / columns + epsilon);
  if (!mine) return;
  const float4 g = gain[threadIdx.x];
  y[i] = make_float4(d.x * scale * g.x, d.y * scale * g.y, d.z * scale * g.z, d.w * scale * g.w);
}

__global__ void reduce(const int32_t* x, int32_t* total, int32_t* largest, uint32_t* positive,
                       int n) {
  dim3 here(blockIdx.x);
  const int i = here.x * blockDim.x + threadIdx.x;
  const int v = i < n ? x[min(i, n - 1)] : 0;
  const unsigned long long vote = __ballot(v > 0);
  if (threadIdx.x % warpSize == 0) atomicAdd(positive, __popcll(vote));
  atomicMax(largest, v);
  int sum = v;
  for (int delta = 1; delta < warpSize; delta *= 2) {
    const int below = __shfl_up(sum, delta);
    if (int(threadIdx.x) % warpSize >= delta) sum += below;
  }
  __syncwarp();
  if (threadIdx.x % warpSize == warpSize - 1) atomicAdd(total, sum);
}

__global__ void gelu(const __half2* x, __half2* y) {
  const float2 v = __half22float2(x[threadIdx.x]);
  const auto one = [](float t) {
    return 0.5f * t * (1.0f + tanhf(0.7978845608028654f * (t + 0.044715f * powf(t, 3.0f))));
  };
  y[threadIdx.x] = __floats2half2_rn(one(v.x), one(v.y));
}
