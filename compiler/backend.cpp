#include "compiler/backend.h"

#include <algorithm>
#include <array>

namespace heddle::compiler {

bool has_nvidia_kernels(instruction::Target target) {
  return instruction::is_nvidia(instruction::processor(target).family) &&
         instruction::is_compiled_for(target);
}

std::span<const Backend> backends() {
  static const std::array all{element_backend,   elementwise_backend, warpgroup_attention_backend,
                              attention_backend, amd_backend,         warpgroup_backend,
                              mma_backend};
  return all;
}

std::string names_of_targets() {
  std::string names;
  const auto has_some = [&](const instruction::ProcessorRow& row) {
    return std::ranges::any_of(backends(),
                               [&](const Backend& kind) { return kind.has_kernels(row.target); });
  };
  for (const instruction::ProcessorRow& row : instruction::processor_rows)
    if (has_some(row)) names += (names.empty() ? "" : ", ") + std::string(row.name);
  return names;
}

}  // namespace heddle::compiler
