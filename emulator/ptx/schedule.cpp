#include "emulator/ptx/schedule.h"

#include <algorithm>
#include <random>

#include "emulator/record/host_threads.h"

namespace heddle::emulator::ptx {

Schedule::Schedule(const Dispatch& dispatch, unsigned threads, Races* races, WorkgroupOrder order)
    : dispatch_(dispatch),
      races_(races),
      threads_(threads),
      order_(order),
      places_(order, dispatch.clusters()) {
  for (unsigned i = 0; i < threads; ++i)
    runners_.push_back(std::make_unique<ClusterRunner>(dispatch, races));
}

void Schedule::run() {
  std::vector<ClusterRunner*> first;
  for (const auto& runner : runners_) first.push_back(runner.get());
  // A thread that there is not is one without work.
  on_host_threads(
      first.size(), [&](std::size_t i) { work(*first[i], i == 0); },
      [&](std::size_t missing) { stuck_ += static_cast<unsigned>(missing); });
}

void Schedule::work(ClusterRunner& first, bool reports) {
  Residents residents;
  residents.free = {&first};
  residents.patience = races_ != nullptr ? checked_patience : most_patience;
  if (order_ == WorkgroupOrder::interleaved) return interleave(residents, reports);
  while (!is_over() && take_turn(residents, reports)) {
  }
  // A thread without work waits for nobody.
  if (!residents.is_stuck) ++stuck_;
}

bool Schedule::is_over() {
  if (dispatch_.meter().used(Resource::instructions) > limit_) cut_ = true;
  return cut_;
}

// As many as may be at a time, in turns of a few instructions. Nobody looks for a deadlock: a run
// without an end is cut.
void Schedule::interleave(Residents& residents, bool reports) {
  constexpr std::size_t at_a_time = 512;
  std::minstd_rand random;
  while (!is_over()) {
    while (residents.started.size() < at_a_time && start_next(residents)) {
    }
    if (residents.started.empty()) return;
    residents.next = random() % residents.started.size();
    const Started turn = residents.started[residents.next];
    switch (turn.runner->run(1 + random() % 16, ~uint64_t{0})) {
      case ClusterRunner::Outcome::faulted:
        return note(turn.place, *turn.runner->cluster().fault);
      case ClusterRunner::Outcome::ended:
        end(residents, reports);
        break;
      default:
        break;
    }
  }
}

void Schedule::end(Residents& residents, bool reports) {
  residents.free.push_back(residents.started[residents.next].runner);
  residents.started.erase(residents.started.begin() + static_cast<std::ptrdiff_t>(residents.next));
  const uint64_t done = ++done_;
  if (reports && dispatch_.launch().progress)
    dispatch_.launch().progress(done, dispatch_.clusters());
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
  runner->begin(places_.workgroup_at(number),
                profile == Profile::all || (profile == Profile::first_workgroup && number == 0));
  residents.started.push_back({runner, number});
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
      note(started[0].place, started[0].runner->never_completes());
      return false;
    } else {
      residents.idle = 0;
    }
    residents.all_sleep = true;
  }
  residents.next %= started.size();
  ClusterRunner& runner = *started[residents.next].runner;
  const uint64_t place = started[residents.next].place;
  if (place > lowest_fault_) return false;
  const uint64_t before = runner.cluster().changes;
  const ClusterRunner::Outcome outcome =
      runner.run(~uint64_t{0}, std::min(residents.patience, limit_ / 8));
  if (outcome == ClusterRunner::Outcome::faulted) {
    note(place, *runner.cluster().fault);
    return false;
  }
  if (outcome == ClusterRunner::Outcome::ended) {
    end(residents, reports);
  } else {
    ++residents.next;
  }
  if (outcome == ClusterRunner::Outcome::gives_way) {
    residents.patience = std::max(residents.patience / 2, least_patience);
    ++residents.idle;
    residents.all_sleep = false;
    ++progress_;
    return true;
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
