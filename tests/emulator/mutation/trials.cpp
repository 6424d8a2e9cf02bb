#include "trials.h"

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

Trial product(const std::string& kernel, const std::string& target, int level, int m, int n, int k,
              uint32_t threads, std::array<uint32_t, 3> grid) {
  auto memory = std::make_shared<ProductMemory>();
  Random random(7);
  memory->a.resize(static_cast<std::size_t>(m) * k);
  memory->b.resize(static_cast<std::size_t>(k) * n);
  memory->c.resize(static_cast<std::size_t>(m) * n);
  for (auto* matrix : {&memory->a, &memory->b})
    for (_Float16& x : *matrix) x = static_cast<_Float16>(random.uniform());
  Buffer c = buffer(std::span(memory->c), "c");
  c.initialised = false;
  Trial trial;
  trial.name = words(kernel, target, level);
  trial.file = example_file(kernel, target, level);
  Launch launch;
  launch.arguments = {buffer(std::span(memory->a), "a"),
                      buffer(std::span(memory->b), "b"),
                      c,
                      value(m),
                      value(n),
                      value(k)};
  launch.workgroup = {threads, 1, 1};
  launch.grid = grid;
  trial.launches = {launch};
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
  out.initialised = false;
  Trial trial;
  trial.name = words("softmax", target, level);
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

std::vector<Trial> example_trials() {
  std::vector<Trial> trials;
  for (const std::string target : {"gfx1151", "gfx1201"}) {
    trials.push_back(product("wmma_tiled", target, 3, 128, 128, 96, 128, {1, 1, 1}));
    trials.push_back(product("wmma_naive", target, 3, 19, 21, 35, 32, {2, 2, 1}));
    trials.push_back(softmax(target, 3));
    trials.push_back(softmax(target, 0));
  }
  return trials;
}

}  // namespace heddle::emulator::testing
