// How long a matmul takes to become a code object or PTX: `process` from spawning `heddle compile`
// to its exit, `warm` in a process that has compiled before. Medians: `wall_ms`, and `cpu_ms`, the
// time on the processor (user and system), which other processes on the machine change least. Of
// warm compilations also each step's wall time. `instructions`, those in user mode, where the
// kernel lets a process count them; else the counter is missing.
#include <benchmark/benchmark.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <string>
#include <vector>

#include "compiler/compile.h"
#include "runtime/files/files.h"

extern char** environ;

namespace {

using namespace heddle;

double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

std::string product_text(int size) {
  const std::string square = std::to_string(size) + "x" + std::to_string(size) + "x";
  const std::string in = "tensor<" + square + "f16>", out = "tensor<" + square + "f32>";
  return "func.func @matmul(%a: " + in + ", %b: " + in + ") -> " + out +
         " {\n  %zero = arith.constant 0.0 : f32\n  %empty = tensor.empty() : " + out +
         "\n  %init = linalg.fill ins(%zero : f32) outs(%empty : " + out + ") -> " + out +
         "\n  %d = linalg.matmul ins(%a, %b : " + in + ", " + in + ") outs(%init : " + out +
         ") -> " + out + "\n  return %d : " + out + "\n}\n";
}

/// Counts instructions of this process and of those it spawns. Source: perf_event_open(2).
class InstructionCounter {
 public:
  InstructionCounter() {
    perf_event_attr attributes{};
    attributes.size = sizeof attributes;
    attributes.type = PERF_TYPE_HARDWARE;
    attributes.config = PERF_COUNT_HW_INSTRUCTIONS;
    attributes.inherit = 1;
    attributes.exclude_kernel = 1;
    attributes.exclude_hv = 1;
    file_ = static_cast<int>(syscall(SYS_perf_event_open, &attributes, 0, -1, -1, 0));
  }
  ~InstructionCounter() {
    if (file_ >= 0) close(file_);
  }
  InstructionCounter(const InstructionCounter&) = delete;
  InstructionCounter& operator=(const InstructionCounter&) = delete;

  bool counts() const { return file_ >= 0; }
  double read() const {
    std::uint64_t count = 0;
    return file_ >= 0 && ::read(file_, &count, sizeof count) == sizeof count
               ? static_cast<double>(count)
               : 0;
  }

 private:
  int file_ = -1;
};

double cpu_seconds(int who) {
  rusage usage{};
  getrusage(who, &usage);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

struct Samples {
  std::vector<double> wall, cpu, instructions;
  void report(benchmark::State& state, bool counted) const {
    state.counters["wall_ms"] = 1e3 * median(wall);
    state.counters["cpu_ms"] = 1e3 * median(cpu);
    if (counted) state.counters["instructions"] = median(instructions);
  }
};

/// Runs `work` once, and false where it failed.
bool sample(Samples& samples, const InstructionCounter& counter, int who, auto&& work) {
  const double instructions = counter.read(), cpu = cpu_seconds(who);
  const auto begin = std::chrono::steady_clock::now();
  const bool good = work();
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - begin;
  samples.wall.push_back(elapsed.count());
  samples.cpu.push_back(cpu_seconds(who) - cpu);
  samples.instructions.push_back(counter.read() - instructions);
  return good;
}

bool spawn(const std::string& file, const std::string& target) {
  std::vector<std::string> words{HEDDLE_PROGRAM, "compile", file, "--target", target,
                                 "--emit",       "object",  "-o", "/dev/null"};
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  pid_t process = 0;
  int status = -1;
  return posix_spawn(&process, arguments[0], nullptr, nullptr, arguments.data(), environ) == 0 &&
         waitpid(process, &status, 0) == process && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

void process(benchmark::State& state, const std::string& target, int size) {
  std::string file = "/tmp/heddle_compile_bench_XXXXXX";
  const int handle = mkstemp(file.data());
  if (handle < 0) return state.SkipWithError("no file in /tmp");
  close(handle);
  if (const auto written = runtime::write_file(file, product_text(size)); !written)
    return state.SkipWithError(written.error().c_str());
  const InstructionCounter counter;
  Samples samples;
  for (auto _ : state) {
    if (!sample(samples, counter, RUSAGE_CHILDREN, [&] { return spawn(file, target); }))
      state.SkipWithError("heddle compile failed");
    state.SetIterationTime(samples.wall.back());
  }
  unlink(file.c_str());
  samples.report(state, counter.counts());
}

void warm(benchmark::State& state, const std::string& target, int size) {
  const std::string text = product_text(size);
  const compiler::Options options{.target = instruction::find_processor(target)->target};
  const InstructionCounter counter;
  Samples samples;
  std::map<std::string, std::vector<double>> steps;
  const auto once = [&](bool kept) {
    const auto made = compiler::compile(text, "matmul.mlir", options, compiler::Stage::object);
    if (!made) return false;
    for (const compiler::Timing& timing : made->timings)
      if (kept) steps[timing.step].push_back(1e-3 * static_cast<double>(timing.time.count()));
    return true;
  };
  once(false);
  for (auto _ : state) {
    if (!sample(samples, counter, RUSAGE_SELF, [&] { return once(true); }))
      state.SkipWithError("the compilation failed");
    state.SetIterationTime(samples.wall.back());
  }
  samples.report(state, counter.counts());
  for (const auto& [step, times] : steps) state.counters[step + "_ms"] = median(times);
}

const auto registered = [] {
  for (const std::string target : {"gfx1151", "gfx1201", "sm_80", "sm_90a"}) {
    for (const int size : {64, 512, 4096}) {
      const std::string name = target + "/" + std::to_string(size);
      for (const bool is_warm : {false, true}) {
        benchmark::RegisterBenchmark(((is_warm ? "warm/" : "process/") + name).c_str(),
                                     is_warm ? &warm : &process, target, size)
            ->UseManualTime()
            ->Iterations(21)
            ->Unit(benchmark::kMillisecond);
      }
    }
  }
  return 0;
}();

}  // namespace

BENCHMARK_MAIN();
