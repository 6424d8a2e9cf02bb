// The clusters of a launch on the threads of the host.
//
// A thread runs one cluster to its end, then takes the next. Where a cluster makes no progress, as
// one whose threads spin on a flag of another block does, it is set aside and the thread starts one
// more; those that have started take turns. So blocks may wait for each other, as in a barrier of
// the whole grid, as far as the budget of memory holds all of them at a time.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "emulator/dispatch/workgroup_order.h"
#include "emulator/ptx/cluster.h"

namespace heddle::emulator::ptx {

class Schedule {
 public:
  // `races`: null when nothing is checked; else there is one thread, and in another order too.
  Schedule(const Dispatch& dispatch, unsigned threads, Races* races,
           WorkgroupOrder order = WorkgroupOrder::rising);

  // A run that would take more instructions than this is cut.
  void limit(uint64_t instructions) { limit_ = instructions; }
  bool was_cut() const { return cut_; }

  void run();

  // Of the lowest cluster that faulted.
  const std::optional<Fault>& fault() const { return fault_; }
  const std::vector<std::unique_ptr<ClusterRunner>>& runners() const { return runners_; }

 private:
  static constexpr std::size_t most_residents = 4096;  // of one thread
  // Checked instructions take longer.
  static constexpr uint64_t most_patience = 5'000'000, checked_patience = 500'000,
                            least_patience = 20'000;
  // The clusters that one thread of the host has started.
  struct Started {
    ClusterRunner* runner;
    uint64_t place;  // in the order of the run
  };
  struct Residents {
    std::vector<Started> started;
    std::vector<ClusterRunner*> free;
    std::size_t next = 0;   // whose turn it is
    std::size_t idle = 0;   // turns without progress, one after the other
    bool all_sleep = true;  // in these turns nothing but nanosleep was executed
    bool is_stuck = false;
    // Instructions after which a cluster gives way whatever it does: fewer each time that one did.
    uint64_t patience = 0;
    uint64_t stuck_at = 0;
  };

  void work(ClusterRunner& first, bool reports);
  bool is_over();
  void interleave(Residents& residents, bool reports);
  // The cluster whose turn it was has ended.
  void end(Residents& residents, bool reports);
  bool start_next(Residents& residents);
  // False when the thread has nothing to do any more.
  bool take_turn(Residents& residents, bool reports);
  // Nobody on any thread makes progress, and nobody else can be started.
  bool is_deadlock(Residents& residents);
  void note(uint64_t number, Fault fault);

  const Dispatch& dispatch_;
  Races* races_;
  std::vector<std::unique_ptr<ClusterRunner>> runners_;
  unsigned threads_;
  WorkgroupOrder order_;
  PlacesInOrder places_;
  uint64_t limit_ = ~uint64_t{0};
  std::atomic<bool> cut_ = false;
  std::atomic<uint64_t> next_ = 0, done_ = 0, progress_ = 0;
  std::atomic<unsigned> stuck_ = 0;
  // By the place in the order of the run.
  std::atomic<uint64_t> lowest_fault_ = ~uint64_t{0};
  std::mutex mutex_;
  std::optional<Fault> fault_;
};

}  // namespace heddle::emulator::ptx
