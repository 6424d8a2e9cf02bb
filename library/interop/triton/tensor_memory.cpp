#include "heddle/interop/triton/tensor_memory.h"

#include <algorithm>
#include <bit>

#include "heddle/interop/triton/tile.h"
#include "library/text/formatted.h"

namespace heddle::interop::triton {
namespace detail {
namespace {

constexpr std::int64_t most_columns = 512;

bool is_power_of_two(std::int64_t number) {
  return number > 0 && std::has_single_bit(static_cast<std::uint64_t>(number));
}

/// Adds a basis along `dim` for each power of two from `begin` to below `end`.
void add_steps(Bases& bases, std::size_t dim, std::int64_t begin, std::int64_t end) {
  for (std::int64_t step = begin; step < end; step *= 2) {
    bases.push_back({0, 0});
    bases.back()[dim] = step;
  }
}

void add_zeros(Bases& bases, std::int64_t count) {
  for (std::int64_t step = 1; step < count; step *= 2) bases.push_back({0, 0});
}

/// Spreads the map of one CTA's part of the tensor over all CTAs. The bases of that map may reach
/// beyond the part; fill() then cuts them.
Result<layout::LinearLayout> spread(const Bases& rows, const Bases& columns,
                                    const Bases& cga_layout, const Numbers& part,
                                    const Numbers& shape) {
  const std::vector<NamedBases> inputs{{"row", rows}, {"col", columns}};
  Numbers reach = reached(inputs, 2);
  for (std::size_t dim = 0; dim < 2; ++dim) reach[dim] = std::max(reach[dim], part[dim]);
  const auto whole = map_of(inputs, reach);
  if (!whole) return wrong(whole.error());
  const auto map = fill(*whole, cga_layout, shape);
  if (!map || map->inputs().bits_of("block") > 0) return map;
  return layout::sublayout(*map, {"row", "col"}, layout::names_of(map->outputs())).value();
}

}  // namespace
}  // namespace detail

Result<void> TensorMemoryLayout::verify() const {
  if (block_m != 64 && block_m != 128)
    return wrong(
        formatted("blockM of a tensor memory layout must be 64 or 128; it is {}", block_m));
  if (!detail::is_power_of_two(block_n) || block_n > detail::most_columns)
    return wrong(formatted(
        "blockN of a tensor memory layout must be a power of two to 512; it is {}", block_n));
  if (col_stride != 1 && col_stride != 2 && col_stride != 4)
    return wrong(
        formatted("colStride of a tensor memory layout must be 1, 2 or 4; it is {}", col_stride));
  return check_bases("CGALayout", cga_layout, 2);
}

Numbers TensorMemoryLayout::tile() const {
  const Numbers ctas = reached({{"block", cga_layout}}, 2);
  return {ctas[0] * block_m, ctas[1] * block_n};
}

Result<layout::LinearLayout> TensorMemoryLayout::to_rows(const Numbers& shape) const {
  if (const auto checked = verify(); !checked) return wrong(checked.error());
  if (const auto checked = check_shape(shape, 2); !checked) return wrong(checked.error());
  const Numbers part = shape_per_cta(shape, cga_layout);
  const std::int64_t columns = std::min(block_n, part[1]);
  Bases rows, cols;
  detail::add_zeros(cols, col_stride);
  if (fp4_padded) detail::add_zeros(cols, 2);
  Numbers covered{block_m, columns};
  if (block_m == 128 || two_ctas) {
    detail::add_steps(rows, 0, 1, block_m);
    detail::add_steps(cols, 1, 1, columns);
    if (block_m == 64) {  // the upper half of the columns lies in the other lanes
      if (columns == 1) return wrong("a block of 64 rows of two CTAs has two columns or more");
      rows.push_back(cols.back());
      cols.pop_back();
    }
  } else {  // 16 lanes of 32 are used by one block, and the others by the next
    detail::add_steps(rows, 0, 1, 16);
    detail::add_steps(cols, 1, 1, columns);
    rows.push_back({0, 0});
    if (part[0] > block_m) {
      rows.back() = {64, 0};
      covered[0] *= 2;
    } else if (part[1] > columns) {
      rows.back() = {0, columns};
      covered[1] *= 2;
    }
    detail::add_steps(rows, 0, 16, 64);
  }
  for (const std::size_t dim : {0u, 1u}) {
    if (part[dim] < covered[dim])
      return wrong("a block of tensor memory has " + list_text(Numbers{block_m, columns}) +
                   " elements; the part of a CTA is " + list_text(part));
    detail::add_steps(cols, dim, covered[dim], part[dim]);
  }
  return detail::spread(rows, cols, cga_layout, part, shape);
}

Result<void> TensorMemoryScalesLayout::verify() const {
  return check_bases("CGALayout", cga_layout, 2);
}

Numbers TensorMemoryScalesLayout::tile() const {
  const Numbers ctas = reached({{"block", cga_layout}}, 2);
  return {ctas[0] * 64, ctas[1] * 4};
}

Result<layout::LinearLayout> TensorMemoryScalesLayout::to_rows(const Numbers& shape) const {
  if (const auto checked = verify(); !checked) return wrong(checked.error());
  if (const auto checked = check_shape(shape, 2); !checked) return wrong(checked.error());
  const Numbers part = shape_per_cta(shape, cga_layout);
  Bases rows, cols;
  detail::add_steps(rows, 0, 1, 32);
  detail::add_zeros(rows, 4);
  detail::add_steps(cols, 1, 1, 4);
  detail::add_steps(cols, 0, 32, 64);
  detail::add_steps(cols, 0, 64, part[0]);
  detail::add_steps(cols, 1, 4, part[1]);
  return detail::spread(rows, cols, cga_layout, part, shape);
}

}  // namespace heddle::interop::triton
