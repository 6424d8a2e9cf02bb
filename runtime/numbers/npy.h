// Arrays in files as NumPy writes them (NumPy Enhancement Proposal 1, versions 1 to 3). Such a file
// may come from anybody, so nothing in its header is trusted.
#pragma once

#include <cstdint>
#include <expected>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/numbers/number.h"

namespace heddle::runtime {

/// The length of the longest header that is read.
inline constexpr std::size_t most_npy_header = 65536 + 12;

/// A view of an array in the bytes of a file.
struct NpyArray {
  std::string_view type;            // such as "'<f4'"
  std::vector<std::int64_t> sizes;  // from 0 to 2^40 each; at most 32
  std::string_view elements;        // row-major
};

bool is_npy(std::string_view file);

/// Reads the header. Error: a sentence that the file ends inside the header, has no sizes, or is in
/// column-major order.
std::expected<NpyArray, std::string> read_npy(std::string_view file);

/// True if the elements are of `type`. A type that NumPy lacks is stored as an integer or void type
/// of the same size.
bool is_of_type(const NpyArray& array, NumberType type);

/// The reason why `array` cannot be the array `name` of this type and these sizes; empty if it can.
/// The number of bytes of its elements is not checked.
std::string not_that_array(const NpyArray& array, NumberType type,
                           std::span<const std::int64_t> sizes, std::string_view name);

/// "(64, 128)" or "(64,)".
std::string npy_shape(std::span<const std::int64_t> sizes);

/// The bytes of a .npy file with these elements, which are row-major.
std::string npy_file(NumberType type, std::span<const std::int64_t> sizes,
                     std::span<const std::byte> elements);

}  // namespace heddle::runtime
