// The HIP examples, compiled by clang for every target, against float64 on the host.
#include <cmath>

#include "kernels.h"

namespace heddle::emulator::testing {
namespace examples_test {

struct Shape {
  int m, n, k;
};

std::vector<_Float16> random_matrix(int rows, int columns, Random& random) {
  std::vector<_Float16> matrix(static_cast<std::size_t>(rows) * columns);
  for (_Float16& x : matrix) x = static_cast<_Float16>(random.uniform());
  return matrix;
}

// Checked: what clang makes of correct code raises nothing. The buffer "c" or "out" is only written.
RunReport expect_run(const CodeObject& object, Launch launch) {
  launch.check = true;
  for (Argument& argument : launch.arguments)
    if (auto* buffer = std::get_if<Buffer>(&argument))
      buffer->initialised = buffer->name != "c" && buffer->name != "out";
  auto report = run(object, launch);
  if (!report) {
    ADD_FAILURE() << report.error().text();
    return {};
  }
  for (const Finding& finding : report->findings) ADD_FAILURE() << finding.text(launch.kernel);
  return *report;
}

// Runs a product kernel whose blocks make `tile` x `tile` of C and compares every element.
RunReport check_product(const std::string& kernel, const std::string& target, int level,
                        Shape shape, int tile, uint32_t threads) {
  SCOPED_TRACE(kernel + " " + target + " -O" + std::to_string(level) + " " +
               std::to_string(shape.m) + "x" + std::to_string(shape.n) + "x" +
               std::to_string(shape.k));
  Random random(static_cast<uint64_t>(shape.m * 1000003 + shape.n * 1009 + shape.k));
  auto a = random_matrix(shape.m, shape.k, random), b = random_matrix(shape.k, shape.n, random);
  std::vector<float> c(static_cast<std::size_t>(shape.m) * shape.n, NAN);
  Launch launch;
  launch.arguments = {buffer(std::span(a), "a"),
                      buffer(std::span(b), "b"),
                      buffer(std::span(c), "c"),
                      value(shape.m),
                      value(shape.n),
                      value(shape.k)};
  launch.grid = {static_cast<uint32_t>((shape.n + tile - 1) / tile),
                 static_cast<uint32_t>((shape.m + tile - 1) / tile), 1};
  launch.workgroup = {threads, 1, 1};
  const RunReport report = expect_run(load_example(kernel, target, level), launch);
  int wrong = 0;
  for (int i = 0; i < shape.m; ++i)
    for (int j = 0; j < shape.n; ++j) {
      double sum = 0, magnitude = 0;
      for (int k = 0; k < shape.k; ++k) {
        const double product = static_cast<double>(a[i * shape.k + k]) * b[k * shape.n + j];
        sum += product;
        magnitude += std::abs(product);
      }
      const double tolerance = magnitude * shape.k * 0x1p-24 + 1e-30;
      const float got = c[i * shape.n + j];
      if (!(std::abs(got - sum) <= tolerance) && wrong++ < 3)
        ADD_FAILURE() << "c[" << i << "][" << j << "] is " << got << ", expected " << sum;
    }
  EXPECT_EQ(wrong, 0);
  return report;
}

class Examples : public ::testing::TestWithParam<std::string> {};

TEST_P(Examples, NaiveProduct) {
  for (const Shape shape : {Shape{1, 1, 1}, {16, 16, 16}, {42, 64, 32}, {33, 17, 49}})
    check_product("wmma_naive", GetParam(), 3, shape, 16, 32);
}

TEST_P(Examples, NaiveProductUnoptimised) {
  check_product("wmma_naive", GetParam(), 0, {19, 21, 35}, 16, 32);
}

TEST_P(Examples, TiledProduct) {
  for (const Shape shape :
       {Shape{1, 1, 1}, {42, 64, 32}, {100, 100, 100}, {129, 257, 65}, {256, 264, 48}})
    check_product("wmma_tiled", GetParam(), 3, shape, 128, 128);
}

TEST_P(Examples, TiledProductUnoptimised) {
  check_product("wmma_tiled", GetParam(), 0, {130, 36, 40}, 128, 128);
}

TEST_P(Examples, TiledProductHasNoBankConflictOnItsFragmentLoads) {
  const RunReport report = check_product("wmma_tiled", GetParam(), 3, {128, 128, 64}, 128, 128);
  int fragment_loads = 0;
  for (const LdsAccess& access : report.lds) {
    if (!access.instruction.starts_with("ds_load_b128")) continue;
    ++fragment_loads;
    EXPECT_EQ(access.extra_passes, 0u) << access.instruction << " at " << access.program_counter;
    EXPECT_NE(access.source.find("wmma_tiled.hip"), std::string::npos) << access.source;
  }
  EXPECT_GE(fragment_loads, 8);
  // 4 waves, 4 slices of k, 4x4 products each.
  EXPECT_EQ(report.wmma, 4u * 4u * 16u);
}

TEST_P(Examples, Softmax) {
  for (int level : {0, 3})
    for (const auto& [rows, columns] : {std::pair{1, 1}, {3, 31}, {5, 32}, {7, 100}, {2, 1000}}) {
      Random random(static_cast<uint64_t>(rows * 7919 + columns));
      std::vector<float> in(static_cast<std::size_t>(rows) * columns);
      for (float& x : in) x = 8 * random.uniform();
      std::vector<float> out(in.size(), NAN);
      Launch launch;
      launch.arguments = {buffer(std::span(in), "in"), buffer(std::span(out), "out"), value(rows),
                          value(columns)};
      launch.grid = {static_cast<uint32_t>((rows + 1) / 2), 1, 1};
      launch.workgroup = {64, 1, 1};
      expect_run(load_example("softmax", GetParam(), level), launch);
      for (int r = 0; r < rows; ++r) {
        const float* row = &in[static_cast<std::size_t>(r) * columns];
        double largest = -INFINITY, sum = 0;
        for (int c = 0; c < columns; ++c) largest = std::max<double>(largest, row[c]);
        for (int c = 0; c < columns; ++c) sum += std::exp(row[c] - largest);
        for (int c = 0; c < columns; ++c) {
          const double expected = std::exp(row[c] - largest) / sum;
          ASSERT_NEAR(out[static_cast<std::size_t>(r) * columns + c], expected, 1e-5 * expected)
              << GetParam() << " -O" << level << " row " << r << " column " << c << " of " << rows
              << "x" << columns;
        }
      }
    }
}

INSTANTIATE_TEST_SUITE_P(Targets, Examples, ::testing::ValuesIn(targets()),
                         [](const auto& info) { return info.param; });

}  // namespace examples_test
}  // namespace heddle::emulator::testing
