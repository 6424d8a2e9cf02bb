// The layout functions of TileLang by their names: those of mma.sync, ldmatrix, MFMA and WMMA.
//
//   map_of_function("shared_16x16_to_mma_a_32x8_layout")
//     "register: (0,1) (8,0) (0,8); lane: (0,2) (0,4) (1,0) (2,0) (4,0) -> dim0: 16, dim1: 16"
//
// A function from a thread and its value to an element, and its inverse, are the same layout: who
// holds the tile whose coordinates they take or give, dim0 being the first. They are as TileLang
// has them: shared_16x64_to_local_64x16_layout_B is that of A, for one.
//
// Source: tile-ai/tilelang, commit a35008a4: tilelang/cuda/intrinsics/layout/mma_layout.py and
// mma_sm70_layout.py, tilelang/rocm/intrinsics/mfma_layout.py and wmma_layout.py. Witness: these
// functions on their whole domains, tests/data/tilelang_layouts.json.gz. Not there are functions of
// a copy's number (rep), which no map of elements alone is, and of addresses without values.
#pragma once

#include <string_view>

namespace heddle::interop::tilelang {

/// The map, in the words of interop/native.h, of the function with this name, which may stand
/// behind the path of its module, as in tilelang.rocm.intrinsics.mfma_layout.…; empty where there
/// is none.
std::string_view map_of_function(std::string_view text);

/// What its readers should know besides; empty for most.
std::string_view remark_on_function(std::string_view text);

}  // namespace heddle::interop::tilelang
