// The kernels of the library and of the compiler among the trials.
#include <fstream>
#include <iterator>

#include "../kernels.h"
#include "compiler/compile.h"
#include "kernels/attention.h"
#include "kernels/gemm.h"
#include "trials.h"

namespace heddle::emulator::testing {
namespace {

struct Memory {
  std::vector<std::vector<std::uint16_t>> halves;
  std::vector<std::vector<std::int32_t>> numbers;
  std::vector<std::byte> output;
  Random random{11};

  Memory() { halves.reserve(8), numbers.reserve(8); }
  Buffer drawn(std::size_t count, std::string name) {
    auto& values = halves.emplace_back(count);
    for (std::uint16_t& x : values)
      x = __builtin_bit_cast(std::uint16_t, static_cast<_Float16>(random.uniform()));
    return buffer(std::span(values), std::move(name));
  }
  Buffer number(std::int32_t value, std::string name) {
    return buffer(std::span(numbers.emplace_back(1, value)), std::move(name));
  }
  Buffer written(std::size_t bytes, std::string name) {
    output.resize(bytes);
    Buffer result = buffer(std::span(output), std::move(name));
    result.initialised = false;
    return result;
  }
};

Trial gemm(const std::string& target) {
  auto memory = std::make_shared<Memory>();
  constexpr std::uint32_t m = 70, n = 50, k = 72;
  const kernels::GemmProblem problem{.m = m, .n = n, .k = k};
  const auto launch = kernels::gemm_launch(*kernels::choose_gemm(problem), problem,
                                           {memory->drawn(m * k, "A"),
                                            memory->drawn(k * n, "B"),
                                            {},
                                            {},
                                            memory->written(4 * m * n, "D")});
  return {"gemm_f16_nn " + target,
          read_file(HEDDLE_KERNEL_FOLDER "/" + kernels::gemm_file(problem.element, target)),
          {launch.value()},
          memory};
}

Trial attention(const std::string& target) {
  auto memory = std::make_shared<Memory>();
  constexpr std::int32_t queries = 40, keys = 70, depth = 64;
  kernels::AttentionProblem problem{};
  problem.element = runtime::NumberType::f16;
  problem.depth = depth;
  problem.kv_heads = problem.group = problem.sequences = 1;
  problem.longest_query = queries;
  problem.q = problem.k = problem.v = problem.o = {depth, depth};
  problem.window_left = problem.window_right = kernels::unlimited;
  const auto launches =
      kernels::attention_launches(problem, {memory->drawn(queries * depth, "q"),
                                            memory->drawn(keys * depth, "k"),
                                            memory->drawn(keys * depth, "v"),
                                            memory->written(2 * queries * depth, "o"),
                                            memory->number(0, "query_start"),
                                            memory->number(queries, "query_length"),
                                            memory->number(0, "key_start"),
                                            memory->number(keys, "key_length"),
                                            {},
                                            {}});
  return {"attention_f16_64 " + target,
          read_file(HEDDLE_KERNEL_FOLDER "/" + kernels::attention_file(target)),
          {launches.value().front()},
          memory};
}

Trial compiled_product(const std::string& target) {
  auto memory = std::make_shared<Memory>();
  std::ifstream file(HEDDLE_MATMUL_EXAMPLE);
  const std::string text((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  const auto kernel = compiler::compile(
      text, "matmul.mlir", {instruction::find_target(target)->target}, compiler::Stage::object);
  Trial trial;
  trial.name = "heddle compile matmul.mlir " + target;
  const auto bytes = std::as_bytes(std::span(kernel->object));
  trial.file.assign(bytes.begin(), bytes.end());
  Launch launch;
  launch.kernel = kernel->kernel_name;
  launch.grid = kernel->grid;
  launch.workgroup = kernel->workgroup;
  for (const compiler::Parameter& parameter : kernel->parameters)
    launch.arguments.push_back(parameter.written
                                   ? memory->written(parameter.bytes, parameter.name)
                                   : memory->drawn(parameter.bytes / 2, parameter.name));
  trial.launches = {launch};
  trial.memory = memory;
  return trial;
}

}  // namespace

std::vector<Trial> kernel_trials() {
  std::vector<Trial> trials;
  for (const std::string target : {"gfx1151", "gfx1201"}) {
    trials.push_back(gemm(target));
    trials.push_back(attention(target));
    trials.push_back(compiled_product(target));
  }
  return trials;
}

}  // namespace heddle::emulator::testing
