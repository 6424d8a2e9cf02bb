#include "trial.h"

#include <algorithm>
#include <cstring>

#include "adversary.h"
#include "emulator/decode/program.h"
#include "library/text/formatted.h"

namespace heddle::emulator::testing {
namespace {

// The launch of a trial, run in several ways from the same buffers.
class Runner {
 public:
  explicit Runner(const Launch& launch) : launch_(launch) {
    for (const Argument& argument : launch.arguments)
      if (const auto* buffer = std::get_if<Buffer>(&argument)) buffers_.push_back(buffer->bytes);
    for (const Buffer& buffer : launch.buffers) buffers_.push_back(buffer.bytes);
    before_ = contents();
  }

  // The bytes of all buffers after an execution, or the fault.
  struct Outcome {
    std::vector<std::byte> buffers;
    std::string fault;
    bool is_cut = false;  // the fault is the budget
    bool operator==(const Outcome&) const = default;
  };

  // The original in all ways; empty, or what is wrong with it or with the ways.
  std::string try_original(const CodeObject& object) {
    std::vector<Finding> findings;
    while ((right_ = execute_checked(object, findings)).is_cut && checked_budget_ < 200'000'000)
      checked_budget_ *= 4;
    if (!right_.fault.empty()) return "the original faults: " + right_.fault;
    if (!findings.empty()) return "the original has findings:\n" + findings.front().text("kernel");
    executed_.resize(object.program().instructions().size());
    uint64_t most = 0;
    for (const Schedule& schedule : schedules()) {
      restore();
      const Execution execution = execute(object, launch_, schedule, most_instructions_);
      if (outcome(execution.fault.value_or("")) != right_)
        return "the original has another result in schedule " + std::to_string(schedule.seed) +
               (execution.fault ? ": " + *execution.fault : "");
      for (std::size_t i = 0; i < executed_.size(); ++i)
        if (execution.executed[i]) executed_[i] = true;
      most = std::max(most, execution.instructions);
    }
    // A mutant that waits in vain need not do so for long.
    most_instructions_ = 10 * most + 200'000;
    checked_budget_ *= 4;
    return {};
  }

  const std::vector<bool>& executed() const { return executed_; }
  bool executes(const Mutant& mutant) const { return executed_[mutant.instruction]; }

  bool differs_checked(const CodeObject& object, std::vector<Finding>& findings) const {
    return execute_checked(object, findings) != right_;
  }

  bool differs_badly(const CodeObject& object) const {
    return std::ranges::any_of(schedules(), [&](const Schedule& schedule) {
      restore();
      const Execution execution = execute(object, launch_, schedule, most_instructions_);
      return outcome(execution.fault.value_or("")) != right_;
    });
  }

 private:
  std::vector<std::byte> contents() const {
    std::vector<std::byte> all;
    for (const std::span<std::byte> buffer : buffers_)
      all.insert(all.end(), buffer.begin(), buffer.end());
    return all;
  }

  void restore() const {
    const std::byte* from = before_.data();
    for (const std::span<std::byte> buffer : buffers_) {
      if (!buffer.empty()) std::memcpy(buffer.data(), from, buffer.size());
      from += buffer.size();
    }
  }

  Outcome outcome(std::string fault) const { return {contents(), std::move(fault), false}; }

  Outcome execute_checked(const CodeObject& object, std::vector<Finding>& findings) const {
    restore();
    Launch launch = launch_;
    launch.check = true;
    launch.threads = 1;
    launch.budget.instructions_per_workgroup = checked_budget_;
    const auto report = emulator::run(object, launch);
    if (!report) return outcome(report.error().message);
    findings = report->findings;
    Outcome done = outcome(report->fault ? report->fault->message : "");
    done.is_cut = report->fault && report->fault->kind == FaultKind::budget_spent;
    return done;
  }

  const Launch& launch_;
  std::vector<std::span<std::byte>> buffers_;
  std::vector<std::byte> before_;
  Outcome right_;
  std::vector<bool> executed_;
  uint64_t most_instructions_ = 3'000'000;  // of an adversary's execution
  uint64_t checked_budget_ = 500'000;       // of a workgroup in a checked run
};

// Empty, or what is wrong with the mutant itself.
std::string why_not_mutated(const std::expected<CodeObject, std::string>& object,
                            const Mutant& mutant) {
  if (!object) return mutant.what + ": " + object.error();
  const Program& program = object->program();
  const int32_t index = program.find(mutant.patches.front().address);
  if (index >= 0 && program.text(static_cast<uint32_t>(index)).starts_with(mutant.becomes))
    return {};
  return mutant.what + ": it should become " + mutant.becomes + " and is " +
         (index < 0 ? "nothing" : program.text(static_cast<uint32_t>(index)));
}

void count_unexecuted(TrialResult& result, const CodeObject& object,
                      const std::vector<bool>& executed) {
  std::vector<bool> others = reachable(object, executed);
  for (std::size_t i = 0; i < others.size(); ++i) others[i] = others[i] && !executed[i];
  std::array<std::vector<bool>, mutation_count> seen;
  seen.fill(std::vector<bool>(others.size()));
  std::vector<bool> named(others.size());
  const Program& program = object.program();
  for (const Mutant& mutant : mutants_of(object, others)) {
    const uint32_t at = mutant.instruction;
    const auto kind = static_cast<std::size_t>(mutant.mutation);
    if (seen[kind][at]) continue;
    seen[kind][at] = true;
    ++result.scores[kind].unexecuted;
    if (named[at] || mutant.mutation == Mutation::lds_offset_moved) continue;
    named[at] = true;
    result.unexecuted.push_back(
        formatted("{} at {:#x}", program.text(at), program.addresses()[at]));
  }
}

}  // namespace

TrialResult run(const Trial& trial) {
  TrialResult result;
  const auto original = CodeObject::load(trial.file);
  if (!original) return {original.error(), {}, {}, {}, {}};
  std::vector<Runner> runners;
  std::vector<bool> executed(original->program().instructions().size());
  for (const Launch& launch : trial.launches) {
    Runner& runner = runners.emplace_back(launch);
    if (std::string problem = runner.try_original(*original); !problem.empty())
      return {"launch " + std::to_string(runners.size()) + ": " + problem, {}, {}, {}, {}};
    for (std::size_t i = 0; i < executed.size(); ++i)
      executed[i] = executed[i] || runner.executed()[i];
  }
  count_unexecuted(result, *original, executed);

  for (const Mutant& mutant : mutants_of(*original, executed)) {
    Score& score = result.scores[static_cast<std::size_t>(mutant.mutation)];
    ++score.mutants;
    const auto object = CodeObject::load(patched(trial.file, mutant));
    if (std::string problem = why_not_mutated(object, mutant); !problem.empty())
      return {std::move(problem), {}, {}, {}, {}};
    bool is_found = false, differs = false, is_relevant = false;
    std::string finding;
    for (const Runner& runner : runners) {
      if (!runner.executes(mutant)) continue;
      if (!is_found) {
        std::vector<Finding> findings;
        differs = runner.differs_checked(*object, findings) || differs;
        is_found = !findings.empty();
        if (is_found) finding = findings.front().message;
      }
      is_relevant = is_relevant || differs || runner.differs_badly(*object);
      if (is_found && is_relevant) break;
    }
    score.relevant += is_relevant;
    if (is_found) {
      ++(is_relevant ? score.found : score.by_rule);
      if (!is_relevant) result.by_rule.push_back(mutant.what + "; " + finding);
    } else if (differs) {
      ++score.differ;
    } else if (is_relevant) {
      ++score.missed;
      result.missed.push_back(mutant.what);
    }
  }
  return result;
}

}  // namespace heddle::emulator::testing
