// Heddle's own text of a layout: the text of layout/text.h, followed by the padding if a layout of
// shared memory has one.
//
//   register: (0,1) (0,2); lane: (1,0) (2,0) -> dim0: 4, dim1: 4        a distributed layout
//   offset: (0,1) (0,2) (1,0) (2,0) -> dim0: 4, dim1: 4                 one of shared memory
//   offset: (0,1) (0,2) (1,0) (2,0) -> dim0: 4, dim1: 4 padding 4:+2    2 elements after every 4
//
//   text     =  layout [ ' padding ' pair { pair } ]     only if the first input is `offset`
//   pair     =  interval ':+' amount                     in elements; the interval a power of two
//
// `heddle` prints layouts in this form, and converts all others to it for comparison: two layouts
// are the same if their native texts are the same, up to the names of the dimensions.
#pragma once

#include <expected>
#include <string>
#include <string_view>
#include <variant>

#include "heddle/interop/text_error.h"
#include "heddle/layout/needs_cxx23.h"
#include "heddle/layout/text.h"
#include "heddle/memory/shared_layout.h"

namespace heddle::interop {

/// The meaning of a native text.
using NativeLayout = std::variant<layout::LinearLayout, memory::SharedLayout>;

/// True if the layout is one of shared memory: its first input axis is `offset`.
constexpr bool is_shared(const layout::LinearLayout& map) {
  return map.inputs().size() > 0 && map.inputs()[0].name == layout::AxisName("offset");
}

/// True if the text begins like a native text: a name, a colon, and coordinates or something in
/// their place. Also true if only names, numbers and coordinates come before an arrow: then it is
/// an incomplete native text.
bool is_native_text(std::string_view text);

/// Reads the native text. Errors name the column.
std::expected<NativeLayout, TextError> read_native(std::string_view text);

/// The native text of a layout.
/// Law: read_native(write_native(l)) == l.
std::string write_native(const layout::LinearLayout& map);

std::string write_native(const memory::SharedLayout& shared);

}  // namespace heddle::interop
