// What makes the GEMM kernels fast, read from their code objects and counted by the emulator. No
// GPU has run them: these are the figures that can be had without one.
#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>

#include "gemm_trial.h"
#include "kernels/gemm_figures.h"

namespace heddle::kernels {
namespace gemm_quality_test {

using testing::module_of;
using testing::targets;

const GemmKernel& kernel_of(const std::string& name) {
  const GemmKernel* kernel = find_gemm(name);
  if (kernel == nullptr) throw std::runtime_error("no kernel " + name);
  return *kernel;
}

KernelFigures figures_of(const GemmKernel& kernel, const std::string& target) {
  const emulator::CodeObject& object =
      *module_of(gemm_file(kernel.element, target), target).code_object();
  const emulator::Kernel* found = object.find_kernel(kernel.name);
  EXPECT_NE(found, nullptr) << kernel.name;
  return static_figures(object, *found, kernel.threads);
}

// Large tiles: 45 % of the hot loop multiplies.
TEST(GemmQuality, LargeTilesMultiplyMostOfTheTime) {
  for (const std::string& target : targets())
    for (const char* name :
         {"gemm_f16_packed_paired", "gemm_f16_nt_paired", "gemm_bf16_packed_paired",
          "gemm_bf16_nt_paired", "gemm_f16_packed", "gemm_bf16_packed", "gemm_i8_packed_shared"}) {
      const KernelFigures figures = figures_of(kernel_of(name), target);
      EXPECT_GE(figures.loop.matrix_share(), 0.45) << target << " " << name;
    }
}

// With sums of f32 and both operands through LDS 40 % cannot be reached
// (bench/records/notes/2026-11-27-gemm_kernels.md).
TEST(GemmQuality, SumsOfF32ThroughLdsMultiplyAThirdOfTheTime) {
  for (const std::string& target : targets())
    for (const char* name : {"gemm_f16_packed_shared", "gemm_bf16_packed_shared"})
      EXPECT_GE(figures_of(kernel_of(name), target).loop.matrix_share(), 0.35)
          << target << " " << name;
}

TEST(GemmQuality, LoadsFragmentsOncePerMultiplication) {
  for (const std::string& target : targets())
    for (const GemmKernel& kernel : gemm_kernels()) {
      const KernelFigures figures = figures_of(kernel, target);
      const double most = target == "gfx1201" ? 0.5 : 1.0;
      ASSERT_GT(figures.loop.matrix, 0u) << target << " " << kernel.name;
      EXPECT_LE(static_cast<double>(figures.loop.lds_loads),
                most * static_cast<double>(figures.loop.matrix))
          << target << " " << kernel.name;
      EXPECT_EQ(figures.loop.lds_loads, figures.loop.lds_loads_128) << target << " " << kernel.name;
    }
}

TEST(GemmQuality, NothingSpillsAndTwoWorkgroupsFit) {
  for (const std::string& target : targets())
    for (const GemmKernel& kernel : gemm_kernels()) {
      const KernelFigures figures = figures_of(kernel, target);
      EXPECT_EQ(figures.spills, 0u) << target << " " << kernel.name;
      EXPECT_EQ(figures.scratch_bytes, 0u) << target << " " << kernel.name;
      EXPECT_EQ(figures.loop.scratch, 0u) << target << " " << kernel.name;
      EXPECT_GE(figures.occupancy.by_vgprs, 2) << target << " " << kernel.name;
      EXPECT_GE(figures.occupancy.by_lds, 2) << target << " " << kernel.name;
    }
}

TEST(GemmQuality, NoAccessToLdsHasABankConflict) {
  for (const std::string& target : targets())
    for (const GemmKernel& kernel : gemm_kernels()) {
      const auto report =
          profiled(module_of(gemm_file(kernel.element, target), target), kernel, 256);
      ASSERT_TRUE(report) << report.error();
      EXPECT_EQ(report->profiled_workgroups, 4u);
      const Conflicts found = conflicts(*report);
      EXPECT_GT(found.ideal_passes, 1000u) << target << " " << kernel.name;
      EXPECT_EQ(found.extra_passes, 0u) << target << " " << kernel.name;
    }
}

/// What a call of 256 x 256 executes as k goes to 0, on 16 waves.
double fixed_cost(const GemmKernel& kernel, const std::string& target, const GemmProblem& problem) {
  const auto cost =
      call_cost(module_of(gemm_file(kernel.element, target), target), kernel, problem);
  EXPECT_TRUE(cost) << target << " " << kernel.name << ": " << (cost ? "" : cost.error());
  return cost ? cost->fixed : 0;
}

// rocm_wmma_gemm pays 11,800 for f16 to f32 (bench/records/kernels.md).
TEST(GemmQuality, WhatACallPaysBesidesItsLoopIsLittle) {
  const auto most = [](const GemmKernel& kernel) {
    const bool is_float = runtime::is_float(kernel.element);
    if (kernel.paired_sums) return 11'800;
    if (kernel.block_m == 320) return 10'500;
    return is_float ? 6'400 : 7'400;
  };
  for (const std::string& target : targets())
    for (const GemmKernel& kernel : gemm_kernels()) {
      GemmProblem problem = problem_for(kernel, 256, 256, 0);
      if (kernel.paired_sums) problem.result = kernel.element;
      if (!runtime::is_float(kernel.element)) problem.result = NumberType::i32;
      EXPECT_LE(fixed_cost(kernel, target, problem), most(kernel)) << target << " " << kernel.name;
    }
}

/// A problem of 256 x 256 x k, and the wave instructions that the kernel from HIP executed which
/// took it before the compiler did (bench/records/notes/2026-11-28-row_major_gemm.md).
struct Superseded {
  std::string_view operands;  // "nn"
  NumberType element;
  std::uint32_t k;
  std::uint64_t gfx1151, gfx1201;
  void (*asks_for)(GemmProblem& problem) = nullptr;  // besides D = A * B
};

constexpr std::array superseded{
    Superseded{"nn", NumberType::f16, 128, 12080, 11696},
    Superseded{"nt", NumberType::f16, 128, 10704, 10320},
    Superseded{"tn", NumberType::f16, 128, 13328, 12976},
    Superseded{"tt", NumberType::f16, 128, 12128, 11728},
    Superseded{"nn", NumberType::f16, 1024, 61424, 59472},
    Superseded{"nt", NumberType::f16, 1024, 51184, 49232},
    Superseded{"tn", NumberType::f16, 1024, 72288, 70368},
    Superseded{"tt", NumberType::f16, 1024, 61472, 59504},
    Superseded{"nn", NumberType::i8, 128, 11456, 11536},
    Superseded{"nt", NumberType::i8, 128, 9104, 8992},
    Superseded{"tn", NumberType::i8, 128, 13856, 13984},
    Superseded{"tt", NumberType::i8, 128, 11632, 11616},
    Superseded{"nn", NumberType::i8, 1024, 47984, 47968},
    Superseded{"nt", NumberType::i8, 1024, 36208, 35168},
    Superseded{"tn", NumberType::i8, 1024, 60720, 61584},
    Superseded{"tt", NumberType::i8, 1024, 48160, 48048},
    Superseded{"nt", NumberType::f16, 128, 11616, 12176,
               [](GemmProblem& p) { p.result = NumberType::f16; }},
    Superseded{"nt", NumberType::f16, 128, 11728, 11344, [](GemmProblem& p) { p.alpha = 2; }},
    Superseded{"nt", NumberType::f16, 128, 11952, 11600, [](GemmProblem& p) { p.has_bias = true; }},
    Superseded{"nt", NumberType::f16, 128, 15504, 15360, [](GemmProblem& p) { p.beta = 1; }},
    Superseded{"nt", NumberType::f16, 128, 14976, 12592,
               [](GemmProblem& p) { p.activation = Activation::relu; }},
    Superseded{"nt", NumberType::f16, 128, 27664, 27440,
               [](GemmProblem& p) { p.activation = Activation::gelu; }},
    Superseded{"nt", NumberType::f16, 128, 20656, 20176,
               [](GemmProblem& p) { p.activation = Activation::silu; }},
    Superseded{"nt", NumberType::f16, 128, 18848, 18336,
               [](GemmProblem& p) { p.activation = Activation::sigmoid; }},
};

TEST(GemmQuality, CompiledKernelsExecuteNoMoreThanThoseFromHipDid) {
  for (const std::string& target : targets())
    for (const Superseded& row : superseded) {
      GemmProblem problem{.element = row.element,
                          .m = 256,
                          .n = 256,
                          .k = row.k,
                          .a_transposed = row.operands[0] == 't',
                          .b_transposed = row.operands[1] == 't'};
      if (row.element == NumberType::i8) problem.result = NumberType::i32;
      if (row.asks_for != nullptr) row.asks_for(problem);
      const auto kernel = choose_gemm(problem, target);
      ASSERT_TRUE(kernel) << testing::text(problem, target) << ": " << kernel.error();
      const auto count = executed(*testing::loaded(*kernel, target), *kernel, problem);
      ASSERT_TRUE(count) << testing::text(problem, target) << ": " << count.error();
      EXPECT_LE(*count, target == "gfx1151" ? row.gfx1151 : row.gfx1201)
          << testing::text(problem, target);
    }
}

// Each element read once, each piece written once: the cost that bench/records/kernels.md states.
TEST(GemmQuality, PackingMovesEveryByteOnce) {
  for (const std::string& target : targets())
    for (NumberType element : {NumberType::f16, NumberType::i8})
      for (bool k_is_outer : {false, true}) {
        const PackedOperand operand{element, 256, 512};
        const auto report =
            profiled_pack(module_of(pack_file(target), target), operand, k_is_outer);
        ASSERT_TRUE(report) << report.error();
        EXPECT_EQ(report->global_bytes_written, operand.bytes());
        EXPECT_GE(report->global_bytes_read, operand.bytes());
        EXPECT_LE(report->global_bytes_read, operand.bytes() * 12 / 10);  // and its arguments
      }
}

}  // namespace gemm_quality_test
}  // namespace heddle::kernels
