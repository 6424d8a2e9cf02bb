#include "emulator/run/cluster.h"

#include <algorithm>

namespace heddle::emulator {
namespace {

// The limits of the memory and of the number of suspended clusters, over all host threads.
constexpr uint64_t residents_bytes = uint64_t{256} << 20;
constexpr uint64_t most_residents = 512;

}  // namespace

ClusterRunner::ClusterRunner(const Dispatch& dispatch, check::LaunchShadow* shadow, Meter& meter,
                             WorkgroupOrder order)
    : dispatch_(dispatch), places_(order, dispatch.cluster_workgroups()) {
  for (uint32_t i = 0; i < dispatch.cluster_workgroups(); ++i)
    workgroups_.push_back(
        std::make_unique<WorkgroupRunner>(dispatch, shadow, meter, order, state_));
}

uint64_t ClusterRunner::bytes_of(const Dispatch& dispatch, bool checked) {
  return dispatch.cluster_workgroups() * WorkgroupRunner::bytes_of(dispatch, checked);
}

void ClusterRunner::start(uint64_t number, bool profile) {
  state_.barrier = {.members = dispatch_.cluster_workgroups()};
  state_.clocks.start();
  ended_.assign(workgroups_.size(), false);
  const bool all = dispatch_.launch().profile == Profile::all;
  for (uint32_t i = 0; i < workgroups_.size(); ++i)
    workgroups_[i]->start(dispatch_.workgroup_of_cluster(number, i), profile && (all || i == 0));
}

// Also returns when one of the workgroups gives way, since this workgroup may wait for a workgroup
// of another cluster.
Runner::Outcome ClusterRunner::run(uint64_t longest, uint64_t most) {
  for (;;) {
    bool progress = false, all_ended = true, gives_way = false;
    for (uint32_t i = 0; i < workgroups_.size(); ++i) {
      const uint64_t place = places_.workgroup_at(i);
      WorkgroupRunner& workgroup = *workgroups_[place];
      if (ended_[place]) continue;
      if (workgroup.waits_for_cluster()) {
        all_ended = false;
        continue;
      }
      progress = true;
      const Outcome outcome = workgroup.run(longest, most);
      if (outcome == Outcome::faulted) {
        fault_ = workgroup.fault();
        return outcome;
      }
      ended_[place] = outcome == Outcome::ended;
      all_ended = all_ended && ended_[place];
      gives_way = gives_way || (!ended_[place] && !workgroup.waits_for_cluster());
    }
    if (all_ended) return Outcome::ended;
    if (gives_way) return Outcome::waits;
    if (progress) continue;
    const auto waiting = std::ranges::find(ended_, false) - ended_.begin();
    fault_ = workgroups_[static_cast<std::size_t>(waiting)]->barrier_fault();
    return Outcome::faulted;
  }
}

Schedule::Work clusters_of(const Dispatch& dispatch, unsigned threads, check::LaunchShadow* shadow,
                           Meter& meter, WorkgroupOrder order) {
  const uint64_t bytes = ClusterRunner::bytes_of(dispatch, shadow != nullptr);
  const uint64_t most = std::min(most_residents, residents_bytes / std::max<uint64_t>(1, bytes));
  return {
      .launch = dispatch.launch(),
      .meter = meter,
      .count = dispatch.clusters(),
      .threads = threads,
      .bytes = bytes,
      .bytes_left = 0,
      .most = std::max<std::size_t>(1, most / threads),
      .patience = ~uint64_t{0},  // each workgroup has its own
      .make = [&dispatch, shadow, &meter,
               order] { return std::make_unique<ClusterRunner>(dispatch, shadow, meter, order); },
      .is_stopped = [shadow] { return shadow != nullptr && shadow->is_stopped(); }};
}

std::vector<WorkgroupRunner*> workgroup_runners(const Schedule& schedule) {
  std::vector<WorkgroupRunner*> found;
  for (const ClusterRunner& cluster : schedule.runners<ClusterRunner>())
    for (const auto& workgroup : cluster.workgroups()) found.push_back(workgroup.get());
  return found;
}

}  // namespace heddle::emulator
