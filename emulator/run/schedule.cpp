#include "emulator/run/schedule.h"

#include <algorithm>
#include <ctime>
#include <new>
#include <random>
#include <system_error>
#include <utility>

#include "emulator/machine/float_mode.h"

namespace heddle::emulator {
namespace {

// The most workgroups that interleave on one thread.
constexpr std::size_t most_interleaved = 512;
// After a fault, a workgroup that has had this many turns without progress is given up: it may wait
// for the faulted one.
constexpr uint32_t most_turns_after_fault = 16;
constexpr uint64_t shortest_patience = 20'000;

// The processor time of this thread; 0 if the system does not know it.
double thread_seconds() {
#if defined(CLOCK_THREAD_CPUTIME_ID)
  timespec now;
  if (clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now) == 0)
    return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
#endif
  return 0;
}

}  // namespace

// A workgroup that has started and not ended.
struct Schedule::Resident {
  Runner* runner;
  uint64_t place;  // in the order of the run
  uint32_t turns = 0;
};

// The unfinished workgroups of one thread.
struct Schedule::Pool {
  std::vector<Resident> residents;
  std::vector<Runner*> free;
  std::size_t turn = 0;
  std::size_t in_vain = 0;  // successive turns without progress
  bool all_sleep = true;    // all workgroups of these turns slept
  uint64_t patience = 0;
  bool is_stuck = false;
  uint64_t stuck_at = 0;  // the value of progress_ when it got stuck
  bool reports = false;
};

Schedule::Schedule(Work work, WorkgroupOrder order)
    : work_(std::move(work)),
      order_(order),
      places_(order, work_.count),
      used_before_(work_.meter.used(Resource::instructions)) {}

Schedule::~Schedule() {
  join();
  work_.meter.release(Resource::memory_bytes, charged_);
}

void Schedule::run() {
  threads_.reserve(work_.threads);
  stuck_ = work_.threads - 1;
  work(true);
  join();
}

// Starts one more thread if workgroups are left for it. Each new thread calls this twice, so that
// the number of threads grows quickly. A short run ends before many are started.
void Schedule::grow() try {
  const std::lock_guard lock(mutex_);
  if (next_ + starting_ >= work_.count || threads_.size() + 1 >= work_.threads) return;
  --stuck_;
  ++starting_;
  threads_.emplace_back([this] {
    try {
      work(false);
    } catch (const std::bad_alloc&) {
      ++stuck_;  // it counts as one without work
    }
  });
} catch (const std::system_error&) {
  ++stuck_;
  --starting_;
}

// A thread starts others before it ends.
void Schedule::join() {
  for (std::size_t i = 0;; ++i) {
    std::unique_lock lock(mutex_);
    if (i >= threads_.size()) return;
    std::jthread& thread = threads_[i];
    lock.unlock();
    if (thread.joinable()) thread.join();
  }
}

void Schedule::work(bool is_first) {
  const double begin = thread_seconds();
  const FloatModeScope scope;
  grow();
  grow();
  --starting_;
  Pool pool;
  pool.free.push_back(first_runner());
  pool.patience = work_.patience;
  pool.reports = is_first;
  order_ == WorkgroupOrder::interleaved ? interleave(pool) : run_in_turns(pool);
  // A thread without work waits for nobody.
  if (!pool.is_stuck) ++stuck_;
  const std::lock_guard lock(mutex_);
  core_seconds_ += thread_seconds() - begin;
}

void Schedule::run_in_turns(Pool& pool) {
  while (!is_over(pool)) {
    if (pool.in_vain >= pool.residents.size()) {
      if (!start_more(pool)) {
        if (pool.residents.empty()) return;
        if (pool.all_sleep && is_deadlock(pool))
          return note(pool.residents[0].place, pool.residents[0].runner->never_completes());
      }
      pool.in_vain = 0;
      pool.all_sleep = true;
    }
    take_turn(pool);
  }
}

// Starts as many workgroups as possible and runs them in turns of a few instructions. Deadlocks are
// not detected; the limit of instructions ends such a run.
void Schedule::interleave(Pool& pool) {
  std::minstd_rand random;
  while (!is_over(pool)) {
    if (pool.residents.size() < most_interleaved && start_next(pool)) continue;
    if (pool.residents.empty()) return;
    pool.turn = random() % pool.residents.size();
    take_turn(pool, 1 + random() % 16);
  }
}

bool Schedule::is_over(const Pool& pool) {
  if (executed() > limit_) cut_ = true;
  if (cut_ || (work_.is_stopped && work_.is_stopped())) return true;
  // In rising order, workgroups below the faulting one still run, because the lowest fault is
  // reported.
  if (lowest_fault_ == ~uint64_t{0}) return false;
  return order_ != WorkgroupOrder::rising || (pool.residents.empty() && next_ > lowest_fault_);
}

// Doubles the number of started workgroups, because some kernels need all workgroups of the grid at
// the same time. The first new workgroup has the next turn. False if none could be started.
bool Schedule::start_more(Pool& pool) {
  const std::size_t before = pool.residents.size();
  while (pool.residents.size() < std::max<std::size_t>(1, 2 * before) && start_next(pool)) {
  }
  if (pool.residents.size() == before) return false;
  pool.turn = before;
  return true;
}

bool Schedule::start_next(Pool& pool) {
  if (next_ >= work_.count || pool.residents.size() >= work_.most) return false;
  Runner* runner = nullptr;
  if (pool.free.empty()) {
    runner = another_runner();
    if (!runner) return false;
  } else {
    runner = pool.free.back();
    pool.free.pop_back();
  }
  const uint64_t place = next_++;
  if (place >= work_.count || place > lowest_fault_) {
    pool.free.push_back(runner);
    return false;
  }
  const Profile profile = work_.launch.profile;
  const uint64_t number = places_.workgroup_at(place);
  runner->start(number,
                profile == Profile::all || (profile == Profile::first_workgroup && number == 0));
  pool.residents.push_back({runner, place});
  ++progress_;
  return true;
}

void Schedule::take_turn(Pool& pool, uint64_t longest) {
  if (pool.turn >= pool.residents.size()) pool.turn = 0;
  Resident& resident = pool.residents[pool.turn];
  const uint64_t before = resident.runner->changes();
  using enum Runner::Outcome;
  const Runner::Outcome outcome =
      resident.runner->run(longest, std::min(pool.patience, limit_ / 8));
  if (outcome == faulted) note(resident.place, resident.runner->fault());
  const bool has_progress = outcome == ended || before != resident.runner->changes();
  const bool is_void = resident.place > lowest_fault_ ||
                       (++resident.turns > most_turns_after_fault && lowest_fault_ != ~uint64_t{0});
  if (outcome == gives_way) pool.patience = std::max(pool.patience / 2, shortest_patience);
  if (outcome == ended) {
    const uint64_t done = ++done_;
    if (pool.reports && work_.launch.progress) work_.launch.progress(done, work_.count);
  }
  if (outcome == ended || outcome == faulted || is_void)
    remove(pool);
  else
    ++pool.turn;
  if (has_progress || outcome == gives_way) ++progress_;
  if (has_progress && outcome != gives_way) {
    pool.in_vain = 0;
    pool.all_sleep = true;
    if (std::exchange(pool.is_stuck, false)) --stuck_;
  } else {
    ++pool.in_vain;
    pool.all_sleep &= outcome == sleeps;
  }
}

void Schedule::remove(Pool& pool) {
  const auto at = pool.residents.begin() + static_cast<std::ptrdiff_t>(pool.turn);
  pool.free.push_back(at->runner);
  pool.residents.erase(at);
}

bool Schedule::is_deadlock(Pool& pool) {
  if (!pool.is_stuck) {
    pool.is_stuck = true;
    ++stuck_;
    pool.stuck_at = progress_;
    return false;
  }
  if (progress_ == pool.stuck_at) return stuck_ == work_.threads;
  pool.stuck_at = progress_;
  return false;
}

// Makes the first runner of a thread. Its memory is charged already. Throws std::bad_alloc.
Runner* Schedule::first_runner() {
  std::unique_ptr<Runner> made = work_.make();
  const std::lock_guard lock(mutex_);
  return runners_.emplace_back(std::move(made)).get();
}

// Makes an additional runner; null if there is no memory. Then the existing runners go on alone.
Runner* Schedule::another_runner() try {
  Meter& meter = work_.meter;
  const uint64_t limit = meter.limit(Resource::memory_bytes);
  if (work_.bytes_left > 0 &&
      meter.used(Resource::memory_bytes) + work_.bytes > limit - std::min(limit, work_.bytes_left))
    return nullptr;
  if (!meter.charge(Resource::memory_bytes, work_.bytes)) return nullptr;
  std::unique_ptr<Runner> made = work_.make();
  const std::lock_guard lock(mutex_);
  charged_ += work_.bytes;
  return runners_.emplace_back(std::move(made)).get();
} catch (const std::bad_alloc&) {
  return nullptr;
}

void Schedule::note(uint64_t place, Fault fault) {
  const std::lock_guard lock(mutex_);
  if (place > lowest_fault_) return;
  lowest_fault_ = place;
  fault_ = std::move(fault);
}

}  // namespace heddle::emulator
