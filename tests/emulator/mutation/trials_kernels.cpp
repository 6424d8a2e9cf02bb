// The kernels of the library and of the compiler among the trials, with launches that take their
// edges and epilogues.
#include <algorithm>
#include <cstring>
#include <deque>
#include <fstream>
#include <iterator>

#include "../../compiler/product_text.h"
#include "../kernels.h"
#include "compiler/compile.h"
#include "kernels/attention.h"
#include "kernels/gemm.h"
#include "trials.h"

namespace heddle::emulator::testing {
namespace {

using instruction::ElementType;

// The buffers of a trial.
class Memory {
 public:
  Buffer drawn(std::size_t count, std::string name, ElementType element = ElementType::f16) {
    switch (element) {
      case ElementType::f16:
        return filled<_Float16>(count, std::move(name));
      case ElementType::f32:
        return filled<float>(count, std::move(name));
      default:
        return zeros(count * static_cast<std::size_t>(instruction::bits(element)) / 8,
                     std::move(name));
    }
  }
  Buffer number(std::int32_t value, std::string name) {
    Buffer result = zeros(sizeof value, std::move(name));
    std::memcpy(result.bytes.data(), &value, sizeof value);
    return result;
  }
  Buffer zeros(std::size_t bytes, std::string name) {
    return buffer(std::span(buffers_.emplace_back(bytes)), std::move(name));
  }
  Buffer written(std::size_t bytes, std::string name) {
    Buffer result = zeros(bytes, std::move(name));
    std::ranges::fill(result.bytes, std::byte{0xa5});
    result.initialised = false;
    return result;
  }

 private:
  template <class T>
  Buffer filled(std::size_t count, std::string name) {
    Buffer result = zeros(count * sizeof(T), std::move(name));
    for (std::size_t i = 0; i < count; ++i) {
      const T value = static_cast<T>(random_.uniform());
      std::memcpy(result.bytes.data() + i * sizeof(T), &value, sizeof(T));
    }
    return result;
  }

  std::deque<std::vector<std::byte>> buffers_;
  Random random_{11};
};

// --- kernels/rdna -------------------------------------------------------------------------------

Launch gemm_launch(Memory& memory, const kernels::GemmKernel& kernel,
                   const kernels::GemmProblem& problem) {
  using runtime::NumberType;
  const bool narrow = problem.result == NumberType::f16;
  const ElementType result = narrow ? ElementType::f16 : ElementType::f32;
  const std::size_t m = problem.m, n = problem.n, k = problem.k;
  const auto results = [&](std::size_t stride) { return m * std::max<std::size_t>(stride, n); };
  return kernels::gemm_launch(
             kernel, problem,
             {memory.drawn(m * k, "A"), memory.drawn(k * n, "B"),
              memory.drawn(results(problem.c_stride), "C", result), memory.drawn(n, "bias", result),
              memory.written((narrow ? 2 : 4) * results(problem.d_stride), "D")})
      .value();
}

// Every epilogue, with blocks that both edges cut.
Trial gemm(const std::string& name, const std::string& target, std::uint32_t k,
           std::uint32_t other_k) {
  auto memory = std::make_shared<Memory>();
  const kernels::GemmKernel& kernel = *kernels::find_gemm(name);
  Trial trial;
  trial.file =
      read_file(HEDDLE_KERNEL_FOLDER "/" + kernels::gemm_file(runtime::NumberType::f16, target));
  using enum kernels::Activation;
  const kernels::GemmProblem paired{.b_transposed = true, .paired_sums = true};
  kernels::GemmProblem problem = paired;
  problem.m = 70;
  problem.n = 55;
  problem.k = k;
  trial.launches.push_back(gemm_launch(*memory, kernel, problem));
  // Nearly all rows of C matter: what a wait is for that only rows outside D need is no mistake
  // here.
  problem = paired;
  problem.m = 61;
  problem.n = 71;
  problem.k = other_k;
  problem.alpha = 0.5f;
  problem.beta = 0.75f;
  problem.c_stride = 75;
  problem.d_stride = 77;
  for (const kernels::Activation activation : {gelu, silu, sigmoid}) {
    problem.activation = activation;
    problem.result = activation == gelu ? runtime::NumberType::f16 : runtime::NumberType::f32;
    problem.has_bias = activation != sigmoid;
    trial.launches.push_back(gemm_launch(*memory, kernel, problem));
  }
  problem = paired;
  problem.result = runtime::NumberType::f16;
  problem.m = 17;
  problem.n = 24;
  problem.k = k;
  problem.activation = relu;
  problem.has_bias = true;
  trial.launches.push_back(gemm_launch(*memory, kernel, problem));
  trial.memory = memory;
  return trial;
}

// All keys by one block, with and without a window; and in parts, which a second kernel joins. Rows
// are whole tiles and parts of one.
Trial attention(const std::string& target) {
  auto memory = std::make_shared<Memory>();
  Trial trial;
  trial.file = read_file(HEDDLE_KERNEL_FOLDER "/" + kernels::attention_file(target));
  struct Size {
    std::int32_t queries, keys, window, parts;
  };
  constexpr std::int32_t depth = 64;
  for (const auto& [queries, keys, window, parts] :
       {Size{70, 70, kernels::unlimited, 0}, Size{40, 70, 33, 0}, Size{17, 20, 0, 0},
        Size{66, 70, 33, 2}}) {
    kernels::AttentionProblem problem{};
    problem.element = runtime::NumberType::f16;
    problem.depth = depth;
    problem.kv_heads = problem.group = problem.sequences = 1;
    problem.longest_query = queries;
    problem.q = problem.k = problem.v = problem.o = {depth, depth};
    problem.window_left = window;
    problem.window_right = window == kernels::unlimited ? window : 0;
    problem.parts = parts;
    kernels::AttentionBuffers buffers{memory->drawn(queries * depth, "q"),
                                      memory->drawn(keys * depth, "k"),
                                      memory->drawn(keys * depth, "v"),
                                      memory->written(2 * queries * depth, "o"),
                                      memory->number(0, "query_start"),
                                      memory->number(queries, "query_length"),
                                      memory->number(0, "key_start"),
                                      memory->number(keys, "key_length"),
                                      {},
                                      {}};
    if (parts != 0) {
      const auto bytes = kernels::attention_workspace(problem).value();
      buffers.workspace_o = memory->zeros(bytes.o, "workspace_o");
      buffers.workspace_softmax = memory->zeros(bytes.softmax, "workspace_softmax");
    }
    std::ranges::copy(kernels::attention_launches(problem, buffers).value(),
                      std::back_inserter(trial.launches));
  }
  trial.memory = memory;
  return trial;
}

// --- what the compiler makes --------------------------------------------------------------------

Trial compiled(const std::string& text, const std::string& target,
               const compiler::PlanFields& plan) {
  const compiler::Options options{.target = instruction::find_target(target)->target, .plan = plan};
  const auto kernel = compiler::compile(text, "trial.mlir", options, compiler::Stage::object);
  Trial trial;
  if (!kernel) return trial;  // an empty file is no code object, and the trial says so
  auto memory = std::make_shared<Memory>();
  const auto bytes = std::as_bytes(std::span(kernel->object));
  trial.file.assign(bytes.begin(), bytes.end());
  Launch launch;
  launch.kernel = kernel->kernel_name;
  launch.grid = plan::blocks(kernel->grid, kernel->problem);
  launch.workgroup = kernel->workgroup;
  launch.dynamic_lds_bytes = kernel->dynamic_shared_bytes;
  for (const compiler::Parameter& parameter : kernel->parameters) {
    const std::size_t size = parameter.bytes;
    const auto count = size * 8 / static_cast<std::size_t>(instruction::bits(parameter.element));
    launch.arguments.push_back(
        parameter.role == compiler::Role::workspace ? memory->zeros(size, parameter.name)
        : parameter.read ? memory->drawn(count, parameter.name, parameter.element)
                         : memory->written(size, parameter.name));
  }
  trial.launches = {launch};
  trial.memory = memory;
  return trial;
}

void add_compiled(std::vector<NamedTrial>& trials, const std::string& target) {
  using compiler::Epilogue;
  const auto add = [&](const std::string& name, const std::string& text,
                       const compiler::PlanFields& plan = {}) {
    trials.push_back(
        {"heddle compile " + name + " " + target, [=] { return compiled(text, target, plan); }});
  };
  std::ifstream file(HEDDLE_MATMUL_EXAMPLE);
  const std::string text((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  add("matmul.mlir", text);
  compiler::ProductText product{.m = 41, .n = 50, .k = 37};
  product.a_transposed = product.accumulates = true;
  product.epilogue = Epilogue::scale_residual;
  add("odd sizes", product.mlir());
  product = {.m = 40, .n = 64, .k = 96};
  product.b_transposed = true;
  product.epilogue = Epilogue::narrowed;
  add("narrowed", product.mlir());
  product = {.m = 20, .n = 33, .k = 250};
  product.epilogue = Epilogue::bias_relu;
  add("split k", product.mlir(), {.split_k = 4});
  if (!target.starts_with("gfx9")) return;
  // Each wave stores a part of both tiles. Behind parts of k, all waves meet again.
  product = {.m = 120, .n = 128, .k = 144};
  product.b_transposed = true;
  compiler::PlanFields turns{.block_m = 128, .block_n = 128, .schedule = "ping-pong"};
  add("ping-pong", product.mlir(), turns);
  turns.split_k = 2;
  add("ping-pong, split k", product.mlir(), turns);
}

}  // namespace

std::vector<NamedTrial> kernel_trials() {
  std::vector<NamedTrial> trials;
  for (const std::string target : {"gfx1151", "gfx1201"}) {
    const std::string name = "gemm_f16_nt_paired";
    trials.push_back({name + " " + target, [=] { return gemm(name, target, 128, 64); }});
    trials.push_back({"attention_f16_64 " + target, [=] { return attention(target); }});
    add_compiled(trials, target);
  }
  for (const std::string target : {"gfx942", "gfx950", "gfx1250"}) add_compiled(trials, target);
  return trials;
}

}  // namespace heddle::emulator::testing
