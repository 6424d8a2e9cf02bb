// Runs the warps of a cluster of blocks in turn until all have exited, or one faults.
#pragma once

#include "emulator/ptx/dispatch.h"

namespace heddle::emulator::ptx {

class ClusterRunner {
 public:
  explicit ClusterRunner(const Dispatch& dispatch);

  // Runs the cluster of that number to its end.
  std::optional<Fault> run(uint64_t number, bool profiled);
  const Cluster& cluster() const { return cluster_; }
  // What a runner of these clusters allocates.
  static uint64_t bytes(const Dispatch& dispatch);

 private:
  void start(uint64_t number);
  void start(Warp& w);
  // Until the warp waits, has exited, or has had its turn; charges what it did.
  void run(Warp& w);
  void run_turn(Warp& w, uint64_t left);
  // Gives back what copies under way were charged for.
  void release_pending();
  std::optional<Fault> never_completes();

  const Dispatch& dispatch_;
  Cluster cluster_;
};

// Completes the barrier of the block, if all that it waits for have arrived.
void complete_barrier(Block& block, uint32_t number);
// The same for barrier.cluster.
void complete_cluster_barrier(Cluster& cluster);
constexpr uint8_t cluster_barrier = 16;  // Group::barrier of it

}  // namespace heddle::emulator::ptx
