// How far into an array kernels find elements, and whether that is enough for a request.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "compiler/request/matmul_request.h"

namespace heddle::compiler {

/// The largest array of any kernel, 4 TiB: more than a GPU has.
inline constexpr std::int64_t most_array_bytes = std::int64_t{1} << 42;

/// The largest size of a dimension: kernels count along each loop with 32 bits.
inline constexpr std::int64_t most_length = most_bytes;

/// The largest array of this shape, as far as the text says the shape. Of a size that only a launch
/// knows, products with it are computed with 32 bits.
std::int64_t most_bytes_of(const BufferRecord& buffer);
/// The same in words.
std::string accepted_size(const BufferRecord& buffer);

/// The offsets that a kind of kernel has with 32 bits; what it adds to them has 64.
enum class Reach : std::uint8_t {
  array,   // from the start of an array: arrays are at most `most_bytes` long
  matrix,  // from the first element of one matrix of the batch: matrices are
  any,     // none
};

/// Which array of the request is longer than kernels of this reach allow, and what they allow;
/// nothing if none is. Sizes that only a launch knows are not considered.
std::optional<std::string> out_of_reach(const MatmulRequest& request, Reach reach);

}  // namespace heddle::compiler
