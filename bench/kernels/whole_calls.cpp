#include "whole_calls.h"

#include <fmt/format.h>

#include <array>
#include <tuple>

#include "counted_products.h"

namespace heddle::kernels {
namespace {

constexpr std::array<std::uint32_t, 5> depths{128, 256, 512, 1024, 4096};

/// One row: counts at all depths, and the line through the first k and 1152.
bool print_row(const std::string& name, auto&& count_at) {
  fmt::print("{:24}", name);
  for (const std::uint32_t k : depths) {
    const Count count = count_at(k);
    if (!count) {
      fmt::print(stderr, "{}: {}\n", name, count.error());
      return false;
    }
    fmt::print(" {:9}", *count);
  }
  const Count first = count_at(128u), second = count_at(1152u);
  if (!first || !second) return false;
  const CallCost cost = line_through(128, *first, 1152, *second);
  fmt::print(" | {:7.0f} {:10.1f}\n", cost.fixed, cost.of_16_k);
  return true;
}

bool print_kernels(Modules& modules, std::uint32_t size) {
  fmt::print("\nwhole calls of {0} x {0}, wave instructions executed:\n{1:24}", size, "kernel");
  for (const std::uint32_t k : depths) fmt::print(" {:>9}", fmt::format("k = {}", k));
  fmt::print(" | {:>7} {:>10}\n", "fixed", "each 16 k");
  for (const GemmKernel& kernel : gemm_kernels()) {
    if (kernel.element != NumberType::f16 && kernel.element != NumberType::i8) continue;
    GemmProblem problem = problem_for(kernel, size, size, 0);
    if (kernel.paired_sums || kernel.element == NumberType::i8)
      problem.result = kernel.paired_sums ? kernel.element : NumberType::i32;
    const auto count_at = [&](std::uint32_t k) {
      problem.k = k;
      return executed(modules.of(kernel.element), kernel, problem);
    };
    if (!print_row(std::string(kernel.name), count_at)) return false;
  }
  for (const auto& [what, made] :
       {std::pair("for any sizes", Made{.any_size = true}),
        std::pair("for these sizes only", Made{}),
        std::pair("for these sizes only, k undivided", Made{.split_k = 1})}) {
    fmt::print("the compiler's, {}:\n", what);
    for (const Contract& contract :
         {Contract{NumberType::f16}, Contract{NumberType::f16, "nt"},
          Contract{NumberType::bf16, "nt"}, Contract{NumberType::i8, "nt"}}) {
      const auto count_at = [&](std::uint32_t k) {
        return compiled_executed(modules, contract, made, {size, size, k});
      };
      if (!print_row("  " + name(contract), count_at)) return false;
    }
  }
  return true;
}

/// What the kernel of a problem executes that the compiler makes.
Count chosen_executed(Modules& modules, const GemmProblem& problem) {
  const auto kernel = choose_gemm(problem, modules.target());
  if (!kernel) return std::unexpected(kernel.error());
  const auto module =
      modules.device().load(code_object(*kernel, HEDDLE_KERNEL_FOLDER, modules.target()).value());
  if (!module) return std::unexpected(module.error().message);
  return executed(**module, *kernel, problem);
}

/// Whole calls by what a problem asks for.
bool print_epilogues(Modules& modules, std::uint32_t size) {
  const GemmProblem plain{.m = size, .n = size, .k = 128, .b_transposed = true};
  fmt::print("\nrow-major f16, nt, {0} x {0} x 128, by what is asked for:\n", size);
  const auto changed = [&](auto&& change) {
    GemmProblem problem = plain;
    change(problem);
    return problem;
  };
  for (const auto& [what, problem] :
       {std::pair("D = A * B, f32", plain),
        std::pair("D in f16", changed([](auto& p) { p.result = NumberType::f16; })),
        std::pair("odd n", changed([](auto& p) { p.n -= 1; })),
        std::pair("alpha", changed([](auto& p) { p.alpha = 2; })),
        std::pair("bias", changed([](auto& p) { p.has_bias = true; })),
        std::pair("beta * C", changed([](auto& p) { p.beta = 1; })),
        std::pair("relu", changed([](auto& p) { p.activation = Activation::relu; })),
        std::pair("gelu", changed([](auto& p) { p.activation = Activation::gelu; })),
        std::pair("silu", changed([](auto& p) { p.activation = Activation::silu; })),
        std::pair("sigmoid", changed([](auto& p) { p.activation = Activation::sigmoid; }))}) {
    const Count count = chosen_executed(modules, problem);
    if (!count) {
      fmt::print(stderr, "{}: {}\n", what, count.error());
      return false;
    }
    fmt::print("  {:16} {:7}\n", what, *count);
  }
  return true;
}

}  // namespace

int print_whole_calls(const std::string& target, std::uint32_t size) {
  Modules modules(target);
  return print_kernels(modules, size) && print_epilogues(modules, size) ? 0 : 1;
}

}  // namespace heddle::kernels
