// Prints the tables of bench/records/mutations.md: what happens to the mutants of correct kernels.
// Exit status 1 when one that matters is missed. `mutation_table NAME ...` tries only kernels whose
// name contains one of the names. What is missed, and what no launch executes, is named on the
// error output, and with -v what is found by rule only.
#include <algorithm>
#include <array>
#include <cstdio>
#include <string_view>
#include <vector>

#include "trials.h"

namespace heddle::emulator::testing {
namespace {

void print_header(const char* of) {
  std::printf(
      "| %s | mutants | that matter | found | result differs | missed | found by rule only | not "
      "executed |\n|---|---|---|---|---|---|---|---|\n",
      of);
}

void print(std::string_view name, const Score& score) {
  std::printf("| %s |", std::string(name).c_str());
  for (int Score::* const count : Score::counts) std::printf(" %d |", score.*count);
  std::printf("\n");
  std::fflush(stdout);
}

class Table {
 public:
  bool names_rules = false;

  Table() { print_header("kernel"); }

  void add(const std::string& name, const TrialResult& result) {
    Score of_kernel;
    for (std::size_t i = 0; i < result.scores.size(); ++i) {
      of_kernel.add(result.scores[i]);
      of_mistakes_[i].add(result.scores[i]);
    }
    print(name, of_kernel);
    for (const std::string& what : result.missed)
      std::fprintf(stderr, "missed: %s: %s\n", name.c_str(), what.c_str());
    if (names_rules)
      for (const std::string& what : result.by_rule)
        std::fprintf(stderr, "by rule only: %s: %s\n", name.c_str(), what.c_str());
    for (const std::string& what : result.unexecuted)
      std::fprintf(stderr, "not executed: %s: %s\n", name.c_str(), what.c_str());
  }

  // The status to exit with.
  int finish() const {
    std::printf("\n");
    print_header("mistake");
    Score all;
    for (std::size_t i = 0; i < of_mistakes_.size(); ++i) {
      print(mutation_name(static_cast<Mutation>(i)), of_mistakes_[i]);
      all.add(of_mistakes_[i]);
    }
    print("all", all);
    return all.missed == 0 && all.mutants > 0 ? 0 : 1;
  }

 private:
  std::array<Score, mutation_count> of_mistakes_;
};

}  // namespace
}  // namespace heddle::emulator::testing

int main(int count, char** arguments) {
  using namespace heddle::emulator::testing;
  std::vector<std::string_view> names(arguments + 1, arguments + count);
  Table table;
  table.names_rules = std::erase(names, "-v") != 0;
  int status = 0;
  for (auto* trials : {&example_trials, &sharing_trials, &copy_trials, &kernel_trials})
    for (const NamedTrial& trial : trials()) {
      if (!names.empty() && std::ranges::none_of(names, [&](std::string_view name) {
            return trial.name.contains(name);
          }))
        continue;
      const TrialResult result = run(trial.make());
      if (result.problem.empty()) {
        table.add(trial.name, result);
        continue;
      }
      std::fprintf(stderr, "%s: %s\n", trial.name.c_str(), result.problem.c_str());
      status = 2;
    }
  return std::max(status, table.finish());
}
