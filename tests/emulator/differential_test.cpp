// The functions of differential_functions.h, run by the emulator and by the host: equal, bit by
// bit.
#include "differential_functions.h"
#include "kernels.h"

namespace heddle::emulator::testing {
namespace differential_test {

struct Function {
  const char* name;
  uint32_t (*on_host)(const uint32_t*);
};

const Function functions[] = {
    {"integer_arithmetic", integer_arithmetic}, {"wide_arithmetic", wide_arithmetic},
    {"short_arithmetic", short_arithmetic},     {"float_arithmetic", float_arithmetic},
    {"extreme_arithmetic", extreme_arithmetic}, {"double_arithmetic", double_arithmetic},
    {"half_arithmetic", half_arithmetic},       {"control_flow", control_flow},
};

class Differential : public ::testing::TestWithParam<std::string> {};

TEST_P(Differential, EmulatorAndHostAgree) {
  constexpr uint32_t workgroups = 32, threads = 64 * workgroups;
  for (const char* level : {"O0", "O3"}) {
    const auto object =
        CodeObject::load(read_file(std::string(HEDDLE_DIFFERENTIAL_FOLDER) + "/differential." +
                                   GetParam() + "." + level + ".co"));
    ASSERT_TRUE(object) << object.error();
    for (const Function& function : functions) {
      Random random(11);
      std::vector<uint32_t> in(8 * threads), out(threads);
      for (uint32_t& x : in) x = random.bits();
      Launch launch;
      launch.kernel = std::string("kernel_") + function.name;
      launch.arguments = {buffer(std::span(in), "in"), buffer(std::span(out), "out")};
      launch.grid = {workgroups, 1, 1};
      launch.workgroup = {64, 1, 1};
      const auto report = run(*object, launch);
      ASSERT_TRUE(report) << function.name << " -" << level << "\n" << report.error().text();
      uint32_t different = 0, first = 0;
      for (uint32_t i = threads; i-- > 0;)
        if (out[i] != function.on_host(&in[8 * i])) {
          ++different;
          first = i;
        }
      EXPECT_EQ(different, 0u) << GetParam() << " " << function.name << " -" << level
                               << ": first at thread " << first << " of " << threads;
    }
  }
}

TEST_P(Differential, ThreadsKnowWhereTheyAre) {
  constexpr uint32_t grid[] = {3, 2, 4}, size[] = {5, 3, 7};
  for (const char* level : {"O0", "O3"}) {
    const auto object =
        CodeObject::load(read_file(std::string(HEDDLE_DIFFERENTIAL_FOLDER) + "/differential." +
                                   GetParam() + "." + level + ".co"));
    ASSERT_TRUE(object) << object.error();
    std::vector<uint32_t> out(4 * 24 * 105, 0);
    Launch launch;
    launch.kernel = "kernel_geometry";
    launch.arguments = {buffer(std::span(out), "out")};
    launch.grid = {grid[0], grid[1], grid[2]};
    launch.workgroup = {size[0], size[1], size[2]};
    const auto report = run(*object, launch);
    ASSERT_TRUE(report) << report.error().text();
    EXPECT_EQ(report->waves, 24u * 4);
    const uint32_t* place = out.data();
    for (uint32_t group = 0; group < 24; ++group)
      for (uint32_t thread = 0; thread < 105; ++thread, place += 4) {
        ASSERT_EQ(place[0], thread % 5 | thread / 5 % 3 << 10 | thread / 15 << 20);
        ASSERT_EQ(place[1], group % 3 | group / 3 % 2 << 10 | group / 6 << 20);
        ASSERT_EQ(place[2], size[0] | size[1] << 10 | size[2] << 20);
        ASSERT_EQ(place[3], grid[2] * size[2]);
      }
  }
}

INSTANTIATE_TEST_SUITE_P(Targets, Differential, ::testing::ValuesIn(targets()),
                         [](const auto& info) { return info.param; });

}  // namespace differential_test
}  // namespace heddle::emulator::testing
