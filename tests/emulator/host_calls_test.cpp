// Calls of the host by AMD's device library: printf comes back, a trap says what was printed, and
// what a kernel writes into the buffer harms nobody. Compiled with Debian's device library.
#include <gtest/gtest.h>

#include <cstdio>
#include <fstream>
#include <iterator>
#include <vector>

#include "emulator/run/run.h"

namespace heddle::emulator {
namespace host_calls_test {

CodeObject object_of(const std::string& target) {
  std::ifstream file(HEDDLE_EXAMPLE_FOLDER "/host_calls." + target + ".co", std::ios::binary);
  const std::vector<char> bytes((std::istreambuf_iterator<char>(file)), {});
  auto object = CodeObject::load(std::as_bytes(std::span(bytes)));
  if (!object) throw std::runtime_error(object.error());
  return *std::move(object);
}

class HostCalls : public ::testing::TestWithParam<const char*> {
 protected:
  CodeObject object = object_of(GetParam());
  std::string printed;
  Launch launch;

  std::expected<RunReport, Fault> run_kernel(const std::string& kernel,
                                             std::vector<Argument> arguments) {
    launch.kernel = kernel;
    launch.arguments = std::move(arguments);
    launch.printed = &printed;
    printed.clear();
    return run(object, launch);
  }
};

std::string line_of(int number) {
  std::array<char, 256> line;
  std::snprintf(line.data(), line.size(),
                "%d %s %5.2f %lx%%, and a text of more than fifty-six bytes\n", number,
                number % 2 == 0 ? "even" : "odd, which is longer", 0.5 * number, 0x123456789abcul);
  return line.data();
}

TEST_P(HostCalls, PrintfComesBackInTheOrderOfWorkgroups) {
  launch.grid = {5, 1, 1};
  launch.workgroup = {100, 1, 1};
  std::string expected;
  for (int block = 0; block < 5; ++block)
    for (int thread = 0; thread < 100; thread += 3) expected += line_of(100 * block + thread);
  for (const bool check : {false, true}) {
    launch.check = check;
    std::vector<int> results(500);
    const auto report = run_kernel("says", {buffer(std::span(results), "results")});
    ASSERT_TRUE(report) << report.error().text();
    EXPECT_EQ(printed, expected);
    // The device library's accesses to the buffer, as to its stacks, are not the user's.
    EXPECT_FALSE(report->global.empty());
    for (const GlobalAccess& access : report->global)
      EXPECT_FALSE(access.instruction.contains("atomic")) << access.instruction;
    for (const Finding& finding : report->findings) ADD_FAILURE() << finding.text("says");
    for (const int number : {0, 3, 99, 499 / 100 * 100})
      EXPECT_EQ(results[static_cast<std::size_t>(number)],
                static_cast<int>(line_of(number).size()));
    EXPECT_EQ(results[1], 0);
  }
}

TEST_P(HostCalls, ThreadsOfTheHostLoseNothing) {
  launch.grid = {64, 1, 1};
  launch.workgroup = {100, 1, 1};
  launch.threads = 4;
  std::vector<int> results(6400);
  const auto report = run_kernel("says", {buffer(std::span(results), "results")});
  ASSERT_TRUE(report) << report.error().text();
  std::size_t bytes = 0;
  for (int block = 0; block < 64; ++block)
    for (int thread = 0; thread < 100; thread += 3) bytes += line_of(100 * block + thread).size();
  EXPECT_EQ(printed.size(), bytes);
}

TEST_P(HostCalls, ATrapSaysWhatWasPrinted) {
  launch.grid = {3, 1, 1};
  launch.workgroup = {64, 1, 1};
  std::vector<int> values(300);
  values[137] = 3;
  const auto report = run_kernel("fails", {buffer(std::span(values), "values")});
  ASSERT_FALSE(report);
  EXPECT_EQ(report.error().kind, FaultKind::trap);
  EXPECT_EQ(report.error().workgroup[0], 1u);
  const std::string line = "a.py:21: value 3 of thread 37 is too large";
  EXPECT_TRUE(report.error().message.ends_with("its workgroup printed last: " + line))
      << report.error().message;
  EXPECT_EQ(printed, line + "\n");
  EXPECT_EQ(finding_kind_name(finding_of(report.error()).kind), "assertion-failed");
}

TEST_P(HostCalls, ATrapWithoutTextIsAFindingToo) {
  launch.check = true;
  launch.workgroup = {64, 1, 1};
  std::vector<int> values(64);
  values[5] = 3;
  const auto report = run_kernel("traps", {buffer(std::span(values), "values")});
  ASSERT_TRUE(report) << report.error().text();
  ASSERT_EQ(report->findings.size(), 1u);
  EXPECT_EQ(finding_kind_name(report->findings[0].kind), "assertion-failed");
  EXPECT_FALSE(report->findings[0].message.contains("printed"));
}

TEST_P(HostCalls, OtherServicesAreRefused) {
  std::vector<uint64_t> result(1);
  const auto report = run_kernel("asks", {buffer(std::span(result), "result")});
  ASSERT_FALSE(report);
  EXPECT_EQ(report.error().kind, FaultKind::unsupported);
  EXPECT_TRUE(report.error().message.contains("for memory, as malloc does (service 3"))
      << report.error().message;
}

TEST_P(HostCalls, ForgedPacketsHarmNobody) {
  launch.workgroup = {1, 1, 1};
  const auto forge = [&](uint64_t service, uint64_t descriptor, uint64_t mask) {
    const auto report = run_kernel("forges", {value(service), value(descriptor), value(mask)});
    return report ? std::string() : report.error().message;
  };
  EXPECT_EQ(forge(2, 7 << 5 | 3, ~uint64_t{0}), "");  // begins and ends at once
  EXPECT_EQ(forge(2, 0, 0), "");
  EXPECT_NE(forge(2, 99 << 8 | 2, 1).find("message 99"), std::string::npos);
  EXPECT_NE(forge(77, 3, 1).find("service 77"), std::string::npos);
}

INSTANTIATE_TEST_SUITE_P(, HostCalls, ::testing::Values("gfx942", "gfx1100", "gfx1201", "gfx1250"));

}  // namespace host_calls_test
}  // namespace heddle::emulator
