// Runs the warps of a cluster of blocks in turn until all have exited, or one faults.
#pragma once

#include "emulator/ptx/dispatch.h"
#include "emulator/record/timeline.h"
#include "emulator/run/schedule.h"

namespace heddle::emulator::ptx {

class Races;

class ClusterRunner final : public Runner {
 public:
  // `races`: null when nothing is checked.
  ClusterRunner(const Dispatch& dispatch, Races* races);
  ~ClusterRunner() override;

  void start(uint64_t number, bool profiled) override;
  // A block that waits for another one may write shared memory and meet at barriers meanwhile, so
  // that a cluster waits when its threads only look at memory that others may change.
  Outcome run(uint64_t longest, uint64_t most) override;
  Fault fault() override { return *cluster_.fault; }
  uint64_t changes() const override { return cluster_.changes; }
  Fault never_completes() override;
  const Cluster& cluster() const { return cluster_; }
  // Of the first block of cluster 0, if this runner ran it and it was profiled; else without waves.
  const Timeline& timeline() const { return recorder_.timeline(); }
  // What a runner of these clusters allocates.
  static uint64_t bytes(const Dispatch& dispatch);

 private:
  void start(Warp& w);
  // Until the warp waits, has exited, or has had its turn; charges what it did.
  void run(Warp& w);
  void run_turn(Warp& w, uint64_t left);
  // The handler, and what is watched around it.
  void execute(Warp& w, const Record& in, uint32_t lanes);
  // Gives back what copies under way were charged for.
  void release_pending();

  const Dispatch& dispatch_;
  std::unique_ptr<RaceWatch> watch_;
  uint64_t turn_ = 0;      // instructions until another warp runs
  uint64_t executed_ = 0;  // since the cluster was told to run
  bool was_idle_ = false;  // when it ran last: then it is tried for a short while only
  Cluster cluster_;
  TimelineRecorder recorder_;
  bool records_ = false;  // this cluster
};

// All clusters of a launch, for a schedule. `races`: as of a runner; then there is one thread, and
// in another order too.
Schedule::Work clusters_of(const Dispatch& dispatch, unsigned threads, Races* races);

// Completes the barrier of the block, if all that it waits for have arrived.
void complete_barrier(Block& block, uint32_t number);
// The same for barrier.cluster.
void complete_cluster_barrier(Cluster& cluster);
constexpr uint8_t cluster_barrier = 16;  // Group::barrier of it

}  // namespace heddle::emulator::ptx
