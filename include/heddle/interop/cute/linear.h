// Conversion between CuTe's layouts and linear maps: (dim0, dim1, …) -> offset, one dim for each
// mode.
//
// A sum of strides is linear over F2 exactly if the addition never carries: each leaf's size is a
// power of two, and no two bits of the coordinates add a common bit to the index. 4:3 is not linear
// (2 * 3 = 6 and 3 share bit 1). 2:3 is linear, and so is any leaf of stride 0. A swizzle is always
// linear.
#pragma once

#include <span>

#include "heddle/interop/cute/text.h"
#include "heddle/layout/linear_layout.h"

namespace heddle::interop::cute {

namespace detail {

using Words = std::vector<std::uint64_t>;

layout::AxisName dim_name(std::size_t index);

/// The word that a bit of a mode's coordinate adds to the index, with its mode and leaf for
/// messages.
struct NamedWord {
  std::uint64_t word;
  std::size_t mode;
  Mode leaf;
};

std::string name_of(const NamedWord& bit);

/// Appends the words of the bits of one mode, lowest bit first. Returns the reason if the mode is
/// not linear.
std::optional<std::string> append_words(std::vector<NamedWord>& words, const Layout& layout,
                                        std::size_t mode);

/// The reason why a sum of these words may differ from their xor; nothing if every sum equals the
/// xor.
std::optional<std::string> find_carry(const std::vector<NamedWord>& words);

bool are_disjoint(const Words& words);

/// The layout of one axis: consecutive bits whose words double each time form one leaf.
Layout layout_of(std::span<const std::uint64_t> words);

std::vector<std::uint64_t> swizzled(const Words& words, const Swizzle& swizzle);

}  // namespace detail

/// The map (dim0, dim1, …) -> offset of a layout: dim0 counts through the first mode. The offset
/// axis has as many bits as the largest offset needs.
///
/// Law: to_linear is the layout: its offset at the coordinates of index i is evaluate(l, i).
/// Errors, each with mode and leaf: a size that is not a power of two, a negative stride, strides
/// whose sum carries; also a swizzle after an offset other than 0, and more than 8 modes.
std::expected<layout::LinearLayout, std::string> to_linear(const AnyLayout& any);

/// The layout of a map with one output axis. It has a mode for each input axis, and a swizzle if
/// bases have common bits.
///
/// Law: to_linear(from_linear(m)) == m, up to the names of axes and the size of the output. Errors:
/// several output axes; bases with common bits that no swizzle explains.
std::expected<AnyLayout, std::string> from_linear(const layout::LinearLayout& map);

}  // namespace heddle::interop::cute
