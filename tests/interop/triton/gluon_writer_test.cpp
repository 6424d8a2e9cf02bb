// What is written reads back: every layout that Triton 3.6 was asked about, and any map.
#include "heddle/interop/triton/gluon_writer.h"

#include <gtest/gtest.h>

#include "heddle/interop/triton/attribute_reader.h"
#include "heddle/interop/triton/attribute_writer.h"
#include "tests/interop/triton/recorded.h"

namespace heddle::interop::triton {
namespace gluon_writer_test {

TEST(GluonWriter, TritonsLayoutsReadBack) {
  int checked = 0;
  for (const llvm::json::Value& value : test::recorded_layouts()) {
    const llvm::json::Object& record = *value.getAsObject();
    const auto text = record.getString("text");
    if (!text || record.get("wrong")) continue;
    const auto attribute_read = read(text->str());
    if (!attribute_read) continue;
    const std::string call = python(attribute_read->layout);
    if (call.empty()) continue;  // a rotating layout
    const auto again = read(call, attribute_read->shape);
    ASSERT_TRUE(again.has_value()) << call << "\n" << again.error().message;
    EXPECT_EQ(attribute(again->layout), attribute(attribute_read->layout)) << call;
    EXPECT_EQ(again->map, attribute_read->map) << call;
    ++checked;
  }
  EXPECT_GE(checked, 3500);
}

TEST(GluonWriter, Text) {
  EXPECT_EQ(
      python(read("#ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [8, 4], warpsPerCTA "
                  "= [4, 1], order = [1, 0]}>")
                 ->layout),
      "gl.BlockedLayout(size_per_thread=[1, 4], threads_per_warp=[8, 4], warps_per_cta=[4, "
      "1], order=[1, 0])");
  EXPECT_EQ(python(read("#ttg.padded_shared<[4:+2] {order = [1, 0], shape = [16, 16]}>")->layout),
            "gl.PaddedSharedLayout.with_identity_for([[4, 2]], [16, 16], [1, 0])");
  EXPECT_EQ(python(read("#ttg.slice<{dim = 0, parent = #ttg.amd_wmma<{version = 2, isTranspose = "
                        "true, warpsPerCTA = [2, 2]}>}>")
                       ->layout),
            "gl.SliceLayout(dim=0, parent=gl.amd.AMDWMMALayout(version=2, transposed=True, "
            "warps_per_cta=[2, 2], instr_shape=[16, 16, 16]))");
  const auto partitioned =
      read("PartitionedSharedLayout(2, 1, 0, gl.SwizzledSharedLayout(1, 1, 1, [1, 0]))",
           Numbers{16, 16});
  ASSERT_TRUE(partitioned.has_value()) << partitioned.error().message;
  EXPECT_EQ(python(partitioned->layout),
            "gl.PartitionedSharedLayout(num_partitions=2, num_groups=1, partition_dim=0, "
            "partition_layout=gl.SwizzledSharedLayout(vec=1, per_phase=1, max_phase=1, order=[1, "
            "0]))");
}

}  // namespace gluon_writer_test
}  // namespace heddle::interop::triton
