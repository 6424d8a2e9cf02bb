// Copies, with a mistake for each MISTAKE; the tests of `heddle run KERNEL LAUNCH` look at how they
// are reported.
#define __global__ __attribute__((global))
#define __device__ __attribute__((device))
#define __shared__ __attribute__((shared))

#ifndef MISTAKE
#define MISTAKE 0
#endif

static __shared__ int shared[64];

extern "C" __global__ void copy(const int* x, int* y, int n) {
  const int i = 64 * __builtin_amdgcn_workgroup_id_x() + __builtin_amdgcn_workitem_id_x();
  shared[i % 64] = x[i];
  if (MISTAKE != 1) {
    __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
    __builtin_amdgcn_s_barrier();
    __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
  }
  y[i + (MISTAKE == 2 ? 1 : 0)] = shared[63 - i % 64];
}

template <class T>
__global__ void fill(T* y, T value) {
  y[__builtin_amdgcn_workitem_id_x()] = value;
}
template __global__ void fill(float*, float);
