// In a checked launch, looks for tcgen05 operations that access the same tensor memory without an
// order between them.
//
// The rules are those of PTX ISA 9.0, "Memory Consistency Model for 5th generation of TensorCore
// operations". An asynchronous operation has happened for a thread when the thread knows that it is
// complete:
// - mma, cp and shift: for threads that wait for the mbarrier of a tcgen05.commit by the thread
// that issued the operation;
// - ld and st: for their warp after tcgen05.wait::ld and wait::st;
// - all of these operations: for threads that synchronise, by a release and an acquire, with a
// thread for which the operation has happened, such as the release and acquire of bar.sync and of
// mbarriers. If an arrival or a wait is .relaxed, tcgen05.fence::before_thread_sync stands for the
// release and tcgen05.fence::after_thread_sync for the acquire ("Standard memory consistency model
// synchronization mechanisms also apply").
//
// The mma, cp and shift operations of one thread are carried out in order. The mma, cp and shift
// operations of two threads are in order if the first thread executes a
// tcgen05.fence::before_thread_sync and the threads then synchronise. PTX names only some pairs of
// such operations. CUTLASS and Triton also rely on the order of a cp after an mma, and of mma with
// different accumulators.
//
// Each warp has several actors (check/happens_before.h): one for each way in which its operations
// complete. The numbers of these actors are greater than all numbers of actors in races.h.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "emulator/check/happens_before.h"
#include "emulator/ptx/machine.h"

namespace heddle::emulator::ptx {

class Races;

// Knowledge about tcgen05 operations that an arrival at a barrier passes on. `loose` has all
// operations that the arriving warp knew. `fenced` has only those that a release or a
// tcgen05.fence::before_thread_sync ordered before the arrival. An operation that is in `loose`
// alone lacks a fence.
struct TensorHandover {
  check::Clock fenced, loose;
  void join(const TensorHandover& other) {
    fenced.join(other.fenced);
    loose.join(other.loose);
  }
};

// The columns of a block that an operation reads or writes.
struct TensorAccess {
  const Block* block = nullptr;
  TensorRegion region;
  bool writes = false;
  bool changes = true;  // else it writes what is there already
};

class TensorOrder {
 public:
  enum class Agent : uint8_t { issue, pipe, load, store, allocation };
  // `known`: what happened before for a warp.
  using Known = std::function<check::Clock&(const Warp&)>;
  TensorOrder(Races& races, Cluster& cluster, Known known);

  // Begins a cluster. `first_warp` is the number of its first warp in the launch.
  void begin(uint64_t first_warp);

  // A warp issues a tcgen05.mma, .cp or .shift. `number` counts these operations of the warp.
  void issue(const Warp& w, const Record& in, uint64_t number,
             std::span<const TensorAccess> accesses);
  // A tcgen05.ld or .st.
  void move(const Warp& w, const Record& in, bool loads, std::span<const TensorAccess> accesses);
  // tcgen05.wait::ld or ::st.
  void wait(const Warp& w, bool loads);
  void allocate(const Warp& w, const Record& in, const TensorRegion& region);
  void free(const Warp& w, const Record& in, const TensorRegion& region);
  // tcgen05.fence::before_thread_sync or ::after_thread_sync.
  void fence(const Warp& w, bool before);
  // What a thread learns by waiting for a commit: the warp's operations with numbers below `number`
  // are complete.
  check::Clock complete(const Warp& w, uint64_t number);
  // Reports an instruction whose .cta_group differs from that of the kernel's earlier instructions.
  void check_group(const Warp& w, const Record& in, uint32_t blocks);

  // arrive(): a warp arrives at a barrier. leave(): a warp that has waited at a barrier goes on.
  void arrive(const Warp& w, bool releases, TensorHandover& at);
  void leave(const Warp& w, const TensorHandover& at);

  // The number of the warp to which an actor belongs, counted over the launch. The actor may be the
  // warp itself.
  static constexpr uint32_t first_agent = 0xc0000000;
  static uint32_t warp_of(uint32_t actor) {
    return actor < first_agent ? actor : (~actor - 1) / agents;
  }
  static uint32_t actor_of(uint32_t warp, Agent agent) {
    return ~(warp * agents + static_cast<uint32_t>(agent) + 1);
  }

 private:
  static constexpr uint32_t agents = 5;
  struct State {
    uint32_t loads = 0, stores = 0, allocations = 0;
    uint64_t issued = 0;
    TensorHandover met;   // at barriers
    check::Clock fenced;  // by before_thread_sync
  };

  State& of(const Warp& w) { return states_[w.block->rank * w.block->warps.size() + w.number]; }
  uint32_t number_of(const Warp& w) const;
  const Warp& warp(uint32_t actor) const;
  // Checks and records accesses. `is_new`: the places were just allocated, so nothing can conflict.
  void access(const Warp& w, const check::Past& now, std::span<const TensorAccess> accesses,
              bool is_new = false);
  check::Past past_of(const Warp& w, const Record& in, Agent agent, uint64_t number) const;
  void note(const Warp& w, const check::Past& past, const check::Past& now, uint32_t column);

  Races& races_;
  Cluster& cluster_;
  Known known_;
  uint64_t first_warp_ = 0;
  std::vector<State> states_;        // by warp of the cluster
  check::AccessShadow shadow_;       // 4 bytes for each column of 16 lanes
  const Record* grouped_ = nullptr;  // the first instruction with a .cta_group
  uint32_t blocks_ = 0;              // of it
};

}  // namespace heddle::emulator::ptx
