#include "trials.h"

#include <algorithm>
#include <deque>

#include "../kernels.h"

namespace heddle::emulator::testing {
namespace {

std::vector<std::byte> example_file(const std::string& kernel, const std::string& target,
                                    int level) {
  return read_file(std::string(HEDDLE_EXAMPLE_FOLDER) + "/" + kernel + "." + target + ".O" +
                   std::to_string(level) + ".co");
}

std::string words(const std::string& kernel, const std::string& target, int level) {
  return kernel + " " + target + " -O" + std::to_string(level);
}

struct ProductMemory {
  std::vector<_Float16> a, b;
  std::vector<float> c;
};

struct ProductSize {
  int m, n, k;
};

// `tile`: rows and columns of C of one workgroup.
Trial product(const std::string& kernel, const std::string& target, int level, uint32_t threads,
              int tile, std::initializer_list<ProductSize> sizes) {
  auto memory = std::make_shared<std::deque<ProductMemory>>();
  Random random(7);
  Trial trial;
  trial.file = example_file(kernel, target, level);
  for (const auto& [m, n, k] : sizes) {
    ProductMemory& matrices = memory->emplace_back();
    matrices.a.resize(static_cast<std::size_t>(m) * k);
    matrices.b.resize(static_cast<std::size_t>(k) * n);
    matrices.c.resize(static_cast<std::size_t>(m) * n);
    for (auto* matrix : {&matrices.a, &matrices.b})
      for (_Float16& x : *matrix) x = static_cast<_Float16>(random.uniform());
    Buffer c = buffer(std::span(matrices.c), "c");
    std::ranges::fill(c.bytes, std::byte{0xa5});
    c.initialised = false;
    Launch launch;
    launch.arguments = {buffer(std::span(matrices.a), "a"),
                        buffer(std::span(matrices.b), "b"),
                        c,
                        value(m),
                        value(n),
                        value(k)};
    launch.workgroup = {threads, 1, 1};
    launch.grid = {static_cast<uint32_t>((n + tile - 1) / tile),
                   static_cast<uint32_t>((m + tile - 1) / tile), 1};
    trial.launches.push_back(launch);
  }
  trial.memory = memory;
  return trial;
}

struct SoftmaxMemory {
  std::vector<float> in, out;
};

Trial softmax(const std::string& target, int level) {
  constexpr int rows = 3, columns = 75;
  auto memory = std::make_shared<SoftmaxMemory>();
  Random random(9);
  memory->in.resize(rows * columns);
  memory->out.resize(rows * columns);
  for (float& x : memory->in) x = 4 * random.uniform();
  Buffer out = buffer(std::span(memory->out), "out");
  std::ranges::fill(out.bytes, std::byte{0xa5});
  out.initialised = false;
  Trial trial;
  trial.file = example_file("softmax", target, level);
  Launch launch;
  launch.arguments = {buffer(std::span(memory->in), "in"), out, value(rows), value(columns)};
  launch.workgroup = {64, 1, 1};
  launch.grid = {2, 1, 1};
  trial.launches = {launch};
  trial.memory = memory;
  return trial;
}

}  // namespace

std::vector<NamedTrial> example_trials() {
  std::vector<NamedTrial> trials;
  for (const std::string target : {"gfx1151", "gfx1201"}) {
    trials.push_back({words("wmma_tiled", target, 3), [=] {
                        return product("wmma_tiled", target, 3, 128, 128,
                                       {{128, 128, 96}, {75, 67, 50}});
                      }});
    trials.push_back({words("wmma_naive", target, 3),
                      [=] { return product("wmma_naive", target, 3, 32, 16, {{19, 21, 35}}); }});
    for (const int level : {3, 0})
      trials.push_back({words("softmax", target, level), [=] { return softmax(target, level); }});
  }
  return trials;
}

}  // namespace heddle::emulator::testing
