#include "tools/heddle/launch_json.h"

#include <array>
#include <optional>

namespace heddle::tool {
namespace {

using compiler::Stride;
using plan::Loop;

constexpr std::array<const char*, 4> size_names{"m", "n", "k", "batch"};
constexpr std::array<const char*, 7> role_names{"A", "B", "C", "D", "E", "size", "workspace"};

/// A number of a launch: `times` times the product of each size divided by `over`, rounded up; that
/// product at most `at_most`.
struct Number {
  struct Part {
    Loop size{};
    std::int64_t over = 1;
  };
  std::int64_t times = 1;
  std::vector<Part> parts = {};
  std::optional<std::int64_t> at_most = {};
};

/// A number where all sizes are known, else an object.
llvm::json::Value json(const Number& number, const plan::Problem& problem) {
  const auto is_dynamic = [&](const Number::Part& part) { return problem.is_dynamic(part.size); };
  if (std::ranges::none_of(number.parts, is_dynamic)) {
    std::int64_t product = 1;
    for (const auto& [size, over] : number.parts) product *= (problem.size(size) + over - 1) / over;
    return number.times * std::min(product, number.at_most.value_or(product));
  }
  llvm::json::Array sizes;
  for (const auto& [size, over] : number.parts)
    sizes.push_back(
        llvm::json::Object{{"size", size_names[static_cast<std::size_t>(size)]}, {"over", over}});
  llvm::json::Object object{{"times", number.times}, {"sizes", std::move(sizes)}};
  if (number.at_most) object["at_most"] = *number.at_most;
  return object;
}

Number number_of(const Stride& stride) {
  Number number{.times = stride.factor};
  for (unsigned loop = 0; loop < 4; ++loop)
    if ((stride.sizes >> loop & 1u) != 0) number.parts.push_back({static_cast<Loop>(loop), 1});
  return number;
}

using Grid = std::array<Number, 3>;

/// Nothing where the sizes do not matter.
std::optional<Grid> grid_of(const plan::MatmulPlan& plan) {
  if (plan.problem.dynamic == 0) return std::nullopt;
  return Grid{Number{.parts = {{Loop::n, plan.block.n}}},
              Number{.parts = {{Loop::m, plan.block.m}}}, Number{.parts = {{Loop::batch, 1}}}};
}

std::optional<Grid> grid_of(const plan::MmaPlan& plan) {
  if (plan.problem.dynamic == 0) return std::nullopt;
  return Grid{Number{.parts = {{Loop::m, plan.tiles.m}, {Loop::n, plan.tiles.n}}},
              Number{.parts = {{Loop::batch, 1}}}, Number{.times = plan.tiles.split_k}};
}

std::optional<Grid> grid_of(const plan::WarpgroupPlan& plan) {
  if (plan.problem.dynamic == 0) return std::nullopt;
  return Grid{Number{.times = plan.cluster(),
                     .parts = {{Loop::m, std::int64_t{plan.block_m} * plan.cluster_m},
                               {Loop::n, std::int64_t{plan.block_n} * plan.cluster_n},
                               {Loop::batch, 1}},
                     .at_most = plan::hopper_multiprocessors / plan.cluster()},
              Number{}, Number{}};
}

std::optional<Grid> grid_of(const std::monostate&) { return std::nullopt; }

llvm::json::Object buffer_json(const compiler::Compilation& compilation, std::size_t number) {
  const compiler::Parameter& parameter = compilation.parameters[number];
  llvm::json::Object json_of{{"name", parameter.name},
                             {"role", role_names[static_cast<std::size_t>(parameter.role)]},
                             {"element", llvm::StringRef(instruction::name(parameter.element))},
                             {"read", parameter.read},
                             {"written", parameter.written}};
  if (number >= compilation.request.buffers.size()) {  // a workspace
    json_of["bytes"] = parameter.bytes;
    json_of["zero"] = true;
    return json_of;
  }
  const compiler::BufferRecord& buffer = compilation.request.buffers[number];
  llvm::json::Array sizes, strides;
  for (std::size_t i = 0; i < buffer.shape.size(); ++i) {
    const compiler::DynamicSize& dynamic = buffer.dynamic_sizes[i];
    sizes.push_back(buffer.shape[i] >= 0
                        ? llvm::json::Value(buffer.shape[i])
                        : json({.times = dynamic.times, .parts = {{dynamic.loop, dynamic.over}}},
                               compilation.problem));
    strides.push_back(buffer.strides[i] >= 0 ? llvm::json::Value(buffer.strides[i]) : nullptr);
  }
  json_of["function_argument"] =
      buffer.argument >= 0 ? llvm::json::Value(buffer.argument) : nullptr;
  json_of["sizes"] = std::move(sizes);
  json_of["strides"] = std::move(strides);
  json_of["offset"] = buffer.offset;
  json_of["zero"] = false;
  return json_of;
}

llvm::json::Object map_json(const compiler::TensorMapForm& map, const plan::Problem& problem) {
  llvm::json::Array sizes, strides, box;
  for (const Stride& size : map.sizes) sizes.push_back(json(number_of(size), problem));
  for (const Stride& stride : map.strides) strides.push_back(json(number_of(stride), problem));
  for (const std::uint32_t size : map.box) box.push_back(size);
  return llvm::json::Object{{"element", llvm::StringRef(instruction::name(map.element))},
                            {"offset_bytes", map.offset},
                            {"sizes", std::move(sizes)},
                            {"stride_bytes", std::move(strides)},
                            {"box", std::move(box)},
                            {"swizzle_bytes", map.swizzle_bytes}};
}

}  // namespace

llvm::json::Object launch_json(const compiler::Compilation& compilation) {
  const plan::Problem& problem = compilation.problem;
  const auto grid = std::visit([](const auto& plan) { return grid_of(plan); }, compilation.plan);
  llvm::json::Array blocks, threads, buffers, arguments;
  for (std::size_t i = 0; i < 3; ++i) {
    blocks.push_back(grid ? json((*grid)[i], problem) : compilation.grid[i]);
    threads.push_back(compilation.workgroup[i]);
  }
  const std::size_t matrices = compilation.request.buffers.size();
  const auto pointer = [&](std::size_t buffer) {
    arguments.push_back(llvm::json::Object{{"kind", "pointer"}, {"buffer", buffer}});
  };
  for (std::size_t i = 0; i < matrices; ++i) {
    buffers.push_back(buffer_json(compilation, i));
    if (compilation.arguments.empty()) pointer(i);
  }
  for (const compiler::KernelArgument& argument : compilation.arguments) {
    const auto buffer = static_cast<std::size_t>(argument.parameter);
    if (!argument.map) {
      pointer(buffer);
      continue;
    }
    arguments.push_back(llvm::json::Object{
        {"kind", "tensor_map"}, {"buffer", buffer}, {"map", map_json(*argument.map, problem)}});
  }
  for (unsigned loop = 0; loop < 4; ++loop)
    if (problem.is_dynamic(static_cast<Loop>(loop)))
      arguments.push_back(llvm::json::Object{{"kind", "size"},
                                             {"size", size_names[loop]},
                                             {"multiple_of", compilation.request.multiples[loop]}});
  if (compilation.parameters.back().role == compiler::Role::workspace) {
    buffers.push_back(buffer_json(compilation, compilation.parameters.size() - 1));
    pointer(matrices);
  }
  return llvm::json::Object{{"kernel", compilation.kernel_name},
                            {"grid", std::move(blocks)},
                            {"block", std::move(threads)},
                            {"dynamic_shared_bytes", compilation.dynamic_shared_bytes},
                            {"buffers", std::move(buffers)},
                            {"arguments", std::move(arguments)}};
}

}  // namespace heddle::tool
