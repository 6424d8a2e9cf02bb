// One kernel put to the test: are the mistakes that matter found?
#pragma once

#include <array>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "emulator/run/run.h"
#include "mutants.h"

namespace heddle::emulator::testing {

struct Trial {
  std::vector<std::byte> file;
  // Together they execute as much of the kernel as they can. A mutant is tried with those that
  // execute it. All buffers are as they are now before each run, and compared after it.
  std::vector<Launch> launches;
  std::shared_ptr<void> memory;  // of the launches
};

// A trial that is not made yet: to make one may take a compilation.
struct NamedTrial {
  std::string name;  // "wmma_tiled gfx1151 -O3"
  std::function<Trial()> make;
};

// Of the mutants of one kind.
struct Score {
  int mutants = 0;
  int relevant = 0;    // another result in some execution that the hardware's rules allow
  int found = 0;       // of those, by a finding of the checker
  int differ = 0;      // of those without a finding: by the result of the plain run
  int missed = 0;      // of those: by neither
  int by_rule = 0;     // with a finding, though no execution tried here shows it
  int unexecuted = 0;  // instructions that could be mutated, and that no launch executes

  void add(const Score& other) {
    for (int Score::* const count : counts) this->*count += other.*count;
  }
  static constexpr int Score::* counts[] = {&Score::mutants,   &Score::relevant, &Score::found,
                                            &Score::differ,    &Score::missed,   &Score::by_rule,
                                            &Score::unexecuted};
};

struct TrialResult {
  std::string problem;  // why the trial could not be made; empty when it could
  std::array<Score, mutation_count> scores;
  std::vector<std::string> missed;
  std::vector<std::string> by_rule;     // with the finding
  std::vector<std::string> unexecuted;  // waits, barriers, cache controls and atomics among them
};

TrialResult run(const Trial& trial);

}  // namespace heddle::emulator::testing
