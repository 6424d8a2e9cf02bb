// Runs the warps of a cluster of blocks until all have exited, or one faults. The warps take turns:
// each runs a limited number of instructions, then the next one runs.
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
  // Returns `waits` if all that the cluster's threads do is poll memory that other clusters may
  // change. Meanwhile a block that waits for another block may still write shared memory and pass
  // barriers.
  Outcome run(uint64_t longest, uint64_t most) override;
  Fault fault() override { return *cluster_.fault; }
  uint64_t changes() const override { return cluster_.changes; }
  Fault never_completes() override;
  const Cluster& cluster() const { return cluster_; }
  // The timeline of the first block of cluster 0. The timeline has no waves if this runner did not
  // run that block or did not profile it.
  const Timeline& timeline() const { return recorder_.timeline(); }
  // Host memory that a runner of these clusters allocates.
  static uint64_t bytes(const Dispatch& dispatch);

 private:
  void start(Warp& w);
  // Runs the warp until it waits, has exited, or has used up its turn. The executed instructions
  // are charged to the budget.
  void run(Warp& w);
  void run_turn(Warp& w, uint64_t left);
  bool branch_by_index(Warp& w, const Record& in, uint32_t lanes);
  // Runs the record's handler, with the checks and statistics that surround it.
  void execute(Warp& w, const Record& in, uint32_t lanes);
  std::string waits_for(const Block& block, const Group& group) const;
  // Returns to the budget the amount that was charged for pending copies.
  void release_pending();
  // Chooses the order in which the next round runs the warps, by Launch::execution
  // (Execution::warps: rising, falling or random).
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

// All clusters of a launch, as work for the scheduler. `races` is null if the launch is not
// checked. A checked launch runs on one thread of the host, and may be run again in another order.
Schedule::Work clusters_of(const Dispatch& dispatch, unsigned threads, Races* races);

// The index of the group of lanes that runs next: the one that is least far in the program, of
// those groups that can run and have a lane outside of `yielded`. -1 if no group can run.
int choose(const Warp& w, uint32_t yielded = 0);

// Completes the block's barrier with this number if all threads that it expects have arrived.
void complete_barrier(Block& block, uint32_t number);
// The same for barrier.cluster.
void complete_cluster_barrier(Cluster& cluster);
constexpr uint8_t cluster_barrier = 16;  // the value of Group::barrier for it

}  // namespace heddle::emulator::ptx
