// The workgroups of a launch on the threads of the host.
//
// A thread runs one workgroup to its end, then takes the next. Where a workgroup waits in vain, as
// one that spins on a flag of another does, it is set aside and the thread starts one more; those
// that have started take turns, so that workgroups may wait for each other as far as all of them
// are on the machine at a time.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "emulator/dispatch/workgroup_order.h"
#include "emulator/run/workgroup.h"

namespace heddle::emulator {

class Schedule {
 public:
  // `shadow`: null when nothing is checked.
  // `meter`: what the run may still cost; memory for `threads` workgroups has been charged.
  Schedule(const Dispatch& dispatch, unsigned threads, check::LaunchShadow* shadow, Meter& meter,
           WorkgroupOrder order = WorkgroupOrder::rising);
  ~Schedule();

  // A run that would take more wavefront instructions than this is cut.
  void limit(uint64_t instructions) { limit_ = instructions; }
  bool was_cut() const { return cut_; }

  void run();

  const std::optional<Fault>& fault() const { return fault_; }
  // The one that faulted, or a number above all.
  uint64_t last_workgroup() const { return lowest_fault_; }
  double core_seconds() const { return core_seconds_; }
  // Wavefront instructions, of all workgroups.
  uint64_t executed() const { return executed_; }
  const std::vector<std::unique_ptr<WorkgroupRunner>>& runners() const { return runners_; }

 private:
  struct Resident;
  struct Pool;

  void work(WorkgroupRunner& first, bool reports);
  void run_workgroups(WorkgroupRunner& first, bool reports);
  bool start_next(Pool& pool);
  void take_turn(Pool& pool, uint64_t longest = ~uint64_t{0});
  void interleave(Pool& pool);
  bool is_over(const Pool& pool);
  WorkgroupRunner* another_runner();
  bool is_profiled(uint64_t workgroup) const;
  void note(uint64_t workgroup, Fault fault);

  const Dispatch& dispatch_;
  check::LaunchShadow* shadow_;
  Meter& meter_;
  WorkgroupOrder order_;
  uint64_t runner_bytes_;
  uint64_t charged_ = 0;            // memory of runners beyond the first ones
  std::size_t most_residents_ = 1;  // of one thread
  PlacesInOrder places_;
  uint64_t limit_ = ~uint64_t{0};
  std::vector<std::unique_ptr<WorkgroupRunner>> runners_;
  std::atomic<uint64_t> next_ = 0, done_ = 0, executed_ = 0;
  std::atomic<uint64_t> lowest_fault_ = ~uint64_t{0};
  std::atomic<bool> cut_ = false;
  std::mutex mutex_;
  std::optional<Fault> fault_;
  double core_seconds_ = 0;
};

}  // namespace heddle::emulator
