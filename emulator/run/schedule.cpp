#include "emulator/run/schedule.h"

#include <algorithm>
#include <ctime>
#include <new>
#include <random>

#include "emulator/machine/float_mode.h"
#include "emulator/record/host_threads.h"

namespace heddle::emulator {
namespace {

// Memory that workgroups which are set aside may take, all threads together, and their number.
constexpr uint64_t residents_bytes = uint64_t{256} << 20;
constexpr uint64_t residents_count = 512;
// After so many turns in vain, one that waits for a workgroup which has faulted is given up.
constexpr uint32_t patience = 16;

// Processor time of this thread; 0 where the system does not tell.
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
  WorkgroupRunner* runner;
  uint64_t workgroup;
  uint32_t turns = 0;
};

// Those of one thread.
struct Schedule::Pool {
  std::vector<Resident> residents;
  std::vector<WorkgroupRunner*> idle;
  std::size_t turn = 0;
  std::size_t in_vain = 0;  // turns since one of them ended or was started
  bool reports = false;
};

Schedule::Schedule(const Dispatch& dispatch, unsigned threads, check::LaunchShadow* shadow,
                   Meter& meter, WorkgroupOrder order)
    : dispatch_(dispatch),
      shadow_(shadow),
      meter_(meter),
      order_(order),
      runner_bytes_(WorkgroupRunner::bytes_of(dispatch, shadow != nullptr)),
      places_(order, dispatch.workgroups()) {
  for (unsigned i = 0; i < threads; ++i)
    runners_.push_back(std::make_unique<WorkgroupRunner>(dispatch, shadow, meter));
  const uint64_t all =
      std::min(residents_count, residents_bytes / std::max<uint64_t>(1, runner_bytes_));
  most_residents_ = std::max<std::size_t>(1, all / threads);
}

Schedule::~Schedule() { meter_.release(Resource::memory_bytes, charged_); }

void Schedule::run() {
  std::vector<WorkgroupRunner*> first;
  for (const auto& runner : runners_) first.push_back(runner.get());
  on_host_threads(first.size(), [&](std::size_t i) { work(*first[i], i == 0); });
}

void Schedule::work(WorkgroupRunner& first, bool reports) {
  const double begin = thread_seconds();
  run_workgroups(first, reports);
  const std::lock_guard lock(mutex_);
  core_seconds_ += thread_seconds() - begin;
}

void Schedule::run_workgroups(WorkgroupRunner& first, bool reports) {
  const FloatModeScope scope;
  Pool pool;
  pool.idle.push_back(&first);
  pool.reports = reports;
  if (order_ == WorkgroupOrder::interleaved) return interleave(pool);
  while (!is_over(pool)) {
    if (pool.in_vain >= pool.residents.size() && start_next(pool)) continue;
    if (pool.residents.empty()) return;
    take_turn(pool);
  }
}

void Schedule::interleave(Pool& pool) {
  std::minstd_rand random;
  while (!is_over(pool)) {
    if (pool.residents.size() < most_residents_ && start_next(pool)) continue;
    if (pool.residents.empty()) return;
    pool.turn = random() % pool.residents.size();
    take_turn(pool, 1 + random() % 16);
  }
}

bool Schedule::is_over(const Pool& pool) {
  if (executed_ > limit_) cut_ = true;
  if (cut_ || (shadow_ && shadow_->is_stopped())) return true;
  // Workgroups below the faulting one still run: the lowest fault is the one reported.
  if (lowest_fault_ == ~uint64_t{0}) return false;
  return order_ != WorkgroupOrder::rising || (pool.residents.empty() && next_ > lowest_fault_);
}

bool Schedule::start_next(Pool& pool) {
  if (next_ >= dispatch_.workgroups()) return false;
  WorkgroupRunner* runner = nullptr;
  if (!pool.idle.empty()) {
    runner = pool.idle.back();
    pool.idle.pop_back();
  } else if (pool.residents.size() < most_residents_) {
    runner = another_runner();
  }
  if (!runner) return false;
  const uint64_t place = next_++;
  const uint64_t workgroup = places_.workgroup_at(place);
  if (place >= dispatch_.workgroups() || workgroup > lowest_fault_) {
    pool.idle.push_back(runner);
    return false;
  }
  runner->start(workgroup, is_profiled(workgroup));
  pool.turn = pool.residents.size();
  pool.residents.push_back({runner, workgroup});
  pool.in_vain = 0;
  if (order_ != WorkgroupOrder::interleaved) take_turn(pool);
  return true;
}

void Schedule::take_turn(Pool& pool, uint64_t longest) {
  if (pool.turn >= pool.residents.size()) pool.turn = 0;
  Resident& resident = pool.residents[pool.turn];
  const uint64_t before = resident.runner->executed();
  WorkgroupRunner::Turn turn = resident.runner->take_turn(longest);
  executed_ += resident.runner->executed() - before;
  const bool is_void = resident.workgroup > lowest_fault_ ||
                       (++resident.turns > patience && lowest_fault_ != ~uint64_t{0});
  if (!turn.ended && !turn.fault && !is_void) {
    ++pool.in_vain;
    ++pool.turn;
    return;
  }
  if (turn.fault) note(resident.workgroup, std::move(*turn.fault));
  pool.idle.push_back(resident.runner);
  pool.residents.erase(pool.residents.begin() + static_cast<std::ptrdiff_t>(pool.turn));
  pool.in_vain = 0;
  const uint64_t done = turn.ended ? ++done_ : done_.load();
  if (turn.ended && pool.reports && dispatch_.launch().progress)
    dispatch_.launch().progress(done, dispatch_.workgroups());
}

// Null where there is no memory for one more: those that are there go on.
WorkgroupRunner* Schedule::another_runner() try {
  if (!meter_.charge(Resource::memory_bytes, runner_bytes_)) return nullptr;
  const std::lock_guard lock(mutex_);
  charged_ += runner_bytes_;
  return runners_.emplace_back(std::make_unique<WorkgroupRunner>(dispatch_, shadow_, meter_)).get();
} catch (const std::bad_alloc&) {
  return nullptr;
}

bool Schedule::is_profiled(uint64_t workgroup) const {
  const Profile profile = dispatch_.launch().profile;
  return profile == Profile::all || (profile == Profile::first_workgroup && workgroup == 0);
}

void Schedule::note(uint64_t workgroup, Fault fault) {
  const std::lock_guard lock(mutex_);
  if (workgroup > lowest_fault_) return;
  lowest_fault_ = workgroup;
  fault_ = std::move(fault);
}

}  // namespace heddle::emulator
