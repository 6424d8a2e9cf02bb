// Reads Gluon's layouts, with the Python syntax in which they are written and printed:
//
//   gl.BlockedLayout([1, 4], [8, 4], [4, 1], [1, 0])
//   gl.SliceLayout(dim=0, parent=gl.amd.AMDWMMALayout(version=2, transposed=True,
//                                                     warps_per_cta=[2, 2]))
//   PaddedSharedLayout.with_identity_for([[128, 8]], [64, 128], [1, 0])
//   NVMMASharedLayout.get_default_for([128, 64], gl.float16)
//
// A call is converted to the attribute that Triton makes of it, which is then handled like any
// attribute. A prefix of the class's name, such as gl. or ttgl.amd., is ignored.
//
// Source: the fields of Gluon's classes in their order, Triton 3.6.0 (recorded in
// tests/data/triton_layouts.json.gz), python/triton/experimental/gluon/language/_layouts.py and
// amd/_layouts.py. The later names cga_layout and warp_bases are accepted too, and so are the
// parameters for CTAs of releases before 3.6. For tensor memory: nvidia/blackwell/__init__.py.
#pragma once

#include <expected>
#include <string_view>

#include "heddle/interop/triton/attribute_text.h"

namespace heddle::interop::triton {

/// True if the text begins with a call of one of Gluon's layout classes.
bool is_gluon_text(std::string_view text);

/// Parses a call. Errors give the column: a text that is not a call of a layout class, an argument
/// that the class does not have, a missing argument, a value of another kind.
std::expected<AttributeText, TextError> read_gluon(std::string_view text);

}  // namespace heddle::interop::triton
