#include "heddle/interop/triton/swizzled_shared.h"

#include <string>
#include <utility>

#include "library/text/formatted.h"

namespace heddle::interop::triton {

Result<void> SwizzledSharedLayout::verify() const {
  if (order.empty() || order.size() > layout::max_axes)
    return wrong(formatted("order has {} entries; a layout has 1 to 8 dimensions", order.size()));
  if (!is_permutation_of(order, rank()))
    return wrong("order must be a permutation of 0..(rank-1), but was " + list_text(order));
  for (const auto& [name, value] : {std::pair{"vec", vec}, std::pair{"per_phase", per_phase},
                                    std::pair{"max_phase", max_phase}}) {
    if (!is_power_of_two(value) || value > 65536)
      return wrong(formatted("SwizzledSharedLayout {} is {}; it must be a power of two up to 65536",
                             name, value));
  }
  return check_bases("cga_layout", cga_layout, rank());
}

std::string SwizzledSharedLayout::mangle() const {
  return formatted("SSS_{}_{}_{}_{}_{}_SSS", vec, per_phase, max_phase, joined(order, "_"),
                   mangled(cga_layout));
}

Numbers SwizzledSharedLayout::tile() const {
  Numbers shape = reached({{"block", cga_layout}}, rank());
  shape[static_cast<std::size_t>(order[0])] *= vec * max_phase;
  if (rank() > 1)
    shape[static_cast<std::size_t>(order[1])] *=
        per_phase * max_phase * (is_rotating ? max_phase : 1);
  return shape;
}

Result<memory::SharedLayout> SwizzledSharedLayout::to_shared(const Numbers& shape) const {
  if (const auto checked = verify(); !checked) return wrong(checked.error());
  if (const auto checked = check_shape(shape, rank()); !checked) return wrong(checked.error());
  const Numbers part = shape_per_cta(shape, cga_layout);
  Bases offsets;
  for (std::size_t i = 0; i < rank(); ++i) {
    const auto dim = static_cast<std::size_t>(order[i]);
    for (std::int64_t step = 1; step < part[dim]; step *= 2) {
      Numbers basis(rank(), 0);
      basis[dim] = step;
      if (i == 1) {
        const auto column = static_cast<std::size_t>(order[0]);
        basis[column] = vec * phase(step) % part[column];
      }
      offsets.push_back(basis);
    }
  }
  const auto tile = map_of({{"offset", offsets}}, part);
  if (!tile) return wrong(tile.error());
  const auto map = fill(*tile, cga_layout, shape);
  if (!map) return wrong(map.error());
  return memory::SharedLayout{PaddedSharedLayout::without_empty_block(*map), {}};
}

Result<void> SharedLinearLayout::verify() const {
  if (rank() == 0) return wrong("SharedLinearLayout offset_bases must not be empty");
  if (rank() > layout::max_axes)
    return wrong(formatted("SharedLinearLayout has {} dimensions; it may have 8", rank()));
  if (const auto checked = check_bases("offset_bases", offset_bases, rank()); !checked)
    return checked;
  if (const auto checked = check_bases("block_bases", block_bases, rank()); !checked)
    return checked;
  if (!is_power_of_two(alignment))
    return wrong("SharedLinearLayout alignment must be a positive power of two");
  const auto map = map_of(inputs(), tile());
  if (!map) return wrong(map.error());
  if (!layout::is_surjective(*map)) return wrong("The layout must be surjective");
  int zeros = 0;
  for (int bit = 0; bit < map->input_bits(); ++bit) zeros += map->basis(bit) == 0;
  if (map->input_bits() - zeros != map->output_bits())
    return wrong("After removing the zero bases the layout must be bijective");
  return {};
}

std::string SharedLinearLayout::mangle() const {
  return formatted("SharedLinear_{}_{}_{}_SharedLinear", list_text(offset_bases),
                   list_text(block_bases), alignment);
}

Result<memory::SharedLayout> SharedLinearLayout::to_shared(const Numbers& shape) const {
  if (const auto checked = verify(); !checked) return wrong(checked.error());
  if (shape != tile())
    return wrong("the bases reach the shape " + list_text(tile()) + ", not " + list_text(shape) +
                 "; a linear layout of shared memory is neither repeated nor cut");
  return memory::SharedLayout{
      PaddedSharedLayout::without_empty_block(map_of(inputs(), tile()).value()), {}};
}

}  // namespace heddle::interop::triton
