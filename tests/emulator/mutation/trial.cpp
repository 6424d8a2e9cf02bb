#include "trial.h"

#include <algorithm>

#include "adversary.h"

namespace heddle::emulator::testing {
namespace {

constexpr std::byte garbage{0xa5};

class Runner {
 public:
  explicit Runner(const Trial& trial) : trial_(trial) {}

  // The bytes of the output after an execution, or the fault.
  struct Outcome {
    std::vector<std::byte> output;
    std::string fault;
    bool operator==(const Outcome&) const = default;
  };

  Outcome execute_badly(const CodeObject& object, const Schedule& schedule,
                        std::vector<bool>* executed = nullptr) const {
    std::ranges::fill(trial_.output, garbage);
    const Execution execution = execute(object, trial_.launch, schedule);
    if (executed) *executed = execution.executed;
    return outcome(execution.fault.value_or(""));
  }

  Outcome execute_checked(const CodeObject& object, std::vector<Finding>& findings) const {
    std::ranges::fill(trial_.output, garbage);
    Launch launch = trial_.launch;
    launch.check = true;
    launch.threads = 1;
    launch.budget.instructions_per_workgroup = 3'000'000;
    const auto report = emulator::run(object, launch);
    if (!report) return outcome(report.error().message);
    findings = report->findings;
    return outcome(report->fault ? report->fault->message : "");
  }

 private:
  Outcome outcome(std::string fault) const {
    return {{trial_.output.begin(), trial_.output.end()}, std::move(fault)};
  }
  const Trial& trial_;
};

}  // namespace

TrialResult run(const Trial& trial) {
  TrialResult result;
  const auto original = CodeObject::load(trial.file);
  if (!original) return {original.error().message, {}};
  const Runner runner(trial);
  std::vector<Finding> findings;
  const Runner::Outcome right = runner.execute_checked(*original, findings);
  if (!right.fault.empty()) return {"the original faults: " + right.fault, {}};
  if (!findings.empty())
    return {"the original has findings:\n" + findings.front().text(trial.name), {}};
  std::vector<bool> executed;
  for (const Schedule& schedule : schedules())
    if (runner.execute_badly(*original, schedule, &executed) != right)
      return {"the original has another result in schedule " + std::to_string(schedule.seed), {}};

  for (const Mutant& mutant : mutants_of(*original, executed)) {
    Score& score = result.scores[static_cast<std::size_t>(mutant.mutation)];
    ++score.mutants;
    const auto object = CodeObject::load(patched(trial.file, mutant));
    if (!object) return {mutant.what + ": " + object.error().message, {}};
    findings.clear();
    const Runner::Outcome plain = runner.execute_checked(*object, findings);
    const bool relevant = plain != right || std::ranges::any_of(schedules(), [&](const auto& s) {
                            return runner.execute_badly(*object, s) != right;
                          });
    score.relevant += relevant;
    if (!findings.empty())
      ++(relevant ? score.found : score.by_rule);
    else if (plain != right)
      ++score.differ;
    else if (relevant)
      score.missed.push_back(mutant.what);
  }
  return result;
}

}  // namespace heddle::emulator::testing
