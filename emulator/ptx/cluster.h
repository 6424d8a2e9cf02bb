// Runs the warps of a cluster of blocks in turn until all have exited, or one faults.
#pragma once

#include <random>
#include <string>
#include <vector>

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
  // Returns `waits` when the cluster's threads only read memory that others may change. A block
  // that waits for another block may still write shared memory and meet at barriers.
  Outcome run(uint64_t longest, uint64_t most) override;
  Fault fault() override { return *cluster_.fault; }
  uint64_t changes() const override { return cluster_.changes; }
  Fault never_completes() override;
  const Cluster& cluster() const { return cluster_; }
  // The timeline of the first block of cluster 0, if this runner ran and profiled it; otherwise it
  // has no waves.
  const Timeline& timeline() const { return recorder_.timeline(); }
  // Host memory that a runner of these clusters allocates.
  static uint64_t bytes(const Dispatch& dispatch);

 private:
  void start(Warp& w);
  // Runs the warp until it waits, has exited, or has had its turn; charges what it executed.
  void run(Warp& w);
  void run_turn(Warp& w, uint64_t left);
  bool branch_by_index(Warp& w, const Record& in, uint32_t lanes);
  // Runs the handler, and the checks and statistics around it.
  void execute(Warp& w, const Record& in, uint32_t lanes);
  std::string waits_for(const Block& block, const Group& group) const;
  // Gives back to the budget what pending copies were charged.
  void release_pending();
  // The warps of a round, in the order of the launch's execution.
  void draw_round();

  const Dispatch& dispatch_;
  std::unique_ptr<RaceWatch> watch_;
  uint64_t turn_ = 0;      // instructions until another warp runs
  uint64_t executed_ = 0;  // since the last call of run() for the cluster
  bool was_idle_ =
      false;  // the cluster made no progress in its last turn, so its next turn is short
  Cluster cluster_;
  TimelineRecorder recorder_;
  std::vector<Warp*> round_;
  std::mt19937 random_;
  bool completes_at_once_ = false;  // Execution::at_once
  bool records_ = false;            // the current cluster records a timeline
};

// All clusters of a launch, for a schedule. `races`: null when nothing is checked. A checked launch
// runs on one thread, and may be run again in another order.
Schedule::Work clusters_of(const Dispatch& dispatch, unsigned threads, Races* races);

// The running group of a warp that is furthest behind, among those with a lane outside of
// `yielded`; -1 if there is none.
int choose(const Warp& w, uint32_t yielded = 0);

// Completes the barrier of the block if all threads that it waits for have arrived.
void complete_barrier(Block& block, uint32_t number);
// The same for barrier.cluster.
void complete_cluster_barrier(Cluster& cluster);
constexpr uint8_t cluster_barrier = 16;  // the value of Group::barrier for it

}  // namespace heddle::emulator::ptx
