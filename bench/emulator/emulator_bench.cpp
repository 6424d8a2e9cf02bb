// The emulator on the LDS-tiled product of examples/wmma_tiled.hip, and on a product of 8-bit
// floats that the compiler makes for gfx950: wavefront instructions per second of a core in the
// fastest launch, the time of a 1024 x 1024 x 1024 product on all cores, what checking costs, and
// decoding.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <cstring>
#include <fstream>
#include <iterator>
#include <optional>
#include <string>
#include <vector>

#include "compiler/compile.h"
#include "compiler/launch.h"
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

// A launch and all that it needs.
struct Trial {
  std::optional<CodeObject> object;
  std::vector<std::vector<std::byte>> buffers;
  Launch launch;
  std::string error;

  void load(std::span<const std::byte> bytes) {
    auto loaded = CodeObject::load(bytes);
    if (loaded)
      object.emplace(std::move(*loaded));
    else
      error = loaded.error();
    launch.profile = Profile::none;
  }
};

using MakeTrial = Trial (*)(const std::string& target, int size);

// The product of examples/wmma_tiled.hip.
Trial tiled(const std::string& target, int n) {
  Trial trial;
  trial.load(read_example(target));
  const auto elements = static_cast<std::size_t>(n * n);
  const auto numbers = [&](std::size_t period) {
    std::vector<std::byte> bytes(elements * sizeof(_Float16));
    for (std::size_t i = 0; i < elements; ++i) {
      const auto number =
          static_cast<_Float16>(static_cast<int>(i % period) - static_cast<int>(period / 2));
      std::memcpy(&bytes[i * sizeof number], &number, sizeof number);
    }
    return bytes;
  };
  trial.buffers = {numbers(7), numbers(5), std::vector<std::byte>(elements * sizeof(float))};
  const auto blocks = static_cast<uint32_t>(n + 127) / 128;
  trial.launch.arguments = {Buffer{trial.buffers[0], "a"},
                            Buffer{trial.buffers[1], "b"},
                            Buffer{trial.buffers[2], "c"},
                            value(n),
                            value(n),
                            value(n)};
  trial.launch.grid = {blocks, blocks, 1};
  trial.launch.workgroup = {128, 1, 1};
  return trial;
}

// A product of 8-bit floats as the compiler makes it. All elements are 0.
Trial compiled_fp8(const std::string& target, int n) {
  const std::string size = std::to_string(n) + "x" + std::to_string(n);
  const std::string a = "tensor<" + size + "xf8E4M3FN>", c = "tensor<" + size + "xf32>";
  const std::string text = "func.func @fp8(%a: " + a + ", %b: " + a + ", %c: " + c + ") -> " + c +
                           " {\n  %d = linalg.matmul ins(%a, %b : " + a + ", " + a +
                           ") outs(%c : " + c + ") -> " + c + "\n  return %d : " + c + "\n}\n";
  heddle::compiler::Options options;
  options.target = heddle::instruction::find_target(target)->target;
  const auto made =
      heddle::compiler::compile(text, "fp8", options, heddle::compiler::Stage::object);
  Trial trial;
  if (!made) {
    trial.error = made.error();
    return trial;
  }
  trial.load(std::as_bytes(std::span(made->object)));
  for (const heddle::compiler::Parameter& parameter : made->parameters)
    trial.buffers.emplace_back(parameter.bytes);
  heddle::compiler::bind_launch(*made, made->request.problem, trial.buffers, trial.launch);
  return trial;
}

// `threads`: 1, or 0 for all cores.
void product(benchmark::State& state, MakeTrial make, const std::string& target, int size,
             unsigned threads) {
  Trial trial = make(target, size);
  if (!trial.error.empty()) return state.SkipWithError(trial.error.c_str());
  trial.launch.threads = threads;
  double instructions = 0, products = 0, core_seconds = 1e9;
  for (auto _ : state) {
    const auto report = run(*trial.object, trial.launch);
    if (!report) return state.SkipWithError(report.error().text().c_str());
    instructions = static_cast<double>(report->instructions);
    products = static_cast<double>(report->wmma);
    core_seconds = std::min(core_seconds, report->core_seconds);
    state.SetLabel(report->simd + ", " + std::to_string(report->threads) + " threads");
  }
  state.counters["wave_instructions/s/core"] = instructions / core_seconds;
  state.counters["ns/instruction"] = 1e9 * core_seconds / instructions;
  state.counters["wmma_share"] = products / instructions;
}

// The same with and without the checker, in turn, so that both meet the same weather: the ratio of
// the least processor time of each.
void checked(benchmark::State& state, MakeTrial make, const std::string& target, int size) {
  Trial trial = make(target, size);
  if (!trial.error.empty()) return state.SkipWithError(trial.error.c_str());
  trial.launch.threads = 1;
  double seconds[2] = {1e9, 1e9};
  for (auto _ : state) {
    for (bool check : {false, true}) {
      trial.launch.check = check;
      const auto report = run(*trial.object, trial.launch);
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
  const auto add = [](const std::string& name, auto... what) {
    benchmark::RegisterBenchmark(name.c_str(), what...)
        ->Unit(benchmark::kMillisecond)
        ->UseRealTime();
  };
  for (const std::string target : {"gfx1151", "gfx1201"}) {
    add("tiled_512_one_core/" + target, product, tiled, target, 512, 1);
    add("tiled_1024_all_cores/" + target, product, tiled, target, 1024, 0);
    add("tiled_512_checked/" + target, checked, tiled, target, 512);
    add("decode/" + target, decode, target);
  }
  add("fp8_512_one_core/gfx950", product, compiled_fp8, "gfx950", 512, 1);
  add("fp8_512_checked/gfx950", checked, compiled_fp8, "gfx950", 512);
  return 0;
}();

}  // namespace

BENCHMARK_MAIN();
