// <cuda/barrier> where there is no CUDA SDK: barriers in shared memory by mbarrier, and copies that
// complete on them, so that the simulator sees a missing wait. A barrier in other memory is a trap.
// Source: "CUDA C++ Core Libraries", libcu++, "cuda::barrier" and "cuda::memcpy_async"; PTX ISA
// 9.0, "mbarrier".
#pragma once

#include "cuda_runtime.h"

namespace cuda {

enum thread_scope {
  thread_scope_system,
  thread_scope_device,
  thread_scope_block,
  thread_scope_thread
};

// A size in bytes that is a multiple of Alignment, as are the addresses of the copy.
template <size_t Alignment>
struct aligned_size_t {
  static constexpr size_t align = Alignment;
  size_t value;
  __host__ __device__ explicit constexpr aligned_size_t(size_t bytes) : value(bytes) {}
  __host__ __device__ constexpr operator size_t() const { return value; }
};

struct heddle_nothing {
  __host__ __device__ void operator()() {}
};

template <thread_scope Scope, class Completion = heddle_nothing>
class barrier {
  unsigned long long word_;

 public:
  using arrival_token = unsigned long long;

  barrier() = default;
  __device__ explicit barrier(ptrdiff_t expected, Completion = {}) { init(this, expected); }
  barrier(const barrier&) = delete;
  barrier& operator=(const barrier&) = delete;

  __device__ unsigned heddle_address() const {
    if (!__isShared(&word_)) __builtin_trap();
    return static_cast<unsigned>(__cvta_generic_to_shared(&word_));
  }
  __device__ friend void init(barrier* place, ptrdiff_t expected, Completion = {}) {
    asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(place->heddle_address()),
                 "r"(static_cast<unsigned>(expected))
                 : "memory");
  }
  __device__ arrival_token arrive(ptrdiff_t count = 1) {
    arrival_token token;
    for (; count > 0; --count)
      asm volatile("mbarrier.arrive.shared.b64 %0, [%1];"
                   : "=l"(token)
                   : "r"(heddle_address())
                   : "memory");
    return token;
  }
  __device__ bool heddle_test(arrival_token token) const {
    unsigned is_done;
    asm volatile(
        "{.reg .pred p;\nmbarrier.test_wait.shared.b64 p, [%1], %2;\nselp.u32 %0, 1, 0, p;}"
        : "=r"(is_done)
        : "r"(heddle_address()), "l"(token)
        : "memory");
    return is_done != 0;
  }
  __device__ bool heddle_test_parity(bool parity) const {
    unsigned is_done;
    asm volatile(
        "{.reg .pred p;\nmbarrier.test_wait.parity.shared.b64 p, [%1], %2;\nselp.u32 %0, 1, 0, p;}"
        : "=r"(is_done)
        : "r"(heddle_address()), "r"(static_cast<unsigned>(parity))
        : "memory");
    return is_done != 0;
  }
  __device__ void wait(arrival_token&& token) const {
    while (!heddle_test(token)) {
    }
  }
  __device__ void wait_parity(bool parity) const {
    while (!heddle_test_parity(parity)) {
    }
  }
  __device__ bool try_wait(arrival_token&& token) const { return heddle_test(token); }
  __device__ bool try_wait_parity(bool parity) const { return heddle_test_parity(parity); }
  __device__ void arrive_and_wait() { wait(arrive()); }
  __device__ void arrive_and_drop() {
    asm volatile("{.reg .b64 s;\nmbarrier.arrive_drop.shared.b64 s, [%0];}" ::"r"(heddle_address())
                 : "memory");
  }
};

// Thread `rank` of `threads` threads copies its share of `bytes` bytes. It copies 16, 8 or 4 bytes
// at a time if the two addresses and the size are multiples of so many, else single bytes. Copies
// of 4 or more bytes from global to shared memory are asynchronous; all others are synchronous.
template <class Done>
__device__ void heddle_copy(char* to, const char* from, size_t bytes, unsigned rank,
                            unsigned threads, Done done) {
  const auto both = reinterpret_cast<size_t>(to) | reinterpret_cast<size_t>(from) | bytes;
  const bool is_asynchronous = __isShared(to) && __isGlobal(from);
  const size_t step = both % 16 == 0 ? 16 : both % 8 == 0 ? 8 : both % 4 == 0 ? 4 : 1;
  for (size_t i = rank * step; i < bytes; i += threads * step) {
    const unsigned target = static_cast<unsigned>(__cvta_generic_to_shared(to + i));
    const size_t source = __cvta_generic_to_global(from + i);
    if (is_asynchronous && step == 16)
      asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(target), "l"(source)
                   : "memory");
    else if (is_asynchronous && step == 8)
      asm volatile("cp.async.ca.shared.global [%0], [%1], 8;" ::"r"(target), "l"(source)
                   : "memory");
    else if (is_asynchronous && step == 4)
      asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(target), "l"(source)
                   : "memory");
    else
      __builtin_memcpy(to + i, from + i, step);
  }
  if (is_asynchronous && step > 1) done();
}
template <thread_scope Scope, class Completion>
struct heddle_arrival {
  barrier<Scope, Completion>& at;
  __device__ void operator()() const {
    asm volatile("cp.async.mbarrier.arrive.shared.b64 [%0];" ::"r"(at.heddle_address()) : "memory");
  }
};

template <class T, class Size, thread_scope Scope, class Completion>
__device__ void memcpy_async(T* to, const T* from, Size bytes, barrier<Scope, Completion>& at) {
  heddle_copy(reinterpret_cast<char*>(to), reinterpret_cast<const char*>(from), bytes, 0, 1,
              heddle_arrival<Scope, Completion>{at});
}
template <class Group, class T, class Size, thread_scope Scope, class Completion>
__device__ void memcpy_async(const Group& group, T* to, const T* from, Size bytes,
                             barrier<Scope, Completion>& at) {
  heddle_copy(reinterpret_cast<char*>(to), reinterpret_cast<const char*>(from), bytes,
              static_cast<unsigned>(group.thread_rank()), static_cast<unsigned>(group.size()),
              heddle_arrival<Scope, Completion>{at});
}

namespace device {
template <thread_scope Scope, class Completion>
__device__ unsigned long long* barrier_native_handle(barrier<Scope, Completion>& at) {
  return reinterpret_cast<unsigned long long*>(&at);
}

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
template <thread_scope Scope, class Completion>
__device__ typename barrier<Scope, Completion>::arrival_token barrier_arrive_tx(
    barrier<Scope, Completion>& at, ptrdiff_t count, ptrdiff_t bytes) {
  unsigned long long token;
  asm volatile(
      "mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%0], %1;" ::"r"(at.heddle_address()),
      "r"(static_cast<unsigned>(bytes))
      : "memory");
  for (; count > 0; --count) token = at.arrive();
  return token;
}
template <thread_scope Scope, class Completion>
__device__ void barrier_expect_tx(barrier<Scope, Completion>& at, ptrdiff_t bytes) {
  asm volatile(
      "mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%0], %1;" ::"r"(at.heddle_address()),
      "r"(static_cast<unsigned>(bytes))
      : "memory");
}
// Copies with the bulk copy instruction. The size and the addresses `to` and `from` are multiples
// of 16 bytes.
template <class T, size_t Alignment, thread_scope Scope, class Completion>
__device__ void memcpy_async_tx(T* to, const T* from, aligned_size_t<Alignment> bytes,
                                barrier<Scope, Completion>& at) {
  asm volatile(
      "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::
          "r"(static_cast<unsigned>(__cvta_generic_to_shared(to))),
      "l"(__cvta_generic_to_global(from)), "r"(static_cast<unsigned>(bytes.value)),
      "r"(at.heddle_address())
      : "memory");
}

namespace experimental {
inline __device__ void fence_proxy_async_shared_cta() {
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}
inline __device__ void cp_async_bulk_commit_group() {
  asm volatile("cp.async.bulk.commit_group;" ::: "memory");
}
template <int Groups>
__device__ void cp_async_bulk_wait_group_read() {
  asm volatile("cp.async.bulk.wait_group.read %0;" ::"n"(Groups) : "memory");
}
template <thread_scope Scope, class Completion>
__device__ void cp_async_bulk_global_to_shared(void* to, const void* from, unsigned bytes,
                                               barrier<Scope, Completion>& at) {
  memcpy_async_tx(static_cast<char*>(to), static_cast<const char*>(from), aligned_size_t<16>(bytes),
                  at);
}
inline __device__ void cp_async_bulk_shared_to_global(void* to, const void* from, unsigned bytes) {
  asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(
                   __cvta_generic_to_global(to)),
               "r"(static_cast<unsigned>(__cvta_generic_to_shared(from))), "r"(bytes)
               : "memory");
}
template <thread_scope Scope, class Completion>
__device__ void cp_async_bulk_tensor_1d_global_to_shared(void* to, const void* map, int x,
                                                         barrier<Scope, Completion>& at) {
  asm volatile(
      "cp.async.bulk.tensor.1d.shared::cluster.global.tile.mbarrier::complete_tx::bytes "
      "[%0], [%1, {%2}], [%3];" ::"r"(static_cast<unsigned>(__cvta_generic_to_shared(to))),
      "l"(map), "r"(x), "r"(at.heddle_address())
      : "memory");
}
template <thread_scope Scope, class Completion>
__device__ void cp_async_bulk_tensor_2d_global_to_shared(void* to, const void* map, int x, int y,
                                                         barrier<Scope, Completion>& at) {
  asm volatile(
      "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes "
      "[%0], [%1, {%2, %3}], [%4];" ::"r"(static_cast<unsigned>(__cvta_generic_to_shared(to))),
      "l"(map), "r"(x), "r"(y), "r"(at.heddle_address())
      : "memory");
}
template <thread_scope Scope, class Completion>
__device__ void cp_async_bulk_tensor_3d_global_to_shared(void* to, const void* map, int x, int y,
                                                         int z, barrier<Scope, Completion>& at) {
  asm volatile(
      "cp.async.bulk.tensor.3d.shared::cluster.global.tile.mbarrier::complete_tx::bytes "
      "[%0], [%1, {%2, %3, %4}], [%5];" ::"r"(static_cast<unsigned>(__cvta_generic_to_shared(to))),
      "l"(map), "r"(x), "r"(y), "r"(z), "r"(at.heddle_address())
      : "memory");
}
inline __device__ void cp_async_bulk_tensor_2d_shared_to_global(const void* map, int x, int y,
                                                                const void* from) {
  asm volatile(
      "cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group [%0, {%1, %2}], [%3];" ::"l"(map),
      "r"(x), "r"(y), "r"(static_cast<unsigned>(__cvta_generic_to_shared(from)))
      : "memory");
}
}  // namespace experimental
#endif
}  // namespace device
}  // namespace cuda
