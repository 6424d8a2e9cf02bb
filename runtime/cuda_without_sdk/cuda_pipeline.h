// <cuda_pipeline.h>, the primitives of asynchronous copies, where there is no CUDA SDK: by
// cp.async, so that the simulator sees a missing wait. For AMD's targets the primitives copy at
// once. Source: "CUDA C++ Programming Guide" 12.8, section "Pipeline Primitives Interface".
#pragma once

#include "cuda_runtime.h"

// Copies 4, 8 or 16 bytes to shared memory. The last `zeros` bytes are not read; they become 0.
__device__ inline void __pipeline_memcpy_async(void* to, const void* from, size_t bytes,
                                               size_t zeros = 0) {
#ifdef __NVPTX__
  const unsigned target = static_cast<unsigned>(__cvta_generic_to_shared(to));
  const size_t source = __cvta_generic_to_global(from);
  const unsigned read = static_cast<unsigned>(bytes - zeros);
#define CUDA_COPY(size)                                                                          \
  asm volatile("cp.async.ca.shared.global [%0], [%1], " size ", %2;" ::"r"(target), "l"(source), \
               "r"(read)                                                                         \
               : "memory")
  if (bytes == 16)
    CUDA_COPY("16");
  else if (bytes == 8)
    CUDA_COPY("8");
  else if (bytes == 4)
    CUDA_COPY("4");
  else
    __builtin_trap();
#undef CUDA_COPY
#else
  if (bytes != 4 && bytes != 8 && bytes != 16) __builtin_trap();
  for (size_t i = 0; i < bytes; i += 4) {
    unsigned word = 0;
    if (i < bytes - zeros)
      __builtin_memcpy(&word, static_cast<const char*>(from) + i,
                       bytes - zeros - i < 4 ? bytes - zeros - i : 4);
    __builtin_memcpy(static_cast<char*>(to) + i, &word, 4);
  }
#endif
}
__device__ inline void __pipeline_commit() {
#ifdef __NVPTX__
  asm volatile("cp.async.commit_group;" ::: "memory");
#endif
}
// Waits until only the `n` youngest commits may be pending.
__device__ inline void __pipeline_wait_prior(size_t n) {
#ifdef __NVPTX__
#define CUDA_WAIT(n)                                          \
  case n:                                                     \
    asm volatile("cp.async.wait_group " #n ";" ::: "memory"); \
    return;
  switch (n) {
    CUDA_WAIT(1)
    CUDA_WAIT(2)
    CUDA_WAIT(3)
    CUDA_WAIT(4)
    CUDA_WAIT(5)
    CUDA_WAIT(6)
    CUDA_WAIT(7)
    default:
      asm volatile("cp.async.wait_group 0;" ::: "memory");
  }
#undef CUDA_WAIT
#else
  static_cast<void>(n);
#endif
}
