// Prints the table of docs/checker.md: what happens to the mutants of correct kernels. Exit status
// 1 when one that matters is missed. `mutation_table NAME` tries only kernels whose name contains
// NAME.
#include <algorithm>
#include <cstdio>
#include <cstring>

#include "trials.h"

int main(int count, char** arguments) {
  using namespace heddle::emulator::testing;
  std::printf(
      "| kernel | mistake | mutants | that matter | found | result differs | missed | found by "
      "rule "
      "only |\n|---|---|---|---|---|---|---|---|\n");
  int missed = 0;
  Score total;
  std::vector<OwnedTrial> trials = example_trials();
  std::ranges::move(kernel_trials(), std::back_inserter(trials));
  for (const OwnedTrial& owned : trials) {
    const Trial& trial = owned.trial;
    if (count > 1 && trial.name.find(arguments[1]) == std::string::npos) continue;
    const TrialResult result = run(trial);
    if (!result.problem.empty()) {
      std::fprintf(stderr, "%s: %s\n", trial.name.c_str(), result.problem.c_str());
      return 2;
    }
    for (int i = 0; i < mutation_count; ++i) {
      const Score& score = result.scores[static_cast<std::size_t>(i)];
      if (score.mutants == 0) continue;
      std::printf("| %s | %s | %d | %d | %d | %d | %zu | %d |\n", trial.name.c_str(),
                  std::string(mutation_name(static_cast<Mutation>(i))).c_str(), score.mutants,
                  score.relevant, score.found, score.differ, score.missed.size(), score.by_rule);
      for (const std::string& what : score.missed)
        std::fprintf(stderr, "missed: %s: %s\n", trial.name.c_str(), what.c_str());
      missed += static_cast<int>(score.missed.size());
      total.mutants += score.mutants;
      total.relevant += score.relevant;
      total.found += score.found;
      total.differ += score.differ;
      total.by_rule += score.by_rule;
    }
    std::fflush(stdout);
  }
  std::printf("| all | | %d | %d | %d | %d | %d | %d |\n", total.mutants, total.relevant,
              total.found, total.differ, missed, total.by_rule);
  return missed == 0 ? 0 : 1;
}
