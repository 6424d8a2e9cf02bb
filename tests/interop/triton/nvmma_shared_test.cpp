// NVMMASharedLayout, where a GPU found the elements.
#include "heddle/interop/triton/nvmma_shared.h"

#include <gtest/gtest.h>

#include "heddle/layout/text.h"
#include "tests/interop/triton/recorded.h"

namespace heddle::interop::triton {
namespace nvmma_shared_test {

using Object = llvm::json::Object;

TEST(NvmmaShared, PlacesAreThoseOnTheGpu) {
  int cases = 0, changed = 0;
  for (const llvm::json::Value& value : test::recorded_layouts()) {
    const Object& record = *value.getAsObject();
    if (test::kind_of(record) != "nvmma_shared" || !record.getObject("fields")) continue;
    auto layout = std::get<NVMMASharedLayout>(test::layout_of(*record.getObject("fields")));
    EXPECT_EQ(layout.mangle(), record.getString("mangle")->str());
    if (!record.getObject("linear")) continue;
    if (layout.swizzle_byte_width == 0 && layout.transposed && layout.rank > 1) {
      layout.transposed = false;  // what the recorded Triton 3.6.0 did; see the next test
      ++changed;
    }
    const auto shared = layout.to_shared(test::numbers_of(record, "shape"));
    ASSERT_TRUE(shared.has_value()) << record.getString("text")->str() << shared.error();
    EXPECT_EQ(layout::text(shared->map).view(),
              layout::text(test::map_of(*record.getObject("linear"))).view())
        << record.getString("text")->str();
    ++cases;
  }
  EXPECT_GE(cases, 210);
  EXPECT_GE(changed, 1);
}

// Triton's own test of triton-lang/triton#10453 asks 16x128 elements of 8 bits: offset 1 is (1, 0),
// offset 16 is (0, 1).
TEST(NvmmaShared, TransposedWithoutASwizzleTheFirstDimensionIsContiguous) {
  const auto shared = NVMMASharedLayout{0, 8, 2, true}.to_shared({16, 128});
  ASSERT_TRUE(shared.has_value()) << shared.error();
  EXPECT_EQ(layout::text(shared->map).view(),
            "offset: (1,0) (2,0) (4,0) (8,0) (0,1) (0,2) (0,4) (0,8) (0,16) (0,32) (0,64) -> dim0: "
            "16, dim1: 128");
  // As with a swizzle, where the rows of a block lie one after the other, too.
  const auto swizzled = NVMMASharedLayout{128, 16, 3, true}.to_shared({64, 2, 8});
  const auto plain = NVMMASharedLayout{0, 16, 3, true}.to_shared({64, 2, 8});
  ASSERT_TRUE(swizzled.has_value() && plain.has_value());
  EXPECT_EQ(plain->map.basis(0), swizzled->map.basis(0));
  EXPECT_EQ(layout::text(plain->map).view(),
            "offset: (1,0,0) (2,0,0) (4,0,0) (8,0,0) (16,0,0) (32,0,0) (0,0,1) (0,0,2) (0,0,4) "
            "(0,1,0) -> dim0: 64, dim1: 2, dim2: 8");
}

// What Triton cannot compile, and says in words.
TEST(NvmmaShared, RefusesWhatTritonRefuses) {
  int cases = 0;
  for (const llvm::json::Value& value : test::recorded_layouts()) {
    const Object& record = *value.getAsObject();
    if (test::kind_of(record) != "nvmma_shared" || !record.getString("measure_error")) continue;
    const auto layout = std::get<NVMMASharedLayout>(test::layout_of(*record.getObject("fields")));
    EXPECT_FALSE(layout.to_shared(test::numbers_of(record, "shape")).has_value())
        << record.getString("text")->str();
    ++cases;
  }
  EXPECT_GE(cases, 4);
}

TEST(NvmmaShared, Fp4IsPadded) {
  const NVMMASharedLayout layout{128, 8, 2, false, true};
  const auto shared = layout.to_shared({8, 64});
  ASSERT_TRUE(shared.has_value()) << shared.error();
  // Of each 16 bytes, 8 hold elements: the offset's bit 3 changes nothing.
  EXPECT_EQ(layout::text(shared->map).view(),
            "offset: (0,1) (0,2) (0,4) (0,0) (0,8) (0,16) (0,32) (1,8) (2,16) (4,32) -> dim0: 8, "
            "dim1: 64");
}

TEST(NvmmaShared, Errors) {
  const auto error = [](const NVMMASharedLayout& layout) { return layout.verify().error(); };
  EXPECT_EQ(error({16, 16}), "swizzlingByteWidth must be 0, 32, 64, or 128; it is 16");
  EXPECT_EQ(error({128, 4}), "NVMMASharedLayout element_bitwidth must be 8, 16, 32 or 64; it is 4");
  EXPECT_EQ(error({128, 16, 2, false, true}),
            "fp4_padded is only supported for element_bitwidth=8");
  EXPECT_EQ(error({64, 8, 2, false, true}), "fp4_padded only supports 128 byte swizzling");
  EXPECT_EQ((NVMMASharedLayout{128, 16}.to_shared({64, 32}).error()),
            "block shape along the contiguous dimension 1 is too small for the swizzle byte size "
            "128 in an NVMMASharedLayout, got 32 but expected at least 64");
  EXPECT_EQ((NVMMASharedLayout{128, 16}.to_shared({4, 64}).error()),
            "Illegal shared layout; expected collapsed shapePerCTA to be at least [8, 64], it is "
            "[4, 64]");
}

}  // namespace nvmma_shared_test
}  // namespace heddle::interop::triton
