// memcpy, memmove and memset of kernels; those of <string.h> are the host's.
#pragma once

#include <stddef.h>
#include <string.h>

#include "language.h"

#if defined(__HIP__) || defined(__CUDA__)
extern "C" {
__device__ inline void* memcpy(void* to, const void* from, size_t bytes) {
  return __builtin_memcpy(to, from, bytes);
}
__device__ inline void* memmove(void* to, const void* from, size_t bytes) {
  return __builtin_memmove(to, from, bytes);
}
__device__ inline void* memset(void* to, int byte, size_t bytes) {
  return __builtin_memset(to, byte, bytes);
}
}
#endif
