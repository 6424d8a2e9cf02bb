// <hip/hip_cooperative_groups.h> where there is no ROCm: thread blocks, tiles of a wave, active
// lanes, and grids. The thread blocks of a grid wait for each other at a variable of the module.
// This is also CUDA's header.
#pragma once

#ifndef __CUDA__  // cuda_runtime.h is there
#include "hip_runtime.h"
#endif

namespace cooperative_groups {

// A group of threads, the base class of thread blocks and tiles. It is a whole thread block, or
// `size` of its threads. If `size` is a power of two, the number of the group's first thread is a
// multiple of `size`.
class thread_group {
 public:
  __device__ void sync() const {
    if (is_block_ || size_ > static_cast<unsigned>(warpSize))
      __syncthreads();
    else
      __syncwarp();
  }
  __device__ unsigned size() const { return size_; }
  __device__ unsigned num_threads() const { return size_; }
  __device__ unsigned thread_rank() const {
    const unsigned rank = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
    return is_block_ ? rank : rank & (size_ - 1);
  }
  __device__ bool is_valid() const { return true; }

 protected:
  __device__ thread_group(unsigned size, bool is_block) : size_(size), is_block_(is_block) {}
  unsigned size_;
  bool is_block_;
};

class thread_block : public thread_group {
 public:
  __device__ thread_block() : thread_group(blockDim.x * blockDim.y * blockDim.z, true) {}
  __device__ static dim3 thread_index() { return dim3(threadIdx.x, threadIdx.y, threadIdx.z); }
  __device__ static dim3 group_index() { return dim3(blockIdx.x, blockIdx.y, blockIdx.z); }
  __device__ static dim3 group_dim() { return dim3(blockDim.x, blockDim.y, blockDim.z); }
};
__device__ inline thread_block this_thread_block() { return thread_block(); }

// The barrier at which the thread blocks of a grid wait. Before a program launches a kernel, the
// host writes into `is_cooperative` whether the launch is cooperative (runtime/program/device.cpp).
// In any other launch sync() is a mistake, and ends the run at its line. For a launch file the host
// writes nothing.
struct heddle_grid_barrier_t {
  unsigned is_cooperative, arrived, round;
};
#ifdef HEDDLE_PROGRAM
inline __device__ heddle_grid_barrier_t heddle_grid_barrier{0, 0, 0};
#else
inline __device__ heddle_grid_barrier_t heddle_grid_barrier{1, 0, 0};
#endif

class grid_group {
 public:
  __device__ static unsigned blocks() { return gridDim.x * gridDim.y * gridDim.z; }
  __device__ static void sync() {
    if (!is_valid()) __builtin_trap();
    __threadfence();
    __syncthreads();
    if (thread_block().thread_rank() == 0) {
      heddle_grid_barrier_t& barrier = heddle_grid_barrier;
      const unsigned round =
          __scoped_atomic_load_n(&barrier.round, __ATOMIC_RELAXED, __MEMORY_SCOPE_DEVICE);
      // The fences are needed because LLVM makes this atomic operation relaxed for NVIDIA's GPUs.
      __threadfence();
      const unsigned before =
          __scoped_atomic_fetch_add(&barrier.arrived, 1, __ATOMIC_ACQ_REL, __MEMORY_SCOPE_DEVICE);
      __threadfence();
      if (before + 1 == blocks()) {
        __scoped_atomic_store_n(&barrier.arrived, 0, __ATOMIC_RELAXED, __MEMORY_SCOPE_DEVICE);
        __scoped_atomic_store_n(&barrier.round, round + 1, __ATOMIC_RELEASE, __MEMORY_SCOPE_DEVICE);
      } else {
        while (__scoped_atomic_load_n(&barrier.round, __ATOMIC_ACQUIRE, __MEMORY_SCOPE_DEVICE) ==
               round)
          continue;
      }
    }
    __syncthreads();
    __threadfence();
  }
  __device__ static unsigned long long size() {
    return static_cast<unsigned long long>(blocks()) * thread_block().size();
  }
  __device__ static unsigned long long num_threads() { return size(); }
  __device__ static unsigned long long thread_rank() {
    const unsigned long long block =
        blockIdx.x +
        gridDim.x * (blockIdx.y + static_cast<unsigned long long>(gridDim.y) * blockIdx.z);
    return block * thread_block().size() + thread_block().thread_rank();
  }
  __device__ static dim3 group_dim() { return dim3(gridDim.x, gridDim.y, gridDim.z); }
  __device__ static bool is_valid() { return heddle_grid_barrier.is_cooperative != 0; }
};
__device__ inline grid_group this_grid() { return {}; }

// Size 0: the size is known only when the kernel runs.
template <unsigned Size, class Parent = void>
class thread_block_tile : public thread_group {
  static_assert(Size == 0 || ((Size & (Size - 1)) == 0 && Size <= 1024),
                "a tile of a power of two of threads");

 public:
  __device__ explicit thread_block_tile(unsigned size = Size) : thread_group(size, false) {}
  template <class Other>
  __device__ thread_block_tile(const thread_block_tile<Size, Other>& tile)
      : thread_group(tile.size(), false) {}
  __device__ unsigned meta_group_rank() const { return thread_block().thread_rank() / size_; }
  __device__ unsigned meta_group_size() const {
    return (thread_block().size() + size_ - 1) / size_;
  }
  template <class T>
  __device__ T shfl(T value, int lane) const {
    return __shfl_sync(__activemask(), value, lane, width());
  }
  template <class T>
  __device__ T shfl_down(T value, unsigned delta) const {
    return __shfl_down_sync(__activemask(), value, delta, width());
  }
  template <class T>
  __device__ T shfl_up(T value, unsigned delta) const {
    return __shfl_up_sync(__activemask(), value, delta, width());
  }
  template <class T>
  __device__ T shfl_xor(T value, unsigned mask) const {
    return __shfl_xor_sync(__activemask(), value, static_cast<int>(mask), width());
  }
  __device__ unsigned long long ballot(int predicate) const {
    const unsigned long long all = __ballot_sync(__activemask(), predicate);
    return all >> (__lane_id() & ~(width() - 1)) & mask();
  }
  __device__ int any(int predicate) const { return ballot(predicate) != 0; }
  __device__ int all(int predicate) const { return ballot(!predicate) == 0; }

 private:
  __device__ int width() const { return static_cast<int>(size_); }
  __device__ unsigned long long mask() const { return size_ >= 64 ? ~0ull : (1ull << size_) - 1; }
};

template <unsigned Size, class Parent>
__device__ thread_block_tile<Size, Parent> tiled_partition(const Parent&) {
  return thread_block_tile<Size, Parent>();
}
template <class Parent>
__device__ thread_block_tile<0, Parent> tiled_partition(const Parent&, unsigned size) {
  return thread_block_tile<0, Parent>(size);
}

// The active lanes of the wave.
class coalesced_group {
 public:
  __device__ coalesced_group() : lanes_(__activemask()) {}
  __device__ unsigned size() const { return static_cast<unsigned>(__popcll(lanes_)); }
  __device__ unsigned num_threads() const { return size(); }
  __device__ unsigned thread_rank() const {
    return static_cast<unsigned>(__popcll(lanes_ & ((1ull << __lane_id()) - 1)));
  }
  __device__ static void sync() { __syncwarp(); }
  template <class T>
  __device__ T shfl(T value, int rank) const {
    unsigned long long rest = lanes_;
    for (int i = 0; i < rank; ++i) rest &= rest - 1;
    return __shfl_sync(__activemask(), value,
                       rest == 0 ? 0 : __ffsll(static_cast<long long>(rest)) - 1);
  }
  __device__ int any(int predicate) const { return __any_sync(__activemask(), predicate); }
  __device__ int all(int predicate) const { return __all_sync(__activemask(), predicate); }

 private:
  unsigned long long lanes_;
};
__device__ inline coalesced_group coalesced_threads() { return {}; }

template <class Group>
__device__ void sync(const Group& group) {
  group.sync();
}

template <class T>
struct plus {
  __device__ T operator()(T a, T b) const { return a + b; }
};
template <class T>
struct greater {
  __device__ T operator()(T a, T b) const { return a > b ? a : b; }
};
template <class T>
struct less {
  __device__ T operator()(T a, T b) const { return a < b ? a : b; }
};
template <unsigned Size, class Parent, class T, class Operation>
__device__ T reduce(const thread_block_tile<Size, Parent>& tile, T value, Operation operation) {
  for (unsigned mask = tile.size() / 2; mask > 0; mask /= 2)
    value = operation(value, tile.shfl_xor(value, mask));
  return value;
}

}  // namespace cooperative_groups
