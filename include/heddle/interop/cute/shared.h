// Conversion between CuTe's layouts of a tile and layouts of shared memory. CuTe maps coordinates
// to an offset; a layout of shared memory is the inverse map.
//
//   (8,64):(64,1)                  row-major
//   Sw<3,3,3> o 0 o (8,64):(64,1)  with a swizzle
//   (16,16):(24,1)                 rows of 16, each followed by 8 unused elements: padding 16:+8
#pragma once

#include "heddle/interop/cute/linear.h"
#include "heddle/layout/axes.h"
#include "heddle/layout/solve.h"
#include "heddle/memory/shared_layout.h"

namespace heddle::interop::cute {

namespace detail {

/// The stride of one bit of the coordinates.
struct StrideBit {
  std::uint64_t stride;
  int coordinate_bit;  // of the flat coordinates
};

/// Every bit of the coordinates with its stride, or an error if a size is not a power of two or a
/// stride is not positive.
std::expected<std::vector<StrideBit>, std::string> stride_bits(const Layout& layout);

}  // namespace detail

/// Converts to a layout of shared memory. Errors: sizes that are not powers of two, elements at the
/// same offset, unused offsets that no padding of a linear layout explains.
///
/// Law: place(inverse(map)(c)) is the layout's offset at the coordinates c.
std::expected<memory::SharedLayout, std::string> to_shared(const AnyLayout& any);

/// Converts to a layout of CuTe with one mode for each dimension. Errors: a swizzle together with
/// padding, a map that needs more than a swizzle, several blocks.
std::expected<AnyLayout, std::string> from_shared(const memory::SharedLayout& shared);

}  // namespace heddle::interop::cute
