// What a further launch of a loaded kernel costs, by the C interface: one workgroup of 256 threads
// adds two vectors, so that next to nothing of the time is emulation.
#include <benchmark/benchmark.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "heddle/run.h"

namespace {

constexpr int threads = 256;

std::string file(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

void or_end(bool is_right) {
  if (is_right) return;
  std::fprintf(stderr, "%s\n", heddle_error());
  std::exit(1);
}

/// `arrays`: how many are named, of which the kernel uses three. `host`: threads of it.
void launch(benchmark::State& state, const char* target, const std::string& code, unsigned flags,
            std::size_t arrays, unsigned workgroups, unsigned host) {
  heddle_device* const device = heddle_open(target);
  or_end(device != nullptr);
  heddle_module* const module = heddle_load(device, code.data(), code.size(), nullptr);
  or_end(module != nullptr);
  heddle_kernel* const kernel = heddle_find_kernel(module, "add");
  or_end(kernel != nullptr);
  const std::size_t elements = std::size_t{threads} * workgroups;
  std::vector<std::vector<float>> all(arrays, std::vector<float>(elements, 1));
  std::vector<heddle_memory> memory;
  for (std::vector<float>& each : all)
    memory.push_back({each.data(), elements * sizeof(float), "x", HEDDLE_WRITABLE});
  struct {
    const float *x, *y;
    float* z;
    int n;
  } arguments{all[0].data(), all[1].data(), all[2].data(), static_cast<int>(elements)};
  heddle_launch asked{};
  asked.size = sizeof asked;
  asked.grid[0] = workgroups;
  asked.grid[1] = asked.grid[2] = asked.block[1] = asked.block[2] = 1;
  asked.block[0] = threads;
  asked.flags = flags;
  asked.threads = host;
  asked.arguments = &arguments;
  asked.argument_bytes = offsetof(decltype(arguments), n) + sizeof arguments.n;
  asked.memory = memory.data();
  asked.memory_count = memory.size();
  for (auto _ : state) {
    heddle_run* const run = heddle_run_kernel(kernel, &asked);
    or_end(run != nullptr && heddle_run_finished(run) && heddle_finding_count(run) == 0);
    heddle_free_run(run);
  }
  if (all[2].back() != 2) std::exit(1);
  heddle_unload(module);
  heddle_close(device);
}

}  // namespace

int main(int count, char** arguments) {
  benchmark::Initialize(&count, arguments);
  for (const std::string target : {"gfx942", "gfx1201", "sm_80"}) {
    const std::string code =
        file(target == "sm_80" ? HEDDLE_LAUNCH_PTX : HEDDLE_LAUNCH_FOLDER "/add." + target + ".co");
    for (const bool checked : {false, true})
      for (const auto& [name, arrays, workgroups, host] :
           {std::tuple("", std::size_t{3}, 1u, 0u),
            std::tuple("/1000_arrays", std::size_t{1000}, 1u, 0u),
            std::tuple("/64_workgroups", std::size_t{3}, 64u, 0u),
            std::tuple("/64_workgroups_on_1_thread", std::size_t{3}, 64u, 1u)})
        benchmark::RegisterBenchmark((target + (checked ? "/check" : "") + name).c_str(),
                                     [=](benchmark::State& state) {
                                       launch(state, target.c_str(), code,
                                              checked ? HEDDLE_CHECK : 0, arrays, workgroups, host);
                                     })
            ->Unit(benchmark::kMicrosecond);
  }
  benchmark::RunSpecifiedBenchmarks();
}
