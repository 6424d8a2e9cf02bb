#include "whole_calls.h"

#include <fmt/format.h>

#include <array>
#include <fstream>
#include <iterator>
#include <map>
#include <memory>
#include <tuple>
#include <vector>

#include "compiler/compile.h"
#include "compiler/launch.h"
#include "kernels/gemm_figures.h"

namespace heddle::kernels {
namespace {

// Two kinds of text meet here: what a call counts, or why it cannot.
using Count = std::expected<std::uint64_t, std::string>;

constexpr std::array<std::uint32_t, 5> depths{128, 256, 512, 1024, 4096};

/// The code objects of one target on its emulator.
class Modules {
 public:
  explicit Modules(const std::string& target)
      : target_(target), device_(runtime::Device::open("emulator:" + target).value()) {}

  runtime::Device& device() { return *device_; }
  runtime::Module& of(NumberType element) {
    std::unique_ptr<runtime::Module>& module = modules_[element];
    if (module) return *module;
    std::ifstream file(std::string(HEDDLE_KERNEL_FOLDER) + "/" + gemm_file(element, target_),
                       std::ios::binary);
    const std::string text((std::istreambuf_iterator<char>(file)),
                           std::istreambuf_iterator<char>());
    module = device_->load(std::as_bytes(std::span(text))).value();
    return *module;
  }

 private:
  std::string target_;
  std::unique_ptr<runtime::Device> device_;
  std::map<NumberType, std::unique_ptr<runtime::Module>> modules_;
};

/// What a kernel of the compiler is for.
struct Contract {
  std::string_view name;
  NumberType element;  // D is f32, or i32 of i8
  bool b_transposed;
  bool any_size;  // or just those of the launch
  int split_k;    // blocks that share the k of a tile of D; 0: as many as the planner decides
};

/// D = A B, or A B', for the compiler.
std::string product_text(const Contract& contract, std::uint32_t size, std::uint32_t k) {
  const bool is_float = runtime::is_float(contract.element), dynamic = contract.any_size;
  const std::string_view in = contract.element == NumberType::i8     ? "i8"
                              : contract.element == NumberType::bf16 ? "bf16"
                                                                     : "f16";
  const std::string_view out = is_float ? "f32" : "i32";
  const std::string side = dynamic ? "?" : std::to_string(size);
  const std::string depth = dynamic ? "?" : std::to_string(k);
  const std::string rows = fmt::format("tensor<{}x{}x{}>", side, depth, in);
  const std::string columns = fmt::format("tensor<{}x{}x{}>", depth, side, in);
  const std::string& b = contract.b_transposed ? rows : columns;
  const std::string d = fmt::format("tensor<{0}x{0}x{1}>", side, out);
  std::string sizes;
  if (dynamic)
    sizes = fmt::format(
        "  %zero = arith.constant 0 : index\n  %one = arith.constant 1 : index\n"
        "  %m = tensor.dim %a, %zero : {}\n  %n = tensor.dim %b, %{} : {}\n",
        rows, contract.b_transposed ? "zero" : "one", b);
  return fmt::format(
      "func.func @product(%a: {0}, %b: {1}) -> {2} {{\n{6}"
      "  %z = arith.constant {3} : {4}\n  %e = tensor.empty({7}) : {2}\n"
      "  %f = linalg.fill ins(%z : {4}) outs(%e : {2}) -> {2}\n"
      "  %d = linalg.contract indexing_maps = [affine_map<(m, n, k) -> (m, k)>, "
      "affine_map<(m, n, k) -> ({5})>, affine_map<(m, n, k) -> (m, n)>] ins(%a, %b : {0}, {1}) "
      "outs(%f : {2}) -> {2}\n  return %d : {2}\n}}\n",
      rows, b, d, is_float ? "0.0" : "0", out, contract.b_transposed ? "n, k" : "k, n", sizes,
      dynamic ? "%m, %n" : "");
}

/// What the compiler's kernel executes.
Count compiled_executed(runtime::Device& device, const std::string& target,
                        const Contract& contract, std::uint32_t size, std::uint32_t k) {
  const auto compiled = compiler::compile(
      product_text(contract, size, k), "product.mlir",
      {.target = instruction::find_target(target)->target, .plan = {.split_k = contract.split_k}},
      compiler::Stage::object);
  if (!compiled) return std::unexpected(compiled.error());
  plan::Problem problem = compiled->problem;
  problem.size(plan::Loop::m) = problem.size(plan::Loop::n) = size;
  problem.size(plan::Loop::k) = k;
  std::vector<std::vector<std::byte>> buffers;
  for (const compiler::BufferRecord& buffer : compiled->request.buffers)
    buffers.emplace_back(compiler::byte_count(buffer, problem));
  if (buffers.size() < compiled->parameters.size())
    buffers.emplace_back(compiled->parameters.back().bytes);  // the workspace
  emulator::Launch launch;
  compiler::bind_launch(*compiled, problem, buffers, launch);
  const auto module = device.load(std::as_bytes(std::span(compiled->object)));
  if (!module) return std::unexpected(module.error().message);
  const auto report = (*module)->launch(launch);
  if (!report) return std::unexpected(report.error().message);
  return report->emulated.value().instructions;
}

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

bool print_kernels(Modules& modules, const std::string& target, std::uint32_t size) {
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
  for (const auto& [what, any_size, split_k] :
       {std::tuple("for any sizes", true, 0), std::tuple("for these sizes only", false, 0),
        std::tuple("for these sizes only, k undivided", false, 1)}) {
    fmt::print("the compiler's, {}:\n", what);
    for (const Contract& contract :
         {Contract{"  f16 nn", NumberType::f16, false, any_size, split_k},
          Contract{"  f16 nt", NumberType::f16, true, any_size, split_k},
          Contract{"  bf16 nt", NumberType::bf16, true, any_size, split_k},
          Contract{"  i8 nt", NumberType::i8, true, any_size, split_k}}) {
      const auto count_at = [&](std::uint32_t k) {
        return compiled_executed(modules.device(), target, contract, size, k);
      };
      if (!print_row(std::string(contract.name), count_at)) return false;
    }
  }
  return true;
}

/// What each thing that a problem asks for adds to the fixed cost.
bool print_epilogues(Modules& modules, const std::string& name, std::uint32_t size) {
  const GemmKernel& kernel = *find_gemm(name);
  const GemmProblem plain = problem_for(kernel, size, size, 0);
  fmt::print("\nfixed cost of {}, {} x {}, by what is asked for:\n", name, size, size);
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
    const auto cost = call_cost(modules.of(kernel.element), kernel, problem);
    if (!cost) {
      fmt::print(stderr, "{}: {}\n", what, cost.error());
      return false;
    }
    fmt::print("  {:16} {:7.0f}\n", what, cost->fixed);
  }
  return true;
}

}  // namespace

int print_whole_calls(const std::string& target, std::uint32_t size) {
  Modules modules(target);
  return print_kernels(modules, target, size) && print_epilogues(modules, "gemm_f16_nt", size) ? 0
                                                                                               : 1;
}

}  // namespace heddle::kernels
