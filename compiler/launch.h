// The arguments for one launch of a compiled product.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "compiler/compile.h"
#include "compiler/request/actual_product.h"
#include "emulator/record/launch.h"

namespace heddle::compiler {

/// The tensor map over `buffer` for a launch, whose sizes `problem` has. A size of 0 becomes 1,
/// because a tensor map cannot have a size of 0.
inline emulator::TensorMap tensor_map(const TensorMapForm& form, std::string buffer,
                                      const plan::Problem& problem) {
  emulator::TensorMap map{.buffer = std::move(buffer),
                          .offset = form.offset,
                          .element = form.element,
                          .sizes = {},
                          .strides = {},
                          .box = form.box,
                          .swizzle_bytes = form.swizzle_bytes};
  for (const Stride& size : form.sizes)
    map.sizes.push_back(
        static_cast<std::uint64_t>(std::max<std::int64_t>(elements(size, problem), 1)));
  for (const Stride& stride : form.strides)
    map.strides.push_back(static_cast<std::uint64_t>(elements(stride, problem)));
  return map;
}

/// Fills `launch`: the kernel (the one that kernel_for chooses), its arguments, buffers, grid,
/// workgroup and dynamic shared memory. `buffers` has the bytes of each buffer of the request, then
/// those of the workspace, if the kernel has one. `launch` refers to these bytes, so they must stay
/// where they are until the launch has ended. If the launch is checked, buffers that the kernel
/// should not read count as uninitialised.
inline void bind_launch(const Compilation& all, const plan::Problem& problem,
                        std::vector<std::vector<std::byte>>& buffers, emulator::Launch& launch) {
  const Compilation& compilation = kernel_for(all, problem);
  launch.kernel = compilation.kernel_name;
  launch.grid = plan::blocks(compilation.grid, problem);
  launch.workgroup = compilation.workgroup;
  launch.dynamic_lds_bytes = compilation.dynamic_shared_bytes;
  const std::size_t matrices = compilation.request.buffers.size();
  const auto buffer = [&](std::size_t i) {
    const Parameter& parameter = compilation.parameters[i];
    return emulator::Buffer{buffers[i], parameter.name, parameter.read};
  };
  for (std::size_t i = 0; i < matrices; ++i) {
    if (compilation.arguments.empty()) {
      launch.arguments.emplace_back(buffer(i));
    } else {
      launch.buffers.push_back(buffer(i));
    }
  }
  for (const KernelArgument& argument : compilation.arguments) {
    const std::string& name =
        compilation.parameters[static_cast<std::size_t>(argument.parameter)].name;
    if (argument.map) {
      launch.arguments.emplace_back(tensor_map(*argument.map, name, problem));
    } else {
      launch.arguments.emplace_back(emulator::BufferAddress{name, 0});
    }
  }
  for (unsigned loop = 0; loop < plan::size_count; ++loop) {
    const auto name = static_cast<plan::Loop>(loop);
    if (problem.is_dynamic(name))
      launch.arguments.emplace_back(
          emulator::value(static_cast<std::uint32_t>(problem.size(name))));
  }
  if (compilation.parameters.back().role == Role::workspace)
    launch.arguments.emplace_back(emulator::Buffer{buffers.back(), "workspace"});
}

}  // namespace heddle::compiler
