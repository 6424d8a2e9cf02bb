#include "compiler/backend.h"

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

}  // namespace heddle::compiler
