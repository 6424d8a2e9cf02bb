#include "emulator/run/run.h"

#include <algorithm>
#include <chrono>
#include <iterator>
#include <new>

#include "emulator/check/checker.h"
#include "emulator/check/other_orders.h"
#include "emulator/decode/opcode_table.h"
#include "emulator/dispatch/dispatch.h"
#include "emulator/record/host_threads.h"
#include "emulator/run/cluster.h"
#include "emulator/run/schedule.h"
#include "emulator/run/workgroup.h"
#include "library/text/formatted.h"

namespace heddle::emulator {
namespace {

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
        profile_(dispatch.object().target(), dispatch.wave()) {}

  void add(const WorkgroupRunner& runner) {
    for (std::size_t i = 0; i < counts_.size(); ++i) counts_[i] += runner.counts()[i];
    profile_.add(runner.profile());
    if (!runner.timeline().waves.empty()) report_.timeline = runner.timeline();
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
    }
    for (const uint32_t i : profile_.lds_instructions())
      if (LdsAccess access = profile_.lds(i); access.issued > 0)
        report_.lds.push_back(placed(std::move(access), i));
    for (const uint32_t i : profile_.global_instructions())
      if (GlobalAccess access = profile_.global(i); access.issued > 0)
        report_.global.push_back(placed(std::move(access), i));
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

// Charges the memory of the run to its budget. Returns the number of host threads for which the
// memory suffices, up to the number asked for. Error: the memory does not suffice for one thread.
std::expected<unsigned, std::string> reserve(const Dispatch& dispatch, Meter& meter) {
  const bool checked = dispatch.launch().check;
  const uint64_t shared =
      dispatch.bytes() + (checked ? check::LaunchShadow::bytes_of(dispatch) : 0);
  const uint64_t each = ClusterRunner::bytes_of(dispatch, checked);
  // What a kernel prints has an order.
  const unsigned asked = dispatch.launch().threads;
  const uint64_t useful =
      std::min<uint64_t>(host_threads(asked == 0 && dispatch.host_calls() != nullptr ? 1 : asked),
                         std::max<uint64_t>(1, dispatch.clusters()));
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

// A checked launch. It may run all workgroups several times: each run knows more about the memory
// that waves share (check/sharing.h), and only the last run counts. (An unchecked launch runs all
// workgroups once.)
class CheckedLaunch {
 public:
  CheckedLaunch(const Dispatch& dispatch, unsigned threads, Meter& meter)
      : dispatch_(dispatch),
        threads_(threads),
        meter_(meter),
        shadow_(dispatch),
        order_log_(dispatch) {
    if (!meter.charge(Resource::memory_bytes, shadow_.sharing.bytes())) shadow_.sharing.keep_none();
  }

  void run() {
    look_for_races();
    shadow_.memory.keep();
  }

  const Schedule& schedule() const { return *schedule_; }

  // Adds the findings to the report, except those of workgroups after a faulting one: which of
  // these have run depends on the number of threads. So the report is the same for every number of
  // threads.
  void add_findings(RunReport& report) {
    check::FindingLog log(dispatch_);
    for (WorkgroupRunner* runner : workgroup_runners(*schedule_))
      log.take(runner->checker()->log());
    log.take(order_log_);
    const uint64_t last = schedule_->last_workgroup();
    const uint32_t last_place = dispatch_.cluster_workgroups() - 1;
    report.findings = log.finish(
        last < dispatch_.clusters() ? dispatch_.workgroup_of_cluster(last, last_place) : last);
    const auto is_note = [](const Finding& finding) { return description(finding.kind).is_note; };
    std::ranges::copy_if(report.findings, std::back_inserter(report.notes), is_note);
    std::erase_if(report.findings, is_note);
    report.unchecked = std::move(unchecked_);
    report.core_seconds = core_seconds_;
    if (!schedule_->fault()) return;
    report.fault = schedule_->fault();
    report.findings.push_back(finding_of(*schedule_->fault()));
    report.findings.back().order =
        static_cast<uint32_t>(report.findings.size() + report.notes.size());
  }

 private:
  void look_for_races() {
    using enum check::Sharing::Look;
    for (const check::Sharing::Look look : {lines, words, none}) {
      if (look == none && !meter_.charge(Resource::memory_bytes, check::LaunchShadow::races_bytes))
        return unchecked_.push_back(
            formatted("races in global memory; {}", meter_.message(Resource::memory_bytes)));
      run_until_all_is_looked_at(look);
      const check::Sharing& sharing = shadow_.sharing;
      if (!sharing.has_copies() && (sharing.is_shared() || sharing.must_restart()))
        return unchecked_.push_back(
            "races in global memory, as the buffers are too large to be kept for a second run");
      if (look == none || !sharing.is_shared()) break;
      shadow_.sharing.restore();
    }
    if (!shadow_.races && !unordered_in_lds()) return;
    if (shadow_.races)
      if (const std::string_view what = shadow_.races->incomplete(); !what.empty())
        unchecked_.push_back(formatted("all races in global memory: {}", what));
    if (!shadow_.sharing.has_copies())
      unchecked_.push_back(
          "other orders of the waves, as the buffers are too large to be kept for a second run");
    else if (!schedule_->fault())
      try_other_orders();
  }

  // Of the lowest workgroup that has one.
  const check::LdsOrder::Unordered* unordered_in_lds() const {
    const check::LdsOrder::Unordered* lowest = nullptr;
    for (WorkgroupRunner* runner : workgroup_runners(*schedule_))
      if (const auto* found = runner->checker()->unordered_in_lds();
          found && (!lowest || found->workgroup < lowest->workgroup))
        lowest = found;
    return lowest;
  }

  void run_until_all_is_looked_at(check::Sharing::Look look) {
    for (;;) {
      shadow_.begin(look);
      dispatch_.printed().clear();
      if (dispatch_.host_calls()) dispatch_.host_calls()->clear();
      schedule_ = std::make_unique<Schedule>(
          clusters_of(dispatch_, shadow_.races ? 1 : threads_, &shadow_, meter_));
      schedule_->run();
      core_seconds_ += schedule_->core_seconds();
      if (!shadow_.sharing.must_restart() || !shadow_.sharing.has_copies()) return;
      shadow_.sharing.restore();
    }
  }

  // Compares the results of other orders of the waves. Waves that share nothing behave alike in
  // every order. Other waves should give the same result in every order too. If some instruction is
  // executed more or less often in another order, as in waves that wait for each other, that order
  // is checked too.
  void try_other_orders() {
    for (WorkgroupRunner* runner : workgroup_runners(*schedule_))
      if (runner->checker()->log().has_errors()) return;
    dispatch_.printed().close();
    const auto counts = counts_of(*schedule_);
    std::vector<WorkgroupOrder> other_counts;
    const check::OrderDependence found = check::try_other_orders(
        dispatch_.memory(), {.executed = schedule_->executed(),
                             .adds_floats = adds_floats(),
                             .restore = [&] { shadow_.sharing.restore(); },
                             .run =
                                 [&](WorkgroupOrder order, uint64_t most) {
                                   Schedule other(clusters_of(dispatch_, 1, nullptr, meter_, order),
                                                  order);
                                   other.limit(most);
                                   other.run();
                                   core_seconds_ += other.core_seconds();
                                   if (counts_of(other) != counts) other_counts.push_back(order);
                                   using enum check::OtherRuns::End;
                                   return other.was_cut() || other.fault() ? cut : whole;
                                 }});
    std::ranges::copy(found.unchecked, std::back_inserter(unchecked_));
    if (found.difference) note_difference(*found.difference);
    if (other_counts.empty() || !shadow_.races) return;
    const check::BufferContents results(dispatch_.memory());
    for (const WorkgroupOrder order : other_counts)
      if (!order_log_.has_errors()) follow(order);
    results.put_back();
  }

  // How often each instruction was executed.
  static std::vector<uint64_t> counts_of(const Schedule& schedule) {
    std::vector<uint64_t> sum;
    for (const WorkgroupRunner* runner : workgroup_runners(schedule)) {
      sum.resize(runner->counts().size());
      for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += runner->counts()[i];
    }
    return sum;
  }

  void follow(WorkgroupOrder order) {
    shadow_.sharing.restore();
    shadow_.begin(check::Sharing::Look::none);
    Schedule other(clusters_of(dispatch_, 1, &shadow_, meter_, order), order);
    other.limit(2 * schedule_->executed() + 1'000'000);
    other.run();
    core_seconds_ += other.core_seconds();
    for (WorkgroupRunner* runner : workgroup_runners(other))
      order_log_.take(runner->checker()->log());
  }

  // Reports that the result depends on the order. The finding is at the load of LDS that may or may
  // not see a store. Without such a load, the finding is at the last store to the differing byte;
  // if no store is known, at the kernel's entry.
  void note_difference(const check::OrderDependence::Difference& difference) {
    if (const auto* pair = unordered_in_lds(); pair && !shadow_.races) {
      order_log_.start(pair->workgroup);
      order_log_.add(
          {FindingKind::order_dependent_result, pair->load, static_cast<int>(pair->loading_wave),
           0},
          {{formatted("written by wave {} here", pair->storing_wave), pair->store}}, [&] {
            return check::FindingLog::Words{
                formatted("reads LDS address {:#x}, which wave {} writes, and nothing orders the "
                          "two: {} holds another value when the waves run {}",
                          pair->address, pair->storing_wave,
                          dispatch_.memory().describe(difference.address, 1), difference.how),
                "Put a barrier between the two; volatile orders nothing."};
          });
      return;
    }
    const check::Past* const past = shadow_.races->last_write(difference.address);
    const uint32_t waves = dispatch_.waves_per_workgroup();
    const uint32_t actor = past ? past->actor : 0, site = past ? uint32_t{past->site} : 0;
    order_log_.start(actor / waves);
    order_log_.add(
        {FindingKind::order_dependent_result, site, static_cast<int>(actor % waves), 0}, {},
        [&] { return check::FindingLog::Words{difference.text(dispatch_.memory()), {}}; });
  }

  bool adds_floats() const {
    const Program& program = dispatch_.program();
    for (const WorkgroupRunner* runner : workgroup_runners(*schedule_))
      for (uint32_t i = 0; i < runner->counts().size(); ++i)
        if (const std::string_view name = program.mnemonic(i);
            runner->counts()[i] > 0 && name.contains("atomic_") &&
            (name.contains("add_f") || name.contains("add_bf") || name.contains("add_rtn_f")))
          return true;
    return false;
  }

  const Dispatch& dispatch_;
  unsigned threads_;
  Meter& meter_;
  check::LaunchShadow shadow_;
  std::unique_ptr<Schedule> schedule_;
  std::vector<std::string> unchecked_;
  check::FindingLog order_log_;
  double core_seconds_ = 0;
};

RunReport report_of(const Dispatch& dispatch, const Schedule& schedule) {
  ReportBuilder builder(dispatch);
  for (const WorkgroupRunner* runner : workgroup_runners(schedule)) builder.add(*runner);
  RunReport report = builder.finish();
  report.core_seconds = schedule.core_seconds();
  return report;
}

void keep_printed(const Dispatch& dispatch) {
  if (dispatch.launch().printed != nullptr) *dispatch.launch().printed = dispatch.printed().text();
}

std::expected<RunReport, Fault> run_to_the_end(const CodeObject& object, const Launch& launch) {
  auto dispatch = Dispatch::prepare(object, launch);
  if (!dispatch) return std::unexpected(dispatch.error());
  const auto begin = std::chrono::steady_clock::now();
  Meter meter(launch.budget, launch.spent);
  const auto reserved = reserve(**dispatch, meter);
  if (!reserved) return refused(launch, reserved.error());
  const unsigned threads = *reserved;
  RunReport report;
  if (launch.check) {
    CheckedLaunch checked(**dispatch, threads, meter);
    checked.run();
    keep_printed(**dispatch);
    report = report_of(**dispatch, checked.schedule());
    checked.add_findings(report);
  } else {
    Schedule schedule(clusters_of(**dispatch, threads, nullptr, meter));
    schedule.run();
    keep_printed(**dispatch);
    if (schedule.fault()) return std::unexpected(*schedule.fault());
    report = report_of(**dispatch, schedule);
  }
  report.spent = meter.used(Resource::instructions);
  report.threads = threads;
  report.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  return report;
}

}  // namespace

std::optional<Fault> check_launch(const CodeObject& object, const Launch& launch) {
  const auto dispatch = Dispatch::prepare(object, launch);
  return dispatch ? std::nullopt : std::optional(dispatch.error());
}

// Every large allocation is made before the first thread starts, so a failed one is caught here.
std::expected<RunReport, Fault> run(const CodeObject& object, const Launch& launch) try {
  return run_to_the_end(object, launch);
} catch (const std::bad_alloc&) {
  return refused(launch,
                 "the host has no memory left for the registers, LDS and scratch of this launch; "
                 "fewer threads of the host need less");
}

}  // namespace heddle::emulator
