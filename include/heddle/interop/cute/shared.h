// CuTe's layouts of a tile as layouts of shared memory: coordinates -> offset read backwards.
//
//   (8,64):(64,1)                  row-major
//   Sw<3,3,3> o 0 o (8,64):(64,1)  with a swizzle
//   (16,16):(24,1)                 rows of 16 with 8 elements left free: padding 16:+8
#pragma once

#include "heddle/interop/cute/linear.h"
#include "heddle/layout/axes.h"
#include "heddle/layout/solve.h"
#include "heddle/memory/shared_layout.h"

namespace heddle::interop::cute {

namespace detail {

/// A stride, and which bit of which coordinate it is of.
struct StrideBit {
  std::uint64_t stride;
  int coordinate_bit;  // of the flat coordinates
};

/// Every bit of the coordinates with its stride, or an error if a size is not a power of two or a
/// stride is not positive.
std::expected<std::vector<StrideBit>, std::string> stride_bits(const Layout& layout);

}  // namespace detail

/// The layout of shared memory. Errors: sizes that are no powers of two, elements that share a
/// place, places that no padding of a linear layout leaves free.
/// Law: place(inverse(map)(c)) is the layout's offset at the coordinates c.
std::expected<memory::SharedLayout, std::string> to_shared(const AnyLayout& any);

/// CuTe's layout, one mode for each dimension. Errors: a swizzle with padding, a map that no
/// swizzle makes, several blocks.
std::expected<AnyLayout, std::string> from_shared(const memory::SharedLayout& shared);

}  // namespace heddle::interop::cute
