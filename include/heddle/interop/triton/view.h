// Layouts as text for people, in the format of Triton's format_hardware_view and
// format_tensor_view.
//
// A distributed layout has two views. One shows which element each register of each lane holds,
// with a line for each register. The other shows which thread and register hold each element;
// copies are joined by |.
//
//   Warp0:                                       [[T0:0, T0:1, T1:0, T1:1]
//   (0,0), (0,2), (1,0), (1,2)                   [ T2:0, T2:1, T3:0, T3:1]]
//   (0,1), (0,3), (1,1), (1,3)
//
// A layout of shared memory has two views, too: the element at each offset, as a list or row by
// row.
//
//   Block: 0:                                    [[(0:0),(0:1),(0:2),(0:3)]
//   Offset: 0 -> (0,0)                           [ (1:1),(1:0),(1:3),(1:2)]]
//   Offset: 1 -> (0,1)
//   …
//
// Triton cannot draw padded layouts ("cannot be visualized"). Here offsets of padded layouts
// include the padding, which is printed as `padding` in one view and as (-:-) in the other.
//
// Source: Triton, lib/Dialect/TritonGPU/IR/Dialect.cpp (getDistributedLayoutStr,
// getSharedLayoutStr); numbers are as wide as the size of their dimension.
#pragma once

#include "heddle/interop/triton/layout.h"

namespace heddle::interop::triton {

namespace detail {

/// `value` as text, aligned to the right in the width of `widest`.
std::string aligned(std::int64_t value, std::int64_t widest);

/// The coordinates of a flat output word, in parentheses, with `separator` between them.
std::string coordinates(const layout::AxisList& axes, std::uint64_t flat, char separator);

std::uint64_t size_of(const layout::LinearLayout& map, const layout::AxisName& input);

/// The index of an element in row-major order, with the last dimension fastest.
std::uint64_t row_major(const layout::AxisList& axes, std::uint64_t flat);

}  // namespace detail

/// Shows which element each register of each lane holds, with a line for each register of a warp.
Result<std::string> format_hardware_view(const layout::LinearLayout& map);

/// Shows for each element who holds it: T and the thread's number in the CTA, then the register.
Result<std::string> format_tensor_view(const layout::LinearLayout& map);

/// Shows which element is at each offset of shared memory; unused offsets show `padding`.
Result<std::string> format_hardware_view(const memory::SharedLayout& shared);

/// Shows the elements in the order of memory. A line has as many elements as the last dimension;
/// padding after an element is on the same line.
Result<std::string> format_tensor_view(const memory::SharedLayout& shared);

/// The views of a layout for a tensor of this shape, as Gluon's classes print them.
Result<std::string> format_hardware_view(const Layout& layout, const Numbers& shape);

Result<std::string> format_tensor_view(const Layout& layout, const Numbers& shape);

}  // namespace heddle::interop::triton
