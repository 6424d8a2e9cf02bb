// Writes layouts as Triton's attributes.
//
// There are two ways. attribute(layout) prints one of Gluon's layouts as Triton 3.6 prints it.
// write(map) finds an attribute for any map. It prefers a short one: blocked for distributed
// layouts, swizzled_shared or padded_shared in shared memory. If none fits, it takes a general one:
// linear, shared_linear, or padded_shared with bases.
//
// Law: read(write(map)).map == map, for every map that write accepts and that has the axes of
// read's maps: all of register, lane, warp and block; or offset, and block if several CTAs share
// the tensor.
//
// Source: Triton 3.6.0, lib/Dialect/TritonGPU/IR/Dialect.cpp (the print functions).
#pragma once

#include <optional>

#include "heddle/interop/triton/layout.h"

namespace heddle::interop::triton {

namespace detail {

/// True if `offsets` are the bases that run through `shape` in `order`, fastest dimension first.
bool is_identity(const Bases& offsets, const Numbers& shape, const Numbers& order);

}  // namespace detail

std::string attribute(const DistributedLayout& layout);

std::string attribute(const BlockedLayout& layout);

std::string attribute(const DistributedLinearLayout& layout);

std::string attribute(const NVMMADistributedLayout& layout);

std::string attribute(const AMDMFMALayout& layout);

std::string attribute(const AMDWMMALayout& layout);

std::string attribute(const SliceLayout& layout);

std::string attribute(const DotOperandLayout& layout);

std::string attribute(const AutoLayout&);

std::string attribute(const DistributedLayout& layout);

std::string attribute(const SwizzledSharedLayout& layout);

std::string attribute(const NVMMASharedLayout& layout);

std::string attribute(const SharedLinearLayout& layout);

std::string attribute(const PaddedSharedLayout& layout);

std::string attribute(const PartitionedSharedLayout& layout);

/// The attribute of a layout, as Triton 3.6 prints it. Precondition: verify(layout).
std::string attribute(const Layout& layout);

namespace detail {

/// The size of each dimension: 2 to the power of the number of bases that move in this dimension.
/// Nothing if a basis moves in several dimensions or in none.
std::optional<Numbers> sizes_of(const Bases& bases, std::size_t rank);

}  // namespace detail

/// The short layout, blocked or swizzled, that has this map for the map's shape. (The text of such
/// a layout does not contain the shape.) Nothing if there is no such layout, if several CTAs share
/// the tensor, or if the map has more than three dimensions.
std::optional<Layout> short_layout(const layout::LinearLayout& map);

std::optional<Layout> short_layout(const memory::SharedLayout& shared);

/// The layout that write() prints: a short one if one fits, else a general one. The text of a
/// swizzled layout does not contain the shape, and for other shapes than the map's the layout has
/// another map. Errors: those of write.
Result<Layout> chosen_layout(const layout::LinearLayout& map);
Result<Layout> chosen_layout(const memory::SharedLayout& shared);

/// The attribute of a distributed layout, whose input axes are register, lane, warp and block. The
/// names of the output axes are lost: the first one becomes dimension 0. Errors: other input axes
/// or another order, elements that no thread holds.
Result<std::string> write(const layout::LinearLayout& map);

/// The attribute of a layout of shared memory, whose input axes are offset and block. Errors: other
/// input axes; elements without an offset; elements with two offsets in a layout with padding.
Result<std::string> write(const memory::SharedLayout& shared);

}  // namespace heddle::interop::triton
