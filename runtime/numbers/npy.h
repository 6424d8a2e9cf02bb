// Arrays in files as NumPy writes them (NumPy Enhancement Proposal 1, versions 1 to 3). Anybody may
// have written such a file: nothing that its header says is trusted.
#pragma once

#include <cstdint>
#include <expected>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/numbers/number.h"

namespace heddle::runtime {

/// What is longer is no header.
inline constexpr std::size_t most_npy_header = 65536 + 12;

/// An array in a file, whose bytes it looks at.
struct NpyArray {
  std::string_view type;            // such as "'<f4'"
  std::vector<std::int64_t> sizes;  // from 0 to 2^40 each; at most 32
  std::string_view elements;        // row-major
};

bool is_npy(std::string_view file);

/// What the header says, or a sentence: it ends inside the header, has no sizes, is in column-major
/// order.
std::expected<NpyArray, std::string> read_npy(std::string_view file);

/// Whether the elements are of `type`. Types that NumPy lacks are stored as integers or void of
/// their size.
bool is_of_type(const NpyArray& array, NumberType type);

/// Why `array` is not the one of this type and these sizes called `name`; empty if it is. The bytes
/// of its elements are not counted.
std::string not_that_array(const NpyArray& array, NumberType type,
                           std::span<const std::int64_t> sizes, std::string_view name);

/// "(64, 128)" or "(64,)".
std::string npy_shape(std::span<const std::int64_t> sizes);

/// A file with these elements, which are row-major.
std::string npy_file(NumberType type, std::span<const std::int64_t> sizes,
                     std::span<const std::byte> elements);

}  // namespace heddle::runtime
