#include "emulator/launch.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <ctime>
#include <map>
#include <mutex>
#include <new>
#include <thread>

#include "emulator/check/checker.h"
#include "emulator/decode/opcode_table.h"
#include "emulator/formatted.h"
#include "emulator/machine/dispatch.h"
#include "emulator/machine/float_mode.h"
#include "emulator/machine/workgroup.h"

namespace heddle::emulator {
namespace {

// Processor time of this thread; 0 where the system does not tell.
double thread_seconds() {
#if defined(CLOCK_THREAD_CPUTIME_ID)
  timespec now;
  if (clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now) == 0)
    return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
#endif
  return 0;
}

// The workgroups of a launch, handed out in rising order to the threads of the host.
class Schedule {
 public:
  Schedule(const Dispatch& dispatch, unsigned threads, Meter& meter) : dispatch_(dispatch) {
    if (dispatch.launch().check) shadow_ = std::make_unique<check::LaunchShadow>(dispatch);
    for (unsigned i = 0; i < threads; ++i)
      runners_.push_back(std::make_unique<WorkgroupRunner>(dispatch, shadow_.get(), meter));
  }

  void run() {
    std::vector<std::thread> threads;
    for (std::size_t i = 1; i < runners_.size(); ++i)
      threads.emplace_back([this, i] { work(*runners_[i], false); });
    work(*runners_[0], true);
    for (std::thread& thread : threads) thread.join();
  }

  const std::optional<Fault>& fault() const { return fault_; }
  // The one that faulted, or a number above all.
  uint64_t last_workgroup() const { return lowest_fault_; }
  double core_seconds() const { return core_seconds_; }
  const std::vector<std::unique_ptr<WorkgroupRunner>>& runners() const { return runners_; }

 private:
  void work(WorkgroupRunner& runner, bool reports) {
    const double begin = thread_seconds();
    run_workgroups(runner, reports);
    const std::lock_guard lock(mutex_);
    core_seconds_ += thread_seconds() - begin;
  }

  void run_workgroups(WorkgroupRunner& runner, bool reports) {
    const FloatModeScope scope;
    const uint64_t total = dispatch_.workgroups();
    for (;;) {
      const uint64_t workgroup = next_++;
      // Workgroups below the faulting one still run: the lowest fault is the one reported.
      if (workgroup >= total || workgroup > lowest_fault_) return;
      if (auto fault = runner.run(workgroup, profiled(workgroup))) {
        note(workgroup, std::move(*fault));
        return;
      }
      const uint64_t done = ++done_;
      if (reports && dispatch_.launch().progress) dispatch_.launch().progress(done, total);
    }
  }

  bool profiled(uint64_t workgroup) const {
    const Profile profile = dispatch_.launch().profile;
    return profile == Profile::all || (profile == Profile::first_workgroup && workgroup == 0);
  }

  void note(uint64_t workgroup, Fault fault) {
    const std::lock_guard lock(mutex_);
    if (workgroup > lowest_fault_) return;
    lowest_fault_ = workgroup;
    fault_ = std::move(fault);
  }

  const Dispatch& dispatch_;
  std::unique_ptr<check::LaunchShadow> shadow_;
  std::vector<std::unique_ptr<WorkgroupRunner>> runners_;
  std::atomic<uint64_t> next_ = 0, done_ = 0;
  std::atomic<uint64_t> lowest_fault_ = ~uint64_t{0};
  std::mutex mutex_;
  std::optional<Fault> fault_;
  double core_seconds_ = 0;
};

std::vector<OpcodeCount> opcodes_of(const Program& program, const std::vector<uint64_t>& counts) {
  std::vector<uint64_t> by_mnemonic(program.mnemonic_count());
  for (uint32_t i = 0; i < counts.size(); ++i) by_mnemonic[program.mnemonic_number(i)] += counts[i];
  std::vector<OpcodeCount> opcodes;
  for (uint32_t i = 0; i < counts.size(); ++i) {
    uint64_t& count = by_mnemonic[program.mnemonic_number(i)];
    if (count > 0) opcodes.push_back({std::string(program.mnemonic(i)), count});
    count = 0;
  }
  std::ranges::sort(opcodes, [](const OpcodeCount& a, const OpcodeCount& b) {
    return a.count != b.count ? a.count > b.count : a.mnemonic < b.mnemonic;
  });
  return opcodes;
}

class ReportBuilder {
 public:
  explicit ReportBuilder(const Dispatch& dispatch)
      : dispatch_(dispatch),
        counts_(dispatch.program().instructions().size()),
        profile_(dispatch.object().target(), dispatch.wave(), counts_.size()) {}

  void add(const WorkgroupRunner& runner) {
    for (std::size_t i = 0; i < counts_.size(); ++i) counts_[i] += runner.counts()[i];
    profile_.add(runner.profile());
    const Counters& c = runner.counters();
    report_.barriers += c.barriers;
    report_.global_bytes_read += c.global_bytes_read;
    report_.global_bytes_written += c.global_bytes_written;
    report_.lds_bytes_read += c.lds_bytes_read;
    report_.lds_bytes_written += c.lds_bytes_written;
    report_.scratch_bytes += c.scratch_bytes;
  }

  RunReport finish() {
    const Program& program = dispatch_.program();
    for (uint32_t i = 0; i < counts_.size(); ++i) {
      report_.instructions += counts_[i];
      if (program.is_matrix(i)) report_.wmma += counts_[i];
      if (counts_[i] > 0)
        report_.executed.push_back({program.addresses()[i] - dispatch_.kernel().entry, counts_[i]});
      if (LdsAccess access = profile_.lds(i); access.issued > 0)
        report_.lds.push_back(placed(std::move(access), i));
      if (GlobalAccess access = profile_.global(i); access.issued > 0)
        report_.global.push_back(placed(std::move(access), i));
    }
    report_.opcodes = opcodes_of(program, counts_);
    report_.workgroups = dispatch_.workgroups();
    report_.waves = dispatch_.workgroups() * dispatch_.waves_per_workgroup();
    const Profile profile = dispatch_.launch().profile;
    report_.profiled_workgroups = profile == Profile::none  ? 0
                                  : profile == Profile::all ? dispatch_.workgroups()
                                                            : 1;
    report_.simd = simd_level();
    return std::move(report_);
  }

 private:
  template <class Access>
  Access placed(Access access, uint32_t i) const {
    const Program& program = dispatch_.program();
    const uint64_t address = program.addresses()[i];
    access.program_counter = address - dispatch_.kernel().entry;
    access.instruction = program.text(i);
    access.source = dispatch_.object().source_line(address);
    return access;
  }

  const Dispatch& dispatch_;
  std::vector<uint64_t> counts_;
  AccessProfile profile_;
  RunReport report_;
};

// Takes the memory of the run from its budget. Returns with how many threads of the host it runs:
// no more than there is memory for; or why there is none for one.
std::expected<unsigned, std::string> reserve(const Dispatch& dispatch, Meter& meter) {
  const bool checked = dispatch.launch().check;
  const uint64_t shared =
      dispatch.bytes() + (checked ? check::LaunchShadow::bytes_of(dispatch) : 0);
  const uint64_t each = WorkgroupRunner::bytes_of(dispatch, checked);
  const unsigned chosen = dispatch.launch().threads;
  const uint64_t wanted = chosen ? chosen : std::max(1u, std::thread::hardware_concurrency());
  const uint64_t useful =
      std::min({wanted, std::max<uint64_t>(1, dispatch.workgroups()), uint64_t{1024}});
  if (meter.charge(Resource::memory_bytes, shared))
    for (uint64_t threads = useful; threads > 0; --threads)
      if (meter.charge(Resource::memory_bytes, threads * each))
        return static_cast<unsigned>(threads);
  return std::unexpected(formatted(
      "kernel {} needs {} bytes of the host and {} for each workgroup that runs at a time, {} of "
      "them for the scratch of its {} lanes; {}",
      dispatch.kernel().name, shared, each,
      dispatch.scratch_bytes() * dispatch.waves_per_workgroup() *
          static_cast<uint64_t>(dispatch.wave()),
      dispatch.waves_per_workgroup() * static_cast<uint64_t>(dispatch.wave()),
      meter.message(Resource::memory_bytes)));
}

std::unexpected<Fault> refused(const Launch& launch, std::string message) {
  Fault fault;
  fault.kind = FaultKind::bad_launch;
  fault.kernel = launch.kernel;
  fault.message = std::move(message);
  return std::unexpected(std::move(fault));
}

// Of the workgroups above a fault, some have run and some have not: what they found is left out, so
// that the report does not depend on the number of threads.
void add_findings(RunReport& report, const Dispatch& dispatch, const Schedule& schedule) {
  check::FindingLog log(dispatch);
  for (const auto& runner : schedule.runners()) log.take(runner->checker()->log());
  report.findings = log.finish(schedule.last_workgroup());
  if (!schedule.fault()) return;
  report.fault = schedule.fault();
  report.findings.push_back(finding_of(*schedule.fault()));
}

std::expected<RunReport, Fault> run_to_the_end(const CodeObject& object, const Launch& launch) {
  auto dispatch = Dispatch::prepare(object, launch);
  if (!dispatch) return std::unexpected(dispatch.error());
  const auto begin = std::chrono::steady_clock::now();
  Meter meter(launch.budget);
  const auto reserved = reserve(**dispatch, meter);
  if (!reserved) return refused(launch, reserved.error());
  const unsigned threads = *reserved;
  Schedule schedule(**dispatch, threads, meter);
  schedule.run();
  const bool checked = (*dispatch)->launch().check;
  if (schedule.fault() && !checked) return std::unexpected(*schedule.fault());
  ReportBuilder builder(**dispatch);
  for (const auto& runner : schedule.runners()) builder.add(*runner);
  RunReport report = builder.finish();
  report.threads = threads;
  if (checked) add_findings(report, **dispatch, schedule);
  report.core_seconds = schedule.core_seconds();
  report.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  return report;
}

}  // namespace

std::optional<Fault> check_launch(const CodeObject& object, const Launch& launch) {
  const auto dispatch = Dispatch::prepare(object, launch);
  return dispatch ? std::nullopt : std::optional(dispatch.error());
}

// Every large allocation is made before the first thread starts, so this is where one that fails
// arrives.
std::expected<RunReport, Fault> run(const CodeObject& object, const Launch& launch) try {
  return run_to_the_end(object, launch);
} catch (const std::bad_alloc&) {
  return refused(launch,
                 "the host has no memory left for the registers, LDS and scratch of this launch; "
                 "fewer threads of the host need less");
}

}  // namespace heddle::emulator
