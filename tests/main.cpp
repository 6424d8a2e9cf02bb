// Runs the tests of some files of a test program: `plan_tests staging_test.cpp`; without a file,
// all.
#include <gtest/gtest.h>

#include <cstdio>
#include <set>
#include <string>
#include <string_view>

namespace {

std::string_view file_name(std::string_view path) { return path.substr(path.rfind('/') + 1); }

}  // namespace

int main(int count, char** arguments) {
  testing::InitGoogleTest(&count, arguments);  // leaves what is not an option of GoogleTest's
  const std::set<std::string_view> files(arguments + 1, arguments + count);
  std::set<std::string_view> all;
  std::string chosen;
  const auto& program = *testing::UnitTest::GetInstance();
  for (int suite = 0; suite < program.total_test_suite_count(); ++suite) {
    const auto& tests = *program.GetTestSuite(suite);
    for (int i = 0; i < tests.total_test_count(); ++i) {
      const auto& test = *tests.GetTestInfo(i);
      all.insert(file_name(test.file()));
      if (!files.contains(file_name(test.file()))) {
        continue;
      }
      chosen += std::string(chosen.empty() ? "" : ":") + test.test_suite_name() + "." + test.name();
    }
  }
  for (const std::string_view file : files) {
    if (!all.contains(file)) {
      std::fprintf(stderr, "no tests of '%s' here; there are those of:", std::string(file).c_str());
      for (const std::string_view one : all) {
        std::fprintf(stderr, " %s", std::string(one).c_str());
      }
      std::fputc('\n', stderr);
      return 2;
    }
  }
  if (!files.empty()) {
    GTEST_FLAG_SET(filter, chosen);
  }
  return RUN_ALL_TESTS();
}
