// The compiled kernels, run on the emulator and judged against float64: the emulator faults on any
// access outside a buffer, and every buffer begins as garbage or as random numbers.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "compiler/compile.h"
#include "emulator/run/run.h"
#include "matmul_text.h"
#include "runtime/judge/matmul_check.h"

namespace heddle::compiler {
namespace execution_test {

using instruction::ElementType;
using instruction::Target;
using runtime::Matrix;

constexpr std::array targets{Target::gfx1100, Target::gfx1151, Target::gfx1201};

struct Outcome {
  std::string error;  // empty when it ran
  runtime::MatmulCheck verdict;
  emulator::RunReport report;
};

Matrix garbage(ElementType type, std::int64_t rows, std::int64_t columns) {
  Matrix matrix = Matrix::zeros(type, rows, columns);
  std::ranges::fill(matrix.bytes, std::byte{0xff});  // NaN in every type
  return matrix;
}

// One matrix for each parameter of the kernel.
std::vector<Matrix> allocate(const Compilation& kernel, std::uint64_t seed) {
  std::vector<Matrix> matrices;
  for (const Parameter& parameter : kernel.parameters) {
    if (parameter.role == Role::workspace) {  // zeros, as a launch finds it
      matrices.push_back(
          Matrix::zeros(ElementType::i32, 1, static_cast<std::int64_t>(parameter.bytes / 4)));
      continue;
    }
    const std::int64_t rows = parameter.shape[0], columns = parameter.shape[1];
    matrices.push_back(parameter.read ? Matrix::random(parameter.element, rows, columns, seed++)
                                      : garbage(parameter.element, rows, columns));
    EXPECT_EQ(matrices.back().bytes.size(), parameter.bytes);
  }
  return matrices;
}

const Matrix* of_role(const Compilation& kernel, const std::vector<Matrix>& matrices, Role role) {
  for (std::size_t i = 0; i < matrices.size(); ++i) {
    if (kernel.parameters[i].role == role) return &matrices[i];
  }
  return nullptr;
}

emulator::Launch launch_of(const Compilation& kernel, std::vector<Matrix>& matrices) {
  emulator::Launch launch;
  launch.kernel = kernel.kernel_name;
  launch.grid = plan::blocks(kernel.grid, kernel.problem);
  launch.workgroup = kernel.workgroup;
  for (std::size_t i = 0; i < matrices.size(); ++i)
    launch.arguments.push_back(
        emulator::Buffer{matrices[i].bytes, kernel.parameters[i].name, kernel.parameters[i].read});
  launch.check = true;
  return launch;
}

// Changes what was drawn at random, and what is compared.
using Edit = std::function<void(const Compilation&, std::vector<Matrix>&)>;

Outcome run(const MatmulText& text, Target target, std::uint64_t seed = 1,
            const Edit& before_run = {}, const Edit& after_run = {}) {
  const auto kernel = compile(text.mlir(), "test.mlir", {target}, Stage::object);
  if (!kernel) return {kernel.error(), {}, {}};
  const auto object = emulator::CodeObject::load(std::as_bytes(std::span(kernel->object)));
  if (!object) return {object.error(), {}, {}};
  std::vector<Matrix> matrices = allocate(*kernel, seed);
  if (before_run) before_run(*kernel, matrices);
  std::vector<Matrix> before = matrices;
  const auto report = emulator::run(*object, launch_of(*kernel, matrices));
  if (!report) return {report.error().text(), {}, {}};
  if (!report->findings.empty())
    return {report->findings.front().text(kernel->kernel_name), {}, {}};
  for (std::size_t i = 0; i < matrices.size(); ++i) {
    if (!kernel->parameters[i].written && matrices[i].bytes != before[i].bytes)
      return {"the kernel wrote to " + kernel->parameters[i].name, {}, {}};
  }
  if (after_run) {
    after_run(*kernel, before);
    after_run(*kernel, matrices);
  }
  const Matrix* c = of_role(*kernel, before, Role::c);
  const Matrix* d = of_role(*kernel, matrices, Role::d);
  if (d == nullptr) d = of_role(*kernel, matrices, Role::c);
  const Matrix filled =
      Matrix::filled(d->type, d->rows, d->columns, kernel->constant.value_or(0.0));
  return {"",
          runtime::check_matmul(*of_role(*kernel, before, Role::a),
                                *of_role(*kernel, before, Role::b), c ? *c : filled, *d),
          *report};
}

std::string words(const MatmulText& text, Target target) {
  return std::string(instruction::name(target)) + " " + std::to_string(text.m) + "x" +
         std::to_string(text.n) + "x" + std::to_string(text.k) + " " + text.input + " " +
         text.result;
}

void expect_right(const MatmulText& text, Target target) {
  const Outcome done = run(text, target);
  ASSERT_EQ(done.error, "") << words(text, target);
  EXPECT_TRUE(done.verdict.right())
      << words(text, target) << ": " << done.verdict.wrong << " of " << done.verdict.elements
      << " wrong, worst at " << done.verdict.worst_row << "," << done.verdict.worst_column << ": "
      << done.verdict.worst_value << " instead of " << done.verdict.worst_reference;
}

TEST(Execution, NamedShapesAreRightInEveryType) {
  const std::array<std::array<std::int64_t, 3>, 5> shapes{
      {{1, 1, 1}, {16, 16, 16}, {42, 64, 32}, {100, 100, 100}, {129, 257, 65}}};
  for (const Target target : targets) {
    for (const auto& [m, n, k] : shapes) {
      for (const char* input : {"f16", "bf16"}) {
        for (const char* result : {"f32", input})
          expect_right({m, n, k, input, result, Form::accumulate}, target);
      }
    }
  }
}

TEST(Execution, EveryFormIsRight) {
  for (const Target target : targets) {
    for (const Form form : {Form::fill, Form::accumulate, Form::in_place, Form::in_place_fill}) {
      expect_right({42, 64, 32, "f16", "f32", form, "-1.5"}, target);
      expect_right({33, 50, 70, "bf16", "bf16", form, "0.25"}, target);
    }
  }
}

TEST(Execution, SizesAroundTileEdgesAreRight) {
  for (const Target target : targets) {
    for (const std::int64_t m : {15, 17, 64})
      for (const std::int64_t n : {16, 31, 66})
        for (const std::int64_t k : {1, 16, 33, 64, 96}) expect_right({m, n, k}, target);
  }
}

// A row of A that is all infinite, and a column of B that is all NaN, spoil that row and column of
// D and nothing else: what lies beyond the end of a row must not be multiplied, not even by zero.
TEST(Execution, InfinitiesStayInTheirRowAndColumn) {
  constexpr std::int64_t row = 1, column = 2;
  const auto set = [](Matrix& matrix, std::int64_t only_row, std::int64_t only_column, double x) {
    for (std::int64_t i = 0; i < matrix.rows; ++i)
      for (std::int64_t j = 0; j < matrix.columns; ++j)
        if (i == only_row || j == only_column) matrix.set(i, j, x);
  };
  const Edit spoil = [&](const Compilation& kernel, std::vector<Matrix>& matrices) {
    for (std::size_t i = 0; i < matrices.size(); ++i) {
      if (kernel.parameters[i].role == Role::a) set(matrices[i], row, -1, INFINITY);
      if (kernel.parameters[i].role == Role::b) set(matrices[i], -1, column, NAN);
    }
  };
  const Edit leave_out = [&](const Compilation& kernel, std::vector<Matrix>& matrices) {
    for (std::size_t i = 0; i < matrices.size(); ++i) {
      const Role role = kernel.parameters[i].role;
      set(matrices[i], role == Role::b ? -1 : row, role == Role::a ? -1 : column, 0.0);
    }
  };
  for (const Target target : targets) {
    for (const std::int64_t k : {1, 20, 33, 70}) {
      for (const std::int64_t n : {5, 40}) {
        const MatmulText text{20, n, k, "f16", "f32", Form::accumulate};
        const Outcome done = run(text, target, 7, spoil, leave_out);
        ASSERT_EQ(done.error, "") << words(text, target);
        EXPECT_TRUE(done.verdict.right()) << words(text, target) << " " << done.verdict.wrong;
      }
    }
  }
}

// More blocks of rows than a launcher takes along y: they run along x.
TEST(Execution, AVeryTallMatrixIsRight) {
  const MatmulText tall{10'000'019, 2, 3};
  const auto kernel = compile(tall.mlir(), "test.mlir", {Target::gfx1151}, Stage::plan);
  ASSERT_TRUE(kernel.has_value());
  const auto grid = plan::blocks(kernel->grid, kernel->problem);
  EXPECT_GT(grid[0], 65535u);
  EXPECT_LE(grid[1], 65535u);
  expect_right(tall, Target::gfx1151);
}

// Byte offsets a few tiles beyond the end of B pass 2^32: rows beyond the last are compared,
// because hardware would see a small offset again.
TEST(Execution, AMatrixWhoseOffsetsCouldWrapIsRight) {
  expect_right({1, 7'500'001, 1}, Target::gfx1151);
}

class LargeProduct : public testing::TestWithParam<Target> {};

TEST_P(LargeProduct, IsRightWithoutBankConflicts) {
  for (const auto& [input, result] : {std::pair("f16", "f32"), std::pair("bf16", "f32")}) {
    const Outcome done = run({512, 512, 512, input, result}, GetParam());
    ASSERT_EQ(done.error, "");
    EXPECT_TRUE(done.verdict.right()) << done.verdict.wrong << " wrong";
    EXPECT_EQ(done.report.scratch_bytes, 0u);
    EXPECT_EQ(done.report.wmma, 512u * 512 * 512 / (16 * 16 * 16));
    ASSERT_FALSE(done.report.lds.empty());
    for (const emulator::LdsAccess& access : done.report.lds)
      EXPECT_EQ(access.extra_passes, 0u) << access.instruction;
  }
}

INSTANTIATE_TEST_SUITE_P(Targets, LargeProduct, testing::ValuesIn(targets), [](const auto& info) {
  return std::string(instruction::name(info.param));
});

// Any size up to a few tiles, any type, any form. Shapes shrink towards the smallest that fails.
RC_GTEST_PROP(Execution, RandomProductsAreRight, ()) {
  const auto size = [] { return *rc::gen::inRange<std::int64_t>(1, 200); };
  const std::string input = *rc::gen::element<std::string>("f16", "bf16");
  const MatmulText text{size(),
                        size(),
                        size(),
                        input,
                        *rc::gen::element<std::string>("f32", input),
                        *rc::gen::element(Form::fill, Form::accumulate, Form::in_place),
                        "0.5"};
  const Outcome done =
      run(text, *rc::gen::elementOf(targets), *rc::gen::arbitrary<std::uint64_t>());
  RC_ASSERT(done.error == "");
  RC_ASSERT(done.verdict.right());
}

}  // namespace execution_test
}  // namespace heddle::compiler
