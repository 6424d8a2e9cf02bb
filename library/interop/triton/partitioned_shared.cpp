#include "heddle/interop/triton/partitioned_shared.h"

#include <string>

namespace heddle::interop::triton {

Result<void> PartitionedSharedLayout::verify() const {
  if (!is_power_of_two(num_partitions) || num_partitions > 65536)
    return wrong("PartitionedSharedLayout num_partitions must be a power of two, got " +
                 std::to_string(num_partitions));
  if (!is_power_of_two(num_groups) || num_groups > 65536)
    return wrong("PartitionedSharedLayout num_groups must be a power of two, got " +
                 std::to_string(num_groups));
  if (partition_dim < 0)
    return wrong("PartitionedSharedLayout partition_dim must be non-negative, got " +
                 std::to_string(partition_dim));
  const auto piece = std::visit([](const auto& own) { return own.verify(); }, partition_layout);
  if (!piece) return piece;
  const std::size_t rank = piece_tile().size();
  if (static_cast<std::size_t>(partition_dim) < rank) return {};
  return wrong("PartitionedSharedLayout partition_dim is " + std::to_string(partition_dim) +
               "; the pieces have " + std::to_string(rank) + " dimensions");
}

std::string PartitionedSharedLayout::mangle() const {
  return "Partitioned_" + std::to_string(num_partitions) + "_" + std::to_string(num_groups) + "_" +
         std::to_string(partition_dim) + "_" +
         std::visit([](const auto& own) { return own.mangle(); }, partition_layout) +
         "_Partitioned";
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
    return wrong("the shape " + list_text(shape) + " has " + std::to_string(shape[dim]) +
                 " elements in dimension " + std::to_string(partition_dim) + " for " +
                 std::to_string(pieces) + " pieces");
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
