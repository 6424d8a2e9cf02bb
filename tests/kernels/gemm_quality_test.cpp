// What makes the GEMM kernels fast, read from their code objects and counted by the emulator. No
// GPU has run them: these are the figures that can be had without one.
#include <gtest/gtest.h>

#include <stdexcept>

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
    for (const char* name : {"gemm_f16_packed_paired", "gemm_f16_nt_paired",
                             "gemm_bf16_packed_paired", "gemm_bf16_nt_paired", "gemm_f16_packed",
                             "gemm_bf16_packed", "gemm_i8_packed_shared", "gemm_i8_nt"}) {
      const KernelFigures figures = figures_of(kernel_of(name), target);
      EXPECT_GE(figures.loop.matrix_share(), 0.45) << target << " " << name;
    }
}

// With sums of f32 and both operands through LDS 40 % cannot be reached
// (bench/records/notes/2026-11-27-gemm_kernels.md).
TEST(GemmQuality, SumsOfF32ThroughLdsMultiplyAThirdOfTheTime) {
  for (const std::string& target : targets())
    for (const char* name :
         {"gemm_f16_packed_shared", "gemm_f16_nt", "gemm_bf16_packed_shared", "gemm_bf16_nt"})
      EXPECT_GE(figures_of(kernel_of(name), target).loop.matrix_share(), 0.35)
          << target << " " << name;
}

TEST(GemmQuality, LoadsFragmentsOncePerMultiplication) {
  for (const std::string& target : targets())
    for (const GemmKernel& kernel : gemm_kernels()) {
      if (kernel.operands == "any") continue;
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
    if (kernel.operands == "any") return is_float ? 31'000 : 47'000;
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

// What is asked for beside the product costs an instruction or a few for each of the 64 pairs of
// sums that a lane has, and what is not asked for nothing.
TEST(GemmQuality, EpiloguesCostWhatTheyCompute) {
  const GemmKernel& kernel = kernel_of("gemm_f16_nt");
  for (const std::string& target : targets()) {
    const auto expect_at_most = [&](double most, const std::string& what, auto&& change) {
      GemmProblem problem = problem_for(kernel, 256, 256, 0);
      change(problem);
      EXPECT_LE(fixed_cost(kernel, target, problem), most) << target << " " << what;
    };
    expect_at_most(5'200, "plain", [](GemmProblem&) {});
    expect_at_most(6'800, "f16", [](GemmProblem& p) { p.result = NumberType::f16; });
    expect_at_most(7'400, "n = 255", [](GemmProblem& p) { p.n = 255; });
    expect_at_most(6'200, "alpha", [](GemmProblem& p) { p.alpha = 2; });
    expect_at_most(6'400, "bias", [](GemmProblem& p) { p.has_bias = true; });
    expect_at_most(10'200, "beta", [](GemmProblem& p) { p.beta = 1; });
    expect_at_most(9'500, "relu", [](GemmProblem& p) { p.activation = Activation::relu; });
    expect_at_most(22'500, "gelu", [](GemmProblem& p) { p.activation = Activation::gelu; });
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
