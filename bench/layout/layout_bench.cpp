// The algebra's speed, beside that of Triton's C++ LinearLayout.
//
// Three layouts as compilers meet them: the accumulator of m16n8k16 tiled to 128x128 on 4 warps, a
// blocked 128x64 and a swizzled shared 128x64. Each row reports its time, the heap allocations of
// one call (must be 0), and how many times faster it is than the constants below: the figures
// quoted for Triton's LinearLayout built with clang-22 -O3 on another day. Nothing here measures
// Triton.
#include <benchmark/benchmark.h>

#include <array>
#include <cstdlib>
#include <ctime>
#include <new>
#include <string>

#include "heddle/layout/layout.h"

namespace {
std::size_t allocations = 0;
}

void* operator new(std::size_t size) {
  ++allocations;
  if (void* memory = std::malloc(size)) return memory;
  throw std::bad_alloc();
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }

namespace {

using namespace heddle::layout;

// Nanoseconds quoted for Triton's LinearLayout, for one call; the faster one where two were.
constexpr double triton_compose = 1400;
constexpr double triton_invert = 5000;
constexpr double triton_invert_and_compose = 4800;
constexpr double triton_product = 2300;
constexpr double triton_apply = 160;
constexpr double triton_masks = 700;

// A layout, a shared-memory layout of the same shape to load it from, and the two factors of which
// the layout is the product.
struct Case {
  const char* name;
  const char* layout;
  const char* shared;
  const char* atom;
  const char* tiling;
};

constexpr Case cases[] = {
    {"accumulator_128x128",
     "register: (0,1) (8,0) (0,8) (0,16) (0,32) (32,0) (64,0); "
     "lane: (0,2) (0,4) (1,0) (2,0) (4,0); warp: (16,0) (0,64) -> dim0: 128, dim1: 128",
     "offset: (0,1) (0,2) (0,4) (0,8) (0,16) (0,32) (0,64) (1,8) (2,16) (4,32) (8,0) (16,0) (32,0) "
     "(64,0) -> dim0: 128, dim1: 128",
     "register: (0,1) (8,0); lane: (0,2) (0,4) (1,0) (2,0) (4,0) -> dim0: 16, dim1: 8",
     "register: (0,1) (0,2) (0,4) (2,0) (4,0); warp: (1,0) (0,8) -> dim0: 8, dim1: 16"},
    {"blocked_128x64",
     "register: (0,1) (0,2) (0,4) (16,0) (32,0) (64,0); "
     "lane: (0,8) (0,16) (0,32) (1,0) (2,0); warp: (4,0) (8,0) -> dim0: 128, dim1: 64",
     "offset: (0,1) (0,2) (0,4) (0,8) (0,16) (0,32) (1,8) (2,16) (4,32) (8,0) (16,0) (32,0) (64,0) "
     "-> dim0: 128, dim1: 64",
     "register: (0,1) (0,2) (0,4); lane: (0,8) (0,16) (0,32) (1,0) (2,0) -> dim0: 4, dim1: 64",
     "register: (4) (8) (16); warp: (1) (2) -> dim0: 32"},
    {"swizzled_shared_128x64",
     "offset: (0,1) (0,2) (0,4) (0,8) (0,16) (0,32) (1,8) (2,16) (4,32) (8,0) (16,0) (32,0) (64,0) "
     "-> dim0: 128, dim1: 64",
     "offset: (0,1) (0,2) (0,4) (0,8) (0,16) (0,32) (1,0) (2,0) (4,0) (8,8) (16,16) (32,32) (64,0) "
     "-> dim0: 128, dim1: 64",
     "offset: (0,1) (0,2) (0,4) (0,8) (0,16) (0,32) (1,8) (2,16) (4,32) -> dim0: 8, dim1: 64",
     "offset: (1) (2) (4) (8) -> dim0: 16"},
};

// Runs the operation and reports what the file's head promises, in processor time.
template <class Operation>
void measure(benchmark::State& state, double triton_nanoseconds, Operation operation) {
  const std::size_t before = allocations;
  benchmark::DoNotOptimize(operation());
  const std::size_t per_call = allocations - before;
  if (per_call != 0) return state.SkipWithError("the operation allocates; it must not");
  const std::clock_t begin = std::clock();
  for (auto _ : state) benchmark::DoNotOptimize(operation());
  const double seconds = static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
  state.counters["allocations"] = static_cast<double>(per_call);
  state.counters["times_triton"] =
      triton_nanoseconds * 1e-9 * static_cast<double>(state.iterations()) / seconds;
}

// Hides that a layout is known, so that no call is folded away.
template <class... Layouts>
void hide(Layouts&... layouts) {
  (benchmark::DoNotOptimize(&layouts), ...);
  benchmark::ClobberMemory();
}

// Points that differ from call to call: no branch can learn them.
std::array<Coordinates, 64> random_points(const LinearLayout& layout) {
  std::array<Coordinates, 64> points;
  std::uint64_t index = 0;
  for (Coordinates& point : points) {
    index += 0x9e3779b97f4a7c15u;
    point = layout.inputs().unpack(index >> 20);
  }
  return points;
}

void register_case(const Case& item) {
  const LinearLayout layout = parse(item.layout).value();
  const LinearLayout shared = parse(item.shared).value();
  const LinearLayout to_offset = invert(shared).value();
  const LinearLayout atom = parse(item.atom).value();
  const LinearLayout tiling = parse(item.tiling).value();
  if (!(product(atom, tiling).value() == layout)) std::abort();

  const auto add = [&](const char* operation, auto function) {
    benchmark::RegisterBenchmark((std::string(operation) + "/" + item.name).c_str(), function);
  };
  add("compose", [=](benchmark::State& state) {
    measure(state, triton_compose, [&] {
      hide(layout, to_offset);
      return compose(layout, to_offset);
    });
  });
  add("invert", [=](benchmark::State& state) {
    measure(state, triton_invert, [&] {
      hide(layout);
      return invert(layout);
    });
  });
  add("invert_and_compose", [=](benchmark::State& state) {
    measure(state, triton_invert_and_compose, [&] {
      hide(layout, shared);
      return invert_and_compose(layout, shared);
    });
  });
  add("product", [=](benchmark::State& state) {
    measure(state, triton_product, [&] {
      hide(atom, tiling);
      return product(atom, tiling);
    });
  });
  add("apply", [=](benchmark::State& state) {
    std::uint64_t index = 0;
    measure(state, triton_apply, [&] {
      hide(layout);
      index += 0x9e3779b97f4a7c15u;  // as random_points
      return layout.apply(index);
    });
  });
  add("apply_named", [=, points = random_points(layout)](benchmark::State& state) {
    std::size_t next = 0;
    measure(state, triton_apply, [&] {
      hide(layout, points);
      next = (next + 1) & 63;
      return layout.apply(points[next]);
    });
  });
  add("free_variable_masks", [=](benchmark::State& state) {
    measure(state, triton_masks, [&] {
      hide(layout);
      return free_variable_masks(layout);
    });
  });
}

}  // namespace

int main(int argc, char** argv) {
  for (const Case& item : cases) register_case(item);
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
  return 0;
}
