// Kernels that copy between memory and LDS through no register, and one with named barriers.
#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "../kernels.h"
#include "trials.h"

namespace heddle::emulator::testing {
namespace {

constexpr std::size_t most_words = 4096;

struct Memory {
  std::vector<int> x = std::vector<int>(most_words), y = std::vector<int>(most_words, 0x5a5a5a5a);
};

// Each kernel of copies.hip is a trial of its own: what one launch does not execute counts there.
Trial trial_of(const std::string& kernel, uint32_t threads, const std::string& target, int level) {
  auto memory = std::make_shared<Memory>();
  for (std::size_t i = 0; i < most_words; ++i) memory->x[i] = static_cast<int>(3 * i + 1);
  Launch launch;
  launch.kernel = kernel;
  launch.workgroup = {threads, 1, 1};
  Buffer y = buffer(std::span(memory->y), "y");
  y.initialised = false;
  launch.arguments = {buffer(std::span(memory->x), "x"), y};
  return {
      read_file(HEDDLE_SHARING_FOLDER "/copies." + target + ".O" + std::to_string(level) + ".co"),
      {launch},
      memory};
}

}  // namespace

std::vector<NamedTrial> copy_trials() {
  std::vector<NamedTrial> trials;
  const auto add = [&](const std::string& kernel, uint32_t threads, const std::string& target,
                       int level) {
    trials.push_back({kernel + " " + target + " -O" + std::to_string(level),
                      [=] { return trial_of(kernel, threads, target, level); }});
  };
  for (const int level : {3, 0}) {
    for (const std::string target : {"gfx942", "gfx950"}) add("turn_tiles", 128, target, level);
    for (const std::string kernel : {"turn_tiles", "store_tiles", "transfer_tiles"})
      add(kernel, 64, "gfx1250", level);
    add("turn_pairs", 128, "gfx1250", level);
  }
  return trials;
}

}  // namespace heddle::emulator::testing
