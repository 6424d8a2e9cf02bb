// <cuda/ptx> where there is no CUDA SDK: the functions that copies, barriers and clusters need,
// each one instruction.
// Source: "CUDA C++ Core Libraries", libcu++, "cuda::ptx"; PTX ISA 9.0.
#pragma once

#include "cuda_barriers.h"

namespace cuda::ptx {

// The modifiers of instructions (.global, .cluster, …), as values of types of their own.
#define CUDA_PTX_WORD(name) \
  struct name##_t {};       \
  inline constexpr name##_t name {}
CUDA_PTX_WORD(space_global);
CUDA_PTX_WORD(space_shared);
CUDA_PTX_WORD(space_cluster);
CUDA_PTX_WORD(sem_acquire);
CUDA_PTX_WORD(sem_release);
CUDA_PTX_WORD(sem_relaxed);
CUDA_PTX_WORD(sem_acq_rel);
CUDA_PTX_WORD(sem_sc);
CUDA_PTX_WORD(scope_cta);
CUDA_PTX_WORD(scope_cluster);
CUDA_PTX_WORD(scope_gpu);
CUDA_PTX_WORD(scope_sys);
#undef CUDA_PTX_WORD
template <int N>
struct n32_t {
  static constexpr int value = N;
};
template <int N>
inline constexpr n32_t<N> n32{};

inline __device__ unsigned heddle_shared(const void* place) {
  return static_cast<unsigned>(__cvta_generic_to_shared(place));
}

// --- special registers ---------------------------------------------------------------------------

#define CUDA_PTX_REGISTER(name, text)                      \
  inline __device__ unsigned get_sreg_##name() {           \
    unsigned value;                                        \
    asm volatile("mov.u32 %0, %%" text ";" : "=r"(value)); \
    return value;                                          \
  }
CUDA_PTX_REGISTER(tid_x, "tid.x")
CUDA_PTX_REGISTER(tid_y, "tid.y")
CUDA_PTX_REGISTER(tid_z, "tid.z")
CUDA_PTX_REGISTER(laneid, "laneid")
CUDA_PTX_REGISTER(warpid, "warpid")
CUDA_PTX_REGISTER(smid, "smid")
CUDA_PTX_REGISTER(cluster_ctarank, "cluster_ctarank")
CUDA_PTX_REGISTER(cluster_nctarank, "cluster_nctarank")
CUDA_PTX_REGISTER(clusterid_x, "clusterid.x")
#undef CUDA_PTX_REGISTER

// --- barriers ------------------------------------------------------------------------------------

inline __device__ void mbarrier_init(unsigned long long* bar, unsigned count) {
  asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(heddle_shared(bar)), "r"(count)
               : "memory");
}
inline __device__ unsigned long long mbarrier_arrive(unsigned long long* bar) {
  unsigned long long state;
  asm volatile("mbarrier.arrive.shared.b64 %0, [%1];"
               : "=l"(state)
               : "r"(heddle_shared(bar))
               : "memory");
  return state;
}
template <class Semantics, class Scope>
__device__ unsigned long long mbarrier_arrive(Semantics, Scope, space_shared_t,
                                              unsigned long long* bar) {
  return mbarrier_arrive(bar);
}
template <class Semantics, class Scope>
__device__ unsigned long long mbarrier_arrive_expect_tx(Semantics, Scope, space_shared_t,
                                                        unsigned long long* bar, unsigned bytes) {
  unsigned long long state;
  asm volatile("mbarrier.arrive.expect_tx.release.cta.shared::cta.b64 %0, [%1], %2;"
               : "=l"(state)
               : "r"(heddle_shared(bar)), "r"(bytes)
               : "memory");
  return state;
}
template <class Scope>
__device__ void mbarrier_expect_tx(sem_relaxed_t, Scope, space_shared_t, unsigned long long* bar,
                                   unsigned bytes) {
  asm volatile("mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%0], %1;" ::"r"(heddle_shared(bar)),
               "r"(bytes)
               : "memory");
}
#define CUDA_PTX_WAIT(name, text, State, constraint)                             \
  inline __device__ bool mbarrier_##name(unsigned long long* bar, State state) { \
    unsigned is_done;                                                            \
    asm volatile("{.reg .pred p;\nmbarrier." text                                \
                 ".shared.b64 p, [%1], %2;\n"                                    \
                 "selp.u32 %0, 1, 0, p;}"                                        \
                 : "=r"(is_done)                                                 \
                 : "r"(heddle_shared(bar)), constraint(state)                    \
                 : "memory");                                                    \
    return is_done != 0;                                                         \
  }
CUDA_PTX_WAIT(test_wait, "test_wait", const unsigned long long&, "l")
CUDA_PTX_WAIT(test_wait_parity, "test_wait.parity", const unsigned&, "r")
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
CUDA_PTX_WAIT(try_wait, "try_wait", const unsigned long long&, "l")
CUDA_PTX_WAIT(try_wait_parity, "try_wait.parity", const unsigned&, "r")
#endif
#undef CUDA_PTX_WAIT

// --- fences and clusters -------------------------------------------------------------------------

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
inline __device__ void fence_proxy_async() { asm volatile("fence.proxy.async;" ::: "memory"); }
inline __device__ void fence_proxy_async(space_shared_t) {
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}
inline __device__ void fence_proxy_async(space_global_t) {
  asm volatile("fence.proxy.async.global;" ::: "memory");
}
inline __device__ void fence_mbarrier_init(sem_release_t, scope_cluster_t) {
  asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
}
inline __device__ void barrier_cluster_arrive() {
  asm volatile("barrier.cluster.arrive.aligned;" ::: "memory");
}
inline __device__ void barrier_cluster_wait() {
  asm volatile("barrier.cluster.wait.aligned;" ::: "memory");
}
inline __device__ bool elect_sync(const unsigned& mask) {
  unsigned is_chosen;
  asm volatile("{.reg .pred p;\nelect.sync _|p, %1;\nselp.u32 %0, 1, 0, p;}"
               : "=r"(is_chosen)
               : "r"(mask));
  return is_chosen != 0;
}

// --- bulk copies ---------------------------------------------------------------------------------

inline __device__ void cp_async_bulk(space_cluster_t, space_global_t, void* to, const void* from,
                                     const unsigned& bytes, unsigned long long* bar) {
  asm volatile(
      "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::
          "r"(heddle_shared(to)),
      "l"(__cvta_generic_to_global(from)), "r"(bytes), "r"(heddle_shared(bar))
      : "memory");
}
inline __device__ void cp_async_bulk(space_global_t, space_shared_t, void* to, const void* from,
                                     const unsigned& bytes) {
  asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(
                   __cvta_generic_to_global(to)),
               "r"(heddle_shared(from)), "r"(bytes)
               : "memory");
}
#define CUDA_PTX_TENSOR(dimensions, places, ...)                                                  \
  inline __device__ void cp_async_bulk_tensor(space_cluster_t, space_global_t, void* to,          \
                                              const void* map, const int (&at)[dimensions],       \
                                              unsigned long long* bar) {                          \
    asm volatile("cp.async.bulk.tensor." #dimensions                                              \
                 "d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {" places \
                 "}], [%2];" ::"r"(heddle_shared(to)),                                            \
                 "l"(map), "r"(heddle_shared(bar)), __VA_ARGS__                                   \
                 : "memory");                                                                     \
  }                                                                                               \
  inline __device__ void cp_async_bulk_tensor(space_global_t, space_shared_t, const void* map,    \
                                              const int (&at)[dimensions], const void* from) {    \
    asm volatile("cp.async.bulk.tensor." #dimensions                                              \
                 "d.global.shared::cta.tile.bulk_group [%0, {" places "}], [%1];" ::"l"(map),     \
                 "r"(heddle_shared(from)), "r"(0), __VA_ARGS__                                    \
                 : "memory");                                                                     \
  }
CUDA_PTX_TENSOR(1, "%3", "r"(at[0]))
CUDA_PTX_TENSOR(2, "%3, %4", "r"(at[0]), "r"(at[1]))
CUDA_PTX_TENSOR(3, "%3, %4, %5", "r"(at[0]), "r"(at[1]), "r"(at[2]))
CUDA_PTX_TENSOR(4, "%3, %4, %5, %6", "r"(at[0]), "r"(at[1]), "r"(at[2]), "r"(at[3]))
CUDA_PTX_TENSOR(5, "%3, %4, %5, %6, %7", "r"(at[0]), "r"(at[1]), "r"(at[2]), "r"(at[3]), "r"(at[4]))
#undef CUDA_PTX_TENSOR
inline __device__ void cp_async_bulk_commit_group() {
  asm volatile("cp.async.bulk.commit_group;" ::: "memory");
}
template <int N>
__device__ void cp_async_bulk_wait_group(n32_t<N>) {
  asm volatile("cp.async.bulk.wait_group %0;" ::"n"(N) : "memory");
}
template <int N>
__device__ void cp_async_bulk_wait_group_read(n32_t<N>) {
  asm volatile("cp.async.bulk.wait_group.read %0;" ::"n"(N) : "memory");
}
#endif

}  // namespace cuda::ptx
