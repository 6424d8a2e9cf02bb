// Runs the workgroups of a cluster, which take turns on one thread of the host. Only on gfx1250
// does a cluster have more than one workgroup.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "emulator/run/workgroup.h"

namespace heddle::emulator {

// What the workgroups of a cluster share.
struct ClusterState {
  NumberedBarrier barrier;
  check::BarrierClocks clocks;  // of the barrier, where it is checked
};

class ClusterRunner final : public Runner {
 public:
  ClusterRunner(const Dispatch& dispatch, check::LaunchShadow* shadow, Meter& meter,
                WorkgroupOrder order);

  // The host memory that a runner takes.
  static uint64_t bytes_of(const Dispatch& dispatch, bool checked);

  void start(uint64_t number, bool profile) override;
  Outcome run(uint64_t longest, uint64_t most) override;
  Fault fault() override { return *fault_; }

  const std::vector<std::unique_ptr<WorkgroupRunner>>& workgroups() const { return workgroups_; }

 private:
  const Dispatch& dispatch_;
  PlacesInOrder places_;  // of the workgroups
  ClusterState state_;
  std::vector<std::unique_ptr<WorkgroupRunner>> workgroups_;
  std::vector<bool> ended_;
  std::optional<Fault> fault_;
};

// All clusters of a launch, as work for a schedule. The caller has charged the memory for `threads`
// runners.
Schedule::Work clusters_of(const Dispatch& dispatch, unsigned threads, check::LaunchShadow* shadow,
                           Meter& meter, WorkgroupOrder order = WorkgroupOrder::rising);

// The runners of all workgroups of a schedule that clusters_of() made.
std::vector<WorkgroupRunner*> workgroup_runners(const Schedule& schedule);

}  // namespace heddle::emulator
