// How many accesses of shared memory the bank model counts a second, on one core.
//
// Accesses as a search for layouts tries them, of random rows: each benchmark goes through 256 of
// one kind. `free` is an access without conflicts, `random` has many, `broadcast` few words for all
// lanes.
#include <benchmark/benchmark.h>

#include <array>
#include <random>
#include <string>
#include <vector>

#include "heddle/memory/banks.h"
#include "heddle/memory/conflict_report.h"

namespace {

using namespace heddle;
using memory::Access;
using memory::BankModel;

enum class Pattern { free, random, broadcast };

using Addresses = std::array<std::uint32_t, 64>;

std::vector<Addresses> accesses(Pattern pattern, int bytes) {
  std::mt19937 random(1);
  std::vector<Addresses> list(256);
  for (Addresses& addresses : list) {
    const std::uint32_t start = random() % 64;
    for (std::uint32_t lane = 0; lane < addresses.size(); ++lane) {
      const std::uint32_t number = pattern == Pattern::free     ? start + lane
                                   : pattern == Pattern::random ? random() % 2048
                                                                : start + lane / 16;
      addresses[lane] = number * static_cast<std::uint32_t>(bytes);
    }
  }
  return list;
}

void count(benchmark::State& state, instruction::Target target, Pattern pattern, int bytes,
           bool explained) {
  const BankModel model = memory::bank_model(target);
  const std::vector<Addresses> list = accesses(pattern, bytes);
  std::int64_t counted = 0;
  int extra = 0;
  for (auto _ : state) {
    for (const Addresses& addresses : list) {
      const Access access{
          .bytes = bytes,
          .address = std::span(addresses).first(static_cast<std::size_t>(model.wave))};
      if (explained)
        benchmark::DoNotOptimize(extra += memory::explain(model, access).cost().extra_passes);
      else
        benchmark::DoNotOptimize(extra += memory::extra_passes(model, access));
    }
    counted += static_cast<std::int64_t>(list.size());
  }
  state.SetItemsProcessed(counted);
}

void add(instruction::Target target) {
  constexpr std::array names{"free", "random", "broadcast"};
  for (const int bytes : {4, 8, 16})
    for (const Pattern pattern : {Pattern::free, Pattern::random, Pattern::broadcast}) {
      const std::string name = std::string(instruction::name(target)) + "/" +
                               std::to_string(bytes) + "_bytes/" +
                               names[static_cast<std::size_t>(pattern)];
      benchmark::RegisterBenchmark(("cost/" + name).c_str(), count, target, pattern, bytes, false);
    }
  const std::string name = "explain/" + std::string(instruction::name(target)) + "/16_bytes/random";
  benchmark::RegisterBenchmark(name.c_str(), count, target, Pattern::random, 16, true);
}

}  // namespace

int main(int argc, char** argv) {
  for (const auto target :
       {instruction::Target::gfx1151, instruction::Target::gfx950, instruction::Target::sm_90})
    add(target);
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 1;
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
