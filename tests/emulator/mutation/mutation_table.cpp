// Prints the table of docs/checker.md: what happens to the mutants of correct kernels. Exit status
// 1 when one that matters is missed. `mutation_table NAME ...` tries only kernels whose name
// contains one of the names. What is missed, and what no launch executes, is named on the error
// output.
#include <algorithm>
#include <cstdio>
#include <iterator>
#include <span>
#include <string_view>

#include "trials.h"

namespace heddle::emulator::testing {
namespace {

constexpr const char* row = "| %s | %s | %d | %d | %d | %d | %d | %d | %d |\n";

class Table {
 public:
  Table() {
    std::printf(
        "| kernel | mistake | mutants | that matter | found | result differs | missed | found by "
        "rule only | not executed |\n|---|---|---|---|---|---|---|---|---|\n");
  }

  void add(const std::string& name, const TrialResult& result) {
    for (int i = 0; i < mutation_count; ++i) {
      const Score& score = result.scores[static_cast<std::size_t>(i)];
      if (score.mutants + score.unexecuted == 0) continue;
      print(name.c_str(), mutation_name(static_cast<Mutation>(i)).data(), score,
            static_cast<int>(score.missed.size()));
      for (const std::string& what : score.missed)
        std::fprintf(stderr, "missed: %s: %s\n", name.c_str(), what.c_str());
      missed_ += static_cast<int>(score.missed.size());
      total_.mutants += score.mutants;
      total_.relevant += score.relevant;
      total_.found += score.found;
      total_.differ += score.differ;
      total_.by_rule += score.by_rule;
      total_.unexecuted += score.unexecuted;
    }
    for (const std::string& what : result.unexecuted)
      std::fprintf(stderr, "not executed: %s: %s\n", name.c_str(), what.c_str());
    std::fflush(stdout);
  }

  // The status to exit with.
  int finish() const {
    print("all", "", total_, missed_);
    return missed_ == 0 && total_.mutants > 0 ? 0 : 1;
  }

 private:
  static void print(const char* kernel, const char* mistake, const Score& score, int missed) {
    std::printf(row, kernel, mistake, score.mutants, score.relevant, score.found, score.differ,
                missed, score.by_rule, score.unexecuted);
  }

  Score total_;
  int missed_ = 0;
};

}  // namespace
}  // namespace heddle::emulator::testing

int main(int count, char** arguments) {
  using namespace heddle::emulator::testing;
  const std::span names(arguments + 1, static_cast<std::size_t>(count - 1));
  Table table;
  int status = 0;
  for (auto* trials : {&example_trials, &sharing_trials, &kernel_trials})
    for (const Trial& trial : trials()) {
      if (!names.empty() && std::ranges::none_of(names, [&](std::string_view name) {
            return trial.name.contains(name);
          }))
        continue;
      const TrialResult result = run(trial);
      if (result.problem.empty()) {
        table.add(trial.name, result);
        continue;
      }
      std::fprintf(stderr, "%s: %s\n", trial.name.c_str(), result.problem.c_str());
      status = 2;
    }
  return std::max(status, table.finish());
}
