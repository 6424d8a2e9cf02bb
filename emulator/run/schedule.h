// Runs the workgroups of a launch on the threads of the host: AMD's one by one, NVIDIA's in
// clusters.
//
// A thread runs a workgroup to its end and then takes the next one. A workgroup that makes no
// progress, for example because it polls a flag of another one, is suspended. Then the thread
// doubles its number of started workgroups, and all of them take turns. So workgroups may wait for
// each other, as in a barrier of the whole grid, if all of them can be unfinished at the same time:
// memory and Work::most limit their number.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <ranges>
#include <thread>
#include <vector>

#include "emulator/dispatch/workgroup_order.h"
#include "emulator/record/budget.h"
#include "emulator/record/fault.h"
#include "emulator/record/launch.h"

namespace heddle::emulator {

// The interface of what runs workgroups: one after the other, each in one or more turns.
class Runner {
 public:
  virtual ~Runner() = default;
  virtual void start(uint64_t number, bool is_profiled) = 0;
  // Runs the started workgroups until one of these outcomes:
  // - ended: all have ended;
  // - faulted: one has faulted;
  // - waits: they make no progress for a while, so they seem to wait for a value that another
  // workgroup writes;
  // - sleeps: they make no progress for a while and only sleep;
  // - gives_way: a wave has executed `longest` instructions (then the function always returns), or
  // all waves together have executed `most` (then it may return).
  enum class Outcome : uint8_t { ended, faulted, waits, sleeps, gives_way };
  virtual Outcome run(uint64_t longest, uint64_t most) = 0;
  // The fault that ended the workgroup.
  virtual Fault fault() = 0;
  // A number that increases when the workgroup changes something for which other workgroups may
  // wait; always 0 if the runner does not count this.
  virtual uint64_t changes() const { return 0; }
  // The fault to report if no workgroup can make progress. Called for a workgroup that sleeps.
  virtual Fault never_completes() { return {}; }
};

class Schedule {
 public:
  struct Work {
    const Launch& launch;
    Meter& meter;
    uint64_t count;       // the number of workgroups or clusters
    unsigned threads;     // threads of the host at most, each with a runner whose memory is charged
    uint64_t bytes;       // host memory of one runner
    uint64_t bytes_left;  // the budget of memory that more runners may not use
    std::size_t most;     // the most unfinished workgroups of a thread
    uint64_t patience;  // instructions of a cluster's turn, at most; fewer each time that one gives
                        // way. Workgroups of AMD count their own (run/workgroup.cpp)
    std::function<std::unique_ptr<Runner>()> make;
    std::function<bool()> is_stopped;  // true if the rest is not wanted; may be empty
  };
  explicit Schedule(Work work, WorkgroupOrder order = WorkgroupOrder::rising);
  ~Schedule();

  // Sets a limit: the run is cut off when it exceeds this number of instructions.
  void limit(uint64_t instructions) { limit_ = instructions; }
  bool was_cut() const { return cut_; }

  void run();

  // The fault of the lowest workgroup that faulted.
  const std::optional<Fault>& fault() const { return fault_; }
  // The number, in the order of the run, of the lowest cluster that faulted (of the workgroup, if
  // there are no clusters); the largest possible number if none faulted.
  uint64_t last_workgroup() const { return lowest_fault_; }
  double core_seconds() const { return core_seconds_; }
  // The instructions of this run, as the budget counts them.
  uint64_t executed() const { return work_.meter.used(Resource::instructions) - used_before_; }
  // All runners that were made, cast to the type that Work::make makes.
  template <class Made>
  auto runners() const {
    return runners_ | std::views::transform([](const std::unique_ptr<Runner>& runner) -> Made& {
             return static_cast<Made&>(*runner);
           });
  }

 private:
  struct Resident;
  struct Pool;

  void work(bool is_first);
  void grow();
  void join();
  void run_in_turns(Pool& pool);
  void interleave(Pool& pool);
  bool is_over(const Pool& pool);
  bool start_next(Pool& pool);
  bool start_more(Pool& pool);
  void take_turn(Pool& pool, uint64_t longest = ~uint64_t{0});
  void remove(Pool& pool);
  // True if no workgroup on any thread makes progress, and no more can be started.
  bool is_deadlock(Pool& pool);
  Runner* first_runner();
  Runner* another_runner();
  void note(uint64_t place, Fault fault);

  Work work_;
  WorkgroupOrder order_;
  PlacesInOrder places_;
  uint64_t used_before_;
  uint64_t charged_ = 0;  // the memory of further runners
  uint64_t limit_ = ~uint64_t{0};
  std::vector<std::unique_ptr<Runner>> runners_;
  std::vector<std::jthread> threads_;  // besides the caller's
  std::atomic<uint64_t> next_ = 0, done_ = 0, progress_ = 0;
  std::atomic<unsigned> stuck_ = 0;  // threads, with those that have not been started
  std::atomic<uint64_t> lowest_fault_ = ~uint64_t{0};  // by the place in the order of the run
  std::atomic<bool> cut_ = false;
  std::atomic<unsigned> starting_ = 1;  // threads that have not taken a workgroup
  std::mutex mutex_;
  std::optional<Fault> fault_;
  double core_seconds_ = 0;
};

}  // namespace heddle::emulator
