// Prints the tables of bench/records/ptx_mutations.md: what happens to the mutants of correct PTX.
// `ptx_mutation_table NAME ...` tries only kernels whose name contains one of the names. What is
// missed is named on the error output, with -v also what is found by rule only. Exit status 1 when
// a mutant that matters is missed.
#include <algorithm>
#include <cstdio>
#include <cstring>
#include <set>
#include <string_view>

#include "emulator/ptx/ptx.h"
#include "library/text/formatted.h"
#include "ptx_mutants.h"
#include "ptx_trials.h"

namespace heddle::emulator::testing {
namespace {

// The executions in which a mutant is tried besides the usual one.
std::vector<Execution> executions() {
  using enum Execution::Warps;
  std::vector<Execution> all = {{falling, 0, false}, {rising, 0, true}, {falling, 0, true}};
  for (std::uint32_t seed = 1; seed <= 3; ++seed) all.push_back({random, seed, false});
  all.push_back({random, 4, true});
  return all;
}

struct Score {
  int mutants = 0, relevant = 0, found = 0, differ = 0, missed = 0, by_rule = 0;
  static constexpr int Score::* counts[] = {&Score::mutants, &Score::relevant, &Score::found,
                                            &Score::differ,  &Score::missed,   &Score::by_rule};
  void add(const Score& other) {
    for (int Score::* const count : counts) this->*count += other.*count;
  }
};

class Runner {
 public:
  explicit Runner(const PtxTrial& trial) : launch_(trial.launch), buffers_(trial.buffers) {
    before_ = contents();
    launch_.threads = 1;
    launch_.profile = Profile::none;
    launch_.budget.instructions_per_workgroup = 20'000'000;
  }

  struct Outcome {
    std::vector<std::byte> buffers;
    std::string fault;
    bool operator==(const Outcome&) const = default;
  };

  // Empty, or what is wrong with the original.
  std::string try_original(const std::string& text) {
    const auto module = ptx::Module::parse(text);
    if (!module) return module.error();
    restore();
    const auto report = ptx::run(*module, launch_);
    if (!report) return report.error().text();
    right_ = {contents(), ""};
    for (const InstructionCount& each : report->executed) {
      if (each.line >= executed_.size()) executed_.resize(each.line + 1);
      executed_[each.line] = true;
    }
    // The checker is wrong there or the original is. Mutants are judged by what else they have.
    std::string finding;
    while (is_found(*module, finding)) {
      std::fprintf(stderr, "the original has a finding: %s\n", finding.c_str());
      known_.insert(finding);
    }
    if (!(Outcome{contents(), ""} == right_)) return "the checked run has another result";
    for (const Execution& execution : executions()) {
      if (run(*module, execution) == right_)
        executions_.push_back(execution);
      else
        std::fprintf(
            stderr,
            "an execution of the original (warps %d, seed %u, at once %d) has another result\n",
            static_cast<int>(execution.warps), execution.seed, execution.at_once);
    }
    // A mutant that waits in vain need not do so for long.
    launch_.budget.instructions_per_workgroup = 4 * report->spent + 100'000;
    return {};
  }

  const std::vector<bool>& executed() const { return executed_; }
  std::size_t findings_of_original() const { return known_.size(); }

  bool is_found(const ptx::Module& module, std::string& finding) {
    Launch launch = launch_;
    launch.check = true;
    launch.budget.instructions_per_workgroup *= 4;
    restore();
    const auto report = ptx::run(module, launch);
    if (!report) {
      finding = report.error().message;
      return true;
    }
    for (const Finding& each : report->findings) {
      finding = formatted("{} at {}", finding_kind_name(each.kind), each.place.source);
      if (!known_.contains(finding)) return true;
    }
    return false;
  }
  bool differs(const ptx::Module& module) { return !(run(module, {}) == right_); }
  bool differs_badly(const ptx::Module& module) {
    return std::ranges::any_of(executions_, [&](const Execution& execution) {
      return !(run(module, execution) == right_);
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
  Outcome run(const ptx::Module& module, const Execution& execution) {
    Launch launch = launch_;
    launch.execution = execution;
    restore();
    const auto report = ptx::run(module, launch);
    return {contents(), report ? "" : report.error().message};
  }

  Launch launch_;
  std::vector<std::span<std::byte>> buffers_;
  std::vector<std::byte> before_;
  Outcome right_;
  std::vector<bool> executed_;
  std::vector<Execution> executions_;
  std::set<std::string> known_;  // findings of the original
};

void print_header(const char* of) {
  std::printf(
      "| %s | mutants | that matter | found | result differs | missed | found by rule only |\n"
      "|---|---|---|---|---|---|---|\n",
      of);
}
void print(std::string_view name, const Score& score) {
  std::printf("| %s |", std::string(name).c_str());
  for (int Score::* const count : Score::counts) std::printf(" %d |", score.*count);
  std::printf("\n");
  std::fflush(stdout);
}

// Returns false if the trial could not be made. `noisy`: originals with findings.
bool try_all(const PtxTrial& trial, bool is_verbose, std::vector<Score>& of_kinds,
             std::string& noisy) {
  Runner runner(trial);
  if (std::string problem = runner.try_original(trial.text); !problem.empty()) {
    std::fprintf(stderr, "%s: %s\n", trial.name.c_str(), problem.c_str());
    return false;
  }
  Score all;
  for (const PtxMutant& mutant : ptx_mutants(trial.text, runner.executed())) {
    Score score;
    score.mutants = 1;
    const auto module = ptx::Module::parse(mutant.text);
    if (!module) {
      std::fprintf(stderr, "%s: %s: %s\n", trial.name.c_str(), mutant.what.c_str(),
                   module.error().c_str());
      continue;
    }
    std::string finding;
    const bool is_found = runner.is_found(*module, finding);
    const bool differs = runner.differs(*module);
    score.relevant = differs || runner.differs_badly(*module);
    if (is_found)
      ++(score.relevant != 0 ? score.found : score.by_rule);
    else if (differs)
      score.differ = 1;
    else
      score.missed = score.relevant;
    if (score.missed != 0)
      std::fprintf(stderr, "missed: %s: %s\n", trial.name.c_str(), mutant.what.c_str());
    if (is_verbose && score.differ != 0)
      std::fprintf(stderr, "differs: %s: %s\n", trial.name.c_str(), mutant.what.c_str());
    if (is_verbose && score.by_rule != 0)
      std::fprintf(stderr, "by rule only: %s: %s: %s\n", trial.name.c_str(), mutant.what.c_str(),
                   finding.c_str());
    all.add(score);
    of_kinds[mutant.kind].add(score);
  }
  print(trial.name, all);
  if (runner.findings_of_original() != 0)
    noisy += formatted("{}{} ({})", noisy.empty() ? "" : ", ", trial.name,
                       runner.findings_of_original());
  return true;
}

}  // namespace
}  // namespace heddle::emulator::testing

int main(int count, char** arguments) {
  using namespace heddle::emulator::testing;
  std::vector<std::string_view> names(arguments + 1, arguments + count);
  const bool is_verbose = std::erase(names, "-v") != 0;
  std::vector<Score> of_kinds(ptx_mutation_names().size());
  print_header("kernel");
  bool is_whole = true;
  std::string noisy;
  for (auto* trials : {&recorded_ptx_trials, &compiled_ptx_trials})
    for (const PtxTrial& trial : trials()) {
      if (!names.empty() && std::ranges::none_of(names, [&](std::string_view name) {
            return trial.name.contains(name);
          }))
        continue;
      is_whole = try_all(trial, is_verbose, of_kinds, noisy) && is_whole;
    }
  std::printf("\n");
  print_header("mistake");
  Score all;
  for (std::size_t i = 0; i < of_kinds.size(); ++i) {
    if (of_kinds[i].mutants != 0) print(ptx_mutation_names()[i], of_kinds[i]);
    all.add(of_kinds[i]);
  }
  print("all", all);
  if (!noisy.empty()) std::printf("\nOriginals with findings, by place: %s.\n", noisy.c_str());
  return !is_whole ? 2 : all.missed != 0 || all.mutants == 0 ? 1 : 0;
}
