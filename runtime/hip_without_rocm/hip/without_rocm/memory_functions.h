// memcpy, memmove, memset, malloc and free for kernels; the functions of <string.h> and <stdlib.h>
// are for the host only. The operators new and delete of clang's <new> call malloc and free.
#pragma once

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "language.h"

#if defined(__HIP__) || defined(__CUDA__)
// The heap of kernels. It hands out blocks of memory whose sizes are powers of two, and has a list
// of freed blocks for each size. If the list is empty, a block comes from the memory behind all
// blocks made so far. There are no locks, because the lane that holds a lock could belong to the
// same wave as the lane that waits for it.
struct HeddleHeap {
  static constexpr unsigned bytes = 8u << 20;  // as CUDA's, where a program asks for no other
  struct alignas(16) Header {
    unsigned log2_bytes, next;  // header and room together; of a freed one the next, in units of 16
  };
  unsigned long long freed[32];  // of each size: the first, and above it a count of all changes
  unsigned taken;                // in units of 16 bytes
  alignas(16) unsigned char room[bytes];

  __device__ Header* header(unsigned unit) {
    return reinterpret_cast<Header*>(room + 16ull * (unit - 1));
  }
  __device__ void* take(size_t wanted) {
    if (wanted > bytes / 2) return nullptr;
    unsigned log2 = 5;
    while ((1ull << log2) < wanted + sizeof(Header)) ++log2;
    unsigned long long first =
        __scoped_atomic_load_n(&freed[log2], __ATOMIC_ACQUIRE, __MEMORY_SCOPE_DEVICE);
    while ((first & 0xffffffffu) != 0) {
      Header* const found = header(static_cast<unsigned>(first));
      const unsigned next =
          __scoped_atomic_load_n(&found->next, __ATOMIC_RELAXED, __MEMORY_SCOPE_DEVICE);
      if (replace(&freed[log2], &first, next)) return found + 1;
    }
    const unsigned units = 1u << (log2 - 4);
    // Once the heap is full, `taken` is not increased any more, so that it cannot overflow.
    if (__scoped_atomic_load_n(&taken, __ATOMIC_RELAXED, __MEMORY_SCOPE_DEVICE) > bytes / 16)
      return nullptr;
    const unsigned unit =
        __scoped_atomic_fetch_add(&taken, units, __ATOMIC_RELAXED, __MEMORY_SCOPE_DEVICE);
    if (unit + units > bytes / 16) return nullptr;
    Header* const made = header(unit + 1);
    made->log2_bytes = log2;
    return made + 1;
  }
  __device__ void give(void* pointer) {
    if (pointer == nullptr) return;
    Header* const given = static_cast<Header*>(pointer) - 1;
    const unsigned log2 = given->log2_bytes;
    const auto unit =
        static_cast<unsigned>((reinterpret_cast<unsigned char*>(given) - room) / 16 + 1);
    unsigned long long first =
        __scoped_atomic_load_n(&freed[log2], __ATOMIC_RELAXED, __MEMORY_SCOPE_DEVICE);
    do {
      __scoped_atomic_store_n(&given->next, static_cast<unsigned>(first), __ATOMIC_RELAXED,
                              __MEMORY_SCOPE_DEVICE);
    } while (!replace(&freed[log2], &first, unit));
  }

 private:
  __device__ static bool replace(unsigned long long* place, unsigned long long* before,
                                 unsigned unit) {
    const unsigned long long after = ((*before >> 32) + 1) << 32 | unit;
    return __scoped_atomic_compare_exchange_n(place, before, after, false, __ATOMIC_ACQ_REL,
                                              __ATOMIC_ACQUIRE, __MEMORY_SCOPE_DEVICE);
  }
};
inline __device__ HeddleHeap heddle_heap;

extern "C" {
__device__ inline void* malloc(size_t bytes) { return heddle_heap.take(bytes); }
__device__ inline void free(void* pointer) { heddle_heap.give(pointer); }
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
#include <new>
#endif
