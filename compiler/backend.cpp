#include "compiler/backend.h"

#include <array>

namespace heddle::compiler {

std::span<const Backend> backends() {
  static const std::array all{elementwise_backend, amd_backend, warpgroup_backend, mma_backend};
  return all;
}

}  // namespace heddle::compiler
