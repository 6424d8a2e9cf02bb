// How long the program takes to answer: whole processes, from spawning to exit, beside a program
// of C++ that does nothing. `times_empty` is the ratio of the two, which is what a machine under
// load still tells; `page_faults` are those of one process.
#include <benchmark/benchmark.h>
#include <fcntl.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include <algorithm>
#include <chrono>
#include <string>
#include <vector>

extern char** environ;

namespace {

using Words = std::vector<std::string>;

/// One process with its output thrown away: seconds, and page faults; negative where it failed.
struct Cost {
  double seconds;
  long page_faults;
};

Cost spawn(const Words& words, int wanted_status) {
  std::vector<char*> arguments;
  for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
  posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  const auto start = std::chrono::steady_clock::now();
  pid_t process = 0;
  int status = -1;
  rusage usage{};
  const bool ran =
      posix_spawn(&process, arguments[0], &actions, nullptr, arguments.data(), environ) == 0 &&
      wait4(process, &status, 0, &usage) == process;
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
  posix_spawn_file_actions_destroy(&actions);
  const bool right = ran && WIFEXITED(status) && WEXITSTATUS(status) == wanted_status;
  return {right ? elapsed.count() : -1, usage.ru_minflt};
}

double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

/// Alternates with the empty program, so that both see the same load.
void answer(benchmark::State& state, const Words& words, int wanted_status) {
  std::vector<double> here, empty;
  long page_faults = 0;
  for (auto _ : state) {
    const Cost cost = spawn(words, wanted_status);
    const Cost nothing = spawn({HEDDLE_EMPTY_PROGRAM}, 0);
    if (cost.seconds < 0 || nothing.seconds < 0)
      return state.SkipWithError(("failed: " + words.back()).c_str());
    state.SetIterationTime(cost.seconds);
    here.push_back(cost.seconds);
    empty.push_back(nothing.seconds);
    page_faults = cost.page_faults;
  }
  state.counters["median_ms"] = 1e3 * median(here);
  state.counters["longest_ms"] = 1e3 * *std::max_element(here.begin(), here.end());
  state.counters["times_empty"] = median(here) / median(empty);
  state.counters["page_faults"] = static_cast<double>(page_faults);
}

const auto registered = [] {
  struct Query {
    const char* name;
    Words words;
    int status = 0;
  };
  const std::string wmma = "v_wmma_f32_16x16x16_f16", mfma = "v_mfma_f32_32x32x1_2b_f32";
  const std::vector<Query> queries{
      {"list", {"list"}},
      {"list_json", {"list", "--format", "json"}},
      {"show", {"show", wmma}},
      {"show_json", {"show", wmma, "--operand", "A", "--format", "json"}},
      {"show_mfma_svg", {"show", mfma, "--arch", "gfx942", "--format", "svg"}},
      {"get", {"get", wmma, "--operand", "D", "--at", "3,7"}},
      {"typo", {"show", "v_wmma_f32_16x16x16_f61"}, 2},
      {"help", {"--help"}},
      {"run_code_object", {"run", HEDDLE_EXAMPLE_KERNEL, HEDDLE_EXAMPLE_LAUNCH}},
      {"compile_plan", {"compile", HEDDLE_EXAMPLE_MATMUL, "--emit", "plan"}},
  };
  for (const Query& query : queries) {
    Words words{HEDDLE_PROGRAM};
    words.insert(words.end(), query.words.begin(), query.words.end());
    benchmark::RegisterBenchmark(query.name, answer, words, query.status)
        ->UseManualTime()
        ->Unit(benchmark::kMillisecond);
  }
  return 0;
}();

}  // namespace

BENCHMARK_MAIN();
