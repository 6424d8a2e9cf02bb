#include "emulator/ptx/races.h"

#include <algorithm>
#include <bit>
#include <tuple>
#include <utility>

#include "library/text/formatted.h"

namespace heddle::emulator::ptx {
namespace {

using check::Past;

}  // namespace

// --- launch --------------------------------------------------------------------------------------

void Races::begin(const Dispatch& dispatch) {
  if (memory_.is_incomplete() || releases_.is_incomplete())
    unchecked_.insert("accesses that the budget of memory has no room to remember");
  dispatch_ = &dispatch;
  const Meter& meter = dispatch.meter();
  memory_ = check::AccessShadow(
      (meter.limit(Resource::memory_bytes) - meter.used(Resource::memory_bytes)) / 4);
  releases_ = check::Releases(most_releases);
  unchecked_.insert(
      "lanes of one warp that use each other's data in global memory without bar.warp.sync");
  written_.reset();
  if (dispatch.meter().charge(Resource::memory_bytes,
                              check::GlobalShadow::bytes_of(dispatch.memory()))) {
    written_.emplace(dispatch.memory()).clear();
    if (written_->is_empty()) written_.reset();
  } else {
    unchecked_.insert(
        "reads of outputs before they are written, as the budget of memory has no "
        "room to remember them");
  }
  const uint64_t warps = dispatch.clusters() * dispatch.blocks_per_cluster() * dispatch.warps();
  if (warps >= most_actors)
    unchecked_.insert("races between warps, of which there are more than 2^30");
  first_queue_ = static_cast<uint32_t>(std::min<uint64_t>(warps, most_actors));
  queues_.clear();
}

bool Races::is_guess(Race race, uint64_t key, const check::Guesses<Race>::Word& word) {
  if (race.now.update && !race.past.writes && !race.past.atomic) {
    // The earlier one is the load.
    std::swap(race.past, race.now);
    race.instruction = race.past.site;
    race.lanes = 0;
  } else if (race.now.writes || !race.past.update) {
    return false;
  }
  const uint32_t reader = race.now.actor;
  return running_.contains(reader) &&
         guesses_.add(reader, key, {race.now.site, race.now.number, word.bits, race, word.known});
}

void Races::end(uint32_t reader) {
  running_.erase(reader);
  for (const auto& guess : guesses_.end(reader)) add(guess.race);
}

void Races::end() {
  while (!running_.empty()) end(*running_.begin());
}

std::vector<Finding> Races::findings() const {
  using Entry = decltype(found_)::value_type;
  std::vector<const Entry*> sorted;
  for (const Entry& entry : found_) sorted.push_back(&entry);
  std::ranges::sort(sorted, {}, [](const Entry* entry) {
    const auto& met = entry->second;
    return std::tuple(met.block, met.order);
  });
  std::vector<Finding> all;
  for (const Entry* entry : sorted) {
    all.push_back(entry->second.finding);
    all.back().order = static_cast<uint32_t>(all.size());
  }
  return all;
}

std::vector<std::string> Races::unchecked() const {
  std::vector<std::string> all(unchecked_.begin(), unchecked_.end());
  if (memory_.is_incomplete() || releases_.is_incomplete())
    all.push_back("accesses that the budget of memory has no room to remember");
  return all;
}

namespace {

emulator::Place place_of(const Program& program, uint32_t number) {
  const Record& record = program.records[number];
  const Place at = program.place_of(record);
  return {number, program.text_of(record), formatted("PTX:{}:{}", at.line, at.column)};
}

// The number of a warp's block, counted over the launch. `warp`: the number of the warp, counted
// over the launch.
uint64_t block_number(const Dispatch& dispatch, uint32_t warp) { return warp / dispatch.warps(); }
std::array<uint32_t, 3> block_index(const Dispatch& dispatch, uint64_t block) {
  const uint32_t blocks = dispatch.blocks_per_cluster();
  const auto shape = dispatch.cluster();
  const auto rank = static_cast<uint32_t>(block % blocks);
  auto index = dispatch.first_block(block / blocks);
  index[0] += rank % shape[0];
  index[1] += rank / shape[0] % shape[1];
  index[2] += rank / shape[0] / shape[1];
  return index;
}

}  // namespace

// If no store to the address is known, the finding is placed at the kernel's first instruction.
void Races::note_difference(const Dispatch& dispatch, uint64_t address, std::string message) {
  Past last;
  if (const Past* const past = memory_.last_write(address))
    last = *past;
  else
    last.actor = 0;
  last.actor = warp_of(last.actor);
  const auto kind = FindingKind::order_dependent_result;
  const auto [known, is_new] =
      found_.try_emplace({static_cast<uint32_t>(kind), uint32_t{last.site}, 0});
  Met& met = known->second;
  if (is_new) met.order = found_.size();
  met.block = block_number(dispatch, last.actor);
  met.finding.kind = kind;
  met.finding.message = std::move(message);
  met.finding.fix = std::string(description(kind).fix);
  met.finding.place = place_of(dispatch.program(), last.site);
  met.finding.workgroup = block_index(dispatch, met.block);
  met.finding.wave = static_cast<int>(last.actor % dispatch.warps());
}

void Races::note(FindingKind kind, uint32_t site, uint32_t warp, uint32_t lanes,
                 const std::function<std::string()>& message, const char* fix,
                 std::optional<uint32_t> user) {
  const auto [known, is_new] =
      found_.try_emplace({static_cast<uint32_t>(kind), site, user.value_or(0)});
  Met& met = known->second;
  if (!is_new) {
    ++met.finding.count;
    return;
  }
  met.order = found_.size();
  met.block = block_number(*dispatch_, warp);
  met.finding.kind = kind;
  met.finding.message = message();
  met.finding.fix = fix != nullptr ? fix : std::string(description(kind).fix);
  met.finding.place = place_of(dispatch_->program(), site);
  met.finding.workgroup = block_index(*dispatch_, met.block);
  met.finding.wave = static_cast<int>(warp % dispatch_->warps());
  met.finding.lanes = lanes;
  if (user)
    met.finding.related.push_back(
        {"the value is used here", place_of(dispatch_->program(), *user)});
}

void Races::note_pair(FindingKind kind, uint32_t site, uint32_t earlier, uint32_t warp,
                      const std::function<Words()>& words) {
  const auto [known, is_new] = found_.try_emplace({static_cast<uint32_t>(kind), site, earlier});
  Met& met = known->second;
  if (!is_new) {
    ++met.finding.count;
    return;
  }
  met.order = found_.size();
  met.block = block_number(*dispatch_, warp);
  met.finding.kind = kind;
  Words said = words();
  met.finding.message = std::move(said.message);
  met.finding.fix = std::move(said.fix);
  met.finding.place = place_of(dispatch_->program(), site);
  met.finding.workgroup = block_index(*dispatch_, met.block);
  met.finding.wave = static_cast<int>(warp % dispatch_->warps());
  met.finding.related.push_back({std::move(said.role), place_of(dispatch_->program(), earlier)});
}

void Races::add(const Race& race) {
  using enum FindingKind;
  const Dispatch& dispatch = *dispatch_;
  const Program& program = dispatch.program();
  const bool is_one_instruction = !race.past.exists();
  FindingKind kind = race.lacks_proxy_fence ? missing_proxy_fence : conflicting_lanes;
  if (!is_one_instruction && !race.lacks_proxy_fence && race.is_shared)
    kind = !race.now.writes   ? lds_race_read_after_write
           : race.past.writes ? lds_race_write_after_write
                              : lds_race_write_after_read;
  if (!is_one_instruction && !race.lacks_proxy_fence && !race.is_shared)
    kind = !race.now.writes   ? global_race_read_after_write
           : race.past.writes ? global_race_write_after_write
                              : global_race_write_after_read;
  const auto [known, is_new] =
      found_.try_emplace({static_cast<uint32_t>(kind), uint32_t{race.now.site}, race.instruction});
  Met& met = known->second;
  Finding& finding = met.finding;
  // All races of one execution of an instruction with one earlier instruction count once.
  const bool is_same = !is_new && met.actor == race.now.actor && met.number == race.now.number;
  met.actor = race.now.actor;
  met.number = race.now.number;
  if (!is_new) {
    if (!is_same) ++finding.count;
    return;
  }
  const uint64_t block = block_number(dispatch, warp_of(race.now.actor));
  met.block = block;
  met.order = found_.size();
  finding.kind = kind;
  finding.place = place_of(program, race.now.site);
  finding.workgroup = block_index(dispatch, block);
  finding.wave = static_cast<int>(warp_of(race.now.actor) % dispatch.warps());
  finding.lanes = race.lanes;
  const std::string what =
      race.is_shared ? formatted("address {:#x} of shared memory",
                                 static_cast<uint32_t>(race.address) & ((1u << rank_shift) - 1))
                     : dispatch.memory().describe(race.address, 1);
  finding.fix = std::string(description(kind).fix);
  if (is_one_instruction) {
    finding.message =
        formatted("lanes {} and {} store different values to {}", std::countr_zero(race.lanes),
                  31 - std::countl_zero(race.lanes), what);
    return;
  }
  const bool is_of_lanes = race.other_lane >= 0;
  const std::string other =
      is_of_lanes ? formatted("lane {} of its warp", race.other_lane) : who(race.past.actor, block);
  const bool other_writes = race.past.writes;
  finding.message = formatted(
      "{}{} {}, which {} {}{}",
      is_of_lanes ? formatted("lane {} ", std::countr_zero(race.lanes)) : std::string(),
      race.now.writes ? "writes" : "reads", what, other, other_writes ? "writes" : "reads",
      race.lacks_proxy_fence      ? ", and no fence of the async proxy lies between"
      : race.is_lost              ? ": of two stores without order one is lost"
      : queue_of(race.past.actor) ? ", and nothing waits for that before"
                                  : ", and nothing orders the two");
  finding.related.push_back({formatted("{} by {} here", other_writes ? "written" : "read", other),
                             place_of(program, race.past.site)});
  finding.fix = fix_of(race);
}

// Names an actor: "warp 3", "an operation of warp 3 of block (1, 0, 0) that is under way".
std::string Races::who(uint32_t actor, uint64_t block) const {
  const Dispatch& dispatch = *dispatch_;
  const uint32_t warp = warp_of(actor);
  const uint64_t its_block = block_number(dispatch, warp);
  std::string name = formatted("warp {}", warp % dispatch.warps());
  if (its_block != block) {
    const auto [x, y, z] = block_index(dispatch, its_block);
    name += formatted(" of block ({}, {}, {})", x, y, z);
  }
  return queue_of(actor) ? formatted("an asynchronous instruction of {}", name) : name;
}

std::string Races::fix_of(const Race& race) const {
  const Dispatch& dispatch = *dispatch_;
  if (race.lacks_proxy_fence)
    return race.is_shared
               ? "Put fence.proxy.async.shared::cta (in CUDA cuda::ptx::fence_proxy_async) behind "
                 "the stores, in the threads that store and before the barrier."
               : "Put fence.proxy.async.global behind the stores, before what orders the two.";
  if (race.other_lane >= 0) return "Put bar.warp.sync, in CUDA __syncwarp(), between the two.";
  if (race.is_lost)
    return "Use one atomic operation (atom, red) in place of the load and the store.";
  const bool is_same_block = block_number(dispatch, warp_of(race.now.actor)) ==
                             block_number(dispatch, warp_of(race.past.actor));
  if (const Queue* queue = queue_of(race.past.actor)) {
    const std::string wait = [&] {
      switch (queue->engine) {
        case Engine::copy:
          return "cp.async.wait_group (or a wait for the mbarrier of cp.async.mbarrier.arrive)";
        case Engine::load:
        case Engine::message:
          return "mbarrier.try_wait for the phase that counts its bytes";
        case Engine::store:
          return race.past.writes ? "cp.async.bulk.commit_group and .wait_group"
                                  : "cp.async.bulk.commit_group and .wait_group.read";
        case Engine::warpgroup:
          return "wgmma.commit_group and wgmma.wait_group";
        case Engine::tensor:
          return "tcgen05.commit and mbarrier.try_wait";
      }
      return "";
    }();
    return formatted("Put {} between the two; if another thread waits, a barrier behind it.", wait);
  }
  if (is_same_block)
    return race.is_shared || dispatch.warps() > 1
               ? "Put bar.sync, in CUDA __syncthreads(), between the two."
               : std::string(description(FindingKind::global_race_read_after_write).fix);
  if (race.is_shared) return "Put barrier.cluster.arrive and .wait between the two.";
  return "Between blocks: fence.acq_rel.gpu (membar.gl) or .release on the writing side before an "
         "atomic operation or a strong store, and .acquire or a fence behind the read of it.";
}

}  // namespace heddle::emulator::ptx
