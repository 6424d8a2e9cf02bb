// The layouts of TileLang's layout functions, by their names: those of mma.sync, ldmatrix, MFMA and
// WMMA.
//
//   map_of_function("shared_16x16_to_mma_a_32x8_layout")
//     "register: (0,1) (8,0) (0,8); lane: (0,2) (0,4) (1,0) (2,0) (4,0) -> dim0: 16, dim1: 16"
//
// A function from a thread and its value to an element, and the inverse of that function, give the
// same layout: which thread holds which element of a tile. The first coordinate is dim0. The
// layouts are exactly those of TileLang's functions: shared_16x64_to_local_64x16_layout_B, for
// example, is in fact the layout of A.
//
// Source: tile-ai/tilelang, commit a35008a4: tilelang/cuda/intrinsics/layout/mma_layout.py and
// mma_sm70_layout.py, tilelang/rocm/intrinsics/mfma_layout.py and wmma_layout.py. Witness: these
// functions evaluated for all arguments, tests/data/tilelang_layouts.json.gz. Two kinds of
// functions are missing: those with the number of a copy (rep) as an argument, which are not maps
// of elements alone, and those of addresses without values.
#pragma once

#include <string_view>

namespace heddle::interop::tilelang {

/// The map of the function with this name, as a text of interop/native.h; empty if there is none.
/// The module's path may precede the name, as in tilelang.rocm.intrinsics.mfma_layout.….
std::string_view map_of_function(std::string_view text);

/// A remark about the function with this name, for users; empty for most functions.
std::string_view remark_on_function(std::string_view text);

}  // namespace heddle::interop::tilelang
