// Any layout that Triton writes, and the map that it is for a tensor of some shape.
#pragma once

#include "heddle/interop/triton/distributed.h"
#include "heddle/interop/triton/nvmma_shared.h"
#include "heddle/interop/triton/padded_shared.h"
#include "heddle/interop/triton/partitioned_shared.h"
#include "heddle/interop/triton/swizzled_shared.h"

namespace heddle::interop::triton {

using Layout = std::variant<DistributedLayout, PaddedSharedLayout, SwizzledSharedLayout,
                            NVMMASharedLayout, SharedLinearLayout, PartitionedSharedLayout>;

/// (register, lane, warp, block) -> (dim0, dim1, …), or where elements lie in shared memory; there
/// a partitioned layout has the input axis `partition` too.
using Map = std::variant<layout::LinearLayout, memory::SharedLayout>;

namespace detail {

inline Result<Map> as_map(auto map) {
  if (!map) return wrong(map.error());
  return Map(*map);
}

}  // namespace detail

/// What Triton refuses, in its words where it has some.
inline Result<void> verify(const Layout& layout) {
  return std::visit(detail::Cases{[](const DistributedLayout& own) { return verify(own); },
                                  [](const auto& own) { return own.verify(); }},
                    layout);
}

/// Gluon's mangled name.
inline std::string mangle(const Layout& layout) {
  return std::visit(detail::Cases{[](const DistributedLayout& own) { return mangle(own); },
                                  [](const auto& own) { return own.mangle(); }},
                    layout);
}

/// The shape that the layout covers once. Precondition: verify(layout).
inline Numbers tile_of(const Layout& layout) {
  return std::visit(detail::Cases{[](const DistributedLayout& own) { return tile_of(own); },
                                  [](const auto& own) { return own.tile(); }},
                    layout);
}

/// The map for a tensor of that shape. Errors: those of verify, a shape that the layout cannot
/// have.
inline Result<Map> to_map(const Layout& layout, const Numbers& shape) {
  return std::visit(
      detail::Cases{
          [&](const DistributedLayout& own) { return detail::as_map(to_linear(own, shape)); },
          [&](const PaddedSharedLayout& own) {
            if (shape == own.shape || !own.verify()) return detail::as_map(own.to_shared());
            return Result<Map>(wrong("the layout has the shape " + list_text(own.shape) + ", not " +
                                     list_text(shape) +
                                     "; a padded layout is neither repeated nor cut"));
          },
          [&](const auto& own) { return detail::as_map(own.to_shared(shape)); }},
      layout);
}

}  // namespace heddle::interop::triton
