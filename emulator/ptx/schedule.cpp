#include "emulator/ptx/schedule.h"

#include <algorithm>
#include <thread>

namespace heddle::emulator::ptx {

Schedule::Schedule(const Dispatch& dispatch, unsigned threads, Races* races, Order order)
    : dispatch_(dispatch), races_(races), threads_(threads), order_(order) {
  for (unsigned i = 0; i < threads; ++i)
    runners_.push_back(std::make_unique<ClusterRunner>(dispatch, races));
}

void Schedule::run() {
  std::vector<ClusterRunner*> first;
  for (const auto& runner : runners_) first.push_back(runner.get());
  std::vector<std::thread> threads;
  for (std::size_t i = 1; i < first.size(); ++i)
    threads.emplace_back([this, runner = first[i]] { work(*runner, false); });
  work(*first[0], true);
  for (std::thread& thread : threads) thread.join();
}

void Schedule::work(ClusterRunner& first, bool reports) {
  Residents residents;
  residents.free = {&first};
  while (take_turn(residents, reports)) {
  }
  // A thread without work waits for nobody.
  if (!residents.is_stuck) ++stuck_;
}

bool Schedule::start_next(Residents& residents) {
  if (next_ >= dispatch_.clusters() || residents.started.size() >= most_residents) return false;
  if (residents.free.empty()) {
    // Half of the memory stays for what the others do.
    Meter& meter = dispatch_.meter();
    const uint64_t bytes = ClusterRunner::bytes(dispatch_);
    if (meter.used(Resource::memory_bytes) + bytes > meter.limit(Resource::memory_bytes) / 2 ||
        !meter.charge(Resource::memory_bytes, bytes))
      return false;
    auto made = std::make_unique<ClusterRunner>(dispatch_, races_);
    residents.free.push_back(made.get());
    const std::lock_guard lock(mutex_);
    runners_.push_back(std::move(made));
  }
  const uint64_t number = next_++;
  if (number >= dispatch_.clusters() || number > lowest_fault_) return false;
  ClusterRunner* runner = residents.free.back();
  residents.free.pop_back();
  const Profile profile = dispatch_.launch().profile;
  runner->begin(order_ == Order::rising ? number : dispatch_.clusters() - 1 - number,
                profile == Profile::all || (profile == Profile::first_workgroup && number == 0));
  residents.started.push_back(runner);
  ++progress_;
  return true;
}

bool Schedule::take_turn(Residents& residents, bool reports) {
  auto& started = residents.started;
  if (residents.idle >= started.size()) {
    // Twice as many each time: all of a grid may have to be there.
    std::size_t started_now = 0;
    const std::size_t wanted = std::max<std::size_t>(1, started.size());
    while (started_now < wanted && start_next(residents)) ++started_now;
    if (started_now > 0) {
      residents.idle = 0;
      residents.next = started.size() - started_now;
    } else if (started.empty()) {
      return false;
    } else if (lowest_fault_ != ~uint64_t{0}) {
      return false;  // they wait for what the fault has ended
    } else if (residents.all_sleep && is_deadlock(residents)) {
      note(place_of(*started[0]), started[0]->never_completes());
      return false;
    } else {
      residents.idle = 0;
    }
    residents.all_sleep = true;
  }
  residents.next %= started.size();
  ClusterRunner& runner = *started[residents.next];
  if (place_of(runner) > lowest_fault_) return false;
  const uint64_t before = runner.cluster().changes;
  const ClusterRunner::Outcome outcome = runner.run();
  if (outcome == ClusterRunner::Outcome::faulted) {
    note(place_of(runner), *runner.cluster().fault);
    return false;
  }
  if (outcome == ClusterRunner::Outcome::ended) {
    started.erase(started.begin() + static_cast<std::ptrdiff_t>(residents.next));
    residents.free.push_back(&runner);
    const uint64_t done = ++done_;
    if (reports && dispatch_.launch().progress)
      dispatch_.launch().progress(done, dispatch_.clusters());
  } else {
    ++residents.next;
  }
  if (outcome == ClusterRunner::Outcome::ended || before != runner.cluster().changes) {
    residents.idle = 0;
    residents.all_sleep = true;
    ++progress_;
    if (residents.is_stuck) --stuck_;
    residents.is_stuck = false;
  } else {
    ++residents.idle;
    residents.all_sleep &= outcome == ClusterRunner::Outcome::sleeps;
  }
  return true;
}

uint64_t Schedule::place_of(const ClusterRunner& runner) const {
  return order_ == Order::rising ? runner.number() : dispatch_.clusters() - 1 - runner.number();
}

bool Schedule::is_deadlock(Residents& residents) {
  if (!residents.is_stuck) {
    residents.is_stuck = true;
    ++stuck_;
    residents.stuck_at = progress_;
    return false;
  }
  if (progress_ == residents.stuck_at) return stuck_ == threads_;
  residents.stuck_at = progress_;
  return false;
}

void Schedule::note(uint64_t number, Fault fault) {
  const std::lock_guard lock(mutex_);
  if (number > lowest_fault_) return;
  lowest_fault_ = number;
  fault_ = std::move(fault);
}

}  // namespace heddle::emulator::ptx
