// A test whose GPU library is an imitation (imitation.h), and the calls that it wrote down.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <string>
#include <vector>

#include "runtime/device/device.h"

namespace heddle::runtime {

class ImitatedLibrary : public testing::Test {
 protected:
  /// `variable`: the environment variable that names the library; `file`: the imitation.
  ImitatedLibrary(const char* variable, const char* file) : variable_(variable), file_(file) {}

  void SetUp() override {
    setenv(variable_, file_, 1);
    calls_ = testing::TempDir() + variable_ + "_calls";
    std::remove(calls_.c_str());
    setenv("HEDDLE_IMITATION_CALLS", calls_.c_str(), 1);
  }
  void TearDown() override {
    unsetenv(variable_);
    unsetenv("HEDDLE_IMITATION_FAILS");
    unsetenv("HEDDLE_IMITATION_GPUS");
  }

  std::vector<std::string> calls() const {
    std::ifstream file(calls_);
    std::vector<std::string> lines;
    for (std::string line; std::getline(file, line);) lines.push_back(line);
    return lines;
  }
  /// Calls of this function since `begin` that did not fail.
  auto count(std::string_view function, std::size_t begin) const {
    const auto all = calls();
    return std::count_if(all.begin() + static_cast<std::ptrdiff_t>(begin), all.end(),
                         [&](const std::string& line) {
                           return line.starts_with(function) && !line.ends_with("FAILS");
                         });
  }

 private:
  const char* variable_;
  const char* file_;
  std::string calls_;
};

/// What Device::open says of a name that it refuses; "opened" if it does not.
inline std::string refusal(std::string_view name) {
  const auto device = Device::open(name);
  return device ? "opened" : device.error().message;
}

}  // namespace heddle::runtime
