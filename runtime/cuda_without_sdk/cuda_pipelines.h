// <cuda/pipeline> where there is no CUDA SDK. A pipeline of one thread waits for groups of
// cp.async; a pipeline of a thread block has two barriers for each stage. Source: "CUDA C++ Core
// Libraries", libcu++, "cuda::pipeline".
#pragma once

#include "cuda_barriers.h"
#include "cuda_pipeline.h"

namespace cuda {

enum class pipeline_role { producer, consumer };

template <thread_scope Scope, unsigned char Stages>
struct pipeline_shared_state {
  barrier<Scope> filled[Stages], emptied[Stages];
  pipeline_shared_state() = default;
  pipeline_shared_state(const pipeline_shared_state&) = delete;
};

template <thread_scope Scope>
class pipeline {
  barrier<Scope>*filled_ = nullptr, *emptied_ = nullptr;  // null: a thread's own
  unsigned stages_ = 0;
  unsigned long long produced_ = 0, consumed_ = 0;

 public:
  pipeline() = default;
  __device__ pipeline(barrier<Scope>* filled, barrier<Scope>* emptied, unsigned stages)
      : filled_(filled), emptied_(emptied), stages_(stages) {}
  pipeline(pipeline&&) = default;
  pipeline(const pipeline&) = delete;

  __device__ void producer_acquire() {
    // When a stage is filled for the first time, there is no consumer to wait for.
    if (filled_ && produced_ >= stages_)
      emptied_[produced_ % stages_].wait_parity((produced_ / stages_ - 1) % 2);
  }
  __device__ void producer_commit() {
    if (filled_)
      static_cast<void>(filled_[produced_ % stages_].arrive());
    else
      __pipeline_commit();
    ++produced_;
  }
  __device__ void consumer_wait() {
    if (filled_)
      filled_[consumed_ % stages_].wait_parity(consumed_ / stages_ % 2);
    else
      __pipeline_wait_prior(static_cast<size_t>(produced_ - consumed_ - 1));
    if (!filled_) ++consumed_;
  }
  __device__ void consumer_release() {
    if (!filled_) return;
    static_cast<void>(emptied_[consumed_ % stages_].arrive());
    ++consumed_;
  }
  __device__ bool quit() { return true; }
  __device__ barrier<Scope>* heddle_stage() {
    return filled_ ? &filled_[produced_ % stages_] : nullptr;
  }
};

__device__ inline pipeline<thread_scope_thread> make_pipeline() { return {}; }

template <class Group, thread_scope Scope, unsigned char Stages>
__device__ pipeline<Scope> heddle_pipeline(const Group& group,
                                           pipeline_shared_state<Scope, Stages>* state,
                                           size_t producers, size_t consumers) {
  if (group.thread_rank() == 0)
    for (unsigned i = 0; i < Stages; ++i) {
      init(&state->filled[i], static_cast<ptrdiff_t>(producers));
      init(&state->emptied[i], static_cast<ptrdiff_t>(consumers));
    }
  group.sync();
  return {state->filled, state->emptied, Stages};
}
// A pipeline in which every thread of the group both produces and consumes.
template <class Group, thread_scope Scope, unsigned char Stages>
__device__ pipeline<Scope> make_pipeline(const Group& group,
                                         pipeline_shared_state<Scope, Stages>* state) {
  return heddle_pipeline(group, state, group.size(), group.size());
}
template <class Group, thread_scope Scope, unsigned char Stages>
__device__ pipeline<Scope> make_pipeline(const Group& group,
                                         pipeline_shared_state<Scope, Stages>* state,
                                         size_t producers) {
  return heddle_pipeline(group, state, producers, group.size() - producers);
}
// A pipeline in which each thread of the group is either a producer or a consumer, as `role` says.
template <class Group, thread_scope Scope, unsigned char Stages>
__device__ pipeline<Scope> make_pipeline(const Group& group,
                                         pipeline_shared_state<Scope, Stages>* state,
                                         pipeline_role role) {
  __shared__ unsigned producers;
  if (group.thread_rank() == 0) producers = 0;
  group.sync();
  if (role == pipeline_role::producer) atomicAdd(&producers, 1u);
  group.sync();
  return heddle_pipeline(group, state, producers, group.size() - producers);
}

template <unsigned char Prior>
__device__ void pipeline_consumer_wait_prior(pipeline<thread_scope_thread>&) {
  __pipeline_wait_prior(Prior);
}

// Arrives at the barrier on which a copy completes. A pipeline of one thread has no barrier: its
// copies complete by a commit.
template <thread_scope Scope>
struct heddle_stage_arrival {
  pipeline<Scope>& at;
  __device__ void operator()() const {
    if (barrier<Scope>* stage = at.heddle_stage()) heddle_arrival<Scope, heddle_nothing>{*stage}();
  }
};
template <class T, class Size, thread_scope Scope>
__device__ void memcpy_async(T* to, const T* from, Size bytes, pipeline<Scope>& at) {
  heddle_copy(reinterpret_cast<char*>(to), reinterpret_cast<const char*>(from), bytes, 0, 1,
              heddle_stage_arrival<Scope>{at});
}
template <class Group, class T, class Size, thread_scope Scope>
__device__ void memcpy_async(const Group& group, T* to, const T* from, Size bytes,
                             pipeline<Scope>& at) {
  heddle_copy(reinterpret_cast<char*>(to), reinterpret_cast<const char*>(from), bytes,
              static_cast<unsigned>(group.thread_rank()), static_cast<unsigned>(group.size()),
              heddle_stage_arrival<Scope>{at});
}

}  // namespace cuda
