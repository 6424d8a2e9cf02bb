// The emulator on the LDS-tiled product of examples/wmma_tiled.hip: wavefront instructions per
// second of a core in the fastest launch, the time of a 1024 x 1024 x 1024 product on all cores,
// what checking costs, and of decoding.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <fstream>
#include <iterator>

#include "emulator/run/run.h"

namespace {

using namespace heddle::emulator;

std::vector<std::byte> read_example(const std::string& target) {
  const std::string path = std::string(HEDDLE_EXAMPLE_FOLDER) + "/wmma_tiled." + target + ".O3.co";
  std::ifstream file(path, std::ios::binary);
  const std::string text((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  const auto* first = reinterpret_cast<const std::byte*>(text.data());
  return {first, first + text.size()};
}

struct Product {
  int size;
  std::vector<_Float16> a, b;
  std::vector<float> c;
  Launch launch;

  explicit Product(int n, unsigned threads) : size(n) {
    const auto elements = static_cast<std::size_t>(n) * n;
    a.resize(elements);
    b.resize(elements);
    c.resize(elements);
    for (std::size_t i = 0; i < elements; ++i) {
      a[i] = static_cast<_Float16>(static_cast<float>(i % 7) - 3);
      b[i] = static_cast<_Float16>(static_cast<float>(i % 5) - 2);
    }
    launch.arguments = {buffer(std::span(a), "a"),
                        buffer(std::span(b), "b"),
                        buffer(std::span(c), "c"),
                        value(n),
                        value(n),
                        value(n)};
    launch.grid = {static_cast<uint32_t>(n + 127) / 128, static_cast<uint32_t>(n + 127) / 128, 1};
    launch.workgroup = {128, 1, 1};
    launch.threads = threads;
    launch.profile = Profile::none;
  }
};

// `threads`: 1, or 0 for all cores.
void product(benchmark::State& state, const std::string& target, int size, unsigned threads) {
  const auto bytes = read_example(target);
  const auto object = CodeObject::load(bytes);
  if (!object) return state.SkipWithError(object.error().message.c_str());
  Product p(size, threads);
  double instructions = 0, wmma = 0, core_seconds = 1e9;
  for (auto _ : state) {
    const auto report = run(*object, p.launch);
    if (!report) return state.SkipWithError(report.error().text().c_str());
    instructions = static_cast<double>(report->instructions);
    wmma = static_cast<double>(report->wmma);
    core_seconds = std::min(core_seconds, report->core_seconds);
    state.SetLabel(report->simd + ", " + std::to_string(report->threads) + " threads");
  }
  state.counters["wave_instructions/s/core"] = instructions / core_seconds;
  state.counters["ns/instruction"] = 1e9 * core_seconds / instructions;
  state.counters["wmma_share"] = wmma / instructions;
}

// The same product with and without the checker, in turn, so that both meet the same weather: the
// ratio of the least processor time of each.
void checked(benchmark::State& state, const std::string& target, int size) {
  const auto bytes = read_example(target);
  const auto object = CodeObject::load(bytes);
  if (!object) return state.SkipWithError(object.error().message.c_str());
  Product p(size, 1);
  double seconds[2] = {1e9, 1e9};
  for (auto _ : state) {
    for (bool check : {false, true}) {
      p.launch.check = check;
      const auto report = run(*object, p.launch);
      if (!report) return state.SkipWithError(report.error().text().c_str());
      if (!report->findings.empty())
        return state.SkipWithError(report->findings.front().text("").c_str());
      seconds[check] = std::min(seconds[check], report->core_seconds);
    }
  }
  state.counters["checked/plain"] = seconds[1] / seconds[0];
}

void decode(benchmark::State& state, const std::string& target) {
  const auto bytes = read_example(target);
  for (auto _ : state) benchmark::DoNotOptimize(CodeObject::load(bytes));
}

const auto registered = [] {
  for (const char* target : {"gfx1151", "gfx1201"}) {
    const std::string name = target;
    benchmark::RegisterBenchmark(("tiled_512_one_core/" + name).c_str(), product, name, 512, 1)
        ->Unit(benchmark::kMillisecond)
        ->UseRealTime();
    benchmark::RegisterBenchmark(("tiled_1024_all_cores/" + name).c_str(), product, name, 1024, 0)
        ->Unit(benchmark::kMillisecond)
        ->UseRealTime();
    benchmark::RegisterBenchmark(("tiled_512_checked/" + name).c_str(), checked, name, 512)
        ->Unit(benchmark::kMillisecond)
        ->UseRealTime();
    benchmark::RegisterBenchmark(("decode/" + name).c_str(), decode, name)
        ->Unit(benchmark::kMillisecond);
  }
  return 0;
}();

}  // namespace

BENCHMARK_MAIN();
