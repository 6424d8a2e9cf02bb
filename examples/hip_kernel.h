// The few names of HIP that the kernels in this folder need, so that clang alone compiles them:
//
//   clang++-22 -x hip --offload-arch=gfx1151 --cuda-device-only -nogpulib -nogpuinc -O3 \
//           --no-gpu-bundle-output wmma_naive.hip -o wmma_naive.co
//
// No ROCm header or library is used; everything below is an attribute or a compiler builtin.
#pragma once

#define __global__ __attribute__((global))
#define __device__ __attribute__((device))
#define __shared__ __attribute__((shared))
#define __launch_bounds__(threads) __attribute__((amdgpu_flat_work_group_size(1, threads)))

using half = _Float16;
using half8 = half __attribute__((ext_vector_type(8)));
using half16 = half __attribute__((ext_vector_type(16)));
using float8 = float __attribute__((ext_vector_type(8)));

__device__ inline int thread_index() { return __builtin_amdgcn_workitem_id_x(); }
__device__ inline int block_index_x() { return __builtin_amdgcn_workgroup_id_x(); }
__device__ inline int block_index_y() { return __builtin_amdgcn_workgroup_id_y(); }

// Waits until every wave of the block is here and its LDS writes are visible to the others.
__device__ inline void synchronize_block() {
  __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
  __builtin_amdgcn_s_barrier();
  __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
}
