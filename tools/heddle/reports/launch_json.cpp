#include "tools/heddle/reports/launch_json.h"

#include <algorithm>
#include <array>

#include "llvm/ADT/StringExtras.h"

namespace heddle::tool {
namespace {

using compiler::Stride;
using plan::Loop;

constexpr std::array<const char*, 7> role_names{"A", "B", "C", "D", "E", "size", "workspace"};

/// A number of the launch. If it depends on sizes that are known at launch, it is an object with
/// the formula; otherwise it is a plain number.
llvm::json::Value json(const plan::LaunchNumber& number, const plan::Problem& problem) {
  const auto depends = [&](const plan::LaunchNumber::Tiles& tiles) {
    return tiles.size != 0 && problem.is_dynamic(tiles.loop);
  };
  if (std::ranges::none_of(number.tiles, depends)) return number.value(problem);
  llvm::json::Array sizes;
  for (const plan::LaunchNumber::Tiles& tiles : number.tiles) {
    if (tiles.size == 0) continue;
    const llvm::json::Value size =
        depends(tiles) ? llvm::json::Value(plan::size_names[static_cast<std::size_t>(tiles.loop)])
                       : llvm::json::Value(problem.size(tiles.loop));
    sizes.push_back(llvm::json::Object{{"size", size}, {"over", tiles.size}});
  }
  llvm::json::Object object{{"times", number.times}, {"sizes", std::move(sizes)}};
  if (number.most != plan::LaunchNumber().most) object["at_most"] = number.most;
  return object;
}

/// A stride of the launch, which is a factor times the product of some sizes: an object with the
/// formula if it depends on sizes that are known at launch, otherwise a plain number.
llvm::json::Value json(const Stride& stride, const plan::Problem& problem) {
  plan::LaunchNumber product{.times = stride.factor};
  std::size_t next = 0;
  for (unsigned loop = 0; loop < plan::size_count; ++loop)
    if ((stride.sizes >> loop & 1u) != 0) product.tiles.at(next++) = {static_cast<Loop>(loop), 1};
  return json(product, problem);
}

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
                        : json(plan::LaunchNumber{dynamic.times, {{{dynamic.loop, dynamic.over}}}},
                               compilation.problem));
    strides.push_back(buffer.strides[i] >= 0 ? llvm::json::Value(buffer.strides[i])
                      : buffer.strides[i] == compiler::told_stride
                          ? json(Stride{1, 1u << static_cast<unsigned>(buffer.told_strides[i])},
                                 compilation.problem)
                          : nullptr);
  }
  json_of["function_argument"] =
      buffer.argument >= 0 ? llvm::json::Value(buffer.argument) : nullptr;
  json_of["sizes"] = std::move(sizes);
  json_of["strides"] = std::move(strides);
  json_of["offset"] = buffer.offset;
  json_of["zero"] = false;
  if (buffer.has_open_offset && compilation.request.ones != 0) json_of["aligned"] = 16;
  if (compilation.request.program) json_of["aligned"] = plan::ElementPlan::access_bytes;
  if (!buffer.constant.empty())
    json_of["constant"] =
        llvm::toHex(llvm::ArrayRef(reinterpret_cast<const std::uint8_t*>(buffer.constant.data()),
                                   buffer.constant.size()),
                    /*LowerCase=*/true);
  return json_of;
}

llvm::json::Object map_json(const compiler::TensorMapForm& map, const plan::Problem& problem) {
  llvm::json::Array sizes, strides, box;
  for (const Stride& size : map.sizes) sizes.push_back(json(size, problem));
  for (const Stride& stride : map.strides) strides.push_back(json(stride, problem));
  for (const std::uint32_t size : map.box) box.push_back(size);
  return llvm::json::Object{{"element", llvm::StringRef(instruction::name(map.element))},
                            {"offset_bytes", map.offset},
                            {"sizes", std::move(sizes)},
                            {"stride_bytes", std::move(strides)},
                            {"box", std::move(box)},
                            {"swizzle_bytes", map.swizzle_bytes}};
}

}  // namespace

llvm::json::Value product_json(const compiler::MatmulRequest& request, Loop loop) {
  const auto number = static_cast<std::size_t>(loop);
  return json(Stride{request.multiples[number], request.made_of[number]}, request.problem);
}

llvm::json::Object launch_json(const compiler::Compilation& compilation) {
  const plan::Problem& problem = compilation.problem;
  llvm::json::Array blocks, threads, buffers, arguments;
  for (std::size_t i = 0; i < 3; ++i) {
    blocks.push_back(json(compilation.grid[i], problem));
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
  for (unsigned loop = 0; loop < plan::size_count; ++loop) {
    if (!problem.is_dynamic(static_cast<Loop>(loop))) continue;
    const bool is_loop = loop < plan::loop_count;
    const std::int64_t multiple = compilation.request.multiples[loop];
    llvm::json::Object size{
        {"kind", "size"}, {"size", plan::size_names[loop]}, {"multiple_of", multiple}};
    if (is_loop && problem.most[loop] != 0) size["at_most"] = problem.most[loop];
    if ((compilation.request.ones >> loop & 1u) != 0) size["at_most"] = 1;
    if (is_loop && compilation.request.made_of[loop] != 0)
      size["product"] = product_json(compilation.request, static_cast<Loop>(loop));
    arguments.push_back(std::move(size));
  }
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
