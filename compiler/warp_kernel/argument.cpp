#include "compiler/warp_kernel/argument.h"

#include <algorithm>
#include <cstdint>

namespace heddle::compiler {

void WarpArgument::bind(std::int64_t open_size) {
  if (!index) index = 0;
  if (!offset) offset = 0;
  std::int64_t pitch = 1;
  for (std::size_t dim = sizes.size(); dim-- > 0;) {
    if (!sizes[dim]) sizes[dim] = open_size;
    if (!strides[dim]) strides[dim] = pitch;
    if (__builtin_mul_overflow(std::max<std::int64_t>(*strides[dim], 1), *sizes[dim], &pitch))
      pitch = INT64_MAX;
  }
}

std::int64_t WarpArgument::span() const {
  constexpr std::int64_t most = std::int64_t{1} << 59;  // whose bytes are a number too
  __int128 last = *offset;
  for (std::size_t dim = 0; dim < sizes.size(); ++dim) {
    if (*sizes[dim] == 0) return 0;
    last += static_cast<__int128>(*sizes[dim] - 1) * *strides[dim];
  }
  return static_cast<std::int64_t>(std::min<__int128>(last + 1, most));
}

}  // namespace heddle::compiler
