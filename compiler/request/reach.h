// How far from the start of an array or matrix kernels can address elements, and whether that is
// enough for a request.
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

/// The largest accepted size, in bytes, of an array with the shape of `buffer`. It is smaller if
/// some sizes are dynamic, because kernels multiply dynamic sizes with 32 bits.
std::int64_t most_bytes_of(const BufferRecord& buffer);
/// The same in words.
std::string accepted_size(const BufferRecord& buffer);

/// A kernel adds 32-bit offsets to a 64-bit base address. Reach says which base address, and so
/// what must not be longer than a 32-bit offset.
enum class Reach : std::uint8_t {
  array,   // from the start of an array: arrays are at most `most_bytes` long
  matrix,  // from the first element of one matrix of the batch: matrices are
  any,     // none
};

/// If an array or a matrix of the request is longer than kernels with this reach allow: a message
/// with the array and the accepted length. Null if there is none. What depends on sizes that are
/// known only at launch is not considered.
std::optional<std::string> out_of_reach(const MatmulRequest& request, Reach reach);

}  // namespace heddle::compiler
