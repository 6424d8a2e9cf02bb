// The workgroups of a launch on the threads of the host: of AMD one by one, of NVIDIA in clusters.
//
// A thread runs one of them to its end, then takes the next. Where one makes no progress, as one
// that spins on a flag of another does, it is set aside and the thread starts as many again as it
// has; those that have started take turns. So workgroups may wait for each other, as in a barrier
// of the whole grid, as far as all of them may be there at a time.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <ranges>
#include <vector>

#include "emulator/dispatch/workgroup_order.h"
#include "emulator/record/budget.h"
#include "emulator/record/fault.h"
#include "emulator/record/launch.h"

namespace heddle::emulator {

// Runs workgroups, one after the other, each in one turn or in several.
class Runner {
 public:
  virtual ~Runner() = default;
  virtual void start(uint64_t number, bool is_profiled) = 0;
  // Runs what was started until it ends or faults, or for a while makes no progress: it seems to
  // wait in vain for what another one writes, or only sleeps. It gives way in any case when a wave
  // has executed `longest` instructions, and may when all together have executed `most`.
  enum class Outcome : uint8_t { ended, faulted, waits, sleeps, gives_way };
  virtual Outcome run(uint64_t longest, uint64_t most) = 0;
  // The fault that ended it.
  virtual Fault fault() = 0;
  // Rises when it changes what others may wait for; 0 where that is not known.
  virtual uint64_t changes() const { return 0; }
  // What is wrong when nobody can make progress. Called of one that sleeps.
  virtual Fault never_completes() { return {}; }
};

class Schedule {
 public:
  struct Work {
    const Launch& launch;
    Meter& meter;
    uint64_t count;       // of workgroups, or of clusters
    unsigned threads;     // of the host; memory for so many runners has been charged
    uint64_t bytes;       // of the host that a runner takes
    uint64_t bytes_left;  // that more runners leave of the budget
    std::size_t most;     // that a thread has started and not ended
    uint64_t patience;  // instructions of a cluster's turn, at most; fewer each time that one gives
                        // way. Workgroups of AMD count their own (run/workgroup.cpp)
    std::function<std::unique_ptr<Runner>()> make;
    std::function<bool()> is_stopped;  // nobody wants the rest; may be empty
  };
  explicit Schedule(Work work, WorkgroupOrder order = WorkgroupOrder::rising);
  ~Schedule();

  // A run that would take more instructions than this is cut.
  void limit(uint64_t instructions) { limit_ = instructions; }
  bool was_cut() const { return cut_; }

  void run();

  // Of the lowest workgroup that faulted.
  const std::optional<Fault>& fault() const { return fault_; }
  // That one, or a number above all.
  uint64_t last_workgroup() const { return lowest_fault_; }
  double core_seconds() const { return core_seconds_; }
  // Instructions as the budget counts them.
  uint64_t executed() const { return work_.meter.used(Resource::instructions) - used_before_; }
  // All of them are what Work::make makes.
  template <class Made>
  auto runners() const {
    return runners_ | std::views::transform([](const std::unique_ptr<Runner>& runner) -> Made& {
             return static_cast<Made&>(*runner);
           });
  }

 private:
  struct Resident;
  struct Pool;

  void work(Runner& first, bool reports);
  void run_in_turns(Pool& pool);
  void interleave(Pool& pool);
  bool is_over(const Pool& pool);
  bool start_next(Pool& pool);
  bool start_more(Pool& pool);
  void take_turn(Pool& pool, uint64_t longest = ~uint64_t{0});
  void remove(Pool& pool);
  // Nobody on any thread makes progress, and nobody else can be started.
  bool is_deadlock(Pool& pool);
  Runner* another_runner();
  void note(uint64_t place, Fault fault);

  Work work_;
  WorkgroupOrder order_;
  PlacesInOrder places_;
  uint64_t used_before_;
  uint64_t charged_ = 0;  // memory of runners beyond the first ones
  uint64_t limit_ = ~uint64_t{0};
  std::vector<std::unique_ptr<Runner>> runners_;
  std::atomic<uint64_t> next_ = 0, done_ = 0, progress_ = 0;
  std::atomic<unsigned> stuck_ = 0;                    // threads
  std::atomic<uint64_t> lowest_fault_ = ~uint64_t{0};  // by the place in the order of the run
  std::atomic<bool> cut_ = false;
  std::mutex mutex_;
  std::optional<Fault> fault_;
  double core_seconds_ = 0;
};

}  // namespace heddle::emulator
