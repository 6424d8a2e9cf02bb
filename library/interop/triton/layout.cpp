#include "heddle/interop/triton/layout.h"

namespace heddle::interop::triton {
namespace detail {
namespace {

Result<Map> as_map(auto map) {
  if (!map) return wrong(map.error());
  return Map(*map);
}

}  // namespace
}  // namespace detail

Result<void> verify(const Layout& layout) {
  return std::visit(detail::Cases{[](const DistributedLayout& own) { return verify(own); },
                                  [](const auto& own) { return own.verify(); }},
                    layout);
}

std::string mangle(const Layout& layout) {
  return std::visit(detail::Cases{[](const DistributedLayout& own) { return mangle(own); },
                                  [](const auto& own) { return own.mangle(); }},
                    layout);
}

Numbers tile_of(const Layout& layout) {
  return std::visit(detail::Cases{[](const DistributedLayout& own) { return tile_of(own); },
                                  [](const auto& own) { return own.tile(); }},
                    layout);
}

Result<Map> to_map(const Layout& layout, const Numbers& shape) {
  return std::visit(
      detail::Cases{
          [&](const DistributedLayout& own) { return detail::as_map(to_linear(own, shape)); },
          [&](const PaddedSharedLayout& own) {
            if (shape == own.shape || !own.verify()) return detail::as_map(own.to_shared());
            return Result<Map>(wrong("the layout has the shape " + list_text(own.shape) + ", not " +
                                     list_text(shape) +
                                     "; a padded layout is neither repeated nor cut"));
          },
          [&](const TensorMemoryLayout& own) { return detail::as_map(own.to_rows(shape)); },
          [&](const TensorMemoryScalesLayout& own) { return detail::as_map(own.to_rows(shape)); },
          [&](const auto& own) { return detail::as_map(own.to_shared(shape)); }},
      layout);
}

}  // namespace heddle::interop::triton
