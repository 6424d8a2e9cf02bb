#include "heddle/interop/triton/partitioned_shared.h"

#include <string>

#include "library/text/formatted.h"

namespace heddle::interop::triton {

Result<void> PartitionedSharedLayout::verify() const {
  if (!is_power_of_two(num_partitions) || num_partitions > 65536)
    return wrong(formatted("PartitionedSharedLayout num_partitions must be a power of two, got {}",
                           num_partitions));
  if (!is_power_of_two(num_groups) || num_groups > 65536)
    return wrong(
        formatted("PartitionedSharedLayout num_groups must be a power of two, got {}", num_groups));
  if (partition_dim < 0)
    return wrong(formatted("PartitionedSharedLayout partition_dim must be non-negative, got {}",
                           partition_dim));
  const auto piece = std::visit([](const auto& own) { return own.verify(); }, partition_layout);
  if (!piece) return piece;
  const std::size_t rank = piece_tile().size();
  if (static_cast<std::size_t>(partition_dim) < rank) return {};
  return wrong(
      formatted("PartitionedSharedLayout partition_dim is {}; the pieces have {} dimensions",
                partition_dim, rank));
}

std::string PartitionedSharedLayout::mangle() const {
  return formatted("Partitioned_{}_{}_{}_{}_Partitioned", num_partitions, num_groups, partition_dim,
                   std::visit([](const auto& own) { return own.mangle(); }, partition_layout));
}

Numbers PartitionedSharedLayout::tile() const {
  Numbers shape = piece_tile();
  shape[static_cast<std::size_t>(partition_dim)] *= num_partitions * num_groups;
  return shape;
}

Result<memory::SharedLayout> PartitionedSharedLayout::to_shared(const Numbers& shape) const {
  if (const auto checked = verify(); !checked) return wrong(checked.error());
  const auto ranked = check_shape(shape, piece_tile().size());
  if (!ranked) return wrong(ranked.error());
  const auto dim = static_cast<std::size_t>(partition_dim);
  const std::int64_t pieces = num_partitions * num_groups;
  if (shape[dim] < pieces)
    return wrong(formatted("the shape {} has {} elements in dimension {} for {} pieces",
                           list_text(shape), shape[dim], partition_dim, pieces));
  Numbers part = shape;
  part[dim] /= pieces;
  const auto piece = shared_piece(part);
  if (!piece) return wrong(piece.error());
  auto map = layout::product(
      piece->map, *layout::LinearLayout::identity(static_cast<std::uint64_t>(num_partitions),
                                                  "partition", dimension(dim)));
  if (map)
    map = layout::product(
        *map, *layout::LinearLayout::identity(static_cast<std::uint64_t>(num_groups), "offset",
                                              dimension(dim)));
  if (!map) return wrong(std::string(map.error().message().view()));
  return memory::SharedLayout{*map, piece->padding};
}

Result<memory::SharedLayout> PartitionedSharedLayout::shared_piece(const Numbers& part) const {
  if (const auto* padded = std::get_if<PaddedSharedLayout>(&partition_layout)) {
    if (padded->shape == part) return padded->to_shared();
    return wrong("the padded layout of a piece has the shape " + list_text(padded->shape) +
                 "; a piece of this tensor has " + list_text(part));
  }
  return std::visit(
      [&](const auto& own) -> Result<memory::SharedLayout> {
        if constexpr (requires { own.to_shared(part); }) return own.to_shared(part);
        return wrong("a padded piece is dealt with above");
      },
      partition_layout);
}

}  // namespace heddle::interop::triton
