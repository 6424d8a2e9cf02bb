// PartitionedSharedLayout: every element in the allocation and at the place that its piece says.
#include "heddle/interop/triton/partitioned_shared.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "heddle/interop/triton/attribute_reader.h"
#include "heddle/interop/triton/attribute_writer.h"
#include "heddle/interop/triton/view.h"

namespace heddle::interop::triton {
namespace partitioned_shared_test {

// Pieces go to the partitions in turn, and lie there one behind the other.
RC_GTEST_PROP(PartitionedShared, PiecesGoRound, ()) {
  const auto power = [](int most) { return std::int64_t{1} << *rc::gen::inRange(0, most); };
  const std::int64_t partitions = power(3);
  const std::int64_t groups = power(3);
  const auto dim = *rc::gen::inRange<std::int64_t>(0, 2);
  Numbers part{power(4), power(4)};
  const SwizzledSharedLayout swizzled{2, 1, 2, {1, 0}};
  const PartitionedSharedLayout layout{partitions, groups, dim, swizzled};
  Numbers shape = part;
  shape[static_cast<std::size_t>(dim)] *= partitions * groups;
  const auto shared = layout.to_shared(shape);
  RC_ASSERT(shared.has_value());
  const auto piece = swizzled.to_shared(part);
  const std::uint64_t elements = static_cast<std::uint64_t>(part[0] * part[1]);
  const layout::AxisName cut = dimension(static_cast<std::size_t>(dim));
  for (std::uint64_t partition = 0; partition < static_cast<std::uint64_t>(partitions);
       ++partition) {
    for (std::uint64_t offset = 0; offset < elements * static_cast<std::uint64_t>(groups);
         ++offset) {
      const auto inside = piece->map.outputs().unpack(piece->map.apply(offset % elements));
      const auto point = *shared->map.apply({{"offset", offset}, {"partition", partition}});
      const std::uint64_t number =
          offset / elements * static_cast<std::uint64_t>(partitions) + partition;
      for (const layout::AxisName axis : {dimension(0), dimension(1)}) {
        const std::uint64_t begin =
            axis == cut ? number * static_cast<std::uint64_t>(part[static_cast<std::size_t>(dim)])
                        : 0;
        RC_ASSERT(point.at(axis) == begin + inside.at(axis));
      }
    }
  }
}

TEST(PartitionedShared, TextReadsBack) {
  const std::string text =
      "#ttg.partitioned_shared<{numPartitions = 2, numGroups = 2, partitionDim = 0, "
      "partitionLayout = "
      "#ttg.padded_shared<[128:+4] {order = [1, 0], shape = [4, 16]}>}>";
  const auto read = triton::read(text);
  ASSERT_TRUE(read.has_value()) << read.error().message;
  EXPECT_EQ(read->shape, (Numbers{16, 16}));
  EXPECT_EQ(attribute(read->layout), text);
  EXPECT_EQ(
      mangle(read->layout),
      "Partitioned_2_2_0_PaddedShared_[[128, 4]]_[[0, 1], [0, 2], [0, 4], [0, 8], [1, 0], [2, "
      "0]]_[]_[4, 16]_PaddedShared_Partitioned");
  EXPECT_EQ(std::get<memory::SharedLayout>(read->map).padding, (memory::PaddingList{{128, 4}}));
  const auto view = format_hardware_view(read->layout, {16, 16});
  ASSERT_FALSE(view.has_value());
  EXPECT_EQ(view.error(),
            "a partitioned layout lies in several allocations; look at the layout of a piece");
}

TEST(PartitionedShared, Errors) {
  const SwizzledSharedLayout piece{1, 1, 1, {1, 0}};
  EXPECT_EQ((PartitionedSharedLayout{3, 1, 0, piece}.verify().error()),
            "PartitionedSharedLayout num_partitions must be a power of two, got 3");
  EXPECT_EQ((PartitionedSharedLayout{2, 0, 0, piece}.verify().error()),
            "PartitionedSharedLayout num_groups must be a power of two, got 0");
  EXPECT_EQ((PartitionedSharedLayout{2, 1, -1, piece}.verify().error()),
            "PartitionedSharedLayout partition_dim must be non-negative, got -1");
  EXPECT_EQ((PartitionedSharedLayout{2, 1, 2, piece}.verify().error()),
            "PartitionedSharedLayout partition_dim is 2; the pieces have 2 dimensions");
  EXPECT_EQ((PartitionedSharedLayout{2, 2, 0, piece}.to_shared({2, 8}).error()),
            "the shape [2, 8] has 2 elements in dimension 0 for 4 pieces");
  EXPECT_EQ(read("#ttg.partitioned_shared<{numPartitions = 2, numGroups = 1, partitionDim = 0, "
                 "partitionLayout = #ttg.linear<{register = [[1]]}>}>")
                .error(),
            (TextError{96,
                       "#ttg.linear is no layout of a piece in shared memory; write "
                       "#ttg.padded_shared, #ttg.swizzled_shared, #ttg.nvmma_shared or "
                       "#ttg.shared_linear"}));
}

}  // namespace partitioned_shared_test
}  // namespace heddle::interop::triton
