#include "compiler/warp_kernel/argument.h"

#include <algorithm>

namespace heddle::compiler {

void WarpArgument::bind(std::int64_t open_size) {
  if (!index) index = 0;
  if (!offset) offset = 0;
  std::int64_t pitch = 1;
  for (std::size_t dim = sizes.size(); dim-- > 0;) {
    if (!sizes[dim]) sizes[dim] = open_size;
    if (!strides[dim]) strides[dim] = pitch;
    pitch = std::max<std::int64_t>(*strides[dim], 1) * *sizes[dim];
  }
}

std::int64_t WarpArgument::span() const {
  std::int64_t last = *offset;
  for (std::size_t dim = 0; dim < sizes.size(); ++dim) {
    if (*sizes[dim] == 0) return 0;
    last += (*sizes[dim] - 1) * *strides[dim];
  }
  return last + 1;
}

}  // namespace heddle::compiler
