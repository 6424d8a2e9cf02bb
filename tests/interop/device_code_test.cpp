// tilelang.h in device code: it compiles for each GPU family without ROCm's headers, and its
// indices cost no more instructions than hand-written shifts and masks.
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <map>
#include <string>

namespace heddle {
namespace device_code_test {

// Instructions of each function in the assembly that clang makes of device_indices.hip.
std::map<std::string, int> instructions_by_function(const std::string& target) {
  const std::string output = testing::TempDir() + "heddle_device_indices_" + target + ".s";
  const std::string command = std::string(HEDDLE_CLANG) + " -x hip --offload-arch=" + target +
                              " --cuda-device-only -nogpulib -nogpuinc -std=c++20 -O3 -Wall "
                              "-Wextra -Werror -S -I" HEDDLE_INCLUDE " " HEDDLE_SOURCE " -o " +
                              output;
  if (std::system(command.c_str()) != 0) {
    ADD_FAILURE() << "does not compile: " << command;
    return {};
  }
  std::map<std::string, int> counts;
  std::string function;
  std::ifstream file(output);
  for (std::string line; std::getline(file, line);) {
    const std::size_t colon = line.find(':');
    if (!line.empty() && std::isalnum(line[0]) && colon != std::string::npos) {
      function = line.substr(0, colon);
    } else if (line.starts_with("\t.section") || line.starts_with(".L")) {
      function.clear();
    } else if (!function.empty() && line.size() > 1 && line[0] == '\t' && std::isalpha(line[1])) {
      ++counts[function];
    }
  }
  return counts;
}

class DeviceCode : public testing::TestWithParam<std::string> {};

TEST_P(DeviceCode, IsNoLongerThanHandWritten) {
  const std::map<std::string, int> counts = instructions_by_function(GetParam());
  int pairs = 0;
  for (const auto& [name, hand] : counts) {
    if (!name.ends_with("_hand")) continue;
    const std::string ours = name.substr(0, name.size() - 5) + "_ours";
    ASSERT_TRUE(counts.contains(ours)) << ours;
    EXPECT_LE(counts.at(ours), hand) << ours;
    EXPECT_GE(hand, 3) << "a function cannot be shorter than wait, subtract, return";
    ++pairs;
  }
  EXPECT_EQ(pairs, 8);
}

INSTANTIATE_TEST_SUITE_P(Gpus, DeviceCode, testing::Values("gfx1151", "gfx1201"));

}  // namespace device_code_test
}  // namespace heddle
