// Whole kernels on the simulator of PTX, against the host's arithmetic.
#include "emulator/ptx/ptx.h"

#include <cmath>
#include <random>

#include "tests/emulator/ptx/simulate.h"

namespace heddle::emulator::ptx::testing {
namespace ptx_test {

struct Matmul {
  int m, n, k;
  std::vector<_Float16> a, b;
  std::vector<float> c;

  Matmul(int rows, int columns, int depth)
      : m(rows),
        n(columns),
        k(depth),
        a(static_cast<std::size_t>(m * k)),
        b(static_cast<std::size_t>(k * n)),
        c(static_cast<std::size_t>(m * n), NAN) {
    std::mt19937 random(7);
    std::uniform_int_distribution<int> eighths(-8, 8);
    for (_Float16& x : a) x = static_cast<_Float16>(static_cast<float>(eighths(random)) / 8);
    for (_Float16& x : b) x = static_cast<_Float16>(static_cast<float>(eighths(random)) / 8);
  }
  Launch launch() {
    Launch launch;
    launch.arguments = {buffer(std::span(a), "A"),
                        buffer(std::span(b), "B"),
                        buffer(std::span(c), "C"),
                        value(m),
                        value(n),
                        value(k)};
    launch.grid = {static_cast<uint32_t>(n / 64), static_cast<uint32_t>(m / 64), 1};
    launch.workgroup = {128, 1, 1};
    return launch;
  }
  /// Sums of eighths are exact.
  void expect_right() const {
    for (int i = 0; i < m; ++i)
      for (int j = 0; j < n; ++j) {
        float sum = 0;
        for (int l = 0; l < k; ++l)
          sum += static_cast<float>(a[static_cast<std::size_t>(i * k + l)]) *
                 static_cast<float>(b[static_cast<std::size_t>(l * n + j)]);
        ASSERT_EQ(c[static_cast<std::size_t>(i * n + j)], sum) << i << " " << j;
      }
  }
};

TEST(Ptx, AMatmulOfClang) {
  const Module module = module_of(read_text("matmul_sm80.ptx"));
  ASSERT_EQ(module.kernels().size(), 1u);
  EXPECT_EQ(module.kernels()[0].name, "matmul");
  EXPECT_EQ(module.kernels()[0].arguments.size(), 6u);
  EXPECT_EQ(module.kernels()[0].arguments[0].value_kind, "global_buffer");
  EXPECT_EQ(module.kernels()[0].lds_bytes, 5120u + 4608u);
  EXPECT_TRUE(module.unknown_instructions().empty());
  Matmul problem(256, 256, 256);
  const RunReport report = simulate(module, problem.launch());
  problem.expect_right();
  EXPECT_EQ(report.wmma, 256u * 256 * 256 / (16 * 8 * 16));
  EXPECT_EQ(report.global_bytes_written, 256u * 256 * 4);
  EXPECT_EQ(report.workgroups, 16u);
  EXPECT_LT(report.seconds, 10);
  std::printf("%.3f s, %llu instructions of warps\n", report.seconds,
              static_cast<unsigned long long>(report.instructions));
}

/// The search for races says nothing about it, and finds what both of its barriers are for.
TEST(Ptx, AMatmulOfClangHasNoRaces) {
  const std::string text = read_text("matmul_sm80.ptx");
  Matmul problem(128, 128, 128);
  Launch launch = problem.launch();
  launch.threads = 1;
  const RunReport plain = simulate(module_of(text), launch);
  launch.check = true;
  const RunReport report = simulate(module_of(text), launch);
  problem.expect_right();
  EXPECT_TRUE(report.findings.empty()) << report.findings[0].text("matmul");
  std::printf("checked %.3f s, plain %.3f s\n", report.seconds, plain.seconds);
  for (std::size_t at = text.find("bar.sync"); at != std::string::npos;
       at = text.find("bar.sync", at + 1)) {
    std::string without = text;
    without.replace(at, 8, "//      ");
    EXPECT_FALSE(simulate(module_of(without), launch).findings.empty());
  }
}

}  // namespace ptx_test
}  // namespace heddle::emulator::ptx::testing
