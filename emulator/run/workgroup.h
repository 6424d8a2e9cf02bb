// Runs workgroups one after the other, each in one or more turns.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "emulator/check/checker.h"
#include "emulator/dispatch/dispatch.h"
#include "emulator/dispatch/workgroup_order.h"
#include "emulator/machine/wavefront.h"
#include "emulator/record/budget.h"
#include "emulator/record/timeline.h"
#include "emulator/run/access_profile.h"
#include "emulator/run/reused_memory.h"
#include "emulator/run/schedule.h"

namespace heddle::emulator {

struct ClusterState;

class WorkgroupRunner {
 public:
  using Outcome = Runner::Outcome;
  // `shadow` is null if nothing is checked. `meter` has the remaining budget of the run. `order` is
  // the order in which the waves of a workgroup take turns. `cluster` is the state that the
  // workgroups of a cluster share.
  WorkgroupRunner(const Dispatch& dispatch, check::LaunchShadow* shadow, Meter& meter,
                  WorkgroupOrder order, ClusterState& cluster);
  ~WorkgroupRunner();

  // The host memory that a runner takes.
  static uint64_t bytes_of(const Dispatch& dispatch, bool checked);

  void start(uint64_t workgroup, bool profile);
  // Like Runner::run(), but returns Outcome::waits also if the workgroup gives way, and if waves
  // wait at the cluster's barrier and no other wave can run.
  Outcome run(uint64_t longest, uint64_t most);
  bool waits_for_cluster() const;
  Fault fault() const { return *fault_; }
  // The fault to report if neither this workgroup nor any other of the cluster can run.
  Fault barrier_fault() const;

  // How often each instruction was executed in all workgroups so far.
  const std::vector<uint64_t>& counts() const { return counts_; }
  // Null when nothing is checked.
  check::Checker* checker() { return checker_.get(); }
  const AccessProfile& profile() const { return profile_; }
  // The timeline of workgroup 0. The timeline has no waves if this runner did not run that
  // workgroup or did not profile it.
  const Timeline& timeline() const { return recorder_.timeline(); }
  const Counters& counters() const { return counters_; }

 private:
  Outcome run_until_stuck();
  Outcome fail(Fault fault);
  bool is_stuck();
  void collect_counters();
  bool is_runnable(const Wavefront& wave) const;
  void run_slice(Wavefront& wave);
  template <bool checked, bool timed>
  const Instruction* run_instructions(Wavefront& wave, int64_t& left);
  void end(Wavefront& wave);
  Fault fault_of(const Wavefront& wave, FaultKind kind) const;
  Fault refused_call(const Wavefront& wave, std::string why) const;
  Fault limit_fault(const Wavefront& wave, Resource resource) const;
  bool charge_run();
  std::string message_of(const Wavefront& wave, FaultKind kind) const;
  static void observe(Wavefront& wave, const MemoryAccess& access);

  const Dispatch& dispatch_;
  ReusedArray<Wavefront> waves_;
  ReusedArray<Wavefront> upper_halves_;  // of waves of 64; else none
  uint32_t wave_count_;
  PlacesInOrder places_;  // of the waves
  MatrixNumbers numbers_;
  ReusedMemory lds_, scratch_;
  uint64_t scratch_pitch_;
  BarrierState barrier_;
  ClusterState& cluster_;
  std::vector<uint64_t> counts_;
  AccessProfile profile_;
  std::unique_ptr<check::Checker> checker_;
  bool profiles_ = false;  // this workgroup
  bool records_ = false;   // a timeline of it is recorded
  TimelineRecorder recorder_;
  Counters counters_;
  uint64_t workgroup_ = 0;
  Meter& meter_;
  // Numbers of instructions, as the budget counts them:
  // - executed_: of this workgroup;
  // - uncharged_: those of them that are not yet charged to the run;
  // - observed_: the additional cost of observed accesses in the current slice.
  uint64_t executed_ = 0, uncharged_ = 0, observed_ = 0;
  // For is_stuck():
  // - written_, shared_written_: the bytes written so far, to all memory and to memory that others
  // can read;
  // - quiet_since_, turn_began_: the instruction count at the last write and when the turn began;
  // - quiet_rounds_: the number of rounds without a write to memory that others can read.
  uint64_t written_ = 0, shared_written_ = 0, quiet_since_ = 0, turn_began_ = 0, quiet_rounds_ = 0;
  uint64_t patience_ = 0, longest_ = 0;
  uint32_t installed_mode_ = ~0u;
  std::optional<Fault> fault_;
};

}  // namespace heddle::emulator
