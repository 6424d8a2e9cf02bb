// Runs workgroups, one after the other, each in one turn or in several.
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
#include "emulator/run/schedule.h"

namespace heddle::emulator {

class WorkgroupRunner final : public Runner {
 public:
  // `shadow`: null when nothing is checked. `meter`: what the run may still cost.
  // `order`: in which the waves of a workgroup have their turns, too.
  WorkgroupRunner(const Dispatch& dispatch, check::LaunchShadow* shadow, Meter& meter,
                  WorkgroupOrder order);
  ~WorkgroupRunner() override;

  // Bytes of the host that a runner takes.
  static uint64_t bytes_of(const Dispatch& dispatch, bool checked);

  void start(uint64_t workgroup, bool profile) override;
  // Whether it waits or has only given way is not told.
  Outcome run(uint64_t longest, uint64_t most) override;
  Fault fault() override { return *fault_; }

  // By instruction index, over all workgroups run so far.
  const std::vector<uint64_t>& counts() const { return counts_; }
  // Null when nothing is checked.
  check::Checker* checker() { return checker_.get(); }
  const AccessProfile& profile() const { return profile_; }
  // Of workgroup 0, if this runner ran it and it was profiled; else without waves.
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
  Fault barrier_fault() const;
  Fault limit_fault(const Wavefront& wave, Resource resource) const;
  bool charge_run();
  std::string message_of(const Wavefront& wave, FaultKind kind) const;
  static void observe(Wavefront& wave, const MemoryAccess& access);

  const Dispatch& dispatch_;
  std::unique_ptr<Wavefront[]> waves_;
  std::unique_ptr<Wavefront[]> upper_halves_;  // of waves of 64; else none
  uint32_t wave_count_;
  PlacesInOrder places_;  // of the waves
  MatrixNumbers numbers_;
  std::vector<std::byte> lds_, scratch_;
  uint64_t scratch_pitch_;
  BarrierState barrier_;
  std::vector<uint64_t> counts_;
  AccessProfile profile_;
  std::unique_ptr<check::Checker> checker_;
  bool profiles_ = false;  // this workgroup
  bool records_ = false;   // its timeline
  TimelineRecorder recorder_;
  Counters counters_;
  uint64_t workgroup_ = 0;
  Meter& meter_;
  // Instructions as budgets count them: of this workgroup, of it and not yet charged to the run,
  // and what observed accesses of the current slice cost beyond their own.
  uint64_t executed_ = 0, uncharged_ = 0, observed_ = 0;
  // Since when the workgroup has written nothing, and for how many rounds nothing that others see;
  // and when it gives way if that goes on.
  uint64_t written_ = 0, shared_written_ = 0, quiet_since_ = 0, turn_began_ = 0, quiet_rounds_ = 0;
  uint64_t patience_ = 0, longest_ = 0;
  uint32_t installed_mode_ = ~0u;
  std::optional<Fault> fault_;
};

// All workgroups of a launch, for a schedule. Memory for `threads` runners has been charged.
Schedule::Work workgroups_of(const Dispatch& dispatch, unsigned threads,
                             check::LaunchShadow* shadow, Meter& meter,
                             WorkgroupOrder order = WorkgroupOrder::rising);

}  // namespace heddle::emulator
