#include "heddle/interop/triton/nvmma_shared.h"

#include <algorithm>
#include <bit>
#include <string>

#include "library/text/formatted.h"

namespace heddle::interop::triton {

Result<void> NVMMASharedLayout::verify() const {
  if (rank < 1 || rank > layout::max_axes)
    return wrong(formatted("NVMMASharedLayout rank is {}; it must be 1 to 8", rank));
  if (swizzle_byte_width != 0 && swizzle_byte_width != 32 && swizzle_byte_width != 64 &&
      swizzle_byte_width != 128)
    return wrong(
        formatted("swizzlingByteWidth must be 0, 32, 64, or 128; it is {}", swizzle_byte_width));
  if (element_bitwidth != 8 && element_bitwidth != 16 && element_bitwidth != 32 &&
      element_bitwidth != 64)
    return wrong(formatted("NVMMASharedLayout element_bitwidth must be 8, 16, 32 or 64; it is {}",
                           element_bitwidth));
  if (fp4_padded && swizzle_byte_width != 128)
    return wrong("fp4_padded only supports 128 byte swizzling");
  if (fp4_padded && element_bitwidth != 8)
    return wrong("fp4_padded is only supported for element_bitwidth=8");
  if (swizzle_byte_width != 0 && rank < 2)
    return wrong("NVMMASharedLayout with a swizzle needs a rank of 2 or more; it is 1");
  return check_bases("cga_layout", cga_layout, static_cast<std::size_t>(rank));
}

std::string NVMMASharedLayout::mangle() const {
  return formatted("NVMMA_{}_{}_{}_{}_{}_NVMMA", swizzle_byte_width, element_bitwidth,
                   transposed ? "True" : "False", fp4_padded ? "True" : "False",
                   mangled(cga_layout));
}

Numbers NVMMASharedLayout::tile() const {
  Numbers shape = reached({{"block", cga_layout}}, static_cast<std::size_t>(rank));
  shape[contiguous()] *= row_elements() / (fp4_padded ? 2 : 1);
  if (rank > 1) shape[transposed ? shape.size() - 1 : shape.size() - 2] *= 8;
  return shape;
}

Result<memory::SharedLayout> NVMMASharedLayout::to_shared(const Numbers& shape) const {
  if (const auto checked = verify(); !checked) return wrong(checked.error());
  const auto ranked = check_shape(shape, static_cast<std::size_t>(rank));
  if (!ranked) return wrong(ranked.error());
  const Numbers part = shape_per_cta(shape, cga_layout);
  auto map = swizzle_byte_width == 0 ? plain(part) : swizzled(part);
  if (!map) return wrong(map.error());
  auto whole = grown(*map, part);
  if (!whole) return wrong(std::string(whole.error().message().view()));
  map = fill(*whole, cga_layout, shape);
  if (!map) return wrong(map.error());
  return memory::SharedLayout{PaddedSharedLayout::without_empty_block(*map), {}};
}

Result<Numbers> NVMMASharedLayout::copied(const Numbers& part) const {
  Numbers block = part;
  if (fp4_padded) block[contiguous()] *= 2;
  for (std::int64_t& size : block) size = std::min(size, most_in_a_copy);
  if (swizzle_byte_width != 0) {
    const std::int64_t width = 8 * swizzle_byte_width / element_bitwidth;
    if (block[contiguous()] < width)
      return wrong(
          formatted("block shape along the contiguous dimension {} is too small for the swizzle "
                    "byte size {} in an NVMMASharedLayout, got {} but expected at least {}",
                    contiguous(), swizzle_byte_width, block[contiguous()], width));
    block[contiguous()] = width;
  }
  if (fp4_padded) block[contiguous()] /= 2;
  return block;
}

Result<layout::LinearLayout> NVMMASharedLayout::plain(const Numbers& part) const {
  const auto block = copied(part);
  if (!block) return wrong(block.error());
  Bases offsets;
  Numbers order = last_first(block->size());
  if (transposed) std::rotate(order.begin(), order.end() - 1, order.end());
  for (const std::int64_t dim : order) {
    for (std::int64_t step = 1; step < (*block)[static_cast<std::size_t>(dim)]; step *= 2) {
      Numbers basis(block->size(), 0);
      basis[static_cast<std::size_t>(dim)] = step;
      offsets.push_back(basis);
    }
  }
  return map_of({{"offset", offsets}}, *block);
}

Result<layout::LinearLayout> NVMMASharedLayout::swizzled(const Numbers& part) const {
  const auto block = copied(part);
  if (!block) return wrong(block.error());
  Numbers straight = *block;  // the contiguous dimension last
  if (transposed) std::rotate(straight.begin(), straight.begin() + 1, straight.end());
  // Rows and columns of the block. If transposed and with more than two dimensions, Triton counts
  // only the last dimension as rows; so does this code.
  std::int64_t rows = transposed ? block->back() : 1;
  std::int64_t columns = transposed ? 1 : block->back();
  for (std::size_t dim = 0; dim + 1 < block->size(); ++dim)
    (transposed ? columns : rows) *= (*block)[dim];
  if (rows < 8)
    return wrong(
        formatted("Illegal shared layout; expected collapsed shapePerCTA to be at least [8, {}], "
                  "it is [{}, {}]",
                  row_elements() / (fp4_padded ? 2 : 1), rows, columns));
  const auto core = core_matrix();
  if (!core) return wrong(core.error());
  auto flat = grown(*core, {rows, columns});
  layout::AxisList axes;  // the last dimension in the low bits of a flat word
  for (const std::int64_t dim : last_first(straight.size())) {
    const auto size = static_cast<std::uint64_t>(straight[static_cast<std::size_t>(dim)]);
    // The rotation put the first dimension last; here this dimension gets its own name back.
    const auto name = transposed ? (static_cast<std::size_t>(dim) + 1) % straight.size()
                                 : static_cast<std::size_t>(dim);
    axes.push_back({dimension(name), std::countr_zero(size)});
  }
  if (flat) flat = layout::transpose_outputs(*flat, {dimension(1), dimension(0)});
  if (flat) flat = layout::reshape_outputs(*flat, axes);
  layout::NameList dims;
  for (std::size_t dim = 0; dim < part.size(); ++dim) dims.push_back(dimension(dim));
  if (flat) flat = layout::transpose_outputs(*flat, dims);
  if (!flat) return wrong(std::string(flat.error().message().view()));
  return *flat;
}

Result<layout::LinearLayout> NVMMASharedLayout::core_matrix() const {
  const std::int64_t group = 128 / element_bitwidth;  // elements in 16 bytes
  const std::int64_t rows_per_phase = 128 / swizzle_byte_width;
  const std::int64_t phases = swizzle_byte_width / 16;
  // Of each 16 padded bytes, 8 hold pairs of fp4.
  const auto column = [&](std::int64_t padded) {
    return fp4_padded ? padded / 16 * 8 + padded % 8 : padded;
  };
  Bases offsets;
  for (std::int64_t step = 1; step < row_elements(); step *= 2)
    offsets.push_back({0, column(step)});
  for (std::int64_t row = 1; row < 8; row *= 2)
    offsets.push_back({row, column(group * (row / rows_per_phase % phases))});
  return map_of({{"offset", offsets}}, {8, row_elements() / (fp4_padded ? 2 : 1)});
}

}  // namespace heddle::interop::triton
