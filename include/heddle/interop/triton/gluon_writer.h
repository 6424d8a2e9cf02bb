// Writes layouts as calls of Gluon's constructors, which can be pasted into a kernel:
//
//   python(BlockedLayout{{1, 4}, {8, 4}, {4, 1}, {1, 0}})
//   gl.BlockedLayout(size_per_thread=[1, 4], threads_per_warp=[8, 4], warps_per_cta=[4, 1],
//                    order=[1, 0])
//
// `gl` is triton.experimental.gluon.language. Law: read(python(layout)) is the layout.
//
// Source: see gluon_reader.h.
#pragma once

#include <string>

#include "heddle/interop/triton/layout.h"

namespace heddle::interop::triton {

/// The constructor call of the layout, on one line; empty for a rotating layout, for which Gluon
/// has no class. Precondition: verify(layout).
std::string python(const Layout& layout);

/// The constructor call of the layout that write() chooses for a map. Errors: those of write.
Result<std::string> write_gluon(const layout::LinearLayout& map);
Result<std::string> write_gluon(const memory::SharedLayout& shared);

}  // namespace heddle::interop::triton
