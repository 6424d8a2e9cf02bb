// Reads Gluon's layouts as Python writes them, and as Python prints them:
//
//   gl.BlockedLayout([1, 4], [8, 4], [4, 1], [1, 0])
//   gl.SliceLayout(dim=0, parent=gl.amd.AMDWMMALayout(version=2, transposed=True,
//                                                     warps_per_cta=[2, 2]))
//   PaddedSharedLayout.with_identity_for([[128, 8]], [64, 128], [1, 0])
//   NVMMASharedLayout.get_default_for([128, 64], gl.float16)
//
// A call becomes the attribute that Triton makes of it; from there on it is handled like an
// attribute. A prefix of the class's name, such as gl. or ttgl.amd., is ignored.
//
// Source: the fields of Gluon's classes in their order, Triton 3.6.0 (recorded in
// tests/data/triton_layouts.json.gz), python/triton/experimental/gluon/language/_layouts.py and
// amd/_layouts.py; the later names cga_layout and warp_bases, and CTAs as releases before 3.6 say
// them, are taken too. Those of tensor memory: nvidia/blackwell/__init__.py.
#pragma once

#include <expected>
#include <string_view>

#include "heddle/interop/triton/attribute_text.h"

namespace heddle::interop::triton {

/// Whether the text begins with a call of one of Gluon's layouts.
bool is_gluon_text(std::string_view text);

/// Errors name the column: a text that is no call of a layout, an argument that the class does not
/// have or that is missing, a value of another kind.
std::expected<AttributeText, TextError> read_gluon(std::string_view text);

}  // namespace heddle::interop::triton
