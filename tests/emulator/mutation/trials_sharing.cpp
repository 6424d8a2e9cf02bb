// Kernels whose workgroups tell each other something through global memory, and one whose waves
// change the same words of LDS.
#include "../kernels.h"
#include "trials.h"

namespace heddle::emulator::testing {
namespace {

enum class Fill { drawn, zero, garbage };

struct ArrayForm {
  std::string name;
  std::size_t count;
  Fill fill;
};

// One fixture of tests/kernels/pitfalls, or exchange_loop.hip, and a small launch of it. Sums are
// of integers, so that their order makes no difference.
struct Form {
  std::string file, kernel;
  std::array<uint32_t, 3> grid;
  uint32_t threads;
  std::vector<ArrayForm> arrays;
  std::vector<int> numbers;  // arguments behind the arrays
};

const std::vector<Form>& forms() {
  using enum Fill;
  static const std::vector<Form> all = {
      {"split_k",
       "multiply",
       {1, 4, 1},
       64,
       {{"a", 8, drawn},
        {"b", 8 * 64, drawn},
        {"parts", 4 * 64, garbage},
        {"tickets", 1, zero},
        {"c", 64, garbage}},
       {8}},
      {"look_back",
       "scan",
       {3, 1, 1},
       32,
       {{"x", 96, drawn},
        {"sums", 3, garbage},
        {"prefixes", 3, garbage},
        {"states", 3, zero},
        {"y", 96, garbage}},
       {}},
      {"last_workgroup_without_fence",
       "sum_rows",
       {3, 1, 1},
       64,
       {{"x", 192, drawn}, {"parts", 192, garbage}, {"tickets", 1, zero}, {"y", 64, garbage}},
       {3}},
      {"last_workgroup_ordinary_ticket",
       "sum_rows",
       {3, 1, 1},
       64,
       {{"x", 192, drawn}, {"parts", 192, garbage}, {"tickets", 1, zero}, {"y", 64, garbage}},
       {3}},
      {"histogram", "count", {3, 1, 1}, 64, {{"x", 192, drawn}, {"y", 64, zero}}, {}},
      {"flag_not_awaited",
       "hand_over",
       {2, 1, 1},
       64,
       {{"x", 64, drawn}, {"between", 64, zero}, {"flag", 1, zero}, {"y", 64, garbage}},
       {}},
      {"barrier_of_workgroups",
       "turn_twice",
       {3, 1, 1},
       64,
       {{"x", 192, drawn},
        {"between", 192, garbage},
        {"arrived", 1, zero},
        {"phase", 1, zero},
        {"y", 192, garbage}},
       {3}},
      {"exchange_loop", "subtract", {2, 1, 1}, 128, {{"x", 256, drawn}, {"y", 32, garbage}}, {}},
      {"barrier_without_store_wait",
       "turn",
       {2, 1, 1},
       64,
       {{"x", 128, drawn}, {"between", 128, garbage}, {"y", 128, garbage}},
       {}},
  };
  return all;
}

Trial trial_of(const Form& form, const std::string& target, int level) {
  auto memory = std::make_shared<std::vector<std::vector<int>>>();
  Random random(5);
  Launch launch;
  launch.kernel = form.kernel;
  launch.grid = form.grid;
  launch.workgroup = {form.threads, 1, 1};
  for (const ArrayForm& array : form.arrays) {
    std::vector<int>& values =
        memory->emplace_back(array.count, array.fill == Fill::garbage ? 0x5a5a5a5a : 0);
    if (array.fill == Fill::drawn)
      for (int& x : values) x = static_cast<int>(random.bits() % 1000);
  }
  for (std::size_t i = 0; i < form.arrays.size(); ++i) {
    Buffer buffer = emulator::buffer(std::span((*memory)[i]), form.arrays[i].name);
    buffer.initialised = form.arrays[i].fill != Fill::garbage;
    launch.arguments.push_back(buffer);
  }
  for (const int number : form.numbers) launch.arguments.push_back(value(number));
  const std::string suffix = "." + target + ".O" + std::to_string(level) + ".co";
  return {read_file(HEDDLE_SHARING_FOLDER "/" + form.file + suffix), {launch}, memory};
}

}  // namespace

std::vector<NamedTrial> sharing_trials() {
  std::vector<NamedTrial> trials;
  for (const std::string target : {"gfx1151", "gfx1201", "gfx1250", "gfx942", "gfx950"})
    for (const int level : {3, 0})
      for (const Form& form : forms())
        trials.push_back({form.file + " " + target + " -O" + std::to_string(level),
                          [=] { return trial_of(form, target, level); }});
  return trials;
}

}  // namespace heddle::emulator::testing
